package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// redraw is how often the live view and the plain lines are refreshed.
const redraw = 150 * time.Millisecond

// watch shows a run on stderr while it goes on: a line a module on a
// terminal, plain lines otherwise.
type watch struct {
	a      *app
	rt     flow.Runtime
	rep    *report.Run
	live   bool
	drawn  int // lines of the frame on screen
	quit   chan struct{}
	done   sync.WaitGroup
	failed error
	actor  *act.Actor
	told   string            // what the status file says of the feature
	said   map[string]string // what each step at work was last said to do

	ledger  string // file of what the run has spent
	counted time.Time
	printed time.Time // when something was last said, for who reads plain text
}

func (p *project) watch(e *engine, r flow.Run) *watch {
	_, _, tty := terminal(p.a.Err)
	live := tty && !p.a.quiet && p.a.env["TERM"] != "dumb" && p.a.env["CI"] == "" && !p.a.json
	return &watch{
		a: p.a, rt: e.keeper, actor: e.actor, rep: report.New(r), live: live, quit: make(chan struct{}), said: map[string]string{}, printed: time.Now(),
		ledger: filepath.Join(p.state, "runs", r.ID, "ledger.jsonl"),
	}
}

// skip takes what is in the journal already without showing it.
func (w *watch) skip(ctx context.Context) error {
	events, err := w.rt.Events(ctx, w.rep.ID, 0)
	for _, e := range events {
		w.rep.Apply(e)
	}
	return err
}

