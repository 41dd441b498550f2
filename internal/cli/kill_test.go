package cli_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/flow/temporal/temporaltest"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// The matrices try one point in 32, and one in 96 where the run is on a cluster, others each day; a part of the conformance suite
// tries one in 16, so that CI comes to all of them. make conformance tries all. A matrix takes longer than ten seconds: each point is two
// runs of the program.

// TestKillMatrix kills a compile of four modules after every append to the
// journal and at both sides of every side effect, resumes it, and compares
// the end with that of an undisturbed run: nothing is lost, no finished turn
// is asked again, the tree is the same.
func TestKillMatrix(t *testing.T) {
	t.Parallel()
	k := newKills(t, "testdata/kill/project.txtar", "compile")
	k.answers, k.units = answers, "a b c d"
	k.matrix(t, 17, map[string]int{"append": 30, "effect": 30})
}

// TestKillMatrixOfWork does the same with a request that becomes three tasks.
// What differs from run to run in the documents of a WORK is taken out before
// they are compared: times, hashes, and which of two tasks landed first.
func TestKillMatrixOfWork(t *testing.T) {
	t.Parallel()
	k := newKills(t, "testdata/kill/work.txtar", "work", "[new-feature] There shall be a two, a four and a six.", "--yes")
	k.units, k.same = "WORK-01/TASK-00 WORK-01/TASK-01 WORK-01/TASK-02", sameDocument
	k.resumes(".jacquard/works")
	k.matrix(t, 22, map[string]int{"append": 15, "effect": 50})
}

// TestKillMatrixOfAuto does the same with a feature that is sent back at every station: by its proof, by the architect and
// by a reviewer. What the phases took is taken out of its report before it is compared.
func TestKillMatrixOfAuto(t *testing.T) {
	t.Parallel()
	k := newKills(t, "testdata/kill/auto.txtar", "auto", "There shall be a two and a four.")
	k.units = "qa/commit qa/entry/2/commit report/commit"
	k.same = func(path, text string) string {
		switch {
		case path == "docs/.pdca-status.json": // a local copy of what the journal knows, with times; the next run mends it
			return ""
		case !strings.HasPrefix(path, "docs/04-report/"):
			return text
		}
		return spent.ReplaceAllString(text, "…") // what a killed turn cost is not known
	}
	k.resumes("docs")
	k.matrix(t, 9, map[string]int{"append": 30, "effect": 20})
}

// TestKillMatrixOfDevelop does the same with two checkpoints side by side, where one of them and the code are sent back once
// each. The state file is a copy of what the journal knows, with times.
func TestKillMatrixOfDevelop(t *testing.T) {
	t.Parallel()
	k := newKills(t, "testdata/kill/develop.txtar", "develop", "There shall be a two and a three.", "--yes")
	k.units = "end/squash"
	k.same = func(path, text string) string {
		if strings.HasPrefix(path, ".develop-workflow/") {
			return ""
		}
		return text
	}
	k.resumes("docs")
	k.matrix(t, 9, map[string]int{"append": 30, "effect": 30})
}

// onCluster gives a matrix a cluster, and the test a line why it cannot run.
func (k *kills) onCluster(t *testing.T) {
	t.Helper()
	k.every, k.from = conformance.Every(96)
	k.from %= 16 // so many points there are at least
	s, err := temporaltest.Start(":memory:", 0)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		t.Skip(temporaltest.ProgramName + " names no server: make temporal builds it, make test sets it")
	}
	t.Cleanup(s.Stop)
	k.env = []string{"JACQUARD_ENGINE=temporal", "TEMPORAL_ADDRESS=" + s.Address}
}

// TestKillMatrixOnTemporal kills the same compile at the same points while the run is on a cluster and this machine carries it out.
func TestKillMatrixOnTemporal(t *testing.T) {
	t.Parallel()
	k := newKills(t, "testdata/kill/project.txtar", "compile")
	k.answers, k.units = answers, "a b c d"
	k.onCluster(t)
	k.matrix(t, 17, map[string]int{"append": 48, "effect": 32})
}

// TestKillMatrixOfWorkers kills the worker of such a run at all its points; another one takes its place.
func TestKillMatrixOfWorkers(t *testing.T) {
	t.Parallel()
	k := newKills(t, "testdata/kill/project.txtar", "compile", "--pool", "default")
	k.answers, k.units, k.worker = answers, "a b c d", true
	k.onCluster(t)
	k.matrix(t, 17, map[string]int{"append": 16, "effect": 16})
}

