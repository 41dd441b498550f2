package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Names of workflow definitions, as journals have them.
const (
	compileDef   = "compile"
	workDef      = "work"
	autoDef      = "auto"
	developDef   = "develop"
	decompileDef = "decompile"
	specDef      = "spec"
)

// process is how the command line begins runs of a definition, and shows them.
type process struct {
	command string // that begins one
	style   string // of do; "" for another command
	// started is the line of a branch that begins, line that of a note.
	started func(l report.Lang, branch string) string
	line    func(l report.Lang, e flow.Event, branch string) string
	// end prints the answer of a run that is done.
	end func(p *project, e *engine, rep *report.Run, st flow.Status, blocks bool) error
	// feature is the name that documents of a run are kept under besides its own id.
	feature    func(rep *report.Run) string
	documents  bool // it writes documents
	asksAtOnce bool // questions are shown when they come; others stop there and list all that they ask
	several    bool // several requests may be at work at once
	unpaid     bool // nothing is proved, so the project's own checks need not run first
}

// processOf is the process of a definition.
func processOf(def string) process {
	noFeature := func(*report.Run) string { return "" }
	switch def {
	case compileDef:
		return process{
			command: "build", started: report.Started, line: noteLine, feature: noFeature, asksAtOnce: true,
			end: func(p *project, _ *engine, rep *report.Run, st flow.Status, blocks bool) error {
				return p.compiled(rep, st, blocks)
			},
		}
	case workDef:
		return process{
			command: "do", style: workDef, started: report.TaskStarted, line: workLine, feature: noFeature, documents: true, several: true,
			end: func(p *project, _ *engine, rep *report.Run, st flow.Status, _ bool) error { return p.worked(rep, st) },
		}
	case autoDef:
		return process{
			command: "do --style pdca", style: "pdca", started: report.Started, documents: true, several: true,
			line: func(l report.Lang, e flow.Event, _ string) string { return autoLine(l, e) },
			feature: func(rep *report.Run) string {
				if rep.Feature == nil {
					return ""
				}
				return rep.Feature.Name
			},
			end: func(p *project, e *engine, rep *report.Run, st flow.Status, _ bool) error {
				return p.finished(e, rep, st)
			},
		}
	case developDef:
		return process{
			command: "do --style develop", style: developDef, started: report.TaskStarted, line: developLine, documents: true,
			feature: func(rep *report.Run) string {
				if rep.Develop == nil {
					return ""
				}
				return rep.Develop.Name
			},
			end: func(p *project, e *engine, rep *report.Run, st flow.Status, _ bool) error {
				return p.developed(e, rep, st)
			},
		}
	}
	command := def
	if def == specDef {
		command = "spec new"
	}
	return process{
		command: command, started: report.Started, line: documentLine, feature: noFeature, unpaid: def == decompileDef,
		end: func(p *project, _ *engine, rep *report.Run, st flow.Status, _ bool) error {
			return p.documented(rep, st)
		},
	}
}

// workLine is the text of a note of a run of work.
func workLine(l report.Lang, e flow.Event, id string) string {
	switch {
	case e.Key == "planned":
		if p, err := report.Decode[step.WorkNote](e.Data); err == nil {
			return report.WorkPlanned(l, p)
		}
	case strings.HasSuffix(e.Key, ":result"):
		if r, err := report.Decode[step.TaskResult](e.Data); err == nil {
			return report.Task(l, r)
		}
	case strings.HasSuffix(e.Key, "judged") || strings.HasSuffix(e.Key, "/parked") || strings.HasSuffix(e.Key, "/landing"):
		return noteLine(l, e, cmp.Or(id, "work"))
	}
	return ""
}

// documentLine is the text of a note of a run that writes documents.
func documentLine(l report.Lang, e flow.Event, dir string) string {
	switch {
	case e.Key == "planned":
		if p, err := report.Decode[step.PlanNote](e.Data); err == nil {
			return report.DocumentPlanned(l, p)
		}
	case strings.HasSuffix(e.Key, ":result"):
		if r, err := report.Decode[step.DocumentModule](e.Data); err == nil {
			return report.DocumentResult(l, r)
		}
	case strings.HasSuffix(e.Key, "judged") || strings.HasSuffix(e.Key, "/parked"):
		return noteLine(l, e, cmp.Or(dir, "spec"))
	}
	return ""
}

// compiled prints the answer of a build.
func (p *project) compiled(rep *report.Run, st flow.Status, blocks bool) error {
	out, err := result[step.CompileOut](rep, st)
	if err != nil {
		return err
	}
	rep.Result = &out
	p.answer(rep, blocks)
	return proved(out.Verified)
}

// documented prints the answer of a run that wrote documents.
func (p *project) documented(rep *report.Run, st flow.Status) error {
	out, err := result[step.DocumentOut](rep, st)
	if err != nil {
		return err
	}
	rep.Documents, rep.Usage = &out, out.Usage
	if p.a.json {
		p.a.print(rep)
		return proved(out.Verified)
	}
	if rep.Workflow == specDef { // decompile has said each when it was done
		for _, m := range out.Modules {
			fmt.Fprint(p.a.Out, report.DocumentResult(p.a.lang(), m))
		}
	}
	fmt.Fprint(p.a.Err, report.DocumentSummary(p.a.lang(), rep.Workflow, out))
	return proved(out.Verified)
}
