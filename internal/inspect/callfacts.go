package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// callFacts compares a call. Only the body of an inferred function tells what it gives.
func (m *module) callFacts(want, is, lang string, constructor, inferred bool) []signature.Fact {
	a, ok1 := signature.Parse(want, lang)
	b, ok2 := signature.Parse(decorated(is), lang)
	if !ok1 || !ok2 {
		return open("how it is called", "its signature cannot be read")
	}
	if inferred { // who reads the declaration does not know it either
		b.Result = a.Result
	}
	m.resolve(&a)
	m.resolve(&b)
	return signature.Facts(a, b, lang, m.meaning, constructor)
}

// resolve puts the values of constants of the module in place of their names.
func (m *module) resolve(s *signature.Sig) {
	for i := range s.Params {
		p := &s.Params[i]
		if v := m.constant(p.Default); v != "" {
			p.Default = v
		}
	}
}

// constant is what a name of the module stands for, "" where that is not known.
func (m *module) constant(name string) string {
	if !plainName().MatchString(name) || signature.IsValue(name) {
		return ""
	}
	out := ""
	for _, f := range m.names {
		if v := m.files[f].Constants[lastPart(name)]; v != "" {
			if out != "" && !signature.SameValue(out, v) {
				return ""
			}
			out = v
		}
	}
	return out
}

// constructors are the ways to make an object of a class, as their texts in the code.
func constructors(x found, class string, have map[string][]found) []string {
	var out []string
	own := memberName(x.Export)
	for i, of := range []string{class, own} {
		if i > 0 && of == class {
			break
		}
		for _, name := range []string{".constructor", ".__init__", "." + lastPart(own)} {
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

// constructorFacts compares with the constructor that fits best.
func (m *module) constructorFacts(e *spec.Export, list []string, lang string) []signature.Fact {
	sig, _, _ := strings.Cut(e.Signature, " extends ")
	if len(list) == 0 {
		if strings.Contains(sig, "()") || strings.Contains(sig, "(…)") {
			return nil
		}
		return open("how it is made", "the code has no explicit constructor")
	}
	var best []signature.Fact
	for i, c := range list {
		if f := m.callFacts(sig, c, lang, true, false); i == 0 || differences(f) < differences(best) {
			best = f
		}
	}
	return best
}

// baseFacts compares the class that a class is made on, where the spec names it.
func (m *module) baseFacts(e *spec.Export, x found) []signature.Fact {
	_, said, ok := strings.Cut(e.Signature, " extends ")
	if !ok {
		return nil
	}
	plain := func(list []string) []string {
		var out []string
		for _, b := range list {
			b, _, _ = strings.Cut(strings.TrimSpace(b), "<")
			b, _, _ = strings.Cut(b, "[")
			if alias, _ := m.meaning(b); alias != nil && alias.Form == signature.Named {
				b = alias.Name
			}
			out = append(out, lastPart(b))
		}
		slices.Sort(out)
		return out
	}
	if slices.Equal(plain(splitLevel(said)), plain(x.Bases)) {
		return agrees("what it extends")
	}
	return differs("what it extends", "extends "+cmp.Or(strings.Join(x.Bases, ", "), "nothing")+", the spec says "+said)
}

// valueFacts compares the type and the value of a constant, variable or property, where both sides state them. A type
// that only its value tells in the code has to be of the same kind: a number, a text.
func (m *module) valueFacts(e *spec.Export, x found, lang string) []signature.Fact {
	var facts []signature.Fact
	want, ok := signature.ValueType(e.Signature, e.Name, lang, signature.TypeScript)
	if ok && !isValue(want) {
		facts = m.typeFact(want, x, lang)
	}
	_, value, ok := signature.Cut(e.Signature, "=")
	if value = strings.Trim(strings.TrimSpace(value), "`"); !ok || value == "" || strings.HasPrefix(value, ">") {
		return facts
	}
	is := x.Value
	if is == "" && x.Kind == "constant" {
		is = m.constant(x.Name)
	}
	switch {
	case is == "":
		return append(facts, open("its value", "the code computes it")...)
	case signature.SameValue(value, is):
		return append(facts, agrees("its value")...)
	case signature.IsValue(value):
		return append(facts, differs("its value", "is "+is+", the spec says "+value)...)
	}
	return append(facts, open("its value", "whether "+is+" is the "+value+" of the spec is not known")...)
}

func (m *module) typeFact(want signature.Type, x found, lang string) []signature.Fact {
	text := valueType(x.Export)
	if text == "" {
		return open("its type", "the code does not say it")
	}
	is := signature.ParseType(text, lang)
	same := agrees("its type")
	if text == x.Literal && (want.Form != signature.Basic || want.Class == "any" || want.Class == is.Class || number(want) && number(is)) {
		return same
	}
	if lang == signature.Rust { // a constant text is &str, whatever the spec calls texts
		want, is = behind(want), behind(is)
		if want.Class == "string" && is.Class == "string" {
			return same
		}
	}
	switch signature.Types(want, is, lang, m.meaning) {
	case signature.Different:
		return differs("its type", "is of type "+signature.Text(is, lang)+", the spec says "+signature.Text(want, lang))
	case signature.Unknown:
		return open("its type", "whether "+signature.Text(is, lang)+" is the "+signature.Text(want, lang)+" of the spec is not known")
	case signature.Same:
	}
	return same
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
