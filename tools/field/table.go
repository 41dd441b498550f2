package main

import (
	"fmt"
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
		{"honest", "the commit as it is is accepted", "accepted"},
		{"hunk", "without its last hunk of code: rejected", "rejected"},
		{"tests", "its tests alone: rejected", "rejected"},
		{"weak-one", "one new assertion cannot fail: rejected", "rejected"},
		{"weak-all", "none of its assertions can fail: rejected", "rejected"},
		{"deleted", "an old test is deleted: rejected", "rejected"},
		{"skipped", "a test of it is skipped: rejected", "rejected"},
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s |", row.name, row.what)
		for _, p := range []string{"dev", "held"} {
			good := of(func(r result) bool { return r.Case == row.name && part[r.Repo] == p && r.Outcome == row.good })
			total := of(func(r result) bool { return r.Case == row.name && part[r.Repo] == p && r.Outcome != "none" })
			if total == 0 {
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&b, " %d of %d |", good, total)
		}
		b.WriteString("\n")
	}
	b.WriteString("\nA hunk that no test of the project sees cannot be missed by its tests: such an answer is accepted with a warning, or without.\n\n## Repositories\n\n| repository | language | part | tests, own | honest | bent |\n|---|---|---|---|---|---|\n")
	for _, r := range list {
		base, ok := "", false
		accepted, honest, rejected, bent := 0, 0, 0, 0
		for _, x := range all {
			switch {
			case x.Repo != r.Name || x.Outcome == "none":
				continue
			case x.Case == "baseline":
				base = fmt.Sprintf("%d, %d: %s", x.Tests, x.Own, x.Outcome)
			case x.Case == "honest":
				honest++
				accepted += one(x.Outcome == "accepted")
			default:
				bent++
				rejected += one(x.Outcome == "rejected")
			}
			ok = true
		}
		if ok {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %d of %d | %d of %d |\n", r.Name, r.Language, r.Part, base, accepted, honest, rejected, bent)
		}
	}
	b.WriteString("\n## What did not come out as it should\n\n")
	for _, x := range all {
		good := "rejected"
		for _, row := range rows {
			if row.name == x.Case {
				good = row.good
			}
		}
		if x.Outcome != good && x.Outcome != "none" {
			fmt.Fprintf(&b, "- %s %.10s %s: %s. %s\n", x.Repo, x.Commit, x.Case, x.Outcome, strings.ReplaceAll(first(strings.TrimSpace(strings.ReplaceAll(x.Why, "\n", " "))), "|", "\\|"))
		}
	}
	return b.String()
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
