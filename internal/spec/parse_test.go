package spec_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

const full = "# auth\n\n## Purpose\nValidates tokens.\n\n## Exports\n\n### Functions\n" +
	"- `validateToken(token: string): Promise<Claims>` — checks it\n- `Claims refresh(String token)`\n" +
	"- `ValidateToken(token string) (Claims, error)`\n- `validate_token(token: str) -> Claims`\n" +
	"- `suspend fun load(x: T): R`\n\n### Types\n- `Claims { userId: string, exp: number }`\n- `data class Pair(a: Int)`\n\n" +
	"### Classes\n- `TokenManager(secret: string)`\n  - `issue(user: User): Token` makes one\n\n### Enums\n- `Status: Active | Inactive`\n- `Mode = A | B`\n\n" +
	"### Variables\n- `MAX_RETRIES = 3`\n- `TIMEOUT: number`\n\n" +
	"## Behavior\n\n### 정상 케이스\n- valid token → Claims\n\n### 에러 케이스\n- expired token → TokenExpiredError\n\n" +
	"## Contract\n\n### validateToken\n- **Preconditions**:\n  - token: not empty: really\n  - secret is set\n- **Postcondition**: result: has exp\n- **Throws**: TokenExpiredError if exp < now\n\n### TokenManager\n- **Invariants**: secret never changes\n\n" +
	"## Protocol\n### State Machine\nStates: `Idle` | `Loading`\nTransitions:\n- `Idle` + `load()` → `Loading`\n### Lifecycle\n1. `init()` - prepare\n2. `close()` - end\n\n" +
	"## Domain Context\n### Decision Rationale\n- TOKEN_EXPIRY: 7일 (PCI-DSS)\n### Constraints\n- 동시 세션 최대 5개\n### Compatibility\n- UUID v1 지원 필요\n\n" +
	"## Dependencies\n- external:\n  - `jsonwebtoken@9.0.0`: sign, verify\n- internal:\n  - `core/domain/CLAUDE.md`: A, B\n  - ./types\n\n" +
	"## Structure\n- jwt/: tokens\n- `index.ts`: entry\n- src/deep/: x\nsome prose here\n"

func parse(t *testing.T, src string) *spec.Document {
	t.Helper()
	d, ps := spec.Parse("src/auth/CLAUDE.md", []byte(src))
	for _, p := range ps {
		t.Logf("problem: %s", p)
	}
	return d
}

// lineOf is the line of the full document that starts with the text.
func lineOf(start string) int {
	n := 0
	for l := range strings.Lines(full) {
		n++
		if strings.HasPrefix(l, start) {
			return n
		}
	}
	return -1
}

func names(es []spec.Export) []string {
	out := make([]string, 0, len(es))
	for _, e := range es {
		out = append(out, string(e.Kind)+" "+e.Name)
	}
	return out
}

func texts(cs []spec.Clause) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Text)
	}
	return out
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s = %#v, want %#v", what, got, want)
	}
}

