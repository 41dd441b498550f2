package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// ErrLate is the cause of a context that ends when the time for a judgement is over. What was found out by then is said.
var ErrLate = errors.New("the time limit was reached")

// Question is what a change is judged with.
type Question struct {
	// Chains are the toolchains of the project.
	Chains []toolchain.Found
	// Now gives them as each line of the project tests them with the change. Without it, nobody asks what those leave out.
	Now func() []toolchain.Found
	// Then gives them as they were before the change. Without it, what the change installs is there before as well.
	Then func() ([]toolchain.Found, error)
	// Mutants is how many small changes of the code are tried at most.
	Mutants int
	// Calls says that functions that were there before are called with unusual inputs.
	Calls bool
	// Says is what the commits of the change say of it.
	Says string
	// Full says that all tests are run at the end, and not only those that the change can reach.
	Full bool
}

// Evidence is the command that a finding was seen in.
type Evidence struct {
	Argv   []string `json:"argv"`
	Exit   int      `json:"exit"`
	Tree   string   `json:"tree"`
	SHA256 string   `json:"sha256,omitempty"` // of what it printed
}

// Fact is a finding about a change, and whether it is one that blocks: only what a run has shown, and shows again, does.
type Fact struct {
	step.Finding

	Blocks   bool      `json:"blocks"`
	Evidence *Evidence `json:"evidence,omitempty"`
}

// RedTest is a new or changed test that passes now and fails without the change.
type RedTest struct {
	ID      string `json:"id"`
	By      RedBy  `json:"red_by"`
	Changed bool   `json:"changed,omitempty"` // there was one of this name before
}

// Judgement is what was found out about a change that nobody planned.
type Judgement struct {
	Verdict Verdict `json:"verdict"`
	// Why says in a sentence what the verdict rests on where that is not plain, Install what has to be installed.
	Why string `json:"why,omitempty"`
	// Late says that the time was over before all was known.
	Late    bool   `json:"late,omitempty"`
	Install string `json:"install,omitempty"`
	// Environment says that nothing could be run: a program is missing, or dependencies could not be installed.
	Environment bool   `json:"environment,omitempty"`
	Before      string `json:"before"` // trees
	Tree        string `json:"tree"`
	// Findings are what is wrong or worth a look, what blocks first.
	Findings  []Fact     `json:"findings"`
	Functions []Function `json:"functions"`
	Red       []RedTest  `json:"red"`
	// NewTests are, where no code has changed, the new tests of code that gives something, and those of them that notice when it gives
	// something else.
	NewTests Outcomes    `json:"new_tests,omitzero"`
	Tests    step.Counts `json:"tests"`
	// FailedBefore are tests that fail without the change as well. They are charged to nobody.
	FailedBefore []string `json:"failed_before,omitempty"`
	// AlsoBefore counts their results, one for each row of a table. Tests does not count them as failed.
	AlsoBefore int `json:"also_before,omitempty"`
	// FailsNow are calls that no test makes, which give a value without the change and fail with it.
	FailsNow []string `json:"fails_now,omitempty"`
	// Claims are calls in the messages of its commits, with what they are said to give.
	Claims []step.Example `json:"claims,omitempty"`
	// NotRun says what there was no time for.
	NotRun  []string      `json:"not_run,omitempty"`
	Records []step.Record `json:"ran"`
}

