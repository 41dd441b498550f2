package act

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// bench is what a change is checked with: the tree that it makes, the Checker, and the toolchains as the tree before says.
func (a *Actor) bench(ctx context.Context, j flow.Job, before, tree string) (v *view, c *check.Checker, chains []toolchain.Found, err error) {
	if v, err = a.tree(ctx, tree, nil); err != nil {
		return nil, nil, nil, err
	}
	if c, err = a.checkerFor(j); err != nil {
		return nil, nil, nil, err
	}
	chains, err = a.chainsFrom(ctx, before, v)
	return v, c, chains, err
}

// proveTask is the step work.prove.
func (a *Actor) proveTask(ctx context.Context, j flow.Job, in step.TaskIn) (step.TaskProof, error) {
	return a.taskProof(ctx, j, in, in.Base, in.Tree)
}

// taskProof proves a tree of a task against the one that it was made from. Tests that failed before are nobody's.
func (a *Actor) taskProof(ctx context.Context, j flow.Job, in step.TaskIn, before, tree string) (step.TaskProof, error) {
	v, c, chains, err := a.bench(ctx, j, before, tree)
	if err != nil {
		return step.TaskProof{}, err
	}
	t := taskCheck(in, specsOf(v, task.Paths(in.Task.Files)), chains, before, tree)
	proof, ran, baseline, err := a.proveChange(ctx, c, &t, before, tree)
	if err != nil {
		return step.TaskProof{}, err
	}
	out := step.TaskProof{Baseline: baseline, Callable: proof.Callable, Doubtful: step.Doubtful(in.Task.HeldOut, proof.Examples)}
	out.Passed, out.Findings, out.Counts = proof.Passed, bound(proof.Findings, 60), proof.Counts()
	out.Counts.HeldOut, out.Counts.Uncalled = step.CountCalls(in.Task.HeldOut, proof.Examples), step.Uncalled(proof.Examples)
	if proof.Passed {
		out.Counts.Level, out.Counts.Red = proof.Level(), len(proof.Red)
	}
	for _, f := range proof.Failures() {
		if !slices.Contains(t.Known, f.ID) {
			out.Failures = append(out.Failures, f)
		}
	}
	out.Failures, out.Baseline = short(out.Failures), bound(out.Baseline, 50)
	for _, e := range proof.Examples {
		if !e.HeldOut && e.State == step.ExampleHolds && len(out.Called) < 50 {
			out.Called = append(out.Called, e.Text)
		}
	}
	out.Idle = idleLines(in.Task.Commands(), proof.Idle)
	out.Checks = checkResults(proof, ran, out.Baseline, out.Idle)
	changes, err := a.o.Repo.Diff(ctx, before, tree)
	if err != nil {
		return out, machinery(err)
	}
	out.Files = files(changes, mostFiles)
	drifted, err := a.drifted(ctx, v, before, changes)
	if err != nil {
		return out, err
	}
	out.Findings, out.Passed = append(out.Findings, drifted...), out.Passed && len(drifted) == 0
	out.Records, err = a.evidence(proof)
	return out, err
}

// proveTests is the step work.tests. What a fix is for has to fail as the code is; what is new may be missing.
func (a *Actor) proveTests(ctx context.Context, j flow.Job, in step.TaskIn) (step.TaskProof, error) {
	_, c, chains, err := a.bench(ctx, j, in.Base, in.Tree)
	if err != nil {
		return step.TaskProof{}, err
	}
	proof, err := c.TaskRed(ctx, taskCheck(in, nil, chains, in.Base, in.Tree), in.Base, in.Tree, in.Task.Type == "fix")
	if err != nil {
		return step.TaskProof{}, a.checkError(err)
	}
	out := step.TaskProof{Passed: proof.Passed, Findings: bound(proof.Findings, 60), Counts: proof.Counts(), Failures: short(proof.Failures())}
	out.Counts.Red = len(proof.Red)
	changes, err := a.o.Repo.Diff(ctx, in.Base, in.Tree)
	if err != nil {
		return out, machinery(err)
	}
	out.Files = files(changes, mostFiles)
	out.Records, err = a.evidence(proof)
	return out, err
}

