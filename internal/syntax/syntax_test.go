package syntax_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

var samples = []struct {
	lang syntax.Lang
	src  string
	want []string // lines of the dump
}{
	{syntax.TypeScript, "export const a = <T>(x: T): T => x;\n", []string{"lexical_declaration", `name: identifier "a"`}},
	{syntax.TSX, "const b = <p title=\"}\">text</p>;\n", []string{"jsx_element"}},
	{syntax.Python, "def f(a: int = 1) -> str:\n    return ''\n", []string{"  function_definition", `    name: identifier "f"`}},
	{syntax.Rust, "pub fn g<'a>(x: &'a str) -> u8 { 0 }\n", []string{"  function_item", `    name: identifier "g"`}},
	{syntax.Java, "record P(int x) {}\n", []string{"  record_declaration", `    name: identifier "P"`}},
	{syntax.Kotlin, "fun h(x: Int = 1): Int = x\n", []string{"  function_declaration", `    name: identifier "h"`}},
}

func TestEveryGrammarReadsItsLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range samples {
		tree, err := syntax.Parse(c.lang, []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := tree.Errors(); n > 0 {
			t.Errorf("%q has %d errors:\n%s", c.src, n, tree.Root().Dump())
		}
		for _, line := range c.want {
			if !strings.Contains(tree.Root().Dump(), line) {
				t.Errorf("no %q in the tree of %q:\n%s", line, c.src, tree.Root().Dump())
			}
		}
	}
}

// A tree covers its source: children lie within their parents, one behind the other.
func checkTree(t *testing.T, n syntax.Node) {
	t.Helper()
	at := n.Start()
	for c := range n.All() {
		if c.Start() < at || c.End() > n.End() || c.End() < c.Start() {
			t.Fatalf("%s [%d,%d) does not fit into %s [%d,%d) behind %d", c.Kind(), c.Start(), c.End(), n.Kind(), n.Start(), n.End(), at)
		}
		at = c.End()
		checkTree(t, c)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range samples {
		f.Add(byte(c.lang), []byte(c.src))
	}
	f.Fuzz(func(t *testing.T, l byte, src []byte) {
		tree, err := syntax.Parse(syntax.Lang(l%6), src)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree.Root())
		if n := tree.Root(); n.End() > len(src) {
			t.Fatalf("the tree ends at %d of %d", n.End(), len(src))
		}
	})
}

func TestManyParseAtOnce(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for i := range 16 {
		c := samples[i%len(samples)]
		wg.Go(func() {
			want := ""
			for range 20 {
				tree, err := syntax.Parse(c.lang, []byte(strings.Repeat(c.src, i+1)))
				if err != nil {
					t.Error(err)
					return
				}
				if got := tree.Root().Dump(); want == "" {
					want = got
				} else if got != want {
					t.Errorf("two trees of one source differ")
				}
			}
		})
	}
	wg.Wait()
}

func TestWhatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := syntax.Parse(syntax.Java, make([]byte, syntax.MaxSize+1)); !errors.Is(err, syntax.ErrTooLarge) {
		t.Errorf("err = %v", err)
	}
	deep := []byte("class A { int x = " + strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000) + "; }")
	if _, err := syntax.Parse(syntax.Java, deep); err != nil {
		t.Logf("deep nesting: %v", err)
	}
	if _, err := syntax.Parse(syntax.Java, []byte("class B {}")); err != nil {
		t.Errorf("a broken parse is felt by the next one: %v", err)
	}
}

// TestGrammarsAreTheOnesThatWereBuilt compares the modules with the hashes that tools/syntax/build.sh wrote.
func TestGrammarsAreTheOnesThatWereBuilt(t *testing.T) {
	t.Parallel()
	sums, err := os.Open("grammars/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	n := 0
	for s := bufio.NewScanner(sums); s.Scan(); n++ {
		sum, name, _ := strings.Cut(s.Text(), "  ")
		packed, err := os.ReadFile(filepath.Join("grammars", name+".zst"))
		if err != nil {
			t.Fatal(err)
		}
		wasm, err := zstd.DecodeTo(nil, packed)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.Sum256(wasm)
		if got := hex.EncodeToString(h[:]); got != sum {
			t.Errorf("%s is %s, SHA256SUMS says %s", name, got, sum)
		}
	}
	if n != 6 {
		t.Errorf("%d grammars have a hash, want 6", n)
	}
}
