package inspect

import (
	"cmp"
	"fmt"
	"go/ast"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// tupleFacts compares the fields of a type of Rust that have no names; of those that others do not see nothing is known.
func (m *module) tupleFacts(e *spec.Export, x found) []signature.Fact {
	_, want, ok := strings.Cut(e.Signature, "(")
	_, is, _ := strings.Cut(tuple(x.Export, x.Name), "(")
	a, b := splitLevel(strings.TrimSuffix(strings.TrimSpace(want), ")")), splitLevel(strings.TrimSuffix(is, ")"))
	if !ok || strings.Contains(want, "…") || strings.Contains(want, ")") && !strings.HasSuffix(strings.TrimSpace(want), ")") {
		return nil
	}
	if len(a) != len(b) {
		return differs("number of fields", fmt.Sprintf("has %d fields, the spec gives it %d", len(b), len(a)))
	}
	var facts []signature.Fact
	for i := range a {
		if _, typ, named := signature.Cut(a[i], ":"); named {
			a[i] = typ
		}
		p, q := signature.ParseType(strings.TrimPrefix(strings.TrimSpace(a[i]), "pub "), signature.Rust), signature.ParseType(b[i], signature.Rust)
		f := signature.Fact{About: fmt.Sprintf("field %d", i+1)}
		switch {
		case a[i] == b[i]:
		case (a[i] == "_") != (b[i] == "_"):
			f.Verdict, f.Why = signature.Different, fmt.Sprintf("its field %d is %s to others, the spec says %s", i+1, b[i], a[i])
		default:
			if f.Verdict = signature.Types(p, q, signature.Rust, m.meaning); f.Verdict != signature.Same {
				f.Why = fmt.Sprintf("its field %d is %s, the spec says %s", i+1, signature.Text(q, signature.Rust), signature.Text(p, signature.Rust))
			}
		}
		facts = append(facts, f)
	}
	return facts
}

// aliasFacts compares what a type is another name for.
func (m *module) aliasFacts(e *spec.Export, x found, lang string) []signature.Fact {
	want, ok1 := signature.AliasOf(e.Signature, e.Name, lang, signature.TypeScript)
	if !ok1 || isValue(want) && want.Form != signature.Raw && lang != signature.TypeScript {
		return nil
	}
	is, ok2 := signature.AliasOf(x.Text, x.Name, lang)
	if !ok2 {
		return open("what it stands for", "the code does not state it in a form that can be read")
	}
	f := signature.Fact{About: "what it stands for", Verdict: signature.Types(want, is, lang, m.meaning)}
	if f.Verdict != signature.Same {
		f.Why = "is " + signature.Text(is, lang) + ", the spec says " + signature.Text(want, lang)
	}
	return []signature.Fact{f}
}

// variantFacts compares the variants of an enumeration, with what they carry or are set to where the spec says it.
func (m *module) variantFacts(e *spec.Export, x found, lang string) []signature.Fact {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(strings.Trim(s, "`'\" "), "_", "")) }
	split := func(s string) (name, rest string) {
		s = strings.TrimSpace(s)
		if i := strings.IndexAny(s, "({= "); i > 0 && s[0] != '"' && s[0] != '\'' {
			return s[:i], strings.TrimSpace(s[i:])
		}
		return s, ""
	}
	_, body, _ := strings.Cut(strings.ReplaceAll(e.Signature, "::", "."), ":")
	said := splitAt(body, "|")
	if len(said) != len(e.Variants) { // in another form
		said = e.Variants
	}
	cases := x.Cases
	if len(cases) != len(x.Variants) {
		cases = x.Variants
	}
	if len(cases) == 0 || len(said) == 0 {
		return nil
	}
	var facts []signature.Fact
	done := map[string]bool{}
	for _, v := range said {
		name, rest := split(v)
		of := differs("variant "+name, "has no variant "+name+", the spec lists it")
		done[fold(name)] = true
		for _, c := range cases {
			is, carries := split(c)
			if fold(is) != fold(name) {
				continue
			}
			of = agrees("variant " + name)
			if why := m.carries(rest, carries, lang); why != "" {
				of = differs("variant "+name, "its variant "+is+" "+why)
			}
			break
		}
		facts = append(facts, of...)
	}
	for _, c := range cases {
		if name, _ := split(c); !done[fold(name)] {
			facts = append(facts, differs("variants", "has the variant "+name+", the spec does not list it")...)
		}
	}
	return facts
}

// carries compares what a variant carries or is set to, where the spec says it.
func (m *module) carries(want, is, lang string) string {
	if want == "" && (is == "" || lang != signature.Rust || strings.HasPrefix(is, "=")) || strings.Contains(want, "…") {
		return ""
	}
	a, value := strings.CutPrefix(want, "=")
	b, also := strings.CutPrefix(is, "=")
	if value {
		if also && signature.SameValue(a, b) || !also {
			return ""
		}
		return "is" + b + ", the spec says" + a
	}
	if strings.Join(strings.Fields(want), "") == strings.Join(strings.Fields(is), "") {
		return ""
	}
	inside := func(s string) []string {
		s = strings.TrimSpace(s)
		if len(s) < 2 {
			return nil
		}
		return splitLevel(strings.Trim(s, "(){} "))
	}
	p, q := inside(want), inside(is)
	if len(p) != len(q) {
		return "carries " + cmp.Or(is, "nothing") + ", the spec says " + cmp.Or(want, "nothing")
	}
	for i := range p {
		nameP, typeP, namedP := signature.Cut(p[i], ":")
		nameQ, typeQ, namedQ := signature.Cut(q[i], ":")
		if !namedP {
			typeP = p[i]
		}
		if !namedQ {
			typeQ = q[i]
		}
		if namedP && namedQ && strings.TrimSpace(nameP) != strings.TrimSpace(nameQ) ||
			signature.Types(signature.ParseType(typeP, lang), signature.ParseType(typeQ, lang), lang, m.meaning) == signature.Different {
			return "carries " + is + ", the spec says " + want
		}
	}
	return ""
}

