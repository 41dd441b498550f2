package toolchain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
)

// Stubs are what stands in for a module whose language needs whole files: Rust, Java, Kotlin. In Go, TypeScript and Python stubs are single
// declarations, see FailingStub.
type Stubs struct {
	Language string
	Symbols  []Symbol
	Fails    bool // what is called fails; else it gives an empty value where one is known
	// Package is the package that the files belong to, Dir their directory.
	Package, Dir string
	// File is the file that takes what may be in any: of Rust all.
	File string
	// Find gives the line that makes a type known that the signatures use, "" for a type that is known already or nowhere.
	Find func(name string) string
	// Static reports whether tests call a method on its class rather than on an object.
	Static func(owner, name string) bool
}

// StubFile is a file with stubs. Each part can be written in several ways: the first that compiles is taken, and none if none does.
type StubFile struct {
	Name, Head, Tail string
	Parts            [][]string
}

// Files makes the files. A symbol whose signature says too little is left out.
func (s Stubs) Files() []StubFile {
	switch s.Language {
	case LangRust:
		return s.rust()
	case LangJava:
		return s.javaFiles()
	case LangKotlin:
		return s.kotlinFiles()
	}
	return nil
}

// FileStubs reports whether the stubs of a language are whole files.
func FileStubs(language string) bool {
	return language == LangRust || language == LangJava || language == LangKotlin
}

// callable is a function as a spec writes it, taken apart as text.
type callable struct {
	generics, params, result, tail, before string
}

// readCallable finds name( in a signature; ok is false when there is none.
func readCallable(sig, name string) (c callable, ok bool) {
	sig = strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(sig), "`;{ ")), " ")
	at := -1
	for from := 0; name != ""; {
		i := strings.Index(sig[from:], name)
		if i < 0 {
			return c, false
		}
		i += from
		from = i + len(name)
		rest := sig[from:]
		word := i > 0 && (sig[i-1] == '_' || sig[i-1] >= '0' && sig[i-1] <= '9' || sig[i-1] >= 'A' && sig[i-1] <= 'z' && sig[i-1] != '[' && sig[i-1] != ']')
		if !word && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<")) {
			at = from
			break
		}
	}
	if at < 0 {
		return c, false
	}
	c.before = strings.TrimRight(sig[:at-len(name)], " .:#")
	rest := sig[at:]
	if inside, more, generic := signature.CutGroup(rest); generic && rest[0] == '<' {
		c.generics, rest = "<"+inside+">", more
	}
	inside, rest, ok := signature.CutGroup(rest)
	if !ok || sig[len(sig)-len(rest)-1] != ')' {
		return c, false
	}
	c.params, rest = strings.TrimSpace(inside), strings.TrimSpace(rest)
	for _, mark := range []string{"->", "→", ":"} {
		if r, found := strings.CutPrefix(rest, mark); found {
			rest = strings.TrimSpace(r)
			for _, end := range []string{" where ", " throws "} {
				if r, more, found := strings.Cut(rest, end); found {
					c.result, c.tail = strings.TrimSpace(r), strings.TrimSpace(end)+" "+more
					return c, true
				}
			}
			c.result = rest
			return c, true
		}
	}
	c.tail = rest
	return c, true
}

// parts cuts a text at the commas of its level.
func parts(s string) []string {
	out := signature.Split(s, ",")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	if last := len(out) - 1; out[last] == "" {
		out = out[:last]
	}
	return out
}

// declared takes the signature of a type apart: all of it on one line, its type parameters, and what stands behind these and the name.
func (x Symbol) declared() (sig, generics, after string) {
	sig = strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(x.Signature), "`")), " ")
	_, after, _ = strings.Cut(sig, x.Name)
	after = strings.TrimSpace(after)
	if inside, rest, ok := signature.CutGroup(after); ok && after[0] == '<' {
		generics, after = "<"+inside+">", strings.TrimSpace(rest)
	}
	return sig, generics, after
}

