package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// mismatch says what is different, in all overloads of the code; "" when nothing is, or
// nobody can tell.
func (m *module) mismatch(e *spec.Export, list []found, have map[string][]found) string {
	why := ""
	for _, x := range list {
		if m.lineOf(x, e.Name) == e.Signature { // what decompile writes of it
			return ""
		}
		if why = m.differs(e, x, have); why == "" {
			return ""
		}
	}
	return why
}

func (m *module) differs(e *spec.Export, x found, have map[string][]found) string {
	lang, ok := signature.Lang(source.LangOf(x.file))
	if !ok {
		lang = m.lang
	}
	callable := e.Kind == spec.Function || e.Kind == spec.Class // F(a int) without a result looks like a class
	switch {
	case callable && (x.Kind == "function" || x.Kind == "method"):
		return m.fits(e.Signature, x.Text, lang, false, x.Inferred)
	case callable && isClass(x.Kind):
		if strings.Contains(e.Signature, "(") {
			return m.constructorDiffers(e, constructors(x, e.Name, have), lang)
		}
	case e.Kind == spec.Type && x.Made != "":
		args := arguments(x.Made)
		return m.fieldsDiffer(e.Signature, x.Name+" { "+args[1:len(args)-1]+" }", lang)
	case e.Kind == spec.Enum && x.Kind == "enum":
		return variantsDiffer(e.Variants, x.Variants)
	case x.Kind == "constant" || x.Kind == "variable":
		if e.Kind == spec.Variable {
			return m.valueDiffers(e, x, lang)
		}
	case x.Kind == "type" && (e.Kind == spec.Type || e.Kind == spec.Variable || e.Kind == spec.Function):
		if why := m.aliasDiffers(e, x, lang); why != "" || e.Kind != spec.Type {
			return why
		}
		return m.fieldsDiffer(e.Signature, x.Text, lang)
	case x.Kind == "struct" && lang == signature.Rust && (e.Kind == spec.Type || e.Kind == spec.Class) && tuple(x.Export, x.Name) != "":
		return m.tupleDiffers(e, x)
	case e.Kind == spec.Type && (x.Kind == "interface" || x.Kind == "struct"):
		return m.fieldsDiffer(e.Signature, x.Text, lang)
	}
	return ""
}

func isClass(kind string) bool { return kind == "class" || kind == "dataclass" || kind == "record" }

// constructors are the ways to make an object of a class, as their texts in the code. Members of a nested class are
// listed under its own name, without that of the class around it.
func constructors(x found, class string, have map[string][]found) []string {
	var out []string
	own := x.Name
	for i, of := range []string{class, own} {
		if i > 0 && of == class {
			break
		}
		for _, name := range []string{".constructor", ".__init__", "." + own} {
			for _, c := range have[of+name] {
				if (i == 0 || c.file == x.file) && isConstructor(c.Export, source.LangOf(c.file)) && strings.Contains(c.Text, "(") {
					out = append(out, c.Text)
				}
			}
		}
	}
	if source.LangOf(x.file) == source.Kotlin {
		return append(out, primary(x.Text))
	}
	if x.Kind == "record" {
		out = append(out, x.Text)
	}
	if len(out) == 0 && x.Made != "" {
		out = append(out, x.Made)
	}
	return out
}

// primary is the head of a class of Kotlin up to the types above it, whose arguments are none of its own.
func primary(head string) string {
	head, _, above := signature.Cut(head, ":")
	if above && !strings.Contains(head, "(") {
		head = strings.TrimSpace(head) + "()"
	}
	return head
}

// constructorDiffers says what is different in all constructors, "" where one fits.
func (m *module) constructorDiffers(e *spec.Export, list []string, lang string) string {
	why := ""
	for _, c := range list {
		if why = m.fits(e.Signature, c, lang, true, false); why == "" {
			return ""
		}
	}
	return why
}

// decorated drops what Python's reader puts before a method.
func decorated(sig string) string {
	for _, d := range []string{"@staticmethod ", "@classmethod ", "@property "} {
		sig = strings.TrimPrefix(sig, d)
	}
	return sig
}

// fits says why code does not do what a spec says. Only the body of an inferred function tells what it gives.
func (m *module) fits(want, is, lang string, constructor, inferred bool) string {
	a, ok1 := signature.Parse(want, lang)
	b, ok2 := signature.Parse(decorated(is), lang)
	if !ok1 || !ok2 {
		return ""
	}
	if inferred { // who reads the declaration does not know it either
		b.Result = a.Result
	}
	return signature.Fits(a, b, lang, m.meaning, constructor)
}

