package example

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/re"
)

// steps reads a chain, or a sequence of them that ends with the one that counts: x = T(1); y = x.f(2); y.g(x).
func (p *parser) steps() (before []Step, last []Link, ok bool) {
	p.vars, p.env = map[string]bool{}, map[string]Value{}
	for {
		name := p.assigned()
		if from := p.i; name != "" { // a literal stands for itself
			if v, read := p.value(); read && p.take(";") && v.Kind != Name && v.Kind != Made && v.Kind != Code {
				p.env[name] = v
				continue
			}
			p.i = from
		}
		if last, ok = p.chain(); !ok {
			return nil, nil, false
		}
		if !p.take(";") || p.end() {
			break
		}
		if name == "" && !p.functions && !uses(last) { // x.push(1), or something that everybody sees?
			return nil, nil, false
		}
		before = append(before, Step{name, last})
		if name != "" {
			p.vars[name] = true
		}
	}
	if len(before) == 1 && len(last) > 1 && last[0].Var && !uses(last[1:]) { // nothing happens to the object
		return nil, append(before[0].Call, last[1:]...), true
	}
	return before, last, true
}

// uses reports whether a chain is of a variable, or has one as an argument.
func uses(links []Link) bool {
	found := links[0].Var
	visitAll(links, func(v Value) { found = found || v.Kind == Made && v.Call[0].Var })
	return found
}

// assigned is the variable that a statement sets, "" where it sets none.
func (p *parser) assigned() string {
	for _, w := range []string{"const", "let", "var"} {
		if p.word(w) {
			break
		}
	}
	from := p.i
	if name := p.name(); name != "" && (p.take(":=") || p.take("=") && !p.take("=")) {
		return name
	}
	p.i = from
	return ""
}

// object is the variable of a sequence that comes next, "" where there is none.
func (p *parser) object() string {
	p.blank()
	from := p.i
	name, _, _ := strings.Cut(p.name(), ".")
	if !p.vars[name] {
		p.i = from
		return ""
	}
	p.i = from + len(name)
	return name
}

// chain reads f(1), Type.f(1), new T(1).f(), T{a: 1}.f(), f(1).a, and x.f(1) of a variable.
func (p *parser) chain() ([]Link, bool) {
	p.word("await")
	if x := p.object(); x != "" {
		return p.further([]Link{{Name: x, Var: true, Args: []Value{}}})
	}
	l := Link{New: p.word("new"), Args: []Value{}}
	l.Name = strings.ReplaceAll(p.name(), "::", ".")
	first, _, _ := strings.Cut(l.Name, ".")
	if _, literal := p.env[first]; literal || l.Name == "" {
		return nil, false
	}
	var ok bool
	switch {
	case p.take("("):
		l.Args, ok = p.list(")")
	case p.take("{"):
		l.New = true
		l.Fields, ok = p.fields()
	case p.functions: // Color.RED.value, or rules["a"](1), where it is known that it is a call
		r, _ := utf8.DecodeRuneInString(l.Name)
		l.Field, ok = true, !l.New && (unicode.IsUpper(r) || strings.HasPrefix(p.rest(), "["))
	}
	if !ok || !literal(l.Args) {
		return nil, false
	}
	return p.further([]Link{l})
}

// further reads what is called, or read, of a chain: .f(1), .a, [0], and (1) where it gives a function.
func (p *parser) further(of []Link) ([]Link, bool) {
	for {
		switch p.take("?"); {
		case p.take("["):
			v, ok := p.value()
			if !ok || !literal([]Value{v}) || !p.take("]") {
				return nil, false
			}
			of = append(of, Link{Field: true, Args: []Value{}, Index: &v})
		case p.take("("):
			args, ok := p.list(")")
			if !ok || !literal(args) {
				return nil, false
			}
			of = append(of, Link{Args: args})
		case p.take("."):
			l := Link{Args: []Value{}}
			if l.Name = strings.ReplaceAll(p.name(), "::", "."); l.Name == "" {
				return nil, false
			}
			if l.Field = !p.take("("); !l.Field {
				var ok bool
				if l.Args, ok = p.list(")"); !ok || !literal(l.Args) {
					return nil, false
				}
			}
			of = append(of, l)
		default:
			return of, true
		}
	}
}

// made reads an argument that begins with a name, from where it begins: a chain, a variable, or a constant.
func (p *parser) made(from int, name string) (Value, bool) {
	first, _, _ := strings.Cut(name, ".")
	r, _ := utf8.DecodeRuneInString(name)
	fields := strings.HasPrefix(p.rest(), "{") || unicode.IsUpper(r) && strings.HasPrefix(strings.TrimLeft(p.rest(), " "), "{") // T{a: 1}, T { a: 1 }
	if p.vars[first] || name == "new" || name == "await" || fields || strings.HasPrefix(p.rest(), "(") {
		p.i = from
		links, ok := p.chain()
		return Value{Kind: Made, Call: links}, ok
	}
	if strings.ContainsAny(name, ".:") || unicode.IsUpper(r) { // Color.RED, High
		return Value{Kind: Made, Call: []Link{{Name: strings.ReplaceAll(name, "::", "."), Args: []Value{}, Field: true}}}, true
	}
	return Value{Kind: Name, Text: name}, true
}

// function is how a function begins that is an argument, in Python, JavaScript, Go and Rust.
var function = re.New(`^(?:lambda\b[^:]*:|(?:async )?(?:\([^()]*\)|[\pL_$][\pL\d_$]*) *=>|func\([^()]*\)|(?:move )?\|[^|]*\|)`)

// function reads a function up to the end of the argument.
func (p *parser) function(head string) (Value, bool) {
	from, body := p.i, p.i+len(head)
	p.i = outside(p.s, body, ",)]}")
	text := strings.TrimSpace(p.s[from:p.i])
	return Value{Kind: Code, Text: text}, p.i < len(p.s) && strings.TrimSpace(p.s[body:p.i]) != ""
}

// outside is where the first of some marks stands in s, from a place on, that is in no quotes and no brackets; the end of s without one.
func outside(s string, from int, marks string) int {
	depth, quote := 0, byte(0)
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case depth == 0 && strings.IndexByte(marks, c) >= 0:
			return i
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
	}
	return len(s)
}

// assigns is a statement that sets a variable.
var assigns = re.New(`^(?:(?:const|let|var)\s+)?[\pL_$][\pL\d_$]*\s*:?=[^=>]`)

// Earlier are two forms of a sequence that asks something at its end: one asks it after each of the statements before as well, the other
// twice at the end. Code that answers by what it kept gives something else for the first one; a question that changes something does so
// for the second one. There are none where nothing happens between the last variable and the question.
func Earlier(call string) (earlier, twice string, ok bool) {
	parts := statements(call)
	set := -1
	for i, s := range parts {
		if assigns().MatchString(s) {
			set = i
		}
	}
	last := len(parts) - 1
	if set < 0 || set+1 >= last {
		return "", "", false
	}
	var out []string
	for i, s := range parts[:last] {
		if out = append(out, s); i >= set && i < last-1 {
			out = append(out, parts[last])
		}
	}
	return strings.Join(append(out, parts[last]), "; "), strings.Join(append(parts, parts[last]), "; "), true
}

// statements are those of a sequence.
func statements(s string) (out []string) {
	for s != "" {
		end := outside(s, 0, ";")
		if one := strings.TrimSpace(s[:end]); one != "" {
			out = append(out, one)
		}
		s = s[min(end+1, len(s)):]
	}
	return out
}
