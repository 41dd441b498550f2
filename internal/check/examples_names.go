package check

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// placed is the call of an example, with what is done before it: first names of chains say where they are; why says what cannot be found.
func (u *user) placed(e example.Example) (c example.Call, why string) {
	first := e.First()
	e = e.Rewritten(func(v example.Value) example.Value {
		if why == "" && v.Kind == example.Code && u.chain.Ecosystem == toolchain.Go {
			u.goFunction(v.Text)
		}
		return v
	}, func(was, now []example.Link) {
		if why == "" && !was[0].Var {
			now[0].Name, now[0].Module, why = u.home(was[0].Name, &was[0] != first)
		}
	})
	if why != "" {
		return c, why
	}
	for _, links := range e.Chains() {
		c.Module = cmp.Or(c.Module, links[0].Module)
	}
	c.Before, c.Links = e.Before, e.Call
	u.goError(e.Want.Type)
	return c, ""
}

// home is where the first name of a chain is. An export of the module comes first. An argument may be made by any export of the project,
// as may a call that a request has kept from its author.
func (u *user) home(name string, argument bool) (bare, module, why string) {
	first, rest, dotted := strings.Cut(name, ".")
	if u.m.exports(first) {
		file := u.source(first)
		if root := u.atRoot(first); root != nil {
			file = root.path
		}
		switch {
		case u.chain.Ecosystem == toolchain.Go:
			own := u.imports()[0]
			if u.narrow || slices.Contains(own.Values, first) || slices.Contains(own.Types, first) {
				return name, "", ""
			}
			if f, no := u.elsewhere("", first); no == "" && path.Dir(f.path) == u.m.Dir { // a constant
				_, why = u.goModule(f, first)
			}
			return name, "", why
		case file == "":
			return "", "", "no source of the module declares " + first
		}
		module, why = u.moduleOf(file)
		return name, module, why
	}
	if !argument && !u.m.requested() {
		return "", "", first + " is not an export of the spec"
	}
	if second, _, _ := strings.Cut(rest, "."); argument && u.chain.Ecosystem == toolchain.Go && standardOfGo[first+"."+second] && len(u.exporting(first, second)) == 0 {
		u.goExport(u.goPackage(first), second, "function")
		return rest, first, ""
	}
	common, always := example.Common(u.chain.Ecosystem, first) // programs know them
	common = common && (argument || u.chain.Ecosystem == toolchain.Python)
	if common && always {
		return name, "", ""
	}
	at, why := u.elsewhere("", first)
	if why != "" && common {
		return name, "", ""
	}
	if why != "" && dotted {
		second, _, _ := strings.Cut(rest, ".")
		if f, _ := u.elsewhere(first, second); f.path != "" {
			at, why, first, name = f, "", second, rest
		}
	}
	switch {
	case why == "" && u.chain.Ecosystem == toolchain.Go:
		module, why = u.goModule(at, first)
		return name, module, why
	case why == "":
		module, why = u.moduleOf(at.path)
		return name, module, why
	case argument && slices.Contains([]string{toolchain.Python, toolchain.Node, toolchain.JVM}, u.chain.Ecosystem): // it may be a common one, or one that the module imports
		return name, "", ""
	}
	return "", "", why
}

// elsewhere is the source of the project that exports a name, in the module's directory or anywhere; pkg is the package that it is said to
// be in, if any.
func (u *user) elsewhere(pkg, name string) (found sourceFile, why string) {
	if root := u.atRoot(name); root != nil {
		return *root, ""
	}
	all := u.exporting(pkg, name)
	if near := those(all, func(f sourceFile) bool { return path.Dir(f.path) == u.m.Dir }); len(near) > 0 {
		all = near
	}
	if len(all) > 1 {
		all = without(all, func(f sourceFile) bool { return handsOn(f.path) })
	}
	all = spare(all, func(f sourceFile) bool { return slices.Contains(u.m.Besides, f.path) })
	switch len(all) {
	case 0:
		return found, "nothing in the project exports " + name
	case 1:
		return all[0], ""
	}
	return found, fmt.Sprintf("%d files export %s", len(all), name)
}

