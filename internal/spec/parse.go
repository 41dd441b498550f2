package spec

import (
	"bytes"
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/re"
)

// found is a section of a document: all places with its name, merged.
type found struct {
	parts []*section
	text  string
}

// parser carries one document through the parsers of its sections.
type parser struct {
	doc  *Document
	scan *scanner
	root *section
	ps   []Problem

	groups []group // of the protocol
	group  int     // that is being read
}

var (
	markerRE   = re.New(`^<!--\s*schema:\s*(\d+\.\d+)\s*-->`)
	crossRefRE = re.New(`([A-Za-z0-9_./\p{L}-]*(?:CLAUDE|SPEC)\.md)#([A-Za-z_][A-Za-z0-9_]*)`)
)

// aliases are other names of sections.
var aliases = map[string]string{
	"behaviour": "behavior", "behaviors": "behavior", "behaviours": "behavior", "contracts": "contract",
	"export": "exports", "dependency": "dependencies", "constraint": "constraints",
	"목적": "purpose", "요약": "summary", "구조": "structure", "프로젝트 컨벤션": "project convention", "코드 컨벤션": "code convention",
	"내보내기": "exports", "공개 인터페이스": "exports", "동작": "behavior", "행동": "behavior", "계약": "contract", "프로토콜": "protocol",
	"도메인 컨텍스트": "domain context", "도메인 맥락": "domain context", "의존성": "dependencies", "제약": "constraints", "제약 사항": "constraints",
	"제약사항": "constraints",
}

// known are the sections that mean something; the value says whether they hold requirements of
// the code.
var known = map[string]bool{
	"purpose": false, "summary": false, "structure": false,
	"project convention": true, "code convention": true,
	"exports": true, "behavior": true, "contract": true, "protocol": true, "domain context": true,
	"dependencies": true, "constraints": true,
}

// Parse reads a CLAUDE.md or SPEC.md. path is its place from the project's root with "/" separators. The
// document is never nil; everything that is wrong with the file is in the problems, sorted.
func Parse(path string, src []byte) (*Document, []Problem) {
	p := begin(path, src)
	defer p.scan.release()
	p.doc.Version, p.doc.sections = "1.0", map[string]*found{}
	p.header()
	p.collect()
	p.parseExports()
	p.parseBehavior()
	p.parseContract()
	p.parseProtocol()
	p.parseContext()
	p.parseDependencies()
	p.parseStructure()
	p.parseConventions()
	p.crossRefs()
	p.digest()
	return p.doc, SortProblems(p.ps)
}

// begin is a parser of any of the documents, with its sections. Its scanner is to be released.
func begin(path string, src []byte) *parser {
	p := &parser{doc: &Document{Path: path}}
	p.scan = scan(p.decode(src))
	p.scan.hideComments()
	p.root = tree(p.scan)
	p.blocksLeftOpen()
	p.conflict()
	return p
}

// conflict names what a merge has left: two versions of which nobody has chosen one.
func (p *parser) conflict() {
	open, both := 0, false
	for i := range p.scan.lines {
		switch line := p.scan.at(i); {
		case strings.HasPrefix(line, "<<<<<<< "):
			open, both = i+1, false
		case line == "=======":
			both = true
		case strings.HasPrefix(line, ">>>>>>> ") && open > 0 && both:
			p.problem(Error, open, 1, "a merge conflict begins here", "keep one of the two versions, and delete the markers")
			open = 0
		}
	}
}

// Unreadable says why a document cannot be read, and what to do.
type Unreadable struct{ Why, Hint string }

func (u *Unreadable) Error() string { return u.Why + ": " + u.Hint }

// IsText tells text, also in an encoding that is not UTF-8, from bytes that are none or have two bytes or more for each letter.
func IsText(src []byte) bool { return bytes.IndexByte(src, 0) < 0 }

// Legible returns an *Unreadable for a document of which nothing was understood because its bytes are no text: it would pass for the
// free text of a directory that is no module. Where something was understood, the problems say what was not.
func (d *Document) Legible(src []byte) error {
	if d.IsSpec() || IsText(src) {
		return nil
	}
	return &Unreadable{"it is not UTF-8 text", "save it as UTF-8"}
}

