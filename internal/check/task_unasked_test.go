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

		"a check of javascript that is gone":     {"a.js", "export function pay(a, n) {\n  if (n <= 0) {\n    throw new RangeError('amount is not positive');\n  }\n  a.sum -= n;\n}\n", "export function pay(a, n) {\n  a.sum -= n;\n  return a.sum;\n}\n", "pay returns the new balance", 1},
		"one that was asked to go":               {"a.js", "export function pay(a, n) {\n  if (n <= 0) {\n    throw new RangeError('amount is not positive');\n  }\n  a.sum -= n;\n}\n", "export function pay(a, n) {\n  a.sum -= n;\n  return a.sum;\n}\n", "pay takes each amount, positive or not", 0},
		"one that is allowed now":                {"a.py", "def pay(a, n):\n    if n < 0:\n        raise ValueError('minus')\n    return a - n\n", "def pay(a, n):\n    return a - n\n", "pay accepts refunds", 0},
		"one that says it in other words":        {"a.py", "def pay(a, n):\n    if n < 0:\n        raise ValueError('minus')\n    return a - n\n", "def pay(a, n):\n    if n < 0:\n        raise ValueError(f'{n} is below zero')\n    return a - n\n", "pay returns the rest", 0},
		"one that moved":                         {"a.py", "def pay(a, n):\n    if n < 0:\n        raise ValueError('minus')\n    return a - n\n", "def positive(n):\n    if n < 0:\n        raise ValueError('minus')\n\n\ndef pay(a, n):\n    positive(n)\n    return a - n\n", "pay returns the rest", 0},
		"an error of go that is gone":            {"a.go", "package a\n\nfunc Pay(a, n int) (int, error) {\n\tif n < 0 {\n\t\treturn 0, errors.New(\"below zero\")\n\t}\n\treturn a - n, nil\n}\n", "package a\n\nfunc Pay(a, n int) (int, error) {\n\treturn a - n - 1, nil\n}\n", "Pay takes a fee of 1", 1},
		"a named error of go that is gone":       {"a.go", "package a\n\nfunc Pay(a, n int) (int, error) {\n\tif n < 0 {\n\t\treturn 0, ErrNegative\n\t}\n\treturn a - n, nil\n}\n", "package a\n\nfunc Pay(a, n int) (int, error) {\n\treturn a - n - 1, nil\n}\n", "Pay takes a fee of 1", 1},
		"a result of rust that is no longer Err": {"a.rs", "pub fn pay(a: i64, n: i64) -> Result<i64, String> {\n    if n < 0 {\n        return Err(\"below zero\".into());\n    }\n    Ok(a - n)\n}\n", "pub fn pay(a: i64, n: i64) -> Result<i64, String> {\n    Ok(a - n - 1)\n}\n", "pay takes a fee of 1", 1},
		"an exception of java that is gone":      {"A.java", "class A {\n    static int pay(int a, int n) {\n        if (n < 0) {\n            throw new IllegalArgumentException(\"below zero\");\n        }\n        return a - n;\n    }\n}\n", "class A {\n    static int pay(int a, int n) {\n        return a - n - 1;\n    }\n}\n", "pay takes a fee of 1", 1},
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