// atRoot is the file of a crate of Rust that hands a name on, by itself or with all of a module, nil where none does: the module that declares
// it may be private.
func (u *user) atRoot(name string) *sourceFile {
	if u.chain.Ecosystem != toolchain.Rust {
		return nil
	}
	isRoot := func(f sourceFile) bool { return path.Base(f.path) == "lib.rs" }
	all := u.exporting("", name)
	if i := slices.IndexFunc(all, isRoot); i >= 0 {
		return &all[i]
	}
	handedOn := map[string]bool{} // modules, as a root says all of them
	for _, f := range all {
		_, module := toolchain.RustModule(u.below(f.path))
		for _, from := range []string{"", "crate::", "self::"} {
			handedOn["* from "+from+module] = true
		}
	}
	for _, root := range those(u.exporting("", "*"), isRoot) {
		if slices.ContainsFunc(root.Exports, func(x source.Export) bool { return handedOn[x.Signature] }) {
			return &root
		}
	}
	return nil
}

// exporting are the sources of the project that export a name.
func (u *user) exporting(pkg, name string) (out []sourceFile) {
	key := pkg + "." + name
	if list, ok := u.others[key]; ok {
		return list
	}
	for _, file := range slices.Sorted(maps.Keys(u.entries)) {
		if toolchain.IsTest(file) || !toolchain.IsSource(file) || onlyTypes(file) || ecosystemOf(file) != u.chain.Ecosystem || !below(u.chain.Root, file) {
			continue
		}
		if !bytes.Contains(u.read(file), []byte(name)) {
			continue
		}
		f := u.parse(file)
		exports := slices.ContainsFunc(f.Exports, func(x source.Export) bool { return x.Owner == "" && x.Called() == name })
		if exports && (pkg == "" || f.Package == pkg || stem(path.Base(file)) == pkg || path.Base(path.Dir(file)) == pkg) {
			out = append(out, f)
		}
	}
	u.others[key] = out
	return out
}

// moduleOf is how a program imports a source.
func (u *user) moduleOf(file string) (module, why string) {
	switch u.chain.Ecosystem {
	case toolchain.Python:
		name := strings.TrimPrefix(u.below(file), strings.TrimPrefix(u.chain.SourceDir+"/", "/"))
		return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(name, ".py"), "/__init__"), "/", "."), ""
	case toolchain.Rust:
		crate, module := toolchain.RustModule(u.below(file))
		if crate != "lib" || u.chain.Module == "" {
			return "", "it is not in a library"
		}
		return strings.TrimSuffix(u.chain.Module+"::"+module, "::"), ""
	case toolchain.JVM: // its package, and the class that has what stands alone in a file of Kotlin
		alone := ""
		if base, ok := strings.CutSuffix(path.Base(file), ".kt"); ok {
			alone = strings.ToUpper(base[:1]) + base[1:] + "Kt"
		}
		return u.parse(file).Package + ":" + alone, ""
	}
	return fileURL(u.full(file)), ""
}

// exportName is a name of Go that others can use, with the package that it is in.
var exportName = re.New(`(?:\b(\w+)\.)?\b(\p{Lu}\w*)`)

// goFunction lets the program use a function that is an argument, whose names are those of the module and of other packages.
func (u *user) goFunction(written string) {
	if _, known := u.functions[written]; known {
		return
	}
	text := exportName().ReplaceAllStringFunc(written, func(name string) string {
		pkg, bare, dotted := strings.Cut(name, ".")
		if !dotted {
			pkg, bare = "", name
		}
		f, why := u.elsewhere(pkg, bare)
		if why != "" && packagesOfGo[pkg] {
			return example.GoName(u.goPackage(pkg)) + "." + bare
		}
		if why != "" {
			return name // a field
		}
		at, why := u.goModule(f, bare)
		if why != "" {
			return name
		}
		return example.GoName(max(slices.IndexFunc(u.packages, func(p example.Package) bool { return p.Path == at }), 0)) + "." + bare
	})
	u.functions[written] = text
	u.program = nil // it is built without it
}

