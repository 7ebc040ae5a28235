package database

import (
	"context"
	"path/filepath"
	"testing"
)

func TestThisServerVersionLetsItsStatementsBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.db")
	if _, err := Prepare(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	cfg, err := Config(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := KeepStatements(cfg)
	if err != nil || !done {
		t.Fatal(done, err)
	}
	if err := EnsureNamespaces(context.Background(), cfg, Namespaces{Names: []string{"default"}}); err != nil {
		t.Error(err)
	}
	if err := Checkpoint(cfg); err != nil {
		t.Error(err)
	}
}
