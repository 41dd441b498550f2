package check

import (
	"context"

	"github.com/jacquard-build/jacquard/internal/step"
)

// claimed calls what the change wrote with the values that the messages of its commits have: parse("5s") returns 5. It blocks nothing: a
// message may speak of how it was before.
func (x *chainJudge) claimed(ctx context.Context) error {
	if x.t.Asked == "" {
		return nil
	}
	said, _ := x.said()
	for _, part := range x.partsOf(x.writes(), x.declaring) {
		m := part.module
		if m.Examples = x.saidOf(m, said); len(m.Examples) == 0 {
			continue
		}
		called, err := x.called(ctx, m, nil, "The commit message says")
		if err != nil {
			return x.orLate(ctx, err, "calls in the messages of the commits")
		}
		x.out.Claims = append(x.out.Claims, called.Examples...)
		for _, f := range called.Findings {
			if f.Rule == "example-failed" {
				f.Severity = step.Fix
				x.say(f, nil)
			}
		}
	}
	return nil
}
