package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// counted is a project whose test writes a line to a file outside of it each time that it is run, and then does body.
type counted struct {
	*lab
	tree  string
	count string // a letter for each run

	command string // that tests in place of that of the table
}

func newCounted(t *testing.T, body string, opts ...func(*check.Options)) *counted {
	t.Helper()
	needs(t, "node")
	record := t.TempDir()
	opts = append([]func(*check.Options){func(o *check.Options) { o.Record = record }}, opts...)
	c := &counted{lab: newLab(t, opts...), count: filepath.Join(kept(t), "count")}
	c.tree = c.lab.tree("", map[string]string{
		"package.json": `{"name": "sample"}`, "calc/calc.js": "exports.one = () => 1;\n",
		"calc/calc.test.js": fmt.Sprintf("const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\n"+
			"test('one', () => {\n  fs.appendFileSync(%q, 'x');\n  assert.strictEqual(require('./calc.js').one(), 1);\n%s});\n", c.count, body),
	})
	return c
}

// prove proves the tree with a checker for one step, and says how often the test was run for it.
func (c *counted) prove(tree string, more ...func(*check.Options)) (proof check.Proof, runs int) {
	c.t.Helper()
	before, _ := os.ReadFile(c.count)
	checker := c.checker
	if len(more) > 0 {
		o := c.options
		for _, f := range more {
			f(&o)
		}
		var err error
		if checker, err = check.New(o); err != nil {
			c.t.Fatal(err)
		}
	}
	proof, err := checker.ForStep().Green(c.t.Context(), c.module(tree, "calc"), tree, tree, frozenOf(c.t, c.lab, tree, []step.File{{Path: "calc/calc.test.js"}}))
	if err != nil {
		c.t.Fatal(err)
	}
	after, _ := os.ReadFile(c.count)
	return proof, len(after) - len(before)
}

// TestProvedOnce: what passed is not run again for the same tree, command, tools and environment, and the proof says when it was
// run and for what.
func TestProvedOnce(t *testing.T) {
	t.Parallel()
	c := newCounted(t, "")
	first, runs := c.prove(c.tree)
	want(t, "first", first, nil, true)
	if runs != 1 {
		t.Fatalf("run %d times, want once", runs)
	}
	again, runs := c.prove(c.tree)
	want(t, "again", again, nil, true)
	a, b := first.Records[len(first.Records)-1], again.Records[len(again.Records)-1]
	if runs != 0 || b.Reused.Proof != "green" || b.Reused.Millis < 0 || a.Reused.Proof != "" || again.Counts().Reused != b.Reused || b.Started != a.Started || !slices.Equal(first.Results, again.Results) {
		t.Errorf("run %d times more, records %+v and %+v, results %v", runs, a, b, again.Results)
	}
	if out := c.outputs[b.Output.SHA256]; !strings.Contains(out, "node --test") {
		t.Errorf("the output that is kept is %q", out)
	}

	other := c.lab.tree(c.tree, map[string]string{"other.js": "// a change\n"})
	if _, runs := c.prove(other); runs != 1 {
		t.Errorf("with another tree it was run %d times, want once", runs)
	}
	if _, runs := c.prove(c.tree, func(o *check.Options) { o.Env = append(slices.Clone(o.Env), "LC_ALL=C") }); runs != 1 {
		t.Errorf("with another environment it was run %d times, want once", runs)
	}
	if _, runs := c.prove(c.tree, func(o *check.Options) { o.Copy = map[string][]byte{".env.test": []byte("A=1\n")} }); runs != 1 {
		t.Errorf("with a file beside the tree it was run %d times, want once", runs)
	}
	if _, runs := c.prove(c.tree, func(o *check.Options) { o.Fresh = true }); runs != 1 {
		t.Errorf("fresh it was run %d times, want once", runs)
	}
}

