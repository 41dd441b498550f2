package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

var scriptAtoms = map[string]Kind{
	"string": String, "template_string": String, "template_literal_type": String, "jsx_text": String, "regex": Regex,
	"comment": Comment, "html_comment": Comment, "hash_bang_line": Comment,
}

// scriptGrammar is what a file of TypeScript or JavaScript is read with: JSX may stand in all but .ts files.
func scriptGrammar(lang, name string) syntax.Lang {
	if lang == TypeScript && !strings.HasSuffix(name, "x") {
		return syntax.TypeScript
	}
	return syntax.TSX
}

// readScript reads the declarations of a file of TypeScript or JavaScript from its syntax tree.
func readScript(f *File, src []byte) {
	t := parseTree(f, src, scriptGrammar(f.Lang, f.Path), scriptAtoms)
	if t == nil {
		return
	}
	f.Tokens = t.scriptTokens(t.root)
	for c := range t.root.All() {
		if text := c.Text(); c.Kind() == "comment" && strings.HasPrefix(text, "/**") {
			for _, tag := range []string{"@fileoverview", "@packageDocumentation", "@module"} {
				if strings.Contains(text, tag) {
					text = strings.TrimSpace(strings.Replace(text, tag, "", 1))
					f.Doc = summary(cleanComment(text))
				}
			}
		}
		break
	}
	s := &scriptTree{treeFile: t, local: map[string][]syntax.Node{}, signed: map[string]bool{}}
	for c := range t.root.All() {
		s.declared(c)
	}
	s.statements(t.root, "")
	s.imports()
	s.functions(t.root, "", true)
	t.transitions(s.statement)
}

type scriptTree struct {
	*treeFile

	local  map[string][]syntax.Node // declarations of the file by name, for export { name }
	signed map[string]bool          // functions with overloads: the implementation's own signature is nobody's business
}

// inner is the declaration within export, declare and the like.
func inner(n syntax.Node) syntax.Node {
	for n.Kind() == "export_statement" || n.Kind() == "ambient_declaration" || n.Kind() == "expression_statement" {
		if d := n.At("declaration"); d.OK() {
			n = d
			continue
		}
		if n.Kind() == "export_statement" {
			return n.At("value")
		}
		parts := withoutComments(n)
		if len(parts) != 1 {
			break
		}
		n = parts[0]
	}
	return n
}

func (s *scriptTree) declared(n syntax.Node) {
	d := inner(n)
	switch d.Kind() {
	case "lexical_declaration", "variable_declaration":
		for _, v := range d.NamedChildren() {
			if v.Kind() == "variable_declarator" && v.At("name").Kind() == "identifier" {
				name := v.At("name").Text()
				s.local[name] = append(s.local[name], v)
				if has(d, "const") && v.At("value").OK() {
					s.f.constant(name, s.leaves(constant(v.At("value")), nil))
				}
			}
		}
	case "function_signature":
		s.signed[d.At("name").Text()] = true
		fallthrough
	default:
		if name := d.At("name"); name.OK() {
			s.local[name.Text()] = append(s.local[name.Text()], d)
		}
	}
}

// constant is an expression without "as const".
func constant(n syntax.Node) syntax.Node {
	if parts := withoutComments(n); n.Kind() == "as_expression" && len(parts) > 0 && has(n, "const") {
		return parts[0]
	}
	return n
}

// statements reads what a file or a namespace exports.
func (s *scriptTree) statements(n syntax.Node, owner string) {
	ambient := strings.HasSuffix(s.f.Path, ".d.ts") && owner != ""
	for c := range n.All() {
		switch c.Kind() {
		case "export_statement":
			s.exported(c, owner)
		case "expression_statement":
			if owner == "" {
				s.commonJS(c)
			}
		case "ambient_declaration", "function_signature", "lexical_declaration", "interface_declaration", "type_alias_declaration", "class_declaration":
			if ambient {
				s.declaration(inner(c), c, owner, "")
			}
		}
	}
}

