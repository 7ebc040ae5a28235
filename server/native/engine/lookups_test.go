package main

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
)

// noteLookups makes the engine write a line into the file for every name that it asks a name server for. A name that no
// name server knows leaves a socket for a millisecond only, which a look at the machine's sockets rarely shows.
func noteLookups(file string) {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		notes, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		_, err = notes.WriteString("a name server was asked\n")
		return nil, errors.Join(err, notes.Close(), errors.New("no name server"))
	}}
}

// Temporal's server asks its makers for news, unless that is switched off: the engine promises to make no connections.
func TestAsksNoNameServer(t *testing.T) {
	file := t.TempDir() + "/lookups"
	t.Setenv(notedLookups, file)
	engine := launch(t, "--port", "0")
	if ready := engine.next(t); ready.Event != "ready" {
		t.Fatalf("%+v\n%s", ready, engine.stderr)
	}
	_ = engine.command.Process.Signal(syscall.SIGTERM)
	engine.exitCode(t)
	if found, err := os.ReadFile(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q, %v", found, err)
	}
}
