package source

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/re"
)

// swaps are the operators that a mutation exchanges, in all languages. An order is changed at its boundary only: whether
// tests look at a limit is what they are asked for; that of a condition is negated besides.
var swaps = map[string]string{
	"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": "<=", ">=": ">", ">": ">=", "<=": "<",
	"&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "*",
	"and": "or", "or": "and", "+=": "-=", "-=": "+=",
}

// What a mutant does that gives nothing, or the zero value, where the function gives a value, one that gives another value, and one that gives
// another text instead of the one that is written there.
const (
	ReturnNothing = "return nothing"
	ReturnOther   = "return another value"
	ReturnText    = "change returned text"
)

// Alike is a mutant that gives another object where m gives nothing for one: what only asks whether there is something does not notice it.
// ok is false where m gives no value, or the language has types that forbid it.
func (m Mutant) Alike() (alike Mutant, ok bool) {
	for other, object := range map[string]string{otherPython: alikePython, otherScript: alikeScript} {
		if rest, ok := strings.CutPrefix(m.New, other); ok {
			m.New = object + rest
			return m, true
		}
	}
	return m, false
}

// crashes are the statements that fail, by language.
var crashes = map[string]string{
	Go: `panic("mutant")`, Rust: `panic!("mutant")`, JavaScript: `throw new Error("mutant")`, TypeScript: `throw new Error("mutant")`,
	Python: `raise BaseException("mutant")`, Java: `if (true) throw new Error("mutant")`, Kotlin: `throw Error("mutant")`,
}

// Crash is a mutant that fails whenever a function is called; ok is false where that cannot be written.
func (f File) Crash(name string) (m Mutant, ok bool) {
	i := slices.IndexFunc(f.Funcs, func(fn Func) bool { return fn.Name == name })
	crash := crashes[f.Lang]
	if i < 0 || crash == "" || f.Funcs[i].Body >= f.Funcs[i].Stop {
		return m, false
	}
	fn := f.Funcs[i]
	m = Mutant{Func: name, Line: fn.Line, What: "crash", Off: fn.Body, End: fn.Body, New: " " + crash + "; "}
	if f.Lang != Python {
		if f.src(fn.Body-1, fn.Body)[0] != '{' { // the value of an arrow function
			m.End, m.New = fn.Stop, "(() => {"+m.New+"})()"
		}
		if f.Lang == Kotlin && m.End > m.Off {
			m.New = " " + crash
		}
		return m, true
	}
	ts := Code(f.Tokens)
	first := firstAt(ts, fn.Body)
	if first == len(ts) {
		return m, false
	}
	m.Off, m.End, m.New = ts[first].Off, ts[first].Off, crash+"; "
	if before := f.src(0, m.Off); ts[first].Line > fn.Line && ts[first].Indent >= 0 {
		m.New = crash + "\n" + string(before[bytes.LastIndexByte(before, '\n')+1:])
	}
	return m, true
}

// CrashAt is a mutant that fails where m drops a statement or gives another value; ok is false where m does neither.
func (f File) CrashAt(m Mutant) (crash Mutant, ok bool) {
	if f.Lang == Go && m.Value() {
		m.New = strings.Replace(m.New, "{ ", `{ panic("mutant"); `, 1)
		return m, true
	}
	if m.What == "drop statement" && crashes[f.Lang] != "" {
		m.New = crashes[f.Lang]
		if f.Lang != Python {
			m.New += ";"
		}
		return m, true
	}
	for other, fails := range map[string]string{
		otherPython: `(lambda v: (_ for _ in ()).throw(BaseException("mutant")))`, otherScript: `(function () { throw new Error("mutant"); })`,
	} {
		if code, ok := strings.CutPrefix(m.New, other); ok {
			m.New = fails + code
			return m, true
		}
	}
	return m, false
}

