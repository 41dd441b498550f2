package checkpoint

import (
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/pdca"
)

// Home is the folder of a project that has designs.
const Home = "docs/design"

// DesignPath is where the design of a feature is.
func DesignPath(feature string) string { return Home + "/" + feature + ".md" }

// words are the headings of the document, Korean and English.
var words = map[string][2]string{
	"design": {"설계", "design"}, "requirements": {"요구사항", "Requirements"}, "functional": {"기능", "Functional"}, "nonfunctional": {"비기능", "Non-functional"},
	"constraints": {"제약", "Constraints"}, "decided": {"이후의 결정 (위의 요구사항보다 우선)", "Decided since (overrides the above)"}, "side": {"부작용", "Side effects"}, "architecture": {"아키텍처", "Architecture"}, "component": {"컴포넌트", "Component"}, "path": {"경로", "Path"},
	"does": {"책임", "Responsibility"}, "flow": {"데이터 흐름", "Data flow"}, "stack": {"기술 선택", "Technology"}, "what": {"선택", "Choice"}, "why": {"이유", "Why"},
	"agreements": {"일치한 점", "Where the proposals agree"}, "differences": {"차이점", "Differences"}, "topic": {"주제", "Topic"}, "options": {"안", "Options"}, "chosen": {"선택한 안", "Chosen"},
	"risks": {"위험 요소", "Risks"}, "checkpoints": {"체크포인트", "Checkpoints"}, "needs": {"선행", "Needs"}, "covers": {"요구사항", "Covers"}, "files": {"파일", "Files"},
	"forbidden": {"변경 금지", "Forbidden"}, "validation": {"검증", "Validation"}, "tests": {"계약 테스트", "Contract tests"}, "interfaces": {"인터페이스", "Interfaces"},
}

// Document writes the design of a feature for people.
type Document struct {
	Feature string
	Korean  bool
	Decided []string // what a person has said since the request, the newest last
}

func (d Document) word(name string) string {
	if d.Korean {
		return words[name][0]
	}
	return words[name][1]
}

// Requirement is the requirements alone, for those who design.
func (d Document) Requirement(r Requirement) string {
	var b strings.Builder
	d.requirement(&b, r)
	return b.String()
}

// Design is the whole document: requirements, architecture, checkpoints with their contracts.
func (d Document) Design(r Requirement, s Design) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n%s\n", d.Feature, d.word("design"), pdca.Line(r.Title))
	d.requirement(&b, r)
	pdca.Section(&b, "### "+d.word("decided"), d.Decided)
	d.Proposal(&b, s.Proposal)
	pdca.Section(&b, "## "+d.word("agreements"), s.Agreements)
	if len(s.Differences) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | %s | %s | %s |\n|---|---|---|---|\n", d.word("differences"), d.word("topic"), d.word("options"), d.word("chosen"), d.word("why"))
		for _, x := range s.Differences {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", pdca.Cell(x.Topic), pdca.Cell(strings.Join(x.Options, "; ")), pdca.Cell(x.Chosen), pdca.Cell(x.Why))
		}
	}
	fmt.Fprintf(&b, "\n## %s\n\n```text\n%s```\n", d.word("checkpoints"), Diagram(s.Checkpoints))
	for _, k := range s.Checkpoints {
		d.Checkpoint(&b, k)
	}
	return []byte(b.String())
}

func (d Document) requirement(b *strings.Builder, r Requirement) {
	fmt.Fprintf(b, "\n## %s\n", d.word("requirements"))
	items := func(name, kind string, list []Item) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(b, "\n### %s\n\n", d.word(name))
		for i, x := range list {
			fmt.Fprintf(b, "- %s-%02d (%s) %s\n", kind, i+1, x.Priority, pdca.Line(x.Text))
		}
	}
	items("functional", "FR", r.Functional)
	items("nonfunctional", "NFR", r.NonFunctional)
	pdca.Section(b, "### "+d.word("constraints"), r.Constraints)
	pdca.Section(b, "### "+d.word("side"), r.SideEffects)
}

// Proposal writes the architecture: components, what flows between them, technology and risks.
func (d Document) Proposal(b *strings.Builder, p Proposal) {
	fmt.Fprintf(b, "\n## %s\n", d.word("architecture"))
	if len(p.Components) > 0 {
		fmt.Fprintf(b, "\n| %s | %s | %s |\n|---|---|---|\n", d.word("component"), d.word("path"), d.word("does"))
	}
	for _, c := range p.Components {
		fmt.Fprintf(b, "| %s | %s | %s |\n", pdca.Cell(c.Name), pdca.Cell(c.Path), pdca.Cell(c.Does))
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n", d.word("flow"), pdca.Paragraph(p.Flow))
	if len(p.Stack) > 0 {
		fmt.Fprintf(b, "\n### %s\n\n| %s | %s |\n|---|---|\n", d.word("stack"), d.word("what"), d.word("why"))
		for _, c := range p.Stack {
			fmt.Fprintf(b, "| %s | %s |\n", pdca.Cell(c.What), pdca.Cell(c.Why))
		}
	}
	pdca.Section(b, "### "+d.word("risks"), p.Risks)
}

// Checkpoint writes one checkpoint with its contract.
func (d Document) Checkpoint(b *strings.Builder, k Checkpoint) {
	fmt.Fprintf(b, "\n### %s %s\n\n%s\n\n", k.ID, pdca.Line(k.Title), pdca.Paragraph(k.Scope))
	row := func(name string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(b, "- %s: %s\n", d.word(name), strings.Join(list, ", "))
		}
	}
	row("needs", k.Needs)
	row("covers", k.Covers)
	var files []string
	for _, f := range k.Files {
		text := string(f.Action) + " " + pdca.Line(f.Path)
		if f.Description != "" {
			text += " (" + pdca.Line(f.Description) + ")"
		}
		files = append(files, text)
	}
	row("files", files)
	row("forbidden", k.Forbidden)
	fmt.Fprintf(b, "- %s: `%s` (%s)\n", d.word("validation"), strings.ReplaceAll(pdca.Line(k.Validation), "`", "'"), pdca.Line(k.Expected))
	if len(k.Interfaces) > 0 {
		fmt.Fprintf(b, "- %s:\n", d.word("interfaces"))
		for _, i := range k.Interfaces {
			fmt.Fprintf(b, "  - %s: `%s` (%s): %s (%s)\n", pdca.Line(i.Path), strings.ReplaceAll(pdca.Line(i.Signature), "`", "'"), pdca.Line(i.Symbol), pdca.Line(i.Does), pdca.Line(i.Test))
		}
	}
	if len(k.Tests) > 0 {
		fmt.Fprintf(b, "- %s:\n", d.word("tests"))
		for _, t := range k.Tests {
			fmt.Fprintf(b, "  - %s %s: %s\n", pdca.Line(t.Path), pdca.Line(t.Name), pdca.Line(t.Shows))
		}
	}
}

// Diagram shows what waits for what, a line a checkpoint.
func Diagram(list []Checkpoint) string {
	var b strings.Builder
	for _, id := range InOrder(list) {
		for _, k := range list {
			if k.ID != id {
				continue
			}
			from := ""
			if len(k.Needs) > 0 {
				from = strings.Join(k.Needs, " + ") + " --> "
			}
			fmt.Fprintf(&b, "%s[%s %s]\n", from, k.ID, strings.ReplaceAll(pdca.Line(k.Title), "`", "'"))
		}
	}
	return b.String()
}
