package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CommitTimes returns for each of the paths that HEAD has when its present content was
// committed: the committer time of the newest commit that gave it that content. A merge
// counts only where its result differs from all parents. The history is walked once,
// and only as far as needed. In a shallow repository the oldest commit takes the blame
// for everything before it. Paths that HEAD does not have are left out.
func (r *Repo) CommitTimes(ctx context.Context, paths []string) (map[string]time.Time, error) {
	times := make(map[string]time.Time, len(paths))
	head, err := r.Head(ctx)
	if err != nil || head.Unborn || len(paths) == 0 {
		return times, err
	}
	w := &walk{want: map[string]want{}, times: times}
	top := make(map[string]string, len(paths))
	for _, p := range paths {
		q, pathErr := r.inside(p)
		if pathErr != nil {
			return nil, fmt.Errorf("read commit times: %w", pathErr)
		}
		top[q] = p
	}
	entries, err := r.entries(ctx, head.Commit)
	if err != nil {
		return nil, fmt.Errorf("read commit times: %w", err)
	}
	var modules []string
	for _, e := range entries {
		if p, ok := top[e.Path]; ok {
			w.want[e.Path] = want{path: p, id: e.ID}
		}
		if e.Mode == modeModule {
			modules = append(modules, e.Path)
		}
	}
	if err := r.walk(ctx, w, head.Commit); err != nil {
		return nil, fmt.Errorf("read commit times: %w", err)
	}
	return times, r.moduleTimes(ctx, modules, top, times)
}

// moduleTimes asks the submodules for the paths that are theirs.
func (r *Repo) moduleTimes(ctx context.Context, modules []string, top map[string]string, times map[string]time.Time) error {
	for _, m := range modules {
		var theirs []string
		for q := range top {
			if rest, ok := strings.CutPrefix(q, m+"/"); ok {
				theirs = append(theirs, rest)
			}
		}
		if len(theirs) == 0 {
			continue
		}
		sub, err := r.openSubmodule(ctx, r.outside(m))
		if err != nil || sub == nil {
			return err
		}
		found, err := sub.CommitTimes(ctx, theirs)
		if err != nil {
			return err
		}
		for q, t := range found {
			times[top[m+"/"+q]] = t
		}
	}
	return nil
}

func (r *Repo) walk(ctx context.Context, w *walk, from string) error {
	if len(w.want) == 0 {
		return nil
	}
	early, stop := context.WithCancel(ctx)
	defer stop()
	w.stop = stop
	_, err := r.in(early, call{
		args: []string{"log", "-z", "--raw", "-c", "--no-renames", "--no-abbrev", "--format=%x01%ct", from}, out: w,
	})
	if len(w.want) == 0 {
		return w.err // everything was found; that the walk was cut is no error
	}
	if err == nil {
		err = w.err
	}
	return err
}

type want struct{ path, id string }

// walk reads the output of git log as it comes: %x01 and the time of a commit, then
// pairs of a raw line and a path, everything ended by NUL. Combined lines have one
// mode and id for each parent; the last id is the result's.
type walk struct {
	want  map[string]want
	times map[string]time.Time
	stop  context.CancelFunc
	part  []byte
	at    time.Time
	id    string // of the raw line before a path
	isRaw bool
	err   error
}

func (w *walk) Write(b []byte) (int, error) {
	n := len(b)
	for len(w.want) > 0 {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			w.part = append(w.part, b...)
			break
		}
		if len(w.part) > 0 {
			w.part = append(w.part, b[:i]...)
			w.token(w.part)
			w.part = w.part[:0]
		} else {
			w.token(b[:i])
		}
		b = b[i+1:]
	}
	return n, nil
}

func (w *walk) token(b []byte) {
	if w.isRaw {
		w.isRaw = false
		if p, ok := w.want[string(b)]; ok && p.id == w.id {
			w.times[p.path] = w.at
			delete(w.want, string(b))
			if len(w.want) == 0 {
				w.stop()
			}
		}
		return
	}
	b = bytes.TrimPrefix(b, []byte("\n"))
	switch {
	case len(b) == 0:
	case b[0] == 1:
		sec, err := strconv.ParseInt(string(b[1:]), 10, 64)
		if err != nil {
			w.err = fmt.Errorf("time of a commit: %w", err)
		}
		w.at = time.Unix(sec, 0).UTC()
	case b[0] == ':':
		w.isRaw = true
		f := bytes.Fields(b)
		w.id = string(f[len(f)-2])
	default:
		w.err = fmt.Errorf("unknown line %q of git log", b)
	}
}
