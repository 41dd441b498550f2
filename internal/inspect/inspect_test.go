package inspect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// documents are all documents that the tests of the parser read.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join("..", "spec", "testdata"), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		b, err := os.ReadFile(p)
		out[p] = b
		return err
	})
	if err != nil || len(out) < 5 {
		t.Fatalf("%d documents, %v", len(out), err)
	}
	return out
}

// reading is what a document says, without what migrating adds.
func reading(d *spec.Document) string {
	var keep []string
	for l := range strings.Lines(string(d.JSON())) {
		if !strings.Contains(l, `"schema_version":`) && !strings.Contains(l, `"summary":`) {
			keep = append(keep, l)
		}
	}
	return strings.Join(keep, "")
}

func TestMigratingChangesNothingThatIsRead(t *testing.T) {
	t.Parallel()
	docs := documents(t)
	docs["flat"] = []byte("# a\n\n## Purpose\n\nAdds. Nothing else.\n\n## Exports\n- `Add(a int, b int) int` — adds\n- `Max = 3`\n- `State: Open | Closed`\n\n## Behavior\n\n- `Add(1, 2)` → 3")
	docs["crlf"] = []byte("\uFEFF# a\r\n\r\n## Purpose\r\n\r\nAdds.\r\n\r\n## Exports\r\n\r\n### Functions\r\n\r\n- `Add(a int) int`\r\n- `Sub(a int) int`\r\n")
	docs["old marker"] = []byte("# a\n<!-- schema: 1.0 -->\n\n## Purpose\n\nAdds\n")
	docs["empty"] = nil
	headings := 0
	for name, src := range docs {
		m, out := inspect.Migrate("m/CLAUDE.md", src)
		before, _ := spec.Parse("m/CLAUDE.md", src)
		after, _ := spec.Parse("m/CLAUDE.md", out)
		if before.Version == "2.0" {
			if m.Migrated || !bytes.Equal(out, src) {
				t.Errorf("%s: migrated again", name)
			}
			continue
		}
		if a, b := reading(before), reading(after); a != b {
			t.Errorf("%s reads differently:\n%s\nbefore:\n%s\n%s", name, b, a, out)
		}
		if after.Version != "2.0" || before.Purpose != "" && after.Summary == "" {
			t.Errorf("%s: version %s, summary %q:\n%s", name, after.Version, after.Summary, out)
		}
		if again, twice := inspect.Migrate("m/CLAUDE.md", out); again.Migrated || !bytes.Equal(twice, out) {
			t.Errorf("%s: migrating is not idempotent", name)
		}
		if bytes.Contains(src, []byte("\r\n")) && bytes.Contains(bytes.ReplaceAll(out, []byte("\r\n"), nil), []byte("\n")) {
			t.Errorf("%s: a bare line feed in a file with CRLF", name)
		}
		for _, c := range m.Changes {
			if c.Type == "ConvertExportToHeading" {
				headings++
			}
		}
	}
	if headings < 5 {
		t.Errorf("%d exports were converted, want most", headings)
	}
}

func TestFixedDocumentsAreValid(t *testing.T) {
	t.Parallel()
	for name, src := range documents(t) {
		fixed, added := inspect.Fix("m/CLAUDE.md", src)
		if !bytes.HasPrefix(fixed, src) {
			t.Errorf("%s: something else was changed", name)
		}
		d, _ := spec.Parse("m/CLAUDE.md", fixed)
		for _, s := range added {
			if !d.Has(s) {
				t.Errorf("%s: %s was not added", name, s)
			}
		}
		if _, again := inspect.Fix("m/CLAUDE.md", fixed); len(again) > 0 {
			t.Errorf("%s: a second time %v", name, again)
		}
	}
}
