package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Text is a type as it was read, laid out as the language does, or TypeScript where nobody knows the language.
func Text(t Type, lang string) string {
	lang = cmp.Or(lang, TypeScript)
	return (&writer{lang: lang, from: lang}).typ(t, false)
}

// Convert writes a declaration, a type `Name { a: T }` or a class `Name(a: T)` in another
// language: its words for types, its way to name things and its way to say that something
// may be absent, happens later or fails. Types that nobody declared for all languages keep
// their names. false says that the text is none of these.
func Convert(text, lang string) (string, bool) {
	text = strings.Trim(strings.TrimSpace(text), "`")
	if name, variants, ok := enumeration(text); ok {
		return convertEnum(name, variants, lang)
	}
	head, _, braces := strings.Cut(text, "{")
	if braces && !strings.Contains(head, "(") {
		return convertRecord(text, strings.TrimSpace(head), lang)
	}
	s, ok := Parse(text, "")
	if !ok {
		return "", false
	}
	w := &writer{lang: lang, from: s.Lang, paths: true}
	words := strings.Fields(text[:strings.IndexByte(text, '(')])
	if first := []rune(s.Name)[0]; slices.Contains(words, "class") || s.Result == nil && !s.Async && len(s.Throws) == 0 && len(words) == 1 && unicode.IsUpper(first) && s.Lang != Go {
		return w.class(s), true
	}
	return w.function(s), true
}

// enumeration reads `Name: A | B(reason: string)`, an enumeration or an error with several causes.
func enumeration(text string) (name string, variants []string, ok bool) {
	name, rest, ok := Cut(text, ":")
	name = strings.TrimSpace(name)
	if !ok || !isIdent(name) || !unicode.IsUpper([]rune(name)[0]) {
		return "", nil, false
	}
	for _, v := range Split(rest, "|") {
		v = strings.TrimSpace(v)
		label := leadingIdent(v)
		if label == "" || !unicode.IsUpper([]rune(label)[0]) || len(v) > len(label) && v[len(label)] != '(' {
			return "", nil, false
		}
		variants = append(variants, v)
	}
	return name, variants, len(variants) > 1
}

// convertEnum writes an enumeration; false where the language has none, or none whose variants carry something.
func convertEnum(name string, variants []string, lang string) (string, bool) {
	carries := slices.ContainsFunc(variants, func(v string) bool { return strings.Contains(v, "(") })
	list := strings.Join(variants, ", ")
	switch {
	case lang == Rust:
		for i, v := range variants {
			if s, ok := Parse(v, TypeScript); ok && len(s.Params) > 0 {
				var fields []string
				w := &writer{lang: Rust, from: TypeScript}
				for _, p := range s.Params {
					fields = append(fields, p.Name+": "+w.typ(*p.Type, true))
				}
				variants[i] = s.Name + " { " + strings.Join(fields, ", ") + " }"
			}
		}
		return "pub enum " + name + " { " + strings.Join(variants, ", ") + " }", true
	case carries || lang == Go:
		return "", false
	case lang == Kotlin:
		return "enum class " + name + " { " + list + " }", true
	case lang == Java:
		return "public enum " + name + " { " + list + " }", true
	case lang == Python:
		return "class " + name + "(Enum):\n    " + strings.Join(variants, " = auto()\n    ") + " = auto()", true
	}
	return "export enum " + name + " { " + list + " }", true
}

// words are what the languages call what a basic type stands for: TypeScript, Python, Go,
// Rust, Java, Kotlin.
var words = map[string][6]string{
	"string": {"string", "str", "string", "String", "String", "String"},
	"int":    {"number", "int", "int64", "i64", "long", "Long"},
	"number": {"number", "int", "int64", "i64", "long", "Long"},
	"float":  {"number", "float", "float64", "f64", "double", "Double"},
	"bool":   {"boolean", "bool", "bool", "bool", "boolean", "Boolean"},
	"bytes":  {"Uint8Array", "bytes", "[]byte", "Vec<u8>", "byte[]", "ByteArray"},
	"any":    {"any", "Any", "any", "Value", "Object", "Any"},
	"unit":   {"void", "None", "", "()", "void", "Unit"},
	"never":  {"never", "NoReturn", "", "!", "void", "Nothing"},
	"error":  {"Error", "Exception", "error", "Error", "Exception", "Throwable"},
	"symbol": {"symbol", "Any", "any", "Value", "Object", "Any"},
}

