package temporal

import (
	"errors"
	"maps"
	"slices"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// brain is what decides: the engine and the queue over a copy of the record.
// It exists only where a decision is made for the first time; a history is
// replayed without it. It can be thrown away and made anew at any moment.
type brain struct {
	o       *Options
	eng     *flow.Engine
	queue   *flow.Queue
	wants   map[string]flow.Want // steps without an outcome, with their input
	missing []flow.Blob
}

// errMissing says that a blob is not here yet.
var errMissing = errors.New("the blob has to be fetched first")

func newBrain(o *Options, m *record) *brain {
	b := &brain{o: o, wants: map[string]flow.Want{}}
	s := &flow.State{
		Def: m.State.Def, In: m.State.In, Start: m.State.Start, Cancelled: m.State.Cancelled,
		Recs: maps.Clone(m.State.Recs), Folds: maps.Clone(m.State.Folds), Open: maps.Clone(m.State.Open), Notes: maps.Clone(m.State.Notes),
	}
	limits := o.Limits
	if m.Admission != nil {
		limits = *m.Admission
	}
	b.queue = flow.NewQueue(limits, s.OpenBranches()...)
	b.eng = flow.NewEngine(flow.WorkflowOf(o.Workflows, s.Def), s, b.blob)
	for _, k := range slices.Sorted(maps.Keys(m.Running)) {
		b.queue.Resume(m.Running[k])
	}
	return b
}

// blob gives the bytes that are here and remembers those that are not.
func (b *brain) blob(ref flow.Blob) ([]byte, error) {
	if b.o.Blobs == nil {
		return nil, errors.New("this runtime has no blob store")
	}
	raw, err := b.o.Blobs.Get(ref)
	if err != nil && b.o.Hub != nil {
		b.missing = append(b.missing, ref)
		return nil, errMissing
	}
	return raw, err
}

// feed tells the engine what has happened.
func (b *brain) feed(f fed) {
	for _, e := range f.ended {
		if e.want.Kind == flow.KindStep {
			b.queue.Done(e.want)
		}
		delete(b.wants, e.want.Key)
		b.eng.Record(e.want.Key, e.rec)
	}
	for _, w := range f.again {
		b.queue.Done(w)
		if full, ok := b.wants[w.Key]; ok {
			full.Started = true
			b.queue.Add(full)
		}
	}
	if f.cancelled != 0 {
		b.eng.Cancel(f.cancelled)
		b.queue.Drop()
	}
}

// decide is one decision: what the record has to take over from its answer. When the history is full nothing more starts in it.
func (b *brain) decide(m *record, full bool) answer {
	a := answer{Status: flow.Running, At: m.Now}
	b.missing = nil
	dec := b.eng.Decide()
	if len(b.missing) > 0 {
		return answer{Status: m.Status, Missing: b.missing}
	}
	if dec.Bug != nil {
		return bug(dec.Bug)
	}
	gates, timers := maps.Clone(m.Gates), maps.Clone(m.Timers)
	for _, w := range dec.Wants {
		if w.Kind == flow.KindStep {
			if _, known := b.wants[w.Key]; known {
				continue
			}
			b.wants[w.Key] = w
			if _, runs := m.Running[w.Key]; !runs {
				b.queue.Add(w)
			}
			continue
		}
		waiting := timers
		if w.Kind == flow.KindAsk {
			waiting = gates
		}
		if had, ok := waiting[w.Key]; !ok || had.Hash != w.Hash || had.Until != w.Until {
			a.Wants = append(a.Wants, w)
		}
		waiting[w.Key] = w
	}
	for _, f := range dec.Folds {
		b.queue.Ended(f.Path)
		a.Folds = append(a.Folds, fold{Path: f.Path, Rec: f.Rec})
	}
	a.Notes, a.Phase = dec.Notes, b.o.phaseOf(dec.Notes)
	if !m.Paused && !m.Held && !full {
		a.Starts = b.queue.Next()
	}
	for _, w := range a.Starts {
		if m.Pool == "" && flow.HandlerOf(b.o.Handlers, w.Step) == nil {
			return bug(flow.Failf(flow.Definition, "no handler for step %s, which %s asks for", w.Step, w.Key))
		}
		b.eng.Started(w.Key)
	}
	b.status(m, dec, &a, len(gates), full)
	return a
}

func bug(f *flow.Failure) answer { return answer{Status: flow.Stopped, Err: f} }

// status says where the run stands; one whose history is full goes on with a new one, whatever it waits for.
func (b *brain) status(m *record, dec flow.Decision, a *answer, gates int, full bool) {
	st := dec.Stands(flow.Standing{
		Running: len(m.Running), Starting: len(a.Starts), Queued: b.queue.Len(), Gates: gates,
		Cancelled: m.State.Cancelled != 0, Paused: m.Paused, Held: m.Held,
	})
	if st.State == flow.Waiting || st.State == flow.Parked {
		if full {
			return
		}
		st.Waits = b.eng.Waits(20)
	}
	a.Again = st.State == flow.Running && len(m.Running)+len(a.Starts) == 0 && !full
	a.Status, a.Out, a.Err, a.Waits = st.State, st.Out, st.Err, st.Waits
}
