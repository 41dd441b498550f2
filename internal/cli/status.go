package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "status [RUN]", Aliases: []string{"ps"}, Short: "list runs: request, state, question, cost", Args: oneArgument("run"),
		Long:    "Lists the runs of this project, newest first, then open questions and how to answer them.",
		Example: "  jacquard status\n  jacquard status --json",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			runs, err := p.runs(ctx)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				r, err := pick(runs, args[0])
				if err != nil {
					return err
				}
				runs = []flow.Run{r}
			}
			return p.status(ctx, runs)
		}),
	}
}

// runStatus is a run in a list.
type runStatus struct {
	flow.Run

	// Verified says whether a run that is done has done what it was to do; nil where its workflow proves nothing.
	Verified *bool `json:"verified,omitempty"`
	// Request is what was asked, as a command.
	Request string `json:"request"`
	// TakenBack says that jacquard undo has taken back what it did.
	TakenBack bool `json:"taken_back,omitempty"`
	// Ref holds a result that was proved and could not be put on the branch.
	Ref string `json:"undelivered,omitempty"`
	// Pause is what a run waits for that stands still before a turn is asked again.
	Pause  *step.Pause `json:"pause,omitempty"`
	Tokens int64       `json:"tokens"`
	USD    float64     `json:"usd"`
}

func (p *project) status(ctx context.Context, runs []flow.Run) error {
	list := []runStatus{}
	for _, r := range runs {
		account, err := p.account(r.ID)
		if err != nil {
			return err
		}
		waits, err := p.leftOn(ctx, r)
		if err != nil {
			return err
		}
		pause, err := p.pauseOf(ctx, r)
		if err != nil {
			return err
		}
		list = append(list, runStatus{Run: r, Ref: waits, Pause: pause, Verified: verified(r), Request: requested(r), TakenBack: p.takenBack(r.ID), Tokens: account.Spent.Tokens, USD: float64(account.Spent.MicroUSD) / 1e6})
	}
	if p.a.asJSON(map[string]any{"runs": list}) {
		return nil
	}
	now := time.Now()
	stood, err := p.stood(ctx, runs, now)
	if err != nil {
		return err
	}
	l := p.a.lang()
	rows := [][]string{{l.T("RUN"), l.T("STATE"), l.T("STARTED"), l.T("TOOK"), l.T("COST"), l.T("REQUEST")}}
	for _, r := range list {
		state := l.State(string(r.State))
		switch {
		case r.TakenBack:
			state += l.T(", undone")
		case r.Ref != "":
			state += l.T(", not delivered")
		case failed(r.Run):
			state = l.State(string(flow.Errored))
		case r.Verified != nil && !*r.Verified && aside(r.Run) == "":
			state += l.T(", not verified")
		}
		cost := "-"
		switch {
		case r.USD > 0:
			cost = fmt.Sprintf("$%.2f", r.USD)
		case r.Tokens > 0:
			cost = report.Short(r.Tokens) + " tok"
		}
		end := r.Ended
		if end.IsZero() {
			end = now
		}
		rows = append(rows, []string{r.ID, state, r.Started.Local().Format("01-02 15:04"), report.Took(end.Sub(r.Started) - stood[r.ID]), cost, r.Request})
	}
	for line := range strings.Lines(report.Table(rows, 0)) { // a line for each run; jacquard show has all of a request
		if wide, _, tty := terminal(p.a.Out); tty {
			line = report.Cut(strings.TrimRight(line, "\n"), wide) + "\n"
		}
		fmt.Fprint(p.a.Out, line)
	}
	if len(list) == 0 {
		fmt.Fprint(p.a.Err, l.T("no runs yet: start with jacquard do \"…\" or jacquard build\n"))
	}
	for _, r := range list {
		fmt.Fprint(p.a.Err, p.waitsFor(l, r.Run, r.Pause))
	}
	return nil
}

// stood says how long each run has stood still until now: who waits for a person does not work.
func (p *project) stood(ctx context.Context, runs []flow.Run, now time.Time) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	local := slices.DeleteFunc(slices.Clone(runs), func(r flow.Run) bool { return r.Engine != "" })
	if len(local) == 0 || p.conf.Engine == onTemporal { // a cluster that is not there has been said once
		return out, nil
	}
	return out, p.reading(ctx, func(rt keeper) error {
		for _, r := range local {
			events, err := rt.Events(ctx, r.ID, 0)
			if err != nil {
				return err
			}
			if r.State.Ended() || r.Driver != "" {
				out[r.ID] = stoodStill(events, time.Time{}, time.Time{})
			} else {
				out[r.ID] = stoodStill(events, p.lastSign(r.ID), now)
			}
		}
		return nil
	})
}

