package rootfs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

var (
	gzipStart = []byte{0x1f, 0x8b}
	zstdStart = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// decompress recognises gzip, zstd and plain archives by how they begin: media types are not always right.
func decompress(blob io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(blob, 1<<16)
	start, _ := buffered.Peek(len(zstdStart))
	switch {
	case bytes.HasPrefix(start, gzipStart):
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, unreadable(err)
		}
		return unpacked, nil
	case bytes.HasPrefix(start, zstdStart):
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(limits.ZstdWindowBytes))
		if err != nil {
			return nil, unreadable(err)
		}
		return unpacked.IOReadCloser(), nil
	}
	return io.NopCloser(buffered), nil
}

// unreadable is a layer that cannot be read, unless the reason is another one.
func unreadable(err error) error {
	var known *failure.Failure
	var path *fs.PathError
	var number syscall.Errno
	if errors.As(err, &known) || errors.As(err, &path) || errors.As(err, &number) || isEnded(err) {
		return err
	}
	if err == nil {
		return nil
	}
	return failure.New(failure.LayerDamaged, err, "A layer of the image cannot be read: %v.", err)
}
