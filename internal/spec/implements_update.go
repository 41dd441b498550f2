package spec

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Notes are what a build learned and IMPLEMENTS.md keeps. An empty part leaves its section as it
// is.
type Notes struct {
	Algorithm []string       `json:"algorithm,omitempty"` // steps, in order
	Constants []NoteConstant `json:"key_constants,omitempty"`
	Errors    []NoteError    `json:"error_handling,omitempty"`
	State     NoteState      `json:"state_management"`
	Guide     []NoteGuide    `json:"implementation_guide,omitempty"`
}

// NoteConstant is a row of Key Constants.
type NoteConstant struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Rationale string `json:"rationale"`
	Affects   string `json:"affects"`
}

// NoteError is a row of Error Handling.
type NoteError struct {
	Error    string `json:"error"`
	Retry    string `json:"retry"`
	Recovery string `json:"recovery"`
	LogLevel string `json:"log_level"`
}

// NoteState is the section State Management.
type NoteState struct {
	Initial     string `json:"initial_state,omitempty"`
	Persistence string `json:"persistence,omitempty"`
	Cleanup     string `json:"cleanup,omitempty"`
}

// NoteGuide is a dated line of the Implementation Guide. Lines are added, never removed.
type NoteGuide struct {
	Date   string `json:"date"` // YYYY-MM-DD
	Change string `json:"change"`
	Reason string `json:"reason"`
}

// UpdateImplements rewrites the sections that the compiler owns in an IMPLEMENTS.md and leaves
// every byte outside of them as it was, line ends included. A missing section is added in its
// place in the order; Error Handling and State Management are required and say None when there is
// nothing to say. Applying the same notes twice changes nothing.
func UpdateImplements(src []byte, n Notes) []byte {
	for _, title := range implementationTitles {
		src = newUpdater(src).section(title, n)
	}
	return src
}

// updater knows where the compiler's sections are in one state of the file.
type updater struct {
	src    []byte
	scan   *scanner
	eol    string
	korean bool

	place  map[string]region // by lower-case title
	insert int               // where a missing section goes that has no other behind it
	banner bool              // a banner opens the compiler's part
}

// region is where a section is: its heading, its body, its end.
type region struct{ heading, body, end int }

func newUpdater(src []byte) *updater {
	u := &updater{src: src, eol: "\n", place: map[string]region{}, insert: len(src)}
	text := string(src)
	if !utf8.Valid(src) {
		text = maskInvalid(src)
	}
	bom := len(text) - len(strings.TrimPrefix(text, "\uFEFF"))
	u.scan = scanFrom(text, bom)
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' || i < 0 && bytes.HasSuffix(src, []byte("\r")) {
		u.eol = "\r\n"
	}
	u.korean = strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
	u.locate()
	return u
}

// maskInvalid replaces each byte that is no UTF-8 by "?", so that offsets stay the same.
func maskInvalid(src []byte) string {
	out := bytes.Clone(src)
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError && size == 1 {
			out[i] = '?'
		}
		i += size
	}
	return string(out)
}

// locate finds the compiler's sections. One ends at the next heading of level 1 or 2 or at a
// banner.
func (u *updater) locate() {
	s := u.scan
	marks := banners(s)
	inPart, ended, last := false, false, -1
	for i := range s.lines {
		if own, ok := marks[i]; ok {
			if inPart && !own && !ended {
				u.insert, ended = int(s.lines[i].start), true
			}
			inPart = own
			u.banner = u.banner || own
		}
		l := &s.lines[i]
		if l.kind != kindHeading || l.level != 2 {
			continue
		}
		key := headingKey(s.title(i))
		if _, have := u.place[key]; have || !ownedTitle(key) {
			continue
		}
		at := u.bounds(i, marks)
		u.place[key] = at
		last = max(last, at.end)
	}
	if !u.banner && last >= 0 {
		u.insert = last
	}
}

// bounds returns where the section is whose heading is line i.
func (u *updater) bounds(i int, marks map[int]bool) region {
	s := u.scan
	first := s.under(i)
	at := region{int(s.lines[i].start), int(s.lines[first-1].end), len(u.src)}
	for j := first; j < len(s.lines); j++ {
		_, isBanner := marks[j]
		if isBanner || s.lines[j].kind == kindHeading && s.lines[j].level <= 2 {
			at.end = int(s.lines[j].start)
			break
		}
	}
	return at
}

// section returns the file with one section written.
func (u *updater) section(title string, n Notes) []byte {
	at, have := u.place[strings.ToLower(title)]
	old := ""
	if have {
		old = string(u.src[at.body:at.end])
	}
	body, write := u.render(title, old, n)
	if !write && (have || title != "Error Handling" && title != "State Management") {
		return u.src
	}
	if body == "" || !write {
		body = "None\n"
	}
	if have {
		text := "\n" + body
		if u.src[at.body-1] != '\n' {
			text = "\n" + text
		}
		if at.end < len(u.src) {
			text += "\n"
		}
		return u.splice(at.body, at.end, text)
	}
	return u.add(title, body)
}

