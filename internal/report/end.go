package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
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

// ended begins the ending of a run with what all processes say: what it cost, where it is, and what is open. landed says that
// something of it is on its branch.
func (r *Run) ended(l Lang, landed bool) ending {
	o := r.Result.Ended()
	e := ending{ok: o.Verified, run: r.ID, cost: []string{r.spent(l) + Countf(l.T(", %d agent sessions"), o.Sessions)}}
	if m := o.Moved; m != nil && m.From != "" {
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
	e.result = append(append(e.result, lines(pulled(l, o.Pull))...), lines(l.Asked(o.Why))...)
	if !landed && o.Moved == nil && o.Pull == nil {
		e.result = append(e.result, l.T("nothing landed; your branch and files are unchanged"))
	}
	for _, q := range o.Assumed {
		e.open = append(e.open, assumed(l, q))
	}
	for _, s := range o.Accepted {
		e.open = append(e.open, fmt.Sprintf(l.T("overruled: %s"), pdca.Line(s)))
	}
	for _, s := range o.Warnings {
		e.open = append(e.open, fmt.Sprintf(l.T("warning: %s"), l.Asked(pdca.Line(s))))
	}
	return e
}

// assumed is a line with what an agent took for granted, and the question if there was one.
func assumed(l Lang, q step.QA) string {
	return fmt.Sprintf(l.T("assumed: %s"), pdca.Line(strings.TrimPrefix(q.Question, step.Assumed)+" "+q.Answer))
}

// undelivered says of a run that has done all that the user does not have it.
func (e *ending) undelivered(l Lang) {
	if !e.ok {
		e.done += l.T(", but not delivered")
	}
}

// document says where the document of a run is. Nothing of a run that failed is in the user's tree, but on its branch ref.
func (e *ending) document(l Lang, name, ref string, inTree bool) {
	switch {
	case name == "":
	case inTree || works.IsKept(name):
		e.result = append(e.result, fmt.Sprintf(l.T("document: %s"), name))
	default:
		e.result = append(e.result, fmt.Sprintf(l.T("document: git show %s:%s"), ref, name), fmt.Sprintf(l.T("changes: git diff HEAD %s"), ref))
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
