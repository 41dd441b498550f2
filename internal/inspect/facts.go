package inspect

import (
	"cmp"
	"fmt"
	"go/ast"
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
	name := strings.TrimPrefix(x.Owner+"."+x.Name, ".")
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

// isCall reports whether an export is called: a function, a method, or a class where a spec gives it parameters.
func isCall(kind string) bool { return kind == "function" || kind == "method" }

// unlisted are members that others can use and that a spec need not list.
func unlisted(x found) bool {
	return x.Kind == "attribute" || x.Kind == "inherited" || x.Kind == "internal"
}

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
				missing += m.lacks(x, "", listed)
			}
		}
	}
	given := map[string]bool{}
	for _, n := range spec.Names(m.doc.Document) {
		given[n] = true
	}
	for _, x := range m.offered.list {
		full := x.full()
		_, inner, nested := strings.Cut(full, ".")
		switch {
		case !m.lists(x) || specified[full] && !m.roleless(full, x) || nested && x.Owner != "" && specified[inner] && strings.Contains(inner, "."):
		case given[x.Name] || x.byDefault && specified["default"]:
		case x.Owner != "" && !isType(x.Kind) && (!detailed[x.Owner] && !detailed[lastPart(x.Owner)] || x.Kind == "property" && !fielded[x.Owner] && !m.readsOf(x, detailed)):
		default:
			missing += m.lacks(x, full, listed)
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

// lacks says that the spec does not list an export; a name under which it lists other overloads may be given.
func (m *module) lacks(x found, full string, listed map[string]bool) int {
	full = cmp.Or(full, x.full())
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
		switch {
		case x.Kind == "reexport":
			other = append(other, x)
		case calls == isCall(x.Kind):
			list = append(list, x)
		default:
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
			facts[i] = append(facts[i], signature.Fact{About: "others see it", Verdict: signature.Unknown, Why: "it is exported by " + x.file + " and not by the module's face"})
		} else {
			facts[i] = append(facts[i], signature.Fact{About: "it is there", Verdict: signature.Same})
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
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if m.Has(path.Join(dir, "Cargo.toml")) {
			return m.Has(path.Join(dir, "src/lib.rs"))
		}
		if dir == "." || dir == "/" {
			return true
		}
	}
}

func open(about, why string) []signature.Fact {
	return []signature.Fact{{About: about, Verdict: signature.Unknown, Why: why}}
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
	case x.Kind == "internal" && (strings.HasPrefix(sig, "internal ") || strings.HasPrefix(sig, "pub(crate) ")):
		return nil
	case x.Kind == "internal":
		d := differs("others see it", "is seen by its own "+map[string]string{signature.Rust: "crate", signature.Kotlin: "module of Gradle", signature.Java: "package"}[lang]+" alone")
		if lang == signature.Rust && !m.library(x.file) {
			return nil
		}
		return d
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

func isClass(kind string) bool { return kind == "class" || kind == "dataclass" || kind == "record" }

// staticFact: who says that a member belongs to the type means it; who does not, says nothing.
func (m *module) staticFact(e *spec.Export, x found) []signature.Fact {
	if !strings.HasPrefix(e.Signature, "static ") || x.Owner == "" {
		return nil
	}
	if x.Static {
		return []signature.Fact{{About: "it is static", Verdict: signature.Same}}
	}
	return differs("it is static", "belongs to a value of its type, the spec says static")
}

// callFacts compares a call. Only the body of an inferred function tells what it gives.
func (m *module) callFacts(want, is, lang string, constructor, inferred bool) []signature.Fact {
	a, ok1 := signature.Parse(want, lang)
	b, ok2 := signature.Parse(decorated(is), lang)
	if !ok1 || !ok2 {
		return open("how it is called", "its signature cannot be read")
	}
	if inferred { // who reads the declaration does not know it either
		b.Result = a.Result
	}
	m.resolve(&a)
	m.resolve(&b)
	return signature.Facts(a, b, lang, m.meaning, constructor)
}

// resolve puts the values of constants of the module in place of their names.
func (m *module) resolve(s *signature.Sig) {
	for i := range s.Params {
		p := &s.Params[i]
		if v := m.constant(p.Default); v != "" {
			p.Default = v
		}
	}
}

// constant is what a name of the module stands for, "" where that is not known.
func (m *module) constant(name string) string {
	if !plainName().MatchString(name) || signature.IsValue(name) {
		return ""
	}
	out := ""
	for _, f := range m.names {
		if v := m.files[f].Constants[lastPart(name)]; v != "" {
			if out != "" && !signature.SameValue(out, v) {
				return ""
			}
			out = v
		}
	}
	return out
}

// constructors are the ways to make an object of a class, as their texts in the code.
func constructors(x found, class string, have map[string][]found) []string {
	var out []string
	own := strings.TrimPrefix(x.Owner+"."+x.Name, ".")
	for i, of := range []string{class, own} {
		if i > 0 && of == class {
			break
		}
		for _, name := range []string{".constructor", ".__init__", "." + lastPart(own)} {
			for _, c := range have[of+name] {
				if (i == 0 || c.file == x.file) && isConstructor(c.Export, source.LangOf(c.file)) && strings.Contains(c.Text, "(") {
					out = append(out, c.Text)
				}
			}
		}
	}
	if source.LangOf(x.file) == source.Kotlin {
		return append(out, primary(x.Text))
	}
	if x.Kind == "record" {
		out = append(out, x.Text)
	}
	if len(out) == 0 && x.Made != "" {
		out = append(out, x.Made)
	}
	return out
}

// primary is the head of a class of Kotlin up to the types above it, whose arguments are none of its own.
func primary(head string) string {
	head, _, above := signature.Cut(head, ":")
	if above && !strings.Contains(head, "(") {
		head = strings.TrimSpace(head) + "()"
	}
	return head
}

// constructorFacts compares with the constructor that fits best.
func (m *module) constructorFacts(e *spec.Export, list []string, lang string) []signature.Fact {
	sig, _, _ := strings.Cut(e.Signature, " extends ")
	if len(list) == 0 {
		if strings.Contains(sig, "()") || strings.Contains(sig, "(…)") {
			return nil
		}
		return open("how it is made", "the code does not write its constructor out")
	}
	var best []signature.Fact
	for i, c := range list {
		if f := m.callFacts(sig, c, lang, true, false); i == 0 || differences(f) < differences(best) {
			best = f
		}
	}
	return best
}

// baseFacts compares the class that a class is made on, where the spec names it.
func (m *module) baseFacts(e *spec.Export, x found) []signature.Fact {
	_, said, ok := strings.Cut(e.Signature, " extends ")
	if !ok {
		return nil
	}
	plain := func(list []string) []string {
		var out []string
		for _, b := range list {
			b, _, _ = strings.Cut(strings.TrimSpace(b), "<")
			b, _, _ = strings.Cut(b, "[")
			if alias, _ := m.meaning(b); alias != nil && alias.Form == signature.Named {
				b = alias.Name
			}
			out = append(out, lastPart(b))
		}
		slices.Sort(out)
		return out
	}
	if slices.Equal(plain(splitLevel(said)), plain(x.Bases)) {
		return []signature.Fact{{About: "what it extends", Verdict: signature.Same}}
	}
	return differs("what it extends", "extends "+cmp.Or(strings.Join(x.Bases, ", "), "nothing")+", the spec says "+said)
}

// decorated drops what Python's reader puts before a method.
func decorated(sig string) string {
	for again := true; again; {
		again = false
		for _, d := range []string{"@staticmethod ", "@classmethod ", "@property ", "@overload ", "@abstractmethod "} {
			if rest, ok := strings.CutPrefix(sig, d); ok {
				sig, again = rest, true
			}
		}
	}
	return sig
}

// valueFacts compares the type and the value of a constant, variable or property, where both sides state them. A type
// that only its value tells in the code has to be of the same kind: a number, a text.
func (m *module) valueFacts(e *spec.Export, x found, lang string) []signature.Fact {
	var facts []signature.Fact
	want, ok := signature.ValueType(e.Signature, e.Name, lang, signature.TypeScript)
	if ok && !isValue(want) {
		facts = m.typeFact(want, x, lang)
	}
	_, value, ok := signature.Cut(e.Signature, "=")
	if value = strings.Trim(strings.TrimSpace(value), "`"); !ok || value == "" || strings.HasPrefix(value, ">") {
		return facts
	}
	is := x.Value
	if is == "" && x.Kind == "constant" {
		is = m.constant(x.Name)
	}
	about := signature.Fact{About: "its value"}
	switch {
	case is == "":
		about.Verdict, about.Why = signature.Unknown, "the code computes it"
	case signature.SameValue(value, is):
	case signature.IsValue(value):
		about.Verdict, about.Why = signature.Different, "is "+is+", the spec says "+value
	default:
		about.Verdict, about.Why = signature.Unknown, "whether "+is+" is the "+value+" of the spec cannot be told"
	}
	return append(facts, about)
}

func (m *module) typeFact(want signature.Type, x found, lang string) []signature.Fact {
	text := valueType(x.Export)
	if text == "" {
		return open("its type", "the code does not say it")
	}
	is := signature.ParseType(text, lang)
	same := []signature.Fact{{About: "its type", Verdict: signature.Same}}
	if text == x.Literal && (want.Form != signature.Basic || want.Class == "any" || want.Class == is.Class || number(want) && number(is)) {
		return same
	}
	if lang == signature.Rust { // a constant text is &str, whatever the spec calls texts
		want, is = behind(want), behind(is)
		if want.Class == "string" && is.Class == "string" {
			return same
		}
	}
	switch signature.Types(want, is, lang, m.meaning) {
	case signature.Different:
		return differs("its type", "is of type "+signature.Text(is, lang)+", the spec says "+signature.Text(want, lang))
	case signature.Unknown:
		return open("its type", "whether "+signature.Text(is, lang)+" is the "+signature.Text(want, lang)+" of the spec cannot be told")
	case signature.Same:
	}
	return same
}

func number(t signature.Type) bool {
	return t.Class == "int" || t.Class == "float" || t.Class == "number"
}

// isValue reports whether what stands where a type does is a value, or a list of them.
func isValue(t signature.Type) bool {
	return t.Form == signature.Literal || t.Form == signature.Union || t.Form == signature.Raw
}

// behind is what a reference leads to.
func behind(t signature.Type) signature.Type {
	for t.Form == signature.Pointer && len(t.Args) == 1 {
		t = t.Args[0]
	}
	return t
}

// tupleFacts compares the fields of a type of Rust that have no names; of those that others do not see nothing is known.
func (m *module) tupleFacts(e *spec.Export, x found) []signature.Fact {
	_, want, ok := strings.Cut(e.Signature, "(")
	_, is, _ := strings.Cut(tuple(x.Export, x.Name), "(")
	a, b := splitLevel(strings.TrimSuffix(strings.TrimSpace(want), ")")), splitLevel(strings.TrimSuffix(is, ")"))
	if !ok || strings.Contains(want, "…") || strings.Contains(want, ")") && !strings.HasSuffix(strings.TrimSpace(want), ")") {
		return nil
	}
	if len(a) != len(b) {
		return differs("number of fields", fmt.Sprintf("has %d fields, the spec gives it %d", len(b), len(a)))
	}
	var facts []signature.Fact
	for i := range a {
		if _, typ, named := signature.Cut(a[i], ":"); named {
			a[i] = typ
		}
		p, q := signature.ParseType(strings.TrimPrefix(strings.TrimSpace(a[i]), "pub "), signature.Rust), signature.ParseType(b[i], signature.Rust)
		f := signature.Fact{About: fmt.Sprintf("field %d", i+1)}
		switch {
		case a[i] == b[i]:
		case (a[i] == "_") != (b[i] == "_"):
			f.Verdict, f.Why = signature.Different, fmt.Sprintf("its field %d is %s to others, the spec says %s", i+1, b[i], a[i])
		default:
			if f.Verdict = signature.Types(p, q, signature.Rust, m.meaning); f.Verdict != signature.Same {
				f.Why = fmt.Sprintf("its field %d is %s, the spec says %s", i+1, signature.Text(q, signature.Rust), signature.Text(p, signature.Rust))
			}
		}
		facts = append(facts, f)
	}
	return facts
}

// aliasFacts compares what a type is another name for.
func (m *module) aliasFacts(e *spec.Export, x found, lang string) []signature.Fact {
	want, ok1 := signature.AliasOf(e.Signature, e.Name, lang, signature.TypeScript)
	if !ok1 || isValue(want) && want.Form != signature.Raw && lang != signature.TypeScript {
		return nil
	}
	is, ok2 := signature.AliasOf(x.Text, x.Name, lang)
	if !ok2 {
		return open("what it stands for", "the code does not say it in a form that is read")
	}
	f := signature.Fact{About: "what it stands for", Verdict: signature.Types(want, is, lang, m.meaning)}
	if f.Verdict == signature.Unknown && lang == signature.TypeScript && !sameParts(signature.Text(want, lang), signature.Text(is, lang)) {
		f.Verdict = signature.Different
	}
	if f.Verdict != signature.Same {
		f.Why = "is " + signature.Text(is, lang) + ", the spec says " + signature.Text(want, lang)
	}
	return []signature.Fact{f}
}

// variantFacts compares the variants of an enumeration, with what they carry or are set to where the spec says it.
func (m *module) variantFacts(e *spec.Export, x found, lang string) []signature.Fact {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(strings.Trim(s, "`'\" "), "_", "")) }
	split := func(s string) (name, rest string) {
		s = strings.TrimSpace(s)
		if i := strings.IndexAny(s, "({= "); i > 0 && s[0] != '"' && s[0] != '\'' {
			return s[:i], strings.TrimSpace(s[i:])
		}
		return s, ""
	}
	_, body, _ := strings.Cut(strings.ReplaceAll(e.Signature, "::", "."), ":")
	said := splitAt(body, "|")
	if len(said) != len(e.Variants) { // in another form
		said = e.Variants
	}
	cases := x.Cases
	if len(cases) != len(x.Variants) {
		cases = x.Variants
	}
	if len(cases) == 0 || len(said) == 0 {
		return nil
	}
	var facts []signature.Fact
	done := map[string]bool{}
	for _, v := range said {
		name, rest := split(v)
		f := signature.Fact{About: "variant " + name, Verdict: signature.Different, Why: "has no variant " + name + ", the spec lists it"}
		done[fold(name)] = true
		for _, c := range cases {
			is, carries := split(c)
			if fold(is) != fold(name) {
				continue
			}
			f.Verdict, f.Why = signature.Same, ""
			if why := m.carries(rest, carries, lang); why != "" {
				f.Verdict, f.Why = signature.Different, "its variant "+is+" "+why
			}
			break
		}
		facts = append(facts, f)
	}
	for _, c := range cases {
		if name, _ := split(c); !done[fold(name)] {
			facts = append(facts, differs("variants", "has the variant "+name+", the spec does not list it")...)
		}
	}
	return facts
}

// carries compares what a variant carries or is set to, where the spec says it.
func (m *module) carries(want, is, lang string) string {
	if want == "" && (is == "" || lang != signature.Rust || strings.HasPrefix(is, "=")) || strings.Contains(want, "…") {
		return ""
	}
	a, value := strings.CutPrefix(want, "=")
	b, also := strings.CutPrefix(is, "=")
	if value {
		if also && signature.SameValue(a, b) || !also {
			return ""
		}
		return "is" + b + ", the spec says" + a
	}
	if strings.Join(strings.Fields(want), "") == strings.Join(strings.Fields(is), "") {
		return ""
	}
	inside := func(s string) []string {
		s = strings.TrimSpace(s)
		if len(s) < 2 {
			return nil
		}
		return splitLevel(strings.Trim(s, "(){} "))
	}
	p, q := inside(want), inside(is)
	if len(p) != len(q) {
		return "carries " + cmp.Or(is, "nothing") + ", the spec says " + cmp.Or(want, "nothing")
	}
	for i := range p {
		nameP, typeP, namedP := signature.Cut(p[i], ":")
		nameQ, typeQ, namedQ := signature.Cut(q[i], ":")
		if !namedP {
			typeP = p[i]
		}
		if !namedQ {
			typeQ = q[i]
		}
		if namedP && namedQ && strings.TrimSpace(nameP) != strings.TrimSpace(nameQ) ||
			signature.Types(signature.ParseType(typeP, lang), signature.ParseType(typeQ, lang), lang, m.meaning) == signature.Different {
			return "carries " + is + ", the spec says " + want
		}
	}
	return ""
}

// fieldFacts compares members: a spec that lists some lists all, unless it says …
func (m *module) fieldFacts(want, is, lang string, x found) []signature.Fact {
	if x.Kind == "struct" && lang == signature.Rust { // what stands in front of the fields may have brackets, too
		is = definition(is, x.Name)
	}
	a, ok1 := signature.Members(want, lang, signature.TypeScript)
	b, ok2 := signature.Members(is, lang)
	if !ok1 || !strings.Contains(want, "{") || len(a) == 0 && (x.Kind != "struct" || !ok2 || len(b) == 0 || strings.Contains(want, "…")) {
		return nil
	}
	if !ok2 || !strings.Contains(is, "{") {
		return open("its members", "the code does not write them out")
	}
	more := lang == signature.Kotlin || strings.Contains(is, " extends ") || strings.Contains(is, "&") || len(x.Above) > 0 // it has members that are not seen here
	for _, f := range b {
		more = more || f.Type == nil && f.Method == nil
	}
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	var facts []signature.Fact
	said := map[string]bool{}
	for _, f := range a {
		said[fold(f.Name)] = true
		if f.Name == "" {
			facts = append(facts, open("a member", "it is in a form that is not read")...)
			continue
		}
		list := []signature.Fact{{About: "member " + f.Name, Verdict: signature.Different, Why: "has no field " + f.Name + ", the spec lists it"}}
		if more {
			list = open("member "+f.Name, "it may come from what the type is made on")
		}
		if lang == signature.Go && !ast.IsExported(f.Name) && m.mentions(f.Name) || lang == signature.Python && m.mentions(f.Name) {
			list = open("member "+f.Name, "others do not see it")
		}
		there := false
		for _, g := range b {
			if fold(g.Name) == fold(f.Name) {
				if now := m.memberFacts(f, g, lang); !there || differences(now) < differences(list) {
					list, there = now, true
				}
			}
		}
		if !there {
			if seen := m.offered.named(x.full() + "." + f.Name); len(seen) > 0 && f.Type != nil && !isCall(seen[0].Kind) {
				list = open("type of member "+f.Name, "the code does not say it")
				if valueType(seen[0].Export) != "" {
					list = m.typeFact(*f.Type, seen[0], lang)
				}
			}
		}
		facts = append(facts, list...)
	}
	if strings.Contains(want, "…") || strings.Contains(want, "...") {
		return facts
	}
	for _, g := range b {
		embedded := g.Type == nil && g.Method == nil && len(x.Above) > 0
		if g.Name != "" && !said[fold(g.Name)] && !embedded {
			said[fold(g.Name)] = true
			facts = append(facts, differs("members", "has the field "+g.Name+", the spec does not list it")...)
		}
	}
	return facts
}

func (m *module) memberFacts(want, is signature.Field, lang string) []signature.Fact {
	about := "member " + is.Name
	switch {
	case want.Method != nil && is.Method != nil:
		facts := signature.Facts(*want.Method, *is.Method, lang, m.meaning, false)
		for i := range facts {
			facts[i].About = about + ": " + facts[i].About
			if facts[i].Why != "" {
				facts[i].Why = "its method " + is.Name + " " + facts[i].Why
			}
		}
		return append(facts, signature.Fact{About: about, Verdict: signature.Same})
	case want.Type != nil && is.Type != nil:
		p, q := *want.Type, *is.Type
		if want.Optional != is.Optional {
			if lang == signature.TypeScript || lang == signature.Kotlin || lang == signature.Rust {
				return differs(about, "has the field "+is.Name+", which "+map[bool]string{true: "may be absent", false: "is always there"}[is.Optional]+", the spec says otherwise")
			}
			p, q = signature.Present(p), signature.Present(q)
		}
		switch signature.Types(p, q, lang, m.meaning) {
		case signature.Different:
			return differs(about, "has the field "+is.Name+" of type "+signature.Text(*is.Type, lang)+", the spec says "+signature.Text(*want.Type, lang))
		case signature.Unknown:
			return open("type of "+about, "whether "+signature.Text(q, lang)+" is the "+signature.Text(p, lang)+" of the spec cannot be told")
		case signature.Same:
		}
	case want.Type != nil && is.Method == nil:
		return open("type of "+about, "the code does not say it")
	case want.Method != nil || is.Method != nil:
		if lang == signature.TypeScript && (want.Type != nil && want.Type.Form == signature.Func || is.Type != nil && is.Type.Form == signature.Func) {
			return open("type of "+about, "one is a method, the other a field that holds a function")
		}
		if want.Type == nil && want.Method == nil {
			break
		}
		return differs(about, "its member "+is.Name+" is "+map[bool]string{true: "a method", false: "a field"}[is.Method != nil]+", the spec says otherwise")
	}
	return []signature.Fact{{About: about, Verdict: signature.Same}}
}