// decode drops a byte order mark and replaces what is not UTF-8, naming the first such place.
func (p *parser) decode(src []byte) string {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if utf8.Valid(src) {
		return string(src)
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			start := bytes.LastIndexByte(src[:i], '\n') + 1
			p.problem(Error, bytes.Count(src[:i], []byte("\n"))+1, utf8.RuneCount(src[start:i])+1,
				"the file is not UTF-8", "save it as UTF-8")
			break
		}
		i += n
	}
	return strings.ToValidUTF8(string(src), "\uFFFD")
}

// scanBytes scans a document of which nobody asks what is wrong with it.
func scanBytes(src []byte) *scanner { return scan((&parser{doc: &Document{}}).decode(src)) }

// Unclosed returns what would close the code fence or comment that swallows the rest of a document; "" when none does.
// Whoever adds to the end has to write it first, on a line of its own.
func Unclosed(src []byte) string {
	s := scanBytes(src)
	defer s.release()
	end, _ := s.unclosed()
	return end
}

func (p *parser) problem(sev Severity, line, col int, text, hint string) {
	p.ps = append(p.ps, Problem{Path: p.doc.Path, Line: line, Col: col, Severity: sev, Text: text, Hint: hint})
}

func (p *parser) warn(b *block, text, hint string) { p.problem(Warning, b.line, b.col, text, hint) }

// blocksLeftOpen names a fence or comment that swallows the rest of the file.
func (p *parser) blocksLeftOpen() {
	switch end, line := p.scan.unclosed(); {
	case end == "-->":
		p.problem(Warning, line+1, 1, "the comment that opens here is never closed",
			"close it with -->; until then everything below is comment")
	case strings.HasPrefix(end, "`"), strings.HasPrefix(end, "~"):
		p.problem(Warning, line+1, 1, "the code fence that opens here is never closed",
			"close it; until then everything below is code")
	}
}

