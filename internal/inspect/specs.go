package inspect

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Scan is what each spec is about.
type Scan struct {
	Root    string      `json:"root"`
	Entries []ScanEntry `json:"entries"`
}

// ScanEntry is one spec: its directory ("" is the root), the first paragraph of its
// Purpose, at most 200 characters, and the names that it exports.
type ScanEntry struct {
	Dir     string   `json:"dir"`
	File    string   `json:"-"` // the spec
	Purpose string   `json:"purpose"`
	Exports []string `json:"export_names"`
}

// Scan lists all specs, sorted by directory.
func (p *Project) Scan() Scan {
	s := Scan{Root: p.root, Entries: []ScanEntry{}}
	for _, dir := range p.dirs {
		d := p.docs[dir]
		e := ScanEntry{Dir: shown(dir), File: d.Path, Exports: []string{}}
		if d.Purpose != "" {
			first, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(d.Text("Purpose"), "\r", "")), "\n\n")
			e.Purpose = oneLine(first)
		}
		if r := []rune(e.Purpose); len(r) > 200 {
			e.Purpose = string(r[:200]) + "..."
		}
		for _, x := range d.Exports {
			e.Exports = append(e.Exports, x.Name)
		}
		s.Entries = append(s.Entries, e)
	}
	return s
}

// Validity is what is wrong with one document.
type Validity struct {
	File     string         `json:"file"`
	Valid    bool           `json:"valid"`
	Errors   []SchemaError  `json:"errors"`
	Warnings []string       `json:"warnings"`
	Problems []spec.Problem `json:"problems"`            // all of them, with their places
	Free     bool           `json:"free_form,omitempty"` // it is no spec, which is the one problem
}

// Documents are the names of the files that Check reads.
var Documents = []string{spec.Name, spec.OtherName, implementsFile, developersFile, conventionFile}

// Check validates one of the [Documents]; a spec together with the DEVELOPERS.md beside it, whose errors are warnings
// without strict. With strict a missing IMPLEMENTS.md and every section that the schema requires are errors too.
func (p *Project) Check(file string, strict bool) Validity {
	base := path.Base(file)
	if spec.IsName(base) {
		return p.checkSpec(file, strict)
	}
	src := p.listed(file)
	if src == nil || !slices.Contains(Documents, base) {
		return CannotRead(file, nil)
	}
	var ps []spec.Problem
	switch base {
	case implementsFile:
		var m *spec.Implements
		m, ps = spec.ParseImplements(file, src)
		ps = append(ps, spec.CheckImplements(m)...)
	case developersFile:
		ps = p.developers(file, src)
	case conventionFile:
		_, ps = p.style(file)
	}
	return validity(file, ps, strictErrors(strict))
}

// developers is what is wrong with a DEVELOPERS.md.
func (p *Project) developers(file string, src []byte) []spec.Problem {
	files, ps := spec.ParseDevelopers(file, src)
	for _, f := range files {
		if at := path.Join(path.Dir(file), f.Text); !p.Has(at) && !p.hasDir(at) {
			ps = append(ps, spec.Problem{
				Path: file, Line: f.Line, Col: 1, Severity: spec.Warning, Text: "File Map lists " + f.Text + ", which does not exist", Hint: "correct its name or remove the line",
			})
		}
	}
	return spec.SortProblems(ps)
}

// style is a code-convention.md with everything that is wrong with it; nil when there is none.
func (p *Project) style(file string) (*spec.ConventionFile, []spec.Problem) {
	src := p.listed(file)
	if src == nil {
		return nil, nil
	}
	f, ps := spec.ParseConvention(file, src)
	return f, spec.SortProblems(append(ps, spec.CheckConvention(f)...))
}

// CannotRead is the finding for a document that is there and cannot be read; err says why, nil that it is not known.
func CannotRead(file string, err error) Validity {
	e := SchemaError{Type: "FileError", Message: "Cannot read file: " + file}
	pr := spec.Problem{Path: file, Severity: spec.Error, Text: "cannot read the file"}
	var why *spec.Unreadable
	switch {
	case errors.As(err, &why):
		pr.Text, pr.Hint, e.Suggestion = pr.Text+": "+why.Why, why.Hint, why.Hint
		e.Message += ": " + why.Error()
	case err != nil:
		pr.Text, e.Message = pr.Text+": "+err.Error(), e.Message+": "+err.Error()
	}
	return Validity{File: file, Warnings: []string{}, Problems: []spec.Problem{pr}, Errors: []SchemaError{e}}
}