func TestParseWholeDocument(t *testing.T) {
	t.Parallel()
	d, ps := spec.Parse("src/auth/CLAUDE.md", []byte(full))
	if len(ps) != 0 || len(spec.Check(d)) != 0 {
		t.Errorf("problems = %v %v, want none", ps, spec.Check(d))
	}
	equal(t, "name, purpose", []string{d.Name, d.Purpose, d.Dir(), d.Version}, []string{"auth", "Validates tokens.", "src/auth", "1.0"})
	equal(t, "exports", names(d.Exports), []string{
		"function validateToken", "function refresh", "function ValidateToken", "function validate_token", "function load",
		"type Claims", "type Pair", "class TokenManager", "function TokenManager.issue", "enum Status", "enum Mode",
		"variable MAX_RETRIES", "variable TIMEOUT",
	})
	e := d.Exports[0]
	equal(t, "first export", e, spec.Export{
		Kind: spec.Function, Name: "validateToken", Signature: "validateToken(token: string): Promise<Claims>",
		Async: true, Description: "checks it", Line: 9,
	})
	equal(t, "variants", d.Exports[9].Variants, []string{"Active", "Inactive"})
	equal(t, "values", []string{d.Exports[11].Value, d.Exports[12].Value}, []string{"3", "number"})
	equal(t, "behaviors", d.Behaviors, []spec.Behavior{
		{Input: "valid token", Output: "Claims", Category: "success", Line: lineOf("- valid token")},
		{Input: "expired token", Output: "TokenExpiredError", Category: "error", Line: lineOf("- expired")},
	})
	c := d.Contracts[0]
	equal(t, "pre", texts(c.Preconditions), []string{"token: not empty: really", "secret is set"})
	equal(t, "post", texts(c.Postconditions), []string{"result: has exp"})
	equal(t, "throws", texts(c.Throws), []string{"TokenExpiredError if exp < now"})
	equal(t, "invariants only", texts(d.Contracts[1].Invariants), []string{"secret never changes"})
	equal(t, "states", texts(d.Protocol.States), []string{"Idle", "Loading"})
	equal(t, "transition", fmt.Sprint(d.Protocol.Transitions), fmt.Sprintf("[{Idle load() Loading %d}]", lineOf("- `Idle` +")))
	equal(t, "lifecycle", d.Protocol.Lifecycle[1].Method, "close")
	equal(t, "context", [][]string{texts(d.Context.Rationale), texts(d.Context.Constraints), texts(d.Context.Compatibility)},
		[][]string{{"TOKEN_EXPIRY: 7일 (PCI-DSS)"}, {"동시 세션 최대 5개"}, {"UUID v1 지원 필요"}})
	equal(t, "internal", d.Dependencies.Internal, []spec.Internal{
		{Path: "core/domain", Ref: "core/domain/CLAUDE.md", Symbols: []string{"A", "B"}, IsSpec: true, Line: lineOf("  - `core")},
		{Path: "src/auth/types", Ref: "./types", Line: lineOf("  - ./types")},
	})
	equal(t, "external", d.Dependencies.External, []spec.External{{Name: "jsonwebtoken", Version: "9.0.0", Symbols: []string{"sign", "verify"}, Line: lineOf("  - `json")}})
	var paths []string
	for _, s := range d.Structure {
		paths = append(paths, s.Path)
	}
	equal(t, "structure", paths, []string{"jwt/", "index.ts", "src/deep/"})
}

func TestLayoutChangesNothing(t *testing.T) {
	t.Parallel()
	want := parse(t, full)
	variants := map[string]string{
		"crlf":     strings.ReplaceAll(full, "\n", "\r\n"),
		"bom":      "\uFEFF" + full,
		"spaces":   strings.ReplaceAll(full, "\n## ", "\n\n\n##   "),
		"closing":  strings.ReplaceAll(full, "## Exports\n", "## Exports ##\n"),
		"stars":    strings.ReplaceAll(full, "\n- ", "\n* "),
		"case":     strings.ReplaceAll(full, "## Exports", "## EXPORTS"),
		"setext":   strings.ReplaceAll(full, "## Exports\n", "Exports\n-------\n"),
		"comment":  strings.ReplaceAll(full, "## Contract\n", "<!-- ## Nothing\n- `x(): y`\n-->\n\n## Contract\n"),
		"prose":    strings.Replace(full, "Validates tokens.", "Entirely other words.\n\nAnd more.", 1),
		"notes":    full + "\n## Notes\n\nThings to know → none.\n",
		"noblank":  strings.ReplaceAll(full, "\n\n", "\n"),
		"emphasis": strings.Replace(full, "## Purpose", "## **Purpose**:", 1),
	}
	for name, src := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, src)
			equal(t, "interface", spec.InterfaceHash(d), spec.InterfaceHash(want))
			equal(t, "content", spec.ContentHash(d), spec.ContentHash(want))
			a, b := spec.Items(d), spec.Items(want)
			for i := range a {
				a[i].Line = 0
			}
			for i := range b {
				b[i].Line = 0
			}
			equal(t, "items", a, b)
		})
	}
}

