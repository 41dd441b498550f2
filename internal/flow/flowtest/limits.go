package flowtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func splitLines(s string) []string {
	if s = strings.TrimSuffix(s, "\n"); s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func retryIsNewKey(t *testing.T, l *lab) {
	t.Helper()
	h := flow.Handle(work, func(_ context.Context, j flow.Job, in string) (string, error) {
		if l.called(j); in != "3" {
			return "", flow.Failf(flow.Transient, "try %s", in)
		}
		return in, nil
	})
	w := define("w", func(c *flow.Ctx) (string, error) {
		tries := ""
		for i, c := range flow.Rounds(c, "try", 5) {
			v, err := flow.Do(c, "x", work, strconv.Itoa(i))
			if err == nil {
				return tries + v, nil
			}
			tries += string(flow.ClassOf(err)) + " "
		}
		return "never", nil
	})
	rt := l.begin(Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{h}}, "null")
	l.want(l.drive(rt), flow.Done, `"transient transient 3"`)
	l.wantCalls(map[string]int{"try/1/x": 1, "try/2/x": 1, "try/3/x": 1})
}

// roundsFixture tries at most three times and spends a budget of 3; the file
// "need" says which try is good. The child dies in the second try, once.
func roundsFixture(dir string, child bool) Options {
	h := flow.Handle(work, func(_ context.Context, j flow.Job, in string) (string, error) {
		if err := appendLine(filepath.Join(dir, "tries"), j.Key); err != nil {
			return "", err
		}
		if in == "2" && child {
			once(dir, "died", die)
		}
		need, err := os.ReadFile(filepath.Join(dir, "need"))
		if err != nil {
			return "", err
		}
		return map[bool]string{true: "good", false: "bad"}[in == string(need)], nil
	})
	w := define("w", func(c *flow.Ctx) (string, error) {
		const limit = 3
		used := 0
		for i, c := range flow.Rounds(c, "try", 9) {
			if used >= limit { // before the act that it limits
				return fmt.Sprintf("limit after %d", used), nil
			}
			v, err := flow.Do(c, "x", work, strconv.Itoa(i))
			if err != nil {
				return "", err
			}
			if used++; v == "good" {
				return fmt.Sprintf("good after %d", used), nil
			}
		}
		return "rounds", nil
	})
	return Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{h}}
}

func roundLimit(t *testing.T, outer *lab) {
	t.Helper()
	for need, c := range map[string]struct {
		out   string
		tries int
	}{"2": {`"good after 2"`, 2}, "3": {`"good after 3"`, 3}, "4": {`"limit after 3"`, 3}} {
		t.Run("need "+need, func(t *testing.T) {
			t.Parallel()
			l := outer.fresh(t)
			if err := os.WriteFile(filepath.Join(l.dir, "need"), []byte(need), 0o644); err != nil {
				t.Fatal(err)
			}
			o := roundsFixture(l.dir, false)
			rt := l.begin(o, "null")
			if !l.child(order{Fixture: "rounds"}) {
				t.Fatal("the child was not killed")
			}
			l.want(l.drive(rt), flow.Done, c.out)
			got := counted(lines(t, filepath.Join(l.dir, "tries")))
			want := map[string]int{"try/1/x": 1, "try/2/x": 2} // the second one was cut by the crash
			if c.tries == 3 {
				want["try/3/x"] = 1
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("tries = %v, want %v", got, want)
			}
		})
	}
}

// poisonFixture kills its process each time; the file "beats" lists the starts
// that make progress before.
func poisonFixture(dir string, child bool) Options {
	h := flow.Handle(work, func(_ context.Context, j flow.Job, _ string) (string, error) {
		if err := appendLine(filepath.Join(dir, "starts"), fmt.Sprint(j.Start, " ", len(j.Previous))); err != nil {
			return "", err
		}
		raw, _ := os.ReadFile(filepath.Join(dir, "beats"))
		for _, f := range strings.Fields(string(raw)) {
			if f == strconv.Itoa(j.Start) {
				j.Beat("at work")
			}
		}
		if child {
			die()
		}
		return "survived", nil
	})
	w := define("w", func(c *flow.Ctx) (string, error) {
		v, err := flow.Do(c, "poison", work, "")
		if err != nil {
			return string(flow.ClassOf(err)), nil
		}
		return v, nil
	})
	return Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{h}}
}

func (l *lab) poison(beats string, deaths int) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, "beats"), []byte(beats), 0o644); err != nil {
		l.t.Fatal(err)
	}
	o := poisonFixture(l.dir, false)
	rt := l.begin(o, "null")
	for range deaths {
		if !l.child(order{Fixture: "poison"}) {
			l.t.Fatal("the child was not killed")
		}
	}
	l.want(l.drive(rt), flow.Done, `"environment"`)
	starts := lines(l.t, filepath.Join(l.dir, "starts"))
	for i, s := range starts {
		if want := fmt.Sprint(i+1, " ", i); s != want {
			l.t.Errorf("start and previous = %q, want %q", s, want)
		}
	}
	if len(starts) != deaths {
		l.t.Errorf("starts = %d, want %d", len(starts), deaths)
	}
}

