package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Trailer is one "Key: value" line at the end of a commit message.
type Trailer struct{ Key, Value string }

// Commit is what a commit is made from. The same fields give the same id.
type Commit struct {
	Tree    string
	Parents []string
	// Message is the subject and the body; Trailers follow after an empty line.
	Message  string
	Trailers []Trailer
	// Name and Email are those of author and committer, Time is their time, to the second.
	Name, Email string
	Time        time.Time
}

// own is a commit of the engine's that nobody sees: its id depends on nothing else.
func own(tree, message string, parents ...string) Commit {
	return Commit{Tree: tree, Parents: parents, Message: message, Name: "jacquard", Email: "jacquard@localhost", Time: time.Unix(0, 0).UTC()}
}

func (c Commit) text() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(c.Message) + "\n")
	for i, t := range c.Trailers {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(t.Key + ": " + strings.Join(strings.Fields(t.Value), " ") + "\n")
	}
	return b.String()
}

// CommitTree stores a commit and returns its id. No ref changes. The error is
// ErrMissing when its tree or a parent is not there.
func (r *Repo) CommitTree(ctx context.Context, c Commit) (string, error) {
	id, err := r.commitTree(ctx, c)
	if err != nil {
		return "", fmt.Errorf("write commit: %w", err)
	}
	return id, nil
}

func (r *Repo) commitTree(ctx context.Context, c Commit) (string, error) {
	tree, err := r.treeOf(ctx, c.Tree)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("tree " + tree + "\n")
	for _, p := range c.Parents {
		if _, err := r.read(ctx, kindCommit, p); err != nil {
			return "", err
		}
		b.WriteString("parent " + p + "\n")
	}
	name, email := identity(c.Name), identity(c.Email)
	if name == "" {
		return "", errors.New("no name for the author")
	}
	who := fmt.Sprintf("%s <%s> %d %s\n", name, email, c.Time.Unix(), c.Time.Format("-0700"))
	text := c.text()
	if strings.ContainsRune(text, 0) {
		return "", errors.New("the message contains a NUL byte")
	}
	b.WriteString("author " + who + "committer " + who + "\n" + strings.ToValidUTF8(text, "\uFFFD"))
	return r.put(kindCommit, []byte(b.String()))
}