func TestExportsInEveryForm(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ src, want string }{
		"flat":           {"- `f(a: string): number`\n- `Claims { a: b }`\n- `Box(x: T)`\n- `S: A | B`\n- `MAX = 1`", "function f, type Claims, class Box, enum S, variable MAX"},
		"no code":        {"- f(a: string): number\n- Get(id string) (User, error)", "function f, function Get"},
		"bare lines":     {"f(a: string): number\ng(b: int) -> str", "function f, function g"},
		"keywords":       {"- `export async function f<T>(a: T): Promise<T>`\n- `func New(o Options) *Server`\n- `pub fn parse(s: &str) -> Result<Spec, Error>`\n- `def run(x: int) -> str`\n- `fun a(): B`\n- `export const go = async (x: string) => X`\n- `interface Y { a: b }`\n- `type Z = A`\n- `const K = 3`\n- `enum class C { A, B }`", "function f, function New, function parse, function run, function a, function go, type Y, type Z, variable K, enum C"},
		"go method":      {"- `func (s *Server) Serve(ctx context.Context) error`\n- `Close()`", "function Server.Serve, class Close"},
		"group wins":     {"### Functions\n- `Close()`\n- `Map[K comparable, V any](m map[K]V) []K`", "function Close, function Map"},
		"callback":       {"- `on(cb: (e: Event) => void): void`\n- `pick(f: (a: number) => boolean, xs: T[]): T[]`", "function on, function pick"},
		"java":           {"- `Map<String, List<Claims>> all(String a, int b) throws IOException`\n- `public static Claims of(String t)`", "function all, function of"},
		"v2 bullets":     {"#### validateToken\n- **Type**: function\n- **Signature**: `validateToken(token: string): Claims`\n- **Description**: checks\n#### Status\n- **Type**: enum\n- **Variants**: Active, Inactive", "function validateToken, enum Status"},
		"v2 heading":     {"### Functions\n\n#### validateToken\n`validateToken(token: string): Claims`\n\nProse.\n\n### Types\n\n#### Claims\n`Claims { a: b }`", "function validateToken, type Claims"},
		"v1 detailed":    {"### Classes\n#### TokenManager\n`TokenManager(secret: string)`\n- thread safe (always)", "class TokenManager"},
		"fence":          {"```ts\nexport function f(a: string): void\nexport interface C {\n  a: string\n}\n// f(1)\n```", "function f, type C"},
		"nested type":    {"### Types\n- `Config { opts: { a: number, b: { c: d } } }`\n- `Id = string | number`\n- `Plain`", "type Config, type Id, type Plain"},
		"name and prose": {"- `validateToken`: checks (quickly) a token\n- **Claims**: what a token says", "function validateToken"},
		"table":          {"| Name | Signature |\n|---|---|\n| f | `f(a: string): B` |\n| g | `g(): C | D` |", "function f, function g"},
		"unknown group":  {"### Functions\n- `a(): b`\n### Special\n- `c(): d`", "function a, function c"},
		"none with dot":  {"None", ""},
		"group none":     {"### Functions\nNone\n### Types\n- `A { b: c }`", "type A"},
		"blank line":     {"\n\n### Functions\n\n- `a(): b`", "function a"},
		"prose is none":  {"### Functions\nValidates the token (JWT) and returns.\n- `a(): b`", "function a"},
		"overloads":      {"- `f(a: string): A`\n- `f(a: number): B`\n- `f(a: string): A`", "function f, function f"},
		"korean":         {"### 함수\n- `검증(토큰: string): 결과`", "function 검증"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, "# m\n## Purpose\nx\n## Exports\n"+tc.src+"\n## Behavior\nNone\n")
			if got := strings.Join(names(d.Exports), ", "); got != tc.want {
				t.Errorf("Parse(%q): exports %q, want %q", tc.src, got, tc.want)
			}
		})
	}
}

