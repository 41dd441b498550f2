package pdca

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/task"
)

// Design says how a plan is built.
type Design struct {
	Files      []task.File    `json:"files"`
	Interfaces []Interface    `json:"interfaces"`
	DataFlow   string         `json:"data_flow"`
	Tests      string         `json:"test_strategy"`
	Risks      []string       `json:"risks,omitempty"`
	Checklist  []Check        `json:"checklist"`
	Commands   []string       `json:"commands,omitempty"` // that have to succeed, beside what the toolchain does
	Parts      []Part         `json:"parts,omitempty"`    // that can be built side by side
	HeldOut    []task.HeldOut `json:"held_out,omitempty"` // see Plan
}

// Interface is one signature that others use.
type Interface struct {
	Path      string `json:"path"`
	Signature string `json:"signature"`
	Does      string `json:"does,omitempty"`
}

// Check is one item of a design that can be looked for.
type Check struct {
	ID        string `json:"id"`        // D-01
	Path      string `json:"path"`      // that has it
	Symbol    string `json:"symbol"`    // that the file declares; "" for none
	Test      string `json:"test"`      // that shows it, as path::name or a name; "" for none
	Behaviour string `json:"behaviour"` // what a reader can judge
}

// Part is work that owns its files, so that it can be done beside other parts.
type Part struct {
	Title string   `json:"title"`
	Paths []string `json:"paths"` // files, or directories that end with "/"
}

// CheckDesign is what code can say against a design before it is implemented: what is missing or too short, and files that are
// not those of the project. A heavy one names its risks.
func CheckDesign(d Design, m Mode, exists func(string) bool) []Problem {
	var out []Problem
	say := func(format string, args ...any) {
		out = append(out, Problem{Gate: GateDesign, Text: fmt.Sprintf(format, args...)})
	}
	if len(d.Files) == 0 {
		say("No file is named: list the changed files and the new files.")
	}
	for _, f := range d.Files {
		if text := badPath(f, exists); text != "" {
			say("%s", text)
		}
	}
	if len(d.Interfaces) == 0 {
		say("No interface is given: write the signatures of what is called from outside, or the routes.")
	}
	for _, i := range d.Interfaces {
		if strings.TrimSpace(i.Signature) == "" {
			say("The interface in %s has no signature.", i.Path)
		}
	}
	if utf8.RuneCountInString(strings.TrimSpace(d.DataFlow)) < minText {
		say("The data flow is missing or too short: say what goes in, where it passes, what comes out.")
	}
	if utf8.RuneCountInString(strings.TrimSpace(d.Tests)) < minText {
		say("The test strategy is missing or too short: say which tests are written, and what each shows.")
	}
	if m == Heavy && len(d.Risks) == 0 {
		say("No risk is named: say what can go wrong.")
	}
	checkChecklist(d, say)
	checkParts(d, say)
	return out
}

func checkChecklist(d Design, say func(format string, args ...any)) {
	if len(d.Checklist) == 0 {
		say("The checklist is empty: list what must exist, with file, symbol and test.")
	}
	seen := map[string]bool{}
	for _, k := range d.Checklist {
		if k.ID == "" || seen[k.ID] {
			say("The id of checklist item %q is empty or not unique.", k.ID)
		}
		seen[k.ID] = true
		if k.Path == "" || path.IsAbs(k.Path) || strings.HasPrefix(path.Clean(k.Path), "../") {
			say("%s names no file of the project.", k.ID)
		}
		if strings.TrimSpace(k.Behaviour) == "" {
			say("%s does not say what it does.", k.ID)
		}
	}
}

// Holds reports whether a part owns a path.
func (p Part) Holds(file string) bool {
	return slices.ContainsFunc(p.Paths, func(o string) bool { return file == o || strings.HasSuffix(o, "/") && strings.HasPrefix(file, o) })
}

// checkParts says what is wrong with how a design is cut: each file belongs to one part at most.
func checkParts(d Design, say func(format string, args ...any)) {
	for _, f := range d.Files {
		var owners []string
		for _, p := range d.Parts {
			if p.Holds(f.Path) {
				owners = append(owners, p.Title)
			}
		}
		switch {
		case len(owners) > 1:
			say("%s belongs to %s: a file has one owner.", f.Path, strings.Join(owners, " and "))
		case len(owners) == 0 && len(d.Parts) > 1:
			say("%s belongs to no part.", f.Path)
		}
	}
}
