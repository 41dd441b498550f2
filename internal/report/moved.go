package report

import (
	"cmp"
	"fmt"

	"github.com/jacquard-build/jacquard/internal/step"
)

// Pulled is a line with the pull request of a run, "" for none.
func Pulled(l Lang, p *step.PullResult) string {
	switch {
	case p == nil:
		return ""
	case p.Draft && p.Note != "":
		return fmt.Sprintf(l.T("draft pull request: %s (%s → %s): everything is verified; mark it as ready for review: %s\n"), p.URL, p.Branch, p.Base, p.Note)
	case p.Draft:
		return fmt.Sprintf(l.T("draft pull request: %s (%s → %s): not everything is verified\n"), p.URL, p.Branch, p.Base)
	}
	return fmt.Sprintf(l.T("pull request: %s (%s → %s)\n"), p.URL, p.Branch, p.Base)
}

// Moved says what became of a branch of the user's in a run, how to look at it, and how to undo it. It is empty for no branch.
func Moved(l Lang, m *step.Moved, run string) string {
	if m == nil || m.From == "" {
		return ""
	}
	from, to := clip7(m.From), clip7(m.To)
	if m.New {
		return fmt.Sprintf(l.T("created branch %s at %s\n  review: git log -p %s..%s\n  undo: git branch -D %s\n"), m.Branch, to, from, to, m.Branch)
	}
	said := fmt.Sprintf(l.T("%s moved from %s to %s\n  review: git log -p %s..%s\n  undo: jacquard undo %s\n  report: jacquard report %s --open\n"), cmp.Or(m.Branch, "HEAD"), from, to, from, to, run, run)
	if m.Branch == "" {
		said += fmt.Sprintf(l.T("  keep it, as no branch is checked out: git branch NAME %s\n"), to)
	}
	return said
}
