package source

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// made is the constructor that a data class or a named tuple of Python gets of its fields, as
// if it were written; "" where a base or an option leaves it open. What a field is set to
// when nothing is given is written where it is a value, and as ... where a function makes it
// ("Data classes" of Python's library reference).
func (p *pythonTree) made(def, at syntax.Node, data bool) string {
	named := false
	for _, base := range withoutComments(def.At("superclasses")) {
		name, _, _ := strings.Cut(base.Text(), "[")
		switch lastWord(name) {
		case "object", "Generic", "Protocol", "ABC":
		case "NamedTuple":
			named = true
		default: // its fields come first, wherever it is
			return ""
		}
	}
	if !data && !named {
		return ""
	}
	params := []string{"self"}
	for d := range at.All() {
		if call := d.Child("call"); d.Kind() == "decorator" && strings.Contains(d.Text(), "dataclass") {
			if p.argument(call, "init") == "False" {
				return ""
			}
			if p.argument(call, "kw_only") == "True" {
				params = append(params, "*")
			}
		}
	}
	for _, c := range withoutComments(def.At("body")) {
		a := c.Child("assignment")
		id, typ, value := a.At("left"), p.flat(a.At("type")), a.At("right")
		if c.Kind() != "expression_statement" || id.Kind() != "identifier" || typ == "" {
			continue
		}
		name, inside, _ := strings.Cut(typ, "[")
		switch lastWord(name) {
		case "ClassVar":
			continue
		case "KW_ONLY":
			params = append(params, "*")
			continue
		case "InitVar":
			typ = strings.TrimSuffix(inside, "]")
		}
		param := id.Text() + ": " + typ
		switch {
		case !value.OK():
		case value.Kind() == "lambda":
			param += " = ..."
		case value.Kind() != "call" || lastWord(value.At("function").Text()) != "field":
			param += " = " + p.flat(value)
		case p.argument(value, "init") == "False":
			continue
		case p.argument(value, "kw_only") != "":
			return ""
		case p.argument(value, "default") != "":
			param += " = " + p.argument(value, "default")
		case p.argument(value, "default_factory") != "":
			param += " = ..."
		}
		params = append(params, param)
	}
	if i := slices.Index(params, "*"); i >= 0 && (i == len(params)-1 || slices.Contains(params[i+1:], "*")) {
		return ""
	}
	return "def __init__(" + strings.Join(params, ", ") + ")"
}

// argument is what a call gives for a name, "" when it gives nothing.
func (p *pythonTree) argument(call syntax.Node, name string) string {
	for a := range call.At("arguments").All() {
		if a.Kind() == "keyword_argument" && a.At("name").Text() == name {
			return p.flat(a.At("value"))
		}
	}
	return ""
}
