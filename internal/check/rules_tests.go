package check

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// testRules compare the tests before and after, over all files: a test may move, it may not vanish or lose its teeth.
func (a Audit) testRules(files []*file) []step.Finding {
	moved := map[string]bool{} // bodies of tests that are new somewhere
	for _, f := range files {
		if !mayTest(f.Path) || f.Status == 'D' || constrained(f) {
			continue
		}
		for _, t := range f.new.Tests {
			moved[body(f.new, t)] = true
		}
	}
	names := a.functions(files)
	declared := map[string]bool{}
	for _, f := range files {
		for _, e := range f.new.Exports {
			declared[e.Name] = declared[e.Name] || f.class == toolchain.Source
		}
	}
	var out []step.Finding
	for _, f := range files {
		if !mayTest(f.Path) || slices.ContainsFunc(a.Frozen, func(frozen step.File) bool { return frozen.Path == f.Path }) {
			continue
		}
		before := byName(f.old)
		after := map[string]bool{}
		for _, t := range f.new.Tests {
			after[t.Name] = true
			old, existed := before[t.Name]
			if existed && body(f.old, old) == body(f.new, t) && old.Skipped == t.Skipped && old.Only == t.Only {
				continue
			}
			found := judgeTest(f, t, old, existed)
			if name := a.replacesSubject(body(f.new, t), declared); name != "" {
				found = append(found, reject("test-mocks-subject", f.Path, t.Line, "The test "+t.Name+" mocks "+name+", which it should test. Call the code as its users do."))
			}
			if likeOthers(f, t) {
				found = slices.DeleteFunc(found, func(x step.Finding) bool { return x.Rule == "test-empty" })
			}
			out = append(out, found...)
		}
		out = append(out, hollowHelpers(f)...)
		used := map[string]bool{}
		for _, t := range f.old.Tests {
			if after[t.Name] || moved[body(f.old, t)] || slices.Contains(a.Removable, f.Path+"::"+t.Name) {
				continue
			}
			if _, ok := rewritten(f, t, before, used, names, a.Replaced != nil); ok {
				continue
			}
			if a.Replaced != nil && a.Replaced(f, t) {
				continue
			}
			out = append(out, gone(f.Path, t.Name))
		}
		if f.Status != 'D' && constrained(f) && !constrainedText(f.old.Constraint) && len(f.new.Tests) > 0 {
			out = append(out, reject("test-skipped", f.Path, 1, "A build constraint keeps these tests from running ("+f.new.Constraint+"). Remove it."))
		}
	}
	return out
}

// replaced is where a test puts something in the place of a function, told by its name in a text.
var replaced = re.New(`\b(?:patch|setattr|object|spyOn|method|replace)\s*\(\s*(?:[\w.\s]+,\s*)?["'` + "`" + `]([\w.]+)["'` + "`" + `]`)

// replacesSubject is a function of the change that a test replaces and calls, or what nobody but the author of code can know that is
// not there yet.
func (a Audit) replacesSubject(body string, declared map[string]bool) string {
	for _, m := range replaced().FindAllStringSubmatch(body, -1) {
		name := m[1][strings.LastIndexByte(m[1], '.')+1:]
		private := strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "__") && !hasWord(a.Said, name)
		if declared[name] && strings.Contains(body, " "+name+" (") || a.BeforeCode && private {
			return name
		}
	}
	return ""
}

var called = re.New(`([\pL_]\w*) \(`)

// calls are the names that a test calls.
func calls(f source.File, t source.Test) map[string]bool {
	return setOf(each(called().FindAllStringSubmatch(body(f, t), -1), func(m []string) string { return m[1] }))
}

// reaches are the names that a new test of a file calls, by itself or through functions of the file.
func (f *file) reaches(t source.Test) map[string]bool {
	if out := f.reached[t.Name]; out != nil {
		return out
	}
	out := map[string]bool{}
	var add func(names map[string]bool)
	add = func(names map[string]bool) {
		for name := range names {
			if out[name] {
				continue
			}
			out[name] = true
			for _, fn := range f.new.Funcs {
				if bareName(fn.Name) == name {
					add(calls(f.new, source.Test{Off: fn.Off, Stop: fn.Stop}))
				}
			}
		}
	}
	add(calls(f.new, t))
	if f.reached == nil {
		f.reached = map[string]map[string]bool{}
	}
	f.reached[t.Name] = out
	return out
}

