package inspect_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// documents are all documents that the tests of the parser read.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join("..", "spec", "testdata"), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		b, err := os.ReadFile(p)
		out[p] = b
		return err
	})
	if err != nil || len(out) < 5 {
		t.Fatalf("%d documents, %v", len(out), err)
	}
	return out
}

// reading is what a document says, without what migrating adds.
func reading(d *spec.Document) string {
	var keep []string
	for l := range strings.Lines(string(d.JSON())) {
		if !strings.Contains(l, `"schema_version":`) && !strings.Contains(l, `"summary":`) {
			keep = append(keep, l)
		}
	}
	return strings.Join(keep, "")
}

func TestMigratingChangesNothingThatIsRead(t *testing.T) {
	t.Parallel()
	docs := documents(t)
	docs["flat"] = []byte("# a\n\n## Purpose\n\nAdds. Nothing else.\n\n## Exports\n- `Add(a int, b int) int` — adds\n- `Max = 3`\n- `State: Open | Closed`\n\n## Behavior\n\n- `Add(1, 2)` → 3")
	docs["crlf"] = []byte("\uFEFF# a\r\n\r\n## Purpose\r\n\r\nAdds.\r\n\r\n## Exports\r\n\r\n### Functions\r\n\r\n- `Add(a int) int`\r\n- `Sub(a int) int`\r\n")
	docs["old marker"] = []byte("# a\n<!-- schema: 1.0 -->\n\n## Purpose\n\nAdds\n")
	docs["empty"] = nil
	headings := 0
	for name, src := range docs {
		m, out := inspect.Migrate("m/CLAUDE.md", src)
		before, _ := spec.Parse("m/CLAUDE.md", src)
		after, _ := spec.Parse("m/CLAUDE.md", out)
		if before.Version == "2.0" {
			if m.Migrated || !bytes.Equal(out, src) {
				t.Errorf("%s: migrated again", name)
			}
			continue
		}
		if a, b := reading(before), reading(after); a != b {
			t.Errorf("%s reads differently:\n%s\nbefore:\n%s\n%s", name, b, a, out)
		}
		if after.Version != "2.0" || before.Purpose != "" && after.Summary == "" {
			t.Errorf("%s: version %s, summary %q:\n%s", name, after.Version, after.Summary, out)
		}
		if again, twice := inspect.Migrate("m/CLAUDE.md", out); again.Migrated || !bytes.Equal(twice, out) {
			t.Errorf("%s: migrating is not idempotent", name)
		}
		if bytes.Contains(src, []byte("\r\n")) && bytes.Contains(bytes.ReplaceAll(out, []byte("\r\n"), nil), []byte("\n")) {
			t.Errorf("%s: a bare line feed in a file with CRLF", name)
		}
		for _, c := range m.Changes {
			if c.Type == "ConvertExportToHeading" {
				headings++
			}
		}
	}
	if headings < 5 {
		t.Errorf("%d exports were converted, want most", headings)
	}
}

func TestFixedDocumentsAreValid(t *testing.T) {
	t.Parallel()
	for name, src := range documents(t) {
		fixed, added := inspect.Fix("m/CLAUDE.md", src)
		if !bytes.HasPrefix(fixed, src) {
			t.Errorf("%s: something else was changed", name)
		}
		d, _ := spec.Parse("m/CLAUDE.md", fixed)
		for _, s := range added {
			if !d.Has(s) {
				t.Errorf("%s: %s was not added", name, s)
			}
		}
		if _, again := inspect.Fix("m/CLAUDE.md", fixed); len(again) > 0 {
			t.Errorf("%s: a second time %v", name, again)
		}
	}
}

