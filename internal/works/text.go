package works

import (
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/re"
)

// The forms that texts take in a document. Each has a writer and, where it changes the text, the
// reader that takes the change back.

// lineEnds are all that some reader takes for the end of a line.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// clean makes every line end "\n" and replaces what no text file should hold.
func clean(s string) string {
	s = lineEnds.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || r == '\uFEFF':
			return ' '
		}
		return r
	}, s)
}

// inline is the text as one line, with the blanks in the middle of its lines.
func inline(s string) string {
	var out []string
	for l := range strings.SplitSeq(clean(s), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, " ")
}

// block is the text as lines without white space at their ends; a text that only says that there
// is nothing is empty.
func block(s string) string {
	lines := strings.Split(clean(s), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(l, unicode.IsSpace)
	}
	return orNone(strings.TrimSpace(strings.Join(lines, "\n")))
}

var nothing = map[string]bool{
	"": true, "-": true, "–": true, "—": true, "none": true, "n/a": true, "없음": true, "해당 없음": true, "なし": true, "該当なし": true,
}

// isNone reports whether a text says that there is nothing.
func isNone(s string) bool {
	s = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "- ")
	s = strings.TrimSuffix(s, ".")
	if inner, ok := strings.CutPrefix(s, "("); ok {
		s = strings.TrimSuffix(inner, ")")
	}
	return nothing[strings.Trim(s, "*_ ")]
}

func orNone(s string) string {
	if isNone(s) {
		return ""
	}
	return s
}

// structure matches a line that means something to a reader of Markdown, or one that was escaped
// because it did. The number of backslashes in front is what writing adds to and reading takes
// from; so every text survives.
var structure = re.New("^(\\s*)(\\\\*)(#|>|\\||<|```|~~~|-[-\\s]*$|=+\\s*$|\\*[*\\s]*$|_[_\\s]*$)")

// escape writes a block. Fences that start and end at the first column stay as they are, because
// there every reader agrees where they end; any other fence is escaped.
func escape(s string) string {
	lines := strings.Split(s, "\n")
	marks := fences(lines)
	loose := indented(lines, marks)
	for i, l := range lines {
		if marks[i] != noFence && !loose[i] {
			continue
		}
		if m := structure().FindStringSubmatchIndex(l); m != nil {
			lines[i] = l[:m[3]] + `\` + l[m[3]:]
		}
	}
	return strings.Join(lines, "\n")
}

// indented finds the fences of which one end does not start at the first column.
func indented(lines []string, marks []fenceMark) []bool {
	out := make([]bool, len(lines))
	from := 0
	for i, m := range marks {
		switch {
		case m == fenceOpen:
			from = i
		case m == fenceClose && (lines[from][0] == ' ' || lines[i][0] == ' '):
			for ; from <= i; from++ {
				out[from] = true
			}
		}
	}
	return out
}

// unescape reads what escape wrote.
func unescape(lines []string) string {
	out := make([]string, len(lines))
	marks := fences(lines)
	for i, l := range lines {
		if m := structure().FindStringSubmatchIndex(l); marks[i] == noFence && m != nil && m[4] < m[5] {
			l = l[:m[4]] + l[m[4]+1:]
		}
		out[i] = l
	}
	return strings.Join(out, "\n")
}

// fenceMark says what a line is to fenced blocks.
type fenceMark uint8

const (
	noFence fenceMark = iota
	fenceOpen
	fenceBody
	fenceClose
)

// fences finds the fenced blocks. A fence that is never closed is none: it would swallow the rest
// of a damaged file.
func fences(lines []string) []fenceMark {
	marks := make([]fenceMark, len(lines))
	// closing[c][i] is the longest run of c that closes a fence at line i or behind it. It keeps a
	// file of a thousand open fences linear.
	closing := map[byte][]int{'`': make([]int, len(lines)+1), '~': make([]int, len(lines)+1)}
	for i := len(lines) - 1; i >= 0; i-- {
		for c, longest := range closing {
			longest[i] = longest[i+1]
			if n, rest := fenceRun(lines[i]); n > longest[i] && rest == "" && strings.TrimLeft(lines[i], " ")[0] == c {
				longest[i] = n
			}
		}
	}
	open, char := 0, byte(0)
	for i, l := range lines {
		n, rest := fenceRun(l)
		switch {
		case open > 0 && n >= open && rest == "" && strings.TrimLeft(l, " ")[0] == char:
			marks[i], open = fenceClose, 0
		case open > 0:
			marks[i] = fenceBody
		case n > 0:
			c := strings.TrimLeft(l, " ")[0]
			if closing[c][i+1] >= n && (c == '~' || !strings.Contains(rest, "`")) {
				marks[i], open, char = fenceOpen, n, c
			}
		}
	}
	return marks
}

// fenceRun is the length of the run that may open or close a fence, and what follows it.
func fenceRun(l string) (int, string) {
	t := strings.TrimLeft(l, " ")
	if len(l)-len(t) > 3 || t == "" || t[0] != '`' && t[0] != '~' {
		return 0, ""
	}
	rest := strings.TrimLeft(t, t[:1])
	n := len(t) - len(rest)
	if n < 3 {
		return 0, ""
	}
	return n, strings.TrimSpace(rest)
}

// fence writes a text as a fenced block that nothing in the text can end.
func fence(info, s string) string {
	marks := "```"
	for l := range strings.Lines(s) {
		for n, _ := fenceRun(strings.TrimLeft(l, " \t")); n >= len(marks); {
			marks += "`"
		}
	}
	return marks + info + "\n" + s + "\n" + marks
}

// quote writes a block as a quotation.
func quote(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix("> "+l, " ")
	}
	return strings.Join(lines, "\n")
}

// unquote reads a quotation, also one whose later lines have no marks.
func unquote(lines []string) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(l, " \t"), ">"); ok {
			l = strings.TrimPrefix(rest, " ")
		}
		out[i] = l
	}
	return block(strings.Join(out, "\n"))
}

