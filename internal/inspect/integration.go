package inspect

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// misfit is an entry of a Module Integration Map that does not fit what the module says that it is about.
type misfit struct {
	to     string // module, or what is written where there is none
	symbol string // "" = there is no such module
	line   int
}

func (m misfit) text() string {
	if m.symbol == "" {
		return "the Module Integration Map names " + m.to + ", which is no module"
	}
	return fmt.Sprintf("the Module Integration Map uses %s of %s, which does not export it", m.symbol, m.to)
}

func (m misfit) hint() string {
	if m.symbol == "" {
		return "Correct the path, or write " + path.Join(m.to, specFile)
	}
	return "Correct the name, or add it to the Exports of " + path.Join(m.to, specFile)
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
			out = append(out, misfit{to: path.Dir(in.Ref), line: in.Line})
			continue
		}
		for _, x := range in.Exports {
			m := usedName(x.Text)
			if _, ok := p.index.Resolve(spec.CrossRef{Path: to, Symbol: m}); m != "" && !ok {
				out = append(out, misfit{to: to, symbol: m, line: x.Line})
			}
		}
	}
	return out
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
		m.issue(Drift{
			Type: kind, Section: "Module Integration Map", File: path.Join(m.dir, implementsFile), Line: x.line, Symbol: cmp.Or(x.symbol, x.to),
			Message: x.text() + ". " + x.hint(),
		})
	}
}
