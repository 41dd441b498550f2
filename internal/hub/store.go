package hub

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

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
	s := &store{repo: repo, project: folderOf(o.Project), temp: o.Temp}
	var err error
	if dir, ok := strings.CutPrefix(o.Address, "file://"); ok {
		s.at, err = newFolder(dir)
	} else {
		s.at, err = newBucket(o.Address, o.Env)
	}
	return s, err
}

// folderOf makes a folder of the name of a project, another one for each.
func folderOf(project string) string {
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, project)
	sum := sha256.Sum256([]byte(project))
	return strings.Trim(safe[max(0, len(safe)-60):], "-") + "-" + hex.EncodeToString(sum[:4])
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
		return flow.Failf(flow.Environment, "the store replaces what is there although it is told not to (If-None-Match: *), so two machines could both believe that they were first: it cannot be a hub")
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
		known := false
		for _, h := range history {
			known = known || had[h]
		}
		if known {
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
	for _, h := range history {
		if s.bases[h] {
			b.After = []string{h}
			break
		}
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

// arrived is a bundle that has come and is not taken in yet.
type arrived struct {
	git.Bundle

	name string // in the store
	file *os.File
}

// Fetch brings the steps of a run that are not here yet, and what they need.
func (s *store) Fetch(ctx context.Context, run string) error {
	err := s.fetch(ctx, run)
	if errors.Is(err, errNone) { // a step that was put while the list was read, with one that it needs
		err = s.fetch(ctx, run)
	}
	if errors.Is(err, errNone) {
		return flow.Failf(flow.Environment, "the hub lacks what it had: %v. Cancel the run and start it again", err)
	}
	if errors.Is(err, git.ErrBundle) {
		return flow.Failf(flow.Environment, "the hub is damaged: %v. Nothing of it is used. Delete it there", err)
	}
	return err
}

func (s *store) fetch(ctx context.Context, run string) error {
	names, err := s.at.list(ctx, s.steps(run))
	if err != nil {
		return err
	}
	here, err := s.repo.Refs(ctx, prefix(run))
	if err != nil {
		return err
	}
	want := map[string]string{} // refs by name in the store
	for _, n := range names {
		ref, ok := stepRef(run, n)
		if !ok {
			return fmt.Errorf("%s/%q is no step: %w", s.steps(run), n, git.ErrBundle)
		}
		if here[ref] == "" {
			want[s.steps(run)+"/"+n] = ref
		}
	}
	steps, err := s.all(ctx, want)
	list := steps
	defer func() {
		for _, a := range list {
			discard(a.file)
		}
	}()
	if err != nil {
		return err
	}
	if list, err = s.needed(ctx, steps); err != nil {
		return err
	}
	if err := s.take(ctx, list); err != nil {
		return err
	}
	for _, a := range steps {
		if err := s.repo.SetRef(ctx, a.Ref, a.ID, ""); err != nil {
			return err
		}
	}
	return nil
}

// stepRef is the ref of a bundle in the folder of a run. What the store calls it is somebody's word.
func stepRef(run, name string) (string, bool) {
	bare, ok := strings.CutSuffix(name, suffix)
	if !ok || bare == "" || strings.Trim(bare, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return "", false
	}
	return prefix(run) + bare, true
}

// atOnce is how many bundles are on their way at once: a store that is far away takes its time for each.
const atOnce = 8

// all brings bundles, by their names in the order of these. One that was deleted meanwhile is left out. What has come is returned
// with an error, too.
func (s *store) all(ctx context.Context, refs map[string]string) ([]*arrived, error) {
	names := slices.Sorted(maps.Keys(refs))
	list, errs := make([]*arrived, len(names)), make([]error, len(names))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i, n := range names {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			if list[i], errs[i] = s.get(ctx, n, refs[n]); errs[i] != nil && !errors.Is(errs[i], errNone) {
				stop()
			}
		})
	}
	group.Wait()
	list = slices.DeleteFunc(list, func(a *arrived) bool { return a == nil })
	for _, err := range errs {
		if err != nil && !errors.Is(err, errNone) && !errors.Is(err, context.Canceled) {
			return list, err
		}
	}
	return list, context.Cause(ctx)
}

// get brings a bundle and reads its heading; it has to be of the ref that its name says.
func (s *store) get(ctx context.Context, name, ref string) (*arrived, error) {
	f, err := s.file()
	if err != nil {
		return nil, err
	}
	a := &arrived{name: name, file: f}
	size := int64(0)
	if err = s.at.get(ctx, name, &limited{f, maxBundle}); err == nil {
		size, err = f.Seek(0, io.SeekEnd)
	}
	if err == nil {
		a.Bundle, err = s.repo.ReadBundle(f, size)
	}
	if err == nil && a.Ref != ref {
		err = fmt.Errorf("it is of %.80q: %w", a.Ref, git.ErrBundle)
	}
	if err != nil {
		discard(f)
		return nil, named(name, err)
	}
	return a, nil
}

func named(name string, err error) error {
	if errors.Is(err, git.ErrBundle) || errors.Is(err, errNone) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// needed adds what bundles need and is not here: commits of the project, each with a bundle of its own. What it has is returned
// with an error, too.
func (s *store) needed(ctx context.Context, list []*arrived) ([]*arrived, error) {
	list = slices.Clone(list)
	come := map[string]bool{}
	for _, a := range list {
		come[a.ID] = true
	}
	for i := 0; i < len(list); i++ { // it grows
		a := list[i]
		here, err := s.repo.Here(ctx, a.After)
		if err != nil {
			return list, err
		}
		for _, id := range a.After {
			if here[id] || come[id] {
				continue
			}
			b, err := s.get(ctx, s.base(id), baseRef(id))
			if err != nil {
				return list, fmt.Errorf("%s needs %w", a.name, err)
			}
			list, come[id] = append(list, b), true
			if b.ID != id {
				return list, fmt.Errorf("%s: it is of %s: %w", b.name, b.ID, git.ErrBundle)
			}
		}
	}
	return list, nil
}

// take takes bundles in, all at once. Where that cannot be, each alone, as often as that brings more, says which is to blame.
func (s *store) take(ctx context.Context, list []*arrived) error {
	bundles := make([]git.Bundle, len(list))
	for i, a := range list {
		bundles[i] = a.Bundle
	}
	err := s.repo.TakeBundles(ctx, bundles...)
	for errors.Is(err, git.ErrBundle) {
		var rest []*arrived
		for _, a := range list {
			if one := s.repo.TakeBundles(ctx, a.Bundle); errors.Is(one, git.ErrBundle) {
				rest, err = append(rest, a), named(a.name, one)
			} else if one != nil {
				return one
			}
		}
		if len(rest) == 0 {
			return nil
		}
		if len(rest) == len(list) {
			return err
		}
		list = rest
	}
	return err
}
