// Package example reads behaviors of a spec as calls with literals, writes programs that make these calls as a user of the
// code would, and compares what they give with what the spec says.
//
// A program never learns what is expected: it makes the calls and writes down what came back. The comparison is made here. So
// the code under proof can forge nothing without computing the answer.
//
// What cannot be read without guessing is no example: [Read] says why.
package example

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Example is one behavior as a call with literals.
type Example struct {
	Item string `json:"item"`           // id of the spec's item
	Test string `json:"test,omitempty"` // of what a test says: its id
	// After is what the test did before that was not understood, "" where all is understood.
	After string `json:"after,omitempty"`
	Text  string `json:"text"` // as the spec has it
	Line  int    `json:"line"`
	// Before is what a sequence does before the call: it makes objects and changes them.
	Before []Step `json:"before,omitempty"`
	// Call is a chain: Invoice(1000) and then total(). The first link names an export, or is a variable of the sequence.
	Call []Link `json:"call"`
	Want Want   `json:"want"`
}

// Step is a chain whose result a variable has, or without a name one that only does something, or fails.
type Step struct {
	Name string `json:"name,omitempty"`
	Call []Link `json:"call"`
}

// Link is one call of a chain. A name may have dots: Type.static. Where what comes before gives a function, the call of that has no name.
type Link struct {
	Name string `json:"name"`
	// Module is where the first name of a chain is: the name of a module of Python or Rust, the address of a file of Node, the path of a
	// package of Go. Without, it is where that of the whole call is.
	Module string  `json:"module,omitempty"`
	New    bool    `json:"new,omitempty"` // makes an object of a type
	Args   []Value `json:"args"`
	// Fields make an object by the names of its fields: Invoice{amount: 5}.
	Fields []Field `json:"fields,omitempty"`
	// Field is set where nothing is called: what an object has by that name is read.
	Field bool `json:"field,omitempty"`
	// Var is set where a chain begins with a variable.
	Var bool `json:"var,omitempty"`
	// Index is set where an element of a list, or what an object has by a key, is read.
	Index *Value `json:"index,omitempty"`
}

// Want is what a call is to give: a value or an error.
type Want struct {
	Error bool   `json:"error,omitempty"`
	Type  string `json:"type,omitempty"` // of the error, "" when any will do
	// Says are texts and numbers that the error has to say, in this order.
	Says  []string `json:"says,omitempty"`
	Value Value    `json:"value,omitzero"`
	Raw   string   `json:"raw,omitempty"` // the value as the spec has it
}

// Symbol is the name of the export that is called, or that has made the object.
func (e Example) Symbol() string {
	name, _, _ := strings.Cut(e.First().Name, ".")
	return name
}

// First is the link that the call begins with, or that has made its object: Cart of c = Cart(); c.add(1); c.total(). Where [Common] does,
// the one of the statement before is meant that has filled it: fill of m = Map(); fill(m); m.size.
func (e Example) First() *Link {
	made := e.maker(&e.Call[0], len(e.Before))
	common, _ := Common("", made.Name)
	for i := len(e.Before) - 1; i >= 0 && common; i-- {
		filled := e.maker(&e.Before[i].Call[0], i)
		if known, _ := Common("", filled.Name); !known {
			return filled
		}
	}
	return made
}

// maker is the link that has made what a chain begins with, by the first n statements.
func (e Example) maker(first *Link, n int) *Link {
	for i := n - 1; i >= 0 && first.Var; i-- {
		if e.Before[i].Name == first.Name {
			first = &e.Before[i].Call[0]
		}
	}
	return first
}

// Common reports whether programs of an ecosystem, or of any where that is "", know a type or a function by that name that is none of the project.
// always says that it is meant even where the project has one of that name.
func Common(ecosystem, name string) (known, always bool) {
	first, _, _ := strings.Cut(name, ".")
	for e, names := range common {
		if ecosystem == "" || e == ecosystem {
			always = always || slices.Contains(names.always, first)
			known = known || always || slices.Contains(names.unless, first)
		}
	}
	return known, always
}

// common are names that the programs know, by ecosystem: always, and unless the project has one.
var common = map[string]struct{ always, unless []string }{
	"python": {
		strings.Fields("date datetime time timedelta Decimal Fraction UUID Path"),
		strings.Fields("len sorted str list dict set tuple frozenset bytes bytearray deque OrderedDict Counter defaultdict"),
	},
	"node": {strings.Fields("Date Map Set Uint8Array URL"), []string{"Array"}},
	"jvm":  {nil, strings.Fields("BigDecimal BigInteger LocalDate LocalTime LocalDateTime Instant Duration List Optional")},
}

