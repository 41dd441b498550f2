package check_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestJudgeTwice: what blocks a change was seen once more. Each run adds a byte to a file, and the number of bytes decides.
func TestJudgeTwice(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	const count = "\tf, err := os.OpenFile(FILE, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tdefer f.Close()\n\tif _, err := f.WriteString(\"x\"); err != nil {\n\t\tpanic(err)\n\t}\n\tinfo, err := f.Stat()\n\tif err != nil {\n\t\tpanic(err)\n\t}\n"
	const fine = "package fine\n\n// Fine is true.\nfunc Fine() bool { return true }\n"
	const fineTest = "package fine\n\nimport \"testing\"\n\nfunc TestFine(t *testing.T) {\n\tif !Fine() {\n\t\tt.Fatal(\"it is not\")\n\t}\n}\n"
	loads := fine + "\nfunc init() {\n" + count + "\tif n := info.Size(); WHEN {\n\t\tpanic(\"not yet\")\n\t}\n}\n"
	gives := "package fine\n\n// Fine is true.\nfunc Fine() bool {\n" + count + "\tn := info.Size()\n\treturn !(WHEN)\n}\n"
	for name, c := range map[string]struct {
		code, when, test string
		verdict          check.Verdict
		rule             string
	}{
		"tests that cannot be run at first": {loads, "n < 2", fineTest, check.VerdictUnproved, "flaky-test"},
		"tests that cannot be run":          {loads, "n > 0", fineTest, check.VerdictBroken, "build-failed"},
		"a test is gone that failed once":   {gives, "n == 1", "", check.VerdictUnproved, "flaky-test"},
		"a test is gone that fails":         {gives, "n > 0", "", check.VerdictWeakened, "test-deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			files := map[string]string{"go.mod": "module example.com/fine\n\ngo 1.24\n", "fine.go": fine, "fine_test.go": fineTest}
			base := l.tree("", files)
			code := strings.NewReplacer("package fine\n", "package fine\n\nimport \"os\"\n", "FILE", strconv.Quote(filepath.Join(kept(t), "runs")), "WHEN", c.when).Replace(c.code)
			j, err := l.checker.ForStep().Judge(t.Context(), check.Question{Chains: []toolchain.Found{l.module(base, ".").Chain}, Mutants: 4}, base, l.tree(base, map[string]string{"fine.go": code, "fine_test.go": c.test}))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range j.Findings {
				found = found || f.Rule == c.rule
			}
			if j.Verdict != c.verdict || !found {
				t.Errorf("%s, want %s; no %s in %+v", j.Verdict, c.verdict, c.rule, j.Findings)
			}
		})
	}
}