var order = []string{TypeScript, Python, Go, Rust, Java, Kotlin}

type writer struct {
	lang, from string
	paths      bool // in its own language a type keeps what qualifies it
}

func (w *writer) word(class string) string { return words[class][slices.Index(order, w.lang)] }

// said is the type that is said of something, any where none is.
func (w *writer) said(t *Type) Type {
	if t == nil {
		return Type{Form: Basic, Name: w.word("any"), Class: "any"}
	}
	return *t
}

// keeps says that nothing has to be translated.
func (w *writer) keeps() bool { return w.lang == w.from }

// choose picks by language.
func (w *writer) choose(ts, py, golang, rust, java, kotlin string) string {
	return [...]string{ts, py, golang, rust, java, kotlin}[slices.Index(order, w.lang)]
}

func (w *writer) list(ts []Type) string {
	out := make([]string, len(ts))
	for i := range ts {
		out[i] = w.typ(ts[i], true)
	}
	return strings.Join(out, ", ")
}

// with is a name with arguments in the brackets of the language.
func (w *writer) with(name string, args ...Type) string {
	if len(args) == 0 {
		return name
	}
	if w.lang == Python || w.lang == Go {
		return name + "[" + w.list(args) + "]"
	}
	return name + "<" + w.list(args) + ">"
}

// typ writes a type; inner says that it is the argument of another one.
func (w *writer) typ(t Type, inner bool) string {
	if w.keeps() {
		if s, ok := w.same(t); ok {
			return s
		}
	}
	arg := func(i int) string {
		if i < len(t.Args) {
			return w.typ(t.Args[i], true)
		}
		return w.word("any")
	}
	switch t.Form {
	case Basic:
		name := w.word(t.Class)
		if w.keeps() {
			name = t.Name
		}
		if w.lang == Java && inner {
			return box(name)
		}
		return name
	case Literal:
		return w.literal(t)
	case Optional:
		return w.optional(t.Args[0])
	case List:
		e := arg(0)
		if strings.ContainsAny(e, "|&") || strings.Contains(e, "=>") {
			e = w.choose("("+e+")", e, e, e, e, e)
		}
		return w.choose(e+"[]", "List["+e+"]", "[]"+e, "Vec<"+e+">", "List<"+e+">", "List<"+e+">")
	case Set:
		e := arg(0)
		return w.choose("Set<"+e+">", "Set["+e+"]", "map["+e+"]struct{}", "HashSet<"+e+">", "Set<"+e+">", "Set<"+e+">")
	case Map:
		kv := arg(0) + ", " + arg(1)
		return w.choose("Map<"+kv+">", "Dict["+kv+"]", "map["+arg(0)+"]"+arg(1), "HashMap<"+kv+">", "Map<"+kv+">", "Map<"+kv+">")
	case Tuple:
		return w.tuple(t)
	case Union:
		return w.union(t)
	case Func:
		return w.callback(t, !inner)
	case Future:
		e := arg(0)
		return w.choose("Promise<"+e+">", "Awaitable["+e+"]", "<-chan "+e, "impl Future<Output = "+e+">", "CompletableFuture<"+e+">", "Deferred<"+e+">")
	case Result:
		if w.lang == Kotlin {
			return "Result<" + arg(0) + ">"
		}
		return w.with("Result", t.Args...)
	case Pointer:
		return w.typ(t.Args[0], inner)
	case Chan:
		e := arg(0)
		return w.choose("AsyncIterable<"+e+">", "AsyncIterator["+e+"]", "<-chan "+e, "Receiver<"+e+">", "BlockingQueue<"+e+">", "Channel<"+e+">")
	case Object:
		return w.choose("object", "Dict[str, Any]", "map[string]any", "Value", "Map<String, Object>", "Map<String, Any>")
	case Raw:
		return w.word("any")
	case Named:
	}
	if t.Name == "&" {
		return w.typ(t.Args[0], inner)
	}
	if t.Name == "..." {
		return "..."
	}
	return w.with(t.Name, t.Args...)
}

