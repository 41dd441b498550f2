package temporal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// record is everything that a run is, as plain data. It changes in two ways
// only: take (what has happened) and apply (what was decided, from the
// recorded answer). The workflow and whoever reads a history do both in the
// same order, so that both know the same; a definition is never needed for it.
type record struct {
	Run       string               `json:"run"`
	Meta      json.RawMessage      `json:"meta,omitempty"`
	Queue     string               `json:"queue"`               // task queue of steps
	Manual    bool                 `json:"manual,omitempty"`    // time comes from messages (tests)
	Pool      string               `json:"pool,omitempty"`      // queue of the workers that carry the run on, with or without somebody who watches
	Far       []string             `json:"far,omitempty"`       // lanes that they take
	Hosts     map[string]string    `json:"hosts,omitempty"`     // by branch: the queue of the worker that has its files
	Admission *flow.Limits         `json:"admission,omitempty"` // of a run of a pool; nil = those of the driver
	Limits    limits               `json:"limits,omitzero"`     // of the history
	Version   string               `json:"version,omitempty"`   // of the definition that decides
	State     *flow.State          `json:"state"`
	Gates     map[string]flow.Want `json:"gates,omitempty"`
	Timers    map[string]flow.Want `json:"timers,omitempty"`
	Running   map[string]flow.Want `json:"running,omitempty"` // without their input
	Starts    map[string]int       `json:"starts,omitempty"`  // so far, of steps that are open
	Wasted    map[string]int       `json:"wasted,omitempty"`  // starts since the last progress
	Strayed   map[string]int       `json:"strayed,omitempty"` // starts that were given to a worker and never begun
	Told      map[string]bool      `json:"told,omitempty"`    // ends of branches that a changed definition took back
	Seen      map[string]bool      `json:"seen,omitempty"`    // ids of signals
	Paused    bool                 `json:"paused,omitempty"`
	Drive     string               `json:"drive,omitempty"` // the last that began
	Held      bool                 `json:"held,omitempty"`  // that one has stopped in good order: nothing starts before the next
	Now       int64                `json:"now,omitempty"`   // Unix milliseconds
	Began     int64                `json:"began,omitempty"`
	Status    flow.RunState        `json:"status"`
	Out       json.RawMessage      `json:"out,omitempty"`
	Err       *flow.Failure        `json:"err,omitempty"`
	Waits     []string             `json:"waits,omitempty"`
	Searched  bool                 `json:"searched,omitempty"` // the namespace has the search attributes
	Phase     string               `json:"phase,omitempty"`    // that the last note named
	Shown     [2]string            `json:"shown,omitzero"`     // state and phase that it can be found by
	Seq       int64                `json:"seq"`                // events so far
	Folded    map[string]*flow.Rec `json:"-"`                  // outcomes of finished branches
	events    func(flow.Event)     // nil: nobody wants them
}

// limits say when a history is continued as a new one.
type limits struct {
	Events int   `json:"events,omitempty"`
	Bytes  int   `json:"bytes,omitempty"`
	Beat   int64 `json:"beat,omitempty"`  // milliseconds without a heartbeat after which a step is lost
	Place  int64 `json:"place,omitempty"` // milliseconds that a worker may take to begin a step of its own
}

// message is what is sent to a run.
type message struct {
	Signal  *flow.Signal   `json:"signal,omitempty"`
	Drive   string         `json:"drive,omitempty"` // somebody drives the run from now on; an id
	Now     int64          `json:"now,omitempty"`   // of the sender's clock
	Adopt   bool           `json:"adopt,omitempty"` // another definition decides from now on
	Version string         `json:"version,omitempty"`
	Rebase  []flow.Rebased `json:"rebase,omitempty"`
	Again   bool           `json:"again,omitempty"` // results of finished branches are made again
}

// outcome is how a start ended.
type outcome struct {
	Out     json.RawMessage `json:"out,omitempty"`
	Err     *flow.Failure   `json:"err,omitempty"`
	Stopped bool            `json:"stopped,omitempty"` // by an orderly stop: not counted
	Drive   string          `json:"drive,omitempty"`   // whose stop
	Host    string          `json:"host,omitempty"`    // the queue of the worker that did it
	Lost    bool            `json:"lost,omitempty"`    // its worker is gone
	Begun   bool            `json:"begun,omitempty"`   // it was at work when it was lost
	Beat    bool            `json:"beat,omitempty"`    // it had made progress
}

// answer is a recorded decision and what it was made from.
type answer struct {
	At      int64           `json:"at"`
	Took    []int           `json:"took,omitempty"`  // messages, by number of arrival
	Ended   []string        `json:"ended,omitempty"` // starts that have ended
	Wants   []flow.Want     `json:"wants,omitempty"` // gates and timers
	Starts  []flow.Want     `json:"starts,omitempty"`
	Notes   []flow.NoteRec  `json:"notes,omitempty"`
	Folds   []fold          `json:"folds,omitempty"`
	Status  flow.RunState   `json:"status"`
	Out     json.RawMessage `json:"out,omitempty"`
	Err     *flow.Failure   `json:"err,omitempty"`
	Waits   []string        `json:"waits,omitempty"`
	Again   bool            `json:"again,omitempty"` // decide once more at once
	Phase   string          `json:"phase,omitempty"`
	Missing []flow.Blob     `json:"missing,omitempty"` // bytes to fetch before a decision can be made
}

