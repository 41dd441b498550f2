package flow_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

type benchModule struct {
	Name string
	Deps []string
}

// benchGraph is a random graph of modules with at most three dependencies each.
func benchGraph(n int) []benchModule {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	ms := make([]benchModule, n)
	for i := range ms {
		ms[i].Name = "src/pkg" + strconv.Itoa(i)
		for range rnd.IntN(4) {
			if i > 0 {
				ms[i].Deps = append(ms[i].Deps, ms[rnd.IntN(i)].Name)
			}
		}
	}
	return ms
}

type benchIn struct {
	Module string
	Text   string
}

type benchOut struct {
	Tree   string
	Passed bool
}

var (
	benchTurn  = flow.Step[benchIn, benchOut]{Name: "turn", Lane: "agents"}
	benchCheck = flow.Step[benchIn, benchOut]{Name: "check", Lane: "checks"}
	benchLand  = flow.Step[benchIn, benchOut]{Name: "land", Lane: "landing"}
)

// benchCompile has the shape of a compile: wait for dependencies, red, green in
// rounds, refactor, land; about seven steps a module.
func benchCompile(ms []benchModule) flow.Runnable {
	one := func(c *flow.Ctx, m benchModule) (string, error) {
		text := ""
		for _, d := range m.Deps {
			v, err := flow.Wait[string](c, d)
			if err != nil {
				return "", err
			}
			text += v
		}
		in := benchIn{m.Name, text}
		for _, phase := range []string{"red", "green"} {
			for _, c := range flow.Rounds(c, phase, 3) {
				out, err := flow.Do(c, "turn", benchTurn, in)
				if err != nil {
					return "", err
				}
				in.Text = out.Tree
				if out, err = flow.Do(c, "check", benchCheck, in); err != nil {
					return "", err
				}
				if out.Passed {
					break
				}
			}
			flow.Note(c, phase, in.Text)
		}
		if _, err := flow.Do(c, "refactor", benchTurn, in); err != nil {
			return "", err
		}
		out, err := flow.Do(c, "land", benchLand, in)
		return out.Tree, err
	}
	return flow.Workflow[any, int]{Name: "compile", Fn: func(c *flow.Ctx, _ any) (int, error) {
		rs, err := flow.All(c, "module", ms, func(m benchModule) string { return m.Name }, one)
		return len(rs), err
	}}
}

// benchOutcome passes at the first check of most modules and the second of others.
func benchOutcome(w flow.Want, i int) *flow.Rec {
	out, _ := json.Marshal(benchOut{Tree: fmt.Sprintf("%040x", w.Hash), Passed: w.Hash%4 != 0})
	return &flow.Rec{Out: out, At: int64(i)}
}

// BenchmarkDecide reports the time of a decision, one outcome each. It must be
// the same for a hundred modules and for ten thousand.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("modules=%d", n), func(b *testing.B) {
			ms := benchGraph(n)
			w := benchCompile(ms)
			decisions := 0
			for b.Loop() {
				e := flow.NewEngine(w, &flow.State{Def: "compile", In: json.RawMessage("null")}, nil)
				q := flow.NewQueue(flow.Limits{Lanes: map[string]int{"agents": 8, "checks": 6, "landing": 1}, Branches: 64})
				var running []flow.Want
				for {
					d := e.Decide()
					decisions++
					if d.Bug != nil || d.Stuck != nil {
						b.Fatal(d.Bug, d.Stuck)
					}
					if d.Done {
						break
					}
					for _, f := range d.Folds {
						q.Ended(f.Path)
					}
					q.Add(d.Wants...)
					for _, w := range q.Next() {
						e.Started(w.Key)
						running = append(running, w)
					}
					w := running[0]
					running = running[1:]
					q.Done(w)
					e.Record(w.Key, benchOutcome(w, decisions))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(decisions), "ns/decision")
			b.ReportMetric(float64(decisions)/float64(b.N)/float64(n), "decisions/module")
		})
	}
}