// TestDrift compares specs and code in the three languages.
func TestDrift(t *testing.T) {
	t.Parallel()
	doc := func(exports ...string) string {
		return "# m\n\n## Purpose\n\nx\n\n## Exports\n\n" + strings.Join(exports, "\n") + "\n\n## Behavior\n\nNone\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"go": {
			files: map[string]string{
				"m/CLAUDE.md": doc("- `Add(a int, b int) int`", "- `Gone(x int) int`", "- `Stack.Push(v int)`", "- `Map[K comparable, V any](m map[K]V) []V`", "- `Less(a int) int`"),
				"m/m.go":      "package m\n\nfunc Add(a, b int) int { return a + b }\n\ntype Stack struct{}\n\nfunc (s *Stack) Push(v int) {}\n\nfunc Extra() {}\n\nfunc Map[K comparable, V any](m map[K]V) []V { return nil }\n\nfunc Less(a int, b func(x, y int) int) int { return a }\n",
				"m/m_test.go": "package m\n\nfunc TestHelper() {}\n",
			},
			want: []string{"STALE Gone", "MISMATCH Less", "MISSING Extra"},
		},
		"typescript": {
			files: map[string]string{
				"m/CLAUDE.md":  doc("- `add(a: number, b?: number): Promise<Map<string, number>>`", "- `Claims { id: string }`", "- `lost(): void`"),
				"m/index.ts":   "export async function add(a: number, b?: number): Promise<Map<string, number>> { return new Map(); }\nexport interface Claims { id: string }\nexport const extra = (x: number) => x;\n",
				"m/helpers.ts": "export function helper(): void {}\n",
			},
			want: []string{"STALE lost", "MISSING extra"},
		},
		"python": {
			files: map[string]string{
				"m/CLAUDE.md":   doc("- `add(a: int, b: int = 2) -> int`", "- `Stack(size: int)`"),
				"m/__init__.py": "def add(a, b=2):\n    return a + b\n\n\nclass Stack:\n    def __init__(self, size):\n        self.size = size\n\n\ndef _own():\n    pass\n\n\ndef extra():\n    pass\n",
			},
			want: []string{"MISSING extra"},
		},
		"structure": {
			files: map[string]string{
				"m/CLAUDE.md":     doc("- `Add(a int) int`") + "\n## Structure\n\n- `sub/`: below\n- `gone/`: was here\n- `m.go`: code\n",
				"m/m.go":          "package m\n\nfunc Add(a int) int { return a }\n",
				"m/sub/CLAUDE.md": doc("None"), "m/sub/s.go": "package sub\n",
				"m/more/CLAUDE.md": doc("None"), "m/more/s.go": "package more\n",
			},
			want: []string{"ORPHAN gone", "UNCOVERED more"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files []string
			for f := range c.files {
				files = append(files, f)
			}
			v := inspect.New("/p", files, func(f string) []byte { return []byte(c.files[f]) }).Validate("m")
			var got []string
			for _, m := range v.Modules {
				for _, i := range m.Issues {
					got = append(got, i.Type+" "+i.Symbol)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("drift %q, want %q", got, c.want)
			}
			if clean := v.Summary.Issues == 0; clean != (v.Modules[0].Status == "good") {
				t.Errorf("status %s with %v", v.Modules[0].Status, got)
			}
		})
	}
}

// TestPageIsTextToTheBrowser: what a spec says can neither end the picture nor run.
func TestPageIsTextToTheBrowser(t *testing.T) {
	t.Parallel()
	b, err := inspect.Page("a <b>", []inspect.Drawing{{Name: "<i>", Mermaid: "flowchart TB\n  x[\"</pre><script>alert(1)</script>\"]\n"}})
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if strings.Count(page, "<script") != 2 || strings.Count(page, "</script>") != 2 || strings.Contains(page, "alert(1)</") {
		t.Errorf("%d scripts begin and %d end, want 2", strings.Count(page, "<script"), strings.Count(page, "</script>"))
	}
	for _, want := range []string{"<title>a &lt;b&gt;</title>", "<h2>&lt;i&gt;</h2>", `x[&#34;&lt;/pre&gt;&lt;script&gt;`, "securityLevel: \"strict\"", "default-src 'none'"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestGraphOfImports: what code imports and no spec declares, and circles that only code makes.
func TestGraphOfImports(t *testing.T) {
	t.Parallel()
	spec := func(name, deps string) string {
		return "# " + name + "\n\n## Purpose\n\nx\n\n## Exports\n\n- `F(): void`\n" + deps + "\n## Behavior\n\nNone\n"
	}
	files := map[string]string{
		"a/CLAUDE.md": spec("a", "\n## Dependencies\n\n- internal:\n  - `b/CLAUDE.md`: F\n"), "a/index.ts": "import { F } from '../b';\nexport const f = F;\n",
		"b/CLAUDE.md": spec("b", ""), "b/index.ts": "import type { G } from '../c/deep';\nexport const F = 1;\n",
		"c/CLAUDE.md": spec("c", ""), "c/deep.ts": "export { F } from '../b';\nimport 'react';\n",
	}
	var list []string
	for f := range files {
		list = append(list, f)
	}
	g := inspect.New("/p", list, func(f string) []byte { return []byte(files[f]) }).GraphWithImports()
	var got []string
	for _, e := range g.Edges {
		got = append(got, fmt.Sprint(e.Type, " ", e.From, ">", e.To, e.Symbols, e.Valid))
	}
	for _, v := range g.Violations {
		got = append(got, v.Type+" "+v.From+">"+v.To)
	}
	want := "spec a>b[F] true, internal a>b[F] true, internal b>c[G] false, internal c>b[F] false, undeclared b>c, undeclared c>b, cycle b>b"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}
