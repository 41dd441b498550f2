package inspect

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Decompiled is one directory whose code was read into a spec. Skipped says why there is nothing to write.
type Decompiled struct {
	Dir        string       `json:"dir"`
	Spec       string       `json:"claude_md_path"`
	Implements string       `json:"implements_md_path"`
	Exports    int          `json:"exports"`
	Created    bool         `json:"created"`
	Changes    []MendedLine `json:"changes,omitempty"` // of a spec that was there
	Skipped    string       `json:"skipped,omitempty"`

	Sources        []string `json:"-"` // the files that were read
	Text           []byte   `json:"-"` // of the spec; nil where nothing is to be written
	ImplementsText []byte   `json:"-"` // of IMPLEMENTS.md; nil where there is one
}

// Decompile writes specs for the directories below dir that have code: what can be read from code (exports,
// dependencies, files, contracts, states, the purpose where the code documents it) and nothing else. No behaviour is
// invented: tests and people know those. A spec that is there gets the exports, dependencies and modules that it lacks,
// and keeps every other byte; one without an IMPLEMENTS.md gets that.
func (p *Project) Decompile(dir string) []Decompiled {
	out := []Decompiled{}
	byDir := map[string][]string{}
	for _, f := range p.files {
		if _, in := below(dir, f); in && !foreign(f) && toolchain.IsSource(f) {
			byDir[path.Dir(f)] = append(byDir[path.Dir(f)], f)
		}
	}
	dirs := slices.Sorted(maps.Keys(byDir))
	isModule := map[string]bool{}
	files := map[string]map[string]source.File{}
	unread := map[string]string{}
	for _, d := range dirs {
		parsed := map[string]source.File{}
		for _, f := range byDir[d] {
			src := p.read(f)
			if illegible(src) != "" {
				unread[d] = f
			}
			parsed[f] = p.typed(f, src).File
		}
		files[d], isModule[d] = parsed, true
	}
	for d := range p.docs {
		isModule[d] = isModule[d] || p.docs[d].IsSpec()
	}
	uses := map[string][]string{} // of modules, by their code
	for _, d := range dirs {
		uses[d] = p.imports(d, slices.Sorted(maps.Keys(files[d])), files[d], isModule)
	}
	tests := sync.OnceValue(func() map[string][]string { return p.testsOf(isModule) }) // where specs are there they are not asked for
	created := map[string][]byte{}
	for _, d := range dirs {
		x := Decompiled{Dir: d, Spec: p.SpecPath(d), Implements: path.Join(d, implementsFile), Sources: byDir[d]}
		switch {
		case !p.Has(x.Spec) && unread[d] != "":
			x.Skipped = unread[d] + " cannot be read, so what the module exports is not known"
		case !p.Has(x.Spec):
			x.Created = true
			p.decompile(&x, files, isModule, uses, tests()[d])
			created[x.Spec] = x.Text
		case p.named(x.Spec) == nil:
			x.Skipped = "its " + path.Base(x.Spec) + " cannot be read"
		case p.twoSpecs(d):
			x.Skipped = spec.TwoSpecs(d).Text
		}
		out = append(out, x)
	}
	with := p // what is written makes modules of directories that others import or hold
	if len(created) > 0 {
		with = p.With(created)
	}
	lacking := with.lacking(dir)
	for i := range out {
		x := &out[i]
		if x.Created || x.Skipped != "" {
			continue
		}
		if p.named(x.Spec).free() {
			x.Skipped = "its " + path.Base(x.Spec) + " is " + freeText + " (" + freeHint + ")"
			continue
		}
		doc := p.named(x.Spec).Document
		if m, ok := lacking[x.Dir]; ok {
			doc, _ = spec.Parse(x.Spec, m.Text)
			x.Text, x.Changes, x.Exports = m.Text, m.Changes, len(doc.Exports)
		}
		if doc.IsSpec() {
			p.plan(x, doc)
		}
		if !x.Writes() {
			x.Skipped = "its " + path.Base(x.Spec) + " lacks nothing that can be read from code; jacquard validate says whether they agree"
		}
	}
	return out
}

// Writes reports whether there is anything to write.
func (x *Decompiled) Writes() bool { return x.Text != nil || x.ImplementsText != nil }

// plan writes the IMPLEMENTS.md of a spec that has neither that nor a DEVELOPERS.md.
func (p *Project) plan(x *Decompiled, doc *spec.Document) {
	if !p.Has(x.Implements) && !p.Has(path.Join(x.Dir, developersFile)) {
		x.ImplementsText = spec.DefaultImplements(doc)
	}
}

// lacking are the specs that do not list all exports, dependencies and modules of their code, with those in them.
func (p *Project) lacking(dir string) map[string]Mended {
	v := Validation{}
	byFile := map[string]string{}
	for _, m := range p.Validate(dir).Modules {
		var missing []Drift
		for _, d := range m.Issues {
			if d.mend.what == addExport || d.mend.what == addDependency || d.mend.what == addEntry {
				missing = append(missing, d)
			}
		}
		if len(missing) > 0 {
			m.Issues = missing
			v.Modules = append(v.Modules, m)
			byFile[p.SpecPath(m.Directory)] = m.Directory
		}
	}
	out := map[string]Mended{}
	for _, m := range p.Mend(v) {
		out[byFile[m.File]] = m
	}
	return out
}

