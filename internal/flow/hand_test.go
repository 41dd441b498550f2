package flow_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// bench drives one engine by hand: it keeps what is asked for and noted.
type bench struct {
	t     *testing.T
	w     flow.Runnable
	state *flow.State
	eng   *flow.Engine
	wants []string
	open  map[string]flow.Want
	notes []string
	last  flow.Decision
}

func newBench[O any](t *testing.T, fn func(*flow.Ctx) (O, error)) *bench {
	t.Helper()
	w := flow.Workflow[any, O]{Name: "w", Fn: func(c *flow.Ctx, _ any) (O, error) { return fn(c) }}
	b := &bench{t: t, w: w, state: &flow.State{Def: "w", In: json.RawMessage("null"), Start: 1000}, open: map[string]flow.Want{}}
	b.eng = flow.NewEngine(w, b.state, nil)
	b.decide()
	return b
}

func (b *bench) decide() {
	b.last = b.eng.Decide()
	for _, w := range b.last.Wants {
		b.wants = append(b.wants, w.Key)
		b.open[w.Key] = w
	}
	for _, n := range b.last.Notes {
		b.notes = append(b.notes, n.Key)
	}
}

// record gives an outcome at a time and decides.
func (b *bench) record(key, out string, at int64) {
	b.t.Helper()
	if b.last.Bug != nil {
		b.t.Fatalf("bug: %v", b.last.Bug)
	}
	b.eng.Record(key, &flow.Rec{Out: json.RawMessage(out), At: at})
	b.decide()
}

// crash goes on with a new engine over what went through JSON.
func (b *bench) crash() {
	b.t.Helper()
	raw, err := json.Marshal(b.state)
	if err != nil {
		b.t.Fatal(err)
	}
	b.state = &flow.State{}
	if err := json.Unmarshal(raw, b.state); err != nil {
		b.t.Fatal(err)
	}
	b.eng, b.wants = flow.NewEngine(b.w, b.state, nil), nil
	b.decide()
}

func (b *bench) wantKeys(keys ...string) {
	b.t.Helper()
	if !slices.Equal(b.wants, keys) {
		b.t.Errorf("asked for %q, want %q", b.wants, keys)
	}
}

func (b *bench) wantOut(out string) {
	b.t.Helper()
	if !b.last.Done || b.last.Err != nil || string(b.last.Out) != out {
		b.t.Errorf("end = %v %s %v bug %v stuck %q, want %s", b.last.Done, b.last.Out, b.last.Err, b.last.Bug, b.last.Stuck, out)
	}
}

func (b *bench) wantBug(words string) {
	b.t.Helper()
	if b.last.Bug == nil || b.last.Bug.Class != flow.Definition || !strings.Contains(b.last.Bug.Msg, words) {
		b.t.Errorf("bug = %v, want %q in it", b.last.Bug, words)
	}
	if len(b.last.Wants)+len(b.last.Notes)+len(b.last.Folds) != 0 {
		b.t.Errorf("a decision with a bug holds something to store: %+v", b.last)
	}
}
