package signature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form is the shape of a type.
type Form uint8

// The forms of types. A form that takes arguments has them in Args: the element of Optional,
// List, Set, Pointer, Future and Chan, key and value of Map, the members of Tuple and Union,
// value and error of Result, the parameters of Func and behind them its result.
const (
	Named    Form = iota // any other name, with arguments
	Basic                // a built-in type, its meaning in Class
	Literal              // "a", 3, true
	Optional             // may be absent
	List
	Set
	Map
	Tuple
	Union
	Func
	Future
	Result
	Pointer
	Chan
	Object // { a: T }, its text in Name
	Raw    // what is not understood, its text in Name
)

// Type is a type of any of the languages.
type Type struct {
	Form  Form
	Name  string // as written, without what qualifies it; of a list or map the way it is written
	Class string // of a Basic: string, int, float, bool, bytes, any, unit, never
	Args  []Type
}

// basics are the names of built-in types by language, with what they mean.
var basics = map[string]map[string]string{
	TypeScript: {
		"string": "string", "String": "string", "number": "number", "Number": "number", "bigint": "int", "boolean": "bool", "Boolean": "bool", "any": "any", "unknown": "any",
		"object": "any", "void": "unit", "undefined": "unit", "null": "unit", "never": "never", "Uint8Array": "bytes", "Buffer": "bytes", "symbol": "symbol", "Error": "error",
	},
	Python: {
		"str": "string", "int": "int", "float": "float", "complex": "float", "bool": "bool", "None": "unit", "Any": "any", "object": "any", "bytes": "bytes", "NoReturn": "never", "Never": "never",
	},
	Go: {
		"string": "string", "int": "int", "int8": "int", "int16": "int", "int32": "int", "int64": "int", "uint": "int", "uint8": "int", "uint16": "int", "uint32": "int",
		"uint64": "int", "byte": "int", "rune": "int", "uintptr": "int", "float32": "float", "float64": "float", "bool": "bool", "any": "any", "error": "error",
	},
	Rust: {
		"String": "string", "str": "string", "i8": "int", "i16": "int", "i32": "int", "i64": "int", "i128": "int", "isize": "int", "u8": "int", "u16": "int", "u32": "int", "u64": "int",
		"u128": "int", "usize": "int", "f32": "float", "f64": "float", "bool": "bool", "char": "string", "Value": "any", "()": "unit", "!": "never",
	},
	Java: {
		"String": "string", "char": "string", "int": "int", "long": "int", "short": "int", "byte": "int", "Integer": "int", "Long": "int", "Short": "int", "Byte": "int", "BigInteger": "int",
		"float": "float", "double": "float", "Float": "float", "Double": "float", "BigDecimal": "float", "boolean": "bool", "Boolean": "bool", "Object": "any", "void": "unit", "Void": "unit",
	},
	Kotlin: {
		"String": "string", "Char": "string", "Int": "int", "Long": "int", "Short": "int", "Byte": "int", "Float": "float", "Double": "float", "Boolean": "bool", "Any": "any",
		"Unit": "unit", "Nothing": "never", "ByteArray": "bytes",
	},
}

// generics are the names of types with arguments that have a form of their own, by language;
// under "" for all of them.
var generics = map[string]map[string]Form{
	"": {
		"Promise": Future, "CompletableFuture": Future, "CompletionStage": Future, "Awaitable": Future, "Coroutine": Future, "Deferred": Future, "Future": Future,
		"Optional": Optional, "Option": Optional, "Maybe": Optional, "Nullable": Optional, "Result": Result,
		"Array": List, "ReadonlyArray": List, "List": List, "list": List, "Vec": List, "MutableList": List, "ArrayList": List,
		"Map": Map, "ReadonlyMap": Map, "Record": Map, "Dict": Map, "dict": Map, "HashMap": Map, "BTreeMap": Map, "MutableMap": Map, "Mapping": Map,
		"Set": Set, "ReadonlySet": Set, "set": Set, "HashSet": Set, "BTreeSet": Set, "MutableSet": Set, "FrozenSet": Set, "frozenset": Set,
		"Pair": Tuple, "Triple": Tuple, "Tuple": Tuple, "tuple": Tuple, "Union": Union,
		"Callable": Func, "Fn": Func, "FnMut": Func, "FnOnce": Func, "Function": Func, "BiFunction": Func, "Consumer": Func, "BiConsumer": Func, "Supplier": Func, "Predicate": Func, "BiPredicate": Func,
	},
	// Pointers to something on the heap and what is shared are, to who calls, the thing itself.
	Rust: {"Box": Pointer, "Rc": Pointer, "Arc": Pointer},
}

