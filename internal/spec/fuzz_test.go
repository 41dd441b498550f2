package spec_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// check holds what must be true of every parsed document.
func check(t *testing.T, src []byte) *spec.Document {
	t.Helper()
	d, ps := spec.Parse("src/auth/CLAUDE.md", src)
	lines := strings.Split(string(src), "\n")
	inside := func(what string, line int) {
		if line < 1 || line > len(lines) {
			t.Errorf("%s at line %d of %d", what, line, len(lines))
		}
	}
	for _, p := range append(ps, spec.Check(d)...) {
		if p.Line < 1 || p.Line > max(len(lines), 1) || p.Col < 1 || p.Col > utf8.RuneCountInString(lines[p.Line-1])+2 {
			t.Errorf("problem outside of the file: %s", p)
		}
	}
	ids := map[string]bool{}
	for _, it := range spec.Items(d) {
		inside("item "+it.ID, it.Line)
		if it.ID == "" || ids[it.ID] || it.Hash == "" {
			t.Errorf("item %+v has no id of its own", it)
		}
		ids[it.ID] = true
	}
	for _, dep := range d.Dependencies.Internal {
		inside("dependency", dep.Line)
		if dep.Path == ".." || strings.HasPrefix(dep.Path, "../") || strings.HasPrefix(dep.Path, "/") {
			t.Errorf("dependency leaves the project: %q", dep.Path)
		}
	}
	placed(t, d, string(src))
	spec.Constants(d)
	spec.InterfaceHash(d)
	spec.DefaultImplements(d)
	if d.JSON() == nil {
		t.Error("no JSON")
	}
	return d
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("<!-- schema: 2.0 -->\n## Exports\n#### a\n- **Type**: x\n`a(\n\n| a |\n|--|\n"))
	f.Add([]byte("\xef\xbb\xbf## Behavior\r\n- `a -> \xff\n\t- →\n10. x\n> ## y\n<div>\n"))
	f.Add([]byte("## Dependencies\n- internal:\n  - `../../../..`: a\n- external: @, :, a@\n### Internal\n|a|\n|-|\n"))
	f.Add([]byte("## Contract\n| Function | Throws |\n|-|-|\n| | a<br>b |\n## Protocol\nStates: |\n- + → \n1. \n## Structure\n```\n├── \n```\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		check(t, src)
		check(t, append([]byte("<!-- schema: 2.0 -->\n"), src...))
	})
}

func BenchmarkParse(b *testing.B) {
	src := []byte(full)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		spec.Parse("a/CLAUDE.md", src)
	}
}
