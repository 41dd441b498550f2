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
	"os"
	"path/filepath"
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
//   - Only programs whose version can be told are recorded; others run each time, and so do browsers and terminals.
//   - A run counts only if it ended by itself, changed no tracked file and left nothing behind: taking it from the record is
//     then the same as running it.
//   - A pass is recorded at once. A failure is recorded only if the proof that it is a part of has passed: tests without the
//     implementation, mutants, tests that failed before. Any other failure may come from what is not in the key, a service
//     that was down or a disk that was full; it is remembered for the one step that has seen it, and then runs again.
//   - What runs again to find flakes is never recorded. Rules are not recorded either: a difference is audited each time.
//
// Whoever can write into the directory of the record can forge it, as he can the journal; see docs/security.md.

// recordFormat is part of every key: what is recorded by one format is not there for another one.
const recordFormat = "checks 1"

const (
	mostRecorded = 4 << 20             // bytes of one entry; what prints more runs each time
	recordedFor  = 30 * 24 * time.Hour // an entry that was not used for so long goes
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
func (r recorded) sum() (string, error) {
	r.Sum = ""
	raw, err := json.Marshal(r)
	h := sha256.Sum256(raw)
	return hex.EncodeToString(h[:]), err
}

// recordable are the commands that give the same again.
var recordable = []string{"test", "build", "lint", "typecheck", "coverage", "verify"}

// versionsOf says for a program what tells its version and those of the tools it runs.
var versionsOf = map[string][][]string{
	"go": {{"go", "version"}}, "gofmt": {{"go", "version"}},
	"node": {{"node", "--version"}}, "npm": {{"node", "--version"}, {"npm", "--version"}}, "npx": {{"node", "--version"}, {"npm", "--version"}},
	"python": {{"python", "-VV"}}, "python3": {{"python3", "-VV"}}, "pytest": {{"python", "-VV"}},
	"cargo": {{"cargo", "--version"}, {"rustc", "-Vv"}}, "mvn": {{"mvn", "--version"}}, "bun": {{"bun", "--version"}},
}

// choosing are files of a project that choose the version of a tool.
var choosing = []string{"rust-toolchain", "rust-toolchain.toml", ".python-version", ".node-version", ".nvmrc", ".tool-versions", "mise.toml", "package.json"}

// litter are directories that tools keep for themselves. What is in them changes no result.
func (p *place) litter(name string) bool {
	switch name {
	case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis":
		return p.chain.Ecosystem == toolchain.Python
	case "target":
		return p.chain.Ecosystem == toolchain.Rust || p.chain.Ecosystem == toolchain.JVM
	case "build", ".gradle", ".kotlin":
		return p.chain.Ecosystem == toolchain.JVM
	}
	return false
}

// key names a run of a command here and now; "" when such a run is not recorded. state is what was in the place before.
func (p *place) key(ctx context.Context, cmd toolchain.Command, env []string, install bool) (key, state string, err error) {
	if p.c.o.Record == "" || install || p.stamps == nil || !slices.Contains(recordable, cmd.Name) {
		return "", "", nil
	}
	tools, ok, err := p.versions(ctx, cmd.Argv[0], env)
	if err != nil || !ok {
		return "", "", err
	}
	if state, err = p.state(); err != nil {
		return "", "", err
	}
	raw, err := json.Marshal([]any{
		recordFormat, p.tree, p.c.repo.Prefix(), state, p.c.o.Setup, filepath.Base(p.deps.dir),
		cmd.Name, cmd.Argv, cmd.Dir, cmd.Env, cmd.Report, tools, p.unplaced([]byte(strings.Join(env, "\x00"))),
	})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), state, err
}

