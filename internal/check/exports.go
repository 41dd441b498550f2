package check

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// moreExports finds what a module newly exports beside what its spec lists. Functions, types and classes are sent back
// where a language exports by a mark of its own; a constant or variable is only worth a word. In Python every name at the
// top is visible, so nothing is said but of what the spec no longer lists. Of TypeScript and JavaScript the module's entry file counts: the files behind it
// export to each other.
func (c *Checker) moreExports(ctx context.Context, m Module, before, tree string) ([]step.Finding, error) {
	python := m.Chain.Ecosystem == toolchain.Python
	if len(m.Exports) == 0 || python && len(m.Gone) == 0 {
		return nil, nil
	}
	was, err := c.exports(ctx, m, before)
	if err != nil {
		return nil, err
	}
	now, err := c.sources(ctx, m, tree)
	if err != nil {
		return nil, err
	}
	r := &red{m: m}
	var out []step.Finding
	for _, name := range slices.Sorted(maps.Keys(now)) {
		f := source.Parse(name, now[name])
		if !isFace(m, name, f) {
			continue
		}
		for _, e := range f.Exports {
			if slices.Contains(m.Gone, e.Name) && e.Owner == "" && !r.promised(e.Name) {
				out = append(out, fix("export-unlisted", name, e.Line, "The spec no longer lists "+e.Name+", but the module exports it. Remove the export."))
				continue
			}
			if _, old := was[strings.TrimPrefix(e.Owner+"."+e.Name, ".")]; old || python || !r.unlisted(e) {
				continue
			}
			say := warn
			if slices.Contains([]string{"function", "class", "dataclass", "record", "struct", "type", "interface", "trait", "enum", "object"}, e.Kind) {
				say = fix
			}
			out = append(out, say("export-unlisted", name, e.Line, "The module exports "+e.Name+", which its spec does not list. Make it private."))
		}
	}
	return out, nil
}

// fewerExports finds exports of the spec whose names stand nowhere in the module's sources. Tests may not need them:
// a type, a constant.
func (c *Checker) fewerExports(ctx context.Context, m Module, tree string) ([]step.Finding, error) {
	now, err := c.sources(ctx, m, tree)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	var out []step.Finding
	for _, e := range m.Exports {
		name := bareName(e.Name)
		if !identifier().MatchString(name) || slices.ContainsFunc(slices.Collect(maps.Values(now)), func(b []byte) bool { return hasWord(string(b), name) }) {
			continue
		}
		out = append(out, fix("export-missing", m.Dir, 0, "The spec exports "+e.Name+", but no source file of the module has that name."))
	}
	return out, nil
}

// isFace reports whether other modules see what a file exports.
func isFace(m Module, name string, f source.File) bool {
	here := path.Dir(name) == path.Clean(m.Dir)
	switch m.Chain.Ecosystem {
	case toolchain.Go:
		return here && f.Package != "main"
	case toolchain.Python:
		return here
	}
	return name == m.Place.NewFile || here && stem(path.Base(name)) == "index"
}

// sameExports compares what the module's sources export in two trees.
func (c *Checker) sameExports(ctx context.Context, m Module, before, after string) ([]step.Finding, error) {
	a, err := c.exports(ctx, m, before)
	if err != nil {
		return nil, err
	}
	b, err := c.exports(ctx, m, after)
	if err != nil {
		return nil, err
	}
	var out []step.Finding
	r := &red{m: m}
	for name, x := range a {
		y, ok := b[name]
		switch {
		case !ok && r.unlisted(x.Export): // it should have been private
		case !ok:
			out = append(out, reject("export-changed", x.file, x.Line, "The export "+name+" is gone; refactoring must keep all exports."))
		case x.Signature != y.Signature:
			out = append(out, reject("export-changed", y.file, y.Line,
				fmt.Sprintf("The signature of %s changed from %q to %q; refactoring must keep signatures.", name, x.Signature, y.Signature)))
		}
	}
	for name, y := range b {
		if _, ok := a[name]; !ok {
			out = append(out, reject("export-changed", y.file, y.Line, "The export "+name+" is new; refactoring must not add exports."))
		}
	}
	slices.SortFunc(out, func(x, y step.Finding) int { return strings.Compare(x.Path+x.Message, y.Path+y.Message) })
	return out, nil
}

type exported struct {
	source.Export
	file string
}

// exports maps what a module's sources export. Files may be split and renamed; names may not.
func (c *Checker) exports(ctx context.Context, m Module, tree string) (map[string]exported, error) {
	files, err := c.sources(ctx, m, tree)
	if err != nil {
		return nil, err
	}
	out := map[string]exported{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, e := range source.Parse(name, files[name]).Exports {
			key := strings.TrimPrefix(e.Owner+"."+e.Name, ".")
			if e.Kind == "reexport" { // it says where from; that may move
				e.Signature = e.Name
			}
			have, twice := out[key]
			switch {
			case !twice || have.Kind == "reexport":
				out[key] = exported{e, name}
			case have.file == name && have.Kind == e.Kind: // an overload
				have.Signature += "; " + e.Signature
				out[key] = have
			}
		}
	}
	return out, nil
}

// sources reads the module's source files of a tree.
func (c *Checker) sources(ctx context.Context, m Module, tree string) (map[string][]byte, error) {
	return c.readFiles(ctx, tree, func(e git.Entry) bool { return m.Place.AllowsSource(e.Path) && e.Mode != linkMode })
}
