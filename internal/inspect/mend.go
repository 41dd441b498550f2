package inspect

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Mended is a spec with its mechanical differences taken away.
type Mended struct {
	File    string       `json:"file"`
	Changes []MendedLine `json:"changes"`
	Left    []Drift      `json:"left"` // differences that need a person
	Text    []byte       `json:"-"`
}

// Mend writes the specs of a validation so that they say what the code does, as far as a
// program can know: exports that came, went or have another signature, modules that are
// imported, entries of Structure. Only those lines change. A change after which the spec
// would say anything else than meant is not made.
func (p *Project) Mend(v Validation) []Mended {
	out := []Mended{}
	for _, m := range v.Modules {
		d := p.docs[m.Directory]
		if d == nil || len(m.Issues) == 0 || !utf8.Valid(d.src) {
			continue
		}
		text, done := d.mend(m.Issues)
		x := Mended{File: d.Path, Changes: []MendedLine{}, Left: []Drift{}, Text: text}
		for i := range m.Issues {
			if c, ok := done[i]; ok {
				x.Changes = append(x.Changes, c)
			} else {
				x.Left = append(x.Left, m.Issues[i])
			}
		}
		if len(x.Changes) > 0 {
			out = append(out, x)
		}
	}
	return out
}

// Fixed marks the modules that are good now and were not before.
func (v *Validation) Fixed(before Validation) {
	bad := map[string]bool{}
	for _, m := range before.Modules {
		bad[m.Directory] = m.Status != "good" && m.Status != "partial"
	}
	for i := range v.Modules {
		if (v.Modules[i].Status == "good" || v.Modules[i].Status == "partial") && bad[v.Modules[i].Directory] {
			v.Modules[i].Status = "fixed"
		}
	}
	v.count()
}

// mend makes all edits at once, and where that does not give what was meant, one by one.
func (d *document) mend(issues []Drift) ([]byte, map[int]MendedLine) {
	all := []int{}
	for i := range issues {
		if issues[i].mend.what != noChange {
			all = append(all, i)
		}
	}
	if text, done, ok := d.try(issues, all); ok {
		return text, done
	}
	good := []int{}
	for _, i := range all {
		if _, _, ok := d.try(issues, append(slices.Clone(good), i)); ok {
			good = append(good, i)
		}
	}
	text, done, _ := d.try(issues, good)
	return text, done
}

func (d *document) try(issues []Drift, which []int) ([]byte, map[int]MendedLine, bool) {
	e := newEditor(d)
	done := map[int]MendedLine{}
	for _, i := range which {
		c, ok := e.apply(issues[i])
		if !ok {
			return nil, nil, false
		}
		c.Type, c.Section, c.Symbol = issues[i].Type, issues[i].Section, issues[i].Symbol
		done[i] = c
	}
	e.settle()
	text := e.bytes()
	return text, done, d.means(text, issues, which)
}

// means reports whether a text says what the document said, but for the edits.
func (d *document) means(text []byte, issues []Drift, which []int) bool {
	now, ps := spec.Parse(d.Path, text)
	if spec.HasErrors(ps) && !spec.HasErrors(d.problems) {
		return false
	}
	sigs := func(d *spec.Document) map[[2]string]bool {
		out := map[[2]string]bool{}
		for i := range d.Exports {
			out[[2]string{d.Exports[i].Name, d.Exports[i].Signature}] = true
		}
		return out
	}
	deps := func(d *spec.Document) map[string]bool {
		out := map[string]bool{}
		for _, x := range d.Dependencies.Internal {
			out[x.Path] = true
		}
		for _, x := range d.Dependencies.External {
			out["external "+x.Name] = true
		}
		return out
	}
	entries := func(d *spec.Document) map[string]bool {
		out := map[string]bool{}
		for _, x := range d.Structure {
			out[strings.TrimSuffix(path.Clean(x.Path), "/")] = true
		}
		return out
	}
	wantSigs, wantDeps, wantEntries := sigs(d.Document), deps(d.Document), entries(d.Document)
	for _, i := range which {
		x := issues[i]
		switch x.mend.what {
		case removeExport:
			delete(wantSigs, [2]string{x.Symbol, x.mend.old})
		case addExport, replaceSignature:
			delete(wantSigs, [2]string{x.Symbol, x.mend.old})
			wantSigs[[2]string{x.Symbol, x.mend.text}] = true
		case addDependency:
			wantDeps[path.Dir(x.mend.text)] = true
		case addEntry:
			wantEntries[x.Symbol] = true
		case removeEntry:
			for name := range wantEntries {
				if name == x.Symbol || strings.HasPrefix(name, x.Symbol+"/") {
					delete(wantEntries, name)
				}
			}
		case noChange:
		}
	}
	rest := func(d *spec.Document) string {
		return strings.Join([]string{d.Text("Purpose"), d.Text("Behavior"), d.Text("Contract"), d.Text("Protocol"), d.Text("Domain Context"), d.Text("Constraints")}, "\x00")
	}
	return maps.Equal(wantSigs, sigs(now)) && maps.Equal(wantDeps, deps(now)) && maps.Equal(wantEntries, entries(now)) && rest(now) == rest(d.Document) && now.Name == d.Name
}
