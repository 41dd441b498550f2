package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// watch shows a run on stderr while it goes on: a line a module on a
// terminal, plain lines otherwise.
type watch struct {
	a       *app
	rt      flow.Runtime
	rep     *report.Run
	command string // that began it
	live    bool
	drawn   int // lines of the frame on screen
	quit    chan struct{}
	done    sync.WaitGroup
	failed  error
	actor   *act.Actor
	told    string            // what the status file says of the feature
	said    map[string]string // what each step at work was last said to do

	ledger  string // file of what the run has spent
	budget  step.Budget
	shown   string // file that says up to which event a person was told, "" where none is
	counted time.Time
	printed time.Time // when something was last said, for who reads plain text
}

func (p *project) watch(e *engine, r flow.Run) *watch {
	live := p.a.live()
	shown := filepath.Join(p.state, "runs", r.ID, ".shown") // no module has such a name
	if p.a.env[byModel] == ofMCP {                          // nobody reads what it prints
		shown = ""
	}
	in, _ := report.Decode[struct{ Budget step.Budget }](r.In) // what a run is about stands there in any form; without, no budget is shown
	return &watch{
		budget: in.Budget,
		a:      p.a, command: commandOf(r), shown: shown, rt: e.keeper, actor: e.actor, rep: report.New(r), live: live, quit: make(chan struct{}), said: map[string]string{}, printed: time.Now().Add(firstBeat - heartbeat),
		ledger: p.ledger(r.ID),
	}
}

// mostMissed are lines of what happened while nobody watched.
const mostMissed = 40

// catchUp takes what is in the journal already, and shows what of it nobody was told.
func (w *watch) catchUp(ctx context.Context) error {
	events, err := w.rt.Events(ctx, w.rep.ID, 0)
	if err != nil {
		return err
	}
	raw, _ := os.ReadFile(w.shown)
	told, _ := strconv.ParseInt(string(raw), 10, 64)
	if w.a.told.run == w.rep.ID { // by this process
		told = max(told, w.a.told.seq)
	}
	var b strings.Builder
	for _, e := range events {
		if w.rep.Apply(e); e.Seq > told {
			b.WriteString(line(w.a.lang(), w.rep.Workflow, e, false))
		}
	}
	if w.a.quiet || b.Len() == 0 {
		return nil
	}
	missed := strings.SplitAfter(strings.TrimSuffix(b.String(), "\n"), "\n")
	if more := len(missed) - mostMissed; more > 0 {
		fmt.Fprint(w.a.Err, report.Countf(w.a.lang().T("  … %d more lines: jacquard log %s\n"), more, w.rep.ID))
		missed = missed[more:]
	}
	fmt.Fprintln(w.a.Err, strings.Join(missed, ""))
	w.remember()
	return nil
}

// remember notes up to which event a person was told. What cannot be noted is told again by the next resume.
func (w *watch) remember() {
	w.a.told.run, w.a.told.seq = w.rep.ID, w.rep.Last()
	if w.shown != "" {
		_ = os.WriteFile(w.shown, []byte(strconv.FormatInt(w.rep.Last(), 10)), 0o600)
	}
}

func (w *watch) start(ctx context.Context) {
	if w.live {
		w.a.show(w)
	}
	w.done.Go(func() {
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			select {
			case <-w.quit:
				return
			case <-tick.C:
				w.step(ctx)
			}
		}
	})
}

// stop shows what is left and takes the live view off the screen.
func (w *watch) stop(ctx context.Context) {
	close(w.quit)
	w.done.Wait()
	w.step(ctx)
	w.a.show(nil)
}

