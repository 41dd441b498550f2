package works

import (
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Requirement is a Requirement.md: what was asked for and what will hold it to that.
type Requirement struct {
	Work          string // WORK-01
	Language      string // of the headings: en, ko or ja
	Request       string // as the user wrote it
	Functional    []Item // FR-01, …
	NonFunctional []Item // NFR-01, …
	Acceptance    []Criterion
}

// Item is a requirement with its number. One without a number gets the next free one when it is
// written or read.
type Item struct {
	ID   string // FR-01
	Text string
}

// Criterion is one line of a checklist. Where one is referred to, it is AC-01, AC-02, … by its
// position.
type Criterion struct {
	Text string
	Done bool
}

// Format writes the document.
func (r *Requirement) Format() []byte {
	var w writer
	w.title("Requirement — " + inline(r.Work))
	w.section(r.Language, "Original Request")
	if request := block(r.Request); request != "" {
		w.line(quote(request))
	} else {
		w.line("None")
	}
	w.section(r.Language, "Functional Requirements")
	w.items(r.Functional, "FR")
	w.section(r.Language, "Non-Functional Requirements")
	w.items(r.NonFunctional, "NFR")
	w.section(r.Language, "Acceptance Criteria")
	w.criteria(r.Acceptance)
	return w.bytes()
}

// ParseRequirement reads a Requirement.md. The document is never nil.
func ParseRequirement(path string, src []byte) (*Requirement, []spec.Problem) {
	p := newPage(path, src)
	r := &Requirement{}
	title, _, rest := p.document()
	r.Work = workID(title.title)
	r.Language = spoken(rest)
	if r.Work == "" && title.no > 0 {
		p.warn(title.no, "the title names no WORK", "write '# Requirement — WORK-NN'")
	}
	for _, s := range rest {
		switch name, _ := known(s.title); name {
		case "Original Request":
			r.Request = unquote(texts(s.body))
		case "Functional Requirements":
			r.Functional = append(r.Functional, p.numbered(s.body, "FR")...)
		case "Non-Functional Requirements":
			r.NonFunctional = append(r.NonFunctional, p.numbered(s.body, "NFR")...)
		case "Acceptance Criteria":
			r.Acceptance = append(r.Acceptance, criteria(s.body)...)
		}
	}
	if len(r.Functional) == 0 {
		p.warn(0, "no functional requirement can be read", "list them under '## Functional Requirements' as '- FR-01: text'")
	}
	return r, p.problems()
}

var itemIDRE = re.New(`^(\**)(N?FR-\d+)(\**)\s*[:：.)—–-]?\s*(\**)(\s*.*)$`)

// numbered reads a list of requirements.
func (p *page) numbered(lines []line, prefix string) []Item {
	var out []Item
	seen := map[string]bool{}
	for _, it := range listed(lines) {
		x := Item{Text: it.oneLine()}
		if m := itemIDRE().FindStringSubmatch(x.Text); m != nil && strings.HasPrefix(m[2], prefix+"-") {
			x.ID, x.Text = m[2], strings.TrimSpace(m[5])
			if m[1] == "" || m[3] != "" { // the marks belong to the text
				x.Text = m[4] + m[5]
			}
		}
		switch {
		case x.ID == "":
			p.warn(it.no, "this requirement has no number", "start it with '"+prefix+"-NN: '")
		case seen[x.ID]:
			p.warn(it.no, x.ID+" appears twice", "give each requirement its own number")
		}
		seen[x.ID] = true
		out = append(out, x)
	}
	return renumber(out, prefix)
}

// renumber gives requirements without a number the next free one and drops those without a text.
func renumber(list []Item, prefix string) []Item {
	var out []Item
	used := map[string]bool{}
	for _, x := range list {
		used[x.ID] = true
	}
	next := 1
	for _, x := range list {
		if x.Text = inline(x.Text); x.Text == "" {
			continue
		}
		if m := itemIDRE().FindStringSubmatch(x.ID); m == nil || m[2] != x.ID || !strings.HasPrefix(x.ID, prefix+"-") {
			for used[fmt.Sprintf("%s-%02d", prefix, next)] {
				next++
			}
			x.ID = fmt.Sprintf("%s-%02d", prefix, next)
			used[x.ID] = true
		}
		out = append(out, x)
	}
	return out
}

// criteria reads a checklist.
func criteria(lines []line) []Criterion {
	var out []Criterion
	for _, it := range listed(lines) {
		c := Criterion{Text: it.oneLine()}
		for _, box := range []string{"[ ]", "[x]", "[X]", "[]"} {
			if rest, ok := strings.CutPrefix(c.Text, box); ok {
				c = Criterion{strings.TrimSpace(rest), box == "[x]" || box == "[X]"}
				break
			}
		}
		if c.Text != "" {
			out = append(out, c)
		}
	}
	return out
}
