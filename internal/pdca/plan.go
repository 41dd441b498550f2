package pdca

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/task"
)

// Plan says what is to be done, why, where, and how one sees that it is done.
type Plan struct {
	Title      string         `json:"title"` // of the commit
	Type       string         `json:"type"`  // of the commit: feat, fix, …
	Background string         `json:"background"`
	Items      []Item         `json:"items"`
	Excluded   []string       `json:"excluded,omitempty"` // what is not part of it
	Files      []task.File    `json:"files"`
	Risks      []string       `json:"risks"`
	EdgeCases  []string       `json:"edge_cases"`
	Steps      []Step         `json:"steps"`
	HeldOut    []task.HeldOut `json:"held_out,omitempty"` // in no document: the author of the code must not know them
}

// Item is one thing that is to be built, and what holds when it is.
type Item struct {
	Text     string           `json:"text"`
	Criteria []task.Criterion `json:"criteria"`
}

// Step is one step of the work.
type Step struct {
	Text string `json:"text"`
	Done string `json:"done"` // how one sees that it is
}

// CriterionID is what the nth criterion of a plan is called, from 0.
func CriterionID(n int) string { return fmt.Sprintf("K-%02d", n+1) }

// Criteria are those of all items.
func (p Plan) Criteria() []task.Criterion {
	var out []task.Criterion
	for _, i := range p.Items {
		out = append(out, i.Criteria...)
	}
	return out
}

// Problem is what a gate found: the gate, and a sentence that says what to do.
type Problem struct {
	Gate string `json:"gate"`
	Text string `json:"text"`
	// Warn says that it stops nothing.
	Warn bool `json:"warn,omitempty"`
}

// The gates that code judges.
const (
	GatePlan      = "plan"       // background, scope, files and risks are there
	GatePaths     = "paths"      // what is to be changed exists, what is new does not
	GateCriteria  = "criteria"   // every item has criteria; whether they can be measured, a critic judges
	GateWords     = "words"      // no word that leaves open what is meant
	GateEdgeCases = "edge-cases" // at least two
	GateDesign    = "design"     // files, interfaces, data flow, tests
	GateCommands  = "commands"   // the commands can be run
)

// Limits of the gates.
const (
	minText      = 20 // runes of a section that counts
	minEdgeCases = 2  // that a plan names
	minPlan      = 50 // runes of a plan
)

// CheckPlan is what code can say against a plan: the gates from GatePlan to GateEdgeCases. A LIGHT plan
// needs no risks and no edge cases. exists reports whether the project has a file.
func CheckPlan(p Plan, size Mode, exists func(string) bool) []Problem {
	var out []Problem
	say := func(gate, format string, args ...any) {
		out = append(out, Problem{Gate: gate, Text: fmt.Sprintf(format, args...)})
	}
	if utf8.RuneCountInString(strings.TrimSpace(p.Background)) < minText {
		say(GatePlan, "The background is too short: describe the problem in at least %d characters.", minText)
	}
	if len(p.Items) == 0 {
		say(GatePlan, "The scope is empty: list what is to be built.")
	}
	if len(p.Files) == 0 {
		say(GatePlan, "No file is named: list the changed files and the new files.")
	}
	if size != Light && len(p.Risks) == 0 {
		say(GatePlan, "No risk is named: say what can go wrong.")
	}
	if length := textLength(p); length < minPlan {
		say(GatePlan, "The plan has only %d characters; that is too short.", length)
	}
	for i, item := range p.Items {
		if len(item.Criteria) == 0 {
			say(GateCriteria, "Item %d (%s) has no criterion: say how to measure that it is done.", i+1, clip(item.Text))
		}
	}
	seen := map[string]bool{}
	for _, f := range p.Files {
		if text := badPath(f, exists); text != "" {
			say(GatePaths, "%s", text)
		}
		if seen[f.Path] {
			say(GatePaths, "%s appears twice.", f.Path)
		}
		seen[f.Path] = true
	}
	for _, s := range p.sentences() {
		for _, w := range Vague(s) {
			out = append(out, Problem{GateWords, fmt.Sprintf("%q is vague, in: %s", w.Word, clip(s)), w.Warn})
		}
	}
	if n := len(p.EdgeCases); size != Light && n < minEdgeCases {
		say(GateEdgeCases, "The plan names %d edge cases: name at least %d, and what happens in each.", n, minEdgeCases)
	}
	return out
}

// badPath says what is wrong with a file of a plan; "" when nothing is.
func badPath(f task.File, exists func(string) bool) string {
	clean := path.Clean(f.Path)
	switch {
	case f.Path == "" || path.IsAbs(f.Path) || clean != f.Path || strings.HasPrefix(clean, "../") || strings.Contains(f.Path, `\`):
		return fmt.Sprintf("%q is not a path from the project's root.", f.Path)
	case f.Action == task.Create && exists(f.Path):
		return f.Path + " should be created, but already exists: change it, or use another name."
	case f.Action != task.Create && !exists(f.Path):
		return f.Path + " does not exist: find the right path, or mark it as new."
	}
	return ""
}

// sentences are what the author of a plan has written himself, apart from names.
func (p Plan) sentences() []string {
	out := []string{p.Background}
	for _, i := range p.Items {
		out = append(out, i.Text)
		for _, k := range i.Criteria {
			out = append(out, k.Text)
		}
	}
	for _, s := range p.Steps {
		out = append(out, s.Text, s.Done)
	}
	return slices.Concat(out, p.Excluded, p.Risks, p.EdgeCases)
}

func textLength(p Plan) int {
	n := 0
	for _, s := range p.sentences() {
		n += utf8.RuneCountInString(strings.TrimSpace(s))
	}
	return n
}

// VagueWord is a word that leaves open what is meant.
type VagueWord struct {
	Word string
	Warn bool // it may as well be an honest enumeration
}

// vague are words that leave open what is meant, in Korean and English; listing are such that end an enumeration, which is mostly honest (half
// of real plans have one), so that they only warn.
var (
	vague   = re.New(`(?i)적절히|적절하게|적절한|필요\s?시|필요에\s?따라|필요하면|가능하면|가능한\s?한|\b(?:as appropriate|appropriately|if necessary|when necessary|as needed|if possible|where possible|and so on|to be determined|TBD)\b`)
	listing = re.New(`(?i)(?:^|[\s,)])(등)(?:[\s.,)을를이가의은는]|$)|(기타)|\b(etc\.?)(?:\s|$|[,)])`)
	quoted  = re.New("`[^`]*`" + `|"[^"\n]*"|“[^”]*”|'[^'\n]{2,}'|「[^」]*」`)
)

// Vague are the words of a sentence that leave open what is meant. What stands in quotes or as code is not the
// author's.
func Vague(s string) []VagueWord {
	s = quoted().ReplaceAllString(s, " ")
	var out []VagueWord
	for _, w := range vague().FindAllString(s, -1) {
		out = append(out, VagueWord{Word: w})
	}
	for _, m := range listing().FindAllStringSubmatch(s, -1) {
		out = append(out, VagueWord{Word: m[1] + m[2] + m[3], Warn: true})
	}
	return out
}

func clip(s string) string {
	const most = 80
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
