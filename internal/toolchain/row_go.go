package toolchain

import (
	"path"
	"slices"
	"strings"
)

func goRow() ecosystem {
	return ecosystem{
		name:      Go,
		languages: []string{LangGo},
		manifests: []string{"go.mod"},
		locks:     []lock{{"go.sum", "go"}},
		inspect:   inspectGo,
		setup:     goSetup,
		build: func(f Found, dir string) []Command {
			args := append([]string{"go", "build"}, f.goPackages(Selection{Dir: dir})...)
			return []Command{f.goCommand("build", ReportExit, args...)}
		},
		test: goTest,
		lint: goLint,
		format: func(f Found, files []string) []Command {
			if len(files) == 0 {
				return nil
			}
			return []Command{f.goCommand("format", ReportExit, append([]string{"gofmt", "-w"}, f.rels(files)...)...)}
		},
		coverage: func(f Found, s Selection) []Command {
			args := append([]string{"go", "test", "-count=1", "-coverprofile={report}"}, f.goPackages(s)...)
			return []Command{f.goCommand("coverage", ReportGoCover, args...)}
		},
		place: placeGo,
		stub:  stubGo,
		need:  Need{Tool: "go", Install: "install Go from https://go.dev/dl/"},
	}
}

func inspectGo(f *Found, p *Project) {
	f.Manager, f.Runner = "go", "go"
	manifest := string(p.read(f.Manifest))
	for _, words := range directives(manifest, "module") {
		f.Module = strings.Trim(words[0], `"`)
	}
	for _, words := range directives(manifest, "require") {
		if len(words) >= 2 {
			f.declare(words[0], words[1])
		}
	}
	for _, d := range parents(f.Root) {
		if len(p.match(d, ".golangci.*")) > 0 {
			f.Tools = addOnce(f.Tools, "golangci-lint")
		}
	}
	f.Installs = addOnce(nil, f.Manifest, f.Lock)
	for _, d := range parents(f.Root) {
		if work := p.match(d, "go.work", "go.work.sum"); len(work) > 0 {
			if f.Apart = !usesModule(string(p.read(join(d, "go.work"))), d, f.Root); f.Apart {
				break
			}
			f.Installs = append(f.Installs, work...)
			f.Workspace = d
			break
		}
	}
}

// usesModule reports whether go.work, which lies in dir, has a module among those that are built together (go.dev/ref/mod, "use
// directive"). One that it leaves out is built by itself.
func usesModule(work, dir, module string) bool {
	return slices.ContainsFunc(directives(work, "use"), func(words []string) bool { return path.Join(dir, strings.Trim(words[0], `"`)) == module })
}

// directives are the words behind each directive of a name in go.mod or go.work, alone on its line or in a block (go.dev/ref/mod,
// "Lexical elements").
func directives(text, name string) [][]string {
	var out [][]string
	inBlock := false
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == name && words[1] == "(":
			inBlock = true
		case len(words) == 1 && words[0] == ")":
			inBlock = false
		case len(words) >= 2 && words[0] == name:
			out = append(out, words[1:])
		case inBlock && len(words) >= 1:
			out = append(out, words)
		}
	}
	return out
}

func goSetup(f Found) []Command {
	if len(f.Declared) == 0 && f.Workspace == "" {
		return nil
	}
	return []Command{f.goCommand("setup", ReportExit, "go", "mod", "download")}
}

func (f Found) goCommand(name string, r Report, argv ...string) Command {
	return Command{
		Name: name, Argv: argv, Dir: f.Root, Report: r,
		Env:   f.Env(),
		Needs: []Need{{Tool: argv[0], Install: f.Need().Install}},
	}
}

// goPackages turns a selection into package patterns.
func (f Found) goPackages(s Selection) []string {
	if files := s.files(); len(files) > 0 {
		var out []string
		for _, file := range f.rels(files) {
			out = addOnce(out, dotted(path.Dir(file)))
		}
		return out
	}
	if s.Dir == "" || f.rel(cleanDir(s.Dir)) == "." {
		return []string{"./..."}
	}
	return []string{dotted(f.rel(cleanDir(s.Dir))) + "/..."}
}

func dotted(dir string) string {
	if dir == "." {
		return "."
	}
	return "./" + dir
}

// goTest never takes a cached result (-count=1): a record must come from a run.
func goTest(f Found, s Selection) []Command {
	flags, chosen, env, dir, from := f.ownTest(0)
	args := append([]string{"go", "test", "-json", "-count=1"}, flags...)
	if len(s.IDs) > 0 {
		var tops []string
		for _, id := range s.IDs {
			_, name := SplitID(id)
			top, _, _ := strings.Cut(name, "/")
			tops = addOnce(tops, top)
		}
		args = append(args, "-vet=off", "-run", "^("+strings.Join(tops, "|")+")$") // the run of all of them vets the packages
	}
	packages := f.goPackages(s)
	if s.all() && len(chosen) > 0 && dir == f.Root {
		packages = nil
		for i := range f.Own.Test {
			if _, more, _, in, _ := f.ownTest(i); in == dir {
				for _, p := range more {
					packages = addOnce(packages, p)
				}
			}
		}
	}
	c := f.goCommand("test", ReportGoTest, append(args, packages...)...)
	c.Env, c.From = append(c.Env, env...), from
	return []Command{c}
}

// NamesPackages reports whether the project's own command tests packages by their names, which may be of other modules of its workspace.
func (f Found) NamesPackages() bool {
	_, chosen, _, _, _ := f.ownTest(0)
	return f.Ecosystem == Go && slices.ContainsFunc(chosen, func(p string) bool { return !strings.HasPrefix(p, ".") })
}

func goLint(f Found, files []string) []Command {
	if len(f.Own.Lint) > 0 {
		return f.allAsIs("lint", f.Own.Lint)
	}
	pk := f.goPackages(Selection{Files: files})
	out := []Command{f.goCommand("lint", ReportExit, append([]string{"go", "vet"}, pk...)...)}
	if f.Uses("golangci-lint") {
		c := f.goCommand("lint", ReportExit, append([]string{"golangci-lint", "run"}, pk...)...)
		c.Needs = []Need{{
			Tool:    "golangci-lint",
			Install: "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
		}}
		out = append(out, c)
	}
	return out
}
