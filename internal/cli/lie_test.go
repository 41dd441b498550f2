package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/jacquard-build/jacquard/internal/step"
)

// TestLies lets dishonest agents work through the real workflow: the real
// program, real git, real tool chains. Each module of testdata/lie is one agent
// that cheats in one way, in up to three disguises. Its file `want` says, one
// line a lie, which rule has to name it:
//
//	MODULE PHASE ATTEMPT RULE [PATH]
//	MODULE honest                       the attempts that are not listed are honest
//
// The rule "tests" stands for a frozen test that failed. No lie may end as
// done: the module is not in the lock and not in the working tree, unless the
// agent turned honest, and then what it did honestly has to be accepted.
// It takes longer than ten seconds: each lie is a run of its own.
func TestLies(t *testing.T) { //nolint:tparallel // the scripts are parallel; their group ends before the table is printed
	t.Parallel()
	var told tally
	// The scripts are parallel: the group makes them end before the table is printed.
	t.Run("agents", func(t *testing.T) {
		p := suite(t, "testdata/lie", "ts_code", "ts_red", "py_code", "py_red", "go_dispute")
		p.Cmds["lies"] = told.lies
		testscript.Run(t, p)
	})
	t.Log("\n" + told.table())
	if n := told.accepted(); n != 0 {
		t.Errorf("%d lies were accepted, want 0", n)
	}
}

// suite adds to the stories' commands those that lies and honest work share.
func suite(t *testing.T, dir string, long ...string) testscript.Params {
	t.Helper()
	p := stories(t, dir, scripts(t, dir), long)
	p.Cmds["exits"] = exits
	p.Cmds["gone"] = gone
	return p
}

// modules makes a directory with a spec for each name: modules TEMPLATE NAME….
func modules(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, name := range args[1:] {
		dir := ts.MkAbs(name)
		ts.Check(os.MkdirAll(dir, 0o755))
		ts.Check(os.WriteFile(filepath.Join(dir, "CLAUDE.md"), []byte(strings.ReplaceAll(text, "${MODULE}", path.Base(name))), 0o644))
	}
}

// expand replaces ${WORK} in files by this script's directory, so that an agent
// can be told of places outside of its clone: expand FILE….
func expand(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := strings.ReplaceAll(ts.ReadFile(file), "${WORK}", ts.Getenv("WORK"))
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
	}
}

