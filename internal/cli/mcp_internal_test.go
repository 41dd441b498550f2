package cli

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPart: a long answer is given in parts that a model can read one after the other, and no letter is cut.
func TestPart(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("한글 letters\n", 3000)
	got, from := "", 0
	for range 100 {
		p := part(text, from)
		if len(p) > 20_000 || !utf8.ValidString(p) {
			t.Fatalf("a part from %d has %d bytes, valid %t", from, len(p), utf8.ValidString(p))
		}
		at := strings.LastIndex(p, "\n[cut: ")
		if at < 0 {
			got += p
			break
		}
		got += p[:at]
		if _, err := fmt.Sscanf(p[strings.LastIndex(p, "from="):], "from=%d]", &from); err != nil {
			t.Fatal(err, p[at:])
		}
	}
	if got != text {
		t.Errorf("%d bytes were read of %d", len(got), len(text))
	}
	for _, from := range []int{-5, len(text) + 5} {
		_ = part(text, from)
	}
}