// same writes a type in its own language, as far as that is not what typ does.
func (w *writer) same(t Type) (string, bool) {
	switch t.Form {
	case Raw, Object, Basic:
		return t.Name, t.Form != Basic || w.lang != Java
	case List:
		if len(t.Args) == 0 {
			return t.Name, true
		}
		e := w.typ(t.Args[0], true)
		switch {
		case strings.HasPrefix(t.Name, "[") && w.lang == Go:
			return t.Name + e, true
		case strings.HasPrefix(t.Name, "[") && w.lang == Rust:
			size := strings.Trim(t.Name, "[]")
			if size != "" {
				size = "; " + size
			}
			return "[" + e + size + "]", true
		case t.Name == "[]" && w.lang != Python:
			if strings.Contains(e, " | ") || strings.Contains(e, "=>") {
				e = "(" + e + ")"
			}
			return w.typ(t.Args[0], false) + "[]", !strings.HasPrefix(e, "(")
		case t.Name == "...":
			return "..." + e, true
		}
		return w.with(t.Name, t.Args...), true
	case Map, Set, Future, Result:
		if t.Name == "map" || len(t.Args) == 0 {
			return t.Name, len(t.Args) == 0
		}
		return w.with(t.Name, t.Args...), true
	case Pointer:
		if len(t.Name) > 1 {
			return w.with(t.Name, t.Args...), true
		}
		return t.Name + w.typ(t.Args[0], false), true
	case Chan:
		return t.Name + " " + w.typ(t.Args[0], false), true
	case Func:
		if t.Name != "" && t.Name != "Callable" {
			args := t.Args
			switch t.Name {
			case "Consumer", "BiConsumer", "Predicate", "BiPredicate":
				args = args[:len(args)-1]
			}
			return w.with(t.Name, args...), true
		}
	case Named:
		if t.Name == "&" {
			out := make([]string, len(t.Args))
			for i := range t.Args {
				out[i] = w.typ(t.Args[i], false)
			}
			if w.lang == Rust {
				return strings.Join(out, " + "), true
			}
			return strings.Join(out, " & "), true
		}
		if w.paths && t.Path != "" {
			return w.with(t.Path, t.Args...), true
		}
	case Tuple:
		if w.lang == Go {
			return "(" + w.list(t.Args) + ")", true
		}
		if t.Name != "" {
			return w.with(t.Name, t.Args...), true
		}
	default:
	}
	return "", false
}

func (w *writer) literal(t Type) string {
	class := "string"
	switch {
	case t.Name == "true" || t.Name == "false":
		class = "bool"
	case !strings.HasPrefix(t.Name, `"`):
		class = "int"
	}
	switch w.lang {
	case TypeScript:
		return t.Name
	case Python:
		return "Literal[" + pythonValue(t.Name) + "]"
	}
	return w.word(class)
}