// CrashAtEnd is a mutant of a test that fails where its body comes to its end; ok is false where that cannot be written.
func (f File) CrashAtEnd(t Test) (m Mutant, ok bool) {
	crash, text := crashes[f.Lang], f.src(t.Off, t.Stop)
	m = Mutant{Func: t.Name, Line: t.End, What: "crash", New: crash + ";"}
	if f.Lang == Python {
		ts := Code(f.Tokens)
		first := firstAt(ts, t.Off)
		for first < len(ts) && (ts[first].Indent < 0 || ts[first].Line <= t.Line) {
			first++
		}
		if first == len(ts) {
			return m, false
		}
		line := f.src(0, ts[first].Off)
		m.Off, m.New = t.Stop, "\n"+string(line[bytes.LastIndexByte(line, '\n')+1:])+crash
	} else {
		m.Off = t.Off + bytes.LastIndexByte(text, '}')
	}
	m.End = m.Off
	return m, crash != "" && m.Off >= t.Off
}

// CrashBefore is a mutant that fails before the return statement that m changes; ok is false where that cannot be written.
func (f File) CrashBefore(m Mutant) (crash Mutant, ok bool) {
	ts, fails := Code(f.Tokens), crashes[f.Lang]
	for i, t := range ts {
		if !isWord(t, "return") || t.Line != m.Line || t.Off > m.Off || fails == "" {
			continue
		}
		alone := f.Lang == Go || f.Lang == Python && t.Indent >= 0
		alone = alone || f.Lang != Python && i > 0 && slices.Contains([]string{"{", "}", ";"}, ts[i-1].Text)
		return Mutant{Func: m.Func, Line: m.Line, What: "crash", Off: t.Off, End: t.Off, New: fails + "; "}, alone
	}
	if f.Lang == Rust { // what a function gives is changed as a whole
		return f.Crash(m.Func)
	}
	return m, false
}

// Value reports whether a mutant gives something else than the function does, whatever that is.
func (m Mutant) Value() bool { return m.What == ReturnNothing || m.What == ReturnOther }

// otherPython and otherScript give another value than their argument, of its type where that is a common one, else nothing; of a promise
// one of another value. alikePython and alikeScript give an object instead of nothing.
const (
	otherPython = pythonOther + "None)"
	alikePython = pythonOther + "v and object())"
	otherScript = scriptOther + "undefined; })"
	alikeScript = scriptOther + "v && {}; })"

	pythonOther = `(lambda v: (not v) if isinstance(v, bool) else v + 1 if hasattr(v, "real") else "?" * max(len(v), 1) if isinstance(v, str) else [None] * (len(v) + 1) if isinstance(v, list) else (None,) * (len(v) + 1) if isinstance(v, tuple) else `
	scriptOther = `(function other(v) { return typeof v?.then === "function" ? v.then(other) : typeof v === "boolean" ? !v : typeof v === "number" ? v + 1 : typeof v === "bigint" ? v + 1n : typeof v === "string" ? "?".repeat(v.length || 1) : Array.isArray(v) ? Array(v.length + 1).fill() : `
)

// constantLines are declarations of a number outside of functions: group 1 is the name, group 2 the number.
var constantLines = map[string]re.Regexp{
	TypeScript: re.New(`(?m)^(?:export\s+)?const\s+([\w$]+)(?:\s*:\s*[\w.]+)?\s*=\s*(\d[\d_]*(?:\.\d[\d_]*)?)\s*;?\s*(?://.*)?$`),
	Rust:       re.New(`(?m)^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?const[ \t]+([A-Z][A-Z0-9_]*)[ \t]*:[ \t]*\w+[ \t]*=[ \t]*(\d[\d_]*(?:\.\d[\d_]*)?)[ \t]*;[ \t]*(?://.*)?$`),
	Java:       re.New(`(?m)^[ \t]*(?:[a-z]+[ \t]+)*final[ \t]+(?:[a-z]+[ \t]+)*([A-Z][A-Z0-9_]*)[ \t]*=[ \t]*(\d[\d_]*(?:\.\d[\d_]*)?)L?[ \t]*;[ \t]*(?://.*)?$`),
	Kotlin:     re.New(`(?m)^[ \t]*(?:[a-z]+[ \t]+)*val[ \t]+([A-Z][A-Z0-9_]*)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*(\d[\d_]*(?:\.\d[\d_]*)?)L?[ \t]*(?://.*)?$`),
	Python:     re.New(`(?m)^(_*[A-Z][A-Z0-9_]*)(?:\s*:\s*[\w.\[\]]+)?\s*=\s*(\d[\d_]*(?:\.\d[\d_]*)?)\s*(?:#.*)?$`),
}

