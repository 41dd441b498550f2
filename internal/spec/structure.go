package spec

import (
	"path"
	"strings"
)

func (p *parser) parseStructure() {
	for _, sec := range p.parts("structure") {
		sec.walk(func(s *section) { p.structure(p.own(s), "") })
	}
}

// structure reads `name: description` bullets, nested or not, tables and drawn trees. Prose is no
// entry.
func (p *parser) structure(bs []*block, under string) {
	for _, b := range bs {
		switch b.kind {
		case blockItem:
			name, rest, code := codeSpan(b.text)
			if bold, after, ok := boldName(b.text); ok {
				name, rest, code = plain(bold), after, true
			}
			if !code {
				name, rest = cutDep(b.text)
			}
			if !isFileName(name, code) {
				continue
			}
			full := under + strings.TrimPrefix(name, "./")
			p.entry(full, describe(rest), b.line)
			p.structure(b.kids, strings.TrimSuffix(full, "/")+"/")
		case blockTable:
			for _, row := range b.rows[1:] {
				if name := plain(row.cell(0)); isFileName(name, true) {
					p.entry(under+name, strings.TrimSpace(strings.Join(row.cells[1:], " ")), row.line)
				}
			}
		case blockCode:
			p.drawing(b)
		case blockPara:
		}
	}
}

func (p *parser) entry(name, desc string, line int) {
	p.doc.Structure = append(p.doc.Structure, StructureEntry{Path: name, Description: desc, Line: line})
}

// IsEntry reports whether a path can stand in code in a Structure section.
func IsEntry(name string) bool { return isFileName(name, true) }

// isFileName tells a path from prose: one word, and outside code one with a dot or a slash.
func isFileName(s string, code bool) bool {
	if s == "" || strings.ContainsAny(s, " \t`*()") {
		return false
	}
	return code || strings.ContainsAny(s, "./") && s != "." && s != ".."
}

// drawing reads a tree drawn with box characters or with indentation.
func (p *parser) drawing(b *block) {
	type dir struct {
		col  int
		path string
	}
	var open []dir
	for i, l := range b.code {
		rest := strings.TrimLeft(l, " \t│├└─|`+-")
		col := len([]rune(l)) - len([]rune(rest))
		name, desc, _ := strings.Cut(rest, "#")
		name = strings.TrimSpace(name)
		if n, d := cutDep(name); d != "" {
			name, desc = n, d
		}
		if name == "" || strings.ContainsAny(name, " \t") {
			continue
		}
		for len(open) > 0 && open[len(open)-1].col >= col {
			open = open[:len(open)-1]
		}
		full := name
		if len(open) > 0 {
			full = path.Join(open[len(open)-1].path, name)
			if strings.HasSuffix(name, "/") {
				full += "/"
			}
		}
		p.entry(full, describe(desc), b.line+1+i)
		open = append(open, dir{col, full})
	}
}