// fold is the end of a branch.
type fold struct {
	Path string    `json:"path"`
	Rec  *flow.Rec `json:"rec"`
}

// fed is what has happened, for the engine that decides.
type fed struct {
	ended     []ended
	again     []flow.Want // have to be started again
	cancelled int64
	rebuilt   bool // another definition: the engine has to be made anew
}

type ended struct {
	want flow.Want
	rec  *flow.Rec
}

// maxStrayed is after how many starts that got lost on the way to a worker a step is not started again by itself.
const maxStrayed = 20

func (m *record) init() {
	m.State.Init()
	made(&m.Gates)
	made(&m.Timers)
	made(&m.Running)
	made(&m.Starts)
	made(&m.Wasted)
	made(&m.Strayed)
	made(&m.Told)
	made(&m.Seen)
	made(&m.Hosts)
	made(&m.Folded)
}

// made makes a map that is missing.
func made[V any](m *map[string]V) {
	if *m == nil {
		*m = map[string]V{}
	}
}

func (m *record) event(typ flow.EventType, key, branch string, data []byte) {
	m.Seq++
	if m.events != nil {
		m.events(flow.Event{Seq: m.Seq, Run: m.Run, At: time.UnixMilli(m.Now).UTC(), Type: typ, Key: key, Branch: branch, Data: data})
	}
}

// take brings in what has happened, at a time: messages in their order, then
// timers that are due, then ends of starts by key.
func (m *record) take(at int64, msgs []message, outs map[string]outcome) fed {
	var f fed
	if m.Manual {
		at = m.Now
		for _, msg := range msgs {
			at = max(at, msg.Now)
		}
	}
	m.Now = max(m.Now, at)
	for _, msg := range msgs {
		m.message(msg, &f)
	}
	for _, w := range flow.Overdue(m.Now, m.Timers) {
		m.outcome(w, &flow.Rec{Out: json.RawMessage("null"), At: m.Now}, &f)
	}
	for _, key := range slices.Sorted(maps.Keys(outs)) {
		if w, ok := m.Running[key]; ok {
			m.end(w, outs[key], &f)
		}
	}
	return f
}

func (m *record) message(msg message, f *fed) {
	if msg.Adopt {
		m.adopt(msg)
		f.rebuilt = true
	}
	if msg.Drive != "" {
		m.Drive, m.Held = msg.Drive, false
	}
	s := msg.Signal
	if s == nil || s.ID != "" && m.Seen[s.ID] {
		return
	}
	if s.ID != "" {
		m.Seen[s.ID] = true
	}
	switch s.Verb {
	case flow.CancelRun:
		m.cancel(f)
		return
	case flow.Pause, flow.Unpause:
		m.Paused = s.Verb == flow.Pause && m.State.Cancelled == 0
		return
	}
	w, ok := m.Gates[s.Gate]
	if ok && w.Question().Tree == s.Tree { // else the gate shows another tree by now: the answer is void
		m.outcome(w, s.Answer(m.Now), f)
	}
}

// cancel drops what waits; what runs is told by the workflow.
func (m *record) cancel(f *fed) {
	if m.State.Cancelled != 0 {
		return
	}
	m.State.Cancelled, m.Paused, f.cancelled = max(m.Now, 1), false, max(m.Now, 1)
	for _, waiting := range []map[string]flow.Want{m.Gates, m.Timers} {
		for k := range waiting {
			delete(m.State.Open, k)
		}
		clear(waiting)
	}
}

// adopt takes another definition over; see flow.Compare.
func (m *record) adopt(msg message) {
	m.Version = msg.Version
	for _, b := range msg.Rebase {
		if r := m.State.Recs[b.Key]; r != nil {
			r.Step, r.In = b.Step, b.In
		}
		if r := m.Folded[b.Key]; r != nil {
			r.Step, r.In = b.Step, b.In
		}
		if st, ok := m.State.Open[b.Key]; ok {
			st.Step, st.In = b.Step, b.In
			m.State.Open[b.Key] = st
		}
	}
	if !msg.Again {
		return
	}
	for path := range m.State.Folds {
		m.Told[path] = true
	}
	m.State.Folds = map[string]*flow.Rec{}
	maps.Copy(m.State.Recs, m.Folded)
	m.Folded = map[string]*flow.Rec{}
}

// next is when the first timer is due, in Unix milliseconds; 0 = none.
func (m *record) next() int64 { return flow.NextDue(m.Timers) }

