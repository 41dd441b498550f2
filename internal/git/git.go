// Package git is typed git: trees, differences, snapshots, throw-away clones, commits,
// refs and the delivery of files, carried out by the git program.
//
// Nothing it runs depends on the user's environment, and no hook, signature, external
// diff, file system monitor or clean-up is ever started. The user's index, stash, HEAD
// and branches change only through SetRef and DeleteRef, the user's files only through
// Apply. Folders in which an agent worked are read as plain files: what was planted in
// their git configuration is reported, never obeyed.
//
// Paths are relative to the project's root, with slashes. Trees are trees of the whole
// repository; what lies outside a root that is a subdirectory is shown as "../other".
package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // the size of git's ids, not a safeguard
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// The errors that callers tell apart. A full disk is syscall.ENOSPC, a missing
// permission fs.ErrPermission, a read-only file system syscall.EROFS.
var (
	// ErrNoGit says that there is no git program in the PATH.
	ErrNoGit = errors.New("git is not installed")
	// ErrNotRepo says that the directory is not in a work tree of a git repository.
	ErrNotRepo = errors.New("not a git work tree")
	// ErrNoRef says that a ref does not exist.
	ErrNoRef = errors.New("no such ref")
	// ErrMoved says that a ref has not the value it was expected to have.
	ErrMoved = errors.New("ref has moved")
	// ErrMissing says that an object is not in the repository.
	ErrMissing = errors.New("no such object")
	// ErrPath says that a path leaves the project or is one that git itself uses.
	ErrPath = errors.New("path is not allowed")
)

// OwnerError says that a repository belongs to another user, and that nothing which its
// configuration names may run: git refuses it unless safe.directory allows it.
type OwnerError struct{ Dir string }

func (e *OwnerError) Error() string { return "the repository " + e.Dir + " belongs to another user" }

// Options are what a repository needs from its surroundings.
type Options struct {
	// Dir is the project's root, an existing directory.
	Dir string
	// Env is where PATH, HOME and the few other variables that git needs to find itself
	// and the user's configuration are taken from. The rest, above all GIT_*, is dropped.
	Env []string
	// Temp is an existing directory outside the project for indexes that live for one
	// call. Only what makes or unpacks trees needs it.
	Temp string
}

// Repo is a repository with a work tree, seen from a project's root in it. Its methods
// may be called at the same time.
type Repo struct {
	tool
	top     string // work tree
	prefix  string // from top to the root, "" or ending in a slash
	gitDir  string // of this work tree
	common  string // shared by all work trees
	temp    string
	format  string // sha1 or sha256
	shallow bool
	store   store
	config  configCache
}

// repo completes a repository whose place is known.
func (r *Repo) repo() *Repo {
	r.store.dir, r.store.size = filepath.Join(r.common, "objects"), sha1.Size
	r.store.reader.args = []string{"cat-file", "--batch"}
	// It waits for locks of others as long as git does unless a user has it wait for ever.
	r.store.refs.args = []string{"-c", "core.filesRefLockTimeout=1000", "-c", "core.packedRefsTimeout=1000", "update-ref", "--no-deref", "--stdin", "-z"}
	if r.format == "sha256" {
		r.store.size = sha256.Size
	}
	return r
}

// Root is the absolute path of the project's root, without symbolic links.
func (r *Repo) Root() string { return filepath.Join(r.top, filepath.FromSlash(r.prefix)) }

// Prefix is the path from the top of the repository to the project's root: empty, or
// ending in a slash. In clones and check trees the project is found there.
func (r *Repo) Prefix() string { return r.prefix }

// Open finds the repository that o.Dir is in. Linked work trees and submodules are
// repositories of their own. The error is ErrNoGit, ErrNotRepo or an OwnerError where it is that.
func Open(ctx context.Context, o Options) (*Repo, error) {
	t, err := newTool(o.Env)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if r, ok := t.plain(o); ok {
		return r, nil
	}
	out, err := t.run(ctx, call{dir: o.Dir, env: ownersEnv(o.Env), args: []string{
		"rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-object-format", "--absolute-git-dir",
		"--path-format=absolute", "--git-common-dir", "--show-toplevel", "--show-prefix",
	}})
	if f, ok := errors.AsType[*failure](err); ok && (strings.Contains(f.text, "not a git repository") || strings.Contains(f.text, "must be run in a work tree")) {
		return nil, fmt.Errorf("open repository: %s: %w", o.Dir, ErrNotRepo)
	}
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", refused(err, o.Dir))
	}
	f7 := strings.Split(string(out), "\n")
	if f7[0] != "true" {
		return nil, fmt.Errorf("open repository: %s: %w", o.Dir, ErrNotRepo)
	}
	if len(f7) != 8 {
		return nil, fmt.Errorf("open repository: %s: a newline in its path", o.Dir)
	}
	return (&Repo{
		tool: t, shallow: f7[1] == "true", format: f7[2], gitDir: f7[3], common: f7[4], top: f7[5], prefix: f7[6], temp: o.Temp,
	}).repo(), nil
}

