package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// absent says of an export of the spec that the code does not have it, 1 if so. Where the name may come from what is not
// read, nobody can tell.
func (m *module) absent(name string, e *spec.Export) int {
	why, sure := m.gone(name)
	if why == "" {
		m.note(e.Name, agrees("it is there"))
		return 0
	}
	if !sure {
		m.note(e.Name, open("it is there", why))
		return 0
	}
	m.note(e.Name, differs("it is there", why))
	m.issue(Drift{
		Type: "STALE", Section: "Exports", File: m.doc.Path, Line: e.Line, Symbol: e.Name,
		Message: "The spec exports " + e.Name + ", but " + why, mend: edit{what: removeExport, line: e.Line, old: e.Signature},
	})
	return 1
}

// gone says why a name is not to be found, "" for one that is there; sure is false where it may come from elsewhere.
func (m *module) gone(name string) (why string, sure bool) {
	if owner, member, ok := cutMember(name); ok {
		for _, x := range m.offered.named(owner) {
			if isType(x.Kind) {
				return m.memberGone(x, owner, member, 0)
			}
		}
	}
	file, line := m.private(name)
	lang, word := m.declaredIn(name)
	switch {
	case m.offered.open:
		return "the code re-exports names that cannot be resolved", false
	case file != "":
		return fmt.Sprintf("others cannot use it (%s:%d)", file, line), true
	case !m.mentions(name):
		return "no source file of the module has it", true
	case name == "main" || lang == source.Go && m.program():
		return "", true
	case slices.ContainsFunc(m.names, func(f string) bool { return m.files[f].Problem != "" }):
		return "not all of the code can be read", false
	case m.atRunTime() || m.macros():
		return "its code may create it at run time", false
	case strings.Contains(name, "."):
		return "its type is not exported by the code", false
	case lang == source.Go || lang == source.Java, lang == source.Rust && !m.hasFunc(name), lang == source.TypeScript && (word == "type" || word == "interface" || !m.handedOut(name)), lang == source.Kotlin && !m.hasFunc(name):
		return "it is private in the code", true
	}
	return "the code has the name without exporting it", false
}

// program reports whether a module of Go is a program, which exports nothing.
func (m *module) program() bool {
	return slices.ContainsFunc(m.names, func(f string) bool { return m.files[f].Package == "main" })
}

// declaredIn is the language of the file that declares a name, and the word before it there; "" where none does. Of Go, where
// nothing is exported otherwise, it is that of the module.
func (m *module) declaredIn(name string) (lang, word string) {
	for _, f := range m.names {
		if m.files[f].Lang == source.Go {
			return source.Go, ""
		}
		ts := m.tokens(f)
		for i, t := range ts {
			if t.Kind != source.Ident || t.Text != name || i == 0 || ts[i-1].Kind != source.Ident || !slices.Contains(declarations, ts[i-1].Text) {
				continue
			}
			if x := m.files[f]; x.Lang == source.TypeScript && len(x.Exports)+len(x.Imports) == 0 { // no module: everybody sees it
				continue
			}
			return m.files[f].Lang, ts[i-1].Text
		}
	}
	return "", ""
}

// declarations are the words before a name that is declared.
var declarations = append([]string{"type", "const", "static", "let", "var", "function", "typealias", "val"}, declaring...)

// handedOut reports whether a name stands where its value is given away: in an object, behind return.
func (m *module) handedOut(name string) bool {
	for _, f := range m.names {
		ts := m.tokens(f)
		for i := 1; i+1 < len(ts); i++ {
			if ts[i].Kind != source.Ident || ts[i].Text != name {
				continue
			}
			before, after := ts[i-1].Text, ts[i+1].Text
			switch {
			case before == "return", before == "default", before == "=" && (after == ";" || after == "}"),
				(before == "{" || before == "," || before == ":") && (after == "}" || after == ",") && !m.imports(f, name):
				return true
			}
		}
	}
	return false
}

func (m *module) imports(f, name string) bool {
	return slices.ContainsFunc(m.files[f].Imports, func(i source.Import) bool { return slices.Contains(i.Names, name) })
}

