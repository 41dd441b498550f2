package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// ofOld is a project with a test that passes, one that is skipped and one, named old, whose body is given. Each run of one writes its letter.
func ofOld(t *testing.T, body string, opts ...func(*check.Options)) *counted {
	t.Helper()
	c := newCounted(t, "", opts...)
	head := fmt.Sprintf("const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\nconst ran = (letter) => fs.appendFileSync(%q, letter);\n", c.count)
	c.tree = c.lab.tree(c.tree, map[string]string{
		"calc/calc.test.js": head + "test('one', () => ran('1'));\ntest('later', {skip: true}, () => ran('2'));\n",
		"calc/old.test.js":  head + "test('old', () => {\n  ran('o');\n" + body + "});\n",
	})
	return c
}

// ran is what was run since it was asked the last time, in the order of the alphabet: files run at once.
func (c *counted) ran() string {
	c.t.Helper()
	b, err := os.ReadFile(c.count)
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	_ = os.Remove(c.count)
	slices.Sort(b)
	return string(b)
}

func (c *counted) fresh(change ...func(*check.Options)) *check.Checker {
	c.t.Helper()
	o := c.options
	for _, f := range change {
		f(&o)
	}
	checker, err := check.New(o)
	if err != nil {
		c.t.Fatal(err)
	}
	return checker.ForStep()
}

// survey says how the tests stand, and what was run for that.
func (c *counted) survey(tree string, change ...func(*check.Options)) (tests step.Standing, ran string) {
	c.t.Helper()
	chain := c.module(tree, ".").Chain
	if c.command != "" {
		chain.Override = map[string]string{"test": c.command}
	}
	c.ran()
	all, err := c.fresh(change...).Survey(c.t.Context(), chain, tree, func(string, string) {})
	if err != nil || len(all) == 0 {
		c.t.Fatal(all, err)
	}
	return all[len(all)-1], c.ran()
}

