package inspect

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// misfit is an entry of a Module Integration Map that does not fit what the module says that it is about.
type misfit struct {
	to     string // module, or what is written where there is none
	spec   string // of it, or where it would be
	symbol string // "" = there is no such module
	line   int
	// other is how the map and the spec of the module write the symbol, where that differs; it is there all the same.
	other [2]string
}

func (m misfit) differs() bool { return m.other[0] != "" }

func (m misfit) text() string {
	if m.symbol == "" {
		return "the Module Integration Map names " + m.to + ", which is not a module"
	}
	if m.differs() {
		return fmt.Sprintf("the Module Integration Map writes %s of %s as `%s`, its spec as `%s`", m.symbol, m.to, m.other[0], m.other[1])
	}
	return fmt.Sprintf("the Module Integration Map uses %s of %s, which does not export it", m.symbol, m.to)
}

func (m misfit) hint() string {
	if m.symbol == "" {
		return "Correct the path, or write " + m.spec
	}
	if m.differs() {
		return "Write it as the spec does"
	}
	return "Correct the name, or add it to the Exports of " + m.spec
}

// misfits compares the Module Integration Map of a module's IMPLEMENTS.md with the specs of the modules that it names.
func (p *Project) misfits(dir string) []misfit {
	file := path.Join(dir, implementsFile)
	src := p.listed(file)
	if src == nil {
		return nil
	}
	im, _ := spec.ParseImplements(file, src)
	var out []misfit
	for _, in := range im.Integration {
		to, ok := p.index.Locate(dir, path.Dir(path.Clean(in.Ref)))
		if !ok { // the name alone, beside a path from the module
			to, ok = p.index.Locate(dir, path.Join(dir, in.RelativePath))
		}
		if !ok {
			out = append(out, misfit{to: path.Dir(in.Ref), spec: p.SpecPath(path.Dir(in.Ref)), line: in.Line})
			continue
		}
		for _, x := range in.Exports {
			m := usedName(x.Text)
			is, ok := p.index.Resolve(spec.CrossRef{Path: to, Symbol: m})
			switch {
			case m == "":
			case !ok:
				out = append(out, misfit{to: to, spec: p.SpecPath(to), symbol: m, line: x.Line})
			case is.Kind == spec.Function && !fit(is.Signature, x.Text):
				out = append(out, misfit{to: to, spec: p.SpecPath(to), symbol: m, line: x.Line, other: [2]string{x.Text, is.Signature}})
			}
		}
	}
	return out
}

// fit reports whether two ways to write a function may mean the same one.
func fit(a, b string) bool {
	x, ok1 := signature.Parse(a, "")
	y, ok2 := signature.Parse(b, "")
	unknown := func(string) (*signature.Type, bool) { return nil, false }
	return !ok1 || !ok2 || x.Name != y.Name || signature.Fits(x, y, x.Lang, unknown, false) == ""
}

// usedName is what a signature is of; of a member, its type.
func usedName(signature string) string {
	sig := bareName(signature)
	name, _, _ := strings.Cut(cmp.Or(exportName("Functions", sig), exportName("Types", sig)), ".")
	return name
}

// integration reports what does not fit in the Module Integration Map.
func (m *module) integration() {
	for _, x := range m.misfits(m.dir) {
		kind := "EXPORT_NOT_FOUND"
		if x.symbol == "" {
			kind = "BOUNDARY_INVALID"
		}
		d := Drift{
			Type: kind, Section: "Module Integration Map", File: path.Join(m.dir, implementsFile), Line: x.line, Symbol: cmp.Or(x.symbol, x.to),
			Message: x.text() + ". " + x.hint(),
		}
		if x.differs() { // a warning
			d.Type = "SIGNATURE_MISMATCH"
			m.remark(d)
			continue
		}
		m.issue(d)
	}
}
