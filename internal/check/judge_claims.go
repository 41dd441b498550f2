package check

import (
	"context"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// claimed calls what the change wrote with the values that the messages of its commits have: parse("5s") returns 5. It blocks nothing: a
// message may speak of how it was before.
func (x *chainJudge) claimed(ctx context.Context) error {
	if x.t.Asked == "" {
		return nil
	}
	said, _ := x.said()
	only := func(ch Change, e step.Export) bool { return x.declares(e.Name) == ch.Path }
	for _, part := range x.partsOf(x.writes(), only) {
		m := part.module
		for _, e := range said {
			if slices.Contains(m.Place.Sources, x.declares(e.Symbol())) {
				m.Examples = append(m.Examples, e)
			}
		}
		if len(m.Examples) == 0 {
			continue
		}
		called, err := x.c.Examples(ctx, m, x.proof.Tree, nil)
		if err == nil {
			called, err = x.taskProof.demanded(ctx, m, called)
		}
		if late(ctx, err) {
			x.out.NotRun = append(x.out.NotRun, "calls in the messages of the commits")
			return nil
		}
		if err != nil {
			return err
		}
		x.out.Claims = append(x.out.Claims, called.Examples...)
		for _, f := range called.Findings {
			if f.Rule == "example-failed" {
				x.say(fix(f.Rule, m.where(), 0, strings.Replace(f.Message, "The spec says", "The commit message says", 1)), nil)
			}
		}
	}
	return nil
}