// TestSameOnBoth carries out each workflow on this machine and on a cluster: the same files, and in each branch the same
// events in the same order come of it; times, amounts and the names of commits are no part of the comparison.
// It takes longer than ten seconds: each workflow is run twice, once on a cluster.
func TestSameOnBoth(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]*kills{
		"compile": {project: "testdata/kill/project.txtar", args: []string{"compile"}, answers: answers},
		"work":    {project: "testdata/kill/work.txtar", args: []string{"work", "[new-feature] There shall be a two, a four and a six.", "--yes"}, same: sameDocument},
		"auto":    {project: "testdata/kill/auto.txtar", args: []string{"auto", "There shall be a two and a four."}},
		"develop": {project: "testdata/kill/develop.txtar", args: []string{"develop", "There shall be a two and a three.", "--yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "work" || name == "auto" {
				conformance.Only(t)
			}
			fresh := newKills(t, k.project, k.args...)
			k.bin, k.home, k.every = fresh.bin, fresh.home, fresh.every
			k.args = append(k.args, "--fresh") // what is taken from the record is said
			here := k.start(t, "here", "")
			k.onCluster(t)
			there := k.start(t, "there", "")
			if here.exit != 0 || there.exit != 0 {
				t.Fatalf("ended with %d and %d:\n%s\n%s", here.exit, there.exit, here.out, there.out)
			}
			mine, theirs := k.files(t, here.dir), k.files(t, there.dir)
			for p, text := range mine {
				other := theirs[p]
				if timed.MatchString(p) {
					for _, of := range []*string{&text, &other} {
						*of = measured.ReplaceAllString(updated.ReplaceAllString(*of, ""), "#")
					}
				}
				if other != text {
					t.Errorf("%s differs:\n%s\nhere\n%s", p, other, text)
				}
			}
			if len(mine) != len(theirs) {
				t.Errorf("%d files here, %d there", len(mine), len(theirs))
			}
			inTime := k.happened(t, there.dir)
			k.env = nil
			if got, want := inTime, k.happened(t, here.dir); got != want {
				t.Errorf("what happened there:\n%s\nhere:\n%s", got, want)
			}
		})
	}
}

// timed are files that say when something happened and what it took.
var timed = regexp.MustCompile(`^docs/(\.pdca-status\.json|04-report/)|^\.develop-workflow/`)

// measured is what differs from run to run: folders, times, amounts, names of commits.
var measured = regexp.MustCompile(`/[^\s"()]+/runs/[^\s"()]+|\b[0-9a-f]{7,64}\b|[0-9][0-9a-zA-Z:.+-]*`)

// event is one of a run as the log shows it.
type event struct {
	Type, Key, Branch string
	Data              json.RawMessage
}

// events are those of the only run, wherever it is kept.
func (k *kills) events(t *testing.T, dir string) []event {
	t.Helper()
	var log struct{ Events []event }
	cmd := exec.Command(k.bin, "--root", dir, "log", "--all", "--json")
	cmd.Env = k.environ("")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &log); err != nil {
		t.Fatal(err)
	}
	return log.Events
}

// updated are entries of a status file about what it saw on the way; two changes that come together are one.
var updated = regexp.MustCompile(`\{\s*"action": "updated",[^}]*\},?\s*`)

// happened lists the events of the only run, branch by branch and each in its order, with what they say.
func (k *kills) happened(t *testing.T, dir string) string {
	t.Helper()
	events := k.events(t, dir)
	if len(events) < 20 {
		t.Fatalf("only %d events: %v", len(events), events)
	}
	branches := map[string][]string{}
	for _, e := range events {
		branches[e.Branch] = append(branches[e.Branch], strings.Join([]string{e.Type, e.Key, measured.ReplaceAllString(string(e.Data), "#")}, " "))
	}
	var lines []string
	for _, b := range slices.Sorted(maps.Keys(branches)) {
		lines = append(lines, "branch "+b+":")
		lines = append(lines, branches[b]...)
	}
	return strings.Join(lines, "\n")
}

var spent = regexp.MustCompile(`(?m)\| [\d?]+ \| [\d?]+ \| [\d.?]+ \|$`)

// resumes makes `jacquard resume` go on after a kill. left is what a run leaves that was delivered.
func (k *kills) resumes(left string) {
	k.resume = func(t *testing.T, dir string) ended {
		t.Helper()
		e := k.run(t, dir, "", "resume")
		if strings.Contains(e.out, "no run is unfinished") { // it was killed before the first append, or after the last
			e.exit = 0
			if _, err := os.Stat(filepath.Join(dir, left)); err != nil {
				return k.run(t, dir, "", k.command(dir)...)
			}
		}
		return e
	}
}

