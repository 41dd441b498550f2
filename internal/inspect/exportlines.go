package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// exportGroups are the headings under which exports stand, in their order.
var exportGroups = []string{"Functions", "Types", "Classes", "Enums", "Variables"}

// exportsText writes the Exports of a module that offers these: under headings where there is more than one
// kind, sorted by name. Every line that it writes reads as that export; described adds the
// first sentence of its documentation.
func exportsText(offers []found, described bool) (text string, n int) {
	groups, seen := exportList{}, map[string]bool{}
	for _, e := range offers {
		about := ""
		if described {
			about = firstSentence(e.Doc, e.Name)
		}
		n += groups.add(offers, e, "", about, seen)
	}
	return groups.text(true), n
}

// exportList are names and lines of exports by the heading that they stand under.
type exportList map[string][][2]string

// add lists an export in each way that it can be made, and counts these: as a type in the words of own, where they read as it. seen are
// those that are listed.
func (l exportList) add(offers []found, x found, own, about string, seen map[string]bool) (n int) {
	full := x.full()
	if x.Name == "*" || x.Name == "" || strings.HasPrefix(x.Name, "_") || unlisted(x) || isConstructor(x.Export, source.LangOf(x.file)) {
		return 0
	}
	for _, of := range constructorsOf(offers, x) {
		group, line := "Types", own
		if !reads(group, line, full, false) {
			group, line = exportLine(x.Export, full, of)
		}
		if role := roleOf(group, full, line); line != "" && !seen[role] {
			seen[role] = true
			l[group] = append(l[group], [2]string{full, "- `" + line + "`" + about + "\n"})
			n++
		}
	}
	return n
}

// reExports is the heading of what comes from elsewhere.
const reExports = "Re-exports"

// text is a section with the exports, sorted by name; headed says that one heading alone is written, too.
func (l exportList) text(headed bool) string {
	if len(l) == 0 {
		return "None\n"
	}
	var b strings.Builder
	for _, g := range append(slices.Clone(exportGroups), reExports) {
		if len(l[g]) == 0 {
			continue
		}
		slices.SortStableFunc(l[g], func(x, y [2]string) int { return strings.Compare(x[0], y[0]) })
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		if headed || len(l) > 1 {
			b.WriteString("### " + g + "\n\n")
		}
		for _, x := range l[g] {
			b.WriteString(x[1])
		}
	}
	return b.String()
}

// roleOf tells exports of one name apart: what is called by its parameters, the others not.
func roleOf(group, name, line string) string {
	if group == "Functions" || group == "Classes" {
		return line
	}
	return name
}

func isConstructor(e source.Export, lang string) bool {
	return e.Kind == "method" && (e.Name == "constructor" || e.Name == "__init__" || lang == source.Java && e.Name == lastPart(e.Owner))
}

