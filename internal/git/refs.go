package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Ref returns the id that the full name of a ref stands for. The error is ErrNoRef when
// there is none.
func (r *Repo) Ref(ctx context.Context, name string) (string, error) {
	if !strings.HasPrefix(name, "refs/") {
		return "", fmt.Errorf("read ref %q: %w", name, ErrNoRef)
	}
	if id, ok := r.refFile(name); ok {
		if id == "" {
			return "", fmt.Errorf("read ref %s: %w", name, ErrNoRef)
		}
		return id, nil
	}
	out, err := r.in(ctx, call{args: []string{"rev-parse", "-q", "--verify", name}, ok: []int{1}})
	if isAnswer(err) {
		return "", fmt.Errorf("read ref %s: %w", name, ErrNoRef)
	}
	if err != nil {
		return "", fmt.Errorf("read ref %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// refFile reads a ref as git's files have it, empty when there is none. ok is false when
// git has to be asked: another kind of store, a symbolic ref, a damaged file.
func (r *Repo) refFile(name string) (id string, ok bool) {
	if path.Clean(name) != name {
		return "", false
	}
	dir := r.common
	for _, own := range []string{"refs/worktree/", "refs/bisect/", "refs/rewritten/"} {
		if strings.HasPrefix(name, own) {
			dir = r.gitDir
		}
	}
	if _, err := os.Lstat(filepath.Join(r.common, "reftable")); err == nil {
		return "", false
	}
	for range 2 { // a ref that is packed just now leaves the one place after it came to the other
		if text, ok := plain(dir, name); ok {
			id = strings.TrimSpace(text)
			return id, r.checkID(id) == nil
		}
		packed, err := os.ReadFile(filepath.Join(r.common, "packed-refs"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", false
		}
		for line := range strings.Lines(string(packed)) {
			if id, ok := strings.CutSuffix(strings.TrimSuffix(line, "\n"), " "+name); ok && r.checkID(id) == nil {
				return id, true
			}
		}
	}
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return "", errors.Is(err, fs.ErrNotExist)
}

// ValidBranch reports whether a branch can have this name.
func (r *Repo) ValidBranch(ctx context.Context, name string) (bool, error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return false, nil
	}
	_, err := r.in(ctx, call{args: []string{"check-ref-format", "refs/heads/" + name}, ok: []int{1}})
	if isAnswer(err) {
		return false, nil
	}
	return err == nil, err
}

// NewestRefs are the refs below prefix whose commits are the newest, the newest first, at most so many.
func (r *Repo) NewestRefs(ctx context.Context, prefix string, most int) ([]string, error) {
	out, err := r.user(ctx, "for-each-ref", "--sort=-committerdate", "--count="+strconv.Itoa(most), "--format=%(refname)", prefix)
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// Refs lists the refs below prefix, such as refs/jacquard/, with their ids.
func (r *Repo) Refs(ctx context.Context, prefix string) (map[string]string, error) {
	args := []string{"for-each-ref", "--format=%(objectname) %(refname)"}
	if strings.HasSuffix(prefix, "/") { // whole names is all that git looks for
		args = append(args, prefix)
	}
	out, err := r.user(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if strings.HasPrefix(name, prefix) {
			refs[name] = id
		}
	}
	return refs, nil
}

// SetRef lets the full name of a ref stand for id if it stands for old now; an empty old
// means that it must not exist. The error is ErrMoved otherwise. A ref that stands for
// id already is set: doing it twice is doing it once.
func (r *Repo) SetRef(ctx context.Context, name, id, old string) error {
	command := "update " + name + "\x00" + id + "\x00" + old + "\x00"
	if old == "" {
		command = "create " + name + "\x00" + id + "\x00"
	}
	if err := errors.Join(r.checkID(id), r.checkID(cmp.Or(old, id))); err != nil {
		return fmt.Errorf("set ref %s: %w", name, err)
	}
	return r.moveRef(ctx, name, id, command)
}

// DeleteRef removes a ref if it stands for old now; one that is gone already is no error.
func (r *Repo) DeleteRef(ctx context.Context, name, old string) error {
	if err := r.checkID(old); err != nil {
		return fmt.Errorf("delete ref %s: %w", name, err)
	}
	return r.moveRef(ctx, name, "", "delete "+name+"\x00"+old+"\x00")
}

func (r *Repo) moveRef(ctx context.Context, name, want, command string) error {
	if !strings.HasPrefix(name, "refs/") || strings.ContainsAny(name, "\x00\n ") {
		return fmt.Errorf("set ref %q: %w", name, ErrNoRef)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if r.move(command) { //nolint:contextcheck // as for objects: many are served
		return nil
	}
	_, err := r.in(ctx, call{args: r.store.refs.args, in: strings.NewReader(command)})
	if err == nil {
		return nil
	}
	now, refErr := r.Ref(ctx, name)
	if refErr != nil && !errors.Is(refErr, ErrNoRef) {
		return fmt.Errorf("set ref %s: %w", name, err)
	}
	if now == want {
		return nil
	}
	if f, ok := errors.AsType[*failure](err); ok && (strings.Contains(f.text, "but expected") || strings.Contains(f.text, "already exists") ||
		strings.Contains(f.text, "unable to resolve reference")) {
		return fmt.Errorf("set ref %s: is %q: %w", name, now, ErrMoved)
	}
	return fmt.Errorf("set ref %s: %w", name, missing(err))
}
