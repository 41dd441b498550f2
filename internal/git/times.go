package git

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// CommitTimes returns for each of the paths that HEAD has when its present content was
// committed: the committer time (Unix seconds) of the newest commit that gave it that content. A merge
// counts only where its result differs from all parents. The history is walked once,
// and only as far as needed. In a shallow repository the oldest commit takes the blame
// for everything before it. Paths that HEAD does not have are left out.
func (r *Repo) CommitTimes(ctx context.Context, paths []string) (map[string]int64, error) {
	if len(paths) == 0 {
		return map[string]int64{}, nil
	}
	head, err := r.Head(ctx)
	if err != nil || head.Unborn {
		return map[string]int64{}, err
	}
	entries, err := r.committed(ctx, head.Commit)
	if err != nil {
		return nil, fmt.Errorf("read commit times: %w", err)
	}
	top := make(map[string]string, len(paths)) // by what they are called from the top
	for _, p := range paths {
		q, err := r.inside(p)
		if err != nil {
			return nil, err
		}
		top[q] = p
	}
	wanted := make(map[string]want, len(paths))
	var modules []string
	for _, e := range entries {
		if p, ok := top[e.path]; ok {
			wanted[e.path] = want{path: p, id: e.id}
		}
		if e.mode == modeModule {
			modules = append(modules, e.path)
		}
	}
	times, err := r.commitTimes(ctx, head.Commit, func() map[string]want { return wanted })
	if err != nil {
		return nil, err
	}
	return times, r.moduleTimes(ctx, modules, top, times)
}

// CommitTimesOf is CommitTimes for who knows the ids that HEAD has for the paths: git starts on the history, and
// contents is called while it reads. For a path that has another id in HEAD, or none, the answer means nothing.
func (r *Repo) CommitTimesOf(ctx context.Context, contents func() map[string]string) (map[string]int64, error) {
	head, err := r.Head(ctx)
	if err != nil || head.Unborn {
		return map[string]int64{}, err
	}
	return r.commitTimes(ctx, head.Commit, func() map[string]want {
		ids := contents()
		wanted := make(map[string]want, len(ids))
		for p, id := range ids {
			q := p
			if r.prefix != "" {
				q = path.Join(r.prefix, p)
			}
			wanted[q] = want{path: p, id: id}
		}
		return wanted
	})
}

// commitTimes takes what is wanted by the paths from the top, and empties it.
func (r *Repo) commitTimes(ctx context.Context, head string, wanted func() map[string]want) (map[string]int64, error) {
	early, stop := context.WithCancel(ctx)
	defer stop()
	w := &walk{stop: stop, ready: make(chan struct{})}
	go func() {
		defer close(w.ready)
		w.want = wanted()
		w.times = make(map[string]int64, len(w.want))
		if len(w.want) == 0 {
			stop()
		}
	}()
	err := r.walk(early, w, head)
	if err == nil {
		err = r.fromRoots(ctx, w)
	}
	if err != nil {
		return nil, fmt.Errorf("read commit times: %w", err)
	}
	return w.times, nil
}

// moduleTimes asks the submodules for the paths that are theirs.
func (r *Repo) moduleTimes(ctx context.Context, modules []string, top map[string]string, times map[string]int64) error {
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

// committed lists the files of a commit, with paths relative to the top.
func (r *Repo) committed(ctx context.Context, commit string) ([]indexed, error) {
	out, err := r.user(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	list := make([]indexed, 0, bytes.Count(out, []byte{0}))
	for rec := range strings.SplitSeq(string(out), "\x00") { // mode, type and id, then the path
		meta, p, ok := strings.Cut(rec, "\t")
		mode, rest, _ := strings.Cut(meta, " ")
		if _, id, found := strings.Cut(rest, " "); ok && found {
			list = append(list, indexed{path: p, mode: mode, id: id})
		}
	}
	return list, nil
}

func (r *Repo) walk(ctx context.Context, w *walk, from string) error {
	_, err := r.in(ctx, call{
		args: []string{"-c", "log.showRoot=false", "log", "-z", "--raw", "-c", "--no-renames", "--no-abbrev", "--format=%x01%ct %H %P", from}, out: w,
	})
	<-w.ready
	w.release()
	if len(w.want) == 0 {
		return w.err // everything was found; that the walk was cut is no error
	}
	if err == nil {
		err = w.err
	}
	return err
}

// fromRoots answers for what no other commit has given its content: that came with a commit without a parent. Git
// does not list these, a first commit is often as large as all that follow.
func (r *Repo) fromRoots(ctx context.Context, w *walk) error {
	if len(w.roots) == 1 {
		for _, p := range w.want {
			w.times[p.path] = w.roots[0].at
		}
		return nil
	}
	for _, root := range w.roots {
		if len(w.want) == 0 {
			break
		}
		entries, err := r.committed(ctx, root.commit)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if p, ok := w.want[e.path]; ok && p.id == e.id {
				w.times[p.path] = root.at
				delete(w.want, e.path)
			}
		}
	}
	return nil
}

type want struct{ path, id string }

// walk reads the output of git log as it comes: %x01 and the time of a commit, its id and those of its parents, then
// pairs of a raw line and a path, everything ended by NUL. Combined lines have one
// mode and id for each parent; the last id is the result's.
type walk struct {
	ready chan struct{} // closed when it is known what is wanted
	want  map[string]want
	times map[string]int64
	stop  context.CancelFunc
	held  []byte // what came before it was known what is wanted
	part  []byte
	at    int64
	roots []root
	id    string // of the raw line before a path
	isRaw bool
	err   error
}

// root is a commit without a parent.
type root struct {
	commit string
	at     int64
}

func (w *walk) Write(b []byte) (int, error) {
	if len(w.held) < maxHeldBack {
		select {
		case <-w.ready:
		default:
			w.held = append(w.held, b...)
			return len(b), nil
		}
	}
	<-w.ready
	w.release()
	w.take(b)
	return len(b), nil
}

// maxHeldBack is how much of git's output waits in memory until it is known what is wanted.
const maxHeldBack = 32 << 20

// release takes what was held back.
func (w *walk) release() {
	if len(w.held) > 0 {
		held := w.held
		w.held = nil
		w.take(held)
	}
}

func (w *walk) take(b []byte) {
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
		seconds, commits, _ := strings.Cut(string(b[1:]), " ")
		sec, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			w.err = fmt.Errorf("time of a commit: %w", err)
		}
		w.at = sec
		if commit, parents, _ := strings.Cut(commits, " "); parents == "" {
			w.roots = append(w.roots, root{commit, w.at})
		}
	case b[0] == ':':
		w.isRaw = true
		letter := bytes.LastIndexByte(b, ' ') // ":100644 100644 id id M"
		if letter < 0 {
			letter = 0
		}
		w.id = string(b[bytes.LastIndexByte(b[:letter], ' ')+1 : letter])
	default:
		w.err = fmt.Errorf("unknown line %q of git log", b)
	}
}
