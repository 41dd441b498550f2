package spec_test

import (
	"fmt"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"CLAUDE.md": ". true", "SPEC.md": ". true", "a/CLAUDE.md": "a true", "a/b/SPEC.md": "a/b true",
		"a": "a false", "a/API-SPEC.md": "a/API-SPEC.md false", "a/spec.md": "a/spec.md false", "SPEC.md/x": "SPEC.md/x false", "": " false",
	} {
		dir, is := spec.Dir(file)
		if got := fmt.Sprint(dir, " ", is); got != want || spec.IsName(file) != is {
			t.Errorf("Dir(%q) = %q, want %q; IsName = %v", file, got, want, spec.IsName(file))
		}
	}
}

func TestWhichFileIsTheSpec(t *testing.T) {
	t.Parallel()
	const free, purpose, whole = "# Notes\n\n## Commands\n\n- make\n", "# m\n\n## Purpose\n\nx\n", "# m\n\n## Purpose\n\nx\n\n## Exports\n\n- `f(): void`\n"
	for _, c := range []struct{ dir, claude, other, want string }{
		{"m/", free, whole, "m/SPEC.md false"},
		{"m/", whole, free, "m/CLAUDE.md false"},
		{"m/", free, free, "m/CLAUDE.md false"},
		{"m/", purpose, whole, "m/CLAUDE.md true"},
		{"m/", whole, whole, "m/CLAUDE.md true"},
		{"", purpose, whole, "SPEC.md false"}, // the root's CLAUDE.md has rules
		{"", whole, purpose, "CLAUDE.md false"},
		{"", whole, whole, "CLAUDE.md true"},
		{"", purpose, purpose, "CLAUDE.md false"},
	} {
		claude, _ := spec.Parse(c.dir+spec.Name, []byte(c.claude))
		other, _ := spec.Parse(c.dir+spec.OtherName, []byte(c.other))
		one, both := spec.Choose(claude, other, (*spec.Document).IsModule)
		if got := fmt.Sprint(one.Path, " ", both); got != c.want {
			t.Errorf("of %q and %q in %q: %s, want %s", c.claude, c.other, c.dir, got, c.want)
		}
	}
	if got, want := spec.TwoSpecs("m").String(), "m/CLAUDE.md: error: m/CLAUDE.md and m/SPEC.md are both specs of this directory "+
		"(delete one of them, or remove Purpose, Exports and Behavior from it)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A reference leads to a directory, by either name, and is shown as it was written.
func TestReferencesByEitherName(t *testing.T) {
	t.Parallel()
	const text = "# m\n\n## Purpose\n\nSee one/%[1]s#f and docs/API-%[1]s#g.\n\n## Exports\n\nNone\n\n## Behavior\n\nNone\n\n" +
		"## Dependencies\n\n- internal:\n  - `one/%[1]s`: f\n  - `two\\%[1]s`: g\n\n### Internal\n\n- [three](three/%[1]s)\n- `docs/API-%[1]s`\n"
	a, _ := spec.Parse("m/CLAUDE.md", fmt.Appendf(nil, text, "CLAUDE.md"))
	b, _ := spec.Parse("m/SPEC.md", fmt.Appendf(nil, text, "SPEC.md"))
	want := map[string][]string{
		"CLAUDE.md": {"one/CLAUDE.md", "two/CLAUDE.md", "three/CLAUDE.md", "docs/API-CLAUDE.md"},
		"SPEC.md":   {"one/SPEC.md", "two/SPEC.md", "three/SPEC.md", "docs/API-SPEC.md"},
	}
	for name, d := range map[string]*spec.Document{"CLAUDE.md": a, "SPEC.md": b} {
		var got []string
		for _, dep := range d.Dependencies.Internal {
			got = append(got, dep.File())
		}
		equal(t, name, got, want[name])
		if len(d.CrossRefs) != 1 || d.CrossRefs[0].Path != "one" || d.CrossRefs[0].File != "one/"+name {
			t.Errorf("%s: cross references %+v", name, d.CrossRefs)
		}
	}
	if a.Dependencies.Internal[0].Path != b.Dependencies.Internal[0].Path {
		t.Errorf("%+v\n%+v", a.Dependencies.Internal[0], b.Dependencies.Internal[0])
	}
	whole := "# m\n\n## Exports\n\n- `f(): void`\n\n## Dependencies\n\n- internal:\n  - `one/%s`: f\n"
	c, _ := spec.Parse("m/CLAUDE.md", fmt.Appendf(nil, whole, "CLAUDE.md"))
	d, _ := spec.Parse("m/SPEC.md", fmt.Appendf(nil, whole, "SPEC.md"))
	equal(t, "contents", spec.ContentHash(c), spec.ContentHash(d))
	m, ps := spec.ParseImplements("m/IMPLEMENTS.md", []byte("## Module Integration Map\n\n### `../one` → one/SPEC.md\n\n#### Exports Used\n- `f()`\n\n#### Integration Context\nOnce.\n"))
	if len(ps) > 0 || len(m.Integration) != 1 || m.Integration[0].Ref != "one/SPEC.md" {
		t.Errorf("integration %+v: %v", m.Integration, ps)
	}
}
