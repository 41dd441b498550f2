package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

var (
	// failedLine is a line in which a runner names a test that fails, or what could not be built or loaded: go test, pytest, unittest, cargo,
	// node:test, Jest, Vitest.
	failedLine = re.New(`(?m)^ *--- FAIL: .+$|^FAIL\t.+$|^# .+ \[.+\.test\]$|^(?:FAILED|ERROR) [^\s(].*$|^(?:FAIL|ERROR): .+$|^test .+ \.\.\. FAILED$|^ *not ok \d+ .+$|^ *✖ .+$|^ *● .+$|^ *(?:FAIL|×) +\S.*$`)
	// varies is what differs in such a line from run to run: durations, ordinals, and what pytest says after the name.
	varies = re.New(`\s+\(?\d[\d.]*\s*m?s\)?$|^ *not ok \d+(?: - )?|\t(?:[\d.]+s|\(cached\))$| - .*$`)
	// aboutTests is in requests for which it matters that tests fail.
	aboutTests = re.New(`(?i)\b(fail\w*|flak\w*|red|broken|fix\w*)\b[^.\n]{0,40}\b(tests?|suite|ci|build)\b|\b(tests?|suite|ci|build)\b[^.\n]{0,40}\b(fail\w*|flak\w*|broken|green|pass\w*)\b|(테스트|빌드)[^.\n]{0,20}(실패|깨|통과)`)
)

// failedIn are the lines in which the output of a runner names what fails.
func failedIn(output []byte) (out []string) {
	for _, l := range failedLine().FindAll(output, -1) {
		if line := strings.TrimSpace(varies().ReplaceAllString(strings.TrimRight(string(l), "\r"), "")); line != "" && line != "✖ failing tests:" && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// failsAsBefore are the tests with which a command that runs all tests fails, where each of them failed before the task, and the command with
// nothing else: they are nobody's. Of a request that is about failing tests it is none, nor of a command that a person has given.
func (p *taskProof) failsAsBefore(ctx context.Context, argv []string, now outcome, persons bool) ([]string, error) {
	failed := failedIn(now.output)
	if _, all := toolchain.TestCommand(argv); !all || persons || len(p.changes) == 0 || len(p.t.Chains) == 0 || aboutTests().MatchString(p.t.Request) || !p.allKnown(failed) {
		return nil, nil
	}
	was, ok, err := p.began(ctx, argv)
	if err != nil || !ok || was.Record.Exit != now.Record.Exit || was.problem != "" {
		return nil, err
	}
	before := failedIn(was.output)
	if slices.ContainsFunc(failed, func(l string) bool { return !slices.Contains(before, l) }) {
		return nil, nil
	}
	p.proof.Records = append(p.proof.Records, was.Record)
	return failed, nil
}

// oneTest is a line that names one test, or one group of them, and not a package or all.
var oneTest = re.New(`^(?:--- FAIL: |FAILED \S+::|(?:FAIL|ERROR): |test |✖ |● |× |FAIL\s+\S+ > )`)

// allKnown reports whether lines name tests, and only such as failed before the task and of which the request does not speak.
func (p *taskProof) allKnown(failed []string) bool {
	some := false
	for _, line := range failed {
		if !oneTest().MatchString(line) {
			continue
		}
		some = true
		if !slices.ContainsFunc(p.t.Known, func(id string) bool { return namesTest(line, id) && !hasWord(p.t.Request, lastName(id)) }) {
			return false
		}
	}
	return some
}

// namesTest reports whether a line of a runner names a test, or a group that it stands in.
func namesTest(line, id string) bool {
	_, name := toolchain.SplitID(id)
	group := strings.TrimSpace(strings.TrimLeft(line, "✖●× "))
	return strings.Contains(line, lastName(id)) || group != "" && strings.HasPrefix(name, group+" > ")
}

// lastName is the name of a test without what it stands in.
func lastName(id string) string {
	_, name := toolchain.SplitID(id)
	for _, sep := range []string{"::", " > "} {
		if i := strings.LastIndex(name, sep); i >= 0 {
			name = name[i+len(sep):]
		}
	}
	return name
}

// began runs a command on the tree that the task began with; ok is false where it cannot be run there.
func (p *taskProof) began(ctx context.Context, argv []string) (out outcome, ok bool, err error) {
	chains := p.nearest()
	if p.bare == nil {
		if p.bare, err = p.c.open(ctx, step.OnBefore, p.before, cmp.Or(p.t.Base, p.before), chains[0], chains[1:]...); err != nil {
			return out, false, err
		}
	}
	if err = p.bare.before(ctx, new(testRun), chains[1:]...); err == nil {
		out, err = p.bare.exec(ctx, verifyCommand(argv), false)
	}
	if _, missing := errors.AsType[*EnvironmentError](err); missing {
		return out, false, nil
	}
	return out, err == nil, err
}

// stillFails is what is said of a criterion that fails as it did before.
func stillFails(line string, failed []string) step.Finding {
	shown := failed[:min(len(failed), mostLines)]
	return warn("fails-as-before", "", 0, fmt.Sprintf("`%s` fails, as it did before the change, and with nothing else: %s.", line, strings.Join(shown, "; ")))
}
