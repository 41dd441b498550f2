package git

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Ignored are those of some paths that git ignores in a tree, by its .gitignore files and the user's list for this repository. Paths
// are relative to the root; none of them needs to be there.
func (r *Repo) Ignored(ctx context.Context, tree string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	entries, err := r.entries(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("ask what is ignored: %w", err)
	}
	exclude, err := r.excludes()
	if err != nil {
		return nil, fmt.Errorf("ask what is ignored: %w", err)
	}
	ask := make([]string, len(paths))
	for i, p := range paths {
		ask[i] = path.Join(r.prefix, p)
	}
	out, err := r.ignored(ctx, entries, exclude, ask)
	if err != nil {
		return nil, fmt.Errorf("ask what is ignored: %w", err)
	}
	for i := range out {
		out[i] = r.outside(out[i])
	}
	return out, nil
}

// ignored lays out the ignore files of a tree in a place of our own, and asks git there about paths relative to the top.
func (r *Repo) ignored(ctx context.Context, entries []Entry, exclude string, ask []string) ([]string, error) {
	d, err := r.desk(exclude)
	if err != nil {
		return nil, err
	}
	defer d.close()
	var ids []string
	ignore := map[string]string{}
	for _, e := range entries {
		if path.Base(e.Path) == ".gitignore" && (e.Mode == modeFile || e.Mode == modeExec) {
			ignore[e.Path] = e.ID
			ids = append(ids, e.ID)
		}
	}
	blobs, err := r.ReadBlobs(ctx, ids)
	if err != nil {
		return nil, err
	}
	for p, id := range ignore {
		full := filepath.Join(d.work, filepath.FromSlash(p))
		if err = os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return nil, err
		}
		if err = os.WriteFile(full, blobs[id], 0o600); err != nil {
			return nil, err
		}
	}
	// This command knows no literal paths. With "./" no path begins with a colon, the
	// only thing that it takes for more than a path.
	in := strings.NewReader("./" + strings.Join(ask, "\x00./") + "\x00")
	text, err := d.in(ctx, call{args: []string{"check-ignore", "--no-index", "-z", "--stdin"}, magic: true, in: in, ok: []int{1}})
	if err != nil && !isAnswer(err) {
		return nil, err
	}
	var out []string
	for p := range strings.SplitSeq(string(text), "\x00") {
		if p != "" {
			out = append(out, strings.TrimPrefix(p, "./"))
		}
	}
	return out, nil
}
