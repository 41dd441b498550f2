package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// discard forgets what was typed and not read yet.
func (a *app) discard() {
	if f, ok := a.In.(*os.File); ok {
		flushInput(int(f.Fd()))
	}
	if a.line == nil {
		if a.keys != nil {
			_, _ = a.keys.Discard(a.keys.Buffered())
		}
		return
	}
	select {
	case _, ok := <-a.line:
		if ok {
			a.line = nil
		}
	default:
	}
}

// converse asks on the terminal what a run asks. It is errQuit when the person does not answer now.
func (p *project) converse(ctx context.Context, e *engine, r flow.Run, gates []flow.Gate) error {
	for _, g := range gates {
		if g.Question.Class != "" {
			return errQuit
		}
		p.a.discard() // what was typed before the question was there is no answer to it
		wide, tall, _ := terminal(p.a.Err)
		ask := fitted(question(p.a.lang(), g), wide, 0)
		fmt.Fprint(p.a.Err, foldedTo(p.a.lang(), ask, tall))
		for answered := false; !answered; {
			var err error
			answered, err = p.hears(ctx, e, r, g, ask)
			if errors.Is(err, flow.ErrNoGate) {
				fmt.Fprint(p.a.Err, p.a.lang().T("This question was answered in another terminal.\n"))
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// hears takes what a person types at a gate that was shown to him, and reports whether the run has its answer then.
func (p *project) hears(ctx context.Context, e *engine, r flow.Run, g flow.Gate, ask string) (answered bool, err error) {
	menu, letters := choices(p.a.lang(), g)
	fmt.Fprint(p.a.Err, menu)
	text, err := p.a.reads(ctx)
	if err != nil {
		return false, err
	}
	is := func(words ...string) bool { return slices.Contains(words, strings.ToLower(text)) }
	one := detailsOf(ask, text)
	switch {
	case is("?", "h", "help"):
		fmt.Fprint(p.a.Err, ask)
		return false, nil
	case !approval(g):
	case one != "":
		fmt.Fprint(p.a.Err, one)
		return false, nil
	case is("e", "edit") && edits(g):
		now, err := find(ctx, e, r.ID)
		if err != nil {
			return false, err
		}
		if !wantsApproval(now) {
			return false, flow.ErrNoGate
		}
		return p.edit(ctx, e, now)
	case is("s", turn.Skip) && slices.Contains(g.Question.Options, turn.Skip):
		text = turn.Skip
	case is("q", "quit"):
		if edits(g) {
			fmt.Fprint(p.a.Err, p.a.lang().T("nothing was built; the run waits\n"))
		}
		return false, errQuit
	case said(noWords, text):
		fmt.Fprint(p.a.Err, p.a.lang().T("What should be different? "))
		why, err := p.a.reads(ctx)
		if err != nil || why == "" {
			return false, err
		}
		text += " " + why
	}
	s, err := meant(r, g, text)
	if err != nil {
		if approval(g) {
			err = errors.New(letters)
		}
		fmt.Fprintln(p.a.Err, err)
		return false, nil
	}
	if s.By = p.a.who(); s.Text == "" && s.Verb == flow.Reply {
		s.Text = " " // the default
	}
	if taken := cmp.Or(strings.TrimSpace(s.Text), g.Question.Default); !approval(g) && taken != text {
		fmt.Fprintf(p.a.Err, "  → %s\n", taken)
	}
	return true, e.Signal(ctx, r.ID, s)
}

// detail is how far the details of a task are indented in a question.
const detail = "      "

// foldedTo is a question for a terminal of so many lines. Where it is higher, the details of a task are only counted.
func foldedTo(l report.Lang, ask string, lines int) string {
	if strings.Count(ask, "\n")+1 < lines {
		return ask
	}
	var b strings.Builder
	above, first, hidden := "", "", 0
	fold := func() {
		if hidden > 0 {
			fmt.Fprint(&b, report.Countf(l.T("%s… %d more lines\n"), detail, hidden))
			first, hidden = cmp.Or(first, nameOf(above)), 0
		}
	}
	for line := range strings.Lines(ask) {
		if strings.HasPrefix(line, detail) && above != "" {
			hidden++
			continue
		}
		fold()
		above = line
		b.WriteString(line)
	}
	fold()
	if first != "" {
		fmt.Fprintf(&b, l.T("(%s shows it in full, ? shows everything)\n"), first)
	}
	return b.String()
}

// nameOf is the first word of a line, by which its details are opened.
func nameOf(line string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return name
}

// detailsOf is what stands in a question below the line that begins with a name, with that line; nothing where there is none.
func detailsOf(ask, name string) string {
	var b strings.Builder
	for line := range strings.Lines(ask) {
		switch {
		case strings.HasPrefix(line, detail) && b.Len() > 0:
			b.WriteString(line)
		case b.Len() > 0:
			return b.String()
		case name != "" && strings.EqualFold(nameOf(line), name) && strings.HasPrefix(line, "  "):
			b.WriteString(line)
		}
	}
	return b.String()
}

// edits reports whether what a gate asks about can be edited by a person.
func edits(g flow.Gate) bool {
	return approval(g) && !slices.Contains(g.Question.Options, turn.Skip) && !strings.HasSuffix(g.Key, "/decide") && !strings.HasSuffix(g.Key, agreeGate)
}

// choices is what a person may type, and for an approval what he is told who types something else.
func choices(l report.Lang, g flow.Gate) (menu, letters string) {
	switch {
	case g.Question.Default != "":
		return l.T("[Enter] for the default, a number, or your own answer: "), ""
	case len(offered(g)) > 0:
		return l.T("a number, or the option itself: "), ""
	case !approval(g):
		return "> ", ""
	case slices.Contains(g.Question.Options, turn.Skip):
		return l.T("[y]es, [n]o and why, [s]kip, [q]uit: "), l.T("type y, n, s or q")
	case edits(g):
		return l.T("[y]es, [n]o and why, [e]dit, [q]uit: "), l.T("type y, n, e or q")
	}
	return l.T("[y]es, [n]o and why, [q]uit: "), l.T("type y, n or q")
}
