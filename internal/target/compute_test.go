package target_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/target"
)

// tree is a work tree in memory; ids are the contents themselves, which is what ids stand for.
type tree struct {
	t      *testing.T
	files  map[string]string
	change map[string]target.Change
	lock   *target.Lock
	facts  func(*target.Facts)
	mu     sync.Mutex
	reads  map[string]int
}

func newTree(t *testing.T, files map[string]string) *tree {
	t.Helper()
	return &tree{
		t: t, files: maps.Clone(files), change: map[string]target.Change{},
		lock: &target.Lock{}, reads: map[string]int{},
	}
}

func module(exports, rest string) string {
	return "# m\n\n## Purpose\n\nA module.\n\n## Exports\n\n" + exports + "\n\n## Behavior\n\n- a → b\n\n## Contract\nNone\n## Protocol\nNone\n## Domain Context\nNone\n" + rest
}

func (w *tree) compute() *target.Result {
	w.t.Helper()
	var list []target.File
	for _, p := range slices.Sorted(maps.Keys(w.files)) {
		list = append(list, target.File{Path: p, ID: w.files[p], Change: w.change[p]})
	}
	f := target.Facts{
		Root: "/project", Files: list, Lock: w.lock,
		IsSource: func(p string) bool { return slices.Contains([]string{".ts", ".go", ".py"}, path.Ext(p)) },
		Read: func(p string) ([]byte, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reads[p]++
			s, ok := w.files[p]
			if !ok {
				return nil, errors.New("no such file")
			}
			return []byte(s), nil
		},
	}
	if w.facts != nil {
		w.facts(&f)
	}
	return target.Compute(f)
}

// build records all targets as built with the files that lie in their directories.
func (w *tree) build() {
	w.t.Helper()
	res := w.compute()
	for _, tg := range res.Targets {
		e, ok := res.Entry(tg.Dir)
		if !ok {
			w.t.Fatalf("no entry for %s", tg.Dir)
		}
		e.Files, e.Tests = map[string]string{}, map[string]string{}
		for p, s := range w.files {
			switch {
			case path.Dir(p) != tg.Dir || path.Ext(p) != ".ts":
			case strings.HasSuffix(p, ".test.ts"):
				e.Tests[p] = s
			default:
				e.Files[p] = s
			}
		}
		w.lock.Put(e)
	}
	lock, ps := target.ParseLock(w.lock.Bytes())
	if len(ps) != 0 {
		w.t.Fatalf("the lock that was written has problems: %v", ps)
	}
	w.lock = lock
}

func targets(res *target.Result) string {
	var out []string
	for _, t := range res.Targets {
		out = append(out, t.Dir+" "+string(t.Reason))
	}
	return strings.Join(out, ", ")
}

func skipped(res *target.Result) string {
	var out []string
	for _, s := range res.Skipped {
		out = append(out, s.Dir+" "+string(s.Reason))
	}
	return strings.Join(out, ", ")
}

// chain is a project of three modules: app uses auth by name, web uses all of auth.
func chain(t *testing.T) *tree {
	t.Helper()
	w := newTree(t, map[string]string{
		"auth/CLAUDE.md": module("- `check(t: string): Claims`\n- `drop(t: string): void`", ""),
		"auth/auth.ts":   "auth", "auth/auth.test.ts": "test", "auth/IMPLEMENTS.md": "## Technology Choices\n\njwt\n",
		"app/CLAUDE.md": module("- `run(): void`", "## Dependencies\n- internal:\n  - `auth/CLAUDE.md`: check\n"), "app/app.ts": "app",
		"web/CLAUDE.md": module("- `serve(): void`", "## Dependencies\n### Internal\n- `auth/CLAUDE.md` — all of it\n"), "web/web.ts": "web",
		"top/CLAUDE.md": module("- `main(): void`", "## Dependencies\n- internal:\n  - `app/CLAUDE.md`: run\n"), "top/top.ts": "top",
		"CLAUDE.md": "# Project\n\nUse tabs.\n", "code-convention.md": "## Naming\n- camelCase\n", "docs/readme.txt": "x",
	})
	w.facts = func(f *target.Facts) { f.All = true }
	w.build()
	w.facts = nil
	return w
}