func TestUnreadableExportIsNamed(t *testing.T) {
	t.Parallel()
	src := "# m\n## Purpose\nx\n## Exports\n- `a(): b`\n- Validates the token (JWT) and more\n## Behavior\n- no arrow here\n"
	d, ps := spec.Parse("m/CLAUDE.md", []byte(src))
	if len(d.Exports) != 1 || len(ps) != 2 || ps[0].Line != 6 || ps[0].Col != 3 || ps[0].Hint == "" || ps[1].Line != 8 || spec.HasErrors(ps) {
		t.Errorf("exports %v, problems %v", names(d.Exports), ps)
	}
	found := false
	for _, p := range spec.Check(d) {
		found = found || p.Severity == spec.Error && p.Line == 7 && strings.Contains(p.Text, "Behavior section must contain")
	}
	if !found {
		t.Errorf("Check = %v, want an error for Behavior without scenarios", spec.Check(d))
	}
}

func TestFencesNeverSplitSections(t *testing.T) {
	t.Parallel()
	for name, fence := range map[string]string{
		"backticks": "```bash\n# comment\n## Exports\n```", "tildes": "~~~\n## Exports\n```\n~~~",
		"longer": "````\n```\n## Exports\n```\n````", "in a list": "- item\n  ```\n  ## Exports\n  ```",
		"nested list": "- a\n  - b\n\n    ```sh\n    # x\n    ```", "comment": "<!--\n## Exports\n-->",
		"indented": "text\n\n    ## Exports", "html": "<details>\n## Exports\n</details>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, ps := spec.Parse("m/CLAUDE.md", []byte("# m\n## Purpose\nx\n\n"+fence+"\n\n## Exports\n- `a(): b`\n## Behavior\n- x → y\n"))
			if len(d.Exports) != 1 || len(d.Behaviors) != 1 || len(ps) != 0 {
				t.Errorf("exports %v, behaviors %v, problems %v", names(d.Exports), d.Behaviors, ps)
			}
		})
	}
	d, _ := spec.Parse("m/CLAUDE.md", []byte("# m\n## Purpose\n``` a`b\n## Exports\n- `a(): b`\n"))
	if len(d.Exports) != 1 {
		t.Error("a backtick in the info string must not open a fence")
	}
	_, ps := spec.Parse("m/CLAUDE.md", []byte("# m\n## Purpose\nx\n```\n## Exports\n"))
	if len(ps) != 1 || ps[0].Line != 4 {
		t.Errorf("open fence: problems %v, want one at line 4", ps)
	}
}

