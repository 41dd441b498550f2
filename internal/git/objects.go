package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Entry is one file of a tree.
type Entry struct {
	Path string
	// Mode is 100644, 100755, 120000 (symbolic link) or 160000 (submodule).
	Mode string
	ID   string
}

// node is one entry of a single tree object.
type node struct{ name, mode, id string }

const modeDir = "40000"

// ReadTree lists the files of a tree (or of a commit's tree) below the root, sorted.
// The error is ErrMissing when there is no such tree.
func (r *Repo) ReadTree(ctx context.Context, tree string) ([]Entry, error) {
	list, err := r.entries(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	if r.prefix == "" {
		return list, nil
	}
	list = slices.DeleteFunc(list, func(e Entry) bool { return !strings.HasPrefix(e.Path, r.prefix) })
	for i := range list {
		list[i].Path = r.outside(list[i].Path)
	}
	return list, nil
}

// WholeTree lists the files of a tree as ReadTree does, also those beside the root, with paths from the top of the repository.
func (r *Repo) WholeTree(ctx context.Context, tree string) ([]Entry, error) {
	list, err := r.entries(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	return list, nil
}

// entries lists a tree with paths relative to the top, sorted.
func (r *Repo) entries(ctx context.Context, tree string) ([]Entry, error) {
	id, err := r.treeOf(ctx, tree)
	if err != nil {
		return nil, err
	}
	var list []Entry
	err = r.walkTree(ctx, id, "", func(p string, n node) {
		list = append(list, Entry{Path: p, Mode: n.mode, ID: n.id})
	})
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// walkTree visits every file below a tree.
func (r *Repo) walkTree(ctx context.Context, tree, dir string, visit func(p string, n node)) error {
	nodes, err := r.nodes(ctx, tree)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if n.mode != modeDir {
			visit(dir+n.name, n)
		} else if err := r.walkTree(ctx, n.id, dir+n.name+"/", visit); err != nil {
			return err
		}
	}
	return nil
}

// nodes are the entries of one tree object; an empty id stands for no entries. They are
// shared and must not be changed.
func (r *Repo) nodes(ctx context.Context, tree string) ([]node, error) {
	if tree == "" {
		return nil, nil
	}
	s := &r.store
	s.mu.Lock()
	list, ok := s.trees[tree]
	s.mu.Unlock()
	if ok {
		return list, nil
	}
	raw, err := r.read(ctx, kindTree, tree)
	if err != nil {
		return nil, err
	}
	if list, err = parseNodes(raw, s.size); err != nil {
		return nil, fmt.Errorf("tree %s: %w", tree, err)
	}
	s.keep(tree, list)
	return list, nil
}

func (s *store) keep(tree string, list []node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trees == nil || s.held > maxHeld {
		s.trees, s.held = map[string][]node{}, 0
	}
	s.trees[tree] = list
	s.held += len(list) + 1
}

// parseNodes reads a tree object: "mode name NUL id" for each entry. Names that could
// lead out of the tree or into a git folder are refused as git does it.
func parseNodes(raw []byte, size int) ([]node, error) {
	var list []node
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, isPair := strings.Cut(string(head), " ")
		if !ok || !isPair || len(rest) < size {
			return nil, errors.New("damaged")
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
		list = append(list, node{name: name, mode: plainMode(mode), id: fmt.Sprintf("%x", rest[:size])})
		raw = rest[size:]
	}
	return list, nil
}

func checkName(name string) error {
	if name == "" || name == "." || name == ".." || strings.Contains(name, "/") || isDotGit(name) {
		return fmt.Errorf("invalid path %q: %w", name, ErrPath)
	}
	return nil
}

// plainMode is the mode that git takes an old or odd one for.
func plainMode(mode string) string {
	switch {
	case strings.TrimLeft(mode, "0") == modeDir:
		return modeDir
	case mode == modeLink || mode == modeModule:
		return mode
	case len(mode) == 6 && (mode[3]-'0')&1 == 1:
		return modeExec
	}
	return modeFile
}

// treeOf is the id of a tree, or of the tree of a commit.
func (r *Repo) treeOf(ctx context.Context, id string) (string, error) {
	r.store.mu.Lock()
	_, known := r.store.trees[id]
	r.store.mu.Unlock()
	if known {
		return id, nil
	}
	tree := id
	err := r.get(ctx, id, func(kind string, size int64, body io.Reader) error {
		switch kind {
		case kindTree:
			return nil
		case kindCommit:
			b, err := io.ReadAll(body)
			tree, _ = heading(string(b))
			return err
		}
		return fmt.Errorf("%s is a %s: %w", id, kind, ErrMissing)
	})
	return tree, err
}

// heading reads the beginning of a commit: its tree, then its parents.
func heading(text string) (tree string, parents []string) {
	for line := range strings.Lines(text) {
		switch key, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); key {
		case "tree":
			tree = id
		case "parent":
			parents = append(parents, id)
		default:
			return tree, parents
		}
	}
	return tree, parents
}

// ReadCommit returns the tree and the parents of a commit. The error is ErrMissing when
// there is no such commit.
func (r *Repo) ReadCommit(ctx context.Context, id string) (tree string, parents []string, err error) {
	b, err := r.read(ctx, kindCommit, id)
	if err != nil {
		return "", nil, fmt.Errorf("read commit: %w", err)
	}
	tree, parents = heading(string(b))
	return tree, parents, nil
}

// checkID refuses what could be taken for an option or another revision.
func (r *Repo) checkID(id string) error {
	if len(id) != 2*r.store.size || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is no object id: %w", id, ErrMissing)
	}
	return nil
}

