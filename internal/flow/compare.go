package flow

import (
	"bytes"
	"maps"
	"slices"
)

// Diff says where a definition departs from a record that another version of
// it wrote. Empty means: going on gives what the old definition would have
// given so far.
type Diff struct {
	Unused  []string // outcomes that the definition does not ask for (any more, or yet)
	Lost    []string // started steps and open gates that it does not ask for
	Changed []string // other input, output shape or result of a finished branch, in words
	Bug     *Failure // it cannot run over the record at all
	Rebase  []Rebased
}

// Rebased is a record whose expected step or input hash changes when the
// differences are accepted.
type Rebased struct {
	Key  string
	Step string
	In   uint64
}

// Empty reports whether there is no difference.
func (d Diff) Empty() bool {
	return len(d.Unused) == 0 && len(d.Lost) == 0 && len(d.Changed) == 0 && d.Bug == nil
}

// Compare runs a definition over a record in memory and says what differs.
// The state must hold every outcome of the run, those of finished branches
// too; its folds are what these branches returned. It is not changed.
func Compare(w Runnable, s *State, blobs func(Blob) ([]byte, error)) Diff {
	cp := &State{Def: s.Def, In: s.In, Start: s.Start, Cancelled: s.Cancelled, Recs: maps.Clone(s.Recs), Open: maps.Clone(s.Open)}
	e := NewEngine(w, cp, blobs)
	e.diff = &Diff{}
	used, ended := map[string]bool{}, map[string]*Rec{}
	e.d = &Decision{}
	for len(e.queue) > 0 {
		e.next()
		for _, f := range e.d.Folds {
			ended[f.Path] = f.Rec
			for _, k := range f.Keys {
				used[k] = true
			}
		}
		e.d.Folds = nil
		// The other branches still have their differences to tell.
		if e.diff.Bug == nil {
			e.diff.Bug = e.d.Bug
		}
		e.d.Bug = nil
	}
	d := *e.diff
	for k, n := range e.nodes {
		used[k] = used[k] || n.stamp != 0
	}
	for _, path := range slices.Sorted(maps.Keys(s.Folds)) {
		switch had, now := s.Folds[path], ended[path]; {
		case now == nil:
			d.Changed = append(d.Changed, "branch "+path+" had ended and now goes on")
		case ClassOf(now.failed()) != ClassOf(had.failed()), !bytes.Equal(now.Out, had.Out):
			d.Changed = append(d.Changed, "branch "+path+" had another result")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Recs)) {
		if !used[k] {
			d.Unused = append(d.Unused, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Open)) {
		if !used[k] {
			d.Lost = append(d.Lost, k)
		}
	}
	return d
}

// failed is the outcome's failure as an error, nil when it has none.
func (r *Rec) failed() error {
	if r.Err == nil {
		return nil
	}
	return r.Err
}
