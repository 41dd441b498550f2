package source

import (
	"cmp"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

func (s *scriptTree) class(d, at syntax.Node, owner, name string) {
	e := s.export(at, owner, name, "class", s.upTo(d, kinds("class_body"), kinds("decorator")))
	for c := range d.Child("class_heritage").All() {
		switch c.Kind() {
		case "extends_clause":
			e.Bases = append(e.Bases, s.flat(c.At("value")))
		case "identifier", "member_expression": // JavaScript
			e.Bases = append(e.Bases, s.flat(c))
		}
	}
	e.Above = e.Bases
	inside := dotted(owner, cmp.Or(d.At("name").Text(), name))
	members := withoutComments(d.At("body"))
	signed, read := map[string]bool{}, map[string]bool{}
	for _, m := range members {
		if m.Kind() == "method_signature" {
			signed[m.At("name").Text()] = true
		}
		if m.Kind() == "method_definition" && has(m, "get") {
			read[m.At("name").Text()] = true
		}
	}
	for _, m := range members {
		id := m.At("name")
		if m.Child("accessibility_modifier").Text() == "private" || id.Kind() == "private_property_identifier" {
			continue
		}
		label := strings.Trim(id.Text(), "'\"")
		drop := func(c syntax.Node) bool {
			return c.Kind() == "decorator" || c.Kind() == "accessibility_modifier" && c.Text() == "public" && c.End() < id.Start()
		}
		end := func(c syntax.Node) bool { return c.Field() == "body" || c.Kind() == ";" }
		switch m.Kind() {
		case "method_definition":
			if reads, writes := has(m, "get"), has(m, "set"); reads || writes {
				if reads || !read[label] {
					s.export(m, inside, label, "property", s.upTo(m, end, drop)).Static = has(m, "static")
				}
			} else if !signed[label] {
				s.export(m, inside, label, "method", s.upTo(m, end, drop)).Static = has(m, "static")
			}
			if label == "constructor" {
				s.parameterFields(m, inside)
				s.attributes(m.At("body"), inside)
			}
			s.contract(dotted(inside, label), m, m)
			if body := m.At("body"); body.OK() {
				s.methods = append(s.methods, method{label, body})
			}
		case "method_signature", "abstract_method_signature":
			s.export(m, inside, label, "method", s.upTo(m, end, drop)).Static = has(m, "static")
			s.contract(dotted(inside, label), m, m)
		case "public_field_definition", "field_definition":
			fn := bare(m.At("value"))
			if !isFunction(fn) {
				s.property(m, inside, label, drop)
				continue
			}
			ts := s.upTo(m, func(c syntax.Node) bool { return c.Field() == "value" }, drop)
			s.export(m, inside, label, "method", append(ts, s.functionHead(fn)...)).Static = has(m, "static")
			s.contract(dotted(inside, label), fn, m)
		}
	}
}

// property notes a field of a class.
func (s *scriptTree) property(m syntax.Node, owner, name string, drop func(syntax.Node) bool) {
	if name == "" || m.At("name").Kind() == "computed_property_name" || strings.HasPrefix(name, "#") {
		return
	}
	ts := s.upTo(m, func(c syntax.Node) bool { return c.Kind() == "=" || c.Kind() == ";" || c.Field() == "value" }, drop)
	e := s.field(m, owner, name, "property", ts)
	e.Doc, e.Static = summary(s.doc(m.Start())), has(m, "static")
	if value := m.At("value"); value.OK() && !m.At("type").OK() {
		e.Literal = literalType(s.f.Lang, s.leaves(value, nil))
	}
}

// parameterFields are the fields that a constructor of TypeScript makes of its parameters.
func (s *scriptTree) parameterFields(m syntax.Node, owner string) {
	for p := range m.At("parameters").All() {
		access := p.Child("accessibility_modifier").Text()
		if access == "private" || access == "" && !has(p, "readonly") || p.At("pattern").Kind() != "identifier" {
			continue
		}
		drop := func(c syntax.Node) bool {
			return c.Kind() == "decorator" || c.Kind() == "accessibility_modifier" && c.Text() == "public"
		}
		ts := s.upTo(p, func(c syntax.Node) bool { return c.Kind() == "=" || c.Field() == "value" }, drop)
		s.field(p, owner, p.At("pattern").Text(), "property", ts)
	}
}

// attributes are what a constructor of JavaScript sets of the new object.
func (s *scriptTree) attributes(body syntax.Node, owner string) {
	if s.f.Lang != JavaScript {
		return
	}
	for n := range body.Within(nil) {
		left := n.At("left")
		if n.Kind() == "assignment_expression" && left.Kind() == "member_expression" && left.At("object").Kind() == "this" && left.At("property").Kind() == "property_identifier" {
			s.field(n, owner, left.At("property").Text(), "attribute", nil)
		}
	}
}
