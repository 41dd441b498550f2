package example

import (
	goparser "go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Kind is what a literal is.
type Kind string

// The kinds of literals. A name is a constant of the code, such as Color.RED. A chain of calls of exports, or a constant that an argument
// is, is only an argument of another call, and so is code: a function as the language writes it.
const (
	Null   Kind = "null"
	Bool   Kind = "bool"
	Number Kind = "number"
	String Kind = "string"
	List   Kind = "list"
	Object Kind = "object"
	Name   Kind = "name"
	Made   Kind = "call"
	Code   Kind = "code"
)

// Value is a literal of any of the languages. Text is the number, the text, the name, or how nothing is written.
type Value struct {
	Kind   Kind    `json:"kind"`
	Text   string  `json:"text,omitempty"`
	List   []Value `json:"list,omitempty"`
	Fields []Field `json:"fields,omitempty"`
	Big    bool    `json:"big,omitempty"` // a number that is a BigInt: 5n
	// Call is the chain of a [Made] value: what it gives, or the object of a sequence.
	Call []Link `json:"call,omitempty"`
}

// Field is an entry of an object.
type Field struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
	// Number is set where the name is a number, as Python's dictionaries tell apart.
	Number bool `json:"number,omitempty"`
}

// Empty reports whether a value is what code that does nothing gives: nothing, false, zero, and what holds nothing.
func (v Value) Empty() bool {
	switch v.Kind {
	case Null:
		return true
	case Bool:
		return v.Text == "false"
	case Number:
		return strings.Trim(v.Text, "-0.") == ""
	case String:
		return v.Text == ""
	case List:
		return len(v.List) == 0
	case Object:
		return len(v.Fields) == 0
	case Name, Made, Code:
	}
	return false
}

// parser reads calls and literals in what the languages have in common.
type parser struct {
	s   string
	i   int
	env map[string]Value // variables with literals
	odd bool             // it has what languages build differently: keys that are no texts
	// groups says that it has tuples or sets.
	groups bool
	// calls says that arguments may be calls.
	calls bool
	// functions says that they may be functions, too.
	functions bool
	// vars are the variables of a sequence.
	vars map[string]bool
	// depth bounds what is tried: braces may be an object or a set.
	depth int
}

const maxDepth = 12

// Literal reads a text that is a literal and nothing else, as the languages write it.
func Literal(text string) (v Value, ok bool) {
	p := &parser{s: text}
	v, ok = p.value()
	return v, ok && p.end()
}

func (p *parser) blank() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
}

func (p *parser) end() bool { p.blank(); return p.i == len(p.s) }

func (p *parser) rest() string { return p.s[p.i:] }

// take goes over a mark if it is there.
func (p *parser) take(mark string) bool {
	p.blank()
	if !strings.HasPrefix(p.s[p.i:], mark) {
		return false
	}
	p.i += len(mark)
	return true
}

// word goes over a whole word.
func (p *parser) word(w string) bool {
	from := p.i
	if p.take(w) {
		if r, _ := utf8.DecodeRuneInString(p.s[p.i:]); !letter(r) && !unicode.IsDigit(r) {
			return true
		}
	}
	p.i = from
	return false
}

func letter(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) }

// name reads a name with dots or colons; "" when there is none.
func (p *parser) name() string {
	p.blank()
	from := p.i
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		switch {
		case letter(r), p.i > from && unicode.IsDigit(r):
			p.i += n
		case p.i > from && r == '.' && p.letterAt(p.i+1):
			p.i++
		case p.i > from && strings.HasPrefix(p.s[p.i:], "::") && p.letterAt(p.i+2):
			p.i += 2
		default:
			return p.s[from:p.i]
		}
	}
	return p.s[from:p.i]
}

func (p *parser) letterAt(i int) bool {
	r, _ := utf8.DecodeRuneInString(p.s[min(i, len(p.s)):])
	return letter(r)
}

// literal reports whether arguments have no names, which only the code knows.
func literal(vs []Value) bool {
	for _, v := range vs {
		if v.Kind == Name || !literal(v.List) {
			return false
		}
		for _, f := range v.Fields {
			if !literal([]Value{f.Value}) {
				return false
			}
		}
	}
	return true
}

