package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of the text of a judgement: it is read, and all of it is in --format json.
const (
	shownColumns   = 80
	shownFindings  = 10
	shownFunctions = 12
)

// verdictText is the first line: the verdict in words, and what a good one must not hide.
func verdictText(l report.Lang, j act.Judged) string {
	text := verdictWords(l, j)
	if !slices.Contains([]check.Verdict{check.VerdictProved, check.VerdictCovered, check.VerdictNothing}, j.Verdict) {
		return text
	}
	if names := namesOf(j, blind); len(names) > 0 {
		text += fmt.Sprintf(l.T("; but no test kills a mutant in the changed lines of %s"), strings.Join(names, ", "))
	}
	if names := namesOf(j, func(f check.Function) bool { return f.Missed() && !blind(f) }); len(names) > 0 {
		text += fmt.Sprintf(l.T("; but tests kill less than half of the mutants in the changed lines of %s"), strings.Join(names, ", "))
	}
	if names := namesOf(j, check.Function.MissedSome); len(names) > 0 && j.Verdict == check.VerdictCovered {
		text += fmt.Sprintf(l.T("; mutants in the changed lines of %s survive"), strings.Join(names, ", "))
	}
	if n := len(j.FailsNow); n > 0 {
		text += fmt.Sprintf(l.T("; but %s fails now, and did not before the change"), strings.Join(j.FailsNow[:min(2, n)], ", "))
	}
	if n := count(j, lesser); n > 0 {
		text += report.Countf(l.T("; but %d tests may check too little"), n)
	}
	if files := otherwise(j); len(files) > 0 {
		text += fmt.Sprintf(l.T("; tests in %s expect something else than before"), strings.Join(files, ", "))
	}
	if len(j.NotRun) > 0 {
		text += l.T("; not everything was tried")
	}
	return text
}

// count is how many findings of a judgement are of a kind.
func count(j act.Judged, kind func(check.Fact) bool) int {
	n := 0
	for _, f := range j.Findings {
		if kind(f) {
			n++
		}
	}
	return n
}

// otherwise are the files of tests that expect something else with the change than before it.
func otherwise(j act.Judged) []string {
	var files []string
	for _, f := range j.Findings {
		if f.Rule == "expectation-changed" && f.Path != "" && !slices.Contains(files, f.Path) {
			files = append(files, f.Path)
		}
	}
	return files
}

// lesser is said of tests that show less and blocks nothing, as where other tests notice what these no longer do.
func lesser(f check.Fact) bool {
	return f.Severity == step.Fix && slices.Contains([]string{"test-skipped", "test-empty", "test-always-true", "test-weakened", "test-deleted"}, f.Rule)
}

func failing(f check.Fact) bool  { return f.Rule == "new-test-fails" }
func breaking(f check.Fact) bool { return f.Blocks && f.Rule == "test-broken" }
func blocking(f check.Fact) bool { return f.Blocks }

func verdictWords(l report.Lang, j act.Judged) string {
	switch j.Verdict {
	case check.VerdictProved:
		changed := func(r check.RedTest) bool { return r.Changed }
		anew := func(r check.RedTest) bool { return !r.Changed }
		form := l.T("proved: %d new or changed tests fail without the change and pass with it")
		switch {
		case !slices.ContainsFunc(j.Red, changed):
			form = l.T("proved: %d new tests fail without the change and pass with it")
		case !slices.ContainsFunc(j.Red, anew):
			form = l.T("proved: %d changed tests fail without the change and pass with it")
		}
		text := report.Countf(form, len(j.Red))
		if names := namesOf(j, unnoticed); len(names) > 0 {
			text += fmt.Sprintf(l.T("; but no test kills the mutants of %s"), strings.Join(names, ", "))
		}
		if names := namesOf(j, oldOnly); len(names) > 0 && len(names) < len(j.Functions) {
			text += fmt.Sprintf(l.T("; only existing tests kill the mutants of %s"), strings.Join(names, ", "))
		}
		return text
	case check.VerdictCovered:
		if j.Why != "" {
			return l.T("covered: tests that reach the change pass; it has no function to mutate")
		}
		if slices.ContainsFunc(j.Functions, func(f check.Function) bool { return f.Unmutated && f.Noticed > 0 }) {
			return l.T("covered: no new test shows the change; tests reach it, but no mutant can be made of all changed lines")
		}
		if slices.ContainsFunc(j.Functions, func(f check.Function) bool { return f.Missed() || f.MissedSome() }) {
			return l.T("covered: no new test shows the change, and existing tests kill only some of its mutants")
		}
		return l.T("covered: no new test shows the change, but existing tests kill its mutants")
	case check.VerdictNothing:
		if j.Before == j.Tree && j.Base == act.NoCommit {
			return l.T("nothing: there is no file yet; write some code and a test, then run: jacquard prove")
		}
		if j.Single {
			return l.T("nothing: no changes, and there is no commit before the last one to compare with")
		}
		if j.Before == j.Tree {
			return l.T("nothing: no changes; to check the last commit, run: jacquard prove HEAD~1..HEAD")
		}
		if n := j.NewTests; n.Tried > 0 {
			return fmt.Sprintf(l.T("nothing: no code changed; %d of %d new tests notice when it returns another value"), n.Noticed, n.Tried)
		}
		return l.T("nothing: no code changed")
	case check.VerdictUnproved:
		if n := count(j, failing); n > 0 {
			return report.Countf(l.T("unproved: %d new tests fail"), n)
		}
		return l.T("unproved: no test shows that the change works")
	case check.VerdictBroken:
		if count(j, func(f check.Fact) bool { return f.Blocks && f.Rule == "build-failed" }) > 0 {
			return l.T("broken: the project does not build with the change")
		}
		if count(j, func(f check.Fact) bool { return breaking(f) && f.Path == "" }) > 0 {
			return l.T("broken: the tests pass without the change and fail with it")
		}
		return report.Countf(l.T("broken: %d passing tests fail with the change"), count(j, breaking))
	case check.VerdictWeakened:
		return l.T("weakened: existing tests check less than before")
	case check.VerdictUnknown:
	}
	text := fmt.Sprintf(l.T("unknown: %s"), l.Finding(j.Why))
	return text + moreTime(l, j)
}

