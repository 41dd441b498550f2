package inspect_test

import (
	"encoding/json"
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
	list, err := filepath.Glob(filepath.Join(library(t), "net", "http", "*.go"))
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

// TestExportsOfAnalysesAreThoseOfTheCode: what was written down and read back says as much as the code itself, of nested
// classes, their constructors, records and objects too.
func TestExportsOfAnalysesAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go/m.go": "package m\n\n// T is one.\ntype T struct{ A int }\n\nfunc (t *T) Run(n int) error { return nil }\n\ntype Mode = string\n\nconst Max = 3\n\nfunc Map[K comparable](k K) K { return k }\n",
		"ts/a.ts": "export class Outer { constructor(a: number) {} go(x: number): void {} }\nexport namespace N { export class Deep { constructor(public c: boolean) {} go(x: number): string { return '' } } }\n" +
			"export const X = 1;\nexport type X = string;\nexport type Y = string;\nexport const Y = 2;\nexport const _own = 1;\nexport function over(a: string): string;\nexport function over(a: number): number;\nexport function over(a: any): any { return a }\n",
		"py/a.py":         "class Outer:\n    def __init__(self, a: int) -> None: pass\n    class Inner:\n        def __init__(self, b: str) -> None: pass\n        def run(self, x: int) -> str: return ''\nMAX: int = 3\n",
		"java/Outer.java": "package x;\npublic class Outer {\n  public Outer(int a) {}\n  public static class Inner { public Inner(String b) {} public int go(int x) { return 1; } }\n  public record Rec(int a, String b) {}\n  public static class Builder { public Builder(int q) {} }\n}\n",
		"java/Other.java": "package x;\npublic class Other {\n  public static class Builder { public Builder(String z, int y) {} }\n}\n",
		"kt/a.kt":         "package x\nclass Outer(val a: Int) { class Inner(val b: String) { fun go(x: Int): Int = 1 }\n  class Sec { constructor(q: Int) }\n  data class Pair(val l: Int, val r: Int)\n}\nobject Single { fun only(): Int = 2 }\nfun String.shout(times: Int): String = this\nenum class Mode { A, B }\ninterface Shape { fun area(): Double }\n",
		"rs/lib.rs":       "pub mod inner { pub struct T { pub a: i32 } impl T { pub fn new(b: i32) -> T { T{a:b} } } }\npub struct Pt(pub u8, u8);\npub enum E { A, B }\npub trait Tr { fn f(&self) -> i32; }\npub const MAX: u32 = 3;\npub type Al = Vec<u8>;\n",
	}
	p := project(files)
	for _, dir := range []string{"go", "ts", "py", "java", "kt", "rs"} {
		raw, err := json.Marshal(p.Analyze(dir, nil))
		if err != nil {
			t.Fatal(err)
		}
		list, err := inspect.ReadReports(raw)
		if err != nil {
			t.Fatal(err)
		}
		r := list[0]
		if got, want := r.ExportsText(), p.ExportsText(dir); got != want || !strings.Contains(want, "###") {
			t.Errorf("%s: the analysis says\n%s\nthe code\n%s", dir, got, want)
		}
	}
}