// proveChange proves a change, and once more with the tests known that failed before it. These it lists.
func (a *Actor) proveChange(ctx context.Context, c *check.Checker, t *check.Task, before, tree string) (proof check.Proof, ran check.Ran, baseline []string, err error) {
	if proof, ran, err = c.Task(ctx, *t, before, tree); err != nil {
		return proof, ran, nil, a.checkError(err)
	}
	known, err := a.failedBefore(ctx, c, *t, before, proof)
	if err != nil || len(known) == 0 {
		return proof, ran, nil, err
	}
	for id, text := range known {
		t.Known = append(t.Known, id)
		baseline = append(baseline, text)
	}
	slices.Sort(t.Known)
	slices.Sort(baseline)
	proof, ran, err = c.Task(ctx, *t, before, tree)
	return proof, ran, baseline, a.checkError(err)
}

// taskCheck is a task as its checks take it. The specs of what it changes may change with it.
func taskCheck(in step.TaskIn, specs []string, chains []toolchain.Found, before, tree string) check.Task {
	owned, extra, deleted := map[string]bool{}, map[string]bool{}, map[string]bool{}
	t := check.Task{Chains: chains, VerifyOnly: in.Task.VerifyOnly, Base: before, Report: in.Report, Untested: in.Untested, Coverage: in.Coverage, Says: in.Task.Text(), Request: in.Request}
	t.HeldOut, t.Asked = in.Task.HeldOut, in.Asked
	t.Keeps = in.Task.Type == "refactor" || in.Task.Type == "chore"
	t.NewCode = (in.Task.Type == "feat" || in.Task.Type == "fix") && slices.ContainsFunc(in.Task.Files, func(f task.File) bool { return toolchain.IsSource(f.Path) })
	for _, f := range in.Task.Files {
		owned[f.Path], deleted[f.Path] = true, f.Action == task.Delete
		t.Files = append(t.Files, f.Path)
		if kind := toolchain.ConfigKindOf(f.Path); kind != toolchain.NoConfig {
			t.Config = append(t.Config, f.Path)
			if kind == toolchain.ManifestConfig || kind == toolchain.LockConfig {
				t.Base = tree // the plan says that what is installed changes
			}
		}
	}
	for _, f := range in.More { // never configuration, and never what another task owns
		if toolchain.ConfigKindOf(f.Path) == toolchain.NoConfig && !slices.Contains(in.Taken, f.Path) {
			extra[f.Path] = !owned[f.Path] && f.Description != step.CameFirst
			owned[f.Path] = true
		}
	}
	for _, f := range specs {
		owned[f] = owned[f] || !slices.Contains(in.Taken, f)
	}
	t.Extra = func(p string) bool { return extra[p] }
	t.Owns = func(p string) bool { return owned[p] }
	t.Deletes = func(p string) bool { return deleted[p] }
	t.Taken = func(p string) bool { return slices.Contains(in.Taken, p) }
	for _, line := range in.Task.Commands() {
		argvs, err := CommandLine(line)
		if err != nil { // of a plan that nobody has checked
			argvs = [][]string{{line}}
		}
		t.Verify = append(t.Verify, argvs...)
	}
	return t
}

// idleLines are the command lines of which every command shows nothing.
func idleLines(lines, idle []string) []string {
	var out []string
	for _, line := range lines {
		argvs, err := CommandLine(line)
		if err == nil && !slices.ContainsFunc(argvs, func(argv []string) bool { return !slices.Contains(idle, strings.Join(argv, " ")) }) {
			out = append(out, line)
		}
	}
	return out
}

// failedBefore are the failures of a proof that were there before the task, by id with how they are listed.
func (a *Actor) failedBefore(ctx context.Context, c *check.Checker, t check.Task, before string, proof check.Proof) (map[string]string, error) {
	out := map[string]string{}
	if proof.Passed {
		return out, nil
	}
	failures := proof.Failures()
	key := func(chain toolchain.Found) string { return chain.Ecosystem + " " + chain.Root }
	mine := map[string][]step.TestResult{} // by the toolchain that runs them
	for _, f := range failures {
		if chain, ok := chainFor(t.Chains, f.ID); ok {
			mine[key(chain)] = append(mine[key(chain)], f)
		}
	}
	for _, f := range failures {
		chain, ok := chainFor(t.Chains, f.ID)
		if !ok {
			continue
		}
		excuse := a.excuse
		if slices.ContainsFunc(proof.Changed, func(id string) bool { return f.ID == id || strings.HasPrefix(f.ID, id+"/") }) {
			excuse = a.excuseChanged // a test that the author wrote or changed is his
		}
		text, err := excuse(ctx, c, chain, before, f, mine[key(chain)])
		if err != nil {
			return nil, err
		}
		if text != "" {
			out[f.ID] = text
		}
	}
	return out, nil
}