// list reads values up to the closing mark.
func (p *parser) list(closing string) ([]Value, bool) {
	out := []Value{}
	for !p.take(closing) {
		if len(out) > 0 && !p.take(",") {
			return nil, false
		}
		if p.take(closing) { // a comma at the end
			break
		}
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// fields reads the entries of an object up to its brace.
func (p *parser) fields() ([]Field, bool) {
	out := []Field{}
	for !p.take("}") {
		if len(out) > 0 && !p.take(",") {
			return nil, false
		}
		if p.take("}") {
			break
		}
		key, number, ok := p.key()
		if !ok || !p.take(":") {
			return nil, false
		}
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		out = append(out, Field{key, v, number})
	}
	return out, true
}

func (p *parser) key() (name string, number, ok bool) {
	env, calls := p.env, p.calls
	p.env, p.calls = nil, false // a name is the key
	v, ok := p.value()
	p.env, p.calls, p.odd = env, calls, p.odd || v.Kind == Number
	return v.Text, v.Kind == Number, ok && (v.Kind == String || v.Kind == Number || v.Kind == Name && !strings.ContainsAny(v.Text, ".:"))
}

// more reads the further values of a tuple that stands without parentheses.
func (p *parser) more(first Value) (Value, bool) {
	from, out := p.i, []Value{first}
	for p.take(",") {
		v, ok := p.value()
		if !ok || v.Kind == Name {
			break
		}
		out = append(out, v)
	}
	if len(out) > 1 && p.end() {
		return Value{Kind: List, List: out}, true
	}
	p.i = from
	return Value{}, false
}

var words = map[string]Value{
	"true": {Kind: Bool, Text: "true"}, "True": {Kind: Bool, Text: "true"}, "false": {Kind: Bool, Text: "false"}, "False": {Kind: Bool, Text: "false"},
	"null": {Kind: Null}, "nil": {Kind: Null}, "None": {Kind: Null}, "undefined": {Kind: Null, Text: "undefined"},
	"NaN": {Kind: Number, Text: "NaN"}, "Infinity": {Kind: Number, Text: "Infinity"},
}

// value reads one literal.
func (p *parser) value() (Value, bool) {
	p.blank()
	if p.functions {
		if head := function().FindString(p.rest()); head != "" {
			return p.function(head)
		}
	}
	p.take("&")
	if p.i == len(p.s) {
		return Value{}, false
	}
	if goType().MatchString(p.rest()) {
		return p.composite()
	}
	switch c := p.s[p.i]; {
	case c == '"' || c == '\'':
		return p.text(c)
	case c == '[':
		p.i++
		list, ok := p.list("]")
		return Value{Kind: List, List: list}, ok
	case c == '(':
		p.i++
		list, ok := p.list(")")
		if ok && len(list) == 1 && !strings.HasSuffix(strings.TrimRight(p.s[:p.i-1], " \t"), ",") {
			return list[0], true // in parentheses
		}
		p.groups = true
		return Value{Kind: List, Text: tupleText, List: list}, ok
	case c == '{':
		return p.braces()
	case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		return p.number()
	}
	if p.word("vec!") {
		return p.value()
	}
	from := p.i
	name := p.name()
	if v, ok := words[name]; ok {
		return v, true
	}
	if v, ok := p.variable(name); ok {
		return v, true
	}
	if (name == "Ok" || name == "Some") && p.take("(") { // Rust
		v, ok := p.value()
		return v, ok && p.take(")")
	}
	if p.calls && name != "" {
		return p.made(from, name)
	}
	return Value{Kind: Name, Text: name}, name != ""
}

// goType finds the type of a list or a map before its braces, as Go writes it.
var goType = re.New(`^(?:\[\d*\]|map\[\w+\])+\*?[A-Za-z_][\w.]*\{`)

// composite reads a list or a map as Go writes it: []int{1, 2}.
func (p *parser) composite() (Value, bool) {
	text := p.rest()
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0) // what it cannot read, the parser cannot
	for depth := 0; ; {
		switch at, t, _ := s.Scan(); t {
		case token.EOF:
			return Value{}, false
		case token.LBRACE:
			depth++
		case token.RBRACE:
			if depth--; depth > 0 {
				continue
			}
			end := file.Offset(at) + 1
			e, err := goparser.ParseExpr(text[:end])
			if err != nil {
				return Value{}, false
			}
			p.i += end
			return (&goReader{reader: &reader{env: p.env}}).literal(e, nil)
		default:
		}
	}
}

// variable is what a name stands for, or a field of it.
func (p *parser) variable(name string) (Value, bool) {
	parts := strings.Split(name, ".")
	v, ok := p.env[parts[0]]
	for _, field := range parts[1:] {
		i := slices.IndexFunc(v.Fields, func(f Field) bool { return f.Name == field })
		if !ok || i < 0 {
			return Value{}, false
		}
		v = v.Fields[i].Value
	}
	return v, ok
}

// braces reads an object, or else a set.
func (p *parser) braces() (Value, bool) {
	if p.depth++; p.depth > maxDepth {
		return Value{}, false
	}
	defer func() { p.depth-- }()
	p.i++
	from := p.i
	if fields, ok := p.fields(); ok {
		return Value{Kind: Object, Fields: fields}, true
	}
	p.i, p.groups = from, true
	list, ok := p.list("}")
	return Value{Kind: List, Text: setText, List: list}, ok && len(list) > 0
}

// setText says of a list that it is a set, in which order does not count, tupleText that it is a tuple.
const setText, tupleText = "set", "tuple"

// number reads a number with the separators and the suffixes of the languages.
func (p *parser) number() (Value, bool) {
	from := p.i
	if p.s[p.i] == '-' || p.s[p.i] == '+' {
		p.i++
	}
	for p.i < len(p.s) {
		c := p.s[p.i]
		hex := strings.HasPrefix(strings.TrimLeft(p.s[from:p.i], "+-"), "0x")
		digit := c >= '0' && c <= '9' || c == '_' || hex && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
		point := c == '.' && p.i+1 < len(p.s) && p.s[p.i+1] >= '0' && p.s[p.i+1] <= '9'
		exponent := !hex && (c == 'e' || c == 'E') && p.i > from
		sign := (c == '-' || c == '+') && p.i > from && (p.s[p.i-1] == 'e' || p.s[p.i-1] == 'E') && !hex
		start := c == 'x' && strings.TrimLeft(p.s[from:p.i], "+-") == "0"
		if !digit && !point && !exponent && !sign && !start {
			break
		}
		p.i++
	}
	text, big := strings.ReplaceAll(p.s[from:p.i], "_", ""), false
	for _, suffix := range []string{"usize", "isize", "i128", "u128", "i64", "u64", "i32", "u32", "i16", "u16", "f64", "f32", "i8", "u8", "n", "L", "l", "f", "d"} {
		if p.word(suffix) {
			big = suffix == "n"
			p.odd = p.odd || big
			break
		}
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil && !decimal(text) {
		text = strconv.FormatInt(n, 10)
	} else if _, err := strconv.ParseFloat(text, 64); err != nil {
		return Value{}, false
	}
	if r, _ := utf8.DecodeRuneInString(p.s[p.i:]); letter(r) || unicode.IsDigit(r) || r == '%' {
		return Value{}, false // 5ms, 100원
	}
	return Value{Kind: Number, Text: strings.TrimPrefix(text, "+"), Big: big}, true
}

// decimal reports whether a number is written with digits only, where a zero at the front does not mean octal.
func decimal(s string) bool { return !strings.HasPrefix(strings.TrimLeft(s, "+-"), "0x") }

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '0': "\x00", '\\': "\\", '"': "\"", '\'': "'", 'b': "\b", 'f': "\f"}

// text reads a string in quotes.
func (p *parser) text(quote byte) (Value, bool) {
	var b strings.Builder
	for p.i++; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == quote:
			p.i++
			for _, method := range []string{".to_string()", ".to_owned()", ".into()"} {
				p.take(method)
			}
			return Value{Kind: String, Text: b.String()}, true
		case c != '\\':
			b.WriteByte(c)
		case p.i+1 < len(p.s):
			p.i++
			if to, ok := escapes[p.s[p.i]]; ok {
				b.WriteString(to)
			} else if r, n, ok := unicodeEscape(p.s[p.i:]); ok {
				b.WriteRune(r)
				p.i += n - 1
			} else {
				return Value{}, false // an escape that languages read differently
			}
		}
	}
	return Value{}, false
}

// unicodeEscape reads u00e9, u{e9} and xe9 after the backslash.
func unicodeEscape(s string) (r rune, length int, ok bool) {
	digits := 0
	switch {
	case strings.HasPrefix(s, "u{"):
		if digits = strings.IndexByte(s, '}') - 2; digits <= 0 {
			return 0, 0, false
		}
		length = digits + 3
		s = s[2:]
	case s[0] == 'u':
		digits, length, s = 4, 5, s[1:]
	case s[0] == 'x':
		digits, length, s = 2, 3, s[1:]
	}
	if digits == 0 || len(s) < digits {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(s[:digits], 16, 32)
	return rune(n), length, err == nil && utf8.ValidRune(rune(n)) //nolint:gosec // at most 32 bits are read
}