func TestDependenciesInBothGrammars(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ src, internal, external string }{
		"list":        {"- external:\n  - `a@1.0`: x, y\n  - @types/node@20\n- internal:\n  - `core/x/CLAUDE.md`: A, B\n", "core/x[A B]", "a@1.0 @types/node@20"},
		"inline":      {"- external: a@1, b@2\n- internal: ./types\n", "src/auth/types[]", "a@1 b@2"},
		"headings":    {"### External\n- `lodash@4` — tools\n### Internal\n- `core/x/CLAUDE.md` — text (A)\n- `y/CLAUDE.md`\n", "core/x[] y[]", "lodash@4"},
		"backslash":   {"### Internal\n- `core\\x\\CLAUDE.md`\n", "core/x[]", ""},
		"code names":  {"### Internal\n- `x/CLAUDE.md` — `A`, `b(c)`\n- `z/CLAUDE.md`: used for tokens\n", "x[A b] z[]", ""},
		"nested":      {"- internal:\n  - `x/CLAUDE.md`\n    - A\n    - B\n", "x[A B]", ""},
		"anchor":      {"- internal:\n  - `x/CLAUDE.md#A`\n  - `x/CLAUDE.md#B`\n", "x[A B]", ""},
		"flat":        {"- ./a\n- b/CLAUDE.md\n- react\n", "src/auth/a[] b[]", "react"},
		"versions":    {"### External\n- requests==2.1\n- serde = \"1.0\"\n- `github.com/x/y v1.2.3`\n- numpy>=1.2\n- `org.a:b:4.13`\n", "", "requests@2.1 serde@1.0 github.com/x/y@v1.2.3 numpy@>=1.2 org.a:b@4.13"},
		"none":        {"- external: None\n- internal:\n  - None\n", "", ""},
		"root":        {"### Internal\n- `CLAUDE.md`: Root\n", ".[Root]", ""},
		"table":       {"### Internal\n| Module | Symbols |\n|---|---|\n| `x/CLAUDE.md` | A, B |\n### External\n| Package | Version |\n|---|---|\n| zod | 3.1 |\n", "x[A B]", "zod@3.1"},
		"labels":      {"**Internal**:\n- `x/CLAUDE.md`: A\n\n**External**:\n- zod@3\n", "x[A]", "zod@3"},
		"twice":       {"- internal:\n  - `x/CLAUDE.md`: A\n  - `x/CLAUDE.md`\n  - `y/CLAUDE.md`: A\n  - `y/CLAUDE.md`: B, A\n  - `z/CLAUDE.md`\n  - `z/CLAUDE.md`: C\n", "x[A] y[A B] z[C]", ""},
		"parent":      {"- internal: ../core\n", "src/core[]", ""},
		"leaves root": {"- internal: ../../../core\n", "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, "# m\n## Purpose\nx\n## Dependencies\n"+tc.src+"## Exports\nNone\n")
			var in, ext []string
			for _, i := range d.Dependencies.Internal {
				in = append(in, i.Path+fmt.Sprint(i.Symbols))
			}
			for _, e := range d.Dependencies.External {
				s := e.Name
				if e.Version != "" {
					s += "@" + e.Version
				}
				ext = append(ext, s)
			}
			if strings.Join(in, " ") != tc.internal || strings.Join(ext, " ") != tc.external {
				t.Errorf("Parse(%q): internal %q external %q, want %q and %q", tc.src, in, ext, tc.internal, tc.external)
			}
		})
	}
	_, ps := spec.Parse("src/auth/CLAUDE.md", []byte("## Dependencies\n- internal: ../core\n- internal: ../../../x\n"))
	if len(ps) != 2 || ps[0].Line != 2 || ps[0].Severity != spec.Warning || ps[1].Line != 3 || ps[1].Severity != spec.Error {
		t.Errorf("problems %v, want a warning of the parent reference and an error for leaving the project", ps)
	}
	d, ps := spec.Parse("m/CLAUDE.md", []byte("## Dependencies\n- uses `../b` for its helpers\n- see ..\\c\n- [e](https://e.com/../x)\n```\n../code\n```\n- internal: (core/x)\n"))
	if len(ps) != 2 || ps[0].Line != 2 || ps[1].Line != 3 || len(d.Dependencies.Internal) != 1 || d.Dependencies.Internal[0].Path != "core/x" {
		t.Errorf("problems %v, dependencies %+v, want warnings of lines 2 and 3, and core/x", ps, d.Dependencies.Internal)
	}
}

// TestLowSections: what every spec has may stand lower than its neighbours; what is there at the right level goes first.
func TestLowSections(t *testing.T) {
	t.Parallel()
	d := parse(t, "# x\n\n## Purpose\n\nDoes it.\n\n### Exports\n\n- `f(): int`\n\n### Behavior\n\n- a → b\n")
	if d.Purpose != "Does it." || len(d.Exports) != 1 || len(d.Behaviors) != 1 || !d.Has("Exports") {
		t.Errorf("purpose %q, exports %v, behaviors %v", d.Purpose, d.Exports, d.Behaviors)
	}
	d = parse(t, "# x\n\n## Purpose\n\nDoes it.\n\n### Behavior\n\nwords\n\n## Behavior\n\n- a → b\n")
	if len(d.Behaviors) != 1 || d.Purpose != "Does it. ### Behavior words" {
		t.Errorf("behaviors %v, purpose %q", d.Behaviors, d.Purpose)
	}
}

