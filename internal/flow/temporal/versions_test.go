package temporal_test

import (
	"context"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
)

// TestOlderWorker: a worker of another version, whose definition would go on differently, decides nothing and gives back a
// step that it does not know; the run ends as its own version says when a worker of that is there.
func TestOlderWorker(t *testing.T) {
	t.Parallel()
	newer := flow.Step[string, string]{Name: "newer", Lane: "agents"}
	define := func(more bool) flow.Runnable {
		return flow.Workflow[any, string]{Name: "w", Fn: func(c *flow.Ctx, _ any) (string, error) {
			v, err := flow.Do(c, "a", build, map[bool]int{true: 2, false: 1}[more])
			if err != nil || !more {
				return "old", err
			}
			out, err := flow.Do(c, "b", newer, "new")
			return out + map[bool]string{true: "!"}[v == 2], err
		}}
	}
	plain := flow.Handle(build, func(_ context.Context, _ flow.Job, in int) (int, error) { return in, nil })
	known := flow.Handle(newer, func(_ context.Context, _ flow.Job, in string) (string, error) { return in, nil })
	o := options(t, t.TempDir())
	o.Version, o.Workflows, o.Handlers = "2", []flow.Runnable{define(true)}, []flow.Handler{plain, known}
	o.Pool, o.Far, o.Hub = "default", []string{"agents"}, &sharing{results: map[string][]byte{}}
	home := started(t, o, "mixed", "w")
	defer home.Close()
	work := func(version string, w flow.Runnable, hs ...flow.Handler) (stop func()) {
		wo := o
		wo.Version, wo.Workflows, wo.Handlers, wo.Dir, wo.Host = version, []flow.Runnable{w}, hs, t.TempDir(), "host"+version
		rt, err := temporal.Open(t.Context(), wo)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := rt.Work(ctx, []string{"default"}, map[string]int{"agents": 4}, 0); err != nil {
				t.Error(err)
			}
			_ = rt.Close()
		}()
		return func() { cancel(); <-done }
	}
	defer work("1", define(false), plain)()
	defer work("2", define(true), plain, known)()
	st, err := home.Drive(t.Context(), "mixed")
	if err != nil || st.State != flow.Done || string(st.Out) != `"new!"` {
		t.Errorf("%+v, %v, want new! of the newer definition", st, err)
	}
}
