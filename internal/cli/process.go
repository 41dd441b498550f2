package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// process is how the command line begins runs of a definition, and shows them.
type process struct {
	command string // that begins one
	style   string // of do; "" for another command
	// started is the line of a branch that begins, line that of a note.
	started func(l report.Lang, branch string) string
	line    func(l report.Lang, e flow.Event, branch string) string
	// end prints the answer of a run that is done.
	end       func(p *project, e *engine, rep *report.Run, blocks bool) error
	modules   bool // it builds modules from their specs
	works     bool // its requests are WORKs, with ids and folders
	documents bool // it writes documents
	git       bool // it needs branches and commits
	several   bool // several requests may be at work at once
	unpaid    bool // nothing is proved, so the project's own checks need not run first
}

// processOf is the process of a definition.
func processOf(def string) process {
	switch def {
	case compileDef:
		return process{command: "build", started: report.Started, line: lineOf(report.Planned, report.Result, ""), end: (*project).compiled, modules: true}
	case workDef:
		return process{command: "do", style: workDef, started: report.TaskStarted, line: lineOf(report.WorkPlanned, report.Task, "work"), end: (*project).ended, works: true, documents: true, several: true}
	case autoDef:
		return process{command: "do --style pdca", style: "pdca", started: report.Started, line: autoLine, end: (*project).finished, documents: true, git: true, several: true}
	case developDef:
		return process{command: "do --style develop", style: developDef, started: report.TaskStarted, line: developLine, end: (*project).developed, documents: true, git: true}
	}
	command := def
	if def == specDef {
		command = "spec new"
	}
	return process{command: command, started: report.Started, line: lineOf(report.DocumentPlanned, report.DocumentResult, "spec"), end: (*project).documented, unpaid: def == decompileDef}
}

// worded is the text of a fact of a run, "" for one that cannot be read.
func worded[T any](l report.Lang, e flow.Event, text func(report.Lang, T) string) string {
	v, err := report.Decode[T](e.Data)
	if err != nil {
		return ""
	}
	return text(l, v)
}

// lineOf is the text of a note of a run whose plan and results have texts; what stands for a note that is of no part of it.
func lineOf[P, R any](planned func(report.Lang, P) string, result func(report.Lang, R) string, what string) func(report.Lang, flow.Event, string) string {
	return func(l report.Lang, e flow.Event, branch string) string {
		switch {
		case e.Key == "planned":
			return worded(l, e, planned)
		case strings.HasSuffix(e.Key, ":result"):
			return worded(l, e, result)
		}
		return attemptLine(l, e, cmp.Or(branch, what))
	}
}

// isAttempt reports whether a note is about an attempt at something.
func isAttempt(e flow.Event) bool {
	return strings.HasSuffix(e.Key, "judged") || strings.HasSuffix(e.Key, "/landing") || strings.HasSuffix(e.Key, "/parked")
}

// attemptLine is the text of a note about an attempt, "" for another one.
func attemptLine(l report.Lang, e flow.Event, what string) string {
	switch {
	case !isAttempt(e):
		return ""
	case strings.HasSuffix(e.Key, "/parked"):
		return worded(l, e, func(l report.Lang, p step.Pause) string { return report.Paused(l, what, p) })
	}
	return worded(l, e, func(l report.Lang, n step.AttemptNote) string { return report.Attempt(l, what, n) })
}

// ended prints how a run that is done ended, and says by its code whether all of it is verified.
func (p *project) ended(_ *engine, rep *report.Run, _ bool) error {
	if !p.a.asJSON(rep) {
		fmt.Fprint(p.a.Err, report.Ending(p.a.lang(), rep, act.RunRef(rep.ID)))
	}
	return proved(rep.Verified())
}

// documented prints the answer of a run that wrote documents.
func (p *project) documented(e *engine, rep *report.Run, blocks bool) error {
	if rep.Workflow == specDef && !p.a.json { // decompile has said each when it was done
		fmt.Fprint(p.a.Out, report.Documents(p.a.lang(), rep))
	}
	return p.ended(e, rep, blocks)
}
