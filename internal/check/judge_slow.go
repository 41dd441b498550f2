package check

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// errFar ends what is only run when there is time: the rest is for what the verdict needs.
var errFar = errors.New("the rest of the time is for something else")

// The parts of what is left, in percent, that tests may take: those which the change reaches at once, and those by way of others.
const (
	nearTimes = 60
	farTimes  = 60
)

// partOf ends after a part of what is left of the time.
func partOf(ctx context.Context, percent int) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		return context.WithTimeoutCause(ctx, time.Until(end)/100*time.Duration(percent), errFar)
	}
	return ctx, func() {}
}

const (
	nearTests = "tests that the change reaches: %d files"
	farTests  = "tests that reach the change indirectly: %d files"
)

// narrow runs the new tests in some files, and those that name what has changed if there is time. From now on they stand for their files.
func (x *chainJudge) narrow(ctx context.Context, files []string) error {
	names := map[string]bool{}
	for _, ch := range x.writes() {
		was := functions(ch.Path, codeOf(ch.Path, x.fromWhere(ch).Old))
		for name, text := range functions(ch.Path, codeOf(ch.Path, ch.New)) {
			names[bareName(name)] = names[bareName(name)] || was[name] != text
		}
	}
	isFresh, all := among(x.fresh), x.pl.testsOf(x.runnable(files))
	naming := those(all, func(t test) bool {
		said := mentions(source.Parse(t.File, x.files[t.File]), t.Test)
		maps.DeleteFunc(said, func(name string, _ bool) bool { return !names[name] })
		return !isFresh(t) && len(said) > 0
	})
	x.chosen = map[string][]string{}
	if err := x.choose(ctx, those(all, isFresh)); err != nil {
		return err
	}
	return x.choose(ctx, naming)
}

// choose runs tests, the first of many, that stand for their files, for a part of the time that is left.
func (x *chainJudge) choose(ctx context.Context, tests []test) error {
	short, cancel := partOf(ctx, farTimes)
	defer cancel()
	tests = tests[:min(mostFirst, len(tests))]
	if len(tests) == 0 {
		return nil
	}
	if err := x.runTests(ctx, short, toolchain.Selection{IDs: idsOf(tests)}, tests); errors.Is(err, errFar) {
		return nil
	} else if err != nil {
		return err
	}
	for _, t := range tests {
		if t.in(x.results) != "" { // others could not be found by their ids
			x.chosen[t.File] = append(x.chosen[t.File], t.ID)
		}
	}
	return nil
}

// soon looks at the functions before anything else that runs tests, where those take too long.
func (x *chainJudge) soon(ctx context.Context) error {
	if x.chosen == nil {
		return nil
	}
	return x.functions(ctx)
}

// pick selects files of tests; where there is no time for all, those of them that were run and the tests that stand for others.
func (x *chainJudge) pick(files []string) toolchain.Selection {
	var ids []string
	for _, f := range files {
		if x.chosen != nil && x.ran[f] {
			ids = append(ids, idsOf(x.pl.testsOf([]string{f}))...)
		} else {
			ids = append(ids, x.chosen[f]...)
		}
	}
	if len(ids) == 0 { // no id selects all
		return toolchain.Selection{Files: files}
	}
	return toolchain.Selection{IDs: ids}
}