func wastedAfterThree(t *testing.T, l *lab) {
	t.Helper()
	l.poison("", 3)
}

func progressResets(t *testing.T, l *lab) {
	t.Helper()
	l.poison("3", 6)
}

func orderlyStop(t *testing.T, l *lab) {
	t.Helper()
	w := define("w", func(c *flow.Ctx) (string, error) { return sequence(c, "a") })
	release := make(chan struct{})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.blocker(release)}}
	rt := l.begin(o, "null")
	for i := range 5 {
		d := l.background(rt)
		l.eventually("the step is at work", func() bool { return l.count("a") == i+1 })
		d.stop()
		l.want(d.wait(), flow.Interrupted, "")
		if rs, err := rt.Runs(t.Context()); err != nil || rs[0].State != flow.Interrupted || rs[0].Driver != "" {
			t.Fatalf("runs = %+v, %v", rs, err)
		}
		rt = l.runtime(o)
	}
	close(release)
	l.want(l.drive(rt), flow.Done, `"a!"`)
	l.wantCalls(map[string]int{"a": 6})
}

func bigOutput(t *testing.T, l *lab) {
	t.Helper()
	type list struct{ Lines []string }
	direct := flow.Step[any, list]{Name: "direct"}
	byBlob := flow.Step[any, flow.Blob]{Name: "blob"}
	big := list{Lines: make([]string, 3000)}
	for i := range big.Lines {
		big.Lines[i] = strings.Repeat("x", 1000)
	}
	hs := []flow.Handler{
		flow.Handle(direct, func(_ context.Context, j flow.Job, _ any) (list, error) {
			l.called(j)
			return big, nil
		}),
		flow.Handle(byBlob, func(_ context.Context, j flow.Job, _ any) (flow.Blob, error) {
			l.called(j)
			raw := `{"Lines":["` + strings.Join(big.Lines, `","`) + `"]}`
			return j.Blobs.Put([]byte(raw), "application/json")
		}),
	}
	w := define("w", func(c *flow.Ctx) (string, error) {
		_, err := flow.Do(c, "direct", direct, nil)
		if !errors.Is(err, &flow.Failure{Class: flow.Schema}) {
			return "", err
		}
		ref, err := flow.Do(c, "blob", byBlob, nil)
		if err != nil {
			return "", err
		}
		v, err := flow.Load[list](c, ref)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d lines of %d", len(v.Lines), len(v.Lines[0])), nil
	})
	rt := l.begin(Options{Workflows: []flow.Runnable{w}, Handlers: hs, Blobs: dirBlobs{t.TempDir()}}, "null")
	l.want(l.drive(rt), flow.Done, `"3000 lines of 1000"`)
	l.wantCalls(map[string]int{"direct": 1, "blob": 1})
}

func laneLimits(t *testing.T, l *lab) {
	t.Helper()
	lanes := map[string]int{"two": 2, "five": 5}
	var now, most [2]atomic.Int64
	var hs []flow.Handler
	var steps []flow.Step[int, int]
	for i, lane := range []string{"two", "five"} {
		s := flow.Step[int, int]{Name: lane, Lane: lane}
		steps = append(steps, s)
		hs = append(hs, flow.Handle(s, func(_ context.Context, _ flow.Job, in int) (int, error) {
			n := now[i].Add(1)
			for m := most[i].Load(); n > m && !most[i].CompareAndSwap(m, n); m = most[i].Load() {
			}
			for range 2000 { // long enough for others to come in if they may
				_ = sum([]byte{byte(in)})
			}
			now[i].Add(-1)
			return in, nil
		}))
	}
	items := make([]int, 40)
	for i := range items {
		items[i] = i
	}
	w := define("w", func(c *flow.Ctx) (int, error) {
		rs, err := flow.All(c, "p", items, strconv.Itoa, func(c *flow.Ctx, i int) (int, error) {
			if _, err := flow.Do(c, "a", steps[i%2], i); err != nil {
				return 0, err
			}
			return flow.Do(c, "b", steps[1], i)
		})
		return len(rs), err
	})
	rt := l.begin(Options{Workflows: []flow.Runnable{w}, Handlers: hs, Limits: flow.Limits{Lanes: lanes}}, "null")
	l.want(l.drive(rt), flow.Done, "40")
	for i, lane := range []string{"two", "five"} {
		if m := most[i].Load(); m > int64(lanes[lane]) || m == 0 {
			t.Errorf("most at once in lane %s = %d, limit %d", lane, m, lanes[lane])
		}
	}
}