// TestNoneBelowHeadings: a section that says None, also below headings of its own, is empty on purpose.
func TestNoneBelowHeadings(t *testing.T) {
	t.Parallel()
	for text, none := range map[string]bool{
		"None\n": true, "* n/a\n\n### Success\n": true, "### Functions\nNone\n": true, "### Functions\nNone\n### Types\n- None\n": true,
		"### Functions\n": false, "None\nbut this": false,
	} {
		d := parse(t, "# x\n## Purpose\np\n## Exports\n"+text+"\n## Behavior\n"+text)
		for _, p := range spec.Check(d) {
			if wrong := strings.Contains(p.Text, "section must contain"); wrong == none && strings.HasPrefix(p.Text, "Behavior") {
				t.Errorf("%q: %s", text, p)
			} else if wrong && none {
				t.Errorf("%q: %s", text, p)
			}
		}
		if d.ExportsNone != none {
			t.Errorf("%q: no exports is %t", text, d.ExportsNone)
		}
	}
}

func TestBehaviorForms(t *testing.T) {
	t.Parallel()
	src := "# m\n## Purpose\nx\n## Exports\nNone\n## Behavior\n" +
		"- auto-refresh token → new token\n- `a -> b` given → ErrBad\n1. x -> y\n" +
		"- validateToken:\n  - empty → Claims\n    - with id\n" +
		"\n| Input | Expected |\n|---|---|\n| `p \\| q` | r |\n\n### Failure\n- boom → nothing\n\n#### retry\n- again → stop\n"
	d := parse(t, src)
	var got []string
	for _, b := range d.Behaviors {
		got = append(got, b.Subject+"|"+b.Input+"|"+b.Output+"|"+b.Category)
	}
	equal(t, "behaviors", got, []string{
		"|auto-refresh token|new token|success", "|`a -> b` given|ErrBad|error", "|x|y|success",
		"validateToken|empty|Claims; with id|success", "|`p | q`|r|success", "|boom|nothing|error", "retry|again|stop|error",
	})
}

func TestSchemaTwo(t *testing.T) {
	t.Parallel()
	src := "<!-- schema: 2.0 -->\n# m\n## Purpose\nx\n## Summary\ns\n## Exports\nNone\n## Behavior\n### Actors\n- User: someone\n" +
		"### UC-1: Log in\n- Actor: User\n- Includes: UC-2, UC-9\n- good `core/CLAUDE.md#check` → token\n### UC-2: Check\n- x → y\n## Contract\nNone\n## Protocol\nNone\n## Domain Context\nNone\n" +
		"See ./sub/CLAUDE.md#Sub and ../x/CLAUDE.md#X.\n```\nno/CLAUDE.md#No\n```\n"
	d := parse(t, src)
	equal(t, "version", d.Version, "2.0")
	equal(t, "actors", d.Actors, []spec.Actor{{Name: "User", Description: "someone"}})
	equal(t, "use cases", fmt.Sprint(d.UseCases), "[{UC-1 Log in User [UC-2 UC-9] [] 12} {UC-2 Check  [] [] 16}]")
	equal(t, "behaviors", len(d.Behaviors), 2)
	equal(t, "refs", d.CrossRefs, []spec.CrossRef{{Path: "core", File: "core/CLAUDE.md", Symbol: "check", Section: "Behavior", Line: 15}, {Path: "src/auth/sub", File: "src/auth/sub/CLAUDE.md", Symbol: "Sub", Section: "Domain Context", Line: 24}, {Path: "src/x", File: "src/x/CLAUDE.md", Symbol: "X", Section: "Domain Context", Line: 24}})
	if ps := spec.Check(d); len(ps) != 1 || !strings.Contains(ps[0].Text, "UC-9") {
		t.Errorf("Check = %v, want one problem about UC-9", ps)
	}
	if v1 := parse(t, strings.TrimPrefix(src, "<!-- schema: 2.0 -->\n")); len(v1.CrossRefs) != len(d.CrossRefs) {
		t.Errorf("v1: cross references %v, want %v", v1.CrossRefs, d.CrossRefs)
	}
}