// plain recognises by its files the usual case, a project's root that is the top of an
// ordinary repository, and saves the process that would say so. Anything unusual in the
// configuration is left to git.
func (t tool) plain(o Options) (*Repo, bool) {
	top, err := filepath.EvalSymlinks(o.Dir)
	if err != nil || !filepath.IsAbs(top) || strings.ContainsAny(top, "\n") {
		return nil, false
	}
	dir := filepath.Join(top, ".git")
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, false
	}
	for _, f := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			return nil, false
		}
	}
	if !mine(top) || !mine(dir) {
		return nil, false
	}
	config, err := os.ReadFile(filepath.Join(dir, "config"))
	if err != nil {
		return nil, false
	}
	text := strings.ToLower(string(config))
	for _, odd := range []string{"worktree", "extensions", "include", "bare = true", "bare=true", "objectformat"} {
		if strings.Contains(text, odd) {
			return nil, false
		}
	}
	_, err = os.Stat(filepath.Join(dir, "shallow"))
	return (&Repo{tool: t, shallow: err == nil, format: "sha1", gitDir: dir, common: dir, top: top, temp: o.Temp}).repo(), true
}

// Private is the repository of a project outside git. It is kept in gitDir, its work
// tree is o.Dir, and it is made when there is none. It never has commits on a branch.
func Private(ctx context.Context, o Options, gitDir string) (*Repo, error) {
	t, err := newTool(o.Env)
	if err != nil {
		return nil, fmt.Errorf("open private repository: %w", err)
	}
	root, err := filepath.Abs(o.Dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("open private repository: %w", err)
	}
	if gitDir, err = filepath.Abs(gitDir); err != nil {
		return nil, fmt.Errorf("open private repository: %w", err)
	}
	// HEAD comes last, so that a repository without it is one that was not finished.
	if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err != nil {
		if err := writeGitDir(gitDir, "sha1", "/.jacquard/\n"); err != nil {
			return nil, fmt.Errorf("make private repository: %w", err)
		}
	}
	if !mine(gitDir) {
		if _, err := t.run(ctx, call{dir: gitDir, env: ownersEnv(o.Env), args: []string{"rev-parse", "--git-dir"}}); err != nil {
			return nil, fmt.Errorf("open private repository: %w", refused(err, gitDir))
		}
	}
	r := (&Repo{tool: t, format: "sha1", gitDir: gitDir, common: gitDir, top: root, temp: o.Temp}).repo()
	if _, err := r.user(ctx, "rev-parse", "--git-dir"); err != nil {
		return nil, fmt.Errorf("open private repository: %w", err)
	}
	return r, nil
}

// Shallow reports whether the repository lacked the beginning of its history when it was opened.
func (r *Repo) Shallow() bool { return r.shallow }

// Version is the version of the git program found by env, such as 2.39.5.
func Version(ctx context.Context, env []string) (string, error) {
	t, err := newTool(env)
	if err != nil {
		return "", err
	}
	out, err := t.run(ctx, call{dir: filepath.Dir(t.bin), args: []string{"version"}})
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), nil
}

// inside turns a path relative to the root into one relative to the top.
func (r *Repo) inside(p string) (string, error) {
	q := path.Join(r.prefix, p)
	if path.Clean(p) == "." || path.IsAbs(p) || q == "." || q == ".." || strings.HasPrefix(q, "../") || strings.ContainsRune(p, 0) {
		return "", fmt.Errorf("%q: %w", p, ErrPath)
	}
	for part := range strings.SplitSeq(q, "/") {
		if isDotGit(part) {
			return "", fmt.Errorf("%q: %w", p, ErrPath)
		}
	}
	return q, nil
}

// outside turns a path relative to the top into one relative to the root.
func (r *Repo) outside(p string) string {
	up := ""
	for dir := r.prefix; dir != ""; {
		if rest, ok := strings.CutPrefix(p, dir); ok {
			return up + rest
		}
		up += "../"
		dir = dir[:strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')+1]
	}
	return up + p
}

// scope limits a command to the project, when it is not the whole repository.
func (r *Repo) scope() []string {
	if r.prefix == "" {
		return nil
	}
	return []string{"--", r.prefix}
}

// ours reports whether a path below the root belongs to the engine: its directory, and
// what a delivery that was killed has left.
func ours(p string) bool {
	return p == ".jacquard" || strings.HasPrefix(p, ".jacquard/") || isTemp(p)
}

// variable is a variable of the environment that git is run in, "" where it is not set.
func (t tool) variable(name string) string {
	for _, kv := range slices.Backward(t.env) { // the last counts
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

func newTool(env []string) (tool, error) {
	keep := []string{
		"PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA",
		"LOCALAPPDATA", "PROGRAMDATA", "SYSTEMROOT", "TMPDIR", "TMP", "TEMP",
		"GIT_CONFIG_GLOBAL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", // who the user is
	}
	t := tool{}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		for _, name := range keep {
			if strings.EqualFold(k, name) {
				t.env = append(t.env, name+"="+v)
				if name == "PATH" {
					t.bin, _ = proc.LookPath("git", v)
				}
			}
		}
	}
	if t.bin == "" {
		return tool{}, ErrNoGit
	}
	t.env = append(t.env, "LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ADVICE=0")
	return t, nil
}
