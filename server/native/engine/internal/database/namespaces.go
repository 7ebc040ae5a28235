package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
	"go.temporal.io/server/common/persistence/serialization"
	serversql "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/common/searchattribute/sadefs"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"

	"agent-runtime/native/engine/internal/failure"
)

// ClusterName is what the CLI calls its only cluster; a file knows its cluster by that name.
const ClusterName = "active"

// Retention keeps closed workflows for three days, see the architecture page on the engine.
const Retention = 72 * time.Hour

// Namespaces is what has to be there before the server starts.
type Namespaces struct {
	Names            []string
	SearchAttributes map[string]enumspb.IndexedValueType
}

// EnsureNamespaces creates the namespaces that are missing and gives those that exist our retention and search attributes.
// Written before the server starts, both are in force from its first request.
func EnsureNamespaces(ctx context.Context, cfg *config.SQL, wanted Namespaces) error {
	db, err := serversql.NewSQLDB(sqlplugin.DbKindMain, cfg, resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for _, name := range wanted.Names {
		namespace, err := sqliteschema.NewNamespaceConfig(ClusterName, name, false, nil)
		if err != nil {
			return err
		}
		if err := sqliteschema.CreateNamespaces(cfg, namespace); err != nil {
			return err
		}
		if err := adjustNamespace(ctx, db, name, wanted.SearchAttributes); err != nil {
			return err
		}
	}
	return nil
}

func adjustNamespace(ctx context.Context, db sqlplugin.DB, name string, attributes map[string]enumspb.IndexedValueType) error {
	rows, err := db.SelectFromNamespace(ctx, sqlplugin.NamespaceFilter{Name: &name})
	if err != nil {
		return err
	}
	if len(rows) != 1 {
		return errors.Join(sql.ErrNoRows, fmt.Errorf("namespace %q", name))
	}
	row := rows[0]
	serializer := serialization.NewSerializer()
	detail, err := serializer.NamespaceDetailFromBlob(persistence.NewDataBlob(row.Data, row.DataEncoding))
	if err != nil {
		return err
	}
	aliases, err := assignFields(detail.GetConfig().GetCustomSearchAttributeAliases(), attributes)
	if err != nil {
		return err
	}
	detail.Config.CustomSearchAttributeAliases = aliases
	detail.Config.Retention = durationpb.New(Retention)
	blob, err := serializer.NamespaceDetailToBlob(detail)
	if err != nil {
		return err
	}
	if slices.Equal(blob.GetData(), row.Data) {
		return nil
	}
	row.Data, row.DataEncoding = blob.GetData(), blob.GetEncodingType().String()
	_, err = db.UpdateNamespace(ctx, &row)
	return err
}

// assignFields gives every search attribute a column of its type. The server would silently accept a name that
// already has another type, so that is compared here.
func assignFields(aliases map[string]string, wanted map[string]enumspb.IndexedValueType) (map[string]string, error) {
	columns := sadefs.GetDBIndexSearchAttributes(nil).CustomSearchAttributes
	result := map[string]string{}
	fieldOf := map[string]string{}
	for field, alias := range aliases {
		result[field] = alias
		fieldOf[alias] = field
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if field, exists := fieldOf[name]; exists {
			if columns[field] != wanted[name] {
				return nil, failure.New(failure.Internal, nil, "The search attribute %s is registered as %s, not as %s.", name, columns[field], wanted[name])
			}
			continue
		}
		field := firstFree(columns, result, wanted[name])
		if field == "" {
			return nil, failure.New(failure.Internal, nil, "There is no room for the search attribute %s of type %s.", name, wanted[name])
		}
		result[field] = name
	}
	return result, nil
}

func firstFree(columns map[string]enumspb.IndexedValueType, taken map[string]string, wanted enumspb.IndexedValueType) string {
	for _, field := range slices.Sorted(maps.Keys(columns)) {
		if _, isTaken := taken[field]; !isTaken && columns[field] == wanted {
			return field
		}
	}
	return ""
}
