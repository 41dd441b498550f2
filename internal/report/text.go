package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Planned is the text at the start of a compile run.
func Planned(l Lang, p step.PlanNote) string {
	var b strings.Builder
	for _, f := range p.Problems {
		fmt.Fprintln(&b, Problem(f))
	}
	for _, w := range p.Warnings {
		fmt.Fprintln(&b, strings.Replace(l.Placed(w), "missing - it will be generated", l.T("missing - it will be generated"), 1))
	}
	b.WriteString(unverified(l, p.LeftOut))
	if p.Count == 0 {
		switch {
		case p.Sum() > 0:
			fmt.Fprintf(&b, l.T("%d up to date\n"), p.UpToDate)
			b.WriteString(left(l, p.LeftOut))
		case len(p.Problems) > 0:
			fmt.Fprintf(&b, l.T("%d up to date\n"), p.UpToDate)
		case p.Unchecked > 0:
			fmt.Fprintf(&b, l.T("%d up to date\n"), p.UpToDate)
			fmt.Fprintf(&b, l.T("Recorded without checks: %d (see jacquard verify)\n"), p.Unchecked)
		case p.UpToDate == 0:
			b.WriteString(l.T("Nothing to build: these specs export nothing.\n"))
		default:
			b.WriteString(l.T("✓ All up-to-date. Use --all for full compile.\n"))
		}
		return b.String()
	}
	fmt.Fprintf(&b, l.T("%d to build:\n"), p.Count)
	b.WriteString(listed(l, p, l.Asked))
	if p.UpToDate > 0 {
		fmt.Fprintf(&b, l.T("%d up to date, skipped\n"), p.UpToDate)
	}
	return b.String()
}

// Placed is a line with what a place of it has, and what it waits for, in the language l.
func (l Lang) Placed(line string) string {
	place, text, ok := strings.Cut(line, ": ")
	if !ok {
		said := strings.TrimPrefix(line, "⚠ ")
		return line[:len(line)-len(said)] + l.Finding(l.Asked(said))
	}
	text, after, waits := strings.Cut(strings.TrimSuffix(text, ")"), " (after ")
	if waits {
		return place + ": " + l.Asked(text) + fmt.Sprintf(l.T(" (after %s)"), after)
	}
	return place + ": " + l.Asked(line[len(place)+2:])
}

// listed are the modules of a plan with why they are in it, a line each.
func listed(l Lang, p step.PlanNote, reason func(string) string) string {
	var b strings.Builder
	for i, dir := range p.Modules {
		fmt.Fprintf(&b, "  • %s — %s\n", dir, reason(p.Reasons[i]))
	}
	if p.Count > len(p.Modules) {
		fmt.Fprintf(&b, l.T("  … and %d more\n"), p.Count-len(p.Modules))
	}
	return b.String()
}

// unverified names modules whose code the lock does not know, and what to do about it.
func unverified(l Lang, p step.LeftOut) string {
	if p.Unverified == 0 {
		return ""
	}
	names := strings.Join(p.Names, ", ")
	if p.Unverified > len(p.Names) {
		names += ", …"
	}
	return fmt.Sprintf(l.T("⚠ unverified: %s: the code was never checked against the spec\n"), names) +
		commands("adopt", l.T("record modules that pass their tests, without an agent"), "build PATH --all", l.T("let an agent write tests and any missing code"))
}

// commands lists commands with what each does, one a line.
func commands(pairs ...string) string {
	width := 0
	for i := 0; i < len(pairs); i += 2 {
		width = max(width, Width(pairs[i]))
	}
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "  jacquard %s%s   %s\n", pairs[i], strings.Repeat(" ", width-Width(pairs[i])), pairs[i+1])
	}
	return b.String()
}

// left says how many modules a plan calls neither stale nor up to date.
func left(l Lang, p step.LeftOut) string {
	var b strings.Builder
	if p.Unverified > 0 {
		fmt.Fprintf(&b, l.T("Unverified: %d\n"), p.Unverified)
	}
	if p.Edited > 0 {
		fmt.Fprintf(&b, l.T("Edited by hand, not verified: %d (see jacquard verify)\n"), p.Edited)
	}
	if p.Kept > 0 {
		fmt.Fprintf(&b, l.T("Kept as they are, not verified: %d\n"), p.Kept)
	}
	return b.String()
}

