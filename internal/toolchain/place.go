package toolchain

import (
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Placement says where the files of one module belong: the paths an agent may write, and the names that a
// new module's first files get.
type Placement struct {
	Dir      string   `json:"dir"`
	Language string   `json:"language"`
	Sources  []string `json:"sources"` // patterns: * is anything but a slash, ** also slashes
	Tests    []string `json:"tests"`
	Data     []string `json:"data"`              // test data
	Exclude  []string `json:"exclude,omitempty"` // directories of other modules below this one
	NewFile  string   `json:"new_file"`          // the main source file of a new module
	NewTest  string   `json:"new_test"`          // its test file
	Why      string   `json:"why"`               // structure, pattern or convention
	Import   string   `json:"import,omitempty"`  // how the test of a new module imports it
	Links    []Link   `json:"links,omitempty"`   // what makes the module part of the program
}

// AllowsSource reports whether the module's sources may include p.
func (p Placement) AllowsSource(file string) bool {
	return !p.excluded(file) && Classify(file) == Source && matchAny(p.Sources, file)
}

// AllowsTest reports whether the module's tests and their data may include p.
func (p Placement) AllowsTest(file string) bool {
	if p.excluded(file) {
		return false
	}
	switch Classify(file) {
	case Test:
		return matchAny(p.Tests, file)
	case TestData, Other:
		return matchAny(p.Data, file)
	case Source, Config:
	}
	return false
}

func (p Placement) excluded(file string) bool {
	return slices.ContainsFunc(p.Exclude, func(dir string) bool { return under(file, dir) })
}

func matchAny(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Match(p, file) })
}

// Match reports whether the path file matches pattern, in which * stands for anything within one directory and ** for
// any number of directories.
func Match(pattern, file string) bool {
	return matchParts(strings.Split(pattern, "/"), strings.Split(file, "/"))
}