// Read is a file of the project, nil when it cannot be read.
func (p *Project) Read(file string) []byte { return p.read(file) }

func (p *Project) decompile(x *Decompiled, all map[string]map[string]source.File, isModule map[string]bool, uses map[string][]string, tests []string) {
	files := all[x.Dir]
	names := slices.Sorted(maps.Keys(files))
	name := path.Base(x.Dir)
	if x.Dir == "." {
		name = path.Base(p.root)
	}
	var b strings.Builder
	b.WriteString("# " + name + "\n\n## Purpose\n\n")
	b.WriteString(cmp.Or(documented(files), spec.Placeholder) + "\n\n## Exports\n\n")
	offers := p.offers(x.Dir, names, files)
	text, n := exportsText(offers, true)
	b.WriteString(text)
	x.Exports = n
	var specs []string
	for _, d := range uses[x.Dir] {
		if !Below(d)(x.Dir) || !leads(d, x.Dir, func(d string) []string { return uses[d] }) {
			specs = append(specs, p.SpecPath(d))
		} // else a circle with the module that it lies in, and this is the direction that is not allowed: see upward
	}
	if deps := dependenciesText("external", p.packages(names, files)) + dependenciesText("internal", specs); deps != "" {
		b.WriteString("\n## Dependencies\n\n" + deps)
	}
	if entries := p.structureText(x.Dir, all, isModule); entries != "" {
		b.WriteString("\n## Structure\n\n" + entries)
	}
	var list []source.File
	for _, f := range names {
		list = append(list, files[f])
	}
	for _, s := range []struct{ name, text string }{
		{"Behavior", p.shown(offers, files, tests)}, {"Contract", contractText(offers, files)}, {"Protocol", protocolText(protocolOf(list))}, {"Domain Context", ""},
	} {
		b.WriteString("\n## " + s.name + "\n\n" + cmp.Or(s.text, "None\n"))
	}
	x.Text = []byte(b.String())
	d, _ := spec.Parse(x.Spec, x.Text)
	p.plan(x, d)
}

// documented is what the code of a module says of it as a whole, "" when it says nothing.
func documented(files map[string]source.File) string {
	for _, f := range slices.Sorted(maps.Keys(files)) {
		if files[f].Doc != "" {
			return files[f].Doc
		}
	}
	return ""
}

// dependenciesText is a list of packages or modules as a spec writes it, "" when there are none.
func dependenciesText(kind string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "- " + kind + ":\n  - `" + strings.Join(names, "`\n  - `") + "`\n"
}

// structureText lists the source files directly in a directory and the modules nearest below it, each with what it is for
// where that is known.
func (p *Project) structureText(dir string, all map[string]map[string]source.File, isModule map[string]bool) string {
	entries := map[string]string{}
	purpose := documented(all[dir])
	for f, x := range all[dir] {
		about := x.Doc
		if about == purpose { // it is said of the module
			about = ""
		}
		entries[path.Base(f)] = about
	}
	for d := range isModule {
		rest, in := below(dir, d)
		up := path.Dir(d)
		for !isModule[up] && up != dir && up != "." {
			up = path.Dir(up)
		}
		if !in || d == dir || up != dir {
			continue
		}
		entries[rest+"/"] = documented(all[d])
		if doc := p.docs[d]; doc != nil && doc.IsSpec() {
			entries[rest+"/"] = p.docs[d].Purpose
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if spec.IsEntry(name) {
			b.WriteString("- " + entryText(name, entries[name]) + "\n")
		}
	}
	return b.String()
}

// contractText is the contracts of what the module exports, by function.
func contractText(offers []found, files map[string]source.File) string {
	var all []source.Contract
	done := map[string]bool{}
	visible := seen(offers)
	listed := map[[2]string]string{} // the names in the spec, by file and name there
	for _, x := range offers {
		switch {
		case x.byDefault:
			listed[[2]string{x.file, "default"}] = x.Name
		case x.Owner == "" && x.full() != x.Name:
			listed[[2]string{x.file, x.Name}] = x.full()
		}
	}
	for _, x := range offers {
		if done[x.file] {
			continue
		}
		done[x.file] = true
		for _, c := range files[x.file].Contracts {
			if name := listed[[2]string{x.file, c.Function}]; name != "" {
				visible[name] = true
				c.Function = name
			}
			if visible[c.Function] && !strings.HasPrefix(c.Function, "_") {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b source.Contract) int { return strings.Compare(a.Function, b.Function) })
	var b strings.Builder
	last := ""
	for _, c := range all {
		if c.Function != last {
			if last != "" {
				b.WriteString("\n")
			}
			b.WriteString("### " + c.Function + "\n\n")
			last = c.Function
		}
		b.WriteString(clausesText(c.Preconditions, c.Postconditions, c.Throws, c.Invariants))
	}
	return b.String()
}

// imports are the modules of the project that a module's files import, sorted.
func (p *Project) imports(dir string, names []string, files map[string]source.File, isModule map[string]bool) []string {
	found := map[string]bool{}
	for _, f := range names {
		for _, imp := range files[f].Imports {
			for _, target := range p.targets(f, imp) {
				found[nearest(target, isModule)] = true
			}
		}
	}
	delete(found, dir)
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}
