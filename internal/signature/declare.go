package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// function writes a declaration.
func (w *writer) function(s Sig) string {
	owner, name := "", s.Name
	if i := strings.LastIndexAny(name, ".#:"); i >= 0 {
		owner, name = strings.Trim(name[:i], ".#:"), name[i+1:]
	}
	result, said, fails := Type{}, s.Result != nil, len(s.Throws) > 0
	if said {
		result = *s.Result
	}
	if result.Form == Future && len(result.Args) == 1 {
		result = result.Args[0]
	}
	if s.Lang == Go && result.Form == Tuple && len(result.Args) > 1 && isError(result.Args[len(result.Args)-1]) {
		fails, result.Args = true, result.Args[:len(result.Args)-1]
		if len(result.Args) == 1 {
			result = result.Args[0]
		}
	} else if s.Lang == Go && isError(result) {
		fails, result = true, Type{Form: Basic, Class: "unit", Name: ""}
	}
	if s.Lang == Go && !said {
		result, said = Type{Form: Basic, Class: "unit"}, true
	}
	unit := !said || result.Form == Basic && result.Class == "unit"
	params := w.params(s.Params)
	switch w.lang {
	case TypeScript:
		return w.typescript(s, owner, name, params, result, said)
	case Python:
		if owner != "" || s.Method {
			params = append([]string{"self"}, params...)
		}
		text := "def " + Name(name, Python) + "(" + strings.Join(params, ", ") + ")"
		if s.Async {
			text = "async " + text
		}
		if said {
			text += " -> " + w.typ(result, false)
		}
		return text + ":"
	case Go:
		return w.golang(s, owner, name, params, result, unit, fails)
	case Rust:
		return w.rust(s, owner, name, params, result, unit, fails)
	case Java:
		text := "public "
		if g := w.generics(s.Generics, " extends "); g != "" {
			text += g + " "
		}
		r := w.typ(result, s.Async)
		switch {
		case !said && s.Async:
			r = "CompletableFuture<Void>"
		case !said:
			r = "void"
		case s.Async:
			r = "CompletableFuture<" + r + ">"
		}
		text += r + " " + Name(name, Java) + "(" + strings.Join(params, ", ") + ")"
		if len(s.Throws) > 0 {
			text += " throws " + strings.Join(exceptions(s.Throws), ", ")
		} else if fails {
			text += " throws Exception"
		}
		return text
	}
	text := "fun "
	if s.Async {
		text = "suspend fun "
	}
	if g := w.generics(s.Generics, " : "); g != "" {
		text += g + " "
	}
	text += Name(name, Kotlin) + "(" + strings.Join(params, ", ") + ")"
	if said {
		text += ": " + w.typ(result, false)
	}
	return text
}

func (w *writer) typescript(s Sig, owner, name string, params []string, result Type, said bool) string {
	text := Name(name, TypeScript) + w.generics(s.Generics, " extends ") + "(" + strings.Join(params, ", ") + ")"
	if owner == "" && !s.Method {
		text = "function " + text
	}
	if s.Async {
		text = "async " + text
	}
	switch {
	case said && s.Async:
		return text + ": Promise<" + w.typ(result, true) + ">"
	case said:
		return text + ": " + w.typ(result, false)
	}
	return text
}

func (w *writer) golang(s Sig, owner, name string, params []string, result Type, unit, fails bool) string {
	text := "func "
	if owner != "" {
		text += "(" + strings.ToLower(owner[:1]) + " *" + owner + ") "
	}
	text += Name(name, Go)
	if g := s.Generics; len(g) > 0 {
		list := make([]string, len(g))
		for i := range g {
			list[i] = g[i].Name + " any"
			if g[i].Bound != nil {
				list[i] = g[i].Name + " " + w.typ(*g[i].Bound, true)
			}
		}
		text += "[" + strings.Join(list, ", ") + "]"
	}
	text += "(" + strings.Join(params, ", ") + ")"
	fails = fails || s.Async || result.Form == Result
	if result.Form == Result && len(result.Args) > 0 {
		result = result.Args[0]
		unit = result.Form == Basic && result.Class == "unit"
	}
	results := []Type{result}
	if result.Form == Tuple {
		results = result.Args
	}
	var out []string
	for _, r := range results {
		if !unit {
			out = append(out, w.typ(r, false))
		}
	}
	if fails {
		out = append(out, "error")
	}
	switch len(out) {
	case 0:
		return text
	case 1:
		return text + " " + out[0]
	}
	return text + " (" + strings.Join(out, ", ") + ")"
}

