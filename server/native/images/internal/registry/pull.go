package registry

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/sync/errgroup"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// PullOptions are the limits and conditions of a pull.
type PullOptions struct {
	Platform v1.Platform
	Trust    Trust
	Limits   limits.Limits
	// IsMissingOnly asks no registry about an image that is in the cache.
	IsMissingOnly bool
	// Progress gets the bytes that are there and all bytes of the image.
	Progress func(done, total int64)
}

// Pulled is what the cache has then.
type Pulled struct {
	Reference string `json:"reference"`
	// Digest is that of the manifest of the platform's image.
	Digest v1.Hash `json:"digest"`
	// Size is what the layers have in bytes, as they are transferred.
	Size     int64 `json:"size"`
	IsCached bool  `json:"cached"`
}

// Pull brings an image into the cache, every part checked by its digest.
func Pull(ctx context.Context, store *blobs.Store, reference string, o PullOptions) (*Pulled, error) {
	ref, err := ParseReference(reference, o.Trust)
	if err != nil {
		return nil, err
	}
	if known, isKnown := store.Meaning(ref.Name(), o.Platform.String()); o.IsMissingOnly && isKnown && store.IsComplete(known, o.Limits) {
		return &Pulled{Reference: ref.Name(), Digest: known, IsCached: true}, nil
	}
	s, err := open(ctx, ref, o.Trust, "pull", o.Limits)
	if err != nil {
		return nil, err
	}
	found, err := s.resolve(ctx, o)
	if err != nil {
		return nil, explain(ref, err)
	}
	manifest, err := blobs.ParseManifest(found.Manifest, o.Limits)
	if err != nil {
		return nil, err
	}
	result := &Pulled{Reference: ref.Name(), Digest: found.Digest}
	for _, layer := range manifest.Layers {
		result.Size += layer.Size
	}
	if err := s.bring(ctx, store, manifest, o); err != nil {
		return nil, err
	}
	// The manifest comes last: an image that has one in the cache is whole.
	if _, err := store.Put(found.Manifest); err != nil {
		return nil, err
	}
	return result, store.Mean(ref.Name(), o.Platform.String(), found.Digest)
}

// resolve finds the manifest of the platform's image.
func (s *session) resolve(ctx context.Context, o PullOptions) (*remote.Descriptor, error) {
	options := []remote.Option{remote.WithContext(ctx), remote.WithTransport(s.transport)}
	found, err := remote.Get(s.ref, options...)
	if err != nil {
		return nil, err
	}
	if found.MediaType.IsImage() {
		return found, nil
	}
	if !found.MediaType.IsIndex() {
		return nil, failure.New(failure.ImageInvalid, nil, "%s is not an image but %s.", s.ref.Name(), found.MediaType)
	}
	index, err := found.ImageIndex()
	if err != nil {
		return nil, err
	}
	fitting, err := partial.FindManifests(index, func(d v1.Descriptor) bool {
		return d.MediaType.IsImage() && d.Platform != nil && d.Platform.Satisfies(o.Platform)
	})
	if err != nil {
		return nil, err
	}
	if len(fitting) == 0 {
		return nil, platformMissing(s.ref, o.Platform)
	}
	return remote.Get(s.ref.Context().Digest(fitting[0].Digest.String()), options...)
}

// bring downloads the configuration, checks it, and then the layers.
func (s *session) bring(ctx context.Context, store *blobs.Store, manifest *v1.Manifest, o PullOptions) error {
	total := manifest.Config.Size
	for _, layer := range manifest.Layers {
		total += layer.Size
	}
	var done atomic.Int64
	arrived := func(n int64) { o.Progress(done.Add(n), total) }
	if err := s.download(ctx, store, manifest.Config, arrived); err != nil {
		return err
	}
	if err := s.checkConfig(store, manifest, o); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limits.ParallelDownloads)
	for _, layer := range manifest.Layers {
		group.Go(func() error { return s.download(ctx, store, layer, arrived) })
	}
	return group.Wait()
}

func (s *session) checkConfig(store *blobs.Store, manifest *v1.Manifest, o PullOptions) error {
	raw, err := store.Read(manifest.Config.Digest, o.Limits.ManifestBytes)
	if err != nil {
		return err
	}
	config, err := blobs.ParseConfig(raw)
	if err != nil {
		return err
	}
	if own := config.Platform(); own != nil && own.Architecture != "" && !own.Satisfies(o.Platform) {
		return platformMissing(s.ref, o.Platform, own.String())
	}
	return blobs.CheckConfig(config, manifest)
}

func platformMissing(ref name.Reference, wanted v1.Platform, only ...string) error {
	found := ""
	if len(only) > 0 {
		found = fmt.Sprintf(", only for %s", only[0])
	}
	return failure.New(failure.PlatformMissing, nil, "There is no image %s for %s%s.", ref.Name(), wanted.String(), found)
}
