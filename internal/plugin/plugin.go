// Package plugin is what Claude Code and Codex load to judge a session by this program: a marketplace with one plugin, as files.
package plugin

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

// OpencodePlugin is the file of opencode's settings that runs hooks and offers the tools.
const OpencodePlugin = "plugin/jacquard.js"

// Opencode are the files for opencode, by their paths below the folder of its settings: the plugin, each skill as a command, /jacquard/NAME,
// and those that a model may use by itself as skills besides. opencode would let it use all of them.
func Opencode() map[string][]byte {
	out := map[string][]byte{OpencodePlugin: read(folder + "opencode/jacquard.js")}
	names, err := fs.Glob(Files(), folder+"skills/*/SKILL.md")
	if err != nil {
		panic(err) // the pattern is right
	}
	for _, file := range names {
		name := path.Base(path.Dir(file))
		_, rest, _ := strings.Cut(string(read(file)), "---\n")
		front, text, _ := strings.Cut(rest, "\n---\n")
		lines := strings.Split(front, "\n")
		about := lines[slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "description: ") })]
		out["command/jacquard/"+name+".md"] = []byte("---\n" + about + "\n---\n" + text)
		if !slices.Contains(lines, "disable-model-invocation: true") {
			out["skills/jacquard-"+name+"/SKILL.md"] = []byte("---\nname: jacquard-" + name + "\n" + about + "\n---\n" + text)
		}
	}
	return out
}

// Running are the files with what Claude Code and Codex run, by their paths in the plugin.
func Running() map[string][]byte {
	out := map[string][]byte{}
	for _, name := range []string{"hooks/hooks.json", ".mcp.json"} {
		out[name] = read(folder + name)
	}
	return out
}

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