// Judge finds out what can be said of the change from one tree to another: what it breaks, which tests it weakens, which new ones
// show it, and which notice when its functions are wrong. It asks for no plan and charges nobody with what was so before. When
// ctx ends with the cause [ErrLate], it says what is known until then.
func (c *Checker) Judge(ctx context.Context, q Question, before, tree string) (out Judgement, err error) {
	all, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return out, fmt.Errorf("judge change: %w", err)
	}
	j := &judge{q: q, about: map[string]bool{}, runs: map[string]*tested{}, taskProof: taskProof{
		c: c, t: Task{Chains: q.Chains, Unplanned: true, Base: tree, Asked: q.Says}, before: before, then: q.Then, proof: Proof{Tree: tree},
		changes: slices.DeleteFunc(all, func(ch Change) bool {
			return strings.HasPrefix(ch.Path, "../") || ch.NewMode == moduleMode || ch.OldMode == moduleMode
		}),
	}}
	j.out = Judgement{Before: before, Tree: tree, Findings: []Fact{}, Functions: []Function{}, Red: []RedTest{}}
	defer func() { err = j.close(err) }()
	if j.setup, err = j.setupFiles(ctx); err != nil {
		return out, fmt.Errorf("judge change: %w", err)
	}
	j.manifests = pathsOf(those(j.changes, func(ch Change) bool { return depends(ch.Path, ch.Old) != depends(ch.Path, ch.New) }))
	j.notices()
	for _, stage := range []func(context.Context) error{j.readByCode, j.eachChain, j.lostAway, j.leftOut, j.across, j.unread} {
		if err := stage(ctx); err != nil && !j.excused(ctx, err) {
			return j.out, fmt.Errorf("judge change: %w", err)
		}
	}
	j.conclude()
	return j.out, nil
}

// judge is one judgement.
type judge struct {
	taskProof

	q     Question
	out   Judgement
	known known
	tried int             // small changes of the code
	idle  []test          // new tests that pass without the change as well
	about map[string]bool // names in them
	unrun []test          // old ones that run no more
	away  []moved         // old ones that no longer run and belong to another toolchain now
	// ranAway is the run before in which they passed.
	ranAway testRun
	// missed are functions of which the tests of their own toolchain notice nothing, runs what was run by each.
	missed []missed
	runs   map[string]*tested
	read   map[string]bool // changed files that are no code and are named in code
	setup  map[string]bool // files that a runner loads before the tests
	unfit  string          // why the tests of a toolchain may fail here alone
	// shownBy is how many tests fail without the change, in languages that nobody reads.
	shownBy int
}

// notices lists what people want to know of a change before anything else, and what blocks nobody: how it is checked and installed,
// and whether it is written for the tests.
func (j *judge) notices() {
	scripts := scriptsOf(j.q.Chains)
	for _, ch := range j.changes {
		switch k := configures(ch.Path, scripts); k {
		case toolchain.NoConfig, toolchain.EditorConfig, toolchain.EnvConfig:
		case toolchain.LockConfig:
			j.say(warn("lockfile-changed", ch.Path, 0, "The lock file was changed."), nil)
		default:
			j.say(warn("config-changed", ch.Path, 0, "The "+string(k)+" changed."), nil)
		}
		if j.setup[ch.Path] && ch.Status != 'D' {
			j.say(fix("runner-hooked", ch.Path, 0, "The test runner loads this file before the tests. Users of the code do not get what it does."), nil)
		}
	}
	for _, f := range unlocked(j.changes) {
		j.say(f, nil)
	}
	for _, f := range (Audit{Changes: j.changes}).Findings() { // a suspicion, which people may have reasons for
		switch f.Rule {
		case "test-detection", "runner-hooked":
			j.known.looks = j.known.looks || f.Rule == "test-detection" && !strings.Contains(f.Message, setByTests)
			j.say(fix(f.Rule, f.Path, f.Line, f.Message), nil)
		case "bare-except", "empty-catch":
			j.say(warn(f.Rule, f.Path, f.Line, f.Message), nil)
		case "exit-swallowed":
			if configures(f.Path, scripts) != toolchain.NoConfig {
				j.say(fix(f.Rule, f.Path, f.Line, f.Message), nil)
			}
		case "answer-table":
			j.say(fix(f.Rule, f.Path, f.Line, "This code returns the expected values of the tests instead of computing them."), nil)
		}
	}
}

// say adds a finding that blocks nothing.
func (j *judge) say(f step.Finding, run *testRun) { j.tell(f, run, false) }

// block adds a finding that blocks.
func (j *judge) block(f step.Finding, run *testRun) { j.tell(f, run, true) }

