package source

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Substitution is a line of a test whose calls give other values than the functions do: a number plus one, another text, a list of another length,
// nothing instead of an object, a value instead of a failure. What gives nothing fails. A test that compares the result fails with it.
type Substitution struct {
	Call  string // what is called first, as it is written
	Line  int
	edits []insertion
	more  string // of Go: a function for each call
}

type insertion struct {
	off  int
	text string
}

// Substitutions are the lines of a test with calls of some functions whose result is used. Of a line with several calls there are
// two, with the first and with all: what they give may be compared with each other. There are none in languages that demand to know the type of another value.
func (f File) Substitutions(t Test, called map[string]bool) (out []Substitution) {
	if otherValues[f.Lang] == "" {
		return nil
	}
	c := callAt{ts: Code(f.Tokens), lang: f.Lang, stop: t.Stop}
	for i := firstAt(c.ts, t.Off); i+1 < len(c.ts) && c.ts[i].End <= t.Stop; i++ {
		made := f.Lang == Rust && (isWord(c.ts[i], "new") || isWord(c.ts[i], "default")) // a value of a type of its own
		if c.ts[i].Kind != Ident || !called[c.ts[i].Text] || !isPunct(c.ts[i+1], "(") || made {
			continue
		}
		c.from, c.to = c.chain(i), closing(c.ts, i+1)
		if c.from < 1 || c.to == len(c.ts) || c.suspends() || !c.used() {
			continue
		}
		from, to := c.ts[c.from].Off, c.ts[c.to].End
		s := Substitution{Call: string(f.src(from, c.ts[i].End)), Line: c.ts[i].Line}
		before := "mutantOther(() => "
		switch f.Lang {
		case Go:
			name := "mutantOther" + strconv.Itoa(to)
			before, s.more = name+"(", goSubstitute(name, c.targets())
		case Python:
			before = "mutant_other(lambda: "
		case Rust:
			before = "mutant_other::Other::other("
			if body := firstAt(c.ts, t.Off); isPunct(c.ts[body], "{") {
				s.edits = append(s.edits, insertion{c.ts[body].End, otherValues[Rust]})
			}
		}
		s.edits = append(s.edits, insertion{from, before}, insertion{to, ")"})
		out = append(out, s)
	}
	return byLine(out)
}

// byLine are calls, and behind the first of a line all of it together.
func byLine(calls []Substitution) (out []Substitution) {
	for i := 0; i < len(calls); {
		all, end := calls[i], i+1
		all.edits = slices.Clone(all.edits)
		for ; end < len(calls) && calls[end].Line == all.Line; end++ {
			edits := calls[end].edits
			all.edits, all.more = append(all.edits, edits[len(edits)-2:]...), all.more+calls[end].more // without what a test has once
		}
		if out = append(out, calls[i]); end > i+1 {
			out = append(out, all)
		}
		i = end
	}
	return out
}

// Substituted is the file with some of its substitutions, each of another test.
func (f File) Substituted(subs []Substitution) []byte {
	var edits []insertion
	end := "\n"
	for _, s := range subs {
		if slices.Contains(edits, s.edits[len(s.edits)-1]) { // the call of a test that is in another
			continue
		}
		edits, end = append(edits, s.edits...), end+s.more
	}
	switch f.Lang {
	case Go:
		at := slices.IndexFunc(f.Tokens, func(t Token) bool { return isWord(t, "package") })
		edits = append(edits, insertion{f.Tokens[at+1].End, `; import mutantreflect "reflect"`})
	case TypeScript: // no type is known
		edits = append(edits, insertion{Code(f.Tokens)[0].Off, "// @ts-nocheck\n"})
	}
	if f.Lang != Rust {
		end += otherValues[f.Lang]
	}
	slices.SortStableFunc(edits, func(a, b insertion) int { return cmp.Compare(b.off, a.off) }) // the last first
	src := slices.Concat(f.raw, []byte(end))
	for _, e := range edits {
		src = slices.Insert(src, e.off, []byte(e.text)...)
	}
	return src
}

// callAt is a call in a test: from is its first token, to the bracket that closes it.
type callAt struct {
	ts       []Token
	lang     string
	from, to int
	stop     int // offset of the end of the test
}

// chain is the index of the first token of what a method is called on, or of its package, where name is that of its name; -1 where that is not known.
func (c callAt) chain(name int) int {
	i := name
	for i > 1 && (isPunct(c.ts[i-1], ".") || isPunct(c.ts[i-1], "?.") || isPunct(c.ts[i-1], "::")) {
		j, bracket := i-2, false
		for j >= 0 && (isPunct(c.ts[j], ")") || isPunct(c.ts[j], "]")) {
			j, bracket = opening(c.ts, j)-1, true
		}
		switch {
		case j < 0:
			return -1
		case c.lang == Rust && bracket && j > 0 && isPunct(c.ts[j], "!"):
			j--
		case bracket && beforeValue[c.ts[j].Text], bracket && c.ts[j].Kind != Ident:
			return j + 1
		case c.ts[j].Kind == Ident, c.ts[j].Kind == String:
		default:
			return -1
		}
		i = j
	}
	if i > 0 && i != name && isWord(c.ts[i-1], "new") {
		i--
	}
	return i
}

