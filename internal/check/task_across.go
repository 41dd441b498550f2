package check

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// unproved is code of a toolchain that none of its own tests shows. Those of one that is built with it may: in a workspace the tests of a
// module can lie in another one.
type unproved struct {
	chain toolchain.Found
	what  string
}

// unshown notes that no test of a toolchain shows its change.
func (p *taskProof) unshown(pl *place, what string) {
	p.open = append(p.open, unproved{pl.chain, what})
}

// inOrder puts the toolchains whose code has changed before those that may only test it.
func (p *taskProof) inOrder(chains []toolchain.Found) []toolchain.Found {
	changed := func(c toolchain.Found) bool { return len(p.codeIn(c)) > 0 }
	return append(those(chains, changed), without(chains, changed)...)
}

// codeIn is the changed code of a toolchain, and of those below it.
func (p *taskProof) codeIn(c toolchain.Found) []string {
	return p.code(those(pathsOf(p.changes), func(file string) bool { return below(c.Root, file) && ecosystemOf(file) == c.Ecosystem }))
}

// shows reports whether tests of a toolchain can show a change of another one: it is built with it, or nothing else has changed.
func (p *taskProof) shows(c, other toolchain.Found) bool {
	return slices.ContainsFunc(toolchain.BuiltWith(p.t.Chains, c), other.Same) || !slices.ContainsFunc(p.changes, func(ch Change) bool {
		return ch.Status != 'D' && doesSomething(ch) && !below(other.Root, ch.Path)
	})
}

// openIn is the code of other toolchains that no test has shown so far and that tests of this one can.
func (p *taskProof) openIn(c toolchain.Found) []string {
	shown := those(p.open, func(u unproved) bool { return p.shows(c, u.chain) })
	return slices.Concat(each(shown, func(u unproved) []string { return p.codeIn(u.chain) })...)
}

// unprovedYet sends back what no test of any toolchain has shown. Where tests fail, that is mended first.
func (p *taskProof) unprovedYet() {
	if p.failed {
		return
	}
	for _, u := range p.open {
		if !slices.ContainsFunc(p.redIn, func(c toolchain.Found) bool { return p.shows(c, u.chain) }) {
			p.noTest(u.what)
		}
	}
}
