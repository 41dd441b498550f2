package inspect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// lineOf is how decompile writes an export.
func (m *module) lineOf(x found, name string) string {
	var all []found
	if isClass(x.Kind) {
		for _, e := range m.files[x.file].Exports {
			all = append(all, found{Export: e, file: x.file})
		}
	}
	_, line := exportLine(x.Export, name, constructor(all, x))
	return line
}

// meaning is what a name of a type stands for.
type meaning struct {
	alias    *signature.Type
	declared bool
}

// meaning says what a type's name stands for in the module: another name for something, or
// a type that the project declares. What comes from elsewhere is not known.
func (m *module) meaning(name string) (*signature.Type, bool) {
	if m.types == nil {
		m.types = map[string]meaning{}
		for _, f := range m.names {
			lang, _ := signature.Lang(m.files[f].Lang)
			for n, text := range m.declared[f] {
				if have, twice := m.types[n]; twice && have.alias != nil {
					continue
				}
				x := meaning{nil, true}
				if text != "" {
					x.alias = new(signature.ParseType(text, lang))
				}
				m.types[n] = x
			}
		}
	}
	if x, ok := m.types[name]; ok {
		return x.alias, x.declared
	}
	for _, s := range m.index.Find(name) {
		switch s.Kind {
		case spec.Class, spec.Enum:
			return nil, true
		case spec.Type:
			if _, text, ok := strings.Cut(s.Signature, "="); ok {
				return new(signature.ParseType(text, m.lang)), true
			}
			return nil, true
		default:
		}
	}
	return nil, plainName().MatchString(name) && !typeParameter().MatchString(name) && !m.aliased(lastPart(name))
}

// typeParameter is how people call type parameters.
var typeParameter = re.New(`^(?:\p{Lu}\d?|T\p{Lu}\w*|_?[A-Z]{1,2}|_\w+|Self|This)$`)

// aliased reports whether any file of the project gives something else that name.
func (w *survey) aliased(name string) bool {
	if w.aliases == nil {
		w.aliases = map[string]bool{}
		for _, f := range w.files {
			if source.LangOf(f) == "" || foreign(f) {
				continue
			}
			for n, is := range w.parsed(f, w.read(f)).Declared {
				w.aliases[n] = w.aliases[n] || is != ""
			}
		}
	}
	return w.aliases[name]
}

// dependencies compares the modules that the code imports with those that the spec names.
func (m *module) dependencies() {
	declared := map[string]spec.Internal{}
	for _, dep := range m.doc.Dependencies.Internal {
		to := dep.Path
		if found, ok := m.index.Locate(m.dir, dep.Path); ok {
			to = found
		} else if !m.there[dep.Path] || dep.IsSpec {
			m.issue(Drift{
				Type: "UNRESOLVED", Section: "Dependencies", File: m.doc.Path, Line: dep.Line, Symbol: dep.Ref,
				Message: "The spec depends on " + dep.Ref + ", but there is no such module",
			})
			continue
		}
		declared[to] = dep
	}
	reads := true
	used := map[string]bool{}
	var said []string
	look := func(name string, f source.File, report bool) {
		reads = reads && f.Lang != "" && f.Problem == ""
		for _, imp := range f.Imports {
			said = append(said, imp.From)
			for _, target := range m.targets(name, imp) {
				to, ok := m.owner(target)
				if !ok || to == m.dir || !m.docs[to].IsSpec() {
					continue
				}
				first := !used[to]
				used[to] = true
				exact := to == target || to == path.Dir(target)
				if _, known := declared[to]; known || !report || !first || !exact {
					continue
				}
				if m.above(to, m.dir) && leads(to, m.dir, m.uses) { // to declare it would close the circle
					m.remark(Drift{
						Type: "BOUNDARY", Section: "Dependencies", File: name, Line: imp.Line, Symbol: to,
						Message: "The code imports " + to + ", which depends on this module: " + upward,
					})
					continue
				}
				m.issue(Drift{
					Type: "ORPHAN", Section: "Dependencies", File: name, Line: imp.Line, Symbol: to,
					Message: "The code imports " + to + ", which Dependencies does not name", mend: edit{what: addDependency, text: m.SpecPath(to)},
				})
			}
		}
	}
	for _, name := range m.names {
		look(name, m.files[name], true)
	}
	for _, name := range m.tests[m.dir] {
		look(name, m.parse(name, m.read(name)), false)
	}
	for _, to := range slices.Sorted(maps.Keys(declared)) {
		dep := declared[to]
		if used[to] || to == m.dir || !reads || m.docs[to] == nil || len(m.sources[to]) == 0 || m.speaksOf(to, said) {
			continue
		}
		m.issue(Drift{
			Type: "STALE", Section: "Dependencies", File: m.doc.Path, Line: dep.Line, Symbol: to,
			Message: "The spec depends on " + to + ", but no file of the module imports it",
		})
	}
}

