package flow_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// tally says what the random runs have met, so that the test cannot go blind.
type tally map[string]int

// TestRandomWorkflows compares the kernel with the oracle after every
// decision of random runs with random outcomes, batches, crashes and cancels.
func TestRandomWorkflows(t *testing.T) {
	t.Parallel()
	runs := 3000
	if testing.Short() {
		runs = 1000
	}
	met := tally{}
	for seed := range runs {
		if err := randomRun(uint64(seed), met); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	for what, least := range map[string]int{"done": 2000, "failed": 300, "cancelled": 300, "stuck": 30, "crash": 3000, "answer": 300, "fold": 3000, "note": 1000} {
		if met[what] < least*runs/6000 {
			t.Errorf("met %s %d times, want at least %d: the scripts have become too tame (%v)", what, met[what], least*runs/6000, met)
		}
	}
	t.Logf("%d runs: %v", runs, met)
}

// simulation is one random run.
type simulation struct {
	*rand.Rand
	met   tally
	ops   []op
	w     flow.Runnable
	state *flow.State
	eng   *flow.Engine
	or    *oracle
	open  map[string]flow.Want // asked, no outcome
	notes map[string]string
	now   int64
}

func randomRun(seed uint64, met tally) error {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), cycles: seed%5 == 0}
	ops := g.ops(3, 2+g.IntN(5), nil)
	s := &simulation{
		Rand: g.Rand, met: met, ops: ops, now: 1000, open: map[string]flow.Want{}, notes: map[string]string{},
		w:  flow.Workflow[uint64, uint64]{Name: "w", Fn: func(c *flow.Ctx, in uint64) (uint64, error) { return exec(c, in, ops) }},
		or: &oracle{recs: map[string]*flow.Rec{}, started: map[string]bool{}},
	}
	s.state = &flow.State{Def: "w", In: json.RawMessage("1"), Start: s.now}
	s.eng = flow.NewEngine(s.w, s.state, nil)
	mayCancel := !g.cycles && g.IntN(3) == 0
	for range 3000 {
		over, err := s.decision()
		if over || err != nil {
			return err
		}
		if mayCancel && s.IntN(12) == 0 {
			mayCancel = false
			s.cancel()
			continue
		}
		s.outcomes(1 + s.IntN(3))
		if s.IntN(7) == 0 {
			if err := s.crash(); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("no end; open: %v", s.open)
}

var limits = regexp.MustCompile(`limit(\d+)-k\d+/(\d+)`)

// decision takes what is new from the engine and compares it with the oracle.
func (s *simulation) decision() (over bool, err error) {
	d := s.eng.Decide()
	if d.Bug != nil {
		return true, d.Bug
	}
	for _, w := range d.Wants {
		if _, twice := s.open[w.Key]; twice {
			return true, fmt.Errorf("%s is asked for twice", w.Key)
		}
		s.open[w.Key] = w
		for _, m := range limits.FindAllStringSubmatch(w.Key, -1) {
			if limit, _ := strconv.Atoi(m[1]); m[2] > strconv.Itoa(limit) {
				return true, fmt.Errorf("%s is over its limit", w.Key)
			}
		}
	}
	for _, n := range d.Notes {
		if _, twice := s.notes[n.Key]; twice {
			return true, fmt.Errorf("note %s is written twice", n.Key)
		}
		s.notes[n.Key] = string(n.Fact)
		s.met["note"]++
	}
	s.met["fold"] += len(d.Folds)
	s.or.results = map[string]*result{}
	r := s.or.ask(s.ops, s.state.Start)
	if err := s.same(d, r); err != nil {
		return true, err
	}
	switch {
	case d.Stuck != nil:
		s.met["stuck"]++
	case d.Done && d.Err != nil && s.or.cancelled:
		s.met["cancelled"]++
	case d.Done && d.Err != nil:
		s.met["failed"]++
	case d.Done:
		s.met["done"]++
	}
	return d.Done || d.Stuck != nil, nil
}

func (s *simulation) same(d flow.Decision, r *result) error {
	if d.Done != (r != nil) {
		return fmt.Errorf("done = %v, the oracle says %+v", d.Done, r)
	}
	if r != nil && (string(flow.ClassOf(asError(d.Err))) != string(r.class) || r.class == "" && string(d.Out) != fmt.Sprint(r.v)) {
		return fmt.Errorf("end = %s %q, the oracle says %+v", d.Out, flow.ClassOf(asError(d.Err)), r)
	}
	if r == nil && (d.Stuck != nil) != (len(s.or.wants) == 0) {
		return fmt.Errorf("stuck = %q, the oracle wants %v", d.Stuck, s.or.wants)
	}
	got := map[string]int64{}
	for k, w := range s.open {
		got[k] = w.Until
	}
	if r == nil && !maps.Equal(got, s.or.wants) {
		return fmt.Errorf("wants = %v\nthe oracle says %v", got, s.or.wants)
	}
	for k, v := range s.or.notes {
		if s.notes[k] != fmt.Sprint(v) {
			return fmt.Errorf("note %s = %q, the oracle says %d", k, s.notes[k], v)
		}
	}
	if len(s.notes) != len(s.or.notes) {
		return fmt.Errorf("notes = %v, the oracle says %v", s.notes, s.or.notes)
	}
	return nil
}

func asError(f *flow.Failure) error {
	if f == nil {
		return nil
	}
	return f
}

// outcomes starts some of what is open and ends up to n of it.
func (s *simulation) outcomes(n int) {
	keys := slices.Sorted(maps.Keys(s.open))
	s.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for i, k := range keys {
		w := s.open[k]
		if w.Kind == flow.KindStep && (i < n || s.IntN(2) == 0) {
			s.eng.Started(k)
			s.or.started[k] = true
		}
		if i >= n {
			continue
		}
		s.now += int64(s.IntN(3)) // several at the same time, too
		rec := s.outcome(w)
		if !s.eng.Record(k, rec) || s.eng.Record(k, &flow.Rec{Out: json.RawMessage(`"other"`), At: s.now}) {
			panic("the first record counts, and no other")
		}
		s.or.recs[k] = rec
		delete(s.open, k)
	}
}

func (s *simulation) outcome(w flow.Want) *flow.Rec {
	switch w.Kind {
	case flow.KindTimer:
		s.now = max(s.now, w.Until)
		return &flow.Rec{Out: json.RawMessage("null"), At: s.now}
	case flow.KindAsk:
		s.met["answer"]++
		verb := []string{flow.Approve, flow.Reject, flow.Reply}[s.IntN(3)]
		return &flow.Rec{Out: fmt.Appendf(nil, `{"verb":%q}`, verb), At: s.now}
	default:
		if s.IntN(6) == 0 {
			return &flow.Rec{Err: flow.Failf([]flow.Class{flow.Transient, flow.Limit, flow.Crashed}[s.IntN(3)], "no"), At: s.now}
		}
		return &flow.Rec{Out: fmt.Appendf(nil, `"v%d"`, s.IntN(50)), At: s.now}
	}
}

// crash throws the engine away: what the next one knows went through JSON.
func (s *simulation) crash() error {
	s.met["crash"]++
	for k, w := range s.open {
		if w.Kind != flow.KindStep {
			s.state.Open[k] = flow.Start{Step: w.Step, In: w.Hash}
		}
	}
	raw, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	s.state = &flow.State{}
	if err := json.Unmarshal(raw, s.state); err != nil {
		return err
	}
	s.eng, s.open = flow.NewEngine(s.w, s.state, nil), map[string]flow.Want{}
	return nil
}

func (s *simulation) cancel() {
	s.now++
	s.eng.Cancel(s.now)
	s.or.cancelled = true
	maps.DeleteFunc(s.open, func(k string, _ flow.Want) bool { return !s.or.started[k] })
}
