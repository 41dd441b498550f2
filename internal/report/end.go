package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// ending is how a run ended, in the same lines for every process: what was done, how it is proved, what it cost, where it is and how to
// undo it, what is open, and where to read more.
type ending struct {
	ok                  bool
	done                string
	proof, cost, result []string
	undo                string
	open                []string
	run                 string // the one to report, "" for none
}

func (e ending) text(l Lang) string {
	var b strings.Builder
	if mark := "✓"; e.done != "" {
		if !e.ok {
			mark = "✗"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, e.done)
	}
	rows := []struct {
		name  string
		lines []string
	}{{l.T("proof:"), e.proof}, {l.T("cost:"), e.cost}, {l.T("result:"), e.result}, {l.T("undo:"), lines(e.undo)}, {l.T("open:"), e.open}}
	wide := 0
	for _, r := range rows {
		wide = max(wide, Width(r.name))
	}
	for _, r := range rows {
		for i, s := range r.lines {
			name := r.name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "  %s%s %s\n", name, strings.Repeat(" ", wide-Width(name)), s)
		}
	}
	if e.run != "" {
		fmt.Fprintf(&b, l.T("report: jacquard report %s --open\n"), e.run)
	}
	return b.String()
}

// at says where the work of a run is: on a branch of the user's, in a pull request, or why in neither. Where nothing landed, that is said.
func (e *ending) at(l Lang, m *step.Moved, pull *step.PullResult, why string, landed bool) {
	if m != nil && m.From != "" {
		span := clip7(m.From) + ".." + clip7(m.To)
		switch {
		case m.New:
			e.result, e.undo = append(e.result, fmt.Sprintf(l.T("new branch %s; to review: git log -p %s"), m.Branch, span)), "git branch -D "+m.Branch
		case m.Branch == "":
			e.result = append(e.result, fmt.Sprintf(l.T("no branch is checked out; to review: git log -p %s"), span), fmt.Sprintf(l.T("to keep it: git branch NAME %s"), clip7(m.To)))
		default:
			e.result = append(e.result, fmt.Sprintf(l.T("branch %s; to review: git log -p %s"), m.Branch, span))
		}
		e.undo = cmp.Or(e.undo, "jacquard undo "+e.run)
	}
	e.result = append(append(e.result, lines(pulled(l, pull))...), lines(l.Asked(why))...)
	if !landed && m == nil && pull == nil {
		e.result = append(e.result, l.T("nothing landed; your branch and files are unchanged"))
	}
}

// levels says of how many pieces of work there is which level of proof. They are called what,
// and there are so many in all, also of those that nothing shows.
func levels(l Lang, what string, of []step.Level, all int) string {
	count := map[step.Level]int{}
	for _, x := range of {
		count[x]++
	}
	if count[""] == len(of) { // nothing says how they were shown
		return ""
	}
	said := []string{fmt.Sprintf(l.T("%d of %d %s proved"), count[step.Proved], max(all, len(of)), what)}
	if n := count[step.Covered]; n > 0 {
		said = append(said, fmt.Sprintf(l.T("%d covered by tests"), n))
	}
	if n := count[step.ByExit]; n > 0 {
		said = append(said, fmt.Sprintf(l.T("%d by exit code"), n))
	}
	if n := count[step.NotChecked]; n > 0 {
		said = append(said, fmt.Sprintf(l.T("%d not checked"), n))
	}
	return strings.Join(said, ", ")
}

// lines are those of a text, without the blanks around them; none for an empty one.
func lines(text string) (out []string) {
	for s := range strings.Lines(text) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// pulled is a line with the pull request of a run, "" for none.
func pulled(l Lang, p *step.PullResult) string {
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
