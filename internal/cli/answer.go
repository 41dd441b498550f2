package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

func newAnswer(a *app) *cobra.Command {
	var gate string
	c := &cobra.Command{
		Use: "answer [RUN] [ANSWER]", Short: "answer a run's question: yes, no and a reason, or text",
		Long: "Answers a question of a run: yes or no with a reason for an approval, an option for a choice, text for anything else. " +
			"For a blocked run, answer yes once the problem is fixed. RUN defaults to the run that asks; without an answer, the " +
			"question is printed. Continue the run with jacquard resume.",
		Example: "  jacquard answer yes\n  jacquard answer k3v9 no the limit is 100, not 10\n  jacquard answer k3v9 \"per client\"",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onThe(c, nil, nil, func(ctx context.Context, p *project, rt keeper, _ flow.Run) error {
				r, text, err := asked(ctx, rt, args)
				if err != nil {
					return err
				}
				if text == "" {
					return p.printQuestions(r)
				}
				g, err := gateOf(r, gate)
				if err != nil {
					return err
				}
				s, err := meant(r, g, text)
				if err != nil {
					return err
				}
				return a.signalled(ctx, rt, r, s)
			})
		},
	}
	c.Flags().StringVar(&gate, "gate", "", "`key` of the question if a run asks several")
	return c
}

// asked is the run that words are for, and what they say to it. The first word may name the run; otherwise it is the only one that
// asks something.
func asked(ctx context.Context, rt flow.Runtime, args []string) (flow.Run, string, error) {
	runs, err := rt.Runs(ctx)
	if err != nil {
		return flow.Run{}, "", err
	}
	if len(args) > 0 && named(runs, args[0], len(args) > 1) {
		r, err := find(ctx, rt, args[0])
		return r, strings.TrimSpace(strings.Join(args[1:], " ")), err
	}
	if len(args) > 1 && runID().MatchString(args[0]) && strings.ContainsAny(args[0], runDigits) {
		return flow.Run{}, "", usage("no run %s; jacquard status lists the runs", args[0])
	}
	waiting := slices.DeleteFunc(slices.Clone(runs), func(r flow.Run) bool { return len(r.Gates) == 0 })
	text := strings.TrimSpace(strings.Join(args, " "))
	switch len(waiting) {
	case 1:
		return waiting[0], text, nil
	case 0:
		if i := slices.IndexFunc(runs, answered); i >= 0 {
			return flow.Run{}, "", noQuestion(runs[i])
		}
		return flow.Run{}, "", usage("no run has a pending question; jacquard status lists the runs")
	}
	var lines []string
	for _, r := range waiting {
		lines = append(lines, fmt.Sprintf("  jacquard answer %s %s", r.ID, text)+"   # "+oneLineOf(r.Gates[0].Question.Text, 60))
	}
	return flow.Run{}, "", usage("%d runs match; choose one:\n%s", len(waiting), strings.Join(lines, "\n"))
}

// named reports whether a word names a run: its id or, with more words behind it, a prefix. Two letters are one of a run that asks something,
// and only with a digit: answers begin with "no" and "it". One letter is the number of an option, or a word.
func named(runs []flow.Run, word string, more bool) bool {
	enough := func(r flow.Run) bool {
		return len(word) >= 3 || len(word) == 2 && len(r.Gates) > 0 && strings.ContainsAny(word, runDigits)
	}
	if said(yesWords, word) || said(noWords, word) {
		return false
	}
	return slices.ContainsFunc(runs, func(r flow.Run) bool { return r.ID == word || more && strings.HasPrefix(r.ID, word) && enough(r) })
}

// runDigits are the digits that ids of runs have. A word of an answer has none.
const runDigits = "234567"

// runID is what ids of runs look like.
var runID = re.New(`^[a-z2-7]{8}$`)

// printQuestions prints what a run asks, and how to answer.
func (p *project) printQuestions(r flow.Run) error {
	if p.a.asJSON(map[string]any{"run": r.ID, "gates": r.Gates}) {
		return nil
	}
	if len(r.Gates) == 0 {
		return noQuestion(r)
	}
	fmt.Fprint(p.a.Out, p.questions(p.a.lang(), r.ID, r.Gates))
	return nil
}

// Words that people answer an approval with.
var (
	yesWords = []string{"a", "approve", "approved", "y", "yes", "ok", "proceed", "승인", "진행", "예", "네"}
	noWords  = []string{"r", "reject", "rejected", "n", "no", "거절", "아니오", "아니요"}
)

// said reports whether a word is among those of an answer, whatever its case and the mark after it.
func said(words []string, word string) bool {
	return slices.Contains(words, strings.ToLower(strings.TrimRight(word, ",.:;!")))
}

