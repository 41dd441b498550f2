package works_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/works"
)

// FuzzDocuments reads anything as each kind of document: nothing panics, and what is written of it
// is read back the same.
func FuzzDocuments(f *testing.F) {
	g := &gen{rand.New(rand.NewPCG(5, 6))}
	for i, k := range kinds {
		f.Add(uint8(i), k.make(g).Format())
		f.Add(uint8(i), []byte(g.raw()))
	}
	f.Add(uint8(0), []byte("\uFEFF# x\r\n```\r\n## y\xff"))
	f.Add(uint8(1), []byte("# PLAN WORK-01\n## TASK-00\n- **Scope**:\n      ```\n  a\n  ```\n"))
	f.Fuzz(func(t *testing.T, i uint8, src []byte) {
		k := kinds[int(i)%len(kinds)]
		once := k.read(src).Format()
		if twice := k.read(once).Format(); string(twice) != string(once) {
			a, b := strings.Split(string(once), "\n"), strings.Split(string(twice), "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Fatalf("%s is not stable: line %d is %q, then %q, in\n%s", k.name, i+1, a[i], b[i], once)
				}
			}
			t.Fatalf("%s is not stable:\n%s\nthen\n%s", k.name, once, twice)
		}
	})
}

// FuzzLog reads anything as a log and writes it again.
func FuzzLog(f *testing.F) {
	f.Add([]byte("[2026-03-18T00:43:03]_PLANNER_INIT_a_b\n[2026-07-23T23:48:36Z] GATE_WAIT — x\n```\n[$(date)]_A_B_"))
	f.Fuzz(func(t *testing.T, src []byte) {
		lines, _ := works.ParseLog("x", src)
		for _, l := range lines {
			again, _ := works.ParseLog("x", []byte(l.String()))
			if len(again) != 1 || again[0].String() != l.String() {
				t.Errorf("%q is read back as %v", l, again)
			}
		}
	})
}

// FuzzForge puts two texts wherever a document takes a text. They come back as they are, and so
// does everything around them: no text can be taken for structure.
func FuzzForge(f *testing.F) {
	for _, s := range nasty {
		f.Add(s, s+"\n"+s)
	}
	f.Add("```\n```", "~~~\n## x\n   ~~~\n")
	f.Add("- **Scope**", "```\n\n```\n# x")
	f.Fuzz(func(t *testing.T, a, b string) {
		line, text := works.Inline(a), works.Block(b)
		item := works.Inline(works.Block(line))
		at := time.Date(2026, 3, 18, 10, 20, 0, 0, time.UTC)
		criteria := []works.Criterion{{Text: "first"}, {Text: "last", Done: true}}
		files := []works.File{{Path: "a.go", Action: works.Create, Note: line}}
		if item != "" {
			criteria = []works.Criterion{{Text: "first"}, {Text: item, Done: true}, {Text: "last"}}
			files = append(files, works.File{Path: item, Action: works.Delete})
		}
		bare := []works.File{{Path: "b.go", Note: line}}
		items := func(prefix string) []works.Item {
			return []works.Item{{ID: prefix + "-01", Text: "x" + line}, {ID: prefix + "-02", Text: "last"}}
		}
		for i, d := range []document{
			&works.Requirement{Work: "WORK-01", Language: "ko", Request: text, Functional: items("FR"), NonFunctional: items("NFR"), Acceptance: criteria},
			&works.Plan{
				Work: "WORK-01", Title: "x" + line, Requirement: line, Mode: works.Full, Project: line, Stack: line, Language: "ko", Status: works.Planned, Goal: text,
				Tasks: []works.Step{{ID: "TASK-00", Title: "x" + line, Scope: text, Files: bare}, {ID: "TASK-01", Title: "y", DependsOn: []string{"TASK-00"}, Scope: text}},
				Trace: []works.Trace{{Item: "x" + line, Tasks: []string{"TASK-01"}}},
			},
			&works.Task{
				ID: "TASK-00", Title: "x" + line, Work: "WORK-01", WorkTitle: "x" + line, DependsOn: []string{"TASK-01"}, Scope: text, Files: files,
				Acceptance: criteria, Verify: text,
			},
			&works.TaskProgress{Task: "TASK-00", Status: works.Started, Started: at, Updated: at, Files: files},
			&works.Result{
				Task: "TASK-00", Work: "WORK-01", Title: "x" + line, Language: "ja", Completed: at, Status: works.Done, Summary: text, Checklist: criteria,
				Checks: []works.Check{{Name: "Build", Status: works.Pass, Output: line}}, Files: files, Issues: text, Notes: text, Builder: text,
				Verifier: works.Handoff{What: text, Why: text, Caution: text, Incomplete: text},
			},
			&works.Result{
				Task: "TASK-00", Work: "WORK-01", Title: "x" + line, Language: "ko", Direct: true, Completed: at, Status: works.Done,
				Summary: works.Block(line), Checks: []works.Check{{Name: "Build", Status: works.Pass, Output: line}}, Files: files,
			},
			&works.Progress{
				Work: "WORK-01", Title: line, Updated: at, Tasks: []works.TaskRow{{Task: "TASK-00", Title: line, Status: works.Ready, Commit: "abc1234"}},
				Log: []works.Entry{{At: time.Date(0, 1, 1, 10, 0, 0, 0, time.UTC), Text: "x" + line}},
			},
			&works.Decisions{Work: "WORK-01", Language: "ko", List: []works.Decision{
				{ID: "D-01", At: at, Stage: line, Status: works.Pending, Background: text, Options: []string{"x" + line, "last"}, Advice: text, Chosen: text},
				{ID: "D-02", At: at, Stage: "planner", Status: works.Resolved, By: "auto"},
			}},
		} {
			src := d.Format()
			noForgery(t, src)
			if got := kinds[i].read(src); !reflect.DeepEqual(works.Plain(got), works.Plain(d)) {
				t.Errorf("%s is read back as\n%s\nwant\n%s\nfrom\n%s", kinds[i].name, plain(got), plain(d), src)
			}
		}
	})
}

