package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// outcome is what one command gave.
type outcome struct {
	Record  step.Record
	Results []step.TestResult
	report  []byte
	output  []byte // what it printed
	tail    string
	// problem says why the run is no evidence: it changed tracked files, was ended, or its report cannot be read.
	problem    string
	unreported bool // the problem is that there is no report
	streamed   bool // what writes the report exits with 0 whatever it says
}

// exited reports whether the command ended on its own with code 0 and is evidence.
func (o outcome) clean() bool { return o.problem == "" && o.Record.Exit == 0 }

// allowed are the names that checks take from the surrounding environment.
var allowed = []string{
	"PATH", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "SYSTEMDRIVE", "PROGRAMFILES",
	"PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "GOROOT", "GOTOOLCHAIN", "GOEXPERIMENT", "CGO_ENABLED", "CC", "CXX",
	"PLAYWRIGHT_BROWSERS_PATH", "JAVA_HOME", "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR", "VOLTA_HOME", "COREPACK_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
}

// allowedInstall are further names that installing dependencies takes: where registries are and how to reach them.
var allowedInstall = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
	"NODE_EXTRA_CA_CERTS", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOAUTH",
}

var allowedInstallPrefix = []string{"PIP_", "UV_", "NPM_CONFIG_", "POETRY_", "YARN_", "BUN_", "CARGO_", "MAVEN_", "BUNDLE_MIRROR", "HEX_MIRROR"}

// nameOf is the name of a variable.
func nameOf(kv string) string {
	name, _, _ := strings.Cut(kv, "=")
	return name
}

