package inspect

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// roots is what is known of how names of modules lead to directories, as far as it was asked for.
type roots struct {
	goModules map[string]string      // by directory of a go.mod
	crates    map[string]string      // Rust: the directory of src by name of the crate
	packages  map[string][]string    // Java and Kotlin: directories by package
	aliases   map[string][]tsAliases // by directory of a tsconfig.json
	npm       map[string]string      // directories by name in package.json
}

// targets are directories or modules of the project that an import may mean, the likeliest first; none when it means a
// package of others.
func (p *Project) targets(file string, imp source.Import) []string {
	switch source.LangOf(file) {
	case source.Go:
		return p.goTargets(file, imp.From)
	case source.TypeScript, source.JavaScript:
		return p.scriptTargets(file, imp.From)
	case source.Python:
		return p.pythonTargets(file, imp)
	case source.Rust:
		return p.rustTargets(file, imp)
	case source.Java, source.Kotlin:
		return p.jvmTargets(imp)
	}
	return nil
}

// Has reports whether the project has a file.
func (p *Project) Has(file string) bool {
	_, ok := slices.BinarySearch(p.files, file)
	return ok
}

// hasDir reports whether the project has a file in a directory or below it.
func (p *Project) hasDir(dir string) bool {
	i, _ := slices.BinarySearch(p.files, dir+"/")
	return i < len(p.files) && strings.HasPrefix(p.files[i], dir+"/")
}

func (p *Project) goTargets(file, from string) []string {
	for d := range upwards(path.Dir(file)) {
		if name := p.goModule(d); name != "" {
			if rest, ok := strings.CutPrefix(from, name); ok && (rest == "" || rest[0] == '/') {
				return []string{path.Join(d, rest)}
			}
			return nil
		}
	}
	return nil
}

// goModule is the name of the Go module in a directory, "" when there is none.
func (p *Project) goModule(dir string) string {
	if p.roots.goModules == nil {
		p.roots.goModules = map[string]string{}
	}
	name, known := p.roots.goModules[dir]
	if !known {
		if file := path.Join(dir, "go.mod"); p.Has(file) {
			if m := moduleLine().FindSubmatch(p.read(file)); m != nil {
				name = string(m[1])
			}
		}
		p.roots.goModules[dir] = name
	}
	return name
}

var moduleLine = re.New(`(?m)^module\s+"?([^\s"]+)"?`)

// tsAliases are the paths of a tsconfig.json: "@/*" to "src/*".
type tsAliases struct{ from, to string }

func (p *Project) scriptTargets(file, from string) []string {
	if strings.HasPrefix(from, ".") {
		return []string{path.Join(path.Dir(file), from)}
	}
	for d := range upwards(path.Dir(file)) {
		for _, a := range p.tsconfig(d) {
			prefix, star := strings.CutSuffix(a.from, "*")
			if rest, ok := strings.CutPrefix(from, prefix); ok && (star || rest == "") {
				return []string{path.Join(d, strings.Replace(a.to, "*", rest, 1))}
			}
		}
	}
	if p.roots.npm == nil {
		p.roots.npm = map[string]string{}
		for _, f := range p.files {
			if path.Base(f) != "package.json" || foreign(f) {
				continue
			}
			var pkg struct {
				Name string `json:"name"`
			}
			if json.Unmarshal(p.read(f), &pkg) == nil && pkg.Name != "" {
				p.roots.npm[pkg.Name] = path.Dir(f)
			}
		}
	}
	name := toolchain.NodePackage(from)
	if dir, ok := p.roots.npm[name]; ok {
		rest := strings.TrimPrefix(from[len(name):], "/")
		return []string{path.Join(dir, rest), path.Join(dir, "src", rest)}
	}
	return nil
}

func (p *Project) tsconfig(dir string) []tsAliases {
	if p.roots.aliases == nil {
		p.roots.aliases = map[string][]tsAliases{}
	}
	list, known := p.roots.aliases[dir]
	if known {
		return list
	}
	if file := path.Join(dir, "tsconfig.json"); p.Has(file) {
		var conf struct {
			Options struct {
				Base  string              `json:"baseUrl"`
				Paths map[string][]string `json:"paths"`
			} `json:"compilerOptions"`
		}
		if json.Unmarshal(commands.PlainJSON(p.read(file)), &conf) == nil {
			for _, from := range slices.Sorted(maps.Keys(conf.Options.Paths)) {
				for _, to := range conf.Options.Paths[from] {
					list = append(list, tsAliases{from, path.Join(conf.Options.Base, to)})
				}
			}
		}
	}
	p.roots.aliases[dir] = list
	return list
}

