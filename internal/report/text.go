package report

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/width"

	"github.com/jacquard-build/jacquard/internal/step"
)

// Lang is the language of messages: "en" or "ko".
type Lang string

// The languages of messages.
const (
	English Lang = "en"
	Korean  Lang = "ko"
)

// pick chooses between the two wordings of a message. The Korean texts of
// compile are those that people know from the original process.
func (l Lang) pick(en, ko string) string {
	if l == Korean {
		return ko
	}
	return en
}

// Planned is the text at the start of a compile run.
func Planned(l Lang, p step.PlanNote) string {
	var b strings.Builder
	for _, f := range p.Problems {
		fmt.Fprintln(&b, Problem(f))
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "%s\n", w)
	}
	if p.Count == 0 {
		switch {
		case p.Kept > 0:
			fmt.Fprintf(&b, l.pick("%d up to date, %d kept as they are and not verified\n", "최신 상태 %d개, 유지되어 검증되지 않음 %d개\n"), p.UpToDate, p.Kept)
		case len(p.Problems) == 0:
			b.WriteString("✓ All up-to-date. Use --all for full compile.\n")
		}
		return b.String()
	}
	fmt.Fprintf(&b, l.pick("%d to compile:\n", "컴파일 대상 %d개:\n"), p.Count)
	for i, dir := range p.Modules {
		fmt.Fprintf(&b, "  ✓ %s — %s\n", dir, p.Reasons[i])
	}
	if p.Count > len(p.Modules) {
		fmt.Fprintf(&b, l.pick("  … and %d more\n", "  … 외 %d개\n"), p.Count-len(p.Modules))
	}
	if p.UpToDate > 0 {
		fmt.Fprintf(&b, l.pick("%d up to date, skipped\n", "최신 상태라 건너뜀: %d개\n"), p.UpToDate)
	}
	return b.String()
}

// Started is the line of a module that begins.
func Started(l Lang, dir string) string {
	depth := 0
	if dir != "." {
		depth = strings.Count(dir, "/") + 1
	}
	return fmt.Sprintf(l.pick("  • %s - started (depth=%d)\n", "  • %s - 시작 (depth=%d)\n"), spec(dir), depth)
}

func spec(dir string) string {
	if dir == "." {
		return "CLAUDE.md"
	}
	return dir + "/CLAUDE.md"
}

// Problem is one line about a spec, in the form that editors understand.
func Problem(f step.Finding) string {
	sev := "warning"
	if f.Severity == step.Rejects {
		sev = "error"
	}
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", f.Path, sev, f.Message)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, sev, f.Message)
}

// Finding is one line: place, rule and what to do.
func Finding(f step.Finding) string {
	place := f.Path
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("    %s[%s] %s", place, f.Rule, f.Message)
}

// Attempt is the text of an attempt that code has judged.
func Attempt(l Lang, dir string, a step.AttemptNote) string {
	var b strings.Builder
	verdict := l.pick("sent back", "되돌려 보냄")
	if a.Passed {
		verdict = l.pick("passed", "통과")
	}
	if a.Text != "" {
		verdict += " (" + a.Text + ")"
	}
	fmt.Fprintf(&b, "  · %s %s %d: %s", dir, strings.ToUpper(a.Phase), a.Attempt, verdict)
	switch a.Phase {
	case "red":
		fmt.Fprintf(&b, l.pick(", tests failing as they should: %d, review %d/100", ", 예상대로 실패한 테스트 %d개, 리뷰 %d/100"), a.Counts.Failed, a.Score)
	default:
		if a.Counts.Total > 0 {
			fmt.Fprintf(&b, l.pick(", tests %d passed, %d failed", ", 테스트 %d passed, %d failed"), a.Counts.Passed, a.Counts.Failed)
		}
	}
	b.WriteByte('\n')
	for _, f := range a.Findings {
		fmt.Fprintln(&b, Finding(f))
	}
	if a.Phase != "red" {
		for _, t := range a.Failures {
			fmt.Fprintf(&b, "    %s: %s\n", t.ID, t.Status)
		}
	}
	return b.String()
}

