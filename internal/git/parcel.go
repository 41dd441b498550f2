package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Parcel is what travels to another repository in one commit: objects by id,
// and files that are in no tree.
type Parcel struct {
	Objects []string          // trees, commits and blobs; what is not here is left out
	Files   map[string][]byte // by name, without slashes
}

// The folders of a parcel's tree.
const (
	parcelFiles = "files"
	parcelTrees = "trees"
	parcelBlobs = "blobs"
)

// Pack stores a parcel as a commit and returns its id. Commits are its
// parents, so that their histories come along. The same parcel gives the same id.
func (r *Repo) Pack(ctx context.Context, p Parcel) (string, error) {
	var parents []string
	folders := map[string][]node{}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(p.Objects))) {
		kind := ""
		err := r.get(ctx, id, func(k string, _ int64, _ io.Reader) error { kind = k; return nil })
		if errors.Is(err, ErrMissing) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("pack %s: %w", id, err)
		}
		switch kind {
		case kindCommit:
			parents = append(parents, id)
		case kindTree:
			folders[parcelTrees] = append(folders[parcelTrees], node{mode: modeDir, name: id, id: id})
		case kindBlob:
			folders[parcelBlobs] = append(folders[parcelBlobs], node{mode: modeFile, name: id, id: id})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if err := checkName(name); err != nil {
			return "", err
		}
		id, err := r.WriteBlob(ctx, p.Files[name])
		if err != nil {
			return "", err
		}
		folders[parcelFiles] = append(folders[parcelFiles], node{mode: modeFile, name: name, id: id})
	}
	var top []node
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		id, err := r.putNodes(folders[name])
		if err != nil {
			return "", fmt.Errorf("pack: %w", err)
		}
		top = append(top, node{mode: modeDir, name: name, id: id})
	}
	tree, err := r.putNodes(top)
	if err != nil {
		return "", fmt.Errorf("pack: %w", err)
	}
	return r.CommitTree(ctx, own(tree, "what a step refers to", parents...))
}

// Unpacked is what a parcel that has come brings, by name and id.
type Unpacked struct {
	Objects []string
	Files   map[string]string // ids of blobs by name
}

// Unpack lists what a parcel that has come brings.
func (r *Repo) Unpack(ctx context.Context, commit string) (Unpacked, error) {
	out := Unpacked{Files: map[string]string{}}
	tree, parents, err := r.ReadCommit(ctx, commit)
	if err != nil {
		return out, fmt.Errorf("unpack: %w", err)
	}
	out.Objects = parents
	top, err := r.nodes(ctx, tree)
	if err != nil {
		return out, fmt.Errorf("unpack: %w", err)
	}
	for _, folder := range top {
		list, err := r.nodes(ctx, folder.id)
		if err != nil {
			return out, fmt.Errorf("unpack: %w", err)
		}
		for _, n := range list {
			if folder.name == parcelFiles {
				out.Files[n.name] = n.id
			} else {
				out.Objects = append(out.Objects, n.id)
			}
		}
	}
	return out, nil
}

// PushNew makes a ref at a remote, once: where it is there already with
// something else, the error is ErrRejected and nothing has changed.
func (r *Repo) PushNew(ctx context.Context, remote, ref, id string, l Login) error {
	if err := r.checkID(id); err != nil {
		return fmt.Errorf("push %s: %w", ref, err)
	}
	_, err := r.remote(ctx, l, slices.Concat(pushAlone, []string{"--force-with-lease=" + ref + ":", "--", remote, id + ":" + ref})...)
	if errors.Is(err, ErrRejected) {
		// The same thing pushed twice is once.
		if there, lerr := r.RemoteRef(ctx, remote, ref, l); lerr == nil && there == id {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("push %s to %s: %w", ref, remote, err)
	}
	return nil
}

// RemoteRef is the object that a ref of a remote is at; "" when there is none.
func (r *Repo) RemoteRef(ctx context.Context, remote, ref string, l Login) (string, error) {
	out, err := r.remote(ctx, l, "ls-remote", "--", remote, ref)
	if err != nil {
		return "", fmt.Errorf("read %s of %s: %w", ref, remote, err)
	}
	for line := range strings.Lines(string(out)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && name == ref {
			return id, nil
		}
	}
	return "", nil
}

// FetchRefs brings the refs below a prefix from a remote, under the same names.
func (r *Repo) FetchRefs(ctx context.Context, remote, prefix string, l Login) error {
	if _, err := r.remote(ctx, l, slices.Concat(fetchAlone, []string{"--", remote, "+" + prefix + "*:" + prefix + "*"})...); err != nil {
		return fmt.Errorf("fetch %s from %s: %w", prefix, remote, err)
	}
	return nil
}

// DropRemoteRefs deletes the refs below a prefix at a remote and returns how many there were.
func (r *Repo) DropRemoteRefs(ctx context.Context, remote, prefix string, l Login) (int, error) {
	out, err := r.remote(ctx, l, "ls-remote", "--refs", "--", remote, prefix+"*")
	if err != nil {
		return 0, fmt.Errorf("list %s of %s: %w", prefix, remote, err)
	}
	var refs []string
	for line := range strings.Lines(string(out)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && strings.HasPrefix(name, prefix) {
			refs = append(refs, ":"+name)
		}
	}
	for batch := range slices.Chunk(refs, 200) { // a command line has its limits
		if _, err := r.remote(ctx, l, slices.Concat(pushAlone, []string{"--", remote}, batch)...); err != nil {
			return 0, fmt.Errorf("delete %s at %s: %w", prefix, remote, err)
		}
	}
	return len(refs), nil
}

// Here reports which of some objects are in the repository.
func (r *Repo) Here(ctx context.Context, ids []string) (map[string]bool, error) {
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		ok, err := r.has(ctx, id)
		if err != nil {
			return nil, err
		}
		out[id] = ok
	}
	return out, nil
}

// IDLength is how many characters an object id has.
func (r *Repo) IDLength() int { return 2 * r.store.size }