// weakens blocks a change that makes tests see less.
func (j *judge) weakens(f step.Finding, run *testRun) {
	j.known.weakened++
	j.block(f, run)
}

// breaks blocks a change with which fails what passed before.
func (j *judge) breaks(f step.Finding, run *testRun) { j.breaksSome(1, f, run) }

// breaksSome is breaks for a finding about n failures. What the wrong runtime may be the reason of is only told.
func (j *judge) breaksSome(n int, f step.Finding, run *testRun) {
	if j.unfit != "" {
		j.known.excused, j.known.unknown = true, cmp.Or(j.known.unknown, j.unfit)
		f.Severity = step.Warn
		j.say(f, run)
		return
	}
	j.known.broken += n
	j.block(f, run)
}

func (j *judge) tell(f step.Finding, run *testRun, blocks bool) {
	f.Message = j.c.local(f.Message)
	j.out.Findings = append(j.out.Findings, Fact{Finding: f, Blocks: blocks, Evidence: evidenceOf(run)})
}

func evidenceOf(run *testRun) *Evidence {
	if run == nil || len(run.records) == 0 {
		return nil
	}
	r := run.records[len(run.records)-1]
	return &Evidence{Argv: r.Argv, Exit: r.Exit, Tree: r.Tree, SHA256: r.Output.SHA256}
}

// excused reports whether an error is one that a judgement says instead of failing: the time is over, or something is missing here.
func (j *judge) excused(ctx context.Context, err error) bool {
	missing, is := errors.AsType[*EnvironmentError](err)
	switch {
	case late(ctx, err):
		j.outOfTime()
		return true
	case is:
		j.known.unknown, j.out.Install = missing.Error(), missing.Install
	case errors.Is(err, ErrSetup):
		j.known.unknown = brief(err.Error())
	default:
		return false
	}
	j.out.Environment = true
	return true
}

// outOfTime notes that the time is over. Where tests were changed, that is what could not be found out, also where no code was.
func (j *judge) outOfTime() {
	j.known.late = true
	if slices.ContainsFunc(j.changes, func(ch Change) bool { return ch.Status == 'M' && mayTest(ch.Path) && toolchain.IsTest(ch.Path) }) {
		j.known.unknown = cmp.Or(j.known.unknown, timeOver)
	}
}

// timeOver is why nothing is known.
const timeOver = "the time limit was reached before there was a result"

// orLate is an error, nil where the time is over: then what was not run is noted.
func (j *judge) orLate(ctx context.Context, err error, what string) error {
	if !late(ctx, err) {
		return err
	}
	j.out.NotRun = append(j.out.NotRun, what)
	return nil
}

func late(ctx context.Context, err error) bool {
	return errors.Is(err, ErrLate) || err != nil && errors.Is(context.Cause(ctx), ErrLate)
}

// conclude decides, and says what the verdict rests on.
func (j *judge) conclude() {
	j.known.functions, j.known.red = j.out.Functions, j.redBy()
	j.out.Verdict, j.out.Late = j.known.verdict(), j.known.late
	for i := range j.out.Functions { // who could not be asked may reach it
		j.out.Functions[i].Unreached = j.out.Functions[i].Unreached && !j.out.Environment
	}
	if j.known.broken == 0 { // what notices nothing is no concern while a test fails
		j.untested()
	}
	j.out.NotRun = addNew(nil, j.out.NotRun...)
	if j.known.late && len(j.out.NotRun) == 0 {
		j.out.NotRun = append(j.out.NotRun, "what was left at the time limit")
	}
	switch {
	case j.out.Verdict == VerdictUnknown && j.known.deaf():
		j.out.Why = "no test that reaches the change passes here, with or without it: " + j.known.silent
	case j.out.Verdict == VerdictUnknown && j.known.doubt > 0:
		j.out.Why = fmt.Sprintf("tests fail (%d), and there was no time to check whether they failed before", j.known.doubt)
	case j.out.Verdict == VerdictUnknown && j.known.hollow():
		j.out.Why = "the code looks for a test runner, so tests don't show what users get"
	case j.out.Verdict == VerdictUnknown && j.known.unknown != "":
		j.out.Why = j.known.unknown
	case j.out.Verdict == VerdictUnknown && !j.known.late:
		j.out.Why = "the change can't be mutated, and no test fails without it. To prove it, add a test that does"
	case j.out.Verdict == VerdictUnknown:
		j.out.Why = timeOver
	case j.out.Verdict != VerdictUnknown:
		j.out.Install, j.out.Environment = "", false
	}
	if j.out.Verdict == VerdictCovered && !slices.ContainsFunc(j.out.Functions, func(f Function) bool { return f.Noticed > 0 }) {
		j.out.Why = "code was only removed; the tests that reach the change pass"
	}
	j.out.Records = append([]step.Record{}, j.proof.Records...)
	slices.SortStableFunc(j.out.Findings, func(a, b Fact) int { return weight(b) - weight(a) })
}

