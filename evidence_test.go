package jacquard_test

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	evidence = "docs/evidence.md"
	// fromTests is the heading below which the page is made from the tests.
	fromTests = "## What each test shows\n"
)

// row finds the row of a list that a claim begins with, such as A20 16: see TestEveryContradictionHasATest in internal/workflow/auto.
var row = regexp.MustCompile(`^[AB][0-9]+(?: [0-9]+)?(?:, [a-z ]+)?: `)

// TestEvidence: docs/evidence.md says what each test says of itself (the comment at the beginning of a story, that of a test in Go), and each
// test that its upper half names is there.
func TestEvidence(t *testing.T) {
	t.Parallel()
	stories, tests := storyClaims(t), testClaims(t)
	page := read(t, evidence)
	byHand, _, ok := strings.Cut(page, fromTests)
	if !ok {
		t.Fatalf("%s has no heading %q", evidence, fromTests)
	}
	var b strings.Builder
	b.WriteString(byHand + fromTests + "\nThis part is written from the tests: `go test . -run TestEvidence -update`.\n")
	table := func(title string, rows map[string]string) {
		fmt.Fprintf(&b, "\n### %s\n\n| claim | test |\n|---|---|\n", title)
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			fmt.Fprintf(&b, "| %s | `%s` |\n", strings.ReplaceAll(rows[name], "|", `\|`), name)
		}
	}
	table("Stories: the real program, in internal/cli/testdata/script", stories)
	for _, dir := range slices.Sorted(maps.Keys(tests)) {
		said := maps.Clone(tests[dir])
		maps.DeleteFunc(said, func(_, claim string) bool { return claim == "" })
		if len(said) > 0 {
			table(dir, said)
		}
	}
	switch {
	case *update:
		if err := os.WriteFile(filepath.FromSlash(evidence), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	case page != b.String():
		t.Errorf("%s is not what the tests say of themselves: go test . -run TestEvidence -update", evidence)
	}
	there := map[string]bool{}
	for name := range stories {
		there[name] = true
	}
	for _, said := range tests {
		for name := range said {
			there[name] = true
		}
	}
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)\\w+|\\w+\\.txtar)`").FindAllStringSubmatch(byHand, -1) {
		if !there[m[1]] {
			t.Errorf("%s names %s, which is not there", evidence, m[1])
		}
	}
}

// storyClaims are what stories show, by their files.
func storyClaims(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, file := range glob(t, "internal/cli/testdata/script/*.txtar") {
		var claim []string
		lines := bufio.NewScanner(strings.NewReader(read(t, file)))
		for lines.Scan() {
			text, ok := strings.CutPrefix(lines.Text(), "#")
			if !ok || strings.HasPrefix(text, " It takes longer than ten seconds") {
				break
			}
			claim = append(claim, strings.TrimSpace(text))
		}
		if len(claim) == 0 {
			t.Errorf("%s does not begin with a comment that says what it shows", file)
		}
		out[path.Base(filepath.ToSlash(file))] = row.ReplaceAllString(strings.Join(claim, " "), "")
	}
	return out
}

// testClaims are the tests in Go by packages, with what they show: "" for one whose name says it.
func testClaims(t *testing.T) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	name := regexp.MustCompile(`^(?:Test|Fuzz)[A-Z0-9]`)
	for _, file := range glob(t, "*_test.go", "internal/*/*_test.go", "internal/*/*/*_test.go", "tools/*/*_test.go") {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(filepath.ToSlash(file))
		if dir == "." {
			dir = "The repository"
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !name.MatchString(fn.Name.Name) || fn.Name.Name == "TestMain" {
				continue
			}
			claim := strings.Join(strings.Fields(fn.Doc.Text()), " ")
			claim = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(claim, fn.Name.Name), ": "), ".")
			if out[dir] == nil {
				out[dir] = map[string]string{}
			}
			out[dir][fn.Name.Name] = row.ReplaceAllString(strings.TrimSpace(claim), "")
		}
	}
	return out
}