// TestAnotherVersionRunsAgain: the same name in the same PATH is another program after an update.
func TestAnotherVersionRunsAgain(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	update := func(version string) {
		script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo " + version + "; exit; fi\nPATH=" + os.Getenv("PATH") + " exec node \"$@\"\n"
		if err := os.WriteFile(filepath.Join(bin, "node"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	update("v1")
	path := func(o *check.Options) { o.Env = append(withoutPath(o.Env), "PATH="+bin+":"+os.Getenv("PATH")) }
	c := newCounted(t, "", path)
	for i, step := range []struct {
		version string
		runs    int
	}{{"v1", 1}, {"v1", 0}, {"v2", 1}, {"v2", 0}, {"v1", 0}} {
		update(step.version)
		if _, runs := c.prove(c.tree, path); runs != step.runs {
			t.Errorf("%d, %s: run %d times, want %d", i, step.version, runs, step.runs)
		}
	}
}

func withoutPath(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
}

// TestRunsThatAreNotRecorded: what failed, flaked, or left something behind runs again.
func TestRunsThatAreNotRecorded(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a failure":            "  assert.fail('no');\n",
		"a flake":              "  if (fs.readFileSync(COUNT).length % 2 === 1) assert.fail('now and then');\n",
		"a file left behind":   "  fs.writeFileSync(__dirname + '/left', 'x');\n",
		"a tracked file":       "  fs.writeFileSync(__dirname + '/calc.js', 'exports.one = () => 1;;\\n');\n",
		"a skip":               "  test.skip && test('two', {skip: true}, () => {});\n",
		"a file that is there": "  fs.mkdirSync(__dirname + '/a/b', {recursive: true}); fs.writeFileSync(__dirname + '/a/b/c', '');\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounted(t, "")
			body = strings.ReplaceAll(body, "COUNT", fmt.Sprintf("%q", c.count))
			text := fmt.Sprintf("const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\ntest('one', () => {\n  fs.appendFileSync(%q, 'x');\n%s});\n", c.count, body)
			tree := c.lab.tree(c.tree, map[string]string{"calc/calc.test.js": text})
			_, first := c.prove(tree)
			_, again := c.prove(tree)
			if first == 0 || again != first {
				t.Errorf("run %d times, then %d times, want as often", first, again)
			}
		})
	}
}

// TestWantedFailuresAreRecorded: tests that fail without the implementation, and mutants, are a proof as well.
func TestWantedFailuresAreRecorded(t *testing.T) {
	t.Parallel()
	record := t.TempDir()
	s := nodeSample(t)
	l := newLab(t, func(o *check.Options) { o.Record = record })
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	red := l.tree(base, s.test)
	ran := func(p check.Proof, err error) int {
		t.Helper()
		want(t, "proof", p, err, true)
		n := 0
		for _, r := range p.Records {
			if r.Reused.Proof == "" {
				n++
			}
		}
		return n
	}
	for i, once := range []bool{true, false} {
		proof, err := l.checker.ForStep().Red(t.Context(), m, base, red, nil)
		if n := ran(proof, err); (n > 0) != once {
			t.Errorf("RED %d: %d commands were run", i, n)
		}
		green := l.tree(proof.Tree, s.right)
		strength, err := l.checker.ForStep().Mutants(t.Context(), m, base, green, proof.Frozen)
		if n := ran(strength, err); (n > 0) != once || strength.Killed == 0 {
			t.Errorf("mutants %d: %d commands were run, %d mutants were noticed", i, n, strength.Killed)
		}
	}
}

