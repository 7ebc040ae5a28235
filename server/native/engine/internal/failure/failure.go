// Package failure names the ways in which the engine refuses to run: one exit code and one sentence each.
package failure

import (
	"errors"
	"fmt"
)

// Code is the kind of the failure. The numbers are the exit codes, the names travel to the supervisor.
type Code int

const (
	// Internal is everything that has no own code.
	Internal Code = 1
	// Usage is a command line that cannot be understood.
	Usage Code = 2
	// DatabaseLocked means another instance holds the database.
	DatabaseLocked Code = 3
	// DatabaseNewer means the database was written by a newer engine.
	DatabaseNewer Code = 4
	// PortTaken means another process listens on the wanted port.
	PortTaken Code = 5
	// DatabaseUnwritable means the disk is full or the file cannot be written.
	DatabaseUnwritable Code = 6
)

var names = map[Code]string{
	Internal:           "internal",
	Usage:              "usage",
	DatabaseLocked:     "database_locked",
	DatabaseNewer:      "database_newer",
	PortTaken:          "port_taken",
	DatabaseUnwritable: "database_unwritable",
}

// String gives the name that the supervisor branches on.
func (c Code) String() string { return names[c] }

// Failure is an error with its case and a sentence for people.
type Failure struct {
	Code     Code
	Sentence string
	Cause    error
}

func (f *Failure) Error() string { return f.Sentence }

func (f *Failure) Unwrap() error { return f.Cause }

// New makes a failure whose sentence is formatted like fmt.Sprintf.
func New(code Code, cause error, format string, args ...any) *Failure {
	return &Failure{Code: code, Sentence: fmt.Sprintf(format, args...), Cause: cause}
}

// Of finds the failure in an error, or makes an internal one of it.
func Of(err error) *Failure {
	var known *Failure
	if errors.As(err, &known) {
		return known
	}
	return New(Internal, err, "The engine stopped: %v.", err)
}