// valueDiffers compares the types of a constant or variable where both sides state one. A type that only its value tells
// in the code has to be of the same kind: a number, a text.
func (m *module) valueDiffers(e *spec.Export, x found, lang string) string {
	want, ok := signature.ValueType(e.Signature, e.Name, lang, signature.TypeScript)
	if !ok || isValue(want) {
		return ""
	}
	text := valueType(x.Export)
	if text == "" {
		return ""
	}
	is := signature.ParseType(text, lang)
	if text == x.Literal && (want.Form != signature.Basic || want.Class == "any" || want.Class == is.Class || number(want) && number(is)) {
		return ""
	}
	if lang == signature.Rust { // a constant text is &str, whatever the spec calls texts
		want, is = behind(want), behind(is)
		if want.Class == "string" && is.Class == "string" {
			return ""
		}
	}
	if signature.Types(want, is, lang, m.meaning) != signature.Different {
		return ""
	}
	return "is of type " + signature.Text(is, lang) + ", the spec says " + signature.Text(want, lang)
}

func number(t signature.Type) bool {
	return t.Class == "int" || t.Class == "float" || t.Class == "number"
}

// isValue reports whether what stands where a type does is a value, or a list of them.
func isValue(t signature.Type) bool {
	return t.Form == signature.Literal || t.Form == signature.Union || t.Form == signature.Raw
}

// behind is what a reference leads to.
func behind(t signature.Type) signature.Type {
	for t.Form == signature.Pointer && len(t.Args) == 1 {
		t = t.Args[0]
	}
	return t
}

// tupleDiffers compares the fields of a type of Rust that have no names; of those that others do not see nothing is known.
func (m *module) tupleDiffers(e *spec.Export, x found) string {
	_, want, ok := strings.Cut(e.Signature, "(")
	_, is, _ := strings.Cut(tuple(x.Export, x.Name), "(")
	a, b := splitLevel(strings.TrimSuffix(strings.TrimSpace(want), ")")), splitLevel(strings.TrimSuffix(is, ")"))
	if !ok || strings.Contains(want, "…") || strings.Contains(want, ")") && !strings.HasSuffix(strings.TrimSpace(want), ")") {
		return ""
	}
	if len(a) != len(b) {
		return fmt.Sprintf("has %d fields, the spec gives it %d", len(b), len(a))
	}
	for i := range a {
		if _, typ, named := signature.Cut(a[i], ":"); named {
			a[i] = typ
		}
		p, q := signature.ParseType(strings.TrimPrefix(strings.TrimSpace(a[i]), "pub "), signature.Rust), signature.ParseType(b[i], signature.Rust)
		if a[i] != "_" && b[i] != "_" && signature.Types(p, q, signature.Rust, m.meaning) == signature.Different {
			return fmt.Sprintf("its field %d is %s, the spec says %s", i+1, signature.Text(q, signature.Rust), signature.Text(p, signature.Rust))
		}
	}
	return ""
}

// aliasDiffers compares what a type is another name for.
func (m *module) aliasDiffers(e *spec.Export, x found, lang string) string {
	want, ok1 := signature.AliasOf(e.Signature, e.Name, lang, signature.TypeScript)
	is, ok2 := signature.AliasOf(x.Text, x.Name, lang)
	if !ok1 || !ok2 || isValue(want) && lang != signature.TypeScript {
		return ""
	}
	switch signature.Types(want, is, lang, m.meaning) {
	case signature.Different:
	case signature.Same:
		return ""
	case signature.Unknown:
		if lang != signature.TypeScript || sameParts(signature.Text(want, lang), signature.Text(is, lang)) {
			return ""
		}
	}
	return "is " + signature.Text(is, lang) + ", the spec says " + signature.Text(want, lang)
}

// sameParts compares two types of TypeScript that are put together of others, word by word. It says false only where all
// words of both are known to mean one thing: the language's own types, names that both have, fields.
func sameParts(want, is string) bool {
	a, sureA := wordsOfType(want)
	b, sureB := wordsOfType(is)
	return !sureA || !sureB || slices.Equal(a.names, b.names) && slices.Equal(a.fields, b.fields) && a.lists == b.lists || !slices.Equal(a.names, b.names) && !a.onlyBasic(b)
}

