package spec

import (
	"cmp"
	"strings"
)

// exportGroups are the headings under Exports that say what follows.
var exportGroups = map[string]Kind{
	"functions": Function, "function": Function, "methods": Function, "hooks": Function, "함수": Function,
	"types": Type, "type": Type, "structs": Type, "interfaces": Type, "data classes": Type, "records": Type,
	"traits": Type, "타입": Type,
	"classes": Class, "class": Class, "errors": Class, "exceptions": Class, "클래스": Class,
	"enums": Enum, "enum": Enum, "enumerations": Enum, "열거형": Enum,
	"variables": Variable, "constants": Variable, "variable": Variable, "상수": Variable, "변수": Variable,
}

// typeForms are the forms of types that a heading says; see [Export.Form].
var typeForms = map[string]string{"structs": "struct", "data classes": "data_class", "records": "record"}

// exportForms is what an export that cannot be read should look like.
const exportForms = "write it as `name(param: type): result`, `Name { field: type }`, `Name: A | B`, `NAME = value` or, for a member, `Name.field: type`"

// exportReader collects the exports of a document.
type exportReader struct {
	p    *parser
	seen map[string]bool
	// items are the signatures of list items.
	items map[string]bool
}

func (p *parser) parseExports() {
	r := &exportReader{p: p, seen: map[string]bool{}, items: map[string]bool{}}
	for _, sec := range p.parts("exports") {
		own := p.own(sec)
		if noneBlocks(own) && len(sec.kids) == 0 || isNoneText(p.scan.text(sec.first, sec.end)) {
			p.doc.ExportsNone = true
			continue
		}
		r.blocks(own, "")
		r.groups(sec, "")
	}
	if len(p.doc.Exports) > 0 {
		p.doc.ExportsNone = false
	}
}

// groups reads the headings under Exports. A heading that is no group and names a symbol is the
// detailed form of that symbol; one that is neither keeps the group before it.
func (r *exportReader) groups(sec *section, group Kind) {
	for _, kid := range sec.kids {
		if k, ok := exportGroups[kid.key]; ok {
			before := len(r.p.doc.Exports)
			if own := r.p.own(kid); !noneBlocks(own) {
				r.blocks(own, k)
			}
			r.groups(kid, k)
			for i := range r.p.doc.Exports[before:] {
				r.p.doc.Exports[before+i].Form = typeForms[kid.key]
			}
			group = k
			continue
		}
		if isIdent(kid.title) && r.detailed(kid, group) {
			r.groups(kid, group)
			continue
		}
		if e, ok := signature(kid.title, group, false); ok && !isIdent(kid.title) && strings.ContainsAny(kid.title, "(:={") {
			e.Line = kid.line + 1
			e.Description = squeeze(strings.Join(proseOf(r.p.own(kid)), " "))
			r.add(e)
			continue
		}
		if kid.key == "re-exports" {
			group = ""
		}
		r.blocks(r.p.own(kid), group)
		r.groups(kid, group)
	}
}

// detailed reads `#### name` with metadata bullets, or with a signature in code and prose.
func (r *exportReader) detailed(sec *section, group Kind) bool {
	e := Export{Name: sec.title, Kind: group, Line: sec.line + 1}
	var prose []string
	complete := false
	for _, b := range r.p.own(sec) {
		switch b.kind {
		case blockItem, blockPara:
			if r.metadata(&e, b) {
				complete = true
				continue
			}
			if sig, rest, ok := codeSpan(b.text); ok && !complete {
				if s, good := signature(sig, group, false); good && sameName(s.Name, e.Name) {
					s.Name, s.Line = e.Name, e.Line
					e = s
					complete = true
					prose = append(prose, describe(rest))
					continue
				}
			}
			prose = append(prose, b.text)
			prose = append(prose, proseOf(b.kids)...)
		case blockCode:
			for _, s := range declarations(b, group) {
				if !complete && sameName(s.Name, e.Name) {
					s.Name, s.Line = e.Name, e.Line
					e = s
					complete = true
				}
			}
		case blockTable:
		}
	}
	if !complete && (group == "" || sec.level < 4) {
		return false
	}
	e.Kind = cmp.Or(e.Kind, Export{}.lone(e.Name, "").Kind)
	e.Signature = cmp.Or(e.Signature, e.Name)
	e.Description = cmp.Or(e.Description, squeeze(strings.Join(prose, " ")))
	r.add(e)
	return true
}