func (s *scriptTree) exported(n syntax.Node, owner string) {
	from := strings.Trim(n.At("source").Text(), "'\"`")
	if clause := n.Child("export_clause"); clause.OK() {
		for _, x := range clause.NamedChildren() {
			if x.Kind() != "export_specifier" {
				continue
			}
			name, alias := x.At("name").Text(), x.At("alias").Text()
			outside := cmp.Or(alias, name)
			if from == "" && s.named(name, owner, outside) {
				continue
			}
			sig := name
			if alias != "" {
				sig += " as " + alias
			}
			source := from
			if source == "" {
				source = s.importedFrom(name)
			}
			s.reexport(x, owner, outside, sig, source)
		}
		return
	}
	if ns := n.Child("namespace_export"); ns.OK() {
		if parts := withoutComments(ns); len(parts) == 1 {
			name := strings.Trim(parts[0].Text(), "'\"")
			s.reexport(n, owner, name, "* as "+name, from)
		}
		return
	}
	if has(n, "*") && from != "" {
		s.reexport(n, owner, "*", "*", from)
		return
	}
	name := ""
	if has(n, "default") || n.Child("=").OK() {
		name = "default"
	}
	if d := n.At("declaration"); d.OK() {
		s.declaration(inner(d), n, owner, name)
		return
	}
	v := n.At("value")
	if !v.OK() {
		for _, c := range withoutComments(n) {
			v = c
		}
	}
	s.value(v, n, owner, name)
}

// value is an expression that is exported: a name of the file, a function without a name, or anything else.
func (s *scriptTree) value(v, n syntax.Node, owner, name string) {
	if v.Kind() == "identifier" && s.named(v.Text(), owner, name) {
		return
	}
	switch v.Kind() {
	case "":
	case "function_expression", "arrow_function", "generator_function":
		s.export(n, owner, name, "function", s.functionHead(v))
		s.contract(dotted(owner, name), v, n)
	case "class":
		s.class(v, n, owner, name)
	default:
		e := s.export(n, owner, name, "constant", nil)
		e.Signature, e.Text = name, name
		if v.Kind() == "identifier" { // something imported
			if from := s.importedFrom(v.Text()); from != "" {
				e.Kind, e.Signature = "reexport", v.Text()+" as "+name+" from "+from
				e.Text = e.Signature
			}
		}
	}
}

// named exports what the file declares under a name: more than one thing where declarations merge.
func (s *scriptTree) named(name, owner, outside string) bool {
	list := s.local[name]
	for _, d := range list {
		s.declaration(d, d, owner, outside)
	}
	return len(list) > 0
}

// importedFrom is the module that a name of the file comes from.
func (s *scriptTree) importedFrom(name string) string {
	for c := range s.root.All() {
		if c.Kind() != "import_statement" {
			continue
		}
		for x := range c.Child("import_clause").Within(nil) {
			if x.Kind() == "identifier" && x.Text() == name {
				return strings.Trim(c.At("source").Text(), "'\"`")
			}
		}
	}
	return ""
}