// braced is the text between the braces of a signature; ok is false without any.
func braced(sig string) (string, bool) {
	from, to := strings.IndexByte(sig, '{'), strings.LastIndexByte(sig, '}')
	if from < 0 || to < from {
		return "", false
	}
	return strings.TrimSpace(sig[from+1 : to]), true
}

var typeName = re.New(`\b[\p{Lu}][\pL\pN_]*\b`)

// typesIn are the names in a text that look like types, each once.
func typesIn(text string) []string {
	var out []string
	for _, n := range typeName().FindAllString(stringsIn().ReplaceAllString(text, ""), -1) {
		out = addOnce(out, n)
	}
	return out
}

var stringsIn = re.New(`"(?:[^"\\]|\\.)*"`)

// owned groups symbols by the type that they belong to.
func (s Stubs) owned() (top []Symbol, members map[string][]Symbol) {
	members = map[string][]Symbol{}
	for _, x := range s.Symbols {
		if x.Owner != "" {
			members[x.Owner] = append(members[x.Owner], x)
		} else {
			top = append(top, x)
		}
	}
	return top, members
}

// imports are the lines that make types known.
func (s Stubs) imports(types []string) string {
	if s.Find == nil {
		return ""
	}
	var lines []string
	for _, name := range types {
		lines = addOnce(lines, s.Find(name))
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// TypesOf are the names in a symbol's signature that look like types of somebody, without its own type parameters.
func TypesOf(x Symbol) []string {
	var out []string
	sig := x.Signature
	if c, ok := readCallable(sig, x.Name); ok {
		sig = c.params + " " + c.result + " " + c.tail + " " + c.before
		for _, g := range typesIn(c.generics) {
			sig = wordOf(g).ReplaceAllString(sig, "")
		}
	} else if x.Kind == "enum" {
		if body, ok := braced(sig); !ok {
			return nil
		} else {
			sig = ""
			for _, v := range parts(body) {
				if i := strings.IndexAny(v, "({"); i > 0 {
					sig += v[i:]
				}
			}
		}
	} else if body, ok := braced(sig); ok {
		sig = body
	} else {
		_, sig, _ = strings.Cut(sig, x.Name)
		sig, _, _ = strings.Cut(sig, "=")
	}
	for _, n := range typesIn(sig) {
		if n != x.Name && n != x.Owner && n != "Self" && len(n) > 1 && strings.ToUpper(n) != n {
			out = append(out, n)
		}
	}
	return out
}

func wordOf(w string) *regexp.Regexp { return regexp.MustCompile(`\b` + regexp.QuoteMeta(w) + `\b`) }

var builtins = map[string]string{
	LangRust: "String Vec Option Some None Result Ok Err Box Fn FnMut FnOnce Iterator IntoIterator Into From TryFrom TryInto AsRef AsMut Default Clone Copy Send Sync Sized Drop Eq PartialEq Ord PartialOrd ToString ToOwned Extend ExactSizeIterator DoubleEndedIterator Self",
	LangJava: "String Object Integer Long Double Float Boolean Byte Short Character Number Void Math System Thread Runnable Iterable Comparable CharSequence StringBuilder Class Enum Record Throwable Exception RuntimeException Error " +
		"IllegalArgumentException IllegalStateException UnsupportedOperationException NullPointerException ArithmeticException IndexOutOfBoundsException ArrayIndexOutOfBoundsException NumberFormatException ClassCastException CloneNotSupportedException InterruptedException AutoCloseable Override Deprecated SafeVarargs FunctionalInterface Appendable Cloneable",
	LangKotlin: "String Any Int Long Double Float Boolean Byte Short Char Number Unit Nothing Array IntArray LongArray ByteArray DoubleArray CharArray BooleanArray List MutableList Map MutableMap Set MutableSet Collection MutableCollection Iterable Iterator Sequence Pair Triple Result Comparable CharSequence StringBuilder Regex Throwable Exception RuntimeException Error " +
		"IllegalArgumentException IllegalStateException UnsupportedOperationException NullPointerException ArithmeticException IndexOutOfBoundsException NumberFormatException ClassCastException NoSuchElementException Comparator HashMap ArrayList LinkedHashMap HashSet UInt ULong Lazy Enum Annotation Suppress AutoCloseable NotImplementedError ArrayDeque IntRange ClosedRange",
}

var javaLibrary = map[string]string{
	"java.util":          "List ArrayList LinkedList Map HashMap TreeMap LinkedHashMap SortedMap NavigableMap Set HashSet TreeSet LinkedHashSet SortedSet Collection Collections Deque ArrayDeque Queue PriorityQueue Optional OptionalInt OptionalLong OptionalDouble UUID Date Locale Iterator Comparator Objects Arrays Random Currency EnumMap EnumSet BitSet Properties Base64 NoSuchElementException StringJoiner ConcurrentModificationException",
	"java.util.function": "Function BiFunction Supplier Consumer BiConsumer Predicate BiPredicate UnaryOperator BinaryOperator IntFunction ToIntFunction ToLongFunction IntPredicate IntUnaryOperator",
	"java.util.stream":   "Stream IntStream LongStream Collectors", "java.util.regex": "Pattern Matcher",
	"java.util.concurrent": "CompletableFuture Future Callable Executor ExecutorService ConcurrentHashMap ConcurrentMap TimeUnit TimeoutException",
	"java.time":            "Instant Duration LocalDate LocalDateTime LocalTime ZonedDateTime OffsetDateTime ZoneId ZoneOffset Period Clock DayOfWeek Month Year YearMonth",
	"java.math":            "BigDecimal BigInteger RoundingMode MathContext", "java.io": "IOException InputStream OutputStream Reader Writer File UncheckedIOException Closeable Serializable",
	"java.nio.file": "Path Files Paths", "java.net": "URI URL", "java.nio.charset": "Charset",
}

var libraries = map[string]map[string]string{
	LangRust: {
		"std::collections": "HashMap HashSet BTreeMap BTreeSet VecDeque BinaryHeap", "std::time": "Duration Instant SystemTime",
		"std::path": "Path PathBuf", "std::sync": "Arc Mutex RwLock", "std::rc": "Rc", "std::cell": "RefCell Cell", "std::cmp": "Ordering",
		"std::fmt": "Display Debug Formatter", "std::error": "Error", "std::io": "Read Write BufRead", "std::hash": "Hash", "std::borrow": "Cow",
		"std::num": "NonZeroU32 NonZeroU64 ParseIntError", "std::str": "FromStr", "std::net": "IpAddr SocketAddr", "std::marker": "PhantomData",
		"std::pin": "Pin", "std::future": "Future", "std::ops": "Range",
	},
	LangJava: javaLibrary, LangKotlin: javaLibrary,
}

// Builtin reports whether a language knows a type without any import.
func Builtin(language, name string) bool {
	return slices.Contains(strings.Fields(builtins[language]), name)
}

// LibraryImport is the line that makes a type of the language's own library known, "" for any other.
func LibraryImport(language, name string) string {
	for _, from := range sortedKeys(libraries[language]) {
		if !slices.Contains(strings.Fields(libraries[language][from]), name) {
			continue
		}
		switch language {
		case LangJava:
			return "import " + from + "." + name + ";"
		case LangKotlin:
			return "import " + from + "." + name
		}
		return "use " + from + "::" + name + ";"
	}
	return ""
}

// ImportOf is the line by which a file of the project makes a type known that another one of it declares. pkg is the package of that file.
func ImportOf(f Found, file, pkg, name string) string {
	switch {
	case f.Ecosystem == JVM && pkg == "":
		return ""
	case f.Language == LangJava:
		return "import " + pkg + "." + name + ";"
	case f.Language == LangKotlin:
		return "import " + pkg + "." + name
	}
	crate, module := RustModule(f.rel(file))
	if crate != "lib" {
		return ""
	}
	return "use " + strings.TrimSuffix("crate::"+module, "::") + "::" + name + ";"
}
