// Package plugin is what Claude Code and Codex load to judge a session by this program: a marketplace with one plugin, as files.
package plugin

import (
	"embed"
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
