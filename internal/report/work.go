package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// requestStyle is that of runs that build the tasks of a request.
var requestStyle = style{
	defs:   []string{"work"},
	result: func() step.Result { return &step.WorkOut{} },
	note: func(r *Run, e flow.Event) {
		m, rest := r.place(e)
		switch {
		case m == nil && (e.Key == "planned" || strings.HasSuffix(e.Key, "/gate") || e.Key == "taken"):
			n, err := Decode[step.WorkNote](e.Data)
			if err != nil {
				return
			}
			r.Request = &n
			if e.Key != "planned" {
				return
			}
			for _, t := range n.Tasks {
				r.expect(t.ID, t.Title, t.Needs)
			}
		case m != nil && rest == "result":
			res, err := Decode[step.TaskResult](e.Data)
			if err != nil {
				return
			}
			r.built(m, e, res)
		default:
			r.attempt(e)
		}
	},
	next: func(r *Run) string {
		if r.Request == nil {
			return ""
		}
		return "jacquard resume " + r.Request.Work
	},
}

// built takes the end of a task.
func (r *Run) built(m *Module, e flow.Event, res step.TaskResult) {
	if m.Task = &res; res.Status == step.Success {
		r.leaves(m.Dir, step.AttemptNote{Passed: true})
	}
	r.done(m, e, res.Usage)
}

// WorkPlanned is the text at the start of building.
func WorkPlanned(l Lang, n step.WorkNote) string {
	var b strings.Builder
	fmt.Fprint(&b, Countf(l.T("%s: %s · %d tasks\n"), n.Work, n.Requirement.Title, len(n.Tasks)))
	for _, r := range n.Reasons {
		fmt.Fprintf(&b, "  %s\n", l.Asked(r))
	}
	for _, t := range n.Tasks {
		after := ""
		if len(t.Needs) > 0 {
			after = " ← " + strings.Join(t.Needs, ", ")
		}
		fmt.Fprintf(&b, "  %s%s  %s\n", t.ID, after, t.Title)
	}
	return b.String()
}

// TaskStarted is the text of a task's beginning.
func TaskStarted(l Lang, id string) string { return fmt.Sprintf(l.T("  • %s started\n"), id) }

// Task is the text of one task's end. What was found in its attempts has been said with them.
func Task(l Lang, r step.TaskResult) string {
	var b strings.Builder
	why := l.Asked(r.Reason)
	switch r.Status {
	case step.Success:
		if r.Commit == "" {
			fmt.Fprint(&b, Countf(l.T("✓ %s: %s: it was there already; tests passed: %d\n"), r.ID, r.Title, r.Tests.Passed))
			break
		}
		fmt.Fprint(&b, Countf(l.T("✓ %s: %s (commit %s, %d files); tests passed: %d\n"), r.ID, r.Title, clip7(r.Commit), len(r.Files), r.Tests.Passed))
		b.WriteString(Shown(l, r.Tests))
		if s := r.Handoff.Caution; s != "" && !none(s) {
			fmt.Fprintf(&b, l.T("    the agent warns: %s\n"), pdca.Line(s))
		}
		if s := r.Handoff.Incomplete; s != "" && !none(s) {
			fmt.Fprintf(&b, l.T("    the agent left open: %s\n"), pdca.Line(s))
		}
	case step.Blocked:
		fmt.Fprintf(&b, "✗ %s: %s: %s\n", r.ID, r.Title, why)
	case step.Warning:
		if r.Reason == step.NotReproduced {
			fmt.Fprintf(&b, l.T("✗ %s: %s: no test could be written that fails with the current code. It may be fixed already; if not, give more details or --expected\n"), r.ID, r.Title)
			break
		}
		if r.Attempts == 0 {
			fmt.Fprintf(&b, l.T("✗ %s: %s: not built: %s\n"), r.ID, r.Title, why)
			break
		}
		if r.Reason == "untested" {
			fmt.Fprintf(&b, l.T("✗ %s: %s: not done: a person has to accept what was found, and nobody has\n"), r.ID, r.Title)
			break
		}
		if why = "[" + why + "]"; strings.Contains(why, " ") { // no code
			why = "(" + why[1:len(why)-1] + ")"
		}
		fmt.Fprint(&b, Countf(l.T("✗ %s: %s: failed after %d attempts %s\n"), r.ID, r.Title, r.Attempts, why))
	}
	return b.String()
}