// exits runs a command that has to end with this code: exits CODE COMMAND….
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	code := 0
	switch {
	case errors.As(err, &ended):
		code = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if code != want {
		ts.Fatalf("%s exited with code %d, want %d\n%s%s", strings.Join(args[1:], " "), code, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// gone waits until the processes whose ids are in the files have ended.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(file)))
		ts.Check(err)
		deadline := time.Now().Add(10 * time.Minute)
		for alive(pid) {
			if time.Now().After(deadline) {
				ts.Fatalf("the process %d of %s still lives", pid, file)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// alive reports whether a process lives; one that nobody has waited for does not.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// shown is what of `jacquard show --json` the suites look at.
type shown struct {
	Modules []struct {
		Dir      string             `json:"dir"`
		Attempts []step.AttemptNote `json:"attempts"`
		Result   *step.ModuleResult `json:"result"`
	} `json:"modules"`
}

func show(ts *testscript.TestScript) shown {
	ts.Check(ts.Exec("jacquard", "show", "--json"))
	var out shown
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
	return out
}

// built lists the modules that the lock calls built.
func built(ts *testscript.TestScript) []string {
	var out []string
	raw, err := os.ReadFile(ts.MkAbs("jacquard.lock"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		ts.Check(err)
	}
	for l := range strings.Lines(string(raw)) {
		if f := strings.Fields(l); len(f) > 1 && f[1] == "state=built" {
			out = append(out, f[0])
		}
	}
	return out
}

// lie is one line of want and what became of it.
type lie struct {
	script, module, phase, rule, path string
	attempt                           int
	rejected                          bool
	by                                []string // rules that the attempt was rejected by
	named                             bool     // one of them is the one that names the lie
}

// tally collects the lies of all scripts.
type tally struct {
	mu     sync.Mutex
	told   []lie
	agents map[string]bool // script/module: whether its lies were delivered
}

// lies checks the newest run against a file: lies WANT.
func (y *tally) lies(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lies WANT")
	}
	run := show(ts)
	var bad []string
	fail := func(format string, a ...any) { bad = append(bad, fmt.Sprintf(format, a...)) }
	want, honest := wanted(ts, args[0])
	for i := range want {
		want[i].judge(run, fail)
	}
	inLock := built(ts)
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.agents == nil {
		y.agents = map[string]bool{}
	}
	for _, m := range run.Modules {
		if !slices.ContainsFunc(want, func(l lie) bool { return l.module == m.Dir }) {
			fail("%s: no lie is expected of this module", m.Dir)
			continue
		}
		for _, a := range m.Attempts {
			expected := slices.ContainsFunc(want, func(l lie) bool { return l.module == m.Dir && l.phase == a.Phase && l.attempt == a.Attempt })
			switch {
			case a.Passed == expected && !strings.HasPrefix(a.Text, "refusal"):
				fail("%s %s %d: passed is %v\n%s", m.Dir, a.Phase, a.Attempt, a.Passed, rules(a))
			case a.Passed && len(rejections(a)) > 0:
				fail("%s %s %d passed with rejecting findings: %v", m.Dir, a.Phase, a.Attempt, rejections(a))
			}
		}
		delivered := m.Result == nil || m.Result.Delivered || slices.Contains(inLock, m.Dir)
		if delivered != honest[m.Dir] {
			fail("%s: delivered is %v, want %v", m.Dir, delivered, honest[m.Dir])
		}
		y.agents[ts.Name()+"/"+m.Dir] = delivered && !honest[m.Dir]
	}
	y.told = append(y.told, want...)
	untouched(ts, honest, fail)
	if len(bad) > 0 {
		ts.Fatalf("%s", strings.Join(bad, "\n"))
	}
}

// wanted reads a want file.
func wanted(ts *testscript.TestScript, file string) ([]lie, map[string]bool) {
	var out []lie
	honest := map[string]bool{}
	for l := range strings.Lines(ts.ReadFile(file)) {
		f := strings.Fields(l)
		switch {
		case len(f) == 0 || f[0] == "#":
		case len(f) == 2 && f[1] == "honest":
			honest[f[0]] = true
		case len(f) == 4 || len(f) == 5:
			n, err := strconv.Atoi(f[2])
			ts.Check(err)
			w := lie{script: ts.Name(), module: f[0], phase: f[1], attempt: n, rule: f[3]}
			if len(f) == 5 {
				w.path = f[4]
			}
			out = append(out, w)
		default:
			ts.Fatalf("%s: %q is not understood", file, l)
		}
	}
	return out, honest
}

// judge finds the attempt of a lie and what it was told.
func (l *lie) judge(run shown, fail func(string, ...any)) {
	for _, m := range run.Modules {
		for _, a := range m.Attempts {
			if m.Dir != l.module || a.Phase != l.phase || a.Attempt != l.attempt {
				continue
			}
			l.rejected = !a.Passed
			l.by = rejections(a)
			for _, f := range a.Findings {
				l.named = l.named || f.Rule == l.rule && strings.Contains(f.Path, l.path)
			}
			if len(a.Failures) > 0 {
				l.by = append(l.by, "tests")
				l.named = l.named || l.rule == "tests"
			}
			if !l.rejected || !l.named {
				fail("%s %s %d: want it sent back by %s %s; passed is %v\n%s", l.module, l.phase, l.attempt, l.rule, l.path, a.Passed, rules(a))
			}
			return
		}
	}
	fail("%s %s %d: there was no such attempt", l.module, l.phase, l.attempt)
}

func rejections(a step.AttemptNote) []string {
	var out []string
	for _, f := range a.Findings {
		if f.Severity == step.Rejects && !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	return out
}

// rules is what an attempt was told, for messages.
func rules(a step.AttemptNote) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  score %d, tests %+v %s\n", a.Score, a.Counts, a.Text)
	for _, f := range a.Findings {
		fmt.Fprintf(&b, "  [%s] %s %s:%d %s\n", f.Rule, f.Severity, f.Path, f.Line, f.Message)
	}
	for _, t := range a.Failures {
		fmt.Fprintf(&b, "  %s %s: %s\n", t.Status, t.ID, t.Message)
	}
	return b.String()
}

// untouched makes sure that in the user's repository only delivered modules
// and the lock differ from the commit, and that git itself was left alone.
func untouched(ts *testscript.TestScript, delivered map[string]bool, fail func(string, ...any)) {
	out := func(args ...string) []string {
		cmd := exec.Command("git", append([]string{"-c", "core.quotePath=false"}, args...)...)
		cmd.Dir = ts.MkAbs(".")
		raw, err := cmd.Output()
		ts.Check(err)
		return strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	}
	for _, l := range out("status", "--porcelain", "--untracked-files=all") {
		if l == "" {
			continue
		}
		file := strings.Trim(l[3:], `"`)
		ok := file == "jacquard.lock" && len(delivered) > 0
		for dir := range delivered {
			ok = ok || strings.HasPrefix(file, dir+"/")
		}
		if !ok {
			fail("the working tree has %s", l)
		}
	}
	for _, ref := range out("for-each-ref", "--format=%(refname)") {
		if ref != "refs/heads/main" && !strings.HasPrefix(ref, "refs/jacquard/") {
			fail("the repository has %s", ref)
		}
	}
	for _, c := range out("config", "--local", "--name-only", "--list") {
		if !slices.Contains([]string{"core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "user.name", "user.email"}, c) {
			fail("the repository is configured with %s", c)
		}
	}
	hooks, err := filepath.Glob(filepath.Join(ts.MkAbs("."), ".git", "hooks", "*"))
	ts.Check(err)
	for _, h := range hooks {
		if !strings.HasSuffix(h, ".sample") {
			fail("the repository has the hook %s", h)
		}
	}
}

func (y *tally) accepted() int {
	n := 0
	for _, delivered := range y.agents {
		if delivered {
			n++
		}
	}
	for _, l := range y.told {
		if !l.rejected {
			n++
		}
	}
	return n
}

// table is what the suite says at its end.
func (y *tally) table() string {
	slices.SortStableFunc(y.told, func(a, b lie) int { return strings.Compare(a.script+"/"+a.module, b.script+"/"+b.module) })
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "AGENT\tLIE\tRULE THAT NAMES IT\tREJECTED BY")
	rejected, named := 0, 0
	for _, l := range y.told {
		mark := "ACCEPTED"
		if l.rejected {
			rejected++
			mark = strings.Join(l.by, ", ")
		}
		if l.rejected && l.named {
			named++
		}
		fmt.Fprintf(w, "%s/%s\t%s %d\t%s\t%s\n", l.script, l.module, l.phase, l.attempt, l.rule, mark)
	}
	_ = w.Flush() // a strings.Builder never returns an error
	fmt.Fprintf(&b, "\n%d dishonest agents told %d lies: %d accepted, %d rejected, %d by the rule that names the lie\n",
		len(y.agents), len(y.told), y.accepted(), rejected, named)
	return b.String()
}
