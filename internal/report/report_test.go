package report_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

var update = flag.Bool("update", false, "write the golden files")

// raw is a value as an event carries it.
func raw(t *testing.T, v any) json.RawMessage {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// story is a run with everything that a person may be told: a good module, one
// that was sent back, one that failed, one that is blocked.
func story(t *testing.T) []flow.Event {
	t.Helper()
	var events []flow.Event
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	add := func(typ flow.EventType, key, branch string, data any) {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(3 * time.Second)
		events = append(events, flow.Event{Seq: int64(len(events) + 1), Run: "r", At: at, Type: typ, Key: key, Branch: branch, Data: raw})
	}
	add(flow.EventNote, "planned", "", step.PlanNote{
		Count: 3, UpToDate: 2, Modules: []string{"src/auth", "src/한글 모듈", "app"}, Reasons: []string{"modified", "no-source-code", "staged"},
		Warnings: []string{"⚠ src/auth changed; web may need recompilation"},
		Problems: []step.Finding{{Severity: step.Rejects, Path: "bad/CLAUDE.md", Line: 7, Message: "no Purpose (add a '## Purpose' section)"}},
	})
	auth, han, app := "module/src/auth", "module/src/한글 모듈", "module/app"
	add(flow.EventStart, auth+":head", auth, map[string]any{})
	add(flow.EventStart, auth+":red/1/try/1/turn", auth, map[string]any{})
	add(flow.EventEnd, auth+":red/1/try/1/turn", auth, map[string]any{})
	add(flow.EventNote, auth+":red/1/judged", auth, step.AttemptNote{
		Phase: "red", Attempt: 1, Passed: true, Score: 85, Counts: step.Counts{Total: 4, Failed: 4},
		Findings: []step.Finding{{Rule: "uncovered", Severity: step.Fix, Message: "no test that ran covers B:1"}},
	})
	add(flow.EventStart, han+":head", han, map[string]any{})
	add(flow.EventStart, han+":green/2/try/1/turn", han, map[string]any{})
	add(flow.EventNote, auth+":green/1/judged", auth, step.AttemptNote{
		Phase: "green", Attempt: 1, Counts: step.Counts{Total: 4, Passed: 3, Failed: 1},
		Findings: []step.Finding{{Rule: "frozen-changed", Severity: step.Rejects, Path: "src/auth/a_test.go", Line: 3, Message: "This test file is frozen."}},
		Failures: []step.TestResult{{ID: "src/auth/a_test.go::TestA", Status: step.Fail}}, Usage: step.Usage{Input: 12000, Output: 800, USD: 0.12, Requests: 3, Known: true},
	})
	add(flow.EventStart, auth+":strength/mutate", auth, map[string]any{})
	add(flow.EventNote, han+":result", han, step.ModuleResult{
		Dir: "src/한글 모듈", Status: step.Warning, Reason: "green", RetryCount: 2, Tests: step.Counts{Total: 2, Passed: 1, Failed: 1},
		Skipped: []string{"src/한글 모듈/old.go"}, Failures: []step.TestResult{{ID: "x_test.go::TestX", Status: step.Fail}}, Summary: "the spec says 3 and the test 4",
		Usage: step.Usage{Input: 1_500_000, USD: 3.5, Requests: 9, Known: true},
	})
	add(flow.EventNote, app+":result", app, step.ModuleResult{Dir: "app", Status: step.Blocked, Reason: "blocked: src/한글 모듈 was not built"})
	return events
}

func texts(t *testing.T, l report.Lang) string {
	t.Helper()
	var b strings.Builder
	for _, e := range story(t) {
		if e.Type != flow.EventNote {
			continue
		}
		dir := strings.TrimPrefix(e.Branch, "module/")
		switch {
		case e.Key == "planned":
			b.WriteString(report.Planned(l, decode[step.PlanNote](t, e.Data)) + report.Started(l, "src/auth"))
		case strings.HasSuffix(e.Key, "judged"):
			b.WriteString(report.Attempt(l, dir, decode[step.AttemptNote](t, e.Data)))
		default:
			b.WriteString(report.Result(l, decode[step.ModuleResult](t, e.Data)))
		}
	}
	said := map[string][]step.Finding{"disputed": {
		{Rule: "test-disputed", Path: "m/a_test.go", Message: `TestA is disputed by the agent that wrote the code: "the spec says 4"`},
		{Rule: "test-kept", Path: "m/a_test.go", Message: "TestA stays as it is: the agent that wrote it gave no answer"},
	}}
	for _, reason := range []string{"red", "conflict", "edited", "land", "dependents", "packages", "tests-incomplete", "weak-tests", "disputed"} {
		b.WriteString(report.Result(l, step.ModuleResult{Dir: "m", Status: step.Warning, Reason: reason, Conflicts: []string{"m/a.go"}, Disputed: said[reason], Mutants: step.Mutants{Tried: 8, Killed: 3}}))
	}
	done := step.CompileOut{Modules: 3, Generated: 4, Skipped: 1, Passed: 7, Failed: 2, Warned: 2, Weak: 1, Blocked: 1, Broken: 1}
	ended := report.New(flow.Run{ID: "k3v9", Def: "compile"})
	ended.Result = &done
	b.WriteString(report.Generated(l, ended) + report.Ending(l, ended, ""))
	done.Ref, done.Moved = "work", &step.Moved{Branch: "work", From: "1111111", To: "2222222", New: true}
	ended.Module("m").Result = &step.ModuleResult{Items: []step.ItemLevel{{Level: step.Proved}, {Level: step.Proved}, {Level: step.Covered}, {Level: step.NotChecked}}}
	b.WriteString(report.Generated(l, ended) + report.Ending(l, ended, ""))
	worked := report.New(flow.Run{ID: "k3v9", Def: "work"})
	half := &step.WorkOut{Work: "WORK-05", Tasks: 3, Done: 2, Failed: 1}
	half.Sessions, half.Moved, half.Open = 1, &step.Moved{From: "1111111", To: "2222222"}, []string{"AC-02: The README is easy to read"}
	worked.Result = half
	for dir, level := range map[string]step.Level{"TASK-00": step.Proved, "TASK-01": step.ByExit} {
		worked.Module(dir).Task = &step.TaskResult{Status: step.Success, Tests: step.Counts{Level: level}}
	}
	worked.Module("TASK-02").Task = &step.TaskResult{Status: step.Warning}
	b.WriteString(report.Ending(l, worked, ""))
	whole := &step.WorkOut{Work: "WORK-06", Tasks: 1, Done: 1}
	whole.Verified, whole.Pull = true, &step.PullResult{URL: "https://example.org/1", Branch: "a", Base: "main"}
	worked.Result = whole
	b.WriteString(report.Ending(l, worked, ""))
	whole.Verified, whole.Pull, whole.Why = false, nil, "the branch main has moved"
	b.WriteString(report.Ending(l, worked, ""))
	cart := &step.AutoOut{Feature: "cart", Mode: "LIGHT", Tests: step.Counts{Passed: 3, Level: step.Proved, Red: 1}}
	cart.Outcome = step.Outcome{Verified: true, End: step.End{Reason: "passed"}, Commit: "1111111", Document: "docs/cart.md", Accepted: []string{"too long"}}
	cart.Moved = &step.Moved{Branch: "main", From: "1111111", To: "2222222"}
	b.WriteString(report.Ending(l, &report.Run{ID: "k3v9", Result: cart}, "refs/x"))
	stopped := &step.DevelopOut{Feature: "cart"}
	stopped.Outcome = step.Outcome{End: step.End{Reason: "checkpoint", Detail: "CP-1 did not pass"}, Open: []string{"CP-1 did not pass", "no money left"}, Document: "docs/cart.md"}
	b.WriteString(report.Ending(l, &report.Run{ID: "k3v9", Result: stopped, Usage: step.Usage{Input: 9000, USD: 0.27, Known: true}, Unsure: step.Usage{Input: 130000, USD: 2.6, Known: true}}, "refs/x"))
	for _, p := range []step.PlanNote{
		{},
		{UpToDate: 2},
		{UpToDate: 2, Problems: []step.Finding{{Severity: step.Warn, Path: "jacquard.lock", Line: 4, Message: "the lock has merge conflict markers"}}},
		{UpToDate: 2, LeftOut: step.LeftOut{Unchecked: 1}},
		{UpToDate: 1, LeftOut: step.LeftOut{Kept: 1, Unverified: 3, Edited: 2, Names: []string{"a", "b"}}},
	} {
		b.WriteString(report.Planned(l, p))
	}
	b.WriteString(report.NoSpecs(l, "/home/me/shop", nil) + report.NoSpecs(l, "/home/me/shop", []string{"CLAUDE.md"}))
	return b.String()
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, l := range []report.Lang{report.English, report.Korean} {
		golden(t, string(l)+".txt", texts(t, l))
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	full := step.ModuleResult{Phase: step.Full, Status: step.Success, Generated: []string{"parser.ts"}, Overwritten: []string{"parser.ts"}, Tests: step.Counts{Passed: 4}, RetryCount: 2, Updated: true}
	red := step.ModuleResult{Phase: step.Red, Status: step.Success, TestFiles: []string{"src/auth/auth.test.ts"}, Language: "typescript"}
	golden(t, "blocks.txt", report.Blocks(full, "r/result.json", "r/spec.json")+report.Blocks(red, "r/result.json", "r/spec.json"))
}

// TestLiveFits draws the live view at several sizes: no line is wider than the
// terminal, no frame is higher, and Korean names take two cells a character.
func TestLiveFits(t *testing.T) {
	t.Parallel()
	run := report.New(flow.Run{ID: "r", Def: "compile", Started: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)})
	var frames strings.Builder
	for _, e := range story(t)[:10] {
		run.Apply(e)
	}
	now := time.Date(2026, 11, 20, 10, 5, 0, 0, time.UTC)
	for _, columns := range []int{40, 60, 80, 120} {
		for _, height := range []int{1, 2, 24} {
			f := report.Live(report.English, run, "build · run r", columns, height, now, false)
			lines := strings.Split(strings.TrimSuffix(f, "\n"), "\n")
			if len(lines) > max(height, 2) {
				t.Errorf("%dx%d: %d lines", columns, height, len(lines))
			}
			for _, l := range lines {
				if w := report.Width(l); w > columns {
					t.Errorf("%dx%d: %q is %d cells wide", columns, height, l, w)
				}
			}
			if height == 24 {
				fmt.Fprintf(&frames, "%d columns\n%s", columns, f)
			}
		}
	}
	golden(t, "live.txt", frames.String())
}

// TestTable sets Korean headings and names, which are wide, in straight columns.
func TestTable(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"모듈", "역할", "턴", "USD"}, {"src/한글 모듈", "red", "1", "0.1200"}, {"app", "green", "12", "10.0000"}}
	want := "" +
		"모듈           역할   턴      USD\n" +
		"src/한글 모듈  red     1   0.1200\n" +
		"app            green  12  10.0000\n"
	if got := report.Table(rows, 2); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := report.Table([][]string{{"RUN", "상태"}, {"k3v9", ""}}, 0); got != "RUN   상태\nk3v9\n" {
		t.Errorf("got %q", got)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 34_567: "34 kB", 999_999: "999 kB", 3_400_000: "3.4 MB", 1_250_000_000: "1.2 GB"} {
		if got := report.Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	asked := flow.Question{Text: "In which language?", Options: []string{"go", "python"}}
	broken := flow.Question{Text: "disk full", Class: flow.Environment}
	for _, c := range []struct {
		lang report.Lang
		key  string
		q    flow.Question
		want string
	}{
		{report.Korean, "module/src/a:language/1/ask", asked, "src/a의 언어를 알 수 없습니다. 선택하세요: go, python"},
		{report.English, "module/src/a:language/1/ask", asked, "Which language should src/a be written in? The project does not say: go, python"},
		{report.Korean, "module/src/a:language/1/facts-again/1/repair", broken, "disk full"},
		{report.Korean, "plan-again/1/repair", broken, "disk full"},
		{report.Korean, "", asked, "In which language?"},
	} {
		if got := report.Question(c.lang, c.key, c.q); got != c.want {
			t.Errorf("Question(%s, %q) = %q, want %q", c.lang, c.key, got, c.want)
		}
	}
}

