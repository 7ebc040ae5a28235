package database

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"sort"
	"strconv"
	"strings"

	"go.temporal.io/server/common/persistence"
	"go.temporal.io/server/schema"
)

const (
	versionedFolder = "sqlite/v3/temporal/versioned"
	visibilityFile  = "sqlite/v3/visibility/schema.sql"
)

// version is one step of the schema's history, as the server's own files have it.
type version struct {
	name       string
	statements []string
}

func readStatements(file string) ([]string, error) {
	content, err := fs.ReadFile(schema.Assets(), file)
	if err != nil {
		return nil, err
	}
	return persistence.LoadAndSplitQueryFromReaders([]io.Reader{bytes.NewReader(content)})
}

// readVersions lists all steps in their order.
func readVersions() ([]version, error) {
	folders, err := fs.ReadDir(schema.Assets(), versionedFolder)
	if err != nil {
		return nil, err
	}
	sort.Slice(folders, func(a, b int) bool { return versionOrder(folders[a].Name()) < versionOrder(folders[b].Name()) })
	versions := make([]version, 0, len(folders))
	for _, folder := range folders {
		content, err := fs.ReadFile(schema.Assets(), path.Join(versionedFolder, folder.Name(), "manifest.json"))
		if err != nil {
			return nil, err
		}
		var manifest struct{ SchemaUpdateCqlFiles []string }
		if err := json.Unmarshal(content, &manifest); err != nil {
			return nil, err
		}
		step := version{name: folder.Name()}
		for _, file := range manifest.SchemaUpdateCqlFiles {
			statements, err := readStatements(path.Join(versionedFolder, folder.Name(), file))
			if err != nil {
				return nil, err
			}
			step.statements = append(step.statements, statements...)
		}
		versions = append(versions, step)
	}
	return versions, nil
}

func versionOrder(name string) int {
	_, minor, _ := strings.Cut(strings.TrimPrefix(name, "v"), ".")
	number, err := strconv.Atoi(minor)
	if err != nil {
		return -1
	}
	return number
}

func apply(ctx context.Context, into session, versions []version) error {
	for _, step := range versions {
		for _, statement := range step.statements {
			if _, err := into.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("schema version %s: %w", step.name, err)
			}
		}
	}
	return nil
}

// missingVersions finds the fewest last steps that make the found schema equal to the current one, by trying them on an empty copy.
// SQLite files carry no schema version, so what they lack is the only evidence of their age.
func missingVersions(ctx context.Context, found []object, current shape) (missing []version, ok bool, err error) {
	all, err := readVersions()
	if err != nil {
		return nil, false, err
	}
	wanted := withoutVisibility(current)
	for count := 0; count <= len(all); count++ {
		missing = all[len(all)-count:]
		got, err := tryVersions(ctx, found, missing)
		if err == nil && maps.Equal(got, wanted) {
			return missing, true, nil
		}
	}
	return nil, false, nil
}

func tryVersions(ctx context.Context, found []object, versions []version) (shape, error) {
	empty, err := openMemory()
	if err != nil {
		return nil, err
	}
	defer func() { _ = empty.Close() }()
	for _, o := range found {
		if o.isVisibility() {
			continue
		}
		if _, err := empty.ExecContext(ctx, o.statement); err != nil {
			return nil, err
		}
	}
	if err := apply(ctx, empty, versions); err != nil {
		return nil, err
	}
	return readShape(ctx, empty)
}

func withoutVisibility(from shape) shape {
	result := shape{}
	for key, description := range from {
		_, name, _ := strings.Cut(key, " ")
		isVisibility := strings.HasPrefix(name, visibilityTable) || strings.Contains(description, " ON "+visibilityTable)
		if !isVisibility {
			result[key] = description
		}
	}
	return result
}
