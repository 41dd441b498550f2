package inspect

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
)

// offers are the exports of a module that others see: in Go, Rust, Java and Kotlin those of every file directly in it,
// elsewhere those of its index file or __init__.py, with what that exports again from other files. Where there is no
// such file, or it says nothing, every file is seen.
func (p *Project) offers(dir string, names []string, files map[string]source.File) []found {
	o := &offering{p: p, files: maps.Clone(files), busy: map[string]bool{}}
	var faces, all []string
	for _, f := range names {
		if path.Dir(f) != dir || files[f].Lang == source.Go && files[f].Package == "main" {
			continue
		}
		all = append(all, f)
		if isFace(f) {
			faces = append(faces, f)
		}
	}
	var out []found
	var private []string // of Rust: others see of them what is exported again
	for _, f := range all {
		if b := path.Base(f); b == "lib.rs" || b == "mod.rs" {
			for _, name := range files[f].Private {
				private = append(private, path.Join(dir, name+".rs"))
			}
		}
	}
	if len(private) > 0 {
		for _, f := range all {
			if !slices.Contains(private, f) {
				out = append(out, o.of(f, 0)...)
			}
		}
		there := seen(out)
		for _, f := range all { // members may be written apart from their types
			for _, x := range o.parse(f).Exports {
				if slices.Contains(private, f) && x.Owner != "" && there[x.Owner] && !there[x.Owner+"."+x.Name] {
					out = append(out, found{Export: x, file: f})
				}
			}
		}
		return withDefaults(out)
	}
	for _, f := range faces {
		out = append(out, o.of(f, 0)...)
	}
	if len(out) == 0 {
		for _, f := range all {
			out = append(out, o.of(f, 0)...)
		}
	}
	return withDefaults(out)
}

// withDefaults gives default exports the names of their declarations: those without one stay default, and those that are exported
// by name as well are listed once.
func withDefaults(list []found) []found {
	have := map[string]bool{}
	for _, x := range list {
		if x.Owner == "" && x.Name != "default" {
			have[x.Name] = true
		}
	}
	var out []found
	for _, x := range list {
		if x.Name == "default" && x.Owner == "" && x.Kind != "reexport" {
			name := x.Declared()
			switch {
			case name != "" && have[name]:
				continue
			case name != "":
				x.Name, x.byDefault = name, true
			case x.Kind == "function":
				x.Text = callDefault(x.Text)
			}
		}
		out = append(out, x)
	}
	return out
}

// callDefault writes a function without a name as one that is called default.
func callDefault(text string) string {
	rest, async := strings.CutPrefix(text, "async ")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "function"), "* ")
	if !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, "<") {
		rest = "(" + rest + ")"
	}
	if async {
		return "async function default" + rest
	}
	return "function default" + rest
}

// isFace reports whether a file speaks for its directory.
func isFace(f string) bool {
	base := path.Base(f)
	switch source.LangOf(f) {
	case source.TypeScript, source.JavaScript:
		return strings.TrimSuffix(base, path.Ext(base)) == "index" || base == "index.d.ts"
	case source.Python:
		return base == "__init__.py"
	}
	return false
}

// offering follows exports through files.
type offering struct {
	p     *Project
	files map[string]source.File
	busy  map[string]bool // files on the way: two may export each other
}

func (o *offering) parse(f string) source.File {
	x, ok := o.files[f]
	if !ok {
		x = o.p.typed(f, o.p.read(f)).File
		o.files[f] = x
	}
	return x
}

// of are the exports of a file, those from other files as they are there.
func (o *offering) of(f string, depth int) []found {
	if o.busy[f] || depth > 12 {
		return nil
	}
	o.busy[f] = true
	defer delete(o.busy, f)
	var out []found
	x := o.parse(f)
	for _, e := range slices.Concat(x.Exports, x.Fields) {
		if e.Kind != "reexport" {
			out = append(out, found{Export: e, file: f})
			continue
		}
		what, from, _ := strings.Cut(e.Signature, " from ")
		name, _, _ := strings.Cut(what, " as ")
		target := o.file(f, from, name)
		if inside := o.inFile(f, from, name); target == "" && len(inside) > 0 {
			out = append(out, o.again(e, f, name, inside)...)
			continue
		}
		switch {
		case target == "" || name == "*" && e.Name != "*":
			out = append(out, found{Export: e, file: f})
		case name == "*":
			for _, x := range o.of(target, depth+1) {
				if x.Name != "default" && (x.Owner != "" || !strings.HasPrefix(x.Name, "_")) {
					out = append(out, x)
				}
			}
		default:
			list := o.again(e, f, name, o.of(target, depth+1))
			if len(list) == 1 && list[0].Kind == "reexport" && list[0].file == f && o.whole(target) {
				list[0].lost = target
			}
			out = append(out, list...)
		}
	}
	return out
}

