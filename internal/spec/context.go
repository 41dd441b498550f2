package spec

import (
	"cmp"
	"strings"
)

func (p *parser) parseContext() {
	for _, sec := range p.parts("domain context") {
		sec.walk(func(s *section) {
			p.contextBlocks(p.own(s), cmp.Or(p.contextList(s.key), &p.doc.Context.Rationale))
		})
	}
	for _, sec := range p.parts("constraints") {
		sec.walk(func(s *section) { p.contextBlocks(p.own(s), &p.doc.Constraints) })
	}
}

// announced is the list that a label alone announces, or nil.
func (p *parser) announced(b *block) *[]Clause {
	label, value, ok := labelled(b.text)
	if !ok || value != "" {
		return nil
	}
	return p.contextList(strings.ToLower(plain(label)))
}

// contextList chooses the list that a heading or label announces, or nil.
func (p *parser) contextList(key string) *[]Clause {
	switch {
	case hasAny(key, "decision", "rationale", "결정", "근거"):
		return &p.doc.Context.Rationale
	case hasAny(key, "constraint", "제약"):
		return &p.doc.Context.Constraints
	case hasAny(key, "compatib", "호환"):
		return &p.doc.Context.Compatibility
	}
	return nil
}

func (p *parser) contextBlocks(bs []*block, to *[]Clause) {
	for _, b := range bs {
		switch b.kind {
		case blockItem:
			if l := p.announced(b); l != nil && len(b.kids) > 0 {
				p.contextBlocks(b.kids, l)
				continue
			}
			addClause(to, withDetails(b.text, b.kids), b.line)
		case blockPara:
			if l := p.announced(b); l != nil {
				to = l
			}
		case blockTable:
			p.contextTable(b, to)
		case blockCode:
		}
	}
}

// contextTable turns rows into "name: value (reason)".
func (p *parser) contextTable(b *block, to *[]Clause) {
	for _, row := range b.rows[1:] {
		text := row.cell(0)
		if v := row.cell(1); v != "" {
			text += ": " + v
		}
		if len(row.cells) > 2 {
			if why := strings.Join(row.cells[2:], "; "); strings.Trim(why, "; ") != "" {
				text += " (" + why + ")"
			}
		}
		addClause(to, text, row.line)
	}
}

func addClause(to *[]Clause, text string, line int) {
	if text = tidy(text); text != "" && !isNone(text) {
		*to = append(*to, Clause{Text: text, Line: line})
	}
}

func (p *parser) parseConventions() {
	for _, key := range []string{"project convention", "code convention"} {
		for _, sec := range p.parts(key) {
			p.doc.Conventions = append(p.doc.Conventions, conventions(p.scan, sec)...)
		}
	}
}

// conventions cuts a section into its own text and its direct children.
func conventions(s *scanner, sec *section) []Convention {
	var out []Convention
	if text := s.text(sec.first, sec.body); strings.TrimSpace(text) != "" {
		out = append(out, Convention{Section: sec.title, Text: text})
	}
	for _, kid := range sec.kids {
		text := s.text(kid.first, kid.end)
		if kid.title != "" || !isBlank(text) {
			out = append(out, Convention{Section: sec.title, Name: kid.title, Text: text})
		}
	}
	return out
}
