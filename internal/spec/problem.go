package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Severity says whether a problem stops the build of its module.
type Severity string

// The two severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is something wrong in a document, with its place. Line and Col count from 1; Col counts
// characters. Line 0 means the file as a whole.
type Problem struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	Col      int      `json:"col"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Hint     string   `json:"hint,omitempty"`
}

// String renders the problem as "path:line:col: severity: text (hint)".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Line > 0 {
		b.WriteString(":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(max(p.Col, 1)))
	}
	b.WriteString(": " + string(p.Severity) + ": " + p.Text)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// missing is the problem of a document that lacks a section.
func missing(path string, sev Severity, title string) Problem {
	return Problem{Path: path, Line: 1, Col: 1, Severity: sev, Text: "Missing required section: " + title, Hint: "add a '## " + title + "' section"}
}

// SortProblems orders problems by path, place, severity and text and drops exact repetitions.
func SortProblems(ps []Problem) []Problem {
	slices.SortFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.Compact(ps)
}

// HasErrors reports whether one of the problems stops the build.
func HasErrors(ps []Problem) bool {
	return slices.ContainsFunc(ps, func(p Problem) bool { return p.Severity == Error })
}
