package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Symbol is an exported name.
type Symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // function, type, class, enum, variable
	Module    string `json:"module_path"`
	Signature string `json:"signature,omitempty"`
	Anchor    string `json:"anchor"` // module/CLAUDE.md#name
	Line      int    `json:"line"`
}

// Reference is one place at which a spec speaks of a symbol of another one.
type Reference struct {
	From    string `json:"from_module"`
	Section string `json:"from_section"` // Dependencies, or text for a cross reference
	Anchor  string `json:"to_anchor"`
	Symbol  string `json:"to_symbol"`
	Valid   bool   `json:"valid"`
	Line    int    `json:"line"`
}

// SymbolIndex is all symbols with all references to them.
type SymbolIndex struct {
	Root       string        `json:"root"`
	Symbols    []Symbol      `json:"symbols"`
	References []Reference   `json:"references"`
	Unresolved []Reference   `json:"unresolved"`
	Summary    SymbolSummary `json:"summary"`
}

// SymbolSummary counts an index.
type SymbolSummary struct {
	Modules    int `json:"total_modules"`
	Symbols    int `json:"total_symbols"`
	References int `json:"total_references"`
	Unresolved int `json:"unresolved_count"`
}

func anchor(dir, name string) string { return path.Join(dir, specFile) + "#" + name }

// Index lists all symbols and references: symbols by module and place, references by the
// spec that they stand in and place.
func (p *Project) Index() SymbolIndex {
	x := SymbolIndex{Root: p.root, Symbols: []Symbol{}, References: []Reference{}, Unresolved: []Reference{}}
	for _, dir := range p.dirs {
		d := p.docs[dir]
		for _, e := range d.Exports {
			x.Symbols = append(x.Symbols, Symbol{
				Name: e.Name, Kind: string(e.Kind), Module: shown(dir), Signature: e.Signature, Anchor: anchor(dir, e.Name), Line: e.Line,
			})
		}
		x.References = append(x.References, p.references(dir)...)
	}
	for _, r := range x.References {
		if !r.Valid {
			x.Unresolved = append(x.Unresolved, r)
		}
	}
	x.Summary = SymbolSummary{len(p.dirs), len(x.Symbols), len(x.References), len(x.Unresolved)}
	return x
}

// references are the symbols that a spec uses: those that its dependencies name, and the
// cross references in its text. References to itself do not count.
func (p *Project) references(dir string) []Reference {
	d := p.docs[dir]
	var out []Reference
	seen := map[string]bool{}
	add := func(to, symbol, section string, line int) {
		a := anchor(to, symbol)
		if to == dir || seen[section+a] {
			return
		}
		seen[section+a] = true
		_, ok := p.index.Resolve(spec.CrossRef{Path: to, Symbol: symbol})
		out = append(out, Reference{From: shown(dir), Section: section, Anchor: a, Symbol: symbol, Valid: ok, Line: line})
	}
	for _, dep := range d.Dependencies.Internal {
		to := dep.Path
		if found, ok := p.index.Locate(dir, dep.Path); ok {
			to = found
		}
		for _, s := range dep.Symbols {
			add(to, s, "Dependencies", dep.Line)
		}
	}
	for _, ref := range d.CrossRefs {
		add(ref.Path, ref.Symbol, "text", ref.Line)
	}
	slices.SortStableFunc(out, func(a, b Reference) int { return a.Line - b.Line })
	return out
}

// Find lists the symbols of a name.
func (p *Project) Find(name string) []Symbol {
	out := []Symbol{}
	for _, s := range p.Index().Symbols {
		if s.Name == name {
			out = append(out, s)
		}
	}
	return out
}

// References lists the references to an anchor, or to a name wherever it is.
func (p *Project) References(to string) []Reference {
	out := []Reference{}
	for _, r := range p.Index().References {
		if r.Anchor == to || r.Symbol == to {
			out = append(out, r)
		}
	}
	return out
}

// Graph is who depends on whom, as the specs declare it.
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
}

// GraphEdge is one dependency: internal on another module, external on a package. An
// internal one is valid when its module is there and exports what is used.
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
	Type       string `json:"violation_type"` // unresolved, missing-exports, cycle
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
	g := Graph{Root: p.root, Nodes: []GraphNode{}, Edges: []GraphEdge{}, Violations: []Violation{}, Cycles: [][]string{}, Order: []string{}}
	for _, dir := range p.dirs {
		d := p.docs[dir]
		n := GraphNode{Path: dir, HasClaudeMd: true, Summary: d.Summary, Exports: []string{}}
		for _, e := range d.Exports {
			n.Exports = append(n.Exports, e.Name)
		}
		g.Nodes = append(g.Nodes, n)
		for _, dep := range d.Dependencies.Internal {
			p.edge(&g, dir, dep)
		}
		for _, dep := range d.Dependencies.External {
			g.Edges = append(g.Edges, GraphEdge{From: dir, To: dep.Name, Type: "external", Symbols: list(dep.Symbols), Valid: true})
		}
	}
	for _, c := range p.index.Cycles() {
		g.Cycles = append(g.Cycles, c)
		g.Violations = append(g.Violations, Violation{
			From: c[0], To: c[len(c)-1], Type: "cycle", Reason: "the modules depend on each other: " + strings.Join(c, " → "),
			Suggestion: "Take what both need into a module of its own",
		})
	}
	g.Order = append(g.Order, p.index.Order(p.dirs)...)
	g.Summary = GraphSummary{Nodes: len(g.Nodes), Edges: len(g.Edges), Violations: len(g.Violations)}
	for _, e := range g.Edges {
		if e.Valid {
			g.Summary.Valid++
		}
	}
	return g
}

func (p *Project) edge(g *Graph, from string, dep spec.Internal) {
	e := GraphEdge{From: from, To: dep.Path, Type: "internal", Symbols: list(dep.Symbols), Valid: true}
	to, ok := p.index.Locate(from, dep.Path)
	if !ok {
		e.Valid = false
		g.Violations = append(g.Violations, Violation{
			From: from, To: dep.Path, Type: "unresolved", Reason: "there is no CLAUDE.md at " + dep.Ref,
			Suggestion: "Correct the path, or write " + path.Join(dep.Path, specFile),
		})
		g.Edges = append(g.Edges, e)
		return
	}
	e.To = to
	for _, s := range dep.Symbols {
		if _, ok := p.index.Resolve(spec.CrossRef{Path: to, Symbol: s}); !ok {
			e.Valid = false
			g.Violations = append(g.Violations, Violation{
				From: from, To: to, Type: "missing-exports", Reason: "Module '" + to + "' does not export " + s,
				Suggestion: "Add " + s + " to the Exports section of " + path.Join(to, specFile) + ", or correct the name",
			})
		}
	}
	g.Edges = append(g.Edges, e)
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
