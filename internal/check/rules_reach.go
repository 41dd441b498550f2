package check

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// reaches finds code that reaches for what belongs to its tests, to the runner or to the language itself.
func (a Audit) reaches(f *file) []step.Finding {
	var out []step.Finding
	say := func(rule string, line int, text string) { out = append(out, reject(rule, f.Path, line, text)) }
	for i, t := range f.code {
		if !f.added[t.Line] {
			continue
		}
		switch {
		case t.Kind == source.String && a.ownTests(t.Value(), stringsBefore(f, i)):
			say("test-detection", t.Line, "The code names its test file "+path.Base(t.Value())+". Code must behave the same with and without tests.")
		case t.Kind == source.String && a.ownSpec(t.Value()):
			say("test-detection", t.Line, "The code names its spec "+path.Base(t.Value())+". Compute the results instead.")
		case t.Kind == source.Ident && a.Spec != "" && f.new.Lang == source.Python && readers[t.Text] && !hasWord(a.Said, t.Text):
			say("test-detection", t.Line, "The code reads its own text or documentation. Compute the results instead.")
		case t.Kind == source.Ident && exitsAtStart(f, i):
			say("exit-swallowed", t.Line, "This ends the process before a test can run. Return an error instead.")
		case t.Kind == source.Ident && a.replaces(f, i):
			say("builtin-changed", t.Line, "This redefines "+t.Text+", also for the tests. Use another name.")
		case t.Kind == source.Ident && t.Text == "f_locals" && near(f, i, "_getframe", "currentframe", "stack", "f_back"):
			say("test-detection", t.Line, "The code reads the variables of its caller. Code must behave the same with and without tests.")
		}
	}
	for _, t := range f.new.Tokens {
		if t.Kind == source.Comment && f.added[t.Line] && linksTests().MatchString(t.Text) {
			say("test-detection", t.Line, "This directive connects the code with its tests. Remove it.")
		}
	}
	return out
}

// linksTests are Go's directives that reach into the package testing or into files of tests.
var linksTests = re.New(`^//go:(linkname\s.*\btesting\.|embed\s.*(testdata|_test\.go))`)