// memberGone looks for a member in a type and in what it is made on.
func (m *module) memberGone(x found, owner, member string, depth int) (why string, sure bool) {
	lang := source.LangOf(x.file)
	fold := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	if slices.Contains(x.Variants, member) {
		return "", true
	}
	texts := []string{x.Text, x.Made}
	if x.Kind == "record" || x.Kind == "dataclass" {
		texts = append(texts, x.Name+" { "+strings.Trim(arguments(x.Text), "()")+" }")
	}
	for _, text := range texts {
		if l, ok := signature.Lang(lang); ok && strings.ContainsAny(text, "{(") {
			fields, _ := signature.Members(text, l)
			if slices.ContainsFunc(fields, func(f signature.Field) bool { return fold(f.Name) == fold(member) }) {
				return "", true
			}
		}
	}
	if x.Kind == "record" || x.Kind == "dataclass" || x.Made != "" {
		for _, p := range splitLevel(strings.Trim(arguments(x.Text)+arguments(x.Made), "()")) {
			if slices.Contains(wordsOf().FindAllString(p, -1), member) {
				return "", true
			}
		}
	}
	if depth > 8 {
		return "it may come from its type's base type", false
	}
	why = owner + " has no member " + member
	if lang != source.Python && lang != source.JavaScript && lang != source.Go && (m.hasFunc(owner+"."+member) || m.hasFunc(x.Name+"."+member)) {
		return "others cannot use it", true
	}
	for _, base := range x.Above {
		base, _, _ = strings.Cut(base, "<")
		base, _, _ = strings.Cut(base, "[")
		base, _, _ = strings.Cut(base, "(")
		base = strings.TrimLeft(lastPart(base), "*& ")
		if len(m.offered.named(base+"."+member)) > 0 {
			return "", true
		}
		known := false
		for _, b := range m.offered.named(base) {
			if isType(b.Kind) && b.Kind != "type" {
				known = true
				if w, sure := m.memberGone(b, base, member, depth+1); w == "" || !sure {
					return w, sure
				}
			}
		}
		if members, ok := builtin[base]; !known && ok {
			if slices.Contains(members, member) {
				return "every type of its kind has it", false
			}
			continue
		}
		if !known {
			if lang == source.Go && m.declares(base) { // a type that others do not see lends its methods
				if m.hasFunc(base + "." + member) {
					return "", true
				}
				continue
			}
			return "it may come from " + base + ", which is not read", false
		}
	}
	if f, line := m.private(owner + "." + member); f != "" {
		return fmt.Sprintf("others cannot use it (%s:%d)", f, line), true
	}
	switch {
	case slices.Contains(universal[lang], member):
		return "every type of its kind has it", false
	case lang == source.Python && (m.hasFunc(owner+".__getattr__") || m.hasFunc(x.Name+".__getattr__")),
		(lang == source.JavaScript || lang == source.Python) && m.mentions(member) && m.atRunTime(),
		lang == source.JavaScript && m.mentions(member) && m.mentions("prototype"),
		lang == source.Rust && m.mentions(member) && m.macros():
		return "its code may create it at run time", false
	}
	return why, true
}

func (m *module) hasFunc(name string) bool { return len(m.functions(name)) > 0 }

// declares reports whether a file of the module declares a type.
func (m *module) declares(name string) bool {
	return slices.ContainsFunc(m.names, func(f string) bool { _, ok := m.declared[f][name]; return ok })
}

// atRunTime reports whether the code of the module may make what it exports while it runs.
func (m *module) atRunTime() bool {
	for _, f := range m.names {
		switch m.files[f].Lang {
		case source.Python:
			if m.mentions("globals") || m.mentions("setattr") || m.mentions("__getattr__") {
				return true
			}
		case source.JavaScript, source.TypeScript:
			if m.mentions("defineProperty") || m.mentions("assign") || len(m.files[f].Exports) == 0 && m.mentions("exports") {
				return true
			}
		}
	}
	return false
}

// macros reports whether items of the module may come from macros.
func (m *module) macros() bool {
	return slices.ContainsFunc(m.names, func(f string) bool { return m.files[f].Lang == source.Rust && m.files[f].Macros })
}

// builtin are types of the languages' own, with the members that those made on them have.
var builtin = map[string][]string{
	"Exception": throwable, "BaseException": throwable, "RuntimeException": throwable, "IllegalArgumentException": throwable, "IllegalStateException": throwable,
	"IOException": throwable, "Throwable": throwable, "Error": throwable, "TypeError": throwable, "RangeError": throwable, "ValueError": throwable, "KeyError": throwable,
	"RuntimeError": throwable, "OSError": throwable, "LookupError": throwable, "AttributeError": throwable, "NotImplementedError": throwable,
	"object": nil, "Object": nil, "Any": nil, "ABC": nil, "Generic": nil, "Protocol": nil, "Serializable": nil, "Cloneable": nil,
}

var throwable = []string{
	"args", "with_traceback", "add_note", "message", "cause", "name", "stack", "stackTrace", "localizedMessage", "suppressed",
	"getMessage", "getCause", "getLocalizedMessage", "getStackTrace", "getSuppressed", "printStackTrace", "initCause", "addSuppressed", "fillInStackTrace",
}

// universal are members that types have without saying so.
var universal = map[string][]string{
	source.Java:   {"toString", "equals", "hashCode", "getClass", "name", "ordinal", "values", "valueOf", "compareTo"},
	source.Kotlin: {"toString", "equals", "hashCode", "name", "ordinal", "values", "valueOf", "entries", "compareTo", "copy", "component1", "component2"},
	source.Rust:   {"clone", "default", "eq", "ne", "cmp", "partial_cmp", "hash", "fmt", "to_string", "into", "try_into", "borrow", "as_ref", "to_owned"},
	source.Python: {"__eq__", "__repr__", "__str__", "__hash__", "name", "value"},
}
