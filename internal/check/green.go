package check

import (
	"bytes"
	"context"
	"fmt"
	"go/build"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Baseline runs the build and all tests of a toolchain on a tree that nobody has worked on. Its failures are Known in
// the proofs that follow. It passes also with failures, as long as the runner ran.
func (c *Checker) Baseline(ctx context.Context, chain toolchain.Found, tree string) (proof Proof, err error) {
	p, err := c.open(ctx, step.OnBaseline, tree, tree, chain)
	if err != nil {
		return Proof{}, fmt.Errorf("baseline: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	proof = Proof{Tree: tree}
	for _, cmd := range chain.Build(chain.Root) {
		out, failed := p.exec(ctx, cmd, false)
		if missing := optional(cmd, failed); missing != nil {
			proof.Findings = append(proof.Findings, warn("tool-missing", "", 0, missing.Error()))
			continue
		}
		if failed != nil {
			return proof, fmt.Errorf("baseline: %w", failed)
		}
		proof.Records = append(proof.Records, out.Record)
		if !out.clean() {
			proof.Findings = append(proof.Findings, warn("build-failed", chain.Root, 0, "The build already fails without any change: "+out.tail))
		}
	}
	files := p.testFiles()
	if len(files) == 0 && (chain.Ecosystem != toolchain.Unknown || len(chain.Test(toolchain.Selection{})) == 0) {
		proof.Passed = true
		return proof, nil
	}
	run, err := p.runTests(ctx, toolchain.Selection{}, p.testsOf(files))
	if run.exit != nil && run.exit.Exit != 0 { // which of them failed is not known, so none is excused
		run.results = nil
	}
	if err == nil {
		err = p.settle(ctx, &run)
	}
	proof.Records = append(proof.Records, run.records...)
	proof.Results = run.results
	for _, f := range run.findings {
		f.Severity = step.Warn
		proof.Findings = append(proof.Findings, f)
	}
	proof.Passed = executed(run.results) > 0
	if err != nil {
		return proof, fmt.Errorf("baseline: %w", err)
	}
	return proof, nil
}

func joinClose(err error, p *place) error {
	if e := p.close(); e != nil && err == nil {
		return fmt.Errorf("remove check tree: %w", e)
	}
	return err
}

// testFiles lists the files with tests of the place's toolchain.
func (p *place) testFiles() []string {
	var out []string
	for name := range p.entries {
		if p.ours(name) && toolchain.IsTest(name) && !p.endToEnd(p.read(name)) && p.compiled(name) && len(source.Parse(name, p.read(name)).Tests) > 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// endToEnd reports whether a file is one of the project's end-to-end tests, which the runner of the others does not run.
func (p *place) endToEnd(src []byte) bool {
	return p.chain.Uses(toolchain.Playwright) && bytes.Contains(src, []byte(toolchain.Playwright))
}

// compiled reports whether a Go file is compiled here by one of the commands that test: its name, its build constraint and the tags
// decide. What is written for another system cannot run. Files of other languages always are.
func (p *place) compiled(name string) bool {
	if p.chain.Ecosystem != toolchain.Go {
		return true
	}
	here := build.Default
	here.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.read(name))), nil }
	for _, cmd := range p.chain.Test(toolchain.Selection{}) {
		here.BuildTags = tagsOf(cmd.Argv)
		if ok, err := here.MatchFile(path.Dir(name), path.Base(name)); ok || err != nil { // what cannot be read is the compiler's to complain about
			return true
		}
	}
	return false
}

// tagsOf are the build tags of a go command.
func tagsOf(argv []string) []string {
	for i, arg := range argv {
		name, value, ok := strings.Cut(arg, "=")
		if name != "-tags" && name != "--tags" {
			continue
		}
		if !ok && i+1 < len(argv) {
			value = argv[i+1]
		}
		return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return nil
}

// ours reports whether a file is source code of the toolchain.
func (p *place) ours(name string) bool {
	in := p.chain.Root == "." || p.chain.Root == "" || strings.HasPrefix(name, p.chain.Root+"/")
	return in && !strings.HasPrefix(name, "../") && slices.Contains(languagesOf(p.chain), source.LangOf(name)) && !p.apart(name)
}

// apart reports whether a Go file is in no package of ./...: it belongs to a module below, or to a folder that go leaves out.
func (p *place) apart(name string) bool {
	if p.chain.Ecosystem != toolchain.Go {
		return false
	}
	for dir := path.Dir(name); dir != "." && dir != p.chain.Root; dir = path.Dir(dir) {
		base := path.Base(dir)
		if _, module := p.entries[dir+"/go.mod"]; module || base == "testdata" || dir == path.Join(p.chain.Root, "vendor") || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
			return true
		}
	}
	return false
}

func languagesOf(chain toolchain.Found) []string {
	switch chain.Ecosystem {
	case toolchain.Go:
		return []string{source.Go}
	case toolchain.Node:
		return []string{source.TypeScript, source.JavaScript}
	case toolchain.Python:
		return []string{source.Python}
	case toolchain.Rust:
		return []string{source.Rust}
	case toolchain.JVM:
		return []string{source.Java, source.Kotlin}
	}
	return nil
}

// Green proves that the frozen tests pass on tree, which an author made from before (the tree with the frozen tests).
// Frozen files that differ are a finding, and the proof runs on a tree in which they are as they were.
func (c *Checker) Green(ctx context.Context, m Module, before, tree string, frozen []step.File) (Proof, error) {
	fixed, findings, restored, err := c.freeze(ctx, m, before, tree, frozen)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	linked, err := c.linkChanges(ctx, m, before, tree)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	if fixed, err = c.Link(ctx, m, fixed); err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	allows := func(p string) bool {
		return m.Place.AllowsSource(p) || has(linked, p) || slices.ContainsFunc(findings, func(f step.Finding) bool { return f.Rule == strayRule && f.Path == p })
	}
	audit, err := c.Audit(ctx, m, before, tree, frozen, allows, nil)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	more, err := c.moreExports(ctx, m, before, fixed)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	fewer, err := c.fewerExports(ctx, m, fixed)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	findings = slices.Concat(findings, more, fewer)
	audit = slices.DeleteFunc(audit, func(f step.Finding) bool { return has(m.Kept, f.Path) })
	findings = merge(findings, audit)
	proof, err := c.passes(ctx, m, fixed, frozen)
	if err != nil {
		return proof, fmt.Errorf("prove green: %w", err)
	}
	proof.Findings, proof.Restored = append(findings, proof.Findings...), restored
	proof.Passed = proof.Passed && !Rejected(proof.Findings)
	return proof, nil
}

// Refactor proves that tree, made from the green tree, still passes the frozen tests, exports the same with the same
// signatures, and differs in nothing outside the module.
func (c *Checker) Refactor(ctx context.Context, m Module, green, tree string, frozen []step.File) (Proof, error) {
	proof, err := c.Green(ctx, m, green, tree, frozen)
	if err != nil {
		return proof, fmt.Errorf("prove refactoring: %w", err)
	}
	findings, err := c.sameExports(ctx, m, green, proof.Tree)
	if err != nil {
		return proof, fmt.Errorf("prove refactoring: %w", err)
	}
	proof.Findings = append(proof.Findings, findings...)
	proof.Passed = proof.Passed && !Rejected(findings)
	return proof, nil
}

// Merged proves a module again on the tree that merging made. Frozen files that the merge changed are a finding.
func (c *Checker) Merged(ctx context.Context, m Module, tree string, frozen []step.File) (Proof, error) {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return Proof{}, fmt.Errorf("prove merged tree: %w", err)
	}
	have := map[string]string{}
	for _, e := range entries {
		have[e.Path] = e.ID
	}
	var findings []step.Finding
	for _, f := range frozen {
		if have[f.Path] != f.ID {
			findings = append(findings, reject("frozen-changed", f.Path, 0, "The merged tree has another version of this frozen test."))
		}
	}
	proof, err := c.passes(ctx, m, tree, frozen)
	if err != nil {
		return proof, fmt.Errorf("prove merged tree: %w", err)
	}
	proof.Findings = append(findings, proof.Findings...)
	proof.Passed = proof.Passed && !Rejected(findings)
	return proof, nil
}

// freeze puts frozen and kept files back and finds what was changed outside the module's sources.
func (c *Checker) freeze(ctx context.Context, m Module, before, tree string, frozen []step.File) (string, []step.Finding, []string, error) {
	diff, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return "", nil, nil, err
	}
	was := map[string]string{}
	for _, f := range frozen {
		was[f.Path] = f.ID
	}
	var findings []step.Finding
	var restored []string
	var edits []git.Edit
	back := func(d Change) {
		restored = append(restored, d.Path)
		edits = append(edits, git.Edit{Path: d.Path, Mode: d.OldMode, ID: d.OldID})
	}
	for _, d := range diff {
		_, isFrozen := was[d.Path]
		switch {
		case isFrozen:
			what := "changed"
			if d.Status == 'D' {
				what = "deleted"
			}
			findings = append(findings, reject("frozen-changed", d.Path, 0,
				"This test file is frozen and was "+what+". Change the code so that the test passes unchanged."))
			back(d)
		case has(m.Kept, d.Path):
			findings = append(findings, warn("kept-changed", d.Path, 0, "This run keeps this file as it is; your change was undone."))
			back(d)
		case m.onlyLinks(d): // they are written again, and only if they are needed
			edits = append(edits, git.Edit{Path: d.Path, Mode: d.OldMode, ID: d.OldID})
		case m.stray(d):
			findings = append(findings, strayFinding(d.Path))
			edits = append(edits, git.Edit{Path: d.Path})
		case !m.Place.AllowsSource(d.Path):
			findings = append(findings, scopeFinding(m, d.Path, "source files of the module"))
			back(d)
		}
	}
	// A frozen file that was different before already is put right, too: the object store has it.
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return "", nil, nil, err
	}
	have := map[string]string{}
	for _, e := range entries {
		have[e.Path] = e.ID
	}
	for _, f := range frozen {
		if have[f.Path] != f.ID && !has(restored, f.Path) {
			edits = append(edits, git.Edit{Path: f.Path, Mode: "100644", ID: f.ID})
		}
	}
	if len(edits) == 0 {
		return tree, findings, nil, nil
	}
	// Paths outside the project cannot be edited from its root; the finding about them rejects anyway.
	edits = slices.DeleteFunc(edits, func(e git.Edit) bool { return strings.HasPrefix(e.Path, "../") })
	for i, e := range edits {
		if id := was[e.Path]; id != "" {
			edits[i].ID = id
			if e.Mode == "" {
				edits[i].Mode = "100644"
			}
		}
	}
	fixed, err := c.repo.EditTree(ctx, tree, edits)
	return fixed, findings, restored, err
}

