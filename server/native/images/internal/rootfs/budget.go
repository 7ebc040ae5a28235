package rootfs

import (
	"archive/tar"
	"context"
	"io"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// budget is what remains of the limits of an image, over all of its layers.
type budget struct {
	limits limits.Limits
	// read and written are apart: a sparse file is small in a layer and large on the disk.
	read, written, names int64
	entries              int
}

// entry counts an entry and its name.
func (b *budget) entry(entry *tar.Header) error {
	if b.entries++; b.entries > b.limits.Files {
		return tooLarge("it has more than %d files", b.limits.Files)
	}
	if b.names += int64(len(entry.Name) + len(entry.Linkname)); b.names > b.limits.NamesBytes {
		return tooLarge("the names of its files have more than %d bytes", b.limits.NamesBytes)
	}
	return nil
}

// layer counts what comes out of the decompression, of any content.
func (b *budget) layer(ctx context.Context, stream io.Reader) io.Reader {
	return &metered{ctx: ctx, stream: stream, used: &b.read, limit: b.limits.UnpackedBytes}
}

// files counts what is written.
func (b *budget) files(content io.Reader) io.Reader {
	return &metered{ctx: context.Background(), stream: content, used: &b.written, limit: b.limits.UnpackedBytes}
}

type metered struct {
	ctx    context.Context
	stream io.Reader
	used   *int64
	limit  int64
}

func (m *metered) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.stream.Read(p)
	if *m.used += int64(n); *m.used > m.limit {
		return 0, tooLarge("it has more than %d bytes unpacked", m.limit)
	}
	return n, err
}

func tooLarge(format string, args ...any) *failure.Failure {
	return failure.New(failure.ImageTooLarge, nil, "The image is too large: "+format+".", args...)
}