// ownTests reports whether a string names a file of the tests that prove this code, or their data. Directories of it may stand in the
// strings before it.
func (a Audit) ownTests(v string, before []string) bool {
	v = strings.ReplaceAll(v, `\`, "/")
	for name := range a.testsNow {
		if path.Base(v) != path.Base(name) {
			continue
		}
		if toolchain.IsTest(name) {
			return true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if testDirs[path.Base(dir)] && (strings.Contains("/"+v, "/"+path.Base(dir)+"/") || slices.Contains(before, path.Base(dir))) {
				return true
			}
		}
	}
	return false
}

var testDirs = setOf([]string{"test", "tests", "__tests__", "testdata", "__snapshots__", "fixtures", "__fixtures__", "spec"})

// stringsBefore are the strings on the line of a token that stand before it, without slashes around them.
func stringsBefore(f *file, i int) []string {
	before := those(f.code[lineBegin(f.code, i):i], func(t source.Token) bool { return t.Kind == source.String })
	return each(before, func(t source.Token) string { return strings.Trim(t.Value(), "/") })
}

// exitsAtStart recognises code that ends the process while it is loaded, whatever the exit code: what it printed before
// may look like the report of a runner.
func exitsAtStart(f *file, i int) bool {
	if i+2 >= len(f.code) || f.code[i+1].Text != "." || entryPoint(f) {
		return false
	}
	switch f.code[i].Text + "." + f.code[i+2].Text {
	case "syscall.Exit", "process.reallyExit":
		return true
	case "os.Exit", "os._exit": // sys.exit and process.exit only throw where a runner loads the file
		fn, in := f.new.FuncAt(f.code[i].Line)
		return !in || f.new.Lang == source.Go && fn.Name == "init"
	}
	return false
}

// ownSpec reports whether a string names a spec, of which the spec itself does not speak.
func (a Audit) ownSpec(v string) bool {
	name := path.Base(strings.ReplaceAll(v, `\`, "/"))
	return a.Spec != "" && slices.Contains([]string{"CLAUDE.md", "SPEC.md", "IMPLEMENTS.md"}, name) && !strings.Contains(a.Said, name)
}

// readers read the text or the examples of functions of Python at run time.
var readers = setOf([]string{"getsource", "getsourcelines", "DocTestParser", "DocTestFinder"})

// predeclared are names of Go that tests use as they are, without those that people declared before Go did (min, max, any).
var predeclared = setOf([]string{"nil", "true", "false", "iota", "len", "append", "panic", "recover", "error", "string", "bool", "int"})

// builtinObjects are objects of JavaScript that tests and runners compare with.
var builtinObjects = setOf([]string{
	"Object", "Array", "Number", "String", "Boolean", "Promise", "JSON", "Math", "Reflect", "Symbol", "Error", "Map", "Set", "RegExp", "Date", "globalThis",
})

// Classes that users of Python and JavaScript catch by name.
var (
	pythonErrors = setOf([]string{"Exception", "ValueError", "TypeError", "KeyError", "IndexError", "LookupError", "RuntimeError", "ArithmeticError", "ZeroDivisionError", "OverflowError", "OSError", "AssertionError"})
	scriptErrors = setOf([]string{"Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"})
)

// replaces recognises declarations and assignments that change the language for everybody, unless the spec speaks of it.
func (a Audit) replaces(f *file, i int) bool {
	text := textAt(f.code, i)
	name := f.code[i].Text
	switch f.new.Lang {
	case source.Go:
		_, inside := f.new.FuncAt(f.code[i].Line)
		word := text(-1)
		return predeclared[name] && !inside && (word == "var" || word == "const" || word == "type" || word == "func")
	case source.TypeScript, source.JavaScript:
		if scriptErrors[name] && text(-1) == "class" {
			return !hasWord(a.SpecText, name)
		}
		if !builtinObjects[name] || text(-1) == "." || text(1) != "." {
			return false
		}
		k := 3
		if text(2) == "prototype" && text(3) == "." {
			k = 5
		}
		return text(k) == "=" && !hasWord(a.SpecText, text(k-1))
	case source.Python:
		if pythonErrors[name] && text(-1) == "class" {
			return !hasWord(a.SpecText, name)
		}
		return name == "builtins" && text(1) == "." && text(3) == "=" || name == "setattr" && text(1) == "(" && text(2) == "builtins"
	}
	return false
}

// asksHowDeep reports whether the number of callers that the stack at i has, of an error that is made for it or of Python's modules, is
// compared with something: there and then, or by the name that it gets. Who prints a stack does not count it, or does not decide by that.
func asksHowDeep(ts []source.Token, i int) bool {
	text := textAt(ts, i)
	begin, end := 0, 0 // of the number, from i
	switch {
	case text(-1) == "." && (text(-2) == "inspect" || text(-2) == "traceback") && text(-3) == "(" && text(-4) == "len" && text(1) == "(" && text(2) == ")" && text(3) == ")":
		begin, end = -4, 4
	case text(-1) == "." && text(-2) == ")" && (text(-4) == "Error" || text(-5) == "Error"):
		if begin = -4; text(begin) != "Error" {
			begin--
		}
		if text(begin-1) == "new" {
			begin--
		}
		for k := 1; end == 0 && i+k < len(ts) && ts[i+k].Line == ts[i].Line; k++ {
			if text(k-1) == "." && text(k) == "length" {
				end = k + 1
			}
		}
	}
	compares := func(op string) bool {
		return slices.Contains([]string{"<", ">", "<=", ">=", "==", "===", "!=", "!=="}, op)
	}
	switch name := text(begin - 2); {
	case end == 0:
		return false
	case compares(text(end)), compares(text(begin - 1)):
		return true
	case text(begin-1) == "=":
		for k := range ts {
			at := textAt(ts, k)
			if at(0) == name && at(-1) != "." && (compares(at(1)) || compares(at(-1))) {
				return true
			}
		}
	}
	return false
}
