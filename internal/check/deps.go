package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// keyed gives one lock a key, so that two checks do not install the same thing at once.
type keyed struct{ m sync.Map }

// installing are the directories that something is installed into: the baseline of a run may do so beside the first turn.
var installing keyed //nolint:gochecknoglobals // a process has several Checkers

func (k *keyed) lock(key string) (unlock func()) {
	held, _ := k.m.LoadOrStore(key, &sync.Mutex{})
	m := held.(*sync.Mutex) //nolint:forcetypeassert // nothing else is stored
	m.Lock()
	return m.Unlock
}

// prepared are installed dependencies. Each check tree gets directories of its own with them; see seal for their files.
type prepared struct {
	dir    string     // in the cache; "" when there is nothing to copy
	copies []string   // directories in it (node_modules, packages/a/node_modules), relative to the project's root
	env    bool       // there is an environment: Python's, Cargo's home
	link   bool       // files may be links to those of the cache
	stays  string     // an environment that is used where it was made, whose changes by a check are thrown away: Gradle's home
	failed setupError // a command of the installation without which it can be used
}

// home is the environment of a check tree, "" for none.
func (d prepared) home(p *place) string {
	if !d.env {
		return d.stays
	}
	return filepath.Join(p.dir, "venv")
}

func (d prepared) copyInto(p *place) error {
	if d.env {
		env := filepath.Join(p.dir, "venv")
		if err := copyTree(filepath.Join(d.dir, "venv"), env, d.link); err != nil {
			return err
		}
		if err := relocate(env, d.dir, p.dir); err != nil {
			return err
		}
	}
	if err := addTree(filepath.Join(d.dir, "made"), p.root); err != nil {
		return err
	}
	for _, c := range d.copies {
		if err := copyTree(filepath.Join(d.dir, "tree", filepath.FromSlash(c)), p.full(c), d.link); err != nil {
			return err
		}
	}
	return nil
}

// addTree copies the files of a directory, where there is one, that another does not have.
func addTree(from, to string) error {
	return filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err != nil && p == from && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		if _, err := os.Lstat(dst); err == nil {
			return nil
		}
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() { // a link out of here
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(os.MkdirAll(filepath.Dir(dst), 0o755), copyFile(p, dst, info.Mode().Perm()|0o200))
	})
}

// relocate corrects the texts of a Python environment that name the directory it was made in: the first lines of its
// scripts, and the files that add directories to the path of imports. They are replaced, because they may be links.
func relocate(env, from, to string) error {
	var names []string
	for _, pattern := range []string{"bin/*", "Scripts/*", "pyvenv.cfg", "lib/python*/site-packages/*.pth", "lib/python*/site-packages/__editable__*.py", "Lib/site-packages/*.pth", "Lib/site-packages/__editable__*.py"} {
		found, err := filepath.Glob(filepath.Join(env, pattern))
		if err != nil {
			return err
		}
		names = append(names, found...)
	}
	const largest = 1 << 20 // of a script; what is larger is a program
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > largest {
			continue
		}
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		now := bytes.ReplaceAll(old, []byte(from), []byte(to))
		if bytes.Equal(now, old) || bytes.IndexByte(old, 0) >= 0 {
			continue
		}
		if err := os.Remove(name); err != nil {
			return err
		}
		if err := os.WriteFile(name, now, info.Mode().Perm()|0o200); err != nil {
			return err
		}
	}
	return nil
}

