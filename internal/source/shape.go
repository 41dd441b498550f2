package source

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// SameShape reports whether two texts of a file are the same code to its grammar: they differ in no more than brackets that only group,
// commas and semicolons that may be left out, comments and layout. It is false for languages whose formatters add no brackets.
func SameShape(name string, a, b []byte) bool {
	var l syntax.Lang
	switch lang := LangOf(name); lang {
	case TypeScript, JavaScript:
		l = scriptGrammar(lang, name)
	case Python:
		l = syntax.Python
	default:
		return false
	}
	was := shape(l, a)
	return was != "" && was == shape(l, b)
}

// kindOfOnly is the kind of the only part of a node, "" where it has several.
func kindOfOnly(n syntax.Node) (kind string) {
	count := 0
	for c := range n.All() {
		kind = c.Kind()
		count++
	}
	if count != 1 {
		return ""
	}
	return kind
}

// shape is a text as its grammar reads it, "" where it cannot be read.
func shape(l syntax.Lang, src []byte) string {
	tree, err := syntax.Parse(l, src)
	if err != nil {
		return ""
	}
	if n, _ := tree.Errors(); n > 0 {
		return ""
	}
	var b strings.Builder
	var write func(n syntax.Node)
	write = func(n syntax.Node) {
		kind := n.Kind()
		switch {
		case kind == "expression_statement" && strings.HasPrefix(kindOfOnly(n), "string"): // of documentation
			return
		case strings.HasSuffix(kind, "comment") || slices.Contains([]string{"(", ")", ",", ";"}, kind):
			return
		case kind == "'" || kind == "string_start" || kind == "string_end": // people use one kind of quotes or the other
			b.WriteString(strings.ReplaceAll(n.Text(), "'", `"`) + "\n")
			return
		case n.Leaf():
			b.WriteString(n.Text() + "\n")
			return
		case kind != "parenthesized_expression":
			b.WriteString("[" + kind + "\n")
			defer b.WriteString("]\n")
		}
		for c := range n.All() {
			write(c)
		}
	}
	write(tree.Root())
	return b.String()
}