// lookup finds a variable in the surrounding environment.
func (c *Checker) lookup(name string) string {
	for _, kv := range c.o.Env {
		if k, v, ok := strings.Cut(kv, "="); ok && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// env is the environment of a command. home and tmp are its own, programs are directories before those of PATH; install also
// lets it reach registries.
func (c *Checker) env(home, tmp string, programs, extra []string, install bool) []string {
	vars := map[string]string{}
	for _, kv := range c.o.Env {
		k, v, ok := strings.Cut(kv, "=")
		if up := strings.ToUpper(k); ok && (slices.Contains(allowed, up) || install && ofInstall(up)) {
			vars[k] = v
		}
	}
	set := map[string]string{
		"HOME": home, "USERPROFILE": home, "APPDATA": home, "LOCALAPPDATA": home, "TMPDIR": tmp, "TMP": tmp, "TEMP": tmp,
		"XDG_CACHE_HOME": filepath.Join(home, ".cache"), "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"XDG_DATA_HOME": filepath.Join(home, ".local"), "TZ": "UTC",
		"GOPATH": filepath.Join(home, "go"), "GOCACHE": filepath.Join(c.o.Cache, "go-build"),
		"GOMODCACHE": filepath.Join(c.o.Cache, "go-mod"), "GOENV": "off", "GOFLAGS": "-buildvcs=false",
		"PYTHONNOUSERSITE": "1", "npm_config_cache": filepath.Join(c.o.Cache, "npm"), "npm_config_update_notifier": "false",
		"PIP_CACHE_DIR": filepath.Join(c.o.Cache, "pip"), "UV_CACHE_DIR": filepath.Join(c.o.Cache, "uv"),
		"PIP_DISABLE_PIP_VERSION_CHECK": "1", "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
	}
	for _, shell := range []string{"/bin/sh", "/bin/bash"} { // programs that start a shell ask for the user's: the one of most CI
		if _, err := os.Stat(shell); err == nil {
			set["SHELL"] = shell
		}
	}
	if install {
		if real := c.lookup("HOME"); real != "" && c.lookup("NPM_CONFIG_USERCONFIG") == "" {
			set["npm_config_userconfig"] = filepath.Join(real, ".npmrc")
		}
	} else {
		set["GOPROXY"] = "off" // everything was installed before
	}
	// The programs of rustup look for the compiler below the home directory.
	if real := c.lookup("HOME"); real != "" && c.lookup("RUSTUP_HOME") == "" {
		if dir := filepath.Join(real, ".rustup"); isDir(dir) {
			set["RUSTUP_HOME"] = dir
		}
	}
	maps.Copy(vars, set)
	for k, v := range vars {
		if strings.EqualFold(k, "PATH") {
			vars[k] = strings.Join(append(slices.Clone(programs), v), string(os.PathListSeparator))
		}
	}
	for _, kv := range extra {
		if k, v, ok := strings.Cut(kv, "="); ok {
			vars[k] = v
		}
	}
	out := each(slices.Collect(maps.Keys(vars)), func(k string) string { return k + "=" + vars[k] })
	slices.Sort(out)
	return out
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// exec runs a command in the place. A run that failed is an outcome; an error means that it could not be run at all, as an
// EnvironmentError when something is missing.
func (p *place) exec(ctx context.Context, cmd toolchain.Command, install bool) (outcome, error) {
	if cmd.Refuse != "" && len(cmd.Argv) == 0 {
		return outcome{}, &EnvironmentError{Install: cmd.Refuse}
	}
	if cmd.Report == toolchain.ReportSurefire {
		if err := p.oldReports(); err != nil {
			return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, err)
		}
	}
	for _, old := range p.written(cmd.Written) {
		if err := os.Remove(old); err != nil {
			return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, err)
		}
	}
	p.runs++
	report := filepath.Join(p.dir, "reports", strconv.Itoa(p.runs))
	dir := p.full(cmd.Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil { // mkdir build && cd build
		return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, err)
	}
	argv, err := p.argv(cmd, report, dir)
	if err != nil {
		return outcome{}, err
	}
	extra := each(append(p.environment(install), cmd.Env...), strings.NewReplacer("{root}", dir, "{env}", p.deps.home(p)).Replace)
	env := p.c.env(filepath.Join(p.dir, "home"), filepath.Join(p.dir, "tmp"), p.programs(), extra, install)
	key, before, err := p.key(ctx, cmd, env, install)
	version, unasked := p.version(ctx, cmd, env)
	if err := cmp.Or(err, unasked); err != nil {
		return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, err)
	}
	if r := p.recall(key); r != nil {
		r.Record.Version = version
		return p.outcome(cmd, *r)
	}
	policy, err := p.policy(env, install)
	if err != nil {
		return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, err)
	}
	bounds := p.bounds(cmd, p.c.o.Limits)
	if policy != nil {
		policy.Limits = p.bounds(cmd, policy.Limits)
	}
	var stdout, stderr bytes.Buffer
	outlet, reach, serve, err := p.outlet(policy, env, install)
	if err != nil {
		return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, err)
	}
	if p.c.o.Runs != nil {
		p.c.o.Runs(cmd.Name + ": " + CommandText(cmd))
	}
	res, err := proc.Run(ctx, proc.Command{
		Argv: argv, Dir: dir, Env: reach, Confine: policy, Serve: serve, Limits: bounds, Output: &stdout, Errors: &stderr, Total: p.limit(cmd),
		Mark: p.c.o.Mark + filepath.Base(p.dir) + "-" + strconv.Itoa(p.runs),
	})
	if errors.Is(err, proc.ErrNotFound) || errors.Is(err, proc.ErrPermission) {
		return outcome{}, missingTool(cmd, argv[0], err)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, err)
	}
	if cause := context.Cause(ctx); cause != nil && res.Ended == proc.Cancelled {
		return outcome{}, fmt.Errorf("check %s: %w", cmd.Name, cause)
	}
	p.c.tellRefused(outlet, res.Exit != 0, &stdout, &stderr)
	if err := diskFull(res, p.dir, &stdout, &stderr); err != nil {
		return outcome{}, err
	}
	r := recorded{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Record: step.Record{
		Name: cmd.Name, Argv: cmd.Argv, Text: CommandText(cmd), Shows: p.proof, Dir: cmd.Dir, Env: each(env, nameOf), Started: res.Started.UnixMilli(),
		Millis: res.Duration.Milliseconds(), Exit: res.Exit, Signal: res.Signal, Tree: p.tree,
		Toolchain: p.chain.Ecosystem + "/" + p.chain.Manager + "/" + p.chain.Runner, Version: version, Sandbox: string(p.c.o.Level),
	}}
	r.Record.Ended = p.ended(cmd, res)
	p.collect(cmd, report, &r)
	o, err := p.outcome(cmd, r)
	if err != nil {
		return outcome{}, err
	}
	p.secret = p.secret || p.c.o.Secret != nil && slices.ContainsFunc(append([][]byte{r.Stdout, r.Stderr, r.Report}, r.Reports...), p.c.o.Secret)
	if err := noModule(cmd, o); err != nil {
		return outcome{}, err
	}
	if err := p.untouched(ctx, &o); err != nil {
		return o, err
	}
	p.remember(key, before, r, o)
	return o, nil
}

