package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// caches are folders of Options.Cache that tools write while they work. Installations write them; a check sees a copy of each
// (an overlay), so that nothing that a check does reaches another one.
var caches = []string{"go-build", "go-mod", "npm", "pip", "uv"}

// goBuild is the cache of Go's compiler. What a check adds to it is used again in the same place.
const goBuild = "go-build"

// policy is what a command in the place may do; nil for everything. More are further folders that it may change.
func (p *place) policy(env []string, install bool, more ...string) (*confine.Policy, error) {
	if p.c.o.Confine == nil {
		return nil, nil //nolint:nilnil // no policy
	}
	o := p.c.base(env)
	o.Write = append(append(o.Write, p.dir), more...)
	// Programs that were installed for the place are its own.
	o.Read = slices.DeleteFunc(o.Read, func(path string) bool { return path == p.dir || strings.HasPrefix(path, p.dir+"/") })
	for _, k := range p.kits {
		switch {
		case k.deps.stays == "":
		case install:
			o.Write = append(o.Write, k.deps.stays)
		default:
			upper := filepath.Join(p.upper(), "home")
			if err := os.MkdirAll(upper, 0o755); err != nil {
				return nil, err
			}
			o.Overlays = append(o.Overlays, confine.Overlay{Path: k.deps.stays, Upper: upper, Copy: true})
		}
	}
	written := caches
	if install {
		o.Read = append(o.Read, p.c.settingsFiles()...)
		written = append(slices.Clone(caches), "maven")
	}
	for _, name := range written {
		var err error
		switch dir, upper := filepath.Join(p.c.o.Cache, name), filepath.Join(p.upper(), name); {
		case name == goBuild: // also of an installation: it may run what it fetched
			err = errors.Join(os.MkdirAll(dir, 0o755), os.MkdirAll(upper, 0o755))
			o.Overlays = append(o.Overlays, confine.Overlay{Path: dir, Upper: upper, Copy: true})
		case install:
			err = os.MkdirAll(dir, 0o755)
			o.Write = append(o.Write, dir)
		case isDir(dir):
			o.Overlays = append(o.Overlays, confine.Overlay{Path: dir})
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

// upper is where changes of overlays are, as long as the place is there.
func (p *place) upper() string { return p.dir + ".cache" }

// base is what all policies begin with.
func (c *Checker) base(env []string) *confine.Policy {
	o := *c.o.Confine
	o.Read = append(slices.Clone(o.Read), confine.Programs(env, c.lookup("HOME"))...)
	o.Write = slices.Clone(o.Write)
	return &o
}

// warm fills the compiler's cache that checks see with what the base tree needs. Nothing of the tree is executed, so the cache can
// be trusted: it is compiled, once for each base. It is vetted and linked, with a program that does nothing in place of the tests,
// once for what it imports from outside: facts and objects of that are the most that a check would make again and again.
func (p *place) warm(ctx context.Context, base string) error {
	if base == "" || hurried(ctx) {
		return nil
	}
	return p.warmPackages(ctx, base, false, "./...")
}

// hurried reports whether warm would leave too little time for what is to be done.
func hurried(ctx context.Context) bool {
	part := partTime(ctx)
	return part != 0 && part < warmTime
}

// warmChanged compiles, where there is no time for all, the packages of changed files with what they import.
func (p *place) warmChanged(ctx context.Context, files []string) error {
	if !hurried(ctx) {
		return nil
	}
	var packages []string
	for _, file := range files {
		if rel, err := filepath.Rel(p.chain.Root, path.Dir(file)); err == nil && p.ours(file) {
			packages = append(packages, "./"+filepath.ToSlash(rel))
		}
	}
	slices.Sort(packages)
	if packages = slices.Compact(packages); len(packages) == 0 {
		return nil
	}
	ctx, cancel := partOf(ctx)
	defer cancel()
	if err := p.warmPackages(ctx, p.tree, true, packages...); !errors.Is(err, errFar) {
		return err
	}
	return nil
}

// warmPackages compiles packages of a tree where the place stands, and vets and links them. In a hurry it compiles them, in the way of the tests alone: what is
// linked would not be kept when the time is over.
func (p *place) warmPackages(ctx context.Context, base string, hurry bool, packages ...string) (err error) {
	if p.c.o.Confine == nil || p.chain.Ecosystem != toolchain.Go {
		return nil
	}
	p.c.keepFresh()
	ways := compiled(p.chain)
	if hurry && len(ways) > 1 {
		ways = ways[1:2]
	}
	program, _ := proc.LookPath("go", p.c.lookup("PATH")) // the check says so if there is none
	done, release := p.c.once("warm-", fmt.Append(nil, "7", packages, base, p.chain.Root, runtime.GOARCH, program, p.c.lookup("GOTOOLCHAIN"), ways))
	defer release()
	q := &place{c: p.c, dir: p.dir, chain: p.chain}
	if p.dir == "" {
		dir, err := p.c.folder()
		if err != nil {
			return err
		}
		q.dir = dir
		defer func() { _ = q.close() }()
	}
	if warmed(done, q.dir) {
		return nil
	}
	begun := time.Now() //nolint:forbidigo // how long it takes on this machine
	top := filepath.Join(q.dir, "tree")
	q.root = filepath.Join(top, filepath.FromSlash(p.c.repo.Prefix()))
	if p.dir != "" {
		aside := top + ".aside"
		if err := os.Rename(top, aside); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, removeAll(top), os.Rename(aside, top)) }()
	}
	if err := makeFolders(q.dir, "home", "tmp"); err != nil {
		return err
	}
	if _, err := p.c.repo.Checkout(ctx, base, top); err != nil {
		return err
	}
	if !isDir(q.full(p.chain.Root)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(p.c.o.Cache, goBuild), 0o755); err != nil {
		return err
	}
	for _, flags := range ways {
		if err := q.warmWay(ctx, flags, packages, hurry); err != nil {
			if errors.Is(err, proc.ErrNotFound) || errors.Is(err, proc.ErrPermission) {
				return nil // the check says what is missing
			}
			return err
		}
	}
	// That something does not compile is found out by the check; what did is in the cache.
	f, err := os.OpenFile(done, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d %s\n", time.Since(begun).Milliseconds(), q.dir)
	return errors.Join(err, f.Close())
}

// warmed reports whether what is compiled in a folder is in the cache. Go compiles the project's own packages for each folder, but where that
// takes little, once is enough: the file done has a line for each folder, how many milliseconds it took and its name.
func warmed(done, dir string) bool {
	const little = 3000
	text, err := os.ReadFile(done)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		took, where, _ := strings.Cut(strings.TrimSpace(line), " ")
		if ms, err := strconv.Atoi(took); where == dir || err == nil && ms < little {
			return true
		}
	}
	return false
}

// What is in the compiler's cache counts as used for so long. Go notes the use of what nobody has used for an hour, which in a sandbox
// copies the file, for each check again: a quarter of what checks cost.
const (
	countsAsUsed = 30 * time.Minute
	forgotten    = 5 * 24 * time.Hour // as long as go keeps what it does not use
	mostCompiled = 8 << 30            // bytes; when there is more, its times are left alone, and go forgets it in days
)

// keepFresh marks what is in the compiler's cache as used, now and then. What was not used for days is left for go to remove.
func (c *Checker) keepFresh() {
	dir, stamp := filepath.Join(c.o.Cache, goBuild), filepath.Join(c.o.Cache, goBuild+".used")
	defer c.locks.lock(stamp)()
	now := time.Now() //nolint:forbidigo // compared with the times of files only
	if info, err := os.Stat(stamp); err == nil && now.Sub(info.ModTime()) < countsAsUsed {
		return
	}
	var stale []string
	var size int64
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Dir(name) == dir {
			return nil //nolint:nilerr // without it checks take longer
		}
		if info, err := e.Info(); err == nil {
			size += info.Size()
			if age := now.Sub(info.ModTime()); age > countsAsUsed/2 && age < forgotten {
				stale = append(stale, name)
			}
		}
		return nil
	})
	if size <= mostCompiled {
		for _, name := range stale {
			_ = os.Chtimes(name, now, now)
		}
	}
	_ = os.WriteFile(stamp, nil, 0o644)
}

