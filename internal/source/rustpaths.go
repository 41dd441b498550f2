package source

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// paths notes what the code names by its path where it uses it, `crate::store::open()`, and what
// functions import for themselves. That a file declares a module (`mod store;`) uses nothing of
// it; `store::open()` after it does.
func (r *rustFile) paths() {
	for n := range r.root.Within(nil) {
		if n.Kind() == "use_declaration" && !within(r.read, n.Start()) { // in a function
			r.read = append(r.read, span(n))
			r.inner = r.depth(n.Start())
			r.use(n.At("argument"), nil, false, "")
		}
	}
	r.inner = 0
	ts := Code(r.f.Tokens)
	seen := map[[2]string]bool{}
	for _, imp := range r.f.Imports {
		for _, n := range imp.Names {
			seen[[2]string{imp.From, n}] = true
		}
	}
	for i := 0; i < len(ts); i++ {
		first := ts[i]
		if first.Kind != Ident || i > 0 && (isPunct(ts[i-1], "::") || isWord(ts[i-1], "in")) || !r.leads(first) {
			continue
		}
		parts := []string{first.Text}
		for i+2 < len(ts) && isPunct(ts[i+1], "::") && ts[i+2].Kind == Ident {
			parts = append(parts, ts[i+2].Text)
			i += 2
		}
		k := len(parts) - 1
		at := [2]string{strings.Join(parts[:k], "::"), parts[k]}
		if k == 0 || seen[at] || within(r.read, first.Off) || r.inFile(parts, r.depth(first.Off)) {
			continue
		}
		seen[at] = true
		r.f.Imports = append(r.f.Imports, Import{From: at[0], Names: []string{at[1]}, Line: first.Line, Inner: r.depth(first.Off), Path: true})
	}
}

// leads reports whether a path that begins with a word leads to a module of the crate.
func (r *rustFile) leads(t Token) bool {
	switch t.Text {
	case "crate", "super", "self":
		return true
	}
	return slices.Contains(r.mods, t.Text) && r.depth(t.Off) == 0
}

// inFile reports whether a path leads to something in the file itself.
func (r *rustFile) inFile(parts []string, depth int) bool {
	up := 0
	for up < len(parts) && parts[up] == "super" {
		up++
	}
	rest := parts[up:]
	if len(rest) > 0 && rest[0] == "self" {
		rest = rest[1:]
	}
	return len(rest) == 0 || len(rest) < len(parts) && up <= depth && !slices.Contains(r.mods, rest[0])
}

// depth is how many modules are written out around a place in the file.
func (r *rustFile) depth(at int) int {
	n := 0
	for _, in := range r.within {
		if in[0] <= at && at < in[1] {
			n++
		}
	}
	return n
}

func within(ranges [][2]int, at int) bool {
	return slices.ContainsFunc(ranges, func(in [2]int) bool { return in[0] <= at && at < in[1] })
}

func span(n syntax.Node) [2]int { return [2]int{n.Start(), n.End()} }
