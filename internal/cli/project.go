package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/scenario"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/syntax"
	"github.com/jacquard-build/jacquard/internal/workflow/auto"
	"github.com/jacquard-build/jacquard/internal/workflow/compile"
	"github.com/jacquard-build/jacquard/internal/workflow/develop"
	"github.com/jacquard-build/jacquard/internal/workflow/document"
	"github.com/jacquard-build/jacquard/internal/workflow/work"
)

// project is an opened project directory.
type project struct {
	a     *app
	root  string
	state string // .jacquard
	cache string // what is known of this project's files
	trees string // checkouts of this project that agents and checks work in
	share string // installed dependencies and compilers' caches, of all projects
	conf  config
	repo  *git.Repo
	blobs flow.Blobs
	noGit bool
}

const stateDir = ".jacquard"

// open finds and opens the project; it writes nothing.
func (a *app) open(ctx context.Context) (*project, error) {
	root := a.rootFlag
	if root == "" {
		wd, err := os.Getwd()
		if err != nil {
			return nil, words("find the project: %w", err)
		}
		root = findRoot(wd)
	}
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("--root: %s does not exist", root)
	}
	if err != nil {
		return nil, usage("--root: %v", err)
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return nil, usage("--root: %s is not a directory", root)
	}
	conf, err := readConfig(abs)
	if err != nil {
		return nil, err
	}
	if engine := a.env["JACQUARD_ENGINE"]; engine != "" {
		if conf.Engine = engine; engine != onLocal && engine != onTemporal {
			return nil, usage("JACQUARD_ENGINE is %q: want %s or %s", engine, onLocal, onTemporal)
		}
	}
	a.speak(conf)
	p := &project{a: a, root: abs, state: filepath.Join(abs, stateDir), conf: conf}
	base, err := a.cacheDir()
	if err != nil {
		return nil, err
	}
	p.cache, p.share = filepath.Join(base, shortHash(abs)), filepath.Join(base, "shared")
	p.trees = a.treesDir(p.cache)
	if err := os.MkdirAll(filepath.Join(p.cache, "tmp"), 0o755); err != nil {
		return nil, environment("make the cache folder", err)
	}
	syntax.UseCache(filepath.Join(p.share, "grammars"), func() {
		fmt.Fprint(a.Err, a.lang().T("⚠ the cache of language parsers is damaged; rebuilding it\n"))
	})
	if _, _, err := p.sandbox(""); err != nil {
		return nil, err
	}
	return p, p.openRepo(ctx)
}

func (p *project) openRepo(ctx context.Context) error {
	o := git.Options{Dir: p.root, Env: p.a.Env, Temp: filepath.Join(p.cache, "tmp")}
	repo, err := git.Open(ctx, o)
	if errors.Is(err, git.ErrNotRepo) {
		p.noGit = true
		if err := p.makeState(); err != nil {
			return err
		}
		repo, err = git.Private(ctx, o, filepath.Join(p.state, "git"))
	}
	if errors.Is(err, git.ErrNoGit) {
		return fail(flow.Environment, "git is not installed: install git 2.38 or newer and try again")
	}
	if err != nil {
		return err
	}
	p.repo = repo
	return nil
}

// cacheDir is the folder of checkouts and caches, outside of all projects so
// that no tool scans them.
func (a *app) cacheDir() (string, error) {
	base := a.env["XDG_CACHE_HOME"]
	if runtime.GOOS == "windows" {
		base = a.env["LOCALAPPDATA"]
	}
	if base == "" || !filepath.IsAbs(base) {
		home := a.env["HOME"]
		if runtime.GOOS == "windows" {
			home = a.env["USERPROFILE"]
		}
		if home == "" {
			return "", fail(flow.Environment, "neither XDG_CACHE_HOME nor HOME is set: set one of them, checkouts are stored there")
		}
		base = filepath.Join(home, ".cache")
	}
	return filepath.Join(base, "jacquard"), nil
}

// treesDir is where checkouts lie, given the project's own cache. Tools take a directory whose name begins with a dot for a hidden
// one, and so treat all below it: servers refuse files, linters and globs pass them over, tests hang (express, measured). So
// they are not below ~/.cache; a cache that somebody has put elsewhere is taken as it is.
func (a *app) treesDir(cache string) string {
	home := a.env["HOME"]
	if runtime.GOOS == "windows" || home == "" || !strings.HasPrefix(cache, filepath.Join(home, ".cache")+string(filepath.Separator)) {
		return cache
	}
	mine := filepath.Join("/var/tmp", "jacquard-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(mine, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return cache
	}
	if !ownDir(mine) { // others may write there
		return cache
	}
	return filepath.Join(mine, filepath.Base(cache))
}