func weight(f Fact) int {
	if f.Blocks {
		return 3
	}
	return map[step.Severity]int{step.Rejects: 2, step.Fix: 1}[f.Severity]
}

// redBy is how each of the new tests fails without the change.
func (j *judge) redBy() []RedBy { return each(j.out.Red, func(r RedTest) RedBy { return r.By }) }

// untested says which functions no test notices. Of an unproved change they block, under the conditions of [known.untested].
func (j *judge) untested() {
	blocks := map[string]bool{}
	if j.out.Verdict == VerdictUnproved {
		for _, f := range j.known.untested() {
			blocks[f.Path+" "+f.Name] = true
		}
	}
	said := map[string]bool{}
	for _, f := range j.out.Functions {
		some := f.Missed() || f.MissedSome()
		name := cmp.Or(f.Name, "the code outside functions")
		if f.Unmutated && f.Noticed > 0 && !f.ByNew && !f.Generated {
			j.say(fix("unnoticed-change", f.Path, f.Line, "No mutant can be made of the changed lines of "+name+", so nothing shows that a test checks them. Write one that fails without the change."), nil)
			continue
		}
		if f.Noticed > 0 && !some || f.Tried == 0 && !f.Unreached {
			continue
		}
		switch {
		case f.Generated:
			if !said[f.Path] {
				j.say(fix("unnoticed-change", f.Path, f.Line, "This file is generated, and no test notices all of its change. Generate it again and compare."), nil)
			}
			said[f.Path] = true
		case some:
			what := fmt.Sprintf("Tests kill mutants of %s, but none in its changed lines, such as in line %d: %s.", name, f.SurvivedAt, f.Survived)
			if c := f.Changed; c.Noticed > 0 {
				what = fmt.Sprintf("Tests kill %d of %d mutants in the changed lines of %s, and not that in line %d: %s.", c.Noticed, c.Tried, name, f.SurvivedAt, f.Survived)
			}
			j.say(fix("unnoticed-change", f.Path, f.Line, what), nil)
		case f.Unreached:
			what := "No test reaches " + name + "."
			if f.existed {
				what = "No test reaches the changed lines of " + name + "."
			}
			j.say(warn("unnoticed-change", f.Path, f.Line, what), nil)
		case blocks[f.Path+" "+f.Name]:
			j.block(reject("unnoticed-change", f.Path, f.Line, fmt.Sprintf(
				"No test notices when %s is wrong, such as in line %d: %s. Write a test that fails without the change and passes with it.", name, f.SurvivedAt, f.Survived)), nil)
		default:
			j.say(fix("unnoticed-change", f.Path, f.Line, fmt.Sprintf("No test notices when %s is wrong, such as in line %d: %s.", name, f.SurvivedAt, f.Survived)), nil)
		}
	}
	idle := len(blocks) > 0 || j.out.Verdict == VerdictUnproved && slices.ContainsFunc(j.out.Functions, j.passedBy)
	for _, t := range j.idle[:min(5, len(j.idle))] {
		f := warn("test-passes-without", t.File, t.Line, "The test "+t.Name+" passes without the change as well.")
		if idle {
			f.Severity, f.Message = step.Rejects, "The test "+t.Name+" passes without the change as well, and so do all new tests. Assert what is new."
		}
		j.out.Findings = append(j.out.Findings, Fact{Finding: f, Blocks: idle})
	}
	if j.out.Verdict == VerdictUnproved && len(j.out.Functions) == 0 {
		j.say(warn("no-test", "", 0, "No test covers the change."), nil)
	}
}

