package inspect_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// drifts of all modules, one a line: type, section, symbol.
func drifts(v inspect.Validation) string {
	var out []string
	for _, m := range v.Modules {
		for _, d := range m.Issues {
			out = append(out, strings.Join([]string{d.Type, d.Section, d.Symbol}, " "))
		}
		for _, d := range m.Notes {
			out = append(out, strings.Join([]string{"note", d.Type, d.Symbol}, " "))
		}
	}
	for _, d := range v.Conventions {
		out = append(out, strings.Join([]string{d.Type, d.Section, d.Symbol}, " "))
	}
	return strings.Join(out, "; ")
}

const deps = "## Dependencies\n\n- internal:\n"

// driftCases are modules with what is to be said of them.
var driftCases = map[string]struct {
	files map[string]string
	want  string
}{
	"types of go": {
		map[string]string{
			"m/CLAUDE.md": spec1("- `A(x int) (string, error)`\n- `B(x int) string`\n- `C(xs []int)`\n- `K.M(a int) error`\n- `K.N()`\n- `D(a, b *K, c, d string) (x, y *K)`\n- `E(a *K, f func(*K, ...int) error) []*K`\n- `G(a *K, b []byte)`", "None", ""),
			"m/m.go":      "package m\n\nfunc D(a, b *K, c, d string) (x, y *K) { return nil, nil }\n\nfunc E(a *K, f func(k *K, n ...int) error) []*K { return nil }\n\nfunc G(a **K, b []byte) {}\n\nfunc A(x int) (string, error) { return \"\", nil }\n\nfunc B(x int64) string { return \"\" }\n\nfunc C(xs ...int) {}\n\ntype K struct{}\n\nfunc (k *K) M(a int) (int, error) { return 0, nil }\n\nfunc (k K) N() {}\n",
		},
		"MISMATCH Exports B; MISMATCH Exports C; MISMATCH Exports K.M; MISMATCH Exports G",
	},
	"types of typescript": {
		map[string]string{
			"m/CLAUDE.md":  spec1("- `a(x: UserId): Claims`\n- `b(x: string): Promise<Claims>`\n- `c(x: Claims): Role`\n- `d(x: Far): string`\n- `e(x: C): void`", "None", "") + "",
			"m/index.ts":   "import { Claims as C, Far2 } from './claims';\nexport { UserId } from './ids';\ntype UserId = string;\nexport function a(x: string): C { }\nexport async function b(x: string): Promise<Role> { }\nexport const c = (x: C): Role => 1;\nexport function d(x: Far2): string { }\nexport function e(x: Claims): void {}\nexport enum Role { A, B }\n",
			"m/claims.ts":  "export interface Claims { id: string }\n",
			"m/ids.ts":     "export type UserId = string;\n",
			"far/index.ts": "export type Far = string;\n",
		},
		"MISMATCH Exports b",
	},
	"python": {
		map[string]string{
			"m/CLAUDE.md":   spec1("- `f(a: UserId, b: list[int]) -> Optional[str]`\n- `g(a: int) -> int`\n- `h(a: int)`\n\n### Classes\n\n- `K(size: int)`", "None", ""),
			"m/__init__.py": "from typing import Optional\nUserId = str\n\n\ndef f(a: str, b: 'List[int]') -> str | None:\n    pass\n\n\ndef g(a: str) -> int:\n    pass\n\n\ndef h(b: int):\n    pass\n\n\nclass K:\n    def __init__(self, size: str) -> None:\n        pass\n",
		},
		"MISMATCH Exports g; MISMATCH Exports h; MISMATCH Exports K",
	},
	"every overload is an export": {
		map[string]string{
			"m/CLAUDE.md": spec1("- `f(a: string): string`\n- `g(a: string): string`\n- `g(a: number): number`", "None", ""),
			"m/index.ts":  "export function f(a: number): number;\nexport function f(a: string): string;\nexport function f(a: any) { return a; }\nexport function g(a: number): number;\nexport function g(a: string): string;\nexport function g(a: any) { return a; }\n",
		},
		"MISSING Exports f",
	},
	"enums and fields": {
		map[string]string{
			"m/CLAUDE.md": spec1("### Types\n\n- `T { id: string, size: number }`\n- `U { a: string }`\n- `V { a: string }`\n\n### Enums\n\n- `E: A | B`\n- `F: One | Two`", "None", ""),
			"m/index.ts":  "export interface T { id: string; size?: number; more: X }\nexport interface U { b: string }\nexport interface V extends W { b: string }\nexport enum E { A, B }\nexport enum F { One, Two, Three }\n",
		},
		"MISMATCH Exports T; MISMATCH Exports U; MISMATCH Exports V; MISMATCH Exports F",
	},
	"dependencies of go": {
		map[string]string{
			"go.mod":         "module example.com/p\n",
			"m/CLAUDE.md":    spec1("None", "None", deps+"  - `used/CLAUDE.md`\n  - `idle/CLAUDE.md`\n  - `intests/CLAUDE.md`\n  - `planned/CLAUDE.md`\n  - `nowhere/CLAUDE.md`\n"),
			"m/m.go":         "package m\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/p/open\"\n\t\"example.com/p/used\"\n)\n\nvar _ = fmt.Sprint(open.X, used.X)\n",
			"m/m_test.go":    "package m\n\nimport _ \"example.com/p/intests\"\n",
			"used/CLAUDE.md": spec1("None", "None", ""), "used/u.go": "package used\n",
			"idle/CLAUDE.md": spec1("None", "None", ""), "idle/u.go": "package idle\n",
			"open/CLAUDE.md": spec1("None", "None", ""), "open/u.go": "package open\n",
			"intests/CLAUDE.md": spec1("None", "None", ""), "intests/u.go": "package intests\n",
			"planned/CLAUDE.md": spec1("None", "None", ""),
		},
		"UNRESOLVED Dependencies nowhere/CLAUDE.md; ORPHAN Dependencies open; STALE Dependencies idle",
	},
	"dependencies of typescript": {
		map[string]string{
			"src/m/CLAUDE.md":     spec1("None", "None", deps+"  - `src/alias/CLAUDE.md`\n  - `src/lazy/CLAUDE.md`\n  - `src/idle/CLAUDE.md`\n"),
			"src/m/index.ts":      "import { a } from '@/alias';\nimport { b } from '../b/deep/thing';\nimport express from 'express';\nconst load = (name: string) => registry.get('lazy');\n",
			"src/alias/CLAUDE.md": spec1("None", "None", ""), "src/alias/a.ts": "",
			"src/lazy/CLAUDE.md": spec1("None", "None", ""), "src/lazy/a.ts": "",
			"src/idle/CLAUDE.md": spec1("None", "None", ""), "src/idle/a.ts": "",
			"src/b/CLAUDE.md": spec1("None", "None", ""), "src/b/deep/thing.ts": "",
		},
		"STALE Dependencies src/idle",
	},
	"references and boundaries": {
		map[string]string{
			"m/CLAUDE.md":    "<!-- schema: 2.0 -->\n" + spec1("None", "None", deps+"  - `core/CLAUDE.md`: Kept, Lost\n  - `../other/CLAUDE.md`\n\n## Constraints\n\nSee core/CLAUDE.md#Never.\n"),
			"m/m.py":         "import core\nimport other\n",
			"core/CLAUDE.md": spec1("- `Kept(a: int) -> int`", "None", ""), "core/__init__.py": "def Kept(a):\n    pass\n",
			"other/CLAUDE.md": spec1("None", "None", ""), "other/__init__.py": "",
		},
		"UNRESOLVED Dependencies Lost; UNRESOLVED Constraints Never; BOUNDARY Dependencies ../other/CLAUDE.md",
	},
	"scenarios": {
		map[string]string{
			"m/CLAUDE.md": spec1("- `parse(text: str) -> int`", "- `parse(\"x\")` → InvalidTokenError\n- expired token → TokenExpiredError\n- `parse(\"1\")` → 1\n- empty text → nothing found\n- a full moon → werewolves howl\n- 만료된 토큰 → 오류가 발생한다", ""),
			"m/m.py":      "def parse(text):\n    pass\n",
			"m/test_m.py": "def test_rejects_invalid_tokens():\n    assert parse('x')\n\n\ndef test_empty():\n    assert parse('')\n\n\ndef test_토큰_만료():\n    assert parse('')\n",
		},
		"note UNTESTED werewolves howl",
	},
	"scenarios without tests": {
		map[string]string{"m/CLAUDE.md": spec1("None", "- a full moon → werewolves howl", ""), "m/m.py": ""},
		"",
	},
	"constants that the spec states": {
		map[string]string{
			"m/CLAUDE.md":   spec1("- `f(n: int) -> int`", "None", "## Contract\n\n### f\n\n- **Preconditions**: `n >= 0`, `n <= 40`, `lo < (n, 1)[0]`\n\n## Domain Context\n\n### Constraints\n\n- MAX_PERCENT: 40\n- MAX_PARTS: 99 (the most)\n- `TTL`: 7 days\n- LIFE: 7 days\n- DEPTH: 2^10\n- ALGORITHM: RS256\n- RATES: 1, 2\n- MAX_SIZE: 2 MB\n- at most 5 sessions\n\n## Constraints\n\n- RETRIES: 3 (per request)\n"),
			"m/__init__.py": "MAX_PERCENT = 40\nMAX_PARTS = 12\nTTL = 7 * 24 * 3600\nLIFE = 8\nDEPTH = 1024\nALGORITHM = 'HS256'\nRATES = [1, 2]\nMAX_SIZE = 2_000_000\nMOST = 5\nRETRIES = 4\nOTHER = 6\n\n\ndef f(n: int) -> int:\n    lo = 1\n    if n < 0:\n        raise ValueError\n    if n > MAX_PERCENT:\n        raise ValueError\n    return n + lo\n",
		},
		"MISSING Exports OTHER; MISMATCH Domain Context MAX_PARTS; MISMATCH Domain Context LIFE; MISMATCH Domain Context ALGORITHM; MISMATCH Constraints RETRIES; note CONTRACT f",
	},
	"constants of go that the spec states": {
		map[string]string{
			"m/CLAUDE.md": spec1("- `F(n int) error`", "None", "## Contract\n\n### F\n\n- **Preconditions**: `n <= 40`\n\n## Domain Context\n\n### Constraints\n\n- MAX_PERCENT: 40\n- `maxParts`: 99\n- TTL: 90 seconds\n"),
			"m/m.go":      "package m\n\nimport (\n\t\"errors\"\n\t\"time\"\n)\n\nconst MaxPercent = 50\n\nconst maxParts = 12\n\nconst TTL = 90 * time.Second\n\nfunc F(n int) error {\n\tif n > MaxPercent {\n\t\treturn errors.New(\"n\")\n\t}\n\treturn nil\n}\n",
		},
		"MISMATCH Domain Context MAX_PERCENT; MISMATCH Domain Context maxParts; note CONTRACT F; note CONTRACT F",
	},
	"conventions": {
		map[string]string{
			"CLAUDE.md":   "# p\n\n## Purpose\n\nx\n\n## Code Convention\n\n### Naming Rules\n\nx\n\n### Language & Runtime\n\nGo\n",
			"m/CLAUDE.md": "# m\n\n## Purpose\n\nx\n\n## Code Convention\n\n### Naming Rules\n\nx\n",
		},
		"CONVENTION Code Convention Coding Rules",
	},
}

