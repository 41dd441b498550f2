package inspect_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// spec1 is a document with the given sections beside Purpose, Exports and Behavior.
func spec1(exports, behavior, rest string) string {
	return "# m\n\n## Purpose\n\nx\n\n## Exports\n\n" + exports + "\n\n## Behavior\n\n" + behavior + "\n\n" + rest
}

// library is where the sources of Go's standard library are. A test binary that was built without paths does not know it.
func library(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

func project(files map[string]string) *inspect.Project {
	var names []string
	for f := range files {
		names = append(names, f)
	}
	return inspect.New("/p", names, func(f string) []byte { return []byte(files[f]) })
}

// TestKnownDefects has the right answers where the tools that came before were wrong. The
// numbers are those of the list of their defects. What is about builds is elsewhere: 10 in TestIsCommitTimeSound,
// TestWithoutRecords (internal/target) and spec_below.txtar (internal/cli), 11 in TestStatesOfARecord (a file that was kept is a conflict, not a target) and e2e_conflict.txtar, 12 in
// TestOrder and TestCyclesAreNamedAtEachMember (internal/index).
func TestKnownDefects(t *testing.T) {
	t.Parallel()
	parse := func(text string) *spec.Document {
		d, _ := spec.Parse("m/CLAUDE.md", []byte(text))
		return d
	}
	t.Run("1: a document that follows the template is valid, garbage is not", func(t *testing.T) {
		t.Parallel()
		good := project(map[string]string{"m/CLAUDE.md": spec1("### Functions\n\n- `F(a: int): int`", "### 정상 케이스\n\n- `F(1)` → 1", "")})
		if v := good.Check("m/CLAUDE.md", false); !v.Valid {
			t.Errorf("errors %+v", v.Errors)
		}
		bad := project(map[string]string{"m/CLAUDE.md": spec1("### Functions\nsome prose that is no signature", "- `F(1)` → 1", "")})
		if v := bad.Check("m/CLAUDE.md", false); v.Valid || v.Errors[0].Type != "InvalidExports" {
			t.Errorf("garbage: %+v", v.Errors)
		}
	})
	t.Run("2: migrating loses no export, writes the Summary and keeps the end of the file", func(t *testing.T) {
		t.Parallel()
		text := spec1("- `F(a: int): int`\n- `Max = 3`", "- `F(1)` → 1", "## Contract\n\nNone")
		_, out := inspect.Migrate("m/CLAUDE.md", []byte(text))
		d := parse(string(out))
		if len(d.Exports) != 2 || d.Summary == "" || strings.HasSuffix(string(out), "\n") {
			t.Errorf("%d exports, summary %q:\n%s", len(d.Exports), d.Summary, out)
		}
	})
	t.Run("3: a tree that was written can be read, and imports are resolved in it", func(t *testing.T) {
		t.Parallel()
		p := project(map[string]string{"m/index.ts": "import { a } from '../core/a';\n", "core/a.ts": "export const a = 1;\n"})
		raw, err := json.Marshal(p.Tree())
		if err != nil {
			t.Fatal(err)
		}
		dirs, err := inspect.ReadTree(raw)
		if err != nil {
			t.Fatal(err)
		}
		a := p.Analyze("m", nil)
		p.ResolveIn(&a, dirs)
		if in := a.Dependencies.Internal; len(in) != 1 || in[0].Resolution != "Exact" || in[0].Dir != "core" {
			t.Errorf("internal %+v", in)
		}
	})
	t.Run("4: an analysis with a protocol and no transitions can be read", func(t *testing.T) {
		t.Parallel()
		list, err := inspect.ReadReports([]byte(`{"path": "m", "exports": {}, "protocol": {"states": ["Open"], "lifecycle": []}}`))
		if err != nil || !strings.Contains(list[0].Summary(), "### States\n\nOpen\n") {
			t.Errorf("%v: %+v", err, list)
		}
	})
	t.Run("5: both ways to write dependencies are read", func(t *testing.T) {
		t.Parallel()
		for _, deps := range []string{"- internal:\n  - `core/CLAUDE.md`: A, B", "### Internal\n\n- `core/CLAUDE.md`: A, B", "### External\n\n- x@1\n\n### Internal\n- `core/CLAUDE.md` — A"} {
			d := parse(spec1("None", "None", "## Dependencies\n\n"+deps))
			if len(d.Dependencies.Internal) != 1 || d.Dependencies.Internal[0].Path != "core" {
				t.Errorf("%q gives %+v", deps, d.Dependencies.Internal)
			}
		}
	})
	t.Run("6: a declared dependency is no breach, a way out is, a package is no path", func(t *testing.T) {
		t.Parallel()
		p := project(map[string]string{
			"m/CLAUDE.md":           spec1("None", "None", "## Dependencies\n\n- internal:\n  - `core/domain/CLAUDE.md`: A\n  - `../other/CLAUDE.md`\n  - `core/domain/inner.go`\n  - `..\\others\\o.go`\n  - `../../x/y`\n- external: gorilla/mux@1\n"),
			"core/domain/CLAUDE.md": spec1("- `A(x: int): int`", "None", ""),
			"other/CLAUDE.md":       spec1("None", "None", ""),
			"others/CLAUDE.md":      spec1("None", "None", ""),
			"others/o.go":           "package others\n",
		})
		var got []string
		for _, v := range p.Boundary("m").Violations {
			if text := v.Type + " " + v.Reference; strings.Contains(text, "\\") {
				got = append(got, text+": "+v.Reason)
			} else {
				got = append(got, text)
			}
		}
		if want := []string{"Parent ../other/CLAUDE.md", "Sibling core/domain/inner.go", "Parent ..\\others\\o.go: write the path from the project's root: others/CLAUDE.md", "Parent ../../x/y"}; !slices.Equal(got, want) {
			t.Errorf("violations %q, want %q", got, want)
		}
	})
	t.Run("7: methods, generics and internal imports of Go; comments and strings are no code", func(t *testing.T) {
		t.Parallel()
		a := project(map[string]string{
			"go.mod":     "module example.com/p\n",
			"m/m.go":     "package m\n\nimport \"example.com/p/core\"\n\n// func Not() {}\nconst text = `\nfunc Neither() {}\n`\n\nfunc Do() {\n}\n\nfunc Map[K comparable](k K) K { return k }\n\ntype T struct{}\n\nfunc (t *T) Run() error { return nil }\n",
			"core/c.go":  "package core\n",
			"core/x.txt": "",
		}).Analyze("m", nil)
		var got []string
		for _, f := range a.Exports.Functions {
			got = append(got, f.Signature)
		}
		want := []string{"func Do()", "func Map[K comparable](k K) K", "func (t *T) Run() error"}
		if !slices.Equal(got, want) || len(a.Dependencies.Internal) != 1 || a.Dependencies.Internal[0].Dir != "core" {
			t.Errorf("functions %q, want %q; internal %+v", got, want, a.Dependencies.Internal)
		}
	})
	t.Run("7: what the other languages export, with no code of comments and strings", func(t *testing.T) {
		t.Parallel()
		p := project(map[string]string{
			"ts/a.ts":     "// export function not(): void {}\nexport const text = `\nexport function neither(): void {}\n`;\nexport function map<K extends string>(k: K, f: (a: K) => void): K { return k }\nexport const go = async <T>(a: T): Promise<T> => a;\n",
			"py/a.py":     "\"\"\"\ndef neither(): pass\n\"\"\"\n# def not_(): pass\nasync def load(a: int, f: dict[str, tuple[int, int]] = dict(a=(1, 2))) -> str:\n    return ''\n",
			"rs/lib.rs":   "// pub fn not() {}\nconst T: &str = \"\npub fn neither() {}\n\";\npub async fn load(a: u8) -> u8 { a }\npub const fn size() -> u8 { 1 }\npub unsafe fn raw(p: u8) -> u8 { p }\n",
			"java/R.java": "package x;\n/* public void not() {} */\npublic record R(int a) {\n  @Deprecated\n  public java.util.Map<String, java.util.List<Integer>> all(int n) { return null; }\n  void inside() {}\n}\n",
			"kt/a.kt":     "package x\n// fun not() {}\nfun open(a: Int): Int { fun nested(b: Int): Int = b; return nested(a) }\nprivate fun hidden(a: Int): Int = a\nclass K { private fun own(a: Int): Int = a\n  fun seen(a: Int): Int = a }\n",
		})
		for dir, want := range map[string]string{
			"ts":   "- `go<T>(a: T): Promise<T>`|- `map<K extends string>(k: K, f: (a: K) => void): K`|- `text: string`",
			"py":   "- `async load(a: int, f: dict[str, tuple[int, int]] = dict(a=(1, 2))) -> str`",
			"rs":   "- `async load(a: u8) -> u8`|- `raw(p: u8) -> u8`|- `size() -> u8`",
			"java": "- `R(int a)`|- `R.all(int n): java.util.Map<String, java.util.List<Integer>>`",
			"kt":   "- `K()`|- `K.seen(a: Int): Int`|- `open(a: Int): Int`",
		} {
			var got []string
			for line := range strings.Lines(p.ExportsText(dir)) {
				if strings.HasPrefix(line, "-") {
					got = append(got, strings.TrimSpace(line))
				}
			}
			slices.Sort(got)
			if strings.Join(got, "|") != want {
				t.Errorf("%s: %q, want %q", dir, strings.Join(got, "|"), want)
			}
			if b := p.Analyze(dir, nil).Behaviors; len(b) > 0 {
				t.Errorf("%s: behaviours %v that nobody wrote", dir, b)
			}
		}
	})
	t.Run("8: Structure takes code spans and paths, and no prose", func(t *testing.T) {
		t.Parallel()
		d := parse(spec1("None", "None", "## Structure\n\nHow it is laid out.\n\n- `index.ts`: entry\n- src/auth/: logging in\n"))
		var got []string
		for _, s := range d.Structure {
			got = append(got, strings.TrimSuffix(s.Path, "/"))
		}
		if want := []string{"index.ts", "src/auth"}; !slices.Equal(got, want) {
			t.Errorf("structure %q, want %q", got, want)
		}
	})
	t.Run("9: contracts keep colons and lists, and the domain context is there", func(t *testing.T) {
		t.Parallel()
		d := parse(spec1("- `F(a: int): int`", "None", "## Contract\n\n### F\n\n- **Preconditions**:\n  - a: at least 1\n  - ratio is 1:2\n- **Invariants**: never below 0\n\n## Domain Context\n\n### Constraints\n\n- at most 3\n"))
		if len(d.Contracts) != 1 || len(d.Contracts[0].Preconditions) != 2 || !strings.Contains(d.Contracts[0].Preconditions[1].Text, "1:2") || len(d.Contracts[0].Invariants) != 1 {
			t.Errorf("contracts %+v", d.Contracts)
		}
		if !strings.Contains(string(d.JSON()), `"at most 3"`) {
			t.Errorf("no domain context in %s", d.JSON())
		}
	})
	t.Run("9: tables say what lists say", func(t *testing.T) {
		t.Parallel()
		d := parse("# m\n\n## Exports\n\n### Functions\n\n| Function | Description |\n|---|---|\n| `F(a: int): int` | doubles |\n\n## Behavior\n\n| Input | Output |\n|---|---|\n| `F(1)` | 2 |\n| `F(-1)` | RangeError |\n\n" +
			"## Contract\n\n### F\n\n| Kind | Condition |\n|---|---|\n| Precondition | a: at least 0 |\n| Invariant | never below 0 |\n\n## Protocol\n\nStates: A | B\n\n| From | Trigger | To |\n|---|---|---|\n| A | F() | B |\n\n" +
			"## Dependencies\n\n### Internal\n\n| Module | Symbols |\n|---|---|\n| `core/CLAUDE.md` | A, B |\n")
		got := fmt.Sprint(len(d.Exports), len(d.Protocol.Transitions), d.Dependencies.Internal)
		if len(d.Exports) != 1 || len(d.Protocol.Transitions) != 1 || len(d.Dependencies.Internal) != 1 || len(d.Dependencies.Internal[0].Symbols) != 2 {
			t.Errorf("exports, transitions, dependencies %s", got)
		}
		if len(d.Behaviors) != 2 || d.Behaviors[0].Output != "2" || d.Behaviors[1].Category != "error" {
			t.Errorf("behaviours %+v", d.Behaviors)
		}
		if len(d.Contracts) != 1 || len(d.Contracts[0].Preconditions) != 1 || d.Contracts[0].Preconditions[0].Text != "a: at least 0" || len(d.Contracts[0].Invariants) != 1 {
			t.Errorf("contracts %+v", d.Contracts)
		}
	})
	t.Run("13: the summary of an audit counts all; answers are the same each time", func(t *testing.T) {
		t.Parallel()
		files := map[string]string{"a/a.go": "package a", "b/b.go": "package b", "b/CLAUDE.md": spec1("None", "None", ""), "c/readme.md": "x"}
		some, all := project(files).Audit(true), project(files).Audit(false)
		if some.Summary != all.Summary || some.Summary.Complete != 1 || len(some.Nodes) >= len(all.Nodes) {
			t.Errorf("with issues only %+v, all %+v", some.Summary, all.Summary)
		}
		first, err := json.Marshal([]any{all, project(files).Tree(), project(files).Graph(), project(files).AnalyzeAll()})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			again, err := json.Marshal([]any{project(files).Audit(false), project(files).Tree(), project(files).Graph(), project(files).AnalyzeAll()})
			if err != nil || string(again) != string(first) {
				t.Fatalf("another answer, %v", err)
			}
		}
		if n := project(files).Boundary("c").SourceFiles; n != 0 {
			t.Errorf("%d source files, want 0: a document is none", n)
		}
	})
	t.Run("14: a comment in a code block ends no section", func(t *testing.T) {
		t.Parallel()
		d := parse(spec1("```bash\n# not a heading\n```\n\n- `F(a: int): int`", "- `F(1)` → 1", ""))
		if len(d.Exports) != 1 || len(d.Behaviors) != 1 {
			t.Errorf("%d exports, %d behaviors", len(d.Exports), len(d.Behaviors))
		}
		d = parse(spec1("~~~~\n# no heading\n~~~\n## nor this\n~~~~\n\n<!--\n## Behavior\n-->\n\n- `F(a: int): int`", "- `F(1)` → 1", ""))
		if len(d.Exports) != 1 || len(d.Behaviors) != 1 {
			t.Errorf("tildes and comments: %d exports, %d behaviors", len(d.Exports), len(d.Behaviors))
		}
	})
	t.Run("14: every way to say None counts, where None may be said, and ways out are seen on Windows too", func(t *testing.T) {
		t.Parallel()
		for _, none := range []string{"None", "none", "N/A", "n/a", "- None", "* none", "+ n/a", "1. None"} {
			p := project(map[string]string{"m/CLAUDE.md": spec1(none, none, "")})
			if v := p.Check("m/CLAUDE.md", false); !v.Valid {
				t.Errorf("%s: %+v", none, v.Errors)
			}
			p = project(map[string]string{"m/CLAUDE.md": strings.Replace(spec1(none, none, ""), "x\n", none+"\n", 1)})
			if v := p.Check("m/CLAUDE.md", false); v.Valid || v.Errors[0].Type != "InvalidSectionContent" || v.Errors[0].Section != "Purpose" {
				t.Errorf("Purpose %s: %+v", none, v.Errors)
			}
		}
		p := project(map[string]string{"m/CLAUDE.md": spec1("None", "None", "## Dependencies\n\n- internal:\n  - `..\\o\\CLAUDE.md`\n"), "o/CLAUDE.md": spec1("None", "None", "")})
		if v := p.Check("m/CLAUDE.md", false); !slices.ContainsFunc(v.Problems, func(p spec.Problem) bool {
			return p.Text == `a parent directory must not be referred to: ..\o\CLAUDE.md`
		}) {
			t.Errorf("problems %v", v.Problems)
		}
		log := "## File Map\n\n- `a.go`: all\n\n## Data Structures\n\nNone\n\n## Decision Log\n\n### Cents\n\n- **Context**: sums\n\n## Operations\n\nNone\n"
		p = project(map[string]string{"m/DEVELOPERS.md": log, "m/a.go": "package m\n"})
		if v := p.Check("m/DEVELOPERS.md", false); len(v.Errors) != 2 || v.Errors[0].Type != "MissingField" {
			t.Errorf("a decision without its fields: %+v", v.Errors)
		}
	})
}

