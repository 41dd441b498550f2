package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
)

// objects is the little that a store of files has to do. Names have slashes. Other errors than these two have a class.
type objects struct {
	// list gives the names of what lies in a folder, without it.
	list func(ctx context.Context, folder string) ([]string, error)
	get  func(ctx context.Context, name string, w io.Writer) error   // errNone
	put  func(ctx context.Context, name string, body *os.File) error // errExists: nothing was changed
	drop func(ctx context.Context, name string) error
}

var (
	errExists = errors.New("it is there already")
	errNone   = errors.New("it is not there")
)

// store is a place of thin bundles: one a step, and one for each commit of the project that runs began with. A bundle needs only
// what is in the store: other steps of its run, and such commits, each of which needs an earlier one at most.
type store struct {
	repo    *git.Repo
	at      *objects
	project string // folder
	temp    string
	works   bool            // that what is made twice is refused has been seen
	bases   map[string]bool // commits that have a bundle of their own; nil = not asked yet
}

// StoreOptions say where a store is and for what.
type StoreOptions struct {
	Address string            // s3://BUCKET/PREFIX or file:///FOLDER
	Project string            // its name on all machines
	Temp    string            // folder for bundles that are on their way
	Env     map[string]string // endpoint, region and credentials as programs of AWS have them
}

// IsAddress tells the address of a store from the name of a remote.
func IsAddress(hub string) bool { return strings.Contains(hub, "://") }

// Store is a store of thin bundles as a place.
func Store(repo *git.Repo, o StoreOptions) (Place, error) {
	s := &store{repo: repo, project: readable(o.Project, 60, 4), temp: o.Temp}
	var err error
	if dir, ok := strings.CutPrefix(o.Address, "file://"); ok {
		s.at, err = newFolder(dir)
	} else {
		s.at, err = newBucket(o.Address, o.Env)
	}
	return s, err
}

const suffix = ".bundle"

func (s *store) steps(run string) string   { return s.project + "/" + run + "/steps" }
func (s *store) commits() string           { return s.project + "/commits" }
func (s *store) base(commit string) string { return s.commits() + "/" + commit + suffix }

// baseRef is the ref in the bundle of a commit.
func baseRef(commit string) string { return "refs/jacquard/commits/" + commit }

// Check looks whether the store can be read, written and deleted in, and refuses to make what is there.
func (s *store) Check(ctx context.Context) (err error) {
	name := s.project + "/probe-" + strings.ToLower(rand.Text())
	f, err := s.file()
	if err != nil {
		return err
	}
	defer discard(f)
	if _, err := f.WriteString("probe\n"); err != nil {
		return flow.Failf(flow.Environment, "write a temporary file: %v", err)
	}
	if err := s.at.put(ctx, name, f); err != nil {
		return err
	}
	again := s.at.put(ctx, name, f)
	if err := s.at.drop(ctx, name); err != nil {
		return err
	}
	if again == nil {
		return flow.Failf(flow.Environment, "the store ignores conditional writes (If-None-Match: *), so two machines could overwrite each other: it cannot be a hub")
	}
	if !errors.Is(again, errExists) {
		return again
	}
	s.works = true
	return nil
}

// Make puts the bundle of a step.
func (s *store) Make(ctx context.Context, run, ref, commit string, near []string) error {
	if s.repo.Shallow() {
		return flow.Failf(flow.Environment, "this clone has not the whole history, which the hub would lack: git fetch --unshallow")
	}
	if !s.works {
		if err := s.Check(ctx); err != nil {
			return err
		}
	}
	after, err := s.after(ctx, commit, near)
	if err != nil {
		return err
	}
	err = s.put(ctx, s.steps(run)+"/"+path.Base(ref)+suffix, git.Bundle{Ref: ref, ID: commit, After: after})
	if errors.Is(err, errExists) {
		return fmt.Errorf("%s: %w", ref, git.ErrRejected)
	}
	if err != nil {
		return err
	}
	return s.repo.SetRef(ctx, ref, commit, "")
}

