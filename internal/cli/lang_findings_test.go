package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/report"
)

// TestFindingsHaveKorean: each finding whose words are where it is made has Korean, with all its values, and no Korean is left of one
// that nothing makes any more.
func TestFindingsHaveKorean(t *testing.T) {
	t.Parallel()
	formats, texts := findings(t)
	if len(formats) < 150 {
		t.Errorf("%d findings, want all of the program", len(formats))
	}
	for at, format := range formats {
		n := 0
		var values []string
		example := verb.ReplaceAllStringFunc(format, func(v string) string {
			if v == "%%" {
				return "%"
			}
			n++
			value := map[string]string{"%d": "1" + strings.Repeat("0", n), "%q": `"a \"b"`}[v]
			if value == "" {
				value = "x.Y" + strings.Repeat("z", n)
			}
			values = append(values, value)
			return value
		})
		ko := report.Korean.Finding(example)
		if !korean(ko) {
			t.Errorf("%s: no Korean for this finding. Add to koreanFindings in internal/report/korean_findings.go:\n\t%q: \"…\",", at, format)
			continue
		}
		for _, v := range values {
			if !strings.Contains(ko, v) {
				t.Errorf("%s: %q of %q is not in %q", at, v, example, ko)
			}
		}
		if got := report.English.Finding(example); got != example {
			t.Errorf("English.Finding(%q) = %q", example, got)
		}
	}
	all := strings.Join(texts, "\n")
	for _, table := range []string{"koreanFindings", "koreanAsked"} {
		for en, ko := range tableOf(t, table) {
			for _, words := range verb.Split(strings.TrimPrefix(en, "needs a plan: "), -1) {
				if words = strings.Trim(words, " .:"); len(strings.Fields(words)) > 2 && !strings.Contains(all, words) {
					t.Errorf("nothing says %q any more: take it out of %s", en, table)
				}
			}
			if a, b := verbs(en), verbs(ko); len(a) != len(b) {
				t.Errorf("%q and %q do not take the same values: %v, %v", en, ko, a, b)
			}
		}
	}
}

// findings are the formats of the findings of the program by their places, and all texts of the packages that make them.
func findings(t *testing.T) (formats map[string]string, texts []string) {
	t.Helper()
	formats = map[string]string{}
	fset := token.NewFileSet()
	note := func(at token.Pos, message ast.Expr) {
		if format := joined(message); len(word.FindAllString(verb.ReplaceAllString(format, ""), -1)) > 1 {
			formats[fset.Position(at).String()] = format
		}
	}
	for _, dir := range []string{"../check", "../act", "../workflow", "../inspect", "../step", "../target", "../pdca", "../checkpoint"} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if name := callee(n); len(n.Args) > 3 && (makesFinding.MatchString(name) || name == "say" && dir == "../check") {
						note(n.Pos(), n.Args[3])
					}
					if gate := dir == "../pdca" || dir == "../checkpoint"; gate && callee(n) == "say" {
						if i := slices.IndexFunc(n.Args, func(x ast.Expr) bool { _, ok := x.(*ast.BasicLit); return ok }); i >= 0 {
							note(n.Pos(), n.Args[i])
						}
					}
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" {
						note(n.Pos(), n.Value)
					}
				case *ast.BasicLit, *ast.BinaryExpr:
					texts = append(texts, joined(n.(ast.Expr)))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return formats, texts
}

var makesFinding = regexp.MustCompile(`^(reject|fix|warn|charge)$`)

// joined is the format that an expression amounts to: what is computed is %s.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := text(e)
		return s
	case *ast.BinaryExpr:
		return joined(e.X) + joined(e.Y)
	case *ast.CallExpr:
		if callee(e) == "Sprintf" {
			return joined(e.Args[0])
		}
	}
	return "%s"
}

// tableOf is a table of Korean by its name.
func tableOf(t *testing.T, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob("../report/korean*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == name {
				read(t, spec, out)
			}
			return true
		})
	}
	return out
}
