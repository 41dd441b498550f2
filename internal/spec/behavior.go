package spec

import (
	"cmp"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

var (
	useCaseRE  = re.New(`^(UC-\d+)\s*:\s*(.+)$`)
	errorOutRE = re.New(`Error|Exception|\bErr`)
)

// scope is what the headings and parent bullets above a behavior say about it.
type scope struct {
	category string
	subject  string
	useCase  string
}

func (p *parser) parseBehavior() {
	for _, sec := range p.parts("behavior") {
		if own := p.own(sec); !noneBlocks(own) {
			p.behaviors(own, scope{})
		}
		p.behaviorGroups(sec, scope{})
	}
}

func (p *parser) behaviorGroups(sec *section, sc scope) {
	for _, kid := range sec.kids {
		inner := sc
		m := useCaseRE().FindStringSubmatch(kid.title)
		switch {
		case kid.key == "actors" || kid.key == "액터":
			p.actors(kid)
			continue
		case m != nil:
			p.useCase(kid, m[1], m[2])
			inner.useCase, inner.subject = m[1], m[2]
		case category(kid.key) != "":
			inner.category = category(kid.key)
		default:
			inner.subject = kid.title
		}
		p.behaviors(p.own(kid), inner)
		p.behaviorGroups(kid, inner)
	}
}

// category reads the kind of scenarios from a heading; "" when it does not say.
func category(key string) string {
	switch {
	case hasAny(key, "error", "fail", "exception", "에러", "오류", "실패", "예외"):
		return "error"
	case hasAny(key, "success", "normal", "happy", "정상", "성공"):
		return "success"
	}
	return ""
}

func (p *parser) actors(sec *section) {
	for _, b := range p.own(sec) {
		if b.kind != blockItem {
			continue
		}
		name, desc, ok := labelled(b.text)
		if !ok {
			name, desc, _ = strings.Cut(b.text, " — ")
		}
		p.doc.Actors = append(p.doc.Actors, Actor{Name: plain(name), Description: desc})
	}
}

func (p *parser) useCase(sec *section, id, name string) {
	u := UseCase{ID: id, Name: name, Line: sec.line + 1}
	for _, b := range p.own(sec) {
		label, value, ok := labelled(b.text)
		if !ok || b.kind != blockItem {
			continue
		}
		switch strings.ToLower(label) {
		case "actor":
			u.Actor = plain(value)
		case "include", "includes":
			u.Includes = append(u.Includes, list(value)...)
		case "extend", "extends":
			u.Extends = append(u.Extends, list(value)...)
		}
	}
	p.doc.UseCases = append(p.doc.UseCases, u)
}

// list splits a comma list and drops code marks.
func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = plain(part); part != "" && !isNone(part) {
			out = append(out, part)
		}
	}
	return out
}

func (p *parser) behaviors(bs []*block, sc scope) {
	for _, b := range bs {
		switch b.kind {
		case blockItem:
			p.behaviorItem(b, sc)
		case blockPara:
			if key := headingKey(b.text); category(key) != "" && strings.HasSuffix(strings.TrimRight(b.text, "* "), ":") {
				sc.category = category(key)
			} else if in, out, ok := arrow(b.text); ok {
				p.behavior(in, out, b.line, sc)
			}
		case blockTable:
			p.behaviorTable(b, sc)
		case blockCode:
			for i, l := range b.code {
				if in, out, ok := arrow(l); ok && b.info == "" {
					p.behavior(in, out, b.line+1+i, sc)
				}
			}
		}
	}
}

// behaviorItem reads one bullet. Bullets under it are details of its output, or, where it has no
// arrow itself, scenarios of the subject that it names.
func (p *parser) behaviorItem(b *block, sc scope) {
	if in, out, ok := arrow(b.text); ok {
		p.behavior(in, withDetails(out, b.kids), b.line, sc)
		return
	}
	if len(b.kids) > 0 {
		inner := sc
		if c := category(headingKey(b.text)); c != "" && len(strings.Fields(b.text)) <= 3 {
			inner.category = c
		} else {
			inner.subject = strings.TrimRight(plain(b.text), ":： ")
		}
		p.behaviors(b.kids, inner)
		return
	}
	if label, _, ok := labelled(b.text); ok && sc.useCase != "" {
		switch strings.ToLower(label) {
		case "actor", "include", "includes", "extend", "extends":
			return
		}
	}
	switch {
	case strings.Count(b.text, "`")%2 == 1:
		p.warn(b, "a backtick is not closed in this behavior, so nothing can be tested: "+clip(b.text), "close it, and write `input → output`")
	case !isNone(b.text):
		p.warn(b, "this behavior has no arrow, so nothing can be tested: "+clip(b.text), "write it as `input → output`")
	}
}

