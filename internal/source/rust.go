package source

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

var rustAtoms = map[string]Kind{
	"string_literal": String, "raw_string_literal": String, "char_literal": String,
	"line_comment": Comment, "block_comment": Comment, "lifetime": Ident,
}

func parseRust(f *File, src []byte) {
	t := parseTree(f, src, syntax.Rust, rustAtoms)
	if t == nil {
		return
	}
	f.Tokens = t.all()
	r := &rustFile{treeFile: t, hidden: map[string]bool{}}
	for n := range t.root.Within(nil) {
		switch n.Kind() {
		case "struct_item", "enum_item", "union_item", "type_item":
			r.hidden[n.At("name").Text()] = !rustPublic(n)
		}
	}
	var doc []string
	for c := range t.root.All() {
		text := strings.TrimRight(c.Text(), "\r\n")
		if !strings.HasPrefix(text, "//!") && !strings.HasPrefix(text, "/*!") {
			break
		}
		doc = append(doc, cleanComment(text))
	}
	f.Doc = summary(strings.Join(doc, "\n"))
	r.items(t.root, "", true)
	r.paths()
	r.tests(t.root, "", false)
	r.transitions(r.statement)
	treeMutants(f, src)
}

type rustFile struct {
	*treeFile

	hidden map[string]bool // types of the file that others do not see
	inner  int             // modules written out in the file around what is read
	mods   []string        // modules that are declared here and are in files of their own
	read   [][2]int        // where the declarations of use are
	within [][2]int        // where modules are written out in the file
}

// rustPublic reports whether everybody may use an item: pub, and not pub(crate).
func rustPublic(n syntax.Node) bool {
	v := n.Child("visibility_modifier")
	return v.OK() && v.Text() == "pub"
}

// rustDrop leaves out attributes.
func rustDrop(n syntax.Node) bool {
	return n.Kind() == "attribute_item" || n.Kind() == "inner_attribute_item"
}

// rustHead leaves out attributes, and what only says that something is visible.
func rustHead(n syntax.Node) bool { return rustDrop(n) || n.Kind() == "visibility_modifier" }

func (r *rustFile) items(n syntax.Node, owner string, exported bool) {
	for c := range n.All() {
		r.item(c, owner, exported)
	}
}

func (r *rustFile) item(n syntax.Node, owner string, exported bool) {
	name := n.At("name").Text()
	public := exported && rustPublic(n)
	if v := n.Child("visibility_modifier"); exported && v.OK() && !public && name != "" {
		r.field(n, owner, name, "internal", nil)
	}
	head := func(stop ...string) []Token { return r.upTo(n, kinds(stop...), rustHead) }
	switch n.Kind() {
	case "use_declaration":
		r.read = append(r.read, span(n))
		r.use(n.At("argument"), nil, public, owner)
	case "extern_crate_declaration":
		r.f.Imports = append(r.f.Imports, Import{From: name, Line: n.Line()})
	case "mod_item":
		if body := n.At("body"); body.OK() {
			r.within = append(r.within, span(body))
			r.inner++
			r.items(body, dotted(owner, name), public && !r.testOnly(n))
			r.inner--
		} else {
			r.mods = append(r.mods, name)
			if !public {
				r.f.Private = append(r.f.Private, name)
			}
		}
	case "function_item", "function_signature_item":
		r.method(n, owner, public, "function")
	case "struct_item", "union_item":
		if public {
			r.export(n, owner, name, "struct", r.structure(n))
		}
	case "enum_item":
		if public {
			e := r.export(n, owner, name, "enum", head())
			for _, v := range n.At("body").NamedChildren() {
				if v.Kind() == "enum_variant" {
					e.Variants = append(e.Variants, v.At("name").Text())
					e.Cases = append(e.Cases, r.written(r.upTo(v, nil, rustDrop)))
				}
			}
			r.states(name, e.Variants)
		}
	case "trait_item":
		if public {
			e := r.export(n, owner, name, "trait", head("declaration_list"))
			for _, b := range n.At("bounds").NamedChildren() {
				e.Above = append(e.Above, r.flat(b))
			}
			for m := range n.At("body").All() {
				if m.Kind() == "function_item" || m.Kind() == "function_signature_item" {
					r.method(m, dotted(owner, name), true, "method")
				}
			}
		}
	case "type_item":
		if public {
			r.export(n, owner, name, "type", head(";"))
		}
	case "const_item", "static_item":
		if public {
			kind := "constant"
			if n.Child("mutable_specifier").OK() {
				kind = "variable"
			}
			e := r.export(n, owner, name, kind, head("=", ";"))
			if value := n.At("value"); kind == "constant" && value.OK() {
				e.Value = literalText(r.leaves(value, nil))
			}
		}
	case "macro_definition":
		if strings.Contains(r.attributes(n), "macro_export") {
			ts := []Token{{Kind: Ident, Text: "macro_rules", Indent: -1}, {Kind: Punct, Text: "!", Indent: -1}, {Kind: Ident, Text: name, Off: 1, Indent: -1}}
			r.export(n, "", name, "function", ts)
		}
	case "macro_invocation", "expression_statement":
		r.f.Macros = r.f.Macros || n.Kind() == "macro_invocation" || n.Child("macro_invocation").OK()
	case "impl_item":
		r.impl(n, owner)
	}
}

