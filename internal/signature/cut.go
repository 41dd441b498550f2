package signature

import (
	"iter"
	"slices"
	"strings"
)

// Guess is the language that a signature is written in: or, unless its words say something
// else.
func Guess(text, or string) string {
	bare := " " + strings.TrimSpace(text)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(bare, w) })
	}
	switch {
	case has(" def "):
		return Python
	case has(" fn ", " pub "):
		return Rust
	case has(" fun ", " suspend "):
		return Kotlin
	case has(" func "):
		return Go
	case has(" function ", "=>"):
		return TypeScript
	}
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return or
	}
	params, rest, ok := CutGroup(text[open:])
	if !ok {
		return or
	}
	rest = strings.TrimSpace(rest)
	head := strings.TrimSpace(text[:open])
	_, _, colon := Cut(params, ":")
	for _, part := range Split(params, ",") {
		if _, _, c := Cut(part, ":"); c {
			colon = true
		}
	}
	arrow := strings.HasPrefix(rest, "->") || strings.HasPrefix(rest, "→")
	typed := strings.HasPrefix(rest, ":")
	kotlin := func(s string) bool {
		for _, t := range lexType(s) {
			if t.kind == 'i' && basics[Kotlin][t.text] != "" && basics[TypeScript][t.text] == "" && basics[Rust][t.text] == "" && t.text != "Any" {
				return true
			}
		}
		return false
	}
	switch {
	case arrow && has("&", "Vec<", "Option<", "Result<", "Box<", "::", " u8", " i32", " u32", " u64", " i64", "usize"):
		return Rust
	case arrow && or == Rust:
		return Rust
	case arrow:
		return Python
	case typed && or == Java && !colon: // f(String a): int
		return Java
	case typed || colon:
		if or == TypeScript || or == Kotlin || (or == Rust || or == Python) && (!typed || rest == ":") {
			return or
		}
		if kotlin(params) || kotlin(rest) {
			return Kotlin
		}
		return TypeScript
	case strings.Contains(withoutGroup(head), " ") && !strings.HasPrefix(head, "async "):
		return Java
	case or != "":
		return or
	case strings.Contains(strings.TrimSpace(params), " ") || rest != "" && !strings.HasPrefix(rest, "throws"):
		return Go
	}
	return TypeScript
}

// withoutGroup drops the type parameters at the end of a head.
func withoutGroup(head string) string {
	if i := groupStart(head); i > 0 && strings.HasSuffix(head, "]") {
		return head[:i]
	}
	return head
}

// CutGroup splits a text that begins with a bracket behind the one that closes it.
func CutGroup(s string) (inside, rest string, ok bool) {
	if s == "" || !strings.ContainsRune("([{<", rune(s[0])) {
		return "", "", false
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		if operator(s, i) {
			continue
		}
		switch c := s[i]; c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if c == '>' && s[0] != '<' && depth <= 1 {
				continue
			}
			if depth--; depth == 0 {
				return s[1:i], s[i+1:], true
			}
		case '"', '\'', '`':
			i = quoteEnd(s, i)
		}
	}
	return "", "", false
}

// arrowHead reports whether the byte at i ends => or ->.
func arrowHead(s string, i int) bool { return s[i] == '>' && i > 0 && (s[i-1] == '=' || s[i-1] == '-') }

// operator reports whether the angle at i is no bracket: it ends an arrow, or belongs to a shift or comparison, which has spaces
// on both sides. One closing angle between spaces may be either, and is a bracket.
func operator(s string, i int) bool {
	if s[i] != '<' && s[i] != '>' {
		return false
	}
	from, to := len(strings.TrimRight(s[:i], "<>=")), len(s)-len(strings.TrimLeft(s[i:], "<>="))
	spaced := strings.HasSuffix(s[:from], " ") && strings.HasPrefix(s[to:], " ")
	return arrowHead(s, i) || spaced && s[from:to] != ">"
}

// quoteEnd is where the quote closes that opens at i; i for a lifetime of Rust.
func quoteEnd(s string, i int) int {
	if lifetime(s, i) {
		return i
	}
	quote := s[i]
	for i++; i < len(s) && s[i] != quote; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i
}

// lifetime tells a lifetime 'a of Rust from a text 'a'.
func lifetime(s string, i int) bool {
	name := leadingIdent(s[i+1:])
	after := s[i+1+len(name):] + " "
	if s[i] != '\'' || strings.IndexByte(s[i+1:], '\'') < 0 {
		return s[i] == '\''
	}
	if name == "" || after[0] == '\'' {
		return false
	}
	switch before := strings.TrimRight(s[:i], " "); {
	case strings.HasSuffix(s[:i], "&"), strings.HasSuffix(before, "+"):
		return true
	case strings.HasSuffix(before, ":"): // T: 'a + Clone among type parameters, and not a: 'x y' among others
		open := groupStart(before + ">")
		return open >= 0 && before[open] == '<'
	case strings.HasSuffix(before, "<"), strings.Contains(before, "<'"): // among type parameters
		return strings.IndexByte(",:>", after[0]) >= 0
	}
	return false
}

// groupStart is where the bracket opens that the last byte of s closes.
func groupStart(s string) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')', ']', '}', '>':
			if !arrowHead(s, i) {
				depth++
			}
		case '(', '[', '{', '<':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// outside visits the places of a text that stand in no bracket and no quotes; one that opens either is among them.
func outside(s string) iter.Seq[int] {
	return func(yield func(int) bool) {
		depth := 0
		for i := 0; i < len(s); i++ {
			if depth <= 0 && !yield(i) {
				return
			}
			if operator(s, i) {
				continue
			}
			switch s[i] {
			case '(', '[', '{', '<':
				depth++
			case ')', ']', '}', '>':
				depth--
			case '"', '\'', '`':
				i = quoteEnd(s, i)
			}
		}
	}
}

// Split cuts at each of the marks that stands outside of brackets and quotes.
func Split(s, marks string) []string {
	var out []string
	from := 0
	for i := range outside(s) {
		if strings.IndexByte(marks, s[i]) >= 0 {
			out, from = append(out, s[from:i]), i+1
		}
	}
	return append(out, s[from:])
}

// Cut cuts at the first mark outside of brackets and quotes; "=" is none that belongs to
// an arrow or a comparison, ":" none that belongs to a path.
func Cut(s, mark string) (before, after string, ok bool) {
	skip := -1
	for i := range outside(s) {
		if i == skip || !strings.HasPrefix(s[i:], mark) {
			continue
		}
		if next := s[i+1:]; mark == "=" && (strings.HasPrefix(next, ">") || strings.HasPrefix(next, "=")) || mark == ":" && strings.HasPrefix(next, ":") {
			skip = i + 1
			continue
		}
		return s[:i], s[i+len(mark):], true
	}
	return s, "", false
}
