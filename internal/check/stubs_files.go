package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// stubText is a file with stubs as it is written, and the way in which each part of it is.
type stubText struct {
	toolchain.StubFile

	before string // what the file holds already
	takes  []int  // of each part: which way is taken
	first  []int  // of each part: its first line
	end    int    // line behind the last part
}

// add adds a part that can be written in one way.
func (t *stubText) add(way string) {
	t.Parts, t.takes = append(t.Parts, []string{way}), append(t.takes, 0)
}

// files writes the stubs of a language that needs whole files.
func (s *stubber) files(tests []string) error {
	have, types := map[string]bool{}, map[string]bool{}
	present := those(slices.Sorted(maps.Keys(s.p.entries)), func(name string) bool { return s.m.Place.AllowsSource(name) && s.p.ours(name) })
	pkg := ""
	for _, name := range present {
		f := source.Parse(name, s.p.read(name))
		pkg = cmp.Or(pkg, f.Package)
		for _, e := range f.Exports {
			have[strings.TrimPrefix(e.Owner+"."+e.Name, ".")] = true
			types[e.Name] = true
		}
	}
	st := toolchain.Stubs{Language: s.m.Chain.Language, Fails: s.fails, File: s.m.Place.NewFile, Dir: s.m.Dir}
	if len(present) > 0 && !slices.Contains(present, st.File) {
		st.File = present[0]
	}
	for _, e := range s.m.Exports {
		sym := fileSymbol(e)
		types[sym.Name] = types[sym.Name] || sym.Owner == ""
		if !have[strings.TrimPrefix(sym.Owner+"."+sym.Name, ".")] {
			st.Symbols = append(st.Symbols, sym)
		}
	}
	if s.m.Chain.Ecosystem == toolchain.JVM {
		st.Package = cmp.Or(pkg, toolchain.JVMPackage(s.m.Dir))
	}
	wanted, called := map[string]bool{}, map[string]bool{}
	for _, t := range tests {
		f := source.Parse(t, s.p.read(t))
		for i, tok := range f.Tokens {
			wanted[tok.Text] = tok.Kind == source.Ident || wanted[tok.Text]
			if i > 1 && f.Tokens[i-1].Text == "." && isType(f.Tokens[i-2].Text) {
				called[f.Tokens[i-2].Text+"."+tok.Text] = true
			}
		}
		s.testImports(f)
	}
	st.Static = func(owner, name string) bool { return called[owner+"."+name] }
	for _, name := range s.m.Names {
		if isType(name) && wanted[name] && !types[name] && s.importLine(name) == "" && !toolchain.Builtin(s.m.Chain.Language, name) {
			types[name] = true
			st.Symbols = append(st.Symbols, toolchain.Symbol{Name: name, Kind: "class"})
		}
	}
	// What signatures name and nobody declares has to be something.
	for _, sym := range slices.Clone(st.Symbols) {
		for _, name := range toolchain.TypesOf(sym) {
			if !types[name] && s.importLine(name) == "" && !toolchain.Builtin(s.m.Chain.Language, name) {
				types[name], s.invented[name] = true, true
				st.Symbols = append(st.Symbols, toolchain.Symbol{Name: name, Kind: "class"})
			}
		}
	}
	st.Find = func(name string) string {
		if types[name] || toolchain.Builtin(s.m.Chain.Language, name) {
			return ""
		}
		return s.importLine(name)
	}
	for _, f := range st.Files() {
		s.texts = append(s.texts, &stubText{StubFile: f, before: string(s.p.read(f.Name)), takes: make([]int, len(f.Parts))})
	}
	if err := s.writeTexts(); err != nil {
		return err
	}
	for _, l := range s.m.Place.Links { // they make the module part of the program
		src := s.p.read(l.File)
		if out := toolchain.WithLinks(src, []string{l.Line}); string(out) != string(src) {
			if err := s.put(l.File, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// testImports notes how tests of Java or Kotlin make types of others known.
func (s *stubber) testImports(f source.File) {
	if s.m.Chain.Ecosystem != toolchain.JVM {
		return
	}
	if s.imported == nil {
		s.imported = map[string]string{}
	}
	end := map[string]string{source.Java: ";"}[f.Lang]
	for _, imp := range f.Imports {
		for _, n := range imp.Names {
			if isType(n) && imp.From != "" && !isType(bareName(imp.From)) && imp.From != f.Package {
				s.imported[n] = "import " + imp.From + "." + n + end
			}
		}
	}
}

func isType(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && !strings.Contains(name, ".")
}

// fileSymbol is an export of a spec; a method may be written with its type before two colons or a sharp.
func fileSymbol(e step.Export) toolchain.Symbol {
	e.Name = strings.NewReplacer("::", ".", "#", ".").Replace(e.Name)
	sym := symbol(e)
	if sym.Kind == "method" && !strings.Contains(sym.Signature, "(") {
		sym.Kind = "field"
	}
	return sym
}

// writeTexts writes the files and notes on which lines each part is.
func (s *stubber) writeTexts() error {
	for _, t := range s.texts {
		var b strings.Builder
		before, after := t.before, ""
		if before != "" && t.Tail != "" { // the last brace ends the type that gets more members
			if i := strings.LastIndexByte(before, '}'); i >= 0 {
				before, after = before[:i], before[i:]
			}
		}
		if before == "" {
			b.WriteString(t.Head)
		} else {
			if t.Tail != "" {
				before = withImports(before, t.Head)
			}
			b.WriteString(before)
			if !strings.HasSuffix(before, "\n") {
				b.WriteString("\n")
			}
			if t.Tail == "" {
				b.WriteString(t.Head)
			}
		}
		t.first = t.first[:0]
		for i, p := range t.Parts {
			t.first = append(t.first, strings.Count(b.String(), "\n")+1)
			if t.takes[i] < len(p) {
				b.WriteString(p[t.takes[i]])
			}
		}
		t.end = strings.Count(b.String(), "\n") + 1
		if after != "" {
			b.WriteString(after)
		} else {
			b.WriteString(t.Tail)
		}
		if err := s.put(t.Name, []byte(b.String())); err != nil {
			return err
		}
	}
	return nil
}

// withImports puts the imports of a head of stubs into a file that is there, behind its package.
func withImports(text, head string) string {
	var add strings.Builder
	for l := range strings.Lines(head) {
		if strings.HasPrefix(l, "import ") && !strings.Contains(text, strings.TrimSpace(l)) {
			add.WriteString(l)
		}
	}
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "package ") {
			return strings.Replace(text, l, strings.TrimRight(l, "\r\n")+"\n"+add.String(), 1)
		}
	}
	return add.String() + text
}

// mendTexts writes parts that the compiler complains about in the next way that there is.
func (s *stubber) mendTexts(list []complaint) (changed bool, err error) {
	for _, t := range s.texts {
		for i, first := range t.first {
			end := append(t.first[i+1:len(t.first):len(t.first)], t.end)[0]
			if t.takes[i] < len(t.Parts[i]) && slices.ContainsFunc(list, func(c complaint) bool { return c.file == t.Name && first <= c.line && c.line < end }) {
				t.takes[i]++
				changed = true
			}
		}
	}
	if changed {
		err = s.writeTexts()
	}
	return changed, err
}

// declaredIn is where the project declares a type.
type declaredIn struct{ file, pkg string }

// importLine makes a type known that is declared elsewhere: by the tests' own imports, by the language's library, by the project. It is ""
// for one that nobody declares.
func (s *stubber) importLine(name string) string {
	if line := s.imported[name]; line != "" {
		return line
	}
	if line := toolchain.LibraryImport(s.m.Chain.Language, name); line != "" {
		return line
	}
	if s.declared == nil {
		s.declared = map[string]declaredIn{}
		for file := range s.p.entries {
			if !s.p.ours(file) || toolchain.IsTest(file) || s.m.Place.AllowsSource(file) {
				continue
			}
			f := source.Parse(file, s.p.read(file))
			for _, e := range f.Exports {
				if e.Owner == "" && e.Kind != "reexport" && e.Kind != "function" {
					if have := s.declared[e.Name].file; have == "" || file < have {
						s.declared[e.Name] = declaredIn{file, f.Package}
					}
				}
			}
		}
	}
	in := s.declared[name]
	if in.file == "" {
		return ""
	}
	return toolchain.ImportOf(s.m.Chain, in.file, in.pkg, name)
}
