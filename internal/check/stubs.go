package check

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// declare declares the exports that are missing, so that tests fail one by one instead of not compiling.
func (s *stubber) declare(tests []string) (err error) {
	switch {
	case s.m.Chain.Ecosystem == toolchain.Go:
		return s.golang(tests)
	case toolchain.FileStubs(s.m.Chain.Language):
		return s.files(tests)
	}
	for _, t := range tests {
		if err = s.imports(t); err != nil {
			return err
		}
	}
	return nil
}

// stubber writes into a place, and takes away again what it wrote.
type stubber struct {
	p      *place
	m      Module
	fails  bool              // what is declared fails when it is called, else it does nothing
	before map[string][]byte // what was there, nil for nothing
	served []string          // Node, Python: test files that stubs were written for

	golib    goStubs
	texts    []*stubText           // the file of Go, and those of languages whose stubs are whole files
	declared map[string]declaredIn // types of the project outside of the module, with their files
	imported map[string]string     // types that tests import, with the lines
	invented map[string]bool       // types that signatures name and nothing declares
}

// stub declares one export, in a language where each can stand alone.
func (s *stubber) stub(sym toolchain.Symbol) string {
	if s.fails {
		return toolchain.FailingStub(s.m.Chain.Language, sym)
	}
	return toolchain.EmptyStub(s.m.Chain.Language, sym)
}

func (s *stubber) put(name string, b []byte) error {
	if _, seen := s.before[name]; !seen {
		s.before[name] = s.p.read(name)
	}
	if err := s.p.write(name, b); err != nil {
		return err
	}
	s.p.edited[name] = true
	s.p.built = false // from what it was
	s.restamp(name)
	return nil
}

// restamp makes the file's present state the one that later runs are compared with.
func (s *stubber) restamp(name string) {
	if _, tracked := s.p.stamps[name]; tracked {
		if now, ok := s.p.stampOf(name); ok {
			s.p.stamps[name] = now
		}
	}
}

// undo puts everything back as it was. It may be called again.
func (s *stubber) undo() error {
	before := s.before
	s.before = map[string][]byte{}
	s.p.built = s.p.built && len(before) == 0
	for name, b := range before {
		if b == nil {
			if err := os.Remove(s.p.full(name)); err != nil {
				return err
			}
			continue
		}
		if err := s.p.write(name, b); err != nil {
			return err
		}
		s.restamp(name)
	}
	return nil
}

// symbol turns an export of the spec into what a stub needs. A method may be named Type.Method.
func symbol(e step.Export) toolchain.Symbol {
	sym := toolchain.Symbol{Name: e.Name, Kind: strings.ToLower(e.Kind), Signature: e.Signature}
	if owner, name, ok := strings.Cut(e.Name, "."); ok {
		sym.Owner, sym.Name, sym.Kind = owner, name, "method"
	}
	if sym.Kind == "struct" || sym.Kind == "dataclass" {
		sym.Kind = "class"
	}
	return sym
}

// imports writes what a test of Node or Python imports from the module and is not there.
func (s *stubber) imports(test string) error {
	src := s.p.read(test)
	for _, imp := range source.Parse(test, src).Imports {
		file, exists, ok := s.target(test, imp.From)
		if !ok {
			continue
		}
		have := map[string]bool{}
		var text []byte
		if exists {
			text = s.p.read(file)
			for _, e := range source.Parse(file, text).Exports {
				have[e.Name] = true
			}
			if have["*"] || strings.Contains(string(text), "import *") {
				continue // what it re-exports cannot be told
			}
		}
		var add strings.Builder
		for _, e := range s.m.Exports {
			sym := symbol(e)
			member := func(e step.Export) bool { return symbol(e).Owner == sym.Name }
			sym.Raised = slices.ContainsFunc(slices.Collect(maps.Values(s.m.RaisedBy)), func(names []string) bool { return slices.Contains(names, sym.Name) })
			if strings.Contains(sym.Kind, "type") && slices.ContainsFunc(s.m.Exports, member) { // however the spec calls it
				sym.Kind = "class"
			}
			wanted := len(imp.Names) == 0 && !exists || slices.Contains(imp.Names, sym.Name)
			if !wanted || have[sym.Name] || sym.Owner != "" {
				continue
			}
			have[sym.Name] = true
			add.WriteString(s.stub(sym))
		}
		for _, name := range imp.Names {
			if !have[name] && s.mentioned(name) {
				have[name] = true
				add.WriteString(mentionedStub(s.m.Chain.Ecosystem, name))
			}
		}
		// Nothing by name, or something that the spec exports, perhaps a type, which needs no stub.
		wants := len(imp.Names) == 0 || slices.ContainsFunc(s.m.Exports, func(e step.Export) bool { return slices.Contains(imp.Names, e.Name) })
		if add.Len() == 0 && (exists || !wants) {
			continue
		}
		out := add.String()
		if text := string(src); strings.Contains(text, "require('"+imp.From+"')") || strings.Contains(text, `require("`+imp.From+`")`) { // CommonJS
			out = strings.ReplaceAll(exportedStub().ReplaceAllString(out, "exports.$2 = $1"), " = const =", " =")
		}
		if len(text) > 0 {
			out = string(text) + "\n" + out
		}
		if err := s.put(file, []byte(out)); err != nil {
			return err
		}
		s.served = append(s.served, test)
	}
	return nil
}