func TestNothingIsReadThatTheLockKnows(t *testing.T) {
	t.Parallel()
	w := chain(t)
	w.reads = map[string]int{}
	res := w.compute()
	if targets(res) != "" || len(res.Skipped) != 4 || res.Skipped[0].Details != "Source code is up-to-date with spec" {
		t.Fatalf("targets %q skipped %v", targets(res), res.Skipped)
	}
	if len(w.reads) != 2 || w.reads["CLAUDE.md"] != 1 || w.reads["code-convention.md"] != 1 {
		t.Errorf("read %v: only the conventions may be read", w.reads)
	}
}

// TestStaleByTheRecord holds what makes a module stale that the lock knows.
func TestStaleByTheRecord(t *testing.T) {
	t.Parallel()
	changed := module("- `check(t: string): Claims`\n- `drop(t: string): void`", "## Constraints\n- at most 5 tokens\n")
	tests := map[string]struct {
		act  func(w *tree)
		want string
	}{
		"spec and source edited": {func(w *tree) { w.files["auth/CLAUDE.md"], w.files["auth/auth.ts"] = changed, "auth edited" }, "auth spec-newer"},
		"spec edited":            {func(w *tree) { w.files["auth/CLAUDE.md"] = changed }, "auth spec-newer"},
		"staged":                 {func(w *tree) { w.files["auth/CLAUDE.md"] = changed; w.change["auth/CLAUDE.md"] = target.IsStaged }, "auth staged"},
		"modified":               {func(w *tree) { w.files["auth/CLAUDE.md"] = changed; w.change["auth/CLAUDE.md"] = target.IsModified }, "auth modified"},
		"untracked":              {func(w *tree) { w.files["auth/CLAUDE.md"] = changed; w.change["auth/CLAUDE.md"] = target.IsUntracked }, "auth untracked"},
		"staged as built":        {func(w *tree) { w.change["auth/CLAUDE.md"] = target.IsStaged }, ""},
		"only the plan":          {func(w *tree) { w.files["auth/IMPLEMENTS.md"] = "## Technology Choices\n\nother\n" }, "auth plan-changed"},
		"only the record":        {func(w *tree) { w.files["auth/IMPLEMENTS.md"] += "\n## Algorithm\n\n1. x\n" }, ""},
		"edited by hand":         {func(w *tree) { w.files["auth/auth.ts"] = "by hand" }, "edited: auth"},
		"counts as the same": {func(w *tree) {
			w.files["auth/auth.ts"] = "by hand"
			w.facts = func(f *target.Facts) {
				f.Same = func(p, id string) bool { return p == "auth/auth.ts" && id == "auth" }
			}
		}, ""},
		"tests edited":     {func(w *tree) { w.files["auth/auth.test.ts"] = "" }, "edited: auth"},
		"tests deleted":    {func(w *tree) { delete(w.files, "auth/auth.test.ts") }, "auth tests-gone"},
		"a source deleted": {func(w *tree) { delete(w.files, "auth/auth.ts") }, "auth no-source-code"},
		"sources deleted":  {func(w *tree) { delete(w.files, "auth/auth.ts"); delete(w.files, "auth/auth.test.ts") }, "auth no-source-code"},
		"the convention":   {func(w *tree) { w.files["code-convention.md"] = "## Naming\n- snake_case\n" }, "app convention-changed, auth convention-changed, top convention-changed, web convention-changed"},
		"the root":         {func(w *tree) { w.files["CLAUDE.md"] = "# Project\n\nUse spaces.\n" }, "app convention-changed, auth convention-changed, top convention-changed, web convention-changed"},
		"layout of root":   {func(w *tree) { w.files["CLAUDE.md"] = "# Project\r\n\r\n\r\nUse  tabs.\r\n<!-- x -->\r\n" }, ""},
		"the root staged": {func(w *tree) {
			w.files["CLAUDE.md"] = module("- `a(): b`", "")
			w.change["CLAUDE.md"] = target.IsStaged
		}, ". staged, app convention-changed, auth convention-changed, top convention-changed, web convention-changed"},
		"a Korean name": {func(w *tree) { w.files["모듈/CLAUDE.md"] = changed; w.change["모듈/CLAUDE.md"] = target.IsModified }, "모듈 modified"},
		"brackets, spaces": {func(w *tree) {
			w.files["app[id] x/CLAUDE.md"] = changed
			w.files["app[id] x/a.ts"] = "a"
		}, "unverified: app[id] x"},
		"a directory moved": {func(w *tree) {
			w.files["auth2/CLAUDE.md"] = w.files["auth/CLAUDE.md"]
			w.change["auth2/CLAUDE.md"] = target.IsStaged
		}, "auth2 staged"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := chain(t)
			tc.act(w)
			res := w.compute()
			got := targets(res)
			for _, s := range res.Skipped {
				if s.Reason != target.UpToDate {
					got += string(s.Reason) + ": " + s.Dir
				}
			}
			if got != tc.want {
				t.Errorf("targets = %q, want %q; %v %v", got, tc.want, res.Targets, res.Skipped)
			}
		})
	}
}

