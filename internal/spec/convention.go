package spec

// ConventionFile is a code-convention.md.
type ConventionFile struct {
	Path     string
	Sections []Convention // Section is the H2, Name the H3
}

// ParseConvention reads a code-convention.md. It has no grammar beyond its headings.
func ParseConvention(path string, src []byte) (*ConventionFile, []Problem) {
	p := &parser{doc: &Document{Path: path}}
	p.scan = scan(p.decode(src))
	p.root = tree(p.scan)
	p.blocksLeftOpen()
	f := &ConventionFile{Path: path}
	var visit func(s *section)
	visit = func(s *section) {
		for _, kid := range s.kids {
			if kid.level == 2 {
				f.Sections = append(f.Sections, conventions(p.scan, kid)...)
				continue
			}
			visit(kid)
		}
	}
	visit(p.root)
	if len(f.Sections) == 0 {
		if text := p.scan.text(0, len(p.scan.lines)); normText(text) != "" {
			f.Sections = []Convention{{Text: text, Line: 1}}
		}
	}
	return f, SortProblems(p.ps)
}

// Hash covers the sections' names and text; layout leaves it alone.
func (f *ConventionFile) Hash() string {
	if f == nil {
		return ""
	}
	return hashConventions(f.Sections)
}

// Conventions lists what applies to a module, most binding first: the module's own sections, those
// of code-convention.md, those of the root CLAUDE.md. Each of the three may be nil. Where nothing
// is listed the language's defaults apply.
func Conventions(module *Document, file *ConventionFile, root *Document) []Convention {
	var out []Convention
	if module != nil {
		out = append(out, module.Conventions...)
	}
	if file != nil {
		out = append(out, file.Sections...)
	}
	if root != nil && root != module {
		out = append(out, root.Conventions...)
	}
	return out
}
