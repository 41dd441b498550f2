package signature

import (
	"slices"
	"strings"
)

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
		return p.qualified(word, nil), true
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
	return p.qualified(word, args), true
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
func last(word string) string { return word[strings.LastIndexAny(word, ".:")+1:] }

func (p *typeParser) named(name string, args []Type) Type {
	form, known := generics[p.lang][name]
	if !known {
		form, known = generics[""][name]
	}
	if !known || len(args) == 0 {
		if class := basics[p.lang][name]; class != "" && len(args) == 0 {
			return Type{Form: Basic, Name: name, Class: class}
		}
		if class := foreignBasics[name]; class != "" && len(args) == 0 && p.lang != "" {
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

// foreignBasics are the meanings of names that another language has and that no language uses
// for something else: specs are often written in the words of another language.
var foreignBasics = map[string]string{
	"string": "string", "str": "string", "number": "number", "integer": "int", "int": "int", "int32": "int", "int64": "int", "i32": "int", "i64": "int", "u32": "int",
	"u64": "int", "long": "int", "float": "float", "double": "float", "float64": "float", "float32": "float", "f64": "float", "f32": "float",
	"boolean": "bool", "bool": "bool", "void": "unit", "None": "unit", "null": "unit", "undefined": "unit", "nil": "unit", "any": "any",
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