func sameName(a, b string) bool {
	return strings.EqualFold(a, b) || strings.HasSuffix(a, "."+b)
}

// metadata reads one of the bullets of the second schema.
func (r *exportReader) metadata(e *Export, b *block) bool {
	label, value, ok := labelled(b.text)
	if !ok {
		return false
	}
	switch strings.ToLower(label) {
	case "type", "kind":
		kind := Kind(strings.ToLower(plain(value)))
		switch kind {
		case Function, Type, Class, Enum, Variable:
			e.Kind = kind
		default:
			if k, known := exportGroups[string(kind)]; known {
				e.Kind = k
			} else {
				r.p.warn(b, "export "+e.Name+" has the unknown type "+value, "function, type, class, enum or variable")
			}
		}
	case "signature":
		sig := codeOf(value)
		e.Signature = squeeze(sig)
		if s, good := signature(sig, e.Kind, false); good {
			e.Async, e.Kind = s.Async, cmp.Or(e.Kind, s.Kind)
		}
	case "description":
		e.Description = squeeze(value)
	case "variants":
		e.Variants = variants(value)
	case "value":
		e.Value = plain(value)
	default:
		return false
	}
	return true
}

// blocks reads the exports among the blocks.
func (r *exportReader) blocks(bs []*block, group Kind) {
	for _, b := range bs {
		switch b.kind {
		case blockItem:
			r.item(b, group)
		case blockPara:
			sig, rest, code := codeSpan(b.text)
			if !code {
				sig, rest = splitProse(b.text)
			}
			if e, ok := signature(sig, group, !code); ok && (code || declares(sig, e)) {
				e.Line, e.Description = b.line, describe(rest)
				r.add(e)
			}
		case blockCode:
			for _, e := range declarations(b, group) {
				r.add(e)
			}
		case blockTable:
			r.table(b, group)
		}
	}
}

// item reads one bullet: code or a bare signature, then prose; methods may be nested under it.
func (r *exportReader) item(b *block, group Kind) {
	if k, ok := exportGroups[headingKey(b.text)]; ok && len(b.kids) > 0 {
		r.blocks(b.kids, k)
		return
	}
	text := b.text
	if bold, rest, ok := boldName(text); ok {
		text = bold + rest
	}
	sig, rest, code := codeSpan(text)
	if code {
		if tail, ok := typedTail(rest); ok { // `name`: type
			sig, rest = sig+": "+tail, ""
		}
	} else {
		sig, rest = splitProse(text)
	}
	e, ok := signature(sig, group, !code)
	if !ok {
		if isNone(text) {
			return
		}
		r.p.warn(b, "this export cannot be read: "+clip(b.text), exportForms)
		return
	}
	e.Line = b.line
	e.Description = squeeze(strings.Join(append([]string{describe(rest)}, proseOf(b.kids)...), " "))
	if e.Kind == Function && (group == "" || group == Function) && untyped(e) && !strings.Contains(e.Signature, "(…)") { // which says that they are left out
		r.p.warn(b, "Export may be missing parameter types or return type: "+clip(e.Signature), "")
	}
	if line := tight(e.Signature); e.Kind == Function && r.items[line] {
		r.p.warn(b, "export "+e.Name+" appears again", "the first one counts")
	} else {
		r.items[line] = true
	}
	r.add(e)
	if e.Kind == Class || e.Kind == Type {
		r.methods(b.kids, e.Name)
	}
}

