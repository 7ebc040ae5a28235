package database

import (
	"context"
	"fmt"
)

// neededIndexes serve our lists: by id, type and status, and by the columns that our search attributes take first.
var neededIndexes = map[string]bool{
	"default_idx":      true,
	"by_workflow_id":   true,
	"by_workflow_type": true,
	"by_status":        true,
	"by_bool_01":       true,
	"by_keyword_01":    true,
	"by_keyword_02":    true,
	"by_keyword_03":    true,
	"by_keyword_04":    true,
}

// isDispensable tells the indexes of the visibility table that nothing of ours uses. There are fifty of them, and each
// costs a page at every write of a workflow's state. A server of any kind finds the same without them.
func (o object) isDispensable() bool {
	return o.kind == "index" && o.isVisibility() && !neededIndexes[o.name]
}

func dropDispensable(ctx context.Context, in session) error {
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
	return nil
}
