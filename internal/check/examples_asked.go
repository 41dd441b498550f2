package check

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostAsked bounds how many calls of tests are made.
const mostAsked = 300

// asked are the calls that tests of the module make of its exports with literals, and what they say of them.
func (c *Checker) asked(ctx context.Context, m Module, tree string, tests []step.File) ([]example.Example, error) {
	tests = those(tests, func(t step.File) bool { return ecosystemOf(t.Path) == m.Chain.Ecosystem })
	if len(tests) == 0 {
		return nil, nil
	}
	settings, err := c.readFiles(ctx, tree, func(e git.Entry) bool {
		beside := slices.ContainsFunc(tests, func(t step.File) bool { return path.Dir(t.Path) == path.Dir(e.Path) && t.Path != e.Path })
		return runnerFile().MatchString(e.Path) || beside && strings.HasSuffix(e.Path, "_test.go")
	})
	if err != nil {
		return nil, err
	}
	texts, err := c.texts(ctx, tests)
	if err != nil {
		return nil, err
	}
	before := ""
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		before += string(preparing().Find(settings[name]))
	}
	var out []example.Example
	for _, t := range tests {
		own := helpersIn(t.Path, texts[t.Path])
		for _, e := range example.InTests(t.Path, texts[t.Path]) {
			if e = m.mine(e, t.Path, texts[t.Path]); e.Call == nil || slices.Contains(m.Known, e.Test) || standIn().MatchString(e.After) || slices.ContainsFunc(own, func(f source.Func) bool { return f.Name == e.Symbol() }) {
				continue
			}
			e.After = strings.TrimSuffix(before+"; "+e.After, "; ")
			e.After = strings.TrimPrefix(e.After, "; ")
			out = append(out, e)
		}
	}
	return out[:min(len(out), mostAsked)], nil
}

// helpersIn are the functions of a file of tests that are no code of the project: beside tests of Rust stands what they test.
func helpersIn(file string, src []byte) []source.Func {
	f := source.Parse(file, src)
	if toolchain.IsSource(file) {
		_, tests := f.Split()
		return source.Parse(file, tests).Funcs
	}
	return f.Funcs
}

// runnerFile is a file that may say what runs before tests, and preparing says that something does.
var (
	runnerFile = re.New(`(^|/)(conftest\.py|(vitest|vite|jest)\.config\.[a-z]+|\.mocharc[.a-z]*|package\.json)$`)
	preparing  = re.New(`\bfunc (TestMain|init)\(|\bautouse\s*=\s*True|\bpytest_\w+|\b(setupFiles|setupFilesAfterEnv|globalSetup)\b|--(require|import|loader)\b`)
)

// unqualified is an example that names an export of the module, without the package that it is in; one without a call if it does not.
func (m Module) unqualified(e example.Example) example.Example {
	if m.exports(e.Symbol()) {
		return e
	}
	_, rest, ok := strings.Cut(e.First().Name, ".")
	name, _, _ := strings.Cut(rest, ".")
	if !ok || !m.exports(name) {
		return example.Example{}
	}
	e = e.Clone()
	e.First().Name = rest
	return e
}

// mine is [Module.unqualified] of a call that a test makes. In Rust, another module may have a function of the same name.
func (m Module) mine(e example.Example, file string, src []byte) example.Example {
	if m.Chain.Ecosystem != toolchain.Rust {
		return m.unqualified(e)
	}
	parts := strings.Split(e.First().Name, ".")
	at := 0
	for at < len(parts)-1 && parts[at] == strings.ToLower(parts[at]) {
		at++
	}
	rest := strings.Join(parts[at:], ".")
	own := slices.Contains(m.Place.Sources, file) || slices.ContainsFunc(source.Parse(file, src).Imports, func(i source.Import) bool {
		return m.holds(strings.Split(i.From, "::")) && (slices.Contains(i.Names, parts[at]) || slices.Contains(i.Names, "*"))
	})
	if !m.exports(rest) || at > 0 && !m.holds(parts[:at]) || at == 0 && !own {
		return example.Example{}
	}
	e = e.Clone()
	e.First().Name = rest
	return e
}

// holds reports whether the path of a name in Rust ends in the module.
func (m Module) holds(modules []string) bool {
	last := modules[len(modules)-1]
	return slices.Contains([]string{"crate", "super", "self", m.Chain.Module}, last) || slices.ContainsFunc(m.Place.Sources, func(file string) bool {
		return stem(path.Base(file)) == last || handsOn(file) && path.Base(path.Dir(file)) == last
	})
}

