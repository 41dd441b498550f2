package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
)

// Streams are the edges of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Env      []string // KEY=value
}

// app is what all commands share.
type app struct {
	Streams
	env map[string]string

	rootFlag string
	langFlag string
	// documents is where those of a run go, whatever the configuration says; "" is what it says.
	documents string
	json      bool
	stream    bool // every event of the run that is driven goes to stdout, a line each
	noColor   bool
	quiet     bool  // of a run only questions and the end are said
	verbose   bool  // and also what each agent does
	all       bool  // help shows what is hidden
	stray     error // a word that is no command, of which help was asked for
	compiles  bool  // build was called by its former name
	ran       bool  // a command has begun, so an error is not one of usage
	steers    bool  // the command watches or stops runs: a mistake in the settings keeps nobody from that

	worker  atomic.Bool // this process is a worker
	asking  atomic.Bool // a person is asked, and no agent runs
	heard   hearing     // what running steps report
	screen  sync.Mutex  // of the view that is on the terminal
	showing view        // nil for none
	told    struct {    // the run of which a person was told something, and up to which event
		run string
		seq int64
	}
	later   sync.WaitGroup // what no answer waits for
	driving atomic.Value   // the run that this process carries on, a string
	spoken  atomic.Value   // the language of messages, a report.Lang

	keys *bufio.Reader // of In, for questions at a terminal
	line chan string   // that a person is typing; nil when nobody was asked
}

// abandon ends the agents and checks of the run that this process carries on.
func (a *app) abandon() {
	if run, ok := a.driving.Load().(string); ok {
		proc.Sweep(run + ".*")
		fmt.Fprintf(a.Err, "\n"+a.lang().T("interrupted; to continue, run: jacquard resume %s\n"), run)
	}
}

// complain prints an error once: what happened and, where we know it, what to
// do next. With --json it is the one object on stdout.
func (a *app) complain(err error, code int) {
	var exit *exitError
	if errors.As(err, &exit) && exit.said == nil {
		return
	}
	var changed *flow.ChangedError
	if errors.As(err, &changed) {
		for _, l := range append(append(changed.Diff.Changed, changed.Diff.Unused...), changed.Diff.Lost...) {
			fmt.Fprintf(a.Err, "  %s\n", l)
		}
	}
	if code == exitInterrupted && errors.Is(err, context.Canceled) {
		err = words("interrupted")
	}
	fmt.Fprintf(a.Err, "jacquard: %s%s\n", inLang(a.lang(), err), hint(a.lang(), err))
	if a.json {
		class := string(flow.ClassOf(err))
		if code == exitUsage {
			class = "usage"
		}
		a.print(map[string]any{"error": map[string]any{"message": inLang(report.English, err) + hint(report.English, err), "class": class, "exit": code}})
	}
}

// hint says what to do about an error that does not say so itself.
func hint(l report.Lang, err error) string {
	var changed *flow.ChangedError
	var driven *flow.DrivenError
	switch {
	case errors.As(err, &changed):
		return l.T(". To continue anyway, add --accept-changes")
	case errors.Is(err, flow.ErrDamaged):
		return l.T(". To start over, move .jacquard/journal.db away. Finished work is kept on refs; to list it, run: jacquard recover")
	case errors.As(err, &driven):
		return fmt.Sprintf(l.T(". To watch it, run: jacquard log -f %s"), driven.Run)
	}
	return ""
}

// print writes one JSON object on stdout, on one line where a stream of them is asked for.
func (a *app) print(v any) {
	if a.stream {
		_ = jsonLines(a.Out).Encode(v)
		return
	}
	_ = writeJSON(a.Out, v) // Main says that it could not be written
}

// asJSON prints an answer as JSON where that is asked for, and reports whether it is.
func (a *app) asJSON(v any) bool {
	if a.json {
		a.print(v)
	}
	return a.json
}

// jsonLines writes JSON values, a line each.
func jsonLines(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// writeJSON writes a JSON value for programs and people.
func writeJSON(w io.Writer, v any) error {
	e := jsonLines(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// lang is the language of messages for people. What is stored and what --json
// prints is English in every language.
func (a *app) lang() report.Lang {
	l, _ := a.spoken.Load().(report.Lang)
	return l
}

// speak chooses the language: flag, configuration of the project (once it is
// known), locale.
func (a *app) speak(configured string) {
	l := report.English
	for _, v := range []string{a.langFlag, configured, a.env["LC_ALL"], a.env["LC_MESSAGES"], a.env["LANG"]} {
		if v == "" {
			continue
		}
		if name, _, _ := strings.Cut(strings.ReplaceAll(v, ".", "_"), "_"); name == string(report.Korean) {
			l = report.Korean
		}
		break
	}
	a.spoken.Store(l)
}

func (a *app) colour() bool {
	_, _, tty := terminal(a.Err)
	return tty && !a.noColor && a.env["NO_COLOR"] == "" && a.env["TERM"] != "dumb"
}

// agentSigns are variables that programs of agents set for the commands that they run.
var agentSigns = []string{"CLAUDECODE", "AI_AGENT", "CODEX_THREAD_ID", "OPENCODE"}

// agentsDecide is a variable by which a person lets agents decide in his place.
const agentsDecide = "JACQUARD_AGENTS_DECIDE"

// byPerson refuses what only a person decides, if that was asked for, where an agent runs this program. It stops an agent that means well:
// one that does not can change its environment. A terminal shows no person: agents have them, too.
func (a *app) byPerson(asked bool, what string) error {
	if sign := a.agentSign(); asked && sign != "" {
		return usage("only a person may use %s, and %s shows that an agent is running this: use it in your own terminal", what, sign)
	}
	return nil
}

// agentSign is the variable that shows that an agent runs this program, which may not decide; "" where none does.
func (a *app) agentSign() string {
	i := slices.IndexFunc(agentSigns, func(name string) bool { return a.env[name] != "" })
	if i < 0 || a.env[agentsDecide] == "1" {
		return ""
	}
	return agentSigns[i]
}

// converses reports whether a person sits at both ends of the terminal, and no agent as far as anything shows.
func (a *app) converses() bool {
	_, _, in := terminal(a.In)
	_, _, out := terminal(a.Err)
	return in && out && !a.json && a.env["CI"] == "" && a.agentSign() == ""
}

// typed gives the next line that a person types; closed at the end of the input. A read cannot be ended, so one that
// nobody waited for any more is what the next question gets. Between questions nothing is read: an editor may.
func (a *app) typed() <-chan string {
	if a.line != nil {
		return a.line
	}
	if a.keys == nil {
		a.keys = bufio.NewReader(a.In)
	}
	line := make(chan string, 1)
	a.line = line
	go func() {
		defer close(line)
		if text, err := a.keys.ReadString('\n'); err == nil {
			line <- text
		}
	}()
	return line
}

// errQuit says that the person at the terminal does not answer now.
var errQuit = errors.New("the person has left")

// reads waits for a line; errQuit when there is none any more.
func (a *app) reads(ctx context.Context) (string, error) {
	a.asking.Store(true)
	defer a.asking.Store(false)
	select {
	case said, ok := <-a.typed():
		a.line = nil
		if !ok {
			return "", errQuit
		}
		return strings.TrimSpace(said), nil
	case <-ctx.Done():
		fmt.Fprintln(a.Err)
		return "", errQuit
	}
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
