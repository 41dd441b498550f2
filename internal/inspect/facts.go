package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// A spec and the code beside it are compared as two lists of facts. A fact is one statement that can be compared: an export
// is there and others see it, its second parameter is of a type, a constant has a value, a guard asks for something. The
// code agrees, says otherwise, or nobody can tell; what nobody can tell is counted, and named.

// Facts counts what a spec states of its code.
type Facts struct {
	Stated int `json:"stated"`
	Agreed int `json:"agreed"`
	// Open are the facts that could not be compared.
	Open []OpenFact `json:"open"`
}

// OpenFact is a statement of a spec of which nobody can tell whether the code agrees, and why.
type OpenFact struct {
	Symbol string `json:"symbol"`
	Fact   string `json:"fact"`
	Why    string `json:"why"`
}

// note counts facts about an export, and joins what is different.
func (m *module) note(symbol string, facts []signature.Fact) (different string) {
	var whys []string
	for _, f := range facts {
		m.drift.Facts.Stated++
		switch f.Verdict {
		case signature.Same:
			m.drift.Facts.Agreed++
		case signature.Unknown:
			m.drift.Facts.Open = append(m.drift.Facts.Open, OpenFact{symbol, f.About, f.Why})
		case signature.Different:
			whys = append(whys, f.Why)
		}
	}
	return strings.Join(whys, "; ")
}

func differences(facts []signature.Fact) (n int) {
	for _, f := range facts {
		if f.Verdict == signature.Different {
			n++
		}
	}
	return n
}

// offered are the exports of a module's code by the names under which a spec lists them.
type offered struct {
	list []found            // what the module offers, in order
	by   map[string][]found // also what files behind its face export to each other
	// inner are members of nested types by the name of the nested type alone.
	inner map[string][]found
	// open says that something is exported of which nobody can tell what it is.
	open bool
}

func (o *offered) add(x found) {
	put := func(by map[string][]found, key string) {
		if !slices.ContainsFunc(by[key], func(y found) bool { return y.file == x.file && y.Line == x.Line && y.Text == x.Text }) {
			by[key] = append(by[key], x)
		}
	}
	name := memberName(x.Export)
	put(o.by, x.full())
	if _, within, nested := strings.Cut(x.Owner, "."); nested {
		for ; nested; _, within, nested = strings.Cut(within, ".") {
			put(o.inner, within+"."+x.Name)
		}
	} else if x.full() != name {
		put(o.inner, name)
	}
	if x.Owner != "" && isType(x.Kind) {
		put(o.inner, x.Name)
	}
}

func (o *offered) named(name string) []found {
	if list := o.by[name]; len(list) > 0 {
		return list
	}
	return o.inner[name]
}

func isType(kind string) bool {
	switch kind {
	case "class", "dataclass", "record", "struct", "interface", "trait", "type", "enum", "object":
		return true
	}
	return false
}

// isCall reports whether an export is called.
func isCall(kind string) bool { return kind == "function" || kind == "method" }

func (m *module) collect() *offered {
	o := &offered{list: m.offers(m.dir, m.names, m.files), by: map[string][]found{}, inner: map[string][]found{}}
	for _, x := range o.list {
		switch {
		case x.Kind == "reexport" && x.Name == "*":
			o.open = true
		case x.Kind != "reexport":
			o.add(x)
		}
	}
	for _, x := range o.list {
		if x.Kind == "reexport" && len(o.by[x.full()]) == 0 { // what it stands for is not known
			o.add(x)
		}
	}
	for _, name := range m.names {
		for _, e := range slices.Concat(m.files[name].Exports, m.files[name].Fields) {
			x := found{Export: e, file: name, behind: true}
			have := o.by[x.full()]
			if e.Kind == "reexport" && len(have) > 0 || slices.ContainsFunc(have, func(y found) bool { return y.file == name && y.Line == e.Line }) {
				continue
			}
			if e.Name == "*" {
				_, from, _ := strings.Cut(e.Signature, " from ")
				o.open = o.open || (&offering{p: m.Project}).file(name, from, "*") == ""
				continue
			}
			o.add(x)
		}
	}
	return o
}

