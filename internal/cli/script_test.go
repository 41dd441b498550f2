package cli_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/flow/temporal/temporaltest"
	"github.com/jacquard-build/jacquard/internal/hub/s3test"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/testserver"
)

func TestMain(m *testing.M) {
	testscript.Main(suites{m}, map[string]func(){"acp-agent": playACP})
}

// place holds what all tests of this process share.
var place = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "jacquard-test") })

// program is what stories and matrices run, built once. raced is the same with the race detector: it takes a second to end and
// several times the time to work, so only some stories run it.
var (
	program = sync.OnceValues(func() (string, error) { return build("bin") })
	raced   = sync.OnceValues(func() (string, error) { return build("raced", "-race") })
)

func build(name string, flags ...string) (string, error) {
	dir, err := place()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, name, "jacquard")
	args := append(append([]string{"build", "-trimpath", "-o", bin}, flags...), "../../cmd/jacquard")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return bin, nil
}

// suites are the tests of this package; what they shared is removed at their end.
type suites struct{ *testing.M }

func (s suites) Run() int {
	if sandboxed() != nil && os.Getenv("JACQUARD_TEST_COMPLETE") == "" {
		_ = os.Setenv("JACQUARD_SANDBOX", string(confine.Off)) // for tests that start the program by themselves
	}
	defer func() {
		if dir, err := place(); err == nil {
			_ = os.RemoveAll(dir)
		}
	}()
	return s.M.Run()
}

// onTemporal are the stories that are played on a cluster too, inRaced those that are played by the program with the race
// detector; the rest of them is in the conformance suite, as are the long ones.
var (
	onTemporal = []string{"work_gates", "auto_decisions", "e2e_go", "spec_new", "e2e_work", "e2e_cut", "develop_decisions"}
	inRaced    = []string{"demo", "e2e_busy", "work_gates", "auto_decisions", "develop_decisions", "worker", "worker_store", "worker_killed"}
	long       = []string{
		"e2e_typescript", "e2e_java", "e2e_kotlin", "e2e_python", "e2e_rust", "e2e_develop", "e2e_opencode", "e2e_faults", "e2e_dispute", "e2e_work_full", "e2e_work_typescript",
		"e2e_auto_heavy", "e2e_auto_standard", "e2e_busy", "e2e_repos", "e2e_baseline", "worker_hub", "worker_late", "worker_twice", "e2e_go", "e2e_bait", "work_callbacks_kill", "prove_limit", "prove_opencode", "prove_java", "prove_kotlin",
		"worker_auto", "worker_cancel", "worker_cancel_killed", "worker_develop", "worker_faults", "worker_jobs", "worker_keys", "worker_listen", "worker_log", "worker_moves", "worker_pools",
	}
	// inTurn take more than six seconds of a processor each. One of two rows is played at a time, so they have what shows similar things, and columns take about as long.
	inTurn = []string{
		"altered", "restored", "verified", "verify_range", "undo", "attested", "verify", "commits",
		"checks_languages", "prove_session", "lint_missing", "prove_hook", "prove_action", "prove_tests", "prove_languages", "prove",
		"korean", "spec_name", "root_rules", "change_specs", "work_packages", "compile_twice", "documents", "pull",
		"develop_decisions", "pr_watch", "auto_decisions", "auto_e2e", "develop_pr", "auto_discover", "auto_context", "auto_improve",
		"sandbox_none", "acp", "sandbox", "e2e_codex", "init_session", "e2e_input", "sandbox_services", "e2e_auto_light",
		"e2e_uses", "e2e_phases", "e2e_items", "e2e_flaky", "e2e_work", "e2e_cut", "e2e_roles", "e2e_conflict",
		"worker_drain", "worker_work", "worker_store", "worker", "killed_thrice", "work_callbacks", "worker_killed", "worker_unreached",
		"work_command", "bug", "work_input", "work_resume", "held_out_requests", "work_blocked", "held_out", "work_terminal",
		"auto_inbox", "pytest_undeclared", "adopt_rust", "installs_languages", "prove_named", "prove_bound", "prove_rust", "pull_gitlab",
		"worker_sandbox", "develop_pr_kill", "roles", "prove_given", "prove_gitlab", "do", "checks_own", "auto_issue",
		"mcp_runs", "doctor", "work_failed_before", "prove_screen", "build_rows", "prove_modules", "work_data", "doctor_modules",
		"prove_aside", "prove_lost", "held_out_commands", "prove_unasked", "prove_compiled", "prove_crash", "prove_cases", "prove_special",
		"prove_codex", "prove_gaps", "prove_told", "prove_helpers", "prove_moved", "prove_expects", "prove_other", "prove_narrowed",
		"prove_built", "prove_far", "hook_passes", "mcp_cancel", "mcp_answer", "prove_opencode_run", "do_vague",
	}
)

