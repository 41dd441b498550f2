// Package signature reads what functions take and give in six languages, as code and as
// specs write it, and compares, judges and translates it. It knows no files and no
// projects; what it does not understand it keeps as text, and says that it cannot tell.
package signature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The languages.
const (
	TypeScript = "typescript"
	Python     = "python"
	Go         = "go"
	Rust       = "rust"
	Java       = "java"
	Kotlin     = "kotlin"
)

// Lang is the language that people mean by a name such as ts or golang.
func Lang(name string) (string, bool) {
	switch strings.ToLower(name) {
	case "typescript", "ts", "tsx", "javascript", "js":
		return TypeScript, true
	case "python", "py":
		return Python, true
	case "go", "golang":
		return Go, true
	case "rust", "rs":
		return Rust, true
	case "java":
		return Java, true
	case "kotlin", "kt":
		return Kotlin, true
	}
	return "", false
}

// Sig is a function, method or constructor.
type Sig struct {
	Name     string
	Generics []Generic
	Params   []Param
	Result   *Type  // nil where nothing is said about it
	Async    bool   // it says so, or gives a promise
	Method   bool   // it names what it is called on: self
	Self     string // how Rust names that: &self, &mut self, self
	Open     bool   // its parameters are not said: (…)
	Throws   []string
	Lang     string // in which it was read
}

// Generic is a type parameter with what it has to be, or nil.
type Generic struct {
	Name  string
	Bound *Type
}

// Param is a parameter.
type Param struct {
	Name     string // "" where it has none
	Type     *Type  // nil where nothing is said about it; of a variadic one that of an element
	Optional bool   // it may be left out; its type is without that
	Variadic bool   // any number of it; with Keyword any others by name
	Keyword  bool   // can be given by its name only
	Position bool   // can be given by its place only
	Default  string
}

// modifiers may stand before a declaration.
var modifiers = []string{
	"export", "default", "declare", "public", "protected", "private", "internal", "static", "final", "abstract", "sealed", "open", "override", "inline",
	"infix", "operator", "tailrec", "external", "pub", "pub(crate)", "unsafe", "extern", "synchronized", "native", "virtual", "readonly", "const", "let", "var",
	"@staticmethod", "@classmethod", "@property", "get", "set",
}

// Parse reads a declaration, or what specs write of one: validate(token: string): Claims.
// lang is the language that it is most likely written in, "" when nobody knows; words that
// only one language has count more. Without parentheses it is no function.
func Parse(text, lang string) (Sig, bool) {
	text = strings.TrimRight(strings.TrimSpace(squeeze(strings.Trim(strings.TrimSpace(text), "`"))), ";{ ")
	if rest, ok := strings.CutPrefix(text, "func("); ok {
		text = "func (" + rest
	}
	if text == "" || len(text) > 20_000 {
		return Sig{}, false
	}
	s := Sig{Lang: Guess(text, lang)}
	head, params, rest, ok := s.split(text)
	if !ok {
		return Sig{}, false
	}
	before := s.heading(head)
	if s.Name == "" {
		return Sig{}, false
	}
	if before != "" {
		s.Result = new(ParseType(before, s.Lang))
	}
	s.params(params)
	s.tail(rest)
	if s.Result != nil && s.Result.Form == Future {
		s.Async = true
	}
	return s, true
}

// split finds the parentheses of the parameters; words and type parameters before them are
// read on the way.
func (s *Sig) split(text string) (head, params, rest string, ok bool) {
	for {
		word, after, found := strings.Cut(text, " ")
		if strings.HasPrefix(word, "@") && !slices.Contains(modifiers, word) { // an annotation
			if i := strings.IndexByte(text, '('); i >= 0 && i <= len(word) {
				if _, after, found = CutGroup(text[i:]); !found {
					return "", "", "", false
				}
				after = strings.TrimSpace(after)
			}
			text = after
			continue
		}
		if !found {
			break
		}
		switch {
		case word == "async" || word == "suspend":
			s.Async = true
		case slices.Contains(modifiers, word):
		case word == "function" || word == "fn" || word == "fun" || word == "def" || word == "class" || word == "constructor" && strings.HasPrefix(after, "("):
		case word == "func":
			if strings.HasPrefix(after, "(") {
				receiver, tail, good := CutGroup(after)
				if !good {
					return "", "", "", false
				}
				if f := strings.Fields(receiver); len(f) > 0 {
					owner, _, _ := strings.Cut(strings.TrimLeft(f[len(f)-1], "*"), "[")
					after = owner + "." + strings.TrimSpace(tail)
				}
			}
		default:
			found = false
		}
		if !found {
			break
		}
		text = strings.TrimSpace(after)
	}
	text = strings.TrimPrefix(text, "func ")
	if strings.HasPrefix(text, "<") { // of Java and Kotlin, before the name
		inside, tail, good := CutGroup(text)
		if !good {
			return "", "", "", false
		}
		s.generics(inside)
		text = strings.TrimSpace(tail)
	}
	before, _, ok := Cut(text, "(")
	if !ok {
		return "", "", "", false
	}
	open := len(before)
	params, rest, ok = CutGroup(text[open:])
	for _, receiver := range []string{"?.", ">."} { // of an extension function of Kotlin
		if i := strings.LastIndex(text[:open], receiver); i >= 0 {
			text, open = text[i+2:], open-i-2
		}
	}
	return strings.TrimSpace(text[:open]), params, strings.TrimSpace(rest), ok
}

