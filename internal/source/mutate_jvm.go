package source

import "strings"

// otherTexts gives a text of Java or Kotlin that has nothing in common with another.
const otherTexts = `.replaceAll("(?s).", "?") + "?"`

// otherJVM is what stands before and after a value of Java or Kotlin for another value of the type, and what a mutant then does; "" where the
// type has none that is sure to compile.
func otherJVM(lang, name string) (what, before, after string) {
	switch name {
	case "", "void", "Unit", "Nothing":
		return "", "", ""
	case "int", "long", "float", "double", "Int", "Long", "Float", "Double", "Integer":
		return ReturnOther, "(", ") + 1"
	case "short", "byte", "char":
		return ReturnOther, "(" + name + ") ((", ") + 1)"
	case "boolean", "Boolean":
		return ReturnOther, "!(", ")"
	case "String":
		if lang == Kotlin {
			return ReturnOther, "(", `).replace(Regex("(?s)."), "?") + "?"`
		}
		return ReturnOther, "(", ")" + otherTexts
	}
	return "", "", ""
}

// gives is the type that the head of a function of Java or Kotlin says, as far as it is one word, and whether nothing, null, is a value of it.
func (f *File) gives(fn Func, ts []Token) (name string, null bool) {
	at, bare := firstAt(ts, fn.Off), fn.Name[strings.LastIndexByte(fn.Name, '.')+1:]
	for at+1 < len(ts) && ts[at].Off < fn.Body && (!isWord(ts[at], bare) || !isPunct(ts[at+1], "(")) {
		at++
	}
	if at == 0 || at+1 >= len(ts) || ts[at].Off >= fn.Body || ts[at-1].End <= fn.Off {
		return "", false // a constructor without a modifier, or what is no function
	}
	if f.Lang == Java {
		switch t := ts[at-1]; {
		case isPunct(t, ">"), isPunct(t, "]"):
			return "", true
		case t.Kind != Ident || modifiers[t.Text]:
			return "", false
		default:
			what, _, _ := otherJVM(Java, t.Text)
			return t.Text, what == "" && t.Text != "void"
		}
	}
	colon := closing(ts, at+1) + 1
	if colon+2 >= len(ts) || !isPunct(ts[colon], ":") || ts[colon+1].Off >= fn.Body {
		return "", false
	}
	for end := colon + 2; end < len(ts) && ts[end].Off < fn.Body; end++ {
		if null = isPunct(ts[end], "?"); null || isPunct(ts[end], "{") || isPunct(ts[end], "=") {
			break
		}
	}
	return ts[colon+1].Text, null
}

// modifiers are the words that can stand before the name of a constructor of Java.
var modifiers = map[string]bool{"public": true, "protected": true, "private": true}

// returned is a mutant of the value that a function of Java or Kotlin gives: the tokens from one to the last before another.
func (f *File) returned(fn Func, ts []Token, from, end int) {
	name, null := f.gives(fn, ts)
	what, before, after := otherJVM(f.Lang, name)
	value, last := ts[from], ts[end-1]
	switch single := end == from+1; {
	case single && (value.Kind != Ident || value.Text == "null" || value.Text == "this" || value.Text == "true" || value.Text == "false"):
		return
	case null:
		what, before, after = ReturnNothing, "null", ""
	case what == "":
		return
	}
	m := Mutant{Func: fn.Name, Line: value.Line, What: what, Off: value.Off, End: last.End, New: before}
	if !null {
		m.New += string(f.src(value.Off, last.End)) + after
	}
	f.mutants = append(f.mutants, m)
}

// inLambda reports whether a statement of a function stands in a lambda of Java, which gives values of its own.
func inLambda(ts []Token, i, body int) bool {
	depth := 0
	for j := i - 1; j > 0 && ts[j].Off >= body; j-- {
		switch {
		case isPunct(ts[j], "}"):
			depth++
		case isPunct(ts[j], "{"):
			if depth == 0 && isPunct(ts[j-1], "->") {
				return true
			}
			depth = max(0, depth-1)
		}
	}
	return false
}
