package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func TestHeldOut(t *testing.T) {
	t.Parallel()
	needs(t, "go")
	const right = "package square\n\nimport \"errors\"\n\n// Root is the root of a square.\nfunc Root(n int) (int, error) {\n" +
		"\tfor i := 0; i*i <= n; i++ {\n\t\tif i*i == n {\n\t\t\treturn i, nil\n\t\t}\n\t}\n\treturn 0, errors.New(\"no square\")\n}\n\n" +
		"// Pair is a point.\ntype Pair struct{ X, Y int }\n\n// Twin is a point of two like numbers.\nfunc Twin(n int) Pair { return Pair{n, n} }\n\n// Half is the half of n.\nfunc Half(n int) int { return n / 2 }\n\n" +
		"// Sum adds up.\ntype Sum struct{ n int }\n\n// NewSum is an empty one.\nfunc NewSum() Sum { return Sum{} }\n\n// Add adds.\nfunc (s *Sum) Add(n int) { s.n += n }\n\n// Total is the sum.\nfunc (s *Sum) Total() int { return s.n }\n"
	wrong := strings.Replace(right, "return i, nil", "if i > 3 {\n\t\t\t\ti++\n\t\t\t}\n\t\t\treturn i, nil", 1)
	calls := func(lines ...string) (out []step.HeldOut) {
		for _, l := range lines {
			call, gives, _ := strings.Cut(l, " → ")
			out = append(out, step.HeldOut{Call: call, Gives: gives})
		}
		return out
	}
	for name, c := range map[string]struct {
		code  string
		calls []step.HeldOut
		want  string // states in order, then the severity of a finding
	}{
		"all hold":              {right, calls("Root(16) → 4", "Root(17) → error", "square.Root(0) → 0"), "holds holds holds"},
		"an object by value":    {right, calls("s = NewSum(); s.Add(2); s.Add(30); s.Total() → 32", "s = NewSum(); s.Total() → 0"), "holds holds"},
		"an old module":         {right, calls("Root(16) → 4"), "holds"},
		"most fail":             {wrong, calls("Root(16) → 4", "Root(25) → 5", "Root(36) → 6", "Root(1) → 1"), "fails fails fails holds reject"},
		"one was computed ill":  {right, calls("Root(16) → 4", "Root(25) → 5", "Root(36) → 7", "Root(1) → 1"), "holds holds fails holds fix"},
		"two alone show little": {wrong, calls("Root(16) → 4", "Root(25) → 5"), "fails fails fix"},
		"its author is sure":    {wrong, []step.HeldOut{{Call: "Root(16)", Gives: "4", Sure: true}, {Call: "Root(0)", Gives: "0"}}, "fails holds reject"},
		"most of one function":  {wrong, calls("Root(16) → 4", "Root(25) → 5", "Root(36) → 6", "Half(8) → 4", "Half(2) → 1", "Half(6) → 3"), "fails fails fails holds holds holds reject"},
		"an error for a value":  {right, calls("Root(2) → 1"), "fails fix"},
		"known, unknown, twice": {right, calls("Root(9) → 4", "Root(4) → 9", "Other(1) → 1", "Root(n) → 1", "Root(16) → 4", "Root(16) → 5"), "holds"},
		"of another kind":       {right, calls("Twin(1) → \"1 1\"", "Root(1, 2, 3) → 1"), "not-run not-run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			version := "1.24"
			if name == "an old module" {
				version = "1.16" // which has neither any nor min
			}
			tree := l.tree("", map[string]string{
				"go.mod": "module example.com/p\n\ngo " + version + "\n", "square/square.go": c.code,
				"square/square_test.go": "package square\n\nimport \"testing\"\n\nfunc TestRoot(t *testing.T) {\n\tif got, _ := Root(4); got != 2 {\n\t\tt.Error(got)\n\t}\n\tif _, err := Root(5); err == nil {\n\t\tt.Error(\"5 is no square\")\n\t}\n}\n",
			})
			m := l.module(tree, "square", function("Root", "Root(n int) (int, error)"), function("Twin", "Twin(n int) Pair"), function("Half", "Half(n int) int"),
				function("NewSum", "NewSum() Sum"), step.Export{Kind: "struct", Name: "Sum", Signature: "type Sum struct"})
			m.Examples = examplesOf(t, "Root(9) → 3")
			m.HeldOut = c.calls
			tests := frozenOf(t, l, tree, []step.File{{Path: "square/square_test.go"}})
			got, findings, err := l.checker.Examples(t.Context(), m, tree, tests)
			if err != nil {
				t.Fatal(err)
			}
			var states []string
			for _, e := range got {
				if e.HeldOut {
					states = append(states, e.State)
				}
			}
			for _, f := range findings {
				states = append(states, string(f.Severity))
			}
			if have := strings.Join(states, " "); have != c.want {
				t.Errorf("%s, want %s: %v %v", have, c.want, got, findings)
			}
			if told := slices.DeleteFunc(got, func(e step.Example) bool { return e.HeldOut }); len(told) != 1 || told[0].State != step.ExampleHolds {
				t.Errorf("the spec's own example: %v", told)
			}
		})
	}
}