// identity leaves out what cannot stand in the heading of a commit, as git does.
func identity(s string) string {
	s = strings.Map(func(c rune) rune {
		if c == '<' || c == '>' || c == '\n' || c == 0 {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimFunc(s, func(c rune) bool { return c <= ' ' || strings.ContainsRune(`.,:;"\'`, c) })
}

// Snapshot stores HEAD with everything in the work tree that is not ignored, staged or
// not, as a commit whose first parent is HEAD (none when there are no commits), and returns
// commit and tree. Tree of c is not used, its Parents follow. Index, stash, HEAD and refs stay
// as they are; the caller keeps the commit alive by a ref. Submodules stay links; the
// engine's own directory and untracked repositories are left out.
func (r *Repo) Snapshot(ctx context.Context, c Commit) (commit, tree string, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", "", fmt.Errorf("take snapshot: %w", err)
	}
	if tree, err = r.workTree(ctx, head.Commit); err != nil {
		return "", "", fmt.Errorf("take snapshot: %w", err)
	}
	c.Tree = tree
	if !head.Unborn {
		c.Parents = slices.Insert(slices.Clone(c.Parents), 0, head.Commit)
	}
	if commit, err = r.CommitTree(ctx, c); err != nil {
		return "", "", fmt.Errorf("take snapshot: %w", err)
	}
	return commit, tree, nil
}

// workTree stores the work tree by a copy of the user's index. Where nothing differs from head ("" = there is none), it is that commit's tree.
func (r *Repo) workTree(ctx context.Context, head string) (string, error) {
	if r.temp == "" {
		return "", fmt.Errorf("no temporary directory given: %w", fs.ErrInvalid)
	}
	dirty, err := r.status(ctx, call{})
	if err != nil {
		return "", err
	}
	if len(dirty) == 0 && head != "" {
		return r.treeOf(ctx, head)
	}
	dir, err := os.MkdirTemp(r.temp, "git-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover is found by its name
	index := filepath.Join(dir, "index")
	if err = copyIndex(filepath.Join(r.gitDir, "index"), index); err != nil {
		return "", err
	}
	env := []string{"GIT_INDEX_FILE=" + index}
	args := []string{"add", "-A", "--", ":(top)"}
	without, err := r.excluded(ctx, dirty)
	if err != nil {
		return "", err
	}
	for _, p := range without {
		args = append(args, ":(top,exclude,literal)"+p)
	}
	if _, err = r.in(ctx, call{env: env, magic: true, args: args}); err != nil {
		return "", err
	}
	out, err := r.in(ctx, call{env: env, args: []string{"write-tree"}})
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// excluded are paths, relative to the top, that are not ignored and yet no part of a
// snapshot: the engine's own, what a killed delivery left, and repositories that are not submodules.
func (r *Repo) excluded(ctx context.Context, dirty []Status) ([]string, error) {
	var list []string
	// git refuses to be told to exclude what it ignores anyway.
	_, err := r.in(ctx, call{magic: true, ok: []int{1}, args: []string{"check-ignore", "-q", "--no-index", "./" + r.prefix + ".jacquard"}})
	if isAnswer(err) {
		list = append(list, r.prefix+".jacquard")
	} else if err != nil {
		return nil, err
	}
	for _, s := range dirty {
		if p, ok := strings.CutSuffix(s.Path, "/"); ok || isTemp(s.Path) {
			list = append(list, p)
		}
	}
	return list, nil
}

// copyIndex copies the index with its time: git takes a file that is not older than the
// index for one that may have changed since. A copy with a later time would hide that.
func copyIndex(from, to string) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close() //nolint:errcheck // it was only read
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// LogEntry is one commit of a history.
type LogEntry struct {
	ID, Tree string
	Parents  []string
	// Time is the committer's.
	Time        time.Time
	Name, Email string
	// Message is the whole text, trailers included.
	Message  string
	Trailers []Trailer
}

// Trailer returns the value of the first trailer with this key, or "".
func (e LogEntry) Trailer(key string) string {
	for _, t := range e.Trailers {
		if strings.EqualFold(t.Key, key) {
			return t.Value
		}
	}
	return ""
}

// Log lists the commits that tip reaches and not (unless it is empty) does not, newest
// first, at most limit of them unless it is 0. Tip and not are ids.
func (r *Repo) Log(ctx context.Context, tip, not string, limit int) ([]LogEntry, error) {
	for _, id := range []string{tip, not} {
		if err := r.checkID(id); err != nil && id != "" {
			return nil, fmt.Errorf("read history: %w", err)
		}
	}
	args := []string{"log", "-z", "--topo-order", "--format=%H%x00%T%x00%P%x00%ct%x00%cn%x00%ce%x00%B%x00%(trailers:only,unfold)"}
	if limit > 0 {
		args = append(args, "--max-count="+strconv.Itoa(limit))
	}
	args = append(args, tip)
	if not != "" {
		args = append(args, "^"+not)
	}
	out, err := r.user(ctx, append(args, "--")...)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", missing(err))
	}
	const fields = 8
	f := strings.Split(string(out), "\x00")
	var list []LogEntry
	for ; len(f) >= fields; f = f[fields:] {
		sec, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read history: time of %s: %w", f[0], err)
		}
		list = append(list, LogEntry{
			ID: f[0], Tree: f[1], Parents: strings.Fields(f[2]), Time: time.Unix(sec, 0).UTC(),
			Name: f[4], Email: f[5], Message: strings.TrimSpace(f[6]), Trailers: trailers(f[7]),
		})
	}
	return list, nil
}

func trailers(text string) []Trailer {
	var list []Trailer
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			list = append(list, Trailer{Key: k, Value: strings.TrimSpace(v)})
		}
	}
	return list
}