// constantMutants are the same for a language that is read by tokens. Lines within a string or a comment give mutants that
// change nothing; the ones that declare a constant look like nothing else.
func constantMutants(f *File, src []byte, lang string) {
	line, at := 1, 0
	for _, m := range constantLines[lang]().FindAllSubmatchIndex(src, -1) {
		line, at = line+bytes.Count(src[at:m[4]], []byte("\n")), m[4]
		text := string(src[m[4]:m[5]])
		other := otherNumber(text)
		if other == "" {
			continue
		}
		f.mutants = append(f.mutants, Mutant{
			Func: string(src[m[2]:m[3]]), Line: line, What: "change constant " + text,
			Off: m[4], End: m[5], New: other,
		})
	}
}

// firstAt is the first token that begins at an offset or after it.
func firstAt(ts []Token, off int) int {
	return sort.Search(len(ts), func(i int) bool { return ts[i].Off >= off })
}

// otherValue is what a mutant has in place of a number or a truth value; "" for all else.
func (f *File) otherValue(t Token) string {
	switch {
	case t.Kind == Number:
		digits := cmp.Or(treeNumber(f.Lang, t.Text), t.Text)
		if other := otherNumber(digits); other != "" {
			return other + t.Text[len(digits):]
		}
	case t.Kind == Ident && f.Lang == Python:
		return map[string]string{"True": "False", "False": "True"}[t.Text]
	case t.Kind == Ident:
		return map[string]string{"true": "false", "false": "true"}[t.Text]
	}
	return ""
}

// decimals is a number with a point, as languages write it; group 1 is what is before the point.
var decimals = re.New(`^(\d[\d_]*)\.\d[\d_]*(?:_?f(?:32|64)|[fFdD])?$`)

// otherNumber is one more than a number in decimal digits, "" for what is none.
func otherNumber(text string) string {
	whole := text
	if m := decimals().FindStringSubmatch(text); m != nil {
		whole = m[1]
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(whole, "_", ""), 10, 32)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(v+1, 10) + text[len(whole):]
}

// changes is what a mutant of a value does.
func (f *File) changes(t Token) string {
	if t.Kind == Number {
		return "change constant " + t.Text
	}
	return t.Text + " to " + f.otherValue(t)
}

// Values are mutants of numbers and truth values that stand outside of functions, in some lines: of the rows of a table.
func (f File) Values(in func(line int) bool) []Mutant {
	var out []Mutant
	for _, t := range f.Tokens {
		if !in(t.Line) || f.otherValue(t) == "" {
			continue
		}
		if _, inside := f.FuncAt(t.Line); !inside {
			out = append(out, Mutant{Line: t.Line, What: f.changes(t), Off: t.Off, End: t.End, New: f.otherValue(t)})
		}
	}
	return out
}

