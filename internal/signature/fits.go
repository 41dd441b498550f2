package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
		f.add(about, Unknown, "whether "+Text(is, f.lang)+" is the "+Text(want, f.lang)+" of the spec is not known")
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
	name := label(y, i)
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
	case IsValue(x.Default) && IsValue(y.Default):
		f.add(about, Different, fmt.Sprintf("its parameter %s is %s when it is not given, the spec says %s", name, y.Default, x.Default))
	default:
		f.add(about, Unknown, "whether "+y.Default+" is the "+x.Default+" of the spec is not known")
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
