package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Red proves that the new tests of tree, made from base, fail for want of what the spec exports. Where exports are missing
// the tests run against stubs, once against stubs that do nothing and once, for those that then pass, against stubs that
// fail: a test that passes against both does not depend on the implementation. Changes of anything but tests and their
// data are findings and are left out of the tree that is proved.
func (c *Checker) Red(ctx context.Context, m Module, base, tree string, claims []step.Claim) (proof Proof, err error) {
	r := &red{c: c, m: m, base: base, ran: map[string]bool{}, idle: map[string]bool{}, stubbed: map[string]bool{}}
	proof = Proof{}
	if err = r.split(ctx, tree, &proof); err != nil {
		return proof, fmt.Errorf("prove red: %w", err)
	}
	p, err := c.open(ctx, step.OnRed, proof.Tree, cmp.Or(m.Base, base), m.Chain)
	if err != nil {
		return proof, fmt.Errorf("prove red: %w", err)
	}
	defer func() {
		if err == nil && proof.Passed {
			p.recordFailures()
		}
		err = joinClose(err, p)
	}()
	r.p = p
	r.readTests()
	proof.Findings = slices.Concat(proof.Findings, r.guard(), r.goneNames(), r.snapshots(), m.unreadHeldOut())
	proof.Frozen = r.frozen()
	proof.Fresh, proof.Strong = len(r.fresh), len(those(r.fresh, func(t test) bool { return t.Asserts > 0 }))
	if len(r.fresh) == 0 {
		proof.Findings = append(proof.Findings, reject("no-new-tests", m.Dir, 0,
			"There is no new or changed test. Write tests for the items of the spec in "+m.Place.NewTest+"."))
		return proof, nil
	}
	if err = r.prove(ctx, &proof); err != nil {
		return proof, fmt.Errorf("prove red: %w", err)
	}
	if err = r.typeCheck(ctx, &proof); err != nil {
		return proof, fmt.Errorf("prove red: %w", err)
	}
	r.claims(claims, &proof)
	proof.Unread = r.unread
	proven := len(proof.Red) > 0 || len(proof.Satisfied) > 0 && r.mayPass()
	proof.Passed = proven && len(r.invented) == 0 && !Rejected(proof.Findings)
	return proof, nil
}

// red is one proof of RED.
type red struct {
	c     *Checker
	m     Module
	base  string
	p     *place
	old   map[string]map[string]string // file -> test -> body, in base
	texts map[string]map[string]string // the same as written
	files []string                     // test files of the module in the proved tree
	all   []test                       // their tests
	stubs bool                         // stubs stood in for what is missing
	fresh []test                       // the new and changed ones

	invented []string          // items for which only tests that do not exist are named
	sources  map[string][]byte // test files as they are in the proved tree
	compiled *cutRun           // the first run, with what had to be cut out
	ran      map[string]bool   // new tests that ran and passed
	idle     map[string]bool   // new tests that passed against stubs that do nothing
	stubbed  map[string]bool   // test files that stubs were written for
	loaded   []string          // tests that did not run because nothing of their file or package did
	unread   []string          // test files that cannot be parsed
	words    map[string]bool   // names that the spec gives away, beside its exports
}

// split leaves only changes of tests and test data in the tree.
func (r *red) split(ctx context.Context, tree string, proof *Proof) error {
	changes, err := Changes(ctx, r.c.repo, r.base, tree)
	if err != nil {
		return err
	}
	r.old, r.texts = map[string]map[string]string{}, map[string]map[string]string{}
	defer func() {
		changes = slices.DeleteFunc(changes, func(ch Change) bool { return slices.Contains(r.m.Kept, ch.Path) })
		strays := map[string]bool{}
		for _, ch := range changes {
			strays[ch.Path] = r.m.stray(ch) || neededInit(r.m, ch, changes)
		}
		allows := func(p string) bool { return strays[p] || r.m.Place.AllowsTest(p) }
		audit := Audit{Changes: changes, Allows: allows, Packages: r.m.Packages, SpecText: r.m.SpecText, Said: r.m.Said, BeforeCode: true}
		proof.Findings = merge(proof.Findings, audit.Findings())
	}()
	var edits []git.Edit
	for _, ch := range changes {
		if slices.Contains(r.m.Kept, ch.Path) {
			proof.Restored = append(proof.Restored, ch.Path)
			proof.Findings = append(proof.Findings, warn("kept-changed", ch.Path, 0, "This run keeps this file as it is; your change was undone."))
			edits = append(edits, asItWas(ch))
			continue
		}
		if r.m.Place.AllowsTest(ch.Path) && ch.NewMode != linkMode && ch.NewMode != moduleMode {
			if ch.Old != nil {
				r.old[ch.Path] = bodies(ch.Path, ch.Old)
				r.texts[ch.Path] = texts(ch.Path, ch.Old)
			}
			continue
		}
		if neededInit(r.m, ch, changes) {
			continue
		}
		if r.m.stray(ch) {
			proof.Findings = append(proof.Findings, strayFinding(ch.Path))
		} else {
			proof.Findings = append(proof.Findings, reject("out-of-scope", ch.Path, 0, r.m.redScope()))
		}
		if !strings.HasPrefix(ch.Path, "../") {
			edits = append(edits, asItWas(ch))
		}
	}
	proof.Tree, err = r.c.repo.EditTree(ctx, tree, edits)
	return err
}

