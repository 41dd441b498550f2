// Package source reads source code without running it: what it exports and imports, which tests it holds and whether
// they can fail, and its tokens, so that a rule about code never matches inside a comment or a string.
//
// Go is read by the standard library's parser, all others from syntax trees, whose leaves are the tokens. Nothing here
// fails on bad input: what cannot be read is left out.
package source

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Languages that Parse reads.
const (
	Go         = "go"
	TypeScript = "typescript"
	JavaScript = "javascript"
	Python     = "python"
	Rust       = "rust"
	Java       = "java"
	Kotlin     = "kotlin"
)

// LangOf is the language of a file by its extension, "" for one that Parse does not read.
func LangOf(p string) string {
	switch strings.ToLower(path.Ext(p)) {
	case ".go":
		return Go
	case ".ts", ".tsx", ".mts", ".cts":
		return TypeScript
	case ".js", ".jsx", ".mjs", ".cjs":
		return JavaScript
	case ".py", ".pyi":
		return Python
	case ".rs":
		return Rust
	case ".java":
		return Java
	case ".kt", ".kts":
		return Kotlin
	}
	return ""
}

// Kind is the kind of a token.
type Kind uint8

// Kinds of tokens. Keywords are Ident. A template's text parts are String, the code inside it is code.
const (
	Ident Kind = iota
	Number
	String
	Regex
	Punct
	Comment
)

// Token is one token with its place. Line counts from 1; Off and End are byte offsets.
type Token struct {
	Kind     Kind
	Text     string
	Line     int
	Off, End int
	// Indent is the column of a token that begins a logical line of Python, else -1.
	Indent int
}

// Value is the content of a string token without its quotes (escapes are left as they are); Text for others.
func (t Token) Value() string {
	if t.Kind != String {
		return t.Text
	}
	s := strings.TrimLeft(t.Text, "rRbBuUfF")
	for _, q := range []string{`"""`, `'''`, `"`, `'`, "`"} {
		if strings.HasPrefix(s, q) {
			return strings.TrimSuffix(s[len(q):], q)
		}
	}
	return s
}

// Export is a name that other modules can use.
type Export struct {
	Name string `json:"name"`
	// Kind is function, method, property (a member that is read without a call), class, dataclass, record, struct, interface,
	// trait, type, enum, object, constant, variable or reexport.
	Kind      string `json:"kind"`
	Owner     string `json:"owner,omitempty"` // of a method: its type or class
	Signature string `json:"signature"`       // normalised: white space and comments do not count
	// Text is the signature on one line, laid out as in the source; "" where it is not known.
	Text     string   `json:"-"`
	Variants []string `json:"variants,omitempty"` // of an enum
	// Cases are the variants of an enum with what they carry or are set to: Circle(f64), Red = "r".
	Cases []string `json:"-"`
	// Value is what a constant is set to, where that is a literal or made of literals alone.
	Value string `json:"-"`
	// Bases are the types that a class or interface is made on.
	Bases []string `json:"-"`
	// Above are all types whose members it may take over, with their arguments.
	Above []string `json:"-"`
	// Static says that a member belongs to its type and not to a value of it.
	Static bool `json:"-"`
	// Receiver is the type that a function or property of Kotlin extends, without its type arguments.
	Receiver string `json:"-"`
	// Literal is the type of a constant's or variable's initial value where its declaration says none and the value is a
	// plain literal.
	Literal string `json:"-"`
	// Inferred says of a function of Kotlin that only its body tells what it gives.
	Inferred bool `json:"-"`
	// Made is the constructor that a class of Python gets of its fields, as if it were written; "" where it has none such.
	Made string `json:"-"`
	// Doc is the first paragraph of its documentation, without what speaks of its contract.
	Doc  string `json:"doc,omitempty"`
	Line int    `json:"line"`
}

