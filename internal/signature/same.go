package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Verdict is the outcome of a comparison.
type Verdict uint8

// The verdicts. Unknown means that the texts differ and nothing says that they mean
// different things.
const (
	Same Verdict = iota
	Different
	Unknown
)

// Scope says what names mean where code is compared: what a name is an alias for, and
// whether it is declared as a type of its own. A nil Scope knows no names.
type Scope func(name string) (alias *Type, declared bool)

// Types compares two types in the eyes of who uses them in lang. A type may be written in
// the words of another language: number for int, Map for dict.
func Types(a, b Type, lang string, scope Scope) Verdict {
	return (&comparison{lang: lang, scope: scope}).types(a, b)
}

type comparison struct {
	lang  string
	scope Scope
	depth int
}

func (c *comparison) types(a, b Type) Verdict {
	if c.depth++; c.depth > 2*nesting { // aliases of each other
		return Unknown
	}
	defer func() { c.depth-- }()
	a, b = c.plain(a), c.plain(b)
	if a.Form == Raw || b.Form == Raw {
		return c.texts(a, b)
	}
	if c.isAny(a) != c.isAny(b) && c.foreignAny(a, b) {
		return Unknown
	}
	if a.Form == b.Form {
		return c.alike(a, b)
	}
	if a.Form == Named || b.Form == Named {
		return c.names(a, b)
	}
	if a.Form == List && a.Args == nil || b.Form == Map && b.Args == nil { // list of Python
		return Different
	}
	if a.Form == Object || b.Form == Object {
		return Unknown // a record type in one of the two notations
	}
	return Different
}

// plain drops what is not seen from outside, or is written in several ways.
func (c *comparison) plain(t Type) Type {
	switch {
	case t.Form == Pointer && t.Name != "*" && len(t.Args) == 1 && c.lang != Rust:
		return t.Args[0]
	case t.Form == Optional && len(t.Args) == 1 && t.Args[0].Form == Optional:
		return c.plain(t.Args[0])
	}
	return t
}

func (c *comparison) isAny(t Type) bool { return t.Form == Basic && t.Class == "any" }

// foreignAny: any of one language is no type of another, unless both have it.
func (c *comparison) foreignAny(a, b Type) bool {
	for _, t := range []Type{a, b} {
		if c.isAny(t) && basics[c.lang][t.Name] == "" {
			return true
		}
	}
	return false
}

// alike compares two types of one form.
func (c *comparison) alike(a, b Type) Verdict {
	switch a.Form {
	case Basic:
		return c.basics(a, b)
	case Literal:
		if a.Name == b.Name {
			return Same
		}
		return Different
	case Object:
		if a.Name == b.Name {
			return Same
		}
		return Unknown
	case Named:
		if a.Name != b.Name {
			return c.names(a, b)
		}
	case Union:
		return c.unions(a, b)
	case List, Map, Set:
		if v := c.flavour(a, b); v != Same {
			return v
		}
	case Chan:
		if a.Name != b.Name {
			return Different
		}
	default:
	}
	if len(a.Args) != len(b.Args) {
		if a.Form == Result && len(a.Args) > 0 && len(b.Args) > 0 { // io::Result<T> names its error elsewhere
			if c.types(a.Args[0], b.Args[0]) == Different {
				return Different
			}
			return Unknown
		}
		if len(a.Args) == 0 || len(b.Args) == 0 { // list and list[int]: one says more
			return Unknown
		}
		return Different
	}
	out := Same
	for i := range a.Args {
		switch c.types(a.Args[i], b.Args[i]) {
		case Different:
			return Different
		case Unknown:
			out = Unknown
		case Same:
		}
	}
	return out
}

// basics compares built-in types: those of the language by name, others by meaning.
func (c *comparison) basics(a, b Type) Verdict {
	if a.Name == b.Name {
		return Same
	}
	own := basics[c.lang]
	if c.lang == Go && (pair(a, b, "byte", "uint8") || pair(a, b, "rune", "int32")) {
		return Same
	}
	if a.Class == b.Class && (own[a.Name] == "" || own[b.Name] == "" || c.lang == TypeScript && strings.EqualFold(a.Name, b.Name) || a.Class == "unit" || boxed(a, b)) {
		return Same
	}
	number := func(t Type) bool { return t.Class == "int" || t.Class == "float" || t.Class == "number" }
	if number(a) && number(b) && (own[a.Name] == "" || own[b.Name] == "") {
		return Same
	}
	return Different
}