// bodies maps a file's tests to their code, so that a change of layout or comments is no change.
func bodies(name string, src []byte) map[string]string {
	f := source.Parse(name, src)
	return mapOf(f.Tests, func(t source.Test) (string, string) { return t.Name, body(f, t) })
}

// texts maps a file's tests to their lines.
func texts(name string, src []byte) map[string]string {
	out := map[string]string{}
	lines := strings.SplitAfter(string(src), "\n")
	for _, t := range source.Parse(name, src).Tests {
		if t.Line > 0 && t.End <= len(lines) && t.Line <= t.End {
			out[t.Name] = strings.Join(lines[t.Line-1:t.End], "")
		}
	}
	return out
}

// Unchanged tells of the id of a test result whether it belongs to a test that is the same in two versions of its file,
// apart from layout and comments.
func Unchanged(file string, before, after []byte) func(id string) bool {
	old := bodies(file, before)
	f := source.Parse(file, after)
	same := those(f.Tests, func(t source.Test) bool {
		was, ok := old[t.Name]
		return ok && was == body(f, t)
	})
	return func(id string) bool {
		in, name := toolchain.SplitID(id)
		return in == file && name != "" && slices.ContainsFunc(same, func(t source.Test) bool { return t.Matches(name) })
	}
}

// readTests finds the module's test files in the proved tree and which of their tests are new.
func (r *red) readTests() {
	r.files = those(slices.Sorted(maps.Keys(r.p.entries)), func(name string) bool {
		return r.p.ours(name) && toolchain.IsTest(name) && (r.m.Place.AllowsTest(name) || slices.Contains(r.m.Tests, name))
	})
	r.all = r.p.testsOf(r.files)
	r.sources = map[string][]byte{}
	for _, f := range r.files {
		r.sources[f] = r.p.read(f)
	}
	for _, file := range r.files {
		f := source.Parse(file, r.sources[file])
		was, existed := r.old[file]
		if untouched := !existed && (slices.Contains(r.m.Tests, file) || slices.Contains(r.m.Kept, file)); !untouched {
			r.fresh = append(r.fresh, without(testsIn(f), func(t test) bool { return existed && was[t.Name] == body(f, t.Test) })...)
		}
	}
}

// guard finds changes of tests whose items are all as they were. (That one is gone is the audit's finding.)
func (r *red) guard() []step.Finding {
	var out []step.Finding
	for _, t := range r.fresh {
		was, existed := r.old[t.File][t.Name]
		if !existed || !slices.Contains(r.m.Guarded, t.ID) || slices.Contains(r.m.Disputed, t.ID) {
			continue
		}
		moved := slices.ContainsFunc(r.m.Moved, func(name string) bool {
			return slices.Contains(strings.Fields(was), name)
		})
		if !moved {
			out = append(out, reject("frozen-changed", t.File, t.Line,
				"The test "+t.Name+" was changed, but the spec of what it tests was not. Put it back as it was, and test new behavior in a separate test."+
					quoted(r.texts[t.File][t.Name])))
		}
	}
	for file, tests := range r.texts {
		for name, text := range tests {
			there := slices.ContainsFunc(r.all, func(t test) bool { return t.File == file && t.Name == name })
			if slices.Contains(r.m.Guarded, file+"::"+name) && !there {
				out = append(out, reject("frozen-changed", file, 0, "The test "+name+" is gone, but what it tests is still in the spec. Put it back as it was."+quoted(text)))
			}
		}
	}
	slices.SortFunc(out, func(a, b step.Finding) int { return strings.Compare(a.Path+a.Message, b.Path+b.Message) })
	return out
}

// itWas begins the text of a test that has to be put back; it is shown whole.
const itWas = "\nIt was:\n"

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return itWas + text
}

// goneNames finds uses of exports that the spec no longer has: once the tests are frozen, nobody could take them out.
func (r *red) goneNames() []step.Finding {
	var out []step.Finding
	for _, f := range r.files {
		seen := map[string]bool{}
		for _, t := range source.Parse(f, r.sources[f]).Tokens {
			if t.Kind == source.Ident && slices.Contains(r.m.Gone, t.Text) && !seen[t.Text] && !r.promised(t.Text) {
				seen[t.Text] = true
				out = append(out, reject("gone-name", f, t.Line, "It uses "+t.Text+", which the spec no longer has. Remove it, also from imports and helpers."))
			}
		}
	}
	return out
}

// frozen lists all test files and test data of the module: from now on they do not change.
func (r *red) frozen() []step.File {
	mine := func(name string) bool {
		return ofTests(name) && (r.m.Place.AllowsTest(name) || slices.Contains(r.m.Tests, name))
	}
	return each(those(slices.Sorted(maps.Keys(r.p.entries)), mine), func(name string) step.File { return step.File{Path: name, ID: r.p.entries[name].ID} })
}

