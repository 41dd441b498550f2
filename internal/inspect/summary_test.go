package inspect_test

import (
	"encoding/json"
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// TestExportsOfAnalysesAreValid: what is written from an analysis that was read back is a
// section of a spec, and reads as the exports that the analysis has.
func TestExportsOfAnalysesAreValid(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"web/index.ts":     "export interface C { id: string; f(a: string): void }\nexport type U = 'a' | 'b';\nexport enum St { Open, Closed = 2 }\nexport class K<T> extends Base { constructor(private x: number, y = 2) { super(); } m(a: T): void {} }\nexport const f = async <T>(a: T, b: () => void): Promise<T> => a;\nexport function g(a: string): string;\nexport const MAX = 3;\nexport default function main() {}\nexport * from './z';\nexport { a as b } from './y';\n",
		"tool/__init__.py": "class K(Base):\n    def __init__(self, x: int, y=2):\n        pass\n\n    def m(self, a):\n        pass\n\n\nasync def f(a: int, *args, b: str = 'x', **kw) -> dict[str, int]:\n    pass\n\n\nMAX = 3\n",
		"none/x.go":        "package none\n",
	}
	list, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "http", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		files["http/"+filepath.Base(f)] = string(b)
	}
	p := project(files)
	for _, dir := range []string{"web", "tool", "none", "http"} {
		a := p.Analyze(dir, nil)
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		reports, err := inspect.ReadReports(raw)
		if err != nil || len(reports) != 1 {
			t.Fatalf("%s is not read back: %v", dir, err)
		}
		text := reports[0].ExportsText()
		d, ps := spec.Parse("m/CLAUDE.md", []byte("# m\n\n## Purpose\n\nx\n\n## Exports\n\n"+text+"\n## Behavior\n\nNone\n"))
		for _, pr := range ps {
			if pr.Severity == spec.Error || !strings.Contains(pr.Text, "may be missing parameter types") { // of a re-export nobody knows more
				t.Errorf("%s: %s\n%s", dir, pr, text)
			}
		}
		if n := strings.Count(text, "\n- `") + strings.Count(text[:1], "-"); len(d.Exports) < n-strings.Count(text, "(from `") {
			t.Errorf("%s: %d exports are read of %d lines:\n%s", dir, len(d.Exports), n, text)
		}
		if !strings.Contains(reports[0].Summary(), "# Analysis Summary: "+dir) {
			t.Errorf("summary of %s:\n%s", dir, reports[0].Summary())
		}
	}
}

// FuzzReadReports: what is no analysis is an error and no panic.
func FuzzReadReports(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `null`, `{"exports":{}}`, `{"exports":[]}`, `{"directories":[{}]}`, `{"exports":{"functions":[{"name":"a.b"}],"types":[{}]},"protocol":{"states":[{}],"lifecycle":[1]}}`, `{"exports":{},"behaviors":["a → b",{}],"dependencies":{"internal":[{"resolution":{"Ancestor":{}}}]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, raw []byte) {
		list, err := inspect.ReadReports(raw)
		if err != nil {
			return
		}
		for _, r := range list {
			_ = r.Summary()
		}
	})
}
