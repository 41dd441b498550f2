package signature

import (
	"slices"
	"strings"
	"unicode"
)

// Field is a member of a record type or of an interface.
type Field struct {
	Name     string // "" for one that is not understood
	Type     *Type  // nil where nothing is said about it, and of a method
	Optional bool
	Method   *Sig
}

// Fields reads the members of `{ a: T, b?: U }`, of a Go struct or of `data class X(a: T)`;
// false when the text holds something else, as methods.
func Fields(text, lang string) ([]Field, bool) {
	out, ok := Members(text, lang)
	for _, f := range out {
		if f.Name == "" || f.Method != nil {
			return nil, false
		}
	}
	return out, ok
}

// Members reads fields and methods. Their types are of the first of the languages that understands them.
func Members(text string, langs ...string) ([]Field, bool) {
	open := strings.IndexAny(text, "{(")
	if open < 0 {
		return nil, false
	}
	if head, _, ok := Cut(text, text[open:open+1]); ok { // not one among the type parameters
		open = len(head)
	}
	inside, _, ok := CutGroup(text[open:])
	if !ok {
		return nil, false
	}
	var out []Field
	for line := range strings.FieldsFuncSeq(topSemicolons(inside), func(r rune) bool { return r == 0 }) {
		first := len(out)
		for _, part := range Split(line, ",") {
			part = strings.TrimSpace(part)
			for _, w := range []string{"readonly ", "pub ", "public ", "val ", "var ", "final ", "private "} {
				part = strings.TrimPrefix(part, w)
			}
			if part == "" || part == "…" || part == "..." {
				continue
			}
			f := readMember(part, langs)
			if f.Type != nil && langs[0] == Go && !strings.Contains(part, ":") { // a, b int
				for k := len(out) - 1; k >= first && out[k].Type == nil && out[k].Method == nil && out[k].Name != ""; k-- {
					out[k].Type, out[k].Optional = f.Type, f.Optional
				}
			}
			out = append(out, f)
		}
	}
	return out, true
}

// topSemicolons writes the semicolons and line ends outside of brackets as 0.
func topSemicolons(s string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ';', '\n':
			if depth <= 0 {
				return 0
			}
			return ','
		}
		return r
	}, s)
}

func readMember(part string, langs []string) Field {
	if name := leadingIdent(part); name != "" {
		if rest := strings.TrimPrefix(part[len(name):], "?"); strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<") || isWord(name) && strings.HasPrefix(rest, " ") && strings.Contains(rest, "(") {
			if s, ok := Parse(part, langs[0]); ok {
				return Field{Name: s.Name, Method: &s}
			}
			return Field{}
		}
	}
	part, _, _ = Cut(part, "=")
	name, typ, ok := Cut(strings.TrimSpace(part), ":")
	if !ok {
		name, typ, ok = strings.Cut(part, " ")
	}
	optional := strings.HasSuffix(name, "?")
	name = strings.TrimSpace(strings.TrimSuffix(name, "?"))
	if !ok || !isIdent(name) {
		if isIdent(name) && !strings.ContainsFunc(part, unicode.IsSpace) {
			return Field{Name: name}
		}
		return Field{}
	}
	t := firstType(typ, langs)
	if t.Form == Optional && len(t.Args) == 1 {
		optional = true
		t = t.Args[0]
	}
	return Field{Name: name, Type: &t, Optional: optional}
}

// isWord reports whether a word stands before the name of a method.
func isWord(name string) bool {
	return name == "fun" || name == "suspend" || name == "fn" || name == "async"
}

// leadingIdent is the name that a text begins with, "" without.
func leadingIdent(s string) string {
	if name := s[:len(s)-len(strings.TrimLeftFunc(s, ofName))]; isIdent(name) {
		return name
	}
	return ""
}

// firstType reads a type in the first of the languages that understands it.
func firstType(text string, langs []string) Type {
	for _, lang := range langs {
		if t := ParseType(text, lang); t.Form != Raw {
			return t
		}
	}
	return ParseType(text, langs[0])
}

// declares are the words before the name of a constant, a variable or another name for a type.
var declares = []string{
	"export", "declare", "default", "pub", "public", "protected", "internal", "open", "override", "static", "final", "readonly", "lateinit", "const", "let", "var", "val", "mut",
	"type", "typealias",
}

// afterName is what follows the name in a declaration, and the last word before it.
func afterName(decl, name string) (rest, word string, ok bool) {
	decl = strings.TrimSpace(strings.Trim(strings.TrimSpace(decl), "`"))
	for {
		w, tail, found := strings.Cut(decl, " ")
		if !found || !slices.Contains(declares, w) {
			break
		}
		word, decl = w, strings.TrimSpace(tail)
	}
	for _, n := range []string{name, name[strings.LastIndexByte(name, '.')+1:]} {
		if rest, ok = strings.CutPrefix(decl, n); ok && (rest == "" || !isIdent("a"+rest[:1])) {
			return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "`")), word, true
		}
	}
	return "", word, false
}

// ValueType is the type that the declaration of a constant, a variable or a field states: `NAME: T = v`, `var Name T`;
// false where it states none.
func ValueType(decl, name string, langs ...string) (Type, bool) {
	rest, word, ok := afterName(decl, name)
	typ, marked := rest, false
	for _, mark := range []string{":", "->", "→"} {
		if after, is := strings.CutPrefix(rest, mark); is {
			typ, marked = after, true
			break
		}
	}
	typ, _, _ = Cut(typ, "=")
	typ = strings.TrimSpace(typ)
	if !ok || typ == "" || !marked && word != "var" && word != "const" {
		return Type{}, false
	}
	return firstType(typ, langs), true
}

// AliasOf is the type that a declaration gives another name: `Name<T> = U`, `type Name U` of Go; false where it gives none.
func AliasOf(decl, name string, langs ...string) (Type, bool) {
	rest, word, ok := afterName(decl, name)
	if !ok {
		return Type{}, false
	}
	if strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "[]") {
		if inside, tail, good := CutGroup(rest); good && (rest[0] == '<' || strings.ContainsAny(inside, " ,") || strings.HasPrefix(strings.TrimSpace(tail), "=")) {
			rest = strings.TrimSpace(tail)
		}
	}
	typ, marked := strings.CutPrefix(rest, "=")
	if typ = strings.TrimSpace(typ); typ == "" || !marked && (word != "type" || langs[0] != Go) {
		return Type{}, false
	}
	return firstType(typ, langs), true
}