func (w *writer) rust(s Sig, owner, name string, params []string, result Type, unit, fails bool) string {
	text := "pub fn "
	if s.Async {
		text = "pub async fn "
	}
	if owner != "" || s.Method {
		params = append([]string{"&self"}, params...)
	}
	text += Name(name, Rust) + w.generics(s.Generics, ": ") + "(" + strings.Join(params, ", ") + ")"
	r := "()"
	if !unit {
		r = w.typ(result, false)
	}
	wrong := "Error"
	if len(s.Throws) == 1 {
		wrong = s.Throws[0]
	}
	switch {
	case w.keeps() && s.Result == nil:
		return text
	case w.keeps():
		return text + " -> " + r
	case result.Form != Result && (fails || s.Async):
		return text + " -> Result<" + r + ", " + wrong + ">"
	case unit:
		return text
	}
	return text + " -> " + r
}

// generics are type parameters, with bounds where they have some.
func (w *writer) generics(list []Generic, mark string) string {
	if len(list) == 0 {
		return ""
	}
	out := make([]string, len(list))
	for i, g := range list {
		out[i] = g.Name
		if g.Bound != nil && g.Bound.Class != "any" && (w.from != Go || g.Bound.Name != "comparable") {
			out[i] += mark + w.typ(*g.Bound, true)
		}
	}
	return "<" + strings.Join(out, ", ") + ">"
}

// exceptions are Java's names for errors.
func exceptions(list []string) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e
		if base, ok := strings.CutSuffix(e, "Error"); ok && base != "" {
			out[i] = base + "Exception"
		}
	}
	return out
}

// params writes the parameters.
func (w *writer) params(list []Param) []string {
	var out []string
	keyword := false
	for i, p := range list {
		name := Name(cmp.Or(p.Name, fmt.Sprintf("arg%d", i)), w.lang)
		if w.lang == Go {
			name = lowerFirst(name)
		}
		if w.lang == Python && p.Keyword && !keyword && !p.Variadic && !slices.ContainsFunc(list[:i], func(q Param) bool { return q.Variadic }) {
			keyword = true
			out = append(out, "*")
		}
		out = append(out, w.param(p, name, i == len(list)-1 && !slices.ContainsFunc(list[:i], func(q Param) bool { return q.Optional })))
	}
	return out
}

func (w *writer) param(p Param, name string, alone bool) string {
	t := w.said(p.Type)
	typ := w.typ(t, false)
	switch w.lang {
	case TypeScript:
		if p.Type == nil {
			if p.Variadic {
				return "..." + name
			}
			return name + map[bool]string{true: "?"}[p.Optional]
		}
		switch {
		case p.Variadic:
			return "..." + name + ": " + w.typ(Type{Form: List, Name: "[]", Args: []Type{t}}, false)
		case p.Default != "" && value(p.Default, TypeScript) != "":
			return name + ": " + typ + " = " + value(p.Default, TypeScript)
		case p.Optional:
			return name + "?: " + typ
		}
		return name + ": " + typ
	case Python:
		return w.pythonParam(p, name, typ)
	case Go:
		switch {
		case p.Variadic, p.Optional && alone:
			return name + " ..." + typ
		case p.Optional:
			return name + " " + w.optional(t)
		}
		return name + " " + typ
	case Rust:
		switch {
		case p.Variadic:
			return name + ": &[" + w.typ(t, true) + "]"
		case p.Optional:
			return name + ": Option<" + w.typ(t, true) + ">"
		case t.Form == Basic && t.Class == "string" && !w.keeps():
			return name + ": &str"
		}
		return name + ": " + typ
	case Java:
		switch {
		case p.Variadic:
			return typ + "... " + name
		case p.Optional:
			return w.typ(t, true) + " " + name
		}
		return typ + " " + name
	}
	switch {
	case p.Variadic:
		return "vararg " + name + ": " + typ
	case p.Default != "" && value(p.Default, Kotlin) != "" && value(p.Default, Kotlin) != "null":
		return name + ": " + typ + " = " + value(p.Default, Kotlin)
	case p.Optional:
		return name + ": " + w.optional(t) + " = null"
	}
	return name + ": " + typ
}

func (w *writer) pythonParam(p Param, name, typ string) string {
	if p.Variadic {
		name = map[bool]string{true: "**", false: "*"}[p.Keyword] + name
	}
	if p.Type == nil {
		if p.Optional && !p.Variadic {
			if v := value(p.Default, Python); v != "" {
				return name + "=" + v
			}
			return name + "=None"
		}
		return name
	}
	switch {
	case p.Default != "" && value(p.Default, Python) != "" && value(p.Default, Python) != "None":
		return name + ": " + typ + " = " + value(p.Default, Python)
	case p.Optional && !p.Variadic:
		return name + ": " + typ + " | None = None"
	}
	return name + ": " + typ
}