func pair(a, b Type, x, y string) bool {
	return a.Name == x && b.Name == y || a.Name == y && b.Name == x
}

// boxed: int and Integer of Java are the same to most who call.
func boxed(a, b Type) bool {
	for _, p := range [][2]string{{"int", "Integer"}, {"long", "Long"}, {"short", "Short"}, {"byte", "Byte"}, {"float", "Float"}, {"double", "Double"}, {"boolean", "Boolean"}, {"void", "Void"}} {
		if pair(a, b, p[0], p[1]) {
			return true
		}
	}
	return false
}

// ways are the ways in which a language writes its lists, maps and sets; those of one group
// are the same type, others of the language are not.
var ways = map[string][][]string{
	TypeScript: {{"[]", "Array", "ReadonlyArray", "..."}, {"Map", "ReadonlyMap"}, {"Record"}, {"Set", "ReadonlySet"}},
	Python:     {{"list", "List"}, {"dict", "Dict"}, {"Mapping"}, {"set", "Set"}, {"frozenset", "FrozenSet"}},
	Go:         {{"[]", "..."}, {"map"}},
	Rust:       {{"Vec"}, {"[]"}, {"HashMap"}, {"BTreeMap"}, {"HashSet"}, {"BTreeSet"}},
	Java:       {{"[]", "..."}, {"List"}, {"ArrayList"}, {"Map"}, {"HashMap"}, {"Set"}, {"HashSet"}},
	Kotlin:     {{"Array"}, {"List"}, {"MutableList"}, {"ArrayList"}, {"Map"}, {"MutableMap"}, {"HashMap"}, {"Set"}, {"MutableSet"}, {"HashSet"}},
}

func (c *comparison) flavour(a, b Type) Verdict {
	if a.Name == b.Name {
		return Same
	}
	find := func(n string) int {
		return slices.IndexFunc(ways[c.lang], func(g []string) bool { return slices.Contains(g, n) })
	}
	i, j := find(a.Name), find(b.Name)
	fixed := len(a.Name) > 2 && a.Name[0] == '[' || len(b.Name) > 2 && b.Name[0] == '['
	switch {
	case fixed: // [3]int
		return Different
	case i < 0 || j < 0 || i == j:
		return Same
	}
	return Different
}

// unions compares sets of types.
func (c *comparison) unions(a, b Type) Verdict {
	out := Same
	missing := func(x, y Type) {
		for _, m := range x.Args {
			best := Different
			for _, n := range y.Args {
				if v := c.types(m, n); v == Same {
					best = Same
					break
				} else if v == Unknown {
					best = Unknown
				}
			}
			if best == Different || best == Unknown && out == Same {
				out = best
			}
		}
	}
	missing(a, b)
	missing(b, a)
	return out
}

// names compares types of which at least one is known by its name alone.
func (c *comparison) names(a, b Type) Verdict {
	if c.scope == nil {
		return Unknown
	}
	known := func(t *Type) (aliased, sure bool) {
		if t.Form != Named {
			return false, true
		}
		alias, declared := c.scope(t.Name)
		if alias != nil && (alias.Form != Named || alias.Name != t.Name) {
			*t = *alias
			return true, true
		}
		return false, declared
	}
	aliasA, sureA := known(&a)
	aliasB, sureB := known(&b)
	if aliasA || aliasB {
		return c.types(a, b)
	}
	if a.Form == Named && b.Form == Named && sameWord(a.Name, b.Name) {
		return Unknown
	}
	if sureA && sureB {
		return Different
	}
	return Unknown
}

// sameWord compares names without regard to how words are joined in them.
func sameWord(a, b string) bool {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	return fold(a) == fold(b)
}

// unsaid reports whether a result that is not written may be anything: in languages with
// annotations it is just not said, in others it means that there is none.
func unsaid(lang string) bool { return lang == TypeScript || lang == Python || lang == "" }

// result is what a call gives, without the promise of it.
func (s Sig) result() (Type, bool) {
	if s.Result == nil {
		if unsaid(s.Lang) || s.Lang == Java {
			return Type{}, false
		}
		return Type{Form: Basic, Name: "()", Class: "unit"}, true
	}
	t := *s.Result
	if t.Form == Future && len(t.Args) == 1 {
		t = t.Args[0]
	}
	return t, t.Form != Future
}

