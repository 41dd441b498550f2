package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// What a check gives is a function of the tree, the command, the versions of the tools and the environment. So it is recorded
// under a hash of these, and a run that was resumed, repeated or tried again takes what was proved already.
//
//   - Only commands of the toolchain table are recorded: they depend on nothing that an earlier command in the same place has
//     made. A project's own commands, browsers and terminals run each time, and so does what nobody can tell the version of.
//   - A run counts only if it ended by itself, changed no tracked file, left nothing behind, and printed no secret.
//   - A pass is recorded if tests were run and none was skipped: a skip may be a matter of the machine.
//   - Failures of tests are recorded only where a proof wants them and has passed: tests without the implementation, mutants.
//     Any other failure may come from what is not in the key, a service that was down or a disk that was full. It is known to
//     the one step that has seen it, and runs again in the next.
//   - What is run again to find flakes is never recorded, and a run that fails takes away the pass that was recorded.
//   - Rules are not recorded: a difference is audited each time.
//
// A baseline, which is what all of a project's own checks give on a tree that nobody has touched, is kept for every runner and whatever it gave,
// because nearly every project has a test that is skipped or fails, and most have commands of their own (kept.go).
//
//   - It is kept as a whole, the tests of a toolchain after its build and all commands together: what one command leaves for the next is part of it.
//   - Its key is the tree, all commands and their order, the environment, the installation, this build of the program, and the tools. Which of them a
//     script of the project runs is not known. So the key has all files on PATH, with sizes and times: no list of tools, nothing is started, and what
//     is installed or updated anywhere there counts. Programs that only lead to others (rustup's, Volta's) do not change with these; those of the
//     table are asked for their versions too, and what an installation has is told by its id.
//   - Only what ended by itself is kept, had results, and says what is wrong in them: no build that fails for a reason without a place, no run that
//     shows nothing, no secret, nothing where commands may connect to services. Without a full sandbox, no failure of something out of reach.
//   - Failures and flakes are kept as well. People are shown them, and doctor --fresh looks again. Alone they decide nothing, for a service may have
//     been down: before one excuses a change, or a kept pass accuses it, these tests are run again on the base, alone; where one does not stand as it
//     did, all are, and what is kept is replaced (FailedBefore). That no test is gone is believed only where all passed, all do now, and the sandbox is
//     full (allGoOn): a script may leave out what a service is missing for.
//   - No proof takes anything of it for evidence of a pass.
//
// The record is a cache. An error of it is never one of the proof: the check runs. Whoever can write into its directory can
// forge it, as he can the journal; see docs/concepts/security.md.

// recordFormat is part of every key: what is recorded in one format is not there for another one.
const recordFormat = "checks 1"

const (
	mostRecorded = 4 << 20             // bytes of one entry; what prints more runs each time
	recordedFor  = 30 * 24 * time.Hour // an entry that is older is not used, one that was not used for so long goes
)

// recorded is a run of a command as it is kept. Paths of the place are taken out of the texts.
type recorded struct {
	Record  step.Record `json:"record"`
	Proof   string      `json:"proof"` // what it counted in
	Stdout  []byte      `json:"stdout"`
	Stderr  []byte      `json:"stderr"`
	Report  []byte      `json:"report,omitempty"` // the runner's report, where it is one file
	Reports [][]byte    `json:"reports,omitempty"`
	Sum     string      `json:"sum"` // of all the above
}

// sum finds entries that were torn or damaged.
func (r recorded) sum() string {
	r.Sum = ""
	raw, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(raw)
	return hex.EncodeToString(h[:])
}

// mapped is the run with its texts changed.
func (r recorded) mapped(f func([]byte) []byte) recorded {
	r.Stdout, r.Stderr, r.Report, r.Reports = f(r.Stdout), f(r.Stderr), f(r.Report), each(r.Reports, f)
	return r
}

// recordable are the commands of the toolchain table that give the same again.
var recordable = []string{"test", "build", "compile", "lint", "coverage"}

// versionsOf says for a program of the table what tells its version and those of the tools it runs.
var versionsOf = map[string][][]string{
	"go": {{"go", "version"}}, "node": {{"node", "--version"}}, "python": {{"python", "-VV"}}, "bun": {{"bun", "--version"}}, "deno": {{"deno", "--version"}},
	"cargo": {{"cargo", "--version"}, {"rustc", "-Vv"}}, "mvn": {{"mvn", "--version"}},
}