// typeWords are what a type is written with.
type typeWords struct {
	names, fields []string // sorted; each field with its mark
	lists         int
}

// onlyBasic reports whether what two types differ in is the language's own.
func (w typeWords) onlyBasic(o typeWords) bool {
	differ := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(n string) bool { return !slices.Contains(b, n) && !basicTypes[n] && n[0] != '"' })
	}
	return !differ(w.names, o.names) && !differ(o.names, w.names)
}

var basicTypes = map[string]bool{"string": true, "number": true, "boolean": true, "bigint": true, "symbol": true, "null": true, "undefined": true, "void": true, "never": true}

// wordsOfType lists the words of a type; sure is false where it holds more than names, fields, lists, | and &.
func wordsOfType(text string) (w typeWords, sure bool) {
	ts := source.Tokens("t.ts", []byte("type T = "+text+";"))
	for i := 3; i < len(ts)-1; i++ {
		next := ts[i+1].Text
		switch t := ts[i]; {
		case t.Kind == source.Ident && (next == ":" || next == "?" && i+2 < len(ts) && ts[i+2].Text == ":"):
			w.fields = append(w.fields, t.Text+next)
		case t.Kind == source.Ident && (t.Text == "readonly" && ts[i+1].Kind == source.Ident):
		case t.Kind == source.Ident:
			switch t.Text {
			case "keyof", "typeof", "infer", "is", "in", "extends", "any", "unknown", "object", "unique", "asserts":
				return w, false
			}
			w.names = append(w.names, t.Text)
		case t.Kind == source.String, t.Kind == source.Number:
			w.names = append(w.names, `"`+t.Value())
		case t.Text == "[" && next == "]":
			w.lists++
		case strings.Contains("{}|&;,:?]", t.Text):
		default: // a function, a generic type, an index
			return w, false
		}
	}
	slices.Sort(w.names)
	slices.Sort(w.fields)
	return w, true
}

func variantsDiffer(want, is []string) string {
	if len(is) == 0 || len(want) == 0 {
		return ""
	}
	fold := func(s string) string {
		s, _, _ = strings.Cut(s, "(")
		return strings.ToLower(strings.ReplaceAll(strings.Trim(s, "`'\" "), "_", ""))
	}
	has := func(list []string, v string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return fold(w) == fold(v) })
	}
	for _, v := range want {
		if !has(is, v) {
			return "has no variant " + v + ", the spec lists it"
		}
	}
	for _, v := range is {
		if !has(want, v) {
			return "has the variant " + v + ", the spec does not list it"
		}
	}
	return ""
}

// fieldsDiffer: a spec may leave members out, but not have others than the code.
func (m *module) fieldsDiffer(want, is, lang string) string {
	a, ok1 := signature.Members(want, lang, signature.TypeScript)
	b, ok2 := signature.Members(is, lang)
	if !ok1 || !ok2 || !strings.Contains(want, "{") || !strings.Contains(is, "{") || len(b) == 0 {
		return ""
	}
	more := lang == signature.Kotlin || strings.Contains(is, " extends ") || strings.Contains(is, "&") // it has members that are not seen here
	for _, f := range b {
		more = more || f.Type == nil && f.Method == nil
	}
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for _, f := range a {
		why := "has no field " + f.Name + ", the spec lists it"
		hidden := f.Name == "" || more || (lang == signature.Go || lang == signature.Rust || lang == signature.Python) && m.mentions(f.Name) // others do not see it
		for _, g := range b {
			if fold(g.Name) == fold(f.Name) {
				if why = m.memberDiffers(f, g, lang); why == "" {
					break
				}
				hidden = false
			}
		}
		if why != "" && !hidden {
			return why
		}
	}
	return ""
}

func (m *module) memberDiffers(want, is signature.Field, lang string) string {
	switch {
	case want.Method != nil && is.Method != nil:
		if why := signature.Fits(*want.Method, *is.Method, lang, m.meaning, false); why != "" {
			return "its method " + is.Name + " " + why
		}
	case want.Type != nil && is.Type != nil:
		p, q := *want.Type, *is.Type
		if want.Optional != is.Optional {
			p, q = signature.Present(p), signature.Present(q)
		}
		if signature.Types(p, q, lang, m.meaning) == signature.Different {
			return "has the field " + is.Name + " of type " + signature.Text(*is.Type, lang) + ", the spec says " + signature.Text(*want.Type, lang)
		}
	}
	return ""
}