// TestStories runs the scripts in testdata/script: the real program, real git,
// a real agent process, real tool chains.
func TestStories(t *testing.T) {
	t.Parallel()
	testscript.Run(t, stories(t, scriptDir, scripts(t, scriptDir), long))
}

const scriptDir = "testdata/script"

// scripts are the names of all scripts of a folder.
func scripts(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	for i := range list {
		list[i] = strings.TrimSuffix(filepath.Base(list[i]), ".txtar")
	}
	return list
}

// stories are scripts of a folder by their names, without those that take long and are in another part of the conformance suite.
func stories(t *testing.T, dir string, names, long []string) testscript.Params {
	t.Helper()
	p := params()
	p.Setup = func(e *testscript.Env) error {
		alone := slices.Contains(long, strings.TrimPrefix(filepath.Base(e.WorkDir), "script-"))
		return setup(e, alone)
	}
	turns := inTurn
	if dir != scriptDir { // of lies and of honest work
		turns = names
	}
	for _, name := range names {
		if slices.Contains(long, name) && !conformance.Has(t.Name()+"/"+name) {
			t.Logf("%s takes long: make conformance runs it, and CI in turn with others", name)
			continue
		}
		if i := slices.Index(turns, name); i >= 0 && !conformance.TurnOf(i, 16) {
			t.Logf("%s takes turns with others like it: %s=all runs it", name, conformance.Variable)
			continue
		}
		p.Files = append(p.Files, filepath.Join(dir, name+".txtar"))
	}
	if len(p.Files) == 0 {
		t.Skip("it is the turn of none of them")
	}
	return p
}

// TestStoriesWithRaceDetector runs stories in which much goes on at once again, by a program that has the detector.
func TestStoriesWithRaceDetector(t *testing.T) {
	t.Parallel()
	p := stories(t, scriptDir, inRaced, inRaced)
	p.Setup = func(e *testscript.Env) error {
		if err := setup(e, false); err != nil {
			return err
		}
		bin, err := raced()
		onPath(e, bin)
		e.Setenv("GORACE", "atexit_sleep_ms=0 halt_on_error=1") // else each command and each turn sleeps a second at its end
		return err
	}
	testscript.Run(t, p)
}

// TestStoriesOnTemporal runs stories of each workflow again, word for word, with their runs on a cluster: people and
// scripts see no difference.
// It takes longer than ten seconds: a cluster is started for them.
func TestStoriesOnTemporal(t *testing.T) {
	t.Parallel()
	s, err := temporaltest.Start(":memory:", 0)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		t.Skip(temporaltest.ProgramName + " names no server: make temporal builds it, make test sets it")
	}
	t.Cleanup(func() {
		defer s.Stop()
		if s.Runs(t) == 0 {
			t.Error("the cluster has seen no run")
		}
	})
	p := stories(t, scriptDir, onTemporal, onTemporal[1:])
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("JACQUARD_ENGINE", "temporal")
		e.Setenv("TEMPORAL_ADDRESS", s.Address)
		return setup(e, false)
	}
	testscript.Run(t, p)
}

func params() testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo": repo, "commit": commit, "expand": expand, "sub": substitute, "play": play, "code": code, "modules": modules, "receiver": receiver, "cluster": cluster, "store": store, "forge": forge, "gitlabJob": gitlabJob,
			"unpack": unpack, "clones": clones, "until": until, "searched": searched, "share": share, "turns": turns, "follow": follow, "model": model, "mcp": callMCP, "sarif": checkSARIF,
		},
	}
}

