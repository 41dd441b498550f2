package check

import (
	"bytes"
	"go/build"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// testFiles lists the files with tests of the place's toolchain.
func (p *place) testFiles() []string {
	return those(slices.Sorted(maps.Keys(p.entries)), func(name string) bool {
		return p.ours(name) && mayTest(name) && !p.endToEnd(p.read(name)) && p.compiled(name) && len(source.Parse(name, p.read(name)).Tests) > 0
	})
}

// mayTest reports whether a file is one of tests, or one of code that has tests beside it: in Rust any has.
func mayTest(name string) bool {
	return toolchain.IsTest(name) || toolchain.IsSource(name) && toolchain.LanguageOf(name) == toolchain.LangRust
}

// endToEnd reports whether a file is one of the project's end-to-end tests, which the runner of the others does not run.
func (p *place) endToEnd(src []byte) bool {
	return p.chain.Uses(toolchain.Playwright) && bytes.Contains(src, []byte(toolchain.Playwright))
}

// unnamed reports whether pytest found a file of tests by its name, and does not find it by the one that it has now. That is known where the
// project says nothing of which files are tests, nor its command (docs.pytest.org, "Conventions for Python test discovery").
func (p *place) unnamed(was, is string) bool {
	if p.chain.Ecosystem != toolchain.Python || p.chain.Runner != "pytest" || p.chain.Override["test"] != "" || !pytestFile().MatchString(path.Base(was)) || pytestFile().MatchString(path.Base(is)) {
		return false
	}
	for _, c := range p.chain.Own.Test {
		if slices.ContainsFunc(c.Argv, func(a string) bool {
			return strings.HasPrefix(a, "{glob:") || strings.HasSuffix(a, ".py") || strings.Contains(a, "python_files") || a == "-c"
		}) {
			return false
		}
	}
	for dir := p.chain.Root; ; dir = path.Dir(dir) { // pytest looks upwards
		for _, file := range []string{"pytest.ini", ".pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"} {
			if bytes.Contains(p.read(path.Join(dir, file)), []byte("python_files")) {
				return false
			}
		}
		if dir == "." || dir == "/" {
			return true
		}
	}
}

var pytestFile = re.New(`^test_.*\.py$|_test\.py$`)

// compiled reports whether a Go file is compiled here by one of the commands that test: its name, its build constraint and the tags
// decide. What is written for another system cannot run. Files of other languages always are.
func (p *place) compiled(name string) bool {
	if p.chain.Ecosystem != toolchain.Go {
		return true
	}
	here := build.Default
	here.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.read(name))), nil }
	for _, cmd := range p.chain.Test(toolchain.Selection{}) {
		here.BuildTags = tagsOf(cmd.Argv)
		if ok, err := here.MatchFile(path.Dir(name), path.Base(name)); ok || err != nil { // what cannot be read is the compiler's to complain about
			return true
		}
	}
	return false
}

// tagsOf are the build tags of a go command.
func tagsOf(argv []string) []string {
	for i, arg := range argv {
		name, value, ok := strings.Cut(arg, "=")
		if name != "-tags" && name != "--tags" {
			continue
		}
		if !ok && i+1 < len(argv) {
			value = argv[i+1]
		}
		return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return nil
}

// ours reports whether a file is source code of the toolchain.
func (p *place) ours(name string) bool {
	return below(p.chain.Root, name) && !strings.HasPrefix(name, "../") && ecosystemOf(name) == p.chain.Ecosystem && !p.apart(name)
}

// ecosystemOf is the ecosystem of a file of code, "" for any other.
func ecosystemOf(file string) string { return ecosystems()[toolchain.LanguageOf(file)] }

// ecosystems are those of the languages. Each file of a tree is asked for its own.
var ecosystems = sync.OnceValue(func() map[string]string {
	return mapOf(toolchain.Languages(), func(lang string) (string, string) { return lang, toolchain.EcosystemOf(lang) })
})

// apart reports whether a Go file is in no package of ./...: it belongs to a module below, or to a folder that go leaves out.
func (p *place) apart(name string) bool {
	if p.chain.Ecosystem != toolchain.Go {
		return false
	}
	for dir := path.Dir(name); dir != "." && dir != p.chain.Root; dir = path.Dir(dir) {
		base := path.Base(dir)
		if _, module := p.entries[dir+"/go.mod"]; module || base == "testdata" || dir == path.Join(p.chain.Root, "vendor") || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
			return true
		}
	}
	return false
}

// ofTests reports whether a file is one of tests, or their data, which may be written in a language.
func ofTests(name string) bool { return toolchain.IsTest(name) || toolchain.IsTestData(name) }

func below(root, p string) bool {
	return root == "." || root == "" || strings.HasPrefix(p, root+"/")
}

// looksLikeTest tells tests of any language by their names.
func looksLikeTest(file string) bool {
	name := stem(path.Base(file))
	return ofTests(file) || testStem().MatchString(strings.ToLower(name)) || strings.HasSuffix(name, "Test") || strings.Contains("/"+path.Dir(file)+"/", "/t/")
}

// registers reports whether tests are registered in a file: without its change new ones would not run.
func registers(file string) bool {
	files := []string{"CMakeLists.txt", "meson.build", "Makefile", "Makefile.am", "GNUmakefile", "Rakefile", "BUILD", "BUILD.bazel", "mix.exs", "build.zig", "dune"}
	return slices.Contains(files, path.Base(file)) || slices.Contains([]string{".cmake", ".csproj", ".fsproj", ".sln", ".mk"}, path.Ext(file))
}

// bringsTests reports whether a file holds tests, by its name, or registers them.
func bringsTests(file string) bool { return looksLikeTest(file) || registers(file) }

// testNameOf is the name of the test that a result is of.
func testNameOf(r step.TestResult) string {
	_, name := toolchain.SplitID(r.ID)
	return name
}

// handsOn reports whether a file is the one by which a package or a directory is imported.
func handsOn(file string) bool {
	names := []string{"__init__", "index"}
	if strings.HasSuffix(file, ".rs") {
		names = []string{"lib", "mod"}
	}
	return slices.Contains(names, stem(path.Base(file)))
}

// onlyTypes reports whether a file of TypeScript says what another one has, and has no code.
func onlyTypes(file string) bool {
	return strings.HasSuffix(stem(file), ".d") && strings.HasSuffix(path.Ext(file), "ts")
}

var testStem = re.New(`^(?:tests?|specs?)(?:[_-]|$)|[_.-](?:tests?|specs?)$`)

// IsCode reports whether a file is neither a document nor configuration, as .gitignore is.
func IsCode(file string) bool {
	switch strings.ToLower(path.Ext(strings.TrimPrefix(path.Base(file), "."))) {
	case "", ".md", ".txt", ".rst", ".adoc", ".json", ".yaml", ".yml", ".toml", ".lock", ".html", ".css",
		".csv", ".tsv", ".jsonl", ".ndjson", ".geojson", ".xml", ".ini", ".cfg", ".conf", ".properties", ".po", ".log",
		".png", ".svg", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".pdf", ".ttf", ".woff", ".woff2", ".zip", ".gz":
		return false
	}
	return toolchain.ConfigKindOf(file) == toolchain.NoConfig
}
