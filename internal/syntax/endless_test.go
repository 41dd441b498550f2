package syntax_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// TestEndless: a source that the parser does not come to an end with is an error, and the next one is read.
func TestEndless(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../source/testdata/corpus/kotlin/JsonParser.kt")
	if err != nil {
		t.Fatal(err)
	}
	const end = "@Throws(CharacterCodi"
	before, _, found := bytes.Cut(src, []byte(end))
	if !found {
		t.Fatalf("no %s", end)
	}
	if _, err := syntax.Parse(syntax.Kotlin, append(before, end...)); err == nil {
		t.Error("it came to an end: is it still bounded?")
	}
	if _, err := syntax.Parse(syntax.Kotlin, src); err != nil {
		t.Error(err)
	}
}
