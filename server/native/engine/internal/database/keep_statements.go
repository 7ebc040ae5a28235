package database

import (
	"database/sql"
	"fmt"
	"net/url"
	"reflect"
	"unsafe"

	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	serversql "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/resolver"
	"modernc.org/sqlite"

	"agent-runtime/native/engine/internal/statements"
)

// KeepStatements makes the server's connection one that prepares each statement once. All services share one pool, which
// the server never closes; it is changed before they start. It returns false, and changes nothing, when this server
// version keeps its pool elsewhere: then everything works as before, only slower.
func KeepStatements(cfg *config.SQL) (bool, error) {
	db, err := serversql.NewSQLDB(sqlplugin.DbKindMain, cfg, resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	pool := poolOf(db)
	if pool == nil {
		return false, nil
	}
	// The file is locked by its only connection, so the old one goes before the new one comes.
	if err := pool.DB.Close(); err != nil {
		return false, err
	}
	pool.DB = sql.OpenDB(statements.Connector{Base: &sqlite.Driver{}, Name: dataSource(cfg)})
	pool.DB.SetMaxOpenConns(1)
	pool.DB.SetMaxIdleConns(1)
	return true, pool.DB.Ping()
}

// poolOf finds the pool in the server's plugin, which has no accessor for it.
func poolOf(db sqlplugin.DB) *sqlx.DB {
	value := reflect.ValueOf(db)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := value.Elem().FieldByName("db")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*sqlx.DB]() {
		return nil
	}
	return (*sqlx.DB)(unsafe.Pointer(field.UnsafePointer()))
}

// dataSource is the name that the plugin makes of the same configuration.
func dataSource(cfg *config.SQL) string {
	query := url.Values{"_time_format": {"sqlite"}}
	for key, value := range cfg.ConnectAttributes {
		if key == "mode" || key == "cache" {
			query.Set(key, value)
			continue
		}
		query.Add("_pragma", fmt.Sprintf("%s=%s", key, value))
	}
	return fmt.Sprintf("file:%s?%s", cfg.DatabaseName, query.Encode())
}
