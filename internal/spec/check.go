package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Placeholder stands where a Purpose is still to be written by somebody who knows it.
const Placeholder = "(To be described: what this module is for.)"

// Check reports what a document lacks or contradicts, sorted. Problems of single lines are
// reported by [Parse]; the package comment says which problems are errors and why.
func Check(d *Document) []Problem {
	c := &checker{d: d}
	c.required("Purpose", Error, "")
	switch {
	case d.Has("Purpose") && d.Purpose == "" && strings.TrimSpace(d.Text("Purpose")) == "":
		c.at("Purpose", Error, "Purpose is empty", "write one or two sentences")
	case d.Has("Purpose") && d.Purpose == "":
		c.none("Purpose", Error)
	}
	if d.Purpose == Placeholder {
		c.at("Purpose", Warning, "the purpose is not described yet", "write one or two sentences")
	}
	if d.Version != "1.0" {
		c.required("Summary", Warning, "one or two sentences")
		if d.Has("Summary") && d.Summary == "" {
			c.none("Summary", Warning)
		}
	}
	c.required("Exports", Error, "list what other modules may use, or write None")
	c.required("Behavior", Error, "list scenarios as `input → output`, or write None")
	for _, s := range []string{"Contract", "Protocol", "Domain Context"} {
		c.required(s, Warning, "without it the module is built as if it said None")
	}
	if d.Has("Exports") && len(d.Exports) == 0 && !d.ExportsNone {
		c.at("Exports", Error, "Exports section must contain valid function signatures or 'None'",
			"write - `name(param: type): result`")
	}
	if d.Has("Behavior") && len(d.Behaviors) == 0 && !isNoneText(d.Text("Behavior")) {
		c.at("Behavior", Error, "Behavior section must contain scenarios in 'input → output' format or 'None'", "write - input → output")
	}
	c.exports()
	c.contracts()
	c.outcomes()
	c.useCases()
	c.states()
	c.separators()
	return SortProblems(c.ps)
}

type checker struct {
	d  *Document
	ps []Problem
}

func (c *checker) add(sev Severity, line int, text, hint string) {
	c.ps = append(c.ps, Problem{Path: c.d.Path, Line: line, Col: 1, Severity: sev, Text: text, Hint: hint})
}

func (c *checker) required(title string, sev Severity, hint string) {
	if c.d.Has(title) {
		return
	}
	p := missing(c.d.Path, sev, title)
	if hint != "" {
		p.Hint += "; " + hint
	}
	c.ps = append(c.ps, p)
}

func (c *checker) line(title string) int {
	if f := c.d.sections[headingKey(title)]; f != nil {
		return f.parts[0].line + 1
	}
	return 0
}

func (c *checker) at(title string, sev Severity, text, hint string) {
	c.add(sev, c.line(title), text, hint)
}

func (c *checker) none(title string, sev Severity) {
	c.at(title, sev, fmt.Sprintf("Section '%s' does not allow 'None' as value", title), "write one or two sentences")
}

// markRE is a text, or a mark alone in quotes: a lifetime of Rust has one quote.
var markRE = re.New(`"[^"]*"|'[^'\pL]*'`)

// exports names lines whose brackets do not fit: what stands between them is not read as it was meant.
func (c *checker) exports() {
	for i := range c.d.Exports {
		e := &c.d.Exports[i]
		text := markRE().ReplaceAllString(e.Signature, "")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.Count(text, pair[:1]) != strings.Count(text, pair[1:]) {
				c.add(Warning, e.Line, "this export is not read as a whole, its brackets "+pair+" do not fit: "+clip(e.Signature), "correct the brackets")
				break
			}
		}
	}
}

// contracts names headings that only a name of Exports can be meant by, and is not there.
func (c *checker) contracts() {
	if len(c.d.Exports) == 0 {
		return
	}
	known := map[string]bool{}
	for _, w := range wordRE().FindAllString(c.d.Text("Exports"), -1) {
		known[w] = true
	}
	for _, k := range c.d.Contracts {
		words := wordRE().FindAllString(k.Function, -1)
		if !isIdent(k.Function) || slices.ContainsFunc(words, func(w string) bool { return known[w] }) {
			continue
		}
		if near := c.d.Near(k.Function); near != "" {
			c.add(Warning, k.Line, "the contract is of "+k.Function+", which Exports do not list", "did you mean "+near+"?")
		}
	}
}

// Near is the export whose name differs from another one in one letter or in its case, "" where there is none.
func (d *Document) Near(name string) string {
	for i := range d.Exports {
		if n := d.Exports[i].Name; n != name && (strings.EqualFold(n, name) || oneOff([]rune(n), []rune(name))) {
			return n
		}
	}
	return ""
}

// outcomes names inputs for which two different things are to come out.
func (c *checker) outcomes() {
	code := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "`", "")) }
	first := map[[2]string]string{}
	for _, b := range c.d.Behaviors {
		key := [2]string{b.Subject, code(b.Input)}
		if was, ok := first[key]; ok && was != code(b.Output) {
			c.add(Warning, b.Line, key[1]+" has two outcomes, "+was+" and "+code(b.Output), "tell them apart in the input, or keep one")
		} else {
			first[key] = code(b.Output)
		}
	}
}

func (c *checker) useCases() {
	ids := map[string]bool{}
	for _, u := range c.d.UseCases {
		if ids[u.ID] {
			c.add(Warning, u.Line, "Duplicate use case ID: "+u.ID, "give each its own number")
		}
		ids[u.ID] = true
	}
	for _, u := range c.d.UseCases {
		targets := func(kind string, list []string) {
			for _, id := range list {
				if !ids[id] {
					c.add(Warning, u.Line, kind+" target '"+id+"' does not match any defined use case", "name a use case of this document")
				}
			}
		}
		targets("Include", u.Includes)
		targets("Extend", u.Extends)
	}
}

// states names the states that transitions use and the list of states lacks.
func (c *checker) states() {
	p := &c.d.Protocol
	if len(p.States) == 0 {
		return
	}
	for _, t := range p.Transitions {
		for _, s := range []string{t.From, t.To} {
			if !hasClause(p.States, s) && s != "*" && s != "any" {
				c.add(Warning, t.Line, "the transition uses the state "+s+", which States does not list", "add it there, or fix the name")
			}
		}
	}
}

// separators names headings that were probably meant as a line under a paragraph.
func (c *checker) separators() {
	for _, h := range c.d.accidental {
		c.add(Warning, h, "this text is a heading, because a line of dashes follows it",
			"put a blank line above the dashes")
	}
}

// meantSection is the section whose title differs from another one in one letter, "" where there is none.
func meantSection(key string) string {
	for _, title := range []string{"Purpose", "Exports", "Behavior", "Contract", "Protocol", "Domain Context", "Constraints", "Dependencies"} {
		if oneOff([]rune(key), []rune(headingKey(title))) {
			return title
		}
	}
	return ""
}

// oneOff reports whether one letter was left out, added, changed, or two were swapped.
func oneOff(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b)-len(a) == 1:
		return string(a[i:]) == string(b[i+1:])
	case len(a) != len(b) || i == len(a):
		return false
	case string(a[i+1:]) == string(b[i+1:]):
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && string(a[i+2:]) == string(b[i+2:])
}
