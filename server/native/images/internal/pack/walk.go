// Package pack makes layers of folders, and images of layers. The same folders make the same bytes, on every machine.
package pack

import (
	"archive/tar"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"agent-runtime/native/images/internal/failure"
)

// Source is a folder and where it is in the image.
type Source struct {
	Folder string
	// Target is a path below the root of the image; empty: the folder is the root.
	Target string
	UID    int
	GID    int
	// KeepsModes keeps the permissions of the files, which differ by machine: for root trees. Otherwise every user may
	// read all, and execute what its owner may.
	KeepsModes bool
}

// The beginning of time: when a file was changed is not part of its content.
var noTime = time.Unix(0, 0)

type writer struct {
	ctx    context.Context
	out    *tar.Writer
	source Source
	links  map[fileID]string
}

// write writes the folder as an archive, sorted by name.
func (s Source) write(ctx context.Context, out io.Writer) error {
	archive := tar.NewWriter(out)
	w := &writer{ctx: ctx, out: archive, source: s, links: map[fileID]string{}}
	if err := w.parents(); err != nil {
		return err
	}
	// WalkDir goes through a folder in the order of names.
	if err := filepath.WalkDir(s.Folder, w.visit); err != nil {
		return err
	}
	return archive.Close()
}

// parents writes the folders above the target.
func (w *writer) parents() error {
	at := ""
	for _, part := range strings.Split(path.Dir(w.source.Target), "/") {
		if part == "." || part == "" {
			continue
		}
		at = path.Join(at, part)
		if err := w.header(&tar.Header{Typeflag: tar.TypeDir, Name: at + "/", Mode: 0o755}); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) visit(file string, entry fs.DirEntry, err error) error {
	if err == nil {
		err = w.ctx.Err()
	}
	if err != nil {
		return err
	}
	inside, err := filepath.Rel(w.source.Folder, file)
	if err != nil {
		return err
	}
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	name := path.Join(w.source.Target, filepath.ToSlash(inside))
	switch {
	case info.IsDir():
		if name == "." {
			name = ""
		}
		return w.header(&tar.Header{Typeflag: tar.TypeDir, Name: "./" + name + "/", Mode: w.mode(info)})
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		return w.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: filepath.ToSlash(target), Mode: 0o777})
	case info.Mode().IsRegular():
		return w.file(file, name, info)
	}
	// Sockets, pipes and devices are of the machine that they are on.
	return nil
}

func (w *writer) file(source, name string, info fs.FileInfo) error {
	if id, isShared := sharedFile(info); isShared {
		if first, isKnown := w.links[id]; isKnown {
			return w.header(&tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: first, Mode: w.mode(info)})
		}
		w.links[id] = name
	}
	file, err := os.Open(source)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := w.header(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: w.mode(info)}); err != nil {
		return err
	}
	written, err := io.Copy(w.out, io.LimitReader(file, info.Size()))
	if err == nil && written < info.Size() {
		return failure.New(failure.FolderUnusable, nil, "%s became shorter while it was read.", source)
	}
	return err
}

func (w *writer) mode(info fs.FileInfo) int64 {
	mode := info.Mode()
	if w.source.KeepsModes {
		kept := int64(mode.Perm())
		if mode&fs.ModeSticky != 0 {
			kept |= 0o1000
		}
		return kept
	}
	if info.IsDir() || mode&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

func (w *writer) header(header *tar.Header) error {
	header.Name = strings.TrimPrefix(path.Clean(header.Name), "/")
	if header.Typeflag == tar.TypeDir {
		header.Name += "/"
	}
	header.ModTime = noTime
	header.Uid, header.Gid = w.source.UID, w.source.GID
	header.Format = tar.FormatPAX
	return w.out.WriteHeader(header)
}
