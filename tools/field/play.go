package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// survey is what doctor says of the project's own commands.
type survey struct {
	tests  int
	level  string // of the tests; "" where each is told
	blocks string // why a run would not start
}

// doctor surveys the untouched tree, in the sandbox of the wanted level.
func (f *field) doctor(clone, commit, level string) (survey, float64, error) {
	if err := f.checkout(clone, commit); err != nil {
		return survey{}, 0, err
	}
	start := time.Now()
	out, errs, _, err := f.runWith([]string{"JACQUARD_SANDBOX=" + level}, f.limit, clone, f.jacquard, "doctor", "--json")
	seconds := time.Since(start).Seconds()
	var said struct {
		Findings []struct {
			What, Text string
			Needed     bool
			Check      *struct {
				Purpose, Level string
				Tests          int
			}
		}
	}
	if err != nil || json.Unmarshal([]byte(out), &said) != nil {
		return survey{}, seconds, fmt.Errorf("doctor: %w%s", err, first(errs))
	}
	var s survey
	for _, d := range said.Findings {
		if d.Check == nil {
			continue
		}
		s.tests += d.Check.Tests
		if d.Check.Purpose == "test" {
			s.level = d.Check.Level
		}
		if d.Needed && s.blocks == "" {
			s.blocks = d.What + ": " + times.ReplaceAllString(d.Text, "")
		}
	}
	return s, seconds, nil
}

// sandbox compares the tests that doctor runs in the sandbox with those that it runs without.
func (f *field) sandbox(r repo, clone string) result {
	res := result{Repo: r.Name, Commit: r.Commit, Case: "sandbox", Outcome: "error"}
	full, _, err := f.doctor(clone, r.Commit, "full")
	if err != nil {
		res.Why = err.Error()
		return res
	}
	var off survey
	if off, res.Seconds, err = f.doctor(clone, r.Commit, "off"); err != nil {
		res.Why = "without: " + err.Error()
		return res
	}
	res.Tests, res.Own, res.Outcome = full.tests, off.tests, "same"
	if failed(full.blocks) != failed(off.blocks) || full.level != off.level || full.tests != off.tests {
		res.Outcome, res.Why = "differs", fmt.Sprintf("inside: %s; without: %s", full, off)
	}
	return res
}

// failed is what blocks a project up to the exit code of what has failed: what that printed differs from run to run.
func failed(blocks string) string { return exits.ReplaceAllString(blocks, "$1") }

var exits = regexp.MustCompile(`(?s)(: exit \d+): .*`)

// times are what a command took, at the end of what is said of it.
var times = regexp.MustCompile(`, [\d.]+m?s$`)

func (s survey) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d tests %s %s", s.tests, s.level, s.blocks))
}

// baseline compares the tests that doctor runs on the untouched tree with those that the project's own command runs.
func (f *field) baseline(r repo, clone string) result {
	res := result{Repo: r.Name, Commit: r.Commit, Case: "baseline", Outcome: "error"}
	s, seconds, err := f.doctor(clone, r.Commit, "full")
	res.Tests, res.Seconds = s.tests, seconds
	if err != nil {
		res.Why = err.Error()
		return res
	}
	died := false
	if r.Own != "" {
		if err := f.checkout(clone, r.Commit); err != nil {
			res.Why = err.Error()
			return res
		}
		text, more, code, err := f.run(f.limit, clone, "sh", "-c", r.Own)
		if err != nil {
			res.Why = "the project's own command: " + err.Error()
			return res
		}
		res.Own = count(text + "\n" + more)
		died = code != 0
		if res.Own == 0 && code != 0 {
			res.Why = fmt.Sprintf("the project's own command does not run here (exit %d): %s", code, tail(text+"\n"+more))
			return res
		}
	}
	res.Outcome = "right"
	switch {
	case died && s.tests > res.Own && s.blocks == "":
		res.Why = "its own run ended before all tests had run"
	case r.Own == "" && strings.Contains(s.blocks, "cannot be reached"):
		res.Outcome, res.Why = "error", "it does not run here: "+s.blocks
	case s.blocks != "":
		res.Outcome, res.Why = "wrong", s.blocks
	case s.tests == 0 && s.level == "":
		res.Outcome, res.Why = "wrong", "no test was found"
	case s.level != "" && res.Own > 0:
		res.Why = "by exit code"
	case res.Own > 0 && abs(s.tests-res.Own) > max(2, res.Own/50):
		res.Outcome, res.Why = "wrong", "the numbers of tests differ"
	}
	return res
}

