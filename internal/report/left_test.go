package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestLeft: what is left is the last attempt that could be built, else the last one, with the last words; nothing is left of
// what has passed.
func TestLeft(t *testing.T) {
	t.Parallel()
	attempt := func(tree, said string, rules ...string) step.AttemptNote {
		a := step.AttemptNote{Phase: "build", Left: &step.Left{Base: "base", Tree: tree, Said: said, Answer: json.RawMessage(`"` + tree + `"`), HeldOut: []step.HeldOut{{Call: "secret(1)", Gives: "2"}}}}
		for _, r := range rules {
			a.Findings = append(a.Findings, step.Finding{Rule: r, Severity: step.Rejects})
		}
		return a
	}
	warned := attempt("t3", "third", "lint")
	warned.Findings = append(warned.Findings, step.Finding{Rule: "build-failed", Severity: step.Warn})
	for name, tt := range map[string]struct {
		attempts   []step.AttemptNote
		ended      bool
		tree, said string // "" for nothing
	}{
		"one":                        {[]step.AttemptNote{attempt("t1", "first", "lint")}, true, "t1", "first"},
		"the last of two":            {[]step.AttemptNote{attempt("t1", "first", "lint"), attempt("t2", "second", "lint")}, true, "t2", "second"},
		"the last does not build":    {[]step.AttemptNote{attempt("t1", "first", "lint"), attempt("t2", "second", "build-failed")}, true, "t1", "second"},
		"none builds":                {[]step.AttemptNote{attempt("t1", "first", "build-failed"), attempt("t2", "second", "build-failed")}, true, "t2", "second"},
		"it failed to build before":  {[]step.AttemptNote{attempt("t1", "first", "build-failed"), warned}, true, "t3", "third"},
		"a turn that failed":         {[]step.AttemptNote{attempt("t1", "first", "lint"), {Phase: "build", Text: "max_turns"}}, true, "t1", "first"},
		"passed":                     {[]step.AttemptNote{attempt("t1", "first", "lint"), {Phase: "build", Passed: true}}, true, "", ""},
		"sent back by the landing":   {[]step.AttemptNote{{Phase: "build", Passed: true}, attempt("t2", "second", "merge-conflict")}, true, "t2", "second"},
		"nothing was changed at all": {[]step.AttemptNote{{Phase: "build"}}, true, "", ""},
		"it goes on":                 {[]step.AttemptNote{attempt("t1", "first", "lint")}, false, "", ""},
	} {
		r := report.New(flow.Run{ID: "k3v9", Def: "work"})
		note := func(key, branch string, v any) {
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			r.Apply(flow.Event{Type: flow.EventNote, Key: key, Branch: branch, Data: raw})
		}
		note("planned", "", step.WorkNote{Work: "WORK-01"})
		for _, a := range tt.attempts {
			note("task/TASK-00:build/1/judged", "task/TASK-00", a)
		}
		if tt.ended {
			r.State = flow.Done
		}
		restart := r.Restart()
		if raw, err := json.Marshal(r); err != nil || strings.Contains(string(raw), "secret") {
			t.Errorf("%s: what is kept from authors is in the report: %s, %v", name, raw, err)
		}
		if tt.tree != "" && len(restart["TASK-00"].HeldOut) != 1 {
			t.Errorf("%s: the next run does not know what was decided", name)
		}
		r.Settle(func(tree string) string { return "refs/of/" + tree })
		if tt.tree == "" {
			if len(r.Left) > 0 || report.WhatIsLeft(report.English, r) != "" {
				t.Errorf("%s: %+v is left", name, r.Left)
			}
			continue
		}
		if len(r.Left) != 1 || r.Left[0].Tree != tt.tree || r.Left[0].Said != tt.said || r.Left[0].Next != "jacquard resume WORK-01" {
			t.Errorf("%s: left is %+v, want %s, %q", name, r.Left, tt.tree, tt.said)
		}
		if l := restart["TASK-00"]; l.Tree != tt.tree || l.Base != "base" || string(l.Answer) != `"`+tt.tree+`"` {
			t.Errorf("%s: the next run begins with %+v, want %s and what its author has answered", name, l, tt.tree)
		}
		if text := report.WhatIsLeft(report.English, r); !strings.Contains(text, "git merge --squash refs/of/"+tt.tree+"\n") || !strings.Contains(text, "agent's note: "+tt.said+"\n") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
