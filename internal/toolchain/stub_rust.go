package toolchain

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

var rustIdent = re.New(`^[\pL_][\pL\pM\pN_]*$`)

// rust puts everything into one file.
func (s Stubs) rust() []StubFile {
	f := StubFile{Name: s.File}
	top, members := s.owned()
	for _, x := range top {
		if !rustIdent().MatchString(x.Name) {
			continue
		}
		var p []string
		switch x.Kind {
		case "function":
			p = s.rustFunction(x, "")
		case "variable", "constant":
			if p = rustValue(x); len(p) == 0 && strings.ToUpper(x.Name) != x.Name { // FeeError: Negative
				p = rustEnum(x)
			}
		case "enum":
			p = rustEnum(x)
		default:
			p = s.rustType(x, members[x.Name])
			if strings.Contains(x.Signature, "trait ") {
				delete(members, x.Name)
			}
		}
		if len(p) > 0 {
			f.Parts = append(f.Parts, p)
		}
	}
	for _, owner := range sortedKeys(members) {
		for _, x := range members[owner] {
			var p []string
			switch {
			case !rustIdent().MatchString(x.Name):
			case owner[0] >= 'a' && owner[0] <= 'z': // a path of modules
				p = s.rustFunction(x, "")
			case strings.Contains(x.Signature, "("):
				p = s.rustFunction(x, owner)
			}
			if len(p) > 0 {
				f.Parts = append(f.Parts, p)
			}
		}
	}
	var all strings.Builder
	for _, p := range f.Parts {
		all.WriteString(strings.Join(p, "\n"))
	}
	f.Head = s.imports(typesIn(all.String()))
	if len(f.Parts) == 0 && f.Head == "" {
		return nil
	}
	return []StubFile{f}
}

// rustFunction declares a function or, with an owner, a method.
func (s Stubs) rustFunction(x Symbol, owner string) []string {
	c, ok := readCallable(x.Signature, x.Name)
	if !ok {
		return nil
	}
	params := parts(c.params)
	self := len(params) > 0 && !strings.Contains(params[0], ":") && strings.HasSuffix(params[0], "self")
	for i, p := range params {
		if !strings.Contains(p, ":") && (i > 0 || !self) {
			return nil // the type is not said
		}
	}
	result := c.result
	if owner != "" && !self && !strings.HasPrefix(result, "Self") && !slices.Contains(typesIn(result), owner) && !slices.Contains(typesIn(result), "Self") {
		params = append([]string{"&self"}, params...)
	}
	head := "pub "
	for _, word := range []string{"async", "unsafe"} {
		if slices.Contains(strings.Fields(c.before), word) {
			head += word + " "
		}
	}
	head += "fn " + x.Name + c.generics + "(" + strings.Join(params, ", ") + ")"
	if result != "" {
		head += " -> " + result
	}
	if strings.HasPrefix(c.tail, "where ") {
		head += " " + c.tail
	}
	wrap := func(body string) string {
		fn := head + " { " + body + " }"
		if owner != "" {
			fn = "impl " + owner + " { " + fn + " }"
		}
		return "#[allow(unused)] " + fn + "\n"
	}
	fails := wrap(`panic!("` + StubMark + x.Name + `")`)
	if zero, ok := rustZero(result, true); ok && !s.Fails {
		return []string{wrap(zero), fails}
	}
	return []string{fails}
}

// rustZero is an empty value of a type. Types of the module have one by Default.
func rustZero(t string, own bool) (string, bool) {
	t = strings.TrimSpace(t)
	name, args := t, []string{}
	if i := strings.IndexByte(t, '<'); i > 0 && strings.HasSuffix(t, ">") {
		name, args = t[:i], parts(t[i+1:len(t)-1])
	}
	switch {
	case t == "" || t == "()":
		return "()", true
	case t == "bool":
		return "false", true
	case t == "char":
		return `'\0'`, true
	case t == "&str" || t == "&'static str":
		return `""`, true
	case t == "f32" || t == "f64":
		return "0.0", true
	case len(t) <= 5 && (t[0] == 'i' || t[0] == 'u') && strings.Trim(t[1:], "0123456789") == "" || t == "usize" || t == "isize":
		return "0", true
	case strings.HasPrefix(t, "("):
		var out []string
		for _, p := range parts(strings.TrimSuffix(t[1:], ")")) {
			z, ok := rustZero(p, own)
			if !ok {
				return "", false
			}
			out = append(out, z)
		}
		return "(" + strings.Join(out, ", ") + ",)", true
	case name == "Option":
		return "None", true
	case (name == "Result" || strings.HasSuffix(name, "::Result")) && len(args) > 0:
		z, ok := rustZero(args[0], own)
		return "Ok(" + z + ")", ok
	case strings.HasPrefix(t, "&"), strings.HasPrefix(t, "impl "), strings.HasPrefix(t, "["), strings.Contains(t, "dyn "):
		return "", false
	}
	return "Default::default()", own
}

