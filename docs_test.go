package jacquard_test

import (
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/scenario"
)

// maxWords is how much a user may be given to read: README and all of docs that is not for developers. A word has a letter or a
// digit; code and output count.
const maxWords = 20_000

// forDevelopers are the pages of docs that are not for users.
var forDevelopers = []string{"docs/architecture.md", "docs/evidence.md", "docs/internals/"}

// lookedUp are written from the texts of jacquard explain and from the help, and nobody reads them from end to end.
var lookedUp = []string{"docs/reference/codes.md", "docs/reference/flags.md"}

// TestDocsAreShort: what users are given to read fits into an afternoon.
func TestDocsAreShort(t *testing.T) {
	t.Parallel()
	total := 0
	for _, file := range pages(t) {
		if slices.Contains(lookedUp, file) || file != "README.md" && !strings.HasPrefix(file, "docs/") || slices.ContainsFunc(forDevelopers, func(p string) bool { return strings.HasPrefix(file, p) }) {
			continue
		}
		n := 0
		for word := range strings.FieldsSeq(read(t, file)) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				n++
			}
		}
		t.Logf("%6d %s", n, file)
		total += n
	}
	if t.Logf("%6d in all", total); total > maxWords {
		t.Errorf("the documentation for users has %d words, want at most %d: shorten it, or move what is for developers to docs/internals", total, maxWords)
	}
}

// TestDocsLinks: every relative link of a page, with its anchor, leads somewhere.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings := map[string][]string{}
	for _, file := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(withoutCode(read(t, file)), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, ":") { // another site
				continue
			}
			target := path.Join(path.Dir(file), to)
			if to == "" {
				target = file
			}
			if _, err := os.Stat(filepath.FromSlash(target)); err != nil {
				t.Errorf("%s: %s: there is no %s", file, m[1], target)
				continue
			}
			if anchor == "" {
				continue
			}
			if headings[target] == nil {
				headings[target] = anchors(read(t, target))
			}
			if !slices.Contains(headings[target], anchor) {
				t.Errorf("%s: %s: %s has no such heading", file, m[1], target)
			}
		}
	}
}

// TestDocsScenarios: the answers that come with the first pages can be played.
func TestDocsScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.FromSlash("internal/cli/tutorial/*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scenarios: %v", err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name == "shop.txtar" || name == "hello.txtar" { // projects
			continue
		}
		if _, problems := scenario.Parse([]byte(read(t, filepath.ToSlash(file)))); len(problems) > 0 {
			t.Errorf("%s: %v", file, problems)
		}
	}
}

