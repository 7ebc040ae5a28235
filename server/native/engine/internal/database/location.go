// Package database prepares the SQLite file for the server: lock, schema, namespaces.
package database

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"go.temporal.io/server/common/config"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
)

// Defaults of a database file. Measured: one connection is as fast as four, and EXCLUSIVE keeps programs out that ignore our lock file.
var defaultPragmas = map[string]string{
	"journal_mode":       "WAL",
	"synchronous":        "NORMAL",
	"busy_timeout":       "10000",
	"locking_mode":       "EXCLUSIVE",
	"journal_size_limit": "67108864",
	// Every checkpoint waits for the disk, and everything waits for the checkpoint: four times fewer than by default.
	"wal_autocheckpoint": "4000",
	"cache_size":         "-8000",
}

// Config describes the database to the server: the file, or a database in memory when there is none.
func Config(databaseFile string, pragmas map[string]string) (*config.SQL, error) {
	if databaseFile == "" {
		return &config.SQL{
			PluginName:        sqliteplugin.PluginName,
			DatabaseName:      fmt.Sprintf("engine-%d", rand.Uint64()),
			ConnectAttributes: map[string]string{"mode": "memory", "cache": "shared"},
		}, nil
	}
	name, err := uriPath(databaseFile)
	if err != nil {
		return nil, err
	}
	attributes := maps.Clone(defaultPragmas)
	maps.Copy(attributes, pragmas)
	attributes["mode"] = "rwc"
	return &config.SQL{
		PluginName:        sqliteplugin.PluginName,
		DatabaseName:      name,
		ConnectAttributes: attributes,
		MaxConns:          1,
		MaxIdleConns:      1,
	}, nil
}

// The server puts the name into a URI as it is, so what has a meaning there is escaped here.
func uriPath(databaseFile string) (string, error) {
	path, err := filepath.Abs(databaseFile)
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path), nil
}

// open connects to the file before the server does; the caller closes it.
func open(databaseFile string) (*sql.DB, error) {
	name, err := uriPath(databaseFile)
	if err != nil {
		return nil, err
	}
	query := url.Values{"mode": {"rwc"}, "_pragma": {"busy_timeout=2000", "journal_mode=WAL", "synchronous=FULL"}}
	db, err := sql.Open("sqlite", "file:"+name+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

func openMemory() (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
