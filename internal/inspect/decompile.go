package inspect

import (
	"path"
	"slices"
	"strconv"
	"strings"

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
	Text           []byte   `json:"-"` // of CLAUDE.md; nil where nothing is to be written
	ImplementsText []byte   `json:"-"` // of IMPLEMENTS.md; nil where there is one
}

// Decompile writes specs for the directories below dir that have code: what can be read from code (exports,
// dependencies, contracts, states, the purpose where the code documents it) and nothing else. No behaviour is
// invented: tests and people know those. A spec that is there gets the exports and dependencies that it lacks, and
// keeps every other byte.
func (p *Project) Decompile(dir string) []Decompiled {
	out := []Decompiled{}
	byDir := map[string][]string{}
	for _, f := range p.files {
		if _, in := below(dir, f); in && !foreign(f) && toolchain.IsSource(f) {
			byDir[path.Dir(f)] = append(byDir[path.Dir(f)], f)
		}
	}
	dirs := slices.Sorted(keys(byDir))
	isModule := map[string]bool{}
	files := map[string]map[string]source.File{}
	unread := map[string]string{}
	for _, d := range dirs {
		parsed := map[string]source.File{}
		for _, f := range byDir[d] {
			src := p.read(f)
			if src == nil {
				unread[d] = f
			}
			parsed[f] = p.typed(f, src).File
		}
		files[d], isModule[d] = parsed, true
	}
	for d := range p.docs {
		isModule[d] = isModule[d] || p.docs[d].IsSpec()
	}
	lacking := p.lacking(dir)
	for _, d := range dirs {
		x := Decompiled{Dir: d, Spec: path.Join(d, specFile), Implements: path.Join(d, implementsFile), Sources: byDir[d]}
		switch m, ok := lacking[d]; {
		case p.docs[d] == nil && !p.hasSpec(d) && unread[d] != "":
			x.Skipped = unread[d] + " cannot be read, so what the module exports is not known"
		case p.docs[d] == nil && !p.hasSpec(d):
			x.Created = true
			p.decompile(&x, files[d], isModule)
		case p.docs[d] == nil:
			x.Skipped = "its CLAUDE.md cannot be read"
		case ok:
			x.Text, x.Changes, x.Exports = m.Text, m.Changes, len(p.docs[d].Exports)+len(m.Changes)
		default:
			x.Skipped = "its CLAUDE.md lacks nothing that code can tell; jacquard validate says whether they agree"
		}
		out = append(out, x)
	}
	return out
}

// lacking are the specs that do not list all exports and dependencies of their code, with those in them.
func (p *Project) lacking(dir string) map[string]Mended {
	v := Validation{}
	byFile := map[string]string{}
	for _, m := range p.Validate(dir).Modules {
		var missing []Drift
		for _, d := range m.Issues {
			if d.Type == "MISSING" {
				missing = append(missing, d)
			}
		}
		if len(missing) > 0 {
			m.Issues = missing
			v.Modules = append(v.Modules, m)
			byFile[specOf(m.Directory)] = m.Directory
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

func (p *Project) decompile(x *Decompiled, files map[string]source.File, isModule map[string]bool) {
	names := slices.Sorted(keys(files))
	name := path.Base(x.Dir)
	if x.Dir == "." {
		name = path.Base(p.root)
	}
	var b strings.Builder
	b.WriteString("# " + name + "\n\n## Purpose\n\n")
	purpose := ""
	for _, f := range names {
		if purpose = files[f].Doc; purpose != "" {
			break
		}
	}
	if purpose == "" {
		purpose = spec.Placeholder
	}
	b.WriteString(purpose + "\n\n## Exports\n\n")
	text, n := p.exportsOf(x.Dir, names, files)
	b.WriteString(text)
	x.Exports = n
	if deps := p.imports(x.Dir, names, files, isModule); len(deps) > 0 {
		b.WriteString("\n## Dependencies\n\n- internal:\n")
		for _, d := range deps {
			b.WriteString("  - `" + path.Join(d, specFile) + "`\n")
		}
	}
	var list []source.File
	for _, f := range names {
		list = append(list, files[f])
	}
	for _, s := range []struct{ name, text string }{
		{"Behavior", ""}, {"Contract", contractText(p.offers(x.Dir, names, files), files)}, {"Protocol", protocolText(protocolOf(list))}, {"Domain Context", ""},
	} {
		if s.text == "" {
			s.text = "None\n"
		}
		b.WriteString("\n## " + s.name + "\n\n" + s.text)
	}
	x.Text = []byte(b.String())
	if !p.Has(x.Implements) {
		d, _ := spec.Parse(x.Spec, x.Text)
		x.ImplementsText = spec.DefaultImplements(d)
	}
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
		for _, part := range []struct {
			name string
			list []string
		}{{"Preconditions", c.Preconditions}, {"Postconditions", c.Postconditions}, {"Throws", c.Throws}, {"Invariants", c.Invariants}} {
			if len(part.list) == 0 {
				continue
			}
			b.WriteString("- **" + part.name + "**:\n")
			for _, item := range part.list {
				b.WriteString("  - " + item + "\n")
			}
		}
	}
	return b.String()
}

// protocolText is a state machine and a life cycle as a spec writes them; several machines stand apart, each under its
// name.
func protocolText(p AnalysisProtocol) string {
	var b strings.Builder
	states := func(list []string) { b.WriteString("States: `" + strings.Join(list, "` | `") + "`\n") }
	transitions := func(list []AnalysisTransition) {
		if len(list) > 0 {
			b.WriteString("\nTransitions:\n\n")
		}
		for _, t := range list {
			b.WriteString("- `" + t.From + "` + `" + t.Trigger + "()` → `" + t.To + "`\n")
		}
	}
	left := p.Transitions
	if len(p.States)+len(p.Machines) > 0 {
		b.WriteString("### State Machine\n\n")
	}
	if len(p.Machines) < 2 && len(p.States) > 0 {
		states(p.States)
	}
	for i, m := range p.Machines {
		if i > 0 {
			b.WriteString("\n")
		}
		if m.Name != "" {
			b.WriteString("#### " + m.Name + "\n\n")
		}
		if len(m.States) > 0 {
			states(m.States)
		}
		own, others := slices.Clone(m.transitions), []AnalysisTransition(nil)
		for _, t := range left {
			if slices.Contains(m.States, t.From) && slices.Contains(m.States, t.To) {
				own = append(own, t)
			} else {
				others = append(others, t)
			}
		}
		transitions(own)
		left = others
	}
	transitions(left)
	if len(p.Lifecycle) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("### Lifecycle\n\n")
		for i, l := range p.Lifecycle {
			text := ""
			if l.Description != "" {
				text = " - " + l.Description
			}
			b.WriteString(strconv.Itoa(i+1) + ". `" + l.Method + "()`" + text + "\n")
		}
	}
	return b.String()
}

// imports are the modules of the project that a module's files import, sorted.
func (p *Project) imports(dir string, names []string, files map[string]source.File, isModule map[string]bool) []string {
	found := map[string]bool{}
	for _, f := range names {
		for _, imp := range files[f].Imports {
			for _, target := range p.targets(f, imp) {
				for d := target; d != "" && d != "/"; d = path.Dir(d) {
					if isModule[d] {
						found[d] = true
						break
					}
					if d == "." {
						break
					}
				}
			}
		}
	}
	delete(found, dir)
	return slices.Sorted(keys(found))
}
