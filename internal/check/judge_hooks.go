package check

import (
	"bytes"
	"context"
	"path"
	"slices"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// hooks finds in Python what can run when all tests have, and decide how the runner ends.
var hooks = re.New(`\bdef pytest_\w+|\bexitstatus\b|\b_exit\b|\batexit\b`)

// hooked asks the runner with a failing test of our own where a change has touched what decides how it ends: TestMain, a hook of pytest. If it
// ends with 0 then, and did not before, no test can fail any more.
func (x *chainJudge) hooked(ctx context.Context) error {
	for _, ch := range x.changes {
		file, text := x.canary(ch)
		if file == "" || !x.mineIn(x.chain, ch) || !x.pl.compiled(ch.Path) {
			continue
		}
		if _, there := x.pl.entries[file]; there {
			continue
		}
		files := []string{file}
		if x.holdsTests(ch.Path) && x.chain.Ecosystem == toolchain.Python { // what it does, it does where it is loaded
			files = append(files, ch.Path)
		}
		swallowed, run, err := x.pl.swallows(ctx, file, text, files)
		x.proof.Records = append(x.proof.Records, run.records...)
		if err != nil {
			return err
		}
		if !swallowed {
			continue
		}
		base, err := x.place(ctx, x.chain)
		if err != nil {
			return err
		}
		if ch.Old == nil {
			files = files[:1]
		}
		_, was, err := base.swallows(ctx, file, text, files)
		if err != nil {
			return err
		}
		if !was.failed() { // it did so before, or cannot be asked
			continue
		}
		defer x.pl.again()()
		if swallowed, run, err = x.pl.swallows(ctx, file, text, files); err != nil || !swallowed {
			return err
		}
		x.weakens(reject("exit-swallowed", ch.Path, 0, "A failing test was added to try the runner. With the change it exits with 0, without it does not: no test can fail any more. Remove what swallows the exit code."), &run)
		return nil
	}
	return nil
}

// canary is a failing test beside a change that may decide how the runner ends, and its file; "" beside another change.
func (x *chainJudge) canary(ch Change) (file, text string) {
	if ch.New == nil || bytes.Equal(ch.New, ch.Old) {
		return "", ""
	}
	dir := path.Dir(ch.Path)
	switch {
	case x.chain.Ecosystem == toolchain.Go && toolchain.IsTest(ch.Path) && functions(ch.Path, ch.New)["TestMain"] != functions(ch.Path, ch.Old)["TestMain"]:
		pkg := packageClause().FindSubmatch(ch.New)
		if pkg == nil {
			return "", ""
		}
		return path.Join(dir, "jacquard_canary_test.go"), "package " + string(pkg[1]) + "\n\nimport \"testing\"\n\nfunc TestJacquardCanary(t *testing.T) { t.Error(\"a failing test\") }\n"
	case x.chain.Runner == "pytest" && source.LangOf(ch.Path) == source.Python && (path.Base(ch.Path) == conftest || toolchain.IsTest(ch.Path)) && hooks().Match(ch.New):
		return path.Join(dir, "test_jacquard_canary.py"), "def test_jacquard_canary():\n    assert False, \"a failing test\"\n"
	}
	return "", ""
}

// swallows runs files of tests with one more, which fails, and reports whether the runner says so and exits with 0.
func (p *place) swallows(ctx context.Context, file, text string, files []string) (bool, testRun, error) {
	sel := toolchain.Selection{Files: files}
	if p.chain.Ecosystem == toolchain.Go {
		sel = toolchain.Selection{IDs: idsOf(testsIn(source.Parse(file, []byte(text))))}
	}
	p.tests = nil // the file is not known yet
	run, err := p.runWith(ctx, map[string][]byte{file: []byte(text)}, sel)
	p.tests = nil // it is gone
	return slices.ContainsFunc(run.findings, func(f step.Finding) bool { return f.Rule == "exit-swallowed" }), run, err
}

// failed reports whether a test failed and the runner said so by its exit code.
func (t testRun) failed() bool {
	for _, r := range t.results {
		if _, name := toolchain.SplitID(r.ID); name != "" && r.Status == step.Fail {
			return len(t.findings) == 0
		}
	}
	return false
}