// prepare installs what the manifest and lock file of the base tree name, once for each content of these files.
func (c *Checker) prepare(ctx context.Context, base string, chain toolchain.Found) (prepared, error) {
	setup := chain.Setup()
	if len(setup) == 0 || chain.Ecosystem == toolchain.Unknown && len(c.o.Setup) > 0 { // the project says itself what is to be installed
		return prepared{}, nil
	}
	files, beside, err := c.installFiles(ctx, base, chain)
	if err != nil {
		return prepared{}, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "6 %s %s %s\n", chain.Ecosystem, runtime.GOOS, runtime.GOARCH)
	for _, s := range setup {
		fmt.Fprintf(h, "%q %q %s\n", s.Argv, s.Env, s.Dir)
	}
	if len(chain.Own.Conda) > 0 { // it sees the packages of the Python that it is made of
		python, _ := proc.LookPath("python3", c.lookup("PATH"))
		fmt.Fprintln(h, python)
	}
	if chain.Builds {
		if err := c.hashSources(ctx, h, base, chain); err != nil {
			return prepared{}, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(files[name]))
	}
	if chain.Ecosystem == toolchain.Node {
		fmt.Fprintf(h, "%q\n", slices.Sorted(maps.Keys(beside)))
	}
	key := chain.Ecosystem + "-" + hex.EncodeToString(h.Sum(nil))[:24]
	dir := filepath.Join(c.o.Cache, key)
	defer installing.lock(dir)()
	if _, err := os.Stat(filepath.Join(dir, "done")); err == nil || c.failed(dir).command != "" {
		used(dir)
		d, err := c.found(dir, chain)
		if err != nil {
			return d, err
		}
		if d.link = c.mayLink(); !d.link {
			return d, nil
		}
		if sound, err := d.seal(); err != nil || sound {
			return d, err
		}
		if err := removeAll(dir); err != nil {
			return prepared{}, fmt.Errorf("%w: %w", ErrSetup, err)
		}
	}
	if err := c.install(ctx, dir, base, files, beside, chain, setup); err != nil {
		return prepared{}, err
	}
	d, err := c.found(dir, chain)
	if d.link = err == nil && c.mayLink(); d.link {
		_, err = d.seal()
	}
	evict(c.o.Cache, mostInstalled, inUse)
	return d, err
}

// failed is the optional command that failed when this process made the installation in a directory.
func (c *Checker) failed(dir string) setupError {
	v, _ := c.tools.Load("failed " + dir)
	f, _ := v.(setupError)
	return f
}