// constructorsOf are all ways to make an object of a class, as constructor writes them; of anything else one that says
// nothing.
func constructorsOf(list []found, x found) []string {
	out := []string{constructor(list, x)}
	if lang := source.LangOf(x.file); isClass(x.Kind) && (lang == source.Java || lang == source.Kotlin) {
		for _, a := range declaredConstructors(list, x) {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// declaredConstructors are those that the code of a class declares; one of a record may name no parameters.
func declaredConstructors(list []found, x found) []string {
	var out []string
	for _, e := range list {
		if e.Owner == memberName(x.Export) && e.file == x.file && isConstructor(e.Export, source.LangOf(e.file)) && strings.Contains(e.Text, "(") {
			out = append(out, arguments(e.Text))
		}
	}
	return out
}

// constructor is what has to be given to make an object of a class, as "(a: T, b)"; "" when the code does not say.
func constructor(list []found, x found) string {
	if !isClass(x.Kind) {
		return ""
	}
	kotlin := source.LangOf(x.file) == source.Kotlin
	if head := primary(x.Text); kotlin && strings.Contains(head, "(") && !strings.HasSuffix(head, "()") {
		return arguments(head)
	}
	if x.Kind == "record" { // others lead to this one
		return arguments(x.Text)
	}
	if x.file == "" && x.Made != "" {
		return arguments(x.Made)
	}
	if declared := declaredConstructors(list, x); len(declared) > 0 {
		return declared[0]
	}
	switch source.LangOf(x.file) {
	case source.Kotlin:
		return arguments(primary(x.Text))
	case source.Python: // its fields, a base or a decorator may give it one
		if x.Made != "" {
			return arguments(x.Made)
		}
		if x.Kind == "dataclass" || strings.Contains(x.Text, "(") {
			return "(…)"
		}
	case source.TypeScript, source.JavaScript:
		if strings.Contains(x.Text, " extends ") {
			return "(…)"
		}
	}
	return ""
}

// exportLine finds a way to write an export that reads as it, the one that says most first.
func exportLine(e source.Export, name, constructor string) (group, line string) {
	type form struct{ group, text string }
	var forms []form
	switch e.Kind {
	case "function", "method":
		full := withName(e, name)
		if e.Static && e.Owner != "" {
			forms = append(forms, form{"Functions", "static " + full})
		}
		forms = append(forms, form{"Functions", full}, form{"Functions", strings.TrimPrefix(strings.TrimPrefix(full, "async "), "suspend ")})
		if i := strings.Index(full, " where "); i > 0 {
			forms = append(forms, form{"Functions", full[:i]})
		}
	case "interface", "type", "struct", "trait", "object":
		params := typeParameters(e.Text, e.Name)
		forms = []form{
			{"Types", definition(e.Text, name+params)},
			{"Types", alias(e, name+params)},
			{"Types", tuple(e, name+params)},
			{"Types", name + params + " { }"},
			{"Types", definition(e.Text, name)},
			{"Types", alias(e, name)},
			{"Types", name + " { }"},
			{"Types", name},
		}
	case "class", "dataclass", "record":
		of := name + cmp.Or(constructor, "()")
		if len(e.Bases) > 0 {
			forms = append(forms, form{"Classes", of + " extends " + strings.Join(e.Bases, ", ")})
		}
		forms = append(forms, form{"Classes", of})
	case "enum":
		if len(e.Cases) == len(e.Variants) && !strings.Contains(strings.Join(e.Cases, ""), "|") {
			forms = []form{{"Enums", name + ": " + strings.Join(e.Cases, " | ")}}
		}
		forms = append(forms, form{"Enums", name + ": " + strings.Join(e.Variants, " | ")}, form{"Types", name + " { }"})
	default:
		t, static := valueType(e), ""
		if e.Static && e.Kind != "constant" {
			static = "static "
		}
		if t != "" && e.Value != "" {
			forms = append(forms, form{"Variables", static + name + ": " + t + " = " + e.Value})
		}
		if t != "" {
			forms = append(forms, form{"Variables", static + name + ": " + t})
		}
		if t == "" && e.Value != "" {
			forms = append(forms, form{"Variables", name + " = " + e.Value})
		}
		forms = append(forms, form{"Variables", static + name}, form{"Variables", name})
	}
	for _, untyped := range []bool{false, true} { // code that says nothing of its types gives a spec that says nothing of them
		for _, f := range forms {
			if reads(f.group, f.text, name, untyped) {
				return f.group, f.text
			}
		}
	}
	last := []form{{"Functions", name + "(…)"}, {"Functions", name + "()"}}
	if isClass(e.Kind) {
		last = slices.Insert(last, 0, form{"Classes", name + "(…)"})
	}
	for _, f := range last {
		if reads(f.group, f.text, name, false) {
			return f.group, f.text
		}
	}
	return "", ""
}

// reads reports whether a line in Exports is read as one export of that name, without a complaint, or as a function with
// the one complaint that types are not said.
func reads(group, text, name string, untyped bool) bool {
	if text == "" || strings.ContainsAny(text, "`\n") || untyped && (group != "Functions" || !strings.Contains(text, "(")) {
		return false
	}
	d, ps := spec.Parse("m/CLAUDE.md", []byte("# m\n\n## Purpose\n\nx\n\n## Exports\n\n### "+group+"\n\n- `"+text+"`\n\n## Behavior\n\nNone\n"))
	if untyped && (len(ps) != 1 || ps[0].Severity == spec.Error || !strings.Contains(ps[0].Text, "missing parameter types")) || !untyped && len(ps) > 0 {
		return false
	}
	return len(d.Exports) == 1 && d.Exports[0].Name == name && d.Exports[0].Signature == oneLine(text)
}

// withName is a function's signature with the name under which the spec lists it, result last.
func withName(e source.Export, name string) string {
	sig := e.Text
	at, own := -1, e.Name
	if m := declaredName().FindStringSubmatch(sig); m != nil && !strings.Contains(sig, own) {
		own = m[1] // exported under another name
	}
	for from := 0; ; { // the name itself, and not a type that begins like it
		i := strings.Index(sig[from:], own)
		if i < 0 {
			break
		}
		i += from
		rest := strings.TrimLeft(sig[i+len(own):], " ")
		if (i == 0 || strings.ContainsRune(" *).&>`", rune(sig[i-1]))) && rest != "" && strings.ContainsRune("(<[=", rune(rest[0])) {
			at = i
			break
		}
		from = i + len(own)
	}
	if at < 0 {
		return ""
	}
	before, rest := strings.TrimRight(sig[:at], "` "), strings.TrimLeft(sig[at+len(own):], "`")
	words := strings.Fields(before)
	if value, ok := strings.CutPrefix(rest, " = "); ok {
		var async bool
		if rest, async = strings.CutPrefix(value, "async "); async {
			words = append(words, "async")
		}
		rest = functionWord().ReplaceAllString(rest, "")
	}
	if inside, after, ok := signature.CutGroup(rest); ok && e.Owner != "" && slices.Contains(words, "def") && strings.HasPrefix(rest, "(") { // Python's own parameter
		if list := splitLevel(inside); isSelf(list[0]) {
			if list = list[1:]; len(list) > 0 && list[0] == "/" {
				list = list[1:]
			}
			rest = "(" + strings.Join(list, ", ") + ")" + after
		}
	}
	if params, _ := leadingParameters(before); strings.HasPrefix(rest, "(") {
		name += params
	}
	out := name + strings.TrimSpace(rest)
	if result := javaResult(before); result != "" && !strings.Contains(before, "fun") && !strings.Contains(before, "fn") && !strings.HasPrefix(before, "func") {
		out, _, _ = strings.Cut(out, " throws ")
		out += ": " + result
	}
	switch {
	case slices.Contains(words, "suspend"):
		return "suspend " + out
	case slices.Contains(words, "async") && !strings.Contains(out, "Promise<"):
		return "async " + out
	}
	return out
}

// isSelf reports whether a parameter of Python is what a method is called on.
func isSelf(param string) bool {
	name, _, _ := strings.Cut(param, ":")
	name = strings.TrimSpace(name)
	return name == "self" || name == "cls"
}

// functionWord is what stands before the parameters of a function that is a value.
var functionWord = re.New(`^function ?\*? ?[\pL\w$]* ?`)

var declaredName = re.New(`^(?:async |static )*(?:function ?\*? ?|const |let |var |def )([\pL\w$]+)`)

// javaResult is the type of a result that stands before the name: what is left without modifiers and type parameters.
func javaResult(before string) string {
	_, rest := leadingParameters(before)
	return rest
}

// leadingParameters are the type parameters that stand before a result or receiver, as Java and Kotlin write them, and
// what follows them; words that say nothing of the type are left out.
func leadingParameters(before string) (params, rest string) {
	for {
		word, rest, ok := strings.Cut(before, " ")
		switch word {
		case "static", "final", "abstract", "default", "synchronized", "native", "strictfp", "protected", "async", "const", "function", "function*", "def",
			"get", "set", "override", "readonly", "declare", "let", "var", "export", "@property", "@staticmethod", "@classmethod", "@overload", "@abstractmethod",
			"fun", "suspend", "inline", "infix", "operator", "tailrec", "external", "*":
			if !ok {
				return "", ""
			}
			before = rest
			continue
		}
		break
	}
	if strings.HasPrefix(before, "<") {
		if inside, after, ok := signature.CutGroup(before); ok {
			return "<" + inside + ">", strings.TrimSpace(after)
		}
	}
	return "", before
}

// typeParameters are those that stand behind the name of a type in its declaration, "" without.
func typeParameters(text, name string) string {
	_, rest, ok := strings.Cut(" "+text, " "+name)
	if !ok || rest == "" || rest[0] != '<' && rest[0] != '[' {
		return ""
	}
	inside, after, ok := signature.CutGroup(rest)
	if !ok || strings.ContainsAny(inside, "{(") {
		return ""
	}
	return rest[:len(rest)-len(after)]
}

// tuple is a type of Rust whose fields have no names: Name(u8, _).
func tuple(e source.Export, name string) string {
	if e.Kind != "struct" || !strings.HasPrefix(e.Text, "struct ") || strings.Contains(e.Text, "{") || !strings.Contains(e.Text, "(") {
		return ""
	}
	return name + arguments(e.Text)
}

// valueType is the type of a constant or variable, "" where the code does not say.
func valueType(e source.Export) string {
	if e.Kind == "property" && strings.Contains(e.Text, e.Name+"(") { // a getter
		sig, ok := signature.Parse(decorated(strings.TrimPrefix(e.Text, "@cached_property ")), "")
		switch {
		case ok && sig.Result != nil:
			_, after, _ := signature.CutGroup(e.Text[strings.Index(e.Text, e.Name+"(")+len(e.Name):])
			return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(after), "->: "))
		case ok && len(sig.Params) == 1 && strings.Contains(e.Text, "set "): // only a setter
			_, t, _ := signature.Cut(strings.Trim(arguments(e.Text), "()"), ":")
			return strings.TrimSpace(t)
		}
		return e.Literal
	}
	if i := strings.Index(e.Text, e.Name+"?:"); i >= 0 && e.Kind == "property" {
		return strings.TrimSpace(e.Text[i+len(e.Name)+2:]) + " | undefined"
	}
	if i := strings.Index(e.Text, e.Name+":"); i >= 0 {
		return strings.TrimSpace(e.Text[i+len(e.Name)+1:])
	}
	if t, ok := strings.CutPrefix(e.Text, "const "+e.Name+" "); ok { // Go
		return t
	}
	if t, ok := strings.CutPrefix(e.Text, "var "+e.Name+" "); ok {
		return t
	}
	if before, ok := strings.CutSuffix(e.Text, " "+e.Name); ok {
		if t := javaResult(before); t != "" && t != "const" && t != "val" && t != "var" {
			return t
		}
	}
	return e.Literal
}

// alias is another name for a type as Name = Type, "" when it is none.
func alias(e source.Export, name string) string {
	if e.Kind != "type" {
		return ""
	}
	if rest, ok := strings.CutPrefix(e.Text, "type "+e.Name); ok && !strings.Contains(e.Text, "=") { // Go: a type of its own
		if is, ok := strings.CutPrefix(strings.TrimPrefix(rest, typeParameters(e.Text, e.Name)), " "); ok && !strings.ContainsAny(is, "\n{") {
			return name + " = " + is
		}
	}
	_, is, ok := signature.Cut(e.Text, "=")
	if is = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(is), "|")); !ok || is == "" {
		return ""
	}
	return name + " = " + is
}

