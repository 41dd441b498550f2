package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// What the project's own checks give on a tree that nobody has touched is kept for every runner; record.go says why and how far it is believed.

// baselineFormat is part of the keys of baselines, as recordFormat is of those of runs.
const baselineFormat = "baseline 1"

// mostKept bounds what is kept of one baseline, in bytes: a suite can have a hundred thousand tests.
const mostKept = 64 << 20

// baseKey names what a toolchain's checks give here and now on a tree that nobody has touched, with the dependencies of its own lock files; ""
// where that is not kept. The error is that of the installation, which is made first.
func (c *Checker) baseKey(ctx context.Context, chain toolchain.Found, tree string) (key string, err error) {
	if c.o.Record == "" || c.serves() {
		return "", nil
	}
	deps, err := c.prepare(ctx, tree, chain)
	if err != nil || deps.failed.command != "" { // the next process tries again what failed
		return "", err
	}
	entries, err := c.entriesOf(ctx, tree)
	if err != nil {
		return "", err
	}
	dir, err := c.folder()
	if err != nil {
		return "", err
	}
	p := &place{c: c, dir: dir, root: filepath.Join(dir, "tree"), tree: tree, chain: chain, entries: entries, deps: deps, kits: []kit{{chain, deps}}}
	defer func() { err = joinClose(err, p) }()
	if err := makeFolders(dir, "home", "tmp", "tree"); err != nil {
		return "", err
	}
	commands := slices.Concat(chain.Setup(), chain.Before(), chain.Build(chain.Root), chain.Lint(nil), chain.Test(toolchain.Selection{}))
	env := p.env()
	told, err := p.tellVersions(ctx, commands, env)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal([]any{
		recordFormat, baselineFormat, runtime.GOOS, runtime.GOARCH, tree, c.repo.Prefix(), c.o.Setup, c.o.Copy, deps.id(), chain, commands,
		told, c.programsOn(env, dir), stampOfItself(), p.unplaced([]byte(strings.Join(env, "\x00"))), c.o.Level, c.o.Confine,
	})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// tellVersions asks the programs that some commands begin with for their versions, those of which it is known how. In the place are no more than
// the files that choose a version; a program of an installation is told by the id of that.
func (p *place) tellVersions(ctx context.Context, commands []toolchain.Command, env []string) (told []string, err error) {
	for _, cmd := range append([]toolchain.Command{{Dir: p.chain.Root}}, commands...) {
		if err := os.MkdirAll(p.full(cmd.Dir), 0o755); err != nil {
			return nil, err
		}
		for _, name := range append([]string{"go.mod", "go.work"}, versionFiles...) {
			for _, at := range []string{name, path.Join(cmd.Dir, name)} {
				e, there := p.entries[at]
				if !there || e.Mode == linkMode || p.read(at) != nil {
					continue
				}
				text, err := p.c.repo.ReadBlob(ctx, e.ID)
				if err == nil {
					err = p.write(at, text)
				}
				if err != nil {
					return nil, err
				}
			}
		}
	}
	main := map[string]string{toolchain.Go: "go", toolchain.Node: "node", toolchain.Python: "python", toolchain.Rust: "cargo"}[p.chain.Ecosystem]
	if main != "" { // a script of the project may run it
		commands = append(slices.Clone(commands), toolchain.Command{Argv: []string{main}, Dir: p.chain.Root})
	}
	for _, cmd := range commands {
		if len(cmd.Argv) == 0 || versionsOf[cmd.Argv[0]] == nil {
			continue
		}
		text, err := p.versions(ctx, cmd, env)
		if err != nil {
			return nil, err
		}
		told = addNew(told, cmd.Dir+": "+text)
	}
	return told, nil
}

// programsOn is a hash of all programs on PATH but those below a directory: their names, sizes and times, where links lead. They are looked at once, as
// programs are asked once for their versions.
func (c *Checker) programsOn(env []string, but string) string {
	var dirs []string
	for _, kv := range env {
		if name, list, _ := strings.Cut(kv, "="); strings.EqualFold(name, "PATH") {
			dirs = without(filepath.SplitList(list), func(dir string) bool { return strings.HasPrefix(dir, but) })
		}
	}
	key := "programs " + strings.Join(dirs, "\x00")
	if told, ok := c.tools.Load(key); ok {
		return told.(string) //nolint:forcetypeassert // nothing else is stored
	}
	h := sha256.New()
	for _, dir := range dirs {
		fmt.Fprintf(h, "%q\n", dir)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && !info.IsDir() {
				fmt.Fprintf(h, "%q %o %d %d\n", e.Name(), info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	sum := hex.EncodeToString(h.Sum(nil))
	c.tools.Store(key, sum)
	return sum
}

// stampOfItself tells one build of this program from another, which may read reports otherwise.
func stampOfItself() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(program)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// keptTests is a run of all tests as it is kept: what it printed is not.
type keptTests struct {
	Records []step.Record     `json:"records"`
	Results []step.TestResult `json:"results"`
	Exit    *step.Record      `json:"exit,omitempty"`
}

// What ends the keys of the parts of a baseline.
const (
	testsPart     = "-tests"
	standingsPart = "-all"
)

// outOfReach finds that something was not there which is none of the tree's: what confines a command keeps it away each time, else it may come.
var outOfReach = re.New(`(?i)refused|unreachable|no route to host|could not resolve|not known|ECONN\w+|ENOTFOUND|EAI_AGAIN|timed? ?out`)

// closed reports whether commands reach nothing outside of this machine, and nothing of it that runs.
func (c *Checker) closed() bool {
	return c.o.Confine != nil && !c.o.Confine.Partial && !c.o.Confine.Network && !c.serves()
}

// lasting reports whether a run of tests says the same the next time, as far as its program and this machine can be known.
func (c *Checker) lasting(run testRun) bool {
	passing := executed(run.results) > 0 && (run.exit == nil || run.exit.Exit == 0)
	return passing && len(run.findings) == 0 && !run.silent &&
		!slices.ContainsFunc(run.records, func(r step.Record) bool { return r.Ended != "" || r.Signal != "" }) &&
		!slices.ContainsFunc(run.results, func(r step.TestResult) bool {
			return strings.HasPrefix(r.Message, unfinished) || !c.closed() && r.Status != step.Pass && r.Status != step.Skip && outOfReach().MatchString(r.Message)
		})
}

// keepTests keeps a run of all tests under the key of a baseline, and reports whether it did. What was kept before goes in any case.
func (p *place) keepTests(key string, run testRun) bool {
	if key == "" {
		return false
	}
	p.c.forget(key)
	if !p.c.lasting(run) || p.secret {
		return false
	}
	k := keptTests{Results: slices.Clone(run.results), Exit: run.exit}
	since := run.records[0].Started
	for _, r := range run.records {
		since = min(since, r.Started)
		r.Output = step.Record{}.Output
		k.Records = append(k.Records, r)
	}
	for i := range k.Results {
		k.Results[i].Message = p.c.local(k.Results[i].Message)
	}
	return p.c.keep(key+testsPart, since, k)
}

// keptTests is the run of all tests that is kept under the key of a baseline.
func (c *Checker) keptTests(key string) (run testRun, ok bool) {
	var k keptTests
	from, ok := c.kept(key+testsPart, &k)
	for i := range k.Records {
		k.Records[i].Reused = from
	}
	return testRun{records: k.Records, results: k.Results, exit: k.Exit}, ok
}

// lastingly reports whether a build or a linter stands the same the next time: it passes, it has findings that have a place, or it is missing, and
// would be among the programs that the key has if it were there.
func lastingly(s step.Standing) bool {
	return s.State == step.Passes || s.Old > 0 || s.State == step.Missing && !strings.HasPrefix(s.Command, "/")
}

// keepStandings keeps how all commands stand where each does so the next time as well; tests says that the tests are kept.
func (p *place) keepStandings(key string, all []step.Standing, tests bool, begun time.Time) {
	age := int64(0)
	for _, s := range all {
		age = max(age, s.Reused.Millis)
		switch s.Purpose {
		case "test":
			if !tests {
				return
			}
		case "install":
			if s.State != step.Passes {
				return
			}
		case "engine":
		default:
			if !lastingly(s) {
				return
			}
		}
	}
	if key != "" && !p.secret {
		p.c.keep(key+standingsPart, begun.UnixMilli()-age, all)
	}
}

// keptStandings is how all commands stand by the key of a baseline, nil where that is not known.
func (c *Checker) keptStandings(key string) (all []step.Standing) {
	from, _ := c.kept(key+standingsPart, &all)
	for i, s := range all {
		if s.Purpose != "install" && s.Purpose != "engine" {
			all[i].Reused = from
		}
	}
	return all
}

// keep writes a part of a baseline into the record, as if a command had printed it, and reports whether it did.
func (c *Checker) keep(key string, since int64, what any) bool {
	raw, err := json.Marshal(what)
	if err != nil || len(raw) > mostKept || c.o.Secret != nil && c.o.Secret(raw) {
		return false
	}
	c.record(key, recorded{Record: step.Record{Started: since}, Proof: string(step.OnBaseline), Stdout: raw})
	return true
}

// kept reads a part of a baseline from the record.
func (c *Checker) kept(key string, what any) (from step.Reused, ok bool) {
	if strings.HasPrefix(key, "-") {
		return from, false
	}
	if c.o.Fresh { // what is found now counts, even if it cannot be kept
		_ = os.Remove(c.recordFile(key))
		return from, false
	}
	r, ok := c.read(key)
	if !ok || json.Unmarshal(r.Stdout, what) != nil {
		return from, false
	}
	now := time.Now() //nolint:forbidigo // how old the record is; people are told
	return step.Reused{Proof: r.Proof, Millis: now.UnixMilli() - r.Record.Started}, true
}

// forget removes a baseline.
func (c *Checker) forget(key string) {
	for _, part := range []string{testsPart, standingsPart} {
		_ = os.Remove(c.recordFile(key + part))
	}
}