// missing gives git's complaint about an unknown object its class.
func missing(err error) error {
	if f, ok := errors.AsType[*failure](err); ok && f.class == nil {
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
	b, err := r.read(ctx, kindBlob, id)
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	return b, nil
}

// ReadBlobs returns the bytes of many blobs by their ids. All are held in memory.
func (r *Repo) ReadBlobs(ctx context.Context, ids []string) (map[string][]byte, error) {
	blobs := make(map[string][]byte, len(ids))
	for _, id := range ids {
		if _, ok := blobs[id]; ok {
			continue
		}
		b, err := r.ReadBlob(ctx, id)
		if err != nil {
			return nil, err
		}
		blobs[id] = b
	}
	return blobs, nil
}

// WriteBlob stores b as it is and returns its id.
func (r *Repo) WriteBlob(ctx context.Context, b []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("write blob: %w", context.Cause(ctx))
	}
	id, err := r.put(kindBlob, b)
	if err != nil {
		return "", fmt.Errorf("write blob: %w", err)
	}
	return id, nil
}

// Edit sets one file of a tree, or removes it when ID is empty.
type Edit struct{ Path, Mode, ID string }

// EditTree returns the tree that base (empty for none) becomes by edits. A file takes
// the place of a directory of the same name and the other way round. The error is
// ErrPath for a path that git does not allow, ErrMissing when base or an object of an
// edit is not there.
func (r *Repo) EditTree(ctx context.Context, base string, edits []Edit) (string, error) {
	top := make([]Edit, len(edits))
	for i, e := range edits {
		p, err := r.inside(e.Path)
		if err != nil {
			return "", fmt.Errorf("edit tree: %w", err)
		}
		top[i] = Edit{Path: p, Mode: e.Mode, ID: e.ID}
	}
	tree, err := r.edit(ctx, base, top)
	if err != nil {
		return "", fmt.Errorf("edit tree: %w", err)
	}
	return tree, nil
}

// edit works with paths relative to the top.
func (r *Repo) edit(ctx context.Context, base string, edits []Edit) (string, error) {
	plan := &change{}
	for _, removal := range []bool{true, false} { // what is removed must not stand in the way of what comes
		for _, e := range edits {
			if (e.ID == "") != removal {
				continue
			}
			if err := r.checkEdit(ctx, e); err != nil {
				return "", err
			}
			plan.add(strings.Split(e.Path, "/"), e)
		}
	}
	if base != "" {
		var err error
		if base, err = r.treeOf(ctx, base); err != nil {
			return "", err
		}
	}
	tree, err := r.rebuild(ctx, base, plan)
	if err == nil && tree == "" {
		tree, err = r.putNodes(nil)
	}
	return tree, err
}

