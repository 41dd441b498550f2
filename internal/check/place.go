package check

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Checker runs checks. Its methods may be called at the same time.
type Checker struct {
	repo  *git.Repo
	o     Options
	locks *keyed
	tools *sync.Map // versions of programs, as they were told

	failures *stepFailures
}

// New returns a Checker.
func New(o Options) (*Checker, error) {
	if o.Repo == nil || o.Cache == "" || o.Temp == "" {
		return nil, errors.New("checker: a repository, a cache and a place for check trees are needed")
	}
	for _, d := range []*string{&o.Cache, &o.Temp} { // real paths, as runners report them
		abs, err := filepath.Abs(*d)
		if err == nil {
			err = os.MkdirAll(abs, 0o755)
		}
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			return nil, fmt.Errorf("checker: %w", err)
		}
		*d = abs
	}
	o.Mark += rand.Text()[:8] + "." // places of two checkers may have one name
	return &Checker{repo: o.Repo, o: o, locks: &keyed{}, tools: &sync.Map{}, failures: &stepFailures{}}, nil
}

// local is a text with paths of the project as its people know them: without the check tree.
func (c *Checker) local(text string) string {
	if !strings.Contains(text, c.o.Temp) {
		return text
	}
	inTree := regexp.MustCompile(`(?:file://)?` + regexp.QuoteMeta(c.o.Temp) + `[/\\]place-\d+[/\\]tree[/\\](?:` + regexp.QuoteMeta(c.repo.Prefix()) + `)?`)
	return inTree.ReplaceAllString(text, "")
}

// stamp is what changes when a file is written.
type stamp struct {
	size int64
	when time.Time
	mode fs.FileMode
}

// place is a clean checkout of one tree with dependencies, a home and a temporary directory of its own.
type place struct {
	c       *Checker
	dir     string // of everything
	root    string // the project's root in the checkout
	tree    string
	chain   toolchain.Found
	entries map[string]git.Entry
	stamps  map[string]stamp
	deps    prepared // of chain
	kits    []kit    // what is furnished here, that of chain first
	runs    int
	built   bool                         // what tests need is there
	proof   step.Shows                   // what is proved here
	edited  map[string]bool              // tracked files that were written here, such as stubs
	rerun   bool                         // what failed is run once more; the record is not asked
	round   string                       // of runs once more, where there are several
	failed  []failure                    // of tests, while it is not known whether the proof wants them
	tests   map[string]map[string]string // Go: directory -> test -> file
	mute    []string                     // files of tests that keep their runner from running any
	secret  bool                         // a command has printed what nobody may keep
}

// open makes a place for a tree in which something is proved by one toolchain, and furnishes it for others as well. The
// dependencies are those of the lock files in base.
func (c *Checker) open(ctx context.Context, proof step.Shows, tree, base string, chain toolchain.Found, more ...toolchain.Found) (*place, error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	p := &place{c: c, dir: dir, proof: proof, tree: tree, chain: chain, edited: map[string]bool{}}
	chains := append([]toolchain.Found{chain}, more...)
	with, err := c.compiling(ctx, base, tree, chains)
	if err == nil {
		err = p.fill(ctx, with, chains)
	}
	if with != base {
		err = c.notCompiled(ctx, base, p, err)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// folder makes the folder of a place. Compilers tell what they have compiled by where it stands: the first free name is one that was there before.
func (c *Checker) folder() (string, error) {
	for n := 1; ; n++ {
		dir := filepath.Join(c.o.Temp, fmt.Sprintf("place-%03d", n))
		if err := os.Mkdir(dir, 0o700); err == nil {
			return dir, nil
		} else if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("make check tree: %w", err)
		}
	}
}

// makeFolders makes the folders of a place. In each new home go begins a process for its telemetry, unless a file there says no;
// no variable does.
func makeFolders(dir string, names ...string) error {
	mode := filepath.Join(dir, "home", ".config", "go", "telemetry", "mode")
	for _, d := range append(names, filepath.Join("home", ".config", "go", "telemetry")) {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(mode, []byte("off\n"), 0o644) //nolint:gosec // no secret
}

func (p *place) fill(ctx context.Context, base string, chains []toolchain.Found) error {
	if err := makeFolders(p.dir, "home", "tmp", "reports"); err != nil {
		return err
	}
	top := filepath.Join(p.dir, "tree")
	if _, err := p.c.repo.Checkout(ctx, p.tree, top); err != nil {
		return err
	}
	p.root = filepath.Join(top, filepath.FromSlash(p.c.repo.Prefix()))
	if err := os.MkdirAll(p.root, 0o755); err != nil {
		return err
	}
	var err error
	if p.entries, err = p.c.entriesOf(ctx, p.tree); err != nil {
		return err
	}
	var before map[string]stamp
	if len(p.c.o.Copy)+len(p.c.o.Setup) > 0 { // nothing else writes tracked files here
		before = p.stampAll()
	}
	for name, b := range p.c.o.Copy {
		if err := p.write(name, b); err != nil {
			return err
		}
	}
	if err := p.furnish(ctx, base, chains, true); err != nil {
		return err
	}
	p.deps = p.kits[0].deps
	if err := p.warm(ctx, base); err != nil {
		return err
	}
	for _, argv := range p.c.o.Setup {
		out, err := p.exec(ctx, toolchain.Command{Name: "setup", Argv: argv, Dir: ".", Report: toolchain.ReportExit}, true)
		if err != nil {
			return err
		}
		if out.Record.Exit != 0 {
			return &setupError{strings.Join(argv, " "), out.Record.Exit, out.tail, out.output}
		}
	}
	p.stamps = p.stampAll()
	for name, s := range before {
		if p.stamps[name] != s {
			p.edited[name] = true
		}
	}
	return nil
}

// close removes everything. Its name is free for another place first where somebody runs the removal later, and last where nobody does.
func (p *place) close() error {
	if p.c.o.Later != nil && filepath.Dir(p.dir) == filepath.Clean(p.c.o.Temp) {
		if gone, err := os.MkdirTemp(p.c.o.Temp, "gone-"); err == nil {
			_ = os.Rename(p.upper(), filepath.Join(gone, "upper")) // where there is one
			err := os.Rename(p.dir, filepath.Join(gone, "place"))
			if p.c.o.Later(func() { _ = removeAll(gone) }); err == nil {
				return nil
			}
		}
	}
	return errors.Join(removeAll(p.upper()), removeAll(p.dir))
}

// removeAll also removes directories that were made read-only, as Go's module cache does.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(p, 0o755)
		}
		return nil // the removal below reports what is left
	})
	return os.RemoveAll(dir)
}