// versionFiles are files of a project that choose the version of a tool.
var versionFiles = []string{"rust-toolchain", "rust-toolchain.toml", ".python-version", ".node-version", ".nvmrc", ".tool-versions", "mise.toml", "package.json"}

// toolCaches are directories that tools keep for themselves, by ecosystem. What is in them changes no result.
var toolCaches = map[string][]string{
	toolchain.Python: {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"},
	toolchain.Rust:   {"target"},
	toolchain.JVM:    {"target", "build", ".gradle", ".kotlin"},
}

// key names a run of a command here and now, "" when such a run is not recorded. state is what is in the place.
func (p *place) key(ctx context.Context, cmd toolchain.Command, env []string, install bool) (key, state string, err error) {
	if p.c.o.Record == "" || install || p.stamps == nil || len(p.chain.Override) > 0 || !slices.Contains(recordable, cmd.Name) {
		return "", "", nil
	}
	if p.c.serves() {
		return "", "", nil
	}
	tools, err := p.versions(ctx, cmd, env)
	if err != nil || tools == "" {
		return "", "", err
	}
	if state, err = p.state(); err != nil {
		return "", "", nil //nolint:nilerr // a file that cannot be read is a matter of the check, which says so
	}
	raw, err := json.Marshal([]any{
		recordFormat, runtime.GOOS, runtime.GOARCH, p.tree, p.c.repo.Prefix(), state, p.c.o.Setup, p.deps.id(),
		cmd.Name, cmd.Argv, cmd.Dir, cmd.Env, cmd.Report, tools, p.unplaced([]byte(strings.Join(env, "\x00"))), p.c.o.Level, p.c.o.Confine,
	})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), state, err
}

// serves reports whether commands may connect to services of this machine, which may answer otherwise the next time.
func (c *Checker) serves() bool {
	return c.o.Confine != nil && len(c.o.Confine.Ports)+len(c.o.Confine.Sockets) > 0
}

// id names an installation: another one of the same manifests may have other packages.
func (d prepared) id() string {
	info, err := os.Stat(filepath.Join(d.dir, "sealed"))
	if err != nil {
		return filepath.Base(d.dir)
	}
	return fmt.Sprint(filepath.Base(d.dir), info.ModTime().UnixNano())
}