func TestDriftOfAllSections(t *testing.T) {
	t.Parallel()
	for name, c := range driftCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := "m"
			if name == "conventions" {
				at = "."
			}
			if name == "dependencies of typescript" {
				at = "src/m"
			}
			v := project(c.files).Validate(at)
			if got := drifts(v); got != c.want {
				t.Errorf("got  %s\nwant %s\n%+v", got, c.want, v.Modules)
			}
			if clean := strings.ReplaceAll(c.want, "note ", "") == c.want && c.want == ""; v.Clean() != (clean || strings.HasPrefix(c.want, "note")) {
				t.Errorf("clean %t with %s", v.Clean(), c.want)
			}
		})
	}
}

// TestMend: what is mechanical goes away, what is not stays, and no byte of another line
// changes.
func TestMend(t *testing.T) {
	t.Parallel()
	mechanical := map[string]bool{"STALE Exports": true, "MISSING Exports": true, "MISMATCH Exports": true, "ORPHAN Dependencies": true, "ORPHAN Structure": true, "UNCOVERED Structure": true}
	cases := maps.Clone(driftCases)
	code := "package m\n\nfunc Added(a int) error { return nil }\n\nfunc Changed(a int64) string { return \"\" }\n\ntype Shape struct{ Size int }\n\nfunc Kept() {}\n"
	for name, exports := range map[string]string{
		"flat":           "- `Changed(a int) string` — what it does\n- `Gone(a int) int`\n  with more\n  - and more\n- `Kept()`",
		"grouped":        "### Functions\n\n- `Changed(a int) string`: does\n- `Gone(a int) int`\n- `Kept()`\n\n### Variables\n\n- `GoneToo = 3`",
		"all gone":       "- `Gone(a int) int`",
		"none":           "None",
		"star bullets":   "* `Changed(a int) string`\n* `Kept()`",
		"bare":           "- Changed(a int) string\n- Kept()",
		"headings":       "### Functions\n\n#### Changed\n\n`Changed(a int) string`\n\nWhat it does.\n\n#### Gone\n\n`Gone(a int) int`\n\nLong ago.\n\n#### Kept\n\n`Kept()`",
		"metadata":       "### Functions\n\n#### Changed\n- **Type**: function\n- **Signature**: `Changed(a int) string`\n- **Description**: does\n\n#### Gone\n- **Type**: function\n- **Signature**: `Gone()`",
		"table":          "| Name | What |\n|---|---|\n| `Changed(a int) string` | does |\n| `Gone(a int) int` | did |\n| `Kept()` | keeps |",
		"code block":     "```go\nfunc Changed(a int) string\nfunc Gone(a int) int\nfunc Kept()\n```",
		"text around it": "What others may use:\n\n- `Changed(a int) string`\n\nMore of that:\n\n- `Kept()`\n\nThe end.",
	} {
		for _, structure := range []string{"", "\n## Structure\n\n- `gone/`: was\n- `m.go`: code\n"} {
			for _, dep := range []string{"", deps + "  - `used/CLAUDE.md`: X\n", "## Dependencies\n\n- external: `x@1`\n", "## Dependencies\n\n### External\n\n- `x@1`\n", "## Dependencies\n\n### Internal\n\n- `used/CLAUDE.md` — it\n", "## Dependencies\n\nNone\n"} {
				files := map[string]string{
					"go.mod": "module example.com/p\n", "m/CLAUDE.md": spec1(exports, "- `Kept()` → nothing happens", dep+structure),
					"m/m.go":          strings.Replace(code, "func Added", "import (\n\t_ \"example.com/p/one\"\n\t_ \"example.com/p/two\"\n\t_ \"example.com/p/used\"\n)\n\nfunc Added", 1),
					"m/sub/CLAUDE.md": spec1("None", "None", ""), "m/sub/s.go": "package sub\n",
					"one/CLAUDE.md": spec1("None", "None", ""), "two/CLAUDE.md": spec1("None", "None", ""), "used/CLAUDE.md": spec1("- `X()`", "None", ""),
				}
				cases[fmt.Sprintf("%s with %q and %q", name, dep, structure)] = struct {
					files map[string]string
					want  string
				}{files: files}
				crlf := maps.Clone(files)
				crlf["m/CLAUDE.md"] = strings.ReplaceAll(files["m/CLAUDE.md"], "\n", "\r\n")
				cases[fmt.Sprintf("%s with %q and %q in CRLF", name, dep, structure)] = struct {
					files map[string]string
					want  string
				}{files: crlf}
			}
		}
	}
	for _, exports := range []string{"- `Gone()`", "### Functions\n\n- `Gone()`\n\n### Types\n\n- `Lost { a: int }`"} {
		cases["nothing is left of "+exports] = struct {
			files map[string]string
			want  string
		}{files: map[string]string{"m/CLAUDE.md": spec1(exports, "None", ""), "m/m.go": "package m\n"}}
	}
	left := map[string]int{}
	for name, c := range cases {
		p := project(c.files)
		v := p.Validate(".")
		changed := map[string][]byte{}
		for _, m := range p.Mend(v) {
			changed[m.File] = m.Text
			mended(t, name, c.files[m.File], m)
		}
		if text := string(changed["m/CLAUDE.md"]); strings.HasPrefix(name, "nothing is left") && !strings.Contains(strings.Join(strings.Fields(text), " "), "## Exports None ## Behavior") {
			t.Errorf("%s:\n%s", name, text)
		}
		after := p.With(changed)
		now := after.Validate(".")
		if more := after.Mend(now); len(more) > 0 {
			t.Errorf("%s: mended twice: %+v", name, more)
		}
		for _, m := range now.Modules {
			for _, d := range m.Issues {
				if mechanical[d.Type+" "+d.Section] {
					short, _, _ := strings.Cut(name, " with")
					left[short+" "+d.Type+" "+d.Section]++
					if short != "table" && short != "code block" && short != "metadata" {
						t.Errorf("%s: left %s %s\n%s", name, d.Type, d.Symbol, changed["m/CLAUDE.md"])
					}
				}
			}
		}
	}
	t.Logf("not mended, because the form of the spec has no place for it: %v", left)
	if len(cases) < 200 {
		t.Errorf("%d cases", len(cases))
	}
}