func TestDetailsOfFreshAndDrifted(t *testing.T) {
	t.Parallel()
	w := chain(t)
	w.change["auth/CLAUDE.md"] = target.IsStaged
	w.files["web/web.ts"] = "by hand"
	w.files["app/CLAUDE.md"] = strings.Replace(w.files["app/CLAUDE.md"], "A module.", "Other prose.", 1)
	res := w.compute()
	if targets(res) != "" {
		t.Fatalf("targets = %q", targets(res))
	}
	details := map[string]string{}
	for _, s := range res.Skipped {
		details[s.Dir] = s.Details
	}
	if details["web"] != "files were edited by hand since the last compile: web.ts" || details["auth"] != "Source code is up-to-date with spec (staged, equal to the last compile)" ||
		details["app"] != "Source code is up-to-date with spec (only text outside the contract sections changed)" {
		t.Errorf("details = %v", details)
	}
	if len(res.Warnings) != 1 || res.Warnings[0].Type != "drift" || !strings.Contains(res.Warnings[0].Message, "web.ts") || len(res.Drift["web"]) != 1 {
		t.Errorf("warnings = %v", res.Warnings)
	}
}

func TestEarlyCutOff(t *testing.T) {
	t.Parallel()
	edit := func(w *tree, old, now string) {
		w.files["auth/CLAUDE.md"] = strings.Replace(w.files["auth/CLAUDE.md"], old, now, 1)
		w.change["auth/CLAUDE.md"] = target.IsModified
	}
	tests := map[string]struct{ old, now, want, warn string }{
		"prose":              {"A module.", "A better module.", "", ""},
		"white space":        {"\n\n", "\n\n\n\n", "", ""},
		"a behavior":         {"- a → b", "- a → c", "auth modified", "auth changed; app, web may need recompilation"},
		"an unused symbol":   {"drop(t: string)", "drop(t: string, n: number)", "auth modified, web dependency-changed", "auth changed; app may need recompilation"},
		"a used symbol":      {"check(t: string)", "check(t: string, n: number)", "app dependency-changed, auth modified, web dependency-changed", "app changed; top may need recompilation"},
		"a new symbol":       {"- `drop", "- `more(): void`\n- `drop", "auth modified, web dependency-changed", "auth changed; app may need recompilation"},
		"a removed symbol":   {"- `check(t: string): Claims`\n", "", "app dependency-changed, auth modified, web dependency-changed", "app changed; top may need recompilation"},
		"prose of an export": {"void`", "void` — drops it", "auth modified", "auth changed; app, web may need recompilation"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := chain(t)
			edit(w, tc.old, tc.now)
			res := w.compute()
			var warn []string
			for _, d := range res.DependencyWarnings {
				warn = append(warn, d.Message)
			}
			if targets(res) != tc.want || strings.Join(warn, "; ") != tc.warn {
				t.Errorf("targets %q warnings %q, want %q and %q", targets(res), warn, tc.want, tc.warn)
			}
			w.build()
			if res = w.compute(); targets(res) != "" {
				t.Errorf("after the build: targets %q, want none", targets(res))
			}
		})
	}
}

