package source

import (
	"strconv"
	"strings"
)

// literalType is the type of a plain literal in the words of its language, "" of anything else.
func literalType(lang string, ts []Token) string {
	ts = code(ts)
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
	case t.Kind == Number || len(t.Text) > 1 && t.Text[0] == '.' && t.Text[1] >= '0' && t.Text[1] <= '9':
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
