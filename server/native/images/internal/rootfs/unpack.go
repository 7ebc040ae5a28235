package rootfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// Options are how a tree is made.
type Options struct {
	Limits limits.Limits
	// KeepsOwners sets the owners that the layers name; only root may.
	KeepsOwners bool
	// IsReused takes an existing tree as it is.
	IsReused bool
	// Progress gets the bytes of the layers that were read, and all.
	Progress func(done, total int64)
}

// Unpacked is what was made.
type Unpacked struct {
	Digest v1.Hash `json:"digest"`
	Root   string  `json:"root"`
	Config Config  `json:"config"`
	Files  int     `json:"files"`
	Bytes  int64   `json:"bytes"`
	// Dropped counts what was omitted, by its kind: devices, pipes, setuid, metadata.
	Dropped  map[string]int `json:"dropped"`
	IsReused bool           `json:"reused"`
}

// Config is an image's configuration of how it is run.
type Config struct {
	Env        []string          `json:"env"`
	Entrypoint []string          `json:"entrypoint"`
	Cmd        []string          `json:"cmd"`
	WorkingDir string            `json:"workingDir"`
	User       string            `json:"user"`
	Labels     map[string]string `json:"labels"`
}

// Unpack makes the root tree of a cached image: at once, or not at all.
func Unpack(ctx context.Context, store *blobs.Store, digest v1.Hash, target string, o Options) (*Unpacked, error) {
	image, err := store.Image(digest, o.Limits)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	result := &Unpacked{Digest: digest, Root: target, Config: runConfig(config.Config), Dropped: map[string]int{}}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return nil, err
	}
	lock, err := blobs.Acquire(ctx, target+".lock")
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	if _, err := os.Lstat(target); err == nil {
		if result.IsReused = o.IsReused; o.IsReused {
			return result, nil
		}
		return nil, failure.New(failure.TargetExists, nil, "%s exists already.", target)
	}
	half := target + ".part"
	// Of a killed process: the holder of the lock is alone here.
	if err := os.RemoveAll(half); err != nil {
		return nil, err
	}
	defer os.RemoveAll(half)
	if err := unpackInto(ctx, store, image, config, half, o, result); err != nil {
		return nil, err
	}
	return result, os.Rename(half, target)
}

func unpackInto(ctx context.Context, store *blobs.Store, image v1.Image, config *v1.ConfigFile, folder string, o Options, result *Unpacked) error {
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	if err := blobs.CheckConfig(config, manifest); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	t := &tree{root: root, keepsOwners: o.KeepsOwners, folders: map[string]time.Time{}, resolved: map[string]string{}, dropped: result.Dropped}
	spent := &budget{limits: o.Limits}
	var done, total int64
	for _, layer := range manifest.Layers {
		total += layer.Size
	}
	arrived := func(n int) { done += int64(n); o.Progress(done, total) }
	for i, layer := range manifest.Layers {
		if err := applyBlob(ctx, store, layer.Digest, config.RootFS.DiffIDs[i], t, spent, arrived); err != nil {
			return err
		}
	}
	result.Files, result.Bytes = spent.entries, spent.written
	return t.finish()
}

// applyBlob lays a layer over the tree and checks it against the configuration of the image.
func applyBlob(ctx context.Context, store *blobs.Store, digest, content v1.Hash, t *tree, spent *budget, arrived func(int)) error {
	file, err := os.Open(store.Path(digest))
	if errors.Is(err, os.ErrNotExist) {
		return failure.New(failure.ImageNotFound, err, "The layer %s is not in the cache; pull the image again.", digest)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := decompress(&countedReader{stream: file, arrived: arrived})
	if err == nil {
		defer unpacked.Close()
		sum := sha256.New()
		stream := io.TeeReader(spent.layer(ctx, unpacked), sum)
		if err = t.apply(stream, spent); err == nil {
			// What follows the archive counts too.
			_, err = io.Copy(io.Discard, stream)
			err = unreadable(err)
		}
		if err == nil && hex.EncodeToString(sum.Sum(nil)) != content.Hex {
			err = failure.New(failure.LayerDamaged, nil, "The layer %s is damaged in the cache and is removed; pull the image again.", digest)
		}
	}
	var known *failure.Failure
	if errors.As(err, &known) && known.Code == failure.LayerDamaged {
		store.Forget(digest)
	}
	return err
}

type countedReader struct {
	stream  io.Reader
	arrived func(int)
}

func (t *countedReader) Read(p []byte) (int, error) {
	n, err := t.stream.Read(p)
	t.arrived(n)
	return n, err
}

func runConfig(c v1.Config) Config {
	return Config{Env: c.Env, Entrypoint: c.Entrypoint, Cmd: c.Cmd, WorkingDir: c.WorkingDir, User: c.User, Labels: c.Labels}
}

func isEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