// mended holds a change to what it says: the lines that it names are all that differs.
func mended(t *testing.T, name, before string, m inspect.Mended) {
	t.Helper()
	removed, added := map[string]int{}, map[string]int{}
	for _, c := range m.Changes {
		for _, l := range c.Removed {
			removed[l]++
		}
		for _, l := range c.Added {
			added[l]++
		}
	}
	count := map[string]int{}
	for _, l := range strings.Split(before, "\n") {
		count[strings.TrimRight(l, "\r")]--
	}
	for _, l := range strings.Split(string(m.Text), "\n") {
		count[strings.TrimRight(l, "\r")]++
	}
	for l, n := range count {
		want := added[l] - removed[l]
		if l != "" && l != "None" && !strings.HasPrefix(l, "### ") && n != want {
			t.Errorf("%s: line %q %+d times, said %+d\n%s", name, l, n, want, m.Text)
		}
	}
	if crlf := strings.Contains(before, "\r\n"); crlf && strings.Contains(strings.ReplaceAll(string(m.Text), "\r\n", ""), "\n") {
		t.Errorf("%s: a bare line feed", name)
	}
	old, _ := spec.Parse("m/CLAUDE.md", []byte(before))
	now, ps := spec.Parse("m/CLAUDE.md", m.Text)
	if spec.HasErrors(ps) || old.Purpose != now.Purpose || len(old.Behaviors) != len(now.Behaviors) {
		t.Errorf("%s: reads differently: %v\n%s", name, ps, m.Text)
	}
}

// TestValidateReadsEachFileOnce: what it costs grows with the files and not with modules
// times files.
func TestValidateReadsEachFileOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{"go.mod": "module example.com/p\n"}
	for i := range 300 {
		dir := fmt.Sprintf("m%03d", i)
		files[dir+"/CLAUDE.md"] = spec1(fmt.Sprintf("- `F(x int) int`\n- `Gone%d(x int)`", i), "None", deps+fmt.Sprintf("  - `m%03d/CLAUDE.md`\n", (i+1)%300))
		for k := range 5 {
			files[fmt.Sprintf("%s/f%d.go", dir, k)] = fmt.Sprintf("package m\n\nimport _ \"example.com/p/m%03d\"\n\nfunc F%d(x int) int { return x }\n", (i+1)%300, k)
		}
	}
	reads := map[string]int{}
	p := inspect.New("/p", slices.Collect(maps.Keys(files)), func(f string) []byte { reads[f]++; return []byte(files[f]) })
	v := p.Validate(".")
	if v.Summary.Modules != 300 || v.Summary.Issues < 300 {
		t.Errorf("summary %+v", v.Summary)
	}
	for f, n := range reads {
		if n > 2 {
			t.Errorf("%s was read %d times", f, n)
		}
	}
}