// Result is the text of a module that has ended.
func Result(l Lang, r step.ModuleResult) string {
	var b strings.Builder
	for _, p := range r.Skipped {
		fmt.Fprintf(&b, "⏭ Skipped: %s\n", p)
	}
	for _, p := range r.Overwritten {
		fmt.Fprintf(&b, "↻ Overwriting: %s\n", p)
	}
	mark := "✓"
	if r.Status != step.Success {
		mark = "⚠"
	}
	fmt.Fprintf(&b, "  %s %s: ", mark, r.Dir)
	if r.Status == step.Blocked {
		fmt.Fprintln(&b, r.Reason)
		return b.String()
	}
	fmt.Fprintf(&b, l.pick("%d files, %d tests passed", "파일 %d개, 테스트 %d passed"), len(r.Generated), r.Tests.Passed)
	if r.Mutants.Tried > 0 {
		fmt.Fprintf(&b, l.pick(", %d of %d mutants noticed", ", 변이 %d/%d 감지"), r.Mutants.Killed, r.Mutants.Tried)
	}
	fmt.Fprintf(&b, ", %s\n", Cost(r.Usage))
	b.WriteString(advice(l, r))
	for _, t := range r.Baseline {
		fmt.Fprintf(&b, l.pick("    failed before this run already, and still does: %s\n", "    실행 전부터 실패하던 테스트가 여전히 실패합니다: %s\n"), t)
	}
	for _, u := range r.Unclear {
		fmt.Fprintf(&b, l.pick("    the spec is unclear at %s: %s (read as: %s)\n", "    스펙이 불분명합니다 (%s): %s (해석: %s)\n"), u.Item, u.Question, u.Reading)
	}
	return b.String()
}

// advice says what to do about a module that did not simply succeed.
func advice(l Lang, r step.ModuleResult) string {
	var b strings.Builder
	say := func(en, ko string, args ...any) { fmt.Fprintf(&b, "    "+l.pick(en, ko)+"\n", args...) }
	switch r.Reason {
	case "":
		return ""
	case "green":
		say("the code does not pass its tests after %d attempts; it was not delivered. What is left to mend by hand:",
			"%d번 시도 후에도 테스트를 통과하지 못해 반영하지 않았습니다. 수동 수정 필요:", r.RetryCount+1)
	case "red":
		say("no valid tests came of three rounds; nothing was delivered:", "세 번의 시도에서 유효한 테스트가 나오지 않아 반영하지 않았습니다:")
	case "conflict":
		say("existing files that may not be changed do not do what the spec says. Change them, or use --conflict overwrite:",
			"변경할 수 없는 기존 파일이 스펙과 다릅니다. 직접 수정하거나 --conflict overwrite를 사용하세요:")
	case "edited":
		say("you changed these files during the run, so the module was left on its ref: %s. Take it with: jacquard diff --apply %s",
			"실행 중 수정된 파일이 있어 반영하지 않았습니다: %s. 가져오기: jacquard diff --apply %s", strings.Join(r.Conflicts, ", "), r.Dir)
	case "land":
		say("it does not work together with the other modules of this run; it was not delivered:", "다른 모듈과 함께 동작하지 않아 반영하지 않았습니다:")
	case "dependents":
		say("tests of modules that use it fail with the new code, so it was not delivered. Change their specs as well, or take this change back:",
			"이 모듈을 사용하는 모듈의 테스트가 실패하여 반영하지 않았습니다. 해당 스펙도 수정하거나 변경을 되돌리세요:")
	case "no-tests":
		say("none of the named test files belongs to it; nothing was built. Name its own with --test-files, or run --phase red:",
			"이 모듈의 테스트 파일이 지정되지 않아 빌드하지 않았습니다. --test-files로 지정하거나 --phase red를 실행하세요:")
	case "language":
		say("nobody said in which language to write it; nothing was built. Say it: --language %s=LANG", "언어가 정해지지 않아 빌드하지 않았습니다: --language %s=LANG", r.Dir)
	case "packages":
		say("packages that the spec names could not be added:", "스펙에 있는 패키지를 추가하지 못했습니다:")
	case "tests-incomplete":
		say("some items of the spec have no test of their own (review %d/100):", "테스트가 없는 스펙 항목이 있습니다 (리뷰 %d/100):", r.Score)
	case "weak-tests":
		say("the tests notice less than half of small changes of the code:", "코드의 작은 변경을 절반도 알아차리지 못하는 테스트입니다:")
	default:
		say("%s", "%s", r.Reason)
	}
	for _, f := range r.Findings {
		fmt.Fprintln(&b, Finding(f))
	}
	for _, t := range r.Failures {
		fmt.Fprintf(&b, "    %s: %s\n", t.ID, t.Status)
	}
	if r.Summary != "" && !r.Delivered {
		say("its author says: %s", "작성자의 말: %s", strings.ReplaceAll(r.Summary, "\n", " "))
	}
	return b.String()
}

// Summary is the seed's text at the end of a compile run.
func Summary(l Lang, o step.CompileOut) string {
	var b strings.Builder
	fmt.Fprintln(&b, l.pick("=== Generation finished ===", "=== 생성 완료 ==="))
	fmt.Fprintf(&b, l.pick("CLAUDE.md in total: %d\n", "총 CLAUDE.md: %d개\n"), o.Modules)
	fmt.Fprintf(&b, l.pick("Generated files: %d\n", "생성된 파일: %d개\n"), o.Generated)
	fmt.Fprintf(&b, l.pick("Skipped files: %d\n", "건너뛴 파일: %d개\n"), o.Skipped)
	fmt.Fprintf(&b, l.pick("Tests: %d passed, %d failed\n", "테스트: %d passed, %d failed\n"), o.Passed, o.Failed)
	if o.Kept > 0 {
		fmt.Fprintf(&b, l.pick("Kept as they are, not verified: %d\n", "유지되어 검증되지 않음: %d개\n"), o.Kept)
	}
	if n := o.Warned + o.Blocked + o.Broken; n > 0 {
		fmt.Fprintf(&b, l.pick("Not verified: %d (%d with warnings, %d blocked, %d with spec problems)\n",
			"검증되지 않음: %d개 (경고 %d, 차단 %d, 스펙 문제 %d)\n"), n, o.Warned, o.Blocked, o.Broken)
	}
	return b.String()
}