// TestStatesHaveKorean: each state that a run can be in is said in Korean.
func TestStatesHaveKorean(t *testing.T) {
	t.Parallel()
	for _, state := range []flow.RunState{flow.Running, flow.Waiting, flow.Parked, flow.Paused, flow.Interrupted, flow.Stopped, flow.Done, flow.Errored, flow.CancelledOK} {
		if ko := report.Korean.State(string(state)); ko == string(state) {
			t.Errorf("%s is not said in Korean", state)
		}
		if got := report.English.State(string(state)); got != string(state) {
			t.Errorf("%s is said as %s in English", state, got)
		}
	}
}

func TestFoldSurvivesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	run := report.New(flow.Run{ID: "r"})
	for _, e := range []flow.Event{
		{Type: "later", Key: "x"},
		{Type: flow.EventNote, Key: "planned", Data: json.RawMessage(`{"count": "many"}`)},
		{Type: flow.EventNote, Key: "module/a:green/1/judged", Branch: "module/a", Data: json.RawMessage(`[]`)},
		{Type: flow.EventStart, Key: "odd", Branch: "odd"},
	} {
		run.Apply(e)
	}
	if len(run.Modules) != 1 || run.Plan != nil {
		t.Errorf("got %d modules and plan %v", len(run.Modules), run.Plan)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"red/2/try/1/turn": "red 2 turn", "green/1/prove": "green 1 prove", "present": "green 0 present", "refactor/format": "refactor 0 format",
		"land/1/land": "land 1 land", "land/2/green/3/try/1/turn": "green 3 turn", "apply": "apply 0 apply",
		"green/1/dispute/try/1/turn": "red 0 turn", "strength/green/2/dispute/prove": "red 0 prove", "green/1/again/prove": "green 1 prove",
	} {
		phase, n, what := report.Split(key)
		if got := fmt.Sprintf("%s %d %s", phase, n, what); got != want {
			t.Errorf("Split(%q) = %s, want %s", key, got, want)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it with -update and git diff:\n%s", path, got)
	}
}

// A status file names no document that the style leaves out.
func TestStateOfAStyle(t *testing.T) {
	t.Parallel()
	f := report.Feature{Name: "pay", Mode: pdca.Heavy, Phase: "report", Without: pdca.Style{Documents: []string{pdca.ReportDoc}}.Without()}
	got := f.State(time.Time{}, true, true).Documents
	if len(got) != 1 || got[pdca.ReportDoc] != pdca.ReportPath("pay") {
		t.Errorf("the status has %v", got)
	}
	f.Without = pdca.OwnStyle().Without()
	if got = f.State(time.Time{}, true, true).Documents; len(got) != len(pdca.Documents()) {
		t.Errorf("the status has %v", got)
	}
}
