package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

const (
	nearTests = "tests that the change reaches: %d files"
	slowTests = "tests that the change reaches: %d files; last time they took longer than %d s"
	farTests  = "tests that reach the change indirectly: %d files"
)

// slowFor is how long it is remembered that tests were too slow: the machine may have been busy.
const slowFor = 24 * time.Hour

// slowFile says how long the tests of some files of this project took at least, "" where nothing is recorded.
func (x *chainJudge) slowFile(files []string) string {
	if x.c.o.Record == "" || x.c.o.Fresh {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(append(slices.Sorted(slices.Values(files)), x.chain.Ecosystem, x.c.repo.Root()), "\x00")))
	return filepath.Join(x.c.o.Record, "slow", hex.EncodeToString(sum[:]))
}

// knownSlow is how long tests took at least when they were last stopped for want of time; 0 for nothing known.
func (x *chainJudge) knownSlow(files []string) time.Duration {
	file := x.slowFile(files)
	at, err := os.Stat(file)
	if err != nil || time.Since(at.ModTime()) > slowFor {
		return 0
	}
	raw, _ := os.ReadFile(file)
	d, _ := time.ParseDuration(string(raw))
	return d
}

// noteSlow records that tests took longer than some time, 0 that they did not. Without it the next judgement tries them.
func (x *chainJudge) noteSlow(files []string, d time.Duration) {
	switch file := x.slowFile(files); {
	case file == "":
	case d == 0:
		_ = os.Remove(file)
	case os.MkdirAll(filepath.Dir(file), 0o700) == nil:
		_ = WriteWhole(file, []byte(d.Round(time.Second).String()))
	}
}

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
		return !isFresh(t) && share(mentions(source.Parse(t.File, x.files[t.File]), t.Test), names)
	})
	x.chosen = map[string][]string{}
	if err := x.choose(ctx, those(all, isFresh)); err != nil {
		return err
	}
	return x.choose(ctx, naming)
}

// choose runs tests, the first of many, that stand for their files, for a part of the time that is left.
func (x *chainJudge) choose(ctx context.Context, tests []test) error {
	short, cancel := partOf(ctx)
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
