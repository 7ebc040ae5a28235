package database

import (
	"compress/gzip"
	"context"
	"database/sql"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent-runtime/native/engine/internal/failure"
)

// olderDatabase unpacks the file that a real server 1.29.1 wrote, see testdata/older-server.
func olderDatabase(t *testing.T) string {
	t.Helper()
	packed, err := os.Open("../../testdata/server-1.29.1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "older.db")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func execute(t *testing.T, file string, statements ...string) {
	t.Helper()
	withDatabase(t, file, func(db *sql.DB) {
		for _, statement := range statements {
			if _, err := db.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	})
}

func withDatabase(t *testing.T, file string, work func(*sql.DB)) {
	t.Helper()
	db, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	work(db)
}

func number(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var result int
	if err := db.QueryRow(query).Scan(&result); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return result
}

func requireCurrent(t *testing.T, file string) {
	t.Helper()
	ctx := context.Background()
	current, err := currentShape(ctx)
	if err != nil {
		t.Fatal(err)
	}
	withDatabase(t, file, func(db *sql.DB) {
		got, err := readShape(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got, current) {
			t.Error("the schema differs from a fresh one")
		}
		if stamp := number(t, db, "PRAGMA user_version"); stamp != Stamp() {
			t.Errorf("stamp %d", stamp)
		}
		if indexes := number(t, db, "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'executions_visibility' AND sql IS NOT NULL"); indexes != len(neededIndexes) {
			t.Errorf("%d indexes", indexes)
		}
	})
}

func TestCreatesAFreshDatabaseAndLeavesItAloneAfterwards(t *testing.T) {
	file := filepath.Join(t.TempDir(), "odd name %41?#.db")
	first, err := Prepare(context.Background(), file)
	if err != nil || !first.Created {
		t.Fatalf("%+v %v", first, err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	requireCurrent(t, file)
	second, err := Prepare(context.Background(), file)
	if err != nil || second.Created || second.Copy != "" {
		t.Errorf("%+v %v", second, err)
	}
}

func TestBringsAFileOfServer129ToTheCurrentSchema(t *testing.T) {
	file := olderDatabase(t)
	counts := []string{
		"SELECT count(*) FROM namespaces WHERE name = 'default'",
		"SELECT count(*) FROM executions_visibility WHERE workflow_id LIKE 'thread-%'",
		"SELECT count(*) FROM current_executions WHERE workflow_id LIKE 'thread-%'",
		"SELECT count(*) FROM history_node",
		"SELECT count(*) FROM executions_visibility_fts_keyword_list WHERE executions_visibility_fts_keyword_list MATCH '\"owner=ann\"'",
		"SELECT count(*) FROM executions_visibility WHERE Keyword01 = 'idle' OR Keyword02 = 'idle' OR Keyword03 = 'idle' OR Keyword04 = 'idle' OR Keyword05 = 'idle' OR Keyword06 = 'idle' OR Keyword07 = 'idle' OR Keyword08 = 'idle' OR Keyword09 = 'idle' OR Keyword10 = 'idle'",
	}
	var before []int
	withDatabase(t, file, func(db *sql.DB) {
		for _, query := range counts {
			before = append(before, number(t, db, query))
		}
	})
	outcome, err := Prepare(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	requireCurrent(t, file)
	withDatabase(t, file, func(db *sql.DB) {
		for i, query := range counts {
			if got := number(t, db, query); got != before[i] || got == 0 {
				t.Errorf("%s: %d, before %d", query, got, before[i])
			}
		}
	})
	withDatabase(t, outcome.Copy, func(db *sql.DB) {
		if got := number(t, db, counts[1]); got != before[1] {
			t.Errorf("the copy has %d rows", got)
		}
		if stamp := number(t, db, "PRAGMA user_version"); stamp != 0 {
			t.Errorf("the copy was changed: stamp %d", stamp)
		}
	})
}

// Steps of still older versions, undone by hand: their columns come back at the end of the table.
func TestBringsColumnsOfMuchOlderSchemasBack(t *testing.T) {
	file := olderDatabase(t)
	execute(t, file,
		"DROP TABLE IF EXISTS current_chasm_executions", "DROP TABLE IF EXISTS tasks_v2", "DROP TABLE IF EXISTS task_queues_v2",
		"DROP TABLE chasm_node_maps", "ALTER TABLE current_executions DROP COLUMN data", "ALTER TABLE current_executions DROP COLUMN data_encoding")
	outcome, err := Prepare(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(outcome.Upgraded, " "); got != "v0.7 v0.8 v0.9 v0.10 v0.11" {
		t.Errorf("applied %s", got)
	}
	requireCurrent(t, file)
}

func TestRefusesANewerDatabaseAndLeavesItUntouched(t *testing.T) {
	for name, make := range map[string]func(file string){
		"by its stamp":  func(file string) { execute(t, file, "PRAGMA user_version = 1033") },
		"by its tables": func(file string) { execute(t, file, "PRAGMA user_version = 0", "CREATE TABLE tomorrow (id INT)") },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "engine.db")
			if _, err := Prepare(context.Background(), file); err != nil {
				t.Fatal(err)
			}
			make(file)
			_, err := Prepare(context.Background(), file)
			got := failure.Of(err)
			if got.Code != failure.DatabaseNewer || !strings.Contains(got.Sentence, "is newer than this engine") {
				t.Errorf("%s: %s", got.Code, got.Sentence)
			}
			if others, _ := filepath.Glob(file + ".before*"); len(others) != 0 {
				t.Errorf("left behind: %v", others)
			}
		})
	}
}

func TestRefusesForeignFiles(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	execute(t, other, "CREATE TABLE songs (id INT)")
	for file, want := range map[string]string{
		text:  "The file " + text + " is damaged or is not a database.",
		other: "The file " + other + " is a database of another program.",
	} {
		_, err := Prepare(context.Background(), file)
		if got := failure.Of(err); got.Sentence != want {
			t.Errorf("%s", got.Sentence)
		}
	}
}
