package syntax

import (
	"iter"
	"sort"
)

// Node is a place in a tree. The zero Node is no place: OK tells, and everything asked of it is empty.
type Node struct {
	t *Tree
	i int
}

// Root is the whole file.
func (t *Tree) Root() Node { return Node{t, 0} }

// Errors counts the places that the grammar did not understand, and gives the line of the first.
func (t *Tree) Errors() (n, line int) {
	for i, r := range t.nodes {
		if r.flags&(flagError|flagMissing) != 0 {
			if n++; n == 1 {
				line = Node{t, i}.Line()
			}
		}
	}
	return n, line
}

// OK reports whether there is such a node.
func (n Node) OK() bool { return n.t != nil }

func (n Node) rec() record {
	if n.t == nil {
		return record{}
	}
	return n.t.nodes[n.i]
}

// Kind is the grammar's name of the node: "class_declaration", or its text for a keyword or a sign. An error is "ERROR".
func (n Node) Kind() string {
	if n.t == nil {
		return ""
	}
	r := n.rec()
	if r.flags&flagError != 0 {
		return "ERROR"
	}
	if int(r.symbol) < len(n.t.lang.symbols) {
		return n.t.lang.symbols[r.symbol]
	}
	return ""
}

// Field is the name under which the parent holds the node, "" without.
func (n Node) Field() string {
	if n.t == nil {
		return ""
	}
	if f := n.rec().field; int(f) < len(n.t.lang.fields) {
		return n.t.lang.fields[f]
	}
	return ""
}

// Named reports whether the node stands for a rule of the grammar, and not for a keyword or a sign.
func (n Node) Named() bool { return n.rec().flags&flagNamed != 0 }

// Start and End are the byte offsets of the node.
func (n Node) Start() int { return int(n.rec().start) }

// End is the offset behind the node.
func (n Node) End() int { return int(n.rec().end) }

// Line is the line on which the node begins, from 1.
func (n Node) Line() int { return n.lineAt(n.Start()) }

// EndLine is the line of the node's last byte.
func (n Node) EndLine() int { return n.lineAt(max(n.End()-1, n.Start())) }

func (n Node) lineAt(off int) int {
	if n.t == nil {
		return 0
	}
	return sort.Search(len(n.t.lines), func(i int) bool { return int(n.t.lines[i]) > off })
}

// Text is the node's source.
func (n Node) Text() string {
	if n.t == nil {
		return ""
	}
	return string(n.t.src[n.Start():n.End()])
}

// Leaf reports whether nothing is below the node.
func (n Node) Leaf() bool { return n.t == nil || n.rec().size == 1 }

// All visits the children in order.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.t == nil {
			return
		}
		end := n.i + int(n.rec().size)
		for i := n.i + 1; i < end; i += int(n.t.nodes[i].size) {
			if !yield(Node{n.t, i}) {
				return
			}
		}
	}
}

// Within visits the node and everything below it, in the order of the source. To leave out what is below a node,
// descend answers false for it.
func (n Node) Within(descend func(Node) bool) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.t == nil {
			return
		}
		end := n.i + int(n.rec().size)
		for i := n.i; i < end; {
			c := Node{n.t, i}
			if !yield(c) {
				return
			}
			if descend == nil || descend(c) {
				i++
			} else {
				i += int(n.t.nodes[i].size)
			}
		}
	}
}

// Child is the first child with one of the kinds.
func (n Node) Child(kinds ...string) Node {
	for c := range n.All() {
		for _, k := range kinds {
			if c.Kind() == k {
				return c
			}
		}
	}
	return Node{}
}

// At is the child that the node holds under a field's name.
func (n Node) At(field string) Node {
	for c := range n.All() {
		if c.Field() == field {
			return c
		}
	}
	return Node{}
}

// NamedChildren are the children that stand for rules, in order.
func (n Node) NamedChildren() []Node {
	var out []Node
	for c := range n.All() {
		if c.Named() {
			out = append(out, c)
		}
	}
	return out
}

// Dump writes the tree for people: one node a line, indented, with field and text of leaves.
func (n Node) Dump() string {
	var out []byte
	var walk func(Node, int)
	walk = func(n Node, depth int) {
		for range depth {
			out = append(out, ' ', ' ')
		}
		if f := n.Field(); f != "" {
			out = append(out, f...)
			out = append(out, ": "...)
		}
		out = append(out, n.Kind()...)
		if n.Leaf() && n.Named() {
			out = append(out, ' ', '"')
			out = append(out, n.Text()...)
			out = append(out, '"')
		}
		out = append(out, '\n')
		for c := range n.All() {
			walk(c, depth+1)
		}
	}
	walk(n, 0)
	return string(out)
}
