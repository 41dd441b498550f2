package cli_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/cli"
	"github.com/jacquard-build/jacquard/internal/report"
)

// TestMessagesHaveKorean holds the code and the tables of Korean together: each message, error and text of help has a wording, each
// wording something that says it, and both take the same arguments.
func TestMessagesHaveKorean(t *testing.T) {
	t.Parallel()
	used, tables := messages(t)
	help(used, cli.Commands())
	for kind, least := range map[string]int{inMessages: 80, inErrors: 200, inHelp: 200} {
		n := 0
		for _, s := range used {
			if s.table == kind {
				n++
			}
		}
		if n < least {
			t.Errorf("%d texts for %s, want all of the program", n, kind)
		}
	}
	for _, en := range slices.Sorted(maps.Keys(used)) {
		s := used[en]
		ko, ok := tables[en]
		if !ok {
			t.Errorf("%s: no Korean for this text. Add to %s:\n\t%q: \"…\",", s.at, s.table, en)
			continue
		}
		if got := report.Korean.T(en); got != ko {
			t.Errorf("Korean.T(%q) = %q, want %q", en, got, ko)
		}
		if got := report.English.T(en); got != en {
			t.Errorf("English.T(%q) = %q", en, got)
		}
	}
	for en, ko := range tables {
		if used[en].at == "" {
			t.Errorf("nothing says %q any more: take it out of its table, internal/report/korean*.go", en)
		}
		if a, b := verbs(en), verbs(ko); !maps.Equal(a, b) {
			t.Errorf("%q and %q do not take the same arguments: %v, %v", en, ko, a, b)
		}
		if strings.HasSuffix(en, "\n") != strings.HasSuffix(ko, "\n") || strings.HasPrefix(en, "\n") != strings.HasPrefix(ko, "\n") {
			t.Errorf("%q and %q do not begin and end lines alike", en, ko)
		}
		if strings.Count(en, "`") != strings.Count(ko, "`") && used[en].table == inHelp {
			t.Errorf("%q and %q do not both name the value of the flag in backquotes", en, ko)
		}
		if !korean(ko) {
			t.Errorf("%q of %q is not Korean", ko, en)
		}
	}
}

// The tables of Korean, by what they are for.
const (
	inMessages = "korean in internal/report/korean.go"
	inErrors   = "koreanErrors in internal/report/korean_errors.go"
	inHelp     = "koreanHelp in internal/report/korean_help.go"
)

// apart are tables of what is put together elsewhere; other tests hold them to it.
var apart = []string{"koreanFindings", "koreanAsked", "koreanStates", "koreanPermissions", "koreanLabels"}

// saying is where a text is said, and which table has its Korean.
type saying struct{ at, table string }

// help adds what commands and their flags say that they are for, as --help --all shows it.
func help(used map[string]saying, c *cobra.Command) {
	add := func(text, at string) {
		if text != "" && used[text].at == "" {
			used[text] = saying{"help of " + at, inHelp}
		}
	}
	add(c.Short, c.CommandPath())
	for _, p := range cli.Paragraphs(c.Long) {
		if strings.HasPrefix(p, " ") && len(strings.Fields(p)) <= 3 {
			continue // names of commands
		}
		add(p, c.CommandPath())
	}
	for _, g := range c.Groups() {
		add(g.Title, c.CommandPath())
	}
	flag := func(f *pflag.Flag) {
		if f.Name == "help" || f.Usage == "" {
			return
		}
		add(f.Usage, c.CommandPath()+" --"+f.Name)
		if value, _ := pflag.UnquoteUsage(f); !strings.Contains(f.Usage, "`") {
			add(value, c.CommandPath()+" --"+f.Name)
		}
	}
	c.LocalFlags().VisitAll(flag)
	for _, sub := range c.Commands() {
		if sub.Short != "" || !sub.Hidden {
			help(used, sub)
		}
	}
}

func TestVerbs(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"":                              "map[]",
		"100%% of %d":                   "map[1:%d]",
		"%s %[3]d %[2]d":                "map[1:%s 2:%d 3:%d]",
		"%[2]s and %s, $%.2f":           "map[2:%s 3:%s 4:%.2f]",
		"%-10s|%5d|%+v":                 "map[1:%-10s 2:%5d 3:%+v]",
		"a %s that is said twice %[1]s": "map[1:%s%s]",
	} {
		if got := fmt.Sprint(verbs(format)); got != want {
			t.Errorf("verbs(%q) = %s, want %s", format, got, want)
		}
	}
}

