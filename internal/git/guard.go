package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Guard is what in the user's repository must not change while an agent works: a digest
// for HEAD, every ref, every setting that applies, and every hook.
type Guard map[string]string

// Guard takes the present state. Refs below refs/jacquard/ and refs/heads/jacquard/ are
// the engine's own and not part of it, and neither are index and files.
func (r *Repo) Guard(ctx context.Context) (Guard, error) {
	g := Guard{}
	head, err := os.ReadFile(filepath.Join(r.gitDir, "HEAD"))
	if err != nil {
		return nil, fmt.Errorf("guard repository: %w", err)
	}
	g["HEAD"] = strings.TrimSpace(string(head))
	refs, err := r.Refs(ctx, "refs/")
	if err != nil {
		return nil, fmt.Errorf("guard repository: %w", err)
	}
	for name, id := range refs {
		if !strings.HasPrefix(name, "refs/jacquard/") && !strings.HasPrefix(name, "refs/heads/jacquard/") {
			g["ref "+name] = id
		}
	}
	hooks, err := r.guardConfig(ctx, g)
	if err != nil {
		return nil, fmt.Errorf("guard repository: %w", err)
	}
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

// guardConfig adds the settings and returns the directory of the user's hooks.
func (r *Repo) guardConfig(ctx context.Context, g Guard) (hooks string, err error) {
	out, err := r.user(ctx, "config", "--list", "-z", "--show-scope", "--includes")
	if err != nil {
		return "", err
	}
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
	return hooks, nil
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

// Changed names what is not in after as it was in g, sorted: "ref refs/heads/x created",
// "config core.hookspath changed", "hook pre-commit removed".
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
