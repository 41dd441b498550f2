package flow

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// State is everything a run is: plain data that a runtime stores and loads.
type State struct {
	Def       string           `json:"def"`
	In        json.RawMessage  `json:"in"`
	Start     int64            `json:"start"`               // Unix milliseconds
	Recs      map[string]*Rec  `json:"recs,omitempty"`      // outcomes by key
	Folds     map[string]*Rec  `json:"folds,omitempty"`     // results of finished branches by path
	Open      map[string]Start `json:"open,omitempty"`      // steps started, gates and timers asked; none has ended
	Notes     map[string]bool  `json:"notes,omitempty"`     // keys already noted
	Cancelled int64            `json:"cancelled,omitempty"` // Unix milliseconds; 0 = not
}

// Init makes the maps that are missing, so that outcomes can be put into them.
func (s *State) Init() {
	for _, m := range []*map[string]*Rec{&s.Recs, &s.Folds} {
		if *m == nil {
			*m = map[string]*Rec{}
		}
	}
	if s.Open == nil {
		s.Open = map[string]Start{}
	}
	if s.Notes == nil {
		s.Notes = map[string]bool{}
	}
}

// OpenBranches lists the outermost branches that have started a step and not
// ended, sorted: what a queue for the rest of the run starts with.
func (s *State) OpenBranches() []string {
	open := map[string]bool{}
	add := func(key, step string) {
		if top, _, inside := strings.Cut(key, ":"); inside && step != stepAsk && step != stepTimer && s.Folds[top] == nil {
			open[top] = true
		}
	}
	for k, r := range s.Recs {
		add(k, r.Step)
	}
	for k, st := range s.Open {
		add(k, st.Step)
	}
	return slices.Sorted(maps.Keys(open))
}

// Start is the durable mark that a step was started, made before the act, or
// that a gate or timer was asked for.
type Start struct {
	Step string `json:"step"`
	In   uint64 `json:"in"` // hash of the input
}

// Rec is one outcome, written once. Exactly one of Out and Err is set.
type Rec struct {
	Step string          `json:"step,omitempty"`
	Out  json.RawMessage `json:"out,omitempty"`
	Err  *Failure        `json:"err,omitempty"`
	At   int64           `json:"at"`           // Unix milliseconds
	In   uint64          `json:"in,omitempty"` // hash of the input it was asked with
}

// EventData is what the event of an outcome says: its failure, or nothing.
func (r *Rec) EventData() []byte {
	if r.Err == nil {
		return []byte("{}")
	}
	raw, _ := json.Marshal(map[string]any{"error": r.Err})
	return raw
}

// Kind says what a want is.
type Kind string

// The kinds of wants.
const (
	KindStep  Kind = "step"
	KindAsk   Kind = "ask"
	KindTimer Kind = "timer"
)

// Want is something a branch waits for and that has no outcome yet.
type Want struct {
	Key     string          `json:"key"`
	Kind    Kind            `json:"kind"`
	Step    string          `json:"step"`
	Lane    string          `json:"lane,omitempty"`
	Branch  string          `json:"branch,omitempty"` // outermost branch of All it belongs to
	In      json.RawMessage `json:"in,omitempty"`
	Hash    uint64          `json:"hash"`
	Until   int64           `json:"until,omitempty"`   // timers: Unix milliseconds
	Started bool            `json:"started,omitempty"` // a driver that is gone started it: a cancel does not drop it
}

// Question is what a want that is a gate asks.
func (w Want) Question() (q Question) {
	_ = json.Unmarshal(w.In, &q) // the engine has written it
	return q
}

// Gates lists the questions that wait, by key.
func Gates(asks map[string]Want) []Gate {
	var out []Gate
	for _, k := range slices.Sorted(maps.Keys(asks)) {
		out = append(out, Gate{Key: k, Question: asks[k].Question()})
	}
	return out
}

// NextDue is when the first of some timers is due, in Unix milliseconds; 0 for none.
func NextDue(timers map[string]Want) (at int64) {
	for _, w := range timers {
		if until := max(w.Until, 1); at == 0 || until < at {
			at = until
		}
	}
	return at
}

// Overdue lists the timers whose time has come, in order.
func Overdue(now int64, timers map[string]Want) []Want {
	var out []Want
	for _, w := range timers {
		if w.Until <= now {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b Want) int { return cmp.Or(cmp.Compare(a.Until, b.Until), strings.Compare(a.Key, b.Key)) })
	return out
}

// NoteRec is a fact recorded once for people and projections.
type NoteRec struct {
	Key    string          `json:"key"`
	Branch string          `json:"branch,omitempty"`
	Fact   json.RawMessage `json:"fact"`
}

// Folded is the result of a branch that has ended; Keys are the records that
// are no longer needed to go on.
type Folded struct {
	Path string
	Rec  *Rec
	Keys []string
}

// Decision holds only what is new since the last one.
type Decision struct {
	Wants []Want
	Notes []NoteRec
	Folds []Folded
	Done  bool            // the workflow has returned
	Out   json.RawMessage // its value, when Err is nil
	Err   *Failure
	Bug   *Failure // a bug of the definition: nothing of this decision may be stored
	Stuck []string // nothing can ever happen again: who waits for what
}

// Standing is what a runtime knows of a run when a decision has been made.
type Standing struct {
	Running, Starting int // steps that are at work, and those that the decision starts
	Queued            int // steps that wait to be admitted
	Gates             int // questions that are open
	Cancelled, Paused bool
	Held              bool // nothing starts any more: who carries the run on leaves it in good order
}

// Stands is where a run stands after a decision. Running says that it goes on by itself; what it is Waiting or Parked for the engine knows.
func (d Decision) Stands(s Standing) Status {
	st := Status{State: Parked}
	switch {
	case d.Done && s.Running == 0:
		st = Status{State: Done, Out: d.Out, Err: d.Err}
		if d.Err != nil {
			st.State = Errored
		}
		if s.Cancelled {
			st.State = CancelledOK
		}
	case s.Running > 0 || s.Starting > 0:
		st.State = Running
	case len(d.Stuck) > 0:
		st = Status{State: Stopped, Waits: d.Stuck, Err: Failf(Stuck, "branches wait for each other: %s", strings.Join(d.Stuck, ", "))}
	case s.Paused:
		st.State = Paused
	case s.Held:
		st.State = Interrupted
	case s.Queued > 0:
		st.State = Running
	case s.Gates > 0:
		st.State = Waiting
	}
	return st
}

// Question is what a human gate shows. Tree is the git tree that an approval
// is given for; a signal that names another tree does not count.
type Question struct {
	Text    string   `json:"text"`
	Tree    string   `json:"tree,omitempty"`
	Options []string `json:"options,omitempty"` // the only answers that there are; none = any text
	// Choices are answers that are proposed, Default the one that an empty answer stands for.
	Choices []string `json:"choices,omitempty"`
	Default string   `json:"default,omitempty"`
	// Class is set when the run waits for a repair: what broke. Approving says
	// that it is mended, and the step is asked for again.
	Class Class `json:"class,omitempty"`
}

// The verbs of an Answer. A gate that nobody answers is still waiting.
const (
	Approve = "approve"
	Reject  = "reject"
	Reply   = "answer"
)

// Answer is what a gate got.
type Answer struct {
	Verb string `json:"verb"`
	Text string `json:"text,omitempty"`
	By   string `json:"by,omitempty"`
	Tree string `json:"tree,omitempty"`
}
