package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// Left is what a run has left of a piece of work that did not pass: what its author says, and where it is.
type Left struct {
	ID   string `json:"id"` // of the task or the checkpoint, or the name of the feature
	Said string `json:"said,omitempty"`
	Base string `json:"base,omitempty"` // tree that it changes
	Tree string `json:"tree,omitempty"` // of the last attempt that could be built, else of the last
	Ref  string `json:"ref,omitempty"`  // a commit with that tree
	Next string `json:"next,omitempty"` // the command that goes on with it

	left  step.Left // for a later run
	built bool
}

// leaves takes what an attempt has left.
func (r *Run) leaves(id string, a step.AttemptNote) {
	i := slices.IndexFunc(r.Left, func(l Left) bool { return l.ID == id })
	switch {
	case a.Phase == step.ContractsPhase:
	case a.Passed && i >= 0:
		r.Left = slices.Delete(r.Left, i, i+1)
	case a.Passed || a.Left == nil:
	case i < 0:
		r.Left = append(r.Left, Left{ID: id, Said: a.Left.Said, Base: a.Left.Base, Tree: a.Left.Tree, left: *a.Left, built: builds(a)})
	default:
		l := &r.Left[i]
		l.Said = a.Left.Said
		if b := builds(a); b || !l.built {
			l.Base, l.Tree, l.left, l.built = a.Left.Base, a.Left.Tree, *a.Left, b
		}
	}
}

// told is a note as anybody may read it: without the calls that are kept from the authors of the code.
func told(a step.AttemptNote) step.AttemptNote {
	if a.Left != nil {
		left := *a.Left
		left.HeldOut, left.For = nil, ""
		a.Left = &left
	}
	return a
}

// builds reports whether an attempt could be built.
func builds(a step.AttemptNote) bool {
	return !slices.ContainsFunc(a.Findings, func(f step.Finding) bool { return f.Rule == "build-failed" && f.Severity == step.Rejects })
}

// Restart is what a later run begins with, by the ids of its pieces of work.
func (r *Run) Restart() map[string]step.Left {
	var out map[string]step.Left
	for _, l := range r.Left {
		if out == nil {
			out = map[string]step.Left{}
		}
		left := l.left
		left.Said = l.Said
		out[l.ID] = left
	}
	return out
}

// Settle is called when the run has ended: what has become of all that was left, and how one goes on with it. ref is a
// commit of a tree, "" where there is none.
func (r *Run) Settle(ref func(tree string) string) {
	if !r.State.Ended() || r.Verified() {
		r.Left = nil
		return
	}
	for i := range r.Left {
		l := &r.Left[i]
		l.Ref = ref(l.Tree)
		if r.style.next != nil {
			l.Next = r.style.next(r)
		}
	}
}

// Word is a text as one word of a shell.
func Word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Lines and columns that are shown of what an author has said.
const (
	saidLines   = 8
	saidColumns = 300
)

// WhatIsLeft is the text at the end of a run that did not do all: what authors say, where their last work is, how to look at
// it and how to take it.
func WhatIsLeft(l Lang, r *Run) string {
	var b strings.Builder
	_, said := r.Result.(*step.WorkOut) // its end says how to go on
	for i, x := range r.Left {
		fmt.Fprintf(&b, l.T("%s did not pass. Its last attempt:\n"), x.ID)
		lines := strings.Split(step.Readable(strings.TrimSpace(x.Said)), "\n")
		for n, s := range lines[:min(len(lines), saidLines)] {
			if s = Cut(s, saidColumns); n == 0 && s != "" {
				s = fmt.Sprintf(l.T("agent's note: %s"), s)
			}
			if s != "" {
				fmt.Fprintf(&b, "    %s\n", s)
			}
		}
		if x.Tree != "" {
			fmt.Fprintf(&b, l.T("    review: git diff %s %s\n"), short(x.Base), cmp.Or(x.Ref, short(x.Tree)))
			if x.Ref != "" {
				fmt.Fprintf(&b, l.T("    keep it: git merge --squash %s\n"), x.Ref)
			} else {
				fmt.Fprintf(&b, l.T("    keep it: git diff %s %s | git apply -3\n"), short(x.Base), short(x.Tree))
			}
		}
		if i+1 == len(r.Left) && x.Next != "" && !said {
			fmt.Fprintf(&b, l.T("to continue from it, run: %s\n"), x.Next)
		}
	}
	if len(r.Left) > 0 {
		b.WriteString(l.T("to look up a code in brackets, run: jacquard explain CODE\n"))
	}
	if len(r.Altered) > 0 {
		fmt.Fprintf(&b, l.T("✗ these files changed after they were verified and delivered: %s\n    See git diff. To verify them as they are now, run: jacquard verify\n"), strings.Join(r.Altered, ", "))
	}
	return b.String()
}

// short is a tree as a person types it.
func short(id string) string { return id[:min(len(id), 12)] }