// goModule lets the program use an export of Go, and is the path of its package, "" where that is the module's.
func (u *user) goModule(f sourceFile, name string) (module, why string) {
	x := f.Exports[slices.IndexFunc(f.Exports, func(x source.Export) bool { return x.Owner == "" && x.Name == name })]
	at := path.Join(u.chain.Module, u.below(path.Dir(f.path)))
	own := path.Join(u.chain.Module, u.below(u.m.Dir))
	parent, _, internal := strings.Cut("/"+at+"/", "/internal/")
	switch {
	case u.narrow:
		return "", "what the project has beside the module does not compile into a program"
	case f.Package == "main":
		return "", name + " is in a program, which nobody can import"
	case internal && !strings.HasPrefix("/"+own+"/", parent+"/"):
		return "", name + " is in an internal package"
	case generic(x.Signature, name):
		return "", name + " has type parameters"
	}
	u.goExport(u.goPackage(at), name, x.Kind)
	if at == own {
		return "", ""
	}
	return at, ""
}

// goPackage is the place of a package among those that the program imports.
func (u *user) goPackage(at string) int {
	packages := u.imports()
	k := slices.IndexFunc(packages, func(p example.Package) bool { return p.Path == at })
	if k < 0 {
		k = len(packages)
		u.packages = append(u.packages, example.Package{Path: at})
		u.program = nil // it is built without it
	}
	return k
}

// goExport lets the program use an export of the package at k. kind is what it is, as source says.
func (u *user) goExport(k int, name, kind string) {
	p := &u.packages[k]
	list := &p.Values
	switch {
	case kind == "struct" || kind == "type":
		list = &p.Types
	case kind == "variable" && strings.HasPrefix(name, "Err"):
		list = &p.Errors
	}
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
		u.program = nil
	}
}

// Of the standard library of Go functions that are arguments may use packages, and calls make values by what people write most.
var (
	packagesOfGo = setOf(strings.Fields(`bytes context errors fmt math sort slices strconv strings time unicode`))
	standardOfGo = setOf(strings.Fields(`errors.New strings.NewReader strings.Repeat context.Background
	time.Date time.Unix time.UnixMilli time.Now time.UTC time.Nanosecond time.Microsecond time.Millisecond time.Second time.Minute time.Hour
	time.January time.February time.March time.April time.May time.June time.July time.August time.September time.October time.November time.December
	time.Monday time.Tuesday time.Wednesday time.Thursday time.Friday time.Saturday time.Sunday`))
)

// errorsOfGo are those of the standard library that programs do not know.
var errorsOfGo = setOf(strings.Fields(`ErrNotExist ErrExist ErrPermission ErrInvalid ErrClosed ErrNoRows ErrUnexpectedEOF ErrShortBuffer ErrShortWrite ErrRange ErrSyntax ErrUnsupported ErrDeadlineExceeded ErrProcessDone ErrNoProgress`))

// goError lets the program tell an error of Go that is wanted, which several packages may have; why says that it cannot.
func (u *user) goError(name string) (why string) {
	if u.chain.Ecosystem != toolchain.Go || !strings.HasPrefix(name, "Err") {
		return ""
	}
	all := u.exporting("", name)
	if len(all) == 0 && errorsOfGo[name] {
		return name + " may be one of the standard library"
	}
	known := u.m.exports(name)
	for _, f := range all {
		_, no := u.goModule(f, name)
		known = known || no == ""
		why = cmp.Or(why, no)
	}
	if known {
		return ""
	}
	return why
}
