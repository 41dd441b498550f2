//go:build !race

package cache_test

import (
	"fmt"
	"os"
	"testing"
	"testing/quick"

	"example.org/shop/cache"
)

// func TestCommented(t *testing.T) {}

const source = `
func TestInString(t *testing.T) {}
`

type suite struct{ *testing.T }

func (s suite) TestMethod(t *testing.T) { t.Log("no test of the runner") }

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

func Test(t *testing.T) {
	t.Helper()
}

func TestLRU(t *testing.T) {
	for name, max := range map[string]int{"func TestOne(": 1, "two }": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := cache.NewLRU[string, int](max); err != nil {
				t.Fatalf("max %d: %v", max, err)
			}
		})
	}
	t.Run("no room", func(t *testing.T) {
		TestLocal := func(t *testing.T) {}
		t.Run("inner", TestLocal)
	})
}

func Test_options(t *testing.T) { suite{t}.TestMethod(t) }

func Testify(t *testing.T) error { return quick.Check(func(n int) bool { return n == n }, nil) }

func TestÜmlaut(tt *testing.T) {
	if err := Testify(tt); err != nil {
		tt.Error(err, source)
	}
}

func testHelper(t testing.TB) { t.Helper() }

func BenchmarkGet(b *testing.B) {
	for b.Loop() {
		testHelper(b)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("key", []byte("{"))
	f.Fuzz(func(t *testing.T, key string, raw []byte) {
		if len(key) > len(raw) {
			t.Skip()
		}
	})
}

func ExampleLRU_Sum() {
	c, _ := cache.NewLRU[string, int](4)
	fmt.Println(c.Sum())
	// Output: 0
}
