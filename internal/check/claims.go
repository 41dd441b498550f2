package check

import (
	"strings"

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
	for _, c := range claims {
		for _, id := range c.Tests {
			// An export that is a type is there as soon as it is declared; only what code does has to fail without it.
			found, asserts := r.claimed(id, satisfied, strings.HasPrefix(c.Item, "E:"))
			real[c.Item] = real[c.Item] || found
			switch {
			case !found:
				proof.Findings = append(proof.Findings, fix("claim-unknown", "", 0,
					"The map names the test "+id+" for "+c.Item+", but there is no such test."))
			case asserts && !has(proof.Covered, c.Item):
				proof.Covered = append(proof.Covered, c.Item)
			}
		}
	}
	for _, c := range claims {
		if len(c.Tests) > 0 && !real[c.Item] && !has(r.invented, c.Item) {
			r.invented = append(r.invented, c.Item)
		}
	}
}

func (r *red) claimed(id string, satisfied []string, declared bool) (found, asserts bool) {
	file, name := toolchain.SplitID(id)
	if name == "" {
		file, name = "", file
	}
	for _, t := range r.all {
		if (file == "" || file == t.File) && (name == t.Name || t.Matches(name)) {
			found, asserts = true, asserts || t.Asserts > 0 && (declared || !has(satisfied, t.ID))
		}
	}
	return found, asserts
}

// mayPass reports whether it can be right that no new test fails: code is there already, or all that the spec exports are
// types and values, which stubs declare as they are.
func (r *red) mayPass() bool {
	if r.hasCode() {
		return true
	}
	for _, e := range r.m.Exports {
		switch strings.ToLower(e.Kind) {
		case "type", "interface", "enum", "struct", "constant", "variable", "dataclass":
		default:
			return false
		}
	}
	return true
}

// hasCode reports whether the module has sources.
func (r *red) hasCode() bool {
	for name := range r.p.entries {
		if r.m.Place.AllowsSource(name) {
			return true
		}
	}
	return false
}
