package check_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestTasksRecorded: calls whose arguments tests work out are made outside of them, too, each two times, and with a look at what they were given.
func TestTasksRecorded(t *testing.T) {
	t.Parallel()
	for lang, c := range map[string]struct {
		needs, dir   string
		base, change map[string]string
		code         string   // where the code is
		state, given []string // right code, and code that gives something else to a second call, or changes what it was given
	}{
		"go": {
			"go", "pin",
			map[string]string{"go.mod": "module shop\n\ngo 1.22\n", "pin/doc.go": "// Package pin reads pins.\npackage pin\n"},
			map[string]string{
				"pin/pin.go":      "package pin\n\nvar last string\n\n// Valid reports whether it is four digits.\nfunc Valid(s string) bool {\n\told := last\n\tlast = s\n\treturn len(s) == 4 && s != old\n}\n\n// Double are the numbers, doubled.\nfunc Double(list []int) []int {\n\tout := list\n\tfor i := range out {\n\t\tout[i] *= 2\n\t}\n\treturn out\n}\n",
				"pin/pin_test.go": "package pin\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestValid(t *testing.T) {\n\tfor n := range 6 {\n\t\tif Valid(strings.Repeat(\"1\", n)) != (n == 4) {\n\t\t\tt.Error(n)\n\t\t}\n\t}\n}\n\nfunc TestDouble(t *testing.T) {\n\tfor n := range 3 {\n\t\tif got := Double([]int{n, n + 1}); got[0] != 2*n || got[1] != 2*n+2 {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n",
			},
			"pin/pin.go",
			[]string{"&& s != old", "|| false && s == old"},
			[]string{"out := list", "out := append([]int(nil), list...)"},
		},
		"python": {
			"python3", ".",
			map[string]string{"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"0.1\"\nrequires-python = \">=3.9\"\n", "test_old.py": "import unittest\n\n\nclass TestOld(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(1 + 1, 2)\n"},
			map[string]string{
				"pin.py":      "_last = []\n\n\ndef valid(s):\n    \"\"\"Tell whether it is four digits.\"\"\"\n    old = _last[-1:]\n    _last.append(s)\n    return len(s) == 4 and old != [s]\n\n\ndef double(numbers):\n    \"\"\"Double the numbers.\"\"\"\n    out = numbers\n    for i, n in enumerate(out):\n        out[i] = 2 * n\n    return out\n",
				"test_pin.py": "import unittest\n\nfrom pin import double, valid\n\n\nclass TestPin(unittest.TestCase):\n    def check(self, s, want):\n        self.assertEqual(valid(s), want)\n\n    def test_valid(self):\n        for n in range(6):\n            self.check(\"1\" * n, n == 4)\n\n    def test_double(self):\n        for n in range(3):\n            self.assertEqual(double([n, n + 1]), [2 * n, 2 * n + 2])\n",
			},
			"pin.py",
			[]string{" and old != [s]", ""},
			[]string{"out = numbers\n", "out = list(numbers)\n"},
		},
		"javascript": {
			"node", ".",
			map[string]string{"package.json": "{\"name\":\"shop\",\"type\":\"module\",\"scripts\":{\"test\":\"node --test\"}}\n"},
			map[string]string{
				"pin.js":      "const PIN = /^\\d{4}$/g;\n\n/** Tells whether it is four digits. */\nexport function valid(s) {\n  return PIN.test(s);\n}\n\n/** Doubles the numbers. */\nexport function double(list) {\n  const out = list;\n  out.forEach((n, i) => (out[i] = 2 * n));\n  return out;\n}\n",
				"pin.test.js": "import test from \"node:test\";\nimport assert from \"node:assert\";\nimport { valid, double } from \"./pin.js\";\n\ntest(\"valid\", () => {\n  for (let n = 0; n < 6; n++) assert.equal(valid(\"1\".repeat(n)), n === 4);\n});\n\ntest(\"double\", () => {\n  for (let n = 0; n < 3; n++) assert.deepEqual(double([n, n + 1]), [2 * n, 2 * n + 2]);\n});\n",
			},
			"pin.js",
			[]string{"$/g", "$/"},
			[]string{"const out = list", "const out = [...list]"},
		},
	} {
		for name, right := range map[string][]string{
			"":                 {c.state[0], c.state[1], c.given[0], c.given[1]},
			"ambient-state":    {c.given[0], c.given[1]},
			"argument-changed": {c.state[0], c.state[1]},
		} {
			t.Run(lang+" "+name, func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(c.needs); err != nil {
					t.Skip(c.needs + " is not here")
				}
				l := newLab(t)
				base := l.tree("", c.base)
				files, changes := map[string]string{}, []string{}
				for file, text := range c.change {
					if file == c.code {
						text = strings.NewReplacer(right...).Replace(text)
					}
					files[file], changes = text, append(changes, file)
				}
				p, _, err := l.checker.Task(t.Context(), check.Task{
					Chains: []toolchain.Found{l.module(base, c.dir).Chain}, Owns: owns(changes...), Base: base, NewCode: true,
					Says: "Valid tells four digits, and double doubles numbers.", Request: "Add both. Arguments are not changed.",
				}, base, l.tree(base, files))
				if name == "" {
					want(t, lang, p, err, true)
					return
				}
				want(t, lang, p, err, name == "ambient-state", name)
				for _, f := range p.Findings {
					if f.Rule == "ambient-state" && f.Severity != step.Fix {
						t.Errorf("%+v", f)
					}
				}
			})
		}
	}
}