// fieldFacts compares members: a spec that lists some lists all, unless one of them is ….
func (m *module) fieldFacts(want, is, lang string, x found) []signature.Fact {
	if x.Kind == "struct" && lang == signature.Rust { // what stands in front of the fields may have brackets, too
		is = definition(is, x.Name)
	}
	a, ok1 := signature.Members(want, lang, signature.TypeScript)
	b, ok2 := signature.Members(is, lang)
	if !ok1 || !strings.Contains(want, "{") || len(a) == 0 && (x.Kind != "struct" || !ok2 || len(b) == 0 || strings.Contains(want, "…")) {
		return nil
	}
	if !ok2 || !strings.Contains(is, "{") {
		return open("its members", "the code does not list them")
	}
	more := lang == signature.Kotlin || strings.Contains(is, " extends ") || strings.Contains(is, "&") || len(x.Above) > 0 // it has members that are not seen here
	for _, f := range b {
		more = more || f.Type == nil && f.Method == nil
	}
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	var facts []signature.Fact
	said := map[string]bool{}
	for _, f := range a {
		said[fold(f.Name)] = true
		if f.Name == "" {
			facts = append(facts, open("a member", "it is in a form that cannot be read")...)
			continue
		}
		list := differs("member "+f.Name, "has no field "+f.Name+", the spec lists it")
		if more {
			list = open("member "+f.Name, "it may come from the type's base type")
		}
		if lang == signature.Go && !ast.IsExported(f.Name) && m.mentions(f.Name) || lang == signature.Python && m.mentions(f.Name) {
			list = open("member "+f.Name, "others do not see it")
		}
		there := false
		for _, g := range b {
			if fold(g.Name) == fold(f.Name) {
				if now := m.memberFacts(f, g, lang); !there || differences(now) < differences(list) {
					list, there = now, true
				}
			}
		}
		if !there {
			if seen := m.offered.named(x.full() + "." + f.Name); len(seen) > 0 && f.Type != nil && !isCall(seen[0].Kind) {
				list = open("type of member "+f.Name, "the code does not say it")
				if valueType(seen[0].Export) != "" {
					list = m.typeFact(*f.Type, seen[0], lang)
				}
			}
		}
		facts = append(facts, list...)
	}
	if strings.Contains(want, "…") || strings.Contains(want, "...") {
		return facts
	}
	for _, g := range b {
		embedded := g.Type == nil && g.Method == nil && len(x.Above) > 0
		if g.Name != "" && !said[fold(g.Name)] && !embedded {
			said[fold(g.Name)] = true
			facts = append(facts, differs("members", "has the field "+g.Name+", the spec does not list it")...)
		}
	}
	return facts
}

func (m *module) memberFacts(want, is signature.Field, lang string) []signature.Fact {
	about := "member " + is.Name
	switch {
	case want.Method != nil && is.Method != nil:
		facts := signature.Facts(*want.Method, *is.Method, lang, m.meaning, false)
		for i := range facts {
			facts[i].About = about + ": " + facts[i].About
			if facts[i].Why != "" {
				facts[i].Why = "its method " + is.Name + " " + facts[i].Why
			}
		}
		return append(facts, agrees(about)...)
	case want.Type != nil && is.Type != nil:
		p, q := *want.Type, *is.Type
		if want.Optional != is.Optional {
			if lang == signature.TypeScript || lang == signature.Kotlin || lang == signature.Rust {
				return differs(about, "has the field "+is.Name+", which "+map[bool]string{true: "may be absent", false: "is always there"}[is.Optional]+", the spec says otherwise")
			}
			p, q = signature.Present(p), signature.Present(q)
		}
		switch signature.Types(p, q, lang, m.meaning) {
		case signature.Different:
			return differs(about, "has the field "+is.Name+" of type "+signature.Text(*is.Type, lang)+", the spec says "+signature.Text(*want.Type, lang))
		case signature.Unknown:
			return open("type of "+about, "whether "+signature.Text(q, lang)+" is the "+signature.Text(p, lang)+" of the spec is not known")
		case signature.Same:
		}
	case want.Type != nil && is.Method == nil:
		return open("type of "+about, "the code does not say it")
	case want.Method != nil || is.Method != nil:
		if lang == signature.TypeScript && (want.Type != nil && want.Type.Form == signature.Func || is.Type != nil && is.Type.Form == signature.Func) {
			return open("type of "+about, "one is a method, the other a field that holds a function")
		}
		if want.Type == nil && want.Method == nil {
			break
		}
		return differs(about, "its member "+is.Name+" is "+map[bool]string{true: "a method", false: "a field"}[is.Method != nil]+", the spec says otherwise")
	}
	return agrees(about)
}