// TestHeldOutUnread: a call that nobody can make is told to its author; where all are such, the tests do not count.
func TestHeldOutUnread(t *testing.T) {
	t.Parallel()
	m := check.Module{Spec: "square/CLAUDE.md", Exports: []step.Export{function("Root", "Root(n int) (int, error)"), {Name: "Pair.Swap", Kind: "method"}}}
	for _, c := range []struct {
		calls, want string
	}{
		{"", ""},
		{"Root(16) → 4; square.Root(0) → 0; Pair(1, 2).Swap().X → 2", ""},
		{"Root(16) → 4; Rooot(1) → 1", "fix: 1 of 2 calls in held_out cannot be made: Rooot(1) → 1 (it does not call an export). Write calls of these exports with literals: Root, Pair.Swap."},
		{"Root(n) → 1; Root(2) → about 1", "reject: 2 of 2 calls in held_out cannot be made: Root(n) → 1 (the input is not a call with literals); " +
			"Root(2) → about 1 (the output is not a literal). Write calls of these exports with literals: Root, Pair.Swap."},
	} {
		m.HeldOut = nil
		for l := range strings.SplitSeq(c.calls, "; ") {
			if call, gives, ok := strings.Cut(l, " → "); ok {
				m.HeldOut = append(m.HeldOut, step.HeldOut{Call: call, Gives: gives})
			}
		}
		got := ""
		for _, f := range m.UnreadHeldOut() {
			got += string(f.Severity) + ": " + f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.calls, got, c.want)
		}
	}
}

// TestHeldOutOfDefaultExports: people call a default export by the name of its declaration.
func TestHeldOutOfDefaultExports(t *testing.T) {
	t.Parallel()
	const js, test = "function twice(n) { return n === 2 ? 4 : 3 * n; }\n", "import test from 'node:test';\nimport assert from 'node:assert';\nimport twice from './index.js';\ntest('twice', () => { assert.equal(twice(2), 4); });\n"
	for name, c := range map[string]struct{ manifest, code, test, call string }{
		"a function":            {`{"type": "module"}`, "export default " + js, test, "twice(21)"},
		"a function, later":     {`{"type": "module"}`, js + "export default twice;\n", test, "twice(21)"},
		"a class":               {`{"type": "module"}`, js + "export default class Twice { of(n) { return twice(n); } }\n", strings.ReplaceAll(test, "assert.equal(twice(2), 4)", "assert.equal(new twice().of(2), 4)"), "t = Twice(); t.of(21)"},
		"the exports of a file": {`{}`, js + "module.exports = twice;\n", strings.NewReplacer("import test from 'node:test'", "const test = require('node:test')", "import assert from 'node:assert'", "const assert = require('node:assert')", "import twice from './index.js'", "const twice = require('./index.js')").Replace(test), "twice(21)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			base := l.tree("", map[string]string{"package.json": c.manifest, "README.md": "# twice\n"})
			files := map[string]string{"index.js": c.code, "index.d.ts": "export default function twice(n: number): number;\n", "index.test.js": c.test}
			p, _, err := l.checker.Task(t.Context(), check.Task{
				Chains: []toolchain.Found{l.module(base, ".").Chain}, Owns: owns("index.js", "index.d.ts", "index.test.js"), Base: base,
				HeldOut: []step.HeldOut{{Call: c.call, Gives: "42", Sure: true}},
			}, base, l.tree(base, files))
			want(t, name, p, err, false, "held-out-failed")
		})
	}
}
