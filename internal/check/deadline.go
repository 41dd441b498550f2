package check

import (
	"context"
	"errors"
	"time"
)

// errFar ends what is only run when there is time: the rest is for what the verdict needs.
var errFar = errors.New("the rest of the time is for something else")

// partTimes is the part of what is left of the time, in percent, that is spent on one thing.
const partTimes = 60

// partTime is how long that is; 0 without a limit.
func partTime(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return time.Until(end) / 100 * partTimes
	}
	return 0
}

// partOf ends after that part.
func partOf(ctx context.Context) (context.Context, context.CancelFunc) {
	if d := partTime(ctx); d != 0 {
		return context.WithTimeoutCause(ctx, d, errFar)
	}
	return ctx, func() {}
}
