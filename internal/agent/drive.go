package agent

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// program is what differs between the agent programs that are driven the same way:
// one process a run, lines out, sessions that can be gone on with.
type program interface {
	// job prepares one run of the program; h names the session to go on with.
	job(t Turn, h header) (job, error)
	// explain makes the class of a run more exact from how its process ended.
	explain(out Outcome, res proc.Result) Outcome
	// lost reports whether the session to go on with was not known.
	lost(out Outcome, res proc.Result) bool
	// reminder asks a session for the answer that it ended without, and says why
	// what came was not taken.
	reminder(why string) string
}

// unansweredText begins every reminder.
const unansweredText = "Your work in this session ended without its structured answer. "

// goOn is what a session is asked whose turn was cut in the middle.
const goOn = "Your work in this session was cut off in the middle; nothing that you wrote to files is lost. " +
	"A command or an edit that was under way may not have happened: look at the files that it was about. " +
	"Then go on with the task where you stopped, and give the answer that it asks for."

// drive carries out a turn with a program.
func drive(ctx context.Context, p program, t Turn, on func(Event)) Outcome {
	if on == nil {
		on = func(Event) {}
	}
	out := attempt(ctx, p, t, on)
	on(Event{Kind: Ended, Class: out.Class, Text: out.Message, Session: out.Session})
	return out
}

func attempt(ctx context.Context, p program, t Turn, on func(Event)) Outcome {
	if t.Home == "" || t.Dir == "" || t.Log == "" {
		return Outcome{Class: Environment, Message: "start the agent: want a directory, a home and a log", Session: t.Session}
	}
	prompt := t.Prompt
	if t.Session != "" {
		prompt = goOn
	}
	out, res := once(ctx, p, t, prompt, header{Session: t.Session, CostBefore: t.SessionCostUSD}, t.Limits.Total, on)
	if t.Session != "" && p.lost(out, res) {
		// The session was lost with its folder: the prompt says all that is needed.
		out, _ = once(ctx, p, t, t.Prompt, header{}, t.Limits.Total, on)
	}
	if !out.unanswered || out.Session == "" || ctx.Err() != nil {
		return out
	}
	left := t.Limits.Total - out.Duration
	if t.Limits.Total > 0 && left <= 0 {
		return out
	}
	h := header{Session: out.Session, Reminder: true, CostBefore: out.SessionCostUSD, Before: &out.Usage}
	again, _ := once(ctx, p, t, p.reminder(out.Message), h, max(left, 0), on)
	return join(out, again)
}

// once runs the program once.
func once(ctx context.Context, p program, t Turn, prompt string, h header, total time.Duration, on func(Event)) (Outcome, proc.Result) {
	j, err := p.job(t, h)
	if err != nil {
		return Outcome{Class: Environment, Message: err.Error(), Session: t.Session}, proc.Result{}
	}
	j.turn, j.prompt, j.total = t, prompt, total
	out, res := j.run(ctx, on)
	return p.explain(out, res), res
}

// neverBegan makes the class of a run more exact whose program is not there, or has not begun.
func neverBegan(out Outcome, res proc.Result, name, install string) Outcome {
	switch {
	case out.Class == Environment && strings.Contains(out.Message, proc.ErrNotFound.Error()):
		out.Message += "; " + install
	case out.Class == Crashed && res.Exit > 0 && res.Stdout.Total == 0 && strings.TrimSpace(res.Stderr.Text) != "":
		// A flag, a setting or an environment that it does not take: nothing was asked yet.
		out.Class, out.Message = Environment, name+" ended before it said anything, with "+ending(res)
	}
	return out
}

// join adds the first run of a turn to the run that asked for the answer again.
func join(first, again Outcome) Outcome {
	again.Usage = Usage{
		Input: first.Usage.Input + again.Usage.Input, Output: first.Usage.Output + again.Usage.Output,
		CacheRead: first.Usage.CacheRead + again.Usage.CacheRead, CacheWrite: first.Usage.CacheWrite + again.Usage.CacheWrite,
		CostUSD: first.Usage.CostUSD + again.Usage.CostUSD, Known: first.Usage.Known && again.Usage.Known,
	}
	again.Denials = append(first.Denials, again.Denials...)
	again.Turns += first.Turns
	again.Duration += first.Duration
	if again.Class == Schema && first.Class == Denied {
		again.Class, again.Message = Denied, first.Message
	}
	if again.Session == "" {
		again.Session = first.Session
	}
	return again
}

// makeDirs makes the folders that an agent has for itself.
func makeDirs(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the home of the agent: %w", err)
		}
	}
	return nil
}
