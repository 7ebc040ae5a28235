package database

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// As the server writes them for our searches (server/src/engine/read/thread-query.ts).
const (
	openThreads = ` FROM executions_visibility WHERE (namespace_id = 'n') and TemporalNamespaceDivision is null and
		(workflow_type_name = 'threadWorkflow' and status = 1 and task_queue = 'q' and Bool01 = false`
	inOrder = ` ORDER BY coalesce(close_time, '9999-12-31 23:59:59+00:00') DESC, start_time DESC, run_id LIMIT 100`
)

func planOf(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN " + query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, detail)
	}
	return strings.Join(lines, "; ")
}

func TestListsAndCountsOfThreadsReadOneIndexInItsOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.db")
	if _, err := Prepare(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	withDatabase(t, file, func(db *sql.DB) {
		for _, narrowed := range []string{"", " and Keyword03 = 'idle'", " and Keyword02 is null", " and workflow_id in ('a', 'b')", " and Keyword01 = 'a' and Keyword02 = 'b'"} {
			for _, query := range []string{
				"SELECT memo" + openThreads + narrowed + ")" + inOrder,
				"SELECT count(*)" + openThreads + narrowed + ")",
			} {
				plan := planOf(t, db, query)
				if !strings.Contains(plan, threadsIndex) || strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("%s: %s", query, plan)
				}
			}
		}
	})
}

func TestGivesAFileOfAnEarlierReleaseTheIndexesOfThisOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.db")
	if _, err := Prepare(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	execute(t, file, "DROP INDEX "+threadsIndex, "CREATE INDEX by_bool_01 ON executions_visibility (namespace_id, Bool01)")
	outcome, err := Prepare(context.Background(), file)
	if err != nil || outcome.Created || outcome.Copy != "" {
		t.Fatalf("%+v %v", outcome, err)
	}
	requireCurrent(t, file)
}