func (p *place) full(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *place) read(name string) []byte {
	b, err := os.ReadFile(p.full(name))
	if err != nil {
		return nil
	}
	return b
}

func (p *place) write(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(p.full(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(p.full(name), b, 0o644)
}

func (p *place) stampAll() map[string]stamp {
	out := make(map[string]stamp, len(p.entries))
	for name := range p.entries {
		if s, ok := p.stampOf(name); ok {
			out[name] = s
		}
	}
	return out
}

func (p *place) stampOf(name string) (stamp, bool) {
	if strings.HasPrefix(name, "../") {
		return stamp{}, false
	}
	info, err := os.Lstat(p.full(name))
	if err != nil {
		return stamp{}, false
	}
	return stamp{info.Size(), info.ModTime(), info.Mode()}, true
}

// changed lists the tracked files that differ from the tree. Only files whose stamp moved are read; those with the same
// bytes as before are not changed.
func (p *place) changed(ctx context.Context) ([]string, error) {
	var out []string
	for name, before := range p.stamps {
		now, ok := p.stampOf(name)
		if ok && now == before {
			continue
		}
		if ok && now.mode == before.mode && now.mode.IsRegular() {
			want, err := p.c.repo.ReadBlob(ctx, p.entries[name].ID)
			if err != nil {
				return nil, err
			}
			if bytes.Equal(want, p.read(name)) {
				p.stamps[name] = now
				continue
			}
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out, nil
}

// treeNow is the tree that the tracked files make now, given those that changed.
func (p *place) treeNow(ctx context.Context, changed []string) (string, error) {
	edits := make([]git.Edit, 0, len(changed))
	for _, name := range changed {
		e := git.Edit{Path: name}
		if info, err := os.Lstat(p.full(name)); err == nil && info.Mode().IsRegular() {
			id, err := p.c.repo.WriteBlob(ctx, p.read(name))
			if err != nil {
				return "", err
			}
			e.ID, e.Mode = id, p.entries[name].Mode
		}
		edits = append(edits, e)
	}
	return p.c.repo.EditTree(ctx, p.tree, edits)
}

// restore puts tracked files back.
func (p *place) restore(ctx context.Context, names []string) error {
	for _, name := range names {
		b, err := p.c.repo.ReadBlob(ctx, p.entries[name].ID)
		if err != nil {
			return err
		}
		if err = os.RemoveAll(p.full(name)); err != nil {
			return err
		}
		if p.entries[name].Mode == linkMode {
			err = os.Symlink(string(b), p.full(name))
		} else {
			err = p.write(name, b)
		}
		if err == nil && p.entries[name].Mode == "100755" {
			err = os.Chmod(p.full(name), 0o755)
		}
		if err != nil {
			return err
		}
		if s, ok := p.stampOf(name); ok {
			p.stamps[name] = s
		}
	}
	return nil
}

// fileOf finds the file of a Go test: the runner knows only its package.
func (p *place) fileOf(dir, name string) string {
	if p.tests == nil {
		p.tests = map[string]map[string]string{}
	}
	if p.tests[dir] == nil {
		p.tests[dir] = map[string]string{}
		list, err := os.ReadDir(p.full(dir))
		if err != nil {
			return dir
		}
		for _, e := range list {
			file := strings.TrimPrefix(dir+"/"+e.Name(), "./")
			if !strings.HasSuffix(file, "_test.go") || !p.compiled(file) {
				continue
			}
			for _, t := range source.Parse(file, p.read(file)).Tests {
				p.tests[dir][t.Name] = file
			}
		}
	}
	if f := p.tests[dir][top(name)]; f != "" {
		return f
	}
	return dir
}

func joinClose(err error, p *place) error {
	if e := p.close(); e != nil && err == nil {
		return fmt.Errorf("remove check tree: %w", e)
	}
	return err
}
