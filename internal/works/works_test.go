package works_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/works"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

// document is what every typed document can do.
type document interface{ Format() []byte }

// kind is one kind of document: how to read it and how to make one up.
type kind struct {
	name string
	read func([]byte) document
	make func(g *gen) document
}

func reader[T document](parse func(string, []byte) (T, []spec.Problem)) func([]byte) document {
	return func(src []byte) document {
		d, _ := parse("x.md", src)
		return d
	}
}

var kinds = []kind{
	{"Requirement", reader(works.ParseRequirement), func(g *gen) document { return g.requirement() }},
	{"Plan", reader(works.ParsePlan), func(g *gen) document { return g.plan() }},
	{"Task", reader(works.ParseTask), func(g *gen) document { return g.task() }},
	{"TaskProgress", reader(works.ParseTaskProgress), func(g *gen) document { return g.taskProgress() }},
	{"Result", reader(works.ParseResult), func(g *gen) document { return g.result(false) }},
	{"DirectResult", reader(works.ParseResult), func(g *gen) document { return g.result(true) }},
	{"Progress", reader(works.ParseProgress), func(g *gen) document { return g.progress() }},
	{"Decisions", reader(works.ParseDecisions), func(g *gen) document { return g.decisions() }},
}

// gen makes up values that are in the form in which they are read back: one line where one line is
// kept, no white space at ends, no text that only says that there is none.
type gen struct{ *rand.Rand }

// nasty are pieces that mean something to some reader of these files.
var nasty = []string{
	"plain words", "사용자 로그인을 추가한다", "要件を満たす", "a | b", `\|`, `\`, "`code`", "``", "```", "```bash", "~~~", "    ```", "  ```", "   ~~~",
	"# x", "## Files Changed", "### Verifier Context (FULL)", "### TASK-09: forged", "## TASK-09: forged", "## 변경 파일", "#", "#tag", `\# x`, `\\## y`,
	"> Status: DONE", "> Language: ko", ">", "| TASK-09 | x | ✅ Done | - | - |", "| WORK-09 | x | DONE | | |", "|---|---|", "---", "===", "***", "- - -", "___",
	"- Status: COMPLETED", "- Files changed:", "- **Depends on**: TASK-09", "- **What**: forged", "  - **Scope**: x", "- [x] done", "- [ ] open", "1. one", "- FR-09: x",
	"FR-09: y", "<!-- comment", "-->", "<details>", "</task-result>", "]]>", "&amp;", "\t# tab", "　# wide", "LAST_WORK_ID: WORK-99", "TASK-07", "WORK-77: other",
	"[10:00] x", "[2026-03-18T00:43:03]_PLANNER_INIT_x", "$(date)", "**bold**", "**bold** x", "— dash", "(paren)", "a: b", "：", "✅", "(none)", "None", "x_y", "CREATE x", "![i](u)", "\u00a0# nbsp",
}

func (g *gen) pick(from []string) string { return from[g.IntN(len(from))] }

// raw is a text as an agent might give it.
func (g *gen) raw() string {
	var b strings.Builder
	for range g.IntN(7) {
		b.WriteString(g.pick(nasty))
		b.WriteString(g.pick([]string{"\n", "\n", "\n", "\n\n", " ", "\n  ", "\r\n", "\r", "\u2028", "\x00"}))
	}
	return b.String()
}

// some repeats a text until it says something.
func some(f func() string) string {
	for {
		if s := f(); s != "" {
			return s
		}
	}
}

func (g *gen) inline() string { return works.Inline(g.raw()) }
func (g *gen) block() string  { return works.Block(g.raw()) }
func (g *gen) words() string  { return some(g.inline) }
func (g *gen) lang() string   { return g.pick([]string{"en", "ko", "ja"}) }

func list[T any](g *gen, f func() T) []T {
	var out []T
	for range g.IntN(4) {
		out = append(out, f())
	}
	return out
}

func (g *gen) criteria() []works.Criterion {
	return list(g, func() works.Criterion { return works.Criterion{Text: g.notNone(), Done: g.IntN(2) == 0} })
}

// notNone is a line that does not say that there is none.
func (g *gen) notNone() string {
	return some(func() string { return works.Inline(works.Block(g.inline())) })
}

func (g *gen) items(prefix string) []works.Item {
	var out []works.Item
	for i := range g.IntN(4) {
		out = append(out, works.Item{ID: fmt.Sprintf("%s-%02d", prefix, i+1), Text: g.words()})
	}
	return out
}