// Import is a use of another module.
type Import struct {
	From  string   // as written: "fmt", "./auth", "auth.token", ".token"
	Names []string // imported by name; empty for the whole module
	Line  int
	Inner int  // Rust: how many modules are written out around it, which super goes through first
	Path  bool // Rust: it stands where it is used, and no use declares it
}

// Test is one test as the runner knows it.
type Test struct {
	// Name is what the runner calls it: TestX in Go, "outer > inner > title" in JavaScript, TestClass::test_x in Python.
	Name string
	// Open means that the runner adds to the name or fills it in (test.each, a template, parametrize).
	Open      bool
	Line, End int
	Off, Stop int // the body's bytes
	// Rows are the bytes that decide with what it is run: decorators, attributes, annotations, the table of each. Empty for none.
	Rows [2]int
	// Asserts counts assertions that can fail; Trivial those that are always true or cannot be reached.
	Asserts, Trivial int
	Skipped          bool
	Only             bool
	// MaySkip means that the test is skipped on machines that cannot run it, which is no cheating.
	MaySkip bool
	// Fails means that what the test asserts must not hold (test.fails), or need not (xfail). It counts as skipped.
	Fails bool
	// Lines of the first skip and only, 0 without.
	SkipLine, OnlyLine int
}

// count notes an assertion, which is real where it can fail.
func (t *Test) count(real bool) {
	if real {
		t.Asserts++
	} else {
		t.Trivial++
	}
}

// skip notes that a line skips the test.
func (t *Test) skip(line int) { t.Skipped, t.SkipLine = true, cmp.Or(t.SkipLine, line) }

// Declared is the name that the declaration of a default export gives it, by which people and tests call it; "" where it gives none.
func (e Export) Declared() string {
	m := declaration().FindStringSubmatch(e.Text)
	if m == nil || m[1] == "extends" || m[1] == "implements" {
		return ""
	}
	return m[1]
}

// Called is the name that an export is called by: of a default export that of its declaration, where it has one.
func (e Export) Called() string {
	if e.Name == "default" && e.Owner == "" {
		return cmp.Or(e.Declared(), e.Name)
	}
	return e.Name
}

var declaration = re.New(`^(?:async |abstract |declare )*(?:function ?\*? ?|class |interface |enum |const enum |type |const |let |var |def |fn )([\pL_$][\pL\w$]*)`)

// hollow notes the functions beside the tests whose assertions can never fail, of what each function asserts.
func (f *File) hollow(asserts map[string]Test) {
	for _, fn := range f.Funcs {
		t := asserts[fn.Name[strings.LastIndexByte(fn.Name, '.')+1:]]
		if t.Trivial > 0 && !slices.ContainsFunc(f.Tests, func(o Test) bool { return o.Line == fn.Line }) {
			t.Name, t.Line = fn.Name, fn.Line
			f.Hollow = append(f.Hollow, t)
		}
	}
}

// AlwaysTrue reports whether the test asserts something, but nothing that can fail.
func (t Test) AlwaysTrue() bool { return t.Asserts == 0 && t.Trivial > 0 }

// Empty reports whether the test asserts nothing at all.
func (t Test) Empty() bool { return t.Asserts == 0 && t.Trivial == 0 }

var hole = re.New(`%[sdifjoOpc#%]|%[\d.]+[fd]|\$\{[^}]*\}|\$[\w.#]+`)

// Matches reports whether a runner's result called name belongs to the test: the same name, a subtest of it, one of its
// parameter sets, or its name with the holes filled in.
func (t Test) Matches(name string) bool {
	if name == t.Name || strings.HasPrefix(name, t.Name+"/") || strings.HasPrefix(name, t.Name+"[") ||
		strings.HasPrefix(name, t.Name+" > ") {
		return true
	}
	return t.Open && t.form(regexp.QuoteMeta).MatchString(name)
}

