package flowtest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/flow"
)

// module is one thread of the weave.
type module struct {
	Name  string
	Needs []string
	Good  int // the round that passes
}

var modules = []module{ //nolint:gochecknoglobals // a constant table
	{"a", nil, 1},
	{"ab", nil, 2}, // its keys begin like those of a
	{"c", nil, 3},
	{"d", []string{"ab", "c"}, 1},
}

// weave is a small compile: a plan, a gate, modules side by side that wait for
// each other, rounds of work, and a landing with a real side effect.
func weave() (flow.Runnable, map[string]flow.Step[string, string]) {
	steps := map[string]flow.Step[string, string]{}
	for name, lane := range map[string]string{"plan": "", "red": "agents", "green": "agents", "land": "landing", "sum": ""} {
		steps[name] = flow.Step[string, string]{Name: name, Lane: lane}
	}
	one := func(c *flow.Ctx, m module) (string, error) {
		base := ""
		for _, n := range m.Needs {
			v, err := flow.Wait[string](c, n)
			if err != nil {
				return "", err
			}
			base += v + ","
		}
		out, err := flow.Do(c, "red", steps["red"], m.Name+"("+base+")")
		if err != nil {
			return "", err
		}
		for i, c := range flow.Rounds(c, "green", 3) {
			v, err := flow.Do(c, "turn", steps["green"], fmt.Sprint(out, i))
			if err != nil {
				return "", err
			}
			flow.Note(c, "turned", v)
			if i == m.Good {
				out = v
				break
			}
		}
		return flow.Do(c, "land", steps["land"], out)
	}
	return define("weave", func(c *flow.Ctx) (string, error) {
		flow.Note(c, "begun", "weave")
		plan, err := flow.Do(c, "plan", steps["plan"], "all")
		if err != nil {
			return "", err
		}
		a, err := flow.Ask(c, "release", flow.Question{Text: plan, Tree: "t1"})
		if err != nil || a.Verb != flow.Approve {
			return a.Verb, err
		}
		rs, err := flow.All(c, "m", modules, func(m module) string { return m.Name }, one)
		if err != nil {
			return "", err
		}
		total, err := flow.Do(c, "sum", steps["sum"], strings.Join(rs, ";"))
		flow.Note(c, "ended", len(rs))
		return total, err
	}), steps
}

// weaveFixture logs each start durably. In a child the file "die" says at which
// point around the side effect of a landing it dies: before, between or after.
func weaveFixture(dir string, child bool) Options {
	w, steps := weave()
	o := Options{Workflows: []flow.Runnable{w}, MaxWait: time.Minute, Limits: flow.Limits{Lanes: map[string]int{"agents": 3, "landing": 1}}}
	for name, s := range steps {
		o.Handlers = append(o.Handlers, flow.Handle(s, func(_ context.Context, j flow.Job, in string) (string, error) {
			if err := appendLine(filepath.Join(dir, "starts"), j.Key); err != nil {
				return "", err
			}
			if name == "land" {
				if err := landOnce(dir, j, child); err != nil {
					return "", err
				}
			}
			return name + "[" + in + "]", nil
		}))
	}
	return o
}

// landOnce adds a line to a file once per key: an attempt that finished left
// its mark in its folder, and one that was cut between effect and mark is
// recognised by the effect.
func landOnce(dir string, j flow.Job, child bool) error {
	point, _ := os.ReadFile(filepath.Join(dir, "die"))
	at := func(name string) {
		if child && string(point) == name {
			once(dir, "died-"+sum([]byte(j.Key))[:8], die)
		}
	}
	for _, p := range j.Previous {
		if _, err := os.Stat(filepath.Join(p, "landed")); err == nil {
			return nil
		}
	}
	at("before")
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return err
	}
	target := filepath.Join(dir, "tree")
	raw, err := os.ReadFile(target)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if !slices.Contains(splitLines(string(raw)), j.Key) {
		if err := appendLine(target, j.Key); err != nil {
			return err
		}
	}
	at("between")
	if err := appendLine(filepath.Join(j.Dir, "landed"), j.Key); err != nil {
		return err
	}
	at("after")
	return nil
}