// makeState makes .jacquard, which ignores itself.
func (p *project) makeState() error {
	if st, err := os.Stat(p.state); err == nil && !st.IsDir() {
		return fail(flow.Environment, "%s is a file, but runs are stored in a folder of that name: move the file away", stateDir)
	}
	if err := os.MkdirAll(p.state, 0o755); err != nil {
		return environment("make %s", err, stateDir)
	}
	ignore := filepath.Join(p.state, ".gitignore")
	if st, err := os.Stat(ignore); err == nil && st.Size() > 0 { // an empty one was left by a disk that was full
		return nil
	}
	if err := os.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
		return environment("make %s", err, stateDir)
	}
	return nil
}

// store opens the blob store, making the state folder when it is new.
func (p *project) store() error {
	if p.blobs != nil {
		return nil
	}
	if err := p.makeState(); err != nil {
		return err
	}
	var err error
	p.blobs, err = act.OpenBlobs(filepath.Join(p.state, "blobs"))
	return err
}

// exists reports whether the project may have runs: a journal is here, or its runs are on a cluster, where those that were
// started in other clones are too.
func (p *project) exists() bool {
	if p.conf.Engine == onTemporal {
		return true
	}
	_, err := os.Stat(filepath.Join(p.state, "journal.db"))
	return err == nil
}

// journal opens the runtime for reading and signals: no handlers.
func (p *project) journal(ctx context.Context) (keeper, error) {
	if !p.exists() {
		return nil, usage("there are no runs in %s yet: start with jacquard do \"…\" or jacquard build", p.root)
	}
	if err := p.store(); err != nil {
		return nil, err
	}
	// The handlers are there for a cancel: what was running is ended by them.
	o := p.planOptions()
	o.Blobs = p.blobs
	l := local.Options{
		Dir: p.state, Workflows: workflows(), Version: definitionVersion(), Blobs: o.Blobs, Handlers: act.New(o).Handlers(), Sweep: act.Sweep, Driver: p.driver(),
	}
	here, err := local.Open(ctx, l)
	if err != nil {
		return nil, err
	}
	if hosted, err := here.Hosted(ctx); err != nil || p.conf.Engine != onTemporal && !hosted {
		return here, err
	}
	there, err := p.cluster(ctx, l, driveOptions{})
	if err != nil {
		fmt.Fprintf(p.a.Err, "jacquard: "+p.a.lang().T("runs on the cluster are not listed: %v")+"\n", inLang(p.a.lang(), err))
		return here, nil
	}
	return &both{keeper: here, there: there}, nil
}

func workflows() []flow.Runnable {
	return []flow.Runnable{compile.Workflow, document.Decompile, document.Spec, work.Workflow, auto.Workflow, develop.Workflow}
}

// driveOptions are the flags that say how a run is carried on.
type driveOptions struct {
	agent    string
	model    string
	scenario string
	mailbox  string
	follow   bool
	record   string
	replay   string
	jobs     int
	pool     string
	begun    func(lane string) (ended func(failed bool)) // told of each step that a worker begins
	on       string                                      // local or temporal; "" is what jacquard.yaml says
	accept   bool
	wait     bool
	budget   string
	fresh    bool
	quiet    bool
	verbose  bool
	sandbox  string // full, partial, outside or off; "" is what is configured
}

// engine is a runtime with everything that carries out steps.
type engine struct {
	keeper

	pool     string // that new runs are given to
	actor    *act.Actor
	gateways []*gateway.Gateway // one for each provider that agents reach through us
	tape     *gateway.Tape
	record   string
	redact   gateway.Redactor
}

func (e *engine) close() error {
	errs := []error{e.Close(), e.actor.Close(), e.closeGateways()}
	if e.tape != nil {
		errs = append(errs, e.tape.Save(e.record, e.redact))
	}
	return errors.Join(errs...)
}

func (e *engine) closeGateways() error {
	var errs []error
	for _, g := range e.gateways {
		errs = append(errs, g.Close())
	}
	return errors.Join(errs...)
}

