package signature

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form is the shape of a type.
type Form uint8

// The forms of types. A form that takes arguments has them in Args: the element of Optional,
// List, Set, Pointer, Future and Chan, key and value of Map, the members of Tuple and Union,
// value and error of Result, the parameters of Func and behind them its result.
const (
	Named    Form = iota // any other name, with arguments
	Basic                // a built-in type, its meaning in Class
	Literal              // "a", 3, true
	Optional             // may be absent
	List
	Set
	Map
	Tuple
	Union
	Func
	Future
	Result
	Pointer
	Chan
	Object // { a: T }, its text in Name
	Raw    // what is not understood, its text in Name
)

// Type is a type of any of the languages.
type Type struct {
	Form  Form
	Name  string // as written, without what qualifies it; of a list or map the way it is written
	Class string // of a Basic: string, int, float, bool, bytes, any, unit, never
	Args  []Type
	Path  string // of a Named that something qualifies: all of it
}

// basics are the names of built-in types by language, with what they mean.
var basics = map[string]map[string]string{
	TypeScript: {
		"string": "string", "String": "string", "number": "number", "Number": "number", "bigint": "int", "boolean": "bool", "Boolean": "bool", "any": "any", "unknown": "any",
		"object": "any", "void": "unit", "undefined": "unit", "null": "unit", "never": "never", "Uint8Array": "bytes", "Buffer": "bytes", "symbol": "symbol", "Error": "error",
	},
	Python: {
		"str": "string", "int": "int", "float": "float", "complex": "float", "bool": "bool", "None": "unit", "Any": "any", "object": "any", "bytes": "bytes", "NoReturn": "never", "Never": "never",
	},
	Go: {
		"string": "string", "int": "int", "int8": "int", "int16": "int", "int32": "int", "int64": "int", "uint": "int", "uint8": "int", "uint16": "int", "uint32": "int",
		"uint64": "int", "byte": "int", "rune": "int", "uintptr": "int", "float32": "float", "float64": "float", "bool": "bool", "any": "any", "error": "error",
	},
	Rust: {
		"String": "string", "str": "string", "i8": "int", "i16": "int", "i32": "int", "i64": "int", "i128": "int", "isize": "int", "u8": "int", "u16": "int", "u32": "int", "u64": "int",
		"u128": "int", "usize": "int", "f32": "float", "f64": "float", "bool": "bool", "char": "string", "Value": "any", "()": "unit", "!": "never",
	},
	Java: {
		"String": "string", "char": "string", "int": "int", "long": "int", "short": "int", "byte": "int", "Integer": "int", "Long": "int", "Short": "int", "Byte": "int", "BigInteger": "int",
		"float": "float", "double": "float", "Float": "float", "Double": "float", "BigDecimal": "float", "boolean": "bool", "Boolean": "bool", "Object": "any", "void": "unit", "Void": "unit",
	},
	Kotlin: {
		"String": "string", "Char": "string", "Int": "int", "Long": "int", "Short": "int", "Byte": "int", "Float": "float", "Double": "float", "Boolean": "bool", "Any": "any",
		"Unit": "unit", "Nothing": "never", "ByteArray": "bytes",
	},
}

// generics are the names of types with arguments that have a form of their own, by language;
// under "" for all of them.
var generics = map[string]map[string]Form{
	"": {
		"Promise": Future, "CompletableFuture": Future, "CompletionStage": Future, "Awaitable": Future, "Coroutine": Future, "Deferred": Future, "Future": Future,
		"Optional": Optional, "Option": Optional, "Maybe": Optional, "Nullable": Optional, "Result": Result,
		"Array": List, "ReadonlyArray": List, "List": List, "list": List, "Vec": List, "MutableList": List, "ArrayList": List,
		"Map": Map, "ReadonlyMap": Map, "Record": Map, "Dict": Map, "dict": Map, "HashMap": Map, "BTreeMap": Map, "MutableMap": Map, "Mapping": Map,
		"Set": Set, "ReadonlySet": Set, "set": Set, "HashSet": Set, "BTreeSet": Set, "MutableSet": Set, "FrozenSet": Set, "frozenset": Set,
		"Pair": Tuple, "Triple": Tuple, "Tuple": Tuple, "tuple": Tuple, "Union": Union,
		"Callable": Func, "Fn": Func, "FnMut": Func, "FnOnce": Func, "Function": Func, "BiFunction": Func, "Consumer": Func, "BiConsumer": Func, "Supplier": Func, "Predicate": Func, "BiPredicate": Func,
	},
	// Pointers to something on the heap and what is shared are, to who calls, the thing itself.
	Rust: {"Box": Pointer, "Rc": Pointer, "Arc": Pointer},
}

// ParseType reads a type as the language writes it. What it does not understand is Raw.
func ParseType(text, lang string) Type {
	text = squeeze(text)
	p := &typeParser{lang: lang, toks: lexType(text)}
	t, ok := p.union()
	if !ok || p.at < len(p.toks) {
		return Type{Form: Raw, Name: tight(text)}
	}
	return t
}

type typeTok struct {
	text string
	kind byte // i identifier, s string, n number, p other
}

// lexType cuts a type into words, literals and marks; a name keeps its dots.
func lexType(s string) []typeTok {
	var out []typeTok
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == ' ':
			i += n
		case r == '_' || r == '$' || unicode.IsLetter(r):
			j := i
			for j < len(s) {
				c, size := utf8.DecodeRuneInString(s[j:])
				dot := (c == '.' || c == ':' && strings.HasPrefix(s[j:], "::")) && j+1 < len(s) && !strings.HasPrefix(s[j:], "...")
				if dot && c == ':' {
					size = 2
				}
				if dot {
					if next, _ := utf8.DecodeRuneInString(s[j+size:]); next != '_' && !unicode.IsLetter(next) {
						break
					}
				} else if !ofName(c) {
					break
				}
				j += size
			}
			out = append(out, typeTok{s[i:j], 'i'})
			i = j
		case unicode.IsDigit(r):
			j := i
			for j < len(s) && (s[j] == '.' || s[j] == '_' || unicode.IsDigit(rune(s[j])) || unicode.IsLetter(rune(s[j]))) {
				j++
			}
			out = append(out, typeTok{s[i:j], 'n'})
			i = j
		case r == '"' || r == '`' || r == '\'' && !lifetime(s, i):
			j := i + 1
			for j < len(s) && rune(s[j]) != r {
				j++
			}
			j = min(j+1, len(s))
			out = append(out, typeTok{s[i:j], 's'})
			i = j
		default:
			text := string(r)
			for _, long := range []string{"...", "=>", "->", "<-", "::"} {
				if strings.HasPrefix(s[i:], long) {
					text, n = long, len(long)
					break
				}
			}
			out = append(out, typeTok{text, 'p'})
			i += n
		}
	}
	return out
}

func isWordEnd(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r != '$' && ofName(r)
}

// squeeze makes one space of all white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// tight drops white space that keeps no two words apart.
func tight(s string) string {
	var b strings.Builder
	for i, w := range strings.Fields(s) {
		if i > 0 && isWordEnd(b.String()) {
			if r, _ := utf8.DecodeRuneInString(w); r != '$' && ofName(r) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w)
	}
	return b.String()
}

// qualified is a named type, with what qualifies it kept beside its name.
func (p *typeParser) qualified(word string, args []Type) Type {
	name := last(word)
	t := p.named(name, args)
	if t.Form == Named && name != word {
		t.Path = word
	}
	return t
}
