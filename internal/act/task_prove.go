package act

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/toolchain"
	"github.com/jacquard-build/jacquard/internal/works"
)

// proveTask is the step work.prove.
func (a *Actor) proveTask(ctx context.Context, j flow.Job, in step.TaskIn) (step.TaskProof, error) {
	return a.taskProof(ctx, j, in, in.Base, in.Tree)
}

// taskProof proves a tree of a task against the one that it was made from. Tests that failed before are nobody's.
func (a *Actor) taskProof(ctx context.Context, j flow.Job, in step.TaskIn, before, tree string) (step.TaskProof, error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return step.TaskProof{}, err
	}
	c, err := a.checker(j.Run)
	if err != nil {
		return step.TaskProof{}, err
	}
	chains, err := a.chainsFrom(ctx, before, v)
	if err != nil {
		return step.TaskProof{}, err
	}
	var named []string
	for _, f := range in.Task.Files {
		named = append(named, f.Path)
	}
	t := taskCheck(in, specsOf(v, named), chains, before, tree)
	proof, ran, baseline, err := a.proveChange(ctx, c, &t, before, tree)
	if err != nil {
		return step.TaskProof{}, err
	}
	out := step.TaskProof{Baseline: baseline, Doubtful: step.Doubtful(in.Task.HeldOut, proof.Examples)}
	out.Passed, out.Findings, out.Counts = proof.Passed, bound(proof.Findings, 60), proof.Counts()
	out.Counts.HeldOut = step.CountCalls(in.Task.HeldOut, proof.Examples)
	if proof.Passed {
		out.Counts.Level, out.Counts.Red = proof.Level(), len(proof.Red)
	}
	for _, f := range proof.Failures() {
		if !slices.Contains(t.Known, f.ID) {
			out.Failures = append(out.Failures, f)
		}
	}
	out.Failures, out.Baseline = short(out.Failures), bound(out.Baseline, 50)
	out.Idle = idleLines(in.Task.Commands(), proof.Idle)
	out.Checks = checkResults(proof, ran, out.Baseline, out.Idle)
	changes, err := a.o.Repo.Diff(ctx, before, tree)
	if err != nil {
		return out, machinery(err)
	}
	for _, ch := range bound(changes, 200) {
		out.Files = append(out.Files, step.Change{Path: ch.Path, Status: string(ch.Status)})
	}
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
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return step.TaskProof{}, err
	}
	c, err := a.checker(j.Run)
	if err != nil {
		return step.TaskProof{}, err
	}
	chains, err := a.chainsFrom(ctx, in.Base, v)
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
	out.Files = files(changes)
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
	t.HeldOut, t.Only = in.Task.HeldOut, in.Only
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
			extra[f.Path] = !owned[f.Path]
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
	for _, f := range proof.Failures() {
		chain, ok := chainFor(t.Chains, f.ID)
		if !ok || slices.ContainsFunc(proof.Changed, func(id string) bool { return f.ID == id || strings.HasPrefix(f.ID, id+"/") }) {
			continue // a test that the author wrote or changed is his
		}
		text, err := a.excuse(ctx, c, chain, before, f)
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

// checkResults are the checks of a proof in the order of the original's verifier, for documents: what has passed, failed, or
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
			} else if r.Status == "PASS" && (f.Severity == step.Fix || f.Rule == "no-test" || f.Path == "" && (f.Rule == "lint" || f.Rule == "build-failed")) { // its author has said why, or it fails as before
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

// landTask is the step work.land: merge, prove the merged tree, write the documents and commit on the run's branch. It
// looks for its trailer first, so that a commit is never made twice.
func (a *Actor) landTask(ctx context.Context, j flow.Job, in step.LandTaskIn) (step.LandTaskOut, error) {
	head, from, err := a.sides(ctx, j.Run, in.From)
	if err != nil {
		return step.LandTaskOut{}, err
	}
	var plan step.WorkPlan
	what := j.Key
	if !in.Plan.IsZero() { // it is of a WORK
		if plan, err = load[step.WorkPlan](a.o.Blobs, in.Plan); err != nil {
			return step.LandTaskOut{}, err
		}
		what = taskCommit(plan.Work, in.Task.ID)
	}
	if out, ok, err := landedAs(ctx, a, j, what, head.Commit, func(c git.LogEntry) (step.LandTaskOut, error) {
		out := step.LandTaskOut{Passed: true, Commit: c.ID, Tree: c.Tree}
		if plan.Work != "" {
			out.Result = (&workFiles{plan: plan, in: in}).resultPath()
		}
		out.Files, err = a.landedFiles(ctx, c, cmp.Or(c.Trailer(trailerTree), c.Tree)) // without the documents
		return out, err
	}, func(o step.LandTaskOut) string { return o.Commit }); ok || err != nil {
		return out, err
	}
	tree, conflicts, err := a.o.Repo.Merge(ctx, from.Tree, head.Tree, in.Tree)
	if err != nil {
		return step.LandTaskOut{}, machinery(err)
	}
	out := step.LandTaskOut{Head: head}
	for _, c := range conflicts {
		out.Conflicts = append(out.Conflicts, c.Path)
	}
	if out.Start, err = a.withTheirs(ctx, tree, head.Tree, out.Conflicts); err != nil {
		return out, err
	}
	if len(conflicts) > 0 {
		out.Proof.Findings, err = a.bothSides(ctx, from.Tree, in.Tree, out.Conflicts)
		return out, err
	}
	if tree != in.Tree {
		if out.Proof, err = a.taskProof(ctx, j, in.TaskIn, head.Tree, tree); err != nil || !out.Proof.Passed {
			return out, err
		}
	}
	return a.commitTask(ctx, j, plan, what, in, head, tree, out)
}

// withTheirs is a merged tree with the files in conflict as the branch has them: where an author goes on, with all that
// others have done.
func (a *Actor) withTheirs(ctx context.Context, merged, head string, conflicts []string) (string, error) {
	if len(conflicts) == 0 {
		return merged, nil
	}
	entries, err := a.o.Repo.ReadTree(ctx, head)
	if err != nil {
		return "", machinery(err)
	}
	theirs := map[string]git.Edit{}
	for _, e := range entries {
		theirs[e.Path] = git.Edit(e)
	}
	var edits []git.Edit
	for _, p := range conflicts {
		e, ok := theirs[p]
		if !ok {
			e = git.Edit{Path: p}
		}
		edits = append(edits, e)
	}
	out, err := a.o.Repo.EditTree(ctx, merged, edits)
	return out, machinery(err)
}

// bothSides tells an author of his own changes of files that somebody else has changed at the same place; the others'
// are in the tree.
func (a *Actor) bothSides(ctx context.Context, from, mine string, paths []string) ([]step.Finding, error) {
	diff, err := a.o.Repo.AddedLines(ctx, from, mine)
	if err != nil {
		return nil, machinery(err)
	}
	var out []step.Finding
	for _, p := range paths {
		var b strings.Builder
		b.WriteString("Another task changed the same place in this file. The tree has the version of that task; redo your change on top of it, and keep theirs.")
		for _, d := range diff {
			if d.Path != p {
				continue
			}
			b.WriteString(" Your change was:\n")
			for _, l := range d.Removed {
				fmt.Fprintf(&b, "-%s\n", l.Text)
			}
			for _, l := range d.Added {
				fmt.Fprintf(&b, "+%s\n", l.Text)
			}
		}
		out = append(out, step.Finding{Rule: "merge-conflict", Severity: step.Rejects, Path: p, Message: clip(b.String(), 2500)})
	}
	return out, nil
}

// commitTask commits a task's merged tree; one of a WORK has its documents in the same commit.
func (a *Actor) commitTask(ctx context.Context, j flow.Job, plan step.WorkPlan, what string, in step.LandTaskIn, head step.HeadOut, merged string, out step.LandTaskOut) (step.LandTaskOut, error) {
	changes, err := a.o.Repo.Diff(ctx, head.Tree, merged)
	if err != nil {
		return out, machinery(err)
	}
	var paths []string
	for _, ch := range changes {
		paths = append(paths, ch.Path)
	}
	out.Files = files(changes)
	style, err := a.style(ctx, j.Run)
	if err != nil {
		return out, err
	}
	kind, lines := in.Task.Type, in.Lines
	if kind == "feat" && plan.Request != "" && works.ParseRequest(plan.Request).IsFix() {
		kind = "fix"
	}
	if len(lines) == 0 {
		lines = whatChanged(out.Files)
	}
	c := a.landedCommit(j.Run, what, message(style, kind, in.Task.Title, paths, lines), merged)
	c.Parents = []string{head.Commit}
	if c.Tree, err = a.recorded(ctx, head.Tree, merged); err != nil {
		return out, err
	}
	keptID, kept, err := a.kept(ctx, j.Run, head.Commit)
	if err != nil {
		return out, err
	}
	if plan.Work != "" {
		docs, err := a.workFilesOf(ctx, j, plan, in, head, merged, kept, &out)
		if err != nil {
			return out, err
		}
		to := &c.Tree
		if plan.Documents != "" {
			to = &kept
		}
		if *to, err = a.withFiles(ctx, *to, docs); err != nil {
			return out, err
		}
	}
	if out.Commit, err = a.o.Repo.CommitTree(ctx, c); err != nil {
		return out, machinery(err)
	}
	if keptID != "" {
		if err := a.keepDocuments(ctx, j.Run, out.Commit, keptID, kept); err != nil {
			return out, err
		}
	}
	out.Tree, out.Passed = c.Tree, true
	return out, a.landOn(ctx, j, head.Commit, out.Commit, out)
}

// workFilesOf are the documents of a task of a WORK.
func (a *Actor) workFilesOf(ctx context.Context, j flow.Job, plan step.WorkPlan, in step.LandTaskIn, head step.HeadOut, merged, kept string, out *step.LandTaskOut) (map[string][]byte, error) {
	hashes, err := a.taskHashes(ctx, j.Run, head.Commit)
	if err != nil {
		return nil, err
	}
	v, err := a.tree(ctx, merged, nil)
	if err != nil {
		return nil, err
	}
	if v, err = a.with(ctx, v, kept); err != nil {
		return nil, err
	}
	if len(out.Proof.Checks) > 0 { // what was proved is the merged tree
		in.Checks, in.Idle = out.Proof.Checks, out.Proof.Idle
	}
	w := workFiles{plan: plan, in: in, files: out.Files, hashes: hashes, now: a.o.Now(), read: v.bytes, paths: v.paths()}
	docs := w.documents()
	out.Result = w.resultPath()
	return docs, nil
}

// withFiles is a tree with files of ours in it.
func (a *Actor) withFiles(ctx context.Context, tree string, files map[string][]byte) (string, error) {
	var edits []git.Edit
	for p, data := range files {
		id, err := a.o.Repo.WriteBlob(ctx, data)
		if err != nil {
			return "", machinery(err)
		}
		edits = append(edits, git.Edit{Path: p, Mode: "100644", ID: id})
	}
	out, err := a.o.Repo.EditTree(ctx, tree, edits)
	return out, machinery(err)
}

// landOn moves the run's branch to a commit, once it is written down what the step has to say of it.
func (a *Actor) landOn(ctx context.Context, j flow.Job, from, to string, out any) error {
	if err := writeFile(filepath.Join(j.Dir, landFile), mustJSON(out)); err != nil {
		return machinery(err)
	}
	return machinery(a.effect("land", func() error { return a.o.Repo.SetRef(ctx, RunRef(j.Run), to, from) }))
}

// whatChanged says what became of files.
func whatChanged(files []step.Change) []string {
	words := map[string]string{"A": "add", "M": "change", "D": "delete", "T": "change"}
	var out []string
	for _, f := range bound(files, 20) {
		out = append(out, words[f.Status]+" "+f.Path)
	}
	return out
}

// taskHashes are the commits of a run's tasks, by id.
func (a *Actor) taskHashes(ctx context.Context, run, tip string) (map[string]string, error) {
	log, err := a.landedLog(ctx, run, tip)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, c := range log {
		if _, id := TaskOf(c); id != "" {
			out[id] = c.ID
		}
	}
	return out, nil
}

// landedAs finds the commit that a landing step has made already, with what that start had to say of it. It looks whatever the
// journal knows of earlier starts: one that was taken from a backup is older than the run's branch.
func landedAs[T any](ctx context.Context, a *Actor, j flow.Job, what, tip string, bare func(git.LogEntry) (T, error), commit func(T) string) (T, bool, error) {
	var none T
	log, err := a.landedLog(ctx, j.Run, tip)
	if err != nil {
		return none, false, err
	}
	for _, c := range log {
		if !isStep(c, j.Run, what, j.Key) {
			continue
		}
		for _, dir := range j.Previous {
			var out T
			raw, err := os.ReadFile(filepath.Join(dir, landFile))
			if err == nil && json.Unmarshal(raw, &out) == nil && commit(out) == c.ID {
				return out, true, nil
			}
		}
		out, err := bare(c)
		return out, err == nil, err
	}
	return none, false, nil
}

// landedHead is what there is to say of a commit that was found.
func landedHead(c git.LogEntry) (step.HeadOut, error) {
	return step.HeadOut{Commit: c.ID, Tree: c.Tree}, nil
}

// landedFiles are the files of a commit that was found, from its parent to a tree.
func (a *Actor) landedFiles(ctx context.Context, c git.LogEntry, tree string) ([]step.Change, error) {
	if len(c.Parents) == 0 {
		return nil, nil
	}
	from, err := a.at(ctx, c.Parents[0])
	if err != nil {
		return nil, err
	}
	changes, err := a.o.Repo.Diff(ctx, from.Tree, tree)
	return files(changes), machinery(err)
}

// files are changes as results list them, bounded.
func files(changes []git.Change) []step.Change {
	var out []step.Change
	for _, ch := range bound(changes, 200) {
		out = append(out, step.Change{Path: ch.Path, Status: string(ch.Status)})
	}
	return out
}