// likeOthers reports whether a test asserts as the project's own tests beside it do: by a helper of another file, which those call that
// were there before and have no assertion of their own either. That it fails without the change is seen when it is run.
func likeOthers(f *file, t source.Test) bool {
	now := calls(f.new, t)
	for _, old := range f.old.Tests {
		if !old.Empty() || old.Skipped {
			continue
		}
		for name := range calls(f.old, old) {
			if now[name] && name != old.Name && name != t.Name {
				return true
			}
		}
	}
	return false
}

var word = re.New(`[\pL_]\w*`)

// functions are the names that a test may be there for: what the changed sources declare, and every word of the spec.
func (a Audit) functions(files []*file) map[string]bool {
	out := map[string]bool{}
	for _, f := range files {
		if f.class != toolchain.Source {
			continue
		}
		maps.Copy(out, setOf(each(f.new.Exports, func(e source.Export) string { return bareName(e.Name) })))
		maps.Copy(out, setOf(each(f.new.Funcs, func(fn source.Func) string { return bareName(fn.Name) })))
	}
	maps.Copy(out, setOf(word().FindAllString(a.SpecText, -1)))
	return out
}

// rewritten is the test that an old one went on as under another name: a new test of the file that has nearly the same code, or, with moves, the
// same name in another class and calls most of the same, too. It calls the same functions of the project, as far as there still are any, and
// asserts no less. Each new test stands for one old test only. One that is similar only in its code, with other values, does not count if
// another has nearly the old name.
func rewritten(f *file, old source.Test, before map[string]source.Test, used, names map[string]bool, moves bool) (source.Test, bool) {
	if f.Status == 'D' || constrained(f) {
		return source.Test{}, false
	}
	called := slices.Collect(maps.Keys(calls(f.old, old)))
	all := those(f.new.Tests, func(t source.Test) bool {
		if _, existed := before[t.Name]; existed || used[t.Name] {
			return false
		}
		now := f.reaches(t)
		return !slices.ContainsFunc(called, func(name string) bool { return names[name] && !now[name] })
	})
	alike := func(t source.Test) bool { return mostly(wordsOf(titleOf(old.Name)), wordsOf(titleOf(t.Name))) }
	rewrites := func(t source.Test) bool {
		return similar(body(f.old, old), body(f.new, t)) && (alike(t) || keepsValues(f, old, t) || !slices.ContainsFunc(all, alike))
	}
	namesake := func(t source.Test) bool { return moves && titleOf(t.Name) == titleOf(old.Name) }
	moved := func(t source.Test) bool {
		return namesake(t) && mostly(called, slices.Collect(maps.Keys(f.reaches(t))))
	}
	asserting := those(all, func(t source.Test) bool { return succeeds(t, old, before) })
	for _, such := range []func(source.Test) bool{func(t source.Test) bool { return namesake(t) && rewrites(t) }, moved, rewrites} {
		if i := slices.IndexFunc(asserting, such); i >= 0 {
			used[asserting[i].Name] = true
			return asserting[i], true
		}
	}
	return source.Test{}, false
}

// succeeds reports whether a test is new, runs, and asserts no less than an old one.
func succeeds(t, old source.Test, before map[string]source.Test) bool {
	_, existed := before[t.Name]
	return !existed && !t.Skipped && t.Asserts > 0 && t.Asserts >= old.Asserts
}

// bareName is a name without what it belongs to: the method of Type.method.
func bareName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// titleOf is the name of a test without the classes and suites around it.
func titleOf(name string) string {
	for _, sep := range []string{"::", " > "} {
		if i := strings.LastIndex(name, sep); i >= 0 {
			name = name[i+len(sep):]
		}
	}
	return name
}

// keepsValues reports whether a new test of a file has all values that an old one has.
func keepsValues(f *file, old, now source.Test) bool {
	return len(without(literals(f.old, old), oneFor(literals(f.new, now)))) == 0
}

