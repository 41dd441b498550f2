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
	if record := a.Form == Object || b.Form == Object; record && (c.lang != TypeScript || a.Form == Map || b.Form == Map) {
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
	return slices.ContainsFunc([]Type{a, b}, func(t Type) bool { return c.isAny(t) && basics[c.lang][t.Name] == "" })
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
		return c.objects(a.Name, b.Name)
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

// objects compares record types by their members.
func (c *comparison) objects(a, b string) Verdict {
	if a == b {
		return Same
	}
	x, ok1 := Fields(a, c.lang)
	y, ok2 := Fields(b, c.lang)
	if !ok1 || !ok2 || c.lang != TypeScript || strings.Contains(a+b, "[") {
		return Unknown
	}
	out := Same
	for _, f := range x {
		i := slices.IndexFunc(y, func(g Field) bool { return g.Name == f.Name })
		if i < 0 || len(x) != len(y) || f.Optional != y[i].Optional {
			return Different
		}
		if f.Type == nil || y[i].Type == nil {
			out = Unknown
		} else if v := c.types(*f.Type, *y[i].Type); v != Same {
			if out = v; v == Different {
				return v
			}
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
	names := [][2]string{{"int", "Integer"}, {"long", "Long"}, {"short", "Short"}, {"byte", "Byte"}, {"float", "Float"}, {"double", "Double"}, {"boolean", "Boolean"}, {"void", "Void"}}
	return slices.ContainsFunc(names, func(p [2]string) bool { return pair(a, b, p[0], p[1]) })
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
		add(false, "no longer says that it returns '%s'", Text(x, lang))
	}
	if before.Async != after.Async {
		add(true, "return type changed: %s", map[bool]string{true: "it is asynchronous now", false: "it is no longer asynchronous"}[after.Async])
	}
	slices.Sort(before.Throws)
	slices.Sort(after.Throws)
	if lang == Java && !slices.Equal(before.Throws, after.Throws) {
		add(true, "throws changed from '%s' to '%s'", strings.Join(before.Throws, ", "), strings.Join(after.Throws, ", "))
	}
}

// label is what a parameter is called by: its name, or its place.
func label(p Param, i int) string { return cmp.Or(p.Name, fmt.Sprint(i+1)) }

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