func dotted(owner, name string) string { return strings.TrimPrefix(owner+"."+name, ".") }

// impl reads the methods that a type has of its own; those of a trait are the trait's.
func (r *rustFile) impl(n syntax.Node, owner string) {
	of := n.At("type")
	if g := of.At("type"); of.Kind() == "generic_type" && g.OK() {
		of = g
	}
	name := dotted(owner, of.Text())
	inherent := !n.At("trait").OK() && !r.hidden[of.Text()]
	for m := range n.At("body").All() {
		switch m.Kind() {
		case "function_item":
			r.method(m, name, inherent && rustPublic(m), "method")
			if v := m.Child("visibility_modifier"); v.OK() && !rustPublic(m) && !r.hidden[of.Text()] {
				r.field(m, name, m.At("name").Text(), "internal", nil)
			}
			if n.At("trait").OK() && !r.hidden[of.Text()] {
				r.field(m, name, m.At("name").Text(), "inherited", nil)
			}
		case "const_item":
			if inherent && rustPublic(m) {
				r.item(m, name, true)
			}
		}
	}
}

func (r *rustFile) method(n syntax.Node, owner string, public bool, kind string) {
	name, body := n.At("name").Text(), n.At("body")
	full := dotted(owner, name)
	if body.OK() {
		r.function(full, n, body.Start()+1)
	}
	if !public {
		return
	}
	r.export(n, owner, name, kind, r.upTo(n, kinds("block", ";"), rustHead))
	params := map[string]bool{}
	for p := range n.At("parameters").All() {
		for _, name := range identifiers(p.At("pattern")) {
			params[name] = true
		}
	}
	r.f.contract(full, r.doc(n.Start()), r.guards(withoutComments(body), params, r.statement), n.Line())
	if kind == "method" && body.OK() {
		r.methods = append(r.methods, method{name, body})
	}
}

// structure is the head of a struct with its public fields.
func (r *rustFile) structure(n syntax.Node) []Token {
	var out []Token
	for c := range n.All() {
		switch c.Kind() {
		case "visibility_modifier", ";":
		case "field_declaration_list":
			out = append(out, r.fields(c)...)
		case "ordered_field_declaration_list":
			out = append(out, r.tuple(c)...)
		default:
			out = append(out, r.leaves(c, rustDrop)...)
		}
	}
	return out
}

func (r *rustFile) fields(n syntax.Node) []Token {
	var out []Token
	comma := Token{}
	for c := range n.All() {
		switch {
		case c.Kind() == "field_declaration" && rustPublic(c):
			if comma.Text != "" {
				out = append(out, comma)
			}
			out = append(out, r.leaves(c, rustDrop)...)
			comma = Token{Kind: Punct, Text: ",", Off: c.End(), End: c.End() + 1, Indent: -1}
		case c.Kind() == "{" || c.Kind() == "}":
			out = append(out, r.leaves(c, nil)...)
		}
	}
	return out
}

// tuple writes a field that is not public as _.
func (r *rustFile) tuple(n syntax.Node) []Token {
	var out []Token
	public := false
	for c := range n.All() {
		switch {
		case c.Kind() == "visibility_modifier":
			public = c.Text() == "pub"
			if public {
				out = append(out, r.leaves(c, nil)...)
			}
		case c.Kind() == "(" || c.Kind() == ")" || c.Kind() == ",":
			out = append(out, r.leaves(c, nil)...)
			public = false
		case c.Named() && c.Kind() != "attribute_item" && !strings.HasSuffix(c.Kind(), "comment"):
			if public {
				out = append(out, r.leaves(c, nil)...)
			} else {
				out = append(out, Token{Kind: Ident, Text: "_", Off: c.Start(), End: c.End(), Indent: -1})
			}
		}
	}
	if k := len(out); k > 2 && isPunct(out[k-1], ")") && isPunct(out[k-2], ",") {
		out = append(out[:k-2], out[k-1])
	}
	return out
}

