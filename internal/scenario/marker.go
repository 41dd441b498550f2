package scenario

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Mark names one turn: which role works on which module, and for the how-many-th
// time, counted from 1.
type Mark struct {
	Role    string
	Module  string
	Attempt int
}

// String returns the mark's line, see Marker.
func (m Mark) String() string { return Marker(m.Role, m.Module, m.Attempt) }

// Marker returns the line that a prompt carries so that a scenario can tell
// which turn it is, for example
//
//	<turn role="red" module="src/auth" attempt="1"/>
//
// It has no line break whatever the arguments hold.
func Marker(role, module string, attempt int) string {
	return `<turn role="` + escape(role) + `" module="` + escape(module) + `" attempt="` + strconv.Itoa(attempt) + `"/>`
}

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder never returns an error.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

var markerLine = re.New(`(?m)^[ \t]*(<turn role="[^"<>\n]*" module="[^"<>\n]*" attempt="-?[0-9]{1,9}"/>)[ \t\r]*$`)

// FindMarker returns the first mark that stands on a line of its own in text.
func FindMarker(text string) (Mark, bool) {
	for _, found := range markerLine().FindAllStringSubmatch(text, -1) {
		var v struct {
			Role    string `xml:"role,attr"`
			Module  string `xml:"module,attr"`
			Attempt int    `xml:"attempt,attr"`
		}
		if err := xml.Unmarshal([]byte(found[1]), &v); err == nil {
			return Mark{Role: v.Role, Module: v.Module, Attempt: v.Attempt}, true
		}
	}
	return Mark{}, false
}
