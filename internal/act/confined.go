package act

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/confine"
)

// agentPolicy is what an agent may do in a turn: nil for everything. dir is the turn's folder, with the clone, its home and what
// is temporary; log is where we keep what the agent is told, tools what it was furnished with, judge whether it may only read.
func (a *Actor) agentPolicy(dir, log string, w work, tools check.Furnished, judge bool) *confine.Policy {
	if a.o.Confine == nil {
		return nil
	}
	home := valueOf(a.o.Env, "HOME")
	o := *a.o.Confine
	o.Read = slices.Concat(o.Read, confine.Programs(a.agentEnv(dir, tools, w.agent.Env), home), w.agent.Reads, objectsOf(w.clone.Dir), []string{log})
	o.Read = slices.DeleteFunc(o.Read, func(path string) bool { return strings.HasPrefix(path, dir+"/") }) // its own
	o.Write = append(slices.Clone(o.Write), ownFolders(dir)...)
	if judge {
		o.Read = append(o.Read, w.clone.Dir)
		o.Write = slices.DeleteFunc(o.Write, func(path string) bool { return path == w.clone.Dir })
	}
	for _, path := range w.agent.Writes {
		if _, err := os.Stat(path); err == nil {
			o.Write = append(o.Write, path)
		}
	}
	// Compilers' caches are those that checks begin with, and stay as they are.
	deps := filepath.Join(a.o.Shared, "deps")
	build := filepath.Join(deps, "go-build")
	for _, path := range append([]string{filepath.Join(a.o.Shared, "agent"), build, filepath.Join(deps, "go-mod")}, tools.Overlays...) {
		upper := filepath.Join(dir, changes, strconv.Itoa(len(o.Overlays)))
		if err := errors.Join(os.MkdirAll(path, 0o755), os.MkdirAll(upper, 0o755)); err == nil {
			o.Overlays = append(o.Overlays, confine.Overlay{Path: path, Upper: upper, Copy: path == build || slices.Contains(tools.Overlays, path)})
		}
	}
	if w.agent.Gateway == nil { // it reaches its model by itself, from wherever that is
		o.Network = w.agent.Network
		return &o
	}
	o.Door = o.FreeDoor()
	return &o
}

// reach is where the agent reaches the gateway: in a sandbox at a listener that only what is inside can connect to.
func (g Agent) reach(ctx context.Context, p *confine.Policy) (string, error) {
	if p == nil {
		return g.Gateway.Listen(ctx)
	}
	return "http://127.0.0.1:" + strconv.Itoa(p.Door), nil
}

// changes is the folder of a turn with what it changes in caches. The agent does not see it as such.
const changes = "changes"

// ownFolders are what an agent may write of the folder of its turn.
func ownFolders(dir string) []string {
	var out []string
	for _, name := range []string{"home", "tmp", "target"} { // cannot be made later
		_ = os.MkdirAll(filepath.Join(dir, name), 0o755)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return []string{dir}
	}
	for _, e := range list {
		if e.Name() != changes {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// objectsOf are the folders of objects that a clone shares with the repository, which a confined git has to read.
func objectsOf(clone string) []string {
	var out []string
	todo := []string{filepath.Join(clone, ".git", "objects")}
	for len(todo) > 0 && len(out) < 16 {
		raw, err := os.ReadFile(filepath.Join(todo[0], "info", "alternates"))
		at := todo[0]
		todo = todo[1:]
		if err != nil {
			continue
		}
		for path := range strings.Lines(string(raw)) {
			path = filepath.FromSlash(strings.TrimSpace(path))
			if path == "" || strings.HasPrefix(path, "#") {
				continue
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(at, path)
			}
			out, todo = append(out, path), append(todo, path)
		}
	}
	return out
}