// beforeValue are words that a value in brackets follows.
var beforeValue = map[string]bool{
	"return": true, "await": true, "in": true, "not": true, "and": true, "or": true, "if": true, "elif": true, "else": true, "assert": true,
	"yield": true, "typeof": true, "match": true, "while": true, "of": true, "case": true, "lambda": true, "is": true,
}

// suspends reports whether the call waits for something within it, which a function around it cannot.
func (c callAt) suspends() bool {
	return slices.ContainsFunc(c.ts[c.from:c.to], func(t Token) bool {
		return isWord(t, "await") || isWord(t, "yield") || c.lang == Python && isPunct(t, ":=")
	})
}

// used reports whether the test does something with what the call gives.
func (c callAt) used() bool {
	first := c.from
	if isWord(c.ts[first-1], "await") {
		first--
	}
	before, after := c.ts[first-1], Token{Off: c.stop}
	if c.to+1 < len(c.ts) {
		after = c.ts[c.to+1]
	}
	if isPunct(before, "(") && first > 1 && (isWord(c.ts[first-2], "create_task") || isWord(c.ts[first-2], "ensure_future")) {
		return false // it may be made to end, and give nothing
	}
	switch before.Text {
	case "func", "go", "defer", "def", "class", "fn", "function", "new", "@":
		return false
	}
	begins := isPunct(before, "{") || isPunct(before, "}") || isPunct(before, ";") ||
		before.Line < c.ts[first].Line && (before.Kind != Punct || strings.Contains(")]", before.Text))
	ends := isPunct(after, ";") || after.Off >= c.stop ||
		c.lang != Rust && (isPunct(after, "}") || after.Line > c.ts[c.to].Line && !isPunct(after, ".") && !isPunct(after, "?."))
	switch {
	case c.lang == Python:
		begins = c.ts[first].Indent >= 0 || isPunct(before, ";") || isPunct(before, ":")
		ends = after.Indent >= 0 || after.Off >= c.stop || isPunct(after, ";")
	case (c.lang == JavaScript || c.lang == TypeScript) && isPunct(after, "{"): // a method is declared
		return false
	}
	if begins && ends {
		return false
	}
	names := c.targets()
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool {
		for i := c.to + 1; i < len(c.ts) && c.ts[i].Off < c.stop; i++ {
			if n != "_" && isWord(c.ts[i], n) && !isPunct(c.ts[i-1], ".") {
				return true
			}
		}
		return false
	})
}

// targets are the names that what the call gives is assigned to; none where it is not, or to something else than names.
func (c callAt) targets() (names []string) {
	at := c.from - 1
	if isWord(c.ts[at], "await") {
		at--
	}
	if at < 1 || !isPunct(c.ts[at], "=") && !isPunct(c.ts[at], ":=") {
		return nil
	}
	for at--; at > 0 && c.ts[at].Kind == Ident; at -= 2 {
		names = append([]string{c.ts[at].Text}, names...)
		switch {
		case isPunct(c.ts[at-1], ":") && len(names) == 1: // that was its type
			names = nil
		case isPunct(c.ts[at-1], "."):
			return nil
		case !isPunct(c.ts[at-1], ","):
			return names
		}
	}
	return nil
}

// goSubstitute is a function of Go that gives other values than those that are assigned to some names: the error is none where there is one,
// else the first that counts is another.
func goSubstitute(name string, targets []string) string {
	types, params, results, counts := "", "", "", ""
	for i := range max(1, len(targets)) {
		n := strconv.Itoa(i)
		types, params, results = types+"T"+n+", ", params+"v"+n+" T"+n+", ", results+"v"+n+", "
		if len(targets) == 0 || targets[i] != "_" {
			counts += "&v" + n + ", "
		}
	}
	list := strings.TrimSuffix(results, ", ")
	return "func " + name + "[" + strings.TrimSuffix(types, ", ") + " any](" + params + ") (" + strings.TrimSuffix(types, ", ") + ") { mutantChange(" + counts + "); return " + list + " }\n"
}