// meant is what an answer says to a question.
func meant(r flow.Run, g flow.Gate, text string) (flow.Signal, error) {
	s := flow.Signal{Gate: g.Key, Tree: g.Question.Tree}
	if list := offered(g); len(list) > 0 && !slices.Contains(list, text) {
		n, err := strconv.Atoi(strings.TrimRight(text, ".)"))
		switch i := slices.IndexFunc(list, func(o string) bool { return strings.EqualFold(o, text) }); {
		case i >= 0:
			text = list[i]
		case err == nil && n > 0 && n <= len(list):
			text = list[n-1]
		case err == nil: // a slip, where options are numbered
			return s, usage("%d is not the number of an option; if it is your answer itself, add a word to it:\n%s", n, strings.TrimRight(numbered(list), "\n"))
		}
	}
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case g.Question.Class != "":
		if !said(yesWords, word) || rest != "" {
			return s, usage("run %s is blocked: answer yes once it is fixed, or end it with jacquard stop --now %s\n  %s", r.ID, r.ID, g.Question.Text)
		}
		s.Verb = flow.Approve
	case slices.Contains(g.Question.Options, text) && !slices.Contains([]string{flow.Approve, flow.Reject}, text):
		s.Verb, s.Text = flow.Reply, text
	case !approval(g) && len(g.Question.Options) > 0:
		return s, usage("%q is not one of %s", text, strings.Join(g.Question.Options, ", "))
	case !approval(g):
		s.Verb, s.Text = flow.Reply, text
	case said(yesWords, word) && rest == "":
		s.Verb = flow.Approve
	case said(noWords, word) && rest != "":
		s.Verb, s.Text = flow.Reject, rest
	case said(noWords, word): // its author is told nothing else
		return s, usage("to reject, give a reason: jacquard answer %s no \"what should be different\"", r.ID)
	default:
		return s, usage("%q is neither yes nor no: jacquard answer %s yes, or jacquard answer %s no \"what should be different\"", text, r.ID, r.ID)
	}
	return s, nil
}

// signalled gives an answer to a run and says so.
func (a *app) signalled(ctx context.Context, rt flow.Runtime, r flow.Run, s flow.Signal) error {
	if err := cmp.Or(a.byPerson(s.Verb == flow.Approve || s.Verb == flow.Reject, "yes or no"), a.byPerson(decides(r, s), strconv.Quote(s.Text))); err != nil {
		return err
	}
	s.By = a.who()
	if err := rt.Signal(ctx, r.ID, s); errors.Is(err, flow.ErrNoGate) {
		return noLonger(r)
	} else if err != nil {
		return err
	}
	if a.asJSON(map[string]any{"run": r.ID, "gate": s.Gate, "signal": s.Verb}) {
		return nil
	}
	fmt.Fprintf(a.Err, a.lang().T("answer saved; to continue, run: jacquard resume %s\n"), r.ID)
	return nil
}

// decides reports whether a reply takes a decision, as that to a question of yes, no and more does. What the next attempt is told is none.
func decides(r flow.Run, s flow.Signal) bool {
	g, err := gateOf(r, s.Gate)
	return s.Verb == flow.Reply && (turn.Overrules(s.Gate, s.Text) || err == nil && approval(g))
}

// noLonger is the error of an answer that came too late.
func noLonger(r flow.Run) error {
	return usage("run %s no longer asks this question; to see what it asks now, run: jacquard status %s", r.ID, r.ID)
}

// newApproval is answer yes or answer no by its former name.
func newApproval(a *app, verb string) *cobra.Command {
	var gate, why string
	c := &cobra.Command{
		Use: verb + " [RUN] [TEXT]", Short: map[string]string{flow.Approve: "answer yes", flow.Reject: "answer no"}[verb], Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			text := why
			if len(args) == 2 {
				text = args[1]
			}
			return a.onThe(c, args, asks, func(ctx context.Context, _ *project, rt keeper, r flow.Run) error {
				g, err := gateOf(r, gate)
				if err != nil {
					return err
				}
				if verb == flow.Reject && text == "" && approval(g) { // its author is told nothing else
					return usage("to reject, give a reason: jacquard answer %s no \"what should be different\"", r.ID)
				}
				return a.signalled(ctx, rt, r, flow.Signal{Verb: verb, Gate: g.Key, Tree: g.Question.Tree, Text: text})
			})
		},
	}
	c.Flags().StringVar(&gate, "gate", "", "`key` of the question if a run asks several")
	if verb == flow.Reject {
		c.Flags().StringVar(&why, "why", "", "the reason, passed on to the next attempt")
	}
	return c
}

// noQuestion is the error of who answers a run that asks nothing.
func noQuestion(r flow.Run) error {
	if answered(r) {
		return usage("run %s has its answer; to continue, run: jacquard resume %s", r.ID, r.ID)
	}
	return usage("run %s has no pending question", r.ID)
}