// uses are the modules that a module depends on, by its spec or by its code.
func (w *survey) uses(dir string) []string {
	out := slices.Collect(maps.Keys(w.imported(dir)))
	for _, n := range w.index.Needs(dir) {
		if !n.Soft { // a cross reference orders nothing
			out = append(out, n.Dir)
		}
	}
	return out
}

// imported are the modules that the code of a module imports, with the names that it takes of each.
func (w *survey) imported(dir string) map[string][]string {
	out := map[string][]string{}
	for _, f := range w.sources[dir] {
		for _, imp := range w.parse(f, w.read(f)).Imports {
			for _, t := range w.targets(f, imp) {
				if to, ok := w.owner(t); ok && to != dir && w.docs[to].IsSpec() {
					out[to] = append(out[to], imp.Names...)
					break
				}
			}
		}
	}
	return out
}

// speaksOf reports whether the code may use a module in a way that is not read: by an alias
// of a path, a loader, a registry.
func (m *module) speaksOf(to string, imports []string) bool {
	base := path.Base(to)
	for _, from := range imports {
		if slices.Contains(strings.FieldsFunc(from, func(r rune) bool { return r == '/' || r == '.' || r == ':' || r == '@' }), base) {
			return true
		}
	}
	return m.says(base)
}

// references reports what the spec speaks of and cannot be found, and how it leaves its module.
func (m *module) references() {
	for _, r := range m.Project.references(m.dir) {
		to, _, _ := strings.Cut(r.Anchor, "#")
		if r.Valid || r.Section == "Dependencies" && m.docs[path.Dir(to)] == nil {
			continue
		}
		m.issue(Drift{
			Type: "UNRESOLVED", Section: r.Section, File: m.doc.Path, Line: r.Line, Symbol: r.Symbol,
			Message: "The spec mentions " + r.Anchor + ", which does not exist",
		})
	}
	b := Boundary{}
	m.breaches(&b, m.dir, m.doc)
	for _, v := range b.Violations {
		d := Drift{
			Type: "BOUNDARY", Section: "Dependencies", File: m.doc.Path, Line: v.Line, Symbol: v.Reference,
			Message: v.Reference + " leaves the module: " + v.Reason,
		}
		if v.inside { // spec and code agree
			m.remark(d)
		} else {
			m.issue(d)
		}
	}
}

var plainPath = re.New(`^[\w./@-]+$`)

// structure compares the Structure section with what is on disk, where there is one.
func (m *module) structure() {
	if len(m.doc.Structure) == 0 {
		return
	}
	listed := map[string]bool{}
	for _, s := range m.doc.Structure {
		name := strings.TrimPrefix(path.Clean(s.Path), "./")
		listed[name] = true
		if first, _, nested := strings.Cut(name, "/"); nested {
			listed[first] = true
		}
		if plainPath().MatchString(name) && !m.there[path.Join(m.dir, name)] && !strings.HasPrefix(name, "..") {
			m.issue(Drift{
				Type: "ORPHAN", Section: "Structure", File: m.doc.Path, Line: s.Line, Symbol: name,
				Message: "Structure lists " + name + ", which does not exist", mend: edit{what: removeEntry, line: s.Line},
			})
		}
	}
	for _, c := range slices.Sorted(maps.Keys(m.inside[m.dir])) {
		if !listed[c] && spec.IsEntry(c) {
			m.issue(Drift{
				Type: "UNCOVERED", Section: "Structure", File: m.doc.Path, Symbol: c,
				Message: "Structure does not list " + c + ", which is a module", mend: edit{what: addEntry, text: entryText(c+"/", m.docs[path.Join(m.dir, c)].Purpose)},
			})
		}
	}
}

