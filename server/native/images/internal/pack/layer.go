package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"

	"agent-runtime/native/images/internal/blobs"
)

// layer is a blob of the cache, before there is an image that names it.
type layer struct {
	store   *blobs.Store
	digest  v1.Hash
	content v1.Hash
	size    int64
	kind    types.MediaType
}

// newLayer writes a folder into the cache, as a layer.
func newLayer(ctx context.Context, store *blobs.Store, source Source, kind types.MediaType) (*layer, error) {
	sum := sha256.New()
	digest, size, err := store.Add(func(out io.Writer) error {
		// Its header has neither a name nor a time.
		packed := gzip.NewWriter(out)
		if err := source.write(ctx, io.MultiWriter(packed, sum)); err != nil {
			return err
		}
		return packed.Close()
	})
	if err != nil {
		return nil, err
	}
	content := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum.Sum(nil))}
	return &layer{store: store, digest: digest, content: content, size: size, kind: kind}, nil
}

func (l *layer) Digest() (v1.Hash, error)            { return l.digest, nil }
func (l *layer) DiffID() (v1.Hash, error)            { return l.content, nil }
func (l *layer) Size() (int64, error)                { return l.size, nil }
func (l *layer) MediaType() (types.MediaType, error) { return l.kind, nil }
func (l *layer) Compressed() (io.ReadCloser, error)  { return os.Open(l.store.Path(l.digest)) }

func (l *layer) Uncompressed() (io.ReadCloser, error) {
	file, err := l.Compressed()
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &unpackedFile{Reader: unpacked, file: file}, nil
}

type unpackedFile struct {
	io.Reader
	file io.Closer
}

func (u *unpackedFile) Close() error { return u.file.Close() }
