package flow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// want reads "key lane branch flags": s = started before.
func want(s string) flow.Want {
	f := append(strings.Fields(s), "", "", "")
	dash := func(s string) string { return strings.Trim(s, "-") }
	return flow.Want{
		Key: f[0], Kind: flow.KindStep, Lane: dash(f[1]), Branch: dash(f[2]),
		Started: strings.Contains(f[3], "s"),
	}
}

func keysOf(ws []flow.Want) string {
	var out []string
	for _, w := range ws {
		out = append(out, w.Key)
	}
	return strings.Join(out, " ")
}

// TestQueue plays scripts: + adds a want, ? says what starts, . ends one, ! ends
// a branch, x cancels, = is the length of the backlog.
func TestQueue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits flow.Limits
		open   []string
		script []string
	}{
		"no limits": {script: []string{"+a", "+b x", "? a b", "=0"}},
		"zero is unlimited": {
			limits: flow.Limits{Lanes: map[string]int{"x": 0}}, script: []string{"+a x", "+b x", "? a b"},
		},
		"lane": {
			limits: flow.Limits{Lanes: map[string]int{"x": 2}},
			script: []string{"+a x", "+b x", "+c x", "+d y", "? a b d", "=1", "?", ".a", "? c", "=0"},
		},
		"branches": {
			limits: flow.Limits{Branches: 1},
			script: []string{"+a - A", "+b - B", "+r", "? r a", ".r", "?", ".a", "+a2 - A", "? a2", ".a2", "!A", "? b"},
		},
		"open branch first": {
			limits: flow.Limits{Lanes: map[string]int{"x": 1}, Branches: 2},
			script: []string{"+a x A", "? a", "+b x B", "+a2 x A", ".a", "? a2", ".a2", "? b"},
		},
		"the open one waits for another": { // nothing is at work: let one in over the limit
			limits: flow.Limits{Branches: 1},
			script: []string{"+a - A", "? a", ".a", "+b - B", "? b", "+c - C", "?", ".b", "!B", "? c"},
		},
		"open before a crash": {
			limits: flow.Limits{Branches: 2}, open: []string{"C", "D"},
			script: []string{"+a - A", "+c - C", "+d - D", "? c d", ".c", "!C", "? a"},
		},
		"cancel": {
			limits: flow.Limits{Lanes: map[string]int{"x": 1}, Branches: 2},
			script: []string{"+a x A", "? a", "+b x A", "+c x A s", "+d - B", "+e - B", "+f - C s", "=5", "x", "=2", "? f", ".a", "? c", "=0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := flow.NewQueue(c.limits, c.open...)
			running := map[string]flow.Want{}
			for i, s := range c.script {
				arg := strings.TrimSpace(s[1:])
				switch s[0] {
				case '+':
					q.Add(want(arg))
				case '?':
					got := q.Next()
					for _, w := range got {
						running[w.Key] = w
					}
					if keysOf(got) != arg {
						t.Fatalf("step %d of %q: started %q, want %q", i, c.script, keysOf(got), arg)
					}
				case '.':
					q.Done(running[arg])
				case '!':
					q.Ended(arg)
				case 'x':
					q.Drop()
				case '=':
					if got := fmt.Sprint(q.Len()); got != arg {
						t.Fatalf("step %d of %q: length %s, want %s", i, c.script, got, arg)
					}
				}
			}
		})
	}
}

// TestQueueLimits plays random loads: lanes never exceed their limit, branches
// exceed theirs only when nothing else is at work, and all work is done.
func TestQueueLimits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		if err := randomLoad(rand.New(rand.NewPCG(seed, 3))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func randomLoad(rnd *rand.Rand) error {
	limits := flow.Limits{Lanes: map[string]int{"a": 1 + rnd.IntN(3), "b": 1}, Branches: rnd.IntN(4)}
	q := flow.NewQueue(limits)
	left := map[string]int{} // steps of a branch still to be asked for
	ask := func(b string) {
		q.Add(flow.Want{Key: fmt.Sprint(b, left[b]), Kind: flow.KindStep, Lane: []string{"", "a", "b"}[rnd.IntN(3)], Branch: b})
	}
	for i := range 1 + rnd.IntN(20) {
		b := fmt.Sprint("B", i)
		if i == 0 {
			b = "" // work of the root
		}
		left[b] = 1 + rnd.IntN(4)
		ask(b)
	}
	var running []flow.Want
	open, done := map[string]bool{}, 0
	for len(left) > 0 {
		busy := len(running)
		started := q.Next()
		for _, w := range started {
			if w.Branch != "" && !open[w.Branch] {
				open[w.Branch] = true
				if limits.Branches > 0 && len(open) > limits.Branches && (busy > 0 || len(started) > 1) {
					return fmt.Errorf("%d branches open with work going on, limit %d", len(open), limits.Branches)
				}
			}
		}
		running = append(running, started...)
		lanes := map[string]int{}
		for _, w := range running {
			lanes[w.Lane]++
		}
		for lane, limit := range limits.Lanes {
			if lanes[lane] > limit {
				return fmt.Errorf("%d at once in lane %s, limit %d", lanes[lane], lane, limit)
			}
		}
		if len(running) == 0 {
			return fmt.Errorf("nothing starts: %d in the backlog, left %v", q.Len(), left)
		}
		i := rnd.IntN(len(running))
		w := running[i]
		running = slices.Delete(running, i, i+1)
		q.Done(w)
		done++
		if left[w.Branch]--; left[w.Branch] > 0 {
			ask(w.Branch)
			continue
		}
		delete(left, w.Branch)
		delete(open, w.Branch)
		q.Ended(w.Branch)
	}
	if q.Len() != 0 || done == 0 {
		return fmt.Errorf("%d done, %d left in the backlog", done, q.Len())
	}
	return nil
}
