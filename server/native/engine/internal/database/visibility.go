package database

import (
	"context"
	"fmt"
	"strings"
)

const visibilityBefore = visibilityTable + "_before"

// rebuildVisibility makes the visibility tables anew from the columns that are not generated; triggers refill the search indexes.
func rebuildVisibility(ctx context.Context, in session, found []object) error {
	hadTable := false
	for _, kind := range []string{"trigger", "index", "table"} {
		for _, o := range found {
			if !o.isVisibility() || o.kind != kind {
				continue
			}
			if o.name == visibilityTable {
				hadTable = true
				continue
			}
			// Dropping a virtual table takes its shadow tables along.
			if kind == "table" && !o.isVirtual() {
				continue
			}
			if _, err := in.ExecContext(ctx, fmt.Sprintf(`DROP %s "%s"`, strings.ToUpper(kind), o.name)); err != nil {
				return err
			}
		}
	}
	if hadTable {
		if _, err := in.ExecContext(ctx, fmt.Sprintf(`ALTER TABLE %s RENAME TO %s`, visibilityTable, visibilityBefore)); err != nil {
			return err
		}
	}
	statements, err := readStatements(visibilityFile)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := in.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if !hadTable {
		return nil
	}
	return moveVisibilityRows(ctx, in)
}

func moveVisibilityRows(ctx context.Context, in session) error {
	before, err := readColumns(ctx, in, visibilityBefore)
	if err != nil {
		return err
	}
	after, err := readColumns(ctx, in, visibilityTable)
	if err != nil {
		return err
	}
	had := map[string]bool{}
	for _, c := range before {
		had[c.name] = !c.generated
	}
	var kept []string
	for _, c := range after {
		if !c.generated && had[c.name] {
			kept = append(kept, `"`+c.name+`"`)
		}
	}
	names := strings.Join(kept, ", ")
	if _, err := in.ExecContext(ctx, fmt.Sprintf(
		`INSERT INTO %s (%s) SELECT %s FROM %s`, visibilityTable, names, names, visibilityBefore)); err != nil {
		return err
	}
	_, err = in.ExecContext(ctx, `DROP TABLE `+visibilityBefore)
	return err
}