// state is what is in the place besides the tree and the installed dependencies: stubs, mutants, copied files, what earlier
// commands have made.
func (p *place) state() (string, error) {
	h := sha256.New()
	ours := map[string]bool{".": true} // directories with files of the tree, or with stubs
	for _, list := range []func(func(string) bool){maps.Keys(p.entries), maps.Keys(p.edited)} {
		for name := range list {
			for dir := path.Dir(name); !ours[dir] && dir != ".."; dir = path.Dir(dir) {
				ours[dir] = true
			}
		}
	}
	err := walk(p.root, func(name, rel string, d fs.DirEntry) error {
		if d.IsDir() {
			switch {
			case slices.Contains(p.deps.copies, rel), !ours[rel] && slices.Contains(toolCaches[p.chain.Ecosystem], d.Name()):
				return fs.SkipDir
			case !ours[rel]:
				fmt.Fprintf(h, "%q\n", rel)
			}
			return nil
		}
		if _, tracked := p.entries[rel]; tracked && !p.edited[rel] {
			if now, ok := p.stampOf(rel); ok && now == p.stamps[rel] {
				return nil
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		switch {
		case info.Mode().IsRegular():
			text, err = os.ReadFile(name)
		case info.Mode()&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(name)
			text = []byte(to)
		}
		fmt.Fprintf(h, "%q %o %x\n", rel, info.Mode(), sha256.Sum256(text))
		return err
	})
	for _, name := range slices.Sorted(maps.Keys(p.edited)) {
		if _, err := os.Lstat(p.full(name)); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(h, "%q gone\n", name)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// versions are those of a command's program and of the tools that it runs, "" where they cannot be told. The error is that of a
// context that has ended.
func (p *place) versions(ctx context.Context, cmd toolchain.Command, env []string) (string, error) {
	asked := versionsOf[cmd.Argv[0]]
	if asked == nil {
		return "", nil
	}
	name := []string{"versions", cmd.Argv[0], cmd.Dir, p.deps.id(), fmt.Sprint(p.stamps == nil)} // before all is in its place, programs are others
	for _, f := range versionFiles {
		name = append(name, p.entries[f].ID, p.entries[path.Join(cmd.Dir, f)].ID)
	}
	for _, kv := range those(env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }) {
		name = append(name, string(p.unplaced([]byte(kv))))
	}
	key := strings.Join(name, "\x00")
	defer p.c.locks.lock(key)()
	if told, ok := p.c.tools.Load(key); ok {
		return told.(string), nil //nolint:forcetypeassert // nothing else is stored
	}
	told := ""
	for _, argv := range asked {
		// With a mark what it leaves running is ended: go has a child that writes into its home.
		mark := p.c.o.Mark + filepath.Base(p.dir) + "-version"
		policy, err := p.policy(env, false)
		if err != nil {
			return "", err
		}
		res, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: p.full(cmd.Dir), Env: env, Confine: policy, Total: time.Minute, Mark: mark})
		if cause := context.Cause(ctx); cause != nil {
			return "", fmt.Errorf("ask for the version of %s: %w", argv[0], cause)
		}
		if err != nil || res.Exit != 0 {
			told = "" // the command itself will say what is wrong
			break
		}
		told += strings.Join(argv, " ") + ": " + string(p.unplaced([]byte(res.Stdout.Text+res.Stderr.Text))) + "\n"
	}
	if told != "" { // else the next command asks again
		p.c.tools.Store(key, told)
	}
	return told, nil
}

// version is what the program of a command and the tools that it runs say of themselves, in a line.
func (p *place) version(ctx context.Context, cmd toolchain.Command, env []string) (string, error) {
	told, err := p.versions(ctx, cmd, env)
	var out []string
	for _, argv := range versionsOf[cmd.Argv[0]] {
		if _, after, ok := strings.Cut(told, strings.Join(argv, " ")+": "); ok {
			line, rest, _ := strings.Cut(after, "\n")
			out = append(out, strings.TrimSpace(line))
			if _, java, ok := strings.Cut(rest, "Java version: "); ok {
				out = append(out, "Java "+java[:strings.IndexAny(java+"\n", ",\n")])
			}
		}
	}
	return strings.Join(out, ", "), err
}

// What stands in texts of the record for the place of a check tree, and for the cache.
const (
	placeToken = "\x01place\x01"
	cacheToken = "\x01cache\x01"
)

// fromTree leaves of paths in such texts what they are in the project.
var fromTree = strings.NewReplacer(placeToken+"/tree/", "", placeToken+"/tree", ".", placeToken+"/", "", placeToken, ".", cacheToken+"/", "")

func (p *place) unplaced(b []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(p.dir), []byte(placeToken)), []byte(p.c.o.Cache), []byte(cacheToken))
}

func (p *place) placed(b []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(placeToken), []byte(p.dir)), []byte(cacheToken), []byte(p.c.o.Cache))
}

// stepFailures are the failures that one step has seen. They are not run twice in it.
type stepFailures struct {
	mu   sync.Mutex
	runs map[string]recorded // nil outside of a step
}

// failure is a run that failed, with its key.
type failure struct {
	key string
	recorded
}

// ForStep returns a Checker for one step, which remembers what failed in it.
func (c *Checker) ForStep() *Checker {
	one := *c
	one.failures = &stepFailures{runs: map[string]recorded{}}
	return &one
}

// Tell makes a Checker of one step say which commands begin.
func (c *Checker) Tell(runs func(what string)) { c.o.Runs = runs }

// recall gives the run that is known under a key, nil when there is none that can be used.
func (p *place) recall(key string) *recorded {
	if key == "" {
		return nil
	}
	p.c.failures.mu.Lock()
	r, ok := p.c.failures.runs[p.stepKey(key)]
	p.c.failures.mu.Unlock()
	if !ok {
		if p.rerun || p.c.o.Fresh {
			return nil
		}
		if r, ok = p.c.read(key); !ok {
			return nil
		}
		now := time.Now() //nolint:forbidigo // how old the record is; people are told
		r.Record.Reused = step.Reused{Proof: r.Proof, Millis: now.UnixMilli() - r.Record.Started}
	}
	r = r.mapped(p.placed)
	r.Record.Tree = p.tree
	return &r
}