func (r *Repo) checkEdit(ctx context.Context, e Edit) error {
	for part := range strings.SplitSeq(e.Path, "/") {
		if err := checkName(part); err != nil {
			return fmt.Errorf("%q: %w", e.Path, err)
		}
	}
	if e.ID == "" {
		return nil
	}
	switch e.Mode {
	case modeModule: // its commit is in another repository
		return r.checkID(e.ID)
	case modeFile, modeExec, modeLink:
	default:
		return fmt.Errorf("%q: mode %q: %w", e.Path, e.Mode, ErrPath)
	}
	if err := r.checkID(e.ID); err != nil {
		return err
	}
	ok, err := r.has(ctx, e.ID)
	if err == nil && !ok {
		err = fmt.Errorf("%s for %q: %w", e.ID, e.Path, ErrMissing)
	}
	return err
}

// change is what becomes of one name in a tree: removed, set, or changed below.
type change struct {
	remove bool
	set    *node
	below  map[string]*change
}

func (c *change) add(parts []string, e Edit) {
	if len(parts) == 0 {
		if e.ID == "" {
			c.remove = true
			return
		}
		c.set, c.below = &node{mode: e.Mode, id: e.ID}, nil // a file takes the place of a directory
		return
	}
	if e.ID != "" {
		c.set = nil // and the other way round
	}
	if c.below == nil {
		c.below = map[string]*change{}
	}
	next := c.below[parts[0]]
	if next == nil {
		next = &change{}
		c.below[parts[0]] = next
	}
	next.add(parts[1:], e)
}

// rebuild writes the tree that the tree old (empty for none) becomes by c and returns
// its id, empty when nothing is left in it.
func (r *Repo) rebuild(ctx context.Context, old string, c *change) (string, error) {
	nodes, err := r.nodes(ctx, old)
	if err != nil {
		return "", err
	}
	next := make([]node, 0, len(nodes)+len(c.below))
	present := map[string]node{}
	for _, n := range nodes {
		if c.below[n.name] == nil {
			next = append(next, n)
		} else {
			present[n.name] = n
		}
	}
	for name, ch := range c.below {
		at, err := r.changed(ctx, present[name], ch)
		if err != nil {
			return "", err
		}
		if at.id != "" {
			at.name = name
			next = append(next, at)
		}
	}
	if len(next) == 0 {
		return "", nil
	}
	// git's order: a directory is compared as if its name ended in a slash.
	key := func(n node) string {
		if n.mode == modeDir {
			return n.name + "/"
		}
		return n.name
	}
	slices.SortFunc(next, func(a, b node) int { return strings.Compare(key(a), key(b)) })
	id, err := r.putNodes(next)
	if err == nil {
		r.store.keep(id, next)
	}
	return id, err
}

// changed is the node that n (without an id when there is none) becomes by c.
func (r *Repo) changed(ctx context.Context, n node, c *change) (node, error) {
	if c.set != nil {
		return *c.set, nil
	}
	if c.remove && n.mode != modeDir { // naming a directory removes no file in it
		n = node{}
	}
	if c.below == nil {
		return n, nil
	}
	under := ""
	if n.mode == modeDir {
		under = n.id
	}
	id, err := r.rebuild(ctx, under, c)
	if err != nil {
		return node{}, err
	}
	if id == "" && n.mode != modeDir { // nothing was to be removed below a file
		return n, nil
	}
	return node{mode: modeDir, id: id}, nil
}

// putNodes stores one tree object, whose entries are in git's order.
func (r *Repo) putNodes(list []node) (string, error) {
	var b bytes.Buffer
	for _, n := range list {
		raw, err := hex.DecodeString(n.id)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s\x00%s", n.mode, n.name, raw)
	}
	return r.put(kindTree, b.Bytes())
}
