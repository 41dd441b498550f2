package spec

import (
	"fmt"
	"strings"
)

// Headings lists the headings that the scanner finds, with their lines, for the comparison with CommonMark.
func Headings(src []byte) []string {
	var out []string
	s := scanBytes(src)
	for i := range s.lines {
		if l := &s.lines[i]; l.kind == kindHeading {
			out = append(out, fmt.Sprintf("%d: %s %s", i+1, strings.Repeat("#", int(l.level)), s.title(i)))
		}
	}
	return out
}

// Signature reads one declaration, under a heading of a kind or none.
func Signature(sig string, group Kind, strict bool) (Export, bool) {
	return signature(sig, group, strict)
}

// Scan finds the block structure of a text and returns how many lines it has.
func Scan(text string) int {
	s := scan(text)
	defer s.release()
	return len(s.lines)
}

// Settled reports whether a text has no white space to collapse.
func Settled(s string) bool { return settled(s) }
