package statements

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"modernc.org/sqlite"
)

func openKept(t *testing.T) *sql.DB {
	t.Helper()
	db := sql.OpenDB(Connector{Base: &sqlite.Driver{}, Name: "file:" + filepath.Join(t.TempDir(), "kept.db")})
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	return db
}

func names(t *testing.T, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, from int) string {
	t.Helper()
	found, err := db.QueryContext(context.Background(), "SELECT name FROM things WHERE id >= ? ORDER BY id", from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	result := ""
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			t.Fatal(err)
		}
		result += name
	}
	return result
}

func TestAStatementIsUsedAgainWithOtherValues(t *testing.T) {
	db := openKept(t)
	for i, name := range []string{"a", "b", "c"} {
		if _, err := db.Exec("INSERT INTO things VALUES (?, ?)", i, name); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(t, db, 0) + names(t, db, 2) + names(t, db, 9); got != "abcc" {
		t.Error(got)
	}
}

func TestAStatementWorksAfterItFailed(t *testing.T) {
	db := openKept(t)
	insert := "INSERT INTO things VALUES (?, ?)"
	for _, step := range []struct {
		id   int
		name string
		ok   bool
	}{{1, "a", true}, {2, "a", false}, {2, "b", true}} {
		if _, err := db.Exec(insert, step.id, step.name); (err == nil) != step.ok {
			t.Errorf("%+v: %v", step, err)
		}
	}
	if _, err := db.Exec("INSERT INTO nowhere VALUES (1)"); err == nil {
		t.Error("a table that does not exist was accepted")
	}
	if got := names(t, db, 0); got != "ab" {
		t.Error(got)
	}
}

func TestAStatementFollowsChangesOfTheSchemaAndRollbacks(t *testing.T) {
	db := openKept(t)
	insert := "INSERT INTO things (id, name) VALUES (?, ?)"
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	_, failed := tx.Exec(insert, 1, "a")
	if err := errors.Join(failed, tx.Rollback()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("ALTER TABLE things ADD COLUMN more TEXT DEFAULT 'x'"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(insert, 2, "b"); err != nil {
		t.Fatal(err)
	}
	if got := names(t, db, 0); got != "b" {
		t.Error(got)
	}
}

func TestTheSameQueryCanRunInsideItself(t *testing.T) {
	db := openKept(t)
	if _, err := db.Exec("INSERT INTO things VALUES (1, 'a'), (2, 'b')"); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	outer, err := tx.Query("SELECT name FROM things WHERE id >= ? ORDER BY id", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = outer.Close() }()
	for outer.Next() {
		if got := names(t, tx, 1); got != "ab" {
			t.Error(got)
		}
	}
}

func TestManyQueriesPushTheOldestOut(t *testing.T) {
	db := openKept(t)
	for i := range keptStatements * 2 {
		var got int
		if err := db.QueryRow(fmt.Sprintf("SELECT %d + ?", i), 1).Scan(&got); err != nil || got != i+1 {
			t.Fatal(got, err)
		}
	}
	connection, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	_ = connection.Raw(func(raw any) error {
		if kept := raw.(interface{ keeps() int }).keeps(); kept > keptStatements {
			t.Errorf("%d statements are kept", kept)
		}
		return nil
	})
}

func (c *connection) keeps() int { return len(c.kept.byQuery) }