// use flattens a tree of uses: one import for each path.
func (r *rustFile) use(n syntax.Node, prefix []string, public bool, owner string) {
	add := func(from []string, name, alias string) {
		if len(from) == 0 {
			r.f.Imports = append(r.f.Imports, Import{From: name, Line: n.Line()})
		} else {
			r.addImport(Import{From: strings.Join(from, "::"), Names: []string{name}, Line: n.Line(), Inner: r.inner})
		}
		if public {
			outside, what := name, name
			if alias != "" {
				outside, what = alias, name+" as "+alias
			}
			r.reexport(n, owner, outside, what, strings.Join(from, "::"))
		}
	}
	path := func(n syntax.Node) []string {
		if !n.OK() {
			return prefix
		}
		return append(slices.Clone(prefix), strings.Split(r.flat(n), "::")...)
	}
	switch n.Kind() {
	case "scoped_use_list":
		at := path(n.At("path"))
		for _, c := range n.At("list").NamedChildren() {
			r.use(c, at, public, owner)
		}
	case "use_list":
		for _, c := range n.NamedChildren() {
			r.use(c, prefix, public, owner)
		}
	case "use_wildcard":
		p := prefix
		if parts := n.NamedChildren(); len(parts) > 0 {
			p = path(parts[0])
		}
		add(p, "*", "")
	case "use_as_clause":
		p := path(n.At("path"))
		if p[len(p)-1] == "self" && len(p) > 1 {
			p = p[:len(p)-1]
		}
		add(p[:len(p)-1], p[len(p)-1], n.At("alias").Text())
	case "self":
		if k := len(prefix); k > 0 {
			add(prefix[:k-1], prefix[k-1], "")
		}
	case "line_comment", "block_comment":
	default:
		p := path(n)
		add(p[:len(p)-1], p[len(p)-1], "")
	}
}

// attributes is the text of the attributes before an item.
func (r *rustFile) attributes(n syntax.Node) string {
	text, _ := r.attributed(n)
	return text
}

// attributed gives the attributes before an item, and where the first of them begins.
func (r *rustFile) attributed(n syntax.Node) (text string, from int) {
	var out []string
	from = n.Start()
	for b := range r.above(from) {
		if b.Kind() == "attribute_item" {
			out, from = append(out, b.Text()), b.Start()
		}
	}
	return strings.Join(out, "\n"), from
}

func (r *rustFile) testOnly(n syntax.Node) bool {
	attrs := strings.ReplaceAll(r.attributes(n), " ", "")
	return strings.Contains(attrs, "cfg(test)") || strings.Contains(attrs, "cfg(all(test")
}

// expression is the one that a statement is made of; any other statement is itself.
func expression(n syntax.Node) syntax.Node {
	if n.Kind() == "expression_statement" {
		if inner := withoutComments(n); len(inner) == 1 {
			return inner[0]
		}
	}
	return n
}

// statement reads a leading statement.
func (r *rustFile) statement(n syntax.Node) statement {
	switch n = expression(n); n.Kind() {
	case "let_declaration":
		return statement{passes: true, sets: identifiers(n.At("pattern"))}
	case "const_item", "static_item", "empty_statement", "attribute_item":
		return statement{passes: true}
	case "macro_invocation":
		args := r.macroArgs(n.Child("token_tree"))
		name := strings.TrimPrefix(n.At("macro").Text(), "debug_")
		switch compared := map[string]string{"assert_eq": " == ", "assert_ne": " != "}[name]; {
		case name == "assert" && len(args) > 0:
			return statement{assert: args[:1]}
		case compared != "" && len(args) > 1:
			return statement{assert: []string{args[0] + compared + args[1]}}
		}
	case "if_expression":
		if n.At("alternative").OK() {
			return statement{}
		}
		what := r.fails(only(n.At("consequence")))
		if what == "" {
			return statement{}
		}
		cond := n.At("condition")
		if k := cond.Kind(); k == "let_condition" || k == "let_chain" {
			return statement{passes: true}
		}
		return statement{guard: cond, throws: what}
	}
	return statement{}
}

// macroArgs are the arguments of a macro, as text.
func (r *rustFile) macroArgs(n syntax.Node) []string {
	var out []string
	var cur []Token
	cut := func() {
		if len(cur) > 0 {
			out = append(out, r.written(cur))
		}
		cur = nil
	}
	parts := make([]syntax.Node, 0, 8)
	for c := range n.All() {
		parts = append(parts, c)
	}
	for i, c := range parts {
		if i == 0 || i == len(parts)-1 {
			continue
		}
		if c.Kind() == "," || c.Text() == "," {
			cut()
			continue
		}
		cur = append(cur, r.leaves(c, nil)...)
	}
	cut()
	return out
}

// fails is the error that a statement ends a function with, "" for another statement.
func (r *rustFile) fails(n syntax.Node) string {
	switch n = expression(n); n.Kind() {
	case "macro_invocation":
		if n.At("macro").Text() == "panic" {
			return "panic"
		}
	case "return_expression":
		if inner := withoutComments(n); len(inner) == 1 {
			return r.err(inner[0])
		}
	}
	return ""
}

// err is what stands within Err(…), up to its own arguments.
func (r *rustFile) err(n syntax.Node) string {
	if n.Kind() != "call_expression" || n.At("function").Text() != "Err" {
		return ""
	}
	args := withoutComments(n.At("arguments"))
	if len(args) != 1 {
		return ""
	}
	text := r.flat(args[0])
	if i := strings.IndexAny(text, "({"); i > 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}
