package spec

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Implements is an IMPLEMENTS.md: the plan, which people own, and the record of how it was
// implemented, which the compiler owns.
type Implements struct {
	Path           string
	Name           string
	Planning       []Part
	Implementation []Part
	Integration    []Integration // Module Integration Map
}

// Part is an H2 section as written.
type Part struct{ Title, Text string }

// Integration is one entry of the Module Integration Map.
type Integration struct {
	RelativePath string   // as written: "../auth"
	Ref          string   // "auth/CLAUDE.md"
	Exports      []Clause // signatures that are used
	Roles        []string // what each of them is used for; "" where it is not said
	Context      string
	Line         int
}

// implementationTitles are the H2 sections that the compiler owns, in the order they are written.
var implementationTitles = []string{
	"Algorithm", "Key Constants", "Error Handling", "State Management", "Implementation Guide",
}

var (
	integrationRE = re.New("^`?([^`]+?)`?\\s*(?:→|->)\\s*`?((?:[^\\s`]+/)?(?:CLAUDE|SPEC)\\.md)`?\\s*$")
	bannerRE      = re.New(`(?i)<!--.*\b(PLANNING|IMPLEMENTATION)\s+SECTION\b`)
)

func ownedTitle(key string) bool {
	return slices.ContainsFunc(implementationTitles, func(t string) bool { return strings.ToLower(t) == key })
}

// banners finds the owner banners: the index of the line of each and whether it opens the
// compiler's part.
func banners(s *scanner) map[int]bool {
	out := map[int]bool{}
	for i := range s.lines {
		if s.lines[i].kind != kindHTML {
			continue
		}
		if m := bannerRE().FindStringSubmatch(s.at(i)); m != nil {
			out[i] = strings.EqualFold(m[1], "IMPLEMENTATION")
		}
	}
	return out
}

// ParseImplements reads an IMPLEMENTS.md of any version. The document is never nil.
func ParseImplements(path string, src []byte) (*Implements, []Problem) {
	p := begin(path, src)
	defer p.scan.release()
	m := &Implements{Path: path}
	p.root.walk(func(s *section) {
		if s.level == 1 && m.Name == "" {
			m.Name = s.title
		}
		if s.level != 2 {
			return
		}
		part := Part{Title: s.title, Text: p.scan.text(s.first, s.end)}
		if ownedTitle(s.key) {
			m.Implementation = append(m.Implementation, part)
			return
		}
		m.Planning = append(m.Planning, part)
		if s.key == "module integration map" {
			p.integration(m, s)
		}
		if s.key == "implementation approach" && isNone(part.Text) {
			p.problem(Error, s.line+1, 1, "Section 'Implementation Approach' does not allow 'None' as value", "")
		}
	})
	return m, SortProblems(p.ps)
}

func (p *parser) integration(m *Implements, sec *section) {
	for _, kid := range sec.kids {
		match := integrationRE().FindStringSubmatch(strings.TrimSpace(p.scan.title(kid.line)))
		if match == nil {
			p.problem(Error, kid.line+1, 1, "H3 header '"+kid.title+
				"' does not match integration map entry pattern (`path` → name/CLAUDE.md)", "")
			continue
		}
		e := Integration{RelativePath: match[1], Ref: match[2], Line: kid.line + 1}
		for _, part := range kid.kids {
			switch part.key {
			case "exports used":
				for _, b := range p.own(part) {
					if sig, rest, ok := codeSpan(b.text); ok && b.kind == blockItem {
						e.Exports = append(e.Exports, Clause{Text: sig, Line: b.line})
						e.Roles = append(e.Roles, describe(rest))
					}
				}
			case "integration context":
				e.Context = squeeze(p.scan.text(part.first, part.end))
			}
		}
		if len(e.Exports) == 0 {
			p.problem(Warning, e.Line, 1, "this entry of the integration map uses no exports", "list them under #### Exports Used")
		}
		if e.Context == "" {
			p.problem(Warning, e.Line, 1, "this entry of the integration map has no Integration Context", "describe in one or two sentences under #### Integration Context what the module is used for")
		}
		m.Integration = append(m.Integration, e)
	}
}