// nameWord is a word of a name: of a sentence, in camel case, with underscores.
var nameWord = re.New(`[\pL\d][\p{Ll}\d]*`)

func wordsOf(name string) []string { return nameWord().FindAllString(name, -1) }

// similar reports whether two pieces of code share at least two thirds of their tokens.
func similar(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return mostly(x, y) && mostly(y, x)
}

// mostly reports whether a list has at least two thirds of another one.
func mostly(of, in []string) bool { return 3*(len(of)-len(without(of, oneFor(in)))) >= 2*len(of) }

// constrained reports whether a Go test file is left out of an ordinary run by a constraint that is not about the system.
func constrained(f *file) bool { return constrainedText(f.new.Constraint) }

var systems = re.New(`^(linux|darwin|windows|unix|freebsd|openbsd|netbsd|android|ios|js|wasip1|wasm|amd64|arm64|386|arm|cgo|race|go1\.\d+)$`)

var constraintWord = re.New(`[\w.]+`)

func constrainedText(text string) bool {
	return slices.ContainsFunc(constraintWord().FindAllString(text, -1), func(word string) bool { return !systems().MatchString(word) })
}

// hollowHelpers are functions beside the tests that let more pass than before.
func hollowHelpers(f *file) []step.Finding {
	before := mapOf(f.old.Hollow, func(h source.Test) (string, int) { return h.Name, h.Trivial })
	var out []step.Finding
	for _, h := range f.new.Hollow {
		if n := h.Trivial - before[h.Name]; n > 0 {
			out = append(out, fix("test-always-true", f.Path, h.Line, fmt.Sprintf("%s, which tests call, has assertions that can never fail (%d).", h.Name, n)))
		}
	}
	return out
}

// judgeTest looks at one test that is new or changed.
func judgeTest(f *file, t, old source.Test, existed bool) []step.Finding {
	var out []step.Finding
	if t.Skipped && !old.Skipped {
		out = append(out, reject("test-skipped", f.Path, cmp.Or(t.SkipLine, t.Line), "The test "+t.Name+" is skipped. Remove the skip."))
	}
	if t.Only && !old.Only {
		out = append(out, reject("test-only", f.Path, cmp.Or(t.OnlyLine, t.Line), "The test "+t.Name+" is marked so that other tests do not run. Remove the mark."))
	}
	switch {
	case t.Skipped && old.Skipped:
	case t.AlwaysTrue():
		out = append(out, reject("test-always-true", f.Path, t.Line, "The assertions of the test "+t.Name+" can never fail. Assert what the code does."))
	case t.Empty() && !t.Skipped && (!existed || !old.Empty()):
		out = append(out, reject("test-empty", f.Path, t.Line, "The test "+t.Name+" has no known assertion. Assert what the code does, with the test framework or a helper called check…, assert… or expect…."))
	case t.Trivial > old.Trivial:
		found := fix("test-always-true", f.Path, t.Line, fmt.Sprintf("The test %s has assertions that can never fail (%d).", t.Name, t.Trivial-old.Trivial))
		if t.Asserts < old.Asserts { // they took the place of others
			found.Severity = step.Rejects
		}
		out = append(out, found)
	case existed && !t.Skipped && t.Asserts < old.Asserts && t.Asserts+rows(body(f.new, t)) < old.Asserts+rows(body(f.old, old)):
		out = append(out, fix("test-weakened", f.Path, t.Line, assertsLess(t.Name)))
	}
	return out
}

// rows are those of the longest table in a test that goes over one, but for the first: each is asserted like a line of its own.
func rows(text string) int {
	if !loops().MatchString(text) {
		return 0
	}
	type bracket struct {
		element       bool // of the bracket around it
		elements, has int  // in brackets of their own, and tokens
	}
	var open []bracket
	most, before := 1, ""
	for token := range strings.FieldsSeq(text) {
		n := len(open)
		switch {
		case strings.Contains("([{", token):
			open = append(open, bracket{element: n > 0 && strings.Contains("([{,:", before)})
		case strings.Contains(")]}", token) && n > 0:
			closed := open[n-1]
			most = max(most, closed.elements)
			if open = open[:n-1]; closed.element && closed.has > 0 {
				open[n-2].elements++
			}
		case n > 0:
			open[n-1].has++
		}
		before = token
	}
	return most - 1
}