// row writes a table row.
func row(cells ...string) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range cells {
		b.WriteByte(' ')
		if c = strings.ReplaceAll(inline(c), "|", `\|`); c != "" {
			b.WriteString(c + " ")
		}
		b.WriteByte('|')
	}
	return b.String()
}

// cells are the offsets of the cells of a table row, without the pipes; nil where the line is none.
func cellSpans(l string) [][2]int {
	if !strings.HasPrefix(strings.TrimLeft(l, " \t"), "|") {
		return nil
	}
	var out [][2]int
	from := strings.IndexByte(l, '|') + 1
	for i := from; i < len(l); i++ {
		if l[i] == '|' && l[i-1] != '\\' {
			out = append(out, [2]int{from, i})
			from = i + 1
		}
	}
	if strings.TrimSpace(l[from:]) != "" { // the last pipe is missing
		out = append(out, [2]int{from, len(l)})
	}
	return out
}

// cells are the texts of a table row.
func cells(l string) []string {
	var out []string
	for _, s := range cellSpans(l) {
		out = append(out, strings.ReplaceAll(strings.TrimSpace(l[s[0]:s[1]]), `\|`, "|"))
	}
	return out
}

// code writes a text as a code span that nothing in the text can end.
func code(s string) string {
	s = inline(s)
	marks := "`"
	for strings.Contains(s, marks) {
		marks += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return marks + s + marks
}

// cutCode reads a code span at the start of a text, and what is behind it.
func cutCode(s string) (span, rest string, ok bool) {
	tail := strings.TrimLeft(s, "`")
	marks := s[:len(s)-len(tail)]
	if marks == "" {
		return "", s, false
	}
	for at := 0; ; {
		i := strings.Index(tail[at:], marks)
		if i < 0 {
			return "", s, false
		}
		i += at
		end := i
		for end < len(tail) && tail[end] == '`' {
			end++
		}
		if end-i == len(marks) {
			span = tail[:i]
			if inner := strings.TrimSpace(span); strings.HasPrefix(inner, "`") || strings.HasSuffix(inner, "`") {
				span = inner
			}
			return span, tail[end:], true
		}
		at = end
	}
}
