package signature_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/signature"
)

func parse(t *testing.T, text, lang string) signature.Sig {
	t.Helper()
	s, ok := signature.Parse(text, lang)
	if !ok {
		t.Fatalf("%q is no signature", text)
	}
	return s
}

// names is what a module declares: ID is another word for string, Claims and Token are types
// of their own.
func names(name string) (*signature.Type, bool) {
	switch name {
	case "ID":
		t := signature.ParseType("string", signature.TypeScript)
		return &t, true
	case "C":
		t := signature.ParseType("Claims", signature.TypeScript)
		return &t, true
	case "Claims", "Token":
		return nil, true
	}
	return nil, false
}

// TestFits: what of a spec code can be said not to do, and what never may be said.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, spec, code, want string }{
		// the layout, spelling and completeness of a spec are no differences
		{"typescript", "add( a : number,b?:number ) : Promise< Map<string,number> >", "async function add(a:number,b?:number):Promise<Map<string,number>>", ""},
		{"typescript", "add(a, b)", "function add(a:number,b:string):string", ""},
		{"typescript", "add(a: number): string", "function add(a){", ""},
		{"typescript", "add(x: number)", "add(y: number)", ""},
		{"typescript", "f(a: Array<string>, b: readonly string[])", "f(a:string[],b:string[])", ""},
		{"typescript", "f(a?: string)", "f(a: string | undefined)", "its parameter a is required"},
		{"typescript", "f(a: string | undefined)", "f(a?: string)", ""},
		{"python", "f(a: Optional[int] = None)", "f(a: Optional[int])", "its parameter a is required"},
		{"rust", "f(a?: string)", "f(a: Option<String>)", ""},
		{"go", "F(a []string)", "F(a ...string)", "takes any number of values"},
		{"go", "F(a: string[])", "F(a ...string)", ""},
		{"typescript", "f(a?: string)", "f(a: string | null = null)", ""},
		{"typescript", "f(): string | number", "f(): number | string", ""},
		{"typescript", "f(o: { a: string; b?: number })", "f(o: { a: string, b?: number })", ""},
		{"typescript", "f(a: jwt.Claims): auth.Claims", "f(a: Claims): C", ""},
		{"typescript", "f(a: ID): Claims", "f(a: string): External", ""},
		{"typescript", "f(cb: (err: Error) => void)", "f(cb: (e: Error) => void)", ""},
		{"typescript", "f(t: keyof T)", "f(t: T['x'])", ""},
		{"typescript", "f(a: str, b: int) -> bool", "function f(a: string, b: number): boolean", ""},
		{"typescript", "f(a: List<string>): Dict<string, int>", "f(a: string[]): Record<string, number>", ""},
		{"typescript", "async f(a: string): Claims", "async f(a: string): Promise<Claims>", ""},
		{"python", "add(a: int, b: int = 2) -> int", "def add(a, b=2)", ""},
		{"python", "f(a: Optional[str]) -> List[int]", "def f(a: str | None = None) -> list[int]", ""},
		{"python", "f(a: Union[int, str, None])", "def f(a: 'str | int | None')", ""},
		{"python", "validateToken(userToken: string): boolean", "def validateToken(user_token: str) -> bool", ""},
		{"python", "f(a, b, c)", "def f(a, *, c, b)", ""},
		{"python", "f(x: typing.Any) -> dict", "def f(x: Any) -> dict[str, int]", ""},
		{"python", "m(a: int)", "def m(self, a: int)", ""},
		{"go", "Add(a int, b int) int", "func Add(a, b int) int", ""},
		{"go", "Add(int, int) int", "func Add(a, b int) int", ""},
		{"go", "F(x any, b uint8) error", "func F(x interface{}, b byte) error", ""},
		{"go", "Parse(text string) (Money, error)", "func Parse(text string) (m money.Money, err error)", ""},
		{"go", "parse(text: string): Money", "func parse(text string) (Money, error)", ""},
		{"go", "Load(id string) error", "func Load(ctx context.Context, id string) error", ""},
		{"go", "Map[K comparable, V any](m map[K]V) []V", "func Map[K comparable, V any](m map[K]V) []V", ""},
		{"rust", "parse(text: &str) -> Result<Claims, Error>", "pub fn parse<'a>(text: &'a str) -> Result<Claims, Error>", ""},
		{"rust", "parse(text: string): Claims", "pub fn parse(text: String) -> Result<Claims, E>", ""},
		{"java", "Claims validate(final String token)", "public Claims validate(@NonNull String t) throws E", ""},
		{"java", "validate(token: string): List<Integer>", "public List<Integer> validate(String token)", ""},
		{"kotlin", "suspend fun f(x: Int?): List<String>", "suspend fun f(x: Int? = null): List<String>", ""},
		{"go", "Add(…) int", "func Add(a, b int) int", ""},
		{"go", "Money.Add(o Money) Money", "func(m *Money)Add(o Money)Money", ""},
		{"typescript", "f<T>(a: T, b: () => void): Promise<T>", "export const f=async<T>(a:T,b:()=>void):Promise<T>", ""},
		{"java", "f(String a): int", "public int f(String a)", ""},
		{"python", "f(a: int)", "async def f(a: int) -> int", ""},
		{"rust", "f() -> io::Result<String>", "pub fn f() -> Result<String, Error>", ""},
		// differences
		{"java", "f(String a): int", "public int f(long a)", "is long"},
		{"python", "f(a: int) -> int", "async def f(a: int) -> int", "is async"},
		{"python", "async f(a: int)", "def f(a: int) -> int", "is not async"},
		{"kotlin", "fun f(a: Int): Int", "suspend fun f(a: Int): Int", "is suspend"},
		{"rust", "async f(a: u8) -> u8", "pub fn f(a: u8) -> u8", "is not async"},
		{"typescript", "add(a: number)", "add(a: number, b: number)", "takes 2 parameters"},
		{"typescript", "add(a: number): string", "add(a: number): number", "returns number, the spec says string"},
		{"typescript", "add(a: string)", "add(a: number)", "parameter a is number, the spec says string"},
		{"typescript", "add(a: string): Claims", "add(a: string): Token", "returns Token, the spec says Claims"},
		{"typescript", "add(a: ID)", "add(a: number)", "is number, the spec says ID"},
		{"typescript", "f(a: string[]): void", "f(a: number[]): void", "is number[], the spec says string[]"},
		{"typescript", "f(a: Map<string, number>)", "f(a: Map<string, string>)", "the spec says Map<string, number>"},
		{"typescript", "f(): Map<string, number>", "f(): Set<string>", "returns Set<string>"},
		{"typescript", "f(a: string): Claims", "async f(a: string): Promise<Claims>", "returns a promise"},
		{"typescript", "f(a?: string)", "f(a: string)", "is required"},
		{"typescript", "f(): string", "f(): string | null", "returns string | null"},
		{"typescript", "f(cb: (a: string) => void)", "f(cb: (a: number) => void)", "parameter cb is"},
		{"python", "add(a: int) -> int", "def add(a: int) -> str", "returns str, the spec says int"},
		{"python", "add(x: int)", "def add(y: int)", "called y"},
		{"python", "add(a: list[int])", "def add(a: dict[int, int])", "is dict[int, int]"},
		{"go", "Add(a int) int", "func Add(a int64) int", "is int64, the spec says int"},
		{"go", "Add(a int) error", "func Add(a int)", "returns"},
		{"go", "Add(a int)", "func Add(a int) error", "returns error"},
		{"go", "Add(a []int) (int, error)", "func Add(a []int) (string, error)", "returns (string, error), the spec says (int, error)"},
		{"go", "Get(m *Money)", "func Get(m []Money)", "is []Money"},
		{"rust", "f(a: u8)", "pub fn f(a: u16)", "is u16"},
		{"java", "int f(String a)", "public long f(String a)", "returns long"},
		{"java", "void f(List<String> a)", "public void f(String[] a)", "is String[]"},
		{"kotlin", "fun f(x: Int): String", "fun f(y: Int): String", "called y"},
	} {
		got := signature.Fits(parse(t, c.spec, c.lang), parse(t, c.code, c.lang), c.lang, names, false)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\n  %s\n got %q, want %q", c.lang, c.spec, c.code, got, c.want)
		}
	}
}