// engine opens the runtime with an actor and the chosen agents.
func (p *project) engine(ctx context.Context, o driveOptions, progress func(flow.Event)) (*engine, error) {
	if o.jobs < 0 {
		return nil, usage("--jobs %d: want 1 or more", o.jobs)
	}
	if o.follow && !p.a.json {
		return nil, usage("--follow needs --json")
	}
	where, err := p.on(o)
	if err != nil {
		return nil, err
	}
	p.a.stream, p.a.quiet, p.a.verbose = o.follow, o.quiet, o.verbose
	sources := 0
	for _, s := range []string{o.scenario, o.mailbox, o.replay} {
		if s != "" {
			sources++
		}
	}
	if sources > 1 || o.record != "" && sources > 0 {
		return nil, usage("--scenario, --mailbox, --replay and --record contradict each other: give one of them")
	}
	if err := p.store(); err != nil {
		return nil, err
	}
	e := &engine{}
	ao, err := p.agents(ctx, o, e)
	if err != nil {
		return nil, err
	}
	e.actor = act.New(ao)
	maxWait := time.Minute
	if o.wait {
		maxWait = 0
	}
	l := local.Options{
		Dir: p.state, Workflows: workflows(), Handlers: e.actor.Handlers(), Blobs: ao.Blobs,
		Limits: limits(p.jobs(o), p.checksAtOnce(o)),
		Driver: p.driver(), Version: definitionVersion(), Accept: o.accept, MaxWait: maxWait,
		Sweep: act.Sweep, Progress: progress, Committed: p.a.killAt("append"),
	}
	if where == onTemporal {
		if e.pool = p.pool(o); e.pool != "" { // turns and checks are bounded by the workers' slots
			jobs := cmp.Or(o.jobs, p.conf.Jobs, poolJobs)
			l.Limits = limits(jobs, jobs)
		}
		if strings.Contains(e.pool, ",") {
			return nil, errors.Join(usage("a run uses one pool, but %q names several", e.pool), e.actor.Close(), e.closeGateways())
		}
		e.keeper, err = p.cluster(ctx, l, o)
	} else {
		e.keeper, err = local.Open(ctx, l)
	}
	if err != nil {
		return nil, errors.Join(err, e.actor.Close(), e.closeGateways())
	}
	return e, nil
}

// poolJobs is how much of a run goes on at once on the workers of a pool, who have bounds of their own, when nobody says.
const poolJobs = 16

// limits are those of a run: so many turns and checks at once, with work waiting for each.
func limits(turns, checks int) flow.Limits {
	return flow.Limits{Lanes: map[string]int{step.Agents: turns, step.Checks: checks, "landing": 1}, Branches: 2 * turns}
}

// jobs is how much goes on at once on this machine.
func (p *project) jobs(o driveOptions) int { return cmp.Or(o.jobs, p.conf.Jobs, 4) }

// checksAtOnce is how many checks of them go on at once: each is as fast as the cores let it.
func (p *project) checksAtOnce(o driveOptions) int { return max(1, min(p.jobs(o), runtime.NumCPU())) }

func (p *project) driver() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// seats say who does which role: configuration, and the flags before it.
func (p *project) seats(o driveOptions) step.Seats {
	s := step.Seats{Run: step.Seat{Agent: cmp.Or(o.agent, p.conf.Agent), Model: cmp.Or(o.model, p.conf.Model)}, More: p.conf.moreAgents(), Tiers: maps.Clone(p.conf.Models), Roles: p.conf.Roles}
	if o.scenario != "" && o.agent == "" {
		s.Run.Agent = step.Scripted
	}
	if m, ok := findMaker(s.Run.Agent); ok && m.high != "" && s.Tiers[step.High] == "" { // who asks for it wants it
		if s.Tiers == nil {
			s.Tiers = map[string]string{}
		}
		s.Tiers[step.High] = m.high
	}
	return s
}

// knows refuses an agent that nobody has told of.
func (p *project) knows(name string) error {
	all := slices.Concat(step.AgentNames(), p.conf.moreAgents())
	if name != "" && !slices.Contains(all, name) {
		return usage("--agent %s: want one of %s", name, strings.Join(all, ", "))
	}
	return nil
}

