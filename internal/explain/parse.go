package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// parse reads the file of a group: a title and an introduction, then for each code a heading, what it means, a paragraph that
// begins "Why:", one that begins "Fix:", and an example in a code block, which translations leave out.
func parse(name, src string) (Group, error) {
	g := Group{Name: name}
	head, rest, _ := strings.Cut("\n"+src, "\n## ")
	title, intro, ok := strings.Cut(strings.TrimSpace(head), "\n")
	if g.Title, g.Intro = strings.TrimPrefix(title, "# "), oneLine(intro); !ok || g.Title == title {
		return g, fmt.Errorf("%s.md: want a title and an introduction", name)
	}
	for text := range strings.SplitSeq(rest, "\n## ") {
		e, err := entry(name, text)
		if err != nil {
			return g, err
		}
		g.Codes = append(g.Codes, e)
	}
	slices.SortStableFunc(g.Codes, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(len(a.Code)*number(a.Code), len(b.Code)*number(b.Code)), strings.Compare(strings.ToLower(a.Code), strings.ToLower(b.Code)), strings.Compare(a.Code, b.Code))
	})
	return g, nil
}

// number is 1 for a number, so that 6 comes before 70, and 0 for a word.
func number(code string) int {
	if strings.Trim(code, "0123456789") == "" {
		return 1
	}
	return 0
}

// fence begins and ends an example.
const fence = "```"

// entry reads the text below the heading of a code.
func entry(group, text string) (Entry, error) {
	code, text, _ := strings.Cut(text, "\n")
	e := Entry{Group: group, Code: strings.TrimSpace(code)}
	prose, example, _ := strings.Cut(text, "\n"+fence)
	_, example, _ = strings.Cut(example, "\n") // the language of the block
	example, _, closed := strings.Cut(example, "\n"+fence)
	if closed {
		e.Example = example
	}
	for part := range strings.SplitSeq(prose, "\n\n") {
		switch part = oneLine(part); {
		case strings.HasPrefix(part, "Why: "):
			e.Why = strings.TrimPrefix(part, "Why: ")
		case strings.HasPrefix(part, "Fix: "):
			e.Fix = strings.TrimPrefix(part, "Fix: ")
		case e.Why == "" && e.Fix == "":
			e.Means = strings.TrimSpace(e.Means + " " + part)
		case part != "":
			return e, fmt.Errorf("%s.md: %s: the paragraph %q is none of Why, Fix and an example", group, e.Code, part)
		}
	}
	e.Line = e.Means
	if i := strings.Index(e.Means, ". "); i > 0 {
		e.Line = e.Means[:i+1]
	}
	for _, part := range [][2]string{{"meaning", e.Means}, {"Why", e.Why}, {"Fix", e.Fix}} {
		if strings.TrimSpace(part[1]) == "" {
			return e, fmt.Errorf("%s.md: %s: it has no %s", group, e.Code, part[0])
		}
	}
	return e, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