// heading reads the name and what belongs to it; it returns a result that stands before it.
func (s *Sig) heading(head string) (before string) {
	if name, value, ok := Cut(head, "="); ok { // const f = async <T>
		head = strings.TrimSpace(name)
		value = strings.TrimSpace(value)
		if rest, is := strings.CutPrefix(value, "async"); is {
			s.Async, value = true, strings.TrimSpace(rest)
		}
		value = strings.TrimSpace(strings.TrimPrefix(value, "function"))
		if inside, _, ok := CutGroup(value); ok && strings.HasPrefix(value, "<") {
			s.generics(inside)
		}
		if n, _, ok := Cut(head, ":"); ok {
			head = strings.TrimSpace(n)
		}
	}
	head = strings.TrimSuffix(strings.TrimSuffix(head, "?"), ":")
	if strings.HasSuffix(head, ">") || strings.HasSuffix(head, "]") {
		if i := groupStart(head); i > 0 && (head[i] == '<' || s.Lang == Go || s.Lang == Python) {
			s.generics(head[i+1 : len(head)-1])
			head = strings.TrimSpace(head[:i])
		}
	}
	before = strings.TrimRightFunc(head, func(r rune) bool { return ofName(r) || strings.ContainsRune(".:#", r) })
	s.Name = strings.Trim(head[len(before):], ".:#")
	return strings.TrimSpace(before)
}

// generics reads type parameters: T, T extends X, T: X, T X (Go, also for several), 'a, const N.
func (s *Sig) generics(inside string) {
	var waiting int
	for _, part := range Split(inside, ",") {
		part = strings.TrimSpace(part)
		for _, w := range []string{"const ", "reified ", "in ", "out "} {
			part = strings.TrimPrefix(part, w)
		}
		if part == "" || strings.HasPrefix(part, "'") {
			continue
		}
		part, _, _ = Cut(part, "=")
		part = strings.TrimSpace(part)
		name, bound := part, ""
		for _, mark := range []string{" extends ", ":", " "} {
			if n, b, ok := strings.Cut(part, mark); ok {
				name, bound = strings.TrimSpace(n), strings.TrimSpace(b)
				break
			}
		}
		g := Generic{Name: name}
		if bound != "" {
			g.Bound = new(ParseType(bound, s.Lang))
			for ; waiting > 0; waiting-- {
				s.Generics[len(s.Generics)-waiting].Bound = g.Bound
			}
		} else if s.Lang == Go {
			waiting++
		}
		s.Generics = append(s.Generics, g)
	}
}

// tail reads what follows the parameters.
func (s *Sig) tail(rest string) {
	if i := strings.Index(rest, " where "); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.TrimSpace(strings.TrimPrefix(rest, "const "))
	for _, word := range []string{"throws ", "raises "} {
		at := strings.Index(" "+rest, " "+word)
		if at < 0 {
			continue
		}
		for _, e := range Split(rest[at+len(word):], ",") {
			if e = strings.TrimSpace(e); e != "" {
				s.Throws = append(s.Throws, e)
			}
		}
		rest = strings.TrimSpace(rest[:at])
	}
	marked := false
	for _, mark := range []string{"->", "→", ":"} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			rest, marked = strings.TrimSpace(after), true
			break
		}
	}
	if s.Lang != Go {
		rest = strings.TrimSpace(strings.TrimSuffix(rest, ":"))
		if strings.HasSuffix(rest, "=>") {
			rest = strings.TrimSpace(strings.TrimSuffix(rest, "=>"))
		}
	}
	if rest == "" || rest == "=>" || !marked && s.Lang != Go {
		return
	}
	t := ParseType(rest, s.Lang)
	if s.Lang == Go && strings.HasPrefix(rest, "(") {
		if inside, _, ok := CutGroup(rest); ok {
			g := Sig{Lang: Go}
			g.params(inside)
			members := make([]Type, 0, len(g.Params))
			for i := range g.Params {
				if g.Params[i].Type == nil {
					return
				}
				members = append(members, *g.Params[i].Type)
			}
			t = Type{Form: Tuple, Args: members}
			if len(members) == 1 {
				t = members[0]
			}
		}
	}
	s.Result = &t
}