// Cost says what was spent; what nobody could measure is called unknown.
func Cost(u step.Usage) string {
	tokens := u.Input + u.Output + u.CacheRead + u.CacheWrite
	if tokens == 0 && u.Known {
		return "no tokens"
	}
	if !u.Known && u.USD == 0 {
		return fmt.Sprintf("%s tokens, cost unknown", Short(tokens))
	}
	return fmt.Sprintf("%s tokens, $%.2f", Short(tokens), u.USD)
}

// Short writes a number with at most four signs: 999, 12k, 3.4M.
func Short(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Took writes a duration as people read it: 0.4s, 12s, 3m05s, 1h02m.
func Took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Live is one frame of the live view: a line for each module at work, and a
// line that sums up. It is at most height lines of at most columns cells.
func Live(l Lang, r *Run, columns, height int, now time.Time, colour bool) string {
	var active, done, waiting int
	var lines []string
	for _, m := range r.Modules {
		switch m.Phase {
		case "done":
			done++
		case "waiting":
			waiting++
		default:
			active++
			lines = append(lines, liveLine(m, columns, now, colour))
		}
	}
	if room := max(1, height-1); len(lines) > room {
		lines = lines[:room]
	}
	sum := fmt.Sprintf(l.pick("%d done, %d at work, %d waiting · %s · %s", "완료 %d, 진행 %d, 대기 %d · %s · %s"), done, active, waiting, Took(now.Sub(r.Started)), Cost(r.Usage))
	lines = append(lines, Cut(sum, columns))
	return strings.Join(lines, "\n") + "\n"
}

func liveLine(m *Module, columns int, now time.Time, colour bool) string {
	what := m.Phase
	if m.Attempt > 1 {
		what += fmt.Sprintf(" %d", m.Attempt)
	}
	if m.Step != "" && m.Step != m.Phase {
		what += " " + m.Step
	}
	right := fmt.Sprintf("%-18s %7s  %s", what, Took(now.Sub(m.Started)), Cost(m.Usage))
	name := Cut(m.Dir, max(10, columns-Width(right)-4))
	pad := max(1, columns-Width(right)-Width(name)-3)
	line := Cut("  "+name+strings.Repeat(" ", pad)+right, columns)
	if colour {
		code := map[string]string{"red": "31", "green": "32", "refactor": "34"}[m.Phase]
		if code != "" {
			return "\x1b[" + code + "m" + line + "\x1b[0m"
		}
	}
	return line
}

// Width is the number of terminal cells of a text; East Asian wide characters take two.
func Width(s string) int {
	n := 0
	for _, r := range s {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// Cut shortens a text to a number of cells and shows that it did.
func Cut(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	n := 0
	for i, r := range s {
		w := Width(string(r))
		if n+w > cells-1 {
			return s[:i] + "…"
		}
		n += w
	}
	return s
}

// Blocks prints a result in the block form that scripts for the original read.
func Blocks(r step.ModuleResult, resultFile, specFile string) string {
	var b strings.Builder
	b.WriteString("---compiler-result---\n")
	if r.Phase == step.Red {
		fmt.Fprintf(&b, "phase: red\nresult_file: %s\nstatus: %s\ntest_files: [%s]\nspec_json_path: %s\ndetected_language: %s\n",
			resultFile, r.Status, quoted(r.TestFiles), specFile, r.Language)
	} else {
		if r.Phase == step.GreenRefactor {
			b.WriteString("phase: green-refactor\n")
		}
		fmt.Fprintf(&b, "result_file: %s\nstatus: %s\ngenerated_files: [%s]\nskipped_files: [%s]\n", resultFile, r.Status, quoted(r.Generated), quoted(r.Skipped))
		if len(r.Overwritten) > 0 {
			fmt.Fprintf(&b, "overwritten_files: [%s]\n", quoted(r.Overwritten))
		}
		fmt.Fprintf(&b, "tests_passed: %d\ntests_failed: %d\n", r.Tests.Passed, r.Tests.Failed)
		if r.RetryCount > 0 {
			fmt.Fprintf(&b, "retry_count: %d\n", r.RetryCount)
		}
		fmt.Fprintf(&b, "implements_md_updated: %t\n", r.Updated)
	}
	b.WriteString("---end-compiler-result---\n")
	return b.String()
}

func quoted(list []string) string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(q, ", ")
}
