package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
)

// TestSaid: the same finding on another line is the same, and another one is another.
func TestSaid(t *testing.T) {
	t.Parallel()
	same := map[string][2]string{
		"mypy":   {"src/a.py:3: error: Missing return  [return]\nFound 1 error in 1 file\n", "src/a.py:9: error: Missing return  [return]\nFound 1 error in 1 file\n"},
		"tsc":    {"src/a.ts(1,5): error TS2322: x\n", "src/a.ts(12,7): error TS2322: x\n"},
		"eslint": {"/place/tree/a.js\n  1:2  error  No x  rule\n\n✖ 1 problem\n", "/place/tree/a.js\n  40:1  error  No x  rule\n\n✖ 1 problem\n"},
		"rustc":  {"error: unused\n  --> src/a.rs:3:5\n", "error: unused\n  --> src/a.rs:30:5\n"},
		"ruff, with the code around, and a mend of several lines; something was put in above": {
			"ICN001 `datetime` should be imported as `dt`\n  --> tests/test_a.py:17:8\n   |\n16 | import sys\n17 | import datetime\n   |        ^^^^^^^^\nhelp: Alias `datetime` to `dt`\n17 + import datetime as dt\n255 |     def test_stop():\n264 -         for delay in (1, datetime.timedelta(1)):\n\nFound 1 error.\n",
			"ICN001 `datetime` should be imported as `dt`\n  --> tests/test_a.py:19:8\n   |\n18 | import io\n19 | import datetime\n   |        ^^^^^^^^\nhelp: Alias `datetime` to `dt`\n19 + import datetime as dt\n261 |     def test_new():\n270 -         for delay in (1, datetime.timedelta(1)):\n\nFound 1 error.\n",
		},
	}
	for name, c := range same {
		if a, b := check.Said(c[0]), check.Said(c[1]); !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %q and %q are not the same", name, a, b)
		}
	}
	other := map[string][2]string{
		"another rule":                         {"a.ts(1,1): error TS2322: x\n", "a.ts(1,1): error TS2345: x\n"},
		"another file":                         {"v1.go:1:1: x\n", "v2.go:1:1: x\n"},
		"another message at a place":           {"error: unused\n  --> src/a.rs:3:5\n", "error: moved\n  --> src/a.rs:3:5\n"},
		"a line without a place beside others": {"a.ts(1,1): error TS1: x\n", "a.ts(1,1): error TS1: x\nerror TS2688: Cannot find type definition\n"},
		"a formatter's only line":              {"", "would reformat src/a.py\n"},
	}
	for name, c := range other {
		if a, b := check.Said(c[0]), check.Said(c[1]); slices.Equal(a, b) {
			t.Errorf("%s: both are %q", name, a)
		}
	}
}

// TestWhatIsWrongStandsBeforeItsPlace: of tools that say where below what, an author is shown both.
func TestWhatIsWrongStandsBeforeItsPlace(t *testing.T) {
	t.Parallel()
	got := check.Complaints("$ cargo build\nwarning: 1 more\nerror[E0308]: mismatched types\n  --> src/a.rs:3:5\n   |\n3  |     \"x\"\n")
	if want := []string{"error[E0308]: mismatched types --> src/a.rs:3:5\n   |\n3  |     \"x\""}; !slices.Equal(got, want) {
		t.Errorf("shown is %q, want %q", got, want)
	}
	got = check.Complaints("$ python -m pytest\n==== ERRORS ====\nbb/tests/test_g.py:1: in <module>\n    import bb\nbb/__init__.py:1: in <module>\n    import inflection\nE   ModuleNotFoundError: No module named 'inflection'\n")
	if want := []string{"bb/tests/test_g.py:1: in <module>", "bb/__init__.py:1: in <module>", "E   ModuleNotFoundError: No module named 'inflection'"}; !slices.Equal(got, want) {
		t.Errorf("shown is %q, want %q", got, want)
	}
}

// TestBrief: a standing is one line, with the line of the output that tells why.
func TestBrief(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"the runner wrote no report: an experimental feature.\nIt may change.\n\n--- Startup Error ---\nError: a file is missing\n    at x\n": "the runner wrote no report: an experimental feature. … Error: a file is missing",
		"install dependencies: exit 1: npm warn config\nnpm error code ERR_X\nnpm error more\n":                                               "install dependencies: exit 1: npm warn config … npm error code ERR_X",
		"no test could be run: package ... does not build:\nx.go:1:1: no such thing\ny.go:2:2: error: other\n":                                "no test could be run: package ... does not build: x.go:1:1: no such thing … y.go:2:2: error: other",
		"no test could be run: it cannot be loaded":                                                                                           "no test could be run: it cannot be loaded",
		"it exited with 1.\nsaying nothing\n":                                                                                                 "it exited with 1.",
	} {
		if got := check.Brief(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRelocate: a script of an environment that was moved starts where it is now, a link to the cache is not written through,
// and a program is left alone.
func TestRelocate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := filepath.Join(dir, "venv")
	write := func(name, text string) string {
		file := filepath.Join(env, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	script := write("bin/tool", "#!/old/venv/bin/python\nimport sys\n")
	program := write("bin/prog", "\x7fELF\x00/old/venv")
	path := write("lib/python3.11/site-packages/__editable__.x.pth", "/old/tree/src\n")
	cached := filepath.Join(dir, "cached")
	if err := os.Link(script, cached); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	if err := check.Relocate(env, "/old", "/new/place"); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		script: "#!/new/place/venv/bin/python\nimport sys\n", program: "\x7fELF\x00/old/venv", path: "/new/place/tree/src\n", cached: "#!/old/venv/bin/python\nimport sys\n",
	} {
		if b, err := os.ReadFile(file); err != nil || string(b) != want {
			t.Errorf("%s: %q, want %q (%v)", file, b, want, err)
		}
	}
	if info, err := os.Stat(script); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the script cannot be run any more: %v %v", info, err)
	}
}
