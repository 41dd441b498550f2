package main

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	memory    = ":memory:"
	cluster   = "active"
	retention = 72 * time.Hour
)

// database says where Temporal finds its data. A file outlives kill -9 of the server, not a loss
// of power: nothing waits for the disk. One server holds it at a time; a second one is refused.
func database(file string) *config.SQL {
	if file == memory {
		return &config.SQL{
			PluginName:        sqliteplugin.PluginName,
			DatabaseName:      "temporal",
			ConnectAttributes: map[string]string{"mode": "memory", "cache": "shared"},
		}
	}
	return &config.SQL{
		PluginName:   sqliteplugin.PluginName,
		DatabaseName: file,
		ConnectAttributes: map[string]string{
			"mode":         "rwc",
			"busy_timeout": "3000",
			"journal_mode": "wal",
			"locking_mode": "exclusive",
			"synchronous":  "off",
		},
	}
}

// createSchema makes the tables of a new file in one transaction: a server that is killed
// meanwhile leaves either all of them or none.
func createSchema(file string) (err error) {
	db, err := sql.Open(sqliteplugin.PluginName, "file:"+file+
		"?mode=rwc&_pragma=busy_timeout=3000&_pragma=journal_mode=wal&_pragma=synchronous=off")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var tables int
	if err := tx.QueryRow(`SELECT count(*) FROM sqlite_master WHERE name = 'executions'`).Scan(&tables); err != nil {
		return err
	}
	if tables > 0 {
		return nil
	}
	if err := sqlite.SetupSchemaOnDB(admin{tx: tx}); err != nil {
		return err
	}
	return tx.Commit()
}

// admin carries out the statements of a schema in a transaction; nothing else is asked of it.
type admin struct {
	sqlplugin.AdminDB

	tx *sql.Tx
}

func (a admin) Exec(statement string, args ...any) error {
	_, err := a.tx.Exec(statement, args...)
	return err
}

// createNamespace leaves a namespace that is there as it is.
func createNamespace(db *config.SQL, name string, attributes map[string]enumspb.IndexedValueType) error {
	n, err := sqlite.NewNamespaceConfig(cluster, name, false, attributes)
	if err != nil {
		return err
	}
	n.Detail.Config.Retention = durationpb.New(retention)
	return sqlite.CreateNamespaces(db, n)
}

func attributeTypes(attributes map[string]string) (map[string]enumspb.IndexedValueType, error) {
	types := map[string]enumspb.IndexedValueType{}
	for name, kind := range attributes {
		t, err := enumspb.IndexedValueTypeFromString(kind)
		if err != nil || t == enumspb.INDEXED_VALUE_TYPE_UNSPECIFIED {
			return nil, fmt.Errorf("search attribute %s: %q is not a type: Keyword, KeywordList, Text, Int, Double, Bool or Datetime", name, kind)
		}
		types[name] = t
	}
	return types, nil
}