// end is the end of a start.
func (m *record) end(w flow.Want, o outcome, f *fed) {
	delete(m.Running, w.Key)
	if m.Pool != "" && w.Branch != "" {
		switch {
		case o.Host != "":
			m.Hosts[w.Branch] = o.Host
		case slices.Contains(m.Far, w.Lane): // it is gone, or about to go
			delete(m.Hosts, w.Branch)
		}
	}
	switch {
	case o.Stopped:
		m.Held = m.Held || m.Pool == "" && o.Drive == m.Drive
		f.again = append(f.again, w)
		if m.Pool == "" && len(m.Running) == 0 && m.Status != flow.Interrupted {
			m.stand(flow.Interrupted)
		}
		return
	case o.Lost:
		switch {
		case o.Beat:
			m.Wasted[w.Key] = 0
		case o.Begun:
			m.Wasted[w.Key]++
		default:
			m.Strayed[w.Key]++
		}
		if m.Wasted[w.Key] < flow.MaxWasted && m.Strayed[w.Key] < maxStrayed {
			f.again = append(f.again, w)
			return
		}
		o.Err = flow.Wasted(w.Key, m.Wasted[w.Key]+m.Strayed[w.Key])
	}
	m.outcome(w, &flow.Rec{Out: o.Out, Err: o.Err, At: m.Now}, f)
}

// outcome records what a want came to, once.
func (m *record) outcome(w flow.Want, rec *flow.Rec, f *fed) {
	delete(m.Gates, w.Key)
	delete(m.Timers, w.Key)
	delete(m.State.Open, w.Key)
	delete(m.Starts, w.Key)
	delete(m.Wasted, w.Key)
	delete(m.Strayed, w.Key)
	if m.State.Recs[w.Key] != nil {
		return
	}
	rec.Step, rec.In = w.Step, w.Hash
	m.State.Recs[w.Key] = rec
	f.ended = append(f.ended, ended{w, rec})
	typ, data := flow.EventEnd, rec.EventData()
	if w.Kind == flow.KindAsk && rec.Err == nil {
		typ, data = flow.EventAnswer, rec.Out
	}
	m.event(typ, w.Key, w.Branch, data)
}

// apply brings in what was decided.
func (m *record) apply(a answer) {
	for _, n := range a.Notes {
		m.State.Notes[n.Key] = true
		m.event(flow.EventNote, n.Key, n.Branch, n.Fact)
	}
	for _, d := range a.Folds {
		m.fold(d)
	}
	for _, w := range a.Wants {
		waiting := m.Timers
		if w.Kind == flow.KindAsk {
			waiting = m.Gates
			m.event(flow.EventGate, w.Key, w.Branch, w.In)
		}
		waiting[w.Key] = w
		m.State.Open[w.Key] = flow.Start{Step: w.Step, In: w.Hash}
	}
	for _, w := range a.Starts {
		m.Starts[w.Key]++
		w.In = nil
		m.Running[w.Key] = w
		m.State.Open[w.Key] = flow.Start{Step: w.Step, In: w.Hash}
		m.event(flow.EventStart, w.Key, w.Branch, fmt.Appendf(nil, `{"step":%q,"n":%d}`, w.Step, m.Starts[w.Key]))
	}
	m.Phase = cmp.Or(a.Phase, m.Phase)
	m.Out, m.Err, m.Waits = a.Out, a.Err, a.Waits
	m.stand(a.Status)
}

// stand says where the run stands; that it goes on is no event.
func (m *record) stand(s flow.RunState) {
	changed := s != m.Status && s != flow.Running
	m.Status = s
	if changed {
		m.event(flow.EventRun, "", "", fmt.Appendf(nil, `{"state":%q}`, s))
	}
}

func (m *record) fold(d fold) {
	for k, r := range m.State.Recs {
		if strings.HasPrefix(k, d.Path+":") {
			m.Folded[k] = r
			delete(m.State.Recs, k)
		}
	}
	for p := range m.State.Folds {
		if strings.HasPrefix(p, d.Path+":") {
			delete(m.State.Folds, p)
		}
	}
	delete(m.Hosts, d.Path)
	told := m.Told[d.Path] || m.State.Folds[d.Path] != nil
	m.State.Folds[d.Path] = d.Rec
	if !told {
		m.event(flow.EventFold, d.Path, d.Path, d.Rec.EventData())
	}
}

// queueOf is the queue that a step is given to: of the machine where the run
// was started, of the worker that has the files of its branch, which is one
// worker's alone, or of all.
func (m *record) queueOf(w flow.Want) (queue string, own bool) {
	switch {
	case m.Pool == "" || !slices.Contains(m.Far, w.Lane):
		return m.Queue, false
	case m.Hosts[w.Branch] != "":
		return laneQueue(m.Hosts[w.Branch], w.Lane), true
	}
	return laneQueue(m.Pool, w.Lane), false
}

// laneQueue is the queue of one lane of a pool or a worker: what waits for a
// place of one lane holds up no step of another.
func laneQueue(queue, lane string) string { return queue + "/" + lane }

// all is the state with the outcomes of finished branches, for flow.Compare.
func (m *record) all() *flow.State {
	s := *m.State
	s.Recs = maps.Clone(s.Recs)
	maps.Copy(s.Recs, m.Folded)
	return &s
}