// kills is what all points of a matrix share.
type kills struct {
	bin     string
	home    string
	project string   // an archive with the files of the project and a scenario
	args    []string // of the command that is killed
	answers func(*testing.T, *txtar.Archive) []byte
	resume  func(t *testing.T, dir string) ended // goes on after a kill; nil: by the same command
	same    func(path, text string) string       // takes out what differs from run to run; nil: nothing does
	env     []string                             // besides the test's own
	every   int                                  // only one point of so many: a run takes seconds
	from    int                                  // the first of them, less one
	worker  bool                                 // a worker in a clone is killed, not who started the run
	units   string                               // what its commits say that they are: each lands once
	want    map[string]string
}

func newKills(t *testing.T, project string, args ...string) *kills {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		absent := "node is not installed: the sample projects are JavaScript, because its tests start fastest"
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			t.Fatal(absent)
		}
		t.Skip(absent)
	}
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	k := &kills{bin: bin, home: t.TempDir(), project: project, args: args}
	k.every, k.from = conformance.Every(48)
	if k.every > 1 { // where all points are tried nothing is remembered
		if err := shareCaches(filepath.Join(k.home, "lasting"), filepath.Join(k.home, "cache")); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// matrix kills at every point of each kind. The undisturbed run leaves so many files at least, and has so many points.
func (k *kills) matrix(t *testing.T, files int, least map[string]int) {
	t.Helper()
	want := k.start(t, "undisturbed", "")
	if want.exit != 0 {
		t.Fatalf("the undisturbed run ended with %d:\n%s", want.exit, want.out)
	}
	k.want = k.files(t, want.dir)
	if len(k.want) < files {
		t.Fatalf("the undisturbed run left only %d files", len(k.want))
	}
	for kind, least := range least {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			const together = 3 // a run waits as long as it works
			var points atomic.Int32
			var over atomic.Bool
			for first := k.from + 1; !over.Load(); first += together * k.every {
				t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
					for i := range together {
						n := first + i*k.every
						t.Run(strconv.Itoa(n), func(t *testing.T) {
							t.Parallel()
							if k.killed(t, kind, n) {
								points.Add(1)
							} else {
								over.Store(true)
							}
						})
					}
				})
			}
			tried := int(points.Load())
			t.Logf("%d points killed and resumed", tried)
			if (tried+1)*k.every < least {
				t.Errorf("only %d points, of which one in %d was tried: the hook is not where it should be", tried*k.every, k.every)
			}
		})
	}
}

// files are the files that a run has left, as they are compared.
func (k *kills) files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := treeOf(t, dir)
	if kept := ".jacquard/works"; exists(filepath.Join(dir, kept)) {
		for p, text := range treeOf(t, filepath.Join(dir, kept)) {
			out[kept+"/"+p] = text
		}
	}
	if k.same != nil {
		for p, text := range out {
			out[p] = k.same(p, text)
		}
	}
	return out
}

// varied are the times, durations, hashes and, as tasks that run side by side land in any order, the numbers of tests.
var varied = regexp.MustCompile(`\(\d+ passed\)|\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?|\b\d{2}:\d{2}(:\d{2})?\b|\b[0-9a-f]{7}\b|—|\b(\d+m)?\d+(\.\d+)?s\b`)

// sameDocument is a document of a WORK without what differs from run to run.
func sameDocument(path, text string) string {
	if !strings.HasPrefix(path, ".jacquard/works/") {
		return text
	}
	list := strings.Split(varied.ReplaceAllString(text, "…"), "\n")
	slices.Sort(list)
	return strings.Join(list, "\n")
}

type ended struct {
	dir  string
	exit int
	sig  syscall.Signal
	out  string
}

// start makes a fresh project and runs the command in it.
func (k *kills) start(t *testing.T, name, kill string) ended {
	t.Helper()
	dir := filepath.Join(k.home, strings.ReplaceAll(name, ":", "-"), "kill") // documents have the folder's name
	a, err := txtar.ParseFile(k.project)
	if err != nil {
		t.Fatal(err)
	}
	played, err := layOut(a, dir)
	if err != nil {
		t.Fatal(err)
	}
	text := txtar.Format(played)
	if k.answers != nil {
		text = append(text, k.answers(t, a)...)
	}
	if err := os.WriteFile(dir+".txtar", text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"init -q -b main", "config user.name x", "config user.email x@localhost", "add -A", "commit -qm start"} {
		cmd := exec.Command("git", strings.Fields(c)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", c, err, out)
		}
	}
	if k.worker {
		return k.work(t, dir, kill)
	}
	return k.run(t, dir, kill, k.command(dir)...)
}

