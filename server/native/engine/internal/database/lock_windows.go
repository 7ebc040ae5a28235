package database

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Locks on Windows are mandatory: a byte far behind the content leaves the content readable for others.
const lockedByte = 1 << 20

func lockFile(file *os.File) error {
	at := &windows.Overlapped{Offset: lockedByte}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
