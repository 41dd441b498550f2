package turn

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestCallRules: who writes calls is told how for the languages of the project, and for all as long as none is known.
func TestCallRules(t *testing.T) {
	t.Parallel()
	all, words := callRules(nil), map[string]string{"go": "go build -o", "python": "lambda", "typescript": "5n", "rust": "cargo", "kotlin": "mvn", "ruby": "cmake"}
	for language, want := range words {
		got := callRules([]string{language})
		if !strings.Contains(all, want) || !strings.Contains(got, want) {
			t.Errorf("%s: no %q", language, want)
		}
		for other, word := range words {
			if other != language && strings.Contains(got, word) {
				t.Errorf("%s: it has %q of %s", language, word, other)
			}
		}
		if both := callRules([]string{language, "go"}); !strings.Contains(both, want) || !strings.Contains(both, "go build -o") || strings.Contains(both, "{go") {
			t.Errorf("%s and go: %s", language, both)
		}
	}
	named := " other " + strings.Join(toolchain.Languages(), " ") + " "
	for _, tag := range regexp.MustCompile(`(?m)^\{([a-z ]+)\} `).FindAllStringSubmatch(callSyntax, -1) {
		for word := range strings.FieldsSeq(tag[1]) {
			if !strings.Contains(named, " "+word+" ") {
				t.Errorf("calls.md has lines for %s, which no project has", word)
			}
		}
	}
}
