package check

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/registry"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// ownSettings are files of the user's home that say where registries are and how they are reached.
var ownSettings = []string{
	".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".config/pip/pip.conf", ".pip/pip.conf", ".config/uv/uv.toml", ".m2/settings.xml",
}

// systemSettings are those of all users.
var systemSettings = []string{"/etc/pip.conf", "/etc/xdg/pip/pip.conf", "/etc/uv/uv.toml", "/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc", "/etc/gitconfig"}

// settingsFiles are the files that the user's environment names for installations: settings, certificates, packages.
func (c *Checker) settingsFiles() []string {
	out := slices.Clone(systemSettings)
	for _, kv := range c.installEnv() {
		_, value, _ := strings.Cut(kv, "=")
		for _, word := range strings.Fields(value) { // MAVEN_ARGS has several
			if word = strings.TrimPrefix(word, "file://"); filepath.IsAbs(word) && filepath.Clean(word) != "/" {
				out = append(out, word)
			}
		}
	}
	if home := c.lookup("HOME"); home != "" {
		out = append(out, filepath.Join(home, ".npmrc"))
	}
	return out
}

// installEnv are the variables of the user that installations get and checks do not.
func (c *Checker) installEnv() []string {
	return those(c.o.Env, func(kv string) bool { return ofInstall(strings.ToUpper(nameOf(kv))) })
}

// ofInstall says whether a variable is for installations: it says where registries are, and is no key to one, which what is installed
// could read.
func ofInstall(upper string) bool {
	within := func(word string) bool { return strings.Contains(upper, word) }
	return !slices.ContainsFunc([]string{"TOKEN", "PASSWORD", "SECRET", "HTTP_BASIC"}, within) &&
		(slices.Contains(allowedInstall, upper) || slices.ContainsFunc(allowedInstallPrefix, func(p string) bool { return strings.HasPrefix(upper, p) }))
}

// settings gives an installation what the user has told package managers for good: where registries are. They look below the home
// folder, which is another one.
func (p *place) settings() error {
	home := p.c.lookup("HOME")
	type give struct{ from, to string }
	all := each(ownSettings, func(name string) give { return give{filepath.Join(home, name), filepath.Join(p.dir, "home", name)} })
	switch {
	case p.chain.Manager == "maven":
		if err := p.mavenSettings(0); err != nil {
			return err
		}
	case p.chain.Ecosystem == toolchain.Rust:
		cargo := cmp.Or(p.c.lookup("CARGO_HOME"), filepath.Join(home, ".cargo"))
		all = append(all, give{filepath.Join(cargo, "config.toml"), filepath.Join(p.deps.home(p), "config.toml")})
	}
	for _, f := range all {
		b, err := os.ReadFile(f.from)
		if home == "" || err != nil {
			continue // most have none
		}
		if p.c.o.Confine != nil { // the user's proxy is reached through ours
			b = registry.WithoutProxies(b)
		}
		if err := os.MkdirAll(filepath.Dir(f.to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.to, b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// registries are what an installation in the place may reach.
func (p *place) registries() *registry.List {
	l := registry.New()
	l.Allow(p.c.o.Reach...)
	l.Environment(p.c.installEnv())
	files := p.c.settingsFiles()
	home := p.c.lookup("HOME")
	files = append(files, each(ownSettings, func(name string) string { return filepath.Join(home, name) })...)
	files = append(files, filepath.Join(cmp.Or(p.c.lookup("CARGO_HOME"), filepath.Join(home, ".cargo")), "config.toml"))
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		if b, err := os.ReadFile(name); err == nil {
			l.Settings(name, b)
		}
	}
	for _, chain := range append([]toolchain.Found{p.chain}, each(p.kits, func(k kit) toolchain.Found { return k.chain })...) {
		for _, name := range append(slices.Clone(chain.Installs), chain.Manifest, chain.Lock) {
			if name != "" {
				l.Project(name, p.read(name))
			}
		}
		for _, own := range []string{".cargo/config.toml", "uv.toml", "pip.conf", ".npmrc"} {
			l.Project(own, p.read(path.Join(chain.Root, own)))
		}
	}
	return l
}

// outlet gives an installation that is confined its only way out: to registries. The environment leads package managers to it, and serve
// serves it.
func (p *place) outlet(o *confine.Policy, env []string, install bool) (proxy *registry.Proxy, reach []string, serve func(net.Listener), err error) {
	if o == nil || !install {
		return nil, env, nil, nil
	}
	l := p.registries()
	for _, port := range l.Local() {
		if !slices.Contains(o.Ports, port) {
			o.Ports = append(slices.Clone(o.Ports), port)
		}
	}
	o.Door = o.FreeDoor()
	tell := map[string]func(int) error{"maven": p.mavenSettings, "gradle": p.gradleProperties}[p.chain.Manager]
	if tell != nil {
		if err := tell(o.Door); err != nil {
			return nil, nil, nil, err
		}
	}
	proxy = l.Proxy()
	return proxy, registry.Variables(o.Door, env), proxy.Serve, nil
}

// tellRefused tells which hosts were refused to an installation, also beside what the command says of it, and where it failed which did not
// answer: package managers tell that in many ways, and some crash.
func (c *Checker) tellRefused(proxy *registry.Proxy, failed bool, stdout, stderr *bytes.Buffer) {
	if proxy == nil {
		return
	}
	said := stderr
	if stderr.Len() == 0 {
		said = stdout
	}
	if failed {
		for _, line := range proxy.Unreached() {
			fmt.Fprintln(said, line)
		}
	}
	for _, line := range proxy.Refused() {
		fmt.Fprintln(said, line)
		if c.o.Say != nil {
			c.o.Say(line)
		}
	}
}