func scopeFinding(m Module, p, what string) step.Finding {
	return reject("out-of-scope", p, 0, fmt.Sprintf(
		"This phase may change only the %s in %s (%s). Your change to this file was undone.", what, m.Dir, strings.Join(m.Place.Sources, ", ")))
}

// passes builds and runs the frozen tests.
func (c *Checker) passes(ctx context.Context, m Module, tree string, frozen []step.File) (proof Proof, err error) {
	p, err := c.open(ctx, step.OnGreen, tree, firstNonEmpty(m.Base, tree), m.Chain)
	if err != nil {
		return Proof{}, err
	}
	defer func() { err = joinClose(err, p) }()
	proof = Proof{Tree: tree, Frozen: frozen}
	if err = p.build(ctx, m, &proof); err != nil {
		return proof, err
	}
	files := frozenTests(p, frozen)
	if len(files) == 0 {
		proof.Findings = append(proof.Findings, reject("no-tests-ran", m.Dir, 0, "The module has no frozen test, so nothing proves it."))
		return proof, nil
	}
	expected := p.testsOf(files)
	run, err := p.runTests(ctx, toolchain.Selection{Files: files}, expected)
	if err == nil {
		err = p.settle(ctx, &run)
	}
	proof.Records = append(proof.Records, run.records...)
	proof.Results, proof.Findings = run.results, append(proof.Findings, run.findings...)
	if err != nil {
		return proof, err
	}
	proof.judge(m, expected, run)
	return proof, nil
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// frozenTests are the frozen files that hold tests of the module's language. In Rust those of a unit may be in its source.
func frozenTests(p *place, frozen []step.File) []string {
	var out []string
	for _, f := range frozen {
		if p.ours(f.Path) && (toolchain.IsTest(f.Path) || p.chain.Ecosystem == toolchain.Rust) && len(source.Parse(f.Path, p.read(f.Path)).Tests) > 0 {
			out = append(out, f.Path)
		}
	}
	return out
}

// judge decides whether every expected test passed.
func (pr *Proof) judge(m Module, expected []test, run testRun) {
	ok := executed(run.results) > 0
	for _, t := range expected {
		st, ran := status(resultsOf(t, run.results))
		switch {
		case has(m.Known, t.ID):
		case !ran:
			ok = false
			if _, broken := loadError(t, run.results); !broken {
				pr.Findings = append(pr.Findings, reject("test-missing", t.File, t.Line, "The test "+t.Name+" did not run."))
			}
		case st == step.Skip && !t.MaySkip && !t.Skipped:
			ok = false
			pr.Findings = append(pr.Findings, reject("test-skipped", t.File, t.Line,
				"The test "+t.Name+" was skipped although it has no skip of its own; the code must let it run."))
		case st == step.Flake:
			ok = false
			pr.Findings = append(pr.Findings, fix("flaky-test", t.File, t.Line,
				"The test "+t.Name+" failed and then passed on the same tree. Find what differs between two runs."))
		}
	}
	for _, r := range run.results {
		if (r.Status == step.Fail || r.Status == step.Error) && !has(m.Known, r.ID) {
			ok = false
		}
	}
	pr.Passed = ok && !Rejected(pr.Findings)
}

var diagnostic = re.New(`^(\S[^:(\n]*\.\w+)[:(](\d+)`)

// build compiles or type-checks. Only what is wrong in the module's own sources is charged: the rest of the project may
// have been broken before, or waits for its own turn.
func (p *place) build(ctx context.Context, m Module, proof *Proof) error {
	for _, cmd := range m.Chain.Build(m.Dir) {
		out, err := p.exec(ctx, cmd, false)
		if missing := optional(cmd, err); missing != nil {
			proof.Findings = append(proof.Findings, warn("tool-missing", "", 0, missing.Error()))
			continue
		}
		if err != nil {
			return err
		}
		proof.Records = append(proof.Records, out.Record)
		if out.clean() {
			continue
		}
		charged, own := 0, 0
		for l := range strings.SplitSeq(string(out.output), "\n") {
			d := diagnostic().FindStringSubmatch(strings.TrimPrefix(strings.TrimSpace(l), "./"))
			if d == nil {
				continue
			}
			file := path.Join(m.Chain.Root, d[1])
			if m.Chain.Ecosystem == toolchain.Rust {
				if file = path.Join(m.Chain.Workspace, d[1]); !strings.Contains(l, ": error") {
					continue // a warning
				}
			}
			switch {
			case m.Place.AllowsSource(file):
				charged++
				proof.Findings = append(proof.Findings, reject("build-failed", file, atoi(d[2]), "The build fails: "+strings.TrimSpace(l)))
			case m.ownTest(file) && !aboutTypings(l):
				own++
				text := "The build fails in the module's own frozen test: " + strings.TrimSpace(l)
				if m.Chain.Ecosystem == toolchain.Node { // RED has type-checked it, so the code is what does not fit
					proof.Findings = append(proof.Findings, reject("build-failed", file, atoi(d[2]), text+"\nMake the code fit the test; if the test is wrong, say so."))
					continue
				}
				proof.Findings = append(proof.Findings, warn("build-failed", file, atoi(d[2]), text))
			}
		}
		if charged+own == 0 {
			proof.Findings = append(proof.Findings, warn("build-failed", m.Dir, 0, "The build fails, but outside the new code: "+out.tail))
		}
	}
	return nil
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

// sameExports compares what the module's sources export in two trees.
func (c *Checker) sameExports(ctx context.Context, m Module, before, after string) ([]step.Finding, error) {
	a, err := c.exports(ctx, m, before)
	if err != nil {
		return nil, err
	}
	b, err := c.exports(ctx, m, after)
	if err != nil {
		return nil, err
	}
	var out []step.Finding
	r := &red{m: m}
	for name, x := range a {
		y, ok := b[name]
		switch {
		case !ok && r.unlisted(x.Export): // it should have been private
		case !ok:
			out = append(out, reject("export-changed", x.file, x.Line, "The export "+name+" is gone; refactoring must keep all exports."))
		case x.Signature != y.Signature:
			out = append(out, reject("export-changed", y.file, y.Line,
				fmt.Sprintf("The signature of %s changed from %q to %q; refactoring must keep signatures.", name, x.Signature, y.Signature)))
		}
	}
	for name, y := range b {
		if _, ok := a[name]; !ok {
			out = append(out, reject("export-changed", y.file, y.Line, "The export "+name+" is new; refactoring must not add exports."))
		}
	}
	slices.SortFunc(out, func(x, y step.Finding) int { return strings.Compare(x.Path+x.Message, y.Path+y.Message) })
	return out, nil
}

type exported struct {
	source.Export
	file string
}

// exports maps what a module's sources export. Files may be split and renamed; names may not.
func (c *Checker) exports(ctx context.Context, m Module, tree string) (map[string]exported, error) {
	files, err := c.sources(ctx, m, tree)
	if err != nil {
		return nil, err
	}
	out := map[string]exported{}
	for _, name := range slices.Sorted(maps(files)) {
		for _, e := range source.Parse(name, files[name]).Exports {
			key := strings.TrimPrefix(e.Owner+"."+e.Name, ".")
			if e.Kind == "reexport" { // it says where from; that may move
				e.Signature = e.Name
			}
			have, twice := out[key]
			switch {
			case !twice || have.Kind == "reexport":
				out[key] = exported{e, name}
			case have.file == name && have.Kind == e.Kind: // an overload
				have.Signature += "; " + e.Signature
				out[key] = have
			}
		}
	}
	return out, nil
}

// sources reads the module's source files of a tree.
func (c *Checker) sources(ctx context.Context, m Module, tree string) (map[string][]byte, error) {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	var ids []string
	var keep []git.Entry
	for _, e := range entries {
		if m.Place.AllowsSource(e.Path) && e.Mode != linkMode {
			keep, ids = append(keep, e), append(ids, e.ID)
		}
	}
	blobs, err := c.repo.ReadBlobs(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(keep))
	for _, e := range keep {
		out[e.Path] = blobs[e.ID]
	}
	return out, nil
}
