package database

import (
	"errors"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"agent-runtime/native/engine/internal/failure"
)

// IsDiskFull reports whether an error, or the text of one that passed through the server, means that nothing more can be written.
func IsDiskFull(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, syscall.ENOSPC) {
		return true
	}
	var known *sqlite.Error
	if errors.As(err, &known) && known.Code()&0xff == sqlitelib.SQLITE_FULL {
		return true
	}
	return strings.Contains(err.Error(), "database or disk is full")
}

func unwritable(databaseFile string, err error) error {
	if IsDiskFull(err) {
		return failure.New(failure.DatabaseUnwritable, err, "The disk is full: the database %s cannot be written.", databaseFile)
	}
	return failure.New(failure.DatabaseUnwritable, err, "The database %s cannot be written: %v.", databaseFile, err)
}

// Explain gives an error of SQLite its case and sentence; failures pass unchanged.
func Explain(databaseFile string, err error) error {
	if err == nil {
		return nil
	}
	var explained *failure.Failure
	if errors.As(err, &explained) {
		return err
	}
	if IsDiskFull(err) {
		return unwritable(databaseFile, err)
	}
	var known *sqlite.Error
	if !errors.As(err, &known) {
		return err
	}
	switch known.Code() & 0xff {
	case sqlitelib.SQLITE_IOERR, sqlitelib.SQLITE_READONLY, sqlitelib.SQLITE_CANTOPEN, sqlitelib.SQLITE_PERM:
		return unwritable(databaseFile, err)
	case sqlitelib.SQLITE_BUSY, sqlitelib.SQLITE_LOCKED:
		return failure.New(failure.DatabaseLocked, err, "The database %s is in use by another program.", databaseFile)
	case sqlitelib.SQLITE_NOTADB, sqlitelib.SQLITE_CORRUPT:
		return failure.New(failure.Internal, err, "The file %s is damaged or is not a database.", databaseFile)
	}
	return err
}