// exports compares what the spec exports with what the code does.
func (m *module) exports() (stale, missing int) {
	m.offered = m.collect()
	type set struct {
		name  string
		calls bool
	}
	detailed := map[string]bool{} // types of which the spec lists methods
	fielded := map[string]bool{}  // and fields
	specified := map[string]bool{}
	var order []set
	sets := map[set][]*spec.Export{}
	for i := range m.doc.Exports {
		e := &m.doc.Exports[i]
		name := strings.ReplaceAll(strings.ReplaceAll(e.Name, "::", "."), "#", ".")
		specified[name], specified[e.Name] = true, true
		if owner, _, ok := cutMember(name); ok {
			detailed[owner] = true
			fielded[owner] = fielded[owner] || e.Kind == spec.Variable
		}
		key := set{name, e.Kind == spec.Function || e.Kind == spec.Class}
		if len(sets[key]) == 0 {
			order = append(order, key)
		}
		sets[key] = append(sets[key], e)
	}
	listed := map[string]bool{}
	for _, key := range order {
		list := m.fitting(key.name, key.calls)
		if len(list) == 0 {
			for _, e := range sets[key] {
				stale += m.absent(key.name, e)
			}
			continue
		}
		for _, x := range m.overloads(sets[key], list) {
			if m.lists(x) {
				missing += m.lacks(x, listed)
			}
		}
	}
	given := setOf(spec.Names(m.doc.Document))
	for _, x := range m.offered.list {
		full := x.full()
		_, inner, nested := strings.Cut(full, ".")
		switch {
		case !m.lists(x) || specified[full] && !m.roleless(full, x) || nested && x.Owner != "" && specified[inner] && strings.Contains(inner, "."):
		case m.fixes(x):
		case given[x.Name] || x.byDefault && specified["default"]:
		case x.Owner != "" && !isType(x.Kind) && (!detailed[x.Owner] && !detailed[lastPart(x.Owner)] || x.Kind == "property" && !fielded[x.Owner] && !m.readsOf(x, detailed)):
		default:
			missing += m.lacks(x, listed)
		}
	}
	return stale, missing
}

// roleless reports whether the spec speaks of a name as something else than this export: as the type, where a function of
// the same name makes its values.
func (m *module) roleless(full string, x found) bool {
	if source.LangOf(x.file) != source.Kotlin || x.Kind != "function" {
		return false
	}
	return !slices.ContainsFunc(m.doc.Exports, func(e spec.Export) bool { return e.Name == full && e.Kind == spec.Function })
}

// readsOf: a getter stands in the signatures of a class among its methods.
func (m *module) readsOf(x found, detailed map[string]bool) bool {
	return detailed[x.Owner] && (strings.Contains(x.Text, "get "+x.Name+"(") || strings.Contains(x.Text, "def "+x.Name+"("))
}

// lists reports whether a spec has to list an export of the code.
func (m *module) lists(x found) bool {
	return !unlisted(x) && !isConstructor(x.Export, source.LangOf(x.file)) && x.Name != "*" && (x.Name != "default" || x.Kind != "constant") && !strings.HasPrefix(x.Name, "_")
}

// lacks says that the spec does not list an export.
func (m *module) lacks(x found, listed map[string]bool) int {
	full := x.full()
	group, line := exportLine(x.Export, full, constructor(m.offered.list, x))
	if line == "" || listed[line] { // a spec cannot list it, such as a name of Kotlin with spaces
		return 0
	}
	listed[line] = true
	m.issue(Drift{
		Type: "MISSING", Section: "Exports", File: x.file, Line: x.Line, Symbol: full,
		Message: "The code exports " + full + ", which the spec does not list", mend: edit{what: addExport, group: group, text: line},
	})
	return 1
}

// fitting are the exports of a name that can be what the spec lists: called or not.
func (m *module) fitting(name string, calls bool) []found {
	var other []found
	all := m.offered.named(name)
	if len(all) == 0 && strings.HasSuffix(name, ".default") {
		all = m.offered.named("default")
	}
	var list []found
	for _, x := range all {
		if x.Kind != "reexport" && calls == isCall(x.Kind) {
			list = append(list, x)
		} else {
			other = append(other, x)
		}
	}
	if len(list) == 0 {
		return other
	}
	return list
}

