package registry

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"agent-runtime/native/images/internal/limits"
)

// Push uploads an image; what the registry has already is not sent again.
func Push(ctx context.Context, ref name.Reference, image v1.Image, trust Trust, l limits.Limits, progress func(done, total int64)) error {
	s, err := open(ctx, ref, trust, "push,pull", l)
	if err != nil {
		return err
	}
	updates := make(chan v1.Update, 16)
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		for update := range updates {
			if update.Error == nil {
				progress(update.Complete, update.Total)
			}
		}
	}()
	err = remote.Write(ref, image, remote.WithContext(ctx), remote.WithTransport(s.transport), remote.WithProgress(updates))
	<-reported
	if err != nil {
		return explain(ref, err)
	}
	return nil
}