func TestDependencyDetails(t *testing.T) {
	t.Parallel()
	w := chain(t)
	w.files["auth/CLAUDE.md"] = strings.Replace(w.files["auth/CLAUDE.md"], "check(t: string)", "check(t: number)", 1)
	res := w.compute()
	got := map[string]string{}
	for _, tg := range res.Targets {
		got[tg.Dir] = tg.Details
	}
	if got["app"] != "auth changed: check" || got["web"] != "auth changed its interface" || got["auth"] != "Spec changed since its last compile" {
		t.Errorf("details = %v", got)
	}
	if o := res.Index.Order([]string{"app", "web", "auth"}); strings.Join(o, " ") != "auth app web" {
		t.Errorf("order = %v", o)
	}
}

// TestGone: a module that lost its spec is named as long as its code is there.
func TestGone(t *testing.T) {
	t.Parallel()
	w := chain(t)
	delete(w.files, "web/CLAUDE.md")
	res := w.compute()
	if len(res.Gone) != 1 || res.Gone[0] != "web" || !slices.ContainsFunc(res.Problems, func(p spec.Problem) bool { return p.Path == "web/CLAUDE.md" && p.Severity == spec.Error }) {
		t.Errorf("gone = %v, problems = %v", res.Gone, res.Problems)
	}
	web, _ := w.lock.Entry("web")
	auth, _ := w.lock.Entry("auth")
	alone := maps.Clone(auth.Files)
	maps.Copy(auth.Files, web.Files)
	w.lock.Put(auth)
	if res := w.compute(); len(res.Gone) > 0 {
		t.Errorf("its code is another module's, and gone = %v", res.Gone)
	}
	auth.Files = alone
	w.lock.Put(auth)
	maps.DeleteFunc(w.files, func(f, _ string) bool { return path.Dir(f) == "web" })
	if res := w.compute(); len(res.Gone) > 0 {
		t.Errorf("removed, and gone = %v", res.Gone)
	}
}

func TestNarrowedUseIgnoresOtherSymbols(t *testing.T) {
	t.Parallel()
	w := chain(t)
	e, _ := w.lock.Entry("web")
	auth, _ := w.lock.Entry("auth")
	e.Narrow("auth", []string{"drop"}, auth.Exports)
	w.lock.Put(e)
	w.files["auth/CLAUDE.md"] = strings.Replace(w.files["auth/CLAUDE.md"], "check(t: string)", "check(t: number)", 1)
	if res := w.compute(); targets(res) != "app dependency-changed, auth spec-newer" {
		t.Errorf("targets = %q", targets(res))
	}
}

