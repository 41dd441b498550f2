package source_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestResultsForEffect: what a function gives that is called for what it does is not changed.
func TestResultsForEffect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, src string
		want      int // mutants of results
	}{
		{"a.js", "export function done(id) {\n  if (!id) return fail('no id', 2);\n  if (id < 0) return\n  console.log(id);\n}\n", 0},
		{"a.js", "export function show(req, res) {\n  if (!req.id) return res.status(404).end();\n  return res.json(req.id);\n}\n", 2},
		{"a.js", "export const show = async (req, res) => {\n  if (!req.id) return await res.status(404)\n    .end();\n  res\n    .json(req.id);\n};\n", 0},
		{"a.js", "export function find(all, id) {\n  for (const x of all) {\n    if (x.id === id) return make(x);\n  }\n}\n", 1},
		{"a.js", "export function first(all) {\n  if (all.length) return all[0];\n  warn('none');\n}\n", 1},
		{"a.js", "export function sum(a, b) {\n  if (a) return size(a) + size(b);\n  warn('none');\n}\n", 1},
		{"a.js", "export function either(a) {\n  if (a) {\n    return size(a);\n  } else {\n    return other(a);\n  }\n}\n", 2},
		{"a.js", "export function inner(list) {\n  list.sort((a, b) => { return cmp(a, b); });\n  log(list); return made(list);\n}\n", 2},
		{"a.py", "def done(id):\n    if not id:\n        return fail('no id')\n    print(id)\n", 0},
		{"a.py", "def done(id):\n    if not id:\n        return fail('no id')\n    return print(id)\n", 2},
		{"a.py", "def find(all, id):\n    for x in all:\n        if x.id == id:\n            return make(x)\n", 1},
		{"a.py", "def first(all):\n    if all:\n        return all[0]\n    warn('none')\n", 1},
		{"a.js", "export const names = (o) => Object.keys(o).map((k) => {\n  return format(k);\n});\n", 1},
		{"a.js", "export function report(list) {\n  list.sort((a, b) => { return cmp(a, b); });\n  print(list);\n}\n", 1},
		{"a.js", "export function either(a) {\n  if (a) {\n    return size(a);\n  }\n  else {\n    return other(a);\n  }\n}\n", 2},
		{"a.js", "export function named(a) {\n  if (a) return (a && size(a));\n  warn('none');\n}\n", 1},
		{"a.js", "export function made(a) {\n  if (a) return new Size(a);\n  warn('none');\n}\n", 1},
		{"a.py", "def get(id):\n    try:\n        return store.fetch(id)\n    except KeyError:\n        raise NotFound(id)\n", 1},
		{"a.py", "def size(a):\n    if a:\n        return len(a)\n    else:\n        return other(a)\n", 2},
		{"a.py", "def banned(u):\n    if u:\n        return not known(u)\n    warn('none')\n", 1},
		{"a.py", "def area(a):\n    if a:\n        return (a.w * a.h)\n    warn('none')\n", 1},
		{"a.py", "def item(id):\n    if id in items:\n        return jsonify(items[id])\n    abort(404)\n", 1},
	} {
		got := 0
		for _, m := range source.Parse(c.file, []byte(c.src)).Mutants() {
			if m.What == source.ReturnOther {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%d mutants of results, want %d:\n%s", got, c.want, c.src)
		}
	}
}
