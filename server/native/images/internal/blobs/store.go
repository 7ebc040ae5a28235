// Package blobs keeps manifests, configurations and layers by their digests, and which image a reference meant.
package blobs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// Store is the cache: a folder that several processes use at once.
type Store struct{ folder string }

// Open makes the folder when it is missing and drops abandoned downloads.
func Open(folder string) (*Store, error) {
	s := &Store{folder: folder}
	for _, part := range []string{"blobs/sha256", "partial", "refs"} {
		if err := os.MkdirAll(filepath.Join(folder, part), 0o700); err != nil {
			return nil, err
		}
	}
	s.dropAbandoned(time.Now().Add(-limits.PartialAge))
	return s, nil
}

func (s *Store) dropAbandoned(before time.Time) {
	entries, _ := os.ReadDir(filepath.Join(s.folder, "partial"))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(s.folder, "partial", entry.Name()))
		}
	}
}

// Path is where a blob is when it exists.
func (s *Store) Path(digest v1.Hash) string {
	return filepath.Join(s.folder, "blobs", "sha256", digest.Hex)
}

// Has reports whether a blob exists, whole.
func (s *Store) Has(digest v1.Hash, size int64) bool {
	info, err := os.Stat(s.Path(digest))
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// Read gives the content of a small blob, and fails when it does not match its digest.
func (s *Store) Read(digest v1.Hash, limit int64) ([]byte, error) {
	file, err := os.Open(s.Path(digest))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, failure.New(failure.ImageTooLarge, nil, "%s has more than %d bytes.", digest, limit)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != digest.Hex {
		_ = os.Remove(s.Path(digest))
		return nil, failure.New(failure.LayerDamaged, nil, "%s in the cache was damaged and is removed; pull the image again.", digest)
	}
	return content, nil
}

// Forget removes a blob that turned out to be damaged.
func (s *Store) Forget(digest v1.Hash) { _ = os.Remove(s.Path(digest)) }

// Put keeps a small blob.
func (s *Store) Put(content []byte) (v1.Hash, error) {
	digest, _, err := s.Add(func(out io.Writer) error {
		_, err := io.Copy(out, bytes.NewReader(content))
		return err
	})
	return digest, err
}

// Add keeps what write writes, under the digest that it turns out to have.
func (s *Store) Add(write func(io.Writer) error) (v1.Hash, int64, error) {
	file, err := os.CreateTemp(filepath.Join(s.folder, "partial"), "new-*")
	if err != nil {
		return v1.Hash{}, 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	sum := &counted{hash: sha256.New()}
	if err := write(io.MultiWriter(file, sum)); err != nil {
		return v1.Hash{}, 0, err
	}
	if err := closeSynced(file); err != nil {
		return v1.Hash{}, 0, err
	}
	digest := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum.hash.Sum(nil))}
	return digest, sum.size, os.Rename(file.Name(), s.Path(digest))
}

// The name is the content's digest: what is renamed has to be on the disk.
func closeSynced(file *os.File) error {
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

type counted struct {
	hash hash.Hash
	size int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	return c.hash.Write(p)
}