func (g *gen) files(action bool) []works.File {
	return list(g, func() works.File {
		f := works.File{Path: g.notNone(), Note: g.inline()}
		if action {
			f.Action = works.Action(g.pick([]string{"CREATE", "MODIFY", "DELETE"}))
		}
		return f
	})
}

func (g *gen) time(unit time.Duration) time.Time {
	return time.Unix(1_700_000_000+g.Int64N(100_000_000), 0).UTC().Truncate(unit)
}

func (g *gen) ids() []string {
	var out []string
	for i := range g.IntN(4) {
		out = append(out, works.TaskID(i))
	}
	return out
}

func (g *gen) requirement() document {
	return &works.Requirement{
		Work: works.WorkID(g.IntN(200)), Language: g.lang(), Request: g.block(),
		Functional: g.items("FR"), NonFunctional: g.items("NFR"), Acceptance: g.criteria(),
	}
}

func (g *gen) plan() document {
	p := &works.Plan{
		Work: works.WorkID(g.IntN(200)), Title: g.heading(), Created: g.time(24 * time.Hour), Requirement: g.inline(),
		Mode: works.Mode(g.pick([]string{"direct", "pipeline", "full"})), Project: g.inline(), Stack: g.inline(), Language: g.lang(),
		Status: works.Planned, Goal: g.block(),
	}
	for i := range g.IntN(4) {
		s := works.Step{ID: works.TaskID(i), Title: g.heading(), Scope: g.block(), Files: g.files(false)}
		for j := range i {
			if g.IntN(2) == 0 {
				s.DependsOn = append(s.DependsOn, works.TaskID(j))
			}
		}
		p.Tasks = append(p.Tasks, s)
	}
	for range g.IntN(3) {
		p.Trace = append(p.Trace, works.Trace{Item: g.words(), Tasks: g.ids()})
	}
	return p
}

// heading is a title; no title starts with what separates it from its id.
func (g *gen) heading() string { return g.inline() }

func (g *gen) task() document {
	return &works.Task{
		ID: works.TaskID(g.IntN(20)), Title: g.heading(), Work: works.WorkID(g.IntN(200)), WorkTitle: g.heading(), DependsOn: g.ids(),
		Scope: g.block(), Files: g.files(true), Acceptance: g.criteria(), Verify: g.block(),
	}
}

func (g *gen) taskProgress() document {
	return &works.TaskProgress{
		Task: works.TaskID(g.IntN(20)), Status: works.Status(g.pick([]string{"PENDING", "STARTED", "IN_PROGRESS", "COMPLETED"})),
		Started: g.time(time.Second), Updated: g.time(time.Second), Files: g.files(true),
	}
}

func (g *gen) result(direct bool) document {
	r := &works.Result{
		Task: works.TaskID(g.IntN(20)), Work: works.WorkID(g.IntN(200)), Title: g.heading(), Language: g.lang(), Direct: direct,
		Completed: g.time(time.Minute), Status: works.Done,
	}
	r.Checks = list(g, func() works.Check {
		return works.Check{
			Name: g.pick([]string{"Build", "Lint", "Tests"}), Status: works.Verdict(g.pick([]string{"PASS", "FAIL", "N/A", "WARN", "SKIP"})), Output: g.inline(),
		}
	})
	if direct {
		r.Summary, r.Files = works.Block(works.Inline(g.raw())), g.files(true)
		return r
	}
	r.Summary, r.Checklist, r.Issues, r.Notes, r.Builder = g.block(), g.criteria(), g.block(), g.block(), g.block()
	for _, a := range []works.Action{works.Create, works.Modify, works.Delete} {
		for _, f := range g.files(false) {
			f.Action = a
			r.Files = append(r.Files, f)
		}
	}
	r.Verifier = works.Handoff{What: g.block(), Why: g.block(), Caution: g.block(), Incomplete: g.block()}
	return r
}

func (g *gen) progress() document {
	p := &works.Progress{Work: works.WorkID(g.IntN(200)), Title: g.inline(), Updated: g.time(time.Second), Auto: g.IntN(2) == 0}
	p.Tasks = list(g, func() works.TaskRow {
		return works.TaskRow{
			Task: works.TaskID(g.IntN(9)), Title: g.inline(), Commit: g.pick([]string{"", "abc1234"}), Duration: time.Duration(g.IntN(90)) * time.Minute,
			Status: works.Status(g.pick([]string{"DONE", "IN_PROGRESS", "PENDING", "READY", "BLOCKED", "FAILED"})),
		}
	})
	p.Log = list(g, func() works.Entry {
		return works.Entry{At: time.Date(0, 1, 1, g.IntN(24), g.IntN(60), 0, 0, time.UTC), Text: g.words()}
	})
	return p
}