// declaration notes one as an export, under another name where outside is given. at is where its documentation ends.
func (s *scriptTree) declaration(d, at syntax.Node, owner, outside string) {
	name := cmp.Or(outside, d.At("name").Text())
	switch d.Kind() {
	case "function_declaration", "generator_function_declaration", "function_signature", "function_expression", "arrow_function", "generator_function":
		name = cmp.Or(name, "default")
		if d.Kind() == "function_signature" || !s.signed[d.At("name").Text()] {
			s.export(at, owner, name, "function", s.functionHead(d))
		}
		s.contract(dotted(owner, name), d, at)
	case "class_declaration", "abstract_class_declaration", "class":
		s.class(d, at, owner, name)
	case "interface_declaration":
		e := s.export(at, owner, name, "interface", s.leaves(d, nil))
		for _, t := range withoutComments(d.Child("extends_type_clause")) {
			e.Above = append(e.Above, s.flat(t))
		}
	case "type_alias_declaration":
		s.export(at, owner, name, "type", s.upTo(d, kinds(";"), nil))
		s.states(name, s.literals(d.At("value")))
	case "enum_declaration":
		e := s.export(at, owner, name, "enum", s.upTo(d, kinds("enum_body"), nil))
		for _, v := range withoutComments(d.At("body")) {
			id, value := v, ""
			if v.Kind() == "enum_assignment" {
				id = v.At("name")
				if value = literalText(s.leaves(v.At("value"), nil)); value != "" {
					value = " = " + value
				}
			}
			variant := strings.Trim(id.Text(), "'\"")
			e.Variants, e.Cases = append(e.Variants, variant), append(e.Cases, variant+value)
		}
		s.states(name, e.Variants)
	case "internal_module", "module":
		s.statements(d.At("body"), dotted(owner, d.At("name").Text()))
	case "lexical_declaration", "variable_declaration":
		for _, v := range d.NamedChildren() {
			if v.Kind() == "variable_declarator" {
				s.variable(v, d, at, owner, "")
			}
		}
	case "variable_declarator":
		s.variable(d, s.parent(d), at, owner, outside)
	}
}

// parent is the declaration that a declarator stands in.
func (s *scriptTree) parent(v syntax.Node) syntax.Node {
	for c := range s.root.All() {
		d := inner(c)
		if d.Start() <= v.Start() && v.End() <= d.End() && (d.Kind() == "lexical_declaration" || d.Kind() == "variable_declaration") {
			return d
		}
	}
	return syntax.Node{}
}

func (s *scriptTree) variable(v, d, at syntax.Node, owner, outside string) {
	word := Token{Kind: Ident, Text: "const", Off: v.Start() - 6, End: v.Start() - 1, Indent: -1}
	for c := range d.All() {
		word.Text = c.Text()
		break
	}
	kind := "variable"
	if word.Text == "const" {
		kind = "constant"
	}
	id := v.At("name")
	if id.Kind() != "identifier" { // const { a, b } = …
		for x := range id.Within(nil) {
			if x.Kind() == "shorthand_property_identifier_pattern" || x.Kind() == "identifier" && x.Field() != "key" && x.Field() != "right" {
				s.export(at, owner, x.Text(), kind, append([]Token{word}, s.leaves(x, nil)...))
			}
		}
		return
	}
	name := cmp.Or(outside, id.Text())
	ts := append([]Token{word}, s.upTo(v, kinds("="), nil)...)
	if fn := bare(v.At("value")); isFunction(fn) {
		for c := range v.All() {
			if c.Kind() == "=" {
				ts = append(ts, s.leaves(c, nil)...)
			}
		}
		s.export(at, owner, name, "function", append(ts, s.functionHead(fn)...))
		s.contract(dotted(owner, name), fn, at)
		return
	}
	e := s.export(at, owner, name, kind, ts)
	if value := v.At("value"); value.OK() {
		if !v.At("type").OK() {
			e.Literal = literalType(s.f.Lang, s.leaves(value, nil))
		}
		if kind == "constant" {
			e.Value = literalText(s.leaves(constant(value), nil))
		}
	}
}

func isFunction(n syntax.Node) bool {
	switch n.Kind() {
	case "arrow_function", "function_expression", "generator_function":
		return true
	}
	return false
}

// functionHead is a function up to its body.
func (s *scriptTree) functionHead(n syntax.Node) []Token {
	return s.upTo(n, func(c syntax.Node) bool {
		return c.Kind() == "=>" || c.Kind() == ";" || c.Field() == "body"
	}, kinds("decorator"))
}