// where is the one source of a module, else its directory.
func (m Module) where() string {
	if len(m.Place.Sources) == 1 {
		return m.Place.Sources[0]
	}
	return m.Dir
}

func (m Module) exports(name string) bool {
	return slices.ContainsFunc(m.Exports, func(x step.Export) bool { return x.Name == name || strings.HasPrefix(x.Name, name+".") })
}

// onlyTested is a finding if a call that a test makes gives something else outside of it: alone, and also where the calls of the test
// are made in their order. Nobody is charged where the test has used the code before, or has set what the spec speaks of.
func (u *user) onlyTested(ctx context.Context, asked []example.Example, e example.Example, o example.Outcome) ([]step.Finding, error) {
	if o.Cannot != "" || e.Want.Holds(o) || noMatter().MatchString(o.Given()) || u.m.speaksOf(e.After) {
		return nil, nil
	}
	before := those(asked, func(x example.Example) bool { return x.Test == e.Test })
	again, err := u.try(ctx, before, false)
	if err != nil {
		return nil, err
	}
	for i, x := range before {
		if x.Line == e.Line && x.Text == e.Text && (again[i].Cannot != "" || x.Want.Holds(again[i])) {
			return nil, nil
		}
	}
	f := givesElse(e, o)
	if e.After != "" {
		f.Message += " The spec does not mention what the test does before the call: " + clipped(e.After, 200)
	}
	return []step.Finding{f}, nil
}

// givesElse says that a call of a test gives something else outside of it.
func givesElse(e example.Example, o example.Outcome) step.Finding {
	file, name := toolchain.SplitID(e.Test)
	return reject("example-failed", file, e.Line, fmt.Sprintf(
		"The test %s says: %s. Called outside the tests, it gives: %s. Code must behave the same with and without tests.", name, e.Text, o.Given()))
}

// speaksOf reports whether what a test does before it calls uses the code itself, or is something that the spec has words for.
func (m Module) speaksOf(after string) bool {
	if standIn().MatchString(after) {
		return true
	}
	words := strings.FieldsFunc(after, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		if m.exports(w) || len(w) > 3 && !plainWords[strings.ToLower(w)] && hasWord(m.Said, w) {
			return true
		}
	}
	spec := strings.ToLower(m.Said)
	return slices.ContainsFunc(spoken, func(s saying) bool { return s.code().MatchString(after) && s.spec().MatchString(spec) })
}

// standIn is what puts something in the place of what the code uses.
var standIn = re.New(`(?i)\bpatch\b|mock|stub|\bspy|\bfake`)

type saying struct{ code, spec re.Regexp }

// spoken are kinds of state by the names that tests have for them, and by the words that specs have.
var spoken = []saying{
	{re.New(`(?i)env`), re.New(`environment|env\b|환경`)},
	{re.New(`(?i)time|date|clock|now|freeze|fakeTimers`), re.New(`time|date|clock|\bnow\b|today|\bday\b|hour|second|시각|시간|날짜`)},
	{re.New(`(?i)chdir|tmp|temp|write|file|path|open\(`), re.New(`file|director|folder|path|disk|파일|경로`)},
	{re.New(`(?i)seed|rand`), re.New(`random|seed|무작위`)},
	{re.New(`(?i)argv|os\.Args|flag`), re.New(`argument|command line|flag|option|인자`)},
	{re.New(`(?i)stdin|stdout|stderr|capsys|print`), re.New(`print|output|stdout|stderr|stdin|출력|입력`)},
	{re.New(`(?i)log`), re.New(`\blog`)},
	{re.New(`(?i)locale|setlocale|tz`), re.New(`locale|language|zone|시간대`)},
	{re.New(`(?i)http|server|socket|fetch|request|url`), re.New(`http|server|network|request|\bapi\b|\burl\b|remote|download|서버`)},
	{re.New(`(?i)sql|\bdb\b|database`), re.New(`database|\bsql|store|table|저장`)},
	{re.New(`(?i)thread|goroutine|async|worker|parallel`), re.New(`thread|concurren|goroutine|parallel|동시`)},
}

// plainWords are words of code that a spec may have without speaking of what is done with them.
var plainWords = setOf(strings.Fields(`true false none null nil self test tests assert with from import expect raises error errors value values string list func function const
	return number name given when then that this each range type equal`))

