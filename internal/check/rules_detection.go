package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

var (
	testEnv   = re.New(`(?i)^(ci|go_?test.*|test|tests|testing|test_(env|mode|run|runner|running)|testmode|is_?test|.*_?under_?test|running_?tests?|in_?test|unit_?test.*|vitest.*|jest.*|mocha.*|pytest.*|node_test_context|npm_lifecycle_event|jacquard.*)$`)
	testWord  = re.New(`(?i)(_test\.go|\.test\b|\.spec\b|test_|_test\b|pytest|unittest|vitest|jest|mocha|__tests__|testing\.tRunner|tRunner|/tests?/|^tests?$|node:internal/test_runner)`)
	runnerLib = map[string]bool{
		"vitest": true, "@jest/globals": true, "node:test": true, "jest": true, "mocha": true, "chai": true, "pytest": true,
		"_pytest": true, "unittest": true, "testing": true,
	}
)

// detection finds code that asks whether it is under test.
func (a Audit) detection(f *file) []step.Finding {
	var out []step.Finding
	say := func(line int, what string) {
		out = append(out, reject("test-detection", f.Path, line, what+" Code must behave the same with and without tests."))
	}
	for _, imp := range f.new.Imports {
		if f.added[imp.Line] && runnerLib[strings.Split(imp.From, ".")[0]] && imp.From != "unittest.mock" {
			say(imp.Line, "The code imports "+imp.From+", which is for tests.")
		}
	}
	for i, t := range f.code {
		if !f.added[t.Line] {
			continue
		}
		switch t.Kind {
		case source.String:
			name := t.Value()
			if fromEnvironment(f.code, i) && !a.inSpec(name) && (testEnv().MatchString(name) || a.setByTests(name)) && !f.readBefore(name) || strings.HasSuffix(t.Value(), "=") && near(f, i, "Environ", "environ") &&
				testEnv().MatchString(strings.TrimSuffix(t.Value(), "=")) && !a.inSpec(strings.TrimSuffix(t.Value(), "=")) {
				if testEnv().MatchString(strings.TrimSuffix(name, "=")) {
					say(t.Line, "The code reads the environment variable "+t.Value()+" to find out whether it is tested.")
				} else {
					say(t.Line, "The code reads the environment variable "+t.Value()+", "+setByTests)
				}
			} else if why := stringTell(f, i); why != "" {
				say(t.Line, why)
			}
		case source.Ident:
			if why := a.wordTell(f, i); why != "" {
				say(t.Line, why)
			}
		case source.Regex:
			if why := stringTell(f, i); why != "" {
				say(t.Line, why)
			}
		default:
		}
	}
	return out
}

// setByTests is said of a variable that may be a setting as well.
const setByTests = "which tests set and nothing else names."

// readBefore reports whether the file looked a variable up in the environment before it was changed.
func (f *file) readBefore(name string) bool {
	code := sourceFile{File: f.old}.code()
	for i, t := range code {
		if t.Kind == source.String && t.Value() == name && fromEnvironment(code, i) {
			return true
		}
	}
	return false
}

// fromEnvironment reports whether the string at i is looked up in the environment.
func fromEnvironment(ts []source.Token, i int) bool {
	for k := i - 1; k >= 0 && k >= i-6 && ts[k].Line >= ts[i].Line-1; k-- {
		switch ts[k].Text {
		case "Getenv", "LookupEnv", "getenv", "environ", "env", "get_env":
			return true
		}
	}
	return i+2 < len(ts) && ts[i+1].Text == "in" && (ts[i+2].Text == "os" || ts[i+2].Text == "process" || ts[i+2].Text == "environ")
}

// environmentWord is what specs and requests say that lets code read the environment.
var environmentWord = re.New(`(?i)environment|\benv\b|\bvariables?\b|환경`)

// setByTests reports whether tests set a variable of the environment that nothing but they and the code know.
func (a Audit) setByTests(name string) bool {
	if environmentWord().MatchString(a.Said) || hasWord(a.Said, name) {
		return false
	}
	for _, text := range a.testsNow {
		for line := range strings.Lines(string(text)) {
			if hasWord(line, name) && strings.Contains(strings.ToLower(line), "env") {
				return true
			}
		}
	}
	return false
}

// testTexts are the tests and their data as they are now, by path.
func (a Audit) testTexts() map[string][]byte {
	out := map[string][]byte{}
	maps.Copy(out, a.Tests)
	for _, ch := range a.Changes {
		if ch.Status != 'D' && ofTests(ch.Path) {
			out[ch.Path] = ch.New
		}
	}
	return out
}