// ParseType reads a type as the language writes it. What it does not understand is Raw.
func ParseType(text, lang string) Type {
	text = squeeze(text)
	p := &typeParser{lang: lang, toks: lexType(text)}
	t, ok := p.union()
	if !ok || p.at < len(p.toks) {
		return Type{Form: Raw, Name: tight(text)}
	}
	return t
}

type typeTok struct {
	text string
	kind byte // i identifier, s string, n number, p other
}

// lexType cuts a type into words, literals and marks; a name keeps its dots.
func lexType(s string) []typeTok {
	var out []typeTok
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == ' ':
			i += n
		case r == '_' || r == '$' || unicode.IsLetter(r):
			j := i
			for j < len(s) {
				r, n := utf8.DecodeRuneInString(s[j:])
				dot := (r == '.' || r == ':' && strings.HasPrefix(s[j:], "::")) && j+1 < len(s) && !strings.HasPrefix(s[j:], "...")
				if dot && r == ':' {
					n = 2
				}
				if dot {
					if next, _ := utf8.DecodeRuneInString(s[j+n:]); next != '_' && !unicode.IsLetter(next) {
						break
					}
				} else if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
					break
				}
				j += n
			}
			out = append(out, typeTok{s[i:j], 'i'})
			i = j
		case unicode.IsDigit(r):
			j := i
			for j < len(s) && (s[j] == '.' || s[j] == '_' || unicode.IsDigit(rune(s[j])) || unicode.IsLetter(rune(s[j]))) {
				j++
			}
			out = append(out, typeTok{s[i:j], 'n'})
			i = j
		case r == '"' || r == '`' || r == '\'' && closes(s[i:]):
			j := i + 1
			for j < len(s) && rune(s[j]) != r {
				j++
			}
			j = min(j+1, len(s))
			out = append(out, typeTok{s[i:j], 's'})
			i = j
		default:
			text := string(r)
			for _, long := range []string{"...", "=>", "->", "<-", "::"} {
				if strings.HasPrefix(s[i:], long) {
					text, n = long, len(long)
					break
				}
			}
			out = append(out, typeTok{text, 'p'})
			i += n
		}
	}
	return out
}

// closes tells a literal 'a' from a lifetime 'a of Rust.
func closes(s string) bool { return strings.IndexByte(s[1:], '\'') >= 0 }

type typeParser struct {
	lang  string
	toks  []typeTok
	at    int
	depth int
}

func (p *typeParser) peek() typeTok {
	if p.at < len(p.toks) {
		return p.toks[p.at]
	}
	return typeTok{}
}

func (p *typeParser) take(text string) bool {
	if t := p.peek(); t.text == text && t.kind != 's' {
		p.at++
		return true
	}
	return false
}

// nesting is how deep types may stand in each other: a document may hold anything.
const nesting = 60

func (p *typeParser) union() (Type, bool) {
	if p.depth++; p.depth > nesting {
		return Type{}, false
	}
	defer func() { p.depth-- }()
	p.take("|")
	first, ok := p.inter()
	if !ok {
		return Type{}, false
	}
	if p.peek().text != "|" || p.peek().kind == 's' {
		return first, true
	}
	members := []Type{first}
	for p.take("|") {
		t, ok := p.inter()
		if !ok {
			return Type{}, false
		}
		members = append(members, t)
	}
	return unionOf(members), true
}

// unionOf joins members; one that stands for absence makes the others optional.
func unionOf(members []Type) Type {
	var rest []Type
	absent := false
	for _, m := range members {
		switch {
		case m.Form == Basic && m.Class == "unit":
			absent = true
		case m.Form == Union:
			rest = append(rest, m.Args...)
		case m.Form == Optional:
			absent = true
			rest = append(rest, m.Args[0])
		default:
			rest = append(rest, m)
		}
	}
	t := Type{Form: Union, Args: rest}
	switch {
	case len(rest) == 0:
		return members[0]
	case len(rest) == 1:
		t = rest[0]
	}
	if absent {
		return Type{Form: Optional, Args: []Type{t}}
	}
	return t
}

func (p *typeParser) inter() (Type, bool) {
	first, ok := p.postfix()
	if !ok {
		return Type{}, false
	}
	sign := ""
	if t := p.peek(); t.text == "&" || t.text == "+" {
		sign = t.text
	}
	members := []Type{first}
	for sign != "" && p.take(sign) {
		t, ok := p.postfix()
		if !ok {
			return Type{}, false
		}
		members = append(members, t)
	}
	if len(members) > 1 {
		return Type{Form: Named, Name: "&", Args: members}, true
	}
	return first, true
}

