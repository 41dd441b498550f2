package act

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
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
	limits := map[int]bool{} // lines that fix a value or a limit which the code must hold
	for _, k := range spec.Constants(doc) {
		limits[k.Line] = true
	}
	for _, it := range spec.Items(doc) {
		seen[it.ID] = true
		limit := !testable(it.Kind)
		if limit && !limits[it.Line] {
			continue
		}
		if h := old.Items[it.ID]; limit && (old.State != target.Built || h == it.Hash) { // a test of it is welcome, and none is demanded
			if old.State == target.Built {
				unchanged = append(unchanged, it.ID)
			}
			f.Limits = append(f.Limits, step.Item{ID: it.ID, Kind: string(it.Kind), Text: it.Text, State: "unchanged"})
			continue
		}
		x := step.Item{ID: it.ID, Kind: string(it.Kind), Text: it.Text, Category: it.Category, State: "new"}
		if h, ok := old.Items[it.ID]; ok && old.State == target.Built {
			x.State = "changed"
			if h == it.Hash && lost(tests[it.ID]) {
				x.State = "new"
			} else if h == it.Hash {
				x.State, x.Tests = "unchanged", slices.Sorted(slices.Values(tests[it.ID]))
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

// limitChanged reports whether a limit was changed, added or removed that no test is on record for: any test may be the one that checks it.
func limitChanged(f *step.Facts, old target.Entry) bool {
	tested := map[string]bool{}
	for _, items := range old.Covers {
		for _, it := range items {
			tested[it] = true
		}
	}
	return slices.ContainsFunc(f.Items, func(it step.Item) bool { return it.Limit() && !tested[it.ID] }) ||
		slices.ContainsFunc(f.Removed, func(id string) bool { return strings.HasPrefix(id, "R:") && !tested[id] })
}

// renamed has what is on record under the ids that a document has now, where only the heading above an item was changed: nothing else has
// the same words, before or now, and no export came, went or is the heading. Its tests then go on to count.
func renamed(old target.Entry, doc *spec.Document) target.Entry {
	items := spec.Items(doc)
	now, alike := map[string]bool{}, map[string][]spec.Item{} // by kind and words
	words := func(id, hash string) string {
		_, clause := headed(id)
		return id[:2] + clause + hash
	}
	for _, it := range items {
		now[it.ID] = true
	}
	for _, it := range items {
		if _, had := old.Items[it.ID]; !had {
			if it.Kind == spec.ItemExport {
				return old
			}
			key := words(it.ID, it.Hash)
			alike[key] = append(alike[key], it)
		}
	}
	was := map[string][]string{}
	for id, hash := range old.Items {
		if !now[id] {
			if strings.HasPrefix(id, "E:") {
				return old
			}
			key := words(id, hash)
			was[key] = append(was[key], id)
		}
	}
	to := map[string]string{}
	for key, ids := range was {
		heading, _ := headed(ids[0])
		if list := alike[key]; len(ids) == 1 && len(list) == 1 && !now["E:"+list[0].Symbol] && !now["E:"+heading] {
			to[ids[0]] = list[0].ID
		}
	}
	if len(to) == 0 {
		return old
	}
	named := func(id string) string { return cmp.Or(to[id], id) }
	had := old.Items
	old.Items = make(map[string]string, len(had))
	for id, hash := range had {
		old.Items[named(id)] = hash
	}
	covers := old.Covers
	old.Covers = make(map[string][]string, len(covers))
	for test, ids := range covers {
		for _, id := range ids {
			old.Covers[test] = append(old.Covers[test], named(id))
		}
		slices.Sort(old.Covers[test])
	}
	return old
}

// headed splits the id of an item of a contract into its heading and which clause it is; of others there is nothing.
func headed(id string) (heading, clause string) {
	if rest, ok := strings.CutPrefix(id, "C:"); ok {
		if i := strings.LastIndex(rest, ":"); i >= 0 {
			return rest[:i], rest[i+1:]
		}
	}
	return "", ""
}

// lost tells of an item by the tests that were proved for it whether it has to be tested anew, because one of them is gone.
// Of an item for which none is on record that is so when any frozen test is gone.
func (b *builder) lost(old target.Entry) func(tests []string) bool {
	gone := map[string]bool{} // files, and tests of files that are still there
	for file, id := range old.Tests {
		switch b.p.view.ids[file] {
		case "":
			gone[file] = true
		case id:
		default:
			f := source.Parse(file, b.p.view.bytes(file))
			for test := range old.Covers {
				in, name := toolchain.SplitID(test)
				if in == file && !slices.ContainsFunc(f.Tests, func(t source.Test) bool { return t.Name == name || t.Matches(name) }) {
					gone[test] = true
				}
			}
		}
	}
	return func(tests []string) bool {
		if len(tests) == 0 {
			return len(gone) > 0
		}
		return slices.ContainsFunc(tests, func(id string) bool {
			file, _ := toolchain.SplitID(id)
			return gone[file] || gone[id]
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
	if limitChanged(f, old) {
		f.Guarded = nil
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
	var out []string
	for _, id := range slices.Concat(f.Removed, changed(f)) {
		if name, ok := strings.CutPrefix(id, "E:"); ok {
			out = append(out, name[strings.LastIndexByte(name, '.')+1:])
		}
	}
	return out
}