func (w *watch) start(ctx context.Context) {
	if w.live {
		w.a.show(w)
	}
	w.done.Add(1)
	go func() {
		defer w.done.Done()
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
	}()
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
	if err != nil {
		w.failed = err
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
	if w.a.verbose {
		b.WriteString(report.Doing(w.a.lang(), w.rep, w.said))
	}
	w.feature()
	w.state()
	w.a.screen.Lock()
	defer w.a.screen.Unlock()
	if b.Len() > 0 && !w.a.quiet {
		w.erase()
		fmt.Fprint(w.a.Err, b.String())
		w.printed = time.Now()
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

// heartbeat is how long nothing is said to who reads plain text, while something is at work.
const heartbeat = 30 * time.Second

// spent reads, once a second, what the run has cost so far, also of turns that are at work.
func (w *watch) spent() {
	if time.Since(w.counted) < time.Second {
		return
	}
	w.counted = time.Now()
	spent, reserved, err := act.SpentOf(w.ledger)
	if err != nil || spent.MicroUSD+reserved.MicroUSD == 0 {
		return
	}
	l := w.a.lang()
	w.rep.Spent = fmt.Sprintf("$%.2f", float64(spent.MicroUSD)/1e6)
	if w.rep.Budget.USD > 0 {
		w.rep.Spent += fmt.Sprintf(l.T(" of $%.2f"), w.rep.Budget.USD)
	}
	if reserved.MicroUSD > 0 {
		w.rep.Spent += fmt.Sprintf(l.T(" (up to $%.2f more for running calls)"), float64(reserved.MicroUSD)/1e6)
	}
	w.rep.Spent += " · " + fmt.Sprintf(l.T("%s tokens"), report.Short(spent.Tokens))
}

// show makes a view the one on the screen, nil for none; the one before it is erased.
func (a *app) show(w *watch) {
	a.screen.Lock()
	defer a.screen.Unlock()
	if a.showing != nil {
		a.showing.erase()
	}
	a.showing = w
}

// tell says something at once: where a live view is on the screen, above it.
func (a *app) tell(text string) {
	a.screen.Lock()
	defer a.screen.Unlock()
	if w := a.showing; w != nil {
		w.erase()
		fmt.Fprintln(a.Err, text)
		return
	}
	fmt.Fprintln(a.Err, "\n"+text) // behind the ^C that the terminal shows
}

// hearing collects what running steps report, until the watch takes it: of each step the last.
type hearing struct {
	mu   sync.Mutex
	last map[string]flow.Event
}

func (h *hearing) add(e flow.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == nil {
		h.last = map[string]flow.Event{}
	}
	h.last[e.Run+" "+e.Key] = e
}

func (h *hearing) take() map[string]flow.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.last
	h.last = nil
	return out
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
	case flow.EventGate:
		q, err := report.Decode[flow.Question](e.Data)
		if err == nil && q.Class == "" && kind.asksAtOnce {
			return fmt.Sprintf("? %s: %s\n", e.Key, report.Question(l, e.Key, q))
		}
	case flow.EventRun, flow.EventEnd, flow.EventFold, flow.EventAnswer, flow.EventProgress:
	}
	return ""
}

func noteLine(l report.Lang, e flow.Event, dir string) string {
	switch {
	case e.Key == "planned":
		if p, err := report.Decode[step.PlanNote](e.Data); err == nil {
			return report.Planned(l, p)
		}
	case strings.HasSuffix(e.Key, "judged") || strings.HasSuffix(e.Key, "/landing"):
		if n, err := report.Decode[step.AttemptNote](e.Data); err == nil {
			return report.Attempt(l, dir, n)
		}
	case strings.HasSuffix(e.Key, ":result"):
		if r, err := report.Decode[step.ModuleResult](e.Data); err == nil {
			return report.Result(l, r)
		}
	case strings.HasSuffix(e.Key, "/parked"):
		if d, err := report.Decode[step.Pause](e.Data); err == nil {
			return report.Paused(l, dir, d)
		}
	}
	return ""
}

func (w *watch) frame() {
	w.erase()
	cols, lines, _ := terminal(w.a.Err)
	f := report.Live(w.a.lang(), w.rep, cols, lines-1, time.Now(), w.a.colour())
	fmt.Fprint(w.a.Err, f)
	w.drawn = strings.Count(f, "\n")
}

func (w *watch) erase() {
	if w.drawn > 0 {
		fmt.Fprintf(w.a.Err, "\x1b[%dA\x1b[J", w.drawn)
		w.drawn = 0
	}
}

// drive carries a run on, shows it, and turns its end into an exit code.
func (p *project) drive(ctx context.Context, e *engine, run flow.Run, blocks bool) error {
	quiet := context.WithoutCancel(ctx)
	others := p.tellOthers(quiet, e.keeper, run)
	defer others.stop()
	for {
		w := p.watch(e, run)
		if err := w.skip(ctx); err != nil {
			return err
		}
		p.served(ctx, e)
		w.start(quiet)
		p.a.driving.Store(run.ID)
		st, err := e.Drive(ctx, run.ID)
		w.stop(quiet)
		if err == nil {
			err = w.failed
		}
		if err != nil {
			return err
		}
		if st.State != flow.Waiting || repairClass(st.Gates) != "" || !p.a.converses() {
			return p.finish(quiet, e, run.ID, st, w.rep, blocks)
		}
		if err := p.converse(ctx, e, run, st.Gates); errors.Is(err, errQuit) {
			return p.finish(quiet, e, run.ID, st, w.rep, blocks)
		} else if err != nil {
			return err
		}
	}
}

// finish prints the answer of a run that stands still, with what there is of what did not pass, and returns its code.
func (p *project) finish(ctx context.Context, e *engine, id string, st flow.Status, rep *report.Run, blocks bool) error {
	rep.State = st.State
	if st.State == flow.Done { // then it says whether it was verified
		rep.Auto, rep.Developed = outOf[step.AutoOut](rep, autoDef, st), outOf[step.DevelopOut](rep, developDef, st)
	}
	if err := p.settle(ctx, rep); err != nil {
		return err
	}
	if st.State == flow.Done {
		built := outOf[step.CompileOut](rep, compileDef, st)
		committed := built != nil && built.Ref != ""
		var delivered []string // into the working tree
		for _, m := range rep.Modules {
			if m.Result != nil && m.Result.Delivered && !committed {
				delivered = append(delivered, m.Dir)
			}
		}
		var err error
		if rep.Altered, err = e.actor.Altered(ctx, id, delivered); err != nil {
			return err
		}
		if err := p.attest(ctx, e, e.actor, id); err != nil { // the commits stand without it
			fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the attestation of the commits could not be written: %v\n"), err)
		}
	}
	err := p.answered(ctx, e, id, st, rep, blocks)
	if !p.a.json {
		fmt.Fprint(p.a.Err, report.WhatIsLeft(p.a.lang(), rep))
	}
	if err == nil {
		err = proved(len(rep.Altered) == 0)
	}
	return err
}

// settle finds where the things are that a run which has ended has left.
func (p *project) settle(ctx context.Context, rep *report.Run) error {
	if len(rep.Left) == 0 {
		return nil
	}
	ref, err := act.KeptTree(ctx, p.repo)
	if err == nil {
		rep.Settle(ref)
	}
	return err
}

// outOf is the result of a run of a workflow, nil for another one.
func outOf[T any](rep *report.Run, workflow string, st flow.Status) *T {
	if rep.Workflow != workflow {
		return nil
	}
	out, err := report.Decode[T](st.Out)
	if err != nil {
		return nil
	}
	return &out
}

// answered prints the answer of a run that stands still and returns its code.
func (p *project) answered(ctx context.Context, e *engine, id string, st flow.Status, rep *report.Run, blocks bool) error {
	events, err := e.Events(ctx, id, 0)
	if err != nil {
		return err
	}
	if rep.Workflow == compileDef {
		if err := e.actor.Project(ctx, id, events); err != nil {
			return err
		}
	}
	rep.State, rep.Error, rep.Gates = st.State, st.Err, st.Gates
	code := exitOK
	switch st.State {
	case flow.Done:
		return processOf(rep.Workflow).end(p, e, rep, st, blocks)
	case flow.Errored, flow.Stopped:
		code = codeOfClass(flow.ClassOf(st.Err))
		if st.State == flow.Stopped {
			code = exitInternal
		}
	case flow.CancelledOK, flow.Interrupted:
		code = exitInterrupted
	case flow.Waiting, flow.Paused:
		code = exitWaits
		if c := repairClass(st.Gates); c != "" {
			code = codeOfClass(c)
		}
	case flow.Parked:
		code = exitLimit
	case flow.Running:
		return words("the run was stopped")
	}
	if p.a.json {
		p.a.print(rep)
	}
	fmt.Fprint(p.a.Err, standstill(p.a.lang(), id, st, rep.Pause))
	return silent(code)
}

// standstill says why a run is not done and what to do next.
func standstill(l report.Lang, id string, st flow.Status, pause *step.Pause) string {
	var b strings.Builder
	switch st.State {
	case flow.Errored, flow.Stopped:
		fmt.Fprintf(&b, l.T("jacquard: run %s stopped: %s\n"), id, st.Err.Msg)
		if st.State == flow.Stopped {
			fmt.Fprintf(&b, l.T("Your work is saved. Once it is fixed: jacquard resume %s\n"), id)
		}
	case flow.CancelledOK:
		fmt.Fprintf(&b, l.T("run %s was cancelled\n"), id)
	case flow.Interrupted:
		fmt.Fprintf(&b, l.T("interrupted; continue with: jacquard resume %s\n"), id)
	case flow.Paused:
		fmt.Fprintf(&b, l.T("paused; continue with: jacquard resume %s\n"), id)
	case flow.Parked:
		if pause != nil {
			fmt.Fprintf(&b, l.T("paused: %s\n"), pause.Why)
		}
		fmt.Fprintf(&b, l.T("It can resume at %s. Then run: jacquard resume %s (--wait resumes automatically)\n"), st.ResumeAt.Local().Format(time.DateTime), id)
	case flow.Waiting:
		for _, text := range repairs(st.Gates) {
			fmt.Fprintf(&b, l.T("jacquard: run %s is blocked: %s\n"), id, text)
		}
		switch repairClass(st.Gates) {
		case "":
		case flow.Budget:
			fmt.Fprintf(&b, l.T("Your work is saved. To continue, raise the run's budget: jacquard resume %s --budget 40usd\n"), id)
		default:
			fmt.Fprintf(&b, l.T("Your work is saved. Fix it, then run: jacquard resume %s\n"), id)
		}
		b.WriteString(questions(l, id, slices.DeleteFunc(slices.Clone(st.Gates), func(g flow.Gate) bool { return g.Question.Class != "" })))
		if repairClass(st.Gates) == "" {
			fmt.Fprintf(&b, l.T("then run: jacquard resume %s\n"), id)
		}
	case flow.Done, flow.Running:
	}
	return b.String()
}

// repairClass is why a run waits for a repair, "" when it only asks questions.
func repairClass(gates []flow.Gate) flow.Class {
	for _, g := range gates {
		if g.Question.Class == "" {
			return ""
		}
	}
	if len(gates) == 0 {
		return ""
	}
	return gates[0].Question.Class
}

// repairs are the different things to mend.
func repairs(gates []flow.Gate) []string {
	var out []string
	for _, g := range gates {
		if g.Question.Class != "" && !slices.Contains(out, g.Question.Text) {
			out = append(out, g.Question.Text)
		}
	}
	return out
}

func silent(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// proved is the end of a command that could do all that it was to, or not.
func proved(ok bool) error {
	if ok {
		return nil
	}
	return silent(exitNotVerified)
}

// result reads what a run that is done has ended with.
func result[T any](rep *report.Run, st flow.Status) (T, error) {
	out, err := report.Decode[T](st.Out)
	if err != nil {
		err = words("read the result of run %s: %w", rep.ID, err)
	}
	return out, err
}

// answer prints the result of a compile run on stdout.
func (p *project) answer(rep *report.Run, blocks bool) {
	if p.a.json {
		p.a.print(rep)
		return
	}
	if blocks {
		for _, m := range rep.Modules {
			if m.Result != nil {
				dir := stateDir + "/runs/" + rep.ID + "/" + m.Dir
				fmt.Fprint(p.a.Out, report.Blocks(*m.Result, dir+"/result.json", dir+"/spec.json"))
			}
		}
	}
	if rep.Result.Modules > 0 || rep.Result.Broken > 0 {
		fmt.Fprint(p.a.Out, report.Summary(p.a.lang(), *rep.Result))
	}
	if rep.Result.Ref != "" {
		fmt.Fprintf(p.a.Out, "%s\n", rep.Result.Ref)
	}
	fmt.Fprint(p.a.Err, report.Moved(p.a.lang(), rep.Result.Moved, rep.ID), report.Pulled(p.a.lang(), rep.Result.Pull))
	if rep.Result.Deliver != nil {
		fmt.Fprintf(p.a.Err, "%s\n", *rep.Result.Deliver)
	}
}

// runMeta is kept with a run so that a resume uses what it was started with.
type runMeta struct {
	Agent    string `json:"agent,omitempty"`
	Model    string `json:"model,omitempty"`
	Scenario string `json:"scenario,omitempty"`
	Mailbox  string `json:"mailbox,omitempty"`
	Jobs     int    `json:"jobs,omitempty"`
	By       string `json:"by,omitempty"`
	Sandbox  string `json:"sandbox,omitempty"` // level that it began at, and goes on at
	Command  string `json:"command,omitempty"`
}
