package source

import (
	"cmp"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// imports finds every use of another module, wherever it stands.
func (s *scriptTree) imports() {
	add := func(n syntax.Node, from string, names []string) {
		s.f.Imports = append(s.f.Imports, Import{From: strings.Trim(from, "'\"`"), Names: names, Line: n.Line()})
	}
	var before syntax.Node // the declarator around a require
	for n := range s.root.Within(nil) {
		switch n.Kind() {
		case "import_statement":
			if r := n.Child("import_require_clause"); r.OK() {
				add(n, r.At("source").Text(), nil)
				continue
			}
			var names []string
			clause := n.Child("import_clause")
			for c := range clause.All() {
				switch c.Kind() {
				case "identifier":
					names = append(names, "default")
				case "named_imports":
					for _, x := range c.NamedChildren() {
						if x.Kind() == "import_specifier" {
							names = append(names, x.At("name").Text())
						}
					}
				}
			}
			add(n, n.At("source").Text(), names)
		case "export_statement":
			if from := n.At("source"); from.OK() {
				var names []string
				for _, x := range n.Child("export_clause").NamedChildren() {
					if x.Kind() == "export_specifier" {
						names = append(names, x.At("name").Text())
					}
				}
				add(n, from.Text(), names)
			}
		case "variable_declarator":
			before = n
		case "call_expression":
			fn := n.At("function")
			arg := n.At("arguments").Child("string")
			if fn.Kind() != "import" && fn.Text() != "require" || !arg.OK() {
				continue
			}
			var names []string
			if value := before.At("value"); before.OK() && fn.Text() == "require" && value.Start() == n.Start() && before.At("name").Kind() == "object_pattern" {
				for _, x := range before.At("name").NamedChildren() {
					switch x.Kind() {
					case "shorthand_property_identifier_pattern":
						names = append(names, x.Text())
					case "pair_pattern":
						names = append(names, x.At("key").Text())
					case "object_assignment_pattern":
						names = append(names, x.At("left").Text())
					}
				}
			}
			add(n, arg.Text(), names)
		}
	}
}

// assigned is what a function is called that is assigned to an expression, as users of the file call it. own is its own name.
func assigned(to, own string) string {
	to = strings.Replace(strings.TrimPrefix(to, "module."), ".prototype.", ".", 1)
	if to == "exports" {
		return cmp.Or(own, "default")
	}
	return strings.TrimPrefix(to, "exports.")
}

// functions finds every function with a body: declarations, methods, and functions bound to a name; and, outside of those, functions without a
// name that are handed to a call.
func (s *scriptTree) functions(n syntax.Node, owner string, outside bool) {
	for c := range n.All() {
		name, fn, apart := "", c, outside
		switch c.Kind() {
		case "function_declaration", "generator_function_declaration", "method_definition":
			name = c.At("name").Text()
		case "variable_declarator", "public_field_definition", "field_definition":
			if f := bare(c.At("value")); isFunction(f) {
				name, fn = c.At("name").Text(), f
			}
		case "pair":
			if f := bare(c.At("value")); isFunction(f) && c.At("key").Kind() != "computed_property_name" {
				name, fn = strings.Trim(c.At("key").Text(), "'\""), f
			}
		case "assignment_expression": // exports.a = …, A.prototype.b = …, module.exports = …
			if f := bare(c.At("right")); isFunction(f) {
				name, fn = assigned(s.flat(c.At("left")), f.At("name").Text()), f
			}
		case "export_statement": // export default () => …
			if f := bare(c.At("value")); isFunction(f) {
				name, fn = cmp.Or(f.At("name").Text(), "default"), f
			}
		case "class_declaration", "abstract_class_declaration", "class":
			s.functions(c.At("body"), dotted(owner, c.At("name").Text()), outside)
			continue
		case "call_expression":
			if outside {
				s.callbacks(c)
			}
		}
		if body := fn.At("body"); name != "" && body.OK() {
			apart = false
			s.function(dotted(owner, name), c, bodyStart(body))
		}
		s.functions(c, owner, apart && (n.Kind() != "arguments" || !isFunction(c))) // which callbacks has
	}
}

// bodyStart is where the code of a body begins: within its braces, where it has some.
func bodyStart(body syntax.Node) int {
	if body.Kind() == "statement_block" {
		return body.Start() + 1
	}
	return body.Start()
}

// callbacks notes the functions that are handed to a call, as of a route: app.get('/users', (req, res) => …). They have no name, so they are called
// as the call that they are for.
func (s *scriptTree) callbacks(call syntax.Node) {
	name, label := s.flat(call.At("function")), ""
	if strings.Contains(name, "(") { // of a chain of calls the last
		name = call.At("function").At("property").Text()
	}
	if name == "" { // a call of a function without a name, as in a bundle
		name = "function"
	}
	for _, arg := range call.At("arguments").NamedChildren() {
		if arg.Kind() == "string" && label == "" {
			label = arg.Text()
		}
		if body := arg.At("body"); isFunction(arg) && body.OK() {
			s.f.callbacks = append(s.f.callbacks, Func{Name: name + "(" + label + ")", Line: arg.Line(), End: arg.EndLine(), Off: arg.Start(), Stop: arg.End(), Body: bodyStart(body)})
		}
	}
}