// passedBy reports whether new tests name a function that was there before, and hardly a test notices what the change wrote in it.
func (j *judge) passedBy(f Function) bool {
	return f.existed && j.about[bareName(f.Name)] && f.Missed() && f.Changed.Tried >= fewMutants
}

// eachChain judges by one toolchain after the other.
func (j *judge) eachChain(ctx context.Context) error {
	for _, chain := range j.concerned() {
		if err := j.chain(ctx, chain); err != nil && !j.excused(ctx, err) {
			return err
		}
	}
	return nil
}

// chain judges what one toolchain is for.
func (j *judge) chain(ctx context.Context, chain toolchain.Found) (err error) {
	x := &chainJudge{judge: j, chain: chain, tested: j.testedBy(chain)}
	for _, ch := range j.changes {
		if j.mineIn(chain, ch) {
			x.changed = append(x.changed, ch.Path)
			if j.kindOf(ch) == codeKind || compiles(chain, ch.Path) {
				j.known.code, j.known.anew = true, j.known.anew || compiles(chain, ch.Path) || adds(j.fromWhere(ch))
			}
		}
	}
	if chain.Own.Elsewhere {
		if len(x.changed) == 0 {
			return nil
		}
		j.known.unknown = "the tests of " + chain.Root + " are run by another part of the project"
		return nil
	}
	if err := x.look(ctx); err != nil {
		return err
	}
	was, err := j.c.compiling(ctx, j.proof.Tree, j.before, []toolchain.Found{chain})
	if err != nil {
		return err
	}
	x.pl, err = j.c.open(ctx, step.OnJudged, j.proof.Tree, was, chain)
	if failed, ok := errors.AsType[*compileError](err); ok {
		x.breaks(failed.at, nil)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, x.pl) }()
	if err := x.pl.warmChanged(ctx, x.changed); err != nil {
		return err
	}
	if j.unfit, err = x.pl.newlyUnfit(ctx); err != nil {
		return err
	}
	defer func() { j.unfit = "" }()
	x.freshTests()
	for _, stage := range []func(context.Context) error{
		x.near, x.askOthers, x.red, x.deleted, x.weakened, x.unrefused, x.soon, x.far, x.uncollected, x.fewer, x.hooked, x.functions, x.affected, x.rest, x.looser, x.testsAlone, x.besides, x.unasked, x.repeated, x.unused, x.untaken, x.limits, x.vague, x.claimed,
	} {
		if err := stage(ctx); err != nil {
			return err
		}
	}
	return nil
}

// adds reports whether a change does more than to take code away: what is there now is not what was there with parts left out.
func adds(ch Change) bool {
	was := (sourceFile{File: source.Parse(ch.Path, ch.Old)}).code()
	for _, t := range source.Code((sourceFile{File: source.Parse(ch.Path, ch.New)}).code()) {
		i := slices.IndexFunc(was, func(o source.Token) bool { return o.Text == t.Text })
		if i < 0 {
			return true
		}
		was = was[i+1:]
	}
	return false
}

// chainJudge is the part of a judgement that one toolchain is for.
type chainJudge struct {
	*judge
	*tested

	chain   toolchain.Found
	pl      *place
	changed []string
	files   map[string][]byte // sources and tests
	reached reached
	graph   *graph
	fresh   []test
	alike   []test        // of the fresh ones, what passes without the change as well
	anew    bool          // the fresh ones are new or changed themselves, not only what stands beside them
	took    time.Duration // of the run of the nearest tests
	// chosen are tests by their files, which are run in place of those that take too long; nil where none does.
	chosen map[string][]string
	// trialled are the functions that were looked at.
	trialled []*trial
}

