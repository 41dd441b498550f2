package auto

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// reportDocument is docs/04-report of the feature: what was planned, designed and built, how it was checked, and what is
// open. Everything in it was counted or proved; no author writes it.
func (f *feature) reportDocument() []byte {
	var b strings.Builder
	o := f.out
	w := func(korean, english string) string { return turn.Say(f.s.Language, korean, english) }
	h := func(korean, english string) { fmt.Fprintf(&b, "\n## %s\n\n", w(korean, english)) }
	fmt.Fprintf(&b, "# %s %s\n\n", f.name, w("보고서", "report"))
	fmt.Fprintf(&b, "- %s: %s\n- %s: %s (%d/5)\n", w("결과", "Result"), o.End, w("모드", "Mode"), o.Mode, o.Score.Total)
	if o.Issue != "" {
		fmt.Fprintf(&b, "- %s: %s\n", w("이슈", "Issue"), o.Issue)
	}
	for _, p := range o.Promotions {
		fmt.Fprintf(&b, "- %s: %s\n", w("승격", "Promoted"), p)
	}
	h("계획 요약", "Plan")
	for i, item := range f.plan.Items {
		fmt.Fprintf(&b, "%d. %s\n", i+1, pdca.Line(item.Text))
	}
	h("설계 요약", "Design")
	if f.design == nil {
		fmt.Fprintf(&b, "%s\n", w("없음", "None."))
	} else {
		for _, k := range f.design.Checklist {
			fmt.Fprintf(&b, "- %s %s: %s\n", k.ID, k.Path, pdca.Line(k.Behaviour))
		}
	}
	h("구현 결과", "Implementation")
	fmt.Fprintf(&b, "- %s: %d\n- %s: %d/%d\n", w("시도", "Attempts"), o.Attempts, w("테스트 통과", "Passing tests"), o.Tests.Passed, o.Tests.Total)
	for _, ch := range f.look.Files[:min(len(f.look.Files), 100)] {
		fmt.Fprintf(&b, "- %s %s\n", ch.Status, ch.Path)
	}
	h("검증 결과", "Check")
	for _, g := range o.Goals {
		fmt.Fprintf(&b, "- %s: %s", g.Goal, g.Status)
		if g.Output != "" && g.Status != step.GoalFail {
			fmt.Fprintf(&b, " (%s)", pdca.Line(g.Output))
		}
		b.WriteByte('\n')
	}
	if f.design != nil {
		fmt.Fprintf(&b, "- %s: %d %%\n", w("일치율", "Match rate"), o.Gap)
	}
	if f.judged.Role != "" {
		fmt.Fprintf(&b, "- %s: %s\n", w("아키텍트", "Architect"), f.judged.Verdict)
	}
	fmt.Fprintf(&b, "- %s: %d, %s: %d, %s: %d\n", w("QA 사이클", "QA cycles"), o.QA, w("수정", "Fixes"), o.Fixes, w("재진입", "Re-entries"), o.Reentries)
	bullets := func(korean, english string, list []string) {
		if len(list) == 0 {
			return
		}
		h(korean, english)
		for _, s := range list {
			fmt.Fprintf(&b, "- %s\n", pdca.Line(s))
		}
	}
	bullets("되돌려진 일", "Sent back", f.story)
	bullets("미해결", "Open", o.Open)
	bullets("무시하기로 한 이의", "Overruled objections", o.Accepted)
	bullets("경고", "Warnings", o.Warnings)
	h("비용", "Cost")
	fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n|---|---|---|---|---|\n", w("단계", "Phase"), w("에이전트 호출", "Agent calls"), w("입력 토큰", "Input tokens"), w("출력 토큰", "Output tokens"), w("시간", "Seconds"))
	for _, p := range o.Phases {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %d |\n", p.Phase, p.Sessions, tokens(p.Usage, p.Usage.Input), tokens(p.Usage, p.Usage.Output), p.Millis/1000)
	}
	h("역할별 비용", "Cost by role")
	fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | USD |\n|---|---|---|---|---|---|\n", w("역할", "Role"), w("에이전트/모델", "Agent/model"), w("호출", "Calls"), w("입력 토큰", "Input tokens"), w("출력 토큰", "Output tokens"))
	for _, r := range o.Roles {
		usd := "?"
		if r.Usage.Known {
			usd = fmt.Sprintf("%.4f", r.Usage.USD)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s |\n", r.Role, r.Seat, r.Calls, tokens(r.Usage, r.Usage.Input), tokens(r.Usage, r.Usage.Output), usd)
	}
	return []byte(b.String())
}

func tokens(u step.Usage, n int64) string {
	if !u.Known {
		return "?"
	}
	return fmt.Sprint(n)
}

// pullText is the body of the feature's pull request.
func (f *feature) pullText() string {
	asked := step.Each(f.plan.Items, func(i pdca.Item) string { return pdca.Line(i.Text) })
	return turn.PullBody(f.s.Language, asked, []string{turn.Proof(f.s.Language, f.title(), f.out.Tests)}, f.out.Open, append(slices.Clone(f.out.Accepted), f.out.Warnings...))
}