// chainFor is the toolchain that runs a test: of its language, with the nearest root.
func chainFor(chains []toolchain.Found, id string) (toolchain.Found, bool) {
	file, _ := toolchain.SplitID(id)
	best, found := toolchain.Found{}, false
	for _, c := range chains {
		in := c.Root == "." || strings.HasPrefix(file, c.Root+"/")
		if lang := toolchain.LanguageOf(file); !in || lang != "" && c.Language != "" && lang != c.Language && toolchain.EcosystemOf(lang) != c.Ecosystem {
			continue
		}
		if !found || len(c.Root) > len(best.Root) {
			best, found = c, true
		}
	}
	return best, found
}

// notRun is why a check has nothing to run, where no program of it is missing.
var notRun = map[string]string{
	check.CheckBuild: "there is nothing to build", check.CheckLint: "no linter covers the changed files", check.CheckTests: "there are no tests",
	check.CheckVerify: "the task has no commands",
}

// idleText begins what documents say of commands that show nothing.
const idleText = "succeeds without the task as well: "

// checkResults are the checks of a proof for documents, in the order of the WORK pipeline's verifier: what has passed, failed, or
// not run and why. before are the failures that were there before, idle the command lines that show nothing.
func checkResults(p check.Proof, ran check.Ran, before, idle []string) []step.CheckResult {
	rules := map[string]string{
		"build-failed": check.CheckBuild, "lint": check.CheckLint, "verify-failed": check.CheckVerify, "no-changes": check.CheckFiles, "no-code": check.CheckFiles, "undeclared-file": check.CheckFiles,
		"out-of-scope": check.CheckFiles, "no-test": check.CheckTests, "test-passes-without": check.CheckTests, "test-missing": check.CheckTests, "flaky-test": check.CheckTests,
		"compares-nothing": check.CheckTests, "expectation-changed": check.CheckTests, "example-failed": check.CheckTests,
		"no-tests-ran": check.CheckTests, "runner-failed": check.CheckTests, "check-invalid": check.CheckTests,
	}
	counts := p.Counts()
	var out []step.CheckResult
	for _, name := range []string{check.CheckBuild, check.CheckLint, check.CheckTests, check.CheckVerify, check.CheckFiles, check.CheckAudit} {
		r := step.CheckResult{Name: name, Status: "PASS"}
		switch missing := ran.Missing[name]; {
		case !slices.Contains(ran.Checks, name):
			r.Status, r.Output = "N/A", cmp.Or(missing, notRun[name])
		case missing != "":
			r.Status, r.Output = "WARN", "not everything was run: "+missing
		}
		for _, f := range p.Findings {
			of := rules[f.Rule]
			if of == "" {
				of = check.CheckAudit
			}
			if of != name || f.Severity == step.Warn && r.Status == "FAIL" {
				continue
			}
			if f.Severity == step.Rejects {
				r.Status, r.Output = "FAIL", clip(f.Message, 300)
			} else if r.Status == "PASS" && (f.Severity == step.Fix || f.Severity == step.Asks || f.Rule == "no-test" || f.Path == "" && (f.Rule == "lint" || f.Rule == "build-failed")) { // its author has said why, or it fails as before
				r.Status, r.Output = "WARN", clip(f.Message, 300)
			}
		}
		if name == check.CheckVerify && r.Status == "PASS" && len(idle) > 0 {
			r.Output = idleText + "`" + strings.Join(idle, "`, `") + "`"
		}
		if name == check.CheckTests {
			switch r.Count = counts.Passed; {
			case counts.Failed > 0 && p.Passed:
				r.Status, r.Output = "WARN", clip(fmt.Sprintf("%d passed, %d already failed before: %s", counts.Passed, counts.Failed, strings.Join(before, ", ")), 300)
			case counts.Failed > 0:
				r.Status, r.Output = "FAIL", fmt.Sprintf("%d of %d failed", counts.Failed, counts.Total)
			}
		}
		out = append(out, r)
	}
	return out
}