// setup gives each script a home and caches. Those that take long to fill are shared, but not with a script that is alone: it
// installs what it needs, and no check is on record.
func setup(e *testscript.Env, alone bool) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	shared := filepath.Join(cache, "jacquard-test")
	if err := os.MkdirAll(filepath.Join(shared, "go-build"), 0o755); err != nil {
		return err
	}
	if !alone {
		if err := shareCaches(shared, filepath.Join(e.WorkDir, ".cache")); err != nil {
			return err
		}
	}
	bin, err := program()
	if err != nil {
		return err
	}
	onPath(e, bin)
	e.Setenv("HOME", filepath.Join(e.WorkDir, ".home"))
	e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
	e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
	e.Setenv("GOCACHE", filepath.Join(shared, "go-build"))
	e.Setenv("LANG", "C")
	if err := sandboxed(); err != nil {
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			return fmt.Errorf("this machine cannot make the sandbox that stories run in: %w", err)
		}
		e.Setenv("JACQUARD_SANDBOX", "off")
	}
	vitest, err := filepath.Abs("../check/testdata/vitest")
	if err != nil {
		return err
	}
	e.Setenv("VITEST", vitest) // a project with pinned vitest and TypeScript
	e.Setenv("REPOSITORY", filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(vitest)))))
	for _, k := range []string{"GOMODCACHE", "GOPATH", "GOPROXY", "GONOSUMDB", "GOFLAGS", "GONOSUMCHECK", "GOSUMDB", "npm_config_registry", "NPM_CONFIG_USERCONFIG", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "PYENV_ROOT"} {
		if v := os.Getenv(k); v != "" {
			e.Setenv(k, v)
		}
	}
	if os.Getenv("GOMODCACHE") == "" {
		if out, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
			e.Setenv("GOMODCACHE", strings.TrimSpace(string(out)))
		}
	}
	// The programs of rustup look for the compiler below the home directory.
	if home, err := os.UserHomeDir(); err == nil && os.Getenv("RUSTUP_HOME") == "" {
		if _, err := os.Stat(filepath.Join(home, ".rustup")); err == nil {
			e.Setenv("RUSTUP_HOME", filepath.Join(home, ".rustup"))
		}
	}
	for _, name := range []string{"CLAUDE", "CODEX", "OPENCODE"} {
		if program := os.Getenv("JACQUARD_TEST_" + name); program != "" {
			e.Setenv("JACQUARD_"+name, program)
		}
	}
	return os.MkdirAll(filepath.Join(e.WorkDir, ".home"), 0o755)
}

// onPath puts the directory of a program before all others.
func onPath(e *testscript.Env, bin string) {
	e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+e.Getenv("PATH"))
}

