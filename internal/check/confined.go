package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
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
	if install {
		o.Network = true
		o.Read = append(o.Read, p.c.registries()...)
		for _, name := range append(slices.Clone(caches), "maven") {
			if name == goBuild { // an installation may run what it fetched
				continue
			}
			dir := filepath.Join(p.c.o.Cache, name)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return nil, err
			}
			o.Write = append(o.Write, dir)
		}
	}
	for _, name := range caches {
		dir := filepath.Join(p.c.o.Cache, name)
		if name != goBuild && (install || !isDir(dir)) {
			continue
		}
		l := confine.Overlay{Path: dir}
		if name == goBuild {
			l.Upper = p.upper()
			if err := errors.Join(os.MkdirAll(dir, 0o755), os.MkdirAll(l.Upper, 0o755)); err != nil {
				return nil, err
			}
		}
		o.Overlays = append(o.Overlays, l)
	}
	return o, nil
}

// upper is where changes of the compiler's cache are, as long as the place is there.
func (p *place) upper() string { return p.dir + ".cache" }

// base is what all policies begin with.
func (c *Checker) base(env []string) *confine.Policy {
	o := *c.o.Confine
	o.Read = append(slices.Clone(o.Read), confine.Programs(env, c.lookup("HOME"))...)
	o.Write = slices.Clone(o.Write)
	return &o
}

// registries are the files that the user's environment names for installations: settings, certificates, packages.
func (c *Checker) registries() []string {
	out := []string{"/etc/pip.conf", "/etc/xdg/pip", "/etc/uv/uv.toml", "/etc/npmrc", "/etc/gitconfig"} // of all users
	for _, kv := range c.o.Env {
		name, value, _ := strings.Cut(kv, "=")
		up := strings.ToUpper(name)
		of := slices.Contains(allowedInstall, up)
		for _, prefix := range allowedInstallPrefix {
			of = of || strings.HasPrefix(up, prefix)
		}
		if value = strings.TrimPrefix(value, "file://"); of && filepath.IsAbs(value) && filepath.Clean(value) != "/" {
			out = append(out, value)
		}
	}
	if home := c.lookup("HOME"); home != "" {
		out = append(out, filepath.Join(home, ".npmrc"))
	}
	return out
}

// warm fills the compiler's cache that checks see with what the base tree needs. Nothing of the tree is executed, so the cache can
// be trusted: it is compiled, vetted and linked, and in place of the tests a program runs that does nothing. Once for each base.
func (p *place) warm(ctx context.Context, base string) error {
	if p.c.o.Confine == nil || p.chain.Ecosystem != toolchain.Go || base == "" {
		return nil
	}
	ways := compiled(p.chain)
	sum := sha256.Sum256(fmt.Append(nil, "4", base, p.chain.Root, runtime.GOARCH, p.c.lookup("PATH"), p.c.lookup("GOTOOLCHAIN"), ways))
	key := "warm-" + hex.EncodeToString(sum[:8])
	defer p.c.locks.lock(key)()
	note := filepath.Join(p.c.o.Cache, key)
	if _, err := os.Stat(note); err == nil {
		return nil
	}
	dir, err := os.MkdirTemp(p.c.o.Temp, "w")
	if err != nil {
		return err
	}
	q := &place{c: p.c, dir: dir, root: filepath.Join(dir, "tree", filepath.FromSlash(p.c.repo.Prefix())), chain: p.chain}
	defer func() { _ = q.close() }()
	for _, d := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	if _, err := p.c.repo.Checkout(ctx, base, filepath.Join(dir, "tree")); err != nil {
		return err
	}
	at := q.full(p.chain.Root)
	if !isDir(at) {
		return nil
	}
	env := p.c.env(filepath.Join(dir, "home"), filepath.Join(dir, "tmp"), nil, p.chain.Env(), false)
	o := p.c.base(env)
	o.Read = append(o.Read, dir, filepath.Join(p.c.o.Cache, "go-mod"))
	o.Write = append(o.Write, filepath.Join(dir, "home"), filepath.Join(dir, "tmp"), filepath.Join(p.c.o.Cache, goBuild))
	if err := os.MkdirAll(filepath.Join(p.c.o.Cache, goBuild), 0o755); err != nil {
		return err
	}
	lines := [][]string{{"go", "vet", "./..."}} // the standard library is vetted anew for it, with other flags than go test has
	for _, flags := range ways {
		lines = append(lines, slices.Concat([]string{"go", "test", "-count=1", "-exec=/bin/true"}, flags, []string{"./..."}))
	}
	for _, argv := range lines {
		_, err = proc.Run(ctx, proc.Command{
			Argv: argv, Dir: at, Env: env, Confine: o, Total: warmTime, Mark: p.c.o.Mark + filepath.Base(dir),
		})
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if errors.Is(err, proc.ErrNotFound) || errors.Is(err, proc.ErrPermission) {
			return nil // the check says what is missing
		}
		if err != nil {
			return err
		}
	}
	// That something does not compile is found out by the check; what did is in the cache.
	return os.WriteFile(note, nil, 0o644)
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

// compileFlags are flags of go test with a value that change what is compiled.
var compileFlags = []string{"tags", "covermode", "coverpkg", "mod", "gcflags", "vet"}

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
				return fmt.Sprintf("nobody answers at port %d: checks have a loopback interface of their own. If it is a service of this machine: sandbox: {connect: [127.0.0.1:%[1]d]} in jacquard.yaml", port)
			}
		}
	}
	return ""
}