// Limits of what is tried to tell an answer from a computation.
const (
	fewAnswers = 3 // different ones that a function has given, with the one for everything else
	fewOthers  = 5 // inputs that nobody asked for
)

// answered is what a function gives to what it is asked for by the spec and the tests.
type answered struct {
	calls    []example.Example // that come to a value
	values   map[string]bool
	stated   map[string]bool // by examples of the spec
	reserved map[string]bool // what the spec has examples for, and tests where there is no answer: anything else may give it, too
	others   map[string]bool // what it gives to inputs that nobody asked for
	tried    []string        // these
}

// answersOnly finds functions that answer what they are asked for by the spec and the tests, and give one and the same for everything
// else: they compute nothing. Answers that stand in the spec are its own table.
func (u *user) answersOnly(ctx context.Context, all []example.Example, given []example.Outcome) ([]step.Finding, error) {
	byName := map[string]*answered{}
	for i, e := range all {
		a, o := byName[e.Symbol()], given[i]
		if a == nil {
			a = &answered{values: map[string]bool{}, stated: map[string]bool{}, reserved: map[string]bool{}, others: map[string]bool{}}
			byName[e.Symbol()] = a
		}
		if o.Value != nil {
			a.calls, a.values[o.Given()] = append(a.calls, e), true
		}
		if e.Test == "" {
			a.stated[o.Given()] = true
		}
		if o.Error != nil || string(o.Value) == "null" || e.Test == "" {
			a.reserved[o.Given()] = true
		}
	}
	names := slices.Sorted(maps.Keys(byName))
	var others []example.Example
	for _, name := range names {
		if a := byName[name]; len(a.values) >= fewAnswers-1 && u.mayCopy(a, "") {
			others = append(others, example.Others(a.calls)...)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	got, err := u.try(ctx, others, true)
	if err != nil {
		return nil, err
	}
	for i, o := range got {
		a := byName[others[i].Symbol()]
		refused := o.Error != nil || o.Given() == "NaN" // as a text that nobody would write is
		if o.Cannot == "" && !a.reserved[o.Given()] && (!refused || !others[i].Has(example.String)) {
			a.others[o.Given()] = true
			a.tried = append(a.tried, others[i].Calls())
		}
	}
	for _, name := range names {
		a := byName[name]
		if len(a.others) != 1 || len(a.tried) < fewOthers {
			continue
		}
		for other := range a.others {
			if a.values[other] = true; len(a.values) < fewAnswers || !u.mayCopy(a, other) {
				continue
			}
			return []step.Finding{reject("answer-table", u.m.Dir, 0, fmt.Sprintf(
				"%s gives the expected results of the spec and the tests, such as %s, but %s for every other input tried: %s, …. Compute the result for every input. If this table is part of the spec, put it in Domain Context or Protocol.",
				name, a.calls[0].String(), other, strings.Join(a.tried[:min(3, len(a.tried))], ", ")))}, nil
		}
	}
	return nil, nil
}

// emptyWord is what people say of a text without characters.
var emptyWord = re.New(`(?i)\b(empty|blank|nothing)\b|빈 `)

// requested reports whether a request says what the module does: it has no spec.
func (m Module) requested() bool { return m.Spec == "" }

// mayCopy reports whether a function gives answers, but the one for everything else, that the spec does not state. A spec has a place for
// tables of its own. A request has none: there examples are one, where it says what everything else gives.
func (u *user) mayCopy(a *answered, other string) bool {
	says := func(text string) bool { return strings.Contains(u.m.SpecText, strings.Trim(text, `"`)) }
	table := u.m.requested() && other != "" && (hasWord(u.m.SpecText, strings.Trim(other, `"`)) || other == `""` && emptyWord().MatchString(u.m.SpecText))
	return slices.ContainsFunc(slices.Collect(maps.Keys(a.values)), func(text string) bool {
		return !says(text) && (!table || !a.stated[text]) && text != other
	})
}

// Limits of what counts as an input that code has no reason to know.
const (
	fewInputs  = 3
	plainText  = 5 // shorter texts and smaller numbers stand in any code
	plainValue = 1000
	manyShort  = 5 // short texts that are all inputs of tests stand in no code by chance
)

// recites finds sources whose literals are inputs of the tests that the spec does not have, and hardly anything else: yes and no can be
// recited, too.
func (u *user) recites(asked []example.Example) []step.Finding {
	long, short := map[string]bool{}, map[string]bool{}
	for _, e := range asked {
		for _, in := range e.Inputs() {
			switch {
			case strings.Contains(u.m.Said, in):
			case telling(in):
				long[in], short[in] = true, true
			case len(in) > 1:
				short[in] = true
			}
		}
	}
	for _, f := range u.sources() {
		found, line := u.named(f, long, telling, strings.Contains)
		if len(found) < fewInputs {
			words := func(s string) bool { return s != "" }
			if found, line = u.named(f, short, words, hasWord); len(found) < manyShort || 5*len(found) < 4*len(short) {
				continue
			}
		}
		return []step.Finding{reject("answer-table", f.path, line, fmt.Sprintf(
			"The code contains the inputs of the tests (%s). Compute the result for every input. If this table is part of the spec, put it in Domain Context or Protocol.",
			strings.Join(slices.Sorted(maps.Keys(found))[:fewInputs], ", ")))}
	}
	return nil
}

// named are the inputs that the literals of a source name, with the last line where they do; none if at least half as many of the literals
// that count name none.
func (u *user) named(f sourceFile, inputs map[string]bool, counts func(string) bool, names func(text, input string) bool) (found map[string]bool, line int) {
	found, others := map[string]bool{}, 0
	for _, t := range f.code() {
		if t.Kind != source.String && t.Kind != source.Number || !counts(t.Value()) || docstring(f.path, t) || strings.Contains(u.m.Said, t.Value()) {
			continue
		}
		known := false
		for in := range inputs {
			if names(t.Value(), in) {
				known, found[in], line = true, true, max(line, t.Line)
			}
		}
		if !known {
			others++
		}
	}
	if len(found) < 2*others {
		return nil, 0
	}
	return found, line
}

// telling reports whether a literal is one that stands in code for a reason of its own.
func telling(literal string) bool {
	if n, err := strconv.ParseFloat(literal, 64); err == nil && len(literal) < 8 {
		return n >= plainValue && n != 1024 || n <= -plainValue
	}
	return len(literal) >= plainText
}

var (
	// stagedText is a text in what a test does before it calls, stagedName what it assigns to, stagedState what everybody can see.
	stagedText  = re.New("\"([^\"\\n]{3,})\"|'([^'\\n]{3,})'|`([^`]{3,})`")
	stagedName  = re.New(`\b(?:[A-Za-z_][\w.]*)\.([A-Za-z_]\w{2,})\s*(?:=[^=]|\+\+|\.Store\()`)
	stagedState = re.New(`\b(os|sys|random|rand|threading|gc|builtins|locale|signal|runtime|debug|flag|process|globalThis)\.(?:\w+\.)*(?:(?i:set\w*|put\w*|unset\w*|seed\w*|chdir|environ|env|argv|args|gomaxprocs)\b|\w+\s*=[^=])`)
	ownState    = re.New(`\b(?:self|this|cls|tt|tc)\.`)
	environment = re.New(`^(Getenv|LookupEnv|Environ|ExpandEnv|environ|environb|getenv|Args|argv|Getwd|getcwd|env|cwd)$`)
)

// shares finds what tests set before they call the code, the code reads, and the spec does not have: an agreement of two authors.
func (u *user) shares(asked []example.Example) []step.Finding {
	staged := map[string]bool{}
	for _, e := range asked {
		if e.After == "" || u.m.speaksOf(e.After) {
			continue
		}
		after := ownState().ReplaceAllString(e.After, "")
		for _, x := range []*regexp.Regexp{stagedText(), stagedName(), stagedState()} {
			for _, m := range x.FindAllStringSubmatch(after, -1) {
				if word := strings.Join(m[1:], ""); !hasWord(u.m.Said, word) {
					staged[word] = true
				}
			}
		}
	}
	if len(staged) == 0 {
		return nil
	}
	for _, f := range u.sources() {
		code := f.code()
		for i, t := range code {
			used := t.Kind == source.Ident
			if stagedState().MatchString(t.Text + ".set(") { // what everybody may use, and only some of it says where the code runs
				used = i+2 < len(code) && code[i+1].Text == "." && ((t.Text != "os" && t.Text != "process") || environment().MatchString(code[i+2].Text))
			}
			if !staged[t.Value()] || !used && t.Kind != source.String {
				continue
			}
			return []step.Finding{reject("test-detection", f.path, t.Line, fmt.Sprintf(
				"Tests use %s to set something up before they call the code, the code reads it, and the spec does not mention it. Code must behave the same with and without tests.", t.Value()))}
		}
	}
	return nil
}
