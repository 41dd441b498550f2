package turn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// How often a turn is asked again, by what broke. A limit is waited out, so
// it may come often; what costs money again may not.
const (
	tries        = 50
	maxTransient = 5
	maxAgain     = 1
	limitWait    = 15 * time.Minute // where the provider does not say when it resets
)

// Ask asks for one agent turn and repeats it while the machinery, not the
// work, is what failed. Each try has its own key, so budgets are asked first.
// One that was cut off is paid for: the next goes on with its files, and its
// usage counts.
func Ask(c *flow.Ctx, t step.Turn) (step.TurnOut, error) {
	transient, again := 0, 0
	used := step.Usage{Known: true} // by tries before
	var did []step.Finding          // what these did to the repository
	var err error
	for i, c := range flow.Rounds(c, "try", tries) {
		var out step.TurnOut
		if out, err = flow.Do(c, "turn", step.AgentTurn, t); err == nil {
			out.Usage, out.Findings = used.Add(out.Usage), slices.Concat(did, out.Findings)
			if err = Conforms(t.Schema, out.Answer); err == nil {
				return out, nil
			}
			used, did, t.Left = out.Usage, out.Findings, out.Tree
		}
		f := flow.AsFailure(err)
		if part := leftBy(f); part.Tree != "" {
			used, did = used.Add(part.Usage), append(did, part.Findings...)
			if f.Class != flow.Stuck { // what ran in circles is not worth keeping
				t.Left = part.Tree
			}
		}
		if ok, lerr := later(c, i, f, &transient); lerr != nil {
			return out, lerr
		} else if ok {
			continue
		}
		switch f.Class {
		case flow.Crashed, flow.Stuck, flow.Schema:
			if again++; again > maxAgain {
				return out, err
			}
			if f.Class == flow.Schema {
				t.Task += "\nYour previous answer was rejected: " + Clip(f.Msg, 300) + "\n"
			}
		default:
			if !repairable(err) {
				return out, err
			}
			a, gerr := mended(c, err)
			if gerr != nil {
				return out, gerr
			}
			t.Budget = raised(t.Budget, a.Text)
		}
	}
	return step.TurnOut{}, err
}

// leftBy is what a turn had done that failed; the zero value if nobody knows.
func leftBy(f *flow.Failure) (out step.TurnOut) {
	if json.Unmarshal(f.Left, &out) != nil {
		return step.TurnOut{}
	}
	return out
}

// Try is Ask for a turn that the work can do without: one that fails by itself has no answer.
func Try(c *flow.Ctx, t step.Turn) (out step.TurnOut, answered bool, err error) {
	out, err = Ask(c, t)
	if err != nil && !EndsRun(err) {
		return out, false, nil
	}
	return out, err == nil, err
}

// later waits for what goes away by itself, in the nth try. False: it does not, or has come too often.
func later(c *flow.Ctx, n int, f *flow.Failure, transient *int) (bool, error) {
	switch f.Class {
	case flow.Transient:
		if *transient++; *transient > maxTransient {
			return false, nil
		}
		at := c.Now().Add(backoff(*transient))
		flow.Note(c, "parked", step.Pause{Until: at, Try: *transient, Of: maxTransient, Why: Clip(f.Msg, 300)})
		return true, flow.Until(c, "backoff", at)
	case flow.Limit:
		at := f.Resets()
		if at.IsZero() {
			at = c.Now().Add(limitWait)
		}
		flow.Note(c, "parked", step.Pause{Until: at, Try: n, Why: Clip(f.Msg, 300)})
		return true, flow.Until(c, "reset", at)
	default:
		return false, nil
	}
}

// Reach is Do for steps that ask another machine: one that is away or busy is asked again later. When it stays away a person
// looks.
func Reach[I, O any](c *flow.Ctx, key string, s flow.Step[I, O], in I) (O, error) {
	transient := 0
	var out O
	var err error
	for i, c := range flow.Rounds(c, key, tries) {
		if out, err = flow.Do(c, key, s, in); err == nil {
			return out, nil
		}
		f := flow.AsFailure(err)
		if ok, lerr := later(c, i, f, &transient); lerr != nil {
			return out, lerr
		} else if ok {
			continue
		}
		if transient > maxTransient {
			transient, err = 0, flow.Failf(flow.Environment, "%s", f.Msg)
		}
		if !repairable(err) {
			return out, err
		}
		if _, gerr := mended(c, err); gerr != nil {
			return out, gerr
		}
	}
	return out, err
}

// raised is the budget after a person has answered with a new one, as "40usd"
// or "2000000tok"; any other answer leaves it.
func raised(b step.Budget, text string) step.Budget {
	var usd float64
	var tokens int64
	if n, err := fmt.Sscanf(text, "%fusd", &usd); n == 1 && err == nil {
		return step.Budget{USD: usd}
	}
	if n, err := fmt.Sscanf(text, "%dtok", &tokens); n == 1 && err == nil {
		return step.Budget{Tokens: tokens}
	}
	return b
}

// backoff is 15 s, 30 s, 1 min, … for the nth transient failure.
func backoff(n int) time.Duration { return 15 * time.Second << (n - 1) }

// EndsRun reports whether a failure of a turn is about the machinery as a
// whole, so that another attempt of the module would meet it again.
func EndsRun(err error) bool {
	switch flow.ClassOf(err) {
	case flow.Refusal, flow.MaxTurns, flow.Denied, flow.Schema, flow.Stuck, flow.Crashed, flow.ContextLimit:
		return false
	default:
		return true
	}
}

// Clip cuts a text for outputs and prompts to n characters, and says how many more there were.
func Clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return fmt.Sprintf("%s … (%d more characters)", string(r[:n]), len(r)-n)
}

// Line is a text in one line, of n characters at most.
func Line(s string, n int) string { return Clip(pdca.Line(s), n) }

// MayRun is the title of the list of allowed commands in a prompt.
const MayRun = "Commands you may run, from the project root, without cd (a command line must begin exactly as listed; read-only commands such as git diff, grep and ls are allowed too; anything else is refused, also commands in the documents above that are not listed here)"

// Allowed are the command lines that an author may run: those of the toolchains, and what has to succeed, as far as a list
// of allowed commands can hold it.
func Allowed(commands, needed []string) []string {
	out := slices.Clone(commands)
	for _, v := range needed {
		for line := range strings.SplitSeq(v, "&&") {
			line = strings.TrimSpace(line)
			if line != "" && !step.Begins(line, out) && !strings.ContainsAny(line, "()*") {
				out = append(out, line)
			}
		}
	}
	return out
}

// Transition is one way from a phase of a workflow to the next, or to the end of a run.
type Transition struct {
	From string // a phase
	When string
	To   string // a phase, or the reason of an end
}
