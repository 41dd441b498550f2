// Package plugin is what Claude Code and Codex load to judge a session by this program: a marketplace with one plugin, as files.
package plugin

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:files
var files embed.FS

// Files are the files of the marketplace, by their paths below its directory.
func Files() fs.FS {
	sub, err := fs.Sub(files, "files")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return sub
}

const folder = "plugins/jacquard/"

// Opencode is the plugin for opencode, which is one file.
func Opencode() []byte { return read(folder + "opencode/jacquard.js") }

// Hooks are the hooks of Claude Code and Codex.
func Hooks() []byte { return read(folder + "hooks/hooks.json") }

// Version is the version of the plugin. It changes with its files only, because Codex runs hooks of a new one after a person has
// trusted them again.
func Version() string {
	var about struct{ Version string }
	if err := json.Unmarshal(read(folder+".claude-plugin/plugin.json"), &about); err != nil {
		panic(err) // a test reads it
	}
	return about.Version
}

func read(name string) []byte {
	raw, err := fs.ReadFile(Files(), name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return raw
}

// Export writes the marketplace into a directory, which it makes. Other files there stay as they are.
func Export(dir string) error {
	list := Files()
	return fs.WalkDir(list, ".", func(p string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(p))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			err = os.MkdirAll(to, 0o755)
		default:
			var raw []byte
			if raw, err = fs.ReadFile(list, p); err == nil {
				err = os.WriteFile(to, raw, 0o644)
			}
		}
		if err != nil {
			return fmt.Errorf("write the plugin: %w", err)
		}
		return nil
	})
}