// tokenMutants finds the mutations of one function of a language that is read by tokens.
func tokenMutants(f *File, fn Func, ts []Token, python bool) {
	add := func(t Token, end int, what, text string) {
		f.mutants = append(f.mutants, Mutant{Func: fn.Name, Line: t.Line, What: what, Off: t.Off, End: end, New: text})
	}
	around := func(from, end int, what, before, after string) { // the code of some tokens, with something before and after it
		add(ts[from], ts[end-1].End, what, before+string(f.src(ts[from].Off, ts[end-1].End))+after)
	}
	effect := sync.OnceValue(func() bool { return f.forEffect(fn, ts, python) })
	for i := firstAt(ts, fn.Off); i < len(ts) && ts[i].End <= fn.Stop; i++ {
		t := ts[i]
		if t.Off < fn.Body && (i == 0 || !isPunct(ts[i-1], "=")) { // of its head, defaults
			continue
		}
		spaced := i > 0 && i+1 < len(ts) && ts[i-1].End < t.Off && t.End < ts[i+1].Off
		switch {
		case t.Kind == Punct && swaps[t.Text] != "" && spaced && t.Indent < 0:
			if (t.Text == "+" || t.Text == "+=") && (ts[i-1].Kind == String || ts[i+1].Kind == String) || t.Text == "*" && python && ts[i-1].Text == "," {
				continue
			}
			if t.Text == "/" && python && (ts[i-1].Text == "," || ts[i+1].Text == ",") {
				continue
			}
			add(t, t.End, t.Text+" to "+swaps[t.Text], swaps[t.Text])
		case t.Kind == Ident && python && (t.Text == "and" || t.Text == "or"):
			add(t, t.End, t.Text+" to "+swaps[t.Text], swaps[t.Text])
		case t.Kind == Number && i > 0 && isPunct(ts[i-1], "."): // a field of a tuple
		case f.otherValue(t) != "":
			add(t, t.End, f.changes(t), f.otherValue(t))
		case isWord(t, "if") && f.Lang == Rust:
			if end := conditionEnd(ts, i); end > i+1 && ts[end].Off < fn.Stop && !onlyEquality(ts[i+1:end]) {
				around(i+1, end, "negate condition", "!(", ")")
			}
		case isWord(t, "if") && !python && i+1 < len(ts) && isPunct(ts[i+1], "("):
			if end := closing(ts, i+1); end < len(ts) && !onlyEquality(ts[i+2:end]) {
				around(i+1, end+1, "negate condition", "(!", ")")
			}
		case python && t.Indent >= 0 && (t.Text == "if" || t.Text == "elif" || t.Text == "while"):
			if end := headerEnd(ts, i); end > i+1 && !onlyEquality(ts[i+1:end]) {
				around(i+1, end, "negate condition", "not (", ")")
			}
		case python && isWord(t, "if"): // of a conditional expression or a comprehension
			if end := conditionOf(ts, i); end > i+1 && !onlyEquality(ts[i+1:end]) {
				around(i+1, end, "negate condition", "(not (", "))")
			}
		case isWord(t, "return") && i+1 < len(ts) && ts[i+1].Kind == String && !strings.HasSuffix(ts[i+1].Text, `"""`) && statementEnd(ts, i, python) == i+2:
			add(ts[i+1], ts[i+1].End, ReturnText, `"mutant"`)
		case isWord(t, "return") && (python || f.Lang == TypeScript || f.Lang == JavaScript) && !effect():
			if end := statementEnd(ts, i, python); end > i+1 && ts[end-1].End <= fn.Stop && (end > i+2 || ts[i+1].Kind == Ident && !isWord(ts[i+1], "self") && !isWord(ts[i+1], "this")) && !isWord(ts[i+1], "None") && !isWord(ts[i+1], "undefined") && !isWord(ts[i+1], "null") {
				other := otherScript
				if python {
					other = otherPython
				}
				around(i+1, end, ReturnOther, other+"((", "))")
			}
		case isWord(t, "return") && (f.Lang == Java || f.Lang == Kotlin):
			if end := statementEnd(ts, i, false); end > i+1 && ts[end-1].End <= fn.Stop && !inLambda(ts, i, fn.Body) {
				f.returned(fn, ts, i+1, end)
			}
		default:
			dropStatement(fn, ts, i, python, add)
		}
	}
}