// TestDamagedRecord: an entry that is torn or was changed is not there.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"torn":    func(b []byte) []byte { return b[:len(b)/2] },
		"empty":   func([]byte) []byte { return nil },
		"changed": func(b []byte) []byte { return []byte(strings.Replace(string(b), `"exit":0`, `"exit":1`, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounted(t, "")
			c.prove(c.tree)
			files, err := filepath.Glob(filepath.Join(c.options.Record, "*", "*.json"))
			if err != nil || len(files) == 0 {
				t.Fatalf("recorded: %v, %v", files, err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(f, damage(b), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			proof, runs := c.prove(c.tree)
			want(t, name, proof, nil, true)
			if runs != 1 {
				t.Errorf("run %d times, want once", runs)
			}
		})
	}
}

// TestFailuresOfOneStep: a proof that is made again with the same failures, now that they are known, runs nothing again; the
// next step does.
func TestFailuresOfOneStep(t *testing.T) {
	t.Parallel()
	c := newCounted(t, "  assert.fail('no');\n")
	frozen := frozenOf(t, c.lab, c.tree, []step.File{{Path: "calc/calc.test.js"}})
	runs := func(checker *check.Checker) int {
		before, _ := os.ReadFile(c.count)
		if _, err := checker.Green(t.Context(), c.module(c.tree, "calc"), c.tree, c.tree, frozen); err != nil {
			t.Fatal(err)
		}
		after, _ := os.ReadFile(c.count)
		return len(after) - len(before)
	}
	one := c.checker.ForStep()
	if first, again, next := runs(one), runs(one), runs(c.checker.ForStep()); first != 2 || again != 0 || next != 2 {
		t.Errorf("run %d times, %d in the same step, %d in the next; want 2 (once more for flakes), 0, 2", first, again, next)
	}
}

// TestPruneRecord removes what nobody has used for long, and nothing else.
func TestPruneRecord(t *testing.T) {
	t.Parallel()
	c := newCounted(t, "")
	c.prove(c.tree)
	dir := c.options.Record
	if n, err := check.PruneRecord(dir); n != 0 || err != nil {
		t.Errorf("PruneRecord = %d, %v", n, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		old := info.ModTime().AddDate(0, -2, 0)
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := check.PruneRecord(dir); n == 0 || err != nil {
		t.Errorf("PruneRecord = %d, %v", n, err)
	}
	if n, err := check.PruneRecord(filepath.Join(dir, "nowhere")); n != 0 || err != nil {
		t.Errorf("PruneRecord = %d, %v", n, err)
	}
}

// TestRecordIsOnlyACache: whatever is wrong with the record, the check runs and its verdict stands.
func TestRecordIsOnlyACache(t *testing.T) {
	t.Parallel()
	file := filepath.Join(kept(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCounted(t, "", func(o *check.Options) { o.Record = filepath.Join(file, "below") })
	for range 2 {
		if proof, runs := c.prove(c.tree); !proof.Passed || runs != 1 {
			t.Errorf("passed is %v after %d runs", proof.Passed, runs)
		}
	}
	secret := newCounted(t, "", func(o *check.Options) {
		o.Secret = func(b []byte) bool { return strings.Contains(string(b), `"one"`) } // which is the name of the test
	})
	for range 2 {
		if proof, runs := secret.prove(secret.tree); !proof.Passed || runs != 1 {
			t.Errorf("with a secret: passed is %v after %d runs", proof.Passed, runs)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(secret.options.Record, "*", "*")); len(files) != 0 {
		t.Errorf("a secret is on record in %v", files)
	}
}

// TestFailureTakesThePassAway: a pass that a later run contradicts is not believed again.
func TestFailureTakesThePassAway(t *testing.T) {
	t.Parallel()
	down := filepath.Join(kept(t), "down")
	c := newCounted(t, fmt.Sprintf("  assert.ok(!fs.existsSync(%q));\n", down))
	if proof, _ := c.prove(c.tree); !proof.Passed {
		t.Fatal("it did not pass")
	}
	if err := os.WriteFile(down, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if proof, runs := c.prove(c.tree); !proof.Passed || runs != 0 {
		t.Errorf("what the record cannot see: passed is %v after %d runs", proof.Passed, runs)
	}
	if proof, _ := c.prove(c.tree, func(o *check.Options) { o.Fresh = true }); proof.Passed {
		t.Error("fresh it passed")
	}
	if proof, _ := c.prove(c.tree); proof.Passed {
		t.Error("the pass of before was taken again")
	}
	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
	if proof, runs := c.prove(c.tree); !proof.Passed || runs != 1 {
		t.Errorf("once it is up again: passed is %v after %d runs", proof.Passed, runs)
	}
}

// TestRecordBehindLinks: check trees whose path has a link in it, which runners resolve in their reports.
func TestRecordBehindLinks(t *testing.T) {
	t.Parallel()
	behind := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), behind); err != nil {
		t.Skip(err)
	}
	c := newCounted(t, "", func(o *check.Options) { o.Temp = filepath.Join(behind, "checks") })
	for i, want := range []int{1, 0} {
		if proof, runs := c.prove(c.tree); !proof.Passed || runs != want {
			t.Errorf("%d: passed is %v with %+v after %d runs, want %d", i, proof.Passed, proof.Findings, runs, want)
		}
	}
}

// TestCachesOfTools: a directory with the name of a tool's cache is one, unless files of the project are in it.
func TestCachesOfTools(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("src/target/mod.rs", "1")
	state := func() string { return check.State(t, root, toolchain.Rust, "src/target/mod.rs") }
	before := state()
	write("target/debug/x", "1")
	if state() != before {
		t.Error("the tool's own cache counts")
	}
	write("src/target/mod.rs", "2")
	if state() == before {
		t.Error("a mutant in a directory named target is not seen")
	}
}
