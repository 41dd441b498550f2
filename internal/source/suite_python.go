package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

func isPythonTestName(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "tests.py" || base == "conftest.py"
}

// tests finds the tests: functions test* of the module and methods test* of classes.
func (p *pyFile) tests() {
	p.findObjects()
	for range 2 { // helpers may call helpers
		for _, fn := range p.f.Funcs {
			l := p.lineAt(fn.Off)
			var t Test
			p.body(&t, l+1, p.end(l, len(p.lines)), false)
			name := fn.Name[strings.LastIndexByte(fn.Name, '.')+1:]
			p.helpers[name] = Test{Asserts: max(p.helpers[name].Asserts, t.Asserts), Trivial: max(p.helpers[name].Trivial, t.Trivial)}
		}
	}
	var module pyMark
	for l := range p.lines {
		ts := p.toks(l)
		if p.lines[l].indent != 0 {
			continue
		}
		text := render(ts)
		if isWord(ts[0], "pytestmark") && skipMark().MatchString(text) && !maySkip(text) || moduleLevelSkip(text) {
			module = pyMark{ts[0].Line, mayFail().MatchString(text)}
		}
	}
	p.testsIn(0, len(p.lines), "", module)
}

// findObjects finds the classes of the file and names for what is of them: b of b = Bench(), and what fixtures are called.
func (p *pyFile) findObjects() {
	for _, fn := range p.f.Funcs {
		if class, _, ok := strings.Cut(fn.Name, "."); ok {
			p.classes[class] = true
		} else {
			p.objects[fn.Name] = true
		}
	}
	for i := range max(0, len(p.ts)-3) {
		if p.ts[i].Kind == Ident && isPunct(p.ts[i+1], "=") && p.classes[p.ts[i+2].Text] && isPunct(p.ts[i+3], "(") {
			p.objects[p.ts[i].Text] = true
		}
	}
}

// own reports whether what ends at i is the object of a test, or one of a class of the file.
func (p *pyFile) own(ts []Token, i int) bool {
	switch {
	case i < 0:
		return false
	case isPunct(ts[i], ")"):
		i = opening(ts, i) - 1
		return i >= 0 && (p.classes[ts[i].Text] || p.objects[ts[i].Text])
	}
	return isWord(ts[i], "self") || p.objects[ts[i].Text]
}

// pyMark is a mark in a line with which tests are skipped, or run and need not pass.
type pyMark struct {
	line  int
	fails bool
}

func moduleLevelSkip(text string) bool {
	return strings.HasPrefix(text, "pytest.skip(") || strings.HasPrefix(text, "raise unittest.SkipTest") ||
		strings.HasPrefix(text, "raise SkipTest")
}

// maySkip reports whether a mark depends on something that is known when the test runs: the machine, or a value that has a name. Whether
// the test ran is then seen where it was run.
func maySkip(text string) bool {
	if strings.Contains(text, "xfail(") {
		return platform().MatchString(text)
	}
	m := conditionalMark().FindStringSubmatch(text)
	if m == nil || strings.ContainsAny(m[1], `"'`) && !platform().MatchString(text) {
		return false
	}
	return slices.ContainsFunc(variable().FindAllString(m[1], -1), func(word string) bool {
		return !slices.Contains([]string{"True", "False", "None", "not", "and", "or", "is", "in"}, word)
	})
}

func (p *pyFile) testsIn(from, to int, class string, outer pyMark) {
	mark, may, rows := outer, false, [2]int{}
	for l := from; l < to; l++ {
		ts := p.toks(l)
		if isPunct(ts[0], "@") {
			rows = [2]int{cmp.Or(rows[0], ts[0].Off), ts[len(ts)-1].End}
			text := render(ts)
			may = may || maySkip(text)
			if skipMark().MatchString(text) && !maySkip(text) && mark == outer {
				mark = pyMark{ts[0].Line, mayFail().MatchString(text)}
			}
			continue
		}
		kind, name := header(ts)
		end := l + 1
		switch {
		case kind == "class" && (strings.HasPrefix(name, "Test") || strings.Contains(render(ts), "TestCase")):
			end = p.end(l, to)
			p.testsIn(l+1, end, inside(class, name), mark)
		case kind == "def":
			end = p.end(l, to)
			if strings.HasPrefix(name, "test") {
				p.test(l, end, class, name, mark, may)
				p.f.Tests[len(p.f.Tests)-1].Rows = rows
			}
		case kind != "":
			end = p.end(l, to)
		}
		mark, may, rows, l = outer, false, [2]int{}, end-1
	}
}

