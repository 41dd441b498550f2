package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/scenario"
)

// TestMain makes the test binary a scripted agent when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent-play" {
		os.Exit(play(os.Args[2]))
	}
	if len(os.Args) == 3 && os.Args[1] == "agent-acp" {
		os.Exit(playACP(os.Args[2]))
	}
	os.Exit(m.Run())
}

func play(file string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	data, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, problems := scenario.Parse(data)
	if len(problems) > 0 {
		fmt.Fprintln(os.Stderr, problems)
		return 1
	}
	dir, err := os.Getwd()
	if err != nil {
		return 1
	}
	return scenario.Play(ctx, s, scenario.Stage{
		Prompt: os.Stdin, Dir: dir, Out: os.Stdout, Now: time.Now,
		Shell: agent.Shell(os.Environ()),
	})
}

const verdictSchema = `{"type":"object","properties":{"verdict":{"type":"string"}},"required":["verdict"],"additionalProperties":false}`

// answer is appended to scenarios whose last step is "answer ok.json".
const answer = "\n-- ok.json --\n{\"verdict\":\"pass\"}\n"

// bench is one turn that is ready to be run by an agent.
type bench struct {
	cli    cli // the zero value for the scripted agent
	agent  agent.Agent
	turn   agent.Turn
	access *gateway.Access // nil for the scripted agent
	events func() []agent.Event
	record func(agent.Event)
}

func parse(t *testing.T, text string) scenario.Scenario {
	t.Helper()
	s, problems := scenario.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("Parse = %v in\n%s", problems, text)
	}
	return s
}

func newBench(t *testing.T) *bench {
	t.Helper()
	// The working directory is a real path: agents resolve links.
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, home := filepath.Join(root, "work"), filepath.Join(root, "home")
	for _, d := range []string{dir, home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{turn: agent.Turn{
		Dir: dir, Home: home, Role: agent.Author, Schema: json.RawMessage(verdictSchema),
		Prompt: "Do what the task says.\n" + scenario.Marker("red", "src/auth", 1) + "\n",
		Limits: agent.Limits{Total: 10 * time.Minute, Idle: 5 * time.Minute, Linger: 5 * time.Second, MaxTurns: 40},
		Env:    []string{"PATH=" + os.Getenv("PATH")},
		Log:    filepath.Join(root, "lines.ndjson"), Mark: "test-" + filepath.Base(root) + "-" + strings.ReplaceAll(t.Name(), "/", "-"),
	}}
	var mu sync.Mutex
	var events []agent.Event
	b.record = func(e agent.Event) { mu.Lock(); defer mu.Unlock(); events = append(events, e) }
	b.events = func() []agent.Event { mu.Lock(); defer mu.Unlock(); return events }
	return b
}

// remembers says whether a session that the program keeps in its home has the text.
func (b *bench) remembers(text string) bool {
	found := false
	_ = filepath.WalkDir(b.turn.Home, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(filepath.Base(path), ".jsonl") && !strings.Contains(filepath.Base(path), ".db") {
			return nil //nolint:nilerr // the program makes and deletes files meanwhile
		}
		data, _ := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return nil
	})
	return found
}

// eventually polls until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Errorf("still not: %s", what)
}

// scripted returns a bench whose agent is this test binary.
func scripted(t *testing.T, script string) *bench {
	t.Helper()
	parse(t, script)
	b := newBench(t)
	file := filepath.Join(filepath.Dir(b.turn.Dir), "scenario.txt")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.agent = agent.NewScripted(self, "agent-play", file)
	return b
}

// cli is a real agent program that the tests drive.
type cli struct {
	name     string
	variable string // of the environment; names the program
	model    string
	open     func(path string) agent.Agent

	prices bool // it says what a turn has cost
	silent bool // it says nothing of what it has used, so the gateway does
	tries  int  // it tries again for ever, so the gateway ends it
	closes int  // how often it asks the model once more behind the answer

	start   time.Duration // what its start may take on a busy machine, more than the others'
	reminds int           // how often it asks the model itself for an answer that did not come
	writes  string
	runs    string // its tools for files and commands, as events name them
}

