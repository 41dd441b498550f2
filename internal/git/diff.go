package git

import (
	"bytes"
	"context"
	"fmt"
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
	d, err := r.desk("", "")
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	defer d.close()
	list, err := r.diff(ctx, d, a, b)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	for i := range list {
		list[i].Path = r.outside(list[i].Path)
	}
	return list, nil
}

func (r *Repo) diff(ctx context.Context, d *desk, a, b string) ([]Change, error) {
	for _, id := range []string{a, b} {
		if err := r.checkID(id); err != nil {
			return nil, err
		}
	}
	out, err := d.do(ctx, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", a, b)
	if err != nil {
		return nil, missing(err)
	}
	var list []Change
	tokens := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(tokens); i += 2 {
		f := strings.Fields(strings.TrimPrefix(tokens[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("unknown line %q of git diff-tree", tokens[i])
		}
		c := Change{Status: f[4][0], Path: tokens[i+1], OldMode: f[0], NewMode: f[1], OldID: f[2], NewID: f[3]}
		if c.Status == 'A' {
			c.OldID, c.OldMode = "", ""
		}
		if c.Status == 'D' {
			c.NewID, c.NewMode = "", ""
		}
		list = append(list, c)
	}
	return list, nil
}

// Line is a line of a text file without its newline; N counts from 1.
type Line struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// FileDiff is a change with its lines.
type FileDiff struct {
	Change
	// Binary says that the file has no lines to show: it contains NUL bytes, or is
	// larger than 4 MiB on one side.
	Binary bool
	// OldSize and NewSize are bytes, -1 where there is no file or it is a submodule.
	OldSize, NewSize int64
	// Removed are lines of the old file, Added lines of the new one, by their numbers there.
	Removed, Added []Line
}

// AddedLines lists what differs from tree a to tree b with the lines. Attributes that a
// tree contains cannot hide lines.
func (r *Repo) AddedLines(ctx context.Context, a, b string) ([]FileDiff, error) {
	d, err := r.desk("", "")
	if err != nil {
		return nil, fmt.Errorf("compare lines: %w", err)
	}
	defer d.close()
	changes, err := r.diff(ctx, d, a, b)
	if err != nil {
		return nil, fmt.Errorf("compare lines: %w", err)
	}
	var ids []string
	files := make([]FileDiff, len(changes))
	for i, c := range changes {
		files[i].Change = c
		for _, id := range []string{c.OldID, c.NewID} {
			if id != "" {
				ids = append(ids, id)
			}
		}
	}
	sizes, err := r.sizes(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("compare lines: %w", err)
	}
	// git decides what is large, so that it never loads and prints it.
	p := &patch{files: files, at: -1}
	_, err = d.in(ctx, call{line: p.line, args: []string{
		"-c", "core.bigFileThreshold=4m", "diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--no-color", "--full-index", "--submodule=short", "--ignore-submodules=none", a, b,
	}})
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, fmt.Errorf("compare lines: %w", err)
	}
	for i := range files {
		f := &files[i]
		f.OldSize, f.NewSize = sizeOf(sizes, f.OldID, f.OldMode), sizeOf(sizes, f.NewID, f.NewMode)
		f.Path = r.outside(f.Path)
	}
	return files, nil
}

func sizeOf(sizes map[string]int64, id, mode string) int64 {
	if n, ok := sizes[id]; ok && mode != modeModule {
		return n
	}
	return -1
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
	case bytes.HasPrefix(b, []byte("Binary files ")):
		if p.at >= 0 {
			p.files[p.at].Binary = true
		}
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