// overloads compares what a spec says of one name with what the code has under it, each with the one that fits it best,
// and returns the overloads of the code that the spec leaves out.
func (m *module) overloads(said []*spec.Export, list []found) (left []found) {
	taken := make([]bool, len(list))
	facts := make([][]signature.Fact, len(said))
	whose := make([]int, len(said))
	best := func(i int, fresh bool) {
		for k, x := range list {
			if fresh && taken[k] {
				continue
			}
			f := m.factsOf(said[i], x)
			if whose[i] < 0 || differences(f) < differences(facts[i]) {
				whose[i], facts[i] = k, f
			}
		}
	}
	for i := range said {
		whose[i] = -1
		best(i, true)
		if whose[i] >= 0 && differences(facts[i]) == 0 {
			taken[whose[i]] = true
		} else {
			whose[i] = -1
		}
	}
	for i := range said {
		if whose[i] >= 0 {
			continue
		}
		if best(i, true); whose[i] < 0 || differences(facts[i]) > 0 { // one may stand for several
			best(i, false)
		}
		taken[whose[i]] = true
	}
	for i, e := range said {
		x := list[whose[i]]
		if x.behind && !slices.ContainsFunc(list, func(y found) bool { return !y.behind }) && len(m.offered.list) > 0 && hasFace(m.names, m.dir) {
			facts[i] = append(facts[i], open("others see it", "it is exported by "+x.file+" and not by the module's face")...)
		} else {
			facts[i] = append(facts[i], agrees("it is there")...)
		}
		why := m.note(e.Name, facts[i])
		if why == "" {
			continue
		}
		d := Drift{
			Type: "MISMATCH", Section: "Exports", File: x.file, Line: x.Line, Symbol: e.Name,
			Message: e.Name + ": " + why + " (`" + e.Signature + "`)",
		}
		if line := m.lineOf(x, e.Name); !unlisted(x) && line != "" && (len(list) == 1 || len(list) == len(said)) {
			d.mend = edit{what: replaceSignature, line: e.Line, old: e.Signature, text: line}
		}
		m.issue(d)
	}
	if len(said) == 1 && said[0].Kind == spec.Class || strings.Contains(said[0].Signature, "(…)") {
		return nil
	}
	for k, x := range list {
		if !taken[k] && overloads(x, list) {
			left = append(left, x)
		}
	}
	return left
}

// overloads reports whether an export is one of several of its name that others choose among, and not the same one under
// another condition.
func overloads(x found, list []found) bool {
	if !isCall(x.Kind) {
		return false
	}
	switch source.LangOf(x.file) {
	case source.Java, source.Kotlin:
		return !slices.ContainsFunc(list, func(y found) bool { return y.Text == x.Text && (y.file != x.file || y.Line < x.Line) })
	case source.TypeScript:
		return !x.behind && slices.ContainsFunc(list, func(y found) bool { return y.file == x.file && y.Line != x.Line })
	case source.Python:
		return strings.Contains(x.Text, "@overload ")
	}
	return false
}

// hasFace reports whether a file of a module speaks for its directory.
func hasFace(names []string, dir string) bool {
	return slices.ContainsFunc(names, func(f string) bool {
		d, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f, dir), "/"), "/")
		return isFace(f) && (strings.HasSuffix(f, "/"+d) || f == d)
	})
}

// factsOf compares one line of a spec with an export of the code.
func (m *module) factsOf(e *spec.Export, x found) []signature.Fact {
	facts := m.compare(e, x)
	agree := !slices.ContainsFunc(facts, func(f signature.Fact) bool { return f.Verdict != signature.Same })
	if !agree && m.lineOf(x, e.Name) == e.Signature { // what decompile writes of it: word for word the same
		for i := range facts {
			facts[i].Verdict, facts[i].Why = signature.Same, ""
		}
	}
	return facts
}

// library reports whether a file of Rust belongs to a crate that others use: in a program everything is for the crate.
func (m *module) library(file string) bool {
	for dir := range upwards(path.Dir(file)) {
		if m.Has(path.Join(dir, "Cargo.toml")) {
			return m.Has(path.Join(dir, "src/lib.rs"))
		}
	}
	return true
}

func open(about, why string) []signature.Fact {
	return []signature.Fact{{About: about, Verdict: signature.Unknown, Why: why}}
}

func agrees(about string) []signature.Fact {
	return []signature.Fact{{About: about, Verdict: signature.Same}}
}

func differs(about, why string) []signature.Fact {
	return []signature.Fact{{About: about, Verdict: signature.Different, Why: why}}
}

