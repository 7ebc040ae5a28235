package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agent-runtime/native/engine/internal/failure"
)

// Holder is the lock file's record of the process that holds the database.
type Holder struct {
	PID     int    `json:"pid"`
	Address string `json:"address"`
}

// Lock is the hold of this process on a database file. The operating system drops it when the process ends, however it ends.
type Lock struct {
	file *os.File
}

var errHeld = errors.New("held by another process")

// AcquireLock takes the lock beside the database file, waiting shortly for a predecessor that is on its way out.
func AcquireLock(databaseFile string, self Holder, timeout time.Duration) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(databaseFile), 0o700); err != nil {
		return nil, unwritable(databaseFile, err)
	}
	file, err := os.OpenFile(databaseFile+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritable(databaseFile, err)
	}
	deadline := time.Now().Add(timeout)
	for {
		err = lockFile(file)
		if err == nil {
			break
		}
		if !errors.Is(err, errHeld) || time.Now().After(deadline) {
			_ = file.Close()
			return nil, refusal(databaseFile, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	lock := &Lock{file: file}
	if err := lock.Write(self); err != nil {
		lock.Release()
		return nil, unwritable(databaseFile, err)
	}
	return lock, nil
}

// Write records who holds the lock.
func (l *Lock) Write(self Holder) error {
	content, err := json.Marshal(self)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(content, '\n'), 0)
	return err
}

// Release gives the database free. The file stays: removing it would let two processes lock different files.
func (l *Lock) Release() {
	_ = l.file.Truncate(0)
	_ = l.file.Close()
}

func refusal(databaseFile string, err error) error {
	if !errors.Is(err, errHeld) {
		return unwritable(databaseFile, err)
	}
	by := "another process"
	var holder Holder
	content, readErr := os.ReadFile(databaseFile + ".lock")
	if readErr == nil && json.Unmarshal(content, &holder) == nil && holder.PID != 0 {
		by = fmt.Sprintf("process %d at %s", holder.PID, holder.Address)
	}
	return failure.New(failure.DatabaseLocked, err, "The database %s is in use by %s.", databaseFile, by)
}