// NoSpecs is the answer where there is nothing that could be built. free are files with the name of a spec that are none.
func NoSpecs(l Lang, where string, free []string) string {
	text := fmt.Sprintf(l.T("No specs found in %s.\n"), where)
	if len(free) > 0 {
		text += FreeForm(l, free[0])
	}
	return text + commands(
		`spec new "a rate limiter for the HTTP client"`, l.T("write a spec from a request"),
		"decompile", l.T("write specs for existing code"),
		`do "…"`, l.T("build a change without specs"))
}

// FreeForm says of a file with the name of a spec that it is none, and what would make it one.
func FreeForm(l Lang, file string) string {
	return fmt.Sprintf(l.T("%s is free text, not a spec: it has no Purpose, Exports or Behavior section. Add them to make it a spec\n"), file)
}

// Started is the line of a module that begins. In Korean it has the words that people know from earlier tools.
func Started(l Lang, dir string) string {
	if l == Korean {
		depth := 0
		if dir != "." {
			depth = strings.Count(dir, "/") + 1
		}
		return fmt.Sprintf("  • %s - 시작 (depth=%d)\n", dir, depth)
	}
	return fmt.Sprintf("  • %s - started\n", dir)
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

// Finding is place, rule and what to do; a warning, which rejects nothing, has a sign of its own. Further lines of its message
// are below it.
func Finding(l Lang, f step.Finding) string {
	mark := ""
	if f.Severity == step.Warn {
		mark = "⚠ "
	}
	return "    " + mark + place(f) + strings.ReplaceAll(step.Readable(strings.TrimRight(l.Finding(f.Message), " \n")), "\n", "\n        ")
}

// Cached says of results that were not measured anew how long ago they were. It is "" for others.
func Cached(l Lang, r step.Reused) string {
	if r.Proof == "" {
		return ""
	}
	return fmt.Sprintf(l.T(", reused from %s ago"), Took(time.Duration(r.Millis)*time.Millisecond))
}

// Attempt is the text of an attempt that code has judged.
func Attempt(l Lang, dir string, a step.AttemptNote) string {
	var b strings.Builder
	verdict := l.T("rejected")
	switch {
	case a.Passed && a.Phase == "strength":
		verdict = l.T("tests are strong")
	case a.Phase == "strength":
		verdict = l.T("tests are weak")
	case a.Passed:
		verdict = l.T("passed")
	case a.Phase == "refactor":
		verdict = l.T("reverted")
	}
	if a.Text != "" {
		verdict += " (" + a.Text + ")"
	}
	fmt.Fprintf(&b, "  · %s %s %d: %s", dir, strings.ToUpper(a.Phase), a.Attempt, verdict)
	switch a.Phase {
	case "red":
		fmt.Fprint(&b, Countf(l.T(", %d new tests fail as expected, review %d/100"), a.Counts.Failed, a.Score))
	case step.TestsPhase:
		if a.Passed {
			fmt.Fprint(&b, Countf(l.T(", %d new tests fail as expected"), a.Counts.Red))
		}
	default:
		if form := l.T(", tests %d passed, %d failed"); a.Counts.Total > 0 {
			if a.Passed && a.Counts.Failed > 0 { // only what the change is not to blame for
				form = l.T(", tests %d passed, %d failed before")
			}
			fmt.Fprintf(&b, form, a.Counts.Passed, a.Counts.Failed)
		}
	}
	b.WriteString(Cached(l, a.Counts.Reused))
	b.WriteByte('\n')
	b.WriteString(findingLines(l, a.Findings))
	if a.Phase != "red" && a.Phase != step.TestsPhase {
		for _, t := range a.Failures {
			b.WriteString(Failure(t))
		}
	}
	return b.String()
}

// Failure is one line about a test: its id, and what it said in one line.
func Failure(t step.TestResult) string {
	said := saidBy(t)
	if said != "" {
		said = ": " + said
	}
	return fmt.Sprintf("    %s: %s%s\n", t.ID, t.Status, said)
}

// saidBy is what a test that failed said, in one line.
func saidBy(t step.TestResult) string {
	text := strings.TrimSpace(t.Message)
	said, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(said, "Traceback (most recent call last)") { // Python says what went wrong at the end
		said = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	}
	if r := []rune(said); len(r) > 120 {
		said = string(r[:120]) + "…"
	}
	return said
}

// Result is the text of a module that has ended.
func Result(l Lang, r step.ModuleResult) string {
	var b strings.Builder
	for _, p := range r.Skipped {
		fmt.Fprintf(&b, l.T("⏭ Skipped: %s\n"), p)
	}
	for _, p := range r.Overwritten {
		fmt.Fprintf(&b, l.T("↻ Overwriting: %s\n"), p)
	}
	mark := "✓"
	if r.Status != step.Success {
		mark = "⚠"
	}
	fmt.Fprintf(&b, "  %s %s: ", mark, r.Dir)
	if r.Status == step.Blocked {
		fmt.Fprintln(&b, l.Asked(r.Reason))
		return b.String()
	}
	fmt.Fprint(&b, Countf(l.T("%d files, %d tests passed"), len(r.Generated), r.Tests.Passed))
	if r.Mutants.Tried > 0 {
		fmt.Fprintf(&b, l.T(", %d of %d mutants killed"), r.Mutants.Killed, r.Mutants.Tried)
	}
	fmt.Fprintf(&b, ", %s\n", Cost(l, r.Usage))
	b.WriteString(heldOut(l, r.HeldOut))
	b.WriteString(Levels(l, r.Items))
	b.WriteString(advice(l, r))
	for _, t := range r.Baseline {
		fmt.Fprintf(&b, l.T("    failed before this run and still fails: %s\n"), t)
	}
	for _, t := range r.NotRun {
		fmt.Fprintf(&b, l.T("    not run: %s\n"), t)
	}
	for _, u := range r.Unclear {
		fmt.Fprintf(&b, l.T("    the spec is unclear about %s: %s (read as: %s)\n"), u.Item, u.Question, u.Reading)
	}
	return b.String()
}

// Levels says how many items of a spec are proved, and names those that no program has looked at.
func Levels(l Lang, items []step.ItemLevel) string {
	if len(items) == 0 {
		return ""
	}
	count, called := map[step.Level]int{}, 0
	for _, it := range items {
		count[it.Level]++
		if it.Why == step.WhyCalled {
			called++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, l.T("    %d of %d items proved (%d by calling the code with values from the spec)"), count[step.Proved], len(items), called)
	if n := count[step.Covered]; n > 0 {
		fmt.Fprintf(&b, l.T(", %d covered by a test"), n)
	}
	if n := count[step.NotChecked]; n > 0 {
		fmt.Fprintf(&b, l.T(", %d not checked"), n)
	}
	b.WriteByte('\n')
	left := 5
	for _, it := range items {
		if it.Level == step.NotChecked && left > 0 {
			fmt.Fprintf(&b, l.T("      not checked: %s\n"), it.Text)
			left--
		}
	}
	return b.String()
}

// keptTests names the disputed tests that stay as they are, with their files.
func keptTests(r step.ModuleResult) string {
	var out []string
	for _, f := range r.Disputed {
		name, _, ok := strings.Cut(f.Message, " stays as it is: ")
		if f.Rule == "test-kept" && ok {
			out = append(out, f.Path+" ("+name+")")
		}
	}
	return strings.Join(out[:min(len(out), 5)], ", ")
}

// advice says what to do about a module that did not simply succeed.
func advice(l Lang, r step.ModuleResult) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, "    "+format+"\n", args...) }
	switch r.Reason {
	case "":
		return findingLines(l, r.Disputed)
	case "disputed":
		say(l.T("not delivered: a test is disputed. Compare the test with the spec and clarify the spec where needed:"))
	case "green":
		say(l.T("not delivered: the code still fails its tests after %d attempts. To fix by hand:"), r.RetryCount+1)
	case "red":
		say(l.T("not delivered: three attempts produced no valid tests:"))
	case "conflict":
		say(l.T("existing files that Jacquard may not change do not match the spec. Change them, or use --conflict overwrite:"))
	case "edited":
		say(l.T("not delivered: you changed these files during the run: %s. The module is saved on its ref; to overwrite your changes with it: jacquard diff --apply %s"), strings.Join(r.Conflicts, ", "), r.Dir)
	case "land":
		say(l.T("not delivered: it does not work with the other modules of this run:"))
	case "dependents":
		say(l.T("not delivered: tests of modules that use it fail with the new code. Update their specs as well, or undo this change:"))
	case "no-tests":
		say(l.T("not built: none of the given test files belongs to this module. Pass its own with --test-files, or run --phase red:"))
	case "language":
		say(l.T("not built: its language is unknown. Set it with --language %s=LANG"), r.Dir)
	case "packages":
		say(l.T("packages named in the spec could not be added:"))
	case "tests-incomplete":
		say(l.T("some spec items have no test of their own (review %d/100):"), r.Score)
	case "weak-tests":
		say(l.T("the tests kill fewer than half of the mutants:"))
	default:
		say("%s", l.Asked(r.Reason))
	}
	b.WriteString(findingLines(l, r.Disputed))
	if tests := keptTests(r); r.Reason == "disputed" && tests != "" {
		say(l.T("if the spec is right, correct %s, then run: jacquard build %s"), tests, r.Dir)
	}
	b.WriteString(findingLines(l, r.Findings))
	for _, t := range r.Failures {
		b.WriteString(Failure(t))
	}
	if r.Summary != "" && !r.Delivered {
		say(l.T("agent's note: %s"), strings.ReplaceAll(r.Summary, "\n", " "))
	}
	return b.String()
}

