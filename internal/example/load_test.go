package example_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/example"
)

// TestNodeLoader loads TypeScript with what lies in a project: each package has of its interface what the loader needs.
func TestNodeLoader(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not here")
	}
	const (
		seven = "exports.version = '7.0.2';\n"
		strip = "(text) => text.replace(': number', '')"
	)
	for name, c := range map[string]struct {
		packages map[string]string
		want     string
	}{
		"typescript": {map[string]string{"typescript": "exports.transpileModule = (text) => ({ outputText: (" + strip + ")(text) });\n"}, "2"},
		"typescript 7 and another version": {map[string]string{
			"typescript": seven, "@typescript/typescript6": "exports.transpileModule = (text) => ({ outputText: (" + strip + ")(text) });\n",
		}, "2"},
		"typescript 7 and esbuild": {map[string]string{"typescript": seven, "esbuild": "exports.transformSync = (text) => ({ code: (" + strip + ")(text) });\n"}, "2"},
		"esbuild of vite":          {map[string]string{"vite": "", "vite/node_modules/esbuild": "exports.transformSync = (text) => ({ code: (" + strip + ")(text) });\n"}, "2"},
		"rolldown":                 {map[string]string{"rolldown/utils": "exports.transformSync = (_, text) => ({ code: (" + strip + ")(text), errors: [] });\n"}, "2"},
		"typescript 7 only":        {map[string]string{"typescript": seven}, "nothing here translates TypeScript to JavaScript"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put := func(name, text string) string {
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return file
			}
			for p, text := range c.packages {
				put("node_modules/"+p+"/package.json", "{}")
				put("node_modules/"+p+"/index.js", text)
			}
			put("a.ts", "export const twice = (n: number) => 2 * n;\n")
			loader := put("load.mjs", string(example.NodeLoader(put("package.json", "{}"))))
			main := put("main.mjs", "import { register } from 'node:module';\nregister("+example.Quoted("file://"+filepath.ToSlash(loader))+
				");\nawait import('./a.ts').then((m) => console.log(m.twice(1)), (e) => console.log(e.message));\n")
			out, err := exec.Command("node", main).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || !strings.HasPrefix(got, c.want) && (c.want == "2" || !ownNode(t)) {
				t.Errorf("%v, %s, want %s", err, got, c.want)
			}
		})
	}
}

// ownNode reports whether Node translates by itself.
func ownNode(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command("node", "-p", "typeof require('node:module').stripTypeScriptTypes").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)) == "function"
}