// Fact is one statement of a spec about a call, and whether the code agrees.
type Fact struct {
	About   string // "parameter 1", "default of b", "result", …
	Verdict Verdict
	Why     string // of Different what the code does; of Unknown why nobody can tell
}

// Fits reports why code does not do what a spec says of it, "" when it does or when nobody can tell: the first of its
// [Facts] that is different.
func Fits(spec, code Sig, lang string, scope Scope, constructor bool) string {
	for _, f := range Facts(spec, code, lang, scope, constructor) {
		if f.Verdict == Different {
			return f.Why
		}
	}
	return ""
}

// Facts compares what a spec says of a call with code. What the spec does not say is no fact. lang is the language of the
// code. Names of parameters count where callers may use them (Python, Kotlin). constructor: results do not count.
func Facts(spec, code Sig, lang string, scope Scope, constructor bool) []Fact {
	f := &factList{lang: lang, own: spec.Lang == lang, scope: inNamesOf(spec, code, scope)}
	f.params(spec, code)
	if constructor {
		return f.list
	}
	want, said := spec.result()
	is, known := code.result()
	if said && spec.Result == nil && (spec.Lang != lang || spec.Open) {
		said = false
	}
	switch {
	case !said:
	case !known:
		f.add("result", Unknown, "the code does not say what it returns")
	case spec.Lang != lang && failsInstead(want, is, lang):
		f.add("result", Same, "")
	default:
		f.compare("result", want, is, func() string {
			return fmt.Sprintf("returns %s, the spec says %s", Text(is, lang), Text(want, spec.Lang))
		})
	}
	if why := fitsAsync(spec, code, lang); why != "" {
		f.add("whether it has to be waited for", Different, why)
	}
	if spec.Self != "" && code.Self != "" {
		f.same("what it is called on", spec.Self == code.Self, "is called on "+code.Self+", the spec says "+spec.Self)
	}
	if n := len(spec.Generics); f.own && n > 0 && n != len(code.Generics) && lang != Java {
		f.add("type parameters", Different, fmt.Sprintf("has %d type parameters, the spec gives it %d", len(code.Generics), n))
	} else if f.own && n == len(code.Generics) {
		for i, g := range spec.Generics {
			if c := code.Generics[i]; g.Bound != nil && c.Bound != nil {
				f.compare("bound of "+g.Name, *g.Bound, *c.Bound, func() string {
					return fmt.Sprintf("asks %s of its type parameter %s, the spec says %s", Text(*c.Bound, lang), c.Name, Text(*g.Bound, lang))
				})
			}
		}
	}
	if f.own && lang == Java {
		throws := func(s Sig) []string {
			var out []string
			for _, t := range s.Throws {
				out = append(out, t[strings.LastIndexByte(t, '.')+1:])
			}
			slices.Sort(out)
			return slices.Compact(out)
		}
		a, b := throws(spec), throws(code)
		if len(a) > 0 { // one that names none says nothing of them
			f.same("what it throws", slices.Equal(a, b), "throws "+cmp.Or(strings.Join(b, ", "), "nothing")+", the spec says "+cmp.Or(strings.Join(a, ", "), "nothing"))
		}
	}
	return f.list
}

// inNamesOf reads the type parameters of the code by the names that the spec gives them.
func inNamesOf(spec, code Sig, scope Scope) Scope {
	names := map[string]string{}
	if len(spec.Generics) == len(code.Generics) {
		for i, g := range code.Generics {
			if g.Name != spec.Generics[i].Name {
				names[g.Name] = spec.Generics[i].Name
			}
		}
	}
	if len(names) == 0 {
		return scope
	}
	return func(name string) (*Type, bool) {
		if to := names[name]; to != "" {
			return &Type{Form: Named, Name: to}, true
		}
		if scope == nil {
			return nil, false
		}
		return scope(name)
	}
}

// factList collects what is compared.
type factList struct {
	lang  string
	own   bool // the spec is in the language of the code, and means what it says
	scope Scope
	list  []Fact
}

func (f *factList) add(about string, v Verdict, why string) {
	f.list = append(f.list, Fact{about, v, why})
}

func (f *factList) same(about string, ok bool, why string) {
	if ok {
		f.add(about, Same, "")
	} else {
		f.add(about, Different, why)
	}
}