// prove runs the tests with and without stubs and sorts the new ones.
func (r *red) prove(ctx context.Context, proof *Proof) error {
	run, err := proof.noted(r.run(ctx, filesOf(r.fresh), r.fresh, false))
	if err != nil {
		return err
	}
	stubbed := r.stubs
	passing := those(r.fresh, func(t test) bool { return t.in(run.results) == step.Pass })
	if stubbed && len(passing) > 0 {
		for _, t := range passing {
			r.idle[t.ID] = true
		}
		again, err := proof.noted(r.run(ctx, filesOf(passing), passing, true))
		if err != nil {
			return err
		}
		for _, t := range passing {
			if rs := resultsOf(t, again.results); bad(status(rs)) {
				run.replace(rs)
			}
		}
	}
	if !stubbed {
		if err := r.p.settle(ctx, &run); err != nil {
			return err
		}
	}
	proof.Results = run.results
	r.sort(run, proof)
	return nil
}

// run runs tests with stubs for what is missing, which do nothing or fail.
func (r *red) run(ctx context.Context, files []string, ts []test, fails bool) (run testRun, err error) {
	s := &stubber{p: r.p, m: r.m, fails: fails, before: map[string][]byte{}, invented: map[string]bool{}}
	defer func() { err = errors.Join(err, s.undo()) }()
	if err = s.declare(files); err != nil {
		return run, err
	}
	r.stubs = len(s.before) > 0
	for _, f := range s.served {
		r.stubbed[f] = true
	}
	c := &cutter{r: r, s: s}
	switch {
	case r.m.Chain.Ecosystem == toolchain.Go:
		g := &goCutter{cutter: c, gone: map[string]cutTest{}, changed: map[string]bool{}}
		c.mend, c.file = g.mend, g.cutFile
	case toolchain.FileStubs(r.m.Chain.Language):
		c.mend, c.file = s.mendTexts, fileCutter{c}.cutFile
	default:
		return r.p.runTests(ctx, toolchain.Selection{Files: files}, ts)
	}
	err = c.tests(ctx, files, ts)
	if r.compiled == nil {
		r.compiled = &c.run
		r.unread = c.run.unread
	}
	return c.run.testRun, err
}

// sort decides for each new test what its result means.
func (r *red) sort(run testRun, proof *Proof) {
	say := func(f step.Finding) { proof.Findings = append(proof.Findings, f) }
	reported := map[string]bool{}
	var cut map[string]cutTest
	if r.compiled != nil {
		cut = r.compiled.cut
		proof.Findings = append(proof.Findings, r.compiled.mistakes...)
	}
	for _, t := range r.fresh {
		rs := resultsOf(t, run.results)
		st := status(rs)
		why, isCut := cut[t.ID]
		switch {
		case isCut && why.mistake: // said already
		case isCut:
			proof.Red = append(proof.Red, t.ID)
		case st == "":
			load, broken := loadError(t, run.results)
			if !broken {
				say(reject("test-missing", t.File, t.Line, "The test "+t.Name+" did not run. Give it a name and a place where the runner finds it."))
				continue
			}
			why := r.unrelated(t, load.Message, true)
			if why != "" && brokenSource().MatchString(load.Message) {
				r.unread = addNew(r.unread, t.File)
			}
			if why == "" && r.stubs && r.stubbed[t.File] {
				from := ""
				if r.m.Place.Import != "" && !r.hasCode() { // its files do not exist yet
					from = " from " + r.m.Place.Import
				}
				why = "It cannot be loaded although every export of the spec can be imported" + from + ": " + firstLines(load.Message, 6)
			}
			if why == "" {
				r.loaded, proof.Red = append(r.loaded, t.ID), append(proof.Red, t.ID)
			} else if !reported[t.File] {
				reported[t.File] = true
				say(reject("red-unrelated-failure", t.File, placeIn(t.File, load.Message), why))
			}
		case bad(st):
			if why := r.unrelated(t, worst(rs).Message, false); why != "" {
				say(reject("red-unrelated-failure", t.File, t.Line, "The test "+t.Name+" fails for an unrelated reason: "+why))
				continue
			}
			proof.Red = append(proof.Red, t.ID)
		case st == step.Flake:
			say(fix("flaky-test", t.File, t.Line, "The test "+t.Name+" failed and then passed on the same tree."))
		case st == step.Skip:
			if !t.MaySkip {
				say(reject("test-skipped", t.File, t.Line, "The test "+t.Name+" was skipped; a test that does not run proves nothing."))
			}
		default:
			r.ran[t.ID] = true
			proof.Satisfied = append(proof.Satisfied, t.ID)
			text := "The test " + t.Name + " passes even with stubs that do nothing, so it does not test the code."
			if r.hasCode() {
				text = "The test " + t.Name + " passes with the current code. That is fine if the code already does this; otherwise make it fail."
			}
			say(fix("already-passes", t.File, t.Line, text))
		}
	}
	if len(proof.Red) == 0 {
		for _, f := range run.findings {
			if f.Rule != "no-tests-ran" || len(proof.Findings) == 0 {
				proof.Findings = append(proof.Findings, f)
			}
		}
	}
}