// state is what is in the place besides the tree and the installed dependencies: stubs, mutants, copied files, what earlier
// commands have made.
func (p *place) state() (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(p.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		_, tracked := p.entries[rel]
		switch {
		case d.IsDir():
			if slices.Contains(p.deps.copies, rel) || p.litter(d.Name()) {
				return fs.SkipDir
			}
			return nil
		case tracked && !p.edited[rel]:
			if now, ok := p.stampOf(rel); ok && now == p.stamps[rel] {
				return nil
			}
		}
		text := []byte(nil)
		info, err := d.Info()
		switch {
		case err != nil:
			return err
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
	if err != nil {
		return "", fmt.Errorf("read check tree: %w", err)
	}
	for name := range p.edited {
		if _, err := os.Lstat(p.full(name)); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(h, "%q gone\n", name)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// versions are those of a program and the tools that it runs; ok is false when nobody can tell them.
func (p *place) versions(ctx context.Context, program string, env []string) (string, bool, error) {
	asked, known := versionsOf[filepath.Base(program)]
	if !known || strings.ContainsAny(program, `/\`) {
		return "", false, nil
	}
	var name strings.Builder
	name.WriteString(program)
	for _, f := range choosing {
		fmt.Fprintf(&name, " %s", p.entries[f].ID)
	}
	for _, kv := range env {
		if strings.HasPrefix(kv, "PATH=") {
			name.Write(p.unplaced([]byte(kv)))
		}
	}
	key := name.String() + " " + filepath.Base(p.deps.dir)
	p.c.tools.mu.Lock()
	defer p.c.tools.mu.Unlock()
	if said, ok := p.c.tools.said[key]; ok {
		return said, said != "", nil
	}
	said := ""
	for _, argv := range asked {
		res, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: p.root, Env: env, Total: time.Minute})
		if cause := context.Cause(ctx); cause != nil {
			return "", false, fmt.Errorf("ask for the version of %s: %w", argv[0], cause)
		}
		if err != nil || res.Exit != 0 {
			said = "" // the command itself will say what is wrong
			break
		}
		said += strings.Join(argv, " ") + ": " + string(p.unplaced([]byte(res.Stdout.Text+res.Stderr.Text))) + "\n"
	}
	if p.c.tools.said == nil {
		p.c.tools.said = map[string]string{}
	}
	p.c.tools.said[key] = said
	return said, said != "", nil
}

// The places of a check tree and of the cache are taken out of what is recorded, and put back with those of another one.
const (
	thisPlace = "\x01place\x01"
	thisCache = "\x01cache\x01"
)

func (p *place) unplaced(b []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(p.dir), []byte(thisPlace)), []byte(p.c.o.Cache), []byte(thisCache))
}

func (p *place) placed(b []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(thisPlace), []byte(p.dir)), []byte(thisCache), []byte(p.c.o.Cache))
}

func (c *Checker) recordFile(key string) string {
	return filepath.Join(c.o.Record, key[:2], key+".json")
}

// tools are the versions of programs, as they were told; "" where they could not be.
type tools struct {
	mu   sync.Mutex
	said map[string]string
}

// seen are the failures of one step. They are not run twice in it.
type seen struct {
	mu   sync.Mutex
	runs map[string]recorded
}

// failure is a run that failed, with its key.
type failure struct {
	key string
	recorded
}

// ForStep returns a Checker for one step, which remembers what failed in it.
func (c *Checker) ForStep() *Checker {
	one := *c
	one.seen = &seen{runs: map[string]recorded{}}
	return &one
}

// recall gives the run that is known under a key, nil when there is none that can be used.
func (p *place) recall(key string) *recorded {
	if key == "" {
		return nil
	}
	p.c.seen.mu.Lock()
	r, ok := p.c.seen.runs[p.name(key)]
	p.c.seen.mu.Unlock()
	if !ok {
		if p.again || p.c.o.Fresh {
			return nil
		}
		if r, ok = p.c.read(key); !ok {
			return nil
		}
	}
	r.Stdout, r.Stderr, r.Report = p.placed(r.Stdout), p.placed(r.Stderr), p.placed(r.Report)
	r.Reports = each(r.Reports, p.placed)
	r.Record.Tree = p.tree
	now := time.Now() //nolint:forbidigo // how old the record is; nothing is decided by it
	r.Record.Reused = step.Reused{Proof: r.Proof, Millis: now.UnixMilli() - r.Record.Started}
	return &r
}

// name is the key of a run in one step: what is run again to find flakes is not the first run.
func (p *place) name(key string) string {
	if p.again {
		return "again " + key
	}
	return key
}

func each(list [][]byte, f func([]byte) []byte) [][]byte {
	var out [][]byte
	for _, b := range list {
		out = append(out, f(b))
	}
	return out
}

// read gives an entry of the record.
func (c *Checker) read(key string) (r recorded, ok bool) {
	file := c.recordFile(key)
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, &r) != nil {
		return r, false
	}
	if sum, err := r.sum(); err != nil || sum != r.Sum {
		return r, false
	}
	now := time.Now()              //nolint:forbidigo // compared with the times of files only
	_ = os.Chtimes(file, now, now) // without it the entry goes sooner
	return r, true
}

// remember keeps a run that left the place as it was; see above which, and for how long.
func (p *place) remember(key, before string, r recorded, o outcome) error {
	if key == "" || o.problem != "" || len(r.Stdout)+len(r.Stderr)+len(r.Report) > mostRecorded {
		return nil
	}
	after, err := p.state()
	if err != nil || after != before {
		return err
	}
	r.Record, r.Proof = o.Record, p.proof
	r.Stdout, r.Stderr, r.Report = p.unplaced(r.Stdout), p.unplaced(r.Stderr), p.unplaced(r.Report)
	r.Reports = each(r.Reports, p.unplaced)
	failed := slices.ContainsFunc(o.Results, func(t step.TestResult) bool { return t.Status != step.Pass && t.Status != step.Skip })
	if o.Record.Exit == 0 && !failed && !p.again {
		return p.c.record(key, r)
	}
	p.c.seen.mu.Lock()
	defer p.c.seen.mu.Unlock()
	if p.c.seen.runs != nil {
		p.c.seen.runs[p.name(key)] = r
	}
	if !p.again {
		p.failed = append(p.failed, failure{key, r})
	}
	return nil
}

// recordAll records the failures of a proof that has passed.
func (c *Checker) recordAll(failed []failure) error {
	for _, f := range failed {
		if err := c.record(f.key, f.recorded); err != nil {
			return err
		}
	}
	return nil
}

// record writes an entry. It need not be durable: what is lost or torn is not there, and the check runs.
func (c *Checker) record(key string, r recorded) error {
	sum, err := r.sum()
	if err != nil {
		return fmt.Errorf("record check: %w", err)
	}
	r.Sum = sum
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record check: %w", err)
	}
	file := c.recordFile(key)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("record check: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "new-")
	if err != nil {
		return fmt.Errorf("record check: %w", err)
	}
	_, err = tmp.Write(raw)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("record check: %w", err)
	}
	return nil
}

// Forget removes what the record in dir holds and nobody has used for a month. It returns the number of bytes.
func Forget(dir string) (int64, error) {
	var freed int64
	now := time.Now() //nolint:forbidigo // compared with the times of files only
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || now.Sub(info.ModTime()) < recordedFor {
			return err
		}
		if err := os.Remove(name); err != nil {
			return err
		}
		freed += info.Size()
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return freed, err
}
