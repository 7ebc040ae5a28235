//go:build !windows

package pack

import (
	"io/fs"
	"syscall"
)

type fileID struct{ device, number uint64 }

// sharedFile identifies a file that has several names.
func sharedFile(info fs.FileInfo) (fileID, bool) {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown || stat.Nlink < 2 {
		return fileID{}, false
	}
	return fileID{uint64(stat.Dev), uint64(stat.Ino)}, true //nolint:unconvert // of other widths elsewhere
}
