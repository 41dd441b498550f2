package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
)

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
		if places <- struct{}{}; ctx.Err() != nil {
			break
		}
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

// take takes bundles in, each after what it needs, and as many at once as can be. Where these are refused, each alone says which
// is to blame.
func (s *store) take(ctx context.Context, list []*arrived) error {
	alone := false
	for len(list) > 0 {
		now, err := s.ready(ctx, list, alone)
		if err != nil {
			return err
		}
		bundles := make([]git.Bundle, len(now))
		for i, a := range now {
			bundles[i] = a.Bundle
		}
		err = s.repo.TakeBundles(ctx, bundles...)
		if errors.Is(err, git.ErrBundle) && len(now) > 1 {
			alone = true
			continue
		}
		if err != nil {
			return named(now[0].name, err)
		}
		list = slices.DeleteFunc(slices.Clone(list), func(a *arrived) bool { return slices.Contains(now, a) })
	}
	return nil
}

// ready picks what can be taken next: one whose needs are here, or all small ones that need nothing else than each other.
func (s *store) ready(ctx context.Context, list []*arrived, alone bool) ([]*arrived, error) {
	var after []string
	for _, a := range list {
		after = append(after, a.After...)
	}
	here, err := s.repo.Here(ctx, after)
	if err != nil {
		return nil, err
	}
	met := func(a *arrived) bool {
		return !slices.ContainsFunc(a.After, func(id string) bool { return !here[id] })
	}
	for _, a := range list {
		if (alone || a.Large()) && met(a) {
			return []*arrived{a}, nil
		}
	}
	small := slices.DeleteFunc(slices.Clone(list), func(a *arrived) bool { return alone || a.Large() })
	was := maps.Clone(here)
	for _, a := range small {
		here[a.ID] = true
	}
	for n := -1; n != len(small); {
		n = len(small)
		small = slices.DeleteFunc(small, func(a *arrived) bool {
			if met(a) {
				return false
			}
			here[a.ID] = was[a.ID]
			return true
		})
	}
	if len(small) == 0 {
		return nil, fmt.Errorf("%s: what it needs needs it: %w", list[0].name, git.ErrBundle)
	}
	return small, nil
}