// otherValues are the declarations that give another value, by language. What has no other value fails, as a test does that notices one.
var otherValues = map[string]string{
	Go: `
type mutantError struct{}

func (mutantError) Error() string { return "mutant" }

func mutantChange(values ...any) {
	if err, ok := mutantreflect.ValueOf(values[len(values)-1]).Elem().Interface().(error); ok && err != nil {
		mutantreflect.ValueOf(values[len(values)-1]).Elem().SetZero()
		return
	}
	if last := mutantreflect.ValueOf(values[len(values)-1]).Elem(); len(values) > 1 && last.Kind() == mutantreflect.Bool && !last.Bool() {
		last.SetBool(true)
		return
	}
	for _, v := range values {
		if mutantSet(mutantreflect.ValueOf(v).Elem()) {
			return
		}
	}
	panic("mutant")
}

func mutantSet(v mutantreflect.Value) bool {
	switch {
	case !v.CanSet():
		return false
	case v.Kind() == mutantreflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		if v.Int() == 1 {
			v.SetInt(-1)
		}
		v.SetInt(v.Int() + 1)
	case v.CanUint():
		if v.SetUint(v.Uint() + 1); v.Uint() == 2 {
			v.SetUint(0)
		}
	case v.CanFloat():
		if f := 2*v.Float() + 1; f == f && f != v.Float() {
			v.SetFloat(f)
		} else {
			v.SetFloat(0)
		}
	case v.Kind() == mutantreflect.String:
		v.SetString(string(make([]byte, v.Len()+1)))
	case v.Kind() == mutantreflect.Slice:
		v.Set(mutantreflect.MakeSlice(v.Type(), v.Len()+1, v.Len()+1))
	case v.Kind() == mutantreflect.Struct:
		changed := false
		for i := range v.NumField() {
			changed = mutantSet(v.Field(i)) || changed
		}
		if !changed && !v.IsZero() {
			v.SetZero()
			changed = true
		}
		return changed
	case v.Type() == mutantreflect.TypeFor[error]() && v.IsNil():
		v.Set(mutantreflect.ValueOf(mutantError{}))
	case v.IsZero():
		return false
	default:
		v.SetZero()
	}
	return true
}
`,
	Python: `

def mutant_other(call):
    def other(v):
        if v is None:
            raise RuntimeError("mutant")
        if isinstance(v, float):
            return 2 * v + 1 if v == v and 2 * v + 1 != v else 0.0
        if type(v) is int and v == 1:
            return 0
        if isinstance(v, str):
            return "?" * (len(v) + 1)
        return ` + otherPython + `(v)

    async def later(v):
        try:
            v = await v
        except (Exception, SystemExit):
            return None
        return other(v)

    try:
        v = call()
    except (Exception, SystemExit):
        return None
    return later(v) if hasattr(v, "__await__") else other(v)
`,
	JavaScript: otherOfScript,
	TypeScript: otherOfScript,
	Rust: strings.ReplaceAll(` #[allow(warnings)] mod mutant_other {
pub trait Other: Sized { fn other(self) -> Self; fn some() -> Self; }
macro_rules! numbers { ($($t:ty)*) => { $(impl Other for $t { fn other(self) -> Self { if self == 1 { 0 } else { self + 1 } } fn some() -> Self { 1 } })* } }
macro_rules! floats { ($($t:ty)*) => { $(impl Other for $t { fn other(self) -> Self { let f = self * 2.0 + 1.0; if f.is_nan() || f == self { 0.0 } else { f } } fn some() -> Self { 1.0 } })* } }
numbers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
floats! { f32 f64 }
impl Other for bool { fn other(self) -> Self { !self } fn some() -> Self { true } }
impl Other for char { fn other(self) -> Self { if self == '?' { '!' } else { '?' } } fn some() -> Self { '?' } }
impl Other for String { fn other(self) -> Self { "\u{0}".repeat(self.len() + 1) } fn some() -> Self { String::from("?") } }
impl<'a> Other for &'a str { fn other(self) -> Self { if self == "\u{0}" { "?" } else { "\u{0}" } } fn some() -> Self { "?" } }
impl<T: Other> Other for Option<T> { fn other(self) -> Self { if self.is_some() { None } else { Self::some() } } fn some() -> Self { Some(T::some()) } }
impl<T: Other, E> Other for Result<T, E> { fn other(self) -> Self { Ok(match self { Ok(v) => v.other(), Err(_) => T::some() }) } fn some() -> Self { Ok(T::some()) } }
impl<T: Other> Other for Vec<T> { fn other(mut self) -> Self { self.push(T::some()); self } fn some() -> Self { vec![T::some()] } }
impl<A: Other, B: Other> Other for (A, B) { fn other(self) -> Self { (self.0.other(), self.1.other()) } fn some() -> Self { (A::some(), B::some()) } }
impl Other for () { fn other(self) -> Self { panic!("mutant") } fn some() -> Self {} }
}`, "\n", " "), // on the line that it is put in
}

const otherOfScript = `
function mutantOther(call) {
  const other = (v) => {
    if (v === undefined || v === null) throw new Error("mutant");
    if (typeof v === "number" && !Number.isInteger(v)) return v === v && 2 * v + 1 !== v ? 2 * v + 1 : 0;
    if (v === 1) return 0;
    if (typeof v === "string") return "?".repeat(v.length + 1);
    return ` + otherScript + `(v);
  };
  let v;
  try {
    v = call();
  } catch {
    return undefined;
  }
  return typeof v?.then === "function" ? v.then(other, () => undefined) : other(v);
}
`