// Shown are lines with how much tests and calls show of a change, and what nobody could call; "" where nothing is known.
func Shown(l Lang, c step.Counts) string {
	text := level(l, c) + heldOut(l, c.HeldOut)
	if c.Level == step.Proved && c.Red > 0 && c.HeldOut.Written == 0 {
		text += l.T("    held-out calls: none, so only its author's tests say what it gives\n")
	}
	for _, e := range c.Uncalled {
		text += fmt.Sprintf(l.T("    not called: %s: %s\n"), e.Text, l.Finding(e.Why))
	}
	return text
}

// heldOut says what calls gave that the author of the code did not know.
func heldOut(l Lang, c step.Called) string {
	why := ""
	if c.Why != "" {
		why = ": " + c.Why
	}
	switch {
	case c.Written == 0:
		return ""
	case c.Made == 0:
		return fmt.Sprintf(l.T("    held-out calls: none of %d could be run%s\n"), c.Written, why)
	case c.Made < c.Written:
		return fmt.Sprintf(l.T("    held-out calls: %d of %d return the expected result; %d more were not run%s\n"), c.Held, c.Made, c.Written-c.Made, why)
	}
	return fmt.Sprintf(l.T("    held-out calls: %d of %d return the expected result\n"), c.Held, c.Made)
}

// level is a line with how much tests show of a change.
func level(l Lang, c step.Counts) string {
	switch c.Level {
	case step.Proved:
		if c.Red == 0 {
			return l.T("    proved: calls return the agreed results\n")
		}
		return Countf(l.T("    proved: %d tests fail without it\n"), c.Red)
	case step.Covered:
		return l.T("    covered: tests pass, but none fails without it\n")
	case step.ByExit:
		return l.T("    by exit code: the test command succeeded, but does not report individual tests\n")
	case step.NotChecked:
		return l.T("    not checked: no test covers it\n")
	}
	return ""
}

// none reports whether a text says that there is nothing to say.
func none(s string) bool {
	return slices.Contains([]string{"none", "no", "nothing", "n/a", "-", "—", "없음", "なし"}, strings.ToLower(strings.Trim(s, " .。\n")))
}

func place(f step.Finding) string {
	switch {
	case f.Path == "":
		return "[" + f.Rule + "] "
	case f.Line > 0:
		return fmt.Sprintf("%s:%d: [%s] ", f.Path, f.Line, f.Rule)
	}
	return fmt.Sprintf("%s: [%s] ", f.Path, f.Rule)
}

func clip7(commit string) string { return commit[:min(len(commit), 7)] }

// requestEnd is the text at the end of a run of work.
func requestEnd(l Lang, r *Run, o *step.WorkOut) string {
	e := r.ended(l, o.Done > 0)
	if o.Tasks == 0 {
		e.done, e.result = fmt.Sprintf(l.T("%s: nothing was built: %s"), o.Work, l.Asked(o.Why)), nil
		return e.text(l)
	}
	e.done = fmt.Sprintf(l.T("%s: %d of %d tasks done"), o.Work, o.Done, o.Tasks)
	if o.Failed > 0 {
		e.done += fmt.Sprintf(l.T(", %d failed"), o.Failed)
	}
	if o.Blocked > 0 {
		e.done += fmt.Sprintf(l.T(", %d blocked"), o.Blocked)
	}
	if o.Failed+o.Blocked == 0 {
		e.undelivered(l)
	}
	var shown []step.Level
	for _, m := range r.Modules {
		if m.Task != nil && m.Task.Status == step.Success {
			shown = append(shown, m.Task.Tests.Level)
		}
	}
	e.proof = lines(levels(l, l.T("tasks"), shown, o.Tasks))
	e.open = append(step.Each(o.Open, func(s string) string { return fmt.Sprintf(l.T("not checked automatically: %s"), s) }), e.open...)
	ended := func(reason string) bool {
		return slices.ContainsFunc(r.Modules, func(m *Module) bool { return m.Task != nil && m.Task.Reason == reason })
	}
	switch {
	case o.Failed+o.Blocked == 0:
	case ended("untested"):
		e.open = append(e.open, fmt.Sprintf(l.T("to accept it without a test, or to say how to test it, run: jacquard resume %s (without --yes, it asks you what to do)"), o.Work))
	case ended("blocked"): // nobody is paid for saying so again
		e.open = append(e.open, fmt.Sprintf(l.T("to go on, fix what blocks it, then run: jacquard resume %s (without --yes, it asks you what to do)"), o.Work))
	case o.Tasks == 1:
		e.open = append(e.open, fmt.Sprintf(l.T("to try again, run: jacquard resume %s"), o.Work))
	default:
		e.open = append(e.open, fmt.Sprintf(l.T("to build the rest, run: jacquard resume %s"), o.Work))
	}
	return e.text(l)
}
