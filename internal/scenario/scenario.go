package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Verb is the first word of a step.
type Verb string

// The verbs; the package comment says what each does.
const (
	Write   Verb = "write"
	Append  Verb = "append"
	Edit    Verb = "edit"
	Delete  Verb = "delete"
	Run     Verb = "run"
	Daemon  Verb = "daemon"
	Say     Verb = "say"
	Answer  Verb = "answer"
	End     Verb = "end"
	Sleep   Verb = "sleep"
	Tokens  Verb = "usage"
	Status  Verb = "status"
	Limit   Verb = "limit"
	Cut     Verb = "cut"
	Refuse  Verb = "refuse"
	Flood   Verb = "flood"
	Garbage Verb = "garbage"
	Hang    Verb = "hang"
	Crash   Verb = "crash"
	Exit    Verb = "exit"
)

// Step is one thing that the model does. Only the fields that its verb needs are
// set.
type Step struct {
	Line int  // line of the script, from 1
	Verb Verb // what is done

	Path string        // write, append, edit, delete: as written, so relative to the working directory
	Old  string        // edit: what is replaced
	New  string        // edit: what it becomes
	Text string        // say: the words; run and daemon: the command line
	Data []byte        // write, append: the content; answer: the JSON object
	Wait time.Duration // sleep
	N    int           // exit: code; flood: bytes; usage: input tokens
	Out  int           // usage: output tokens

	Fault Fault // status, limit, cut
}

// Forever as Fault.Times means that the fault does not go away.
const Forever = -1

// Fault is something that the provider does instead of answering.
type Fault struct {
	Status     int    // HTTP status; 0 means that the stream is cut
	RetryAfter int    // seconds, 0 = not said
	Reset      string // RFC 3339 or a duration from now, "" = not said
	Message    string // text of the error, "" = a usual one for the status
	Times      int    // how often before the next step is reached, or Forever
}

// ResetsAt returns when the limit ends, seen from now, and whether the fault says
// so at all.
func (f Fault) ResetsAt(now time.Time) (time.Time, bool) {
	if f.Reset == "" {
		return time.Time{}, false
	}
	if d, err := time.ParseDuration(f.Reset); err == nil {
		return now.Add(d), true
	}
	t, err := time.Parse(time.RFC3339, f.Reset)
	return t, err == nil
}

// Scenario is a parsed script. The zero value knows no turn.
type Scenario struct {
	turns []turn
}

type turn struct {
	line    int
	role    string
	module  string
	attempt int // 0 = any
	steps   []Step
}

func (t turn) header() string {
	attempt := "*"
	if t.attempt != 0 {
		attempt = strconv.Itoa(t.attempt)
	}
	return "turn " + t.role + " " + t.module + " " + attempt
}

func (t turn) matches(m Mark) bool {
	return (t.role == "*" || t.role == m.Role) &&
		(t.module == "*" || t.module == m.Module) &&
		(t.attempt == 0 || t.attempt == m.Attempt)
}

// Steps returns what the model does in the turn m when it works in dir. A
// challenge of which the scenario says nothing objects to nothing. Any other
// unknown turn is an error that names it and what the scenario has.
func (s Scenario) Steps(m Mark, dir string) ([]Step, error) {
	for _, t := range s.turns {
		if t.matches(m) {
			return expand(t.steps, m, dir), nil
		}
	}
	if m.Role == "challenge" {
		return []Step{{Verb: Answer, Data: []byte(`{"held_out":[]}`)}}, nil
	}
	have := make([]string, 0, len(s.turns))
	for _, t := range s.turns {
		have = append(have, t.header())
	}
	if len(have) == 0 {
		have = append(have, "nothing")
	}
	return nil, fmt.Errorf("the scenario has no turn for role %q, module %q, attempt %d (it has: %s)",
		m.Role, m.Module, m.Attempt, strings.Join(have, "; "))
}

func expand(steps []Step, m Mark, dir string) []Step {
	r := strings.NewReplacer("${DIR}", dir, "${ROLE}", m.Role, "${MODULE}", m.Module, "${ATTEMPT}", strconv.Itoa(m.Attempt))
	out := make([]Step, len(steps))
	for i, s := range steps {
		s.Path, s.Old, s.New, s.Text = r.Replace(s.Path), r.Replace(s.Old), r.Replace(s.New), r.Replace(s.Text)
		s.Data = []byte(r.Replace(string(s.Data)))
		s.Fault.Message = r.Replace(s.Fault.Message)
		out[i] = s
	}
	return out
}
