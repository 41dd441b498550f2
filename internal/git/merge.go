package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Merge merges the changes from tree base to tree theirs into tree ours. Conflicts are the
// paths that could not be merged; with any, the tree contains git's markers and must not be
// used as a result. No file, ref or index is touched, and drivers of the user's or a tree's
// attributes are not run.
func (r *Repo) Merge(ctx context.Context, base, ours, theirs string) (tree string, conflicts []string, err error) {
	if tree, ok, err := r.mergeApart(ctx, base, ours, theirs); err != nil || ok {
		if err != nil {
			err = fmt.Errorf("merge: %w", err)
		}
		return tree, nil, err
	}
	d, err := r.desk("")
	if err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	defer d.close()
	// git merges commits. These three say what the common ancestor is and are always the
	// same for the same trees.
	ancestor, err := r.CommitTree(ctx, own(base, "merge"))
	if err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	left, err := r.CommitTree(ctx, own(ours, "ours", ancestor))
	if err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	right, err := r.CommitTree(ctx, own(theirs, "theirs", ancestor))
	if err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	out, err := d.in(ctx, call{args: []string{"merge-tree", "--write-tree", "-z", "--messages", left, right}, ok: []int{1}})
	if err != nil && !isAnswer(err) {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	tokens := strings.Split(string(out), "\x00")
	if err == nil {
		return tokens[0], nil, nil
	}
	return tokens[0], r.conflicts(tokens[1:]), nil
}

// mergeApart merges sides that changed different paths, which is most merges and needs
// no merging of lines. ok is false when git has to do it.
func (r *Repo) mergeApart(ctx context.Context, base, ours, theirs string) (tree string, ok bool, err error) {
	left, err := r.diff(ctx, base, ours)
	if err != nil {
		return "", false, err
	}
	right, err := r.diff(ctx, base, theirs)
	if err != nil {
		return "", false, err
	}
	taken := map[string]bool{} // paths that our side changed, and the directories that they are in
	mine := map[string]bool{}
	for _, c := range left {
		mine[c.Path] = true
		for p := c.Path; p != "" && !taken[p]; p = parent(p) {
			taken[p] = true
		}
	}
	edits := make([]Edit, len(right))
	for i, c := range right {
		if taken[c.Path] {
			return "", false, nil
		}
		for p := c.Path; p != ""; p = parent(p) {
			if mine[p] {
				return "", false, nil
			}
		}
		edits[i] = Edit{Path: c.Path, Mode: c.NewMode, ID: c.NewID}
	}
	tree, err = r.edit(ctx, ours, edits)
	return tree, err == nil, err
}

// parent is the directory of a path in a tree, "" for the top.
func parent(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }

// conflicts reads "mode id stage TAB path" up to an empty token, then messages as
// count, paths, kind, sentence.
func (r *Repo) conflicts(tokens []string) []string {
	var list []string
	add := func(p string) {
		if p = r.outside(p); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for len(tokens) > 0 && tokens[0] != "" {
		if _, p, ok := strings.Cut(tokens[0], "\t"); ok {
			add(p)
		}
		tokens = tokens[1:]
	}
	for tokens = tokens[min(1, len(tokens)):]; len(tokens) > 1; {
		n, _ := strconv.Atoi(tokens[0])
		if n <= 0 || len(tokens) < n+3 {
			break
		}
		if kind := tokens[n+1]; strings.HasPrefix(kind, "CONFLICT") {
			add(tokens[1])
		}
		tokens = tokens[n+3:]
	}
	return list
}