// methods reads the signatures in code that are nested under a class or type.
func (r *exportReader) methods(kids []*block, owner string) {
	for _, k := range kids {
		sig, rest, code := codeSpan(k.text)
		if k.kind != blockItem || !code || !strings.Contains(sig, "(") {
			continue
		}
		if m, good := signature(sig, Function, false); good && m.Kind == Function {
			m.Name, m.Line, m.Description = owner+"."+m.Name, k.line, describe(rest)
			r.add(m)
		}
	}
}

// table reads exports from a table: its rows hold signatures, or names and in other columns what makes them signatures.
func (r *exportReader) table(b *block, group Kind) {
	head := b.rows[0]
	sig := head.column("signature", "시그니처")
	name := head.column("name", "이름", "symbol", "심볼")
	if name < 0 {
		name = head.column("function", "method", "export", "type", "class", "enum", "variable", "constant", "함수", "타입", "상수")
	}
	desc := head.column("description", "설명", "purpose", "용도")
	for _, row := range b.rows[1:] {
		text := codeOf(row.cell(max(sig, 0)))
		if sig < 0 {
			text = assembled(head, row, max(name, 0))
		} else if n := codeOf(row.cell(name)); isIdent(n) && strings.HasPrefix(text, "(") { // the name stands in a column of its own
			if named, ok := signature(n+text, group, false); ok && named.Name == n {
				text = n + text
			}
		}
		e, good := signature(text, group, false)
		if !good {
			if !isNone(strings.Join(row.cells, "")) {
				r.p.problem(Warning, row.line, 1, "this export cannot be read: "+clip(text), exportForms)
			}
			continue
		}
		if n := codeOf(row.cell(name)); sig >= 0 && isIdent(n) {
			e.Name = n
		}
		e.Line, e.Description = row.line, row.cell(desc)
		r.add(e)
	}
}

// assembled makes a signature of the cells of a row whose name stands in a column of its own.
func assembled(head, row row, name int) string {
	text := codeOf(row.cell(name))
	if !isIdent(text) {
		return text
	}
	// at returns the cell of a column that is not the one of the name.
	at := func(words ...string) (string, bool) {
		i := head.column(words...)
		if i < 0 || i == name {
			return "", false
		}
		cell := codeOf(row.cell(i))
		if isNone(cell) {
			cell = ""
		}
		return cell, true
	}
	params, called := at("param", "argument", "매개변수", "인자")
	result, returns := at("return", "result", "반환")
	if called || returns {
		text += "(" + strings.Trim(params, "()") + ")"
		if result != "" {
			text += ": " + result
		}
		return text
	}
	if def, _ := at("definition", "fields", "정의", "필드"); strings.HasPrefix(def, "{") {
		return text + " " + def
	} else if def != "" {
		return text + " = " + def
	}
	if all, _ := at("values", "variants", "members", "열거값"); all != "" {
		return text + ": " + strings.Join(list(strings.ReplaceAll(all, "|", ",")), " | ")
	}
	if typ, _ := at("type", "타입"); typ != "" {
		text += ": " + typ
	}
	if value, _ := at("value", "값", "default"); value != "" {
		text += " = " + value
	}
	return text
}

// codeOf is the code that a cell starts with, or its text.
func codeOf(cell string) string {
	if code, _, ok := codeSpan(cell); ok {
		return code
	}
	return cell
}

// add keeps overloads of a function side by side, and the ways to make an object of a class, and a function beside the type
// of its name; anything else that appears twice is named.
func (r *exportReader) add(e Export) {
	name, overload := e.Name, e.Name+tight(e.Signature)
	several := e.Kind == Function || e.Kind == Class && strings.Contains(e.Signature, "(")
	if e.Kind == Function {
		name += "()"
	}
	if r.seen[name] && (!several || r.seen[overload]) {
		if e.Kind != Function {
			r.p.problem(Warning, e.Line, 1, "export "+e.Name+" appears again", "the first one counts")
		}
		return
	}
	r.seen[name], r.seen[overload] = true, true
	r.p.doc.Exports = append(r.p.doc.Exports, e)
}

