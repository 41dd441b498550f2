package spec

import "strings"

// Headings lists the headings that the scanner finds, for the comparison with CommonMark.
func Headings(src string) []string {
	var out []string
	s := scan(src)
	for i := range s.lines {
		if l := &s.lines[i]; l.kind == kindHeading {
			out = append(out, strings.Repeat("#", int(l.level))+" "+l.title)
		}
	}
	return out
}