// value is a default in the words of a language, "" when it is more than a literal.
func value(v, lang string) string {
	switch strings.ToLower(v) {
	case "none", "null", "undefined", "nil":
		return map[bool]string{true: "None", false: "null"}[lang == Python]
	case "true", "false":
		if lang == Python {
			return pythonValue(strings.ToLower(v))
		}
		return strings.ToLower(v)
	}
	number := strings.Trim(v, "0123456789.-_") == ""
	if n := len(v); n >= 2 && (v[0] == '"' || v[0] == '\'') && v[n-1] == v[0] {
		return `"` + v[1:n-1] + `"`
	}
	if number && v != "" {
		return v
	}
	return ""
}

func pythonValue(v string) string {
	switch v {
	case "true":
		return "True"
	case "false":
		return "False"
	}
	return v
}

// class writes a class with its constructor.
func (w *writer) class(s Sig) string {
	params := w.params(s.Params)
	all := strings.Join(params, ", ")
	switch w.lang {
	case TypeScript:
		return "class " + s.Name + " {\n  constructor(" + all + ") {}\n}"
	case Python:
		return "class " + s.Name + ":\n    def __init__(" + strings.Join(append([]string{"self"}, params...), ", ") + "):\n        pass"
	case Go:
		return "type " + s.Name + " struct{}\n\nfunc New" + s.Name + "(" + all + ") *" + s.Name
	case Rust:
		return "pub struct " + s.Name + ";\n\nimpl " + s.Name + " {\n    pub fn new(" + all + ") -> Self\n}"
	case Java:
		return "public class " + s.Name + " {\n    public " + s.Name + "(" + all + ") {}\n}"
	}
	return "class " + s.Name + "(" + all + ")"
}

// convertRecord writes a type with fields.
func convertRecord(text, head, lang string) (string, bool) {
	from := TypeScript
	name := head
	for _, w := range strings.Fields(head) {
		switch w {
		case "type":
			if strings.HasSuffix(head, "struct") {
				from = Go
			}
		case "struct":
			if from != Go {
				from = Rust
			}
		case "interface", "export", "pub", "public", "class", "record", "data", "=":
		default:
			name = w
		}
	}
	fields, ok := Fields(strings.ReplaceAll(text, "\n", ";"), from)
	if !ok || !isIdent(name) {
		return "", false
	}
	w := &writer{lang: lang, from: from}
	lines := make([]string, 0, len(fields))
	for _, f := range fields {
		lines = append(lines, w.field(f))
	}
	switch lang {
	case TypeScript:
		return "interface " + name + " {\n" + indent("  ", lines, ";") + "}", true
	case Python:
		if len(lines) == 0 {
			lines = []string{"pass"}
		}
		return "@dataclass\nclass " + name + ":\n" + strings.TrimSuffix(indent("    ", lines, ""), "\n"), true
	case Go:
		return "type " + name + " struct {\n" + goFields(w, fields) + "}", true
	case Rust:
		return "#[derive(Debug, Clone, Serialize, Deserialize)]\npub struct " + name + " {\n" + indent("    ", lines, ",") + "}", true
	case Java:
		return "public record " + name + "(\n" + strings.Replace(indent("    ", lines, ",")+") {}", ",\n)", "\n)", 1), true
	}
	return "data class " + name + "(\n" + strings.Replace(indent("    ", lines, ",")+")", ",\n)", "\n)", 1), true
}

func indent(by string, lines []string, end string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(by + l + end + "\n")
	}
	return b.String()
}

func (w *writer) field(f Field) string {
	t := w.said(f.Type)
	typ, name := w.typ(t, false), Name(f.Name, w.lang)
	if f.Optional && w.lang != TypeScript {
		typ = w.optional(t)
	}
	switch w.lang {
	case TypeScript:
		return name + map[bool]string{true: "?"}[f.Optional] + ": " + typ
	case Python:
		return name + ": " + typ + map[bool]string{true: " = None"}[f.Optional]
	case Rust:
		return "pub " + name + ": " + strings.Replace(typ, "impl Fn", "Box<dyn Fn", 1)
	case Java:
		return typ + " " + name
	}
	return "val " + name + ": " + typ
}

// goFields lays the fields out in columns, as gofmt does.
func goFields(w *writer, fields []Field) string {
	type row struct{ name, typ, tag string }
	rows := make([]row, 0, len(fields))
	a, b := 0, 0
	for _, f := range fields {
		t := w.said(f.Type)
		r := row{Name(f.Name, Go), w.typ(t, false), "`json:\"" + f.Name + "\"`"}
		if f.Optional {
			r.typ, r.tag = w.optional(t), "`json:\""+f.Name+",omitempty\"`"
		}
		rows = append(rows, r)
		a, b = max(a, len(r.name)), max(b, len(r.typ))
	}
	var out strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&out, "\t%-*s %-*s %s\n", a, r.name, b, r.typ, r.tag)
	}
	return out.String()
}
