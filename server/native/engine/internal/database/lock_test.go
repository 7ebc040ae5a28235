package database

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"agent-runtime/native/engine/internal/failure"
)

func TestTheSecondHolderLearnsWhoHoldsTheDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.db")
	first, err := AcquireLock(file, Holder{PID: 4711, Address: "127.0.0.1:7233"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = AcquireLock(file, Holder{PID: 4712, Address: "127.0.0.1:7234"}, 0)
	got := failure.Of(err)
	want := fmt.Sprintf("The database %s is in use by process 4711 at 127.0.0.1:7233.", file)
	if got.Code != failure.DatabaseLocked || got.Sentence != want {
		t.Errorf("%s: %s", got.Code, got.Sentence)
	}
	first.Release()
	second, err := AcquireLock(file, Holder{PID: 4712, Address: "127.0.0.1:7234"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

func TestALockFileWithoutAHolderIsNoLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "engine.db")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".lock", []byte(`{"pid":1,"address":"127.0.0.1:1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := AcquireLock(file, Holder{PID: 2}, 0)
	if err != nil {
		t.Fatal(err)
	}
	lock.Release()
}