// Chains are those of the sequence, in their order.
func (e Example) Chains() (out [][]Link) {
	for _, s := range e.Before {
		out = append(out, s.Call)
	}
	return append(out, e.Call)
}

// Clone is an example with links and arguments of its own.
func (e Example) Clone() Example {
	return e.Rewritten(func(v Value) Value { return v }, nil)
}

// Rewritten is an example with what value makes of each value, before what is in it. Chain may change each chain, and is told what it was.
func (e Example) Rewritten(value func(Value) Value, chain func(was, now []Link)) Example {
	r := rewriter{value, chain}
	e.Before = slices.Clone(e.Before)
	for i, s := range e.Before {
		e.Before[i].Call = r.links(s.Call)
	}
	e.Call = r.links(e.Call)
	return e
}

type rewriter struct {
	value func(Value) Value
	chain func(was, now []Link)
}

func (r rewriter) links(was []Link) []Link {
	now := slices.Clone(was)
	for i, l := range now {
		if l.Index != nil {
			now[i].Index = new(r.of(*l.Index))
		}
	}
	if r.chain != nil && len(now) > 0 {
		r.chain(was, now)
	}
	for i, l := range now {
		now[i].Args, now[i].Fields = r.all(l.Args), r.fields(l.Fields)
	}
	return now
}

func (r rewriter) all(vs []Value) []Value {
	out := slices.Clone(vs)
	for i, v := range out {
		out[i] = r.of(v)
	}
	return out
}

func (r rewriter) fields(fs []Field) []Field {
	out := slices.Clone(fs)
	for i, f := range out {
		out[i].Value = r.of(f.Value)
	}
	return out
}

func (r rewriter) of(v Value) Value {
	v = r.value(v)
	v.List, v.Fields, v.Call = r.all(v.List), r.fields(v.Fields), r.links(v.Call)
	return v
}

// Read reads a behavior. Where it is no call with literals, why says so and there is no example.
func Read(input, output string) (e Example, why string) { return read(input, output, false) }

func read(input, output string, functions bool) (e Example, why string) {
	code, ok := uncoded(input)
	if !ok {
		return Example{}, "the input is not a call with literals"
	}
	p := &parser{s: code, calls: true, functions: functions}
	if e.Before, e.Call, ok = p.steps(); !ok || !p.end() {
		return Example{}, "the input is not a call with literals"
	}
	if e.Want, ok = want(strings.TrimSpace(output)); !ok {
		return e, "the output is not a literal"
	}
	return e, ""
}

// ReadCall reads a call that an agent has written as one, with what it is to give. That may be the name of a constant, or of an error whose
// name does not say that it is one. Arguments may be functions: what strangers write in a text is never run like that.
func ReadCall(call, gives string) (e Example, why string) {
	e, why = read(call, gives, true)
	if e.Call == nil || why == "" && !e.Want.Error {
		return e, why
	}
	text, failed := strings.CutPrefix(strings.TrimSpace(gives), "Err(")
	if failed {
		text = strings.TrimSuffix(text, ")")
	}
	p := &parser{s: text, calls: true}
	name := lastName(strings.ReplaceAll(p.name(), "::", "."))
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
		return e, why
	}
	var says []string
	if p.take("(") {
		args, ok := p.list(")")
		if !ok {
			return e, why
		}
		visitAll([]Link{{Args: args}}, func(v Value) {
			if v.Kind == String || v.Kind == Number {
				says = append(says, v.Text)
			}
		})
	}
	switch {
	case !p.end():
		return e, why
	case failed || errorName(name):
		e.Want = Want{Error: true, Type: name, Says: says, Raw: gives}
	default:
		e.Want = Want{Value: Value{Kind: Name, Text: name}, Says: says, Raw: gives}
	}
	return e, ""
}

// uncoded takes the marks of code away from a text that is code and nothing else.
func uncoded(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 1 && strings.HasPrefix(s, "`") && strings.HasSuffix(s, "`") {
		s = s[1 : len(s)-1]
	}
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '`':
			return "", false
		}
	}
	return s, true
}

// want reads an output: a literal, or a word for an error, that may be followed by what explains it.
func want(s string) (Want, bool) {
	if code, rest, ok := leadingCode(s); ok {
		if !explains(rest) {
			return Want{}, false
		}
		return wanted(code, true)
	}
	return wanted(s, false)
}