func (f *factList) compare(about string, want, is Type, why func() string) {
	switch v := Types(want, is, f.lang, f.scope); v {
	case Same:
		f.add(about, Same, "")
	case Unknown:
		f.add(about, Unknown, "whether "+Text(is, f.lang)+" is the "+Text(want, f.lang)+" of the spec cannot be told")
	case Different:
		f.add(about, Different, why())
	}
}

// fitsAsync: whether something has to be waited for. A spec that says neither async nor what comes back says nothing of
// it; code may give a future without the word.
func fitsAsync(spec, code Sig, lang string) string {
	switch {
	case spec.Async == code.Async:
	case lang == TypeScript && (spec.Result == nil || code.Result == nil):
	case lang == TypeScript && code.Async:
		return "returns a promise, the spec says that it does not"
	case lang == TypeScript:
		return "returns no promise, the spec says that it does"
	case lang != Python && lang != Kotlin && lang != Rust || code.later() || spec.later():
	case spec.Async:
		return "is not " + word(lang) + ", the spec says that it is"
	case spec.Result != nil || spec.Lang == lang && lang != Python:
		return "is " + word(lang) + ", the spec says that it is not"
	}
	return ""
}

// word is how a language says that a call has to be waited for.
func word(lang string) string {
	if lang == Kotlin {
		return "suspend"
	}
	return "async"
}

// later reports whether the result's type itself says that it comes later.
func (s Sig) later() bool {
	if s.Result == nil {
		return false
	}
	text := Text(*s.Result, s.Lang)
	return s.Result.Form == Future || slices.ContainsFunc([]string{"Future", "Awaitable", "Coroutine", "AsyncIter", "AsyncGen", "Deferred"}, func(w string) bool { return strings.Contains(text, w) })
}

// failsInstead: a spec in the words of another language says Claims where Go gives
// (Claims, error) and Rust a Result.
func failsInstead(want, is Type, lang string) bool {
	switch {
	case lang == Go && is.Form == Tuple && len(is.Args) == 2 && isError(is.Args[1]) && want.Form != Tuple:
		return Types(want, is.Args[0], lang, nil) != Different
	case lang == Go && isError(is) && want.Form == Basic && want.Class == "unit":
		return true
	case lang == Rust && is.Form == Result && want.Form != Result:
		return Types(want, is.Args[0], lang, nil) != Different
	}
	return false
}

func isError(t Type) bool { return t.Name == "error" }

// params compares parameters.
func (f *factList) params(spec, code Sig) {
	lang := f.lang
	if spec.Open {
		return
	}
	if code.Open {
		f.add("parameters", Unknown, "the code leaves its parameters open")
		return
	}
	a, b := slices.Clone(spec.Params), slices.Clone(code.Params)
	if lang == Go { // a context is often left out
		if len(b) == len(a)+1 && b[0].Type != nil && b[0].Type.Name == "Context" {
			b = b[1:]
		}
	}
	f.same("number of parameters", len(a) == len(b), fmt.Sprintf("takes %d parameters, the spec gives it %d", len(code.Params), len(spec.Params)))
	if len(a) != len(b) {
		return
	}
	if lang == Python && slices.ContainsFunc(b, func(p Param) bool { return p.Keyword && !p.Variadic }) {
		matchKeywords(a, b)
	}
	for i := range a {
		f.param(i, a[i], b[i], spec.Lang)
	}
}

