//go:build !windows

package main

import (
	"os/signal"
	"syscall"
)

// prepareProcess makes files private, and a full quota an error that can be explained instead of a sudden end.
func prepareProcess() {
	syscall.Umask(0o077)
	signal.Ignore(syscall.SIGXFSZ)
}