// params reads a list of parameters.
func (s *Sig) params(text string) {
	list := Split(text, ",")
	var waiting []int // of Go: have the type of the one that follows
	keyword := false
	for i, part := range list {
		part = strings.TrimSpace(part)
		part = withoutAnnotations(part)
		switch {
		case part == "" || part == "void":
			continue
		case part == "…" || part == "...":
			s.Open = true
			continue
		case part == "*" && s.Lang != Go:
			keyword = true
			continue
		case part == "/":
			for k := range s.Params {
				s.Params[k].Position = true
			}
			continue
		case i == 0 && isReceiver(part):
			s.Method = true
			if s.Lang == Rust {
				s.Self = part
			}
			continue
		}
		p := Param{Keyword: keyword}
		switch _, _, colon := Cut(part, ":"); {
		case colon || s.Lang != Go && s.Lang != Java:
			s.colonParam(&p, part)
		case s.Lang == Java:
			s.javaParam(&p, part)
		default:
			s.goParam(&p, part)
			if p.Type == nil {
				waiting = append(waiting, len(s.Params))
			} else if p.Name != "" {
				for _, k := range waiting {
					s.Params[k].Type, s.Params[k].Variadic = p.Type, p.Variadic
				}
				waiting = nil
			}
		}
		if p.Variadic && s.Lang == Python {
			keyword = true
		}
		if p.Optional && p.Type != nil && p.Type.Form == Optional {
			p.Type = &p.Type.Args[0]
		}
		s.Params = append(s.Params, p)
	}
	if s.Lang == Go { // names alone are types
		for _, k := range waiting {
			s.Params[k].Type, s.Params[k].Name = new(ParseType(s.Params[k].Name, Go)), ""
		}
	}
}

func isReceiver(part string) bool {
	if strings.HasPrefix(part, "self:") || strings.HasPrefix(part, "this:") {
		return true
	}
	if rest, ok := strings.CutPrefix(part, "&"); ok {
		f := strings.Fields(rest)
		return len(f) > 0 && f[len(f)-1] == "self"
	}
	return part == "self" || part == "cls" || part == "mut self"
}

// withoutAnnotations drops @A, @A(x) and #[a] before a parameter.
func withoutAnnotations(part string) string {
	for strings.HasPrefix(part, "@") || strings.HasPrefix(part, "#[") {
		end := strings.IndexAny(part[1:], " (") + 1
		if strings.HasPrefix(part, "#[") {
			end = strings.IndexByte(part, ']') + 1
		}
		if end <= 0 {
			return part
		}
		rest := part[end:]
		if strings.HasPrefix(rest, "(") {
			if _, after, ok := CutGroup(rest); ok {
				rest = after
			}
		}
		part = strings.TrimSpace(rest)
	}
	return part
}

func (s *Sig) colonParam(p *Param, part string) {
	part, value, has := Cut(part, "=")
	if has {
		p.Optional, p.Default = true, strings.TrimSpace(value)
	}
	name, typ, typed := Cut(strings.TrimSpace(part), ":")
	if typed {
		p.Type = new(ParseType(typ, s.Lang))
	}
	fields := strings.Fields(name)
	for len(fields) > 1 { // private, readonly, vararg, mut, val
		p.Variadic = p.Variadic || fields[0] == "vararg"
		fields = fields[1:]
	}
	if len(fields) == 1 {
		name = fields[0]
	}
	for _, mark := range []string{"...", "**", "*", "…"} {
		if rest, ok := strings.CutPrefix(name, mark); ok {
			name, p.Variadic, p.Keyword = rest, true, mark == "**"
			if mark == "..." && p.Type != nil && p.Type.Form == List && len(p.Type.Args) == 1 {
				p.Type = &p.Type.Args[0]
			}
		}
	}
	if rest, ok := strings.CutSuffix(name, "?"); ok {
		name, p.Optional = rest, true
	}
	p.Name = strings.TrimSpace(name)
}

func (s *Sig) javaParam(p *Param, part string) {
	part = strings.TrimSpace(strings.TrimPrefix(part, "final "))
	typ := strings.TrimRightFunc(part, ofName)
	p.Name, typ = part[len(typ):], strings.TrimSpace(typ)
	if rest, ok := strings.CutSuffix(typ, "..."); ok {
		p.Variadic, typ = true, strings.TrimSpace(rest)
	}
	if typ != "" {
		p.Type = new(ParseType(typ, Java))
	}
}

func (s *Sig) goParam(p *Param, part string) {
	name, typ, two := strings.Cut(part, " ")
	if !two || !isIdent(name) || name == "chan" || name == "func" || name == "map" || name == "interface" || name == "struct" {
		if isIdent(part) {
			p.Name = part
			return
		}
		name, typ = "", part
	}
	typ = strings.TrimSpace(typ)
	if rest, ok := strings.CutPrefix(typ, "..."); ok {
		p.Variadic, typ = true, rest
	}
	p.Name, p.Type = name, new(ParseType(typ, Go))
}

// ofName reports whether a letter, digit or mark may stand in a name.
func ofName(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func isIdent(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return s != "" && !unicode.IsDigit(first) && strings.TrimLeftFunc(s, ofName) == ""
}