// Kills drives a workflow in child processes that are killed with SIGKILL at
// every append of the journal, of which one in three has its turn, and around every side effect, and compares what
// a resumed run gives with the undisturbed one.
func Kills(t *testing.T, open Open) {
	t.Helper()
	k := &kills{open: open}
	if _, ok := k.measure(t).(keeper); ok {
		t.Cleanup(func() { // when all stories are over
			if !t.Failed() && k.kept.Load() == 0 {
				t.Error("no child was killed between the end of a step and its report")
			}
		})
	}
	every, from := conformance.Every(3)
	for n := 1 + from; n <= k.first; n += every {
		t.Run(fmt.Sprintf("before the gate at append %d", n), func(t *testing.T) {
			t.Parallel()
			l := k.lab(t)
			rt := l.begin(weaveFixture(l.dir, false), "null")
			if !l.child(order{Fixture: "weave", Append: n}) && n <= k.first/2 { // see below
				t.Error("the child was not killed")
			}
			k.resume(l, rt)
		})
	}
	for n := 1 + from; n <= k.second+3; n += every {
		t.Run(fmt.Sprintf("after the gate at append %d", n), func(t *testing.T) {
			t.Parallel()
			l := k.lab(t)
			rt := k.approved(l)
			// Outcomes that come together share an append, so that a run may end
			// before the last ones.
			killed := l.child(order{Fixture: "weave", Append: n})
			if !killed && n <= k.second/2 {
				t.Error("the child was not killed")
			}
			if killed && n%2 == 0 { // and once more at once
				l.child(order{Fixture: "weave", Append: 1 + n%5})
			}
			k.resume(l, rt)
		})
	}
	for _, point := range []string{"before", "between", "after"} {
		t.Run(point+" each side effect", func(t *testing.T) {
			t.Parallel()
			l := k.lab(t)
			if err := os.WriteFile(filepath.Join(l.dir, "die"), []byte(point), 0o644); err != nil {
				t.Fatal(err)
			}
			rt := k.approved(l)
			deaths := 0
			for l.child(order{Fixture: "weave"}) {
				deaths++
			}
			if deaths != len(modules) {
				t.Errorf("deaths = %d, want one for each landing", deaths)
			}
			k.resume(l, rt)
		})
	}
}

type kills struct {
	open          Open
	first, second int // appends before and after the gate
	out           string
	recorded      map[string]string
	notes         []string
	kept          atomic.Int64
}

// keeper is a runtime that keeps what ended on this machine until it is reported to another.
type keeper interface {
	Kept(ctx context.Context, run string) []string
}

func (k *kills) lab(t *testing.T) *lab {
	t.Helper()
	return newLab(t, k.open)
}

// approved is a run whose gate was answered while nobody drove it.
func (k *kills) approved(l *lab) Runtime {
	l.t.Helper()
	rt := l.begin(weaveFixture(l.dir, false), "null")
	l.want(l.drive(rt), flow.Waiting, "")
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "release", Tree: "t1"})
	return rt
}

