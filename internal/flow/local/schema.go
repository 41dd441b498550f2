package local

// One file for all runs of a project. Rows are written in one transaction per
// decision; other processes read them while a run goes on.
const schema = `
CREATE TABLE IF NOT EXISTS runs (
  id TEXT PRIMARY KEY, def TEXT NOT NULL, version TEXT NOT NULL DEFAULT '', input BLOB NOT NULL, meta BLOB,
  state TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0,
  out BLOB, err BLOB, cancelled INTEGER NOT NULL DEFAULT 0, paused INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0, driver TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS steps (
  run TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, step TEXT NOT NULL, lane TEXT NOT NULL, branch TEXT NOT NULL,
  input BLOB, hash INTEGER NOT NULL, until INTEGER NOT NULL DEFAULT 0,
  starts INTEGER NOT NULL DEFAULT 0, stops TEXT NOT NULL DEFAULT '', -- numbers of the starts that an orderly stop has ended
  started INTEGER NOT NULL DEFAULT 0, ended INTEGER NOT NULL DEFAULT 0,
  out BLOB, err BLOB, folded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS folds (
  run TEXT NOT NULL, path TEXT NOT NULL, at INTEGER NOT NULL, out BLOB, err BLOB, stale INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  run TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
  key TEXT NOT NULL, branch TEXT NOT NULL, data BLOB,
  PRIMARY KEY (run, seq)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS events_note ON events (run, key) WHERE type='note';
CREATE TABLE IF NOT EXISTS signals (
  seq INTEGER PRIMARY KEY, run TEXT NOT NULL, id TEXT NOT NULL, verb TEXT NOT NULL, gate TEXT NOT NULL,
  body BLOB NOT NULL, at INTEGER NOT NULL, applied INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run, id));
`

// schemaVersion is stored in PRAGMA user_version; a newer file is refused.
const schemaVersion = 1