// rustValue declares a value of another content than the spec says.
func rustValue(x Symbol) []string {
	sig := strings.TrimSuffix(strings.Trim(strings.TrimSpace(x.Signature), "`"), ";")
	_, rest, ok := strings.Cut(sig, x.Name)
	rest = strings.TrimSpace(rest)
	if typ, found := strings.CutPrefix(rest, ":"); ok && found {
		typ, _, _ = strings.Cut(typ, "=")
		typ = strings.TrimSpace(typ)
		if zero, ok := rustZero(typ, false); ok {
			return []string{"pub const " + x.Name + ": " + typ + " = " + zero + ";\n"}
		}
	}
	return nil
}

// rustDerived declares a type with as many of the usual traits as it can have.
func rustDerived(name, decl string) []string {
	out := []string{"#[derive(Debug, Clone, PartialEq, Default)] " + decl, "#[derive(Debug, Clone, PartialEq)] " + decl, "#[derive(Debug)] " + decl, decl}
	if strings.HasSuffix(name, "Error") {
		as := " impl std::fmt::Display for " + name + ` { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("` + StubMark + name + `") } } impl std::error::Error for ` + name + " {}"
		for i := range 3 {
			out[i] += as
		}
	}
	for i := range out {
		out[i] += "\n"
	}
	return out
}

// rustEnum: what is behind the variants may be written like Rust or only listed.
func rustEnum(x Symbol) []string {
	sig := strings.Trim(strings.TrimSpace(x.Signature), "`")
	var variants []string
	if body, ok := braced(sig); ok {
		variants = parts(body)
	} else if _, list, ok := strings.Cut(sig, x.Name); ok {
		for v := range strings.SplitSeq(strings.TrimLeft(list, ":= "), "|") {
			variants = append(variants, strings.TrimSpace(v))
		}
	}
	variants = slices.DeleteFunc(variants, func(v string) bool { return v == "" || v == "…" || v == "..." })
	if len(variants) == 0 {
		return rustDerived(x.Name, "pub struct "+x.Name+";")
	}
	plain := "pub enum " + x.Name + " { " + strings.Join(variants, ", ") + " }"
	out := rustDerived(x.Name, plain)
	if i := slices.IndexFunc(variants, func(v string) bool { return rustIdent().MatchString(v) }); i >= 0 {
		marked := slices.Clone(variants)
		marked[i] = "#[default] " + marked[i]
		out[0] = strings.Replace(out[0], plain, "pub enum "+x.Name+" { "+strings.Join(marked, ", ")+" }", 1)
		return out
	}
	return out[1:]
}

// rustType declares a struct, a trait with its methods, or another name for a type.
func (s Stubs) rustType(x Symbol, members []Symbol) []string {
	sig, generics, after := x.declared()
	switch {
	case strings.Contains(sig, "trait "):
		var body strings.Builder
		for _, m := range members {
			if p := (Stubs{Fails: s.Fails}).rustFunction(m, ""); len(p) > 0 {
				body.WriteString(strings.Replace(strings.TrimSuffix(p[len(p)-1], "\n"), "pub ", "", 1) + " ")
			}
		}
		bounds, _, _ := strings.Cut(after, "{")
		return []string{"pub trait " + x.Name + generics + strings.TrimRight(bounds, " ") + " { " + body.String() + "}\n"}
	case strings.HasPrefix(after, "="):
		return []string{"pub type " + x.Name + generics + " " + strings.TrimSuffix(after, ";") + ";\n"}
	case strings.HasPrefix(after, "("):
		return rustDerived(x.Name, "pub struct "+x.Name+generics+strings.TrimSuffix(strings.ReplaceAll(after, "_", "()"), ";")+";")
	}
	var fields []string
	if body, ok := braced(after); ok {
		for _, f := range parts(body) {
			if f = strings.TrimPrefix(f, "pub "); strings.Contains(f, ":") {
				fields = append(fields, "pub "+f)
			}
		}
	}
	return rustDerived(x.Name, "pub struct "+x.Name+generics+" { "+strings.Join(fields, ", ")+" }")
}