// installFiles reads the files that decide what is installed, and the manifests of a workspace's packages. beside are what the package
// manager looks for besides (toolchain.Found.Beside).
func (c *Checker) installFiles(ctx context.Context, base string, chain toolchain.Found) (files map[string][]byte, beside map[string]string, err error) {
	var sources []string
	files, err = c.readFiles(ctx, base, func(e git.Entry) bool {
		manifest := chain.Ecosystem == toolchain.Node && slices.Contains(append([]string{"package.json"}, commands.DenoConfigs...), path.Base(e.Path)) &&
			!strings.Contains(e.Path, "node_modules/")
		switch chain.Ecosystem {
		case toolchain.Rust:
			manifest = path.Base(e.Path) == "Cargo.toml"
		case toolchain.JVM:
			manifest = path.Base(e.Path) == "pom.xml"
		}
		sources = append(sources, e.Path)
		return slices.Contains(chain.Installs, e.Path) || manifest || chain.Ecosystem == toolchain.Go && (path.Base(e.Path) == "go.mod" || chain.Workspace != "" && path.Base(e.Path) == "go.sum")
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read lock file: %w", err)
	}
	return files, chain.Beside(files, sources), nil
}

// install works in a directory beside the cache's and renames it at the end, so that a cut installation is never used.
func (c *Checker) install(ctx context.Context, dir, base string, files map[string][]byte, beside map[string]string, chain toolchain.Found, setup []toolchain.Command) error {
	work, err := os.MkdirTemp(c.o.Cache, "installing-")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	p := &place{c: c, dir: work, root: filepath.Join(work, "tree"), chain: chain}
	defer func() { _ = p.close() }()
	p.deps.env, p.deps.stays = hasEnv(chain), staysAt(dir, chain)
	p.kits = []kit{{chain, p.deps}}
	places := []string{"tree", "home", "tmp", "reports"}
	if chain.Ecosystem == toolchain.Unknown { // nothing else makes its environment, which is copied even if nothing is in it
		places = append(places, "venv")
	}
	err = makeFolders(work, places...)
	if p.deps.stays != "" {
		err = errors.Join(err, os.MkdirAll(p.deps.stays, 0o755))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	if ofSources(chain) && base != "" {
		if err := p.putSources(ctx, base); err != nil {
			return err
		}
	}
	for name, b := range files {
		if path.Base(name) == "package.json" {
			b = toolchain.WithoutScripts(b)
		}
		err = errors.Join(err, p.write(name, b))
	}
	for name, text := range beside {
		err = errors.Join(err, p.write(name, []byte(text)))
	}
	if err = errors.Join(err, p.settings()); err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	partly, err := p.setUp(ctx, setup)
	if failed, ok := errors.AsType[*setupError](err); ok && base != "" {
		partly, err = p.setUpOnSources(ctx, base, setup, failed)
	}
	if err != nil {
		return err
	}
	caches, _ := filepath.Glob(filepath.Join(work, "venv", "*_cache_v*")) // databases of Deno, which it writes when it runs
	for _, d := range []string{"home", "tmp", "reports", "venv/.package-cache", "venv/.package-cache-mutate", "venv/.global-cache", "settings.xml"} {
		caches = append(caches, filepath.Join(work, d))
	}
	for _, name := range caches {
		err = errors.Join(err, removeAll(name))
	}
	if ofSources(chain) { // each check tree has its own
		err = errors.Join(err, p.keepMade(ctx, base), p.keepPackages(), removeAll(filepath.Join(work, "tree")))
	}
	err = errors.Join(err, p.keepDownloads(), relocate(filepath.Join(work, "venv"), work, dir))
	if partly.command == "" {
		err = errors.Join(err, os.WriteFile(filepath.Join(work, "done"), nil, 0o644))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	if partly.command != "" {
		c.tools.Store("failed "+dir, partly)
	}
	if err := os.Rename(work, dir); err != nil {
		if _, other := os.Stat(filepath.Join(dir, "done")); other == nil {
			return nil // another process was quicker
		}
		if err := errors.Join(removeAll(dir), os.Rename(work, dir)); err != nil {
			return fmt.Errorf("%w: %w", ErrSetup, err)
		}
	}
	return nil
}

// putSources puts the project itself in the place of an installation.
func (p *place) putSources(ctx context.Context, base string) error {
	if _, err := p.c.repo.Checkout(ctx, base, filepath.Join(p.dir, "tree")); err != nil {
		return fmt.Errorf("%w: %w", ErrSetup, err)
	}
	p.root = filepath.Join(p.dir, "tree", filepath.FromSlash(p.c.repo.Prefix()))
	return nil
}

// keepMade keeps the files that building the project wrote among its sources and that git ignores: a version that is read from
// tags, a compiled module. The project cannot be imported without them.
func (p *place) keepMade(ctx context.Context, base string) error {
	if base == "" || !p.chain.Builds {
		return nil
	}
	tracked, err := p.c.entriesOf(ctx, base)
	if err != nil {
		return err
	}
	var files []string
	err = walk(p.root, func(_, name string, e fs.DirEntry) error {
		switch {
		case e.IsDir() && (e.Name() == "__pycache__" || strings.HasSuffix(name, ".egg-info") || name == "build" || name == "dist"):
			return fs.SkipDir
		case e.Type().IsRegular() && tracked[name].Path == "":
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if files, err = p.c.repo.Ignored(ctx, base, files); err != nil {
		return err
	}
	for _, name := range files {
		to := filepath.Join(p.dir, "made", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(p.full(name), to)); err != nil {
			return err
		}
	}
	return nil
}

// keepPackages keeps the folders of the project that its packages lie in.
func (p *place) keepPackages() error {
	for _, name := range p.chain.Makes() {
		to := filepath.Join(p.dir, "made", name)
		if _, err := os.Stat(p.full(name)); err != nil {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(p.full(name), to)); err != nil {
			return err
		}
	}
	return nil
}

// setUp runs the commands of an installation. partly is one that has failed and without which it can be used; it is tried again
// by the next process.
func (p *place) setUp(ctx context.Context, setup []toolchain.Command) (partly setupError, err error) {
	for _, s := range setup {
		out, err := p.exec(ctx, s, true)
		if _, ok := errors.AsType[*EnvironmentError](err); ok {
			for _, argv := range s.Instead {
				other := s
				other.Argv = argv
				if out, err = p.exec(ctx, other, true); err != nil || !out.clean() {
					break
				}
			}
		}
		if err == nil && !out.clean() && s.OrElse != nil && !bytes.Contains(bytes.ToLower(out.output), []byte("hash")) { // what differs from its lock is not installed in another way
			other := s
			other.Argv = s.OrElse
			if second, no := p.exec(ctx, other, true); no != nil || second.clean() { // else the first one says more
				out, err = second, no
			}
		}
		if err != nil {
			return partly, err
		}
		failed := setupError{CommandText(s), out.Record.Exit, out.tail, out.output}
		switch {
		case out.clean():
		case s.Optional:
			partly = failed
		default:
			return partly, &failed
		}
	}
	return partly, nil
}

// hasEnv reports whether the setup of an ecosystem fills {env}.
func hasEnv(chain toolchain.Found) bool {
	return slices.Contains([]string{toolchain.Python, toolchain.Rust, toolchain.Unknown}, chain.Ecosystem) || chain.Manager == "maven" || chain.Manager == "deno"
}

// ofSources reports whether the setup of an ecosystem reads sources of the project: to build it, or because its manifest does.
func ofSources(chain toolchain.Found) bool {
	return chain.Ecosystem == toolchain.Python || chain.Ecosystem == toolchain.Unknown || chain.Manager == "gradle"
}

// found lists what an installation made.
func (c *Checker) found(dir string, chain toolchain.Found) (prepared, error) {
	d := prepared{dir: dir, env: hasEnv(chain), failed: c.failed(dir), stays: staysAt(dir, chain)}
	if chain.Ecosystem != toolchain.Node {
		return d, nil
	}
	err := walk(filepath.Join(dir, "tree"), func(_, name string, e fs.DirEntry) error {
		if !e.IsDir() || e.Name() != "node_modules" {
			return nil
		}
		d.copies = append(d.copies, name)
		return fs.SkipDir
	})
	if err != nil {
		return prepared{}, fmt.Errorf("read installed packages: %w", err)
	}
	return d, nil
}

// copyTree copies a directory with its links and execute bits, several files at a time. Where files may be linked, they
// are hard links to those of from as far as the file system allows. What is there already is replaced.
func copyTree(from, to string, link bool) error {
	type job struct {
		src, dst string
		mode     fs.FileMode
	}
	jobs := make(chan job, 64)
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for j := range jobs {
				if errs[w] == nil {
					errs[w] = copyFile(j.src, j.dst, j.mode)
				}
			}
		})
	}
	err := walk(from, func(p, name string, e fs.DirEntry) error {
		dst := filepath.Join(to, filepath.FromSlash(name))
		switch {
		case e.IsDir():
			return os.MkdirAll(dst, 0o755)
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return anew(dst, func() error { return os.Symlink(target, dst) })
		case e.Type().IsRegular():
			if link && anew(dst, func() error { return os.Link(p, dst) }) == nil {
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			jobs <- job{p, dst, info.Mode().Perm() | 0o200}
		}
		return nil
	})
	close(jobs)
	wg.Wait()
	return errors.Join(errors.Join(errs...), err)
}

// walk calls a function for a directory and all below it, with the path from there as well. What cannot be read ends it.
func walk(top string, visit func(full, name string, e fs.DirEntry) error) error {
	return filepath.WalkDir(top, func(full string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, full)
		if err != nil {
			return err
		}
		return visit(full, filepath.ToSlash(rel), e)
	})
}

// anew makes a file, in place of one that is there: some projects keep packages in their repository.
func anew(name string, make func() error) error {
	err := make()
	if errors.Is(err, fs.ErrExist) {
		err = errors.Join(os.Remove(name), make())
	}
	return err
}

func copyFile(src, dst string, mode fs.FileMode) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