// declarations reads the declarations in a fenced block: lines that start with a keyword, with
// everything up to the brace that closes them.
func declarations(b *block, group Kind) []Export {
	var out []Export
	for i := 0; i < len(b.code); i++ {
		first := strings.TrimSpace(b.code[i])
		word, _, _ := strings.Cut(first, " ")
		if b.code[i] == "" || b.code[i][0] == ' ' || b.code[i][0] == '\t' ||
			declWords[word] == "" && !modifiers[word] && !strings.HasPrefix(first, "(") && group == "" {
			continue
		}
		line, text := i, first
		for n := 0; unbalanced(text) && i+1 < len(b.code) && n < 200; n++ {
			i++
			text += " " + strings.TrimSpace(b.code[i])
		}
		if e, ok := signature(text, group, declWords[word] == ""); ok {
			e.Line = b.line + 1 + line
			out = append(out, e)
		}
	}
	return out
}

func unbalanced(s string) bool {
	return strings.Count(s, "{") > strings.Count(s, "}") || strings.Count(s, "(") > strings.Count(s, ")")
}

// declares reports whether a line without list marker and code marks is surely a declaration.
func declares(sig string, e Export) bool {
	word, _, _ := strings.Cut(sig, " ")
	if declWords[word] != "" || modifiers[word] {
		return strings.ContainsAny(sig, "({=:")
	}
	_, ret, ok := strings.Cut(sig, ")")
	ret = strings.TrimSpace(ret)
	return e.Kind == Function && ok && (strings.HasPrefix(ret, ":") || strings.HasPrefix(ret, "->")) ||
		e.Kind == Type && strings.HasSuffix(sig, "}")
}

// splitProse cuts the prose behind a bare signature: it starts at a dash between spaces.
func splitProse(s string) (string, string) {
	for _, sep := range []string{" — ", " – ", " - "} {
		if i := strings.Index(s, sep); i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// typedTail reads `: type` behind a name in code, when it is one word and no sentence.
func typedTail(rest string) (string, bool) {
	t, ok := strings.CutPrefix(strings.TrimSpace(rest), ":")
	t = strings.TrimSpace(t)
	if !ok || t == "" {
		return "", false
	}
	code, after, isCode := codeSpan(t)
	return code, isCode && strings.TrimSpace(after) == "" && !strings.ContainsAny(code, "(")
}

// boldName reads `**name** rest`.
func boldName(s string) (string, string, bool) {
	t, ok := strings.CutPrefix(s, "**")
	if !ok {
		return "", s, false
	}
	name, rest, ok := strings.Cut(t, "**")
	return name, rest, ok && name != ""
}

// labelled reads `**Label**: value`, `**Label:** value` or `Label: value`.
func labelled(s string) (string, string, bool) {
	if name, rest, ok := boldName(s); ok {
		label := strings.TrimRight(strings.TrimSpace(name), ":：")
		rest = strings.TrimSpace(rest)
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, ":"), "：")
		return label, strings.TrimSpace(rest), true
	}
	label, value, ok := strings.Cut(s, ":")
	if !ok || len(label) > 40 || strings.ContainsAny(label, "`()") {
		return "", "", false
	}
	return strings.TrimSpace(label), strings.TrimSpace(value), true
}

// untyped reports whether a signature has parameters without types.
func untyped(e Export) bool {
	open := strings.IndexByte(e.Signature, '(')
	if open < 0 {
		return true
	}
	params, ret, ok := parens(e.Signature[open:])
	if !ok || strings.TrimSpace(params) == "" {
		return !ok
	}
	return strings.TrimSpace(ret) == "" && !strings.ContainsAny(params, ": ")
}

// proseOf is the text of blocks, for descriptions.
func proseOf(bs []*block) []string {
	var out []string
	for _, b := range bs {
		if b.kind == blockItem || b.kind == blockPara {
			out = append(out, b.text)
			out = append(out, proseOf(b.kids)...)
		}
	}
	return out
}

// withDetails is a text with what blocks below it say.
func withDetails(text string, below []*block) string {
	return strings.Join(append([]string{text}, proseOf(below)...), "; ")
}

// clip shortens a text for a message.
func clip(s string) string {
	s = squeeze(s)
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}