func (f *factList) param(i int, x, y Param, specLang string) {
	lang, about := f.lang, fmt.Sprintf("parameter %d", i+1)
	name := y.Name
	if name == "" {
		name = fmt.Sprintf("%d", i+1)
	}
	if byName(lang) && !y.Position && !y.Variadic && !x.Variadic && x.Name != "" && y.Name != "" && !strings.HasPrefix(y.Name, "_") {
		f.same("name of "+about, sameWord(x.Name, y.Name), fmt.Sprintf("its parameter %d is called %s, the spec calls it %s, and callers may use the name", i+1, y.Name, x.Name))
	}
	if lang == Python && f.own && x.Type != nil && x.Keyword != y.Keyword && !x.Variadic && !y.Variadic {
		f.add("how "+about+" is given", Different, fmt.Sprintf("its parameter %s is given %s, the spec says otherwise", name, map[bool]string{true: "by name only", false: "by place, too"}[y.Keyword]))
	}
	own := f.own && (lang != TypeScript || y.Type != nil) // JavaScript lets all be left out
	switch absent := x.Optional || x.Type != nil && x.Type.Form == Optional; {
	case x.Optional && !y.Optional && !y.Variadic && (own && lang != Rust || !mayBeAbsent(y.Type)) && lang != Go && lang != Java:
		f.add("whether "+about+" may be left out", Different, fmt.Sprintf("its parameter %s is required, the spec says that it may be left out", name))
	case !absent && y.Optional && own && x.Type != nil && !x.Variadic && (lang == TypeScript || lang == Python || lang == Kotlin):
		f.add("whether "+about+" may be left out", Different, fmt.Sprintf("its parameter %s may be left out, the spec says that it is required", name))
	}
	f.fallback(about, name, x, y)
	if x.Variadic != y.Variadic { // a list in the one, several in the other: notations of languages differ
		one, many := x.Type, "any number of values"
		if x.Variadic {
			one, many = y.Type, "one value"
		}
		if own && (lang != Java || x.Variadic) || one != nil && one.Form == Basic && one.Class != "any" {
			f.add("how often "+about+" is given", Different, fmt.Sprintf("its parameter %s takes %s, the spec says otherwise", name, many))
		} else {
			f.add("how often "+about+" is given", Unknown, "a list may be written as several values")
		}
		return
	}
	if x.Type == nil {
		return
	}
	if y.Type == nil {
		f.add("type of "+about, Unknown, "the code does not say the type of "+name)
		return
	}
	p, q := *x.Type, *y.Type
	if (x.Optional || y.Optional) && !f.own || x.Optional != y.Optional || lang == Python && x.Default == "None" {
		p, q = Present(p), Present(q)
	}
	if !f.own && (p.Form == Optional || q.Form == Optional) {
		p, q = Present(p), Present(q)
	}
	f.compare("type of "+about, p, q, func() string {
		return fmt.Sprintf("its parameter %s is %s, the spec says %s", name, Text(q, lang), Text(p, specLang))
	})
}

// fallback compares what holds when a parameter is not given.
func (f *factList) fallback(about, name string, x, y Param) {
	open := func(text string) bool { return text == "..." || text == "…" }
	switch about = "default of " + about; {
	case x.Default == "" || !y.Optional || open(x.Default):
	case y.Default == "" || open(y.Default):
		f.add(about, Unknown, "the code does not say it here")
	case SameValue(x.Default, y.Default):
		f.add(about, Same, "")
	case isValue(x.Default) && isValue(y.Default):
		f.add(about, Different, fmt.Sprintf("its parameter %s is %s when it is not given, the spec says %s", name, y.Default, x.Default))
	default:
		f.add(about, Unknown, "whether "+y.Default+" is the "+x.Default+" of the spec cannot be told")
	}
}

// matchKeywords puts the parameters of b behind the marker * into the order of a.
func matchKeywords(a, b []Param) {
	for i := range a {
		if !b[i].Keyword || b[i].Variadic {
			continue
		}
		for k := i; k < len(b); k++ {
			if b[k].Keyword && !b[k].Variadic && sameWord(a[i].Name, b[k].Name) {
				b[i], b[k] = b[k], b[i]
				break
			}
		}
	}
}

func byName(lang string) bool { return lang == Python || lang == Kotlin }

func mayBeAbsent(t *Type) bool {
	return t == nil || t.Form == Optional || t.Form == Pointer || t.Form == Raw
}

// Present is a type without the possibility of absence.
func Present(t Type) Type {
	if t.Form == Optional && len(t.Args) == 1 {
		return t.Args[0]
	}
	return t
}

// Break is a change of a signature.
type Break struct {
	Breaking bool
	Reason   string
}

