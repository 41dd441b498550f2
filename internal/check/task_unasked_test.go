package check_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
)

func TestUnaskedValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, before, after, request string
		want                         int
	}{
		"a default of python":               {"a.py", "def page(items, size=20):\n    return items[:size]\n", "def page(items, size=10):\n    return items[:size]\n", "page gets a sort", 1},
		"a default that was asked for":      {"a.py", "def page(items, size=20):\n    return items[:size]\n", "def page(items, size=10):\n    return items[:size]\n", "pages have 10 items", 0},
		"a default of an object's field":    {"a.js", "export function page(items, { page = 1, size = 20 } = {}) { return items; }\n", "export function page(items, { page = 1, size = 10, sort } = {}) { return items; }\n", "page gets a sort", 1},
		"one more option":                   {"a.js", "export function page(items, { size = 20 } = {}) { return items; }\n", "export function page(items, { size = 20, sort = 'id' } = {}) { return items; }\n", "page gets a sort", 0},
		"a constant":                        {"a.ts", "export const LIMIT = 1000;\n", "export const LIMIT = 2000;\n", "Add a sort", 1},
		"a constant written in other words": {"a.ts", "export const LIMIT = 1000;\n", "export const LIMIT = 1_000;\n", "Add a sort", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := check.Task{Request: c.request}
			if got := task.Unasked([]check.Change{{Path: c.file, Status: 'M', Old: []byte(c.before), New: []byte(c.after)}}); len(got) != c.want {
				t.Errorf("%d findings, want %d: %v", len(got), c.want, got)
			}
		})
	}
}