// measure makes the undisturbed run.
func (k *kills) measure(t *testing.T) Runtime {
	t.Helper()
	l := k.lab(t)
	o := weaveFixture(l.dir, false)
	var n atomic.Int64
	o.Committed = func(int) { n.Add(1) }
	rt := l.begin(o, "null")
	l.want(l.drive(rt), flow.Waiting, "")
	k.first = int(n.Swap(0))
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "release", Tree: "t1"})
	st := l.drive(rt)
	l.want(st, flow.Done, "")
	k.second, k.out = int(n.Load()), string(st.Out)
	k.recorded, k.notes = outcomes(t, rt), notes(l.events(rt))
	if want := `"sum[land[green[red[a()]1]];land[green[red[ab()]2]];land[green[red[c()]3]];`; !strings.HasPrefix(k.out, want) {
		t.Fatalf("undisturbed output = %s, want %s…", k.out, want)
	}
	// Outcomes that come together share an append, so that only those that wait for each
	// other have appends of their own: five of c, three of d, which needs it, and the sum.
	if len(k.recorded) != 1+1+4+(1+2+3+1)+4+1 || k.first < 2 || k.second < 5+3+1 {
		t.Fatalf("undisturbed run: %d outcomes, %d + %d appends: %v", len(k.recorded), k.first, k.second, k.recorded)
	}
	return rt
}

// outcomes is what is recorded for each key of the run that has ended.
func outcomes(t *testing.T, rt Runtime) map[string]string {
	t.Helper()
	rows, err := rt.Steps(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows {
		if r.Ended != 0 {
			out[r.Key] = string(r.Out)
		}
	}
	return out
}

func notes(es []flow.Event) []string {
	var out []string
	for _, e := range es {
		if e.Type == flow.EventNote {
			out = append(out, e.Key+" "+string(e.Data))
		}
	}
	slices.Sort(out)
	return out
}

// resume carries a killed run to its end and compares it.
func (k *kills) resume(l *lab, rt Runtime) {
	t := l.t
	t.Helper()
	starts := filepath.Join(l.dir, "starts")
	var kept []string // what ended on this machine, and was not reported
	if m, ok := rt.(keeper); ok {
		kept = m.Kept(t.Context(), run)
		k.kept.Add(int64(len(kept)))
	}
	ended, before := counted(keys(l.events(rt), flow.EventEnd)), counted(lines(t, starts))
	st := l.drive(rt)
	if st.State == flow.Waiting {
		l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "release", Tree: "t1"})
		st = l.drive(rt)
	}
	l.want(st, flow.Done, k.out)
	if got := outcomes(t, rt); !maps.Equal(got, k.recorded) {
		t.Errorf("outcomes = %v\nwant %v", got, k.recorded)
	}
	es := l.events(rt)
	if got := notes(es); !slices.Equal(got, k.notes) {
		t.Errorf("notes = %v\nwant %v", got, k.notes)
	}
	for key, n := range counted(keys(es, flow.EventEnd)) {
		if n != 1 {
			t.Errorf("%s ended %d times", key, n)
		}
	}
	after := counted(lines(t, starts))
	for key, n := range after {
		if (ended[key] > 0 || slices.Contains(kept, key)) && n != before[key] {
			t.Errorf("%s had ended and was run again: %d starts before the resume, %d after", key, before[key], n)
		}
		if n > 3 {
			t.Errorf("%s was started %d times", key, n)
		}
	}
	if tree := counted(lines(t, filepath.Join(l.dir, "tree"))); len(tree) != len(modules) || tree["m/a:land"]+tree["m/ab:land"]+tree["m/c:land"]+tree["m/d:land"] != 4 {
		t.Errorf("side effects = %v, want each landing once", tree)
	}
}

// Weave leaves the run that Kills drives in a folder, its gate answered and
// its driver killed at an append, for tests that then damage the store. The
// run is "r1"; undisturbed it ends with out.
func Weave(t *testing.T, open Open, dir string, atAppend int) (out string) {
	t.Helper()
	k := &kills{open: open}
	l := k.lab(t)
	out = string(l.drive(k.approved(l)).Out)
	l = k.lab(t)
	l.dir = dir
	if err := k.approved(l).Close(); err != nil {
		t.Fatal(err)
	}
	if !l.child(order{Fixture: "weave", Append: atAppend}) {
		t.Fatal("the child was not killed")
	}
	return out
}

// WeaveOptions is what opens a folder that Weave made, or a copy of it.
func WeaveOptions(dir string) Options { return weaveFixture(dir, false) }
