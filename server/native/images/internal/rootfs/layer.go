package rootfs

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"agent-runtime/native/images/internal/limits"
)

const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
	// metadata is what aufs kept beside its layers.
	metadata = ".wh..wh."
)

// apply lays one layer over the tree.
func (t *tree) apply(stream io.Reader, budget *budget) error {
	own := layerPaths{}
	own.add("")
	entries := tar.NewReader(stream)
	for {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		if err := budget.entry(entry); err != nil {
			return err
		}
		if err := t.add(entry, entries, own, budget); err != nil {
			return err
		}
	}
}

func (t *tree) add(entry *tar.Header, content io.Reader, own layerPaths, budget *budget) error {
	if entry.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	name, err := cleanName(entry.Name)
	if err != nil {
		return err
	}
	last := path.Base(name)
	if last != opaque && (strings.HasPrefix(name, metadata) || strings.HasPrefix(last, metadata)) {
		t.dropped["metadata"]++
		return nil
	}
	at, err := t.resolve(name)
	if err != nil {
		return err
	}
	if strings.HasPrefix(last, whiteout) {
		return t.whiteOut(at, last, own)
	}
	if kind, isDropped := droppedKind(entry); isDropped {
		t.dropped[kind]++
		return nil
	}
	if err := t.make(entry, at, content, budget); err != nil {
		return err
	}
	own.add(at)
	return t.own(entry, at)
}

func (t *tree) whiteOut(at, last string, own layerPaths) error {
	folder := parent(at)
	if last == opaque {
		return t.emptyLower(folder, own)
	}
	hidden := strings.TrimPrefix(last, whiteout)
	if hidden == "" || hidden == "." || hidden == ".." {
		return refused("%q hides no file", at)
	}
	return t.removeLower(path.Join(folder, hidden), own)
}

// droppedKind names what is omitted: devices and pipes are the runtime's to give.
func droppedKind(entry *tar.Header) (string, bool) {
	switch entry.Typeflag {
	case tar.TypeChar, tar.TypeBlock:
		return "devices", true
	case tar.TypeFifo:
		return "pipes", true
	}
	return "", false
}

func (t *tree) make(entry *tar.Header, at string, content io.Reader, budget *budget) error {
	// The kernel alone gives these out; what runs in a sandbox gains nothing by a program of another user.
	if entry.Mode&0o6000 != 0 {
		t.dropped["setuid"]++
	}
	mode := fs.FileMode(entry.Mode).Perm()
	if entry.Mode&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	if err := t.makeParents(at); err != nil {
		return err
	}
	switch entry.Typeflag {
	case tar.TypeDir:
		return t.folder(at, mode, entry.ModTime)
	case tar.TypeReg, tar.TypeGNUSparse:
		return t.file(at, mode, entry.ModTime, content, budget)
	case tar.TypeSymlink:
		return t.symlink(at, entry.Linkname)
	case tar.TypeLink:
		return t.hardlink(at, entry.Linkname)
	}
	return refused("%q is of the unknown kind %q", entry.Name, entry.Typeflag)
}

// file writes a new file: an existing one, a link above all, is replaced and never written through.
func (t *tree) file(at string, mode fs.FileMode, changed time.Time, content io.Reader, budget *budget) error {
	const isNew = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	file, err := t.root.OpenFile(at, isNew, leastFile)
	if errors.Is(err, fs.ErrExist) {
		if err = t.remove(at); err == nil {
			file, err = t.root.OpenFile(at, isNew, leastFile)
		}
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, budget.files(content)); err != nil {
		return unreadable(err)
	}
	if err := file.Chmod(mode.Perm() | leastFile); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return t.root.Chtimes(at, changed, changed)
}

// symlink keeps the target as it is written: it means something to a process whose root is the tree.
func (t *tree) symlink(at, target string) error {
	if target == "" || len(target) > limits.PathBytes || strings.ContainsRune(target, 0) {
		return refused("%q is a symbolic link to nothing", at)
	}
	if err := t.remove(at); err != nil {
		return err
	}
	return t.root.Symlink(target, at)
}

// hardlink names a file that is in the tree once more.
func (t *tree) hardlink(at, target string) error {
	name, err := cleanName(target)
	if err != nil {
		return err
	}
	source, err := t.resolve(name)
	if err != nil {
		return err
	}
	info, err := t.root.Lstat(source)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && info.IsDir()) {
		return refused("%q is a hard link to %q, which is no file of the image", at, target)
	}
	if err != nil || source == at {
		return err
	}
	if err := t.remove(at); err != nil {
		return err
	}
	return t.root.Link(source, at)
}

func (t *tree) own(entry *tar.Header, at string) error {
	if !t.keepsOwners {
		return nil
	}
	if at == "" {
		at = "."
	}
	return t.root.Lchown(at, entry.Uid, entry.Gid)
}
