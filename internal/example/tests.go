package example

import (
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
)

// InTests finds the examples in a file of tests: what its tests say of calls with literals. A test is read statement by statement,
// loops over literal tables gone through. What is not understood, and what runs before each test, is kept as what the later ones come
// after.
func InTests(file string, src []byte) []Example {
	f := source.Parse(file, src)
	if f.Lang == source.Go {
		return inGoTests(file, src, f)
	}
	code := source.Code(f.Tokens)
	prepared := slices.ContainsFunc(code, func(t source.Token) bool { return prepares[t.Text] && t.Kind == source.Ident })
	before := ""
	if prepared {
		before = around(f, code)
	}
	var out []Example
	for _, t := range f.Tests {
		if t.Skipped {
			continue
		}
		r := &reader{file: file, src: src, lang: f.Lang, test: t, local: map[string]bool{}, env: map[string]Value{}, calls: map[string][]Link{}}
		r.later(before)
		from := slices.IndexFunc(code, func(x source.Token) bool { return x.Off >= t.Off })
		to := len(code)
		if i := slices.IndexFunc(code, func(x source.Token) bool { return x.Off >= t.Stop }); i >= 0 {
			to = i
		}
		if from < 0 || from >= to {
			continue
		}
		switch f.Lang {
		case source.Python:
			r.pythonHead(code[:from])
			r.pythonTest(code[from:to])
		case source.TypeScript, source.JavaScript:
			r.nodeTest(code[from:to])
		case source.Java, source.Kotlin:
			r.jvmTest(code[from:to])
		case source.Rust:
			r.rustTest(code[from:to])
		}
		out = append(out, r.settled()...)
	}
	return out
}