// mentioned reports whether the spec speaks of a name without listing it among its exports: an error in Throws, a type in
// a behaviour.
func (s *stubber) mentioned(name string) bool {
	return slices.Contains(s.m.Names, name) && !slices.ContainsFunc(s.m.Exports, func(e step.Export) bool { return symbol(e).Name == name })
}

// mentionedStub declares a name of which nothing is known: an error where it sounds like one, else a type without anything.
func mentionedStub(ecosystem, name string) string {
	before, of, after := "export class ", " extends Error", " {}\n"
	if ecosystem == toolchain.Python {
		before, of, after = "class ", "(Exception)", ":\n    pass\n\n"
	}
	if !strings.HasSuffix(name, "Error") && !strings.HasSuffix(name, "Exception") {
		of = ""
	}
	return before + name + of + after
}

var exportedStub = re.New(`(?m)^export (function|class|const) ([\pL\w$]+)`)

// target finds the file that an import of a test means, when it is one of the module.
func (s *stubber) target(test, from string) (file string, exists, ok bool) {
	for _, t := range importTargets(s.m.Chain, test, from, s.p.root) {
		for _, candidate := range candidates(s.m.Chain, t) {
			if info, err := os.Stat(s.p.full(candidate)); err == nil && info.Mode().IsRegular() {
				return candidate, true, s.m.Place.AllowsSource(candidate)
			}
		}
		for _, candidate := range candidates(s.m.Chain, t) {
			if s.m.Place.AllowsSource(candidate) {
				return candidate, false, true
			}
		}
	}
	return "", false, false
}

// importTargets are the paths, without certainty about the extension, that an import in a file may mean.
func importTargets(chain toolchain.Found, file, from, root string) []string {
	switch chain.Ecosystem {
	case toolchain.Go:
		if rest, ok := strings.CutPrefix(from, chain.Module); ok && chain.Module != "" {
			return []string{path.Join(chain.Root, strings.TrimPrefix(rest, "/"))}
		}
	case toolchain.Node:
		if strings.HasPrefix(from, ".") {
			return []string{path.Join(path.Dir(file), from)}
		}
		// A runner may name the file that it looked for.
		if filepath.IsAbs(from) {
			if rel, err := filepath.Rel(root, from); err == nil {
				return []string{filepath.ToSlash(rel)}
			}
		}
	case toolchain.Python:
		if strings.HasPrefix(from, ".") {
			return []string{pythonUp(path.Dir(file), from)}
		}
		p := strings.ReplaceAll(from, ".", "/")
		out := []string{path.Join(chain.Root, p), path.Join(path.Dir(file), p)}
		if chain.SourceDir != "" {
			out = append([]string{path.Join(chain.Root, chain.SourceDir, p)}, out...)
		}
		return out
	}
	return nil
}

// pythonUp is the path of a module that code of a directory imports by a name that begins with dots.
func pythonUp(dir, name string) string {
	rest := strings.TrimLeft(name, ".")
	for range len(name) - len(rest) - 1 {
		dir = path.Dir(dir)
	}
	return path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
}

// candidates are the files that an import path may be.
func candidates(chain toolchain.Found, target string) []string {
	if chain.Ecosystem == toolchain.Python {
		return []string{target + ".py", target + "/__init__.py"}
	}
	ext := path.Ext(target)
	stem := strings.TrimSuffix(target, ext)
	switch ext {
	case ".js": // TypeScript's ESM imports name the file that will be
		if chain.Language == toolchain.LangJavaScript {
			return []string{target, stem + ".ts"}
		}
		return []string{stem + ".ts", stem + ".tsx", target}
	case ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".mts":
		return []string{target}
	}
	exts := toolchain.Extensions(chain.Language)
	ending := func(in string) []string { return each(exts, func(e string) string { return in + e }) }
	return append(append(ending(target), ending(target+"/index")...), target+".js", target+".ts")
}
