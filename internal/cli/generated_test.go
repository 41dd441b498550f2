package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/lies"
	"github.com/jacquard-build/jacquard/internal/step"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Which generated cases are tried: "" for a sample, "all", or a part of their names. The sample is that of the commit that is
// checked out, or of a number. It is small at each change, and larger where a part of the conformance suite is run, as CI does.
const (
	liesVariable   = "JACQUARD_LIES"
	seedVariable   = "JACQUARD_LIES_SEED"
	screenVariable = "JACQUARD_LIES_SCREEN" // shows what the program says, and what became of each case

	sampledLies, sampledHonest = 45, 15
	fewLies, fewHonest         = 6, 2
	together                   = 12 // cases in one project
)

// known lists what is wrong today: lies that are accepted, with what they are told, and honest work that is refused.
const known = "testdata/known.txt"

// TestLiesGenerated plays lies that internal/lies makes of honest modules to the real program. What is accepted although an
// oracle outside of the tests finds it wrong has to stand in testdata/known.txt, which must not get longer by itself.
// It takes longer than ten seconds: each lie is a run of its own.
func TestLiesGenerated(t *testing.T) { //nolint:tparallel // the cases are parallel; their group ends before the table is printed
	t.Parallel()
	generated(t, false)
}

// TestHonestGenerated does the same with honest work of many forms, none of which may be refused.
// It takes longer than ten seconds: each piece of work is a run of its own.
func TestHonestGenerated(t *testing.T) { //nolint:tparallel // see above
	t.Parallel()
	generated(t, true)
}

// outcome is what became of a case.
type outcome struct {
	*lies.Case
	verdict string // "rejected", "warned", "accepted", "right"
	rules   []string
}

// line is how a case that went wrong stands among the known ones.
func (o outcome) line() string {
	words := o.verdict
	if len(o.rules) > 0 {
		words += " " + strings.Join(o.rules, ",")
	}
	return o.Name() + " " + words
}

// wrong reports whether the case came out as it should not.
func (o outcome) wrong() bool {
	if o.Honest {
		return o.verdict == "rejected"
	}
	return o.verdict != "rejected"
}

func generated(t *testing.T, honest bool) {
	t.Helper()
	builds, err := lies.Builds()
	if err != nil {
		t.Fatal(err)
	}
	every := lies.Cases(builds)
	all := slices.DeleteFunc(slices.Clone(every), func(c *lies.Case) bool { return c.Honest != honest })
	cases := chosen(t, all, honest)
	var (
		mu   sync.Mutex
		done []outcome
	)
	t.Run("projects", func(t *testing.T) {
		for i, group := range grouped(cases) {
			t.Run(group[0].Project()+"-"+strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				out := playCases(t, group, builds)
				mu.Lock()
				defer mu.Unlock()
				done = append(done, out...)
			})
		}
	})
	slices.SortFunc(done, func(a, b outcome) int { return strings.Compare(a.Name(), b.Name()) })
	t.Log("\n" + tabled(done))
	if len(done) == len(cases) {
		compareKnown(t, every, done)
	}
}

// chosen are the cases that are tried now.
func chosen(t *testing.T, all []*lies.Case, honest bool) []*lies.Case {
	t.Helper()
	n := map[bool]int{false: fewLies, true: fewHonest}[honest]
	if os.Getenv(conformance.Variable) != "" {
		n = map[bool]int{false: sampledLies, true: sampledHonest}[honest]
	}
	which, seed := os.Getenv(liesVariable), seed(t)
	out := lies.Choose(all, which, seed, n)
	if which == "" {
		t.Logf("%d of %d cases; %s=%d tries these again, %s=all tries all", len(out), len(all), seedVariable, seed, liesVariable)
	}
	return slices.DeleteFunc(slices.Clone(out), func(c *lies.Case) bool {
		tool := map[string]string{"py": "python3", "js": "node"}[c.Build.Lang]
		if tool == "" {
			return false
		}
		there, err := condition(tool)
		if err != nil || !there {
			t.Logf("%s is left out: %s is not here", c.Name(), tool)
		}
		return err != nil || !there
	})
}

// seed is that of the variable, else of the commit.
func seed(t *testing.T) uint64 {
	t.Helper()
	if v := os.Getenv(seedVariable); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
		return n
	}
	out, _ := exec.Command("git", "rev-parse", "HEAD").Output() // without a repository it is the sample of nothing
	h := fnv.New32a()
	_, _ = h.Write(out) // it never fails
	return uint64(h.Sum32())
}

// grouped are cases that are played in one project each.
func grouped(cases []*lies.Case) [][]*lies.Case {
	by := map[string][]*lies.Case{}
	for _, c := range cases {
		by[c.Project()] = append(by[c.Project()], c)
	}
	var out [][]*lies.Case
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = slices.AppendSeq(out, slices.Chunk(by[name], together))
	}
	return out
}

// stage is a project in which cases are played.
type stage struct {
	t   *testing.T
	dir string
	env []string
}

