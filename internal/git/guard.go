package git

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Guard is what in the user's repository must not change while an agent works: a digest
// for every setting that applies, and every hook. Refs, HEAD, index and files are not
// part of it: the user may commit and switch branches meanwhile.
type Guard map[string]string

// Guard takes the present state.
func (r *Repo) Guard(ctx context.Context) (Guard, error) {
	g := Guard{}
	out, err := r.settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("guard repository: %w", err)
	}
	hooks := r.guardConfig(out, g)
	for _, dir := range slices.Compact([]string{filepath.Join(r.common, "hooks"), hooks}) {
		if err := guardHooks(g, dir); err != nil {
			return nil, fmt.Errorf("guard repository: %w", err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(r.common, "info", "attributes")); err == nil {
		g["file info/attributes"] = digest(b)
	}
	return g, nil
}

// configCache is what git said about the settings when their files were as their digest
// says.
type configCache struct {
	mu     sync.Mutex
	digest string
	out    []byte
}

// settings lists all settings that apply. git is asked again only when a file of
// settings has changed, or when one includes others, which may be anywhere.
func (r *Repo) settings(ctx context.Context) ([]byte, error) {
	c := &r.config
	c.mu.Lock()
	defer c.mu.Unlock()
	now := r.configDigest()
	if c.digest == now {
		return c.out, nil
	}
	out, err := r.user(ctx, "config", "--list", "-z", "--show-scope", "--includes")
	if err != nil {
		return nil, err
	}
	c.digest, c.out = "", nil
	if low := bytes.ToLower(out); !bytes.Contains(low, []byte("\x00include.")) && !bytes.Contains(low, []byte("\x00includeif.")) && now == r.configDigest() {
		c.digest, c.out = now, out
	}
	return out, nil
}

// configDigest covers the files that git reads settings from without being told to
// ("git-config", FILES), as far as they are not the installation's own.
func (r *Repo) configDigest() string {
	home := cmp.Or(r.variable("HOME"), r.variable("USERPROFILE"))
	xdg := cmp.Or(r.variable("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	h := sha256.New()
	for _, f := range []string{
		"/etc/gitconfig", filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"), r.variable("GIT_CONFIG_GLOBAL"),
		filepath.Join(r.common, "config"), filepath.Join(r.gitDir, "config.worktree"),
	} {
		b, err := os.ReadFile(f)
		fmt.Fprintf(h, "%t %d\x00", err == nil, len(b))
		_, _ = h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// guardConfig adds the settings and returns the directory of the user's hooks.
func (r *Repo) guardConfig(out []byte, g Guard) (hooks string) {
	hooks = filepath.Join(r.common, "hooks")
	f := strings.Split(string(out), "\x00")
	for ; len(f) >= 2; f = f[2:] {
		scope, setting := f[0], f[1]
		if scope == "command" { // our own
			continue
		}
		key, value, _ := strings.Cut(setting, "\n")
		name := "config " + key
		if scope != "local" {
			name += " (" + scope + ")"
		}
		// A value may be a secret; and a key may have several.
		g[name] = digest([]byte(g[name] + "\x00" + value))
		if key == "core.hookspath" {
			hooks = value
			if !filepath.IsAbs(hooks) {
				hooks = filepath.Join(r.top, filepath.FromSlash(hooks))
			}
		}
	}
	return hooks
}

func guardHooks(g Guard, dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // no hooks
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".sample") || e.IsDir() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		mode := ""
		if info, err := e.Info(); err == nil {
			mode = info.Mode().String()
		}
		g["hook "+e.Name()] = digest(append(b, mode...))
	}
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Changed names what is not in after as it was in g, sorted: "config core.hookspath
// changed", "hook pre-commit removed".
func (g Guard) Changed(after Guard) []string {
	var list []string
	for name, before := range g {
		now, ok := after[name]
		switch {
		case !ok:
			list = append(list, name+" removed")
		case now != before:
			list = append(list, name+" changed")
		}
	}
	for name := range after {
		if _, ok := g[name]; !ok {
			list = append(list, name+" created")
		}
	}
	slices.Sort(list)
	return list
}