// agents makes the actor's options: which agents, on whose account.
func (p *project) agents(ctx context.Context, o driveOptions, e *engine) (act.Options, error) {
	secrets := p.a.secrets()
	if addr, _ := p.callbackAddresses(); len(addr.token) >= 8 { // which may stand in CLAUDE.md
		secrets = append(secrets, addr.token)
	}
	e.redact = gateway.NewRedactor(secrets...)
	ao := act.Options{
		Repo: p.repo, NoGit: p.noGit, State: p.state, Documents: p.conf.Docs, Cache: p.cache, Trees: p.trees, Shared: p.share, Env: p.a.toolEnv(), User: p.a.Env, Now: time.Now, Blobs: p.blobs,
		Agents: map[string]act.Agent{}, Seats: p.seats(o), Redact: e.redact, Version: built().Version, Effect: p.a.effects(),
		Limits: agent.Limits{Total: orDefault(p.conf.Limits.Turn, time.Hour), Idle: orDefault(p.conf.Limits.Idle, 15*time.Minute), Linger: 20 * time.Second, MaxTurns: 200},
		Checks: p.checks(), Forge: p.forge,
	}
	ao.Checks.Fresh = o.fresh
	own, err := p.a.readOwnSandbox()
	if err != nil {
		return ao, err
	}
	ao.Bounds = p.bounds(own)
	ao.Limits.Use = ao.Bounds
	if err = p.trusted(); err != nil { // a run that goes on reads the configuration of now
		return ao, err
	}
	if ao.Level, ao.Confine, err = p.confined(ctx, o.sandbox); err != nil {
		return ao, err
	}
	if ao.Name, ao.Email, err = p.repo.Identity(ctx); err != nil {
		return ao, err
	}
	if o.record != "" {
		e.tape, e.record = &gateway.Tape{}, o.record
	}
	for _, name := range ao.Seats.Agents(p.conf.Panel...) {
		if m, ok := findMaker(name); ok {
			ao.Agents[name], err = p.real(ctx, m, o, e)
		} else if _, ok := p.conf.ACP[name]; ok {
			ao.Agents[name], err = p.configured(name, o)
		} else if name == step.Scripted {
			ao.Agents[name], err = p.scripted(o)
		} else {
			err = usage("agent %q: want %s or scripted", name, p.conf.agentNames())
		}
		if err != nil {
			return ao, errors.Join(err, e.closeGateways())
		}
	}
	return ao, nil
}

func orDefault(d duration, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return time.Duration(d)
}

func readScenario(path string) (scenario.Scenario, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return scenario.Scenario{}, usage("--scenario: %v", err)
	}
	s, problems := scenario.Parse(raw)
	if len(problems) > 0 {
		var all []string
		for _, pr := range problems {
			all = append(all, path+": "+pr.String())
		}
		return s, usage("%s", strings.Join(all, "\n"))
	}
	return s, nil
}

// secrets are the values that must never be stored.
func (a *app) secrets() []string {
	var out []string
	for k, v := range a.env {
		for _, part := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"} {
			if strings.Contains(strings.ToUpper(k), part) && len(v) >= 8 {
				out = append(out, v)
				break
			}
		}
	}
	return out
}

// toolEnv is the allow-list of what tools and agents may see of the user's
// environment: where programs and caches are, and how to reach registries.
func (a *app) toolEnv() []string {
	names := []string{
		"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "SYSTEMROOT", "COMSPEC", "PATHEXT", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
		"GOROOT", "GOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOSUMDB", "GOPRIVATE", "GOFLAGS", "GOTOOLCHAIN", "GOMODCACHE", "GOCACHE", "GOPATH", "GORACE",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"npm_config_registry", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_CACHE_DIR", "UV_INDEX_URL", "UV_CACHE_DIR",
		"PLAYWRIGHT_BROWSERS_PATH", "JAVA_HOME", "RUSTUP_HOME", "CARGO_HOME", "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR", "VOLTA_HOME",
	}
	var out []string
	for _, n := range names {
		if v, ok := a.env[n]; ok && v != "" {
			out = append(out, n+"="+v)
		}
	}
	return out
}

// newID makes a short run id that can be read out loud.
func newID() string {
	var b [5]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // it is documented never to fail
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// find resolves a run id or a unique prefix of one; "" is the newest run.
func find(ctx context.Context, rt flow.Runtime, prefix string) (flow.Run, error) {
	runs, err := rt.Runs(ctx)
	if err != nil {
		return flow.Run{}, err
	}
	if prefix != "" {
		return pick(runs, prefix)
	}
	if len(runs) == 0 {
		return flow.Run{}, usage("there are no runs yet: start with jacquard do \"…\" or jacquard build")
	}
	return runs[0], nil
}

// reportOf folds all events of a run.
func reportOf(ctx context.Context, rt flow.Runtime, r flow.Run) (*report.Run, error) {
	rep := report.New(r)
	events, err := rt.Events(ctx, r.ID, 0)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		rep.Apply(e)
	}
	rep.State, rep.Gates = r.State, r.Gates
	return rep, nil
}
