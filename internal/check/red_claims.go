package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// claims checks the author's map from items of the spec to tests: every id must exist and have run. An item is covered
// when one of its tests asserts something that depends on the code. An id without a file names the test in any of the
// module's files.
func (r *red) claims(claims []step.Claim, proof *Proof) {
	satisfied := proof.Satisfied
	if r.hasCode() {
		satisfied = nil // the code that is there may do it already
	}
	real := map[string]bool{}
	var stale []string
	for _, c := range claims {
		say := func(rule, text string) {
			proof.Findings = append(proof.Findings, fix(rule, r.placeOf(c.Tests), 0, text))
		}
		if len(r.m.Items) > 0 && !slices.Contains(r.m.Items, c.Item) {
			say("claim-unknown", "Item "+c.Item+" is not in the list. In `tests`, use only items of the list.")
			real[c.Item] = true
			continue
		}
		for _, id := range c.Tests {
			// An export that is a type is there as soon as it is declared; only what code does has to fail without it.
			ids, asserts := r.claimed(id, satisfied, proof.Red, strings.HasPrefix(c.Item, "E:"))
			found := len(ids) > 0
			real[c.Item] = real[c.Item] || found || r.mayHold(id)
			switch {
			case !found && r.mayHold(id): // nobody can say what is in a file that cannot be read
			case !found:
				say("claim-unknown", "`tests` names the test "+id+" for "+c.Item+", but there is no such test.")
			case asserts && slices.Contains(r.m.Changed, c.Item) && !r.anyFresh(claims, c.Item):
				if !slices.Contains(stale, c.Item) {
					stale = append(stale, c.Item)
					say("unchanged-test", "Item "+c.Item+" has changed, but the tests you name for it have not. Change their assertions; if only its wording differs, say so in `unclear`.")
				}
			case asserts && r.comparesNothing(c.Item, ids):
				e := r.exampleOf(c.Item)
				say("value-missing", fmt.Sprintf(
					"The tests for %s pass with stubs that do nothing and return nothing. Assert the value from the spec: %s.", e.Text, e.Want.Raw))
			case asserts && r.unnamed(c.Item, ids):
				say("value-missing", fmt.Sprintf(
					"The spec says that %s is raised, but the tests for %s do not name it. Assert which error is raised, not only that there is one.", strings.Join(r.m.RaisedBy[c.Item], " or "), c.Item))
			case asserts:
				proof.cover(c.Item, ids)
				if slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(proof.Red, id) && !slices.Contains(r.loaded, id) }) {
					proof.Proved = addNew(proof.Proved, c.Item)
				}
			}
		}
	}
	for _, c := range claims {
		if len(c.Tests) > 0 && !real[c.Item] {
			r.invented = addNew(r.invented, c.Item)
		}
	}
}

// exampleOf is the example of an item that is to give a value other than nothing; the zero one where there is none.
func (r *red) exampleOf(item string) example.Example {
	for _, e := range r.m.Examples {
		if e.Item == item && !e.Want.Error && !e.Want.Value.Empty() {
			return e
		}
	}
	return example.Example{}
}

// comparesNothing reports whether tests of an item that is to give a value pass where the code does nothing. Beside code that is there
// already nobody can say that: the test may pass because of it.
func (r *red) comparesNothing(item string, ids []string) bool {
	return !r.hasCode() && r.exampleOf(item).Item != "" && !slices.ContainsFunc(ids, func(id string) bool { return !r.idle[id] })
}

// errorStem is what languages put around the name of an error.
var errorStem = re.New(`^Err|(Error|Exception)$`)

// unnamed reports whether the files of tests for an item have none of the errors that it names: any error will do then.
func (r *red) unnamed(item string, ids []string) bool {
	names := r.m.RaisedBy[item]
	return len(names) > 0 && !slices.ContainsFunc(ids, func(id string) bool {
		file, _ := toolchain.SplitID(id)
		text, there := r.sources[file]
		return !there || slices.ContainsFunc(names, func(name string) bool { return strings.Contains(string(text), errorStem().ReplaceAllString(name, "")) })
	})
}

// anyFresh reports whether one of the tests that are named for an item is new or changed.
func (r *red) anyFresh(claims []step.Claim, item string) bool {
	fresh := func(id string) bool {
		ids, _ := r.claimed(id, nil, nil, false)
		return slices.ContainsFunc(r.fresh, func(t test) bool { return slices.Contains(ids, t.ID) })
	}
	return slices.ContainsFunc(claims, func(c step.Claim) bool { return c.Item == item && slices.ContainsFunc(c.Tests, fresh) })
}

func (pr *Proof) cover(item string, tests []string) {
	pr.Covered = addNew(pr.Covered, item)
	if pr.Covers == nil {
		pr.Covers = map[string][]string{}
	}
	for _, id := range tests {
		pr.Covers[id] = addNew(pr.Covers[id], item)
	}
}

// mayHold reports whether a test may be in a file that cannot be parsed.
func (r *red) mayHold(id string) bool {
	file, name := toolchain.SplitID(id)
	return slices.Contains(r.unread, file) || name == "" && len(r.unread) > 0
}

// placeOf is the file that a claim is about.
func (r *red) placeOf(ids []string) string {
	for _, id := range ids {
		if file, name := toolchain.SplitID(id); name != "" && file != "" {
			return file
		}
	}
	if files := filesOf(r.fresh); len(files) > 0 {
		return files[0]
	}
	return r.m.Place.NewTest
}

// claimed lists the tests that a claim names, and reports whether they cover anything: they assert something, ran (a test
// of an earlier build did so then) and depend on the code.
func (r *red) claimed(id string, satisfied, failed []string, declared bool) (ids []string, asserts bool) {
	file, name := toolchain.SplitID(id)
	if name == "" {
		file, name = "", file
	}
	for _, t := range r.all {
		if (file != "" && file != t.File) || (name != t.Name && !t.Matches(name)) {
			continue
		}
		ids = append(ids, t.ID)
		fresh := slices.ContainsFunc(r.fresh, func(f test) bool { return f.ID == t.ID })
		ran := !fresh || slices.Contains(failed, t.ID) && !slices.Contains(r.loaded, t.ID) || r.ran[t.ID]
		asserts = asserts || t.Asserts > 0 && ran && (declared || !slices.Contains(satisfied, t.ID))
	}
	return ids, asserts
}

// mayPass reports whether it can be right that no new test fails: code is there already, or all that the spec exports are
// types and values, which stubs declare as they are.
func (r *red) mayPass() bool {
	return r.hasCode() || !slices.ContainsFunc(r.m.Exports, func(e step.Export) bool {
		return !slices.Contains([]string{"type", "interface", "enum", "struct", "constant", "variable", "dataclass"}, strings.ToLower(e.Kind))
	})
}

// hasCode reports whether the module has sources that hold more than comments and imports.
func (r *red) hasCode() bool {
	for name := range r.p.entries {
		if r.m.Place.AllowsSource(name) {
			if f := source.Parse(name, r.p.read(name)); len(f.Exports)+len(f.Funcs) > 0 {
				return true
			}
		}
	}
	return false
}