// whole reports whether all that a file exports is known: in TypeScript and Rust, which say it.
func (o *offering) whole(f string) bool {
	x := o.parse(f)
	if x.Problem != "" || x.Macros || x.Lang != source.TypeScript && x.Lang != source.Rust || strings.HasSuffix(f, ".d.ts") || o.busy[f] {
		return false
	}
	return !slices.ContainsFunc(x.Exports, func(e source.Export) bool { return e.Name == "*" || e.Kind == "reexport" })
}

// again is an export of another file under the name that it has here, with its members.
func (o *offering) again(e source.Export, f, name string, there []found) []found {
	var out []found
	inside := name // what members name as their owner
	for _, x := range there {
		if x.Owner == "" && x.Name == name && name == "default" {
			inside = cmp.Or(x.Declared(), name)
		}
	}
	for _, x := range there {
		switch {
		case x.Owner == "" && x.Name == name:
			x.Text = renamed(x.Text, cmp.Or(x.Declared(), name), e.Name)
			x.Name = e.Name
			out = append(out, x)
		case e.Name == "default" && (x.Owner == inside || strings.HasPrefix(x.Owner, inside+".")):
			out = append(out, x)
		case x.Owner == inside || strings.HasPrefix(x.Owner, inside+"."):
			x.Owner = e.Name + x.Owner[len(inside):]
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return []found{{Export: e, file: f}}
	}
	return out
}

// inFile are the exports of a module within the same file of Rust, without its name before them.
func (o *offering) inFile(f, from, name string) []found {
	if source.LangOf(f) != source.Rust {
		return nil
	}
	owner := strings.ReplaceAll(strings.TrimPrefix(from, "self::"), "::", ".")
	var out []found
	for _, e := range o.parse(f).Exports {
		if rest, ok := strings.CutPrefix(e.Owner, owner); ok && e.Kind != "reexport" && (rest == "" && e.Name == name || rest == "."+name) {
			e.Owner = strings.TrimPrefix(rest, ".")
			out = append(out, found{Export: e, file: f})
		}
	}
	return out
}

// renamed writes a declaration with another name.
func renamed(text, name, to string) string {
	if to == "default" || name == "" {
		return text
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return text
		}
		i += from
		from = i + len(name)
		if !isWordAt(text, i-1) && !isWordAt(text, from) {
			return text[:i] + to + text[from:]
		}
	}
}

func isWordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '_' || s[i] == '$' || s[i] >= 0x80 || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z')
}

// file is where a name that is exported again comes from, "" when it is not of the project.
func (o *offering) file(f, from, name string) string {
	for _, t := range o.p.targets(f, source.Import{From: from, Names: []string{name}}) {
		bare := strings.TrimSuffix(t, path.Ext(t))
		for _, c := range []string{
			t, t + ".rs", t + "/mod.rs", t + ".ts", t + ".tsx", t + ".mts", t + ".d.ts", t + ".js", t + ".jsx", t + ".mjs", t + ".cjs", t + ".py",
			t + "/index.ts", t + "/index.tsx", t + "/index.js", t + "/index.mjs", t + "/__init__.py", bare + ".ts", bare + ".tsx", bare + ".mts",
		} {
			if c != f && source.LangOf(c) != "" && o.p.Has(c) {
				return c
			}
		}
	}
	return ""
}

// seen are the functions and types that a module offers, by full name.
func seen(list []found) map[string]bool {
	out := map[string]bool{}
	for _, x := range list {
		out[memberName(x.Export)] = true
	}
	return out
}