// messages finds what the program says, with a place of each, and all tables in one.
func messages(t *testing.T) (used map[string]saying, tables map[string]string) {
	t.Helper()
	used, tables = map[string]saying{}, map[string]string{}
	fset := token.NewFileSet()
	for _, dir := range []string{".", "../report"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					at := fset.Position(n.Pos()).String()
					if isT(n) {
						en, ok := text(n.Args[0])
						if !ok {
							t.Errorf("%s: T takes one text that is written there", at)
						}
						used[en] = saying{at, inMessages}
					}
					arguments(t, at, n)
					if dir == "." {
						untranslated(t, at, n)
						if en := mistake(t, at, n); en != "" && used[en].at == "" {
							used[en] = saying{at, inErrors}
						}
					}
				case *ast.ValueSpec:
					if name := n.Names[0].Name; strings.HasPrefix(name, "korean") && !slices.Contains(apart, name) && dir != "." {
						read(t, n, tables)
					}
				}
				return true
			})
		}
	}
	return used, tables
}

// mistake is the format of an error that a call makes, "" when there are no words in it.
func mistake(t *testing.T, at string, call *ast.CallExpr) string {
	t.Helper()
	if callee(call) == "Failf" && len(call.Args) > 1 {
		if en, _ := text(call.Args[1]); word.MatchString(verb.ReplaceAllString(en, "")) {
			t.Errorf("%s: flow.Failf is in English only; fail does the same in the language of the person", at)
		}
	}
	which, ok := map[string]int{"usage": 0, "words": 0, "environment": 0, "noun": 0, "exit": 1, "fail": 1}[callee(call)]
	if _, own := call.Fun.(*ast.Ident); !ok || !own {
		return ""
	}
	en, ok := text(call.Args[which])
	if !ok {
		if id, forwards := call.Args[which].(*ast.Ident); !forwards || id.Name != "format" && id.Name != "doing" && id.Name != "option" && id.Name != "what" {
			t.Errorf("%s: %s takes a format that is written there, and its values apart, so that it has Korean: %s(\"write %%s\", …)", at, callee(call), callee(call))
		}
		return ""
	}
	if given := len(call.Args) - 2; callee(call) == "environment" && len(verbs(en)) != given {
		t.Errorf("%s: %q takes %d values and gets %d", at, en, len(verbs(en)), given)
	}
	if !word.MatchString(flagWord.ReplaceAllString(verb.ReplaceAllString(en, ""), "")) {
		return ""
	}
	return en
}

var flagWord = regexp.MustCompile(`--[a-z-]+`)

func isT(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "T"
}

// arguments checks a call that has a message among its arguments: one that
// takes a format gets as many values as the message has verbs, any other
// gets a message without verbs. The compiler's vet cannot see that.
func arguments(t *testing.T, at string, call *ast.CallExpr) {
	t.Helper()
	for i, arg := range call.Args {
		if !isT(arg) {
			continue
		}
		en, _ := text(arg.(*ast.CallExpr).Args[0])
		name := callee(call)
		takes := 0
		for n := range verbs(en) {
			takes = max(takes, n)
		}
		formats := strings.HasSuffix(name, "f") || name == "say" || name == "add" && i == 3
		given := len(call.Args) - i - 1
		switch {
		case formats && takes != given:
			t.Errorf("%s: %q takes %d values and gets %d", at, en, takes, given)
		case !formats && takes > 0:
			t.Errorf("%s: %s does not fill %q", at, name, en)
		}
	}
}

// untranslated finds calls that say words to people in English only.
func untranslated(t *testing.T, at string, call *ast.CallExpr) {
	t.Helper()
	name := callee(call)
	if name != "Fprint" && name != "Fprintf" && name != "Fprintln" && name != "say" && name != "add" {
		return
	}
	for i, arg := range call.Args {
		s, ok := text(arg)
		if !ok || name == "add" && i != 3 {
			continue
		}
		s = verb.ReplaceAllString(strings.ReplaceAll(s, "jacquard", ""), "")
		if word.MatchString(s) {
			t.Errorf("%s: %q is said without T", at, s)
		}
	}
}

var word = regexp.MustCompile(`(?:^|[^A-Za-z])[A-Za-z]{2,}`)

func callee(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func read(t *testing.T, spec *ast.ValueSpec, table map[string]string) {
	t.Helper()
	for _, el := range spec.Values[0].(*ast.CompositeLit).Elts {
		kv := el.(*ast.KeyValueExpr)
		en, ok := text(kv.Key)
		ko, ok2 := text(kv.Value)
		if !ok || !ok2 {
			t.Fatal("the table holds more than texts")
		}
		if _, twice := table[en]; twice {
			t.Errorf("%q has Korean in two tables", en)
		}
		table[en] = ko
	}
}

// text is the value of a string literal, or of several joined by +.
func text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, ok := text(e.X)
		b, ok2 := text(e.Y)
		return a + b, ok && ok2 && e.Op == token.ADD
	}
	return "", false
}

var verb = regexp.MustCompile(`%([-+# 0]*[0-9]*(?:\.[0-9]+)?)(?:\[([0-9]+)\])?([a-zA-Z%])`)

// verbs are the verbs of a format by the number of the argument they print.
func verbs(format string) map[int]string {
	out := map[int]string{}
	n := 0
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" {
			continue
		}
		n++
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		out[n] += "%" + m[1] + m[3]
	}
	return out
}

// korean reports whether a text has Korean letters.
func korean(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= '가' && r <= '힣' })
}
