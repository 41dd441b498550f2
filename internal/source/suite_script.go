package source

import (
	"cmp"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// suiteMarks are what a test takes over from the suites around it.
type suiteMarks struct {
	skipped, fails, only bool
	open, may            bool
	skipLine             int
	onlyLine             int
	rows                 [2]int
}

func (m *suiteMarks) mark(skip, only bool, line int) {
	if skip {
		m.skipped = true
		m.skipLine = cmp.Or(m.skipLine, line)
	}
	if only {
		m.only = true
		m.onlyLine = cmp.Or(m.onlyLine, line)
	}
}

// option takes one of those that a call has, which is not false.
func (m *suiteMarks) option(opt []Token) {
	is := func(name string) bool { return isWord(opt[0], name) }
	if is("ignore") && environmentalScript(render(opt[2:])) {
		m.may = true
		return
	}
	m.fails = m.fails || is("fails")
	m.mark(is("skip") || is("ignore") || is("todo") || is("fails"), is("only"), opt[0].Line)
}

func suiteName(w string) bool {
	switch w {
	case "describe", "suite", "context", "xdescribe", "fdescribe":
		return true
	}
	return false
}

func caseName(w string) bool {
	switch w {
	case "it", "test", "xit", "xtest", "fit", "specify":
		return true
	}
	return false
}

// tests finds calls of describe and it between two tokens.
func (s *scriptFile) tests(from, to int, names []string, marks suiteMarks) {
	for i := from; i < to; i++ {
		if !s.begins(i) {
			continue
		}
		end := s.testCall(i, names, marks)
		if end > i {
			i = end
		}
	}
}

// begins reports whether the word at i is that of a suite or a test.
func (s *scriptFile) begins(i int) bool {
	t, method := s.ts[i], s.punct(i-1, ".")
	switch {
	case t.Kind != Ident:
		return false
	case t.Text == "step": // of Deno
		return method && s.given(i-2)
	case method:
		return t.Text == "test" && (s.word(i-2, "t") || s.word(i-2, "Deno"))
	}
	return suiteName(t.Text) || caseName(t.Text)
}

// testCall reads one call and gives its last token, or i when it is none.
func (s *scriptFile) testCall(i int, names []string, m suiteMarks) int {
	word := s.at(i).Text
	suite := suiteName(word)
	m.mark(strings.HasPrefix(word, "x"), word == "fit" || word == "fdescribe", s.at(i).Line)
	todo := false
	j := i + 1
	for s.punct(j, ".") && s.at(j+1).Kind == Ident {
		switch s.at(j + 1).Text {
		case "skip", "ignore", "fails", "failing":
			m.mark(true, false, s.at(j+1).Line)
			m.fails = m.fails || s.at(j + 1).Text[0] == 'f'
		case "skipIf", "runIf":
			if s.punct(j+2, "(") {
				end := closing(s.ts, j+2)
				if environmentalScript(render(s.cut(j+2, end))) {
					m.may = true
				} else {
					m.mark(true, false, s.at(j+1).Line)
				}
				j = end - 1
			}
		case "todo":
			todo = true
			m.mark(true, false, s.at(j+1).Line)
		case "only":
			m.mark(false, true, s.at(j+1).Line)
		case "each", "for":
			m.open = true
			m.rows[0] = s.at(j + 2).Off
			if s.punct(j+2, "(") {
				j = closing(s.ts, j+2) - 1
			} else {
				j = s.templateEnd(j+2) - 2
			}
			m.rows[1] = s.at(min(j+1, len(s.ts)-1)).End
		case "concurrent", "sequential", "serial", "parallel", "shuffle", "step", "extend", "bind":
		default:
			return i // a method of something that has this name
		}
		j += 2
	}
	if !s.punct(j, "(") {
		return i
	}
	end := min(closing(s.ts, j), len(s.ts)-1)
	title, open, next := s.title(j + 1)
	m.open = m.open || open
	if title == "" && !open {
		return i
	}
	for _, arg := range splitArgs(s.cut(next, end)) {
		if len(arg) == 0 || !isPunct(arg[0], "{") {
			continue
		}
		for _, opt := range splitArgs(arg[1:max(1, len(arg)-1)]) {
			if len(opt) >= 3 && !isWord(opt[2], "false") {
				m.option(opt)
			}
		}
	}
	path := append(append([]string{}, names...), title)
	if suite {
		s.tests(next, end, path, m)
		return end
	}
	t := Test{
		Name: strings.Join(path, " > "), Open: m.open, Line: s.at(i).Line, End: s.at(end).Line, Off: s.at(j).End, Stop: s.at(end).Off, Rows: m.rows,
		MaySkip: m.may, Skipped: m.skipped, Fails: m.fails, SkipLine: m.skipLine, Only: m.only, OnlyLine: m.onlyLine,
	}
	if !todo {
		s.param = s.parameter(next, end)
		s.assertions(&t, next, end)
	}
	s.f.Tests = append(s.f.Tests, t)
	s.tests(next, end, path, m) // t.test inside
	return end
}

func environmentalScript(text string) bool {
	return strings.Contains(text, "process.platform") || strings.Contains(text, "process.version") ||
		strings.Contains(text, "os.platform") || strings.Contains(text, "Deno.build") || strings.Contains(text, "process.getuid")
}

// templateEnd gives the token after the template that begins at i.
func (s *scriptFile) templateEnd(i int) int {
	for i < len(s.ts) {
		switch {
		case s.punct(i, "${"):
			i = closing(s.ts, i) + 1
		case s.at(i).Kind != String:
			return i
		case !s.punct(i+1, "${"):
			return i + 1
		default:
			i++
		}
	}
	return i
}

// title reads the first argument: a string, or a template whose code parts become holes.
func (s *scriptFile) title(i int) (title string, open bool, next int) {
	if name := s.named(i); name != "" {
		return name, false, i
	}
	if s.at(i).Kind != String {
		depth := 0
		for k := i; k < len(s.ts); k++ {
			if depth += nesting(s.ts[k]); depth < 0 {
				return "", false, i
			}
			if depth == 0 && s.punct(k, ",") {
				return "${x}", true, k
			}
		}
		return "", false, i
	}
	text := s.at(i).Text
	if !strings.HasPrefix(text, "`") {
		title = unescape(s.at(i).Value())
		if !s.punct(i+1, "+") {
			return title, false, i + 1
		}
		for next = i + 1; next < len(s.ts) && !s.punct(next, ","); next++ { // what is added is known when it runs
			if s.punct(next, "(") || s.punct(next, "[") || s.punct(next, "{") {
				next = closing(s.ts, next)
			}
		}
		return title + "${x}", true, next
	}
	var b strings.Builder
	for s.at(i).Kind == String {
		part := strings.TrimPrefix(s.at(i).Text, "`")
		done := strings.HasSuffix(part, "`")
		b.WriteString(strings.TrimSuffix(part, "`"))
		if done || !s.punct(i+1, "${") {
			return b.String(), open, i + 1
		}
		open = true
		b.WriteString("${x}")
		i = closing(s.ts, i+1) + 1
	}
	return b.String(), open, i
}

// named is the title that the first argument says by a name among options, as Deno takes them, or as that of a function; "" where it is none.
func (s *scriptFile) named(i int) string {
	if s.word(i, "async") {
		i++
	}
	switch {
	case s.word(i, "function") && s.at(i+1).Kind == Ident:
		return s.at(i + 1).Text
	case s.punct(i, "{"):
		for _, opt := range splitArgs(s.cut(i+1, closing(s.ts, i))) {
			if len(opt) == 3 && isWord(opt[0], "name") && opt[2].Kind == String {
				return unescape(opt[2].Value())
			}
		}
	}
	return ""
}

// unescape resolves the escapes that titles of tests have.
func unescape(s string) string {
	return strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`, "\\`", "`", `\n`, "\n", `\t`, "\t").Replace(s)
}

// assertions counts what can fail between two tokens of a test's body.
func (s *scriptFile) assertions(t *Test, from, to int) {
	depth, bodyDepth := 0, -1
	trivialUntil, environmentUntil := -1, -1
	for i := from; i < to; i++ {
		tok := s.ts[i]
		depth += nesting(tok)
		switch {
		case isPunct(tok, "{") && bodyDepth < 0 && (s.punct(i-1, "=>") || s.punct(i-1, ")")):
			bodyDepth = depth
			continue
		case tok.Kind != Ident || s.punct(i-1, ".") && tok.Text != "should" && !s.context(i) && !s.method(i):
			continue
		}
		switch {
		case tok.Text == "return" && depth == bodyDepth && i+1 < to && (s.punct(i+1, ";") || s.at(i+1).Line > tok.Line):
			return
		case tok.Text == "if" && s.punct(i+1, "("):
			end := closing(s.ts, i+1)
			if end >= to {
				break
			}
			if cond := render(s.cut(i+2, end)); cond == "false" {
				trivialUntil = max(trivialUntil, s.blockOf(end+1))
			} else if environmentalScript(cond) {
				environmentUntil = max(environmentUntil, s.blockOf(end+1))
			}
		case tok.Text == "try" && s.punct(i+1, "{") && s.swallows(closing(s.ts, i+1)+1):
			trivialUntil = max(trivialUntil, closing(s.ts, i+1))
		}
		switch {
		case !s.skipCall(i):
		case i < environmentUntil:
			t.MaySkip = true
		default:
			t.skip(tok.Line)
		}
		if real, is := s.assertion(i); is {
			t.count(real && i > trivialUntil)
		}
	}
}

// context reports whether the word at i follows t. of node:test, AVA and tap, ctx. of vitest, or this. of mocha.
func (s *scriptFile) context(i int) bool {
	return s.punct(i-1, ".") && (s.given(i-2) || s.word(i-2, "this") || s.word(i-2, "ctx") || s.word(i-2, "context"))
}

// given reports whether the word at i is what a test is given, by its usual name or the one it has here.
func (s *scriptFile) given(i int) bool { return s.word(i, "t") || s.param != "" && s.word(i, s.param) }

// parameter is the name of what the function of a test between two tokens is given, "" for none.
func (s *scriptFile) parameter(from, to int) string {
	for i := from; i < to; i++ {
		switch {
		case isPunct(s.ts[i], "{"), isPunct(s.ts[i], "["): // options
			i = closing(s.ts, i)
		case s.ts[i].Kind == Ident && s.punct(i+1, "=>"):
			return s.ts[i].Text
		case isPunct(s.ts[i], "("):
			if s.at(i+1).Kind == Ident {
				return s.at(i + 1).Text
			}
			return ""
		}
	}
	return ""
}

// contextAssert are the assertions that are methods of what a test is given: those of AVA (its docs, "Assertions"), node-tap ("Asserts")
// and tape.
var contextAssert = re.New("^(?:" + strings.ReplaceAll("fail truthy falsy true false is not deepEqual notDeepEqual like throws throwsAsync notThrows notThrowsAsync regex notRegex snapshot "+
	"ok notOk equal notEqual same notSame strictSame strictNotSame match notMatch has notHas hasStrict hasOnly hasProp hasOwnProp hasProps type rejects resolves resolveMatch "+
	"doesNotThrow doesNotReject matchSnapshot resolveMatchSnapshot emits error ifError looseEqual notLooseEqual deepLooseEqual notDeepLooseEqual strictEqual notStrictEqual "+
	"deepStrictEqual doesNotMatch equals isEqual", " ", "|") + ")$")

// findObjects finds names for what is of a class of the file: b of b = new Bench().
func (s *scriptFile) findObjects() {
	classes := map[string]bool{}
	for _, fn := range s.f.Funcs {
		if class, _, ok := strings.Cut(fn.Name, "."); ok {
			classes[class] = true
		}
	}
	for i := range s.ts {
		if s.word(i, "new") && classes[s.at(i+1).Text] && s.punct(i-1, "=") && s.at(i-2).Kind == Ident {
			s.objects[s.at(i-2).Text] = true
		}
	}
}

// own reports whether the word at i is a method of an object of a class of the file.
func (s *scriptFile) own(i int) bool {
	if !s.punct(i-1, ".") || !s.punct(i+1, "(") {
		return false
	}
	if s.punct(i-2, ")") {
		return s.word(opening(s.ts, i-2)-2, "new")
	}
	return s.word(i-2, "this") || s.objects[s.at(i-2).Text]
}

// method reports whether the word at i is a method of the file that asserts, or one whose name says that it checks something:
// server.expectCalls(), or request(app).get('/').expect(200) of supertest.
func (s *scriptFile) method(i int) bool {
	return s.own(i) && s.methods[s.at(i).Text].Asserts > 0 || s.punct(i-1, ".") && s.punct(i+1, "(") && strings.HasPrefix(s.at(i).Text, "expect") && (len(s.at(i).Text) > len("expect") || s.chained(i))
}

// chained reports whether the word at i is called with something on what a call has given.
func (s *scriptFile) chained(i int) bool {
	return s.punct(i-1, ".") && s.punct(i-2, ")") && s.punct(i+1, "(") && !s.punct(i+2, ")")
}

func (s *scriptFile) skipCall(i int) bool {
	return s.word(i, "skip") && s.punct(i+1, "(") && s.context(i) || s.word(i, "pending") && s.punct(i+1, "(")
}

func (s *scriptFile) blockOf(i int) int {
	if s.punct(i, "{") {
		return closing(s.ts, i)
	}
	return s.statementEnd(i)
}

// swallows reports whether the catch at i is empty, and no finally or rethrow follows.
func (s *scriptFile) swallows(i int) bool {
	if !s.word(i, "catch") {
		return false
	}
	i++
	if s.punct(i, "(") {
		i = closing(s.ts, i) + 1
	}
	return s.punct(i, "{") && s.punct(i+1, "}")
}

// assertion reports whether the word at i asserts something, and whether that can fail.
func (s *scriptFile) assertion(i int) (real, is bool) {
	t := s.at(i)
	switch {
	case t.Text == "expect" && s.chained(i):
		return true, true
	case t.Text == "expect" || t.Text == "expectTypeOf" || t.Text == "assertType":
		if s.punct(i+1, ".") && s.punct(i+3, "(") { // expect.fail(), expect.soft()
			switch s.at(i + 2).Text {
			case "fail", "unreachable":
				return true, true
			case "soft", "poll", "element":
				return s.matcher(i + 3)
			}
			return false, false
		}
		if !s.punct(i+1, "(") && !s.punct(i+1, "<") {
			return false, false
		}
		return s.matcher(i + 1)
	case t.Text == "assert" || t.Text == "should" && s.punct(i-1, "."):
		j := i + 1
		for s.punct(j, ".") && s.at(j+1).Kind == Ident {
			j += 2
		}
		if t.Text == "should" {
			return true, true
		}
		if !s.punct(j, "(") {
			return false, false
		}
		end := closing(s.ts, j)
		return !trivialCall(splitArgs(s.cut(j+1, min(end, len(s.ts))))), true
	}
	if s.punct(i+1, "(") && s.punct(i-1, ".") && s.given(i-2) && !s.punct(i-3, ".") {
		switch {
		case contextAssert().MatchString(t.Text):
			return !trivialCall(splitArgs(s.cut(i+2, closing(s.ts, i+1)))), true
		case t.Text == "pass":
			return false, true
		}
	}
	if !s.punct(i+1, "(") || s.punct(i-1, ".") && !s.method(i) {
		return false, false
	}
	if s.own(i) {
		return true, s.methods[t.Text].Asserts > 0 || checkerName().MatchString(t.Text)
	}
	if helper, local := s.helpers[t.Text]; local {
		return true, helper.Asserts > 0
	}
	if s.imported[t.Text] {
		return !trivialCall(splitArgs(s.cut(i+2, closing(s.ts, i+1)))), true
	}
	return true, checkerName().MatchString(t.Text)
}

// matcher reads (value).not.toBe(want) whose first bracket is at i.
func (s *scriptFile) matcher(i int) (real, is bool) {
	for i < len(s.ts) && !s.punct(i, "(") {
		i++
	}
	end := closing(s.ts, i)
	value := s.cut(i+1, end)
	j := end + 1
	last := ""
	for s.punct(j, ".") && s.at(j+1).Kind == Ident {
		last = s.at(j + 1).Text
		j += 2
	}
	if s.punct(j, "<") { // a type argument
		for j < len(s.ts) && !s.punct(j, "(") {
			j++
		}
	}
	if !s.punct(j, "(") {
		// chai's expect(x).to.be.true is an assertion without a call.
		switch last {
		case "true", "false", "null", "undefined", "ok", "empty", "exist", "NaN":
			return !literal(value), true
		}
		return false, false
	}
	want := s.cut(j+1, min(closing(s.ts, j), len(s.ts)))
	if literal(value) && (len(want) == 0 || literal(want)) {
		return false, true
	}
	if sameText(value, want) && !hasCallTokens(value) {
		return false, true
	}
	return true, true
}
