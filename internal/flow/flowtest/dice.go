package flowtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/flow"
)

var (
	first = flag.Int("first", 0, "seed of the first random run")
	runs  = flag.Int("runs", 0, "how many random runs are played; 0 = as many as the test wants")
)

// allSeeds are the random runs that the conformance suite plays.
const allSeeds = 20_000

// Seeds are those of the random runs that a test plays: n of them, if the command line does not say otherwise, and the share
// of the conformance suite. They are enough when they are so many that everything which can happen has to.
func Seeds(n, all int) (seeds []int, enough bool) {
	play := cmp.Or(*runs, n)
	for i := range play {
		seeds = append(seeds, *first+i)
	}
	from, end := conformance.Slice(allSeeds)
	for i := max(from, play); i < end; i++ {
		seeds = append(seeds, i)
	}
	return seeds, len(seeds) >= all
}

// Dice plays a workflow without a runtime: its steps are answered in any order, and now and then the process dies, so that
// only the state is left. What the answers are, and what has to hold, the caller says.
type Dice struct {
	T        testing.TB
	Seed     int // for messages
	Rnd      *rand.Rand
	Workflow flow.Runnable
	In       any
	Blobs    func(flow.Blob) ([]byte, error)
	Crash    int // the process dies once in so many answers
	Most     int // answers, after which a run counts as one that does not end
	// Answer is the outcome of a step, Said that of a gate.
	Answer func(flow.Want) (any, *flow.Failure)
	Said   func(flow.Want) flow.Answer
	// Waits says which gates nobody answers; nil: none. A run that has nothing else left ends as one that waits.
	Waits func(flow.Want) bool
	// Noted sees every note; nil: nobody looks.
	Noted func(flow.NoteRec)
}

// Played is a run that was played.
type Played struct {
	Out   json.RawMessage
	Err   *flow.Failure
	Waits bool
	Recs  map[string]*flow.Rec
	Notes map[string]string // facts, by their keys
	Order []string          // keys of the notes, as they came
}

func (d Dice) fatalf(format string, args ...any) {
	d.T.Helper()
	d.T.Fatalf("seed %d: "+format, append([]any{d.Seed}, args...)...)
}

// JSON is a value as a runtime keeps it.
func JSON(tb testing.TB, v any) json.RawMessage {
	tb.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// In reads what a step is asked with.
func In[T any](tb testing.TB, want flow.Want) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal(want.In, &v); err != nil {
		tb.Fatalf("%s: %v", want.Key, err)
	}
	return v
}

func (d Dice) state() *flow.State {
	return &flow.State{Def: d.Workflow.Def(), In: JSON(d.T, d.In), Start: 1000}
}

func (d Dice) note(notes []flow.NoteRec, p *Played) {
	d.T.Helper()
	for _, n := range notes {
		if _, twice := p.Notes[n.Key]; twice {
			d.fatalf("%s is noted twice", n.Key)
		}
		p.Notes[n.Key] = string(n.Fact)
		p.Order = append(p.Order, n.Key)
		if d.Noted != nil {
			d.Noted(n)
		}
	}
}

// Play drives one run to its end.
func (d Dice) Play() Played {
	d.T.Helper()
	s := d.state()
	e := flow.NewEngine(d.Workflow, s, d.Blobs)
	p := Played{Recs: map[string]*flow.Rec{}, Notes: map[string]string{}}
	var backlog []flow.Want
	now := s.Start
	for range d.Most {
		next := e.Decide()
		if next.Bug != nil || next.Stuck != nil {
			d.fatalf("bug %v, stuck %v", next.Bug, next.Stuck)
		}
		d.note(next.Notes, &p)
		if next.Done {
			p.Out, p.Err = next.Out, next.Err
			return p
		}
		backlog = append(backlog, next.Wants...)
		if d.Waits != nil {
			if backlog = slices.DeleteFunc(backlog, d.Waits); len(backlog) == 0 {
				p.Waits = true
				return p
			}
		}
		i := d.Rnd.IntN(len(backlog))
		want := backlog[i]
		backlog = slices.Delete(backlog, i, i+1)
		now++
		rec := &flow.Rec{Step: want.Step, In: want.Hash, At: now}
		switch want.Kind {
		case flow.KindTimer:
			now = max(now, want.Until)
			rec.At, rec.Out = now, json.RawMessage("null")
		case flow.KindAsk:
			rec.Out = JSON(d.T, d.Said(want))
		case flow.KindStep:
			e.Started(want.Key)
			v, fail := d.Answer(want)
			if rec.Err = fail; fail == nil {
				rec.Out = JSON(d.T, v)
			}
		}
		p.Recs[want.Key] = rec
		e.Record(want.Key, rec)
		if d.Rnd.IntN(d.Crash) == 0 {
			var again flow.State
			if err := json.Unmarshal(JSON(d.T, s), &again); err != nil {
				d.fatalf("%v", err)
			}
			s, backlog = &again, nil
			e = flow.NewEngine(d.Workflow, s, d.Blobs)
		}
	}
	d.fatalf("it does not end")
	return p
}

// Replay gives the same outcomes to a fresh engine at once: it comes to the same end, and notes the same.
func (d Dice) Replay(p Played) {
	d.T.Helper()
	s := d.state()
	s.Recs = maps.Clone(p.Recs)
	next := flow.NewEngine(d.Workflow, s, d.Blobs).Decide()
	again := Played{Notes: map[string]string{}}
	d.note(next.Notes, &again)
	if next.Bug != nil || !next.Done || len(next.Wants) > 0 {
		d.fatalf("played again: bug %v, done %v, wants %v", next.Bug, next.Done, next.Wants)
	}
	if !bytes.Equal(next.Out, p.Out) || (next.Err == nil) != (p.Err == nil) {
		d.fatalf("played again it ends with %s %v, before with %s %v", next.Out, next.Err, p.Out, p.Err)
	}
	if !maps.Equal(again.Notes, p.Notes) {
		d.fatalf("played again it notes\n%v\nbefore\n%v", again.Notes, p.Notes)
	}
}