// shareCaches gives a cache directory what takes long to make: environments, packages, grammars, which last, and the record of
// checks, which the tests of this process share. So each check with the same input is run once in every run of the tests.
func shareCaches(lasting, cache string) error {
	here, err := place()
	if err != nil {
		return err
	}
	to := filepath.Join(cache, "jacquard", "shared")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, from := range map[string]string{"deps": lasting, "agent": lasting, "grammars": lasting, "checks": here} {
		from = filepath.Join(from, "shared", name)
		if err := os.MkdirAll(from, 0o755); err != nil {
			return err
		}
		if err := os.Symlink(from, filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// condition knows the tools that a script may need. On a machine that has to
// be complete a missing one is a failure, never a silent pass.
func condition(name string) (bool, error) {
	complete := os.Getenv("JACQUARD_TEST_COMPLETE") != ""
	switch name {
	case "claude", "codex", "opencode", "temporal", "s3":
		return os.Getenv("JACQUARD_TEST_"+strings.ToUpper(name)) != "" || complete, nil
	case "node", "npm", "python3", "tmux", "cargo", "mvn", "curl", "ssh-keygen":
		_, err := exec.LookPath(name)
		return err == nil || complete, nil
	case "root":
		return os.Geteuid() == 0, nil
	case "sandbox":
		return confine.Default == confine.Full && sandboxed() == nil, nil
	case "partial":
		return proc.ProbeSandbox(context.Background(), os.TempDir(), confine.Policy{Partial: true}) == nil, nil
	case "unix":
		return runtime.GOOS != "windows", nil
	}
	return false, nil
}

// repo makes a git repository in the given directory (default: here) and
// commits what is there.
func repo(ts *testscript.TestScript, _ bool, args []string) {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	dir = ts.MkAbs(dir)
	git(ts, dir, "init", "--quiet", "--initial-branch=main")
	git(ts, dir, "config", "user.name", "Tester")
	git(ts, dir, "config", "user.email", "tester@localhost")
	git(ts, dir, "add", "--all")
	git(ts, dir, "commit", "--quiet", "--allow-empty", "--message=start")
}

// commit commits everything with a message.
func commit(ts *testscript.TestScript, _ bool, args []string) {
	git(ts, ts.MkAbs("."), "add", "--all")
	git(ts, ts.MkAbs("."), "commit", "--quiet", "--message="+strings.Join(args, " "))
}

func git(ts *testscript.TestScript, dir string, args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"))
	if out, err := cmd.CombinedOutput(); err != nil {
		ts.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// substitute replaces text in a file: sub FILE OLD NEW. \n is a line break in them.
func substitute(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sub FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	raw, err := os.ReadFile(path)
	ts.Check(err)
	lines := strings.NewReplacer(`\n`, "\n")
	changed := strings.Replace(string(raw), lines.Replace(args[1]), lines.Replace(args[2]), 1)
	if changed == string(raw) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(changed), 0o644))
}

// cluster starts a Temporal service for the script; see serve. What else it is given are names of search attributes.
func cluster(ts *testscript.TestScript, _ bool, args []string) {
	var options []string
	if len(args) > 0 && strings.HasPrefix(args[0], "Jacquard") {
		for _, name := range args {
			options = append(options, "--search-attribute", name+"=Keyword")
		}
		args = nil
	}
	serve(ts, args, "TEMPORAL_ADDRESS", func(port int) (*testserver.Server, map[string]string, error) {
		s, err := temporaltest.Start(filepath.Join(ts.Getenv("WORK"), "cluster.db"), port, options...)
		if err != nil {
			return nil, nil, err
		}
		return s.Server, map[string]string{"TEMPORAL_ADDRESS": s.Address}, nil
	})
}

// store starts an S3-compatible store for the script; see serve.
func store(ts *testscript.TestScript, _ bool, args []string) {
	serve(ts, args, "AWS_ENDPOINT_URL_S3", func(port int) (*testserver.Server, map[string]string, error) {
		s, err := s3test.Start(filepath.Join(ts.Getenv("WORK"), "s3"), port)
		if err != nil {
			return nil, nil, err
		}
		return s.Server, s.Env(), nil
	})
}

// serve starts a server and sets the variables that name it; its commands kill and again end it as kill -9 does and start it
// anew on the same address with what it has stored.
func serve(ts *testscript.TestScript, args []string, variable string, start func(port int) (*testserver.Server, map[string]string, error)) {
	key := serverOf{ts.Getenv("WORK"), variable}
	port := 0
	switch strings.Join(args, " ") {
	case "kill":
		s, _ := servers.Load(key)
		s.(*testserver.Server).Kill() //nolint:forcetypeassert // only servers are stored
		return
	case "again":
		address := ts.Getenv(variable)
		p, err := strconv.Atoi(address[strings.LastIndex(address, ":")+1:])
		ts.Check(err)
		port = p
	}
	s, env, err := start(port)
	ts.Check(err)
	servers.Store(key, s)
	ts.Defer(s.Stop)
	for k, v := range env {
		ts.Setenv(k, v)
	}
}

// serverOf is the key of a script's server.
type serverOf struct{ work, variable string }

var servers sync.Map

// share makes the folder $WORK-shared, in which agents and checks of a script may write for it and read what it left there, and
// lets them do so in further folders too: share [FOLDER...]. The person's own file of the sandbox says it.
func share(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: share [FOLDER...]")
	}
	shared := ts.Getenv("WORK") + "-shared"
	ts.Check(os.MkdirAll(shared, 0o755))
	ts.Defer(func() { _ = os.RemoveAll(shared) })
	file := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "jacquard", "sandbox.yaml")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, []byte("write: ["+strings.Join(append(args, shared), ", ")+"]\n"), 0o644))
}

// sandboxed says why stories cannot run in a sandbox here, nil where they can: it is their default as it is that of the program.
var sandboxed = sync.OnceValue(func() error {
	if confine.Default != confine.Full {
		return nil // nor does the program
	}
	err := proc.ProbeSandbox(context.Background(), os.TempDir(), confine.Policy{})
	if err != nil {
		fmt.Fprintf(os.Stderr, "stories run with JACQUARD_SANDBOX=off: no sandbox can be made here: %v\n", err)
	}
	return err
})