// warmWay compiles packages of a place's tree with flags of go, and, unless there is a hurry, vets and links what it imports where nothing
// has done so before.
func (p *place) warmWay(ctx context.Context, flags, packages []string, hurry bool) error {
	const outside = "{{if or .Standard (and .Module (not .Module.Main))}}{{.ImportPath}} {{.BuildID}}{{end}}"
	imports := sha256.New()
	err := p.fillCache(ctx, imports, slices.Concat([]string{"go", "list", "-e", "-export", "-test", "-deps", "-f", outside}, flags, packages))
	if err != nil || hurry {
		return err
	}
	done, release := p.c.once("linked-", fmt.Append(imports.Sum(nil), flags))
	defer release()
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	for _, argv := range [][]string{{"go", "vet"}, append([]string{"go", "test", "-count=1", "-exec=/bin/true"}, flags...)} {
		if err := p.fillCache(ctx, io.Discard, slices.Concat(argv, packages)); err != nil {
			return err
		}
	}
	return os.WriteFile(done, nil, 0o644)
}

// fillCache runs go in a place, with the cache that checks only see as one that it may change.
func (p *place) fillCache(ctx context.Context, out io.Writer, argv []string) error {
	home, tmp := filepath.Join(p.dir, "home"), filepath.Join(p.dir, "tmp")
	env := p.c.env(home, tmp, nil, p.chain.Env(), false)
	o := p.c.base(env)
	o.Read = append(o.Read, p.dir, filepath.Join(p.c.o.Cache, "go-mod"))
	o.Write = append(o.Write, home, tmp, filepath.Join(p.c.o.Cache, goBuild))
	_, err := proc.Run(ctx, proc.Command{
		Argv: argv, Dir: p.full(p.chain.Root), Env: env, Confine: o, Total: warmTime, Output: out, Mark: p.c.o.Mark + filepath.Base(p.dir),
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// once is the file that says that something was done for what a key says, and a lock on doing it.
func (c *Checker) once(kind string, key []byte) (done string, release func()) {
	sum := sha256.Sum256(key)
	name := kind + hex.EncodeToString(sum[:8])
	return filepath.Join(c.o.Cache, name), c.locks.lock(name)
}

// compiled are the ways in which what the project's own commands build is compiled, as flags of go test: with the race detector everything is another
// thing to compile, the standard library too. Flags that name programs are none.
func compiled(chain toolchain.Found) [][]string {
	out := [][]string{nil} // as builds and linters do
	for _, cmd := range chain.Test(toolchain.Selection{}) {
		argv := cmd.Argv
		if len(argv) < 2 || argv[0] != "go" || argv[1] != "test" {
			continue
		}
		var flags []string
		for i, word := range argv {
			name, _, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
			switch {
			case word == name:
			case slices.Contains([]string{"race", "msan", "asan", "cover", "trimpath"}, name), valued && slices.Contains(compileFlags, name):
				flags = append(flags, word)
			case slices.Contains(compileFlags, name) && i+1 < len(argv):
				flags = append(flags, word, argv[i+1])
			}
		}
		if !slices.ContainsFunc(out, func(have []string) bool { return slices.Equal(have, flags) }) {
			out = append(out, flags)
		}
	}
	return out
}

// compileFlags are flags of go with a value that change what is compiled.
var compileFlags = []string{"tags", "covermode", "coverpkg", "mod", "gcflags"}

// warmTime bounds warm: a large project links for long. What was compiled by then is there.
const warmTime = 2 * time.Minute

var (
	refused     = re.New(`(?i)refused|\(111\)|\(61\)`)
	refusedPort = re.New(`(?:127\.0\.0\.1|localhost|::1)[\])"']*(?::|,? port )(\d{2,5})\b`)
)

// unreached says of what a check printed that it may have wanted a service of this machine, which the sandbox keeps from it; "" for
// nothing such. Whether somebody listens there is not tried: a port that tests name is not ours to knock at.
func (c *Checker) unreached(text string) string {
	if c.o.Confine == nil {
		return ""
	}
	for line := range strings.Lines(text) {
		if !refused().MatchString(line) {
			continue
		}
		for _, m := range refusedPort().FindAllStringSubmatch(line, -1) {
			if port, err := strconv.Atoi(m[1]); err == nil && !slices.Contains(c.o.Confine.Ports, port) {
				return fmt.Sprintf("nothing listens on port %d: checks have their own loopback interface. To connect to a service of this machine, add sandbox: {connect: [127.0.0.1:%[1]d]} in jacquard.yaml", port)
			}
		}
	}
	return ""
}
