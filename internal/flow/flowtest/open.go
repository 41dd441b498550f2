package flowtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// landing is many modules whose last step goes through a lane of one: without
// a limit on branches nearly all of them are half done at once. Every fifth
// module waits for the next one before it lands, which may not be open yet.
func landing(n int) (flow.Runnable, []flow.Handler) {
	build := flow.Step[string, string]{Name: "build", Lane: "build"}
	land := flow.Step[string, string]{Name: "land", Lane: "land"}
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("m%03d", i)
	}
	w := define("w", func(c *flow.Ctx) (int, error) {
		rs, err := flow.All(c, "m", items, self, func(c *flow.Ctx, m string) (string, error) {
			if _, err := flow.Do(c, "build", build, m); err != nil {
				return "", err
			}
			i, _ := strconv.Atoi(m[1:])
			if i%5 == 0 && i+1 < n {
				if _, err := flow.Wait[string](c, items[i+1]); err != nil {
					return "", err
				}
			}
			return flow.Do(c, "land", land, m)
		})
		return len(rs), err
	})
	quick := func(_ context.Context, _ flow.Job, in string) (string, error) { return in, nil }
	slow := func(_ context.Context, _ flow.Job, in string) (string, error) {
		for range 500 {
			in = sum([]byte(in))[:8]
		}
		return in, nil
	}
	return w, []flow.Handler{flow.Handle(build, quick), flow.Handle(land, slow)}
}

// mostOpen is how many branches had started and not ended at once.
func mostOpen(es []flow.Event) int {
	open, most := map[string]bool{}, 0
	for _, e := range es {
		switch e.Type {
		case flow.EventStart:
			top, _, _ := strings.Cut(e.Branch, ":")
			open[top] = true
		case flow.EventFold:
			delete(open, e.Branch)
		default:
		}
		most = max(most, len(open))
	}
	return most
}

func openBranches(t *testing.T, outer *lab) {
	t.Helper()
	for _, limit := range []int{1, 4, 16} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			l := outer.fresh(t)
			n := 8 + 2*limit // so many that some wait
			w, hs := landing(n)
			o := Options{Workflows: []flow.Runnable{w}, Handlers: hs, Limits: flow.Limits{Lanes: map[string]int{"build": 8, "land": 1}, Branches: limit}}
			rt := l.begin(o, "null")
			l.want(l.drive(rt), flow.Done, fmt.Sprint(n))
			// One more than the limit may open when all open ones wait for it.
			if most := mostOpen(l.events(rt)); most > limit+1 || limit > 1 && most < limit {
				t.Errorf("open at once = %d, limit %d", most, limit)
			}
		})
	}
}

// halfFixture is branches of two steps. The first eight wait for a person
// before they begin; the child dies at the second step of each branch, once. It
// spares steps that it has cut before: three such starts count as a crash of their own.
func halfFixture(dir string, child bool) Options {
	var spared sync.RWMutex
	one := flow.Step[string, string]{Name: "one"}
	two := flow.Step[string, string]{Name: "two", Lane: "two"}
	items := strings.Split("a b c d e f g h i j k l m n o p", " ")
	w := define("w", func(c *flow.Ctx) (int, error) {
		rs, err := flow.All(c, "p", items, self, func(c *flow.Ctx, m string) (string, error) {
			if m < "i" {
				if _, err := flow.Ask(c, "q", flow.Question{}); err != nil {
					return "", err
				}
			}
			if _, err := flow.Do(c, "one", one, m); err != nil {
				return "", err
			}
			return flow.Do(c, "two", two, m)
		})
		return len(rs), err
	})
	hs := []flow.Handler{
		flow.Handle(one, func(_ context.Context, j flow.Job, in string) (string, error) {
			spared.RLock()
			defer spared.RUnlock()
			j.Beat(nil) // progress: what is cut from here on is not wasted, and three wasted starts end the run
			return in, nil
		}),
		flow.Handle(two, func(_ context.Context, _ flow.Job, in string) (string, error) {
			if child {
				once(dir, "died-at-"+in, func() {
					spared.Lock()
					die()
				})
			}
			return in, nil
		}),
	}
	return Options{Workflows: []flow.Runnable{w}, Handlers: hs, Limits: flow.Limits{Lanes: map[string]int{"two": 1}, Branches: 3}}
}

// openAcrossCrash kills drivers with half-done branches again and again, and
// lets branches that come before them begin after the first time: the next
// drivers count those that are half done before they open others.
func openAcrossCrash(t *testing.T, l *lab) {
	t.Helper()
	rt := l.begin(halfFixture(l.dir, false), "null")
	died := 0
	for l.child(order{Fixture: "half"}) {
		if died++; died == 1 {
			for _, m := range strings.Split("a b c d e f g h", " ") {
				l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "p/" + m + ":q"})
			}
		}
		if died > 40 {
			t.Fatal("no end")
		}
	}
	if died < 16 {
		t.Errorf("deaths = %d, want one for each branch", died)
	}
	l.want(l.drive(rt), flow.Done, "16")
	if most := mostOpen(l.events(rt)); most > 3 {
		t.Errorf("open at once = %d, limit 3", most)
	}
}
