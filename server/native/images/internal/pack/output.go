package pack

import (
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"agent-runtime/native/images/internal/failure"
)

// WriteDockerTar writes an archive that `docker load` takes: at once, or not at all.
func WriteDockerTar(target string, ref name.Reference, image v1.Image, progress func(done, total int64)) error {
	half := target + ".part"
	defer os.Remove(half)
	updates := make(chan v1.Update, 16)
	written := make(chan error, 1)
	go func() {
		written <- tarball.WriteToFile(half, ref, image, tarball.WithProgress(updates))
		close(updates)
	}()
	for update := range updates {
		if update.Error == nil {
			progress(update.Complete, update.Total)
		}
	}
	if err := <-written; err != nil {
		return err
	}
	return os.Rename(half, target)
}

// WriteLayout writes a folder in the OCI layout, with this one image.
func WriteLayout(target string, ref name.Reference, image v1.Image) error {
	if _, err := os.Lstat(target); err == nil {
		return failure.New(failure.TargetExists, nil, "%s exists already.", target)
	}
	half := target + ".part"
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	defer os.RemoveAll(half)
	index, err := layout.Write(half, empty.Index)
	if err != nil {
		return err
	}
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": ref.Name()})
	if err := index.AppendImage(image, named); err != nil {
		return err
	}
	return os.Rename(half, target)
}