func (p *pyFile) test(l, end int, class, name string, mark pyMark, maySkip bool) {
	last := p.ts[p.lines[end-1].to-1]
	first := p.toks(l)[0]
	colon := headerEnd(p.ts, p.lines[l].from)
	t := Test{Name: inside(class, name), Line: first.Line, End: last.Line, Off: first.Off, Stop: last.End, MaySkip: maySkip}
	if colon > 0 {
		t.Off = p.ts[colon].End
	}
	if colon > 0 && colon+1 < p.lines[l].to { // def test(): assert x
		p.statement(&t, p.ts[colon+1:p.lines[l].to], false)
	}
	p.body(&t, l+1, end, false)
	if mark.line > 0 {
		t.Fails = mark.fails && !t.Skipped
		t.Skipped, t.SkipLine = true, mark.line
	}
	p.f.Tests = append(p.f.Tests, t)
}

// body walks the logical lines of a block.
func (p *pyFile) body(t *Test, from, to int, trivial bool) {
	if from >= to {
		return
	}
	level := p.lines[from].indent
	for l := from; l < to; l++ {
		ts := p.toks(l)
		head := render(ts)
		hidden := trivial
		switch kind, _ := header(ts); {
		case isWord(ts[0], "return") && p.lines[l].indent == level:
			p.statement(t, ts, trivial)
			return
		case head == "if False:" || head == "if 0:" || head == "if not True:" || head == "while False:" || suppresses().MatchString(head):
			hidden = true
		case head == "try:":
			hidden = trivial || p.swallows(p.end(l, to), to)
		case isWord(ts[0], "if") && platform().MatchString(head) && p.conditionalSkip(l, to):
			t.MaySkip = true
			l = p.end(l, to) - 1
			continue
		case kind == "":
			p.statement(t, ts, trivial)
			continue
		}
		end := p.end(l, to)
		p.body(t, l+1, end, hidden)
		l = end - 1
	}
}

// suppresses finds a block in which a failed assertion is none.
var suppresses = re.New(`^with (?:contextlib\.)?suppress\([^)]*\b(?:AssertionError|Exception|BaseException)\b`)

func (p *pyFile) conditionalSkip(l, to int) bool {
	for k := l + 1; k < p.end(l, to); k++ {
		if text := render(p.toks(k)); strings.HasPrefix(text, "pytest.skip(") || strings.HasPrefix(text, "self.skipTest(") {
			return true
		}
	}
	return false
}

// swallows reports whether the except clauses that begin at line l hide a failed assertion.
func (p *pyFile) swallows(l, to int) bool {
	for l < to && isWord(p.toks(l)[0], "except") {
		head := render(p.toks(l))
		end := p.end(l, to)
		wide := strings.HasPrefix(head, "except:") || strings.Contains(head, "Exception") || strings.Contains(head, "AssertionError")
		body := ""
		for k := l + 1; k < end; k++ {
			body += render(p.toks(k)) + ";"
		}
		if end == l+1 {
			_, body, _ = strings.Cut(head, ":")
			body += ";"
		}
		if wide && (body == "pass;" || body == "...;" || body == "return;" || body == "continue;") {
			return true
		}
		l = end
	}
	return false
}