// leadingCode is the code that a text begins with, and what follows.
func leadingCode(s string) (code, rest string, ok bool) {
	if !strings.HasPrefix(s, "`") {
		return "", "", false
	}
	code, rest, ok = strings.Cut(s[1:], "`")
	return code, rest, ok && code != ""
}

// explains reports whether what follows a literal only explains it: it begins with a mark and has no code of its own.
func explains(rest string) bool {
	if strings.TrimSpace(rest) == "" {
		return true
	}
	t := strings.TrimLeft(rest, " ")
	for _, mark := range []string{",", ";", "(", "—", "–", "- ", ". ", ":"} {
		if strings.HasPrefix(t, mark) {
			return !strings.Contains(t, "`") && !alternative(t)
		}
	}
	return false
}

// alternative reports whether an explanation takes back what it explains.
func alternative(s string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch w {
		case "or", "if", "when", "unless", "except", "otherwise", "about", "roughly", "또는", "이면":
			return true
		}
	}
	return false
}

func wanted(s string, code bool) (Want, bool) {
	p := &parser{s: s}
	if v, ok := p.value(); ok && v.Kind != Name {
		if list, ok := p.more(v); ok { // 4, true
			return Want{Value: list, Raw: s}, true
		}
		return Want{Value: v, Raw: s[:p.i]}, p.end() || !code && explains(p.rest())
	}
	return wantedError(s)
}

// errorWords say that something fails, without a name for it.
var errorWords = map[string]bool{
	"error": true, "an error": true, "throws": true, "raises": true, "panics": true, "fails": true, "exception": true, "an exception": true,
	"오류": true, "에러": true, "예외": true, "실패": true,
}

func wantedError(s string) (Want, bool) {
	head := s
	if i := strings.IndexAny(s, ",;:(—–"); i >= 0 && !strings.HasPrefix(s, "Err(") {
		if strings.HasPrefix(s[i:], "::") {
			if j := strings.IndexAny(s[i+2:], ",;:(—–"); j >= 0 {
				head = s[:i+2+j]
			}
		} else {
			head = s[:i]
		}
	}
	head = strings.TrimSpace(head)
	if errorWords[strings.ToLower(head)] {
		return Want{Error: true, Raw: s}, true
	}
	for _, verb := range []string{"throws ", "raises ", "throw ", "raise ", "returns ", "an ", "a "} {
		if len(head) > len(verb) && strings.EqualFold(head[:len(verb)], verb) {
			head = strings.Trim(head[len(verb):], " `")
		}
	}
	if inner, ok := strings.CutPrefix(head, "Err("); ok {
		head = strings.TrimSuffix(inner, ")")
	}
	head = strings.TrimSuffix(head, " 발생")
	if errorWords[strings.ToLower(head)] {
		return Want{Error: true, Raw: s}, true
	}
	p := &parser{s: head}
	if name := p.name(); name != "" && p.end() && errorName(name) {
		return Want{Error: true, Type: lastName(name), Raw: s}, true
	}
	return Want{}, false
}

// errorName reports whether a name is one of an error, as languages write them.
func errorName(name string) bool {
	last := lastName(name)
	return strings.HasSuffix(last, "Error") || strings.HasSuffix(last, "Exception") || strings.HasPrefix(last, "Err") || strings.Contains(name, "Error::")
}

func lastName(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

// String is the example as it was understood.
func (e Example) String() string {
	if e.Want.Error {
		return strings.TrimSuffix(e.Calls()+" = error "+e.Want.Type, " ")
	}
	return e.Calls() + " = " + e.Want.Value.String()
}

// Calls is the call as it was understood, without what it is to give.
func (e Example) Calls() string {
	var b strings.Builder
	for _, s := range e.Before {
		if s.Name != "" {
			b.WriteString(s.Name + " = ")
		}
		b.WriteString(chainText(s.Call) + "; ")
	}
	return b.String() + chainText(e.Call)
}

// chainText is a chain for people.
func chainText(links []Link) string {
	var b strings.Builder
	for i, l := range links {
		if l.Index != nil {
			b.WriteString("[" + l.Index.String() + "]")
			continue
		}
		if i > 0 && l.Name != "" {
			b.WriteByte('.')
		}
		if l.New {
			b.WriteString("new ")
		}
		b.WriteString(l.Name)
		if l.Field || l.Var {
			continue
		}
		args := Value{Kind: List, List: l.Args}
		if l.Fields != nil {
			args.List = []Value{{Kind: Object, Fields: l.Fields}}
		}
		text := args.String()
		b.WriteString("(" + text[1:len(text)-1] + ")")
	}
	return b.String()
}
