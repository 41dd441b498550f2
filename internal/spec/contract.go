package spec

import "strings"

// clauseKind says which list of a contract a clause belongs to.
type clauseKind uint8

const (
	noClause clauseKind = iota
	preClause
	postClause
	throwsClause
	invariantClause
)

// clauseKinds maps the words that introduce clauses.
var clauseKinds = map[string]clauseKind{
	"precondition": preClause, "preconditions": preClause, "pre": preClause, "requires": preClause, "사전조건": preClause, "사전 조건": preClause,
	"postcondition": postClause, "postconditions": postClause, "post": postClause, "ensures": postClause, "사후조건": postClause, "사후 조건": postClause,
	"throws": throwsClause, "throw": throwsClause, "errors": throwsClause, "raises": throwsClause, "예외": throwsClause, "에러": throwsClause,
	"invariant": invariantClause, "invariants": invariantClause, "불변식": invariantClause, "불변조건": invariantClause, "불변 조건": invariantClause,
}

func (p *parser) parseContract() {
	for _, sec := range p.parts("contract") {
		p.contract(sec, "")
		p.contractGroups(sec, "")
	}
}

// contractGroups reads the headings under Contract: functions, or the kinds of clauses of the
// function above, or groups of functions.
func (p *parser) contractGroups(sec *section, function string) {
	for _, kid := range sec.kids {
		if kind := clauseKinds[kid.key]; kind != noClause {
			c := Contract{Function: function, Line: kid.line + 1}
			p.clauses(&c, p.own(kid), kind)
			p.keep(c)
			continue
		}
		name := contractName(kid.title)
		if exportGroups[kid.key] != "" {
			name = function
		}
		p.contract(kid, name)
		p.contractGroups(kid, name)
	}
}

// contractName is the function that a heading names, also when it shows its parameters.
func contractName(title string) string {
	if name, tail := leadingName(title); name != "" && (tail == "" || tail[0] == '(') {
		return name
	}
	return title
}

func (p *parser) contract(sec *section, function string) {
	c := Contract{Function: function, Line: sec.line + 1}
	p.clauses(&c, p.own(sec), noClause)
	p.keep(c)
}

// keep adds a contract, or merges it into the one of the same function.
func (p *parser) keep(c Contract) {
	if len(c.Preconditions)+len(c.Postconditions)+len(c.Throws)+len(c.Invariants) == 0 {
		return
	}
	for i := range p.doc.Contracts {
		if have := &p.doc.Contracts[i]; have.Function == c.Function {
			have.Preconditions = append(have.Preconditions, c.Preconditions...)
			have.Postconditions = append(have.Postconditions, c.Postconditions...)
			have.Throws = append(have.Throws, c.Throws...)
			have.Invariants = append(have.Invariants, c.Invariants...)
			return
		}
	}
	p.doc.Contracts = append(p.doc.Contracts, c)
}

func (c *Contract) add(kind clauseKind, text string, line int) {
	switch kind {
	case preClause:
		addClause(&c.Preconditions, text, line)
	case postClause:
		addClause(&c.Postconditions, text, line)
	case throwsClause:
		addClause(&c.Throws, text, line)
	case invariantClause:
		addClause(&c.Invariants, text, line)
	case noClause:
	}
}

// clauses reads labels with their values on the same line, in bullets under the label, or in
// bullets after it; kind is what a text without label belongs to.
func (p *parser) clauses(c *Contract, bs []*block, kind clauseKind) {
	for _, b := range bs {
		switch b.kind {
		case blockItem, blockPara:
			found, value, ok := clauseLabel(b.text)
			if ok {
				c.add(found, value, b.line)
				p.clauses(c, b.kids, found)
				if value == "" && len(b.kids) == 0 {
					kind = found
				}
				continue
			}
			if name, rest := leadingName(plain(strings.TrimRight(b.text, ":： "))); len(b.kids) > 0 && kind == noClause && name != "" && (rest == "" || rest[0] == '(') {
				inner := Contract{Function: name, Line: b.line}
				p.clauses(&inner, b.kids, noClause)
				p.keep(inner)
				continue
			}
			text := withDetails(b.text, b.kids)
			if kind == noClause && b.kind == blockItem && !isNone(text) {
				p.warn(b, "this line of the contract has no kind: "+clip(text),
					"start it with **Preconditions**, **Postconditions**, **Throws** or **Invariants**")
			}
			c.add(kind, text, b.line)
		case blockTable:
			p.clauseTable(c, b, kind)
		case blockCode:
		}
	}
}

// clauseLabel reads the word that introduces clauses, and what follows its first colon.
func clauseLabel(s string) (clauseKind, string, bool) {
	label, value, ok := labelled(s)
	if !ok {
		label, value = strings.TrimRight(plain(s), ":： "), ""
	}
	kind := clauseKinds[strings.ToLower(plain(label))]
	return kind, value, kind != noClause
}

// clauseTable reads a table with a column for each kind of clause, or with the kind in a column.
func (p *parser) clauseTable(c *Contract, b *block, kind clauseKind) {
	head := b.rows[0]
	fn := head.column("function", "함수", "method", "name", "이름")
	columns := map[int]clauseKind{}
	for i, cell := range head.cells {
		if k := clauseKinds[headingKey(cell)]; k != noClause {
			columns[i] = k
		}
	}
	more := func(row row) string { // what the other columns say about the one clause of a row
		var out []string
		for i, cell := range row.cells {
			if _, ok := columns[i]; len(columns) == 1 && !ok && i != fn && cell != "" {
				out = append(out, cell)
			}
		}
		return strings.Join(out, "; ")
	}
	for _, row := range b.rows[1:] {
		target := *c
		other := fn >= 0 && row.cell(fn) != ""
		if other {
			target = Contract{Function: contractName(plain(row.cell(fn))), Line: row.line}
		}
		rowKind := kind
		for i, cell := range row.cells {
			if i == fn {
				continue
			}
			if k := clauseKinds[headingKey(cell)]; k != noClause && len(columns) == 0 {
				rowKind = k
				continue
			}
			if k, ok := columns[i]; ok || len(columns) == 0 {
				if !ok {
					k = rowKind
				}
				if why := more(row); why != "" && cell != "" {
					cell += ": " + why
				}
				for part := range strings.SplitSeq(strings.ReplaceAll(cell, "<br/>", "<br>"), "<br>") {
					target.add(k, part, row.line)
				}
			}
		}
		if other {
			p.keep(target)
		} else {
			*c = target
		}
	}
}
