package explain_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// foreign are the examples in the words of others: tests, agents, providers, registries; and those that are nothing but data.
var foreign = strings.Fields(`
	finding:breaks-dependent finding:e2e-failed finding:ENV_ISSUE finding:package-missing finding:SECURITY finding:test-fails
	spec:complete spec:missing spec:not_required spec:unexpected spec:unresolved_integration_target
	phase:contracts phase:design phase:land phase:plan phase:refactor phase:specify
	state:done state:running class:context_limit class:max_turns class:transient
	test:error test:fail test:flake test:pass test:skip`)

// TestExamplesAreSaid compares the examples with the texts of the program: each has at least three words in a row of one, or is like a
// format of it. When a message is reworded, its example has to follow.
func TestExamplesAreSaid(t *testing.T) {
	t.Parallel()
	c := load(t)
	var all strings.Builder
	var formats []*regexp.Regexp
	c.walk([]string{""}, func(_ *pkg, _ []ast.Node, n ast.Node) {
		lit, isExpr := n.(ast.Expr)
		if !isExpr {
			return
		}
		text, ok := literal(lit)
		if text = oneLine(text); !ok || len(text) > 1000 {
			return
		}
		all.WriteString(text + "\n")
		if parts := verb.Split(text, -1); len(parts) > 1 && len(strings.Trim(strings.Join(parts, ""), " :%()")) > 5 {
			for i := range parts {
				parts[i] = regexp.QuoteMeta(parts[i])
			}
			formats = append(formats, regexp.MustCompile(strings.Join(parts, ".+")))
		}
	})
	for _, g := range groups(t) {
		for _, e := range g.Codes {
			line := oneLine(e.Example)
			said := words(all.String(), line) || slices.ContainsFunc(formats, func(f *regexp.Regexp) bool { return f.MatchString(line) })
			if !said && !slices.Contains(foreign, g.Name+":"+e.Code) {
				t.Errorf("codes/%s.md: %s: the program does not say this: %s", g.Name, e.Code, line)
			}
		}
	}
}

var verb = regexp.MustCompile(`%[-+#0-9.\[\]]*[a-z]`)

// words reports whether three words in a row of an example are among the texts of the program.
func words(all, example string) bool {
	list := strings.Fields(example)
	for i := 0; i+3 <= len(list); i++ {
		if part := strings.Join(list[i:i+3], " "); len(part) > 10 && strings.Contains(all, part) {
			return true
		}
	}
	return false
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