func (p *typeParser) postfix() (Type, bool) {
	t, ok := p.primary()
	for ok {
		switch {
		case p.lang != Go && p.peek().text == "[" && p.at+1 < len(p.toks) && p.toks[p.at+1].text == "]":
			p.at += 2
			t = Type{Form: List, Name: "[]", Args: []Type{t}}
		case p.peek().text == "?":
			p.at++
			if t.Form != Optional {
				t = Type{Form: Optional, Args: []Type{t}}
			}
		case p.peek().text == "!" && p.lang == Kotlin:
			p.at++
		default:
			return t, true
		}
	}
	return t, ok
}

func (p *typeParser) primary() (Type, bool) {
	t := p.peek()
	switch t.kind {
	case 's':
		p.at++
		if p.lang == Python { // a name that is declared later
			return ParseType(strings.Trim(t.text, `'"`), p.lang), true
		}
		return Type{Form: Literal, Name: `"` + strings.Trim(t.text, "'\"`") + `"`}, true
	case 'n':
		p.at++
		return Type{Form: Literal, Name: t.text}, true
	case 'i':
		return p.word()
	}
	switch t.text {
	case "(":
		return p.paren()
	case "[":
		return p.bracket()
	case "{":
		text, ok := p.balanced()
		return Type{Form: Object, Name: text}, ok
	case "*":
		p.at++
		if p.lang == Go || p.lang == Rust {
			p.take("const")
			p.take("mut")
			e, ok := p.postfix()
			return Type{Form: Pointer, Name: "*", Args: []Type{e}}, ok
		}
		return Type{Form: Basic, Name: "?", Class: "any"}, true
	case "&":
		p.at++
		if p.take("'") {
			p.at++
		}
		p.take("mut")
		e, ok := p.postfix()
		return Type{Form: Pointer, Name: "&", Args: []Type{e}}, ok
	case "?":
		p.at++
		if p.take("extends") || p.take("super") {
			return p.postfix()
		}
		return Type{Form: Basic, Name: "?", Class: "any"}, true
	case "<-":
		p.at++
		if p.take("chan") {
			e, ok := p.postfix()
			return Type{Form: Chan, Name: "<-chan", Args: []Type{e}}, ok
		}
	case "!":
		p.at++
		return Type{Form: Basic, Name: "!", Class: "never"}, true
	case "...":
		p.at++
		if p.lang == Python {
			return Type{Form: Named, Name: "..."}, true
		}
		e, ok := p.postfix()
		return Type{Form: List, Name: "...", Args: []Type{e}}, ok
	}
	return Type{}, false
}

// silent words stand before a type and do not change what it is to who uses it.
var silent = map[string][]string{
	TypeScript: {"readonly", "unique"},
	Rust:       {"dyn", "impl", "mut"},
	Kotlin:     {"in", "out", "suspend", "reified"},
	Java:       {"final"},
}

func (p *typeParser) word() (Type, bool) {
	word := p.peek().text
	if slices.Contains(silent[p.lang], word) && p.at+1 < len(p.toks) {
		p.at++
		return p.postfix()
	}
	p.at++
	switch {
	case word == "map" && p.peek().text == "[" && p.lang == Go:
		p.at++
		k, ok1 := p.union()
		ok2 := p.take("]")
		v, ok3 := p.postfix()
		return Type{Form: Map, Name: "map", Args: []Type{k, v}}, ok1 && ok2 && ok3
	case word == "chan" && p.lang == Go:
		name := "chan"
		if p.take("<-") {
			name = "chan<-"
		}
		e, ok := p.postfix()
		return Type{Form: Chan, Name: name, Args: []Type{e}}, ok
	case (word == "func" || word == "fn") && p.peek().text == "(":
		return p.function(p.lang == Go)
	case (word == "interface" || word == "struct") && p.peek().text == "{" && p.lang == Go:
		text, ok := p.balanced()
		if word == "interface" && text == "{}" {
			return Type{Form: Basic, Name: "any", Class: "any"}, ok
		}
		return Type{Form: Object, Name: word + text}, ok
	case slices.Contains([]string{"keyof", "typeof", "infer", "asserts", "new", "abstract"}, word) && p.lang == TypeScript:
		return Type{}, false
	case word == "true" || word == "false" || word == "True" || word == "False":
		return Type{Form: Literal, Name: strings.ToLower(word)}, true
	}
	if strings.HasSuffix(word, "Fn") || word == "FnMut" || word == "FnOnce" {
		if p.peek().text == "(" && p.lang == Rust {
			return p.function(false)
		}
	}
	name := last(word)
	open := p.peek().text
	if name == "Literal" && p.lang == Python && open == "[" {
		return p.literals()
	}
	if open != "<" && (open != "[" || p.lang != Python && p.lang != Go) || p.at+1 < len(p.toks) && p.toks[p.at+1].text == "]" {
		return p.named(name, nil), true
	}
	p.at++
	end := map[string]string{"<": ">", "[": "]"}[open]
	var args []Type
	for !p.take(end) {
		if p.take("'") { // a lifetime
			p.at++
		} else {
			a, ok := p.union()
			if !ok {
				return Type{}, false
			}
			args = append(args, a)
		}
		if !p.take(",") && p.peek().text != end {
			return Type{}, false
		}
	}
	return p.named(name, args), true
}

