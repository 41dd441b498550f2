package pdca

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/task"
)

// Homes are the folders of a project that have documents of features.
var Homes = []string{"docs/01-plan", "docs/02-design", "docs/03-analysis", "docs/04-report"}

// PlanPath is where the plan of a feature is.
func PlanPath(feature string) string { return "docs/01-plan/" + feature + ".plan.md" }

// DesignPath is where the design of a feature is.
func DesignPath(feature string) string { return "docs/02-design/" + feature + ".design.md" }

// GapPath is where the gap analysis of a feature is.
func GapPath(feature string) string { return "docs/03-analysis/" + feature + ".gap-analysis.md" }

// ReportPath is where the report of a feature is.
func ReportPath(feature string) string { return "docs/04-report/" + feature + ".report.md" }

// words are the headings of the documents, by language: Korean as earlier tools have them, English beside.
var words = map[string][2]string{
	"plan": {"계획", "plan"}, "design": {"설계", "design"}, "background": {"배경", "Background"}, "scope": {"구현 범위", "Scope"}, "excluded": {"제외", "Out of scope"},
	"criterion": {"수용 기준", "Done when"}, "files": {"영향 파일", "Affected files"}, "modify": {"수정 대상", "To change"}, "create": {"신규 생성", "New"}, "delete": {"삭제 대상", "To delete"},
	"risks": {"위험 요소", "Risks"}, "edge": {"엣지 케이스", "Edge cases"}, "order": {"작업 순서", "Steps"}, "done": {"완료 기준", "done when"},
	"interface": {"인터페이스", "Interfaces"}, "flow": {"데이터 흐름", "Data flow"}, "tests": {"테스트 전략", "Test strategy"}, "checklist": {"체크리스트", "Checklist"}, "parts": {"작업 분할", "Parts"},
	"gap": {"갭 분석", "gap analysis"}, "rate": {"일치율", "Match rate"}, "item": {"항목", "Item"}, "file": {"파일", "File"}, "symbol": {"심볼", "Symbol"}, "test": {"테스트", "Test"}, "state": {"상태", "State"},
	"missing": {"누락", "Missing"}, "gaps": {"갭 목록", "Gaps"}, "matches": {"일치", "matches"}, "none": {"없음", "None"},
	"of slack": {"%s 메시지", "message of %s"}, "of gmail": {"%s 메일", "mail of %s"}, "overview": {"프로젝트 개요", "Overview"}, "contents": {"개요", "Overview"}, "decisions": {"핵심 결정사항", "Decisions"}, "references": {"관련 문서", "Documents"}, "stack": {"기술 스택", "Technology"}, "open": {"미해결 이슈", "Open questions"},
	"messages": {"원본 메시지", "Messages"}, "people": {"참여자 역할", "People"}, "requests": {"요청사항", "Requests"}, "senders": {"발신자", "Senders"}, "replies": {"회신 필요", "Waiting for a reply"},
	"mailrisks": {"리스크", "Risks"}, "related": {"키워드 연관성", "Related"}, "drafts": {"응답 초안", "Draft replies"}, "todo": {"할 일", "To do"}, "unsent": {"아무것도 보내지 않았습니다.", "None of this has been sent."},
}

// Document writes the documents of a feature in one language.
type Document struct {
	Feature string
	Korean  bool
}

func (d Document) word(name string) string {
	if d.Korean {
		return words[name][0]
	}
	return words[name][1]
}