// behavior looks for scenarios that no test seems to be about. That is a guess by words, and
// so a note: a scenario of whose words not one begins a word in the name of any test of the
// module.
func (m *module) behavior() {
	if len(m.tests[m.dir]) == 0 || len(m.doc.Behaviors) == 0 {
		return
	}
	stems := map[string]bool{}
	for _, f := range m.tests[m.dir] {
		for _, t := range m.parse(f, m.read(f)).Tests {
			for _, w := range stemsOf(t.Name) {
				stems[w] = true
			}
		}
	}
	if len(stems) == 0 {
		return
	}
	for _, b := range m.doc.Behaviors {
		want := stemsOf(b.Output)
		if len(want) == 0 {
			continue
		}
		if !slices.ContainsFunc(slices.Concat(want, stemsOf(b.Input)), func(w string) bool { return stems[w] }) {
			m.remark(Drift{
				Type: "UNTESTED", Section: "Behavior", File: m.doc.Path, Line: b.Line, Symbol: b.Output,
				Message: "No test has a word of this scenario in its name: " + b.Input + " → " + b.Output,
			})
		}
	}
}

var (
	humps = re.New(`\p{Lu}+(?:\p{Ll}+)?|\p{Ll}+|\p{Lo}+`)
	// plainWords say nothing about a scenario.
	plainWords = []string{"test", "should", "when", "then", "with", "without", "from", "into", "that", "this", "return", "returns", "returned", "throw", "throws", "thrown", "raise", "raises", "value", "values", "result", "and", "the", "for", "not"}
)

// stemsOf are the words of a text, and of names in it, without what changes at their ends.
func stemsOf(text string) []string {
	var out []string
	for _, w := range humps().FindAllString(text, -1) {
		w = strings.ToLower(w)
		if len(w) < 3 || slices.Contains(plainWords, w) {
			continue
		}
		if r := []rune(w); r[0] >= 0x1100 { // Korean: the end of a word changes
			out = append(out, string(r[:min(2, len(r))]))
			continue
		}
		for _, end := range []string{"ations", "ation", "ions", "ion", "ing", "ies", "ied", "ed", "es", "s", "y", "e"} {
			if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 {
				w = rest
				break
			}
		}
		out = append(out, w)
	}
	return out
}

// conventionDrift reports sections of conventions that lack a part, at the root and where a
// manifest is. That there is none at all is no drift: not every project has conventions in
// its specs.
func (p *Project) conventionDrift(wanted func(dir string) bool) []Drift {
	var out []Drift
	roots := append(p.moduleRoots(), ".")
	slices.Sort(roots)
	for _, dir := range slices.Compact(roots) {
		if !wanted(dir) {
			continue
		}
		for _, section := range []string{"Project Convention", "Code Convention"} {
			s := p.convention(dir, section)
			if !s.Found || s.Valid {
				continue
			}
			for _, names := range required[section] {
				if !s.Subsections[names[0]] {
					out = append(out, Drift{
						Type: "CONVENTION", Section: section, File: s.File, Line: 1, Symbol: names[0],
						Message: "missing required subsection '### " + names[0] + "' in '## " + section + "'",
					})
				}
			}
		}
	}
	return out
}

// leads reports whether a way of dependencies leads from one module to another.
func leads(from, to string, uses func(dir string) []string) bool {
	seen := map[string]bool{}
	var walk func(dir string) bool
	walk = func(dir string) bool {
		if dir == to {
			return true
		}
		if seen[dir] {
			return false
		}
		seen[dir] = true
		return slices.ContainsFunc(uses(dir), walk)
	}
	return walk(from)
}