// TestWithoutRecords is the rule for modules that the lock does not know.
func TestWithoutRecords(t *testing.T) {
	t.Parallel()
	const unverified = "Nothing records that this code was checked against its spec"
	tests := map[string]struct {
		source  string
		change  target.Change
		facts   func(*target.Facts)
		target  string
		details string
	}{
		"staged":         {source: "a", change: target.IsStaged, target: "staged", details: "CLAUDE.md staged for commit"},
		"modified":       {source: "a", change: target.IsModified, target: "modified", details: "CLAUDE.md modified but not staged"},
		"untracked":      {source: "a", change: target.IsUntracked, target: "untracked", details: "CLAUDE.md not yet tracked by git"},
		"first":          {target: "no-source-code", details: "No source code files found (first compile)"},
		"code":           {source: "a", target: "unverified", details: unverified},
		"no git":         {source: "a", change: target.IsUntracked, facts: func(f *target.Facts) { f.NoGit = true }, target: "unverified", details: unverified},
		"no git, no src": {facts: func(f *target.Facts) { f.NoGit = true }, target: "no-source-code", details: "No source code files found (first compile)"},
		"all":            {source: "a", facts: func(f *target.Facts) { f.All = true }, target: "all", details: "Full compilation requested"},
		"overwrite":      {source: "a", facts: func(f *target.Facts) { f.Overwrite = true }, target: "unverified", details: unverified},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, map[string]string{"m/CLAUDE.md": module("- `a(): b`", ""), "m/IMPLEMENTS.md": "x"})
			if tc.source != "" {
				w.files["m/a.ts"] = tc.source
			}
			w.change["m/CLAUDE.md"] = tc.change
			w.facts = tc.facts
			res := w.compute()
			var got, details string
			if len(res.Targets) == 1 {
				got, details = string(res.Targets[0].Reason), res.Targets[0].Details
			} else {
				got, details = string(res.Skipped[0].Reason), res.Skipped[0].Details
			}
			if got != tc.target || details != tc.details {
				t.Errorf("%s %q, want %s %q", got, details, tc.target, tc.details)
			}
			warned := len(res.Warnings) == 1 && res.Warnings[0].Type == "no-git-repo"
			if warned != strings.HasPrefix(name, "no git") {
				t.Errorf("warnings %v", res.Warnings)
			}
		})
	}
}

func TestNoGitUsesTheLock(t *testing.T) {
	t.Parallel()
	w := chain(t)
	w.facts = func(f *target.Facts) { f.NoGit = true }
	for p := range w.files {
		w.change[p] = target.IsUntracked
	}
	res := w.compute()
	if targets(res) != "" || res.Warnings[0].Message != "Not a git repository. Use --all for full compilation." {
		t.Errorf("targets %q warnings %v", targets(res), res.Warnings)
	}
}

func TestNodesIgnoredAndForeign(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string]string{
		"CLAUDE.md": "# memory\n\n## Purpose\n\nA project.\n", "main.ts": "x",
		"src/CLAUDE.md":                module("None", ""),
		"src/a/CLAUDE.md":              module("- `a(): b`", ""),
		"tools/CLAUDE.md":              "# notes\n\nRun make.\n",
		"node_modules/x/CLAUDE.md":     module("- `a(): b`", ""),
		"go/vendor/x/CLAUDE.md":        module("- `a(): b`", ""),
		".jacquard/runs/1/x/CLAUDE.md": module("- `a(): b`", ""),
		"build/CLAUDE.md":              module("- `real(): b`", ""),
	})
	res := w.compute()
	if targets(res) != "build no-source-code, src/a no-source-code" || skipped(res) != "src nothing-to-do" || res.Ignored != 1 {
		t.Errorf("targets %q skipped %q ignored %d", targets(res), skipped(res), res.Ignored)
	}
	if len(res.Problems) != 0 {
		t.Errorf("problems %v, want none", res.Problems)
	}
}

