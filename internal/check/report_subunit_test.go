package check_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// stestrStream is what stestr wrote of the tests in one file.
func stestrStream(tb testing.TB) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "reports", "stestr.subunit"))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// subunitOf are the results of a stream in a project with some files.
func subunitOf(stream []byte, files ...string) ([]string, error) {
	rs, err := check.ReadReportOf(toolchain.Found{Root: "."}, files, func(string) []byte { return nil }, toolchain.ReportAny, stream)
	var out []string
	for _, r := range rs {
		out = append(out, fmt.Sprint(r.Status, " ", r.ID))
	}
	return out, err
}

// TestSubunitInText: what else the program prints belongs to no test, wherever it stands, and names of tests lead to their files.
func TestSubunitInText(t *testing.T) {
	t.Parallel()
	stream := stestrStream(t)
	in := slices.Concat([]byte("\x1b[1mrunning\x1b[0m ³\n"), stream, []byte("1 ³ of them, \xb3 and half a line"), stream, []byte("\ndone \xb3"))
	for file, module := range map[string]string{"tests/test_shop.py": "tests/test_shop.py::", "src/shop/tests/test_shop.py": "src/shop/tests/test_shop.py::", "other.py": ".::tests.test_shop."} {
		got, err := subunitOf(in, file)
		if err != nil || len(got) != 14 {
			t.Fatalf("%q, %v", got, err)
		}
		join := "::"
		if file == "other.py" {
			join = "."
		}
		if want := "pass " + module + "TestPrice" + join + "test_sum"; !slices.Contains(got[:7], want) || !slices.Equal(got[:7], got[7:]) {
			t.Errorf("%s: %q have no %q", file, got, want)
		}
	}
}

// TestSubunitThatIsDamaged: a stream that ends too early, or that was damaged, is no evidence, and neither is a test that never ended.
func TestSubunitThatIsDamaged(t *testing.T) {
	t.Parallel()
	stream := stestrStream(t)
	packets := 0
	for i := len(stream) - 1; i > 0; i-- {
		whole := bytes.HasPrefix(stream[i:], []byte("\xb3/")) || bytes.HasPrefix(stream[i:], []byte("\xb3'")) // a packet begins there
		if _, err := subunitOf(stream[:i]); err == nil && !whole {
			t.Errorf("the first %d of %d bytes are read as whole", i, len(stream))
		}
		changed := bytes.Clone(stream)
		changed[i] ^= 1
		if _, err := subunitOf(changed); err == nil && !whole {
			t.Errorf("nobody sees that the byte %d is another one", i)
		}
		if whole {
			packets++
		}
	}
	if packets != 33 {
		t.Errorf("%d packets follow the first", packets)
	}
	ends := bytes.LastIndexByte(stream, 0xb3)
	if got, err := subunitOf(stream[:ends], "tests/test_shop.py"); err != nil || !slices.Contains(got, "error tests/test_shop.py::TestPrice::test_skipped") {
		t.Errorf("a test that has not ended: %q, %v", got, err)
	}
}

// FuzzSubunit: no stream makes the program fail, and what is behind a newline is found whatever stands before.
func FuzzSubunit(f *testing.F) {
	stream := stestrStream(f)
	f.Add(stream)
	f.Add(stream[:len(stream)/2])
	f.Add([]byte("\xb3\x29\x01\x0c\x03foo\x08\x55\x5f\x1b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = subunitOf(text, "foo.py")
		got, _ := subunitOf(slices.Concat(text, []byte("\n"), stream))
		if len(got) < 7 {
			t.Errorf("%q", got)
		}
	})
}
