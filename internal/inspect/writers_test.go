package inspect_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// FuzzWriters holds every writer of documents to three rules, whatever is in the file: what has nothing to be changed is
// given back byte for byte, writing twice is writing once, and what was not asked for stays as it was.
func FuzzWriters(f *testing.F) {
	for _, s := range []string{
		"", "# m\n\n## Purpose\n\nx\n\n## Exports\n\n- `F(a: int): int`\n", "\ufeff# m\r\n\r\n## Purpose\r\nx. y\r\n## Exports\r\n- `F(a: int): int` — z\r\n",
		"## Purpose\nx\n```\n## Exports\n", "<!--\n## Purpose\n", "- a\n  ```\n", "<!-- schema: 1.0 -->\n## Purpose\nx", "## Purpose\nx\n## Exports\n### Types\n- `T { a: b }`\n  more\n- `E: a | b`\n",
		"Purpose\n---\nx\n\nExports\n---\n- `F(a: int): int`\n", "# m\n<!-- IMPLEMENTATION SECTION -->\n## Error Handling\nNone\n## State Management\nNone\n",
		"## 목적\nx\n## Exports\n1. `f(a): b`\n2. `g(a): b`\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if !utf8.Valid(src) {
			return
		}
		fixed, added := inspect.Fix("m/CLAUDE.md", src)
		if !bytes.HasPrefix(fixed, src) || len(added) == 0 && !bytes.Equal(fixed, src) {
			t.Errorf("fix changed something: %q to %q", src, fixed)
		}
		if again, more := inspect.Fix("m/CLAUDE.md", fixed); len(more) > 0 || !bytes.Equal(again, fixed) {
			t.Errorf("fixed twice: %q adds %q", fixed, more)
		}
		_, migrated := inspect.Migrate("m/CLAUDE.md", src)
		if m, again := inspect.Migrate("m/CLAUDE.md", migrated); m.Migrated || !bytes.Equal(again, migrated) {
			t.Errorf("migrated twice: %q to %q", migrated, again)
		}
		before, _ := spec.Parse("m/CLAUDE.md", src)
		after, _ := spec.Parse("m/CLAUDE.md", migrated)
		if a, b := reading(before), reading(after); a != b {
			t.Errorf("migrated %q to %q, which reads\n%s\nbefore\n%s", src, migrated, b, a)
		}
		written := spec.UpdateImplements(src, spec.Notes{})
		if again := spec.UpdateImplements(written, spec.Notes{}); !bytes.Equal(again, written) {
			t.Errorf("without notes: %q to %q", written, again)
		}
		if spec.PlanningHash(written) != spec.PlanningHash(src) && !strings.Contains(string(src), "\r") {
			t.Errorf("the plan of %q changed: %q", src, written)
		}
	})
}
