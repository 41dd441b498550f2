// Package cli is the composition root: flags, environment, configuration,
// signals and exit codes. stdout is the answer, stderr the conversation.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/flow"
)

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
		{"setup", "Set up", []*cobra.Command{newInit(a), newDoctor(a), newTrust(a), newPlugin(a), newMCP(a, newRoot), newDemo(a), newVersion(a)}},
		{"more", "Machines and disk", []*cobra.Command{newWorker(a), newGC(a), newRecover(a)}},
	}, newWork(a), newAuto(a), newDevelop(a), newApproval(a, flow.Approve), newApproval(a, flow.Reject), newCancel(a), newMan(), newAgentPlay(a), newSessionHook(a))
	a.speakHelp(root)
	if a.all {
		reveal(root)
	}
	return root
}

// overhear finds the language and the form that a command line asks for before it is taken apart: help and errors of usage come before
// that. Mistakes in it, and in the configuration, are told later.
func (a *app) overhear(args []string) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.SetOutput(io.Discard)
	f.BoolP("help", "h", false, "")
	root := f.StringP("root", "r", "", "")
	f.StringVar(&a.langFlag, "lang", "", "")
	f.BoolVar(&a.json, "json", false, "")
	_ = f.Parse(args)
	if *root == "" {
		if wd, err := os.Getwd(); err == nil {
			*root = findRoot(wd)
		}
	}
	conf, _ := readConfig(*root)
	a.speak(conf.Lang)
}
