package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Change is one file that differs between two trees.
type Change struct {
	// Status is 'A' (added), 'M' (modified), 'D' (deleted) or 'T' (another type).
	Status byte
	Path   string
	// OldID and OldMode are empty for an added file, NewID and NewMode for a deleted one.
	OldID, NewID, OldMode, NewMode string
}

// Diff lists what differs from tree a to tree b in the whole repository, sorted by
// path. Renames are a deletion and an addition. Commits stand for their trees.
func (r *Repo) Diff(ctx context.Context, a, b string) ([]Change, error) {
	list, err := r.diff(ctx, a, b)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	for i := range list {
		list[i].Path = r.outside(list[i].Path)
	}
	return list, nil
}

// diff gives paths relative to the top.
func (r *Repo) diff(ctx context.Context, a, b string) ([]Change, error) {
	var ids [2]string
	for i, id := range []string{a, b} {
		var err error
		if ids[i], err = r.treeOf(ctx, id); err != nil {
			return nil, err
		}
	}
	var list []Change
	err := r.diffTrees(ctx, ids[0], ids[1], "", &list)
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// diffTrees compares two trees, an empty id standing for nothing. Equal parts, however
// large, are not looked into.
func (r *Repo) diffTrees(ctx context.Context, a, b, dir string, list *[]Change) error {
	if a == b {
		return nil
	}
	before, err := r.nodes(ctx, a)
	if err != nil {
		return err
	}
	after, err := r.nodes(ctx, b)
	if err != nil {
		return err
	}
	old := make(map[string]node, len(before))
	for _, n := range before {
		old[n.name] = n
	}
	for _, n := range after {
		if err := r.diffNodes(ctx, old[n.name], n, dir+n.name, list); err != nil {
			return err
		}
		delete(old, n.name)
	}
	for name, n := range old {
		if err := r.diffNodes(ctx, n, node{}, dir+name, list); err != nil {
			return err
		}
	}
	return nil
}

// diffNodes compares what stands at one path, a node without an id being nothing.
func (r *Repo) diffNodes(ctx context.Context, a, b node, p string, list *[]Change) error {
	if a.id == b.id && a.mode == b.mode {
		return nil
	}
	var under [2]string
	for i, n := range []*node{&a, &b} {
		if n.mode == modeDir {
			under[i], *n = n.id, node{}
		}
	}
	if c := (Change{Path: p, OldID: a.id, OldMode: a.mode, NewID: b.id, NewMode: b.mode}); a.id != "" || b.id != "" {
		switch {
		case a.id == "":
			c.Status = 'A'
		case b.id == "":
			c.Status = 'D'
		case kindOf(a.mode) != kindOf(b.mode):
			c.Status = 'T'
		default:
			c.Status = 'M'
		}
		*list = append(*list, c)
	}
	return r.diffTrees(ctx, under[0], under[1], p+"/", list)
}

// kindOf tells files, links and submodules apart.
func kindOf(mode string) string {
	if mode == modeExec {
		return modeFile
	}
	return mode
}

// Line is a line of a text file without its newline; N counts from 1.
type Line struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// FileDiff is a change with its lines. Files with NUL bytes have none to show, nor have
// those that are larger than 4 MiB on one side.
type FileDiff struct {
	Change
	// Removed are lines of the old file, Added lines of the new one, by their numbers there.
	Removed, Added []Line
}

// AddedLines lists what differs from tree a to tree b with the lines. Attributes that a
// tree contains cannot hide lines.
func (r *Repo) AddedLines(ctx context.Context, a, b string) ([]FileDiff, error) {
	changes, err := r.diff(ctx, a, b)
	if err != nil {
		return nil, fmt.Errorf("compare lines: %w", err)
	}
	files := make([]FileDiff, len(changes))
	for i, c := range changes {
		files[i].Change = c
	}
	if err := r.patchLines(ctx, files, a, b); err != nil {
		return nil, fmt.Errorf("compare lines: %w", err)
	}
	for i := range files {
		files[i].Path = r.outside(files[i].Path)
	}
	return files, nil
}

// diffTree prints what differs as a patch that nothing of a tree or of the user changes.
var diffTree = []string{
	"diff-tree", "-r", "-p", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=none",
}

// Patch is what differs from tree a to tree b as git apply takes it, binary files included. Attributes that a tree contains
// cannot hide lines.
func (r *Repo) Patch(ctx context.Context, a, b string) ([]byte, error) {
	d, err := r.desk("")
	if err != nil {
		return nil, fmt.Errorf("write a patch: %w", err)
	}
	defer d.close()
	out, err := d.in(ctx, call{args: slices.Concat(diffTree, []string{"--binary", a, b})})
	if err != nil {
		return nil, fmt.Errorf("write a patch: %w", missing(err))
	}
	return out, nil
}

// largeFile is the size in bytes from which a file has no lines to show.
const largeFile = 4 << 20

// patchLines asks git for the lines.
func (r *Repo) patchLines(ctx context.Context, files []FileDiff, a, b string) error {
	d, err := r.desk("")
	if err != nil {
		return err
	}
	defer d.close()
	// git decides what is large, so that it never loads and prints it.
	p := &patch{files: files, at: -1}
	_, err = d.in(ctx, call{line: p.line, args: slices.Concat([]string{"-c", "core.bigFileThreshold=" + strconv.Itoa(largeFile)}, diffTree, []string{"-U0", a, b})})
	if err == nil {
		err = p.end()
	}
	return err
}

// patch reads a patch whose files come in the order of files. A change of the type is
// two parts: the old file deleted, the new one added. Within a hunk the lines are
// counted, so that no line of a file can be taken for a heading.
type patch struct {
	files    []FileDiff
	at       int
	second   bool // the part is the second one of its file
	old, new int  // numbers of the next lines
	minus    int  // lines of the hunk that are still to come
	plus     int
	err      error
}

func (p *patch) line(b []byte) {
	switch {
	case p.err != nil:
	case p.minus > 0 && len(b) > 0 && b[0] == '-':
		f := &p.files[p.at]
		f.Removed = append(f.Removed, Line{N: p.old, Text: string(b[1:])})
		p.old, p.minus = p.old+1, p.minus-1
	case p.plus > 0 && len(b) > 0 && b[0] == '+':
		f := &p.files[p.at]
		f.Added = append(f.Added, Line{N: p.new, Text: string(b[1:])})
		p.new, p.plus = p.new+1, p.plus-1
	case bytes.HasPrefix(b, []byte(`\ `)):
	case p.minus > 0 || p.plus > 0:
		p.err = fmt.Errorf("a hunk ends early at %q", b)
	case bytes.HasPrefix(b, []byte("diff --git ")):
		p.next()
	case bytes.HasPrefix(b, []byte("@@ -")):
		p.hunk(string(b))
	}
}

func (p *patch) next() {
	if p.at >= 0 && p.files[p.at].Status == 'T' && !p.second {
		p.second = true
		return
	}
	p.second = false
	if p.at++; p.at >= len(p.files) {
		p.err = fmt.Errorf("more than %d files in a patch", len(p.files))
	}
}

// hunk reads "@@ -old[,count] +new[,count] @@".
func (p *patch) hunk(s string) {
	f := strings.Fields(s)
	if len(f) < 4 || p.at < 0 {
		p.err = fmt.Errorf("unknown heading %q in a patch", s)
		return
	}
	p.old, p.minus = span(f[1])
	p.new, p.plus = span(f[2])
}

func span(s string) (first, count int) {
	a, n, ok := strings.Cut(s[1:], ",")
	first, _ = strconv.Atoi(a)
	count = 1
	if ok {
		count, _ = strconv.Atoi(n)
	}
	return first, count
}

func (p *patch) end() error {
	if p.err == nil && (p.at != len(p.files)-1 || p.minus+p.plus > 0) {
		return fmt.Errorf("a patch of %d files shows %d", len(p.files), p.at+1)
	}
	return p.err
}