// noSpace is what programs say of a full disk.
var noSpace = re.New(`(?i)no space left on device|disk quota exceeded|not enough space on the disk|\bENOSPC\b`)

// little is how much space is left where a disk was full: what a failed command wrote is gone by the time that one looks.
const little = 256 << 20

// diskFull reports a disk that was full while a command ran: what it says then is no finding. That the command says so is not enough.
func diskFull(res proc.Result, dir string, said ...*bytes.Buffer) error {
	if res.Exit == 0 || res.Limit != "" || !slices.ContainsFunc(said, func(b *bytes.Buffer) bool { return noSpace().Match(b.Bytes()) }) {
		return nil
	}
	if free, ok := confine.FreeAt(dir); !ok || free > little {
		return nil
	}
	return fmt.Errorf("%s: %w", dir, syscall.ENOSPC)
}

// ended is what has ended a command, "" if it did so by itself. What it has used is learned: what a limit has ended may use more the next
// time, so that a suite that has grown is ended once.
func (p *place) ended(cmd toolchain.Command, res proc.Result) (why string) {
	used := learned{Memory: res.Used.Memory, Processes: res.Used.Processes, Output: res.Stdout.Total + res.Stderr.Total}
	switch {
	case res.Limit != "":
		why = res.Limit
	case res.Ended == proc.Exited:
		used.Millis = res.Duration.Milliseconds()
	default:
		why, used = string(res.Ended), learned{}
	}
	p.c.learn(p.learnedFile(cmd), used)
	return why
}

// argv fills in what only the place knows.
func (p *place) argv(cmd toolchain.Command, report, dir string) (argv []string, err error) {
	for _, arg := range cmd.Argv {
		if pattern, ok := strings.CutPrefix(arg, "{glob:"); ok {
			argv = append(argv, p.glob(cmd.Dir, strings.TrimSuffix(pattern, "}"))...)
			continue
		}
		filled, err := p.fillIn(arg, report, dir, cmd)
		if err != nil {
			return nil, err
		}
		argv = append(argv, filled)
	}
	return argv, nil
}

// outcome is what a run means, whether it is one of now or of the record.
func (p *place) outcome(cmd toolchain.Command, r recorded) (outcome, error) {
	o := outcome{
		Record: r.Record, output: plain(slices.Concat([]byte("$ "+CommandText(cmd)+"\n"), r.Stdout, r.Stderr)),
		tail: shorten(lastPart(string(r.Stdout), string(r.Stderr))),
	}
	if limit, figure, ok := strings.Cut(r.Record.Ended, ": "); ok {
		o.problem = "ended: " + figure + "; sandbox: {limits: {" + limit + ": …}} in jacquard.yaml sets how much a check may use"
	} else if r.Record.Ended != "" {
		o.problem = "it was ended after " + (time.Duration(r.Record.Millis) * time.Millisecond).String() + "; limits: check in jacquard.yaml sets how long a command may take"
	}
	if err := p.keep(&o, o.output); err != nil {
		return outcome{}, err
	}
	p.parse(&o, cmd, r)
	return o, nil
}

// collect takes what the runner has reported in files.
func (p *place) collect(cmd toolchain.Command, report string, r *recorded) {
	if cmd.Report == toolchain.ReportExit {
		return
	}
	if cmd.Report == toolchain.ReportSurefire {
		r.Reports = p.reports()
		return
	}
	for _, name := range p.written(cmd.Written) {
		if b, err := os.ReadFile(name); err == nil {
			r.Reports = append(r.Reports, b)
		}
	}
	if cmd.Report == toolchain.ReportLCOV {
		if b, err := os.ReadFile(filepath.Join(report, "lcov.info")); err == nil {
			r.Report = b
			return
		}
	}
	if b, err := os.ReadFile(report); err == nil {
		r.Report = b
	}
}

