package spec

import "strings"

// hideComments puts spaces in the place of comments that stand within a line or a paragraph; those that are blocks of their own
// are told by their lines. A comment in a code span is none ("Raw HTML" and "Code spans" of CommonMark).
func (s *scanner) hideComments() {
	if !strings.Contains(s.src, "<!--") {
		return
	}
	for i := 0; i < len(s.lines); {
		next := i + 1
		if s.lines[i].kind == kindText {
			for next < len(s.lines) && s.lines[next].kind == kindText && !s.startsItem(next) {
				next++
			}
		}
		if s.lines[i].kind == kindText || s.lines[i].kind == kindHeading {
			s.hideIn(i, next)
		}
		i = next
	}
}

// startsItem reports whether a line of text begins with the marker of a list item.
func (s *scanner) startsItem(i int) bool {
	_, rest := splitIndent(s.at(i))
	return rest != "" && markerLength(rest) > 0
}

// hideIn hides the comments of the lines [from, to), which are one paragraph.
func (s *scanner) hideIn(from, to int) {
	start := int(s.lines[from].start)
	text := s.src[start:s.lines[to-1].stop]
	for at := 0; at < len(text); {
		switch {
		case text[at] == '`':
			n := runLength(text[at:], '`')
			at += n
			if end := closing(text[at:], n); end >= 0 {
				at += end + n
			}
		case strings.HasPrefix(text[at:], "<!--"):
			end := strings.Index(text[at+4:], "-->")
			if end < 0 {
				return
			}
			end += at + 4 + len("-->")
			s.blank(from, to, start+at, start+end)
			at = end
		default:
			at++
		}
	}
}

// closing finds a run of exactly n backticks.
func closing(text string, n int) int {
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		got := runLength(text[at:], '`')
		if got == n {
			return at
		}
		at += got
	}
	return -1
}

// blank puts spaces in the place of the bytes [start, end) wherever they lie in the lines [from, to).
func (s *scanner) blank(from, to, start, end int) {
	for i := from; i < to; i++ {
		l := &s.lines[i]
		a, b := max(start, int(l.start)), min(end, int(l.stop))
		if a >= b {
			continue
		}
		if s.hidden == nil {
			s.hidden = map[int]string{}
		}
		text := s.at(i)
		a, b = a-int(l.start), b-int(l.start)
		s.hidden[i] = text[:a] + strings.Repeat(" ", b-a) + text[b:]
	}
}
