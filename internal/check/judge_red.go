package check

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// absent is what languages without a compiler say of a name that is not there.
var absent = re.New(`\b(?:AttributeError|NameError|ImportError|ModuleNotFoundError)\b|is not a function|is not defined|is not a constructor|Cannot find module|does not provide an export`)

// red runs the new tests that pass on the tree without the change. One that fails there proves it.
func (x *chainJudge) red(ctx context.Context) (err error) {
	mine := those(x.fresh, func(t test) bool { return t.in(x.results) == step.Pass && !t.Fails })
	if !x.known.code || len(mine) == 0 {
		return nil
	}
	pl, err := x.openAlone(ctx, x.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	sel := toolchain.Selection{Files: filesOf(mine)}
	if x.chosen != nil { // they take too long
		sel = toolchain.Selection{IDs: idsOf(mine)}
	}
	a, err := x.runAlone(ctx, pl, sel, mine)
	if err != nil {
		return err
	}
	lost := x.needing(a.lost)
	reached, err := x.reachAsserts(ctx, slices.Concat(a.failing, lost))
	if err != nil {
		return err
	}
	red := func(by RedBy) func(test) RedTest {
		return func(t test) RedTest { return RedTest{t.ID, by, x.existed(t)} }
	}
	x.out.Red = append(append(x.out.Red, each(those(a.failing, among(reached)), red(RedByAssert))...), each(those(lost, among(reached)), red(RedByCompile))...)
	x.alike = a.passing
	if a.invalid != "" && len(a.lost) == 0 {
		x.say(warn("check-invalid", "", 0, a.invalid), &a.run)
	}
	if x.anew && len(a.passing) == len(mine) {
		x.idle = append(x.idle, mine...)
		maps.Copy(x.about, x.mentionedBy(mine))
	}
	if len(x.out.Red) > 0 {
		pl.recordFailures()
	}
	return nil
}

// reachAsserts are those of some new tests that come to what they assert. It is told of one that asserts something in loops, and enters
// none; where it asserts nothing else, it only shows that the code can be called.
func (x *chainJudge) reachAsserts(ctx context.Context, tests []test) (out []test, err error) {
	more := 0 // runs of tests that assert elsewhere as well
	for _, t := range tests {
		m, all, ok := source.Parse(t.File, x.files[t.File]).CrashInLoops(t.Test)
		if !ok || !all && more >= mostTries {
			out = append(out, t)
			continue
		}
		if !all {
			more++
		}
		reached, valid, err := x.kills(ctx, x.pl, mutantAt{Mutant: m, file: t.File, src: x.files[t.File]}, []string{t.File}, []test{t}, slowAfter(x.took))
		if err != nil && !late(ctx, err) {
			return nil, err
		}
		if err != nil || reached || !valid {
			out = append(out, t)
			continue
		}
		if !all {
			out = append(out, t)
			x.say(warn("test-always-true", t.File, t.Line, "The test "+t.Name+" never enters the loop in which it asserts. Assert that there is something to go through."), nil)
			continue
		}
		x.say(fix("test-always-true", t.File, t.Line, "The test "+t.Name+" asserts only in loops, and comes into none of them. Assert that there is something to go through."), nil)
	}
	return out, nil
}

// needing are those of some tests that cannot be loaded without the change because of what they name themselves. That the others cannot, because
// another test in their file cannot, shows nothing.
func (p *taskProof) needing(tests []test) []test {
	names := newNames(p.changes)
	text := mapOf(p.changes, func(ch Change) (string, []byte) { return ch.Path, ch.New })
	return without(tests, func(t test) bool {
		if holdsName(t.File, text[t.File], names) {
			return !needs(t, text[t.File], names)
		}
		for file, src := range text { // what Go compiles in one piece
			if strings.HasSuffix(t.File, "_test.go") && strings.HasSuffix(file, "_test.go") && path.Dir(file) == path.Dir(t.File) && holdsName(file, src, names) {
				return true
			}
		}
		return false // it is something else that cannot be loaded: a helper, a configuration
	})
}

// subjectGone reports whether a test that is gone fails now because what it called is nowhere in the code any more.
func (x *chainJudge) subjectGone(results []step.TestResult) bool {
	return slices.ContainsFunc(goneName().FindAllStringSubmatch(worst(results).Message, -1), func(m []string) bool { return !x.inSources(cmp.Or(m[1], m[2])) })
}

// inSources reports whether a name stands in the code of the project.
func (x *chainJudge) inSources(name string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(x.files)), func(file string) bool {
		src := x.files[file]
		return toolchain.IsSource(file) && bytes.Contains(src, []byte(name)) && holdsName(file, src, map[string]bool{name: true})
	})
}

// goneName is how Node and Python name what is not there: a function, an attribute, a parameter.
var goneName = re.New(`(?:\b|\.)(\w+)\)? is not (?:a function|a constructor|defined)|(?:has no attribute|cannot import name|unexpected keyword argument|name) '(\w+)'`)
