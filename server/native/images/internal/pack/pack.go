package pack

import (
	"context"
	"maps"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
)

// Recipe is what an image is made of.
type Recipe struct {
	// Base is what the layers come on top of; nil: nothing.
	Base     v1.Image
	Platform v1.Platform
	Layers   []Source
	Config   Changes
}

// Changes are made to the base's configuration of how it is run. What is empty stays as it is.
type Changes struct {
	Env        []string
	Labels     map[string]string
	Entrypoint []string
	Cmd        []string
	WorkingDir string
	User       string
}

// Build makes the image and keeps all of it in the cache.
func Build(ctx context.Context, store *blobs.Store, r Recipe, progress func(done, total int64)) (v1.Image, v1.Hash, error) {
	image, err := base(r)
	if err != nil {
		return nil, v1.Hash{}, err
	}
	kind, err := layerKind(image)
	if err != nil {
		return nil, v1.Hash{}, err
	}
	for i, source := range r.Layers {
		made, err := newLayer(ctx, store, source, kind)
		if err != nil {
			return nil, v1.Hash{}, err
		}
		history := v1.History{Created: v1.Time{Time: noTime}, CreatedBy: "agent-runtime", Comment: "/" + source.Target}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: made, History: history}); err != nil {
			return nil, v1.Hash{}, err
		}
		progress(int64(i+1), int64(len(r.Layers)))
	}
	if image, err = configured(image, r.Config); err != nil {
		return nil, v1.Hash{}, err
	}
	digest, err := keep(store, image)
	return image, digest, err
}

func base(r Recipe) (v1.Image, error) {
	if r.Base != nil {
		return r.Base, nil
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = r.Platform.OS, r.Platform.Architecture, r.Platform.Variant
	return mutate.ConfigFile(image, config)
}

// layerKind is that of the base: an image is of Docker's kinds or of OCI's.
func layerKind(image v1.Image) (types.MediaType, error) {
	kind, err := image.MediaType()
	if err != nil || kind == types.DockerManifestSchema2 {
		return types.DockerLayer, err
	}
	return types.OCILayer, nil
}

func configured(image v1.Image, c Changes) (v1.Image, error) {
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	config := &file.Config
	for _, setting := range c.Env {
		if config.Env, err = withVariable(config.Env, setting); err != nil {
			return nil, err
		}
	}
	if len(c.Labels) > 0 {
		labels := maps.Clone(config.Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, c.Labels)
		config.Labels = labels
	}
	if c.Entrypoint != nil {
		// As Docker does it: a command belongs to its entry point.
		config.Entrypoint, config.Cmd = c.Entrypoint, nil
	}
	if c.Cmd != nil {
		config.Cmd = c.Cmd
	}
	if c.WorkingDir != "" {
		config.WorkingDir = c.WorkingDir
	}
	if c.User != "" {
		config.User = c.User
	}
	file.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	return mutate.ConfigFile(image, file)
}

func withVariable(env []string, setting string) ([]string, error) {
	name, _, isSetting := strings.Cut(setting, "=")
	if !isSetting || name == "" {
		return nil, failure.New(failure.Usage, nil, "--env takes NAME=VALUE, not %q.", setting)
	}
	kept := make([]string, 0, len(env)+1)
	for _, one := range env {
		if !strings.HasPrefix(one, name+"=") {
			kept = append(kept, one)
		}
	}
	return append(kept, setting), nil
}

// keep puts the configuration and the manifest beside the layers.
func keep(store *blobs.Store, image v1.Image) (v1.Hash, error) {
	config, err := image.RawConfigFile()
	if err != nil {
		return v1.Hash{}, err
	}
	if _, err := store.Put(config); err != nil {
		return v1.Hash{}, err
	}
	manifest, err := image.RawManifest()
	if err != nil {
		return v1.Hash{}, err
	}
	return store.Put(manifest)
}
