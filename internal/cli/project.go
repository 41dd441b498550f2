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

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/blob"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
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
	a.speak(conf.Lang)
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
	p.blobs, err = blob.Open(filepath.Join(p.state, "blobs"))
	return err
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

// budget is what a run may spend: as given, else as configured. More than that is for a person to give.
func (p *project) budget(given string) (step.Budget, error) {
	if given == "" && !p.trusts(p.spends()) {
		return step.Budget{}, notAllowed(p.spends())
	}
	b, err := parseBudget(cmp.Or(given, p.conf.Budget))
	if err != nil || given == "" {
		return b, err
	}
	most, err := p.allowance()
	if err != nil {
		return b, err
	}
	more := b.USD > cmp.Or(most.USD, mostUnasked.USD) || b.Tokens > cmp.Or(most.Tokens, mostUnasked.Tokens)
	return b, p.a.byPerson(more, "--budget for more than is configured")
}

// allowance is the budget that a person has configured, or, where only the repository says it, what it may have anyhow.
func (p *project) allowance() (step.Budget, error) {
	b, err := parseBudget(p.conf.Budget)
	if !p.trusts(p.spends()) {
		b = step.Budget{USD: min(b.USD, mostUnasked.USD), Tokens: min(b.Tokens, mostUnasked.Tokens)}
	}
	return b, err
}

// inProject opens the project for a command.
func (a *app) inProject(do func(ctx context.Context, p *project, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		p, err := a.open(c.Context())
		if err != nil {
			return err
		}
		return do(c.Context(), p, args)
	}
}