func (m *module) compare(e *spec.Export, x found) []signature.Fact {
	lang, ok := signature.Lang(source.LangOf(x.file))
	if !ok {
		lang = m.lang
	}
	sig := e.Signature
	callable := e.Kind == spec.Function || e.Kind == spec.Class // F(a int) without a result looks like a class
	switch {
	case x.Kind == "reexport" && x.lost != "":
		return differs("it is there", "comes from "+x.lost+", which does not export it")
	case x.Kind == "reexport" && sig == e.Name:
		return nil
	case x.Kind == "reexport":
		return open("what it is", "it comes from "+x.Text[strings.LastIndexByte(x.Text, ' ')+1:])
	case x.Kind == "internal" && (strings.HasPrefix(sig, "internal ") || strings.HasPrefix(sig, "pub(crate) ") || lang == signature.Rust && !m.library(x.file)):
		return nil
	case x.Kind == "internal":
		return differs("others see it", "is seen by its own "+map[string]string{signature.Rust: "crate", signature.Kotlin: "module of Gradle", signature.Java: "package"}[lang]+" alone")
	case unlisted(x):
		return open("what it is", "it is made where it is used")
	case callable && isCall(x.Kind):
		return append(m.callFacts(sig, x.Text, lang, false, x.Inferred), m.staticFact(e, x)...)
	case callable && x.Kind == "property":
		if strings.Contains(sig, "(") {
			return differs("it is called", "is a property, the spec calls it")
		}
	case callable && isClass(x.Kind):
		var facts []signature.Fact
		if strings.Contains(sig, "(") {
			facts = m.constructorFacts(e, constructors(x, e.Name, m.offered.by), lang)
		}
		return append(facts, m.baseFacts(e, x)...)
	case e.Kind == spec.Type && x.Made != "":
		args := arguments(x.Made)
		return m.fieldFacts(sig, x.Name+" { "+args[1:len(args)-1]+" }", lang, x)
	case e.Kind == spec.Enum && x.Kind == "enum":
		return m.variantFacts(e, x, lang)
	case e.Kind == spec.Variable && x.Kind == "method" && valueOnly(e):
		return differs("it is read", "is called, the spec lists it as a property")
	case x.Kind == "constant" || x.Kind == "variable" || x.Kind == "property":
		if e.Kind == spec.Variable {
			return append(m.valueFacts(e, x, lang), m.staticFact(e, x)...)
		}
		if callable && strings.Contains(sig, "(") {
			return open("how it is called", "the code has a value of that name")
		}
	case x.Kind == "type" && (e.Kind == spec.Type || e.Kind == spec.Variable || e.Kind == spec.Function):
		facts := m.aliasFacts(e, x, lang)
		if e.Kind == spec.Type && differences(facts) == 0 {
			facts = append(facts, m.fieldFacts(sig, x.Text, lang, x)...)
		}
		return facts
	case x.Kind == "struct" && lang == signature.Rust && (e.Kind == spec.Type || e.Kind == spec.Class) && tuple(x.Export, x.Name) != "":
		return m.tupleFacts(e, x)
	case e.Kind == spec.Type && (x.Kind == "interface" || x.Kind == "struct"):
		return m.fieldFacts(sig, x.Text, lang, x)
	case e.Kind == spec.Type && x.Kind == "enum" && lang == signature.TypeScript && strings.Contains(sig, "="):
		return open("what it stands for", "the code has an enumeration")
	}
	if strings.ContainsAny(sig, "({=") && !strings.HasSuffix(sig, "()") && !strings.HasSuffix(sig, "{ }") && x.Kind != "trait" && x.Kind != "object" {
		return open("what it is", "the spec and the code call it different things")
	}
	return nil
}

// valueOnly reports whether a line says that something is read: Name.field: T, and T no function.
func valueOnly(e *spec.Export) bool {
	return strings.Contains(e.Name, ".") && strings.Contains(e.Signature, ":") && !strings.ContainsAny(e.Signature, "(")
}

// staticFact: who says that a member belongs to the type means it; who does not, says nothing.
func (m *module) staticFact(e *spec.Export, x found) []signature.Fact {
	if !strings.HasPrefix(e.Signature, "static ") || x.Owner == "" {
		return nil
	}
	if x.Static {
		return agrees("it is static")
	}
	return differs("it is static", "belongs to a value of its type, the spec says static")
}