// loops is what a test goes over a table with.
var loops = re.New(`(?:^| )(?:for|each|forEach|parametrize|MethodSource|CsvSource)(?: |$)`)

var (
	pyIgnored = re.New(`^(collect_ignore|collect_ignore_glob|__test__)\b`)
	pyHooks   = re.New(`^pytest_(collection_modifyitems|ignore_collect|runtest_makereport|runtest_call|runtest_protocol|pyfunc_call|sessionfinish|report_teststatus|collect_file)$`)
)

// testFileRules are about what a test file does to the runner.
func testFileRules(f *file) []step.Finding {
	var out []step.Finding
	for i, t := range f.code {
		if !f.added[t.Line] || t.Kind != source.Ident {
			continue
		}
		switch {
		case exitsZero(f.code, i):
			out = append(out, reject("exit-swallowed", f.Path, t.Line, "This ends the test run with success even if tests failed. Remove it."))
		case t.Indent == 0 && pyIgnored().MatchString(t.Text):
			out = append(out, reject("test-skipped", f.Path, t.Line, "This keeps tests from being collected. Remove it."))
		case f.new.Lang == source.Python && i > 0 && f.code[i-1].Text == "def" && pyHooks().MatchString(t.Text):
			out = append(out, reject("runner-hooked", f.Path, t.Line, "A hook that changes how tests are collected or reported is not allowed. Remove it."))
		case f.new.Lang == source.Go && t.Text == "TestMain" && i > 0 && f.code[i-1].Text == "func" && !callsRun(f.code[i:]):
			out = append(out, reject("test-skipped", f.Path, t.Line, "TestMain does not call m.Run, so no test runs."))
		}
	}
	return append(out, commentRules(f)...)
}

func callsRun(ts []source.Token) bool {
	for i := 2; i < len(ts) && i < 400; i++ {
		if ts[i].Text == "Run" && ts[i-1].Text == "." {
			return true
		}
		if ts[i].Text == "func" && ts[i-1].Text == "}" {
			return false
		}
	}
	return false
}

// exitsZero recognises os.Exit(0), process.exit(), sys.exit(0), os._exit(0), process.exitCode = 0,
// process::exit(0), System.exit(0), halt(0), exitProcess(0).
func exitsZero(ts []source.Token, i int) bool {
	text := textAt(ts, i)
	switch {
	case text(0) == "exit" && i > 1 && text(-1) == "::" && text(-2) == "process", text(0) == "exitProcess", text(0) == "halt" && i > 0 && text(-1) == ".":
		return text(1) == "(" && text(2) == "0"
	case text(1) != ".":
		return false
	}
	name := text(0) + "." + text(2)
	switch name {
	case "os.Exit", "os._exit", "System.exit":
		return text(3) == "(" && text(4) == "0"
	case "process.exit", "sys.exit":
		return text(3) == "(" && (text(4) == "0" || text(4) == ")")
	case "process.exitCode":
		return text(3) == "=" && text(4) == "0"
	}
	return false
}

// helperDir reports whether a source file only helps tests, by the names of its directories.
func helperDir(p string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(stem(p)), "/"), func(part string) bool {
		return helperName().MatchString(part) || strings.HasSuffix(part, "test") && part != "test" && strings.HasPrefix(path.Base(p), part)
	})
}

var helperName = re.New(`^(?:test(?:utils?|utilities|helpers?|ing|support|[-_]utils|kit)|mocks?|fixtures)$`)

// gone says that a test of before is in no file any more.
func gone(file, name string) step.Finding {
	return reject("test-deleted", file, 0, "The test "+name+" is gone. Put it back; if the behavior changed, change its assertions.")
}

// assertsLess says that a test has fewer assertions.
func assertsLess(name string) string {
	return "The test " + name + " asserts less than before. Keep the old assertions."
}
