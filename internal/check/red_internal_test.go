package check

import (
	"testing"
)

// TestUncompiled: tests do not compile without a change where the runner says so of their file, and names what only the change has.
func TestUncompiled(t *testing.T) {
	t.Parallel()
	changes := []Change{
		{Path: "src/index.ts", Old: []byte("export function on() { return 1; } // once\n"), New: []byte("export function on() { return 1; }\nexport function once() { return 2; }\n")},
		{Path: "test/index_test.ts", New: []byte("import { fresh } from '..';\n")},
	}
	tests := []test{{ID: "test/index_test.ts::a", File: "test/index_test.ts"}, {ID: "test/other_test.ts::b", File: "test/other_test.ts"}}
	for name, c := range map[string]struct {
		said string
		want int
	}{
		"a new name is missing":        {"test/index_test.ts(3,4): error TS2339: Property 'once' does not exist on type 'Emitter'.", 1},
		"an old name":                  {"test/index_test.ts(3,4): error TS2339: Property 'on' does not exist on type 'Emitter'.", 0},
		"a name that only tests have":  {"test/index_test.ts(3,4): error TS2339: Property 'fresh' does not exist on type 'Emitter'.", 0},
		"no file of a test":            {"src/main.ts(3,4): error TS2339: Property 'once' does not exist on type 'Emitter'.", 0},
		"a word that is no name there": {"test/index_test.ts: it ran once", 0},
		"nothing":                      {"", 0},
	} {
		if got := uncompiled(c.said, tests, changes); len(got) != c.want {
			t.Errorf("%s: %d tests, want %d", name, len(got), c.want)
		}
	}
}