func TestStateDiagram(t *testing.T) {
	t.Parallel()
	p := project(map[string]string{"m/CLAUDE.md": spec1("None", "None", "## Protocol\n\n### State Machine\n\nStates: `Idle` | `In use`\n\nTransitions:\n\n- `Idle` + `take(a: int)` → `In use`\n")})
	got, err := p.Diagram("state", "m/CLAUDE.md")
	want := "stateDiagram-v2\n  state \"Idle\" as n_Idle\n  state \"In use\" as n_In_20_use\n  [*] --> n_Idle\n  n_Idle --> n_In_20_use : take(a#58; int)\n"
	if err != nil || inspect.Drawings(got) != want {
		t.Errorf("%v:\n%s\nwant:\n%s", err, got, want)
	}
}

// TestStateDiagrams: several machines are several pictures, each with its own states and transitions.
func TestStateDiagrams(t *testing.T) {
	t.Parallel()
	list, err := project(map[string]string{"desk/CLAUDE.md": machines}).Diagram("state", "desk/CLAUDE.md")
	want := "## Order\n\n```mermaid\nstateDiagram-v2\n  state \"Open\" as n_Open\n  state \"Paid\" as n_Paid\n  [*] --> n_Open\n  n_Open --> n_Paid : pay()\n```\n\n" +
		"## Parcel\n\n```mermaid\nstateDiagram-v2\n  state \"Open\" as n_Open\n  state \"Packed\" as n_Packed\n  state \"Sent\" as n_Sent\n  [*] --> n_Open\n  n_Open --> n_Packed : pack()\n  n_Packed --> n_Sent : send()\n```\n"
	if got := inspect.Drawings(list); err != nil || got != want {
		t.Errorf("%v:\n%s\nwant:\n%s", err, got, want)
	}
}

// TestFileMapListsDirectories: a directory is there, also beside a file that is sorted before what is in it.
func TestFileMapListsDirectories(t *testing.T) {
	t.Parallel()
	v := project(map[string]string{
		"m/DEVELOPERS.md": "# m\n\n## File Map\n\n| File | Role |\n|---|---|\n| `lib/` | a |\n| `gone` | b |\n\n## Data Structures\n\nNone\n\n## Decision Log\n\nNone\n\n## Operations\n\nNone\n",
		"m/lib.go":        "package m\n", "m/lib/a.go": "package lib\n",
	}).Check("m/DEVELOPERS.md", false)
	if got, want := strings.Join(v.Warnings, "; "), "Line 8: File Map lists gone, which does not exist"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