func TestBrokenSpecsAndCyclesAreRefused(t *testing.T) {
	t.Parallel()
	dep := func(d string) string { return "## Dependencies\n- internal:\n  - `" + d + "/CLAUDE.md`\n" }
	w := newTree(t, map[string]string{
		"a/CLAUDE.md": module("- `a(): b`", dep("b")), "b/CLAUDE.md": module("- `b(): b`", dep("a")),
		"bad/CLAUDE.md": "# m\n## Purpose\nx\n## Exports\n- what is this\n## Behavior\n- a → b\n",
		"ok/CLAUDE.md":  module("- `ok(): b`", dep("a")), "lost/CLAUDE.md": module("- `x(): y`", dep("nowhere")),
		"Ok/CLAUDE.md": module("- `Ok(): b`", ""),
	})
	res := w.compute()
	refused := map[string]string{}
	for _, tg := range res.Targets {
		refused[tg.Dir] = tg.Refused
	}
	want := map[string]string{
		"a": "dependency cycle: a → b → a", "b": "dependency cycle: b → a → b", "bad": "the spec has errors",
		"ok": "the spec has errors", "Ok": "", "lost": "the spec has errors",
	}
	if !maps.Equal(refused, want) {
		t.Errorf("refused = %v, want %v", refused, want)
	}
	var texts []string
	for _, p := range res.Problems {
		if p.Severity == spec.Error {
			texts = append(texts, fmt.Sprintf("%s:%d", p.Path, p.Line))
		}
	}
	if got := strings.Join(texts, " "); got != "a/CLAUDE.md:23 b/CLAUDE.md:23 bad/CLAUDE.md:4 lost/CLAUDE.md:23 ok/CLAUDE.md:0" {
		t.Errorf("errors at %s", got)
	}
}

func TestLimitedToPaths(t *testing.T) {
	t.Parallel()
	w := chain(t)
	w.files["auth/CLAUDE.md"] = strings.Replace(w.files["auth/CLAUDE.md"], "check(t: string)", "check(t: number)", 1)
	w.facts = func(f *target.Facts) { f.Paths = []string{"auth"} }
	res := w.compute()
	if targets(res) != "auth spec-newer" || skipped(res) != "" || len(res.DependencyWarnings) != 1 ||
		res.DependencyWarnings[0].Message != "auth changed; app, web may need recompilation" {
		t.Errorf("targets %q skipped %q warnings %v", targets(res), skipped(res), res.DependencyWarnings)
	}
	w.facts = func(f *target.Facts) { f.Paths = []string{"app"} }
	if res = w.compute(); targets(res) != "app dependency-changed" || len(res.Warnings) != 1 || res.Warnings[0].Type != "stale-dependency" {
		t.Errorf("targets %q warnings %v", targets(res), res.Warnings)
	}
}

func TestStatesOfARecord(t *testing.T) {
	t.Parallel()
	w := chain(t)
	put := func(dir string, s target.State, why string) {
		e, _ := w.lock.Entry(dir)
		e.State, e.Why = s, why
		w.lock.Put(e)
	}
	put("auth", target.Red, "")
	put("app", target.Kept, "app.ts was kept, 2 tests fail")
	put("web", target.Unchecked, "")
	res := w.compute()
	if targets(res) != "auth spec-newer" || skipped(res) != "app conflict, top up-to-date, web up-to-date" ||
		res.Skipped[0].Details != "app.ts was kept, 2 tests fail" || !strings.Contains(res.Skipped[2].Details, "adopted without checks") {
		t.Errorf("targets %v skipped %v", res.Targets, res.Skipped)
	}
	w.facts = func(f *target.Facts) { f.Overwrite = true }
	if res = w.compute(); targets(res) != "app spec-newer, auth spec-newer" && targets(res) != "auth spec-newer, app spec-newer" {
		t.Errorf("kept files that may be written again: targets %q", targets(res))
	}
	w.facts = nil
	w.files["app/app.ts"] = "mended"
	if res = w.compute(); !strings.Contains(targets(res), "app spec-newer") {
		t.Errorf("a mended kept file: targets %q", targets(res))
	}
}

