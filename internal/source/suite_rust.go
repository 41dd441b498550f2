package source

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// tests finds functions that the runner calls; aside says that they are in a module that is only built to test.
func (r *rustFile) tests(n syntax.Node, module string, aside bool) {
	apart := func(c syntax.Node, from int) {
		if !aside {
			r.f.aside = append(r.f.aside, [2]int{from, c.End()})
		}
	}
	for c := range n.All() {
		switch c.Kind() {
		case "mod_item":
			only := r.testOnly(c)
			if only {
				_, from := r.attributed(c)
				apart(c, from)
			}
			if body := c.At("body"); body.OK() {
				r.tests(body, inside(module, c.At("name").Text()), aside || only)
			}
		case "function_item":
			text, from := r.attributed(c)
			attrs := strings.ReplaceAll(text, " ", "")
			if !rustTest(attrs) {
				continue
			}
			apart(c, from)
			r.test(c, inside(module, c.At("name").Text()), attrs, from)
		}
	}
}

// inside is the name of a test behind that of the class or module that it is in, as runners write it.
func inside(around, name string) string { return strings.TrimPrefix(around+"::"+name, "::") }

func rustTest(attrs string) bool {
	for line := range strings.SplitSeq(attrs, "\n") {
		name := strings.TrimPrefix(line, "#[")
		if i := strings.IndexAny(name, "(]="); i >= 0 {
			name = name[:i]
		}
		if name == "test" || strings.HasSuffix(name, "::test") || name == "rstest" || name == "test_case" {
			return true
		}
	}
	return false
}

// test notes a test and what it asserts.
func (r *rustFile) test(n syntax.Node, name, attrs string, from int) {
	body := n.At("body")
	t := Test{Name: name, Line: n.Line(), End: n.EndLine(), Off: body.Start(), Stop: body.End(), Rows: [2]int{from, n.Start()}}
	t.Open = strings.Contains(attrs, "rstest") || strings.Contains(attrs, "test_case")
	if i := strings.Index(attrs, "#[ignore"); i >= 0 {
		t.Skipped, t.SkipLine = true, n.Line()
	}
	if strings.Contains(attrs, "should_panic") {
		t.Asserts++
	}
	r.asserts(&t, body, map[string]bool{})
	r.f.Tests = append(r.f.Tests, t)
}

// asserts counts assertions, also those in functions of the file that the test calls.
func (r *rustFile) asserts(t *Test, body syntax.Node, seen map[string]bool) {
	for c := range body.Within(nil) {
		switch c.Kind() {
		case "macro_invocation":
			name := c.At("macro").Text()
			name = name[strings.LastIndexByte(name, ':')+1:]
			if name == "panic" || name != "matches" && checkerName().MatchString(strings.TrimPrefix(name, "debug_")) {
				t.count(!rustTrivial(name, r.macroArgs(c.Child("token_tree"))))
			}
		case "call_expression":
			fn := c.At("function")
			name := fn.Text()
			if fn.Kind() == "field_expression" {
				name = fn.At("field").Text()
				if name == "unwrap_err" || name == "expect_err" {
					t.Asserts++
					continue
				}
			}
			name = name[strings.LastIndexByte(name, ':')+1:]
			if seen[name] {
				continue
			}
			seen[name] = true
			if helper := r.named(name); helper.OK() {
				r.asserts(t, helper, seen)
			} else if checkerName().MatchString(name) {
				t.Asserts++
			}
		}
	}
}

func rustTrivial(name string, args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch strings.TrimPrefix(name, "debug_") {
	case "assert":
		return args[0] == "true" || args[0] == "!false" || args[0] == "1 == 1"
	case "assert_eq":
		return len(args) > 1 && args[0] == args[1]
	}
	return false
}
