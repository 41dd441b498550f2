package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// digestOf is the first n hex digits of the SHA-256 of the parts, which cannot run together.
func digestOf(n int, parts ...string) string {
	size := 0
	for _, s := range parts {
		size += len(s) + 1
	}
	all := make([]byte, 0, size)
	for _, s := range parts {
		all = append(append(all, s...), 0)
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:(n+1)/2])[:n]
}

const (
	short = 10 // digits of the hash of one item: compared only with the same item's hash
	long  = 16 // digits of the hash of a whole
)

// norm is the form in which texts are hashed: white space collapsed outside of code, code marks dropped.
func norm(s string) string { return strings.ReplaceAll(tidy(s), "`", "") }

// tight drops all white space that does not keep two words apart; signatures are hashed so.
func tight(s string) string {
	s = norm(s)
	if !strings.Contains(s, " ") {
		return strings.TrimRight(s, ";,")
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		if r == ' ' {
			before, _ := utf8.DecodeLastRuneInString(s[:i])
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !isWord(before) || !isWord(after) {
				continue
			}
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), ";,")
}

// SymbolHashes gives a hash of what other modules can see of each export: kind, name, signature
// and, where it is declared, value and variants. Prose about it is left out.
func SymbolHashes(d *Document) map[string]string {
	out := make(map[string]string, len(d.Exports))
	for i := range d.Exports {
		name := d.Exports[i].Name
		if _, twice := out[name]; !twice {
			out[name] = digestOf(short, name, d.Exports[i].promise())
			continue
		}
		var all []string
		for k := range d.Exports {
			if d.Exports[k].Name == name {
				all = append(all, d.Exports[k].promise())
			}
		}
		slices.Sort(all)
		out[name] = digestOf(short, append([]string{name}, all...)...)
	}
	return out
}

// promise is what others see of an export.
func (e *Export) promise() string {
	return string(e.Kind) + " " + tight(e.Signature) + "\x00" + tight(e.Value) + "\x00" + strings.Join(e.Variants, "|")
}

// InterfaceHash is one hash over all [SymbolHashes]; the order of the exports does not matter.
func InterfaceHash(d *Document) string { return HashSymbols(SymbolHashes(d)) }

// HashSymbols hashes all symbols of an interface.
func HashSymbols(symbols map[string]string) string {
	parts := make([]string, 0, 2*len(symbols))
	for _, n := range slices.Sorted(maps.Keys(symbols)) {
		parts = append(parts, n, symbols[n])
	}
	return digestOf(long, parts...)
}

// ContentHash covers everything that the module's code is built from: the normalised text of the
// contract sections and the dependencies. Purpose, Summary, Structure, unknown sections, comments
// and layout leave it alone.
func ContentHash(d *Document) string { return d.content }

// TextHash covers the whole text of a root CLAUDE.md, layout and comments left out: where it is
// no module, all of it is convention. It is "" for documents of other directories.
func TextHash(d *Document) string { return d.text }

// ConventionHash covers Project Convention and Code Convention; "" when the document has neither.
func ConventionHash(d *Document) string {
	return hashConventions(d.Conventions)
}

func hashConventions(cs []Convention) string {
	if len(cs) == 0 {
		return ""
	}
	var parts []string
	for _, c := range cs {
		parts = append(parts, headingKey(c.Section), headingKey(c.Name), normText(c.Text))
	}
	return digestOf(long, parts...)
}

// normText normalises line by line, so that lists keep their shape.
func normText(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		if l = normLine(l); l != "" {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

func normLine(l string) string {
	_, rest := splitIndent(strings.TrimRight(l, "\r\n"))
	if rest == "" {
		return ""
	}
	if _, inner, ok := listMarker(rest); ok && (rest[0] == '-' || rest[0] == '*' || rest[0] == '+') {
		rest = "- " + inner
	}
	if isDelimiterRow(rest) {
		return ""
	}
	return norm(rest)
}

// digest computes the hashes that need the text.
func (p *parser) digest() {
	d := p.doc
	parts := make([]string, 0, 32)
	for _, key := range slices.Sorted(maps.Keys(d.sections)) {
		if !known[key] || key == "dependencies" {
			continue
		}
		for _, s := range d.sections[key].parts {
			parts = p.scan.normal(append(parts, key), s.first, s.end)
		}
	}
	for _, dep := range d.Dependencies.Internal {
		parts = append(parts, "internal", dep.Path, strings.Join(dep.Symbols, ","))
	}
	for _, dep := range d.Dependencies.External {
		parts = append(parts, "external", dep.Name, dep.Version, strings.Join(dep.Symbols, ","))
	}
	d.content = digestOf(long, parts...)
	if d.Dir() != "." {
		return
	}
	all := p.scan.normal(make([]string, 0, len(p.scan.lines)), 0, len(p.scan.lines))
	d.text, d.rules = digestOf(long, all...), p.rules()
}

// normal appends the lines [from, end), normalised, without those that say nothing.
func (s *scanner) normal(to []string, from, end int) []string {
	for i := from; i < end; i++ {
		if l := &s.lines[i]; l.kind != kindBlank && l.kind != kindHTML {
			if t := normLine(s.at(i)); t != "" {
				to = append(to, t)
			}
		}
	}
	return to
}

// rules is the text that stands in no section with a meaning of its own, without the title; "" when that is headings alone.
func (p *parser) rules() string {
	taken := make([]bool, len(p.scan.lines))
	for key := range known {
		if f := p.doc.sections[key]; f != nil {
			for _, s := range f.parts {
				for i := max(s.line, 0); i < s.end; i++ {
					taken[i] = true
				}
			}
		}
	}
	var parts []string
	said := false
	for from := 0; from < len(taken); from++ {
		if taken[from] {
			continue
		}
		to := from
		for ; to < len(taken) && !taken[to]; to++ {
			l := &p.scan.lines[to]
			said = said || l.kind != kindHeading && l.kind != kindBlank && l.kind != kindHTML
			taken[to] = l.kind == kindHeading && l.level == 1
			if taken[to] {
				break
			}
		}
		if text := p.scan.text(from, to); text != "" {
			parts = append(parts, text)
		}
		from = to
	}
	if !said {
		return ""
	}
	return strings.Join(parts, "\n\n")
}
