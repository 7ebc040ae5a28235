package registry

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"agent-runtime/native/images/internal/failure"
)

// silence is a time-out of the network, though not of the whole command.
type silence struct{}

func (silence) Error() string   { return "the connection was silent" }
func (silence) Timeout() bool   { return true }
func (silence) Temporary() bool { return true }

var errIdle error = silence{}

// cause is why a request ended, where it was ended by us.
func cause(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errIdle) {
		return errIdle
	}
	return err
}

// isEnded reports whether the command itself was stopped.
func isEnded(err error) bool {
	return errors.Is(err, context.Canceled) || (errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded))
}

// isRetryable reports whether the same request may succeed shortly after: a connection that broke, a registry that is busy.
func isRetryable(ctx context.Context, err error) bool {
	var known *failure.Failure
	var path *fs.PathError
	var status *transport.Error
	switch {
	case ctx.Err() != nil, errors.As(err, &known), errors.As(err, &path), isCertificate(err), errors.Is(err, errPlain):
		return false
	case errors.As(err, &status):
		return status.StatusCode >= http.StatusInternalServerError || status.StatusCode == http.StatusTooManyRequests
	}
	return true
}

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
