package act

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// items lists what tests must cover, with what changed since the last build,
// and returns the ids of what did not.
func (b *builder) items(f *step.Facts, doc *spec.Document, old target.Entry) []string {
	var unchanged []string
	seen := map[string]bool{}
	texts := b.before(f.Spec, old)
	tests := map[string][]string{}
	for id, items := range old.Covers {
		for _, it := range items {
			tests[it] = append(tests[it], id)
		}
	}
	lost := b.lost(old)
	for _, it := range spec.Items(doc) {
		seen[it.ID] = true
		if !testable(it.Kind) {
			continue
		}
		x := step.Item{ID: it.ID, Kind: string(it.Kind), Text: it.Text, Category: it.Category, State: "new"}
		if h, ok := old.Items[it.ID]; ok && old.State == target.Built {
			x.State = "changed"
			if h == it.Hash && lost(tests[it.ID]) {
				x.State = "new"
			} else if h == it.Hash {
				x.State = "unchanged"
				unchanged = append(unchanged, it.ID)
			} else {
				x.Before = texts[it.ID]
				x.Tests = slices.Sorted(slices.Values(tests[it.ID]))
			}
		}
		f.Items = append(f.Items, x)
	}
	for id := range old.Items {
		if !seen[id] && old.State == target.Built {
			f.Removed = append(f.Removed, id)
		}
	}
	slices.Sort(f.Removed)
	for _, id := range f.Removed {
		f.Gone = append(f.Gone, strings.TrimSpace(id+" "+texts[id]))
	}
	return unchanged
}

// lost tells of an item by the tests that were proved for it whether it has to be tested anew, because one of them is gone.
// Of an item for which none is on record that is so when any frozen test is gone.
func (b *builder) lost(old target.Entry) func(tests []string) bool {
	gone := map[string]bool{}
	for file := range old.Tests {
		if b.p.view.ids[file] == "" {
			gone[file] = true
		}
	}
	return func(tests []string) bool {
		if len(tests) == 0 {
			return len(gone) > 0
		}
		return slices.ContainsFunc(tests, func(id string) bool {
			file, _ := toolchain.SplitID(id)
			return gone[file]
		})
	}
}

// before are the texts of the items of the spec that a module was built from, as far as
// git still has it.
func (b *builder) before(file string, old target.Entry) map[string]string {
	texts := map[string]string{}
	if old.State != target.Built || old.Spec == "" || old.Spec == b.p.view.ids[file] {
		return texts
	}
	raw, err := b.blob(old.Spec)
	if err != nil {
		return texts // it was never committed
	}
	doc, _ := spec.Parse(file, raw)
	for _, it := range spec.Items(doc) {
		texts[it.ID] = it.Text
	}
	return texts
}

// sortTests finds among the tests of the last build those that test nothing any more,
// and those of which every item is as it was.
func sortTests(f *step.Facts, old target.Entry, unchanged []string) {
	if old.State != target.Built {
		return
	}
	all := func(items, in []string) bool {
		return len(items) > 0 && !slices.ContainsFunc(items, func(it string) bool { return !slices.Contains(in, it) })
	}
	for id, items := range old.Covers {
		switch {
		case all(items, f.Removed):
			f.Obsolete = append(f.Obsolete, id)
		case all(items, unchanged):
			f.Guarded = append(f.Guarded, id)
		}
	}
	slices.Sort(f.Obsolete)
	slices.Sort(f.Guarded)
}

// changed are the items that say something else than at the last build.
func changed(f step.Facts) []string {
	var out []string
	for _, it := range f.Items {
		if it.State == "changed" {
			out = append(out, it.ID)
		}
	}
	return out
}

// gone are the names of exports that the spec no longer has.
func gone(f step.Facts) []string {
	var out []string
	for _, id := range f.Removed {
		if name, ok := strings.CutPrefix(id, "E:"); ok && !strings.Contains(name, ".") {
			out = append(out, name)
		}
	}
	return out
}

// moved are the names of exports that are gone or have another signature: a test that
// uses one may have to be written differently although it tests the same.
func moved(f step.Facts) []string {
	ids := slices.Clone(f.Removed)
	for _, it := range f.Items {
		if it.State == "changed" {
			ids = append(ids, it.ID)
		}
	}
	var out []string
	for _, id := range ids {
		if name, ok := strings.CutPrefix(id, "E:"); ok {
			out = append(out, name[strings.LastIndexByte(name, '.')+1:])
		}
	}
	return out
}