// Plan is the document of a plan. Its headings are those that the plan gate of earlier tools looks for.
func (d Document) Plan(p Plan) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n## %s\n\n%s\n\n## %s\n\n", d.Feature, d.word("plan"), d.word("background"), Paragraph(p.Background), d.word("scope"))
	n := 0
	for i, item := range p.Items {
		fmt.Fprintf(&b, "%d. %s\n", i+1, Line(item.Text))
		for _, k := range item.Criteria {
			fmt.Fprintf(&b, "   - %s %s: %s", CriterionID(n), d.word("criterion"), Line(k.Text))
			n++
			if k.Command != "" {
				fmt.Fprintf(&b, " (%s)", code(k.Command))
			}
			b.WriteByte('\n')
		}
	}
	Section(&b, "### "+d.word("excluded"), p.Excluded)
	d.files(&b, p.Files)
	if len(p.Risks)+len(p.EdgeCases) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n", d.word("risks"))
		bullets(&b, p.Risks)
	}
	Section(&b, "### "+d.word("edge"), p.EdgeCases)
	for i, s := range p.Steps {
		if i == 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", d.word("order"))
		}
		fmt.Fprintf(&b, "%d. %s", i+1, Line(s.Text))
		if s.Done != "" {
			fmt.Fprintf(&b, " (%s: %s)", d.word("done"), Line(s.Done))
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// Design is the document of a design.
func (d Document) Design(s Design) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n", d.Feature, d.word("design"))
	d.files(&b, s.Files)
	fmt.Fprintf(&b, "\n## %s\n\n", d.word("interface"))
	for _, i := range s.Interfaces {
		fmt.Fprintf(&b, "- %s: %s", code(i.Path), code(Line(i.Signature)))
		if i.Does != "" {
			fmt.Fprintf(&b, ": %s", Line(i.Does))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n## %s\n\n%s\n", d.word("flow"), Paragraph(s.DataFlow), d.word("tests"), Paragraph(s.Tests))
	Section(&b, "## "+d.word("risks"), s.Risks)
	fmt.Fprintf(&b, "\n## %s\n\n| ID | %s | %s | %s | %s |\n|---|---|---|---|---|\n", d.word("checklist"), d.word("file"), d.word("symbol"), d.word("test"), d.word("item"))
	for _, k := range s.Checklist {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", Cell(k.ID), Cell(k.Path), dash(k.Symbol), dash(k.Test), Cell(k.Behaviour))
	}
	for i, p := range s.Parts {
		if i == 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", d.word("parts"))
		}
		fmt.Fprintf(&b, "- %s: %s\n", Line(p.Title), strings.Join(p.Paths, ", "))
	}
	return []byte(b.String())
}

// Gap is the document of a gap analysis.
func (d Document) Gap(g Gap) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n%s: %d %% (%d/%d)\n\n| ID | %s | %s | %s | %s | %s |\n|---|---|---|---|---|---|\n", d.Feature, d.word("gap"), d.word("rate"), g.Rate, g.Matched, len(g.Items),
		d.word("item"), d.word("file"), d.word("symbol"), d.word("test"), d.word("state"))
	var gaps []string
	for _, i := range g.Items {
		state := d.word("matches")
		if !i.Matches {
			state = d.word("missing") + ": " + strings.Join(i.Missing, ", ")
			gaps = append(gaps, strings.TrimSpace(i.Check.ID+": "+i.Check.Behaviour+" ("+strings.Join(i.Missing, ", ")+") "+i.Judgment))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", Cell(i.Check.ID), Cell(i.Check.Behaviour), Cell(i.Check.Path), dash(i.Check.Symbol), dash(i.Check.Test), state)
	}
	fmt.Fprintf(&b, "\n## %s\n\n", d.word("gaps"))
	if len(gaps) == 0 {
		gaps = []string{d.word("none")}
	}
	bullets(&b, gaps)
	return []byte(b.String())
}

// files lists files by what happens to them.
func (d Document) files(b *strings.Builder, list []task.File) {
	fmt.Fprintf(b, "\n## %s\n", d.word("files"))
	for _, g := range []struct {
		action task.Action
		word   string
	}{{task.Modify, "modify"}, {task.Create, "create"}, {task.Delete, "delete"}} {
		head := false
		for _, f := range list {
			if f.Action != g.action {
				continue
			}
			if !head {
				fmt.Fprintf(b, "\n### %s\n\n", d.word(g.word))
				head = true
			}
			fmt.Fprintf(b, "- %s", code(f.Path))
			if f.Description != "" {
				fmt.Fprintf(b, ": %s", Line(f.Description))
			}
			b.WriteByte('\n')
		}
	}
}

// Section writes texts of authors as a list with its heading, and nothing where there are none.
func Section(b *strings.Builder, heading string, items []string) {
	if len(items) > 0 {
		fmt.Fprintf(b, "\n%s\n\n", heading)
		bullets(b, items)
	}
}

func bullets(b *strings.Builder, items []string) {
	for _, s := range items {
		fmt.Fprintf(b, "- %s\n", Line(s))
	}
}

// Line is a text of an author on one line, so that it cannot make a heading or an item of its own. Blanks in the middle of a line stay: they may
// be a value.
func Line(s string) string {
	ends := func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }
	lines := strings.FieldsFunc(s, ends)
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), " ")
}

// Paragraph is a text of an author without headings.
func Paragraph(s string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "#") {
			lines[i] = strings.TrimLeft(strings.TrimSpace(l), "# ")
		}
	}
	return strings.Join(lines, "\n")
}

// Cell is a text as a cell of a table in Markdown.
func Cell(s string) string { return strings.ReplaceAll(Line(s), "|", `\|`) }

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return Cell(s)
}

func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}