// Compare lists what a new version of a signature changes for those who use it; none when
// both mean the same. what is how the reasons call it: Function 'f'.
func Compare(before, after Sig, lang, what string, constructor bool) []Break {
	var out []Break
	add := func(breaking bool, format string, args ...any) {
		out = append(out, Break{breaking, what + " " + fmt.Sprintf(format, args...)})
	}
	differ := func(a, b *Type) bool {
		if a == nil || b == nil {
			return false
		}
		return Types(*a, *b, lang, nil) != Same
	}
	a, b := before.Params, after.Params
	if before.Open || after.Open {
		a, b = nil, nil
	}
	if byName(lang) {
		b = slices.Clone(b)
		matchKeywords(a[:min(len(a), len(b))], b)
	}
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			p := b[i]
			if p.Optional || p.Variadic {
				add(false, "added optional parameter '%s'", label(p, i))
			} else {
				add(true, "added required parameter '%s'", label(p, i))
			}
		case i >= len(b):
			add(true, "removed parameter '%s'", label(a[i], i))
		default:
			comparePart(add, differ, a[i], b[i], i, lang)
		}
	}
	if constructor {
		return out
	}
	compareResult(add, before, after, lang)
	return out
}

func comparePart(add func(bool, string, ...any), differ func(a, b *Type) bool, x, y Param, i int, lang string) {
	if byName(lang) && !x.Position && !x.Variadic && x.Name != "" && y.Name != "" && x.Name != y.Name {
		add(true, "parameter '%s' renamed to '%s': callers may use the name", x.Name, y.Name)
	}
	if differ(x.Type, y.Type) {
		p, q := x.Type, y.Type
		if (p.Form == Optional) != (q.Form == Optional) { // written in another way
			c, d := Present(*p), Present(*q)
			p, q = &c, &d
		}
		if differ(p, q) || y.Type.Form != Optional && !y.Optional {
			add(true, "parameter '%s' type changed from '%s' to '%s'", label(y, i), Text(*x.Type, lang), Text(*y.Type, lang))
		} else if x.Type.Form != Optional && y.Type.Form == Optional && !x.Optional {
			add(false, "parameter '%s' may be absent now", label(y, i))
		}
	}
	switch {
	case x.Optional && !y.Optional && !y.Variadic:
		add(true, "parameter '%s' became required", label(y, i))
	case !x.Optional && y.Optional:
		add(false, "parameter '%s' became optional", label(y, i))
	}
	if x.Variadic != y.Variadic {
		add(x.Variadic, "parameter '%s' takes %s", label(y, i), map[bool]string{true: "any number of values now", false: "one value now"}[y.Variadic])
	}
	if !y.Keyword && x.Keyword {
		add(false, "parameter '%s' may be given by its place now", label(y, i))
	} else if y.Keyword && !x.Keyword && !y.Variadic {
		add(true, "parameter '%s' can be given by its name only", label(y, i))
	}
}

func compareResult(add func(bool, string, ...any), before, after Sig, lang string) {
	x, saidX := before.result()
	y, saidY := after.result()
	switch {
	case saidX && saidY && Types(x, y, lang, nil) != Same:
		add(true, "return type changed from '%s' to '%s'", Text(x, lang), Text(y, lang))
	case !saidX && saidY:
		add(false, "says now that it returns '%s'", Text(y, lang))
	case saidX && !saidY:
		add(false, "does not say any more that it returns '%s'", Text(x, lang))
	}
	if before.Async != after.Async {
		add(true, "return type changed: %s", map[bool]string{true: "it is asynchronous now", false: "it is not asynchronous any more"}[after.Async])
	}
	slices.Sort(before.Throws)
	slices.Sort(after.Throws)
	if lang == Java && !slices.Equal(before.Throws, after.Throws) {
		add(true, "throws changed from '%s' to '%s'", strings.Join(before.Throws, ", "), strings.Join(after.Throws, ", "))
	}
}

func label(p Param, i int) string {
	if p.Name == "" {
		return fmt.Sprintf("%d", i+1)
	}
	return p.Name
}

// texts compares types of which at least one is not understood: where they are put together in the same way, of words that
// are known to mean one thing, another word makes another type.
func (c *comparison) texts(a, b Type) Verdict {
	x, y := valueParts(a.Name), valueParts(b.Name)
	switch {
	case a.Form != b.Form:
		return Unknown
	case slices.Equal(x, y):
		return Same
	case len(x) != len(y) || c.scope == nil:
		return Unknown
	}
	sure := func(w string) bool {
		if !isIdent(w) || basics[c.lang][w] != "" {
			return true
		}
		alias, declared := c.scope(w)
		return alias == nil && declared
	}
	for i := range x {
		if x[i] != y[i] && (isIdent(x[i]) != isIdent(y[i]) || !sure(x[i]) || !sure(y[i])) {
			return Unknown
		}
	}
	return Different
}