// form matches the name of a test with anything in its holes, each a group; part writes what stands between them.
func (t Test) form(part func(string) string) *regexp.Regexp {
	parts := t.parts()
	for i := range parts {
		parts[i] = part(strings.ToValidUTF8(parts[i], "\uFFFD")) // which is all that a regular expression takes
	}
	return regexp.MustCompile("(?s)^" + strings.Join(parts, "(.*?)") + "$")
}

// parts are what stands in the name of a test between the places that are filled in.
func (t Test) parts() []string {
	if t.Open {
		return hole().Split(t.Name, -1)
	}
	return []string{t.Name}
}

// Named gives the name of a test that a runner has printed with nothing but spaces between suites and test, as mocha does: with what stands in
// the places of its title that are filled in. It is false for the title of another test.
func (t Test) Named(printed string) (string, bool) {
	m := t.form(func(part string) string {
		words := strings.Fields(strings.ReplaceAll(" "+part+" ", " > ", " "))
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		return `\s*` + strings.Join(words, `\s+`) + `\s*`
	}).FindStringSubmatch(printed)
	if m == nil {
		return "", false
	}
	parts := t.parts()
	name := parts[0]
	for i, value := range m[1:] {
		name += value + parts[i+1]
	}
	return name, true
}

// Func is a function or method with its place.
type Func struct {
	Name      string // Owner.Name for a method
	Line, End int
	Off, Stop int    // of the whole declaration
	Body      int    // offset of the body's first byte
	zero      string // of Go: the statement that returns zero values
}

// Mutant is a small change of a source file that a good test notices.
type Mutant struct {
	Func     string // in which function
	Line     int
	What     string // "== to !=", "drop statement", …
	Off, End int
	New      string
}

// Limit reports whether the mutant moves a limit by one value: < to <=. Only a
// test at the limit itself notices it.
func (m Mutant) Limit() bool {
	from, to, _ := strings.Cut(m.What, " to ")
	return (from == "<" || from == ">" || from == "<=" || from == ">=") && strings.Trim(from, "=") == strings.Trim(to, "=")
}

// Apply gives src with the mutation in it.
func (m Mutant) Apply(src []byte) []byte {
	out := make([]byte, 0, len(src)+len(m.New))
	out = append(out, src[:m.Off]...)
	out = append(out, m.New...)
	return append(out, src[m.End:]...)
}

// File is what Parse found.
type File struct {
	Path    string
	Lang    string
	Package string // Go, Java, Kotlin: the package's name
	// Doc is the first paragraph of what the file says of its package or module as a whole.
	Doc string
	// Constraint is Go's //go:build line, "" without.
	Constraint string
	// Problem says why a Go file could not be parsed; the rest is then what could be read.
	Problem string
	// Failed says that it was the reader that failed, which another time may not.
	Failed  bool
	Tokens  []Token // with comments
	Exports []Export
	// Fields are members of exported types that Exports does not have: a property; an attribute, which a constructor sets; what
	// is inherited, as the methods of a trait; and what is internal to the crate of Rust, the module of Gradle or the package of Java.
	Fields []Export
	// Private are the modules in files of their own that a file of Rust keeps for itself.
	Private []string
	// Macros says of a file of Rust that macros may declare things in it.
	Macros bool
	// Constants are the literals that names at the top of the file stand for, also those that others do not see.
	Constants map[string]string
	Imports   []Import
	Tests     []Test
	Hollow    []Test // functions beside the tests that have assertions which can never fail
	Funcs     []Func
	Outline

	mutants   []Mutant
	callbacks []Func // functions without a name, outside of those that have one
	raw       []byte
	aside     [][2]int // where modules and functions of Rust are that are only built to test
}

// Split cuts the tests out of a file that has them beside its code: of Rust the modules and functions that are only built to test. tests is empty for any
// other file.
func (f File) Split() (code, tests []byte) {
	at := 0
	for _, s := range f.aside {
		code, tests = append(code, f.raw[at:s[0]]...), append(append(tests, f.raw[s[0]:s[1]]...), '\n')
		at = s[1]
	}
	return append(code, f.raw[at:]...), tests
}

