//go:build !windows

package main

import (
	"os/signal"
	"syscall"
)

// prepareProcess makes files private, and turns two sudden ends into errors: a full quota, and a parent that no longer listens.
func prepareProcess() {
	syscall.Umask(0o077)
	signal.Ignore(syscall.SIGXFSZ, syscall.SIGPIPE)
}