func matchParts(pat, parts []string) bool {
	for len(pat) > 0 {
		if pat[0] == "**" {
			for i := 0; i <= len(parts); i++ {
				if matchParts(pat[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(pat[0], parts[0]); err != nil || !ok {
			return false
		}
		pat, parts = pat[1:], parts[1:]
	}
	return len(parts) == 0
}

// Layout is what placement is computed from, beside the project's files.
type Layout struct {
	Dir       string   // the module's directory
	Structure string   // Structure or Project Structure of the root's CLAUDE.md; may be empty
	Modules   []string // directories of all modules of the project, sorted
}

// Place computes where the files of the module in l.Dir belong: as the root's Structure says, else as the existing files
// show, else as the language usually does.
func (f Found) Place(pr *Project, l Layout) Placement {
	p := Placement{Dir: cleanDir(l.Dir), Language: f.Language, Why: "convention"}
	p.Exclude = below(l.Modules, p.Dir)
	for _, ext := range Extensions(f.Language) {
		p.Sources = append(p.Sources, join(p.Dir, "**/*"+ext))
	}
	p.Data = []string{join(p.Dir, "**/testdata/**"), join(p.Dir, "**/__snapshots__/**"), join(p.Dir, "**/fixtures/**")}
	p = f.row().place(p, pr)
	p = f.placeTests(p, pr, l.Structure)
	p.Import = f.importOf(p)
	return p
}

// importOf is how NewTest imports NewFile, "" in Go, where they are one package.
func (f Found) importOf(p Placement) string {
	switch f.Ecosystem {
	case Node:
		rel, err := filepath.Rel(path.Dir(p.NewTest), p.NewFile)
		if err != nil {
			return ""
		}
		if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, ".") {
			rel = "./" + rel
		}
		stem := strings.TrimSuffix(rel, path.Ext(rel))
		return stem + strings.NewReplacer(".tsx", ".js", ".mts", ".mjs", ".cts", ".cjs", ".ts", ".js").Replace(path.Ext(rel))
	case Rust:
		return f.rustImport(p)
	case JVM:
		return JVMPackage(p.Dir)
	case Python:
		name := f.rel(p.NewFile)
		if f.SourceDir != "" {
			name = strings.TrimPrefix(name, f.SourceDir+"/")
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".py"), "/__init__")
		return strings.ReplaceAll(name, "/", ".")
	}
	return ""
}

// below lists the modules below dir.
func below(modules []string, dir string) []string {
	var out []string
	from := 0
	if dir != "." {
		from = sort.SearchStrings(modules, dir+"/")
	}
	for _, m := range modules[from:] {
		if dir != "." && !under(m, dir) {
			break
		}
		if m != dir {
			out = append(out, m)
		}
	}
	return out
}

// testStyle is how a project names and places its tests.
type testStyle struct {
	suffix string // ".test", ".spec" (node); "test_", "_test" (python)
	dir    string // "" beside the source; "__tests__" below it; "tests" a mirror at the toolchain's root
}

var suffixWord = re.New(`\*?\.(test|spec)\.[jt]sx?`)

// structureStyle reads a style from prose: the names of directories and patterns that it shows.
func structureStyle(text, language string) (testStyle, bool) {
	var s testStyle
	found := false
	if m := suffixWord().FindStringSubmatch(text); m != nil && EcosystemOf(language) == Node {
		s.suffix, found = "."+m[1], true
	}
	if strings.Contains(text, "_test.py") && language == LangPython {
		s.suffix, found = "_test", true
	} else if strings.Contains(text, "test_") && strings.Contains(text, ".py") && language == LangPython {
		s.suffix, found = "test_", true
	}
	for line := range strings.SplitSeq(text, "\n") {
		word := strings.Trim(strings.TrimLeft(line, " \t│├└─|-*+`"), " `")
		name, _, _ := strings.Cut(word, " ")
		switch strings.Trim(name, "`:") {
		case "__tests__/", "__tests__":
			s.dir, found = "__tests__", true
		case "tests/":
			s.dir, found = "tests", true
		case "test/":
			s.dir, found = "test", true
		}
	}
	return s, found
}

// existingStyle reads a style from the tests that the toolchain's part of the project has.
func (f Found) existingStyle(pr *Project) (testStyle, bool) {
	key := f.Root + "\n" + f.Ecosystem
	s, known := pr.styles[key]
	if !known {
		s = f.readStyle(pr)
		pr.styles[key] = s
	}
	return s, s.suffix != ""
}

func (f Found) readStyle(pr *Project) testStyle {
	suffixes, dirs := map[string]int{}, map[string]int{}
	for _, file := range pr.files {
		if !under(file, f.Root) || ignoredDir(file) || Classify(file) != Test ||
			EcosystemOf(LanguageOf(file)) != f.Ecosystem {
			continue
		}
		base := path.Base(file)
		switch {
		case strings.Contains(base, ".test."):
			suffixes[".test"]++
		case strings.Contains(base, ".spec."):
			suffixes[".spec"]++
		case strings.HasSuffix(base, "_test.py"):
			suffixes["_test"]++
		case strings.HasPrefix(base, "test_"):
			suffixes["test_"]++
		default:
			continue
		}
		first, _, nested := strings.Cut(f.rel(file), "/")
		switch {
		case path.Base(path.Dir(file)) == "__tests__":
			dirs["__tests__"]++
		case nested && (first == "tests" || first == "test"):
			dirs[first]++
		case path.Base(path.Dir(file)) == "tests":
			dirs["./tests"]++
		default:
			dirs[""]++
		}
	}
	return testStyle{suffix: majority(suffixes), dir: majority(dirs)}
}

// stems says how a language's source files are named, by directory, "" for all: index
// files, and files named after their directory.
type stems struct{ index, named map[string]int }

func (p *Project) stemsOf(language string) stems {
	s, known := p.stems[language]
	if known {
		return s
	}
	s = stems{map[string]int{}, map[string]int{}}
	for _, f := range p.files {
		if LanguageOf(f) != language || ignoredDir(f) || Classify(f) != Source {
			continue
		}
		dir := path.Dir(f)
		switch stem := strings.TrimSuffix(path.Base(f), path.Ext(f)); stem {
		case "index":
			s.index[dir]++
			s.index[""]++
		case path.Base(dir):
			s.named[dir]++
			s.named[""]++
		}
	}
	p.stems[language] = s
	return s
}

func (f Found) placeTests(p Placement, pr *Project, structure string) Placement {
	switch f.Ecosystem {
	case Go, Rust, JVM: // the language and its tools leave no choice
		return p
	}
	style, found := structureStyle(structure, f.Language)
	if found {
		p.Why = "structure"
	}
	if old, ok := f.existingStyle(pr); ok {
		if !found {
			p.Why, style.dir = "pattern", old.dir
		}
		if style.suffix == "" {
			style.suffix = old.suffix
		}
	}
	name := strings.TrimSuffix(path.Base(p.NewFile), path.Ext(p.NewFile))
	ext := path.Ext(p.NewFile)
	if name == "__init__" {
		name = path.Base(p.Dir)
	}
	base := name + ".test" + ext
	if f.Language == LangPython {
		base = "test_" + name + ext
	}
	switch style.suffix {
	case ".spec":
		base = name + ".spec" + ext
	case "_test":
		base = name + "_test" + ext
	}
	switch style.dir {
	case "__tests__":
		p.NewTest = join(p.Dir, "__tests__/"+base)
	case "./tests":
		p.NewTest = join(p.Dir, "tests/"+base)
	case "tests", "test":
		top := join(f.Root, style.dir)
		if under(p.Dir, top) {
			break
		}
		mirror := strings.TrimPrefix(f.rel(p.Dir), "src/")
		if mirror == "." || mirror == "src" {
			p.NewTest = join(top, base)
			p.Tests = append(p.Tests, join(top, "*"+ext))
		} else {
			p.NewTest = join(top, mirror+"/"+base)
			flat := "*" + path.Base(mirror) + "*"
			p.Tests = append(p.Tests, join(top, mirror+"/**/*"+ext), join(top, flat+ext))
		}
		p.Data = append(p.Data, join(top, "**/fixtures/**"), join(top, "**/testdata/**"), join(top, mirror+"/**"))
	}
	if p.NewTest == "" || style.dir == "" {
		p.NewTest = join(p.Dir, base)
	}
	return p
}

func placeGo(p Placement, _ *Project) Placement {
	name := strings.ReplaceAll(path.Base(p.Dir), "-", "_")
	if p.Dir == "." {
		name = "main"
	}
	p.Tests = []string{join(p.Dir, "**/*_test.go")}
	p.NewFile, p.NewTest = join(p.Dir, name+".go"), join(p.Dir, name+"_test.go")
	return p
}

func placeNode(p Placement, pr *Project) Placement {
	p.Tests = slices.Clone(p.Sources)
	p.Data = append(p.Data, join(p.Dir, "**/__tests__/**"), join(p.Dir, "**/__mocks__/**"))
	ext := Extensions(p.Language)[0]
	p.NewFile = join(p.Dir, "index"+ext)
	// A project whose modules are named files rather than index files keeps that.
	s := pr.stemsOf(p.Language)
	index, named := s.index[""]-s.index[p.Dir], s.named[""]-s.named[p.Dir]
	if named > index && p.Dir != "." {
		p.NewFile = join(p.Dir, path.Base(p.Dir)+ext)
	}
	return p
}

func placePython(p Placement, _ *Project) Placement {
	p.Tests = slices.Clone(p.Sources)
	p.NewFile = "main.py"
	// In a package the tests beside the code import it by the directory's name, from wherever they are run. A file of the
	// directory's name would hide the directory from a test in it (pytest, "prepend" import mode).
	if p.Dir != "." {
		p.NewFile = join(p.Dir, "__init__.py")
	}
	return p
}