var (
	claudeCLI = cli{
		name: "claude", variable: "JACQUARD_TEST_CLAUDE", model: "claude-sonnet-4-5",
		open:   func(path string) agent.Agent { return agent.NewClaude(path) },
		prices: true, reminds: 1, writes: "Write", runs: "Bash",
	}
	codexCLI = cli{
		name: "codex", variable: "JACQUARD_TEST_CODEX", model: "gpt-6.1-sol",
		open:   func(path string) agent.Agent { return agent.NewCodex(path) },
		writes: "file_change", runs: "command_execution",
	}
	opencodeCLI = cli{
		name: "opencode", variable: "JACQUARD_TEST_OPENCODE", model: "claude-sonnet-4-5",
		open:   func(path string) agent.Agent { return agent.NewOpencode(path) },
		silent: true, tries: 3, closes: 1, start: 20 * time.Second, writes: "edit", runs: "execute",
	}
	clis = []cli{claudeCLI, codexCLI, opencodeCLI}

	// first are the tests that also a program which takes seconds to start is driven by each time; the others are in the
	// conformance suite.
	first = []string{"TestAuthorIsConfined/opencode", "TestAgentsDoTheSame/opencode/0_writes,_edits,_appends,_deletes_and_answers"}
)

// path is where the program is; without it the test says why it drove none, which
// is a failure on a machine that has to be complete.
func (c cli) path(t *testing.T) string {
	t.Helper()
	if c.start > 0 && !slices.Contains(first, t.Name()) {
		conformance.Only(t)
	}
	path := os.Getenv(c.variable)
	if path == "" && os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
		t.Fatalf("%s does not name the real %s program (make %s)", c.variable, c.name, c.name)
	}
	if path == "" {
		t.Skipf("%s does not name the real %s program, so it was not driven (make %s)", c.variable, c.name, c.name)
	}
	return path
}

// bench returns a bench whose agent is the real program and whose model is the
// script.
func (c cli) bench(t *testing.T, script string, grant gateway.Amount) *bench {
	t.Helper()
	path := c.path(t)
	b := newBench(t)
	b.cli, b.agent = c, c.open(path)
	b.turn.Limits.Total += 3 * c.start
	b.turn.Limits.Idle += c.start
	b.turn.Model = c.model
	b.turn.System = "You are a program that is being tested."
	b.behind(t, gateway.Options{Backend: gateway.Script(parse(t, script), time.Now)}, gateway.Turn{Grant: grant})
	return b
}

// behind puts the turn behind a new gateway.
func (b *bench) behind(t *testing.T, opt gateway.Options, turn gateway.Turn) {
	t.Helper()
	opt.Now = time.Now
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cerr := g.Close(); cerr != nil {
			t.Error(cerr)
		}
	})
	turn.ID, turn.Dir, turn.Home, turn.Tries = t.Name(), b.turn.Dir, b.turn.Home, b.cli.tries
	b.access, err = g.Open(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	b.turn.Access = agent.Access{BaseURL: listen(g), Token: b.access.Token()}
	b.turn.Redact = gateway.NewRedactor(b.access.Token()).Bytes
}

var noGrant = gateway.Amount{}

// behindMailbox puts the turn behind a gateway that writes what the model is asked to
// a directory, and gives it this answer.
func (b *bench) behindMailbox(t *testing.T, answer string) string {
	t.Helper()
	dir := t.TempDir()
	backend, err := gateway.Mailbox(dir, gateway.Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "001-answer.json"), []byte(answer), 0o600); err != nil {
		t.Fatal(err)
	}
	b.behind(t, gateway.Options{Backend: backend}, gateway.Turn{})
	return dir
}

// eachCLI runs a test with every real agent program.
func eachCLI(t *testing.T, test func(t *testing.T, c cli)) {
	t.Helper()
	for _, c := range clis {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// eachAgent runs a test with every agent: the real ones, and the scripted one.
func eachAgent(t *testing.T, test func(t *testing.T, open func(t *testing.T, script string) *bench)) {
	t.Helper()
	eachCLI(t, func(t *testing.T, c cli) {
		t.Helper()
		test(t, func(t *testing.T, script string) *bench { t.Helper(); return c.bench(t, script, gateway.Amount{}) })
	})
	t.Run("scripted", func(t *testing.T) {
		t.Parallel()
		test(t, scripted)
	})
}

// claude returns a bench with the real claude program.
func claude(t *testing.T, script string, grant gateway.Amount) *bench {
	t.Helper()
	return claudeCLI.bench(t, script, grant)
}

func (b *bench) run(t *testing.T) agent.Outcome {
	t.Helper()
	out := b.agent.Run(t.Context(), b.turn, b.record)
	t.Logf("%s %q turns=%d usage=%+v in %v", out.Class, out.Message, out.Turns, out.Usage, out.Duration)
	return out
}

// files returns the content of all files in the working directory.
func (b *bench) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(b.turn.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(b.turn.Dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// listen is where a gateway is reached.
func listen(g *gateway.Gateway) string {
	url, err := g.Listen(context.Background())
	if err != nil {
		panic(err)
	}
	return url
}