func abs(n int) int { return max(n, -n) }

// counters read the number of tests that ran from what runners print. A runner prints one of them a run.
var counters = []*regexp.Regexp{
	regexp.MustCompile(`"Action":"(?:pass|fail)","Package":"[^"]*","Test"(:)`), // go test -json: one a test
	regexp.MustCompile(`(?m)^=+ .*?(?:(\d+) failed)?(?:, )?(?:(\d+) passed)?.* in [\d.]+s.*=+$`),
	regexp.MustCompile(`(?m)^(?:(\d+) failed)?(?:, )?(?:(\d+) passed).* in [\d.]+s`),
	regexp.MustCompile(`(?m)^test result: .*?(\d+) passed; (\d+) failed`),
	regexp.MustCompile(`(?m)^\s+(\d+) (?:passing|failing)`),
	regexp.MustCompile(`(?m)^\s*Tests:?\s+(?:(\d+) failed(?: \||,) )?(?:(\d+) skipped, )?(\d+) passed`),
	regexp.MustCompile(`(?m)^(?:#|ℹ) (?:pass|fail)\s+(\d+)$`),
	regexp.MustCompile(`(?m)^\s+(\d+) tests? (?:passed|failed)$`),
	regexp.MustCompile(`(?m)Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+$`),
	regexp.MustCompile(`(?m)^Ran (\d+) tests? in`),
	regexp.MustCompile(`(?m)^(\d+) (?:runs|examples|tests), `),
	regexp.MustCompile(`(?m)^(?:OK \(|Tests: )(\d+)`),
}

// unittestSkips are counted among those that ran.
var unittestSkips = regexp.MustCompile(`(?m)^(?:OK|FAILED) \(.*skipped=(\d+)`)

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// count is the number of tests that the first matching runner says it ran.
func count(text string) int {
	text = colours.ReplaceAllString(text, "")
	for _, c := range counters {
		n := 0
		for _, m := range c.FindAllStringSubmatch(text, -1) {
			for _, g := range m[1:] {
				if g == ":" {
					n++
				} else if v, err := strconv.Atoi(g); err == nil {
					n += v
				}
			}
		}
		if n > 0 {
			for _, m := range unittestSkips.FindAllStringSubmatch(text, -1) {
				skipped, _ := strconv.Atoi(m[1])
				n -= skipped
			}
			return n
		}
	}
	return 0
}

func tail(text string) string {
	text = strings.TrimSpace(text)
	return text[max(0, len(text)-300):]
}

// checkout makes the clone what a fresh one of the commit is.
func (f *field) checkout(clone, commit string) error {
	if _, err := f.git(clone, "checkout", "-q", "-f", "-B", "field", commit); err != nil {
		return err
	}
	_, err := f.git(clone, "clean", "-q", "-ffdx")
	return err
}

// replay plays a commit back as it is, and if that is accepted, bent in each way.
func (f *field) replay(r repo, clone string, c commit, want func(string) bool) error {
	outcome := f.done[f.key(r.Name, c.ID, "honest")]
	if outcome == "" && want("honest") {
		res := f.play(r, clone, c, "honest", asItIs)
		if res.Outcome == "rejected" && r.Own != "" {
			f.green(r, clone, c, &res)
		}
		if err := f.note(res); err != nil {
			return err
		}
		outcome = res.Outcome
	}
	for _, b := range bends {
		if f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		if outcome != "accepted" || !want(b.Name) || f.done[f.key(r.Name, c.ID, b.Name)] != "" {
			continue
		}
		if err := f.note(f.play(r, clone, c, b.Name, b.bend)); err != nil {
			return err
		}
	}
	return nil
}