// stepKey is the key of a run in one step: what is run again to find flakes is not the first run.
func (p *place) stepKey(key string) string {
	if p.rerun {
		return "again" + p.round + " " + key
	}
	return key
}

func (c *Checker) recordFile(key string) string {
	return filepath.Join(c.o.Record, key[:2], key+".json")
}

// read gives an entry of the record.
func (c *Checker) read(key string) (r recorded, ok bool) {
	file := c.recordFile(key)
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, &r) != nil || r.Sum != r.sum() {
		return r, false
	}
	now := time.Now() //nolint:forbidigo // compared with the times of files and records only
	if now.Sub(time.UnixMilli(r.Record.Started)) > recordedFor {
		return r, false
	}
	_ = os.Chtimes(file, now, now) // without it the entry goes sooner
	return r, true
}

// remember keeps a run that left the place as it was; see above which, and for how long.
func (p *place) remember(key, before string, r recorded, o outcome) {
	if key == "" || o.problem != "" || r.Record.Signal != "" {
		return
	}
	if after, err := p.state(); err != nil || after != before {
		return
	}
	size := 0
	printed := func(b []byte) bool { // what nobody may keep, or what another place would misunderstand
		size += len(b)
		return bytes.Contains(b, []byte(filepath.Base(p.dir))) || p.c.o.Secret != nil && p.c.o.Secret(b)
	}
	r.Record, r.Proof = o.Record, string(p.proof)
	r = r.mapped(p.unplaced)
	if slices.ContainsFunc(append([][]byte{r.Stdout, r.Stderr, r.Report}, r.Reports...), printed) || size > mostRecorded {
		return
	}
	passed, failed := verdicts(o)
	if passed && !p.rerun {
		p.c.record(key, r)
		return
	}
	p.c.failures.mu.Lock()
	defer p.c.failures.mu.Unlock()
	if p.c.failures.runs != nil {
		p.c.failures.runs[p.stepKey(key)] = r
	}
	if p.rerun {
		return
	}
	_ = os.Remove(p.c.recordFile(key)) // it contradicts this run
	if failed {
		p.failed = append(p.failed, failure{key, r})
	}
}

// verdicts says whether a run is a pass that can be recorded, or a failure of tests.
func verdicts(o outcome) (passed, failed bool) {
	passed = o.Record.Exit == 0
	for _, r := range o.Results {
		passed = passed && r.Status == step.Pass
		failed = failed || bad(r.Status)
	}
	if o.Record.Name == "test" {
		passed = passed && executed(o.Results) > 0
	}
	return passed, failed && o.Record.Name == "test"
}

// recordFailures records failures that a proof wanted.
func (p *place) recordFailures() {
	for _, f := range p.failed {
		p.c.record(f.key, f.recorded)
	}
	p.failed = nil
}

// record writes an entry. It need not be durable: what is lost or torn is not there, and the check runs.
func (c *Checker) record(key string, r recorded) {
	r.Sum = r.sum()
	raw, err := json.Marshal(r)
	if err != nil {
		return
	}
	if file := c.recordFile(key); os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = WriteWhole(file, raw) // one that is not there is run
	}
}

// PruneRecord removes what a record holds and nobody has used for a month. It returns the number of bytes.
func PruneRecord(dir string) (int64, error) {
	var freed int64
	now := time.Now() //nolint:forbidigo // compared with the times of files only
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || now.Sub(info.ModTime()) < recordedFor {
			return nil //nolint:nilerr // somebody else has removed it
		}
		if os.Remove(name) == nil {
			freed += info.Size()
		}
		return nil
	})
	return freed, err
}

// reused is where results are from of which none was run now, the oldest; zero where one was.
func reused(records []step.Record) (from step.Reused) {
	for _, r := range records {
		if r.Reused.Proof == "" {
			return step.Reused{}
		}
		if r.Reused.Millis >= from.Millis {
			from = r.Reused
		}
	}
	return from
}