// add puts a new section in front of the first one that comes behind it in the order, else at the
// end of the compiler's part.
func (u *updater) add(title, body string) []byte {
	text := "## " + title + "\n\n" + body
	where := u.insert
	behind := false
	for _, t := range implementationTitles {
		if at, ok := u.place[strings.ToLower(t)]; ok && behind {
			where = at.heading
			break
		}
		behind = behind || t == title
	}
	if !u.banner && len(u.place) == 0 {
		text = implementationBanner(u.korean) + "\n\n" + text
	}
	before := u.src[:where]
	switch {
	case where == 0 || bytes.HasSuffix(before, []byte("\n\n")) || bytes.HasSuffix(before, []byte("\n\r\n")):
	case bytes.HasSuffix(before, []byte("\n")):
		text = "\n" + text
	default:
		text = "\n\n" + text
	}
	if where < len(u.src) {
		text += "\n"
	} else {
		text = u.closing() + text
	}
	return u.splice(where, where, text)
}

// closing ends a fence or HTML block that the file leaves open: it would swallow what follows.
func (u *updater) closing() string {
	if end, _ := u.scan.unclosed(); end != "" {
		return "\n" + end + "\n\n"
	}
	return ""
}

// splice replaces a range of the file; the text gets the file's line ends.
func (u *updater) splice(from, to int, text string) []byte {
	out := make([]byte, 0, len(u.src)+len(text))
	out = append(out, u.src[:from]...)
	out = append(out, strings.ReplaceAll(text, "\n", u.eol)...)
	return append(out, u.src[to:]...)
}

// render writes the body of one section; false means that it stays as it is.
func (u *updater) render(title, old string, n Notes) (string, bool) {
	var b strings.Builder
	switch title {
	case "Algorithm":
		num := 0
		for _, step := range n.Algorithm {
			if step = oneLine(step); step != "" {
				num++
				b.WriteString(strconv.Itoa(num) + ". " + step + "\n")
			}
		}
	case "Key Constants":
		affects := "Affects"
		if u.korean {
			affects = "영향 범위"
		}
		rows := make([][]string, 0, len(n.Constants))
		for _, c := range n.Constants {
			rows = append(rows, []string{c.Name, c.Value, c.Rationale, c.Affects})
		}
		writeTable(&b, []string{"Name", "Value", "Rationale", affects}, rows)
	case "Error Handling":
		rows := make([][]string, 0, len(n.Errors))
		for _, e := range n.Errors {
			rows = append(rows, []string{e.Error, e.Retry, e.Recovery, e.LogLevel})
		}
		writeTable(&b, []string{"Error", "Retry", "Recovery", "Log Level"}, rows)
	case "State Management":
		if n.State != (NoteState{}) {
			for _, p := range [][2]string{{"Initial State", n.State.Initial}, {"Persistence", n.State.Persistence}, {"Cleanup", n.State.Cleanup}} {
				text := "None"
				if t := oneLine(p[1]); t != "" && !isNone(t) {
					text = "- " + t
				}
				b.WriteString("### " + p[0] + "\n\n" + text + "\n\n")
			}
		}
	case "Implementation Guide":
		return u.guide(old, n.Guide)
	}
	if b.Len() == 0 {
		if strings.Contains(old, "(To be filled by /compile)") {
			return "None\n", true
		}
		return "", false
	}
	return strings.TrimRight(b.String(), "\n") + "\n", true
}

// guide adds the lines that are not there yet.
func (u *updater) guide(old string, guide []NoteGuide) (string, bool) {
	kept := strings.Trim(strings.ReplaceAll(old, "\r\n", "\n"), "\n \t")
	if kept == "(To be filled by /compile)" || isNone(kept) {
		kept = ""
	}
	have := map[string]bool{}
	for l := range strings.Lines(kept) {
		have[strings.TrimSpace(l)] = true
	}
	changed := kept == "" && strings.Contains(old, "(To be filled by /compile)")
	for _, g := range guide {
		l := "- " + oneLine(g.Date) + ": " + oneLine(g.Change)
		if r := oneLine(g.Reason); r != "" {
			l += " (" + r + ")"
		}
		if l = strings.TrimSpace(l); have[l] {
			continue
		}
		have[l], changed = true, true
		if kept != "" {
			kept += "\n"
		}
		kept += l
	}
	return cmp.Or(kept, "None") + "\n", changed
}

func writeTable(b *strings.Builder, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	b.WriteString("| " + strings.Join(head, " | ") + " |\n|" + strings.Repeat("---|", len(head)) + "\n")
	for _, r := range rows {
		b.WriteString("|")
		for _, c := range r {
			b.WriteString(" " + cmp.Or(strings.ReplaceAll(oneLine(c), "|", `\|`), "-") + " |")
		}
		b.WriteString("\n")
	}
}

// oneLine makes a text safe inside a list item or cell: one line that opens neither a fence nor a
// comment.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	s = squeeze(s)
	for strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") {
		s = strings.TrimLeft(s, "`~")
	}
	return strings.ReplaceAll(strings.TrimSpace(s), "<!--", "&lt;!--")
}