// moreTime says how a judgement gets more time that had too little, "" for another one.
func moreTime(l report.Lang, j act.Judged) string {
	switch {
	case j.Late && j.Quick:
		return l.T("; for more time, run: jacquard prove")
	case j.Late:
		return l.T("; for more time, add --limit 15m (or --full)")
	}
	return ""
}

// oldOnly reports whether tests notice when a function is wrong, and no new one does.
func oldOnly(f check.Function) bool { return f.Noticed > 0 && !f.ByNew }

// blind reports whether tests notice when a function is wrong, but nothing that was tried in the lines that the change wrote.
func blind(f check.Function) bool { return f.Missed() && f.Changed.Noticed == 0 }

// unnoticed reports whether every small change of a function went unnoticed, or no test comes near it.
func unnoticed(f check.Function) bool { return f.Unreached || f.Tried > 0 && f.Noticed == 0 }

// namesOf are the changed functions of a kind, the first few of them.
func namesOf(j act.Judged, kind func(check.Function) bool) (names []string) {
	for _, f := range j.Functions {
		if f.Name != "" && kind(f) {
			names = append(names, f.Name)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return names
}

// writeJudged writes a judgement for a person: the verdict, what blocks, what else there is, who notices, and what was run.
func writeJudged(a *app, w io.Writer, _ *project, j act.Judged) error {
	l := a.lang()
	b := folding{width: shownColumns}
	if columns, _, ok := terminal(w); ok {
		b.width = min(b.width, columns)
	}
	b.columns("", "  ", verdictText(l, j))
	fmt.Fprintf(&b, l.T("  compared with: %s\n"), j.Base)
	if j.Since != "" {
		fmt.Fprintf(&b, l.T("  commits since %s were not looked at; to check them, run: jacquard prove %[1]s..HEAD\n"), j.Since)
	}
	soft, later := false, ""
	if count(j, failing) > 0 {
		later = strings.Join(namesOf(j, unnoticed), ", ")
		j.Findings, j.Functions = failingFirst(j.Findings), nil
	}
	if j.Verdict == check.VerdictBroken { // tests that fail kill no mutant
		j.Findings = slices.DeleteFunc(slices.Clone(j.Findings), func(f check.Fact) bool { return f.Rule == "unnoticed-change" && !f.Blocks })
		j.Functions = slices.DeleteFunc(slices.Clone(j.Functions), func(f check.Function) bool { return f.Noticed == 0 })
	}
	for i, f := range j.Findings {
		why := f.Blocks || failing(f) && j.Verdict == check.VerdictUnproved
		soft = soft || !why
		if i == shownFindings {
			fmt.Fprintf(&b, l.T("  … and %d more: --format json\n"), len(j.Findings)-i)
			break
		}
		mark := "• "
		if why {
			mark = "✗ "
		}
		b.columns(mark, "  ", factText(l, j, f))
	}
	if later != "" {
		b.columns("  ", "  ", fmt.Sprintf(l.T("not proved until that passes: %s"), later))
	}
	switch {
	case soft && j.Verdict == check.VerdictUnproved && count(j, blocking) == 0:
		fmt.Fprint(&b, l.T("  (• is only a note; exit code 1 because nothing proves the change)\n"))
	case soft:
		fmt.Fprint(&b, l.T("  (✗ blocks, • does not)\n"))
	}
	writeNoticed(&b, l, j)
	also := ""
	if j.AlsoBefore > 0 {
		also = report.Countf(l.T(", %d failing without the change too"), j.AlsoBefore)
	}
	byExit := slices.ContainsFunc(j.Records, func(r step.Record) bool { return r.Level == step.ByExit })
	took := (time.Duration(j.Millis) * time.Millisecond).Round(100 * time.Millisecond)
	if byExit && j.Tests.Total == 0 {
		fmt.Fprint(&b, report.Countf(l.T("ran %d commands in %s\n"), len(j.Records), took))
	} else {
		fmt.Fprint(&b, report.Countf(l.T("ran %d tests: %d passed, %d failed, %d skipped%s; %d commands in %s\n"),
			j.Tests.Total, j.Tests.Passed, j.Tests.Failed, j.Tests.Skipped, also, len(j.Records), took))
	}
	if byExit {
		fmt.Fprint(&b, "  "+l.T("judged by exit code only, because it reports no individual tests")+"\n")
	}
	if len(j.Records) > 0 {
		fmt.Fprint(&b, weaker(l, j.Sandbox))
	}
	if n := len(j.FailedBefore); n > 0 {
		b.columns("", "  ", fmt.Sprintf(l.T("fail without the change too, so they don't count (%d): %s"), n, strings.Join(j.FailedBefore[:min(3, n)], ", ")))
	}
	for _, text := range j.NotRun {
		b.columns("", "  ", fmt.Sprintf(l.T("not run: %s"), l.Finding(text)))
	}
	if more := moreTime(l, j); more != "" && len(j.NotRun) > 0 && j.Verdict != check.VerdictUnknown {
		b.columns("", "  ", l.T("the time was over")+more)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// failingFirst are findings, those of new tests that fail behind the ones that block. What follows from such a test, and says nothing
// before it passes, is left out.
func failingFirst(findings []check.Fact) []check.Fact {
	out := slices.DeleteFunc(slices.Clone(findings), func(f check.Fact) bool {
		return slices.Contains([]string{"unnoticed-change", "no-test", "test-passes-without"}, f.Rule)
	})
	rank := func(f check.Fact) int {
		switch {
		case f.Blocks:
			return 0
		case failing(f):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b check.Fact) int { return rank(a) - rank(b) })
	return out
}

// factText is a finding as a person reads it: of a first commit there is no before, and what no test reaches needs one.
func factText(l report.Lang, j act.Judged, f check.Fact) string {
	if command := check.FailedBefore(f.Finding); command != "" && j.Base == act.NoCommit {
		f.Message = fmt.Sprintf("The build fails: `%s`", command)
	}
	text := strings.TrimPrefix(strings.TrimSpace(report.Finding(l, f.Finding)), "⚠ ")
	if f.Rule == "unnoticed-change" && f.Severity == step.Warn {
		text += l.T(" Write a test that does.")
	}
	return text
}

// writeNoticed says for each changed function which test would notice if it were wrong.
func writeNoticed(b *folding, l report.Lang, j act.Judged) {
	if len(j.Functions) == 0 {
		return
	}
	fmt.Fprint(b, l.T("mutants of changed functions and the tests that kill them\n"))
	for i, f := range j.Functions {
		if i == shownFunctions {
			fmt.Fprintf(b, l.T("  … and %d more: --format json\n"), len(j.Functions)-i)
			break
		}
		who := l.T("not tested with mutants")
		switch {
		case f.Noticed > 0:
			who = fmt.Sprintf(l.T("by %s"), testName(first(f.By, "", "")))
			if f.Missed() || f.MissedSome() {
				who += fmt.Sprintf(l.T(" (%d of %d mutants in its changed lines)"), f.Changed.Noticed, f.Changed.Tried)
			}
		case f.Unreached:
			who = l.T("no test reaches it")
		case f.Tried > 0:
			who = fmt.Sprintf(l.T("0 of %d mutants killed"), f.Tried)
		}
		name := f.Name
		if name == "" {
			name = l.T("outside functions")
		}
		b.columns("  ", "    ", fmt.Sprintf("%s (%s:%d): %s", name, f.Path, f.Line, who))
	}
}

// testName is the name of a test without its file, or the command that runs all tests.
func testName(id string) string {
	_, name := toolchain.SplitID(id)
	return cmp.Or(name, id)
}

// folding is a text in lines of a width.
type folding struct {
	strings.Builder

	width int
}

// columns writes a text: its first line behind first, what is below that behind next, which stands further in by two.
func (b *folding) columns(first, next, text string) {
	for i, line := range strings.Split(text, "\n") {
		at, further := first, 2
		if i > 0 {
			at, further = next, 0
		}
		b.WriteString(strings.TrimRight(broken(at+strings.TrimSpace(line), b.width, further), " ") + "\n")
	}
}