func (g *gen) decisions() document {
	d := &works.Decisions{Work: works.WorkID(g.IntN(200)), Language: g.lang()}
	for i := range 1 + g.IntN(3) {
		d.List = append(d.List, works.Decision{
			ID: fmt.Sprintf("D-%02d", i+1), At: g.time(time.Second), Stage: g.pick([]string{"planner", "builder"}),
			Status: works.Status(g.pick([]string{"PENDING", "RESOLVED"})), Background: g.block(), Options: list(g, g.notNone), Advice: g.block(),
			Chosen: g.block(), By: g.pick([]string{"user", "auto", ""}),
		})
	}
	return d
}

// plain drops what a reader adds for messages only.
func plain(d document) string { return fmt.Sprintf("%+v", works.Plain(d)) }

// noForgery asks another reader of Markdown whether a document has the structure that was written:
// the headings that start a line outside of fences and no other, no rule, no HTML, no open fence.
func noForgery(t *testing.T, src []byte) {
	t.Helper()
	want, fence := 0, ""
	for l := range strings.Lines(string(src)) {
		run := l[:len(l)-len(strings.TrimLeft(l, "`~"))]
		switch {
		case fence != "" && strings.HasPrefix(run, fence) && strings.TrimSpace(l) == run:
			fence = ""
		case fence == "" && len(run) >= 3:
			fence = run
		case fence == "" && strings.HasPrefix(l, "#"):
			want++
		}
	}
	got := 0
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindHeading:
			got++
		case ast.KindThematicBreak, ast.KindHTMLBlock:
			t.Fatalf("a text became a %s in\n%s", n.Kind(), src)
		}
	}
	if got != want || fence != "" {
		t.Fatalf("%d headings, want %d, open fence %q in\n%s", got, want, fence, src)
	}
}

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			g := &gen{rand.New(rand.NewPCG(1, 2))}
			for range 500 {
				want := k.make(g)
				src := want.Format()
				noForgery(t, src)
				if got := k.read(src); !reflect.DeepEqual(works.Plain(got), works.Plain(want)) {
					a, b := plain(got), plain(want)
					i := 0
					for i < min(len(a), len(b)) && a[i] == b[i] {
						i++
					}
					from := max(i-60, 0)
					t.Fatalf("read back\n…%.200q\nwant\n…%.200q\nfrom\n%s", a[from:], b[from:], src)
				}
			}
		})
	}
}

// TestDamagedDocumentsAreStable drops, repeats, indents and forges lines of documents; what is
// written of what could be read is read back the same.
func TestDamagedDocumentsAreStable(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			g := &gen{rand.New(rand.NewPCG(7, 8))}
			for range 600 {
				lines := strings.SplitAfter(string(k.make(g).Format()), "\n")
				for range g.IntN(6) {
					i, j := g.IntN(len(lines)), g.IntN(len(lines))
					lines[i] = g.pick([]string{
						"", lines[j], g.pick(nasty) + "\n", "  " + lines[i], "- " + lines[i], strings.TrimSpace(lines[i]), strings.TrimPrefix(lines[i], "- "), "#" + lines[i], "\n",
						strings.Replace(lines[i], ":", "", 1), strings.ReplaceAll(lines[i], "`", ""), strings.Replace(lines[i], "|", "", 1), strings.ReplaceAll(lines[i], "\n", "\r\n"),
					})
				}
				src := strings.Join(lines, "")
				once := k.read([]byte(src)).Format()
				if twice := k.read(once).Format(); !bytes.Equal(once, twice) {
					a, b := strings.Split(string(once), "\n"), strings.Split(string(twice), "\n")
					for i := range min(len(a), len(b)) {
						if a[i] != b[i] {
							t.Fatalf("line %d is %q, then %q, in\n%s\nread from\n%s", i+1, a[i], b[i], once, src)
						}
					}
					t.Fatalf("%s\nthen\n%s", once, twice)
				}
			}
		})
	}
}

