package signature_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/signature"
)

var languages = []string{signature.TypeScript, signature.Python, signature.Go, signature.Rust, signature.Java, signature.Kotlin}

// conversions are declarations with what they are in TypeScript, Python, Go, Rust, Java and
// Kotlin.
var conversions = []struct {
	from string
	want [6]string
}{
	{"validateToken(token: string): Promise<Claims>", [6]string{
		"async function validateToken(token: string): Promise<Claims>", "async def validate_token(token: str) -> Claims:", "func ValidateToken(token string) (Claims, error)",
		"pub async fn validate_token(token: &str) -> Result<Claims, Error>", "public CompletableFuture<Claims> validateToken(String token)", "suspend fun validateToken(token: String): Claims",
	}},
	{"hash_password(password: string): string", [6]string{
		"function hashPassword(password: string): string", "def hash_password(password: str) -> str:", "func HashPassword(password string) string",
		"pub fn hash_password(password: &str) -> String", "public String hashPassword(String password)", "fun hashPassword(password: String): String",
	}},
	{"createUser(name: string, options?: CreateOptions): User", [6]string{
		"function createUser(name: string, options?: CreateOptions): User", "def create_user(name: str, options: CreateOptions | None = None) -> User:",
		"func CreateUser(name string, options ...CreateOptions) User", "pub fn create_user(name: &str, options: Option<CreateOptions>) -> User",
		"public User createUser(String name, CreateOptions options)", "fun createUser(name: String, options: CreateOptions? = null): User",
	}},
	{"check(a: number, b: boolean): void", [6]string{
		"function check(a: number, b: boolean): void", "def check(a: int, b: bool) -> None:", "func Check(a int64, b bool)",
		"pub fn check(a: i64, b: bool)", "public void check(long a, boolean b)", "fun check(a: Long, b: Boolean): Unit",
	}},
	{"getUsers(): User[]", [6]string{
		"function getUsers(): User[]", "def get_users() -> List[User]:", "func GetUsers() []User", "pub fn get_users() -> Vec<User>",
		"public List<User> getUsers()", "fun getUsers(): List<User>",
	}},
	{"getConfig(): Map<string, any>", [6]string{
		"function getConfig(): Map<string, any>", "def get_config() -> Dict[str, Any]:", "func GetConfig() map[string]any",
		"pub fn get_config() -> HashMap<String, Value>", "public Map<String, Object> getConfig()", "fun getConfig(): Map<String, Any>",
	}},
	{"findById<T extends Entity>(id: string): T | undefined", [6]string{
		"function findById<T extends Entity>(id: string): T | null", "def find_by_id(id: str) -> T | None:", "func FindByID[T Entity](id string) *T",
		"pub fn find_by_id<T: Entity>(id: &str) -> Option<T>", "public <T extends Entity> Optional<T> findById(String id)", "fun <T : Entity> findById(id: String): T?",
	}},
	{"getCache(key: string): Map<string, List<CacheEntry>>", [6]string{
		"function getCache(key: string): Map<string, List<CacheEntry>>", "def get_cache(key: str) -> Dict[str, List[CacheEntry]]:",
		"func GetCache(key string) map[string][]CacheEntry", "pub fn get_cache(key: &str) -> HashMap<String, Vec<CacheEntry>>",
		"public Map<String, List<CacheEntry>> getCache(String key)", "fun getCache(key: String): Map<String, List<CacheEntry>>",
	}},
	{"transform(data: Map<string, List<Item>>): Result<void, Error>", [6]string{
		"function transform(data: Map<string, List<Item>>): Result<void, Error>", "def transform(data: Dict[str, List[Item]]) -> Result[None, Exception]:",
		"func Transform(data map[string][]Item) error", "pub fn transform(data: HashMap<String, Vec<Item>>) -> Result<(), Error>",
		"public Result<Void, Exception> transform(Map<String, List<Item>> data)", "fun transform(data: Map<String, List<Item>>): Result<Unit>",
	}},
	{"process(input: Array<Pair<K, V>>): Map<K, V>", [6]string{
		"function process(input: Array<Pair<K, V>>): Map<K, V>", "def process(input: List[Tuple[K, V]]) -> Dict[K, V]:", "func Process(input [][]any) map[K]V",
		"pub fn process(input: Vec<(K, V)>) -> HashMap<K, V>", "public Map<K, V> process(List<Pair<K, V>> input)", "fun process(input: List<Pair<K, V>>): Map<K, V>",
	}},
	{"apply<T, U>(input: T, mapper: Fn<T, U>, keep: (x: U) => boolean): U", [6]string{
		"function apply<T, U>(input: T, mapper: Fn<T, U>, keep: (arg0: U) => boolean): U", "def apply(input: T, mapper: Callable[[T], U], keep: Callable[[U], bool]) -> U:",
		"func Apply[T any, U any](input T, mapper func(T) U, keep func(U) bool) U", "pub fn apply<T, U>(input: T, mapper: impl Fn(T) -> U, keep: impl Fn(U) -> bool) -> U",
		"public <T, U> U apply(T input, Function<T, U> mapper, Predicate<U> keep)", "fun <T, U> apply(input: T, mapper: (T) -> U, keep: (U) -> Boolean): U",
	}},
	{"validate(token: string): Claims throws InvalidTokenError", [6]string{
		"function validate(token: string): Claims", "def validate(token: str) -> Claims:", "func Validate(token string) (Claims, error)",
		"pub fn validate(token: &str) -> Result<Claims, InvalidTokenError>", "public Claims validate(String token) throws InvalidTokenException", "fun validate(token: String): Claims",
	}},
	{"on(event: 'open' | 'close', cb: (err: Error | null, data?: string) => void): () => void", [6]string{
		`function on(event: "open" | "close", cb: (arg0: Error | null, arg1: string | null) => void): () => void`,
		`def on(event: Literal["open", "close"], cb: Callable[[Exception | None, str | None], None]) -> Callable[[], None]:`,
		"func On(event string, cb func(error, *string)) func()", "pub fn on(event: String, cb: impl Fn(Option<Error>, Option<String>)) -> impl Fn()",
		"public Runnable on(String event, BiConsumer<Optional<Exception>, Optional<String>> cb)", "fun on(event: String, cb: (Throwable?, String?) -> Unit): () -> Unit",
	}},
	{"def find_all(ids: list[int], *, limit: int = 10, **kw) -> Optional[dict[str, list[User]]]", [6]string{
		"function findAll(ids: number[], limit: number = 10, ...kw): Map<string, User[]> | null", "def find_all(ids: list[int], *, limit: int = 10, **kw) -> dict[str, list[User]] | None:",
		"func FindAll(ids []int64, limit *int64, kw ...any) map[string][]User", "pub fn find_all(ids: Vec<i64>, limit: Option<i64>, kw: &[Value]) -> Option<HashMap<String, Vec<User>>>",
		"public Optional<Map<String, List<User>>> findAll(List<Long> ids, Long limit, Object... kw)", "fun findAll(ids: List<Long>, limit: Long = 10, vararg kw: Any): Map<String, List<User>>?",
	}},
	{"func (s *Store) GetUserID(ctx context.Context, names ...string) (map[string]int, error)", [6]string{
		"getUserId(ctx: Context, ...names: string[]): Map<string, number>", "def get_user_id(self, ctx: Context, *names: str) -> Dict[str, int]:",
		"func (s *Store) GetUserID(ctx context.Context, names ...string) (map[string]int, error)", "pub fn get_user_id(&self, ctx: Context, names: &[String]) -> Result<HashMap<String, i64>, Error>",
		"public Map<String, Long> getUserId(Context ctx, String... names) throws Exception", "fun getUserId(ctx: Context, vararg names: String): Map<String, Long>",
	}},
	{"pub async fn fetch_all<T: Serialize>(urls: &[String], f: impl Fn(u8) -> bool) -> Result<Vec<T>, HttpError>", [6]string{
		"async function fetchAll<T extends Serialize>(urls: string[], f: (arg0: number) => boolean): Promise<Result<T[], HttpError>>",
		"async def fetch_all(urls: List[str], f: Callable[[int], bool]) -> Result[List[T], HttpError]:", "func FetchAll[T Serialize](urls []string, f func(int64) bool) ([]T, error)",
		"pub async fn fetch_all<T: Serialize>(urls: &[String], f: impl Fn(u8) -> bool) -> Result<Vec<T>, HttpError>",
		"public <T extends Serialize> CompletableFuture<Result<List<T>, HttpError>> fetchAll(List<String> urls, Predicate<Long> f)",
		"suspend fun <T : Serialize> fetchAll(urls: List<String>, f: (Long) -> Boolean): Result<List<T>>",
	}},
	{"public static <K, V extends Comparable<V>> Map<K, List<V>> groupBy(final List<V> xs, Function<V, K> key, int... rest) throws IOException", [6]string{
		"function groupBy<K, V extends Comparable<V>>(xs: V[], key: (arg0: V) => K, ...rest: number[]): Map<K, V[]>", "def group_by(xs: List[V], key: Callable[[V], K], *rest: int) -> Dict[K, List[V]]:",
		"func GroupBy[K any, V Comparable[V]](xs []V, key func(V) K, rest ...int64) (map[K][]V, error)",
		"pub fn group_by<K, V: Comparable<V>>(xs: Vec<V>, key: impl Fn(V) -> K, rest: &[i64]) -> Result<HashMap<K, Vec<V>>, IOException>",
		"public <K, V extends Comparable<V>> Map<K, List<V>> groupBy(List<V> xs, Function<V, K> key, int... rest) throws IOException",
		"fun <K, V : Comparable<V>> groupBy(xs: List<V>, key: (V) -> K, vararg rest: Long): Map<K, List<V>>",
	}},
	{"suspend fun load(id: Long, retries: Int = 3, onDone: (String) -> Unit): User?", [6]string{
		"async function load(id: number, retries: number = 3, onDone: (arg0: string) => void): Promise<User | null>",
		"async def load(id: int, retries: int = 3, on_done: Callable[[str], None]) -> User | None:", "func Load(id int64, retries *int64, onDone func(string)) (*User, error)",
		"pub async fn load(id: i64, retries: Option<i64>, on_done: impl Fn(String)) -> Result<Option<User>, Error>",
		"public CompletableFuture<Optional<User>> load(long id, Long retries, Consumer<String> onDone)", "suspend fun load(id: Long, retries: Int = 3, onDone: (String) -> Unit): User?",
	}},
	{"Map[K comparable, V any](m map[K]V, f func(k K, v V) V, n [3]int) []V", [6]string{
		"function map<K, V>(m: Map<K, V>, f: (arg0: K, arg1: V) => V, n: number[]): V[]", "def map(m: Dict[K, V], f: Callable[[K, V], V], n: List[int]) -> List[V]:",
		"func Map[K comparable, V any](m map[K]V, f func(K, V) V, n [3]int) []V", "pub fn map<K, V>(m: HashMap<K, V>, f: impl Fn(K, V) -> V, n: Vec<i64>) -> Vec<V>",
		"public <K, V> List<V> map(Map<K, V> m, BiFunction<K, V, V> f, List<Long> n)", "fun <K, V> map(m: Map<K, V>, f: (K, V) -> V, n: List<Long>): List<V>",
	}},
	{"Claims { userId: string, role: Role, exp: number }", [6]string{
		"interface Claims {\n  userId: string;\n  role: Role;\n  exp: number;\n}", "@dataclass\nclass Claims:\n    user_id: str\n    role: Role\n    exp: int",
		"type Claims struct {\n\tUserID string `json:\"userId\"`\n\tRole   Role   `json:\"role\"`\n\tExp    int64  `json:\"exp\"`\n}",
		"#[derive(Debug, Clone, Serialize, Deserialize)]\npub struct Claims {\n    pub user_id: String,\n    pub role: Role,\n    pub exp: i64,\n}",
		"public record Claims(\n    String userId,\n    Role role,\n    long exp\n) {}", "data class Claims(\n    val userId: String,\n    val role: Role,\n    val exp: Long\n)",
	}},
	{"TokenManager(secret: string, algorithm?: string)", [6]string{
		"class TokenManager {\n  constructor(secret: string, algorithm?: string) {}\n}",
		"class TokenManager:\n    def __init__(self, secret: str, algorithm: str | None = None):\n        pass",
		"type TokenManager struct{}\n\nfunc NewTokenManager(secret string, algorithm ...string) *TokenManager",
		"pub struct TokenManager;\n\nimpl TokenManager {\n    pub fn new(secret: &str, algorithm: Option<String>) -> Self\n}",
		"public class TokenManager {\n    public TokenManager(String secret, String algorithm) {}\n}", "class TokenManager(secret: String, algorithm: String? = null)",
	}},
}