// literals reads Literal["a", "b"] of Python.
func (p *typeParser) literals() (Type, bool) {
	p.at++
	var members []Type
	for !p.take("]") {
		t := p.peek()
		switch t.kind {
		case 's':
			members = append(members, Type{Form: Literal, Name: `"` + strings.Trim(t.text, `'"`) + `"`})
		case 'n', 'i':
			members = append(members, Type{Form: Literal, Name: strings.ToLower(t.text)})
		default:
			return Type{}, false
		}
		p.at++
		if !p.take(",") && p.peek().text != "]" {
			return Type{}, false
		}
	}
	if len(members) == 0 {
		return Type{}, false
	}
	return unionOf(members), true
}

// last is a name without what qualifies it: packages, namespaces and their aliases do not
// make it another type.
func last(word string) string {
	if i := strings.LastIndexAny(word, ".:"); i >= 0 {
		return word[i+1:]
	}
	return word
}

func (p *typeParser) named(name string, args []Type) Type {
	form, known := generics[p.lang][name]
	if !known {
		form, known = generics[""][name]
	}
	if !known || len(args) == 0 {
		if class := basics[p.lang][name]; class != "" && len(args) == 0 {
			return Type{Form: Basic, Name: name, Class: class}
		}
		if class := foreignBasic(name); class != "" && len(args) == 0 && p.lang != "" {
			return Type{Form: Basic, Name: name, Class: class}
		}
		if known && (form == List || form == Map || form == Set || form == Future || form == Tuple) && name != "Function" {
			return Type{Form: form, Name: name}
		}
		return Type{Form: Named, Name: name, Args: args}
	}
	t := Type{Form: form, Name: name, Args: args}
	switch form {
	case Optional, List, Set, Future, Pointer:
		if name == "Coroutine" && len(args) == 3 {
			args = args[2:]
		}
		if len(args) != 1 {
			return Type{Form: Named, Name: name, Args: args}
		}
		t.Args = args
		if form == Optional && args[0].Form == Optional {
			return args[0]
		}
	case Map:
		if len(args) != 2 {
			return Type{Form: Named, Name: name, Args: args}
		}
	case Union:
		return unionOf(args)
	case Func:
		return funcNamed(name, args)
	default:
	}
	return t
}

// funcNamed reads the types that other languages have for functions.
func funcNamed(name string, args []Type) Type {
	unit := Type{Form: Basic, Name: "void", Class: "unit"}
	switch name {
	case "Callable":
		if len(args) == 2 && args[0].Form == Tuple {
			return Type{Form: Func, Args: append(slices.Clone(args[0].Args), args[1])}
		}
		return Type{Form: Named, Name: name, Args: args}
	case "Consumer", "BiConsumer":
		args = append(slices.Clone(args), unit)
	case "Predicate", "BiPredicate":
		args = append(slices.Clone(args), Type{Form: Basic, Name: "boolean", Class: "bool"})
	}
	return Type{Form: Func, Name: name, Args: args}
}

// foreignBasic is the meaning of a name that another language has and that no language uses
// for something else: specs are often written in the words of another language.
func foreignBasic(name string) string {
	switch name {
	case "string", "str":
		return "string"
	case "number":
		return "number"
	case "integer", "int", "int32", "int64", "i32", "i64", "u32", "u64", "long":
		return "int"
	case "float", "double", "float64", "float32", "f64", "f32":
		return "float"
	case "boolean", "bool":
		return "bool"
	case "void", "None", "null", "undefined", "nil":
		return "unit"
	case "any":
		return "any"
	}
	return ""
}

