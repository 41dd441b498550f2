package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// judgedBends are the bends that `prove` is asked about. That of the tests alone changes no code: there is nothing to prove.
var judgedBends = []string{"hunk", "weak-old", "weak-all", "deleted", "skipped"}

// naming are the rules that name a bend. A dropped hunk has left something unfinished or untested, whichever rule says so.
var naming = map[string][]string{
	"hunk":     {"unnoticed-change", "test-passes-without", "new-test-fails", "no-test", "test-broken", "build-failed"},
	"weak-old": {"test-weakened", "test-always-true", "test-empty"},
	"weak-one": {"test-weakened", "test-always-true", "test-empty", "test-passes-without", "unnoticed-change", "no-test"},
	"weak-all": {"test-weakened", "test-always-true", "test-empty", "test-passes-without", "unnoticed-change", "no-test"},
	"deleted":  {"test-deleted"},
	"skipped":  {"test-skipped"},
}

// judgement is what prove says.
type judgement struct {
	Verdict, Why string
	Findings     []said
}

type said struct {
	Rule, Path, Message string
	Line                int
	Blocks              bool
}

// judge lets prove judge a commit as it is, and bent in each way.
func (f *field) judge(r repo, clone string, c commit, want func(string) bool) error {
	outcome := f.done[f.key(r.Name, c.ID, "prove")]
	if outcome == "" {
		res := f.proved(r, clone, c, "prove", asItIs)
		if err := f.note(res); err != nil {
			return err
		}
		outcome = res.Outcome
	}
	for _, b := range bends {
		name := "prove-" + b.Name
		if f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		if outcome != "quiet" || !slices.Contains(judgedBends, b.Name) || !want(name) || f.done[f.key(r.Name, c.ID, name)] != "" {
			continue
		}
		if err := f.note(f.proved(r, clone, c, name, b.bend)); err != nil {
			return err
		}
	}
	return nil
}

// proved commits a commit, bent or as it is, on its parent, and says what prove says of it.
func (f *field) proved(r repo, clone string, c commit, name string, bend bend) result {
	res := result{Repo: r.Name, Commit: c.ID, Case: name, Outcome: "error"}
	what, err := f.stage(clone, c, bend)
	if err != nil || what == "" {
		return res.unbent(err)
	}
	var was judgement
	if data, err := os.ReadFile(f.kept(r, c, "prove")); err == nil && name != "prove" {
		if _ = json.Unmarshal(data, &was); name == "prove-hunk" && was.Verdict == "nothing" { // comments
			return res.unbent(nil)
		}
	}
	if left, err := f.git(clone, append([]string{"diff", "--cached", "--name-only", c.Parent, "--"}, append(c.Code, c.Tests...)...)...); err != nil || left == "" {
		return res.unbent(err) // it was the only hunk
	}
	tree, err := f.git(clone, "write-tree")
	if err != nil {
		return res.unbent(err)
	}
	id, err := f.git(clone, "-c", "user.name=Field", "-c", "user.email=field@localhost", "commit-tree", strings.TrimSpace(tree), "-p", c.Parent, "-m", c.Subject)
	if err != nil {
		return res.unbent(err)
	}
	if err := f.checkout(clone, strings.TrimSpace(id)); err != nil {
		return res.unbent(err)
	}
	start := time.Now()
	out, errs, _, err := f.run(f.limit+time.Minute, clone, f.jacquard, "prove", c.Parent+".."+strings.TrimSpace(id), "--json", "--limit", f.limit.String())
	res.Seconds = time.Since(start).Seconds()
	f.keep(r, c, name, out)
	var j, honest judgement
	if err == nil && json.Unmarshal([]byte(out), &j) != nil {
		err = fmt.Errorf("prove: %s", tail(errs))
	}
	if err != nil {
		return res.unbent(err)
	}
	res.Verdict, res.Why = j.Verdict, what
	if j.Why != "" {
		res.Why += ": " + j.Why
	}
	bent, _ := strings.CutPrefix(name, "prove-")
	honest = was        // what is said of the commit as it is names no bend
	if bent == "hunk" { // but what its rest lacks may be what it says
		honest = judgement{Findings: slices.DeleteFunc(slices.Clone(was.Findings), func(o said) bool { return o.Rule != "build-failed" })}
	}
	blocks, named := false, slices.Contains([]string{"unproved", "weakened", "broken"}, j.Verdict) && j.Verdict != honest.Verdict
	for _, x := range j.Findings {
		blocks = blocks || x.Blocks
		named = named || slices.Contains(naming[bent], x.Rule) && !slices.ContainsFunc(honest.Findings, func(o said) bool { return o.Rule == x.Rule && o.Message == x.Message })
		if x.Blocks || name != "prove" {
			res.Why += fmt.Sprintf("\n[%s] %s:%d %s", x.Rule, x.Path, x.Line, x.Message[:min(len(x.Message), 600)])
		}
		if !slices.Contains(res.Rules, x.Rule) {
			res.Rules = append(res.Rules, x.Rule)
		}
	}
	switch {
	case name == "prove" && blocks:
		res.Outcome = "blocked"
	case name == "prove":
		res.Outcome = "quiet"
	case named:
		res.Outcome = "named"
	case j.Verdict == "unknown":
		res.Outcome = "unknown"
	case bent == "hunk" && f.unseen(r, clone, c):
		res.Outcome = "unseen"
	default:
		res.Outcome = "unnamed"
	}
	return res
}

// unseen reports whether the tests of the project see nothing of a hunk that is left out, run as its people run them: all pass, or
// those fail that fail with it as well, as some do that cannot be run here.
func (f *field) unseen(r repo, clone string, c commit) bool {
	if r.Own == "" {
		return false
	}
	without, ok := f.failing(r, clone)
	if !ok || without == "" {
		return ok
	}
	if f.checkout(clone, c.ID) != nil {
		return false
	}
	with, ok := f.failing(r, clone)
	return ok && with == without
}

// failing are the tests that fail in a clone. ok is false where the project's own command names none and fails.
func (f *field) failing(r repo, clone string) (names string, ok bool) {
	text, more, code, err := f.run(f.limit, clone, "sh", "-c", r.Own)
	if err != nil || code == 0 {
		return "", err == nil
	}
	list := redTests.FindAllString(text+"\n"+more, -1)
	for i, line := range list {
		list[i] = stamp.ReplaceAllString(line, "")
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n"), len(list) > 0
}

// redTests is how go test -json, pytest and Maven name a test that fails; stamp is what differs from run to run.
var (
	redTests = regexp.MustCompile(`(?m)^\{.*"Action":"(?:build-)?fail".*|^(?:FAILED|ERROR) \S+|^\[ERROR\] +[\w$]+\.[\w()\[\], ]+:`)
	stamp    = regexp.MustCompile(`"Time":"[^"]*",|,"Elapsed":[\d.]+`)
)
