package failure_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"agent-runtime/native/images/internal/failure"
)

func TestFindsTheCaseOfAnError(t *testing.T) {
	damaged := failure.New(failure.LayerDamaged, nil, "Damaged.")
	for want, err := range map[failure.Code]error{
		failure.DiskFull:       fmt.Errorf("copy: %w", &fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}),
		failure.FolderUnusable: &fs.PathError{Op: "open", Path: "/x", Err: syscall.EACCES},
		failure.LayerDamaged:   fmt.Errorf("layer: %w", damaged),
		failure.TimedOut:       fmt.Errorf("get: %w", context.DeadlineExceeded),
		failure.Cancelled:      context.Canceled,
		failure.Internal:       errors.New("unheard of"),
	} {
		if got := failure.Of(err).Code; got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
	// A disk that is full is the reason also where the message is another one.
	full := failure.New(failure.LayerDamaged, syscall.EDQUOT, "Damaged.")
	if got := failure.Of(full).Code; got != failure.DiskFull {
		t.Errorf("got %s", got)
	}
}
