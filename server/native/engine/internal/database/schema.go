package database

import (
	"context"
	"database/sql"
	"fmt"
	"sort"
	"strings"

	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteschema "go.temporal.io/server/schema/sqlite"
)

type session interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// object is one row of sqlite_master.
type object struct {
	kind, name, table, statement string
}

// The visibility tables have generated columns, which SQLite cannot add later: they are rebuilt, not altered.
const visibilityTable = "executions_visibility"

func (o object) isVisibility() bool { return strings.HasPrefix(o.table, visibilityTable) }

func (o object) isVirtual() bool { return strings.HasPrefix(o.statement, "CREATE VIRTUAL") }

func readObjects(ctx context.Context, from session) ([]object, error) {
	rows, err := from.QueryContext(ctx,
		`SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY rowid`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var objects []object
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.kind, &o.name, &o.table, &o.statement); err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return objects, rows.Err()
}

// shape describes every object of a schema so that two schemas are equal when their shapes are.
type shape map[string]string

func readShape(ctx context.Context, from session) (shape, error) {
	objects, err := readObjects(ctx, from)
	if err != nil {
		return nil, err
	}
	result := shape{}
	for _, o := range objects {
		if o.isDispensable() || o.isOurs() {
			continue
		}
		description := strings.Join(strings.Fields(o.statement), " ")
		if o.kind == "table" && !o.isVisibility() {
			// A column that was added later is at the end and makes the text differ: compare columns, not texts.
			if description, err = describeColumns(ctx, from, o.name); err != nil {
				return nil, err
			}
		}
		result[o.kind+" "+o.name] = description
	}
	return result, nil
}

type column struct {
	name, description string
	generated         bool
}

func readColumns(ctx context.Context, from session, table string) ([]column, error) {
	rows, err := from.QueryContext(ctx,
		`SELECT name, upper(type), coalesce(dflt_value, ''), pk, hidden FROM pragma_table_xinfo(?)`, table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var columns []column
	for rows.Next() {
		var name, kind, initial string
		var key, hidden int
		if err := rows.Scan(&name, &kind, &initial, &key, &hidden); err != nil {
			return nil, err
		}
		// NOT NULL is left out: upstream's own steps add columns that may be null where a fresh schema forbids it.
		columns = append(columns, column{
			name:        name,
			description: fmt.Sprintf("%s %s %q %d", name, kind, initial, key),
			generated:   hidden > 1,
		})
	}
	return columns, rows.Err()
}

func describeColumns(ctx context.Context, from session, table string) (string, error) {
	columns, err := readColumns(ctx, from, table)
	if err != nil {
		return "", err
	}
	descriptions := make([]string, len(columns))
	for i, c := range columns {
		descriptions[i] = c.description
	}
	sort.Strings(descriptions)
	return strings.Join(descriptions, ", "), nil
}

// setUp writes the schema of this server version, as the server itself would.
func setUp(ctx context.Context, into session) error {
	return sqliteschema.SetupSchemaOnDB(schemaWriter{ctx: ctx, into: into})
}

// schemaWriter is as much of an AdminDB as setting up a schema needs, inside a transaction of ours.
type schemaWriter struct {
	sqlplugin.AdminDB
	ctx  context.Context
	into session
}

func (w schemaWriter) Exec(statement string, args ...any) error {
	_, err := w.into.ExecContext(w.ctx, statement, args...)
	return err
}

// currentShape is the shape that a fresh database of this server version has.
func currentShape(ctx context.Context) (shape, error) {
	fresh, err := openMemory()
	if err != nil {
		return nil, err
	}
	defer func() { _ = fresh.Close() }()
	if err := setUp(ctx, fresh); err != nil {
		return nil, err
	}
	return readShape(ctx, fresh)
}
