package check

import (
	"context"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// Branches that are asked for are new, decide on values, and hold no mutant that a test has noticed.
func TestUntested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, old, now, want string }{
		{"a limit of its own", "a.go", "", "package a\n\nfunc F(a []int) int {\n\tr := len(a)\n\tif len(a) > 4 {\n\t\tr++\n\t}\n\treturn r\n}\n", "len(a) > 4"},
		{"what is known by its hash", "a.py", "", "def f(a):\n    r = g(a)\n    if not usual(a):\n        r += 1\n    return r\n", "not usual(a)"},
		{"how often it was called", "a.js", "", "function f(a) {\n  if (calls++ > 40) { a++; }\n  return a;\n}\n", "calls++ > 40"},
		{"one that was there", "a.py", "def f(a):\n    if a > 4:\n        a += 1\n    return a\n", "def f(a):\n    if a > 4:\n        a += 1\n    return 2 * a\n", ""},
		{"an error", "a.go", "", "package a\n\nimport \"errors\"\n\nfunc F(a int) (int, error) {\n\tif a > 4 {\n\t\tlog(a)\n\t\treturn 0, errors.New(\"large\")\n\t}\n\treturn a, nil\n}\n", ""},
		{"an exception", "a.py", "", "def f(a):\n    if a > 4:\n        raise ValueError(a)\n    return a\n", ""},
		{"what is missing", "a.js", "", "function f(a) {\n  if (a === undefined) { a = 1; }\n  return a;\n}\n", ""},
		{"a cache go", "a.go", "", "package a\n\nfunc F(a int) int {\n\tif r, ok := seen[a]; ok {\n\t\treturn r\n\t}\n\tr := a * a\n\tseen[a] = r\n\treturn r\n}\n", ""},
		{"a cache py", "a.py", "", "def f(a):\n    if a in seen:\n        return seen[a]\n    seen[a] = g(a)\n    return seen[a]\n", ""},
		{"a cache js", "a.js", "", "function f(a) {\n  if (seen.has(a)) { return seen.get(a); }\n  const r = g(a);\n  seen.set(a, r);\n  return r;\n}\n", ""},
	} {
		var got []string
		for _, b := range untested(map[string][]byte{c.path: []byte(c.old)}, map[string][]byte{c.path: []byte(c.now)}, nil) {
			got = append(got, c.now[b.Off:b.End])
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	src := "def f(a):\n    if a > 4:\n        a += 1\n    return a\n"
	now := map[string][]byte{"a.py": []byte(src)}
	at := strings.Index(src, "+=")
	killed := mutantAt{Mutant: source.Mutant{Off: at, End: at + 2}, file: "a.py"}
	if list := untested(nil, now, []mutantAt{killed}); len(list) > 0 {
		t.Errorf("a test has noticed what happens in it: %v", list)
	}
	many := "def f(a):\n" + strings.Repeat("    if g(a):\n        a += 1\n", 20)
	if n := len(untested(nil, map[string][]byte{"a.py": []byte(many)}, nil)); n != maxBranches {
		t.Errorf("%d branches", n)
	}
}

// A function is not told to be compared with nothing when there was no time to look for what compares it.
func TestSeenWithoutTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, late := range []bool{false, true} {
		if late {
			cancel(errMutateTime)
		}
		if seen, err := (&place{}).seen(ctx, mutantAt{}, nil, nil, nil, nil); seen != late || err != nil {
			t.Errorf("late %v: %v, %v", late, seen, err)
		}
	}
}