func gateOf(r flow.Run, key string) (flow.Gate, error) {
	if len(r.Gates) == 0 {
		return flow.Gate{}, noQuestion(r)
	}
	var keys []string
	for _, g := range r.Gates {
		if g.Key == key || key == "" && len(r.Gates) == 1 {
			return g, nil
		}
		keys = append(keys, "  "+g.Key+": "+g.Question.Text)
	}
	if key != "" {
		return flow.Gate{}, usage("run %s has no question %q. Name one of these with --gate:\n%s", r.ID, key, strings.Join(keys, "\n"))
	}
	return flow.Gate{}, usage("run %s asks %d questions; choose one with --gate:\n%s", r.ID, len(keys), strings.Join(keys, "\n"))
}

// waitsFor is what a run asks people, that it has its answer, or what it waits for before a turn is asked again.
func (p *project) waitsFor(l report.Lang, r flow.Run, pause *step.Pause) string {
	switch {
	case answered(r):
		return fmt.Sprintf(l.T("answered; to continue, run: jacquard resume %s\n"), r.ID)
	case pause != nil && r.State == flow.Parked:
		return parked(l, r.ID, pause.Why, pause.Until)
	case pause != nil && r.State == flow.Interrupted:
		return fmt.Sprintf(l.T("interrupted while waiting to retry: %s\nto continue, run: jacquard resume %s\n"), step.Readable(pause.Why), r.ID)
	}
	return p.questions(l, r.ID, r.Gates)
}

// parked says why a run is parked, and until when.
func parked(l report.Lang, id, why string, until time.Time) string {
	return fmt.Sprintf(l.T("parked: %s\n"), step.Readable(why)) +
		fmt.Sprintf(l.T("It can continue at %s. Then run: jacquard resume %s (with --wait, Jacquard waits and continues)\n"), until.Local().Format(time.DateTime), id)
}

// pauseOf is what a run waits for that stands still before a turn is asked again; nil for any other.
func (p *project) pauseOf(ctx context.Context, r flow.Run) (pause *step.Pause, err error) {
	if r.State != flow.Parked && r.State != flow.Interrupted || r.Engine != "" {
		return nil, nil
	}
	return pause, p.reading(ctx, func(rt keeper) error {
		rep, err := reportOf(ctx, rt, r)
		if err == nil {
			pause = rep.Waits()
		}
		return err
	})
}

// questions are what a run asks people, with the commands that answer.
func (p *project) questions(l report.Lang, id string, gates []flow.Gate) string {
	var b strings.Builder
	for _, q := range repairs(gates) {
		fmt.Fprintf(&b, l.T("blocked: %s\n"), q.Text)
		if q.Class == flow.Budget {
			fmt.Fprintf(&b, l.T("To continue with a higher budget, run: jacquard resume %s --budget %s\n"), id, p.higher(id, gates))
		} else {
			fmt.Fprintf(&b, l.T("Fix it, then run: jacquard resume %s\n"), id)
		}
	}
	several := len(gates) > 1
	for _, g := range gates {
		if g.Question.Class != "" {
			continue
		}
		answer := "jacquard answer " + id
		if several {
			answer += " --gate " + g.Key
		}
		b.WriteString(question(l, g))
		switch {
		case !approval(g):
			fmt.Fprintf(&b, l.T("  %s TEXT\n"), answer)
		case slices.Contains(g.Question.Options, turn.Skip):
			fmt.Fprintf(&b, l.T("  %s yes, %s no \"…\", or %s skip\n"), answer, answer, answer)
		case strings.HasSuffix(g.Key, agreeGate):
			fmt.Fprintf(&b, l.T("  %s yes, or %s no \"…\" to send it back to the agent\n"), answer, answer)
		case edits(g):
			fmt.Fprintf(&b, l.T("  %s yes, %s no \"…\", or jacquard edit %s\n"), answer, answer, id)
		default:
			fmt.Fprintf(&b, l.T("  %s yes to continue anyway, or %s no \"…\" to stop here\n"), answer, answer)
		}
	}
	return b.String()
}

// question is the text of what a gate asks, with the answers that it offers.
func question(l report.Lang, g flow.Gate) string {
	var b strings.Builder
	b.WriteString("? " + strings.TrimRight(report.Question(l, g.Key, g.Question), "\n") + "\n")
	b.WriteString(numbered(offered(g)))
	if d := g.Question.Default; d != "" {
		fmt.Fprintf(&b, l.T("    default: %s\n"), d)
	}
	return b.String()
}

// numbered are the answers that a gate proposes, a line each.
func numbered(list []string) string {
	var b strings.Builder
	for i, s := range list {
		fmt.Fprintf(&b, "    %d  %s\n", i+1, s)
	}
	return b.String()
}

// offered are the answers that a gate proposes; a number stands for each.
func offered(g flow.Gate) []string {
	if approval(g) || g.Question.Class != "" {
		return nil
	}
	return append(slices.Clone(g.Question.Options), g.Question.Choices...)
}

// approval reports whether a gate asks for an approval rather than for a text.
func approval(g flow.Gate) bool { return slices.Contains(g.Question.Options, flow.Approve) }

// oneLineOf is a text on one line of at most so many characters.
func oneLineOf(text string, most int) string {
	return report.Cut(strings.Join(strings.Fields(text), " "), most)
}
