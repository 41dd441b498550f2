package spec

import (
	"slices"
	"strconv"
	"strings"
)

// ConventionFile is a code-convention.md.
type ConventionFile struct {
	Sections []Convention // Section is the H2, Name the H3
	Style    Style
	problems []Problem
}

// Style is what a code-convention.md sets. What it leaves open is empty; the language's defaults apply there.
type Style struct {
	Naming []NamingRule `json:"naming,omitempty"`

	Indentation   string `json:"indentation,omitempty"` // "2 spaces", "4 spaces" or "tab"
	LineLength    int    `json:"line_length,omitempty"`
	Quotes        string `json:"quotes,omitempty"`         // "single" or "double"
	Semicolons    string `json:"semicolons,omitempty"`     // "true" or "false"
	TrailingComma string `json:"trailing_comma,omitempty"` // "all", "es5" or "none"
	BraceStyle    string `json:"brace_style,omitempty"`    // "1tbs", "allman" or "stroustrup"

	ImportOrder    []string `json:"import_order,omitempty"`
	ImportGrouping string   `json:"import_grouping,omitempty"`
	ExportStyle    string   `json:"export_style,omitempty"`
	BarrelFiles    string   `json:"barrel_files,omitempty"`
	MaxLines       int      `json:"max_lines,omitempty"` // of a function
	MaxParameters  int      `json:"max_parameters,omitempty"`

	ErrorStyle   string `json:"error_style,omitempty"`
	CustomErrors string `json:"custom_errors,omitempty"`
	ErrorNaming  string `json:"error_naming,omitempty"`

	Framework       string `json:"framework,omitempty"`
	FilePattern     string `json:"file_pattern,omitempty"`
	Location        string `json:"location,omitempty"`
	DescribePattern string `json:"describe_pattern,omitempty"`
	AssertionStyle  string `json:"assertion_style,omitempty"`

	Project []Clause `json:"project,omitempty"` // Project-Specific, as written
}

// NamingRule is how names of one kind are written.
type NamingRule struct {
	Of         string   `json:"of"`      // "Variables", "Functions", "Files", …
	Pattern    string   `json:"pattern"` // "camelCase", "snake_case", "PascalCase", "UPPER_SNAKE_CASE" or "kebab-case"
	Prefix     string   `json:"prefix,omitempty"`
	Suffix     string   `json:"suffix,omitempty"`
	TestSuffix string   `json:"test_suffix,omitempty"`
	Examples   []string `json:"examples,omitempty"`
	Line       int      `json:"line"`
}

// setting is a key of code-convention.md: what it may be set to (nothing: any text) and where that goes.
type setting struct {
	allowed []string
	text    func(*Style) *string
	number  func(*Style) *int
	list    func(*Style) *[]string
}

var patterns = []string{"camelCase", "snake_case", "PascalCase", "UPPER_SNAKE_CASE", "kebab-case"}

// settings are the keys by section; those of Naming are the fields of a rule.
var settings = map[string]setting{
	"formatting/indentation":    {allowed: []string{"2 spaces", "4 spaces", "tab"}, text: func(s *Style) *string { return &s.Indentation }},
	"formatting/line_length":    {number: func(s *Style) *int { return &s.LineLength }},
	"formatting/quotes":         {allowed: []string{"single", "double"}, text: func(s *Style) *string { return &s.Quotes }},
	"formatting/semicolons":     {allowed: []string{"true", "false"}, text: func(s *Style) *string { return &s.Semicolons }},
	"formatting/trailing_comma": {allowed: []string{"all", "es5", "none"}, text: func(s *Style) *string { return &s.TrailingComma }},
	"formatting/brace_style":    {allowed: []string{"1tbs", "allman", "stroustrup"}, text: func(s *Style) *string { return &s.BraceStyle }},

	"code structure/order":          {list: func(s *Style) *[]string { return &s.ImportOrder }},
	"code structure/grouping":       {text: func(s *Style) *string { return &s.ImportGrouping }},
	"code structure/style":          {text: func(s *Style) *string { return &s.ExportStyle }},
	"code structure/barrel_files":   {text: func(s *Style) *string { return &s.BarrelFiles }},
	"code structure/max_lines":      {number: func(s *Style) *int { return &s.MaxLines }},
	"code structure/max_parameters": {number: func(s *Style) *int { return &s.MaxParameters }},

	"error handling/style":         {text: func(s *Style) *string { return &s.ErrorStyle }},
	"error handling/custom_errors": {text: func(s *Style) *string { return &s.CustomErrors }},
	"error handling/error_naming":  {text: func(s *Style) *string { return &s.ErrorNaming }},

	"testing/framework":        {text: func(s *Style) *string { return &s.Framework }},
	"testing/file_pattern":     {text: func(s *Style) *string { return &s.FilePattern }},
	"testing/location":         {text: func(s *Style) *string { return &s.Location }},
	"testing/describe_pattern": {text: func(s *Style) *string { return &s.DescribePattern }},
	"testing/assertion_style":  {text: func(s *Style) *string { return &s.AssertionStyle }},
}