// findingLines are lines with what was found.
func findingLines(l Lang, list []step.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintln(&b, Finding(l, f))
	}
	return b.String()
}

// Generated is the summary of earlier tools at the end of a run of build, for who calls it compile.
func Generated(l Lang, r *Run) string {
	o := r.Result.(*step.CompileOut) //nolint:forcetypeassert // it is of a build
	e := r.ended(l, true)
	if e.cost = nil; e.result == nil {
		e.run = ""
	}
	return l.T("=== Generation finished ===") + "\n" + fmt.Sprintf(l.T("CLAUDE.md in total: %d\n"), o.Modules) +
		fmt.Sprintf(l.T("Generated files: %d\n"), o.Generated) + fmt.Sprintf(l.T("Skipped files: %d\n"), o.Skipped) +
		fmt.Sprintf(l.T("Tests: %d passed, %d failed\n"), o.Passed, o.Failed) + unproved(l, o) + e.text(l)
}

// buildEnd is the text at the end of a build.
func buildEnd(l Lang, r *Run, o *step.CompileOut) string {
	e := r.ended(l, true)
	e.done = fmt.Sprintf(l.T("%d of %d modules built"), o.Succeeded+o.Weak, o.Modules) + Countf(l.T(", %d files written"), o.Generated)
	e.cost, e.open = []string{r.spent(l)}, append(lines(unproved(l, o)), e.open...)
	var shown []step.Level
	for _, m := range r.Modules {
		if m.Result != nil {
			shown = append(shown, step.Each(m.Result.Items, func(x step.ItemLevel) step.Level { return x.Level })...)
		}
	}
	e.proof = []string{fmt.Sprintf(l.T("tests %d passed, %d failed"), o.Passed, o.Failed)}
	if said := levels(l, l.T("items"), shown, len(shown)); said != "" {
		e.proof[0] = said + "; " + e.proof[0]
	}
	if o.Warned > o.Weak {
		e.open = append(e.open, fmt.Sprintf(l.T("to see the last attempt, run: jacquard diff %s"), r.ID), l.T("correct the spec, or try again: jacquard build"))
	}
	if o.Ref == "" && o.Pull == nil && o.Generated > 0 {
		e.result, e.undo = []string{fmt.Sprintf(l.T("in your working tree; to review: jacquard diff %s"), r.ID)}, "jacquard undo "+r.ID
		e.open = append(e.open, l.T("commit the files together with jacquard.lock"))
	}
	return e.text(l)
}