// around is what stands in a file of tests beside them and its imports.
func around(f source.File, code []source.Token) string {
	var b strings.Builder
	for _, t := range code {
		in := slices.ContainsFunc(f.Tests, func(x source.Test) bool { return t.Line >= x.Line && t.Off < x.Stop })
		if in || slices.ContainsFunc(f.Imports, func(i source.Import) bool { return i.Line == t.Line }) {
			continue
		}
		if b.Len() > 0 && t.Text != "." && t.Text != "(" && !strings.HasSuffix(b.String(), ".") {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// prepares are the names of what runs before tests, or stands in for what they call.
var prepares = map[string]bool{
	"setUp": true, "setUpClass": true, "setUpModule": true, "setup_method": true, "setup_function": true, "setup_module": true, "setup_class": true, "autouse": true,
	"patch": true, "beforeEach": true, "beforeAll": true, "before": true, "mock": true, "doMock": true, "useFakeTimers": true,
	"BeforeEach": true, "BeforeAll": true, "Before": true, "BeforeClass": true, "BeforeMethod": true, "BeforeSuite": true, "BeforeTest": true, "Rule": true, "ClassRule": true,
	"ExtendWith": true, "RegisterExtension": true, "Mock": true, "extends": true, "init": true,
}

// reader reads one test.
type reader struct {
	file  string
	src   []byte
	lang  string
	test  source.Test
	local map[string]bool   // names that the test has bound
	env   map[string]Value  // variables that hold literals
	calls map[string][]Link // variables that hold what a call gives
	rows  []map[string]Value
	after string // what was not understood
	out   []Example
}

// maxRows bounds how many rows of a table, and how many calls of a test, are read.
const maxRows = 100

func (r *reader) text(ts []source.Token) string {
	if len(ts) == 0 {
		return ""
	}
	return strings.Join(strings.Fields(string(r.src[ts[0].Off:ts[len(ts)-1].End])), " ")
}

// parser reads tokens. White space of strings is that of the source, so a line break outside of them is a blank.
func (r *reader) parser(ts []source.Token) *parser {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && t.Off > ts[i-1].End {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return &parser{s: b.String(), env: r.env}
}

func (r *reader) value(ts []source.Token) (Value, bool) {
	p := r.parser(ts)
	v, ok := p.value()
	return v, ok && p.end() && literal([]Value{v}) && (r.lang == source.Python || r.lang == source.Rust || !p.odd && !p.groups)
}

// call reads a call with literals, or the variable that holds what one gives.
func (r *reader) call(ts []source.Token) ([]Link, bool) {
	if len(ts) == 1 {
		c, ok := r.calls[ts[0].Text]
		return c, ok
	}
	p := r.parser(ts)
	c, ok := p.chain()
	if !ok || !p.end() || p.odd || p.groups && r.lang != source.Python && r.lang != source.Rust {
		return nil, false
	}
	first, _, _ := strings.Cut(c[0].Name, ".")
	return c, !r.local[first] && !ofLanguage[first]
}

// ofLanguage are objects of JavaScript that have functions of their own.
var ofLanguage = map[string]bool{
	"JSON": true, "Math": true, "Object": true, "Array": true, "Number": true, "String": true, "Date": true, "Promise": true, "Reflect": true, "process": true, "Buffer": true,
}

// says adds an example, and reports whether it could.
func (r *reader) says(given, wanted []source.Token) bool {
	c, ok := r.call(given)
	if !ok {
		given, wanted = wanted, given
		if c, ok = r.call(given); !ok {
			return false
		}
	}
	v, ok := r.value(wanted)
	if !ok {
		return false
	}
	return r.add(given[0].Line, c, Want{Value: v, Raw: r.text(wanted)})
}

func (r *reader) add(line int, call []Link, w Want) bool {
	if len(r.out) >= maxRows {
		return true
	}
	e := Example{After: r.after, Test: r.file + "::" + r.test.Name, Line: line, Call: call, Want: w}
	e.Text = e.String()
	r.out = append(r.out, e)
	return true
}

// settled are the examples of a test without calls that it wants different things of: they are about something else.
func (r *reader) settled() []Example {
	wants := map[string]string{}
	for _, e := range r.out {
		if was := wants[e.Calls()]; was != "" && was != e.Text {
			wants[e.Calls()] = "several"
		} else {
			wants[e.Calls()] = e.Text
		}
	}
	return slices.DeleteFunc(r.out, func(e Example) bool { return wants[e.Calls()] != e.Text })
}

// skip goes over what is not understood. What it does to variables is not known.
func (r *reader) skip(ts []source.Token) {
	for i, t := range ts {
		delete(r.env, t.Text)
		delete(r.calls, t.Text)
		if t.Kind == source.Ident && i+1 < len(ts) && (ts[i+1].Text == "=" || ts[i+1].Text == ",") {
			r.local[t.Text] = true
		}
	}
	r.later(r.text(ts))
}

// maxAfter bounds the text of what a call comes after.
const maxAfter = 2000

func (r *reader) later(text string) {
	if r.after = strings.TrimPrefix(r.after+"; "+text, "; "); len(r.after) > maxAfter {
		r.after = strings.ToValidUTF8(r.after[:maxAfter], "")
	}
}

// bind gives a variable what the tokens are: a literal, or what a call gives.
func (r *reader) bind(name string, ts []source.Token) bool {
	delete(r.env, name)
	delete(r.calls, name)
	r.local[name] = true
	if v, ok := r.value(ts); ok {
		r.env[name] = v
		return true
	}
	c, ok := r.call(ts)
	if ok {
		r.calls[name] = c
	}
	return ok
}

// loop reads a loop over a table that is written out.
func (r *reader) loop(names, table []source.Token, body func()) bool {
	v, ok := r.value(table)
	return ok && r.each(namesIn(names), v, body)
}

// each runs a body once for each row of a table, whose values the names get.
func (r *reader) each(names []string, table Value, body func()) bool {
	if table.Kind != List || len(table.List) > maxRows {
		return false
	}
	for _, row := range table.List {
		if !r.row(names, row) {
			return false
		}
		if body(); len(r.out) >= maxRows {
			break
		}
	}
	return true
}

func (r *reader) row(names []string, row Value) bool {
	if len(names) == 1 {
		r.env[names[0]] = row
		return true
	}
	if row.Kind != List || len(row.List) != len(names) {
		return false
	}
	for i, n := range names {
		r.env[n] = row.List[i]
	}
	return true
}

// pythonHead reads what stands before the body of a test: the constants of the file, the test's decorators and its parameters. What
// the values of a parameter are not known of stands in the way, as fixtures do.
func (r *reader) pythonHead(before []source.Token) {
	lines := logical(before)
	if len(lines) == 0 {
		return
	}
	def, from := lines[len(lines)-1], len(lines)-1
	for from > 0 && lines[from-1][0].Text == "@" {
		from--
	}
	for _, l := range lines[:from] {
		if len(l) > 2 && l[0].Indent == 0 && l[1].Text == "=" {
			delete(r.env, l[0].Text)
			if v, ok := r.value(l[2:]); ok {
				r.env[l[0].Text] = v
			}
		}
	}
	params := namesOf(def)
	if len(lines)-1-from == 1 && r.parametrized(lines[from], params) {
		return
	}
	for _, d := range lines[from : len(lines)-1] {
		r.later(r.text(d))
	}
	if len(params) > 0 {
		r.later("(" + strings.Join(params, ", ") + ")")
	}
}

func namesOf(def []source.Token) []string {
	var out []string
	i := index(def, "(")
	for _, t := range def[i+1:] {
		if t.Text == ")" {
			break
		}
		if t.Kind == source.Ident && i >= 0 && t.Text != "self" {
			out = append(out, t.Text)
		}
	}
	return out
}

// parametrized reads @pytest.mark.parametrize with a literal table for all parameters.
func (r *reader) parametrized(d []source.Token, params []string) bool {
	open := index(d, "(")
	if open < 0 || d[open-1].Text != "parametrize" || d[len(d)-1].Text != ")" {
		return false
	}
	args := split(d[open+1 : len(d)-1])
	if len(args) < 2 {
		return false
	}
	var names []string
	for _, t := range args[0] {
		if t.Kind == source.String {
			names = append(names, strings.FieldsFunc(t.Value(), func(c rune) bool { return c == ',' || c == ' ' })...)
		}
	}
	table, ok := r.value(args[1])
	if !ok || table.Kind != List || len(names) != len(params) {
		return false
	}
	for _, row := range table.List {
		in := &reader{env: map[string]Value{}}
		if !in.row(names, row) {
			r.rows = nil
			return false
		}
		r.rows = append(r.rows, in.env)
	}
	return true
}

// logical are the logical lines of tokens of Python.
func logical(ts []source.Token) [][]source.Token {
	var out [][]source.Token
	for _, t := range ts {
		if t.Indent >= 0 || len(out) == 0 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], t)
	}
	return out
}

// split cuts tokens at the commas that stand outside of brackets.
func split(ts []source.Token) [][]source.Token {
	out := [][]source.Token{nil}
	depth := 0
	for _, t := range ts {
		depth += nesting(t)
		if depth == 0 && t.Text == "," && t.Kind != source.String {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], t)
	}
	if len(out) > 1 && len(out[len(out)-1]) == 0 { // a comma at the end
		out = out[:len(out)-1]
	}
	return out
}

// index is where the first token of a text is, -1 without one.
func index(ts []source.Token, text string) int {
	return slices.IndexFunc(ts, func(t source.Token) bool { return t.Text == text })
}

// textsOf gives the text of a token by its place, "" where there is none.
func textsOf(ts []source.Token) func(i int) string {
	return func(i int) string {
		if i < 0 || i >= len(ts) {
			return ""
		}
		return ts[i].Text
	}
}

// namesIn are the words among tokens.
func namesIn(ts []source.Token) (names []string) {
	for _, t := range ts {
		if t.Kind == source.Ident {
			names = append(names, t.Text)
		}
	}
	return names
}

// word is a word as tokens.
func word(text string) []source.Token { return []source.Token{{Kind: source.Ident, Text: text}} }

func nesting(t source.Token) int {
	if t.Kind == source.String || t.Kind == source.Regex {
		return 0
	}
	switch t.Text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

func (r *reader) pythonTest(body []source.Token) {
	lines := logical(body)
	if r.rows == nil {
		r.pythonBlock(lines)
		return
	}
	shared := r.env
	for _, row := range r.rows {
		r.env = maps.Clone(shared)
		maps.Copy(r.env, row)
		r.pythonBlock(lines)
	}
}

// pythonBlock reads statements.
func (r *reader) pythonBlock(lines [][]source.Token) {
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		end := i + 1 // of what is indented below it
		for end < len(lines) && lines[end][0].Indent > l[0].Indent {
			end++
		}
		ok := false
		switch {
		case l[0].Text == "pass" || len(l) == 1 && l[0].Kind == source.String:
			ok = true
		case l[0].Text == "assert":
			ok = r.pythonAssert(split(l[1:])[0])
		case l[0].Text == "self" && len(l) > 4 && l[1].Text == "." && l[3].Text == "(":
			ok = r.unittest(l[2].Text, split(l[4:len(l)-1]))
		case l[0].Text == "for" && l[len(l)-1].Text == ":" && r.pythonFor(l, lines[i+1:end]),
			l[0].Text == "with" && l[len(l)-1].Text == ":" && r.pythonRaises(l[1:len(l)-1], lines[i+1:end]):
			i, ok = end-1, true
		case len(l) > 2 && l[1].Text == "=" && l[0].Kind == source.Ident:
			ok = r.bind(l[0].Text, l[2:])
		}
		switch {
		case ok:
		case l[0].Text == "with" && !slices.ContainsFunc(l, func(t source.Token) bool { return t.Text == "raises" || t.Text == "assertRaises" }):
			r.skip(l) // what is below it is read as if it stood by itself
		default:
			for _, below := range lines[i:end] {
				r.skip(below)
			}
			i = end - 1
		}
	}
}

func (r *reader) pythonAssert(ts []source.Token) bool {
	for i, t := range ts {
		switch {
		case t.Text == "==" && t.Kind == source.Punct:
			return r.says(ts[:i], ts[i+1:])
		case t.Text == "is" && i+2 == len(ts) && slices.Contains([]string{"None", "True", "False"}, ts[i+1].Text):
			return r.says(ts[:i], ts[i+1:])
		}
	}
	return false
}

func (r *reader) unittest(method string, args [][]source.Token) bool {
	switch {
	case (method == "assertEqual" || method == "assertListEqual" || method == "assertDictEqual" || method == "assertTupleEqual") && len(args) >= 2:
		return r.says(args[0], args[1])
	case method == "assertIsNone" && len(args) >= 1:
		return r.says(args[0], word("None"))
	}
	return false
}

func (r *reader) pythonFor(head []source.Token, body [][]source.Token) bool {
	in := index(head, "in")
	return in > 0 && len(body) > 0 && r.loop(head[1:in], head[in+1:len(head)-1], func() { r.pythonBlock(body) })
}

// pythonRaises reads "with pytest.raises(ValueError):" and the one call below it.
func (r *reader) pythonRaises(head []source.Token, body [][]source.Token) bool {
	i := slices.IndexFunc(head, func(t source.Token) bool { return t.Text == "raises" || t.Text == "assertRaises" })
	if i < 0 || i+2 >= len(head) || len(body) != 1 || head[i+1].Text != "(" {
		return false
	}
	end := closing(head, i+1)
	if end < 0 || end != len(head)-1 && (end+3 != len(head) || head[end+1].Text != "as") {
		return false
	}
	args := split(head[i+2 : end])
	c, ok := r.call(body[0])
	if !ok || len(args[0]) == 0 {
		return false
	}
	return r.add(body[0][0].Line, c, errorOf(args[0][len(args[0])-1].Text))
}

// errorOf is an error of a class, of any where the name says no more.
func errorOf(name string) Want {
	if !errorClass().MatchString(name) || aliases[name] {
		name = ""
	}
	return Want{Error: true, Type: name}
}

// errorClass is a name of an error of its own; aliases are other names of one, and what every error is.
var (
	errorClass = re.New(`^[A-Z]\w*(Error|Exception)$`)
	aliases    = map[string]bool{"Exception": true, "BaseException": true, "IOError": true, "EnvironmentError": true, "WindowsError": true}
)
