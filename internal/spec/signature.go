package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// declWords are the keywords that start a declaration, and what it then declares.
var declWords = map[string]Kind{
	"func": Function, "function": Function, "fn": Function, "fun": Function, "def": Function,
	"class": Class, "interface": Type, "struct": Type, "trait": Type, "record": Type, "type": Type,
	"typealias": Type, "object": Class, "protocol": Type,
	"enum": Enum, "const": Variable, "let": Variable, "var": Variable, "val": Variable,
}

// modifiers may stand before a declaration and mean nothing here, except async and suspend.
var modifiers = map[string]bool{
	"export": true, "default": true, "declare": true, "public": true, "protected": true, "internal": true,
	"static": true, "final": true, "abstract": true, "sealed": true, "open": true, "override": true,
	"async": true, "suspend": true, "inline": true, "pub": true, "pub(crate)": true, "unsafe": true,
	"extern": true, "readonly": true, "data": true, "companion": true, "partial": true, "virtual": true,
}

// signature reads one declaration in any of the languages. group is the kind that the heading
// above promises, or "". strict is for text that was not marked as code: it then must look like
// a declaration and not like a sentence with parentheses.
func signature(sig string, group Kind, strict bool) (Export, bool) {
	sig = strings.TrimRight(squeeze(sig), ";{ ")
	if open := strings.Count(sig, "{") - strings.Count(sig, "}"); open > 0 {
		sig = squeeze(sig + strings.Repeat(" }", open))
	}
	e := Export{Signature: sig}
	rest, data := sig, false
	for {
		word, after, ok := strings.Cut(rest, " ")
		if !ok || !modifiers[word] {
			break
		}
		e.Async = e.Async || word == "async" || word == "suspend"
		data = data || word == "data"
		rest = strings.TrimLeft(after, " ")
	}
	e.Async = e.Async || strings.Contains(sig, "Promise<") || strings.Contains(sig, "CompletableFuture<")
	word, after, ok := strings.Cut(rest, " ")
	if kind, is := declWords[word]; ok && is {
		return e.declared(word, kind, strings.TrimSpace(after), data)
	}
	return e.bare(rest, group, strict)
}

// declared reads what follows a keyword.
func (e Export) declared(word string, kind Kind, rest string, data bool) (Export, bool) {
	e.Kind = kind
	if data {
		e.Kind = Type
	}
	switch word {
	case "enum":
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "class "), "struct ")
	case "const":
		if r, ok := strings.CutPrefix(rest, "fn "); ok {
			e.Kind, rest = Function, r
		} else if r, ok := strings.CutPrefix(rest, "enum "); ok {
			return e.declared("enum", Enum, r, false)
		}
	case "func":
		if strings.HasPrefix(rest, "(") {
			return e.method(rest)
		}
	}
	name, tail := leadingName(rest)
	if name == "" {
		return e, false
	}
	e.Name = name
	tail = strings.TrimSpace(skipGenerics(tail))
	switch e.Kind {
	case Function:
		return e, strings.HasPrefix(tail, "(")
	case Variable:
		if strings.Contains(tail, "=>") {
			e.Kind = Function
			return e, true
		}
		e.Value = valueOf(tail)
	case Enum:
		e.Variants = variants(tail)
	case Type:
		if strings.HasPrefix(tail, "enum") {
			e.Kind = Enum
			e.Variants = variants(strings.TrimPrefix(tail, "enum"))
		}
	case Class:
	}
	return e, true
}

// method reads a Go method: the receiver's type becomes part of the name.
func (e Export) method(rest string) (Export, bool) {
	receiver, tail, ok := parens(rest)
	if !ok {
		return e, false
	}
	fields := strings.Fields(receiver)
	name, tail := leadingName(strings.TrimSpace(tail))
	if len(fields) == 0 || name == "" || !strings.HasPrefix(skipGenerics(tail), "(") {
		return e, false
	}
	owner, _ := leadingName(strings.TrimLeft(fields[len(fields)-1], "*"))
	e.Kind, e.Name = Function, owner+"."+name
	return e, owner != ""
}