// literals are the values of a union of strings, or the tags of a discriminated one.
func (s *scriptTree) literals(n syntax.Node) []string {
	var parts []syntax.Node
	var flatten func(syntax.Node)
	flatten = func(n syntax.Node) {
		if n.Kind() == "union_type" || n.Kind() == "parenthesized_type" {
			for _, c := range withoutComments(n) {
				flatten(c)
			}
			return
		}
		parts = append(parts, n)
	}
	flatten(n)
	var out []string
	tag := ""
	for _, p := range parts {
		switch p.Kind() {
		case "literal_type":
			if tag != "" || p.Child("string").Text() == "" {
				return nil
			}
			out = append(out, strings.Trim(p.Text(), "'\"`"))
		case "object_type":
			found := false
			for _, m := range p.NamedChildren() {
				name := m.At("name").Text()
				lit := m.At("type").Child("literal_type").Child("string")
				if m.Kind() != "property_signature" || !lit.OK() || !slices.Contains([]string{"kind", "type", "status", "state"}, name) || tag != "" && tag != name {
					continue
				}
				tag, found = name, true
				out = append(out, strings.Trim(lit.Text(), "'\"`"))
				break
			}
			if !found {
				return nil
			}
		default:
			return nil
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// contract reads the documentation and the guards of a function.
func (s *scriptTree) contract(name string, fn, at syntax.Node) {
	params := map[string]bool{}
	list := fn.At("parameters")
	if !list.OK() {
		list = fn.At("parameter")
		params[list.Text()] = true
	}
	for p := range list.All() {
		for c := range p.At("pattern").Within(nil) {
			if c.Kind() == "identifier" || c.Kind() == "shorthand_property_identifier_pattern" {
				params[c.Text()] = true
			}
		}
	}
	var g guards
	if body := fn.At("body"); body.Kind() == "statement_block" {
		g = s.guards(withoutComments(body), params, s.statement)
	}
	s.f.contract(name, s.doc(at.Start()), g, at.Line())
}

// statement reads a leading statement.
func (s *scriptTree) statement(n syntax.Node) statement {
	switch n.Kind() {
	case "lexical_declaration", "variable_declaration", "empty_statement":
		return statement{passes: true}
	case "expression_statement":
		parts := withoutComments(n)
		if len(parts) != 1 {
			return statement{}
		}
		switch parts[0].Kind() {
		case "string": // "use strict"
			return statement{passes: true}
		case "call_expression":
			fn := s.flat(parts[0].At("function"))
			args := withoutComments(parts[0].At("arguments"))
			if (fn == "assert" || fn == "console.assert" || fn == "invariant" || fn == "assert.ok") && len(args) > 0 {
				return statement{assert: []string{s.flat(args[0])}}
			}
		}
	case "if_statement":
		return s.refusal(n)
	}
	return statement{}
}

// commonJS reads module.exports = … and exports.name = ….
func (s *scriptTree) commonJS(n syntax.Node) {
	a := withoutComments(n)
	if len(a) != 1 || a[0].Kind() != "assignment_expression" {
		return
	}
	left, right := s.flat(a[0].At("left")), a[0].At("right")
	for right.Kind() == "assignment_expression" { // module.exports = exports = …
		right = right.At("right")
	}
	name, member := strings.CutPrefix(strings.TrimPrefix(left, "module."), "exports.")
	switch {
	case member && !strings.ContainsAny(name, ".["):
		s.member(name, right, n)
	case left == "module.exports" && right.Kind() == "object":
		for _, p := range right.NamedChildren() {
			switch p.Kind() {
			case "shorthand_property_identifier":
				s.member(p.Text(), p, p)
			case "pair":
				s.member(strings.Trim(p.At("key").Text(), "'\""), p.At("value"), p)
			case "method_definition":
				name := p.At("name").Text()
				s.export(p, "", name, "function", s.functionHead(p))
				s.contract(name, p, p)
			}
		}
	case left == "module.exports":
		s.value(right, n, "", "default")
	}
}

// member is one name of module.exports.
func (s *scriptTree) member(name string, v, at syntax.Node) {
	if s.named(v.Text(), "", name) {
		return
	}
	switch {
	case isFunction(v):
		s.export(at, "", name, "function", s.functionHead(v))
		s.contract(name, v, at)
	case v.Kind() == "class":
		s.class(v, at, "", name)
	default:
		e := s.export(at, "", name, "constant", nil)
		e.Signature, e.Text = name, name
	}
}