// TestBaselineIsKept: the project's own checks of a tree that nobody has touched run once for all that look at it, also with skipped and failing tests.
// Another tree, environment or program is another baseline.
func TestBaselineIsKept(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	path := func(o *check.Options) { o.Env = append(withoutPath(o.Env), "PATH="+bin+":"+os.Getenv("PATH")) }
	c := ofOld(t, "  assert.fail('nobody has mended it');\n", path)
	first, ran := c.survey(c.tree)
	if ran != "1oo" || first.State != step.Fails || first.Tests != 2 || first.Failed != 1 || first.Skipped != 1 || first.Reused.Proof != "" {
		t.Fatalf("first: %q ran, %+v", ran, first)
	}
	again, ran := c.survey(c.tree)
	if ran != "" || again.Reused.Proof != "baseline" {
		t.Errorf("again: %q ran, %+v", ran, again)
	}
	if again.Reused = first.Reused; again != first {
		t.Errorf("again it is %+v, and was %+v", again, first)
	}
	chain := c.module(c.tree, ".").Chain
	proof, err := c.fresh().Baseline(t.Context(), chain, c.tree)
	if ran := c.ran(); err != nil || ran != "" || len(proof.Failures()) != 1 || !strings.Contains(proof.Failures()[0].Message, "nobody has mended it") || proof.Counts().Skipped != 1 {
		t.Errorf("%q ran for the baseline, %v, %+v", ran, err, proof)
	}

	fresh := func(o *check.Options) { o.Fresh = true }
	if _, ran := c.survey(c.tree, fresh); ran != "1oo" {
		t.Errorf("fresh %q ran", ran)
	}
	if _, ran := c.survey(c.tree); ran != "" {
		t.Errorf("after it %q ran", ran)
	}
	for what, change := range map[string]func(*check.Options){
		"another environment": func(o *check.Options) {
			o.Env = append(withoutPath(o.Env), "PATH="+bin+":"+os.Getenv("PATH"), "LC_ALL=C")
		},
		"a file beside the tree":    func(o *check.Options) { o.Copy = map[string][]byte{".env.test": []byte("A=1\n")} },
		"commands that set it up":   func(o *check.Options) { o.Setup = [][]string{{"true"}} },
		"services that may answer":  func(o *check.Options) { o.Confine = policy(); o.Confine.Ports = []int{5432} },
		"a service, another time":   func(o *check.Options) { o.Confine = policy(); o.Confine.Ports = []int{5432} },
		"a folder that may be read": func(o *check.Options) { o.Confine = policy(); o.Confine.Read = []string{bin} },
	} {
		if o := c.options; o.Confine == nil && strings.Contains(what, " may ") {
			continue
		}
		if _, ran := c.survey(c.tree, change); ran != "1oo" {
			t.Errorf("with %s %q ran", what, ran)
		}
	}
	other := c.lab.tree(c.tree, map[string]string{"other.js": "// a change\n"})
	if _, ran := c.survey(other); ran != "1oo" {
		t.Errorf("with another tree %q ran", ran)
	}
	// A program that a script of the project may run is installed.
	if err := os.WriteFile(filepath.Join(bin, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, ran := c.survey(c.tree); ran != "1oo" {
		t.Errorf("with another program %q ran", ran)
	}
}

// TestBaselinesThatAreNotKept: what shows nothing, what nobody may keep and what hit a limit runs again the next time.
func TestBaselinesThatAreNotKept(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		body, command string
		opt           func(*check.Options)
	}{
		"a secret in a message": {body: "  assert.fail('se' + 'same');\n", opt: hasSecret},
		"a secret":              {command: "printf o >>COUNT; echo se''same", opt: hasSecret},
		"a tracked file":        {body: "  fs.writeFileSync(__dirname + '/calc.js', 'exports.one = () => 2;\\n');\n"},
		"a limit":               {body: "  while (true);\n", opt: func(o *check.Options) { o.Limit = 3 * time.Second }},
		"an exit code":          {command: "printf o >>COUNT; exit 1"},
		"nobody to keep it":     {opt: func(o *check.Options) { o.Record = "" }},
		"out of reach":          {body: "  assert.fail('connect ECONNREFUSED 10.0.0.1:5432');\n", opt: func(o *check.Options) { o.Confine = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []func(*check.Options)
			if is.opt != nil {
				opts = append(opts, is.opt)
			}
			c := ofOld(t, is.body, opts...)
			c.command = strings.ReplaceAll(is.command, "COUNT", c.count)
			c.survey(c.tree)
			if again, ran := c.survey(c.tree); again.Reused.Proof != "" {
				t.Errorf("%q ran: %+v", ran, again)
			}
		})
	}
}

func hasSecret(o *check.Options) {
	o.Secret = func(b []byte) bool { return strings.Contains(string(b), "sesame") }
}

// TestBaselineOfACommand: what the project's people have written is kept as well, where it gives no more than its exit code.
func TestBaselineOfACommand(t *testing.T) {
	t.Parallel()
	c := ofOld(t, "")
	c.command = "printf o >>" + c.count
	if s, ran := c.survey(c.tree); ran != "o" || s.State != step.Passes || s.Level != string(step.ByExit) {
		t.Fatalf("%q ran, %+v", ran, s)
	}
	if s, ran := c.survey(c.tree); ran != "" || s.State != step.Passes || s.Level != string(step.ByExit) || s.Reused.Proof == "" {
		t.Errorf("again %q ran, %+v", ran, s)
	}
	c.command += "; true"
	if _, ran := c.survey(c.tree); ran != "o" {
		t.Errorf("another command: %q ran", ran)
	}
}

// TestBaselineOfAnotherVersion: a program that leads to others does not change with these.
func TestBaselineOfAnotherVersion(t *testing.T) {
	t.Parallel()
	bin, version := t.TempDir(), filepath.Join(kept(t), "version")
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then cat " + version + "; exit; fi\nPATH=" + os.Getenv("PATH") + " exec node \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "node"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c := ofOld(t, "", func(o *check.Options) { o.Env = append(withoutPath(o.Env), "PATH="+bin+":"+os.Getenv("PATH")) })
	for i, is := range []struct{ version, ran string }{{"v1", "1o"}, {"v1", ""}, {"v2", "1o"}, {"v1", ""}} {
		if err := os.WriteFile(version, []byte(is.version+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ran := c.survey(c.tree); ran != is.ran {
			t.Errorf("%d, %s: %q ran, want %q", i, is.version, ran, is.ran)
		}
	}
}

// TestKeptBaselineDecidesNothing: a kept failure excuses nobody and a kept pass accuses nobody before it was so again; what stands as it did is
// run alone.
func TestKeptBaselineDecidesNothing(t *testing.T) {
	t.Parallel()
	dir := kept(t)
	down, rain := filepath.Join(dir, "down"), filepath.Join(dir, "rain")
	c := ofOld(t, fmt.Sprintf("  assert.ok(!fs.existsSync(%q), 'it is down');\n"+
		"  if (fs.existsSync(%[2]q) && fs.readFileSync(%[2]q).length %% 2 === 0) { fs.appendFileSync(%[2]q, 'x'); assert.fail('it rains'); }\n"+
		"  if (fs.existsSync(%[2]q)) fs.appendFileSync(%[2]q, 'x');\n", down, rain))
	chain := c.module(c.tree, ".").Chain
	const old, one, unknown = "calc/old.test.js::old", "calc/calc.test.js::one", "calc/calc.test.js::new"
	asked := func(ids ...string) (got check.Before, ran string) {
		t.Helper()
		c.ran()
		var failing []step.TestResult
		for _, id := range ids {
			file, _ := toolchain.SplitID(id)
			failing = append(failing, step.TestResult{ID: id, File: file, Status: step.Fail})
		}
		got, err := c.fresh().FailedBefore(t.Context(), chain, c.tree, failing)
		if err != nil {
			t.Fatal(err)
		}
		return got, c.ran()
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	excused := func(b check.Before, id string) bool { _, failed := b.Failed[id]; return failed }

	write(down, "")
	if _, ran := c.survey(c.tree); ran != "1oo" {
		t.Fatalf("%q ran", ran)
	}
	// It fails as it did: it alone is run, and what it says is of now.
	got, ran := asked(old, unknown)
	if ran != "o" || !excused(got, old) || excused(got, unknown) || got.All || !strings.Contains(got.Failed[old], "it is down") {
		t.Errorf("still down: %q ran, %+v", ran, got)
	}
	if got, ran = asked(unknown); ran != "" || excused(got, unknown) {
		t.Errorf("a new test: %q ran, %+v", ran, got)
	}
	// It is up again: the failure that is kept excuses nobody, and goes.
	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
	if got, ran = asked(old); ran != "1oo" || excused(got, old) || !got.All {
		t.Errorf("up again: %q ran, %+v", ran, got)
	}
	s, ran := c.survey(c.tree)
	if ran != "" || s.State != step.Passes || s.Skipped != 1 {
		t.Errorf("up again: %q ran for %+v", ran, s)
	}
	// It passed, and is run once more before somebody is charged with it.
	if got, ran = asked(old, one); excused(got, old) || excused(got, one) || ran != "1o" {
		t.Errorf("both pass: %q ran, %+v", ran, got)
	}
	write(down, "")
	if got, ran = asked(old); ran != "1ooo" || !excused(got, old) || !got.All {
		t.Errorf("down again: %q ran, %+v", ran, got)
	}
	// One that flakes is kept as such, and excused as long as it does.
	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
	write(rain, "")
	if s, ran = c.survey(c.tree, func(o *check.Options) { o.Fresh = true }); ran != "1oo" || s.Failed != 1 {
		t.Errorf("in the rain: %q ran for %+v", ran, s)
	}
	write(rain, "x") // it passes now, and fails the next time
	if got, ran = asked(old); !excused(got, old) || got.All || strings.Contains(ran, "1") {
		t.Errorf("it flakes: %q ran, %+v", ran, got)
	}
	if err := os.Remove(rain); err != nil {
		t.Fatal(err)
	}
	if got, ran = asked(old); excused(got, old) || !got.All {
		t.Errorf("it flakes no more: %q ran, %+v", ran, got)
	}
}

// TestTestsThatGoOn: where nobody reads the tests, the base is run once more only for a change with which one of those that are kept runs no more.
func TestTestsThatGoOn(t *testing.T) {
	t.Parallel()
	if !confines() {
		t.Skip("what is outside of a sandbox may decide which tests there are")
	}
	c := newCounted(t, "")
	// It writes the first word of greet.txt, so that it is known on which tree it ran.
	const script = "cut -c1 greet.txt | tr -d '\\n' >>COUNT\necho 'TAP version 13'\necho 1..2\necho 'ok 1 - hi'\necho 'ok 2 - bye'\n"
	files := map[string]string{"greet.txt": "base\n", "code.xyz": "1\n", "test.sh": strings.ReplaceAll(script, "COUNT", c.count)}
	base := c.lab.tree("", files)
	chain := toolchain.Found{Ecosystem: toolchain.Unknown, Root: ".", Runner: "command", Override: map[string]string{"test": "sh test.sh"}}
	proved := func(change map[string]string, opts ...func(*check.Options)) (rules []string, ran string) {
		t.Helper()
		c.ran()
		task := check.Task{Chains: []toolchain.Found{chain}, Owns: func(string) bool { return true }, Taken: func(string) bool { return false }, Untested: "x"}
		proof, _, err := c.fresh(opts...).Task(t.Context(), task, base, c.lab.tree(base, change))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range proof.Findings {
			rules = append(rules, f.Rule)
		}
		return rules, c.ran()
	}
	changed := map[string]string{"greet.txt": "now\n", "code.xyz": "2\n"}
	if _, ran := proved(changed); !strings.Contains(ran, "b") {
		t.Errorf("%q ran before anything was kept", ran)
	}
	open := func(o *check.Options) { o.Confine = nil }
	for _, checker := range []*check.Checker{c.fresh(), c.fresh(open)} {
		if all, err := checker.Survey(t.Context(), chain, base, func(string, string) {}); err != nil || len(all) != 1 || all[0].Tests != 2 {
			t.Fatal(all, err)
		}
	}
	if _, ran := proved(changed, open); !strings.Contains(ran, "b") {
		t.Errorf("%q ran without a sandbox, want a run of the base", ran)
	}
	if found, ran := proved(changed); strings.Contains(ran, "b") || !strings.Contains(ran, "n") || slices.Contains(found, "test-deleted") {
		t.Errorf("%q ran with %v, want no run of the base", ran, found)
	}
	changed["test.sh"] = strings.Replace(strings.Replace(files["test.sh"], "1..2", "1..1", 1), "echo 'ok 2 - bye'\n", "", 1)
	if found, ran := proved(changed); !strings.Contains(ran, "b") || !slices.Contains(found, "test-deleted") {
		t.Errorf("%q ran with %v, want a run of the base and test-deleted", ran, found)
	}
	changed["test.sh"] = strings.Replace(files["test.sh"], "- bye'", "- bye # SKIP'", 1)
	if found, ran := proved(changed); !strings.Contains(ran, "b") || !slices.Contains(found, "test-skipped") {
		t.Errorf("%q ran with %v, want a run of the base and test-skipped", ran, found)
	}
}
