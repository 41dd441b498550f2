package inspect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Migration is what was done, or would be, to bring a document to the second schema.
type Migration struct {
	File        string   `json:"file"`
	Migrated    bool     `json:"migrated"`
	From        string   `json:"from_version"`
	To          string   `json:"to_version"`
	Changes     []Change `json:"changes"`
	Suggestions []string `json:"suggestions"`
}

// Change is one kind of edit: AddVersionMarker, ConvertExportToHeading or AddSummary.
type Change struct {
	Type        string `json:"change_type"`
	Description string `json:"description"`
}

const schemaMarker = "<!-- schema: 2.0 -->"

var (
	oldMarker = re.New(`^\s*<!--\s*schema:\s*\d+\.\d+\s*-->\s*$`)
	bullet    = re.New("^\\s*[-*]\\s+`([^`]+)`(.*)$")
	sentence  = re.New(`^.*?[.!?。](?:\s|$)`)
)

// Migrate rewrites a document of the first schema: a marker, a Summary, and exports under
// headings of their own, so that they can be referred to. An export is converted only
// where the result reads as the same export; everything else stays as it is, byte for
// byte. Migrating twice is migrating once.
func Migrate(file string, src []byte) (m Migration, out []byte) {
	before, _ := spec.Parse(file, src)
	m = Migration{File: file, From: before.Version, To: "2.0", Changes: []Change{}, Suggestions: []string{}}
	if before.Version == "2.0" {
		m.Suggestions = append(m.Suggestions, "Already at schema version 2.0")
		return m, src
	}
	nl := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		nl = "\r\n"
	}
	lines := strings.SplitAfter(string(src), "\n")
	for _, e := range slices.Backward(before.Exports) {
		if next, ok := heading(file, lines, e, nl); ok {
			lines = next
			m.Changes = append(m.Changes, Change{"ConvertExportToHeading", fmt.Sprintf("Converted '%s' from bullet to heading format", e.Name)})
		}
	}
	slices.Reverse(m.Changes)
	if !before.Has("Summary") && before.Purpose != "" {
		if next := summarize(lines, file, nl); next != nil {
			lines = next
			m.Changes = append(m.Changes, Change{"AddSummary", "Added a Summary: the first sentence of the Purpose"})
		} else {
			m.Suggestions = append(m.Suggestions, "Write a Summary of one or two sentences: it cannot be added without changing the rest")
		}
	}
	lines = mark(lines, nl)
	m.Changes = append([]Change{{"AddVersionMarker", "Added " + schemaMarker + " marker at top of file"}}, m.Changes...)
	if before.Has("Behavior") && len(before.Actors) == 0 {
		m.Suggestions = append(m.Suggestions, "Consider adding ### Actors and ### UC-N sections to the Behavior section for UseCase diagram support")
	}
	m.Migrated = true
	return m, []byte(strings.Join(lines, ""))
}

// heading converts the bullet of one export, if that changes nothing of what is read.
func heading(file string, lines []string, e spec.Export, nl string) ([]string, bool) {
	i := e.Line - 1
	if i < 0 || i >= len(lines) || strings.Contains(e.Name, ".") {
		return nil, false
	}
	found := bullet().FindStringSubmatch(strings.TrimRight(lines[i], "\r\n"))
	if found == nil {
		return nil, false
	}
	text := "#### " + e.Name + nl + nl + "`" + found[1] + "`" + found[2] + nl
	if i > 0 && strings.TrimSpace(lines[i-1]) != "" {
		text = nl + text
	}
	if i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" {
		text += nl
	}
	next := slices.Clone(lines)
	next[i] = text
	if !same(file, strings.Join(lines, ""), strings.Join(next, "")) {
		return nil, false
	}
	return next, true
}

// same reports whether two texts read as the same document, but for the Summary.
func same(file, a, b string) bool {
	x, _ := spec.Parse(file, []byte(a))
	y, _ := spec.Parse(file, []byte(b))
	x.Summary, y.Summary = "", ""
	return bytes.Equal(x.JSON(), y.JSON())
}

// mark puts the marker first, or in the place of an older one.
func mark(lines []string, nl string) []string {
	for i := range min(5, len(lines)) {
		if oldMarker().MatchString(strings.TrimRight(lines[i], "\r\n")) {
			out := slices.Clone(lines)
			out[i] = schemaMarker + nl
			return out
		}
	}
	if len(lines) > 0 {
		if rest, ok := strings.CutPrefix(lines[0], "\uFEFF"); ok {
			return append([]string{"\uFEFF" + schemaMarker + nl, rest}, lines[1:]...)
		}
	}
	at := afterFrontMatter(lines)
	return slices.Insert(slices.Clone(lines), at, schemaMarker+nl)
}

// afterFrontMatter is the line behind a YAML header, which has to come first, where the marker is still seen there.
func afterFrontMatter(lines []string) int {
	if len(lines) == 0 || strings.TrimSpace(lines[0]) != "---" {
		return 0
	}
	for i := 1; i < min(4, len(lines)); i++ {
		if strings.TrimSpace(lines[i]) == "---" {
			return i + 1
		}
	}
	return 0
}

// summarize puts a Summary behind the Purpose; nil where that would change what is read.
func summarize(lines []string, file, nl string) []string {
	d, _ := spec.Parse(file, []byte(strings.Join(lines, "")))
	text := oneLine(d.Purpose)
	if s := sentence().FindString(text); s != "" {
		text = strings.TrimSpace(s)
	}
	at := min(d.End("Purpose"), len(lines))
	section := "## Summary" + nl + nl + text + nl
	switch {
	case at < len(lines) && lines[at] != "":
		section += nl
	case at > 0 && lines[at-1] != "" && !strings.HasSuffix(lines[at-1], "\n"):
		section = nl + nl + section
	default:
		section = nl + section
	}
	out := slices.Insert(slices.Clone(lines), at, section)
	after, _ := spec.Parse(file, []byte(strings.Join(out, "")))
	if after.Summary == "" || !same(file, strings.Join(lines, ""), strings.Join(out, "")) {
		return nil
	}
	return out
}