// statementEnd is the index after the last token of the statement that begins at i.
func statementEnd(ts []Token, i int, python bool) int {
	for j := i + 1; j < len(ts); j++ {
		switch {
		case python && ts[j].Indent >= 0, isPunct(ts[j], ";"), isPunct(ts[j], "}"):
			return j
		case !python && ts[j].Line > ts[j-1].Line && ts[j].Kind == Ident && (j == i+1 || ts[j-1].Kind != Punct || strings.Contains(")]}", ts[j-1].Text)):
			return j
		case isPunct(ts[j], "("), isPunct(ts[j], "["), isPunct(ts[j], "{"):
			j = closing(ts, j)
		}
	}
	return len(ts)
}

var suffixed = re.New(`^(\d[\d_]*?)_?(?:[iu](?:8|16|32|64|128|size)|L)$`)

// treeNumber are the digits of a whole number with the suffix of its type, "" for any other.
func treeNumber(lang, text string) string {
	if lang != Rust && lang != Java && lang != Kotlin {
		return ""
	}
	if m := suffixed().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// treeMutants finds the mutations of all functions of a file that is read from a syntax tree, except those of tests.
func treeMutants(f *File, src []byte) {
	ts := Code(f.Tokens)
	for _, fn := range f.Funcs {
		test := slices.ContainsFunc(f.Tests, func(t Test) bool { return fn.Line <= t.Line && t.End <= fn.End || t.Off <= fn.Off && fn.Stop <= t.Stop })
		if !test && fn.Stop <= len(src) {
			tokenMutants(f, fn, ts, false)
			if f.Lang == Rust {
				f.resultMutant(fn, ts)
			}
		}
	}
	constantMutants(f, src, f.Lang)
}

// arrowMutant lets an arrow function whose body is a value, and that has no other mutant, give another one. A call of what is no parameter
// may be made for what it does.
func (f *File) arrowMutant(fn Func, ts []Token) {
	from, end := firstAt(ts, fn.Body), firstAt(ts, fn.Stop)
	if fn.Body < 1 || fn.Body >= fn.Stop || f.src(fn.Body-1, fn.Body)[0] == '{' {
		return
	}
	for end > from && isPunct(ts[end-1], ";") {
		end--
	}
	if end <= from {
		return
	}
	head := ts[firstAt(ts, fn.Off):from]
	param := func(t Token) bool {
		return slices.ContainsFunc(head, func(o Token) bool { return o.Kind == Ident && o.Text == t.Text })
	}
	body := ts[from:end]
	called := slices.ContainsFunc(body, func(t Token) bool { return isPunct(t, "(") })
	if first := body[0]; first.Kind == Ident && (slices.Contains([]string{"null", "undefined", "this", "await", "void"}, first.Text) || called && !param(first)) || len(body) == 1 && first.Kind != Ident {
		return
	}
	f.mutants = append(f.mutants, Mutant{
		Func: fn.Name, Line: body[0].Line, What: ReturnOther, Off: body[0].Off, End: body[len(body)-1].End, New: otherScript + "((" + string(f.src(body[0].Off, body[len(body)-1].End)) + "))",
	})
}

// conditionEnd gives the index of the brace that begins the body of an if without parentheses; 0 where there is none or it binds names.
func conditionEnd(ts []Token, i int) int {
	for j := i + 1; j < len(ts); j++ {
		switch {
		case isWord(ts[j], "let"), isPunct(ts[j], ";"):
			return 0
		case isPunct(ts[j], "("), isPunct(ts[j], "["):
			j = closing(ts, j)
		case isPunct(ts[j], "{"):
			return j
		}
	}
	return 0
}

// onlyEquality reports whether a condition is one comparison for equality, which is negated as an operator.
func onlyEquality(ts []Token) bool {
	n := 0
	for _, t := range ts {
		switch t.Text {
		case "==", "!=", "===", "!==":
			n++
		case "&&", "||", "and", "or", "not", "!", "<", ">", "<=", ">=", "in", "is":
			return false
		}
	}
	return n == 1
}

// dropStatement drops a raise, a throw or a call that stands alone.
func dropStatement(fn Func, ts []Token, i int, python bool, add func(Token, int, string, string)) {
	t := ts[i]
	if python {
		if t.Indent < 0 || t.Kind != Ident {
			return
		}
		end := i + 1
		for end < len(ts) && ts[end].Indent < 0 {
			end++
		}
		augmented := i+1 < len(ts) && strings.HasSuffix(ts[i+1].Text, "=") && len(ts[i+1].Text) == 2 && swaps[ts[i+1].Text] == ""
		call := isPunct(ts[end-1], ")") && i+1 < len(ts) && (isPunct(ts[i+1], ".") || isPunct(ts[i+1], "(")) &&
			!strings.Contains(render(ts[i:end]), "=") && t.Text != "super"
		if t.Text == "raise" || augmented || call {
			add(t, ts[end-1].End, "drop statement", "pass")
		}
		return
	}
	begins := i > 0 && (isPunct(ts[i-1], ";") || isPunct(ts[i-1], "{") || isPunct(ts[i-1], "}") || isPunct(ts[i-1], ")") && isWord(t, "throw"))
	if !begins || t.Kind != Ident {
		return
	}
	for end := i; end < len(ts) && ts[end].Off < fn.Stop; end++ {
		if isPunct(ts[end], "{") || isPunct(ts[end], "(") {
			end = closing(ts, end)
			if end >= len(ts) {
				return
			}
			continue
		}
		if isPunct(ts[end], "}") {
			return
		}
		if !isPunct(ts[end], ";") {
			continue
		}
		switch text := render(ts[i:end]); {
		case t.Text == "throw":
			add(t, ts[end].End, "drop statement", ";")
		case isPunct(ts[end-1], ")") && ts[i+1].Kind == Punct && (ts[i+1].Text == "." || ts[i+1].Text == "("):
			if t.Text != "super" && !strings.Contains(text, "=>") {
				add(t, ts[end].End, "drop statement", ";")
			}
		case len(ts[i+1].Text) == 2 && strings.HasSuffix(ts[i+1].Text, "=") && swaps[ts[i+1].Text] == "":
			add(t, ts[end].End, "drop statement", ";")
		}
		return
	}
}

// headerEnd gives the index of the colon that ends the header of a compound statement of Python at i.
func headerEnd(ts []Token, i int) int {
	depth := 0
	for j := i + 1; j < len(ts); j++ {
		if ts[j].Indent >= 0 {
			return 0
		}
		if depth += nesting(ts[j]); depth == 0 && isPunct(ts[j], ":") && !lambdaBefore(ts[i:j]) {
			return j
		}
	}
	return 0
}

// conditionOf gives the index after the condition of the if at i within an expression of Python; 0 where there is a lambda in it.
func conditionOf(ts []Token, i int) int {
	for j := i + 1; j < len(ts); j++ {
		switch t := ts[j]; {
		case isWord(t, "lambda"):
			return 0
		case t.Indent >= 0, isWord(t, "else"), isWord(t, "for"), isWord(t, "async"), isWord(t, "if"),
			isPunct(t, ")"), isPunct(t, "]"), isPunct(t, "}"), isPunct(t, ","), isPunct(t, ":"):
			return j
		case isPunct(t, "("), isPunct(t, "["), isPunct(t, "{"):
			j = closing(ts, j)
		}
	}
	return len(ts)
}

func lambdaBefore(ts []Token) bool {
	open := 0
	for _, t := range ts {
		if isWord(t, "lambda") {
			open++
		}
		if isPunct(t, ":") {
			open--
		}
	}
	return open > 0
}