// CheckImplements says which sections an IMPLEMENTS.md lacks. What every version of the format asks for is asked for
// here, and what the compiler writes only once it has begun to.
func CheckImplements(m *Implements) []Problem {
	have := map[string]bool{}
	for _, part := range slices.Concat(m.Planning, m.Implementation) {
		have[headingKey(part.Title)] = true
	}
	required := []string{"Implementation Approach", "Technology Choices"}
	if !have["dependencies direction"] { // as later versions call it
		required = append(required, "External Dependencies")
	}
	if len(m.Implementation) > 0 {
		required = append(required, "Error Handling", "State Management")
	}
	var ps []Problem
	for _, s := range required {
		if !have[headingKey(s)] {
			ps = append(ps, missing(m.Path, Warning, s))
		}
	}
	return ps
}

// PlanningHash covers the part of an IMPLEMENTS.md that people own; what the compiler writes,
// comments and layout leave it alone. A file without a plan has the hash "".
func PlanningHash(src []byte) string {
	s := scanBytes(src)
	var parts []string
	for _, c := range tree(s).kids {
		parts = append(parts, planParts(s, c)...)
	}
	if len(parts) == 0 {
		return ""
	}
	return digestOf(long, parts...)
}

// planParts lists the normalised lines of the sections that people own.
func planParts(s *scanner, sec *section) []string {
	if sec.level == 2 && ownedTitle(sec.key) {
		return nil
	}
	var parts []string
	if sec.level >= 2 {
		parts = append(parts, sec.key)
		for i := sec.first; i < sec.body; i++ {
			if l := &s.lines[i]; l.kind != kindBlank && l.kind != kindHTML && l.kind != kindRule {
				if t := normLine(s.at(i)); t != "" {
					parts = append(parts, t)
				}
			}
		}
	}
	for _, k := range sec.kids {
		parts = append(parts, planParts(s, k)...)
	}
	return parts
}

// DefaultImplements writes the plan of a module that has none: its dependencies as the spec
// declares them and a neutral approach, in the language of the document, with the owner banners.
func DefaultImplements(d *Document) []byte {
	t := func(en, ko string) string {
		if d.korean {
			return ko
		}
		return en
	}
	var b strings.Builder
	b.WriteString("# " + oneLine(cmp.Or(d.Name, strings.TrimPrefix(d.Dir(), "."))) + " - Implementation\n\n")
	b.WriteString(t("<!-- PLANNING SECTION - people and /spec write this part -->",
		"<!-- PLANNING SECTION - /impl 이 업데이트 -->") + "\n\n")
	b.WriteString("## Dependencies Direction\n\n### External\n\n")
	external, internal := "", ""
	for _, e := range d.Dependencies.External {
		external += depLine(e.reference(), e.Symbols)
	}
	for _, i := range d.Dependencies.Internal {
		internal += depLine(i.Spec(), i.Symbols)
	}
	b.WriteString(cmp.Or(external, "None\n") + "\n### Internal\n\n" + cmp.Or(internal, "None\n"))
	b.WriteString("\n## Implementation Approach\n\n### " + t("Strategy", "전략") + "\n\n- " +
		t("Implement Exports, Behavior and Contract of "+path.Base(d.Path)+" as they are written.",
			path.Base(d.Path)+"의 Exports, Behavior, Contract를 그대로 구현한다.") + "\n\n### " +
		t("Alternatives Considered", "고려했으나 선택하지 않은 대안") + "\n\nNone\n\n## Technology Choices\n\nNone\n\n")
	b.WriteString(implementationBanner(d.korean) + "\n")
	return []byte(b.String())
}

func depLine(name string, symbols []string) string {
	s := "- `" + oneLine(name) + "`"
	if len(symbols) > 0 {
		s += ": " + oneLine(strings.Join(symbols, ", "))
	}
	return s + "\n"
}

func implementationBanner(korean bool) string {
	if korean {
		return "<!-- IMPLEMENTATION SECTION - /compile 이 업데이트 -->"
	}
	return "<!-- IMPLEMENTATION SECTION - /compile updates this part -->"
}