// arrow splits at the first arrow outside code and double quotes, or at least outside code; a "→" is preferred to "->", which
// signatures use.
func arrow(s string) (string, string, bool) {
	for _, text := range []string{withoutQuoted(s), s} {
		for _, mark := range []string{"→", "⇒", "->"} {
			if i := indexOutsideCode(text, mark); i >= 0 {
				in, out := around(s, i, mark)
				return in, out, in != "" && out != ""
			}
		}
	}
	for _, mark := range []string{"→", "->"} {
		if i := strings.Index(s, mark); i >= 0 && strings.Count(s[:i], "`")%2 == 1 && strings.HasPrefix(s, "`") &&
			strings.HasSuffix(strings.TrimSpace(s), "`") {
			in, out := around(s, i, mark)
			in, out = strings.Trim(in, "` "), strings.Trim(out, "` ")
			return in, out, in != "" && out != ""
		}
	}
	return "", "", false
}

// withoutQuoted is a text of the same length with blanks for what stands in double quotes.
func withoutQuoted(s string) string {
	if strings.IndexByte(s, '"') < 0 {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(b); i++ {
		if b[i] != '"' && b[i] != '`' {
			continue
		}
		end := literalEnd(s, i)
		if end < 0 {
			continue
		}
		if b[i] == '"' {
			copy(b[i:end], strings.Repeat(" ", end-i))
		}
		i = end - 1
	}
	return string(b)
}

func indexOutsideCode(s, mark string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], mark)
		if i < 0 {
			return -1
		}
		i += from
		if strings.Count(s[:i], "`")%2 == 0 {
			return i
		}
		from = i + len(mark)
	}
}

// around is what stands before and after the mark at i. More dashes of a longer arrow belong to it; a sign behind it does not.
func around(s string, i int, mark string) (string, string) {
	in, out := s[:i], s[i+len(mark):]
	if mark == "->" {
		in = strings.TrimRight(in, "-")
	}
	return strings.TrimSpace(in), strings.TrimSpace(out)
}

func (p *parser) behavior(in, out string, line int, sc scope) {
	b := Behavior{
		Subject: sc.subject, Input: tidy(in), Output: tidy(out),
		Category: sc.category, UseCase: sc.useCase, Line: line,
	}
	if strings.Contains(out, "E") && errorOutRE().MatchString(out) {
		b.Category = "error"
	}
	b.Category = cmp.Or(b.Category, "success")
	p.doc.Behaviors = append(p.doc.Behaviors, b)
}

// behaviorTable reads scenarios from a table: the columns by their headers, else first and last.
func (p *parser) behaviorTable(b *block, sc scope) {
	head := b.rows[0]
	in := head.column("input", "입력", "when", "condition", "조건", "상황", "given")
	out := head.column("output", "출력", "result", "결과", "expected", "기대", "then", "동작")
	subject := head.column("scenario", "시나리오", "case", "케이스", "function", "함수")
	kind := head.column("category", "분류", "type", "유형")
	if in < 0 && subject >= 0 && subject != out {
		in, subject = subject, -1
	}
	if in < 0 {
		in = 0
	}
	if out < 0 || out == in {
		out = len(head.cells) - 1
	}
	when := head.column("when", "condition", "조건")
	if when == in || when == out || when == subject || head.column("given") != in {
		when = -1
	}
	for _, row := range b.rows[1:] {
		inner := sc
		if subject >= 0 && subject != in && subject != out && row.cell(subject) != "" {
			inner.subject = plain(row.cell(subject))
		}
		if c := category(headingKey(row.cell(kind))); c != "" {
			inner.category = c
		}
		if row.cell(in) != "" && row.cell(out) != "" && in != out {
			input := row.cell(in)
			if also := row.cell(when); also != "" { // given and when
				input += "; " + also
			}
			p.behavior(input, row.cell(out), row.line, inner)
		}
	}
}