// bare reads a declaration without a keyword.
func (e Export) bare(s string, group Kind, strict bool) (Export, bool) {
	name, tail := leadingName(s)
	if name == "" {
		return e.method(s) // without its keyword: (m *Manager) Issue(x) error
	}
	space := strings.HasPrefix(tail, " ")
	after := strings.TrimSpace(skipGenerics(tail))
	switch {
	case strings.HasPrefix(after, "("):
		_, ret, ok := parens(after)
		if !ok {
			return e, false
		}
		return e.call(name, strings.TrimSpace(ret), group, strict, space)
	case strings.HasPrefix(after, "{") && strings.HasSuffix(after, "}"):
		e.Name, e.Kind = name, Type
		if group == Class || group == Enum {
			e.Kind = group
		}
		if e.Kind == Enum {
			e.Variants = variants(after)
		}
		return e, true
	case strings.Contains(name, ".") && member(name, after):
		e.Name, e.Kind = name, Variable
		e.Value, _ = cutMember(after)
		return e, !strict || looksLikeType(e.Value)
	case strings.HasPrefix(after, ":") || strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "=="):
		return e.assigned(name, after, group, strict)
	case after == "" && !strict:
		return e.lone(name, group), true
	}
	return e.typeFirst(s, strict)
}

// member reports whether a dotted name with what follows it is a field or property: `Name.field: T` or `Name.field -> T`.
func member(name, after string) bool {
	typ, ok := cutMember(after)
	return ok && typ != "" && !startsUpper(name[strings.LastIndexByte(name, '.')+1:]) &&
		!strings.Contains(typ, "=>") && !topLevelPipe(strings.ReplaceAll(typ, " | ", ""))
}

// cutMember splits the mark between a member and its type off.
func cutMember(after string) (typ string, ok bool) {
	for _, mark := range []string{"->", "→", ":"} {
		if typ, ok := strings.CutPrefix(after, mark); ok {
			return strings.TrimSpace(typ), true
		}
	}
	return "", false
}

// call decides what `name(…) rest` is.
func (e Export) call(name, ret string, group Kind, strict, space bool) (Export, bool) {
	e.Name, e.Kind = name, Function
	typed := strings.HasPrefix(ret, ":") || strings.HasPrefix(ret, "->") || strings.HasPrefix(ret, "→")
	switch {
	case strings.HasPrefix(ret, "extends "):
		e.Kind = Class
		return e, !strict || startsUpper(name)
	case strict && space && !typed:
		return e, false
	case group == Class || group == Type:
		if !typed {
			e.Kind = group
		}
	case group == Enum || group == Variable:
	case ret == "" && group == "" && startsUpper(name) && !strings.ContainsAny(name, ".:#"):
		e.Kind = Class
	}
	if strict && ret != "" && !typed && !looksLikeType(ret) {
		return e, false
	}
	return e, true
}

// assigned decides what `name: rest` or `name = rest` is.
func (e Export) assigned(name, after string, group Kind, strict bool) (Export, bool) {
	rhs := strings.TrimSpace(strings.TrimLeft(after, ":= "))
	e.Name = name
	switch {
	case rhs == "":
		return e, false
	case group == Type:
		e.Kind = Type
	case strings.Contains(rhs, "=>") && strings.HasPrefix(strings.TrimPrefix(rhs, "async "), "("):
		e.Kind = Function
	case group == Enum || group == "" && topLevelPipe(rhs):
		e.Kind, e.Variants = Enum, variants(after)
	case group == Class:
		e.Kind = Class
	case group == Variable || group == "" && (startsUpper(name) || !strict):
		e.Kind, e.Value = Variable, valueOf(after)
	default:
		return e, false
	}
	return e, !strict || e.Kind != Variable || strings.ToUpper(name) == name
}

// lone decides what a name alone is: the group says, else its case.
func (e Export) lone(name string, group Kind) Export {
	e.Name, e.Kind = name, group
	switch {
	case group != "":
	case strings.ToUpper(name) == name && utf8.RuneCountInString(name) > 1:
		e.Kind = Variable
	case startsUpper(name):
		e.Kind = Type
	default:
		e.Kind = Function
	}
	return e
}