// lastSign is when the driver of a run has last written something beside the journal: in a turn nothing is to be recorded for minutes.
func (p *project) lastSign(id string) (last time.Time) {
	_ = filepath.WalkDir(filepath.Join(p.state, "runs", id), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it has left nothing, or it was removed meanwhile
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last
}

// stoodStill is how long a run stood still: from where it stopped, or its driver died, until it was carried on. now is zero for one that
// does not stand still now, sign what else its last driver was seen at.
func stoodStill(events []flow.Event, sign, now time.Time) (sum time.Duration) {
	var last, since time.Time
	open := map[string]bool{}
	for _, e := range events {
		st, _ := report.Decode[struct{ State flow.RunState }](e.Data)
		switch {
		case !since.IsZero() && e.Type != flow.EventAnswer:
			sum += e.At.Sub(since)
			since = time.Time{}
		case since.IsZero() && !last.IsZero() && (e.Type == flow.EventStart && open[e.Key] || e.Type == flow.EventRun && st.State == flow.Running):
			sum += e.At.Sub(last) // nobody has said that it stopped
		}
		switch e.Type {
		case flow.EventStart:
			open[e.Key] = true
		case flow.EventEnd:
			delete(open, e.Key)
		case flow.EventRun:
			if st.State != flow.Running {
				since = e.At
				clear(open)
			}
		case flow.EventNote, flow.EventGate, flow.EventAnswer, flow.EventFold, flow.EventProgress:
		}
		last = e.At
	}
	if sign.After(last) {
		last = sign
	}
	switch {
	case now.IsZero() || last.IsZero():
	case !since.IsZero():
		sum += now.Sub(since)
	default:
		sum += max(0, now.Sub(last))
	}
	return sum
}

// commandOf is the command that began a run.
func commandOf(r flow.Run) string {
	in, err := report.Decode[struct {
		Bug   bool   `json:"bug"`
		Named string `json:"named"`
	}](r.In)
	switch {
	case err == nil && in.Bug:
		return "bug"
	case err == nil && in.Named != "":
		return "do --style " + in.Named
	}
	return processOf(r.Def).command
}

// requested is what a run was asked for, as a command on one line.
func requested(r flow.Run) string {
	var in struct {
		Request, Original, Expected, Path string
		Paths                             []string
	}
	_ = json.Unmarshal(r.In, &in)
	words := commandOf(r)
	if what := cmp.Or(in.Original, in.Request); what != "" {
		words += " " + strconv.Quote(strings.Join(strings.Fields(what), " "))
		if in.Expected != "" {
			words += " --expected " + strconv.Quote(strings.Join(strings.Fields(in.Expected), " "))
		}
		return words
	}
	return strings.Join(strings.Fields(words+" "+in.Path+" "+strings.Join(in.Paths, " ")), " ")
}

// runs are those of the project, the newest first; none where there is no journal.
func (p *project) runs(ctx context.Context) (runs []flow.Run, err error) {
	if !p.exists() {
		return []flow.Run{}, nil
	}
	err = p.reading(ctx, func(rt keeper) (err error) {
		runs, err = rt.Runs(ctx)
		return err
	})
	return runs, err
}

// outcome is what runs say at their end, with what some count.
type outcome struct {
	step.Outcome

	Failed, Blocked, Broken, Warned int
	Weak                            int // of those that warned: delivered all the same
}

// outcomeOf is the outcome of a run, empty for one that has none yet.
func outcomeOf(r flow.Run) outcome {
	out, err := report.Decode[outcome](r.Out)
	if err != nil {
		return outcome{}
	}
	return out
}

// failed reports whether a run has ended without all that it was to build.
func failed(r flow.Run) bool {
	out := outcomeOf(r)
	if r.State != flow.Done || out.Verified || aside(r) != "" {
		return r.State == flow.Errored
	}
	return out.Failed+out.Blocked+out.Broken > 0 || out.End.Reason != "" && out.End.Reason != "passed" || processOf(r.Def).works && out.Ref == ""
}

// aside is the ref with the result of a run that has done all that it was to do, but could not put it on the branch; "" for another run.
func aside(r flow.Run) string {
	out := outcomeOf(r)
	if r.State != flow.Done || out.Verified || out.Failed+out.Blocked+out.Broken+out.Warned > out.Weak || out.Moved != nil || out.Pull != nil ||
		out.Why == "" || out.Ref != act.RunRef(r.ID) {
		return ""
	}
	return out.Ref
}

// leftOn is aside as long as its commits are not on the branch.
func (p *project) leftOn(ctx context.Context, r flow.Run) (string, error) {
	ref := aside(r)
	if ref == "" || p.takenBack(r.ID) {
		return "", nil
	}
	head, err := p.repo.Head(ctx)
	if err != nil || head.Unborn {
		return "", err
	}
	if more, err := p.beyond(ctx, ref, head.Commit); err != nil || len(more) == 0 {
		return "", err
	}
	return ref, nil
}

// beyond is the newest commit of a ref that another commit does not reach; none where there is no such ref.
func (p *project) beyond(ctx context.Context, ref, commit string) ([]git.LogEntry, error) {
	tip, err := p.repo.Ref(ctx, ref)
	if errors.Is(err, git.ErrNoRef) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return p.repo.Log(ctx, tip, commit, 1)
}

// verified is what a run that is done says of itself: to come to an end is not to succeed.
func verified(r flow.Run) *bool {
	if r.State != flow.Done {
		return nil
	}
	out := outcomeOf(r).Verified
	return &out
}

// takenBackFile, in the folder of a run, says that it was taken back.
const takenBackFile = "taken-back"

// takenBack reports whether a run was taken back.
func (p *project) takenBack(id string) bool {
	return exists(filepath.Join(p.state, "runs", id, takenBackFile))
}