// box is the class of Java that stands for a primitive type among arguments.
func box(name string) string {
	switch name {
	case "int":
		return "Integer"
	case "char":
		return "Character"
	case "long", "short", "byte", "float", "double", "boolean", "void":
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

func (w *writer) optional(e Type) string {
	inner := w.typ(e, true)
	switch w.lang {
	case TypeScript:
		if e.Form == Func {
			inner = "(" + inner + ")"
		}
		return inner + " | null"
	case Python:
		return inner + " | None"
	case Go:
		if e.Form == List || e.Form == Map || e.Form == Set || e.Form == Func || e.Form == Union || e.Form == Chan || e.Class == "any" || e.Class == "bytes" || e.Class == "error" || strings.HasPrefix(inner, "*") {
			return inner
		}
		return "*" + inner
	case Rust:
		return "Option<" + inner + ">"
	case Java:
		return "Optional<" + inner + ">"
	}
	if e.Form == Func {
		inner = "(" + inner + ")"
	}
	return inner + "?"
}

func (w *writer) tuple(t Type) string {
	all := w.list(t.Args)
	switch {
	case w.lang == TypeScript:
		return "[" + all + "]"
	case w.lang == Python:
		return "Tuple[" + all + "]"
	case w.lang == Rust:
		return "(" + all + ")"
	case w.lang == Go:
		return "[]any"
	case len(t.Args) == 2:
		return "Pair<" + all + ">"
	case w.lang == Kotlin && len(t.Args) == 3:
		return "Triple<" + all + ">"
	}
	return "List<" + w.word("any") + ">"
}

func (w *writer) union(t Type) string {
	same := true
	for _, m := range t.Args {
		same = same && m.Form == Literal && w.literal(m) == w.literal(t.Args[0])
	}
	if same && w.lang != TypeScript && w.lang != Python {
		return w.literal(t.Args[0])
	}
	if w.lang != TypeScript && w.lang != Python {
		return w.word("any")
	}
	if w.lang == Python && !slices.ContainsFunc(t.Args, func(m Type) bool { return m.Form != Literal }) {
		out := make([]string, len(t.Args))
		for i := range t.Args {
			out[i] = pythonValue(t.Args[i].Name)
		}
		return "Literal[" + strings.Join(out, ", ") + "]"
	}
	out := make([]string, len(t.Args))
	for i := range t.Args {
		if out[i] = w.typ(t.Args[i], true); t.Args[i].Form == Func && w.lang == TypeScript {
			out[i] = "(" + out[i] + ")"
		}
	}
	return strings.Join(out, " | ")
}

// callback writes the type of a function; outer says that it is no argument of another type.
func (w *writer) callback(t Type, outer bool) string {
	params, result := t.Args[:len(t.Args)-1], t.Args[len(t.Args)-1]
	all, r := w.list(params), w.typ(result, w.lang != Java)
	unit := result.Form == Basic && result.Class == "unit"
	switch w.lang {
	case TypeScript:
		named := make([]string, len(params))
		for i := range params {
			named[i] = fmt.Sprintf("arg%d: %s", i, w.typ(params[i], true))
		}
		return "(" + strings.Join(named, ", ") + ") => " + r
	case Python:
		return "Callable[[" + all + "], " + r + "]"
	case Go:
		if unit {
			return "func(" + all + ")"
		}
		return "func(" + all + ") " + r
	case Rust:
		text := "Fn(" + all + ")"
		if !unit {
			text += " -> " + r
		}
		if outer {
			return "impl " + text
		}
		return "Box<dyn " + text + ">"
	case Kotlin:
		return "(" + all + ") -> " + r
	}
	boxed := box(r)
	bool := result.Form == Basic && result.Class == "bool"
	switch n := len(params); {
	case n == 0 && unit:
		return "Runnable"
	case n == 0:
		return "Supplier<" + boxed + ">"
	case n == 1 && unit:
		return "Consumer<" + all + ">"
	case n == 2 && unit:
		return "BiConsumer<" + all + ">"
	case n == 1 && bool:
		return "Predicate<" + all + ">"
	case n == 2 && bool:
		return "BiPredicate<" + all + ">"
	case n == 1:
		return "Function<" + all + ", " + boxed + ">"
	case n == 2:
		return "BiFunction<" + all + ", " + boxed + ">"
	}
	return fmt.Sprintf("Function%d<%s, %s>", len(params), all, boxed)
}

// Name is an identifier as the language writes those of functions and parameters: Pascal
// case in Go, where it is exported.
func Name(name, lang string) string {
	parts := split(name)
	if len(parts) == 0 {
		return name
	}
	private := strings.HasPrefix(name, "_")
	switch lang {
	case Python, Rust:
		out := strings.ToLower(strings.Join(parts, "_"))
		if private {
			out = "_" + out
		}
		return out
	case Go:
		for i, p := range parts {
			if up := strings.ToUpper(p); slices.Contains(initialisms, up) {
				parts[i] = up
				continue
			}
			parts[i] = upperFirst(strings.ToLower(p))
		}
		return strings.Join(parts, "")
	}
	for i, p := range parts {
		parts[i] = strings.ToLower(p)
		if i > 0 {
			parts[i] = upperFirst(parts[i])
		}
	}
	return strings.Join(parts, "")
}

// initialisms are written in one case by those who write Go.
var initialisms = []string{"API", "CPU", "CSS", "DB", "DNS", "HTML", "HTTP", "HTTPS", "ID", "IO", "IP", "JSON", "JWT", "OS", "RPC", "SQL", "SSH", "TCP", "TLS", "TTL", "UDP", "UI", "URI", "URL", "UTF", "UUID", "XML", "YAML"}

// split cuts a name into its words.
func split(name string) []string {
	var out []string
	var word []rune
	runes := []rune(name)
	flush := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = nil
		}
	}
	for i, r := range runes {
		if r == '_' || r == '-' || r == '$' {
			flush()
			continue
		}
		before := i > 0 && unicode.IsUpper(runes[i-1])
		after := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && (!before || after) {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}

func upperFirst(s string) string {
	r := []rune(s)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

// lowerFirst makes the first word of a Go name lower case: userID, idToken.
func lowerFirst(s string) string {
	parts := split(s)
	if len(parts) == 0 {
		return s
	}
	parts[0] = strings.ToLower(parts[0])
	return strings.Join(parts, "")
}