// Moved is a mutant of this file at the same place of another version of it: one with the same code, and other tests beside it.
func (f File) Moved(m Mutant, other File) (Mutant, bool) {
	code, _ := f.Split()
	if now, _ := other.Split(); strings.TrimRight(string(code), "\n") != strings.TrimRight(string(now), "\n") {
		return m, false
	}
	at := m.Off
	for _, s := range f.aside {
		if s[0] < m.End && m.Off < s[1] {
			return m, false
		}
		if s[1] <= m.Off {
			at -= s[1] - s[0]
		}
	}
	for _, s := range other.aside {
		if s[0] <= at {
			at += s[1] - s[0]
		}
	}
	m.End, m.Off = at+m.End-m.Off, at
	return m, true
}

// TestsFrom is where the tests begin that stand beside code and an offset lies in; 0 where there are none.
func (f File) TestsFrom(off int) int {
	for _, s := range f.aside {
		if s[0] <= off && off < s[1] {
			return s[0]
		}
	}
	return 0
}

// Source is the text of the file.
func (f File) Source() []byte { return f.raw }

func (f *File) src(from, to int) []byte { return f.raw[from:to] }

// FuncAt is the innermost function around a line.
func (f File) FuncAt(line int) (Func, bool) {
	best, found := Func{}, false
	for _, fn := range f.Funcs {
		if fn.Line <= line && line <= fn.End && (!found || fn.Stop-fn.Off < best.Stop-best.Off) {
			best, found = fn, true
		}
	}
	return best, found
}

// Code gives the tokens without comments, in a slice of their own.
func Code(ts []Token) []Token {
	out := make([]Token, 0, len(ts))
	for _, t := range ts {
		if t.Kind != Comment {
			out = append(out, t)
		}
	}
	return out
}

// render joins tokens in one normal form, so that two ways to lay out the same code compare equal.
func render(ts []Token) string {
	var b strings.Builder
	for i, t := range ts {
		if t.Kind == Comment {
			continue
		}
		if i > 0 && b.Len() > 0 && wordy(ts[i-1]) && wordy(t) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

func wordy(t Token) bool { return t.Kind == Ident || t.Kind == Number || t.Kind == String }

func isPunct(t Token, s string) bool { return t.Kind == Punct && t.Text == s }

func isWord(t Token, s string) bool { return t.Kind == Ident && t.Text == s }

// nesting is 1 for a bracket that opens, -1 for one that closes, and 0 for all else.
func nesting(t Token) int {
	if t.Kind == Punct {
		switch t.Text {
		case "(", "[", "{", "${":
			return 1
		case ")", "]", "}":
			return -1
		}
	}
	return 0
}

// opening is the index of the bracket that the one at i closes, 0 where there is none.
func opening(ts []Token, i int) int {
	for depth := 0; i > 0; i-- {
		if depth -= nesting(ts[i]); depth == 0 {
			return i
		}
	}
	return 0
}

// closing gives the index of the bracket that closes the one at i, len(ts) if there is none.
func closing(ts []Token, i int) int {
	depth := 0
	for ; i < len(ts); i++ {
		n := nesting(ts[i])
		if depth += n; n < 0 && depth == 0 {
			return i
		}
	}
	return len(ts)
}

// splitArgs cuts the tokens between two brackets at the commas of their level.
func splitArgs(ts []Token) [][]Token {
	var out [][]Token
	depth, start := 0, 0
	for i, t := range ts {
		depth += nesting(t)
		if depth == 0 && isPunct(t, ",") {
			out = append(out, ts[start:i])
			start = i + 1
		}
	}
	if start < len(ts) {
		out = append(out, ts[start:])
	}
	return out
}

func sameText(a, b []Token) bool { return len(a) > 0 && render(a) == render(b) }

var checkerName = re.New(`(?i)^(assert|expect|check|verify|should|must|require|ensure|compare)`)
