package check

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Furnished is what an author needs to run a project's programs as checks do.
type Furnished struct {
	Path []string `json:"path,omitempty"` // directories of programs, to be looked through before all others
	Env  []string `json:"env,omitempty"`  // NAME=value
	// Overlays are folders of the cache that a confined author gets a copy of, because it reaches no registry.
	Overlays []string `json:"overlays,omitempty"`
}

// Furnish puts installed dependencies into the tree at root that an author works in: packages into the tree, environments
// into dir, which must not be in the tree. They are copies: nothing that is done to them reaches a check.
func (c *Checker) Furnish(ctx context.Context, chains []toolchain.Found, base, dir, root string) (Furnished, error) {
	p := &place{c: c, dir: dir, root: root}
	if err := p.furnish(ctx, base, chains, false); err != nil {
		return Furnished{}, err
	}
	f := Furnished{Path: p.programs(), Env: p.environment(false)}
	for _, k := range p.kits {
		home := filepath.Join(k.deps.dir, "venv")
		if c.o.Confine == nil || k.deps.dir == "" {
			continue
		}
		env := downloads(k.chain, home)
		switch {
		case len(env) > 0:
			f.Env = append(f.Env, env...)
		case k.deps.stays != "": // the environment says where it is
			home = k.deps.stays
		default:
			continue
		}
		f.Overlays = append(f.Overlays, home)
	}
	return f, nil
}

// downloads lead any command of Cargo or Maven to what was fetched for the project.
func downloads(chain toolchain.Found, home string) []string {
	switch {
	case chain.Ecosystem == toolchain.Rust:
		return []string{"CARGO_HOME=" + home, "CARGO_NET_OFFLINE=true"}
	case chain.Manager == "maven":
		return []string{"MAVEN_OPTS=-Dmaven.repo.local=" + filepath.Join(home, "repository")}
	}
	return nil
}

// Programs are the directories of programs that the dependencies of toolchains bring, as they are in the cache: checks and authors have
// copies. What is not installed yet is.
func (c *Checker) Programs(ctx context.Context, base string, chains []toolchain.Found) ([]string, error) {
	var out []string
	for _, chain := range chains {
		deps, err := c.prepare(ctx, base, chain)
		if spared(err, chain, chains) {
			continue
		}
		if err != nil {
			return out, err
		}
		cached := place{c: c, dir: deps.dir, root: filepath.Join(deps.dir, "tree"), kits: []kit{{chain, deps}}}
		out = append(out, cached.programs()...)
	}
	return out, nil
}

// spared reports whether dependencies that cannot be installed stand in nobody's way: those of an example beside the project.
func spared(err error, chain toolchain.Found, chains []toolchain.Found) bool {
	_, missing := errors.AsType[*EnvironmentError](err)
	_, failed := errors.AsType[*setupError](err)
	return (missing || failed) && chain.Untested && len(chains) > 1
}

// kit is a toolchain with what was installed for it.
type kit struct {
	chain toolchain.Found
	deps  prepared
}

// furnish copies the dependencies of several toolchains. There is one environment for each ecosystem, that of its first
// toolchain; packages of Node lie in the tree, so all have them. Authors have caches of Cargo and Maven of their own.
func (p *place) furnish(ctx context.Context, base string, chains []toolchain.Found, link bool) error {
	for _, chain := range chains {
		same := func(k kit) bool { return k.chain.Ecosystem == chain.Ecosystem }
		if chain.Ecosystem != toolchain.Node && slices.ContainsFunc(p.kits, same) {
			continue
		}
		deps, err := p.c.prepare(ctx, base, chain)
		if spared(err, chain, chains) {
			p.kits = append(p.kits, kit{chain, prepared{}})
			continue
		}
		if err != nil {
			return err
		}
		deps.link = deps.link && link
		deps.env = deps.env && (link || ofSources(chain))
		there := func(k kit) bool { return k.deps.dir == deps.dir } // packages of a folder that has no lock file of its own
		if !slices.ContainsFunc(p.kits, there) {
			if err := deps.copyInto(p); err != nil {
				return err
			}
		}
		p.kits = append(p.kits, kit{chain, deps})
	}
	return nil
}

// programs are the directories with programs that were installed for the project, the nearest first.
func (p *place) programs() []string {
	var out []string
	for _, k := range p.kits {
		out = append(out, each(k.chain.Makes(), func(name string) string { return filepath.Join(p.full(name), "bin") })...)
		switch k.chain.Ecosystem {
		case toolchain.Python:
			bin := "bin"
			if runtime.GOOS == "windows" {
				bin = "Scripts"
			}
			if home := k.deps.home(p); home != "" {
				out = append(out, filepath.Join(home, bin))
			}
		case toolchain.Node:
			for _, d := range k.deps.copies {
				if within := strings.TrimSuffix(d, "node_modules"); within == "" || strings.HasPrefix(k.chain.Root+"/", within) {
					out = append(out, filepath.Join(p.full(d), ".bin"))
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(out)
}

// env are the variables of a program that is run in the place, and more.
func (p *place) env(more ...string) []string {
	return p.c.env(filepath.Join(p.dir, "home"), filepath.Join(p.dir, "tmp"), p.programs(), append(p.environment(false), more...), false)
}

// environment are the variables of the place's toolchains. Installers get none that are for checks.
func (p *place) environment(install bool) []string {
	var out []string
	for _, k := range p.kits {
		if !install {
			out = append(out, each(k.chain.Env(), strings.NewReplacer("{root}", p.full(k.chain.Root), "{env}", k.deps.home(p)).Replace)...)
		}
		if k.deps.env && !install {
			out = append(out, downloads(k.chain, k.deps.home(p))...)
		}
		if home := k.deps.home(p); home != "" && k.chain.Ecosystem == toolchain.Python {
			out = append(out, "VIRTUAL_ENV="+home)
		}
	}
	return out
}

// setUpOnSources installs with the project itself in its place, where that is of use and the installation without it has failed.
func (p *place) setUpOnSources(ctx context.Context, base string, setup []toolchain.Command, failed *setupError) (partly setupError, err error) {
	entries, err := p.c.entriesOf(ctx, base)
	if err != nil {
		return partly, err
	}
	again := p.chain.OnSources(setup, slices.Sorted(maps.Keys(entries)))
	if len(again) == 0 {
		return partly, failed
	}
	top := filepath.Join(p.dir, "tree")
	if err := errors.Join(removeAll(top), p.putSources(ctx, base)); err != nil {
		return partly, err
	}
	partly, err = p.setUp(ctx, again)
	if p.chain.Ecosystem != toolchain.Go {
		return partly, err
	}
	if errors.As(err, new(*setupError)) { // the first one says more
		err = failed
	}
	return partly, errors.Join(err, removeAll(top), os.Mkdir(top, 0o755)) // nothing was made there
}
