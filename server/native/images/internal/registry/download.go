package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// download brings one blob into the cache and continues where an earlier download stopped; arrived counts its bytes.
func (s *session) download(ctx context.Context, store *blobs.Store, blob v1.Descriptor, arrived func(int64)) error {
	if store.Has(blob.Digest, blob.Size) {
		arrived(blob.Size)
		return nil
	}
	partial, err := store.OpenPartial(ctx, blob.Digest)
	if err != nil {
		return err
	}
	defer partial.Close()
	if store.Has(blob.Digest, blob.Size) {
		arrived(blob.Size)
		return nil
	}
	isResumed, err := s.fill(ctx, partial, blob, arrived)
	if err != nil {
		return err
	}
	isWhole, err := partial.IsWhole()
	if err == nil && !isWhole && isResumed {
		// What was there before may be what is wrong.
		arrived(-blob.Size)
		if err = partial.Restart(); err == nil {
			_, err = s.fill(ctx, partial, blob, arrived)
		}
		if err == nil {
			isWhole, err = partial.IsWhole()
		}
	}
	if err != nil {
		return err
	}
	if !isWhole {
		_ = partial.Restart()
		return damaged(blob.Digest)
	}
	return partial.Keep()
}

// fill downloads until all bytes are there, and reports whether some existed before.
func (s *session) fill(ctx context.Context, partial *blobs.Partial, blob v1.Descriptor, arrived func(int64)) (bool, error) {
	first, err := partial.Size()
	if err == nil && first > blob.Size {
		first, err = 0, partial.Restart()
	}
	if err != nil {
		return false, err
	}
	arrived(first)
	size := first
	for failed := 0; size < blob.Size; {
		before := size
		// What follows is only true when nothing was restarted.
		err := s.fetch(ctx, partial, blob, size, func(n int64) { size += n; arrived(n) })
		if err == nil {
			continue
		}
		if !isRetryable(ctx, err) {
			return false, explain(s.ref, err)
		}
		if size > before {
			failed = 0
		}
		if failed++; failed >= limits.Attempts {
			return false, explain(s.ref, err)
		}
		if err := wait(ctx, limits.FirstPause<<(failed-1)); err != nil {
			return false, err
		}
	}
	return first > 0, nil
}

// fetch asks for the bytes from offset on. A registry without ranges sends all: then it begins anew.
func (s *session) fetch(ctx context.Context, partial *blobs.Partial, blob v1.Descriptor, offset int64, arrived func(int64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(limits.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	repository := s.ref.Context()
	address := fmt.Sprintf("%s://%s/v2/%s/blobs/%s", repository.Scheme(), repository.RegistryStr(), repository.RepositoryStr(), blob.Digest)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	if offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, blob.Size-1))
	}
	response, err := (&http.Client{Transport: s.transport}).Do(request)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()
	if err := s.begin(response, partial, &offset, arrived); err != nil {
		return err
	}
	body := &watched{body: io.LimitReader(response.Body, blob.Size-offset+1), idle: idle, left: blob.Size - offset, digest: blob.Digest}
	_, err = io.Copy(io.MultiWriter(partial, counter(arrived)), body)
	return cause(ctx, err)
}

// begin makes the partial file end where the response begins.
func (s *session) begin(response *http.Response, partial *blobs.Partial, offset *int64, arrived func(int64)) error {
	if response.StatusCode == http.StatusPartialContent && *offset > 0 {
		var first int64
		if _, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-", &first); err == nil && first == *offset {
			return nil
		}
		return failure.New(failure.RegistryFailed, nil, "%s sent another part of a layer than it was asked for.", s.ref.Context().RegistryStr())
	}
	isRefused := response.StatusCode == http.StatusRequestedRangeNotSatisfiable && *offset > 0
	if isRefused || response.StatusCode == http.StatusOK {
		arrived(-*offset)
		*offset = 0
		if err := partial.Restart(); err != nil || !isRefused {
			return err
		}
		return io.ErrUnexpectedEOF
	}
	return transport.CheckError(response, http.StatusOK, http.StatusPartialContent)
}

// watched notices silence and an end that comes too early or too late.
type watched struct {
	body   io.Reader
	idle   *time.Timer
	left   int64
	digest v1.Hash
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	w.idle.Reset(limits.Idle)
	w.left -= int64(n)
	if w.left < 0 {
		return 0, damaged(w.digest)
	}
	if errors.Is(err, io.EOF) && w.left > 0 {
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

type counter func(int64)

func (c counter) Write(p []byte) (int, error) {
	c(int64(len(p)))
	return len(p), nil
}

func damaged(digest v1.Hash) error {
	return failure.New(failure.LayerDamaged, nil, "The layer %s is damaged: what the registry sends has another digest.", digest)
}
