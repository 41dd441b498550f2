package source

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

var javaAtoms = map[string]Kind{
	"string_literal": String, "text_block": String, "character_literal": String, "line_comment": Comment, "block_comment": Comment,
}

func parseJava(f *File, src []byte) {
	t := parseTree(f, src, syntax.Java, javaAtoms)
	if t == nil {
		return
	}
	f.Tokens = t.all()
	j := &javaFile{t}
	for c := range t.root.All() {
		switch c.Kind() {
		case "package_declaration":
			if strings.HasSuffix(f.Path, "package-info.java") {
				f.Doc = summary(t.doc(c.Start()))
			}
			f.Package = strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(t.flat(c), "package")), ";")
		case "import_declaration":
			j.imported(c)
		}
	}
	for c := range t.root.All() {
		j.typ(c, "", true, false)
	}
	t.testClasses(t.root, "")
	t.transitions(j.statement)
	treeMutants(f, src)
}

type javaFile struct{ *treeFile }

func (j *javaFile) imported(n syntax.Node) {
	name := ""
	for _, c := range n.NamedChildren() {
		if c.Kind() == "identifier" || c.Kind() == "scoped_identifier" {
			name = j.flat(c)
		}
	}
	j.addImport(importOf(name, n.Child("asterisk").OK(), n.Line()))
}

// javaDrop leaves out annotations.
func javaDrop(n syntax.Node) bool { return n.Kind() == "annotation" || n.Kind() == "marker_annotation" }

// head is a declaration up to its body, without annotations and the word public.
func (j *javaFile) head(n syntax.Node, stop ...string) []Token {
	mods := n.Child("modifiers")
	return j.upTo(n, kinds(stop...), func(c syntax.Node) bool {
		return javaDrop(c) || c.Kind() == "public" && mods.OK() && c.Start() < mods.End()
	})
}

var javaKinds = map[string]string{
	"class_declaration": "class", "interface_declaration": "interface", "enum_declaration": "enum",
	"record_declaration": "record", "annotation_type_declaration": "interface",
}

// typ reads the declaration of a type; within an interface everything is public without saying so.
func (j *javaFile) typ(c syntax.Node, owner string, exported, implied bool) {
	kind, ok := javaKinds[c.Kind()]
	if !ok {
		return
	}
	name, body := c.At("name").Text(), c.At("body")
	visible := exported && j.visible(c, implied)
	if visible {
		e := j.export(c, owner, name, kind, j.head(c, "class_body", "interface_body", "enum_body", "annotation_type_body"))
		for _, field := range []string{"superclass", "interfaces"} {
			for t := range c.At(field).Within(func(t syntax.Node) bool { return !strings.HasSuffix(t.Kind(), "type") && t.Kind() != "type_identifier" }) {
				if t.Kind() == "type_identifier" || strings.HasSuffix(t.Kind(), "_type") {
					e.Above = append(e.Above, j.flat(t))
				}
			}
		}
		for _, t := range c.Child("extends_interfaces").Child("type_list").NamedChildren() {
			e.Above = append(e.Above, j.flat(t))
		}
		if kind == "class" {
			for _, b := range c.At("superclass").NamedChildren() {
				e.Bases = append(e.Bases, j.flat(b))
			}
		}
		var values []string
		if kind == "enum" {
			for _, v := range body.NamedChildren() {
				if v.Kind() == "enum_constant" {
					values = append(values, v.At("name").Text())
				}
			}
			e.Variants, e.Cases = values, values
		}
		for _, t := range c.Child("permits").Child("type_list").NamedChildren() {
			values = append(values, t.Text()[strings.LastIndexByte(t.Text(), '.')+1:])
		}
		j.states(name, values)
	}
	j.members(body, dotted(owner, name), visible, kind == "interface")
	j.members(body.Child("enum_body_declarations"), dotted(owner, name), visible, false)
}

func (j *javaFile) visible(n syntax.Node, implied bool) bool {
	mods := n.Child("modifiers")
	if has(mods, "private") {
		return false
	}
	return implied || has(mods, "public", "protected")
}

