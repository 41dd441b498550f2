package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Outline is what a file says of itself beside its exports: contracts, states and life cycles.
// Everything in it stands in the code or its documentation; nothing is guessed.
type Outline struct {
	Contracts   []Contract
	States      []States
	Transitions []Transition
	Lifecycle   []Stage
}

// Contract is what a function asks and promises: the tags and lines of its documentation, then the guard clauses at
// its start. A guard that throws when x < 0 is the precondition x >= 0.
type Contract struct {
	Function       string // Owner.name for a method
	Preconditions  []string
	Postconditions []string
	Throws         []string
	Invariants     []string
	Line           int
	// Guards and Fails are the preconditions and errors of them that guard clauses say, and not the documentation.
	Guards, Fails []string
}

func (c *Contract) empty() bool {
	return len(c.Preconditions)+len(c.Postconditions)+len(c.Throws)+len(c.Invariants) == 0
}

// States is an enumeration whose name ends with State, Status or Phase.
type States struct {
	Name   string
	Values []string
}

// Transition is a change of state that the code allows from one state alone.
type Transition struct{ From, Trigger, To string }

// Stage is a function with a place in a life cycle: @lifecycle N in its documentation.
type Stage struct {
	Order  int
	Method string
	Line   int
}

func isState(name string) bool {
	return slices.ContainsFunc([]string{"State", "Status", "Phase"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// contract adds what the documentation and the guards of an exported function say.
func (o *Outline) contract(name, doc string, g guards, line int) {
	c := Contract{Function: name, Line: line}
	stage := readDoc(doc, &c)
	c.Preconditions = append(c.Preconditions, g.pre...)
	c.Throws = append(c.Throws, g.throws...)
	c.Guards, c.Fails = g.pre, g.throws
	if !c.empty() {
		o.Contracts = append(o.Contracts, c)
	}
	if stage > 0 {
		o.Lifecycle = append(o.Lifecycle, Stage{stage, name[strings.LastIndexByte(name, '.')+1:], line})
	}
}

// finish brings the parts in their order.
func (o *Outline) finish() {
	slices.SortStableFunc(o.Contracts, func(a, b Contract) int { return a.Line - b.Line })
	slices.SortStableFunc(o.Lifecycle, func(a, b Stage) int { return a.Order - b.Order })
}

// guards are preconditions and errors read from the leading statements of a function.
type guards struct{ pre, throws []string }

// docTags are the words of documentation that speak of a contract.
var docTags = map[string]string{
	"precondition": "pre", "preconditions": "pre", "pre": "pre", "requires": "pre",
	"postcondition": "post", "postconditions": "post", "post": "post", "ensures": "post",
	"return": "returns", "returns": "returns",
	"throws": "throws", "throw": "throws", "exception": "throws", "raises": "throws", "errors": "throws", "error": "throws",
	"panics": "panics", "invariant": "invariant", "invariants": "invariant", "safety": "pre",
}

// docReader reads the text of a comment line by line.
type docReader struct {
	c    *Contract
	to   string // where the current item goes, "" for nowhere
	text []string
	// block is a heading whose items follow: each bullet, paragraph or "Type: text" line is one.
	block  string
	indent int // of the block's heading
	item   int // of the block's items, -1 before the first
	fenced bool
	stage  int
}

// readDoc reads a cleaned comment into a contract, and answers with the place in a life cycle, 0 without.
func readDoc(doc string, c *Contract) int {
	d := &docReader{c: c}
	for line := range strings.SplitSeq(doc, "\n") {
		d.line(line)
	}
	d.flush()
	return d.stage
}

func (d *docReader) flush() {
	text := strings.TrimSpace(strings.Join(d.text, " "))
	text = strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(text, "- ")), ".")
	to := d.to
	d.to, d.text = "", nil
	if text == "" {
		return
	}
	list := map[string]*[]string{
		"pre": &d.c.Preconditions, "post": &d.c.Postconditions, "returns": &d.c.Postconditions, "throws": &d.c.Throws, "panics": &d.c.Throws,
		"invariant": &d.c.Invariants,
	}[to]
	if list != nil {
		*list = append(*list, map[string]string{"returns": "returns ", "panics": "panic: "}[to]+text)
	}
}

func (d *docReader) line(raw string) {
	line := strings.TrimSpace(raw)
	indent := len(raw) - len(strings.TrimLeft(raw, " \t"))
	switch {
	case strings.HasPrefix(line, "```"):
		d.flush()
		d.fenced = !d.fenced
		return
	case d.fenced:
		return
	case line == "":
		d.flush()
		return
	case strings.HasPrefix(line, "@") || strings.HasPrefix(line, ":") && strings.Contains(line[1:], ":"):
		d.flush()
		d.block = ""
		d.tag(line)
		return
	case strings.HasPrefix(line, "# "): // a section of Rust's documentation
		d.flush()
		d.block, d.indent, d.item = docTags[strings.ToLower(strings.TrimSpace(line[2:]))], -1, -1
		return
	}
	if d.block != "" && indent <= d.indent {
		d.flush()
		d.block = ""
	}
	if word, rest, ok := strings.Cut(line, ":"); ok && (d.block == "" || d.indent < 0) && (rest == "" || rest[0] == ' ') {
		if to, known := docTags[strings.ToLower(word)]; known {
			d.flush()
			if d.block = ""; strings.TrimSpace(rest) == "" {
				d.block, d.indent, d.item = to, indent, -1
				return
			}
			d.to, d.text = to, []string{strings.TrimSpace(rest)}
			return
		}
	}
	if d.block == "" {
		if d.to != "" {
			d.text = append(d.text, line)
		}
		return
	}
	d.inBlock(line, indent)
}

// inBlock takes a line below a heading.
func (d *docReader) inBlock(line string, indent int) {
	bullet := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")
	first := d.item < 0
	if first {
		d.item = indent
	}
	name, rest, typed := strings.Cut(line, ": ")
	typed = typed && d.block == "throws" && d.indent >= 0 && !strings.Contains(name, " ")
	switch {
	case bullet:
		d.flush()
		d.to, d.text = d.block, []string{strings.TrimSpace(line[2:])}
	case typed && indent <= d.item: // Google style: Type: when
		d.flush()
		d.to, d.text = d.block, []string{name + " " + strings.TrimSpace(rest)}
	case len(d.text) == 0:
		d.to, d.text = d.block, []string{line}
	default:
		d.text = append(d.text, line)
	}
}

// tag takes a line that begins with a tag: @throws {T} text, :raises T: text.
func (d *docReader) tag(line string) {
	var word, rest string
	if line[0] == ':' {
		head, text, _ := strings.Cut(line[1:], ":")
		fields := strings.Fields(head)
		if len(fields) == 0 {
			return
		}
		word, rest = fields[0], strings.TrimSpace(strings.Join(fields[1:], " ")+" "+strings.TrimSpace(text))
		if docTags[word] != "throws" && docTags[word] != "returns" {
			return
		}
	} else {
		word, rest, _ = strings.Cut(line[1:], " ")
		rest = strings.TrimSpace(rest)
	}
	if word == "lifecycle" {
		n, _, _ := strings.Cut(rest, " ")
		d.stage, _ = strconv.Atoi(n)
		return
	}
	d.to = docTags[word]
	if d.to == "" {
		return
	}
	if strings.HasPrefix(rest, "{") {
		if end := closingBrace(rest); end > 0 {
			kind, text := rest[1:end], strings.TrimPrefix(strings.TrimSpace(rest[end+1:]), "- ")
			rest = text
			if d.to == "throws" {
				rest = strings.TrimSpace(kind + " " + text)
			}
		}
	}
	d.text = []string{rest}
}

func closingBrace(s string) int {
	depth := 0
	for i, r := range s {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// inlineTag is code or a link within a sentence, as Javadoc, KDoc and TSDoc write it.
var inlineTag = re.New(`\{@(?:code|link|linkplain|literal|value|inheritDoc)\s*([^{}]*)\}`)

// cleanComment gives the text of a comment without its marks, indentation kept.
func cleanComment(text string) string {
	if strings.Contains(text, "{@") {
		text = inlineTag().ReplaceAllString(text, "$1")
	}
	if s, ok := strings.CutPrefix(text, "/*"); ok {
		s = strings.TrimSuffix(strings.TrimLeft(s, "*!"), "*/")
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			t := strings.TrimLeft(l, " \t")
			if strings.HasPrefix(t, "*") {
				lines[i] = strings.TrimRight(t[1:], " \t\r*")
			} else {
				lines[i] = strings.TrimRight(l, " \t\r")
			}
		}
		return strings.Join(lines, "\n")
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.TrimLeft(strings.TrimSpace(l), "/!#"), " \t\r")
	}
	return strings.Join(lines, "\n")
}

// summary is the first paragraph of a comment on one line, up to the first tag.
func summary(doc string) string {
	var out []string
	for line := range strings.SplitSeq(doc, "\n") {
		line = strings.TrimSpace(line)
		word, _, _ := strings.Cut(line, ":")
		if line == "" && len(out) == 0 {
			continue
		}
		if line == "" || line[0] == '@' || line[0] == ':' || line[0] == '#' || strings.HasPrefix(line, "```") || docTags[strings.ToLower(word)] != "" && strings.Contains(line, ":") {
			break
		}
		out = append(out, line)
	}
	return strings.Join(strings.Fields(strings.Join(out, " ")), " ")
}

var opposite = map[string]string{
	"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
	"is": "is not", "is not": "is", "in": "not in", "not in": "in", "!in": "in", "!is": "is",
}