// work runs the command beside a worker in a clone. When that is killed another takes its place.
func (k *kills) work(t *testing.T, dir, kill string) ended {
	t.Helper()
	hub, clone := dir+".git", dir+"-worker"
	for _, c := range [][]string{
		{"init", "-q", "--bare", "-b", "main", hub}, {"-C", dir, "remote", "add", "origin", hub}, {"-C", dir, "push", "-q", "origin", "main"}, {"clone", "-q", hub, clone},
	} {
		if out, err := exec.Command("git", c...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", c, err, out)
		}
	}
	worker := func(kill string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(k.bin, "--root", clone, "worker", "--scenario", dir+".txtar", "--jobs", "2", "--drain", "1s")
		cmd.Env = k.environ(kill)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	done := make(chan ended, 1)
	go func() { done <- k.run(t, dir, "", k.command(dir)...) }()
	first, said := worker(kill)
	died := make(chan error, 1)
	go func() { died <- first.Wait() }()
	var e ended
	sig := syscall.Signal(0)
	select {
	case e = <-done:
		_ = first.Process.Signal(os.Interrupt)
		<-died
	case err := <-died:
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Errorf("%s: the worker ended: %v\n%s", kill, err, said)
		} else if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			sig = ws.Signal()
		}
		second, _ := worker("")
		e = <-done
		_ = second.Process.Signal(os.Interrupt)
		_ = second.Wait()
	}
	e.dir, e.sig = dir, sig
	if sig != 0 && e.exit != 0 {
		t.Errorf("%s: the run ended with %d although another worker was there:\n%s\nthe worker that was killed:\n%s", kill, e.exit, e.out, said)
	}
	return e
}

// command is the command that is killed.
func (k *kills) command(dir string) []string {
	return append(slices.Clone(k.args), "--scenario", dir+".txtar", "--jobs", "2")
}

// answers are the files that the scenario writes and returns.
func answers(t *testing.T, a *txtar.Archive) []byte {
	t.Helper()
	var b bytes.Buffer
	bodies := map[string]string{
		"a": "exports.one = () => 1;\n",
		"b": "const { one } = require('../a/a.js');\nexports.two = () => one() + one();\n",
		"c": "const { one } = require('../a/a.js');\nexports.three = () => one() + one() + one();\n",
		"d": "const { two } = require('../b/b.js');\nconst { three } = require('../c/c.js');\nexports.five = () => two() + three();\n",
	}
	values := map[string][2]string{"a": {"one", "1"}, "b": {"two", "2"}, "c": {"three", "3"}, "d": {"five", "5"}}
	fmt.Fprintf(&b, "-- green.json --\n{\"summary\": \"done\", \"implements\": {}}\n-- wrong.js --\nexports.two = () => 22;\n")
	for _, m := range []string{"a", "b", "c", "d"} {
		v := values[m]
		fmt.Fprintf(&b, "-- %s.js --\n%s", m, bodies[m])
		fmt.Fprintf(&b, "-- %s.test.js --\nconst test = require('node:test');\nconst assert = require('node:assert');\n"+
			"test('%s', () => { assert.strictEqual(require('./%s.js').%s(), %s); });\n", m, v[0], m, v[0], v[1])
		fmt.Fprintf(&b, "-- red_%s.json --\n{\"tests\": [", m)
		for i, f := range a.Files {
			if f.Name != m+"/CLAUDE.md" {
				continue
			}
			doc, _ := spec.Parse(a.Files[i].Name, f.Data)
			var claims []string
			for _, it := range spec.Items(doc) {
				claims = append(claims, fmt.Sprintf(`{"item": %q, "tests": ["%s/%s.test.js::%s"]}`, it.ID, m, m, v[0]))
			}
			b.WriteString(strings.Join(claims, ", "))
		}
		b.WriteString("]}\n")
	}
	return b.Bytes()
}

func (k *kills) environ(kill string) []string {
	return append(append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(k.home, "cache"), "JACQUARD_KILL="+kill, "LANG=C"), k.env...)
}