func (p *Project) checkSpec(file string, strict bool) Validity {
	d := p.named(file)
	if d == nil {
		return CannotRead(file, nil)
	}
	if d.free() {
		v := validity(file, []spec.Problem{{Path: file, Line: 1, Col: 1, Severity: spec.Warning, Text: freeText, Hint: freeHint}}, nil)
		v.Free = true
		return v
	}
	if d != p.docs[path.Dir(file)] && p.twoSpecs(path.Dir(file)) {
		return validity(file, append(slices.Clone(d.problems), spec.TwoSpecs(path.Dir(file))), nil)
	}
	ps := append(slices.Clone(d.problems), spec.Check(d.Document)...)
	ps = append(ps, d.calls(p.language(path.Dir(file), nil))...)
	for _, ref := range d.CrossRefs {
		if _, ok := p.index.Resolve(ref); !ok {
			ps = append(ps, spec.Problem{
				Path: file, Line: ref.Line, Col: 1, Severity: spec.Warning,
				Text: fmt.Sprintf("Cross-reference '%s' does not resolve to any known symbol", ref.File+"#"+ref.Symbol),
				Hint: fmt.Sprintf("Check that '%s' exists in %s Exports section, or fix the reference", ref.Symbol, p.SpecPath(ref.Path)),
			})
		}
	}
	for _, pr := range p.unlinked {
		if pr.Path == file {
			ps = append(ps, pr)
		}
	}
	implements, developers := path.Join(path.Dir(file), implementsFile), path.Join(path.Dir(file), developersFile)
	if src := p.listed(developers); src != nil {
		for _, pr := range p.developers(developers, src) {
			if !strict {
				pr.Severity = spec.Warning
			}
			ps = append(ps, pr)
		}
	} else if !p.Has(implements) && len(p.built[path.Dir(file)].Files) > 0 { // the first build writes it
		ps = append(ps, spec.Problem{
			Path: file, Severity: spec.Warning, Text: fmt.Sprintf("INV-3: IMPLEMENTS.md not found at '%s' (expected 1:1 mapping with %s)", implements, path.Base(file)),
			Line: 1, Col: 1, Hint: "add one; jacquard build and jacquard decompile write theirs",
		})
	}
	for _, x := range p.misfits(path.Dir(file)) {
		ps = append(ps, spec.Problem{Path: implements, Line: x.line, Col: 1, Severity: spec.Warning, Text: x.text(), Hint: x.hint()})
	}
	for _, b := range p.Boundary(path.Dir(file)).Violations {
		if slices.ContainsFunc(ps, func(pr spec.Problem) bool {
			kind, _ := typeOf(pr.Text)
			return pr.Line == b.Line && kind == "ForbiddenReference" // said of the same line
		}) {
			continue
		}
		ps = append(ps, spec.Problem{
			Path: file, Line: b.Line, Col: 1, Severity: spec.Warning,
			Text: fmt.Sprintf("boundary: %s (%s)", b.Reference, b.Type), Hint: b.Reason,
		})
	}
	errors := append(strictErrors(strict), "ForbiddenReference") // it does not keep a module from being built, but scripts know it as an error
	if strings.HasPrefix(d.Version, "2") {                       // so are these
		errors = append(errors, "DuplicateUseCaseId", "InvalidIncludeTarget", "InvalidExtendTarget")
	}
	return validity(file, ps, errors)
}

// strictErrors are the kinds of warnings that strict makes errors.
func strictErrors(strict bool) []string {
	if !strict {
		return nil
	}
	return []string{"MissingSection", "INV3Violation", "UnresolvedCrossReference", "UnresolvedDependency", "InvalidSectionContent"}
}

// validity is what problems mean for a file, of which warnings of some kinds count as errors. Those of the document beside it
// carry its name.
func validity(file string, ps []spec.Problem, errors []string) Validity {
	v := Validity{File: file, Errors: []SchemaError{}, Warnings: []string{}, Problems: append([]spec.Problem{}, spec.SortProblems(ps)...)}
	for i := range v.Problems {
		pr := &v.Problems[i]
		kind, section := typeOf(pr.Text)
		text := pr.Text
		other := path.Base(pr.Path)
		if other != path.Base(file) {
			text = other + ": " + text
		}
		if pr.Severity == spec.Error || slices.Contains(errors, kind) {
			if pr.Severity = spec.Error; other != path.Base(file) {
				kind = other + ":" + kind
			}
			v.Errors = append(v.Errors, SchemaError{Type: kind, Message: text, Line: pr.Line, Section: section, Suggestion: pr.Hint})
			continue
		}
		if pr.Line > 0 {
			text = fmt.Sprintf("Line %d: %s", pr.Line, text)
		}
		v.Warnings = append(v.Warnings, text)
	}
	v.Valid = len(v.Errors) == 0
	return v
}

// Specs lists the files of all directories below one that count as what these say and can be read, sorted by directory.
func (p *Project) Specs(dir string) []string {
	var out []string
	for _, d := range slices.Sorted(maps.Keys(p.docs)) {
		if Below(dir)(d) {
			out = append(out, p.docs[d].Path)
		}
	}
	return out
}

// FreeForm lists the paths of those of them that are no specs, sorted by directory.
func (p *Project) FreeForm(dir string) []string {
	return slices.DeleteFunc(p.Specs(dir), func(file string) bool { return !p.docs[path.Dir(file)].free() })
}

// Fix adds the sections that a document lacks and that may say None, in alphabetical
// order, and returns their names. A code block or comment that swallows the end is closed before. Nothing else is
// changed, not a byte.
func Fix(file string, src []byte) (fixed []byte, added []string) {
	text, nl := string(src), "\n"
	if strings.Contains(text, "\r\n") {
		nl = "\r\n"
	}
	for more := true; more; { // a heading of another level that stood in for a section may no longer do so
		more = false
		d, _ := spec.Parse(file, []byte(text))
		for _, s := range []string{"Behavior", "Contract", "Domain Context", "Exports", "Protocol"} {
			if d.Has(s) || slices.Contains(added, s) {
				continue
			}
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += nl
			}
			if end := spec.Unclosed([]byte(text)); end != "" && len(added) == 0 {
				text += end + nl
			}
			text += nl + "## " + s + nl + "None" + nl
			added, more = append(added, s), true
		}
	}
	return []byte(text), added
}

// Parse is the spec of a file as JSON, false when there is none.
func (p *Project) Parse(file string) ([]byte, bool) {
	d := p.named(file)
	if d == nil {
		return nil, false
	}
	var warnings []string
	for _, pr := range d.problems {
		if pr.Severity == spec.Warning {
			warnings = append(warnings, fmt.Sprintf("Line %d: %s", pr.Line, pr.Text))
		}
	}
	return d.JSON(warnings...), true
}
