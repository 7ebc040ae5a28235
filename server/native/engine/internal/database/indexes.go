package database

import (
	"context"
	"fmt"
)

// neededIndexes serve our lists and counts, and those of everything else that is in the file.
var neededIndexes = map[string]bool{
	"default_idx": true,
	threadsIndex:  true,
}

// threadsIndex is not of the server's schema. With other columns it gets another name, or older files keep the old one.
const threadsIndex = "by_thread_01"

// Every search of ours names type, status, task queue and `Ephemeral`, and the server adds its division; then come the
// rows in the order in which lists give them. Behind that is what searches narrow them by, so that a count, and a list
// that skips most rows, read the index alone. Which attribute has which column is decided by the order of registration.
// SQLite knows nothing of the values, so an index of one column was used instead or none at all: that of
// `Ephemeral`, which is the same for all threads, for each search, also by id.
const createThreadsIndex = `CREATE INDEX IF NOT EXISTS ` + threadsIndex + ` ON ` + visibilityTable + ` (
	namespace_id, workflow_type_name, status, task_queue, Bool01, TemporalNamespaceDivision,
	(COALESCE(close_time, '9999-12-31 23:59:59+00:00')) DESC, start_time DESC, run_id,
	workflow_id, Keyword01, Keyword02, Keyword03, Keyword04)`

// isDispensable reports the indexes of the visibility table that nothing of ours uses. There are fifty of them, and each
// costs a page at every write of a workflow's state. A server of any kind finds the same without them.
func (o object) isDispensable() bool {
	return o.kind == "index" && o.isVisibility() && !neededIndexes[o.name]
}

// isOurs reports what a fresh database of the server does not have.
func (o object) isOurs() bool { return o.kind == "index" && o.name == threadsIndex }

// fitIndexes leaves the visibility table with the needed indexes and no other.
func fitIndexes(ctx context.Context, in session) error {
	objects, err := readObjects(ctx, in)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if !o.isDispensable() {
			continue
		}
		if _, err := in.ExecContext(ctx, fmt.Sprintf(`DROP INDEX "%s"`, o.name)); err != nil {
			return err
		}
	}
	_, err = in.ExecContext(ctx, createThreadsIndex)
	return err
}