// definition is the fields of a type in the form Name { a: T }, "" for one that is more than
// its fields: `A & { b: T }`, `{ a: T }[]`.
func definition(sig, name string) string {
	head, body, ok := signature.Cut(sig, "{")
	end := strings.LastIndex(body, "}")
	if !ok || end < 0 || strings.Contains(head, "=>") || strings.Trim(body[end+1:], " ;\n") != "" {
		return ""
	}
	if _, is, alias := signature.Cut(head, "="); alias && strings.TrimSpace(is) != "" {
		return ""
	}
	if len(splitAt("{"+body[:end]+"}", "|&")) > 1 { // the first brace is closed before the last
		return ""
	}
	var fields []string
	for _, f := range splitAt(body[:end], ",;\n") {
		if f = without(oneLine(f), "pub", "override", "abstract", "val", "var"); f != "" { // of Rust and Kotlin
			fields = append(fields, f)
		}
	}
	return name + " { " + strings.Join(fields, ", ") + " }"
}

// arguments are the parameters of a constructor in parentheses, without what is the language's own.
func arguments(sig string) string {
	open := strings.Index(sig, "(")
	if open < 0 {
		return "()"
	}
	inside, _, ok := signature.CutGroup(sig[open:])
	if !ok {
		return "(…)"
	}
	var out []string
	for _, part := range splitLevel(inside) {
		part = without(part, "private", "public", "pub", "protected", "internal", "readonly", "override", "val", "var", "final")
		if part != "" && (len(out) > 0 || !isSelf(part)) {
			out = append(out, part)
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// without is a text without any of the words that it begins with.
func without(text string, words ...string) string {
	for {
		word, rest, ok := strings.Cut(text, " ")
		if !ok || !slices.Contains(words, word) {
			return text
		}
		text = rest
	}
}

// splitLevel cuts at the commas that stand in no bracket.
func splitLevel(s string) []string { return splitAt(s, ",") }

// splitAt cuts at marks that stand in no bracket.
func splitAt(s, marks string) []string {
	out := signature.Split(s, marks)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
