package spec_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// headings lists the top-level headings as goldmark sees them, each with its line.
func headings(src []byte) []string {
	var out []string
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		var parts []string
		for i := range h.Lines().Len() {
			seg := h.Lines().At(i)
			parts = append(parts, strings.TrimSpace(string(seg.Value(src))))
		}
		line := bytes.Count(src[:h.Pos()], []byte("\n")) + 1
		out = append(out, fmt.Sprintf("%d: %s %s", line, strings.Repeat("#", h.Level), strings.Join(parts, " ")))
	}
	return out
}

// pieces are hard to tell apart.
var pieces = []string{
	"# A", "## B ##", "### C #", "####### no", "#no", "  ## D", "    ## code", "\t## code", "Title\n===", "Title\n---", "two\nlines\n---",
	"- item", "- item\n---", "- item\n  ---", "- item\n\n  ## inside", "* a\n* b", "1. one", "2. two", "- ```\n  # x\n  ```", "-", "+ x\n\n      # deep",
	"> quote", "> ## q", "> quote\n---", "```\n# x\n```", "``` a`b", "~~~ a`b\n# x\n~~~", "````\n```\n# x\n````", "```\n# x\n  ```  ", "    ```",
	"<!-- x -->", "<!--\n## x\n-->", "<!-- a\n\n## x -->", "<div>\n## x\n</div>", "<script>\n\n## x\n</script>", "text <!-- a", "***", "- - -", "_ _ _",
	"text", "text\n## E", "text\n- item", "text\n2. x", "| a | b |\n|---|---|\n| c | d |", "", "", "", "## `code` x", "##", "# ", "**bold**", "=== x", "---",
	"- a\n  - b\n    - c", "- a\n\n\n- b", "   - x\n\n   y", "``\n## G\n``", "~~\n## H", "a\\", "<b>\n## F", "</p>\n## x\n",
	"[a]: b", "[a]: b\n---", "[a]: b\ntext\n---", "[a]:\n<b> \"t\"\n===", "> [a]: b\n> ---", "\t- x", "-\tx\n\t## y", ">\t> x", "01. x", "10. x", "- <!--", "> <!--\n> -->",
	"- ~~~\n~~~", "> ```", "- > x\ny", "<x>", "<x y=\"1\">\n## z", "</x>\n## z", "# x #\\#", "\\# x", "  ===", "a\n    ===",
}

// TestHeadingsAgreeWithCommonMark builds documents from pieces that are hard to tell apart and
// compares the headings with an implementation of CommonMark.
func TestHeadingsAgreeWithCommonMark(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + rng.IntN(6) {
			b.WriteString(pieces[rng.IntN(len(pieces))] + "\n")
		}
		sameHeadings(t, []byte(b.String()))
	}
}

// misread lists what the oracle itself reads otherwise than CommonMark says: inputs that have
// such a piece are not compared. Each has an example with the headings that are right.
var misread = []struct {
	what    string
	in      *regexp.Regexp
	example string
	want    []string
}{
	{"a closing tag of raw content that is alone on its line opens an HTML block", regexp.MustCompile(`(?i)</(script|pre|style|textarea)[ \t]*>`), "</pre>\n# x", nil},
	{"white space in a tag may be a tab", regexp.MustCompile(`<[^\n]*\t`), "<b>\t\n# x", nil},
	{"a declaration may be written in small letters", regexp.MustCompile(`<![a-z]`), "<!a\n# x", nil},
	{"the target of a link definition has no control characters", regexp.MustCompile(`\]:\s*\S*[\x01-\x08\x0e-\x1f\x7f]`), "[a]: \x01\n=", []string{"1: # [a]: \x01"}},
	{"behind a paragraph of definitions a lone dash is text", regexp.MustCompile(`(?s)\]:.*\n[ \t>]*-[ \t]*(\r?\n|$)`), "[a]: b\n-\n===", []string{"2: # -"}},
	{"parentheses in the target of a link definition are balanced", regexp.MustCompile(`\]:\s*[^\s]*[()]`), "[a]: (\n-", []string{"1: ## [a]: ("}},
}

// sameHeadings compares the headings outside of lists and quotes: their lines, levels and titles. Those inside are left
// out on purpose, because here they are text: they never cut a section.
func sameHeadings(t *testing.T, src []byte) {
	t.Helper()
	if !utf8.Valid(src) || bytes.ContainsRune(bytes.ReplaceAll(src, []byte("\r\n"), nil), '\r') || bytes.ContainsAny(src, "\x00\v\f") {
		return // a lone carriage return ends a line for CommonMark, and for neither of the two; bad bytes are replaced before the scan
	}
	for _, m := range misread {
		if m.in.Match(src) {
			return
		}
	}
	got, want := spec.Headings(src), headings(src)
	if !slices.Equal(got, want) {
		t.Errorf("headings of %q\n= %q\nwant %q", src, got, want)
	}
}

func TestOracleMisreads(t *testing.T) {
	t.Parallel()
	for _, m := range misread {
		got, theirs := spec.Headings([]byte(m.example)), headings([]byte(m.example))
		if !slices.Equal(got, m.want) || slices.Equal(got, theirs) || !m.in.MatchString(m.example) {
			t.Errorf("%s: %q has the headings %q, want %q; the oracle has %q", m.what, m.example, got, m.want, theirs)
		}
	}
}

func FuzzHeadings(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p + "\n# x\n"))
	}
	f.Add([]byte("\xef\xbb\xbf# a #\r\n\r\ntwo\r\n---\r\n```\r\n# c\r\n```\r\n<!--\r\n# c\r\n-->\r\n"))
	for _, m := range misread {
		f.Add([]byte(m.example))
	}
	f.Fuzz(sameHeadings)
}

// TestHeadingsInContainersAreText has the deliberate difference: what stands in a list item or quote cuts no section.
func TestHeadingsInContainersAreText(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"- ## x\n", "- a\n\n  ## x\n", "1. a\n   two\n   ---\n", "> # x\n", "> x\n> ===\n", "- > ## x\n", "\t- ## x\n"} {
		if got := spec.Headings([]byte(src)); len(got) != 0 {
			t.Errorf("headings of %q = %q, want none", src, got)
		}
	}
	if got := spec.Headings([]byte("- a\n## x\n> b\n## y\n")); len(got) != 2 {
		t.Errorf("headings behind a list and a quote = %q, want two", got)
	}
}
