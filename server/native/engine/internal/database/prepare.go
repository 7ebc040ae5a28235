package database

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/server/common/headers"

	"agent-runtime/native/engine/internal/failure"
)

// Outcome is what Prepare had to do.
type Outcome struct {
	Created bool
	// Upgraded names the schema steps that were applied; the copy made before is in Copy.
	Upgraded []string
	Copy     string
}

// Stamp is the value of PRAGMA user_version for this server: 1032 for 1.32, because patch releases share a schema.
func Stamp() int {
	parts := strings.Split(headers.ServerVersion, ".")
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	return major*1000 + minor
}

// Prepare leaves the file with the schema of this server version: creates it, upgrades an older one, refuses a newer one.
// Upstream has no upgrade for SQLite and does not check either.
func Prepare(ctx context.Context, databaseFile string) (*Outcome, error) {
	db, err := open(databaseFile)
	if err != nil {
		return nil, Explain(databaseFile, err)
	}
	defer func() { _ = db.Close() }()
	outcome, err := prepare(ctx, db, databaseFile)
	if err == nil {
		err = inTransaction(ctx, db, func(tx *sql.Tx) error { return fitIndexes(ctx, tx) })
	}
	if err != nil {
		return nil, Explain(databaseFile, err)
	}
	return outcome, nil
}

func prepare(ctx context.Context, db *sql.DB, databaseFile string) (*Outcome, error) {
	var stamp int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&stamp); err != nil {
		return nil, err
	}
	if stamp > Stamp() {
		return nil, newer(databaseFile, fmt.Sprintf("server %d.%d", stamp/1000, stamp%1000))
	}
	found, err := readObjects(ctx, db)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return &Outcome{Created: true}, inTransaction(ctx, db, func(tx *sql.Tx) error { return setUp(ctx, tx) })
	}
	current, err := currentShape(ctx)
	if err != nil {
		return nil, err
	}
	had, err := readShape(ctx, db)
	if err != nil {
		return nil, err
	}
	if maps.Equal(had, current) {
		return &Outcome{}, nil
	}
	missing, ok, err := missingVersions(ctx, found, current)
	if err != nil {
		return nil, err
	}
	if !ok {
		if _, isEngine := had["table namespaces"]; !isEngine {
			return nil, failure.New(failure.Internal, nil, "The file %s is a database of another program.", databaseFile)
		}
		return nil, newer(databaseFile, "a server this engine does not know")
	}
	return upgrade(ctx, db, databaseFile, found, missing, current)
}

func newer(databaseFile, by string) error {
	return failure.New(failure.DatabaseNewer, nil, "The database %s is newer than this engine: it was written by %s, this engine has server %s.",
		databaseFile, by, headers.ServerVersion)
}

func upgrade(ctx context.Context, db *sql.DB, databaseFile string, found []object, missing []version, current shape) (*Outcome, error) {
	outcome := &Outcome{Copy: fmt.Sprintf("%s.before-%s-%s", databaseFile, headers.ServerVersion, time.Now().UTC().Format("20060102T150405.000"))}
	for _, step := range missing {
		outcome.Upgraded = append(outcome.Upgraded, step.name)
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", outcome.Copy); err != nil {
		_ = os.Remove(outcome.Copy)
		return nil, err
	}
	err := inTransaction(ctx, db, func(tx *sql.Tx) error {
		if err := apply(ctx, tx, missing); err != nil {
			return err
		}
		if err := rebuildVisibility(ctx, tx, found); err != nil {
			return err
		}
		got, err := readShape(ctx, tx)
		if err == nil && !maps.Equal(got, current) {
			err = fmt.Errorf("the upgraded schema of %s differs from a fresh one", databaseFile)
		}
		return err
	})
	if err != nil {
		// Nothing was changed, so the copy is the same as the file.
		_ = os.Remove(outcome.Copy)
		return nil, err
	}
	return outcome, nil
}

// inTransaction does the work and stamps the file, both or neither.
func inTransaction(ctx context.Context, db *sql.DB, work func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := work(tx); err != nil {
		return err
	}
	var stamp int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&stamp); err != nil {
		return err
	}
	if stamp == Stamp() {
		return tx.Commit()
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", Stamp())); err != nil {
		return err
	}
	return tx.Commit()
}
