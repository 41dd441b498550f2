// Package cli is the composition root: flags, environment, configuration,
// signals and exit codes. stdout is the answer, stderr the conversation.
package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

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

// Main runs a command line and returns the exit code.
func Main(args []string, s Streams) int {
	// Most commands are over before collecting garbage pays.
	debug.SetGCPercent(400)
	a := &app{Streams: s, env: map[string]string{}}
	for _, kv := range s.Env {
		k, v, _ := strings.Cut(kv, "=")
		a.env[k] = v
	}
	a.Err = a.readable(a.Err)
	var out *answer
	if _, _, tty := terminal(s.Out); !tty {
		out = &answer{Writer: s.Out}
		a.Out = out
	}
	stopping := func() {
		if a.worker.Load() {
			a.tell(a.lang().T("stopping: waiting for running steps to finish; press Ctrl-C again to quit now"))
			return
		}
		if a.asking.Load() || a.driving.Load() == nil {
			a.tell(a.lang().T("stopping; press Ctrl-C again to quit now"))
			return
		}
		a.tell(a.lang().T("stopping: saving the work of running agents; press Ctrl-C again to quit now"))
	}
	ctx, stop := interruptible(context.Background(), stopping, a.abandon)
	defer stop()
	args, a.all = everything(args)
	root := newRoot(a)
	strictCompletion(root)
	a.overhear(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		a.completed(root)
	}
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	c, err := root.ExecuteContextC(ctx)
	if err != nil && !a.ran {
		err = argumentProblem(c, err)
	}
	if err == nil {
		err = a.stray
	}
	if lost := out.lost(); lost != nil {
		a.complain(fail(flow.Environment, "the output could not be written: %v. Free some space, or write it elsewhere", lost), exitEnvironment)
		if err == nil || errors.Is(err, lost) {
			return exitEnvironment
		}
	}
	code := codeOf(err)
	if err != nil {
		a.complain(err, code)
	}
	return code
}

// answer is stdout that is no terminal. It remembers that something could not be written, so that nobody takes a part for the whole.
type answer struct {
	io.Writer

	mu  sync.Mutex
	err error
}

func (w *answer) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// lost is why something could not be written; who stops reading has what he wants.
func (w *answer) lost() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var code syscall.Errno
	closed := runtime.GOOS == "windows" && errors.As(w.err, &code) && (code == 109 || code == 232) // ERROR_BROKEN_PIPE, ERROR_NO_DATA
	if closed || errors.Is(w.err, syscall.EPIPE) {
		return nil
	}
	return w.err
}

// interruptible gives a context that ends at the first Ctrl-C or SIGTERM with
// an orderly stop, which stopping announces; the second ends the process at
// once, which the journal makes safe. abandon then ends what would be left
// running.
func interruptible(ctx context.Context, stopping, abandon func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	sig := make(chan os.Signal, 2)
	signal.Notify(sig, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, ok := <-sig; !ok {
			return
		}
		stopping()
		cancel()
		if _, ok := <-sig; ok {
			abandon()
			os.Exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(sig)
		close(sig)
		<-done
		cancel()
	}
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
	driving atomic.Value // the run that this process carries on, a string
	spoken  atomic.Value // the language of messages, a report.Lang

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

// steering are the commands that watch runs, answer and stop them.
var steering = []string{"status", "ps", "show", "log", "cost", "answer", "approve", "reject", "stop", "pause", "cancel"}

func newRoot(a *app) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:           "jacquard",
		Short:         "Jacquard turns specs and requests into verified commits, by coding agents.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if showVersion {
				a.printVersion()
				return nil
			}
			return a.front(c.Context())
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if format := c.Flag("format"); !a.json && (format == nil || format.Value.String() == "text") && !slices.Contains(verbatim, c.CommandPath()) {
				a.Out = a.readable(a.Out)
			}
			if a.langFlag != "" && a.langFlag != "en" && a.langFlag != "ko" {
				return usage("--lang %q: must be en or ko", a.langFlag)
			}
			a.ran, a.steers = true, slices.Contains(steering, c.Name())
			return nil
		},
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.rootFlag, "root", "r", "", "project `directory` (default: the nearest project, searching upwards from here)")
	f.StringVar(&a.langFlag, "lang", "", "language of messages: en or ko")
	f.BoolVar(&a.json, "json", false, "print one JSON object on stdout (with log -f: one per line)")
	f.BoolVar(&a.noColor, "no-color", false, "disable colors")
	root.Flags().BoolVar(&showVersion, "version", false, "print the version, commit and build date")
	arrange(root, []group{
		{"start", "Start", []*cobra.Command{newDo(a), newBug(a), newBuild(a)}},
		{"watch", "Watch and steer", []*cobra.Command{
			newStatus(a), newShow(a), newLog(a), newAnswer(a), newEdit(a), newResume(a), newStop(a), newDiff(a), newUndo(a), newPR(a), newReport(a), newCost(a), newExplain(a),
		}},
		{"specs", "Specs and proof", []*cobra.Command{newSpec(a), newValidate(a), newProve(a), newVerify(a), newDecompile(a), newAdopt(a)}},
		{"setup", "Set up", []*cobra.Command{newInit(a), newDoctor(a), newTrust(a), newPlugin(a), newMCP(a), newDemo(a), newVersion(a)}},
		{"more", "Machines and disk", []*cobra.Command{newWorker(a), newGC(a), newRecover(a)}},
	}, newWork(a), newAuto(a), newDevelop(a), newApproval(a, flow.Approve), newApproval(a, flow.Reject), newCancel(a), newMan(), newAgentPlay(a), newSessionHook(a))
	a.speakHelp(root)
	if a.all {
		reveal(root)
	}
	return root
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
func (a *app) speak(c config) {
	l := report.English
	for _, v := range []string{a.langFlag, c.Lang, a.env["LC_ALL"], a.env["LC_MESSAGES"], a.env["LANG"]} {
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
