package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"
)

// tree is a root tree in the making. All of its work goes through the opened folder, so even what a layer might change
// between a look and a step leads nowhere else.
type tree struct {
	root *os.Root
	// keepsOwners sets the owners that the layers name, which only root may.
	keepsOwners bool
	// folders get their times at the end: every change in a folder changes them.
	folders map[string]time.Time
	// resolved remembers where folders are while no link changes.
	resolved map[string]string
	// dropped counts what was omitted, by its kind.
	dropped map[string]int
}

// The user who unpacked a tree can read it, and remove it again.
const (
	leastFolder = 0o700
	leastFile   = 0o600
)

// makeParents makes the folders above a path that no layer named.
func (t *tree) makeParents(at string) error {
	above := path.Dir(at)
	if above == "." {
		return nil
	}
	err := t.root.MkdirAll(above, 0o755)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) {
		return refused("%q is below something that is no folder", at)
	}
	return err
}

// remove removes what is at a path.
func (t *tree) remove(at string) error {
	if at == "" {
		return refused("the root cannot be replaced")
	}
	delete(t.folders, at)
	clear(t.resolved)
	return t.root.RemoveAll(at)
}

// folder makes a folder, or changes the existing one.
func (t *tree) folder(at string, mode fs.FileMode, changed time.Time) error {
	if at == "" {
		t.folders["."] = changed
		return t.root.Chmod(".", mode|leastFolder)
	}
	info, err := t.root.Lstat(at)
	if err == nil && !info.IsDir() {
		if err := t.remove(at); err != nil {
			return err
		}
	}
	if err := t.root.Mkdir(at, leastFolder); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	t.folders[at] = changed
	// Not left to Mkdir: the umask clears bits.
	return t.root.Chmod(at, mode|leastFolder)
}

// finish sets what could not be set before.
func (t *tree) finish() error {
	for at, changed := range t.folders {
		// A later layer may have removed it, or something above it.
		if info, err := t.root.Lstat(at); err != nil || !info.IsDir() {
			continue
		}
		if err := t.root.Chtimes(at, changed, changed); err != nil {
			return err
		}
	}
	return nil
}

// removeLower removes a path but for what the same layer has: a whiteout is about the layers below.
func (t *tree) removeLower(at string, own layerPaths) error {
	if !own[at] {
		return t.remove(at)
	}
	return t.emptyLower(at, own)
}

// emptyLower removes what is in a folder, the same way.
func (t *tree) emptyLower(at string, own layerPaths) error {
	name := at
	if at == "" {
		name = "."
	}
	info, err := t.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.IsDir()) {
		return nil
	}
	entries, err := fs.ReadDir(t.root.FS(), name)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := t.removeLower(path.Join(at, entry.Name()), own); err != nil {
			return err
		}
	}
	return nil
}

// layerPaths has the paths of one layer, and the folders above them.
type layerPaths map[string]bool

func (b layerPaths) add(at string) {
	for ; !b[at]; at = parent(at) {
		b[at] = true
	}
}