func TestContractForms(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"bullets":       "### f\n- **Preconditions**: a: b\n- **Throws**: E\n- **Invariants**: i\n",
		"label in bold": "### f\n**Preconditions:**\n- a: b\n\n**Throws:**\n- E\n\n**Invariants:**\n- i\n",
		"headings":      "### f\n#### Preconditions\n- a: b\n#### Throws\n- E\n#### Invariants\n- i\n",
		"columns":       "| Function | Preconditions | Throws | Invariants |\n|---|---|---|---|\n| `f(x)` | a: b | E | i |\n",
		"rows":          "### f\n| Type | Condition |\n|---|---|\n| Precondition | a: b |\n| Throws | E |\n| Invariant | i |\n",
		"korean":        "### f(x: string)\n- **사전조건**: a: b\n- **예외**: E\n- **불변식**: i\n",
		"nested name":   "- `f`:\n  - Preconditions: a: b\n  - Throws: E\n  - Invariants: i\n",
		"grouped":       "### Functions\n#### f\n- Pre: a: b\n- Throws: E\n- Invariants: i\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, "## Contract\n"+src)
			if len(d.Contracts) != 1 {
				t.Fatalf("contracts = %+v, want one", d.Contracts)
			}
			c := d.Contracts[0]
			got := fmt.Sprint(c.Function, texts(c.Preconditions), texts(c.Throws), texts(c.Invariants))
			equal(t, "contract", got, "f[a: b] [E] [i]")
		})
	}
}

func TestProtocolForms(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"seed":    "### State Machine\nStates: `A` | `B`\nTransitions:\n- `A` + `go()` → `B`\n",
		"plain":   "States: A, B\n- A → B (go())\n",
		"lists":   "### States\n- `A`: first\n- B - second\n### Transitions\n- A + go() -> B\n",
		"table":   "States: A | B\n\n| From | Trigger | To |\n|---|---|---|\n| `A` | `go()` | `B` |\n",
		"mermaid": "**States**: A | B\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B : go()\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := parse(t, "## Protocol\n"+src).Protocol
			if len(p.Transitions) != 1 {
				t.Fatalf("transitions = %v", p.Transitions)
			}
			tr := p.Transitions[0]
			equal(t, "protocol", fmt.Sprint(texts(p.States), tr.From, tr.Trigger, tr.To), "[A B]Ago()B")
		})
	}
}

// TestMachines: headings with a name of their own are machines; those that only group transitions are none.
func TestMachines(t *testing.T) {
	t.Parallel()
	const order = "#### Order\n\nStates: `Open` | `Paid`\n\nTransitions:\n\n- `Open` + `pay()` → `Paid`\n\n"
	const parcel = "#### Parcel\n\nStates: `Open` | `Sent`\n\n- `Open` + `send()` → `Sent`\n\n"
	for src, want := range map[string]string{
		"### State Machine\n\n" + order:                                                                                            "",
		"### Order\n\n### States\n- A\n- B\n\n### Transitions\n- A + go() → B\n":                                                   "",
		"### State Machine\n\n" + order + parcel:                                                                                   "Order[Open Paid]Open>Paid Parcel[Open Sent]Open>Sent",
		"### Order\n\n#### States\n- A\n\n#### Transitions\n- A + go() → A\n\n### Parcel\n\nStates: X | Y\n":                       "Order[A]A>A Parcel[X Y]",
		"States: A | B\n\n" + parcel:                                                                                               "[A B] Parcel[Open Sent]Open>Sent",
		"States: A | B\n\n### Going\n- A + go() → B\n\n### Coming back\n- B + back() → A\n":                                        "",
		order + "##### Ways back\n- `Paid` + `refund()` → `Open`\n\n" + parcel + "##### Ways back\n- `Open` + `lose()` → `Lost`\n": "Order[Open Paid]Open>Paid,Paid>Open Parcel[Open Sent]Open>Sent,Open>Lost",
		"### Order\n\n| From | Trigger | To |\n|---|---|---|\n| A | go() | B |\n\n### Parcel\n\n- X + go() → Y\n":                  "Order[]A>B Parcel[]X>Y",
		order + "## Protocol\n\n" + parcel:                                                                                         "Order[Open Paid]Open>Paid Parcel[Open Sent]Open>Sent",
	} {
		var got []string
		p := parse(t, "## Protocol\n\n"+src).Protocol
		all := 0
		for _, m := range p.Machines {
			var moves []string
			for _, tr := range m.Transitions {
				moves = append(moves, tr.From+">"+tr.To)
			}
			got = append(got, m.Name+fmt.Sprint(texts(m.States))+strings.Join(moves, ","))
			all += len(m.Transitions)
		}
		if strings.Join(got, " ") != want || len(p.Machines) > 0 && all != len(p.Transitions) {
			t.Errorf("%s\ngives %q, want %q; %d of %d transitions", src, strings.Join(got, " "), want, all, len(p.Transitions))
		}
	}
	if got := string(parse(t, "## Protocol\n\n"+order+parcel).JSON()); !strings.Contains(got, "\"machines\": [\n      {\n        \"name\": \"Order\"") ||
		!strings.Contains(got, "\"states\": [\n      \"Open\",\n      \"Paid\",\n      \"Sent\"\n    ]") {
		t.Errorf("JSON %s", got)
	}
}

