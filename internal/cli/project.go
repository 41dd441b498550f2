package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/syntax"
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
	abs, err := rootOf(root)
	if err != nil {
		return nil, err
	}
	conf, err := readConfig(abs)
	if err != nil && a.steers {
		fmt.Fprintf(a.Err, a.lang().T("⚠ %s (settings are left at their defaults)\n"), inLang(a.lang(), err))
		conf, err = defaults(), nil
	}
	if err != nil {
		return nil, err
	}
	conf.Docs = cmp.Or(a.documents, conf.Docs)
	return a.openWith(ctx, abs, conf)
}

// rootOf is the folder of a project as it is really called.
func rootOf(root string) (string, error) {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", usage("--root: %s does not exist", root)
	}
	if err != nil {
		return "", usage("--root: %v", err)
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return "", usage("--root: %s is not a directory", root)
	}
	if strings.Contains(abs, "\n") { // git lists paths by lines
		return "", usage("the path of the project has a line break in it: %q. Rename the folder", abs)
	}
	return abs, nil
}

// openWith opens a project with settings of the caller's.
func (a *app) openWith(ctx context.Context, abs string, conf config) (*project, error) {
	if engine := a.env["JACQUARD_ENGINE"]; engine != "" {
		if conf.Engine = engine; engine != onLocal && engine != onTemporal {
			return nil, usage("JACQUARD_ENGINE %q: must be %s or %s", engine, onLocal, onTemporal)
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
		return nil, a.noCache(err)
	}
	syntax.UseCache(filepath.Join(p.share, "grammars"), func() {
		fmt.Fprint(a.Err, a.lang().T("⚠ the cache of language parsers is damaged; rebuilding it\n"))
	})
	if _, _, err := p.sandbox(""); err != nil {
		return nil, err
	}
	return p, p.openRepo(ctx)
}

func (p *project) gitOptions() git.Options {
	return git.Options{Dir: p.root, Env: p.a.Env, Temp: filepath.Join(p.cache, "tmp")}
}

// wide reports whether the project would be the user's home folder or all of the disk, because nothing below makes a smaller one.
func (p *project) wide() bool {
	home, err := filepath.EvalSymlinks(p.a.env["HOME"])
	return p.noGit && (err == nil && p.root == home || p.root == filepath.Dir(p.root))
}

// inProject is an error where there is no project: an agent would get everything below.
func (p *project) inProject() error {
	if p.wide() {
		return usage("%s is no project: change to the directory of your project", p.root)
	}
	return nil
}

func (p *project) openRepo(ctx context.Context) error {
	o := p.gitOptions()
	repo, err := git.Open(ctx, o)
	if errors.Is(err, git.ErrNotRepo) {
		p.noGit = true
		dir := filepath.Join(p.state, "git")
		if !exists(dir) { // who only looks leaves nothing in the project
			dir = filepath.Join(p.cache, "git")
		}
		repo, err = git.Private(ctx, o, dir)
	}
	var owner *git.OwnerError
	if errors.As(err, &owner) {
		return fail(flow.Environment, "the repository %s belongs to another user, and git refuses it because its settings can run programs as you. If you trust it, run: git config --global --add safe.directory %s", owner.Dir, shellWord(owner.Dir))
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

// shellWord is a text as one word of a command line, as it is where no shell reads it in another way.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\"'`$&|;<>()*?[]#~!\\") {
		return report.Word(s)
	}
	return s
}

// keepRepo has a project without git keep what a run makes in its own folder.
func (p *project) keepRepo(ctx context.Context) (err error) {
	if dir := filepath.Join(p.state, "git"); p.noGit && !exists(dir) {
		p.repo, err = git.Private(ctx, p.gitOptions(), dir)
	}
	return err
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
			return "", fail(flow.Environment, "XDG_CACHE_HOME and HOME are not set: set one of them, because checkouts are stored there")
		}
		base = filepath.Join(home, ".cache")
	}
	return filepath.Join(base, "jacquard"), nil
}

// noCache is the error of a cache that cannot be written. Codex lets what its model runs write to the project only, but not its MCP servers.
func (a *app) noCache(err error) error {
	if a.env["CODEX_THREAD_ID"] != "" && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		return fail(flow.Environment, "Codex's sandbox does not let Jacquard write its cache: call the tool prove of the MCP server jacquard instead")
	}
	return environment("make the cache folder", err)
}

// writable is an error where the cache cannot be written.
func (p *project) writable() error {
	f, err := os.CreateTemp(filepath.Join(p.cache, "tmp"), "writable-")
	if err != nil {
		return p.a.noCache(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
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
	if _, err := os.Lstat(p.state); err == nil {
		if st, err := os.Stat(p.state); err != nil || !st.IsDir() {
			return fail(flow.Environment, "%s is a file or a broken link, but runs are stored in a folder of that name: move it away", stateDir)
		}
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
	return p.conf.Engine == onTemporal || exists(filepath.Join(p.state, "journal.db"))
}

// reading opens the journal as long as do reads it.
func (p *project) reading(ctx context.Context, do func(keeper) error) error {
	rt, err := p.journal(ctx)
	if err != nil {
		return err
	}
	err = do(rt)
	return cmp.Or(err, rt.Close())
}

// find is that of the package, for who needs nothing else of the journal.
func (p *project) find(ctx context.Context, prefix string) (r flow.Run, err error) {
	err = p.reading(ctx, func(rt keeper) (err error) {
		r, err = find(ctx, rt, prefix)
		return err
	})
	return r, err
}

// reports are those of all runs of a definition, the newest first; none where there is no journal.
func (p *project) reports(ctx context.Context, def string) ([]*report.Run, error) {
	out := []*report.Run{}
	if !p.exists() {
		return out, nil
	}
	err := p.reading(ctx, func(rt keeper) error {
		runs, err := rt.Runs(ctx)
		for _, r := range runs {
			if r.Def != def {
				continue
			}
			rep, err := reportOf(ctx, rt, r)
			if err != nil {
				return err
			}
			out = append(out, rep)
		}
		return err
	})
	return out, err
}

// reportOn is the report of a run, for who needs nothing else of the journal.
func (p *project) reportOn(ctx context.Context, r flow.Run) (rep *report.Run, err error) {
	err = p.reading(ctx, func(rt keeper) (err error) {
		rep, err = reportOf(ctx, rt, r)
		return err
	})
	return rep, err
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
	l := local.Options{
		Dir: p.state, Workflows: workflows(), Version: definitionVersion(), Blobs: p.blobs, Handlers: act.New(p.planOptions()).Handlers(), Sweep: act.Sweep, Driver: p.driver(),
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
		fmt.Fprintf(p.a.Err, "jacquard: "+p.a.lang().T("can't list the runs on the cluster: %v")+"\n", inLang(p.a.lang(), err))
		return here, nil
	}
	return &both{keeper: here, there: there}, nil
}

// secrets are the values that must never be stored.
func (a *app) secrets() []string {
	var out []string
	for k, v := range a.env {
		has := func(part string) bool { return strings.Contains(strings.ToUpper(k), part) }
		if len(v) >= 8 && slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"}, has) {
			out = append(out, v)
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
	return strings.ToLower(rand.Text()[:8])
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:5])
}