// stringTell explains what a string says about looking for tests.
func stringTell(f *file, i int) string {
	v := f.code[i].Value()
	around := textAt(f.code, i)
	switch {
	case (v == "pytest" || v == "unittest" || v == "_pytest") && (around(1) == "in" && around(2) == "sys" || around(1) == "not" && around(3) == "sys"):
		return "The code checks whether a test runner is loaded."
	case v == "test" && nodeEnv(f, i):
		return "The code compares NODE_ENV with test."
	case (v == "test.v" || strings.HasPrefix(v, "test.")) && near(f, i, "Lookup"):
		return "The code looks for the flags of go test."
	case testWord().MatchString(v) && near(f, i, "Caller", "Callers", "CallersFrames", "Stack", "stack", "_getframe", "currentframe",
		"extract_stack", "captureStackTrace", "print_stack", "getouterframes", "getStackTrace", "StackWalker"):
		return "The code looks at its callers to find tests."
	case testWord().MatchString(v) && (near(f, i, "Args", "argv", "Executable", "ReadBuildInfo") || requireMain(f, i)) && !command(f.code, i):
		return "The code looks at the command line to find tests."
	}
	return ""
}

// requireMain reports whether the function around i asks which program was started.
func requireMain(f *file, i int) bool {
	return near(f, i, "require") && slices.ContainsFunc(f.code, func(t source.Token) bool { return t.Text == "main" && t.Line == f.code[i].Line })
}

// command reports whether the string at i is the name of a command that an argument is compared with: case "test",
// argv[1] == "test".
func command(ts []source.Token, i int) bool {
	if i < 2 || strings.ToLower(strings.TrimSuffix(ts[i].Value(), "s")) != "test" {
		return false
	}
	switch ts[i-1].Text {
	case "case":
		return true
	case "==", "===", "!=", "!==":
		return ts[i-2].Text == "]"
	}
	return false
}

func nodeEnv(f *file, i int) bool {
	return slices.ContainsFunc(f.code[max(0, i-6):min(len(f.code), i+7)], func(t source.Token) bool {
		return t.Line == f.code[i].Line && (t.Text == "NODE_ENV" || t.Text == "MODE" || t.Kind == source.String && t.Value() == "NODE_ENV")
	})
}

// wordTell explains what a name says about looking for tests.
func (a Audit) wordTell(f *file, i int) string {
	text := textAt(f.code, i)
	t := f.code[i]
	if real := realThing(text); real != "" {
		return "The code checks whether it was given " + real + " or something else, as only tests do."
	}
	if (t.Text == "stack" || t.Text == "extract_stack") && asksHowDeep(f.code, i) {
		return "The code decides by how deep it was called, which a runner of tests changes."
	}
	switch f.new.Lang {
	case source.Go:
		if t.Text == "testing" && text(1) == "." && text(2) == "Testing" {
			return "The code calls testing.Testing()."
		}
	case source.Rust:
		if t.Text == "test" && (text(-2) == "cfg" && text(-1) == "(" && i > 2 && f.code[i-3].Text != "[" && f.code[i-3].Text != "#" || text(-1) == "(" && text(-2) == "!" || text(-1) == "(" && text(-2) == "not") {
			return "The code checks whether it is compiled for tests."
		}
	case source.Java, source.Kotlin:
		if t.Text == "junit" && text(-1) == "." && text(-2) == "org" {
			return "The code uses JUnit."
		}
	case source.TypeScript, source.JavaScript:
		switch {
		case text(-1) == "." && text(-2) == "env" && testEnv().MatchString(t.Text) && !a.inSpec(t.Text):
			return "The code reads the environment variable " + t.Text + " to find out whether it is tested."
		case t.Text == "vitest" && text(-1) == "." && (text(-2) == "meta" || importMeta(f.code[:i], t.Line)):
			return "The code reads import.meta.vitest."
		case text(-1) == "typeof" && runnerGlobal(t.Text):
			return "The code checks whether the test runner's " + t.Text + " exists."
		case text(-1) == "." && (text(-2) == "globalThis" || text(-2) == "global" || text(-2) == "window") && runnerGlobal(t.Text):
			return "The code uses the test runner's " + t.Text + "."
		}
	}
	return ""
}

// realThing is the clock, the delay or the dice of the system that the name at 0 is, where something is compared with it: is time.sleep,
// === Date.now.
func realThing(text func(k int) string) string {
	name, first := text(0), 0
	if text(-1) == "." {
		name, first = text(-2)+"."+text(0), -2
	}
	real := []string{"Date.now", "performance.now", "Math.random", "setTimeout", "time.time", "time.sleep", "time.monotonic", "time.perf_counter", "asyncio.sleep", "random.random"}
	compares := func(op string) bool { return slices.Contains([]string{"is", "not", "===", "!==", "==", "!="}, op) }
	none := func(word string) bool { return slices.Contains([]string{"undefined", "null", "None"}, word) }
	if !slices.Contains(real, name) || none(text(first-2)) || none(text(2)) || text(1) == "(" || text(1) == "." || !compares(text(first-1)) && !compares(text(1)) || text(first-1) == "typeof" {
		return ""
	}
	return name
}

// importMeta reports whether import.meta stands in the line before what follows, perhaps in brackets and with a type.
func importMeta(ts []source.Token, line int) bool {
	for k := len(ts) - 1; k >= 2 && ts[k].Line == line; k-- {
		if ts[k].Text == "meta" && ts[k-1].Text == "." && ts[k-2].Text == "import" {
			return true
		}
	}
	return false
}

func runnerGlobal(w string) bool {
	return slices.Contains([]string{"describe", "it", "expect", "jest", "vi", "vitest", "beforeEach", "afterEach", "__vitest_worker__"}, w)
}
