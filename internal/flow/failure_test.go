package flow_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// What a step returns by reference is decoded for each re-run: a body that
// changes it cannot change the next one's.
func TestOutputsAreNotShared(t *testing.T) {
	t.Parallel()
	list := flow.Step[int, []string]{Name: "list"}
	b := newBench(t, func(c *flow.Ctx) (string, error) {
		v, err := flow.Do(c, "l", list, 1)
		if err != nil {
			return "", err
		}
		v[0] += "!"
		if _, err := flow.Do(c, "a", text, ""); err != nil {
			return "", err
		}
		return v[0], nil
	})
	b.record("l", `["x"]`, 1)
	b.record("a", `""`, 1)
	b.wantOut(`"x!"`)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	limit := &flow.Failure{Class: flow.Limit, Msg: "x", ResetsAt: 5}
	var none *flow.Failure
	for name, c := range map[string]struct {
		err  error
		want flow.Failure
	}{
		"itself":   {limit, *limit},
		"wrapped":  {fmt.Errorf("ask: %w", limit), flow.Failure{Class: flow.Limit, Msg: "ask: x", ResetsAt: 5}},
		"no word":  {fmt.Errorf("ask: %w", &flow.Failure{Class: flow.Auth}), flow.Failure{Class: flow.Auth, Msg: "ask: auth"}},
		"plain":    {errors.New("no"), flow.Failure{Class: flow.Failed, Msg: "no"}},
		"nil":      {none, flow.Failure{Class: flow.Failed, Msg: none.Error()}},
		"too long": {errors.New(strings.Repeat("é", 20_000)), flow.Failure{Class: flow.Failed, Msg: strings.Repeat("é", 8192) + " …"}},
	} {
		if got := flow.AsFailure(c.err); !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: %+.80v, want %+.80v", name, *got, c.want)
		}
	}
}
