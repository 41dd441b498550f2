package turn

import (
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/re"
)

var verdictLine = re.New(`(?im)^\W*VERDICT\s*[:：]\s*(.+)$`)

// Verdict reads the verdict of a reviewer: one of the words (or that it was done: APPROVED), alone or on a line
// "VERDICT: WORD". A line with two of them
// is none (models echo the template), and so is a text with several such lines that differ. False: it gave no verdict.
func Verdict(text string, words ...string) (string, bool) {
	said := []string{text}
	if lines := verdictLine().FindAllStringSubmatch(text, -1); len(lines) > 0 {
		said = said[:0]
		for _, l := range lines {
			said = append(said, l[1])
		}
	}
	found := ""
	for _, s := range said {
		s = strings.ToUpper(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }))
		for _, w := range words {
			if s != w && s != w+"D" && s != w+"ED" {
				continue
			}
			if found != "" && found != w {
				return "", false
			}
			found = w
		}
		if found == "" {
			return "", false
		}
	}
	return found, found != ""
}