// FuzzMend puts anything into a file of a tree: mending ends, and what was mended needs no more.
func FuzzMend(f *testing.F) {
	paths := []string{
		"works/WORK-LIST.md", "works/WORK-01/PLAN.md", "works/WORK-01/PROGRESS.md", "works/WORK-01/TASK-00-RESULT.md", "CLAUDE.md", "works/WORK-01/work_WORK-01.log",
	}
	f.Add(uint8(0), []byte("| WORK-01 | a | b | IN_PROGRESS | 2026-01-01 | |\n| WORK-01 | x | DONE | 2026-01-01 | | 2026-01-02 |\n"))
	f.Add(uint8(1), []byte("# PLAN WORK-01: x\r\n## Traceability\r\n## TASK-00: a\r\n### b\r\n## TASK-00: c\n# PLAN WORK-02\n"))
	f.Add(uint8(2), []byte("| TASK-00 | a | done |\n|TASK-00||✅ DONE"))
	f.Add(uint8(3), []byte("> Completed: 2026-01-01\n"))
	f.Fuzz(func(t *testing.T, i uint8, src []byte) {
		files := map[string][]byte{
			"works/WORK-LIST.md": []byte(list132), "works/WORK-01/TASK-00.md": []byte("# TASK-00: a\n"), "works/_COMPLETED/WORK-02/TASK-00.md": nil,
		}
		files[paths[int(i)%len(paths)]] = src
		tree := open(files)
		mended := works.Mend(tree)
		maps.Copy(files, mended)
		again := open(files)
		if more := works.Mend(again); len(more) > 0 {
			t.Errorf("%q was mended to %q, then to %q", src, mended, more)
		}
		if tree.List != nil && len(again.List.Rows) < len(tree.List.Rows) {
			t.Errorf("%q lost rows in %q", src, mended)
		}
	})
}

// FuzzRequest reads anything as a message: nothing panics and the text is only cut at its tags.
func FuzzRequest(f *testing.F) {
	f.Add("[a][b] WORK-03 자동으로 실행, auto")
	f.Add("auto auto.auto\nauto WORK-1 auto 실행")
	f.Fuzz(func(t *testing.T, s string) {
		r := works.ParseRequest(s)
		if (len(r.Tags) > 0) != (r.Intent == works.Start) {
			t.Errorf("ParseRequest(%q) = %+v", s, r)
		}
	})
}