func (p *place) keep(o *outcome, output []byte) error {
	if p.c.o.Store == nil {
		return nil
	}
	sum, err := p.c.o.Store(output)
	if err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	o.Record.Output.SHA256, o.Record.Output.Size, o.Record.Output.Type = sum, int64(len(output)), "text/plain"
	return nil
}

// parse reads the report. A report that is not there is a failure to verify, not a pass.
func (p *place) parse(o *outcome, cmd toolchain.Command, r recorded) {
	switch cmd.Report {
	case toolchain.ReportExit:
		return
	case toolchain.ReportSurefire, toolchain.ReportGoTest, toolchain.ReportBun, toolchain.ReportDeno, toolchain.ReportCargo, toolchain.ReportTAP, toolchain.ReportAny: // not in a file, or in many
	default:
		if r.Report == nil && cmd.Report == toolchain.ReportMocha {
			r.Report = fromBrace(plain(r.Stdout))
		}
		if r.Report == nil {
			if o.problem == "" {
				o.problem, o.unreported = "the runner wrote no report: "+o.tail, true
			}
			return
		}
	}
	o.report = r.Report
	from := reader{chain: p.chain, root: p.root, fileOf: p.fileOf, reports: func() [][]byte { return r.Reports }, tests: sync.OnceValue(p.testFiles), text: p.read}
	results, err := from.read(cmd.Report, r.Report, r.Stdout, o.output)
	if err != nil && o.problem == "" {
		o.problem = "the runner's report cannot be read: " + err.Error()
	}
	o.Results = results
	o.streamed = cmd.Report == toolchain.ReportAny && slices.ContainsFunc(append(r.Reports, r.Report, r.Stdout), streamed)
}

// untouched notes whether the run changed tracked files, and puts them back.
func (p *place) untouched(ctx context.Context, o *outcome) error {
	if p.stamps == nil {
		return nil
	}
	changed, err := p.changed(ctx)
	if err != nil || len(changed) == 0 {
		return err
	}
	if o.Record.Name == toolchain.PrepareName { // what it makes is tracked, and the tests want it; tests it does not make
		counts := func(name string) bool {
			return looksLikeTest(name) || toolchain.ConfigKindOf(name) != toolchain.NoConfig
		}
		for _, name := range without(changed, counts) {
			p.edited[name] = true
			if now, ok := p.stampOf(name); ok {
				p.stamps[name] = now
			} else {
				delete(p.stamps, name)
			}
		}
		if changed = those(changed, counts); len(changed) == 0 {
			return nil
		}
	}
	// A tool that brings its lock file up to date has built and tested what is here all the same.
	wrote := without(changed, func(name string) bool { return toolchain.ConfigKindOf(name) == toolchain.LockConfig })
	if len(wrote) == 0 {
		return p.restore(ctx, changed)
	}
	if o.Record.TreeAfter, err = p.treeNow(ctx, changed); err != nil {
		return err
	}
	o.problem = "it changed tracked files: " + strings.Join(wrote[:min(3, len(wrote))], ", ")
	return p.restore(ctx, changed)
}

// lastPart is the end of what a program said about its failure: on stderr, and on stdout where stderr names no cause.
func lastPart(stdout, stderr string) string {
	s := strings.TrimSpace(stderr)
	says := func(cause func() *regexp.Regexp) bool { return cause().MatchString(s) }
	switch {
	case strings.TrimSpace(colours().ReplaceAllString(s, "")) == "":
		s = strings.TrimSpace(stdout)
	case !slices.ContainsFunc(causes, says):
		if out := strings.TrimSpace(stdout); len(out) > maxMessage/2 {
			stdout = strings.ToValidUTF8(out[len(out)-maxMessage/2:], "")
		}
		s = strings.TrimSpace(s + "\n" + stdout)
	}
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[len(s)-maxMessage:], "")
	}
	return s
}

// noModule recognises that Python has no such program: it starts, and says so.
func noModule(cmd toolchain.Command, o outcome) error {
	for _, n := range cmd.Needs {
		if module, ok := strings.CutPrefix(n.Tool, "py:"); ok && o.Record.Exit != 0 && strings.HasSuffix(strings.TrimSpace(string(o.output)), "No module named "+module) {
			return &EnvironmentError{Tool: module, Install: n.Install}
		}
	}
	return nil
}

