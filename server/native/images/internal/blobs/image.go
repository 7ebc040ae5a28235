package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// meaning is the file of a reference: which image it meant when it was pulled or made.
type meaning struct {
	Reference string  `json:"reference"`
	Platform  string  `json:"platform"`
	Digest    v1.Hash `json:"digest"`
}

func (s *Store) meaningFile(reference, platform string) string {
	sum := sha256.Sum256([]byte(reference + "\n" + platform))
	return filepath.Join(s.folder, "refs", hex.EncodeToString(sum[:])+".json")
}

// Mean notes which image a reference means.
func (s *Store) Mean(reference, platform string, digest v1.Hash) error {
	content, err := json.Marshal(meaning{reference, platform, digest})
	if err != nil {
		return err
	}
	target := s.meaningFile(reference, platform)
	file, err := os.CreateTemp(filepath.Join(s.folder, "partial"), "ref-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(content); err != nil {
		return err
	}
	if err := closeSynced(file); err != nil {
		return err
	}
	return os.Rename(file.Name(), target)
}

// Meaning finds the image that a reference meant.
func (s *Store) Meaning(reference, platform string) (v1.Hash, bool) {
	content, err := os.ReadFile(s.meaningFile(reference, platform))
	var found meaning
	if err != nil || json.Unmarshal(content, &found) != nil || found.Digest.Algorithm != "sha256" {
		return v1.Hash{}, false
	}
	return found.Digest, true
}

// Image reads an image by the digest of its manifest.
func (s *Store) Image(digest v1.Hash, l limits.Limits) (v1.Image, error) {
	manifest, err := s.Read(digest, l.ManifestBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failure.New(failure.ImageNotFound, err, "%s is not in the cache; pull the image first.", digest)
	}
	if err != nil {
		return nil, err
	}
	parsed, err := ParseManifest(manifest, l)
	if err != nil {
		return nil, err
	}
	config, err := s.Read(parsed.Config.Digest, l.ManifestBytes)
	if err != nil {
		return nil, err
	}
	return partial.CompressedToImage(&cached{store: s, manifest: manifest, parsed: parsed, config: config})
}

// IsComplete reports whether everything that an image consists of is stored.
func (s *Store) IsComplete(digest v1.Hash, l limits.Limits) bool {
	manifest, err := s.Read(digest, l.ManifestBytes)
	if err != nil {
		return false
	}
	parsed, err := ParseManifest(manifest, l)
	if err != nil {
		return false
	}
	for _, part := range append(parsed.Layers, parsed.Config) {
		if !s.Has(part.Digest, part.Size) {
			return false
		}
	}
	return true
}

type cached struct {
	store    *Store
	manifest []byte
	parsed   *v1.Manifest
	config   []byte
}

func (c *cached) RawManifest() ([]byte, error)   { return c.manifest, nil }
func (c *cached) RawConfigFile() ([]byte, error) { return c.config, nil }

func (c *cached) MediaType() (types.MediaType, error) {
	if c.parsed.MediaType == "" {
		return types.OCIManifestSchema1, nil
	}
	return c.parsed.MediaType, nil
}

func (c *cached) LayerByDigest(digest v1.Hash) (partial.CompressedLayer, error) {
	for _, layer := range c.parsed.Layers {
		if layer.Digest == digest {
			return &cachedLayer{store: c.store, descriptor: layer}, nil
		}
	}
	return nil, failure.New(failure.ImageInvalid, nil, "The image has no layer %s.", digest)
}

type cachedLayer struct {
	store      *Store
	descriptor v1.Descriptor
}

func (l *cachedLayer) Digest() (v1.Hash, error)            { return l.descriptor.Digest, nil }
func (l *cachedLayer) Size() (int64, error)                { return l.descriptor.Size, nil }
func (l *cachedLayer) MediaType() (types.MediaType, error) { return l.descriptor.MediaType, nil }
func (l *cachedLayer) Compressed() (io.ReadCloser, error) {
	return os.Open(l.store.Path(l.descriptor.Digest))
}
