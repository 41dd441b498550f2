package inspect

import (
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Graph is who depends on whom, as the specs declare it, and on demand as the code does it.
type Graph struct {
	Root       string       `json:"root"`
	Nodes      []GraphNode  `json:"nodes"`
	Edges      []GraphEdge  `json:"edges"`
	Violations []Violation  `json:"violations"`
	Cycles     [][]string   `json:"cycles"`
	Order      []string     `json:"order"` // leaves first, as they would be built
	Summary    GraphSummary `json:"summary"`
}

// GraphNode is one module; "." is the root.
type GraphNode struct {
	Path        string   `json:"path"`
	HasClaudeMd bool     `json:"has_claude_md"`
	Summary     string   `json:"summary,omitempty"`
	Exports     []string `json:"exports"`
	Symbols     []Symbol `json:"symbol_entries,omitempty"`
}

// GraphEdge is one dependency: spec on another module and external on a package, as specs declare them, internal as
// code imports it. One of a spec is valid when its module is there and exports what is used, one of code when it is
// declared.
type GraphEdge struct {
	From    string   `json:"from"`
	To      string   `json:"to"`
	Type    string   `json:"edge_type"`
	Symbols []string `json:"imported_symbols"`
	Valid   bool     `json:"valid"`
}

// Violation is a dependency that cannot be.
type Violation struct {
	From       string `json:"from"`
	To         string `json:"to"`
	Type       string `json:"violation_type"` // unresolved, parent, missing-exports, unresolved_integration_target, cycle, undeclared
	Reason     string `json:"reason"`
	Suggestion string `json:"suggestion"`
}

// GraphSummary counts a graph.
type GraphSummary struct {
	Nodes      int `json:"total_nodes"`
	Edges      int `json:"total_edges"`
	Valid      int `json:"valid_edges"`
	Violations int `json:"violations_count"`
}

// Graph computes the graph.
func (p *Project) Graph() Graph {
	symbols := p.outlines()
	g := Graph{Root: p.root, Nodes: []GraphNode{}, Edges: []GraphEdge{}, Violations: []Violation{}, Cycles: [][]string{}, Order: []string{}}
	for i, dir := range p.dirs {
		d := p.docs[dir]
		n := GraphNode{Path: dir, HasClaudeMd: true, Summary: d.Summary, Exports: []string{}}
		for j, e := range d.Exports {
			n.Exports = append(n.Exports, e.Name)
			n.Symbols = append(n.Symbols, symbols.specs[i].symbol(j))
		}
		g.Nodes = append(g.Nodes, n)
		for _, dep := range d.Dependencies.Internal {
			p.edge(&g, dir, dep)
		}
		for _, dep := range d.Dependencies.External {
			g.Edges = append(g.Edges, GraphEdge{From: dir, To: dep.Name, Type: "external", Symbols: list(dep.Symbols), Valid: true})
		}
		for _, x := range p.misfits(dir) {
			if x.differs() { // a warning of check, a note of validate
				continue
			}
			kind := "missing-exports"
			if x.symbol == "" {
				kind = "unresolved_integration_target"
			}
			g.Violations = append(g.Violations, Violation{From: dir, To: x.to, Type: kind, Reason: x.text(), Suggestion: x.hint()})
		}
	}
	for _, c := range p.index.Cycles() {
		g.cycle(c, "the modules depend on each other: ")
	}
	g.Order = append(g.Order, p.index.Order(p.dirs)...)
	g.count()
	return g
}

// cycle notes modules that need each other.
func (g *Graph) cycle(c []string, why string) {
	g.Cycles = append(g.Cycles, c)
	g.Violations = append(g.Violations, Violation{
		From: c[0], To: c[len(c)-1], Type: "cycle", Reason: why + strings.Join(c, " → "),
		Suggestion: "Move what both need into a separate module",
	})
}

// count makes the summary.
func (g *Graph) count() {
	g.Summary = GraphSummary{Nodes: len(g.Nodes), Edges: len(g.Edges), Violations: len(g.Violations)}
	for _, e := range g.Edges {
		if e.Valid {
			g.Summary.Valid++
		}
	}
}

// GraphWithImports is the graph with what the code of each module imports of others. What no spec declares is a
// violation; a circle that only the code makes is one as well.
func (p *Project) GraphWithImports() Graph {
	g := p.Graph()
	declared := map[[2]string]bool{}
	for _, e := range g.Edges {
		if e.Type == "spec" {
			declared[[2]string{e.From, e.To}] = true
		}
	}
	w := p.survey()
	needs := map[string][]string{}
	for _, dir := range p.dirs {
		names := w.imported(dir)
		for _, to := range slices.Sorted(maps.Keys(names)) {
			slices.Sort(names[to])
			e := GraphEdge{From: dir, To: to, Type: "internal", Symbols: list(slices.Compact(names[to])), Valid: declared[[2]string{dir, to}]}
			g.Edges = append(g.Edges, e)
			needs[dir] = append(needs[dir], to)
			switch {
			case e.Valid: // a spec says so, and what is wrong with that was found there
			case p.above(to, dir):
				g.up(&e)
			default:
				g.Violations = append(g.Violations, Violation{
					From: dir, To: to, Type: "undeclared", Reason: "the code imports " + to + ", but the spec does not list it",
					Suggestion: "Add `" + p.SpecPath(to) + "` to the Dependencies of " + p.SpecPath(dir) + ", or remove the import",
				})
			}
		}
	}
	for _, c := range circles(needs) {
		if !slices.ContainsFunc(g.Cycles, func(have []string) bool { return sameModules(have, c) }) {
			g.cycle(c, "the code of these modules imports each other: ")
		}
	}
	g.count()
	return g
}

// circles finds modules that need each other, one circle for each group of them.
func circles(needs map[string][]string) [][]string {
	var out [][]string
	state := map[string]int{} // 1 on the way, 2 done
	var way []string
	var visit func(string)
	visit = func(m string) {
		state[m] = 1
		way = append(way, m)
		for _, n := range needs[m] {
			switch state[n] {
			case 0:
				visit(n)
			case 1:
				out = append(out, append(slices.Clone(way[slices.Index(way, n):]), n))
			}
		}
		way = way[:len(way)-1]
		state[m] = 2
	}
	for _, m := range slices.Sorted(maps.Keys(needs)) {
		if state[m] == 0 {
			visit(m)
		}
	}
	return out
}

func sameModules(a, b []string) bool {
	x, y := slices.Clone(a), slices.Clone(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(slices.Compact(x), slices.Compact(y))
}

func (p *Project) edge(g *Graph, from string, dep spec.Internal) {
	e := GraphEdge{From: from, To: dep.Path, Type: "spec", Symbols: list(dep.Symbols), Valid: true}
	to, ok := p.index.Locate(from, dep.Path)
	if !ok {
		e.Valid = false
		g.Violations = append(g.Violations, Violation{
			From: from, To: dep.Path, Type: "unresolved", Reason: "there is no spec at " + dep.Ref,
			Suggestion: "Correct the path, or write " + p.SpecPath(dep.Path),
		})
		g.Edges = append(g.Edges, e)
		return
	}
	e.To = to
	if p.above(to, from) {
		g.up(&e)
	}
	for _, s := range dep.Symbols {
		if _, ok := p.index.Resolve(spec.CrossRef{Path: to, Symbol: s}); !ok {
			e.Valid = false
			g.Violations = append(g.Violations, Violation{
				From: from, To: to, Type: "missing-exports", Reason: "Module '" + to + "' does not export " + s,
				Suggestion: "Add " + s + " to the Exports section of " + p.SpecPath(to) + ", or correct the name",
			})
		}
	}
	g.Edges = append(g.Edges, e)
}

// up notes a dependency on a module from within it.
func (g *Graph) up(e *GraphEdge) {
	e.Valid = false
	g.Violations = append(g.Violations, Violation{
		From: e.From, To: e.To, Type: "parent", Reason: upward, Suggestion: "Let " + e.To + " depend on " + e.From + ", or on what both need",
	})
}