func (k *kills) run(t *testing.T, dir, kill string, args ...string) ended {
	t.Helper()
	cmd := exec.Command(k.bin, append([]string{"--root", dir}, args...)...)
	cmd.Dir = dir
	cmd.Env = k.environ(kill)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	e := ended{dir: dir, out: out.String()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.exit = exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			e.sig = ws.Signal()
		}
	} else if err != nil {
		t.Fatal(err)
	}
	return e
}

// killed runs one point; false when the run ended before it was reached.
func (k *kills) killed(t *testing.T, kind string, n int) bool {
	t.Helper()
	point := fmt.Sprintf("%s:%d", kind, n)
	e := k.start(t, point, point)
	defer os.RemoveAll(filepath.Dir(e.dir))
	if e.sig != syscall.SIGKILL {
		if e.exit != 0 {
			t.Errorf("%s: ended with %d instead of being killed:\n%s", point, e.exit, e.out)
		}
		return false
	}
	resume := k.resume
	if resume == nil {
		resume = func(t *testing.T, dir string) ended {
			t.Helper()
			return k.run(t, dir, "", k.command(dir)...)
		}
	}
	again := e
	if !k.worker { // else another worker has taken over, and the command went on
		again = resume(t, e.dir)
	}
	if again.exit != 0 {
		t.Errorf("%s: going on ended with %d:\n%s\nbefore the kill:\n%s", point, again.exit, again.out, e.out)
		return true
	}
	got := k.files(t, e.dir)
	for p, text := range k.want {
		if got[p] != text {
			t.Errorf("%s: %s differs from the undisturbed run:\n%s\nwant\n%s", point, p, got[p], text)
		}
	}
	for p := range got {
		if _, ok := k.want[p]; !ok {
			t.Errorf("%s: %s is left over", point, p)
		}
	}
	k.paidOnce(t, point, e.dir)
	k.landedOnce(t, point, e.dir)
	return true
}

// paidOnce checks that no turn was asked again once it was finished: its end
// is in the log of an earlier attempt, and a later attempt has a log as well.
func (k *kills) paidOnce(t *testing.T, point, dir string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir+"*", ".jacquard", "runs", "*", "attempts", "*", "*", "raw.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	finished := map[string]int{}
	for _, l := range logs {
		raw, err := os.ReadFile(l)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(`"type":"ended"`)) {
			finished[filepath.Base(filepath.Dir(filepath.Dir(l)))]++
		}
	}
	for step, n := range finished {
		if n > 1 {
			t.Errorf("%s: the turn %s was finished %d times", point, step, n)
		}
	}
}

// landedOnce checks that all that lands has exactly one commit on the run's
// branch, and that the journal has no step with two outcomes.
func (k *kills) landedOnce(t *testing.T, point, dir string) {
	t.Helper()
	cmd := exec.Command("git", "for-each-ref", "--format=%(refname)", "refs/jacquard/*/head")
	cmd.Dir = dir
	refs, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range strings.Fields(string(refs)) {
		cmd := exec.Command("git", "log", "--format=%(trailers:key=Jacquard-Run,valueonly)", ref)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var landed []string
		for _, c := range strings.Fields(string(out)) {
			if _, what, ok := strings.Cut(c, "/"); ok {
				landed = append(landed, what)
			}
		}
		slices.Sort(landed)
		if got := strings.Join(landed, " "); got != k.units {
			t.Errorf("%s: landed %q, want each of %s once", point, got, k.units)
		}
	}
	if k.env != nil { // it is kept elsewhere
		times := map[string]int{}
		for _, e := range k.events(t, dir) {
			if e.Type == "end" || e.Type == "note" {
				times[e.Type+" "+e.Key]++
			}
		}
		for what, n := range times {
			if n > 1 {
				t.Errorf("%s: %s is in the history %d times", point, what, n)
			}
		}
		if len(times) < 10 {
			t.Errorf("%s: the history has %d outcomes and notes", point, len(times))
		}
		return
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, ".jacquard", "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var twice int
	err = db.QueryRowContext(t.Context(), "SELECT count(*) FROM (SELECT key FROM events WHERE type IN ('end', 'note') GROUP BY run, key, type HAVING count(*) > 1)").Scan(&twice)
	if err != nil || twice > 0 {
		t.Errorf("%s: %d outcomes or notes are in the journal twice (%v)", point, twice, err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// treeOf reads all files of a project but the engine's own; what differs
// from run to run by design (ids of commits in the lock: none) stays.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == ".jacquard" {
				return filepath.SkipDir
			}
			return nil
		}
		raw, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[rel] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