// green says of a commit that was rejected whether the project's own command fails more after it than before.
func (f *field) green(r repo, clone string, c commit, res *result) {
	codes := map[string]int{}
	for _, id := range []string{c.Parent, c.ID} {
		if f.checkout(clone, id) != nil {
			return
		}
		_, _, code, err := f.run(f.limit, clone, "sh", "-c", r.Own)
		if err != nil {
			return
		}
		codes[id] = code
	}
	if codes[c.ID] != 0 && codes[c.Parent] == 0 {
		res.Outcome, res.Why = "none", fmt.Sprintf("not green by its own command: exit %d before, %d after; %s", codes[c.Parent], codes[c.ID], res.Why)
	}
}

// stage puts a commit, bent or as it is, into the index of the clone, and says what was bent; "" means that there is nothing to bend.
func (f *field) stage(clone string, c commit, bend bend) (string, error) {
	if err := f.checkout(clone, c.ID); err != nil {
		return "", err
	}
	what, err := bend(f, clone, c)
	if err != nil || what == "" {
		return "", err
	}
	_, err = f.git(clone, "add", "-A")
	return what, err
}

// asItIs bends nothing.
func asItIs(_ *field, _ string, c commit) (string, error) { return c.Subject, nil }

// unbent is the result where there is nothing to try.
func (r result) unbent(err error) result {
	if err != nil {
		r.Why = err.Error()
		return r
	}
	r.Outcome, r.Why = "none", "there is nothing to bend"
	return r
}

