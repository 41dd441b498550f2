package report

import (
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

const decompileDef = "decompile"

// documentStyle is that of runs that write documents of modules.
var documentStyle = style{
	defs:   []string{decompileDef, "spec"},
	result: func() step.Result { return &step.DocumentOut{} },
	note:   moduleNote(func(_ *Module, res step.DocumentModule) step.Usage { return res.Usage }),
}

// DocumentPlanned is the text at the start of a run that writes documents.
func DocumentPlanned(l Lang, p step.PlanNote) string {
	return fmt.Sprintf(l.T("%d to describe:\n"), p.Count) + listed(l, p, func(why string) string { return reason(l, why) })
}

func reason(l Lang, why string) string {
	switch why {
	case "no spec":
		return l.T("no spec")
	case "its spec does not cover all of the code":
		return l.T("its spec does not cover all of the code")
	case "no IMPLEMENTS.md":
		return l.T("no IMPLEMENTS.md")
	}
	return why
}

// DocumentResult is the text of one module's documents.
func DocumentResult(l Lang, m step.DocumentModule) string {
	var b strings.Builder
	files := m.Spec
	if m.Plan != "" {
		files += ", " + m.Plan
	}
	switch {
	case m.Status != "written":
		fmt.Fprintf(&b, "  ✗ %s: %s\n", files, m.Why)
	case m.Created && m.Exports > 0:
		fmt.Fprint(&b, Countf(l.T("✓ %s: %d exports\n"), files, m.Exports))
	case m.Created:
		fmt.Fprintf(&b, l.T("✓ %s (new)\n"), files)
	default:
		fmt.Fprintf(&b, "✓ %s\n", files)
	}
	if m.Purpose != "" {
		fmt.Fprintf(&b, "    %s\n", m.Purpose)
	}
	for _, c := range m.Changes {
		if gone, ok := strings.CutPrefix(c, "without "); ok {
			fmt.Fprintf(&b, "    - %s\n", gone)
		} else {
			fmt.Fprintf(&b, "    + %s\n", c)
		}
	}
	for _, f := range m.Findings {
		fmt.Fprintf(&b, l.T("    rejected: %s\n"), l.Finding(f.Message))
	}
	return b.String()
}

// documentsEnd is the text at the end of a run that wrote documents, for a workflow: decompile or spec.
func documentsEnd(l Lang, workflow string, o *step.DocumentOut) string {
	var b strings.Builder
	for _, q := range o.Assumed {
		fmt.Fprintln(&b, assumed(l, q))
	}
	switch {
	case len(o.Findings) > 0:
		b.WriteString(l.T("nothing was written: the agent's specs are not valid; rephrase the request, or try again\n"))
	case o.Kept > 0:
		fmt.Fprintf(&b, l.T("%d written, %d unchanged\n"), o.Written, o.Kept)
	case workflow == "spec":
		fmt.Fprintf(&b, l.T("specs written: %d. Next, review them and run: jacquard build\n"), o.Written)
	default:
		fmt.Fprintf(&b, l.T("specs written: %d. Next, write the Behavior of each module and run: jacquard adopt\n"), o.Written)
	}
	return b.String()
}

// Documents is the text of all documents that a run has written.
func Documents(l Lang, r *Run) string {
	text := ""
	if out, ok := r.Result.(*step.DocumentOut); ok {
		for _, m := range out.Modules {
			text += DocumentResult(l, m)
		}
	}
	return text
}

// NothingToDescribe is the answer of a decompile run that found nothing to write.
func NothingToDescribe() *Run {
	out := &step.DocumentOut{Modules: []step.DocumentModule{}}
	out.Verified, out.Usage.Known = true, true
	return &Run{Usage: out.Usage, Workflow: decompileDef, State: flow.Done, Modules: []*Module{}, Result: out}
}
