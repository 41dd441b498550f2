package spec

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Developers is a DEVELOPERS.md: why a module is as it is, for those who change it.
type Developers struct {
	Path       string
	Name       string
	Files      []FileRole // File Map
	Data       []Part     // Data Structures: its own text, then its headings
	Decisions  []Decision // Decision Log
	Operations []Part     // Operations: its own text, then its headings
}

// FileRole is one file of a File Map.
type FileRole struct {
	File, Role string
	Uses       []string // what it needs of the module
	Line       int
}

// Decision is one entry of a Decision Log.
type Decision struct {
	Title, Context, Decision, Rationale string
	Line                                int
}

var (
	developersAliases = map[string]string{
		"파일 맵": "file map", "파일 지도": "file map", "데이터 구조": "data structures", "결정 로그": "decision log", "결정 기록": "decision log",
		"운영": "operations",
	}
	dateRE = re.New(`\b(?:19|20)\d\d[-./]\d{1,2}[-./]\d{1,2}\b`)
)

// ParseDevelopers reads a DEVELOPERS.md. The document is never nil; the problems are everything that is wrong with it:
// errors for a missing section, a File Map without files and a decision without one of its three fields.
func ParseDevelopers(path string, src []byte) (*Developers, []Problem) {
	p := begin(path, src)
	defer p.scan.release()
	d := &Developers{Path: path}
	have := map[string]bool{}
	p.root.walk(func(s *section) {
		if s.level == 1 && d.Name == "" {
			d.Name = s.title
		}
		key := s.key
		if a := developersAliases[key]; a != "" {
			key = a
		}
		if s.level != 2 {
			return
		}
		switch key {
		case "file map":
			p.fileMap(d, s)
		case "data structures":
			d.Data = append(d.Data, p.pieces(s)...)
		case "decision log":
			p.decisions(d, s)
		case "operations":
			d.Operations = append(d.Operations, p.pieces(s)...)
		default:
			return
		}
		have[key] = true
	})
	for _, s := range []string{"File Map", "Data Structures", "Decision Log", "Operations"} {
		if !have[strings.ToLower(s)] {
			p.problem(Error, 1, 1, "Missing required section: "+s, "add a '## "+s+"' section")
		}
	}
	return d, SortProblems(p.ps)
}

// pieces cuts a section into its own text and its headings; None is none.
func (p *parser) pieces(sec *section) []Part {
	var out []Part
	if text := p.scan.text(sec.first, sec.body); !isBlank(text) && !isNone(text) {
		out = append(out, Part{Text: text, Line: sec.line + 1})
	}
	for _, kid := range sec.kids {
		out = append(out, Part{Title: kid.title, Text: p.scan.text(kid.first, kid.end), Line: kid.line + 1})
	}
	return out
}

// fileMap reads a table of files, or a list of them.
func (p *parser) fileMap(d *Developers, sec *section) {
	found := len(d.Files)
	var read func(bs []*block)
	read = func(bs []*block) {
		for _, b := range bs {
			switch b.kind {
			case blockTable:
				p.fileRows(d, b)
			case blockItem:
				name, rest, code := codeSpan(b.text)
				if !code {
					name, rest = cutDep(b.text)
				}
				if isFileName(name, code) {
					d.Files = append(d.Files, FileRole{File: name, Role: describe(rest), Line: b.line})
				}
				read(b.kids)
			case blockPara, blockCode:
			}
		}
	}
	sec.walk(func(s *section) { read(p.own(s)) })
	switch {
	case len(d.Files) > found:
	case isNone(p.scan.text(sec.first, sec.end)):
		p.problem(Error, sec.line+1, 1, "Section 'File Map' does not allow 'None' as value", "list the module's files with their roles")
	default:
		p.problem(Error, sec.line+1, 1, "File Map must list the files of the module", "write a table with the columns File, Role, Uses")
	}
}

func (p *parser) fileRows(d *Developers, b *block) {
	head := b.rows[0]
	file := max(head.column("file", "파일", "path", "경로"), 0)
	role := head.column("role", "역할", "description", "설명", "purpose")
	uses := head.column("depend", "의존", "uses", "import")
	for _, row := range b.rows[1:] {
		name := codeOf(row.cell(file))
		if !isFileName(name, true) || isNone(name) {
			continue
		}
		d.Files = append(d.Files, FileRole{File: name, Role: row.cell(role), Uses: list(row.cell(uses)), Line: row.line})
	}
}

// decisions reads the entries of a Decision Log.
func (p *parser) decisions(d *Developers, sec *section) {
	for _, kid := range sec.kids {
		e := Decision{Title: kid.title, Line: kid.line + 1}
		fields := []struct {
			name  string
			words []string
			text  *string
		}{
			{"Context", []string{"context", "맥락", "배경"}, &e.Context},
			{"Decision", []string{"decision", "결정"}, &e.Decision},
			{"Rationale", []string{"rationale", "reason", "근거", "이유"}, &e.Rationale},
		}
		fieldOf := func(label string) *string {
			key := headingKey(label)
			for _, f := range fields {
				for _, w := range f.words {
					if key == w {
						return f.text
					}
				}
			}
			return nil
		}
		var to *string
		var read func(bs []*block)
		read = func(bs []*block) {
			for _, b := range bs {
				text := b.text
				if label, value, ok := labelled(text); ok && fieldOf(label) != nil {
					to, text = fieldOf(label), value
				}
				if to != nil && text != "" {
					*to = strings.TrimSpace(*to + " " + tidy(text))
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
			if *f.text == "" {
				p.problem(Error, e.Line, 1, "decision '"+e.Title+"' has no "+f.name, "write it as - **"+f.name+"**: text")
			}
		}
		if dateRE().MatchString(e.Title) {
			p.problem(Warning, e.Line, 1, "decision '"+e.Title+"' has a date", "the log says why, not when; git has the dates")
		}
		d.Decisions = append(d.Decisions, e)
	}
	if own := p.scan.text(sec.first, sec.end); len(sec.kids) == 0 && !isNone(own) {
		p.problem(Error, sec.line+1, 1, "Decision Log must have a heading for each decision, or 'None'", "write ### Title, then Context, Decision, Rationale")
	}
}
