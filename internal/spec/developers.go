package spec

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

var (
	developersAliases = map[string]string{
		"파일 맵": "file map", "파일 지도": "file map", "데이터 구조": "data structures", "결정 로그": "decision log", "결정 기록": "decision log",
		"운영": "operations",
	}
	dateRE = re.New(`\b(?:19|20)\d\d[-./]\d{1,2}[-./]\d{1,2}\b`)
)

// ParseDevelopers reads a DEVELOPERS.md, which says why a module is as it is, to those who change it. It answers the files
// of its File Map, and everything that is wrong with it: errors for a missing section, a File Map without files and a
// decision without one of its three fields.
func ParseDevelopers(path string, src []byte) (files []Clause, problems []Problem) {
	p := begin(path, src)
	defer p.scan.release()
	have := map[string]bool{}
	p.root.walk(func(s *section) {
		if s.level != 2 {
			return
		}
		key := cmp.Or(developersAliases[s.key], s.key)
		have[key] = true
		switch key {
		case "file map":
			files = append(files, p.fileMap(s)...)
		case "decision log":
			p.decisions(s)
		}
	})
	for _, s := range []string{"File Map", "Data Structures", "Decision Log", "Operations"} {
		if !have[strings.ToLower(s)] {
			p.ps = append(p.ps, missing(path, Error, s))
		}
	}
	return files, SortProblems(p.ps)
}

// fileMap reads a table of files, or a list of them.
func (p *parser) fileMap(sec *section) []Clause {
	var files []Clause
	var read func(bs []*block)
	read = func(bs []*block) {
		for _, b := range bs {
			switch b.kind {
			case blockTable:
				files = append(files, fileRows(b)...)
			case blockItem:
				name, _, code := codeSpan(b.text)
				if !code {
					name, _ = cutDep(b.text)
				}
				if isFileName(name, code) {
					files = append(files, Clause{Text: name, Line: b.line})
				}
				read(b.kids)
			case blockPara, blockCode:
			}
		}
	}
	sec.walk(func(s *section) { read(p.own(s)) })
	switch {
	case len(files) > 0:
	case isNone(p.scan.text(sec.first, sec.end)):
		p.problem(Error, sec.line+1, 1, "Section 'File Map' does not allow 'None' as value", "list the module's files with their roles")
	default:
		p.problem(Error, sec.line+1, 1, "File Map must list the files of the module", "write a table with the columns File, Role, Uses")
	}
	return files
}

func fileRows(b *block) []Clause {
	var files []Clause
	file := max(b.rows[0].column("file", "파일", "path", "경로"), 0)
	for _, row := range b.rows[1:] {
		if name := codeOf(row.cell(file)); isFileName(name, true) && !isNone(name) {
			files = append(files, Clause{Text: name, Line: row.line})
		}
	}
	return files
}

// decisions checks the entries of a Decision Log.
func (p *parser) decisions(sec *section) {
	type field struct {
		name  string
		words []string
		said  bool
	}
	for _, kid := range sec.kids {
		fields := []*field{
			{name: "Context", words: []string{"context", "맥락", "배경"}},
			{name: "Decision", words: []string{"decision", "결정"}},
			{name: "Rationale", words: []string{"rationale", "reason", "근거", "이유"}},
		}
		fieldOf := func(label string) *field {
			for _, f := range fields {
				if slices.Contains(f.words, headingKey(label)) {
					return f
				}
			}
			return nil
		}
		var to *field
		var read func(bs []*block)
		read = func(bs []*block) {
			for _, b := range bs {
				text := b.text
				if label, value, ok := labelled(text); ok && fieldOf(label) != nil {
					to, text = fieldOf(label), value
				}
				if to != nil {
					to.said = to.said || !isBlank(text)
				}
				read(b.kids)
			}
		}
		read(p.own(kid))
		for _, part := range kid.kids {
			if to = fieldOf(part.title); to != nil {
				read(p.own(part))
			}
		}
		for _, f := range fields {
			if !f.said {
				p.problem(Error, kid.line+1, 1, "decision '"+kid.title+"' has no "+f.name, "write it as - **"+f.name+"**: text")
			}
		}
		if dateRE().MatchString(kid.title) {
			p.problem(Warning, kid.line+1, 1, "decision '"+kid.title+"' has a date", "the log says why, not when; git has the dates")
		}
	}
	if own := p.scan.text(sec.first, sec.end); len(sec.kids) == 0 && !isNone(own) {
		p.problem(Error, sec.line+1, 1, "Decision Log must have a heading for each decision, or 'None'", "write ### Title, then Context, Decision, Rationale")
	}
}