func (w *watch) step(ctx context.Context) {
	events, err := w.rt.Events(ctx, w.rep.ID, w.rep.Last())
	if w.failed = err; err != nil { // the last time counts: what could not be read is read then
		return
	}
	var b strings.Builder
	for _, e := range events {
		w.rep.Apply(e)
		b.WriteString(line(w.a.lang(), w.rep.Workflow, e, !w.live))
		if w.a.stream {
			w.a.print(e)
		}
	}
	for _, e := range w.a.heard.take() {
		if e.Run == w.rep.ID {
			w.rep.Apply(e)
		}
	}
	if w.a.verbose || !w.live {
		b.WriteString(report.Doing(w.a.lang(), w.rep, w.said, w.a.verbose))
	}
	w.feature()
	w.state()
	w.a.screen.Lock()
	defer w.a.screen.Unlock()
	if b.Len() > 0 && !w.a.quiet {
		w.erase()
		fmt.Fprint(w.a.Err, b.String())
		w.printed = time.Now()
		w.remember()
	}
	switch {
	case w.live:
		w.spent()
		w.frame()
	case time.Since(w.printed) > heartbeat && !w.a.quiet:
		fmt.Fprint(w.a.Err, report.Beat(w.a.lang(), w.rep, time.Now()))
		w.printed = time.Now()
	}
}

// spent reads, once a second, what the run has cost so far, also of turns that are at work.
func (w *watch) spent() {
	if time.Since(w.counted) < time.Second {
		return
	}
	w.counted = time.Now()
	account, err := act.AccountOf(w.ledger)
	spent, reserved := account.Spent, account.Reserved
	l := w.a.lang()
	if err != nil || spent.MicroUSD+reserved.MicroUSD == 0 {
		if b := cmp.Or(account.Budget, w.budget); b != (step.Budget{}) {
			w.rep.Spent = report.Cost(l, w.rep.Usage) + " · " + fmt.Sprintf(l.T("budget %s"), budgetText(l, b))
		}
		return
	}
	w.rep.Spent = fmt.Sprintf("$%.2f", float64(spent.MicroUSD)/1e6)
	if most := account.Budget.USD; most > 0 {
		w.rep.Spent += fmt.Sprintf(l.T(" of $%.2f"), most)
	}
	if reserved.MicroUSD > 0 {
		w.rep.Spent += fmt.Sprintf(l.T(" (up to $%.2f more for running calls)"), float64(reserved.MicroUSD)/1e6)
	}
	w.rep.Spent += " · " + fmt.Sprintf(l.T("%s tokens"), report.Short(spent.Tokens))
}

// feature keeps the status file of the project up to date, at each step from phase to phase.
func (w *watch) feature() {
	f := w.rep.Feature
	if f == nil || f.Name == "" || f.Phase == "estimate" {
		return
	}
	if told := fmt.Sprint(f.Phase, f.Attempts, f.Iterations); told != w.told {
		w.told = told
		w.a.tellStatus(w.actor, f.State(w.rep.Started, false, false))
	}
}

// state keeps the state file of a run of develop up to date.
func (w *watch) state() {
	if d := w.rep.Develop; d != nil {
		if told := fmt.Sprint(d.State); told != w.told {
			w.told = told
			w.a.tellState(w.actor, d.State)
		}
	}
}

// line is the plain text of one event; "" when it is nothing for people.
func line(l report.Lang, workflow string, e flow.Event, starts bool) string {
	kind := processOf(workflow)
	dir, isModule := report.ModuleOf(e.Branch)
	switch e.Type {
	case flow.EventStart:
		if starts && isModule && strings.HasSuffix(e.Key, ":head") {
			return kind.started(l, dir)
		}
	case flow.EventNote:
		return kind.line(l, e, dir)
	case flow.EventGate, flow.EventRun, flow.EventEnd, flow.EventFold, flow.EventAnswer, flow.EventProgress: // a run that asks lists its questions where it stops
	}
	return ""
}

func (w *watch) frame() {
	w.erase()
	cols, lines, _ := terminal(w.a.Err)
	l := w.a.lang()
	title := w.command + " · " + fmt.Sprintf(l.T("run %s"), w.rep.ID)
	f := report.Live(l, w.rep, title, cols, lines-1, time.Now(), w.a.colour())
	fmt.Fprint(w.a.Err, f)
	w.drawn = strings.Count(f, "\n")
}

func (w *watch) erase() {
	if w.drawn > 0 {
		fmt.Fprintf(w.a.Err, "\r\x1b[%dA"+clearBelow, w.drawn) // behind the ^C that the terminal shows
		w.drawn = 0
	}
}

// byModel is the sign of an agent's environment: who calls a tool is a model, whatever its program has set.
const (
	byModel = "AI_AGENT"
	ofMCP   = "mcp"
)
