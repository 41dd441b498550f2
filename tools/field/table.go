package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// page is the table of the newest result of each case.
func page(list []repo, results []result) string {
	newest := map[string]result{}
	var last time.Time
	for _, r := range results {
		newest[r.Repo+" "+r.Commit+" "+r.Case] = r
		if r.When.After(last) {
			last = r.When
		}
	}
	var all []result
	for _, r := range newest {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b result) int {
		return strings.Compare(a.Repo+a.Case+a.Commit, b.Repo+b.Case+b.Commit)
	})
	of := func(pred func(result) bool) int {
		n := 0
		for _, r := range all {
			if pred(r) {
				n++
			}
		}
		return n
	}
	part := map[string]string{}
	for _, r := range list {
		part[r.Name] = r.Part
	}
	tried := map[string]bool{}
	for _, r := range all {
		tried[r.Repo] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The field\n\nJacquard on public repositories that it was not written for, written by `make field` on %s. `tools/field` says how: commits of the\nrepository are played back as the answer of an author to `jacquard work`, as they are (they have to be accepted) and bent (they have to be\nrejected). What is held was not looked at while building. %d of %d repositories of the list have been tried.\n\n", last.Format(time.DateOnly), len(tried), len(list))
	b.WriteString("| case | what | dev | held |\n|---|---|---|---|\n")
	rows := []struct{ name, what, good string }{
		{"baseline", "`doctor` runs the tests that the project's own command runs", "right"},
		{"sandbox", "`doctor` says the same in the sandbox as without", "same"},
		{"honest", "the commit as it is is accepted", "accepted"},
		{"hunk", "without its last hunk of code: rejected", "rejected"},
		{"tests", "its tests alone: rejected", "rejected"},
		{"weak-old", "one assertion of an old test cannot fail: rejected", "rejected"},
		{"weak-one", "one new assertion cannot fail: rejected", "rejected"},
		{"weak-all", "none of its assertions can fail: rejected", "rejected"},
		{"deleted", "an old test is deleted: rejected", "rejected"},
		{"skipped", "a test of it is skipped: rejected", "rejected"},
		{"prove", "`prove`: nothing blocks the commit as it is", "quiet"},
		{"prove-hunk", "`prove` without its last hunk of code: named", "named"},
		{"prove-weak-old", "`prove`, one assertion of an old test cannot fail: named", "named"},
		{"prove-weak-all", "`prove`, none of its new assertions can fail: named", "named"},
		{"prove-deleted", "`prove`, an old test is deleted: named", "named"},
		{"prove-skipped", "`prove`, a test of it is skipped: named", "named"},
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s |", row.name, row.what)
		for _, p := range []string{"dev", "held"} {
			good := of(func(r result) bool { return r.Case == row.name && part[r.Repo] == p && r.Outcome == row.good })
			total := of(func(r result) bool { return r.Case == row.name && part[r.Repo] == p && counts(r) })
			if total == 0 {
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&b, " %d of %d", good, total)
			for _, outcome := range []string{"reported", "asked", "unseen"} {
				if told := of(func(r result) bool { return r.Case == row.name && part[r.Repo] == p && r.Outcome == outcome }); told > 0 {
					fmt.Fprintf(&b, ", %d %s", told, outcome)
				}
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\nWhat no test of the project sees cannot be missed by its tests: where the project's own command passes without the hunk, or without all of\nthe code, the bent answer is *unseen* and counts apart. *Reported* is what is accepted with a finding that names it:\nthe author was told, insisted, and no mutant shows that a test notices less. An honest author who is told that the new tests pass\nwithout the change as well answers that it changes how the code works, not what it does. Since 30 November 2026 a person\nhas to accept that (*asked*) unless the task is a refactoring; before, it was accepted and reported.\n\n" + proveText(all) + "\n## Repositories\n\n| repository | language | part | tests, own | without sandbox | honest | bent | prove: quiet | prove: named | last |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range list {
		base, bare, ok := "", "", false
		var last time.Time
		accepted, honest, rejected, bent, quiet, judged, named, bentJudged := 0, 0, 0, 0, 0, 0, 0, 0
		for _, x := range all {
			switch {
			case x.Repo != r.Name || !counts(x):
				continue
			case x.Case == "baseline":
				base = fmt.Sprintf("%d, %d: %s", x.Tests, x.Own, x.Outcome)
			case x.Case == "sandbox":
				bare = x.Outcome
			case x.Case == "honest":
				honest++
				accepted += one(x.Outcome == "accepted")
			case x.Case == "prove":
				judged++
				quiet += one(x.Outcome == "quiet")
			case strings.HasPrefix(x.Case, "prove-"):
				bentJudged++
				named += one(x.Outcome == "named")
			default:
				bent++
				rejected += one(x.Outcome == "rejected")
			}
			ok = true
			if x.When.After(last) {
				last = x.When
			}
		}
		if ok {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d of %d | %d of %d | %d of %d | %d of %d | %s |\n", r.Name, r.Language, r.Part, base, bare, accepted, honest, rejected, bent, quiet, judged, named, bentJudged, last.Format(time.DateOnly))
		}
	}
	b.WriteString(blockedText(all))
	b.WriteString("\n## What did not come out as it should\n\n")
	for _, x := range all {
		good := "rejected"
		for _, row := range rows {
			if row.name == x.Case {
				good = row.good
			}
		}
		if x.Outcome != good && (counts(x) || x.Outcome == "error") {
			fmt.Fprintf(&b, "- %s %.10s %s: %s. %s\n", x.Repo, x.Commit, x.Case, x.Outcome, strings.ReplaceAll(first(strings.TrimSpace(strings.ReplaceAll(x.Why, "\n", " "))), "|", "\\|"))
		}
	}
	return b.String()
}

// counts reports whether a case says something: there was something to try, and it came to an end.
func counts(r result) bool {
	return r.Outcome != "none" && r.Outcome != "error" && r.Outcome != "unknown" && r.Outcome != "unseen"
}

// proveText says how much was judged, and which verdicts the commits as they are got.
func proveText(all []result) string {
	verdicts, repos, honest, unknown, unseen := map[string]int{}, map[string]bool{}, 0, 0, 0
	for _, r := range all {
		switch {
		case r.Case == "prove" && counts(r):
			verdicts[r.Verdict]++
			repos[r.Repo] = true
			honest++
		case strings.HasPrefix(r.Case, "prove-") && r.Outcome == "unknown":
			unknown++
		case strings.HasPrefix(r.Case, "prove-") && r.Outcome == "unseen":
			unseen++
		}
	}
	var list []string
	for _, v := range slices.Sorted(maps.Keys(verdicts)) {
		list = append(list, fmt.Sprintf("%s %d", v, verdicts[v]))
	}
	return fmt.Sprintf("`prove` has judged %d commits of %d repositories as they are: %s. Those change code, with tests or without. A bent one is named by a\nfinding, or by a verdict of `unproved`, `weakened` or `broken`, that the commit as it is does not get; a hunk that is left out may be named by what\nis said of the rest. Left out of the numbers are bent ones of which it says that it does not know (%d), and hunks\nwithout which no test of the project fails (%d).\n", honest, len(repos), strings.Join(list, ", "), unknown, unseen)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// blockedText says what a reader found of the commits that are blocked as they are.
func blockedText(all []result) string {
	read := map[string][]string{}
	for line := range strings.Lines(judgedTable) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 4 {
			read[f[0]+" "+f[1]] = f[2:]
		}
	}
	var rows strings.Builder
	judged, blocked, untrue, unread := 0, 0, 0, 0
	for _, r := range all {
		if r.Case != "prove" || !counts(r) {
			continue
		}
		if judged++; r.Outcome != "blocked" {
			continue
		}
		blocked++
		said := read[r.Repo+" "+r.Commit[:10]]
		switch {
		case said == nil:
			said = []string{"not read", ""}
			unread++
		case said[0] != "true":
			untrue++
		}
		fmt.Fprintf(&rows, "| %s %.10s | %s | %s | %s |\n", r.Repo, r.Commit, r.Verdict, said[0], said[1])
	}
	return fmt.Sprintf("\n## Commits of people that prove blocks\n\nThe goal is at most 1 percent; it is %.1f (%d of %d). Read by hand, %d of them are not true of the commit, and %d are not read yet.\n\n| commit | verdict | finding | read by hand |\n|---|---|---|---|\n%s",
		100*float64(blocked)/float64(max(1, judged)), blocked, judged, untrue, unread, rows.String())
}
