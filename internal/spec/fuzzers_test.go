package spec_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// inFile holds what must be true of the problems of every file.
func inFile(t *testing.T, src []byte, ps []spec.Problem) {
	t.Helper()
	last := strings.Count(string(src), "\n") + 1
	for _, p := range ps {
		if p.Line < 1 || p.Line > last || p.Col < 1 || p.Text == "" {
			t.Errorf("problem outside of the file of %d lines: %+v", last, p)
		}
	}
}

// otherLayout is the same document with other line ends and a byte order mark.
func otherLayout(src []byte) []byte {
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	return []byte("\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"))
}

// plainText reports whether a byte order mark and other line ends are the only layout that the test changes.
func plainText(src []byte) bool {
	return !strings.Contains(string(src), "\r") && !strings.HasPrefix(string(src), "\ufeff")
}

func FuzzDevelopers(f *testing.F) {
	f.Add([]byte(developers))
	f.Add([]byte("## 파일 맵\n- `a`\n  - b.go: c\n## Decision Log\n### a\n| x |\n|--|\n- **맥락**\n#### 결정\n```\nx\n"))
	f.Add([]byte("## File Map\nNone\n## File Map\n| a |\n|-|\n| `` |\n## Decision Log\n- x\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		files, ps := spec.ParseDevelopers("m/DEVELOPERS.md", src)
		inFile(t, src, ps)
		placed(t, files, string(src))
		if plainText(src) {
			again, _ := spec.ParseDevelopers("m/DEVELOPERS.md", otherLayout(src))
			equal(t, "with other line ends", again, files)
		}
	})
}

func FuzzConvention(f *testing.F) {
	f.Add([]byte(style))
	f.Add([]byte("## Naming\n- pattern: x\n### A\n- pattern\n- `examples`: [\n## Formatting\n| a | b |\n|-|-|\n- line_length: 99999999999999999999\n## Project-Specific\ntext\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, ps := spec.ParseConvention("code-convention.md", src)
		inFile(t, src, append(ps, spec.CheckConvention(file)...))
		placed(t, file, string(src))
		if file.Style.LineLength < 0 || file.Style.MaxLines < 0 {
			t.Errorf("negative numbers: %+v", file.Style)
		}
		if plainText(src) {
			again, _ := spec.ParseConvention("code-convention.md", otherLayout(src))
			equal(t, "style with other line ends", again.Style, file.Style)
			equal(t, "hash with other line ends", again.Hash(), file.Hash())
		}
	})
}

// FuzzConventionSections puts the text into the sections of a CLAUDE.md: all of it must be in one of their parts.
func FuzzConventionSections(f *testing.F) {
	f.Add("### Naming Rules\n- camelCase\n", "general\n### Coding Rules\nx\n")
	f.Add("```\n## x\n```\n", "<!-- y -->\n")
	f.Fuzz(func(t *testing.T, project, code string) {
		src := []byte("# m\n\n## Purpose\n\nx\n\n## Project Convention\n\n" + project + "\n\n## Code Convention\n\n" + code)
		d, ps := spec.Parse("CLAUDE.md", src)
		inFile(t, src, ps)
		placed(t, d, string(src))
		if file, _ := spec.ParseConvention("code-convention.md", src); len(d.Conventions) > 0 && len(file.Sections) == 0 {
			t.Errorf("%d parts in a CLAUDE.md and none in a code-convention.md", len(d.Conventions))
		}
		for _, c := range d.Conventions {
			if c.Section == "" || c.Name == "" && strings.TrimSpace(c.Text) == "" {
				t.Errorf("an empty part: %+v", c)
			}
		}
	})
}

// FuzzSignature reads a declaration, and again what it was understood as: that must mean the same.
func FuzzSignature(f *testing.F) {
	for _, s := range []string{
		"validateToken(token: string): Promise<Claims>", "validate(token: str) -> Claims", "func (s *Server) Serve(ctx context.Context) error", "Claims validate(String token)",
		"suspend fun f(x: T): R", "Claims { userId: string }", "data class X(a: T)", "Status: Active | Inactive", "MAX_RETRIES = 3", "export const go = async (x: string) => X",
		"pub fn parse<'a>(s: &'a str) -> Result<Spec, Error>", "Map[K comparable, V any](m map[K]V) []K", "enum class C { A, B }", "a.b: c", "f((((", "type T = ", "f(a", "x`y",
	} {
		f.Add(s, "", false)
		f.Add(s, "function", true)
	}
	f.Fuzz(func(t *testing.T, sig, group string, strict bool) {
		switch spec.Kind(group) {
		case "", spec.Function, spec.Type, spec.Class, spec.Enum, spec.Variable:
		default:
			return
		}
		e, ok := spec.Signature(sig, spec.Kind(group), strict)
		if !ok {
			return
		}
		if e.Name == "" || e.Kind == "" || e.Signature == "" {
			t.Errorf("%q is read as %+v", sig, e)
		}
		again, ok := spec.Signature(e.Signature, spec.Kind(group), strict)
		if !ok || again.Name != e.Name || again.Kind != e.Kind || again.Signature != e.Signature {
			t.Errorf("%q is read as %+v, and that as %+v %v", sig, e, again, ok)
		}
	})
}

// FuzzDependencies writes what was read as a plan does, under headings, and reads that: it must be the same.
func FuzzDependencies(f *testing.F) {
	for _, s := range []string{
		"- external:\n  - `a@1.0`: x, y\n- internal:\n  - `core/x/CLAUDE.md`: A, B\n", "### External\n- `lodash@4` — tools\n### Internal\n- `core/x/CLAUDE.md` — text (A)\n",
		"- internal: ../core\n- external: a@1, b@2\n", "### Internal\n| Module | Symbols |\n|---|---|\n| `x/CLAUDE.md` | A, B |\n", "**Internal**:\n- [x](x/CLAUDE.md) → A\n", "- a: b@: `c\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := []byte("# m\n\n## Dependencies\n\n" + text)
		d, ps := spec.Parse("src/auth/CLAUDE.md", src)
		inFile(t, src, ps)
		placed(t, d, string(src))
		for _, i := range d.Dependencies.Internal {
			if i.Path == "" || i.Path == ".." || strings.HasPrefix(i.Path, "../") || strings.HasPrefix(i.Path, "/") {
				t.Errorf("dependency %+v leaves the project", i)
			}
		}
		for _, e := range d.Dependencies.External {
			if e.Name == "" {
				t.Errorf("a dependency without a name: %+v", e)
			}
		}
		again, _ := spec.Parse("src/auth/CLAUDE.md", []byte(asHeadings(d)))
		if a, b := asHeadings(again), asHeadings(d); a != b {
			t.Errorf("%q is\n%s\nand that is\n%s", text, b, a)
		}
	})
}

var plainName = regexp.MustCompile(`^[\w/.-]+$`)

// asHeadings writes those dependencies under headings whose names are names.
func asHeadings(d *spec.Document) string {
	out := "## Dependencies\n### External\n"
	line := func(name string, symbols []string) {
		out += "- `" + name + "`"
		if len(symbols) > 0 {
			out += ": " + strings.Join(symbols, ", ")
		}
		out += "\n"
	}
	for _, e := range d.Dependencies.External {
		if plainName.MatchString(e.Name) && plainName.MatchString(e.Version) {
			line(e.Name+"@"+e.Version, e.Symbols)
		}
	}
	out += "### Internal\n"
	for _, i := range d.Dependencies.Internal {
		if i.IsSpec && i.Path != "." && plainName.MatchString(i.Path) {
			line(i.Path+"/CLAUDE.md", i.Symbols)
		}
	}
	return out
}
