package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Entry is one file of a tree.
type Entry struct {
	Path string
	// Mode is 100644, 100755, 120000 (symbolic link) or 160000 (submodule).
	Mode string
	ID   string
}

// ReadTree lists the files of a tree (or of a commit's tree) below the root, sorted.
// The error is ErrMissing when there is no such tree.
func (r *Repo) ReadTree(ctx context.Context, tree string) ([]Entry, error) {
	list, err := r.entries(ctx, tree, r.scope()...)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	for i := range list {
		list[i].Path = r.outside(list[i].Path)
	}
	return list, nil
}

// entries lists a tree with paths relative to the top.
func (r *Repo) entries(ctx context.Context, tree string, scope ...string) ([]Entry, error) {
	if err := r.checkID(tree); err != nil {
		return nil, err
	}
	out, err := r.user(ctx, append([]string{"ls-tree", "-r", "-z", "--full-tree", tree}, scope...)...)
	if err != nil {
		return nil, missing(err)
	}
	return parseTree(out), nil
}

func parseTree(out []byte) []Entry {
	list := make([]Entry, 0, bytes.Count(out, []byte{0}))
	for rec := range strings.SplitSeq(string(out), "\x00") {
		meta, p, ok := strings.Cut(rec, "\t")
		if f := strings.Fields(meta); ok && len(f) == 3 {
			list = append(list, Entry{Path: p, Mode: f[0], ID: f[2]})
		}
	}
	return list
}

// checkID refuses what could be taken for an option or another revision.
func (r *Repo) checkID(id string) error {
	size := 40
	if r.format == "sha256" {
		size = 64
	}
	if len(id) != size || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is no object id: %w", id, ErrMissing)
	}
	return nil
}

// missing gives git's complaint about an unknown object its class.
func missing(err error) error {
	var f *failure
	if errors.As(err, &f) && f.class == nil {
		for _, words := range []string{"ot a valid object", "ot a tree object", "bad object", "nvalid object", "could not parse", "unable to read tree", "unpack tree object"} {
			if strings.Contains(f.text, words) {
				f.class = ErrMissing
			}
		}
	}
	return err
}

// ReadBlob returns the bytes of a blob. The error is ErrMissing when there is none.
func (r *Repo) ReadBlob(ctx context.Context, id string) ([]byte, error) {
	blobs, err := r.ReadBlobs(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return blobs[id], nil
}

// ReadBlobs returns the bytes of many blobs by their ids. All are held in memory.
func (r *Repo) ReadBlobs(ctx context.Context, ids []string) (map[string][]byte, error) {
	blobs := make(map[string][]byte, len(ids))
	if len(ids) == 0 {
		return blobs, nil
	}
	for _, id := range ids {
		if err := r.checkID(id); err != nil {
			return nil, fmt.Errorf("read blobs: %w", err)
		}
	}
	out, err := r.in(ctx, call{args: []string{"cat-file", "--batch"}, in: strings.NewReader(strings.Join(ids, "\n") + "\n")})
	if err != nil {
		return nil, fmt.Errorf("read blobs: %w", err)
	}
	src := bufio.NewReader(bytes.NewReader(out))
	for _, id := range ids {
		head, err := src.ReadString('\n')
		f := strings.Fields(head)
		if err != nil || len(f) != 3 || f[1] != "blob" {
			return nil, fmt.Errorf("read blob %s: %w", id, ErrMissing)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("read blob %s: %w", id, err)
		}
		body := make([]byte, size+1) // and a newline
		if _, err := io.ReadFull(src, body); err != nil {
			return nil, fmt.Errorf("read blob %s: %w", id, err)
		}
		blobs[id] = body[:size:size]
	}
	return blobs, nil
}

// sizes returns the sizes of objects, -1 for one that is not here.
func (r *Repo) sizes(ctx context.Context, ids []string) (map[string]int64, error) {
	sizes := make(map[string]int64, len(ids))
	if len(ids) == 0 {
		return sizes, nil
	}
	out, err := r.in(ctx, call{
		args: []string{"cat-file", "--batch-check=%(objectsize)"}, in: strings.NewReader(strings.Join(ids, "\n") + "\n"),
	})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	for i, id := range ids {
		sizes[id] = -1
		if n, err := strconv.ParseInt(lines[min(i, len(lines)-1)], 10, 64); err == nil {
			sizes[id] = n
		}
	}
	return sizes, nil
}

// WriteBlob stores b as it is and returns its id.
func (r *Repo) WriteBlob(ctx context.Context, b []byte) (string, error) {
	out, err := r.in(ctx, call{args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, in: bytes.NewReader(b)})
	if err != nil {
		return "", fmt.Errorf("write blob: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Edit sets one file of a tree, or removes it when ID is empty.
type Edit struct{ Path, Mode, ID string }

// EditTree returns the tree that base (empty for none) becomes by edits. A file takes
// the place of a directory of the same name and the other way round. The error is
// ErrPath for a path that git does not allow, ErrMissing when base is not there.
func (r *Repo) EditTree(ctx context.Context, base string, edits []Edit) (string, error) {
	top := make([]Edit, len(edits))
	for i, e := range edits {
		p, err := r.inside(e.Path)
		if err != nil {
			return "", fmt.Errorf("edit tree: %w", err)
		}
		top[i] = Edit{Path: p, Mode: e.Mode, ID: e.ID}
	}
	d, err := r.desk("", "")
	if err != nil {
		return "", fmt.Errorf("edit tree: %w", err)
	}
	defer d.close()
	tree, err := r.edit(ctx, d, base, top)
	if err != nil {
		return "", fmt.Errorf("edit tree: %w", err)
	}
	return tree, nil
}

// edit works with paths relative to the top.
func (r *Repo) edit(ctx context.Context, d *desk, base string, edits []Edit) (string, error) {
	if base != "" {
		if err := r.checkID(base); err != nil {
			return "", err
		}
		if _, err := d.do(ctx, "read-tree", base); err != nil {
			return "", missing(err)
		}
	}
	// Removals first: what is removed must not stand in the way of what comes.
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return strings.Compare(present1(a.ID), present1(b.ID)) })
	var in bytes.Buffer
	for _, e := range edits {
		if e.ID == "" {
			fmt.Fprintf(&in, "0 %s\t%s\x00", strings.Repeat("0", len(r.hash(nil))), e.Path)
			continue
		}
		fmt.Fprintf(&in, "%s %s\t%s\x00", e.Mode, e.ID, e.Path)
	}
	if _, err := d.in(ctx, call{args: []string{"update-index", "--replace", "-z", "--index-info"}, in: &in}); err != nil {
		return "", err
	}
	out, err := d.do(ctx, "write-tree")
	if err != nil {
		return "", missing(err)
	}
	return strings.TrimSpace(string(out)), nil
}

func present1(id string) string {
	if id == "" {
		return "0"
	}
	return "1"
}