// typeFirst reads `Type name(params)` as Java and C write it.
func (e Export) typeFirst(s string, strict bool) (Export, bool) {
	open := strings.IndexByte(s, '(')
	if open <= 0 || s[open-1] == ' ' {
		return e, false
	}
	head := s[:open]
	cut := strings.LastIndexAny(head, " >]")
	if cut < 0 {
		return e, false
	}
	typ, name := strings.TrimSpace(head[:cut+1]), strings.TrimSpace(head[cut+1:])
	params, ret, ok := parens(s[open:])
	if !ok || !isIdent(name) || typ == "" || len(splitOutside(typ, ' ')) != 1 {
		return e, false
	}
	if ret = strings.TrimSpace(ret); ret != "" && !strings.HasPrefix(ret, "throws ") {
		return e, false
	}
	if strict && strings.TrimSpace(params) != "" && !strings.Contains(strings.TrimSpace(params), " ") {
		return e, false
	}
	e.Name, e.Kind = name, Function
	return e, true
}

// leadingName splits a name off the front.
func leadingName(s string) (string, string) {
	end := 0
	for i, r := range s {
		if isWord(r) || i > 0 && (r == '.' || r == '#') || r == ':' && strings.HasPrefix(s[i:], "::") ||
			i > 0 && r == ':' && s[i-1] == ':' {
			end = i + utf8.RuneLen(r)
			continue
		}
		break
	}
	name := strings.TrimRight(s[:end], ".#:")
	if !isIdent(name) {
		return "", s
	}
	return name, s[len(name):]
}

// skipGenerics drops `<…>` or `[…]` from the front.
func skipGenerics(s string) string {
	t := strings.TrimLeft(s, " ")
	if t == "" || t[0] != '<' && t[0] != '[' {
		return s
	}
	depth := 0
	for i := range len(t) {
		switch t[i] {
		case '<', '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		case '>':
			if i == 0 || t[i-1] != '-' && t[i-1] != '=' {
				depth--
			}
		}
		if depth == 0 {
			return t[i+1:]
		}
	}
	return s
}

// parens splits `(…)…` at the matching parenthesis.
func parens(s string) (string, string, bool) {
	if !strings.HasPrefix(s, "(") {
		return "", "", false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[1:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

// variants lists the members of an enum from `: A | B`, `= A | B` or `{ A, B = 1 }`.
func variants(s string) []string {
	s = strings.Trim(strings.TrimSpace(strings.TrimLeft(s, ":= ")), "{}")
	sep := byte(',')
	if topLevelPipe(s) {
		sep = '|'
	}
	var out []string
	for _, part := range splitOutside(s, sep) {
		part = strings.TrimSpace(part)
		if name, _, ok := strings.Cut(part, "="); ok && name != "" && !strings.ContainsAny(name, "\"'({") { // with its value
			part = strings.TrimSpace(name)
		}
		part = strings.Trim(part, "`\"'")
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

// valueOf reads the value of `: T = v`, `= v` or `: T`.
func valueOf(s string) string {
	if i := strings.IndexByte(s, '='); i >= 0 {
		return strings.TrimSpace(s[i+1:])
	}
	return strings.TrimSpace(strings.TrimLeft(s, ": "))
}

// splitOutside cuts at a mark that stands in no bracket.
func splitOutside(s string, mark byte) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case mark:
			if depth <= 0 {
				out, from = append(out, s[from:i]), i+1
			}
		}
	}
	return append(out, s[from:])
}

func topLevelPipe(s string) bool { return len(splitOutside(s, '|')) > 1 }

// looksLikeType reports whether a text behind `f(x) ` can be a return type and is no sentence.
func looksLikeType(s string) bool {
	switch s[0] {
	case '*', '[', '(', '&':
		return true
	}
	words := strings.Fields(s)
	if len(words) > 1 && words[0] != "throws" && words[0] != "where" {
		return strings.HasPrefix(s, "map[") || strings.HasPrefix(s, "chan ") || strings.HasPrefix(s, "func(")
	}
	return true
}

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}