// tested is what was run by a toolchain on the tree with the change.
type tested struct {
	results []step.TestResult
	passing map[string]bool // ids of those that passed
	ran     map[string]bool // test files that were run
	silent  []string        // those of runs that gave no result at all
	batches int             // commands that ran them
}

// look reads the sources and tests of the toolchain, and of others that it is built with, and finds what the change can reach.
func (x *chainJudge) look(ctx context.Context, with ...toolchain.Found) (err error) {
	mine := func(file string) bool {
		return x.owns(x.chain, file) || slices.ContainsFunc(with, func(o toolchain.Found) bool { return x.owns(o, file) })
	}
	if x.files, err = x.c.readCode(ctx, x.proof.Tree, x.chain.Ecosystem, mine); err != nil {
		return err
	}
	x.graph = newGraph(x.chain, x.files)
	x.reached = reach(x.chain, x.files, x.holdsTests, x.changed)
	return nil
}

// holdsTests tells files with tests from helpers beside them, without reading all of each.
func (x *chainJudge) holdsTests(file string) bool {
	if !mayTest(file) {
		return false
	}
	src := x.files[file]
	switch x.chain.Ecosystem {
	case toolchain.Rust:
		return bytes.Contains(src, []byte("test]")) || bytes.Contains(src, []byte("test(")) || bytes.Contains(src, []byte("#[rstest")) || bytes.Contains(src, []byte("#[test_case"))
	case toolchain.Go:
		return bytes.Contains(src, []byte("func Test")) || bytes.Contains(src, []byte("func Example")) || bytes.Contains(src, []byte("func Fuzz"))
	case toolchain.Python:
		return bytes.Contains(src, []byte("def test")) || bytes.Contains(src, []byte("class Test"))
	case toolchain.JVM:
		return jvmTest().Match(src)
	}
	return scriptTest().Match(src)
}

// jvmTest finds a test of Java or Kotlin: an annotation, or a class that inherits from one of tests.
var jvmTest = re.New(`@\w*Test\w*\b|@Property\b|\bextends\s+\w*Test|:\s*\w+Spec\b`)

// scriptTest finds a test in a script: a call that makes one, a runner, or no more than assertions.
var scriptTest = re.New("\\b(?:test|it|specify)\\s*(?:\\.\\w+\\s*)*[(`]|['\"](?:node:test|tape?|ava|uvu|zora|bun:test)['\"]|\\bassert\\b")

// runnable are those test files that the project's own command runs here.
func (x *chainJudge) runnable(files []string) []string {
	return those(files, func(f string) bool {
		_, there := x.pl.entries[f]
		return there && !slices.Contains(x.pl.mute, f) && !x.pl.endToEnd(x.files[f]) && x.pl.compiled(f)
	})
}

// freshTests are the new and changed tests; those that only moved or have another name are none. Where there are none, those count
// of which something beside them is new: their tables, parameters, helpers.
func (x *chainJudge) freshTests() {
	old := map[string]bool{}
	for _, ch := range x.changes {
		for name, text := range bodies(ch.Path, ch.Old) {
			old[nameless(name, text)] = old[nameless(name, text)] || mayTest(ch.Path)
		}
	}
	x.fresh = those(x.taskProof.fresh(x.pl), func(t test) bool {
		return !old[nameless(t.Name, bodies(t.File, x.files[t.File])[t.Name])] && x.owns(x.chain, t.File)
	})
	if x.anew = len(x.fresh) > 0; !x.anew {
		x.fresh = x.beside(x.pl)
	}
}

// nameless is the code of a test without its name.
func nameless(name, text string) string {
	last := name[strings.LastIndexAny(name, ":>")+1:]
	return strings.ReplaceAll(text, strings.TrimSpace(last), "")
}