// function reads `(A, B) R` of Go or `(A, B) -> R` of Rust behind func or fn.
func (p *typeParser) function(isGo bool) (Type, bool) {
	args, ok := p.list("(", ")")
	if !ok {
		return Type{}, false
	}
	result := Type{Form: Basic, Name: "()", Class: "unit"}
	if isGo {
		if t := p.peek(); t.text != "" && t.text != "," && t.text != ")" && t.text != "]" && t.text != "}" && t.text != "|" {
			if result, ok = p.postfix(); !ok {
				return Type{}, false
			}
		}
	} else if p.take("->") {
		if result, ok = p.postfix(); !ok {
			return Type{}, false
		}
	}
	return Type{Form: Func, Args: append(args, result)}, true
}

// list reads types between brackets; each may have a name before it, as parameters have.
func (p *typeParser) list(open, end string) ([]Type, bool) {
	if !p.take(open) {
		return nil, false
	}
	args := []Type{}
	var bare []int // of Go: words that are names if the next one has a type
	for !p.take(end) {
		optional, rest := false, p.take("...")
		start := p.at
		if p.peek().kind == 'i' && p.at+1 < len(p.toks) {
			switch next := p.toks[p.at+1]; {
			case next.text == ":" || next.text == "?" && p.at+2 < len(p.toks) && p.toks[p.at+2].text == ":":
				optional = next.text == "?"
				p.at += 2
				if optional {
					p.at++
				}
			case p.lang == Go && (next.kind == 'i' && p.peek().text != "chan" || next.text == "..." || next.text == "*" || next.text == "<-" ||
				next.text == "[" && p.at+2 < len(p.toks) && p.toks[p.at+2].text == "]"):
				p.at++
				bare = append(bare, -1)
			}
		}
		t, ok := p.union()
		if !ok {
			return nil, false
		}
		if rest {
			t = Type{Form: List, Name: "...", Args: []Type{t}}
		}
		if optional && t.Form != Optional {
			t = Type{Form: Optional, Args: []Type{t}}
		}
		if p.lang == Go {
			if len(bare) > 0 && bare[len(bare)-1] == -1 { // those before have its type as well
				for _, i := range bare[:len(bare)-1] {
					args[i] = t
				}
				bare = nil
			} else if p.at == start+1 {
				bare = append(bare, len(args))
			}
		}
		args = append(args, t)
		if !p.take(",") && p.peek().text != end {
			return nil, false
		}
	}
	return args, true
}

func (p *typeParser) paren() (Type, bool) {
	args, ok := p.list("(", ")")
	if !ok {
		return Type{}, false
	}
	if p.take("=>") || p.take("->") {
		r, ok := p.union()
		return Type{Form: Func, Args: append(args, r)}, ok
	}
	switch len(args) {
	case 0:
		return Type{Form: Basic, Name: "()", Class: "unit"}, true
	case 1:
		return args[0], true
	}
	return Type{Form: Tuple, Args: args}, true
}

func (p *typeParser) bracket() (Type, bool) {
	if p.lang == Go || p.lang == "" && p.at+1 < len(p.toks) && p.toks[p.at+1].text == "]" && p.at+2 < len(p.toks) {
		p.at++
		name := "[]"
		for !p.take("]") {
			if p.at >= len(p.toks) {
				return Type{}, false
			}
			name = "[" + p.peek().text + "]"
			p.at++
		}
		e, ok := p.postfix()
		return Type{Form: List, Name: name, Args: []Type{e}}, ok
	}
	if p.lang == Rust {
		p.at++
		e, ok := p.union()
		name := "[]"
		if p.take(";") {
			name = "[" + p.peek().text + "]"
			p.at++
		}
		return Type{Form: List, Name: name, Args: []Type{e}}, ok && p.take("]")
	}
	args, ok := p.list("[", "]")
	return Type{Form: Tuple, Args: args}, ok
}

// balanced takes everything up to the bracket that closes the one here.
func (p *typeParser) balanced() (string, bool) {
	var b strings.Builder
	depth := 0
	for p.at < len(p.toks) {
		t := p.toks[p.at]
		p.at++
		if t.kind == 'p' {
			switch t.text {
			case "{", "(", "[":
				depth++
			case "}", ")", "]":
				depth--
			}
		}
		if t.text == ";" {
			t.text = ","
		}
		if t.kind != 'p' && b.Len() > 0 && isWordEnd(b.String()) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		if depth == 0 {
			return strings.ReplaceAll(b.String(), ",}", "}"), true
		}
	}
	return "", false
}

func isWordEnd(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// squeeze makes one space of all white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// tight drops white space that keeps no two words apart.
func tight(s string) string {
	var b strings.Builder
	for i, w := range strings.Fields(s) {
		if i > 0 && isWordEnd(b.String()) {
			if r, _ := utf8.DecodeRuneInString(w); r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w)
	}
	return b.String()
}