// TestCompare: what a new version of a signature breaks.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, before, after string
		breaking            bool
		reason              string
	}{
		{"typescript", "f(a: string): string", "f( a : string ) : string", false, ""},
		{"typescript", "f(a: string[])", "f(a: Array<string>)", false, ""},
		{"typescript", "f(a: string)", "f(b: string)", false, ""},
		{"typescript", "f(a: string)", "f(a: string, b?: number)", false, "F added optional parameter 'b'"},
		{"typescript", "f(a: string)", "f(a: string, b = 3)", false, "F added optional parameter 'b'"},
		{"typescript", "f(a: string)", "f(a: string, ...rest: string[])", false, "F added optional parameter 'rest'"},
		{"typescript", "f(a: string)", "f(a: string, b: number)", true, "F added required parameter 'b'"},
		{"typescript", "f(a: string, b: number)", "f(a: string)", true, "F removed parameter 'b'"},
		{"typescript", "f(a: string): boolean", "f(a: string): Claims", true, "F return type changed from 'boolean' to 'Claims'"},
		{"typescript", "f(a: string): A", "f(a: string): B", true, "F return type changed from 'A' to 'B'"},
		{"typescript", "f(a: string)", "f(a: number)", true, "F parameter 'a' type changed from 'string' to 'number'"},
		{"typescript", "f(a: string)", "f(a?: string)", false, "F parameter 'a' became optional"},
		{"typescript", "f(a?: string)", "f(a: string)", true, "F parameter 'a' became required"},
		{"typescript", "f(a?: string)", "f(a: string | undefined)", true, "F parameter 'a' became required"},
		{"typescript", "f()", "f(a: string | undefined)", true, "F added required parameter 'a'"},
		{"typescript", "f(a: string | undefined)", "f(a?: string)", false, "F parameter 'a' became optional"},
		{"typescript", "f(a: string): Claims", "f(a: string): Promise<Claims>", true, "F return type changed: it is asynchronous now"},
		{"typescript", "f(a: keyof A)", "f(a: keyof B)", true, "F parameter 'a' type changed"},
		{"typescript", "f(a)", "f(a: string): string", false, "F says now that it returns 'string'"},
		{"typescript", "f(a: string)", "f(a: string | null)", false, "F parameter 'a' may be absent now"},
		{"python", "f(a: int)", "f(b: int)", true, "F parameter 'a' renamed to 'b': callers may use the name"},
		{"python", "f(a: int, /)", "f(b: int, /)", false, ""},
		{"python", "f(*, a: int, b: int)", "f(*, b: int, a: int)", false, ""},
		{"python", "f(a: int)", "f(*, a: int)", true, "F parameter 'a' can be given by its name only"},
		{"python", "f(a: int, b: int = 1)", "f(a: int, b: int = 2)", false, ""},
		{"kotlin", "fun f(a: Int)", "fun f(b: Int)", true, "renamed"},
		{"go", "F(a int) error", "F(b int) error", false, ""},
		{"go", "F(a, b int)", "F(a int, b int)", false, ""},
		{"go", "F(a int)", "F(a int) error", true, "F return type changed from '()' to 'error'"},
		{"go", "F(a int)", "F(a int, more ...string)", false, "F added optional parameter 'more'"},
		{"java", "int f(int a)", "int f(int b)", false, ""},
		{"java", "int f(int a)", "int f(int a) throws E", true, "F throws changed from '' to 'E'"},
		{"rust", "f(a: &str) -> u8", "f(a: &str) -> u16", true, "return type changed from 'u8' to 'u16'"},
	} {
		list := signature.Compare(parse(t, c.before, c.lang), parse(t, c.after, c.lang), c.lang, "F", false)
		breaking, reasons := false, []string{}
		for _, b := range list {
			breaking = breaking || b.Breaking
			reasons = append(reasons, b.Reason)
		}
		got := strings.Join(reasons, "; ")
		if breaking != c.breaking || (c.reason == "") != (got == "") || !strings.Contains(got, c.reason) {
			t.Errorf("%s: %s -> %s: breaking %t %q, want %t %q", c.lang, c.before, c.after, breaking, got, c.breaking, c.reason)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Claims { userId: string; role?: Role, exp: number }": "userId role? exp",
		"Money struct { Cents int; Scale *int }":              "Cents Scale",
		"data class X(val a: Int, val b: String? = null)":     "a b?",
		"Empty { }":     "",
		"{ ?? }":        "none",
		"f":             "none",
		"Open { a, b }": "a b",
	} {
		fields, ok := signature.Fields(text, signature.Kotlin)
		var got []string
		for _, f := range fields {
			n := f.Name
			if f.Optional {
				n += "?"
			}
			got = append(got, n)
		}
		if s := strings.Join(got, " "); ok == (want == "none") || ok && s != want {
			t.Errorf("%q has %q, %t; want %q", text, s, ok, want)
		}
	}
}