// unproved says what of a build is not verified.
func unproved(l Lang, o *step.CompileOut) string {
	var b strings.Builder
	b.WriteString(left(l, o.LeftOut))
	if o.Weak > 0 {
		fmt.Fprintf(&b, l.T("Verified with warnings: %d\n"), o.Weak)
	}
	failed := o.Warned - o.Weak
	if n := failed + o.Blocked + o.Broken; n > 0 {
		fmt.Fprintf(&b, l.T("Not verified: %d (%d with warnings, %d blocked, %d with spec problems)\n"), n, failed, o.Blocked, o.Broken)
	}
	return b.String()
}

// Question is what a gate asks. The record has it in English; what the program
// asks is worded again for its reader, what broke is said as it is.
func Question(l Lang, key string, q flow.Question) string {
	i := strings.LastIndexByte(key, ':')
	if dir, ok := ModuleOf(key[:max(i, 0)]); ok && strings.HasPrefix(key[i+1:], "language/") && q.Class == "" {
		return fmt.Sprintf(l.T("Which language should %s be written in? The project does not say: %s"), dir, strings.Join(q.Options, ", "))
	}
	text := step.Readable(q.Text) // an agent may have written it
	if q.Class != "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = l.Asked(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Blocks prints a result in the block form that scripts for earlier tools read.
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