// pythonTargets: "from . import auth" means a module beside the file, and "from app import auth" may mean app/auth.
func (p *Project) pythonTargets(file string, imp source.Import) []string {
	var bases []string
	rest := strings.ReplaceAll(strings.TrimLeft(imp.From, "."), ".", "/")
	if strings.HasPrefix(imp.From, ".") {
		d := path.Dir(file)
		for range len(imp.From) - len(strings.TrimLeft(imp.From, ".")) - 1 {
			d = path.Dir(d)
		}
		bases = []string{path.Join(d, rest)}
	} else {
		for _, base := range []string{".", "src"} {
			for at := path.Join(base, rest); at != "." && at != base; at = path.Dir(at) {
				if p.Has(at+".py") || p.Has(at+"/__init__.py") {
					bases = append(bases, at)
					break
				}
			}
		}
	}
	var out []string
	for _, b := range bases {
		for _, n := range imp.Names {
			if sub := path.Join(b, n); p.Has(sub+".py") || p.Has(sub+"/__init__.py") {
				out = append(out, sub)
			}
		}
	}
	return append(out, bases...)
}

var packageName = re.New(`(?m)^\s*name\s*=\s*"([^"]+)"`)

// rustTargets follows crate::, self::, super:: and the names of crates of the workspace.
func (p *Project) rustTargets(file string, imp source.Import) []string {
	if p.roots.crates == nil {
		p.roots.crates = map[string]string{}
		for _, f := range p.files {
			if path.Base(f) == "Cargo.toml" && !foreign(f) {
				if m := packageName().FindSubmatch(p.read(f)); m != nil {
					p.roots.crates[strings.ReplaceAll(string(m[1]), "-", "_")] = path.Join(path.Dir(f), "src")
				}
			}
		}
	}
	parts := strings.Split(imp.From, "::")
	for i := 0; i < imp.Inner && parts[0] == "super"; i++ { // no further up than the file's own module
		if parts = parts[1:]; len(parts) == 0 || parts[0] != "super" {
			parts = append([]string{"self"}, parts...)
		}
	}
	at := ""
	stem := strings.TrimSuffix(path.Base(file), ".rs")
	here := path.Dir(file)
	if stem != "mod" && stem != "lib" && stem != "main" {
		here = path.Join(here, stem)
	}
	switch parts[0] {
	case "crate":
		at = p.crateRoot(file)
	case "self":
		at = here
	case "super":
		at = path.Dir(here)
	default:
		at = path.Join(here, parts[0]) // a module of this one
		if !p.Has(at+".rs") && !p.Has(at+"/mod.rs") {
			root, ok := p.roots.crates[parts[0]]
			if !ok {
				return nil
			}
			at = root
		}
	}
	for parts = parts[1:]; len(parts) > 0 && parts[0] == "super"; parts = parts[1:] {
		at = path.Dir(at)
	}
	var out []string
	full := path.Join(append([]string{at}, parts...)...)
	for _, n := range imp.Names {
		if sub := path.Join(full, n); p.Has(sub+".rs") || p.Has(sub+"/mod.rs") {
			out = append(out, sub)
		}
	}
	if len(out) > 0 && len(out) == len(imp.Names) {
		return out // use crate::store names the module, and nothing of what is around it
	}
	return append(out, full)
}

// crateRoot is the directory of the crate's lib.rs or main.rs.
func (p *Project) crateRoot(file string) string {
	for d := range upwards(path.Dir(file)) {
		if p.Has(path.Join(d, "lib.rs")) || p.Has(path.Join(d, "main.rs")) || p.Has(path.Join(path.Dir(d), "Cargo.toml")) && path.Base(d) == "src" {
			return d
		}
	}
	return path.Dir(file)
}

var packageLine = re.New(`(?m)^\s*package\s+([\w.]+)`)

// jvmTargets finds the directories whose files are in the package; an import of a member names its class behind it.
func (p *Project) jvmTargets(imp source.Import) []string {
	if p.roots.packages == nil {
		p.roots.packages = map[string][]string{}
		for _, f := range p.files {
			if lang := source.LangOf(f); lang != source.Java && lang != source.Kotlin || foreign(f) {
				continue
			}
			if m := packageLine().FindSubmatch(p.read(f)); m != nil {
				if name := string(m[1]); !slices.Contains(p.roots.packages[name], path.Dir(f)) {
					p.roots.packages[name] = append(p.roots.packages[name], path.Dir(f))
				}
			}
		}
	}
	for name := imp.From; name != ""; {
		if dirs := p.roots.packages[name]; len(dirs) > 0 {
			return dirs
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			break
		}
		name = name[:i]
	}
	return nil
}