func (j *javaFile) members(body syntax.Node, owner string, exported, implied bool) {
	for c := range body.All() {
		visible := exported && j.visible(c, implied)
		if exported && !visible && !has(c.Child("modifiers"), "private") {
			name := c.At("name")
			if c.Kind() == "field_declaration" {
				name = c.Child("variable_declarator").At("name")
			}
			if name.OK() {
				j.field(c, owner, name.Text(), "internal", nil)
			}
		}
		switch c.Kind() {
		case "method_declaration", "constructor_declaration", "compact_constructor_declaration", "annotation_type_element_declaration":
			j.method(c, owner, visible)
		case "field_declaration", "constant_declaration":
			mods := c.Child("modifiers")
			if !visible {
				for _, d := range c.NamedChildren() {
					if d.Kind() == "variable_declarator" && has(mods, "static") && has(mods, "final") {
						j.f.constant(d.At("name").Text(), j.leaves(d.At("value"), nil))
					}
				}
				continue
			}
			kind := "variable"
			if implied || has(mods, "static") && has(mods, "final") {
				kind = "constant"
			}
			for _, d := range c.NamedChildren() {
				if d.Kind() != "variable_declarator" {
					continue
				}
				ts := j.head(c, "variable_declarator")
				ts = append(ts, j.leaves(d.At("name"), nil)...)
				ts = append(ts, j.leaves(d.At("dimensions"), nil)...)
				e := j.export(c, owner, d.At("name").Text(), kind, ts)
				e.Static = implied || has(mods, "static")
				if kind == "constant" && d.At("value").OK() {
					e.Value = j.f.constant(e.Name, j.leaves(d.At("value"), nil))
				}
			}
		}
		j.typ(c, owner, exported, implied)
	}
}

func (j *javaFile) method(n syntax.Node, owner string, visible bool) {
	name, body := n.At("name").Text(), n.At("body")
	full := dotted(owner, name)
	if body.OK() {
		j.function(full, n, body.Start()+1)
	}
	if !visible {
		return
	}
	e := j.export(n, owner, name, "method", j.head(n, "block", "constructor_body", ";", "default_value"))
	e.Static = has(n.Child("modifiers"), "static")
	params := map[string]bool{}
	for p := range n.At("parameters").Within(nil) {
		if p.Kind() == "formal_parameter" {
			params[p.At("name").Text()] = true
		} else if p.Kind() == "spread_parameter" {
			params[p.Child("variable_declarator").At("name").Text()] = true
		}
	}
	j.f.contract(full, j.doc(n.Start()), j.guards(withoutComments(body), params, j.statement), n.Line())
	if body.OK() {
		j.methods = append(j.methods, method{name, body})
	}
}

// statement reads a leading statement.
func (j *javaFile) statement(n syntax.Node) statement {
	switch n.Kind() {
	case "local_variable_declaration", "empty_statement":
		return statement{passes: true}
	case "assert_statement":
		if parts := withoutComments(n); len(parts) > 0 {
			return statement{assert: []string{j.flat(parts[0])}}
		}
	case "expression_statement":
		if parts := withoutComments(n); len(parts) == 1 && parts[0].Kind() == "method_invocation" {
			return j.asserted(parts[0])
		}
	case "if_statement":
		return j.refusal(n)
	}
	return statement{}
}

// asserted reads requireNonNull and checkArgument.
func (j *javaFile) asserted(n syntax.Node) statement {
	args := withoutComments(n.At("arguments"))
	if len(args) == 0 {
		return statement{}
	}
	switch n.At("name").Text() {
	case "requireNonNull", "checkNotNull":
		return statement{assert: []string{j.flat(args[0]) + " != null"}}
	case "checkArgument", "checkState":
		if n.At("object").Text() == "Preconditions" || !n.At("object").OK() {
			return statement{assert: []string{j.flat(args[0])}}
		}
	}
	return statement{}
}