func TestWhatIsASpec(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"# Agent memory\n\nUse tabs.\n\n## Commands\nmake\n": false, "": false, "## Purpose\nx\n": true,
		"# m\n\nBehavior\n--------\n- a → b\n": true, "## Notes\n### Exports\n- x\n": false, "# Exports\n- `a(): b`\n# Behavior\n": true,
	} {
		if d, _ := spec.Parse("a/CLAUDE.md", []byte(src)); d.IsSpec() != want {
			t.Errorf("Parse(%q).IsSpec() = %v, want %v", src, !want, want)
		}
	}
}

func TestBadBytesAndMissingSections(t *testing.T) {
	t.Parallel()
	d, ps := spec.Parse("a/CLAUDE.md", []byte("# m\n## Purpose\nab\xffc\n## Exports\n- `a(): b`\n"))
	if len(ps) != 1 || ps[0].Line != 3 || ps[0].Col != 3 || ps[0].Severity != spec.Error || len(d.Exports) != 1 {
		t.Errorf("problems %v, want an error at 3:3", ps)
	}
	d, _ = spec.Parse("a/CLAUDE.md", []byte("# m\n## Purpose\nNone\n"))
	var got []string
	for _, p := range spec.Check(d) {
		got = append(got, fmt.Sprintf("%d %s %s", p.Line, p.Severity, p.Text))
	}
	equal(t, "Check", got, []string{
		"1 error Missing required section: Behavior", "1 error Missing required section: Exports",
		"1 warning Missing required section: Contract", "1 warning Missing required section: Domain Context",
		"1 warning Missing required section: Protocol", "2 error Section 'Purpose' does not allow 'None' as value",
	})
}

func TestConventions(t *testing.T) {
	t.Parallel()
	d := parse(t, "# 인증 모듈\n## Purpose\n토큰을 검증한다.\n## Code Convention\n일반 규칙\n### Naming Rules\n- camelCase\n```\n# x\n```\n### Coding Rules\n- short\n")
	if len(d.Conventions) != 3 || d.Conventions[1].Name != "Naming Rules" || !strings.Contains(d.Conventions[1].Text, "# x") {
		t.Errorf("conventions %+v", d.Conventions)
	}
	file, ps := spec.ParseConvention("code-convention.md", []byte("# Style\n## Naming\n### Variables\n- pattern: camelCase\n## Formatting\n- indentation: 2 spaces\n"))
	if len(ps) != 0 || len(file.Sections) != 2 {
		t.Fatalf("sections %+v problems %v", file.Sections, ps)
	}
	all := spec.Conventions(nil, file, d)
	equal(t, "order", []string{all[0].Section, all[2].Section}, []string{"Naming", "Code Convention"})
	if same := *d; len(spec.Conventions(d, nil, &same)) != len(d.Conventions) {
		t.Error("the conventions of the root are told twice to the root's own module")
	}
	other, _ := spec.ParseConvention("code-convention.md", []byte("# Style\r\n\r\n## Naming\r\n### Variables\r\n\r\n*  pattern: camelCase\r\n## Formatting\r\n- indentation: 2 spaces"))
	if other.Hash() != file.Hash() {
		t.Error("layout changed the hash of the conventions")
	}
}