// TestLifetimes: a lifetime of Rust is no quote that the next one closes, and a shift or comparison opens no bracket.
func TestLifetimes(t *testing.T) {
	t.Parallel()
	for text, params := range map[string]int{
		"fn longest<'a>(x: &'a str, y: &'a str) -> &'a str":          2,
		"fn f<'a, 'b: 'a>(x: &'a mut T<'a>, y: Cow<'b, str>, n: u8)": 3,
		"fn f(x: Box<dyn Read + 'static>, y: &'static str)":          2,
		"fn f<'a, T: 'a + Clone>(x: &'a T, n: u8) -> &'a str":        2,
		"fn f<T: 'static>(x: T, y: Box<dyn Any + 'static>)":          2,
		"f(a: Map<string, { b: 'x, y' }>, c: Pick<T, 'a b' | 'c'>)":  2,
		"f(a: 'x, y' | 'z', b: 'it, is', c: char)":                   3,
		"f(a: Literal['a b', 'c, d'], b: int = ',')":                 2,
		"f(a: int = 1 << 20, b: str = 'x')":                          2,
		"f(a: boolean = 1 < 2, b: number = 8 >> 2, c: string)":       3,
		"f(Map< String, List< Integer > > a, int b)":                 2,
	} {
		if s, ok := signature.Parse(text, ""); !ok || len(s.Params) != params {
			t.Errorf("%s has %d parameters, want %d", text, len(s.Params), params)
		}
	}
}
