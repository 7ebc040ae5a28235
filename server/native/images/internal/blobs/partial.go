package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const lockPause = 200 * time.Millisecond

// Partial is a download that is not whole yet. It stays when it is cut off, for the next one that wants the blob.
type Partial struct {
	store  *Store
	digest v1.Hash
	file   *os.File
	lock   *Lock
}

// OpenPartial waits while another process downloads the same blob.
func (s *Store) OpenPartial(ctx context.Context, digest v1.Hash) (*Partial, error) {
	name := filepath.Join(s.folder, "partial", digest.Hex)
	lock, err := Acquire(ctx, name+".lock")
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		lock.Release()
		return nil, err
	}
	return &Partial{store: s, digest: digest, file: file, lock: lock}, nil
}

// Size is how much there is.
func (p *Partial) Size() (int64, error) {
	return p.file.Seek(0, io.SeekEnd)
}

// Write appends.
func (p *Partial) Write(content []byte) (int, error) { return p.file.Write(content) }

// Restart drops what there is.
func (p *Partial) Restart() error {
	if err := p.file.Truncate(0); err != nil {
		return err
	}
	_, err := p.file.Seek(0, io.SeekStart)
	return err
}

// IsWhole reports whether the content on the disk has the digest that it should have.
func (p *Partial) IsWhole() (bool, error) {
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, p.file); err != nil {
		return false, err
	}
	return hex.EncodeToString(sum.Sum(nil)) == p.digest.Hex, nil
}

// Keep makes a blob of it.
func (p *Partial) Keep() error {
	if err := closeSynced(p.file); err != nil {
		return err
	}
	return os.Rename(p.file.Name(), p.store.Path(p.digest))
}

// Close releases it for others; its content stays.
func (p *Partial) Close() {
	_ = p.file.Close()
	p.lock.Release()
}

// Lock is held by one process at a time, and ends with it.
type Lock struct{ file *os.File }

// Acquire waits for the lock.
func Acquire(ctx context.Context, name string) (*Lock, error) {
	ticker := time.NewTicker(lockPause)
	defer ticker.Stop()
	for {
		lock, err := try(name)
		if lock != nil || err != nil {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
}

// try returns nothing while another process holds the lock, or has just removed its file.
func try(name string) (*Lock, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	isLocked, err := lockFile(file)
	if err == nil && isLocked && isNamed(file, name) {
		return &Lock{file: file}, nil
	}
	_ = file.Close()
	return nil, err
}

func isNamed(file *os.File, name string) bool {
	held, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(held, named)
}

// Release removes the file while it is locked, so no process takes a lock on a removed file for one on a new file.
func (l *Lock) Release() {
	_ = os.Remove(l.file.Name())
	_ = l.file.Close()
}