func TestConvert(t *testing.T) {
	t.Parallel()
	if n := 6 * len(conversions); n < 60 {
		t.Errorf("%d conversions", n)
	}
	for _, c := range conversions {
		for i, lang := range languages {
			got, ok := signature.Convert(c.from, lang)
			if !ok || got != c.want[i] {
				t.Errorf("%s to %s:\n%s\nwant:\n%s", c.from, lang, got, c.want[i])
			}
		}
	}
}

// TestConvertedReadsTheSame: what was written in a language means the same there.
func TestConvertedReadsTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range conversions {
		for i, lang := range languages {
			if strings.Contains(c.want[i], "\n") || lang == signature.TypeScript && !strings.Contains(c.want[i], "function") {
				continue // several lines; a method, which does not say so
			}
			again, ok := signature.Convert(c.want[i], lang)
			if !ok || again != c.want[i] {
				t.Errorf("%s again: %s\nwant %s", lang, again, c.want[i])
			}
		}
	}
}

func TestNotToBeConverted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "`", "prose", "(", "f(", "f(a: string", ")(", "a, b", "{ a: string }", strings.Repeat("(", 30_000), "f(" + strings.Repeat("List<", 5000) + ")"} {
		if out, ok := signature.Convert(text, signature.Go); ok && out == "" {
			t.Errorf("%.40q became nothing", text)
		}
	}
	for _, name := range []string{"ts", "golang", "rs", "kt", "py", "java", "Python"} {
		if _, ok := signature.Lang(name); !ok {
			t.Errorf("%s is no language", name)
		}
	}
	if _, ok := signature.Lang("cobol"); ok {
		t.Error("cobol is a language")
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range conversions {
		f.Add(c.from)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, lang := range languages {
			s, ok := signature.Parse(text, lang)
			if ok && s.Name == "" {
				t.Errorf("%q has no name", text)
			}
			signature.Convert(text, lang)
			signature.Fits(s, s, lang, nil, false)
			signature.Compare(s, s, lang, "", false)
		}
	})
}