// reach is how far back a commit may be from what its run has in the store.
const reach = 64

// after says what the store has already of what a parcel reaches. Where that is nothing of the history of one of its commits,
// it gets what the commit was made on first: a snapshot is of one run, what it was made from is of the project.
func (s *store) after(ctx context.Context, parcel string, near []string) ([]string, error) {
	var out []string
	had := map[string]bool{}
	for _, n := range near {
		if had[n] {
			continue
		}
		out, had[n] = append(out, n), true
		_, parents, err := s.repo.ReadCommit(ctx, n)
		if err != nil {
			return nil, err
		}
		for _, p := range parents {
			had[p] = true
		}
	}
	_, commits, err := s.repo.ReadCommit(ctx, parcel)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		history, err := s.repo.FirstParents(ctx, c, reach)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(history, func(h string) bool { return had[h] }) {
			continue
		}
		if err := s.know(ctx); err != nil {
			return nil, err
		}
		base := history[min(1, len(history)-1)]
		if s.bases[c] {
			base = c
		}
		if err := s.keepBase(ctx, base); err != nil {
			return nil, err
		}
		out, had[base] = append(out, base), true
	}
	return out, nil
}

// know asks once which commits have a bundle of their own.
func (s *store) know(ctx context.Context) error {
	if s.bases != nil {
		return nil
	}
	names, err := s.at.list(ctx, s.commits())
	if err != nil {
		return err
	}
	s.bases = map[string]bool{}
	for _, n := range names {
		s.bases[strings.TrimSuffix(n, suffix)] = true
	}
	return nil
}

// keepBase sees to it that a commit has a bundle, which needs the last one before it that has one.
func (s *store) keepBase(ctx context.Context, commit string) error {
	if s.bases[commit] {
		return nil
	}
	history, err := s.repo.FirstParents(ctx, commit, 0)
	if err != nil {
		return err
	}
	b := git.Bundle{Ref: baseRef(commit), ID: commit}
	if i := slices.IndexFunc(history, func(h string) bool { return s.bases[h] }); i >= 0 {
		b.After = history[i : i+1]
	}
	if err := s.put(ctx, s.base(commit), b); err != nil && !errors.Is(err, errExists) {
		return err
	}
	s.bases[commit] = true
	return nil
}

func (s *store) put(ctx context.Context, name string, b git.Bundle) error {
	f, err := s.file()
	if err != nil {
		return err
	}
	defer discard(f)
	if err := s.repo.WriteBundle(ctx, &limited{f, maxBundle}, b); err != nil {
		return flow.Failf(flow.Environment, "make %s for the hub: %v", name, err)
	}
	return s.at.put(ctx, name, f)
}

// Drop deletes the bundles of the steps of a run. Those of commits stay: another run may begin with them now.
func (s *store) Drop(ctx context.Context, run string) (int, error) {
	names, err := s.at.list(ctx, s.steps(run))
	if err != nil {
		return 0, err
	}
	for i, n := range names {
		if err := s.at.drop(ctx, s.steps(run)+"/"+n); err != nil {
			return i, err
		}
	}
	return len(names), nil
}

// maxBundle bounds what is taken from the store, and so what is put there.
const maxBundle = 1 << 30

// limited is a writer that takes so much and no more.
type limited struct {
	w    io.Writer
	left int64
}

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, errTooLarge
	}
	return l.w.Write(b)
}

var errTooLarge = fmt.Errorf("it has more than %d bytes: %w", maxBundle, git.ErrBundle)

// file makes a file for a bundle that is on its way.
func (s *store) file() (*os.File, error) {
	f, err := os.CreateTemp(s.temp, "bundle-*")
	if err != nil {
		return nil, flow.Failf(flow.Environment, "make a temporary file: %v", err)
	}
	return f, nil
}

func discard(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}