// statement looks for assertions and skips in one logical line.
func (p *pyFile) statement(t *Test, ts []Token, trivial bool) {
	count := func(real bool) { t.count(real && !trivial) }
	if isWord(ts[0], "assert") {
		count(!trivialPython(ts[1:]))
		return
	}
	if text := render(ts); strings.HasPrefix(text, "raise AssertionError") {
		count(true)
		return
	}
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].Kind != Ident || !isPunct(ts[i+1], "(") {
			continue
		}
		dotted := i > 0 && isPunct(ts[i-1], ".")
		args := splitArgs(ts[i+2 : max(i+2, min(closing(ts, i+1), len(ts)))])
		name := ts[i].Text
		helper, known := p.helpers[name]
		switch {
		case dotted && name == "skip" && isWord(ts[max(i-2, 0)], "pytest"), name == "skipTest", name == "importorskip", name == "SkipTest":
			if name != "importorskip" {
				t.skip(ts[i].Line)
			}
		case name == "raises" || name == "warns" || name == "fail" && dotted || name == "assertRaises":
			count(true)
		case dotted && strings.HasPrefix(name, "assert"):
			count(!isWord(ts[max(i-2, 0)], "self") || !comparing().MatchString(name) || !trivialCall(args)) // one of a project may render, or run, what it is given
		case helper.Asserts > 0 && (!dotted || p.own(ts, i-2)), !known && checkerName().MatchString(name):
			count(true)
		}
	}
}

// comparing are the assertions of unittest that look at nothing but what they are given.
var comparing = re.New(`^assert(?:(?:Not)?Equals?|True|False|Is(?:Not)?(?:None|Instance)?|NotIsInstance|(?:Not)?In|(?:Not)?AlmostEqual|(?:Greater|Less)(?:Equal)?|(?:MultiLine|Sequence|List|Tuple|Set|Dict|Count)Equal|(?:Not)?Regex)$`)

func trivialCall(args [][]Token) bool {
	if len(args) == 0 {
		return false
	}
	if len(args) >= 2 && sameText(args[0], args[1]) && !hasCallTokens(args[0]) {
		return true
	}
	return literal(args[0]) && (len(args) == 1 || literal(args[1]))
}

// trivialPython reports whether the expression of an assert statement is always true.
func trivialPython(ts []Token) bool {
	parts := splitArgs(ts)
	if len(parts) == 0 || len(parts[0]) == 0 { // which does not parse
		return false
	}
	expr := parts[0]
	if isPunct(expr[0], "(") && closing(expr, 0) == len(expr)-1 {
		if inner := splitArgs(expr[1 : len(expr)-1]); len(inner) > 1 {
			return true // a tuple is true
		}
		return trivialPython(expr[1 : len(expr)-1])
	}
	switch render(expr) {
	case "False", "0", "None", "not True":
		return false
	}
	if literal(expr) {
		return true
	}
	if i := atLevel(expr, "or"); i >= 0 {
		return trivialPython(expr[:i]) || trivialPython(expr[i+1:])
	}
	if i := atLevel(expr, "and"); i >= 0 {
		return trivialPython(expr[:i]) && trivialPython(expr[i+1:])
	}
	for _, op := range []string{"==", ">=", "<=", "is"} {
		if i := atLevel(expr, op); i >= 0 {
			return sameText(expr[:i], expr[i+1:]) && !hasCallTokens(expr[:i])
		}
	}
	return false
}

var (
	skipMark = re.New(`\b(mark\.(skip|skipif|xfail)|unittest\.(skip|skipIf|skipUnless|expectedFailure)|^@(skip|skipIf|skipUnless|expectedFailure))\b`)
	mayFail  = re.New(`\bmark\.xfail\b|\bexpectedFailure\b`)
	platform = re.New(`sys\.platform|sys\.version|platform\.|os\.name|shutil\.which|hasattr\((os|socket|signal)|os\.getuid|os\.geteuid`)
)

var (
	conditionalMark = re.New(`skip(?:if|If|Unless)\(([^,)]*)`)
	variable        = re.New(`[A-Za-z_]\w*`)
)
