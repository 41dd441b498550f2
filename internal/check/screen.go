package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Screen is a program that is run in a terminal, and what has to be seen there.
type Screen struct {
	Argv   []string
	Expect *regexp.Regexp
	Limit  time.Duration // for it to be seen; 0 = a minute
}

// GoalInteractive is the goal of a Screen.
const GoalInteractive = "interactive"

// The terminal: its size, and how many lines of what has left it at the top are read as well.
const (
	screenColumns = "120"
	screenLines   = "40"
	screenHistory = "2000"
	screenLimit   = time.Minute
)

// screen runs the program of a task in a terminal on a clean checkout, and looks at it until what is expected is seen, the
// program has ended or the time is over.
func (p *taskProof) screen(ctx context.Context, g *Goal) (err error) {
	pl, err := p.root(ctx)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	out, seen, err := pl.screen(ctx, *p.t.Screen)
	if err != nil {
		return err
	}
	p.proof.Records = append(p.proof.Records, out.Record)
	if g.Ran, g.Failed = true, !seen || out.problem != ""; !g.Failed {
		return nil
	}
	line, why := strings.Join(p.t.Screen.Argv, " "), fmt.Sprintf("exited with %d, and its screen does not show", out.Record.Exit)
	switch {
	case out.problem != "":
		why = "does not count: " + out.problem + ". Expected:"
	case out.Record.Ended != "":
		why = "did not show in time"
	}
	g.Findings = append(g.Findings, reject("interactive", "", 0, fmt.Sprintf("The program `%s` %s %q. Its screen: %s", line, why, strings.TrimPrefix(p.t.Screen.Expect.String(), "(?m)"), out.tail)))
	g.Tail = out.tail
	return nil
}

// screen is a tmux server of its own. Its first client waits until everything is over: then the server, which carries the
// mark of that client, and all that runs in it are ended.
func (p *place) screen(ctx context.Context, s Screen) (o outcome, seen bool, err error) {
	p.runs++
	sockets, err := os.MkdirTemp("", "jq") // the name of a socket is short
	if err != nil {
		return o, false, fmt.Errorf("look at %s: %w", s.Argv[0], err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(sockets)) }()
	env := p.env("TERM=xterm-256color")
	policy, err := p.policy(env, false, sockets)
	if err != nil {
		return o, false, fmt.Errorf("look at %s: %w", s.Argv[0], err)
	}
	tmux := func(args ...string) proc.Command {
		return proc.Command{Confine: policy, Argv: append([]string{"tmux", "-S", filepath.Join(sockets, "s"), "-f", null}, args...), Dir: p.root, Env: env, Tail: 256 << 10}
	}
	if s.Limit == 0 {
		s.Limit = screenLimit
	}
	ended := filepath.Join(sockets, "ended")
	argv := []string{
		"start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "history-limit", screenHistory, ";",
		"new-session", "-d", "-s", "qa", "-x", screenColumns, "-y", screenLines, "--",
		// tmux forgets under load how a program has ended; env runs programs alone, nothing of the shell.
		"sh", "-c", `env "$@"; s=$?; echo $s >"$0"; exit $s`, ended,
	}
	for _, a := range s.Argv {
		if rest, ok := strings.CutSuffix(a, ";"); ok { // else it would end the command
			a = rest + `\;`
		}
		argv = append(argv, a)
	}
	hold := tmux(append(argv, ";", "wait-for", "end")...)
	hold.Mark, hold.Total = p.c.o.Mark+filepath.Base(p.dir)+"-"+strconv.Itoa(p.runs), 2*s.Limit+time.Minute
	var res proc.Result
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		res, failed = proc.Run(ctx, hold)
	}()
	text, exit, seen, late := p.lookAt(ctx, tmux, s, ended, done)
	_, _ = proc.Run(context.WithoutCancel(ctx), tmux("kill-server")) // one that is gone already is no server
	<-done
	switch {
	case errors.Is(failed, proc.ErrNotFound), errors.Is(failed, proc.ErrPermission):
		return o, false, &EnvironmentError{Tool: "tmux", Install: "install tmux and put it on PATH, or leave --qa-interactive out"}
	case failed != nil:
		return o, false, fmt.Errorf("look at %s: %w", s.Argv[0], failed)
	case ctx.Err() != nil:
		return o, false, fmt.Errorf("look at %s: %w", s.Argv[0], context.Cause(ctx))
	case text == "" && exit < 0 && !late:
		return o, false, &EnvironmentError{Install: "tmux does not work here: " + strings.TrimSpace(res.Stderr.Text)}
	}
	o.output = []byte("$ " + strings.Join(s.Argv, " ") + "\n" + text)
	o.tail = shorten(lastPart(text, ""))
	o.Record = step.Record{
		Name: GoalInteractive, Argv: s.Argv, Dir: ".", Env: each(env, nameOf), Started: res.Started.UnixMilli(), Millis: res.Duration.Milliseconds(), Exit: exit, Tree: p.tree, Toolchain: "tmux", Sandbox: string(p.c.o.Level),
	}
	if late {
		o.Record.Ended = string(proc.TotalLimit)
	}
	if err := p.keep(&o, o.output); err != nil {
		return o, false, err
	}
	return o, seen, p.untouched(ctx, &o)
}

// lookAt reads the screen again and again, until the file that says how the program has ended is there. exit is -1 while it
// runs, and when it was ended with what would have said so.
func (p *place) lookAt(ctx context.Context, tmux func(...string) proc.Command, s Screen, ended string, done <-chan struct{}) (text string, exit int, seen, late bool) {
	ctx, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	exit = -1
	last, looks := "", 0 // at the screen of a program that has ended
	const first = 20 * time.Millisecond
	for pause := first; ; pause = min(2*pause, time.Second) {
		timer := time.NewTimer(pause)
		select {
		case <-done:
			timer.Stop()
			return text, exit, false, false
		case <-ctx.Done():
			timer.Stop()
			return text, exit, false, true
		case <-timer.C:
		}
		state, err := proc.Run(ctx, tmux("display-message", "-p", "-t", "qa", "#{pane_dead}")) // before the screen is read
		if err != nil || state.Exit != 0 {                                                     // it is not there yet
			continue
		}
		shown, err := proc.Run(ctx, tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "qa"))
		if err != nil || shown.Exit != 0 || shown.Ended != proc.Exited {
			continue
		}
		dead := strings.TrimSpace(state.Stdout.Text) == "1"
		if text = trimLines(shown.Stdout.Text); dead {
			text = trimLines(deadLine().ReplaceAllString(text, ""))
		}
		if s.Expect.MatchString(text) {
			return text, 0, true, false
		}
		if !dead {
			continue
		}
		if looks++; (text == "" || text != last) && looks < 6 { // tmux may yet draw what it wrote last
			if last = text; looks == 1 {
				pause = first / 2
			}
			continue
		}
		if raw, err := os.ReadFile(ended); err == nil {
			exit, _ = strconv.Atoi(strings.TrimSpace(string(raw)))
		}
		return text, exit, false, false
	}
}

// deadLine is what tmux itself writes on the screen of a program that has ended.
var deadLine = re.New(`(?m)^Pane is dead \(.*$`)

// trimLines is a screen without the blanks at the ends of its lines, and without the empty lines at its end.
func trimLines(s string) string {
	list := each(strings.Split(s, "\n"), func(line string) string { return strings.TrimRight(line, " \t\r") })
	return strings.TrimRight(strings.Join(list, "\n"), "\n")
}

const null = "/dev/null" // tmux reads no configuration of the user
