package flowtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

func keysNotPositions(t *testing.T, l *lab) {
	t.Helper()
	make := func(items []string) flow.Runnable {
		return define("w", func(c *flow.Ctx) (string, error) {
			parts, err := flow.All(c, "part", items, self, func(c *flow.Ctx, item string) (string, error) { return sequence(c, "one", "two-"+item) })
			if err != nil {
				return "", err
			}
			if _, err := flow.Ask(c, "gate", flow.Question{Text: "go on?"}); err != nil {
				return "", err
			}
			slices.Sort(parts)
			return fmt.Sprint(parts), nil
		})
	}
	o := Options{Workflows: []flow.Runnable{make([]string{"a", "b", "c"})}, Handlers: []flow.Handler{l.worker()}, Version: "1"}
	rt := l.begin(o, "null")
	l.want(l.drive(rt), flow.Waiting, "")
	// Another order of branches, other positions in the program, same keys.
	o.Workflows, o.Version = []flow.Runnable{make([]string{"c", "a", "b"})}, "2"
	again := l.runtime(o)
	l.signal(again, flow.Signal{Verb: flow.Approve, Gate: "gate"})
	l.want(l.drive(again), flow.Done, `"[one!two-a! one!two-b! one!two-c!]"`)
	want := map[string]int{}
	for _, p := range []string{"a", "b", "c"} {
		want["part/"+p+":one"], want["part/"+p+":two-"+p] = 1, 1
	}
	l.wantCalls(want)
}

func branchesWait(t *testing.T, l *lab) {
	t.Helper()
	// Each waits for the next one, so that all are visited before what they need.
	items := []string{"a", "b:b", "c/c", "d%d"}
	w := define("w", func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "part", items, self, func(c *flow.Ctx, item string) (string, error) {
			base := ""
			if i := slices.Index(items, item); i+1 < len(items) {
				v, err := flow.Wait[string](c, items[i+1])
				if err != nil {
					return "", err
				}
				base = v
			}
			v, err := flow.Do(c, "x", work, item)
			return v + base, err
		})
	})
	rt := l.begin(Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.worker()}}, "null")
	l.want(l.drive(rt), flow.Done, `["a!b:b!c/c!d%d!","b:b!c/c!d%d!","c/c!d%d!","d%d!"]`)
}

func allJoins(t *testing.T, l *lab) {
	t.Helper()
	resets := l.clock.Now().Add(time.Hour).UnixMilli()
	h := flow.Handle(work, func(_ context.Context, j flow.Job, in string) (string, error) {
		l.called(j)
		switch in {
		case "limit":
			return "", fmt.Errorf("ask the provider: %w", &flow.Failure{Class: flow.Limit, Msg: "used up", ResetsAt: resets})
		case "plain":
			return "", errors.New("no such thing")
		}
		return in, nil
	})
	w := define("w", func(c *flow.Ctx) (map[string]bool, error) {
		rs, err := flow.All(c, "part", []string{"limit", "plain", "good"}, self, func(c *flow.Ctx, in string) (string, error) {
			if _, err := flow.Do(c, "first", work, in); err != nil {
				return "", err
			}
			return flow.Do(c, "second", work, in+" again")
		})
		var f *flow.Failure
		return map[string]bool{
			"limit": errors.Is(err, &flow.Failure{Class: flow.Limit}), "failed": errors.Is(err, &flow.Failure{Class: flow.Failed}),
			"auth": errors.Is(err, &flow.Failure{Class: flow.Auth}), "resets": errors.As(err, &f) && f.ResetsAt == resets, "good": rs != nil && rs[2] == "good again",
		}, nil
	})
	rt := l.begin(Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{h}, Limits: flow.Limits{Lanes: map[string]int{"work": 1}}}, "null")
	l.want(l.drive(rt), flow.Done, `{"auth":false,"failed":true,"good":true,"limit":true,"resets":true}`)
	l.wantCalls(map[string]int{"part/limit:first": 1, "part/plain:first": 1, "part/good:first": 1, "part/good:second": 1})
}

func startOnce(t *testing.T, l *lab) {
	t.Helper()
	w := define("w", func(c *flow.Ctx) (string, error) { return sequence(c, "a") })
	rt := l.begin(Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.worker()}}, "null")
	if err := rt.Start(t.Context(), flow.NewRun{ID: run, Def: "w", In: json.RawMessage("null")}); !errors.Is(err, flow.ErrExists) {
		t.Errorf("second start = %v, want ErrExists", err)
	}
	if err := rt.Start(t.Context(), flow.NewRun{ID: "r2", Def: "other"}); err == nil {
		t.Error("start of an unknown workflow: no error")
	}
	if _, err := rt.Drive(t.Context(), "nobody"); !errors.Is(err, flow.ErrNoRun) {
		t.Errorf("drive of an unknown run = %v, want ErrNoRun", err)
	}
	l.clock.Advance(time.Second)
	if err := rt.Start(t.Context(), flow.NewRun{ID: "r2", Def: "w", Meta: json.RawMessage(`{"by":"me"}`)}); err != nil {
		t.Errorf("start without input: %v", err)
	}
	rs, err := rt.Runs(t.Context())
	if err != nil || len(rs) != 2 || rs[0].ID != "r2" || rs[1].ID != run || string(rs[0].Meta) != `{"by":"me"}` || string(rs[0].In) != "null" {
		t.Errorf("runs = %+v, %v, want r2 then r1", rs, err)
	}
}

func endedStaysEnded(t *testing.T, l *lab) {
	t.Helper()
	w := define("w", func(c *flow.Ctx) (string, error) { return sequence(c, "a") })
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.worker()}, Version: "1"}
	rt := l.begin(o, "null")
	l.want(l.drive(rt), flow.Done, `"a!"`)
	o.Version = "2"
	again := l.runtime(o)
	l.signal(again, flow.Signal{Verb: flow.CancelRun})
	l.want(l.drive(again), flow.Done, `"a!"`)
	l.wantCalls(map[string]int{"a": 1})
	rs, err := again.Runs(t.Context())
	if err != nil || len(rs) != 1 || rs[0].State != flow.Done || string(rs[0].Out) != `"a!"` || rs[0].Ended.IsZero() || rs[0].Driver != "" {
		t.Errorf("runs = %+v, %v", rs, err)
	}
}