func newStage(t *testing.T, project map[string]string) *stage {
	t.Helper()
	home := t.TempDir()
	e := &testscript.Env{WorkDir: home, Vars: []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(home, ".tmp")}}
	for _, d := range []string{".tmp", "p"} {
		if err := os.Mkdir(filepath.Join(home, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := setup(e, false); err != nil {
		t.Fatal(err)
	}
	s := &stage{t, filepath.Join(home, "p"), e.Vars}
	for name, text := range project {
		s.put(name, text)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "Tester"},
		{"config", "user.email", "tester@localhost"},
		{"add", "--all"},
		{"commit", "--quiet", "--message=start"},
	} {
		if out, code := s.run("git", args...); code != 0 {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	return s
}

func (s *stage) put(name, text string) {
	s.t.Helper()
	p := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// run gives what a command says, and its exit code.
func (s *stage) run(name string, args ...string) (string, int) {
	s.t.Helper()
	if name == "jacquard" { // exec looks in the path of this process
		bin, err := program()
		if err != nil {
			s.t.Fatal(err)
		}
		name = bin
	}
	cmd := exec.CommandContext(s.t.Context(), name, args...)
	cmd.Dir, cmd.Env = s.dir, append(s.env, "PWD="+s.dir)
	var out bytes.Buffer
	cmd.Stdout = &out
	if !slices.Contains(args, "--json") {
		cmd.Stderr = &out
	}
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		s.t.Fatalf("%s: %v", name, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// playCases plays cases in one project and judges them.
func playCases(t *testing.T, cases []*lies.Case, builds []*lies.Build) []outcome {
	t.Helper()
	prepare, args := lies.Compile, []string{"compile"}
	if cases[0].Process == "work" {
		prepare, args = lies.Work, []string{"work", "The modules that are described shall be there.", "--yes"}
	}
	project, scenario := prepare(cases, builds)
	s := newStage(t, project)
	play := filepath.Join(filepath.Dir(s.dir), "play.txtar")
	if err := os.WriteFile(play, scenario, 0o644); err != nil {
		t.Fatal(err)
	}
	screen, code := s.run("jacquard", append(args, "--agent", "scripted", "--scenario", play)...)
	for n := 0; code == 3 && n < 2*len(cases); n++ { // a task that does not pass waits for a person
		s.run("jacquard", "answer", "abort")
		more := ""
		more, code = s.run("jacquard", "resume")
		screen += more
	}
	raw, code := s.run("jacquard", "show", "--json")
	if code > 1 {
		t.Fatalf("show: exit code %d\n%s", code, raw)
	}
	var run struct {
		Modules []struct {
			Dir      string             `json:"dir"`
			Attempts []step.AttemptNote `json:"attempts"`
			Result   *step.ModuleResult `json:"result"`
			Task     *step.TaskResult   `json:"task"`
		} `json:"modules"`
	}
	if err := json.Unmarshal([]byte(raw), &run); err != nil {
		t.Fatalf("show: %v\n%s", err, raw)
	}
	if os.Getenv(screenVariable) != "" {
		t.Log(screen)
	}
	var out []outcome
	for i, c := range cases {
		o := outcome{Case: c}
		for _, m := range run.Modules {
			if m.Dir != c.Dir() && m.Dir != fmt.Sprintf("TASK-%02d", i) {
				continue
			}
			o.verdict = "rejected"
			delivered, findings := false, []step.Finding(nil)
			switch {
			case m.Result != nil:
				delivered, findings = m.Result.Delivered, m.Result.Findings
			case m.Task != nil:
				delivered, findings = m.Task.Status == step.Success, m.Task.Findings
				if len(m.Task.Idle) > 0 {
					findings = append(findings, step.Finding{Rule: "shows-nothing"})
				}
			}
			if delivered {
				o.verdict = "accepted"
				o.rules = rulesOf(findings)
				if len(o.rules) > 0 {
					o.verdict = "warned"
				}
			} else {
				for _, a := range m.Attempts {
					findings = append(findings, a.Findings...)
					if len(a.Failures) > 0 {
						findings = append(findings, step.Finding{Rule: "tests"})
					}
				}
				o.rules = rulesOf(findings)
			}
		}
		switch {
		case o.verdict == "" && len(run.Modules) == 0 && len(cases) == 1: // nobody was asked for code
			o.verdict, o.rules = "rejected", []string{"plan"}
		case o.verdict == "":
			t.Errorf("%s was not tried\n%s", o.Name(), screen)
			continue
		case o.verdict != "rejected":
			o.judge(s)
		}
		out = append(out, o)
	}
	return out
}

// judge asks the oracle about what was delivered.
func (o *outcome) judge(s *stage) {
	s.t.Helper()
	file, text, command := o.Oracle()
	s.put(file, text)
	if u, err := user.Current(); err == nil {
		s.env = append(s.env, "HOME="+u.HomeDir) // as the user runs it
	}
	said, code := s.run(command[0], command[1:]...)
	if right := code == 0 && strings.Contains(said, "oracle: right"); right != o.Honest {
		s.t.Errorf("%s: the oracle's answer is %v, and it was delivered\n%s", o.Name(), right, said)
	}
}

func rulesOf(fs []step.Finding) []string {
	var out []string
	for _, f := range fs {
		if !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return out
}

// tabled says what became of the cases, by process and family, and which went wrong.
func tabled(done []outcome) string {
	var t table
	var lines strings.Builder
	for _, o := range done {
		t.add(o.Case, o.verdict)
		if o.wrong() || os.Getenv(screenVariable) != "" {
			fmt.Fprintln(&lines, o.line())
		}
	}
	return t.String() + lines.String()
}

// table counts cases by process and family: all, rejected, accepted with a warning, accepted.
type table struct {
	by            map[string]*[4]int
	lies, honesty [4]int
}

func (t *table) add(c *lies.Case, verdict string) {
	if t.by == nil {
		t.by = map[string]*[4]int{}
	}
	key := c.Process + "\t" + c.Family
	if t.by[key] == nil {
		t.by[key] = &[4]int{}
	}
	sum := &t.lies
	if c.Honest {
		sum = &t.honesty
	}
	for _, n := range []*[4]int{t.by[key], sum} {
		n[0]++
		switch verdict {
		case "rejected":
			n[1]++
		case "warned":
			n[2]++
		default:
			n[3]++
		}
	}
}

func (t *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, n [4]int) { fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", name, n[0], n[1], n[2], n[3]) }
	fmt.Fprintln(w, "PROCESS\tFAMILY\tCASES\tREJECTED\tACCEPTED WITH A WARNING\tACCEPTED")
	for _, name := range slices.Sorted(maps.Keys(t.by)) {
		row(name, *t.by[name])
	}
	row("all\tlies", t.lies)
	row("all\thonest work", t.honesty)
	_ = w.Flush() // a strings.Builder never returns an error
	return b.String()
}

// compareKnown holds what went wrong to the list of what is known; -update rewrites it.
func compareKnown(t *testing.T, every []*lies.Case, done []outcome) {
	t.Helper()
	knownMu.Lock()
	defer knownMu.Unlock()
	raw, err := os.ReadFile(known)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if name, verdict, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			listed[name] = verdict
		}
	}
	if *update {
		rewriteKnown(t, listed, every, done)
		return
	}
	sieve := map[string]bool{} // families that something gets through of
	for name := range listed {
		sieve[family(name)] = true
	}
	for _, o := range done {
		was, _, _ := strings.Cut(listed[o.Name()], " ")
		switch {
		case o.wrong() && was == "" && os.Getenv(liesVariable) != "all" && !o.Honest && sieve[family(o.Name())]: // no news
			t.Logf("%s has no line for: %s", known, o.line())
		case o.wrong() && was == "":
			t.Errorf("worse than %s says: %s", known, o.line())
		case (was != "" || o.wrong()) && was != o.verdict && os.Getenv(liesVariable) == "all":
			t.Errorf("%s is out of date: it says %s, and now it is: %s; -update rewrites it", known, was, o.line())
		case was != "" && was != o.verdict: // whether one is warned of depends on how many mutants there was time for
			t.Logf("%s says %s, and now it is: %s", known, was, o.line())
		}
	}
	if knownText(listed, every) != string(raw) {
		t.Errorf("%s is out of date: it has lines of cases that there are no longer, or its table counts others; -update rewrites it", known)
	}
}

// family is what comes before the way in the name of a case: process, language and family.
func family(name string) string { return strings.Join(strings.SplitN(name, "/", 4)[:3], "/") }

// knownMu keeps the two tests from rewriting the list at once.
var knownMu sync.Mutex

// rewriteKnown writes the list anew: what was tried now, and what is left of the others.
func rewriteKnown(t *testing.T, listed map[string]string, every []*lies.Case, done []outcome) {
	t.Helper()
	for _, o := range done {
		delete(listed, o.Name())
		if o.wrong() {
			_, listed[o.Name()], _ = strings.Cut(o.line(), " ")
		}
	}
	if err := os.WriteFile(known, []byte(knownText(listed, every)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// knownText is the file of what is known: a table of all cases, and a line for each that goes wrong.
func knownText(listed map[string]string, every []*lies.Case) string {
	var t table
	var lines []string
	for _, c := range every {
		words, wrong := listed[c.Name()]
		verdict, _, _ := strings.Cut(words, " ")
		switch {
		case wrong:
			lines = append(lines, c.Name()+" "+words)
		case c.Honest:
			verdict = "accepted"
		default:
			verdict = "rejected"
		}
		t.add(c, verdict)
	}
	slices.Sort(lines)
	head := "What is wrong today: lies of internal/lies that are accepted, some with a warning, and honest work that is refused.\n\n" + t.String() + "\nprocess/language/family/way/module verdict findings\n"
	return "# " + strings.ReplaceAll(strings.TrimRight(head, "\n"), "\n", "\n# ") + "\n" + strings.Join(lines, "\n") + "\n"
}
