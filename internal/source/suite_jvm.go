package source

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// testClasses finds the methods that a runner calls.
func (t *treeFile) testClasses(n syntax.Node, outer string) {
	for c := range n.All() {
		body := c.Child("class_body", "interface_body")
		if !body.OK() {
			continue
		}
		name := c.At("name").Text()
		if outer != "" {
			name = outer + "$" + name
		}
		for m := range body.All() {
			if m.Kind() != "method_declaration" && m.Kind() != "function_declaration" {
				continue
			}
			marks := map[string]bool{}
			for a := range m.Child("modifiers").All() {
				if a.Kind() == "annotation" || a.Kind() == "marker_annotation" {
					text, _, _ := strings.Cut(strings.TrimPrefix(a.Text(), "@"), "(")
					text, _, _ = strings.Cut(text, "<")
					marks[strings.TrimSpace(text[strings.LastIndexAny(text, ".:")+1:])] = true
				}
			}
			if isJUnit(marks) {
				t.test(m, name+"."+strings.Trim(m.At("name").Text(), "`"), marks, bodyOf(m))
			}
		}
		t.testClasses(body, name)
	}
}

// bodyOf is the body of a function, whatever its grammar calls that.
func bodyOf(n syntax.Node) syntax.Node {
	if body := n.At("body"); body.OK() {
		return body
	}
	return n.Child("function_body")
}

func isJUnit(marks map[string]bool) bool {
	return slices.ContainsFunc([]string{"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property"}, func(m string) bool { return marks[m] })
}

// test notes a test of JUnit and what it asserts.
func (t *treeFile) test(n syntax.Node, name string, marks map[string]bool, body syntax.Node) {
	out := Test{Name: name, Line: n.Line(), End: n.EndLine(), Off: body.Start(), Stop: body.End(), Open: !marks["Test"]}
	if m := n.Child("modifiers"); m.OK() {
		out.Rows = [2]int{m.Start(), m.End()}
	}
	if marks["Disabled"] || marks["Ignore"] {
		out.Skipped, out.SkipLine = true, n.Line()
	}
	for m := range marks {
		if strings.HasPrefix(m, "EnabledOn") || strings.HasPrefix(m, "DisabledOn") || strings.HasPrefix(m, "EnabledIf") || strings.HasPrefix(m, "DisabledIf") {
			out.MaySkip = true
		}
	}
	t.jvmAsserts(&out, body, map[string]bool{})
	t.f.Tests = append(t.f.Tests, out)
}

// jvmAsserts counts assertions in a test of Java or Kotlin, also those of functions of the file that it calls.
func (t *treeFile) jvmAsserts(out *Test, body syntax.Node, seen map[string]bool) {
	said := map[int]bool{} // where a statement says what it asserts of, and asserts nothing of it
	for c := range body.Within(nil) {
		switch c.Kind() {
		case "expression_statement", "block", "lambda_literal":
			for _, s := range withoutComments(c) {
				name, args := t.called(s)
				said[s.Start()] = said[s.Start()] || (name == "assertThat" || name == "expectThat") && len(args) == 1
			}
		case "assert_statement":
			parts := withoutComments(c)
			out.count(len(parts) == 0 || parts[0].Text() != "true")
		case "method_invocation", "call_expression", "infix_expression", "binary_expression":
			name, args := t.called(c)
			switch {
			case name == "" || seen[name] || said[c.Start()]:
			case name == "fail" || checkerName().MatchString(name) || strings.HasPrefix(name, "should"):
				out.count(!t.trivialCheck(name, args))
			default:
				seen[name] = true
				if helper := t.named(name); helper.OK() {
					t.jvmAsserts(out, helper, seen)
				}
			}
		}
	}
}

// called is the name and the arguments of a call.
func (t *treeFile) called(n syntax.Node) (string, []string) {
	var args []string
	texts := func(list syntax.Node) {
		for _, a := range withoutComments(list) {
			args = append(args, t.flat(a))
		}
	}
	if n.Kind() == "method_invocation" {
		texts(n.At("arguments"))
		return n.At("name").Text(), args
	}
	parts := withoutComments(n)
	if len(parts) == 0 {
		return "", nil
	}
	if n.Kind() == "binary_expression" { // the grammar takes f<T> { … } for comparisons
		if left := withoutComments(parts[0]); len(parts) == 2 && parts[1].Kind() == "lambda_literal" && parts[0].Kind() == "binary_expression" && len(left) > 0 && left[0].Kind() == "identifier" {
			return left[0].Text(), nil
		}
		return "", nil
	}
	if n.Kind() == "infix_expression" {
		if len(parts) == 3 && parts[1].Kind() == "identifier" && strings.HasPrefix(parts[1].Text(), "should") {
			return parts[1].Text(), []string{t.flat(parts[0]), t.flat(parts[2])}
		}
		return "", nil
	}
	name := parts[0]
	if name.Kind() == "call_expression" { // f(x) { … }: counted where f(x) stands
		return "", nil
	}
	if name.Kind() == "navigation_expression" {
		in := withoutComments(name)
		name = in[len(in)-1]
	}
	if list := n.Child("value_arguments"); list.OK() {
		texts(list)
	}
	return name.Text(), args
}

func (t *treeFile) trivialCheck(name string, args []string) bool {
	switch name {
	case "assertTrue":
		return len(args) > 0 && args[0] == "true"
	case "assertFalse":
		return len(args) > 0 && args[0] == "false"
	case "assertEquals", "assertSame":
		return len(args) > 1 && args[0] == args[1]
	case "assertNotNull":
		return len(args) > 0 && strings.HasPrefix(args[0], `"`)
	case "assertThat", "expect":
		return len(args) == 1 && (args[0] == "true" || args[0] == "false")
	}
	return false
}

// named is the body of a function of the file: of the first one, where several have the name.
func (t *treeFile) named(name string) syntax.Node {
	if t.bodies == nil {
		t.bodies = map[string]syntax.Node{}
		for c := range t.root.Within(nil) {
			if k := c.Kind(); k != "function_item" && k != "method_declaration" && k != "function_declaration" {
				continue
			}
			n := c.At("name").Text()
			if _, ok := t.bodies[n]; !ok {
				t.bodies[n] = bodyOf(c)
			}
		}
	}
	return t.bodies[name]
}
