package database

import (
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	serversql "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/resolver"
)

// Checkpoint moves the write-ahead log into the database file. It uses the server's own connection, the only one that may.
func Checkpoint(cfg *config.SQL) error {
	db, err := serversql.NewSQLAdminDB(sqlplugin.DbKindUnknown, cfg, resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
}
