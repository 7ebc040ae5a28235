package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/pack"
	"agent-runtime/native/images/internal/registry"
	"agent-runtime/native/images/internal/report"
	"agent-runtime/native/images/internal/rootfs"
)

func pull(ctx context.Context, o *options, lines *report.Lines) (any, error) {
	if o.policy != "missing" && o.policy != "always" {
		return nil, usage("--policy is missing or always")
	}
	trust, err := o.trust()
	if err != nil {
		return nil, err
	}
	store, err := blobs.Open(o.cache)
	if err != nil {
		return nil, err
	}
	return registry.Pull(ctx, store, o.name, registry.PullOptions{
		Platform:      o.platform,
		Trust:         trust,
		Limits:        o.limits,
		IsMissingOnly: o.policy == "missing",
		Progress:      func(done, total int64) { lines.Progress("download", done, total) },
	})
}

func unpack(ctx context.Context, o *options, lines *report.Lines) (any, error) {
	if o.to == "" {
		return nil, usage("--to is missing")
	}
	if o.keepOwners && os.Geteuid() != 0 {
		return nil, usage("--keep-owners is for root alone")
	}
	store, err := blobs.Open(o.cache)
	if err != nil {
		return nil, err
	}
	digest, err := cachedDigest(store, o.name, o.platform)
	if err != nil {
		return nil, err
	}
	return rootfs.Unpack(ctx, store, digest, o.to, rootfs.Options{
		Limits:      o.limits,
		KeepsOwners: o.keepOwners,
		IsReused:    o.reuse,
		Progress:    func(done, total int64) { lines.Progress("unpack", done, total) },
	})
}

// cachedDigest finds an image by the digest of its manifest, or by the reference that it was pulled or made as.
func cachedDigest(store *blobs.Store, text string, platform v1.Platform) (v1.Hash, error) {
	if digest, err := v1.NewHash(text); err == nil {
		return digest, nil
	}
	ref, err := registry.ParseReference(text, registry.Trust{})
	if err != nil {
		return v1.Hash{}, err
	}
	digest, isKnown := store.Meaning(ref.Name(), platform.String())
	if !isKnown {
		return v1.Hash{}, failure.New(failure.ImageNotFound, nil, "%s for %s is not in the cache; pull the image first.", ref.Name(), platform.String())
	}
	return digest, nil
}

// importRootfs makes an image of one layer out of a root tree.
func importRootfs(ctx context.Context, o *options, lines *report.Lines) (any, error) {
	if o.base != "" || len(o.layers) > 0 {
		return nil, usage("import-rootfs takes neither --base nor --layer")
	}
	folder, err := filepath.Abs(o.name)
	if err != nil {
		return nil, err
	}
	o.base = folder
	return packImage(ctx, o, lines)
}

type packed struct {
	Reference string  `json:"reference"`
	Digest    v1.Hash `json:"digest"`
	// File is the archive or folder that was written, if one was.
	File string `json:"file,omitempty"`
}

func packImage(ctx context.Context, o *options, lines *report.Lines) (any, error) {
	write, err := o.outputOf(lines)
	if err != nil {
		return nil, err
	}
	trust, err := o.trust()
	if err != nil {
		return nil, err
	}
	ref, err := registry.ParseReference(o.tag, trust)
	if err != nil {
		return nil, err
	}
	store, err := blobs.Open(o.cache)
	if err != nil {
		return nil, err
	}
	recipe, err := o.recipe(store)
	if err != nil {
		return nil, err
	}
	image, digest, err := pack.Build(ctx, store, *recipe, func(done, total int64) { lines.Progress("pack", done, total) })
	if err != nil {
		return nil, err
	}
	if err := store.Mean(ref.Name(), o.platform.String(), digest); err != nil {
		return nil, err
	}
	return packed{Reference: ref.Name(), Digest: digest, File: o.to}, write(ctx, ref, image, trust)
}

type output func(context.Context, name.Reference, v1.Image, registry.Trust) error

func (o *options) outputOf(lines *report.Lines) (output, error) {
	if o.tag == "" {
		return nil, usage("--tag is missing")
	}
	outputs := map[string]output{
		"cache": func(context.Context, name.Reference, v1.Image, registry.Trust) error { return nil },
		"oci-dir": func(_ context.Context, ref name.Reference, image v1.Image, _ registry.Trust) error {
			return pack.WriteLayout(o.to, ref, image)
		},
		"docker-tar": func(_ context.Context, ref name.Reference, image v1.Image, _ registry.Trust) error {
			return pack.WriteDockerTar(o.to, ref, image, func(done, total int64) { lines.Progress("write", done, total) })
		},
		"push": func(ctx context.Context, ref name.Reference, image v1.Image, trust registry.Trust) error {
			return registry.Push(ctx, ref, image, trust, o.limits, func(done, total int64) { lines.Progress("push", done, total) })
		},
	}
	write := outputs[o.output]
	if write == nil {
		return nil, usage("--output is one of cache, oci-dir, docker-tar, push")
	}
	if isFile := o.output == "oci-dir" || o.output == "docker-tar"; isFile != (o.to != "") {
		return nil, usage("--to goes with --output oci-dir or docker-tar")
	}
	return write, nil
}

// recipe finds the base, which is a cached image, a root tree or nothing.
func (o *options) recipe(store *blobs.Store) (*pack.Recipe, error) {
	recipe := &pack.Recipe{Platform: o.platform, Config: o.changes}
	if isFolderName(o.base) {
		recipe.Layers = []pack.Source{{Folder: o.base, KeepsModes: true}}
	} else if o.base != "" && o.base != "none" {
		digest, err := cachedDigest(store, o.base, o.platform)
		if err != nil {
			return nil, err
		}
		if recipe.Base, err = store.Image(digest, o.limits); err != nil {
			return nil, err
		}
	}
	for _, layer := range o.layers {
		layer.UID, layer.GID = o.owner.uid, o.owner.gid
		recipe.Layers = append(recipe.Layers, layer)
	}
	for _, layer := range recipe.Layers {
		if info, err := os.Stat(layer.Folder); err != nil || !info.IsDir() {
			return nil, failure.New(failure.FolderUnusable, err, "There is no folder %s.", layer.Folder)
		}
	}
	return recipe, nil
}

// isFolderName distinguishes a root tree from a reference: that a folder called python exists does not decide it.
func isFolderName(base string) bool {
	return filepath.IsAbs(base) || base == "." || base == ".." || strings.HasPrefix(base, "./") || strings.HasPrefix(base, "../")
}