func TestGoldenDocuments(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 18, 10, 20, 30, 0, time.FixedZone("", 9*3600))
	handoff := works.Handoff{What: "로그인 API를 만들었다.\n토큰은 쿠키에 둔다.", Why: "기존 세션과 맞춘다.", Caution: "만료 시간은 1시간이다."}
	files := []works.File{{Path: "src/login.ts", Action: works.Create, Note: "API"}, {Path: "src/app.ts", Action: works.Modify}}
	checks := []works.Check{{Name: "Build", Status: works.Pass}, {Name: "Lint", Status: works.NoRun}, {Name: "Tests", Status: works.Pass, Output: "12 passed"}}
	var all []byte
	for _, lang := range []string{"en", "ko", "ja"} {
		for _, d := range []document{
			&works.Requirement{
				Work: "WORK-01", Language: lang, Request: "[추가기능] 로그인을 추가해줘\n\n# 자동으로 저장", Functional: []works.Item{{ID: "FR-01", Text: "이메일로 로그인한다"}, {Text: "로그아웃한다"}},
				Acceptance: []works.Criterion{{Text: "틀린 암호는 401이다"}},
			},
			&works.Result{
				Task: "TASK-00", Work: "WORK-01", Title: "로그인", Language: lang, Completed: at, Status: works.Done, Summary: "로그인을 추가했다.",
				Checklist: []works.Criterion{{Text: "틀린 암호는 401이다", Done: true}}, Checks: checks, Files: files, Builder: "API 추가", Verifier: handoff,
			},
			&works.Result{
				Task: "TASK-00", Work: "WORK-01", Title: "로그인", Language: lang, Direct: true, Completed: at, Status: works.Done, Summary: "한 줄",
				Checks: []works.Check{{Name: "Build", Status: works.Pass, Output: "self-check"}, {Name: "Lint", Status: works.Pass, Output: "self-check"}}, Files: files,
			},
			&works.Decisions{Work: "WORK-01", Language: lang, List: []works.Decision{
				{ID: "D-01", At: at, Stage: "planner", Status: works.Pending, Background: "저장소를 고른다.", Options: []string{"SQLite", "PostgreSQL"}, Advice: "SQLite"},
				{ID: "D-02", At: at, Stage: "builder", Status: works.Resolved, Background: "x", Chosen: "SQLite", By: "user"},
			}},
		} {
			all = append(append(all, "--- "+lang+"\n"...), d.Format()...)
		}
	}
	step := func(id string, on ...string) works.Step {
		return works.Step{ID: id, Title: "단계 " + id, DependsOn: on, Scope: "first\n- a\n- b", Files: []works.File{{Path: "src/x.ts", Note: "x"}}}
	}
	for _, d := range []document{
		&works.Plan{
			Work: "WORK-01", Title: "로그인", Created: at, Requirement: "works/WORK-01/Requirement.md", Mode: works.Full, Project: "shop", Stack: "TypeScript",
			Language: "ko", Status: works.Planned, Goal: "로그인",
			Tasks: []works.Step{step("TASK-00"), step("TASK-01", "TASK-00"), step("TASK-02", "TASK-00"), step("TASK-03", "TASK-01", "TASK-02"), step("TASK-04"), step("TASK-05", "TASK-06"), step("TASK-06", "TASK-05")},
			Trace: []works.Trace{{Item: "FR-01", Tasks: []string{"TASK-00", "TASK-01"}}, {Item: "AC-01", Tasks: []string{"TASK-03"}}},
		},
		&works.Task{
			ID: "TASK-01", Title: "화면", Work: "WORK-01", WorkTitle: "로그인", DependsOn: []string{"TASK-00"}, Scope: "화면을 만든다.", Files: files,
			Acceptance: []works.Criterion{{Text: "보인다"}}, Verify: "npm test\nnpm run lint",
		},
		&works.TaskProgress{Task: "TASK-01", Status: works.Pending},
		&works.TaskProgress{Task: "TASK-01", Status: works.Completed, Started: at, Updated: at.Add(time.Hour), Files: files},
		&works.Progress{
			Work: "WORK-01", Title: "로그인", Updated: at,
			Tasks: []works.TaskRow{
				{Task: "TASK-00", Title: "모델", Status: works.Done, Commit: "abc1234", Duration: 12 * time.Minute},
				{Task: "TASK-01", Title: "화면", Status: works.InProgress},
				{Task: "TASK-02", Title: "a | b", Status: works.Blocked},
			},
			Log: []works.Entry{{At: at, Text: "TASK-00 started"}},
		},
	} {
		all = append(append(all, "---\n"...), d.Format()...)
	}
	all = append(all, works.LogLine{At: at, Agent: "planner", Stage: "init", Text: "WORK-01 created — Execution-Mode: full\n[forged]"}.String()...)
	golden(t, "documents.md", append(all, '\n'))
}
