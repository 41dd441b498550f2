package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// editor changes lines of a document. Lines keep their ends.
type editor struct {
	doc    *document
	lines  []string
	gone   []bool
	stead  map[int][]string // what stands in the place of lines that are gone, the last of which this is
	after  map[int][]string // what comes behind a line, by its index, and behind what stands in its place
	nl     string
	fenced []bool
	groups map[string]bool // headings under Exports that were written
}

func newEditor(d *document) *editor {
	e := &editor{doc: d, lines: strings.SplitAfter(string(d.src), "\n"), stead: map[int][]string{}, after: map[int][]string{}, nl: "\n", groups: map[string]bool{}}
	if n := len(e.lines); e.lines[n-1] == "" {
		e.lines = e.lines[:n-1]
	}
	if strings.Contains(string(d.src), "\r\n") {
		e.nl = "\r\n"
	}
	e.gone, e.fenced = make([]bool, len(e.lines)), make([]bool, len(e.lines))
	fence := ""
	for i, l := range e.lines {
		t := strings.TrimSpace(l)
		switch {
		case fence == "" && (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")):
			fence = t[:3]
			e.fenced[i] = true
		case fence != "":
			e.fenced[i] = true
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		}
	}
	return e
}

func (e *editor) bytes() []byte {
	var b []byte
	for i, l := range e.lines {
		if !e.gone[i] {
			b = append(b, l...)
		}
		for _, l := range slices.Concat(e.stead[i], e.after[i]) {
			if n := len(b); n > 0 && b[n-1] != '\n' {
				b = append(b, e.nl...)
			}
			b = append(b, l+e.nl...)
		}
	}
	return b
}

func (e *editor) apply(d Drift) (MendedLine, bool) {
	switch d.mend.what {
	case removeExport, removeEntry:
		return e.remove(d.mend.line)
	case replaceSignature:
		return e.replace(d.mend)
	case addExport:
		return e.addExport(d)
	case addDependency:
		return e.addDependency(d.mend.text, "")
	case addEntry:
		return e.addEntry(d.mend.text)
	case noChange:
	}
	return MendedLine{}, false
}

var (
	listItem    = re.New(`^(\s*)(?:[-*+]|\d+[.)])\s+`)
	atxHeading  = re.New(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	noneLine    = re.New(`(?i)^\s*(?:[-*+]\s+)?(?:none|n/a)\.?\s*$`)
	inCode      = re.New("`+([^`]+)`+")
	anyInternal = re.New(`(?i)\binternal\b`)
)

// text is a line without its end.
func (e *editor) text(i int) string { return strings.TrimRight(e.lines[i], "\r\n") }

// bullet is what a list item that begins at line i is indented by; false where none does, or there is no such line.
func (e *editor) bullet(i int) (indent string, ok bool) {
	if i < 0 || i >= len(e.lines) || e.fenced[i] {
		return "", false
	}
	m := listItem().FindStringSubmatch(e.lines[i])
	if m == nil {
		return "", false
	}
	return m[1], true
}

// heading is the level of the heading in a line, 0 when it is none, and its text.
func (e *editor) heading(i int) (int, string) {
	if e.fenced[i] {
		return 0, ""
	}
	m := atxHeading().FindStringSubmatch(e.text(i))
	if m == nil {
		return 0, ""
	}
	return len(m[1]), m[2]
}

// item is the end of what stands at line i: a bullet with what is indented under it, a
// heading with its section, a row of a table, a line of code.
func (e *editor) item(i int) int {
	if level, _ := e.heading(i); level > 0 {
		for k := i + 1; k < len(e.lines); k++ {
			if l, _ := e.heading(k); l > 0 && l <= level {
				return k
			}
		}
		return len(e.lines)
	}
	indent, ok := e.bullet(i)
	if !ok {
		return i + 1
	}
	end := i + 1
	for k := i + 1; k < len(e.lines); k++ {
		l := e.lines[k]
		if strings.TrimSpace(l) == "" {
			continue
		}
		if len(l)-len(strings.TrimLeft(l, " \t")) <= len(indent) {
			if _, next := e.bullet(k); k == end && !next && !e.fenced[k] && !strings.HasPrefix(strings.TrimSpace(l), "#") { // a line that goes on
				end = k + 1
				continue
			}
			break
		}
		end = k + 1
	}
	return end
}

func (e *editor) remove(line int) (MendedLine, bool) {
	i := line - 1
	if i < 0 || i >= len(e.lines) || e.gone[i] {
		return MendedLine{}, false
	}
	c := MendedLine{Line: line, Removed: []string{}, Added: []string{}}
	for k := i; k < e.item(i); k++ {
		e.gone[k] = true
		c.Removed = append(c.Removed, e.text(k))
	}
	return c, true
}

// replace puts another signature between the back-ticks, or where the old one stands bare.
func (e *editor) replace(x edit) (MendedLine, bool) {
	i := x.line - 1
	if i < 0 || i >= len(e.lines) {
		return MendedLine{}, false
	}
	for k := i; k < min(i+8, len(e.lines)); k++ {
		if k > i {
			if level, _ := e.heading(i); level == 0 { // only a heading has its signature below
				break
			}
			if level, _ := e.heading(k); level > 0 {
				break
			}
		}
		l := e.lines[k]
		at := -1
		length := 0
		for _, m := range inCode().FindAllStringSubmatchIndex(l, -1) {
			if d, ok := readSignature(l[m[2]:m[3]]); ok && d == x.old {
				at, length = m[2], m[3]-m[2]
				break
			}
		}
		if at < 0 {
			if at = strings.Index(l, x.old); at < 0 || strings.Contains(x.text, "`") {
				continue
			}
			length = len(x.old)
		}
		c := MendedLine{Line: k + 1, Removed: []string{e.text(k)}}
		e.lines[k] = l[:at] + x.text + l[at+length:]
		c.Added = []string{e.text(k)}
		return c, true
	}
	return MendedLine{}, false
}

// readSignature is a signature as the reader of specs keeps it.
func readSignature(text string) (string, bool) {
	text = strings.TrimRight(oneLine(text), ";{ ")
	if strings.Count(text, "{") > strings.Count(text, "}") {
		text = oneLine(text + " }")
	}
	return text, text != ""
}

// section is the lines of an H2, without its heading; ok is false when there is none.
func (e *editor) section(title string) (from, to int, ok bool) {
	for i := range e.lines {
		if level, text := e.heading(i); level == 2 && strings.EqualFold(strings.TrimSpace(text), title) {
			to = len(e.lines)
			for k := i + 1; k < len(e.lines); k++ {
				if l, _ := e.heading(k); l == 1 || l == 2 {
					to = k
					break
				}
			}
			return i + 1, to, true
		}
	}
	return 0, 0, false
}

// put writes lines behind line i.
func (e *editor) put(i int, lines ...string) MendedLine {
	e.after[i] = append(e.after[i], lines...)
	return MendedLine{Line: i + 1, Removed: []string{}, Added: lines}
}

// lastFull is the last line of a range that is not blank.
func (e *editor) lastFull(from, to int) int {
	for k := to - 1; k >= from; k-- {
		if strings.TrimSpace(e.lines[k]) != "" {
			return k
		}
	}
	return from - 1
}

// none removes the line that says None, so that something else can stand there.
func (e *editor) none(from, to int) []string {
	for k := from; k < to; k++ {
		if !e.gone[k] && noneLine().MatchString(e.text(k)) && !e.fenced[k] {
			e.gone[k] = true
			return []string{e.text(k)}
		}
	}
	return []string{}
}

var kindOfGroup = map[string]spec.Kind{"Functions": spec.Function, "Types": spec.Type, "Classes": spec.Class, "Enums": spec.Enum, "Variables": spec.Variable}

func (e *editor) addExport(d Drift) (MendedLine, bool) {
	from, to, ok := e.section("Exports")
	if !ok {
		return MendedLine{}, false
	}
	line := "- `" + d.mend.text + "`"
	var sameKind, any *spec.Export
	for i := range e.doc.Exports {
		x := &e.doc.Exports[i]
		if x.Line <= from || x.Line > to {
			continue
		}
		any = x
		if x.Kind == kindOfGroup[d.mend.group] {
			sameKind = x
		}
	}
	grouped := false
	for k := from; k < to; k++ {
		if level, _ := e.heading(k); level == 3 {
			grouped = true
		}
	}
	if at := cmp.Or(sameKind, any); at != nil && (sameKind != nil || !grouped) {
		i := at.Line - 1
		if level, _ := e.heading(i); level > 0 {
			end := e.lastFull(i, min(e.item(i), to))
			return e.put(end, "", strings.Repeat("#", level)+" "+d.Symbol, "", "`"+d.mend.text+"`"), true
		}
		indent, ok := e.bullet(i)
		if !ok {
			return MendedLine{}, false
		}
		return e.put(e.item(i)-1, indent+line), true
	}
	end := e.lastFull(from, to)
	removed := e.none(from, to)
	var lines []string
	if len(removed) == 0 && end >= from && len(e.after[end]) == 0 || len(e.after[end]) > 0 && !e.groups[d.mend.group] {
		lines = append(lines, "")
	}
	if end < from {
		lines = append(lines, "")
	}
	if (grouped || len(e.groups) > 0 || len(removed) > 0) && !e.groups[d.mend.group] {
		lines = append(lines, "### "+d.mend.group, "")
	}
	e.groups[d.mend.group] = true
	c := e.put(max(end, from-1), append(lines, line)...)
	c.Removed = removed
	return c, true
}

// single reports whether a line is a list item without anything below it.
func (e *editor) single(line int) bool {
	_, ok := e.bullet(line - 1)
	return ok && !e.gone[line-1] && e.item(line-1) == line
}

// replaceUse says anew what is used of a module, in the line that names it.
func (e *editor) replaceUse(have spec.Internal, names string) bool {
	if !e.single(have.Line) {
		return false
	}
	label := ""
	if anyInternal().MatchString(strings.SplitN(e.lines[have.Line-1], "`", 2)[0]) {
		label = "internal: "
	}
	return e.replaceItem(have.Line, "- "+label+"`"+have.Ref+"`"+names)
}

// addDependency names a module, and behind it what is used of it.
func (e *editor) addDependency(ref, names string) (MendedLine, bool) {
	line := "`" + ref + "`" + names
	if list := e.doc.Dependencies.Internal; len(list) > 0 {
		i := list[len(list)-1].Line - 1
		indent, ok := e.bullet(i)
		if !ok {
			return MendedLine{}, false
		}
		if anyInternal().MatchString(strings.SplitN(e.lines[i], "`", 2)[0]) { // - internal: ./types
			line = "internal: " + line
		}
		return e.put(e.item(i)-1, indent+"- "+line), true
	}
	if from, to, ok := e.section("Dependencies"); ok {
		removed := e.none(from, to)
		end := max(e.lastFull(from, to), from-1)
		lines := []string{"- internal:", "  - " + line}
		for k := from; k < to; k++ {
			if level, _ := e.heading(k); level == 3 {
				lines = []string{"", "### Internal", "", "- " + line}
			}
		}
		if end < from {
			lines = append([]string{""}, lines...)
		}
		if len(e.after[end]) > 0 { // the label is there already
			lines = lines[len(lines)-1:]
		}
		c := e.put(end, lines...)
		c.Removed = removed
		return c, true
	}
	from, to, ok := e.section("Exports")
	if !ok {
		return MendedLine{}, false
	}
	end := e.lastFull(from, to)
	if e.groups["dependencies"] {
		return e.put(end, "  - "+line), true
	}
	e.groups["dependencies"] = true
	return e.put(end, "", "## Dependencies", "", "- internal:", "  - "+line), true
}

// extend puts lines at the end of a section, in place of None; a line that begins with a line feed has a blank one
// before it. It answers false where there is no such section.
func (e *editor) extend(title string, lines []string) bool {
	from, to, ok := e.section(title)
	if !ok {
		return false
	}
	end := max(e.lastFull(from, to), from-1)
	none := e.none(from, to)
	if end < from {
		e.put(end, "")
	}
	for i, l := range lines {
		rest, apart := strings.CutPrefix(l, "\n")
		if apart && (i > 0 || len(none) == 0) {
			e.put(end, "")
		}
		e.put(end, strings.Split(rest, "\n")...)
	}
	return true
}

// rewrite replaces what a section says as a whole.
func (e *editor) rewrite(title string, lines []string) bool {
	from, to, ok := e.section(title)
	if !ok {
		return false
	}
	end := e.lastFull(from, to)
	for k := from; k <= end; k++ {
		e.gone[k] = true
	}
	e.stead[max(end, from-1)] = append([]string{""}, lines...)
	return true
}

// replaceItem puts another line in the place of the list item that begins on a line, with what belongs to it.
func (e *editor) replaceItem(line int, text string) bool {
	i := line - 1
	indent, ok := e.bullet(i)
	if !ok || e.gone[i] {
		return false
	}
	end := e.item(i)
	for k := i; k < end; k++ {
		e.gone[k] = true
	}
	e.stead[end-1] = []string{indent + text}
	return true
}

// replaceSection replaces what stands below the heading of that text within a section.
func (e *editor) replaceSection(title, heading string, lines []string) bool {
	from, to, ok := e.section(title)
	for i := from; ok && i < to; i++ {
		level, text := e.heading(i)
		if name, _, _ := strings.Cut(strings.Trim(text, "` "), "("); level < 3 || name != heading {
			continue
		}
		last := e.lastFull(i, min(e.item(i), to))
		for k := i + 1; k <= last; k++ {
			e.gone[k] = true
		}
		e.stead[last] = append([]string{""}, lines...)
		return true
	}
	return false
}

// under puts lines at the end of what stands below a heading of a section that one of the keys begins or is in. Where
// there is none it is made at the end of the section, or, where the lines need none, they stand before all headings.
func (e *editor) under(section, title string, keys, lines []string, needs bool) bool {
	from, to, ok := e.section(section)
	if !ok {
		return false
	}
	first := -1
	for i := from; i < to; i++ {
		level, text := e.heading(i)
		if level != 3 {
			continue
		}
		if first < 0 {
			first = i
		}
		low := strings.ToLower(text)
		for _, k := range keys {
			if strings.Contains(low, k) {
				end := e.lastFull(i, min(e.item(i), to))
				if e.none(i, min(e.item(i), to)); end == i {
					e.put(i, "")
				}
				e.put(end, lines...)
				return true
			}
		}
	}
	key := section + "/" + title
	if !needs && first < 0 {
		return e.extend(section, lines)
	}
	if title == success && first > from { // it comes before the errors that are there
		at := e.after[first-1]
		if !e.groups[key] {
			e.groups[key], at = true, append(at, "### "+title, "", "")
		}
		e.after[first-1] = slices.Concat(at[:len(at)-1], lines, at[len(at)-1:])
		return true
	}
	end := max(e.lastFull(from, to), from-1)
	none := e.none(from, to)
	if !e.groups[key] {
		if len(none) == 0 || end < from || len(e.after[end]) > 0 {
			e.put(end, "")
		}
		e.put(end, "### "+title, "")
		e.groups[key] = true
		e.put(end, lines...)
		return true
	}
	// The heading was made a moment ago: behind what was put below it.
	list := e.after[end]
	at := len(list)
	seen := false
	for i, l := range list {
		if l == "### "+title {
			seen = true
		} else if seen && strings.HasPrefix(l, "### ") {
			at = i - 1
			break
		}
	}
	e.after[end] = append(append(append([]string{}, list[:at]...), lines...), list[at:]...)
	return true
}

func (e *editor) addEntry(text string) (MendedLine, bool) {
	for k := len(e.doc.Structure) - 1; k >= 0; k-- {
		i := e.doc.Structure[k].Line - 1
		if indent, ok := e.bullet(i); ok && indent == "" {
			return e.put(e.item(i)-1, "- "+text), true
		}
	}
	return MendedLine{}, false
}

// addExportDescribed is addExport with a sentence behind the signature.
func (e *editor) addExportDescribed(name, group, sig, text string) (MendedLine, bool) {
	c, ok := e.addExport(Drift{Symbol: name, mend: edit{what: addExport, group: group, text: sig}})
	if !ok {
		return c, false
	}
	line := "- `" + sig + "`"
	for k, list := range e.after {
		for i, l := range list {
			if strings.TrimLeft(l, " \t") == line {
				e.after[k][i] = l + ": " + text
			}
		}
	}
	return c, true
}
