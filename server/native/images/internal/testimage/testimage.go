// Package testimage makes images for tests, also invalid ones.
package testimage

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"agent-runtime/native/images/internal/blobs"
)

// Entry is an entry of a layer, with its content.
type Entry struct {
	tar.Header
	Content string
}

// File is a regular file.
func File(name, content string) Entry {
	return Entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}, content}
}

// Folder is a folder.
func Folder(name string) Entry {
	return Entry{Header: tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755}}
}

// Link is a symbolic link.
func Link(name, target string) Entry {
	return Entry{Header: tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777}}
}

// Same is a hard link.
func Same(name, target string) Entry {
	return Entry{Header: tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: target, Mode: 0o644}}
}

// Archive is a layer as it is before it is compressed.
func Archive(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, entry := range entries {
		if entry.Typeflag == tar.TypeReg {
			entry.Size = int64(len(entry.Content))
		}
		Must(t, archive.WriteHeader(&entry.Header))
		if entry.Size > 0 {
			_, err := io.WriteString(archive, entry.Content)
			Must(t, err)
		}
	}
	Must(t, archive.Close())
	return out.Bytes()
}

// Gzip compresses a layer.
func Gzip(t testing.TB, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	_, err := packed.Write(content)
	Must(t, err)
	Must(t, packed.Close())
	return out.Bytes()
}

// Blob is a layer as it is transferred, and the digest of what is in it.
type Blob struct {
	Bytes   []byte
	Content v1.Hash
}

// Layer is a compressed layer of these entries.
func Layer(t testing.TB, entries ...Entry) Blob {
	t.Helper()
	archive := Archive(t, entries...)
	return Blob{Bytes: Gzip(t, archive), Content: Digest(archive)}
}

// Image is an image in parts, as a registry or a cache keeps it.
type Image struct {
	Manifest, Config []byte
	Layers           []Blob
}

// New makes an image for linux/amd64.
func New(t testing.TB, config v1.Config, layers ...Blob) *Image {
	t.Helper()
	file := v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: config, RootFS: v1.RootFS{Type: "layers"}}
	manifest := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}
	for _, layer := range layers {
		file.RootFS.DiffIDs = append(file.RootFS.DiffIDs, layer.Content)
		manifest.Layers = append(manifest.Layers, descriptor(types.OCILayer, layer.Bytes))
	}
	raw, err := json.Marshal(file)
	Must(t, err)
	manifest.Config = descriptor(types.OCIConfigJSON, raw)
	whole, err := json.Marshal(manifest)
	Must(t, err)
	return &Image{Manifest: whole, Config: raw, Layers: layers}
}

func descriptor(kind types.MediaType, content []byte) v1.Descriptor {
	return v1.Descriptor{MediaType: kind, Digest: Digest(content), Size: int64(len(content))}
}

// Digest is the digest of its manifest.
func (i *Image) Digest() v1.Hash { return Digest(i.Manifest) }

// Keep puts the image into a cache.
func (i *Image) Keep(t testing.TB, store *blobs.Store) v1.Hash {
	t.Helper()
	for _, layer := range i.Layers {
		_, err := store.Put(layer.Bytes)
		Must(t, err)
	}
	_, err := store.Put(i.Config)
	Must(t, err)
	digest, err := store.Put(i.Manifest)
	Must(t, err)
	return digest
}

// Digest is the sha256 of some bytes.
func Digest(content []byte) v1.Hash {
	sum := sha256.Sum256(content)
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
}

// Must ends the test when something failed that is not its subject.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
