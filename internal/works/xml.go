package works

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// element is an XML element on its way in or out.
type element struct {
	name  string
	attrs [][2]string
	text  string
	kids  []*element
}

func elem(name string, attrs ...string) *element {
	e := &element{name: name}
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] != "" {
			e.attrs = append(e.attrs, [2]string{attrs[i], attrs[i+1]})
		}
	}
	return e
}

// add puts elements into e that have something in them.
func (e *element) add(kids ...*element) *element {
	for _, k := range kids {
		if k != nil && (len(k.attrs) > 0 || len(k.kids) > 0 || k.text != "") {
			e.kids = append(e.kids, k)
		}
	}
	return e
}

// with gives e a text.
func (e *element) with(text string) *element {
	e.text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	return e
}

func leaf(name, text string) *element { return elem(name).with(text) }

// quoteXML escapes a text; in an attribute also what would end it or what readers make a space.
func quoteXML(s string, attr bool) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '\r' || attr && (r == '\n' || r == '\t'):
			fmt.Fprintf(&b, "&#x%X;", r)
		case attr && r == '"':
			b.WriteString("&quot;")
		case r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF:
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// write puts an element and what is in it on lines of their own.
func (e *element) write(b *strings.Builder, margin string) {
	b.WriteString(margin + "<" + e.name)
	for _, a := range e.attrs {
		b.WriteString(" " + a[0] + `="` + quoteXML(a[1], true) + `"`)
	}
	switch {
	case len(e.kids) > 0:
		b.WriteString(">\n")
		for _, k := range e.kids {
			k.write(b, margin+"  ")
		}
		b.WriteString(margin + "</" + e.name + ">\n")
	case e.text != "":
		b.WriteString(">" + quoteXML(e.text, false) + "</" + e.name + ">\n")
	default:
		b.WriteString("/>\n")
	}
}

func (e *element) format() []byte {
	var b strings.Builder
	e.write(&b, "")
	return []byte(b.String())
}

// attr reads an attribute; this and the other readers take an element that may be nil.
func (e *element) attr(name string) string {
	if e != nil {
		for _, a := range e.attrs {
			if a[0] == name {
				return strings.TrimSpace(a[1])
			}
		}
	}
	return ""
}

func (e *element) all(name string) []*element {
	var out []*element
	if e != nil {
		for _, k := range e.kids {
			if k.name == name {
				out = append(out, k)
			}
		}
	}
	return out
}

func (e *element) child(name string) *element {
	if all := e.all(name); len(all) > 0 {
		return all[0]
	}
	return nil
}

func (e *element) get(name string) string {
	if c := e.child(name); c != nil {
		return c.text
	}
	return ""
}

var entityRE = re.New(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});`)

// lenient escapes what agents forget to escape: an ampersand that starts no entity, a "less than"
// that starts no element, and the end of a CDATA section that never began. Lines stay where they
// are.
func lenient(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch rest := s[i:]; {
		case strings.HasPrefix(rest, "<![CDATA["):
			end := len(rest)
			if n := strings.Index(rest, "]]>"); n >= 0 {
				end = n + len("]]>")
			}
			b.WriteString(rest[:end])
			i += end - 1
		case strings.HasPrefix(rest, "]]>"):
			b.WriteString("]]&gt;")
			i += 2
		case s[i] == '&':
			m := entityRE().FindStringSubmatch(rest)
			if m == nil || m[1][0] != '#' && !isEntity(m[1]) {
				b.WriteString("&amp;")
			} else {
				b.WriteByte('&')
			}
		case s[i] == '<' && (len(rest) == 1 || !strings.ContainsRune("/!?_", rune(rest[1])) && (rest[1]|0x20 < 'a' || rest[1]|0x20 > 'z')):
			b.WriteString("&lt;")
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// isEntity reports whether a reader of XML or HTML knows a name.
func isEntity(name string) bool {
	return xml.HTMLEntity[name] != "" || slices.Contains([]string{"amp", "lt", "gt", "quot", "apos"}, name)
}

// candidates is how many elements of a name are tried: a text may mention the element before or
// after the one that it contains.
const candidates = 32

// findElement reads the last element of a name in a text, whatever is around it.
func findElement(src []byte, name string) (*element, error) {
	text := strings.ToValidUTF8(string(src), "\uFFFD")
	var worst error
	end := len(text)
	for range candidates {
		at := strings.LastIndex(text[:end], "<"+name)
		if at < 0 {
			break
		}
		end = at
		if next := text[at+1+len(name):]; next == "" || !strings.ContainsRune(" \t\r\n/>", rune(next[0])) {
			continue
		}
		e, err := readElement(text[at:])
		if err == nil {
			return e, nil
		}
		where := strings.Count(text[:at], "\n") + 1
		if bad, ok := errors.AsType[*xml.SyntaxError](err); ok {
			where += bad.Line - 1
			err = errors.New(bad.Msg)
		}
		worst = fmt.Errorf("read <%s>: line %d: %w", name, where, err)
	}
	if worst == nil {
		return nil, fmt.Errorf("read <%s>: the text has no such element", name)
	}
	return nil, worst
}

// deepest is how deep elements may be nested; the protocol needs five.
const deepest = 64

// readElement reads the element at the start of a text.
func readElement(text string) (*element, error) {
	d := xml.NewDecoder(strings.NewReader(lenient(text)))
	d.Entity = xml.HTMLEntity
	var open []*element
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil, &xml.SyntaxError{Msg: "the text ends inside of the element", Line: strings.Count(text, "\n") + 1}
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := &element{name: tok.Name.Local}
			for _, a := range tok.Attr {
				e.attrs = append(e.attrs, [2]string{a.Name.Local, a.Value})
			}
			if len(open) > 0 {
				top := open[len(open)-1]
				top.kids = append(top.kids, e)
			}
			if open = append(open, e); len(open) > deepest {
				line, _ := d.InputPos()
				return nil, &xml.SyntaxError{Msg: "elements are nested too deep", Line: line}
			}
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(tok)
			}
		case xml.EndElement:
			e := open[len(open)-1]
			e.text = strings.TrimSpace(e.text)
			if open = open[:len(open)-1]; len(open) == 0 {
				return e, nil
			}
		}
	}
}