// play lets the scripted agent answer with the commit, bent or as it is, and says what the program made of it.
func (f *field) play(r repo, clone string, c commit, name string, bend bend) result {
	res := result{Repo: r.Name, Commit: c.ID, Case: name, Outcome: "error"}
	what, err := f.stage(clone, c, bend)
	if err != nil || what == "" {
		return res.unbent(err)
	}
	patch, play := filepath.Join(f.work, answers, "answer.patch"), filepath.Join(f.work, "play.txtar")
	diff, err := f.git(clone, "diff", "--cached", "--binary", "--no-renames", c.Parent)
	if err == nil {
		err = os.WriteFile(patch, []byte(diff), 0o644)
	}
	var files []byte
	if err == nil {
		files, err = f.scenario(clone, c, patch, name == "honest")
	}
	if err == nil {
		err = os.WriteFile(play, files, 0o644)
	}
	if err == nil {
		err = f.checkout(clone, c.Parent)
	}
	if err != nil {
		res.Why = err.Error()
		return res
	}
	start := time.Now()
	out, errs, code, err := f.run(f.limit, clone, f.jacquard, "work", "--yes", "--json", "--scenario", play, c.Subject)
	res.Seconds = time.Since(start).Seconds()
	if err != nil {
		res.Why = what + ": " + err.Error()
		return res
	}
	f.keep(r, c, name, out)
	type finding struct{ Rule, Severity, Path, Message string }
	var answer struct {
		Modules []struct {
			Attempts []struct {
				Findings []finding
				Failures []struct{ ID, Message string }
			}
			Task *struct {
				Findings []finding
				Reason   string
			}
		}
		Error string
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil && code > 1 {
		res.Why = fmt.Sprintf("%s: exit %d: %s", what, code, tail(errs))
		return res
	}
	res.Outcome, res.Why = "accepted", what
	var found []finding
	for _, m := range answer.Modules {
		if name == "honest" && code == 0 && len(m.Attempts) > 1 { // it was sent back, and said that no test can show it
			res.Outcome = "reported"
		}
		for _, a := range m.Attempts[:min(1, len(m.Attempts))] {
			found = append(found, a.Findings...)
			for _, x := range a.Failures {
				found = append(found, finding{Rule: "test-failed", Path: x.ID, Message: x.Message})
			}
		}
		if m.Task != nil && len(m.Attempts) == 0 {
			found = append(found, m.Task.Findings...)
		}
	}
	if code != 0 {
		res.Outcome = "rejected"
		if m := answer.Modules; name == "honest" && len(m) > 0 && m[0].Task != nil && m[0].Task.Reason == "untested" {
			res.Outcome = "asked"
		}
		if len(found) == 0 {
			res.Why += ": " + tail(errs)
		}
	}
	for _, x := range found {
		if code != 0 && x.Severity == "warn" {
			continue
		}
		if code == 0 && slices.Contains(naming[name], x.Rule) {
			res.Outcome = "reported"
		}
		if !slices.Contains(res.Rules, x.Rule) {
			res.Rules = append(res.Rules, x.Rule)
			res.Why += fmt.Sprintf("\n[%s] %s %s", x.Rule, x.Path, x.Message[:min(len(x.Message), 1500)])
		}
	}
	if res.Outcome == "accepted" && (name == "hunk" || name == "tests") && f.unseen(r, clone, c) {
		res.Outcome = "unseen"
	}
	return res
}

func (f *field) kept(r repo, c commit, name string) string {
	return filepath.Join(f.dir, "answers", fmt.Sprintf("%s-%.10s-%s.json", r.dir(), c.ID, name))
}

// keep keeps what the program said, to look at; the results do not need it.
func (f *field) keep(r repo, c commit, name, out string) {
	kept := f.kept(r, c, name)
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err == nil {
		_ = os.WriteFile(kept, []byte(out), 0o644)
	}
}

var prefix = regexp.MustCompile(`^(?i)(fix|refactor|chore|docs|style|lint|perf|test|build|ci)(?:\([^)]*\))?!?:|^(fix|refactor)(?:es|ed|s|ing)?\b`)

// tidies is in subjects that say of a commit that it changes how code looks.
var tidies = regexp.MustCompile(`(?i)^(\[pre-commit\.ci\]|lint\b|tidy|clean ?up|re-?format|rename|(apply|run|use) (prettier|gofmt|black|rustfmt|ruff)\b)|\bformatting\b`)

// kind is what an author would call a commit: what its subject says, else a feature.
func kind(subject string) string {
	m := prefix.FindStringSubmatch(subject)
	switch {
	case m == nil && tidies.MatchString(subject):
		return "refactor"
	case m == nil:
		return "feat"
	}
	switch k := strings.ToLower(m[1] + m[2]); k {
	case "fix", "refactor", "docs", "test":
		return k
	case "perf", "style", "lint":
		return "refactor"
	}
	return "chore"
}

// scenario is what the author of a commit would have answered: a task with its files, and its patch. An honest one who is sent back says
// what can be said of a change whose tests pass without it as well.
func (f *field) scenario(clone string, c commit, patch string, honest bool) ([]byte, error) {
	out, err := f.git(clone, "diff", "--name-status", "--no-renames", "-z", c.Parent, c.ID)
	if err != nil {
		return nil, err
	}
	type file struct {
		Path   string `json:"path"`
		Action string `json:"action"`
	}
	var files []file
	list := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(list); i += 2 {
		files = append(files, file{list[i+1], map[string]string{"A": "CREATE", "D": "DELETE"}[list[i]]})
		if files[len(files)-1].Action == "" {
			files[len(files)-1].Action = "MODIFY"
		}
	}
	type task map[string]any
	spec := task{
		"title": c.Subject, "type": kind(c.Subject), "functional": []string{c.Subject}, "criteria": []task{{"text": c.Subject}},
		"task": task{"title": c.Subject, "scope": c.Subject, "files": files},
	}
	plan := task{"goal": c.Subject, "tasks": []task{{"id": "TASK-00", "type": kind(c.Subject), "title": c.Subject, "scope": c.Subject, "files": files, "covers": []string{"FR-01", "AC-01"}}}}
	done := task{"summary": c.Subject, "what": c.Subject, "why": "It was asked for.", "caution": "None", "incomplete": "None"}
	again := maps.Clone(done)
	if honest {
		again["untested"] = "It changes how the code does this, not what it does."
	}
	text := "turn specify * *\n  answer spec.json\nturn plan * *\n  answer plan.json\nturn build * 1\n  run git apply --binary --whitespace=nowarn " + patch + "\n  answer done.json\nturn build * *\n  answer again.json\n"
	for _, part := range []struct {
		name string
		body task
	}{{"spec.json", spec}, {"plan.json", plan}, {"done.json", done}, {"again.json", again}} {
		data, err := json.Marshal(part.body)
		if err != nil {
			return nil, err
		}
		text += "-- " + part.name + " --\n" + string(data) + "\n"
	}
	return []byte(text), nil
}