func (p *parser) header() {
	for i := range min(5, len(p.scan.lines)) {
		if m := markerRE().FindStringSubmatch(strings.TrimSpace(p.scan.at(i))); m != nil {
			p.doc.Version = m[1]
			if m[1] != "1.0" && m[1] != "2.0" {
				p.problem(Warning, i+1, 1, "schema "+m[1]+" is not known", "use 1.0 or 2.0; it is read as 2.0")
			}
			break
		}
	}
	p.root.walk(func(s *section) {
		if s.level == 2 && p.scan.lines[s.line].setext && sectionKey(s) == "" {
			p.doc.accidental = append(p.doc.accidental, s.line+1)
		}
		if s.level == 2 && sectionKey(s) == "" {
			if meant := meantSection(s.key); meant != "" {
				p.problem(Warning, s.line+1, 1, "`## "+s.title+"` is not a known section and is not read; did you mean `## "+meant+"`?", "correct the heading")
			}
		}
		if s.level == 1 && p.doc.Name == "" && s.key != "" {
			p.doc.Name = s.title
		}
	})
	hangul, letters := 0, 0
	for text := p.scan.src; text != ""; {
		if c := text[0]; c < utf8.RuneSelf {
			if isLetter(c) {
				letters++
			}
			text = text[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		if unicode.Is(unicode.Hangul, r) {
			hangul++
		}
		text = text[n:]
	}
	p.doc.korean = hangul*8 > letters && hangul > 0
}

// collect finds the known sections: the H2 of that name. A heading of another level stands in for
// a missing one where the file is a spec anyway, or has no H2 at all.
func (p *parser) collect() {
	var other, deep []*section
	anyH2 := false
	var visit func(s *section)
	visit = func(s *section) {
		for _, kid := range s.kids {
			anyH2 = anyH2 || kid.level == 2
			k := sectionKey(kid)
			switch {
			case k != "" && kid.level == 2:
				p.section(k, kid)
				kid.walk(func(s *section) { deep = append(deep, s) })
			case k != "" && k != "constraints" && !holdsKnown(kid):
				other = append(other, kid)
			default:
				visit(kid)
			}
		}
	}
	visit(p.root)
	if p.doc.IsSpec() || !anyH2 {
		for _, s := range other {
			if k := sectionKey(s); p.doc.sections[k] == nil {
				p.section(k, s)
			}
		}
	}
	for _, s := range deep { // what every spec has may also stand lower than its neighbours
		if k := sectionKey(s); (k == "exports" || k == "behavior") && p.doc.sections[k] == nil {
			p.section(k, s)
			p.cut(s)
		}
	}
	if f := p.doc.sections["purpose"]; f != nil && !isNone(f.text) {
		p.doc.Purpose = squeeze(f.text)
	}
	if f := p.doc.sections["summary"]; f != nil && !isNone(f.text) {
		p.doc.Summary = squeeze(f.text)
	}
}

// cut ends the text of the section that another one was found in where that begins.
func (p *parser) cut(s *section) {
	for _, f := range p.doc.sections {
		if of := f.parts[0]; of.line < s.line && s.line < of.end && len(f.parts) == 1 {
			if text := p.scan.text(of.first, s.line); len(text) < len(f.text) {
				f.text = text
			}
		}
	}
}

// sectionKey is the canonical name of a known section, or "".
func sectionKey(s *section) string {
	k := cmp.Or(aliases[s.key], s.key)
	if _, ok := known[k]; !ok {
		return ""
	}
	return k
}

// holdsKnown reports whether a known H2 stands under the heading: then the heading is the name of
// the module, whatever it says.
func holdsKnown(s *section) bool {
	held := false
	s.walk(func(k *section) { held = held || k.level == 2 && sectionKey(k) != "" })
	return held
}

func (p *parser) section(key string, s *section) {
	f := p.doc.sections[key]
	if f == nil {
		f = &found{}
		p.doc.sections[key] = f
	} else {
		p.problem(Warning, s.line+1, 1, "section "+s.title+" appears again", "both are read; merge them")
	}
	f.parts = append(f.parts, s)
	text := p.scan.text(s.first, s.end)
	if f.text != "" && text != "" {
		text = f.text + "\n\n" + text
	}
	f.text = text
}

// own returns the blocks directly under a section's heading.
func (p *parser) own(s *section) []*block { return p.scan.blocks(s.first, s.body) }

// parts returns the places of a section, none when the document lacks it.
func (p *parser) parts(key string) []*section {
	if f := p.doc.sections[key]; f != nil {
		return f.parts
	}
	return nil
}

func (p *parser) crossRefs() {
	section := "(unknown)"
	for i := range p.scan.lines {
		l := &p.scan.lines[i]
		if l.kind == kindHeading && l.level == 2 {
			section = plain(p.scan.title(i))
		}
		if l.kind != kindText && l.kind != kindHeading || !strings.Contains(p.scan.at(i), Name+"#") && !strings.Contains(p.scan.at(i), OtherName+"#") {
			continue
		}
		for _, m := range crossRefRE().FindAllStringSubmatchIndex(p.scan.at(i), -1) {
			ref := p.scan.at(i)[m[2]:m[3]]
			if !IsName(ref) { // another document, such as API-SPEC.md
				continue
			}
			file, ok := p.resolve(ref)
			if !ok {
				p.problem(Error, i+1, column(p.scan.at(i), m[2]), "reference "+ref+" leaves the project",
					"write the path from the project's root")
				continue
			}
			dir := path.Dir(file)
			if dir == p.doc.Dir() {
				continue
			}
			p.doc.CrossRefs = append(p.doc.CrossRefs, CrossRef{Path: dir, File: file, Symbol: p.scan.at(i)[m[4]:m[5]], Section: section, Line: i + 1})
		}
	}
}

// resolve turns a reference into a clean path from the project's root: "./" and "../" count from
// the module's directory, anything else from the root. False: it leaves the project.
func (p *parser) resolve(ref string) (string, bool) {
	ref = strings.ReplaceAll(ref, `\`, "/")
	if strings.HasPrefix(ref, "./") || strings.HasPrefix(ref, "../") || ref == "." || ref == ".." {
		ref = path.Join(p.doc.Dir(), ref)
	} else {
		ref = path.Clean(strings.TrimLeft(ref, "/"))
	}
	return ref, ref != ".." && !strings.HasPrefix(ref, "../")
}