// ParseConvention reads a code-convention.md: its text by headings, and what of it is a setting. Whatever else it says is
// convention as well. What is wrong with its settings says [CheckConvention].
func ParseConvention(path string, src []byte) (*ConventionFile, []Problem) {
	p := begin(path, src)
	defer p.scan.release()
	f := &ConventionFile{}
	read := &parser{doc: p.doc, scan: p.scan} // its problems are told apart
	have := map[string]bool{}
	var visit func(s *section)
	visit = func(s *section) {
		for _, kid := range s.kids {
			if kid.level == 2 {
				have[kid.key] = true
				f.Sections = append(f.Sections, conventions(p.scan, kid)...)
				read.style(&f.Style, kid)
				continue
			}
			visit(kid)
		}
	}
	visit(p.root)
	if len(f.Sections) == 0 {
		if text := p.scan.text(0, len(p.scan.lines)); normText(text) != "" {
			f.Sections = []Convention{{Text: text}}
		}
	}
	for _, s := range []string{"Naming", "Formatting"} {
		if !have[strings.ToLower(s)] {
			read.ps = append(read.ps, missing(path, Error, s))
		}
	}
	f.problems = SortProblems(read.ps)
	return f, SortProblems(p.ps)
}

// CheckConvention reports what a code-convention.md lacks, and settings that are none. Parsing reports the rest.
func CheckConvention(f *ConventionFile) []Problem { return slices.Clone(f.problems) }

// style reads the settings of a section.
func (p *parser) style(s *Style, sec *section) {
	switch sec.key {
	case "naming":
		for _, kid := range sec.kids {
			p.naming(s, kid)
		}
	case "project-specific", "project specific":
		sec.walk(func(k *section) {
			for _, text := range p.own(k) {
				addClause(&s.Project, text.text, text.line)
			}
		})
	default:
		sec.walk(func(k *section) { p.set(s, sec.key, p.own(k)) })
	}
}

// keyed reads `- key: value`, in code or not.
func keyed(b *block) (key, value string, ok bool) {
	key, value, ok = labelled(strings.ReplaceAll(b.text, "`", ""))
	key = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(plain(key)))
	return key, strings.Trim(plain(value), `"'`), ok && (b.kind == blockItem || b.kind == blockPara)
}

func (p *parser) naming(s *Style, sec *section) {
	r := NamingRule{Of: sec.title, Line: sec.line + 1}
	said := false
	for _, b := range p.own(sec) {
		key, value, ok := keyed(b)
		if !ok {
			continue
		}
		switch key {
		case "pattern":
			said = true
			if r.Pattern = oneOf(value, patterns); r.Pattern == "" {
				p.unset(b, "pattern", value, patterns)
			}
		case "prefix":
			r.Prefix = value
		case "suffix":
			r.Suffix = value
		case "test_suffix":
			r.TestSuffix = value
		case "examples", "example":
			r.Examples = list(strings.Trim(value, "[]"))
		}
	}
	if !said {
		p.problem(Warning, r.Line, 1, "naming of "+r.Of+" has no pattern", "write - pattern: "+strings.Join(patterns, " | "))
	}
	s.Naming = append(s.Naming, r)
}

// set reads the settings among the blocks of a section.
func (p *parser) set(s *Style, section string, bs []*block) {
	for _, b := range bs {
		key, value, ok := keyed(b)
		to, known := settings[section+"/"+key]
		if !ok || !known {
			continue
		}
		switch {
		case to.number != nil:
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				p.unset(b, key, value, []string{"a number above 0"})
				continue
			}
			*to.number(s) = n
		case to.list != nil:
			*to.list(s) = list(strings.Trim(value, "[]"))
		case len(to.allowed) > 0:
			one := oneOf(value, to.allowed)
			if one == "" {
				p.unset(b, key, value, to.allowed)
				continue
			}
			*to.text(s) = one
		default:
			*to.text(s) = value
		}
	}
}

func oneOf(value string, allowed []string) string {
	for _, a := range allowed {
		if a == value || strings.EqualFold(a, value) && !slices.Contains(patterns, a) {
			return a
		}
	}
	return ""
}

func (p *parser) unset(b *block, key, value string, allowed []string) {
	p.warn(b, key+" cannot be set to "+clip(value), "it is "+strings.Join(allowed, ", "))
}

// Hash covers the sections' names and text; layout leaves it alone.
func (f *ConventionFile) Hash() string {
	if f == nil {
		return ""
	}
	return hashConventions(f.Sections)
}

// Conventions lists what applies to a module, most binding first: the module's own sections, those
// of code-convention.md, those of the root's documents. Each may be nil. Where nothing
// is listed the language's defaults apply.
func Conventions(module *Document, file *ConventionFile, roots ...*Document) []Convention {
	var out []Convention
	if module != nil {
		out = append(out, module.Conventions...)
	}
	if file != nil {
		out = append(out, file.Sections...)
	}
	for _, root := range roots {
		if root != nil && (module == nil || root.Path != module.Path) {
			out = append(out, root.Conventions...)
		}
	}
	return out
}
