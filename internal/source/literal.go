package source

import (
	"strconv"
	"strings"
)

// literalType is the type of a plain literal in the words of its language, "" of anything else.
func literalType(lang string, ts []Token) string {
	ts = Code(ts)
	signed := len(ts) == 2 && (isPunct(ts[0], "-") || isPunct(ts[0], "+"))
	if signed {
		ts = ts[1:]
	}
	if len(ts) == 0 {
		return ""
	}
	for _, t := range ts[1:] { // texts of Python side by side are one
		if lang != Python || t.Kind != String || ts[0].Kind != String {
			return ""
		}
	}
	names, ok := literalNames[lang]
	t := ts[0]
	switch {
	case !ok:
	case t.Kind == Number:
		return numberType(lang, strings.ReplaceAll(t.Text, "_", ""))
	case signed:
	case t.Kind == String && lang == Kotlin && t.Text[0] == '\'':
		return "Char"
	case t.Kind == String && lang == Python && strings.ContainsAny(t.Text[:strings.IndexAny(t.Text, "'\"")+1], "bB"):
		return "bytes"
	case t.Kind == String:
		return names[0]
	case strings.EqualFold(t.Text, "true") || strings.EqualFold(t.Text, "false"):
		return names[1]
	}
	return ""
}

// literalNames are the types of texts and of truth values.
var literalNames = map[string][2]string{
	TypeScript: {"string", "boolean"}, JavaScript: {"string", "boolean"}, Python: {"str", "bool"}, Kotlin: {"String", "Boolean"},
}

func numberType(lang, text string) string {
	text = strings.ToLower(text)
	based := len(text) > 1 && text[0] == '0' && strings.ContainsRune("xob", rune(text[1]))
	broken := !based && strings.ContainsAny(text, ".e")
	switch lang {
	case Python:
		switch {
		case strings.HasSuffix(text, "j"):
			return ""
		case broken:
			return "float"
		}
		return "int"
	case Kotlin:
		switch {
		case strings.HasSuffix(text, "u") || strings.HasSuffix(text, "ul"):
			return ""
		case strings.HasSuffix(text, "l"):
			return "Long"
		case !based && strings.HasSuffix(text, "f"):
			return "Float"
		case broken:
			return "Double"
		}
		if _, err := strconv.ParseInt(text, 0, 32); err != nil {
			return "Long"
		}
		return "Int"
	}
	if strings.HasSuffix(text, "n") {
		return "bigint"
	}
	return "number"
}

// literalWords are values that are written as names.
var literalWords = map[string]bool{
	"true": true, "false": true, "True": true, "False": true, "None": true, "null": true, "nil": true, "undefined": true,
	"Infinity": true, "NaN": true,
}

// literalText is an expression on one line if it is made of literals alone, "" for any other and for a long one.
func literalText(ts []Token) string {
	ts = Code(ts)
	var b strings.Builder
	literals := 0
	for i, t := range ts {
		switch {
		case t.Kind == Number || t.Kind == String && !interpolated(t):
			literals++
		case t.Kind == Ident && literalWords[t.Text]:
			literals++
		case t.Kind == Punct && len(t.Text) <= 2 && strings.Trim(t.Text, "[](){},:+-*/|<>&") == "" && t.Text != "${":
		default:
			return ""
		}
		if i > 0 && (ts[i-1].End < t.Off && !isPunct(t, ")") || wordy(ts[i-1]) && wordy(t)) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	if text := b.String(); literals > 0 && len(text) <= 120 && !strings.ContainsAny(text, "\n\t`") && !strings.Contains(text, "  ") {
		return text
	}
	return ""
}

// interpolated reports whether a text takes other values in.
func interpolated(t Token) bool {
	quote := strings.IndexAny(t.Text, "'\"`")
	return quote < 0 || strings.ContainsAny(t.Text[:quote], "fF") || t.Text[quote] != '\'' && strings.Contains(t.Text, "${")
}

// constant notes what a name at the top of the file stands for, and gives its text.
func (f *File) constant(name string, ts []Token) string {
	return f.stands(name, literalText(ts))
}

// stands notes a value of a constant, and gives it back where it is the only one.
func (f *File) stands(name, text string) string {
	if text != "" {
		if f.Constants == nil {
			f.Constants = map[string]string{}
		}
		if _, twice := f.Constants[name]; twice {
			text = "" // set twice, as under a condition
		}
		f.Constants[name] = text
	}
	return text
}