func TestJSONShape(t *testing.T) {
	t.Parallel()
	empty, err := json.Marshal(newTree(t, nil).compute())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(empty); got != `{"root":"/project","targets":[],"skipped":[],"warnings":[],"dependency_warnings":[],"ignored":0,"problems":[]}` {
		t.Errorf("empty result = %s", got)
	}
	w := newTree(t, map[string]string{"src/auth/CLAUDE.md": module("- `a(): b`", "")})
	one, err := json.Marshal(w.compute().Targets)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"claude_md_path":"src/auth/CLAUDE.md","implements_md_path":"src/auth/IMPLEMENTS.md","dir":"src/auth","reason":"no-source-code","details":"No source code files found (first compile)"}]`
	if string(one) != want {
		t.Errorf("target = %s", one)
	}
}

func TestDecomposedNamesAreTheSame(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string]string{"모듈/CLAUDE.md": module("- `a(): b`", ""), "모듈/a.ts": "a"})
	w.facts = func(f *target.Facts) { f.All = true }
	w.build()
	w.facts = nil
	decomposed := "\u1106\u1169\u1103\u1172\u11af"
	w.files = map[string]string{decomposed + "/CLAUDE.md": w.files["모듈/CLAUDE.md"], decomposed + "/a.ts": "a"}
	if res := w.compute(); targets(res) != "" || len(res.Skipped) != 1 {
		t.Errorf("targets %v skipped %v", res.Targets, res.Skipped)
	}
}

func TestInheritedConventions(t *testing.T) {
	t.Parallel()
	w := newTree(t, map[string]string{
		"pkg/CLAUDE.md":   module("- `p(): q`", "## Code Convention\n### Naming Rules\n- camel\n"),
		"pkg/x/CLAUDE.md": module("- `a(): b`", ""), "other/CLAUDE.md": module("- `o(): b`", ""),
		"pkg/p.ts": "p", "pkg/x/a.ts": "a", "other/o.ts": "o",
	})
	w.facts = func(f *target.Facts) { f.All = true }
	w.build()
	w.facts = nil
	w.files["pkg/CLAUDE.md"] = strings.Replace(w.files["pkg/CLAUDE.md"], "camel", "snake", 1)
	if res := w.compute(); targets(res) != "pkg spec-newer, pkg/x convention-changed" {
		t.Errorf("targets %q", targets(res))
	}
}

func TestEitherNameOfASpec(t *testing.T) {
	t.Parallel()
	const free = "# Notes\n\n## Commands\n\n- make\n"
	f, g := module("- `f(): g`", ""), module("- `g(): f`", "")
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // targets with their specs, and problems
	}{
		{"the other name alone", map[string]string{"m/SPEC.md": f}, "m/SPEC.md"},
		{"beside free text", map[string]string{"m/SPEC.md": f, "m/CLAUDE.md": free}, "m/SPEC.md"},
		{"free text of the other name", map[string]string{"m/CLAUDE.md": f, "m/SPEC.md": free}, "m/CLAUDE.md"},
		{"no spec at all", map[string]string{"m/CLAUDE.md": free, "m/SPEC.md": free, "a/SPEC.md": free}, "free a/SPEC.md free m/CLAUDE.md"},
		{"beside the rules of the root", map[string]string{"CLAUDE.md": "# P\n\n## Purpose\n\nA shop.\n\n## Rules\n\nUse tabs.\n", "SPEC.md": f}, "SPEC.md"},
		{
			"both",
			map[string]string{"m/CLAUDE.md": f, "m/SPEC.md": g, "n/CLAUDE.md": g},
			"m/CLAUDE.md (CLAUDE.md and SPEC.md are both specs; the spec has errors) n/CLAUDE.md m/CLAUDE.md: m/CLAUDE.md and m/SPEC.md are both specs of this directory",
		},
		{"a mistake is told of the file that is there", map[string]string{"m/CLAUDE.md": free, "m/SPEC.md": "# m\n\n## Purpose\n\nx\n\n## Behavior\n\n- a → b\n"}, "m/SPEC.md (No source code files found (first compile); the spec has errors) m/SPEC.md: Missing required section: Exports"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := newTree(t, c.files).compute()
			var got []string
			for _, tg := range res.Targets {
				got = append(got, tg.ClaudeMdPath)
				if tg.Refused != "" {
					got = append(got, "("+tg.Details+"; "+tg.Refused+")")
				}
			}
			for _, file := range res.FreeForm {
				got = append(got, "free "+file)
			}
			for _, p := range res.Problems {
				if p.Severity == spec.Error {
					got = append(got, p.Path+": "+p.Text)
				}
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

// A spec that gets its other name stays what it was, and so does what uses it; a record of either name counts.
func TestRenamedSpecIsUpToDate(t *testing.T) {
	t.Parallel()
	w := chain(t)
	rename := func(from, to string) {
		w.files[to], w.change[to] = w.files[from], target.IsStaged
		delete(w.files, from)
	}
	fresh := "app up-to-date, auth up-to-date, top up-to-date, web up-to-date"
	rename("auth/CLAUDE.md", "auth/SPEC.md")
	rename("app/CLAUDE.md", "app/SPEC.md")
	if res := w.compute(); skipped(res) != fresh {
		t.Errorf("skipped %q, targets %q", skipped(res), targets(res))
	}
	w.files["auth/CLAUDE.md"] = "# Notes\n\nRun make.\n" // for agents
	if res := w.compute(); skipped(res) != fresh || w.reads["auth/CLAUDE.md"] == 0 {
		t.Errorf("beside free text: skipped %q, targets %q", skipped(res), targets(res))
	}
	w.facts = func(f *target.Facts) { f.All = true }
	w.build()
	w.facts = nil
	if !strings.Contains(string(w.lock.Bytes()), "uses=auth/SPEC.md#check:") {
		t.Errorf("the lock names another spec:\n%s", w.lock.Bytes())
	}
	delete(w.files, "auth/CLAUDE.md")
	rename("auth/SPEC.md", "auth/CLAUDE.md")
	if res := w.compute(); skipped(res) != fresh {
		t.Errorf("and back: skipped %q, targets %q", skipped(res), targets(res))
	}
	w.files["auth/CLAUDE.md"] = strings.Replace(w.files["auth/CLAUDE.md"], "check(t: string)", "check(t: number)", 1)
	if res := w.compute(); targets(res) != "app dependency-changed, auth staged, web dependency-changed" {
		t.Errorf("changed: targets %q", targets(res))
	}
}

// What the root says to the whole project counts under either name, and all of it where there are both.
func TestConventionsOfTheRootByEitherName(t *testing.T) {
	t.Parallel()
	root := module("- `r(): b`", "## Code Convention\n### Naming Rules\n- camel\n")
	w := newTree(t, map[string]string{"CLAUDE.md": root, "m/SPEC.md": module("- `a(): b`", ""), "r.ts": "r", "m/a.ts": "a"})
	w.facts = func(f *target.Facts) { f.All = true }
	w.build()
	w.facts = nil
	w.files["SPEC.md"] = root
	delete(w.files, "CLAUDE.md")
	if res := w.compute(); skipped(res) != ". up-to-date, m up-to-date" {
		t.Errorf("renamed: skipped %q, targets %q", skipped(res), targets(res))
	}
	w.files["CLAUDE.md"] = "# Rules\n\nUse tabs.\n"
	if res := w.compute(); targets(res) != ". convention-changed, m convention-changed" {
		t.Errorf("rules: targets %q", targets(res))
	}
	w.facts = func(f *target.Facts) { f.All = true }
	w.build()
	w.facts = nil
	w.files["SPEC.md"] = strings.Replace(root, "camel", "snake", 1)
	if res := w.compute(); targets(res) != ". spec-newer, m convention-changed" {
		t.Errorf("conventions of the spec: targets %q", targets(res))
	}
}
