package spec_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// TestNoneAsAnItem: what is empty on purpose may be the one item of a list, and a purpose may not be empty in any form.
func TestNoneAsAnItem(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"None", "none", "- None", "* None", "+ n/a", "1. None", "- 없음"} {
		text := "# m\n\n## Purpose\n\nReal.\n\n## Exports\n\n" + mark + "\n\n## Behavior\n\n" + mark + "\n\n## Contract\n\n" + mark +
			"\n\n## Protocol\n\n" + mark + "\n\n## Domain Context\n\n" + mark + "\n"
		d, ps := spec.Parse("m/CLAUDE.md", []byte(text))
		if ps = append(ps, spec.Check(d)...); len(ps) > 0 {
			t.Errorf("%q: %v", mark, ps)
		}
		if len(d.Exports)+len(d.Behaviors) > 0 {
			t.Errorf("%q: %v %v", mark, d.Exports, d.Behaviors)
		}
		d, ps = spec.Parse("m/CLAUDE.md", []byte(strings.Replace(text, "Real.", mark, 1)))
		if !spec.HasErrors(append(ps, spec.Check(d)...)) {
			t.Errorf("%q is a purpose", mark)
		}
	}
}

// TestCommentsInLines: comments within lines and paragraphs are no part of what a spec says; in code they are text.
func TestCommentsInLines(t *testing.T) {
	t.Parallel()
	d, ps := spec.Parse("m/CLAUDE.md", []byte("# m <!-- a -->\n\n## Purpose <!-- b -->\n\nReal <!-- c --> thing <!-- d\ne --> with `<!-- f -->`. 5 <!-- open\n\n"+
		"## Exports\n\n- `f(a: string): string` <!-- g -->\n- <!-- h --> `g(): void`\n\n## Behavior\n\n- f(\"x\") → \"y\" <!-- i -->\n"))
	if spec.HasErrors(append(ps, spec.Check(d)...)) {
		t.Errorf("problems: %v", ps)
	}
	if want := "Real thing with `<!-- f -->`. 5 <!-- open"; d.Name != "m" || d.Purpose != want {
		t.Errorf("%q: %q, want %q", d.Name, d.Purpose, want)
	}
	if len(d.Exports) != 2 || d.Exports[0].Name != "f" || d.Exports[1].Name != "g" || len(d.Behaviors) != 1 {
		t.Errorf("%+v %+v", d.Exports, d.Behaviors)
	}
	plain, _ := spec.Parse("m/CLAUDE.md", []byte("# m\n\n## Purpose\n\nx\n\n## Exports\n\n- `f(a: string): string`\n- `g(): void`\n\n## Behavior\n\n- f(\"x\") → \"y\"\n"))
	if spec.ContentHash(d) != spec.ContentHash(plain) || spec.InterfaceHash(d) != spec.InterfaceHash(plain) {
		t.Error("a comment changes the hash")
	}
}

// TestCommentsOfSeveralLines say nothing either, wherever they stand.
func TestCommentsOfSeveralLines(t *testing.T) {
	t.Parallel()
	const note = "<!--\nTODO: later\n\n## Exports\n\n- `g(): void`\n-->"
	for _, c := range []struct{ purpose, behavior, want string }{
		{"Does it.\n\n" + note, "None\n\n" + note, "Does it."},
		{note + "\n\nDoes it.", note + "\n\nNone", "Does it."},
		{"<!-- one\ntwo --> Does it.", "None", "Does it."},
		{"<div>\n  Does it.\n</div>", "None", "<div> Does it. </div>"},
		{note, "None", ""},
		{"<!-- TODO write -->", "None", ""},
	} {
		d, ps := spec.Parse("m/CLAUDE.md", []byte("# m\n\n## Purpose\n\n"+c.purpose+"\n\n## Exports\n\n- `f(): void`\n\n## Behavior\n\n"+c.behavior+"\n\n## Contract\n\nNone\n\n## Protocol\n\nNone\n\n## Domain Context\n\nNone\n"))
		var wrong []string
		for _, p := range append(ps, spec.Check(d)...) {
			if p.Severity == spec.Error {
				wrong = append(wrong, p.Text)
			}
		}
		if d.Purpose != c.want || len(d.Exports) != 1 || len(wrong) > 0 != (c.want == "") {
			t.Errorf("%q: purpose %q, exports %v, %v", c.purpose, d.Purpose, d.Exports, wrong)
		}
	}
}