// TestDocsPicture: the picture of the Stop hook shows the screen that its story compares with.
func TestDocsPicture(t *testing.T) {
	t.Parallel()
	_, screen, ok := strings.Cut(read(t, "internal/cli/testdata/script/prove_screen.txtar"), "-- screen.want --\n")
	want, _, ends := strings.Cut(screen, "-- go.mod --\n")
	if !ok || !ends {
		t.Fatal("the story has no screen")
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^<text[^>]*>(.*)</text>$`).FindAllStringSubmatch(read(t, "docs/hook.svg"), -1) {
		line := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[1], ""))
		got = append(got, strings.ReplaceAll(line, "\u00a0", " "))
	}
	want = strings.TrimSpace(strings.ReplaceAll(want, "⎿", "└"))
	if shown := strings.Join(got, "\n"); shown != want {
		t.Errorf("run make picture: docs/hook.svg shows\n%s\nwant\n%s", shown, want)
	}
}

// TestDocsPaths: the pages that sources, messages and make targets name are there.
func TestDocsPaths(t *testing.T) {
	t.Parallel()
	page := regexp.MustCompile(`\bdocs/[a-z-]+(?:/[a-z-]+)*\.(?:md|txtar|svg)\b`)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != "." && strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "node_modules", "bin"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(file); ext != ".go" && file != "Makefile" || strings.HasSuffix(file, "_test.go") && !strings.Contains(filepath.ToSlash(file), "internal/workflow/") {
			return nil
		}
		for _, name := range page.FindAllString(read(t, file), -1) {
			if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
				t.Errorf("%s names %s, which is not there", file, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPlaces: the table in CONTRIBUTING.md that says where to change what names files, functions and tests that are there: a name is in a
// file of its row.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const file = "CONTRIBUTING.md"
	_, section, _ := strings.Cut(read(t, file), "## Where to change what")
	section, _, _ = strings.Cut(section, "\n## ")
	span, name := regexp.MustCompile("`[^`]+`"), regexp.MustCompile(`^\w+$`)
	var tests strings.Builder
	for _, f := range glob(t, "internal/*/*_test.go", "internal/*/*/*_test.go") {
		tests.WriteString(read(t, f))
	}
	rows := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| to change") {
			continue
		}
		rows++
		var text strings.Builder
		var names []string
		for _, s := range span.FindAllString(line, -1) {
			switch s = strings.Trim(s, "`"); {
			case strings.Contains(s, "/") && !strings.Contains(s, " "):
				found := glob(t, "internal/"+s)
				if len(found) == 0 {
					t.Errorf("%s names internal/%s, which is not there", file, s)
				}
				for _, f := range found {
					if path.Ext(s) != "" {
						text.WriteString(read(t, f))
					}
				}
			case name.MatchString(s):
				names = append(names, s)
			}
		}
		for _, n := range names {
			in, word := text.String(), regexp.MustCompile(`\b`+n+`\b`)
			if strings.HasPrefix(n, "Test") {
				in, word = tests.String(), regexp.MustCompile(`\bfunc `+n+`\(`)
			}
			if !word.MatchString(in) && len(glob(t, "internal/cli/testdata/script/"+n+".txtar")) == 0 {
				t.Errorf("%s names %s, which is in no file of its row: %s", file, n, strings.TrimSpace(line[:min(len(line), 60)]))
			}
		}
	}
	if rows < 15 {
		t.Errorf("%s has %d rows, want those of the whole table", file, rows)
	}
}

// glob are the files of some patterns.
func glob(t *testing.T, patterns ...string) []string {
	t.Helper()
	var out []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.FromSlash(p))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}

// TestDocsCounts: how many lies are rejected is said as it was counted last.
func TestDocsCounts(t *testing.T) {
	t.Parallel()
	var lies, honest []string
	for line := range strings.Lines(read(t, "internal/cli/testdata/known.txt")) {
		switch f := strings.Fields(line); {
		case strings.HasPrefix(line, "# all") && len(f) == 7 && f[2] == "lies":
			lies = f[3:]
		case strings.HasPrefix(line, "# all") && len(f) == 8:
			honest = f[4:]
		}
	}
	if lies == nil || honest == nil {
		t.Fatal("known.txt has no line of all lies, or of all honest work")
	}
	for _, file := range []string{"README.md", "docs/concepts/proof.md"} {
		for _, want := range []string{lies[1] + " of " + lies[0] + " are rejected", honest[3] + " of " + honest[0]} {
			if !strings.Contains(read(t, file), want) {
				t.Errorf("%s does not say %q, as known.txt does", file, want)
			}
		}
	}
}

// pages are the Markdown files of the repository that people read.
func pages(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			out = append(out, filepath.ToSlash(f))
		}
	}
	if len(out) < 10 {
		t.Fatalf("only %d pages were found", len(out))
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// withoutCode is a page without its code blocks and code spans.
func withoutCode(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		if !code {
			b.WriteString(line)
		}
	}
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllString(b.String(), "")
}

// anchors are the names that headings get on the forge: small letters, digits and strokes, with a number where a name comes again.
func anchors(text string) []string {
	var out []string
	seen := map[string]int{}
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		title := strings.TrimLeft(line, "#")
		if code || title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		if n := seen[name]; n > 0 {
			out = append(out, name+"-"+strconv.Itoa(n))
		} else {
			out = append(out, name)
		}
		seen[name]++
	}
	return out
}