func missingTool(cmd toolchain.Command, tool string, why error) error {
	for _, n := range cmd.Needs {
		if n.Tool == tool || strings.HasSuffix(tool, n.Tool) {
			return &EnvironmentError{Tool: n.Tool, Install: n.Install}
		}
	}
	if len(cmd.Needs) > 0 {
		return &EnvironmentError{Tool: tool, Install: cmd.Needs[0].Install}
	}
	switch {
	case !inTree(tool):
		return &EnvironmentError{Tool: tool, Install: "install it and put it on PATH"}
	case errors.Is(why, proc.ErrPermission):
		return &EnvironmentError{Install: tool + " is not executable: run chmod +x on it, then commit"}
	}
	return &EnvironmentError{Install: "there is no file " + tool + " in the repository: correct the command, or commit the file"}
}

// inTree reports whether a program is a file of the project, as ./run.sh is.
func inTree(program string) bool { return strings.Contains(program, "/") && !filepath.IsAbs(program) }

// glob lists the tracked and generated files that a shell would put in the place of a pattern; without any it is the pattern.
func (p *place) glob(dir, pattern string) []string {
	found, err := filepath.Glob(filepath.Join(p.full(dir), filepath.FromSlash(strings.ReplaceAll(pattern, "**", "*"))))
	if err != nil || len(found) == 0 {
		return []string{pattern}
	}
	for i, name := range found {
		if rel, err := filepath.Rel(p.full(dir), name); err == nil {
			found[i] = filepath.ToSlash(rel)
		}
	}
	return found
}

// fillIn replaces the placeholders of one argument.
func (p *place) fillIn(arg, report, dir string, cmd toolchain.Command) (string, error) {
	if spec, ok := strings.CutPrefix(arg, "{bin:"); ok {
		return p.script(strings.TrimSuffix(spec, "}"), dir, cmd)
	}
	own := map[string]struct{ end, text string }{"{jest}": {".cjs", toolchain.JestProgram}, "{gradle}": {".gradle", toolchain.GradleScript}}
	if o, ok := own[arg]; ok { // written each time: what ran before may have changed it
		return report + o.end, os.WriteFile(report+o.end, []byte(o.text), 0o644)
	}
	return strings.NewReplacer("{report}", report, "{root}", dir, "{env}", p.deps.home(p), "{home}", filepath.Join(p.dir, "home"), "{settings}", p.settingsFile()).Replace(arg), nil
}

// script finds the file that an installed npm package runs, in the node_modules directories from dir upwards.
func (p *place) script(spec, dir string, cmd toolchain.Command) (string, error) {
	pkg, name, _ := strings.Cut(spec, "#")
	name = cmp.Or(name, pkg)
	for d := dir; strings.HasPrefix(d, p.dir); d = filepath.Dir(d) {
		home := filepath.Join(d, "node_modules", filepath.FromSlash(pkg))
		b, err := os.ReadFile(filepath.Join(home, "package.json"))
		if err != nil {
			continue
		}
		bins, err := toolchain.Bins(b)
		if err != nil {
			return "", fmt.Errorf("read package %s: %w", pkg, err)
		}
		if file := cmp.Or(bins[""], bins[name]); file != "" {
			return filepath.Join(home, filepath.FromSlash(file)), nil
		}
	}
	needs := those(cmd.Needs, func(n toolchain.Need) bool { return n.Tool == "npm:"+pkg })
	return "", &EnvironmentError{Tool: pkg, Install: append(needs, toolchain.Need{Install: "npm install --save-dev " + pkg})[0].Install}
}

// causes are what a line says that tells why something failed, the surest first.
var causes = []func() *regexp.Regexp{
	re.New(`^error: \S+ cannot be reached: `), // of ours, see tellRefused
	re.New(`(?i)error(?:\[\w+\])?:|\berr_\w+`),
	re.New(`(?i)\b(?:\w*error|cannot|could not|unable|not found|no such|missing|denied|failed|fatal|panic)\b`),
}
