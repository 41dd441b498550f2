package check

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// fromBrace is what a runner printed from the first object of JSON on.
func fromBrace(out []byte) []byte {
	if i := bytes.Index(out, []byte("\n{")); i >= 0 {
		return out[i+1:]
	}
	if bytes.HasPrefix(out, []byte("{")) {
		return out
	}
	return nil
}

type mochaTest struct {
	Title     string `json:"title"`
	FullTitle string `json:"fullTitle"`
	File      string `json:"file"`
	Duration  float64
	Err       struct {
		Message string `json:"message"`
		Stack   string `json:"stack"`
	} `json:"err"`
}

// mocha reads the report of mocha's json reporter. It has titles of suites and test in one text; what the source says takes
// them apart.
func (r reader) mocha(report []byte) ([]step.TestResult, error) {
	var j struct {
		Tests    []mochaTest `json:"tests"`
		Pending  []mochaTest `json:"pending"`
		Failures []mochaTest `json:"failures"`
		Passes   []mochaTest `json:"passes"`
	}
	if err := json.NewDecoder(bytes.NewReader(report)).Decode(&j); err != nil {
		return nil, err
	}
	names := newTitles(r)
	var out []step.TestResult
	add := func(list []mochaTest, st step.TestStatus) {
		for _, t := range list {
			file := ""
			if t.File != "" {
				file = r.relative(t.File)
			}
			file, name := names.find(file, t.FullTitle, t.Title)
			out = append(out, r.result(file, name, st, firstNonEmpty(t.Err.Stack, t.Err.Message), t.Duration/1000))
		}
	}
	add(j.Passes, step.Pass)
	add(j.Failures, step.Fail)
	add(j.Pending, step.Skip)
	return out, nil
}

// titles finds the tests of the sources by what runners print of them.
type titles struct {
	files []string
	tests map[string][]source.Test // of each file
}

func newTitles(r reader) titles {
	t := titles{tests: map[string][]source.Test{}}
	if r.tests == nil {
		return t
	}
	t.files = r.tests()
	for _, f := range t.files {
		t.tests[f] = source.Parse(f, r.text(f)).Tests
	}
	return t
}

// has reports whether a file has a test of this name.
func (t titles) has(file, name string) bool {
	return slices.ContainsFunc(t.tests[file], func(x source.Test) bool { return x.Name == name })
}

// find gives the file and the name that the sources have for a printed title: of the file that is named, else of the only one
// that has such a test.
func (t titles) find(file, full, title string) (string, string) {
	named := func(f string) (string, bool) {
		made := "" // in a loop
		for _, x := range t.tests[f] {
			name, is := x.Named(full)
			if is && !x.Open {
				return name, true
			}
			if is && made == "" {
				made = name
			}
		}
		if made != "" {
			return made, true
		}
		return title, file != "" && t.has(f, title)
	}
	if _, ok := t.tests[file]; ok {
		if name, is := named(file); is {
			return file, name
		}
		return file, full
	}
	for _, f := range t.files {
		if name, is := named(f); is {
			return f, name
		}
	}
	if file == "" {
		file = "."
	}
	return file, full
}

var (
	tapPoint = re.New(`^(not )?ok\b(?:\s+\d+)?(?:\s+-)?\s*(.*?)(?:\s*#\s*((?i:skip|todo)\S*)\b.*|\s+#\s*time=\S+)?(?:\s*\{)?$`)
	tapHead  = re.New(`^(?:not )?ok\s+\d+\b`)
	tapPlan  = re.New(`^1\.\.(\d+)`)
	tapPlace = re.New(`^\s*(?:location|at|file):\s*['"]?(?:file://)?([^'"\s]+?\.[cm]?[jt]sx?)(?::\d+(?::\d+)?)?['"]?\s*$`)
)

// point is one line of TAP with what stands below it.
type point struct {
	depth int
	fail  bool
	name  string
	note  string // skip or todo
	lines []string
	inner bool // others stand below it: a suite, or a file
	group string
}

// tap reads the Test Anything Protocol, version 12 to 14 (testanything.org): subtests are indented by four and come before
// the line of what they belong to. Where lines of "# title" stand between the points instead, as tape writes them, these are the tests.
func (r reader) tap(out []byte) []step.TestResult {
	var points []point
	group, groups, nested := "", 0, false
	yaml := false
	for line := range strings.Lines(colours().ReplaceAllString(string(out), "")) {
		line = strings.TrimRight(line, "\r\n")
		body := strings.TrimLeft(line, " ")
		depth := (len(line) - len(body)) / 4
		switch {
		case yaml:
			if body == "..." {
				yaml = false
			} else if len(points) > 0 {
				points[len(points)-1].lines = append(points[len(points)-1].lines, line)
			}
		case body == "---":
			yaml = true
		case strings.HasPrefix(body, "# Subtest"):
			nested = true
		case depth == 0 && strings.HasPrefix(body, "# "):
			group = strings.TrimSpace(body[2:])
			groups++
		default:
			m := tapPoint().FindStringSubmatch(body)
			if m == nil || !strings.HasPrefix(body, "ok") && !strings.HasPrefix(body, "not ok") {
				continue
			}
			points = append(points, point{depth: depth, fail: m[1] != "", name: m[2], note: strings.ToLower(m[3]), group: group})
		}
	}
	names := newTitles(r)
	if groups > 0 && !nested && !slices.ContainsFunc(points, func(p point) bool { return p.depth > 0 || p.group == "" }) {
		return r.tapGroups(points, names)
	}
	var results []step.TestResult
	var above []string // names of what is open, from the outside
	for i := len(points) - 1; i >= 0; i-- {
		p := points[i]
		above = append(above[:min(p.depth, len(above))], p.name)
		p.inner = i > 0 && points[i-1].depth > p.depth
		if p.inner && !p.fail {
			continue
		}
		if p.inner && slices.ContainsFunc(points[:i], func(o point) bool { return o.depth > p.depth && o.fail }) {
			continue // what failed in it says so
		}
		results = append(results, r.tapResult(p, slices.Clone(above), names))
	}
	slices.Reverse(results)
	return results
}

func (r reader) tapResult(p point, path []string, names titles) step.TestResult {
	file := ""
	for _, l := range p.lines {
		if m := tapPlace().FindStringSubmatch(l); m != nil && file == "" {
			file = r.relative(m[1])
			for strings.HasPrefix(file, "../") { // AVA goes up from a directory of its own
				file = strings.TrimPrefix(file, "../")
			}
		}
	}
	if len(path) > 0 { // node-tap has a subtest for each file
		if first := r.relative(path[0]); names.tests[first] != nil {
			file, path = first, path[1:]
		}
	}
	name := strings.Join(path, " > ")
	title := name
	if i := strings.LastIndex(title, " › "); i >= 0 { // AVA: file › title
		title = title[i+len(" › "):]
		prefix := name[:i]
		for _, f := range names.files {
			if file == "" && names.has(f, title) && strings.Contains(stem(f), lastWord(prefix)) {
				file = f
			}
		}
		name = title
	}
	file, name = names.find(file, name, title)
	st := step.Pass
	switch {
	case p.note != "":
		st = step.Skip
	case p.fail:
		st = step.Fail
	}
	if name == "" && st == step.Fail {
		st = step.Error
	}
	lines := slices.DeleteFunc(slices.Clone(p.lines), func(l string) bool { return strings.TrimSpace(l) == "name: AssertionError" }) // the message says so
	return r.result(file, name, st, strings.Join(lines, "\n"), 0)
}

func stem(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

func lastWord(s string) string {
	words := strings.Split(s, " › ")
	return words[len(words)-1]
}

// tapGroups makes one result of the assertions below each title.
func (r reader) tapGroups(points []point, names titles) []step.TestResult {
	var out []step.TestResult
	for i := 0; i < len(points); {
		j, st := i, step.Skip
		var lines []string
		for ; j < len(points) && points[j].group == points[i].group; j++ {
			switch p := points[j]; {
			case p.note != "":
			case p.fail:
				st = step.Fail
				lines = append(append(lines, "not ok "+p.name), p.lines...)
			case st == step.Skip:
				st = step.Pass
			}
		}
		file, name := names.find("", points[i].group, points[i].group)
		out = append(out, r.result(file, name, st, strings.Join(lines, "\n"), 0))
		i = j
	}
	return out
}

// any reads a report of a form that is recognised by how it begins; nothing when there is none.
func (r reader) any(report, stdout []byte) ([]step.TestResult, error) {
	for _, b := range [][]byte{report, stdout} {
		head := bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
		switch {
		case len(head) == 0:
		case bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head[:min(len(head), 1024)], []byte("<TestRun")):
			rs, err := r.trx(head)
			return rs, errors.Join(err, unnamed(len(rs)))
		case bytes.HasPrefix(head, []byte("<?xml")), bytes.HasPrefix(head, []byte("<testsuite")):
			rs, err := r.junit(head)
			return rs, errors.Join(err, unnamed(len(rs)))
		case bytes.HasPrefix(head, []byte(`{"version":`)):
			return r.rspec(head)
		case bytes.HasPrefix(head, []byte(`{"Time":`)), bytes.HasPrefix(head, []byte(`{"Action":`)), bytes.HasPrefix(head, []byte(`{"ImportPath":`)):
			return r.goTest(b), nil
		case bytes.HasPrefix(head, []byte("TAP version")), tapPlan().Match(head), tapHead().Match(head):
			rs := r.tap(b)
			return rs, errors.Join(tapCut(b), unnamed(len(rs)))
		}
	}
	return nil, nil
}

// rspec reads the report of RSpec's json formatter.
func (r reader) rspec(report []byte) ([]step.TestResult, error) {
	var j struct {
		Messages []string `json:"messages"` // of files that could not be loaded
		Examples []struct {
			Name      string  `json:"full_description"`
			Status    string  `json:"status"`
			File      string  `json:"file_path"`
			Seconds   float64 `json:"run_time"`
			Pending   string  `json:"pending_message"`
			Exception struct {
				Class   string `json:"class"`
				Message string `json:"message"`
			} `json:"exception"`
		} `json:"examples"`
		Summary struct {
			Errors int `json:"errors_outside_of_examples_count"`
		} `json:"summary"`
	}
	if err := json.Unmarshal(report, &j); err != nil {
		return nil, err
	}
	var out []step.TestResult
	for _, e := range j.Examples {
		st, msg := step.Fail, e.Exception.Class+": "+strings.TrimSpace(e.Exception.Message)
		switch e.Status {
		case "passed":
			st, msg = step.Pass, ""
		case "pending":
			st, msg = step.Skip, e.Pending
		}
		out = append(out, r.result(r.relative(e.File), e.Name, st, msg, e.Seconds))
	}
	if j.Summary.Errors > 0 {
		out = append(out, r.result("rspec", "", step.Error, strings.Join(j.Messages, "\n"), 0))
	}
	return out, unnamed(len(out))
}

// trx reads a report of .NET's test platform.
func (r reader) trx(report []byte) ([]step.TestResult, error) {
	var x struct {
		Results []struct {
			Name    string `xml:"testName,attr"`
			Outcome string `xml:"outcome,attr"`
			Message string `xml:"Output>ErrorInfo>Message"`
			Stack   string `xml:"Output>ErrorInfo>StackTrace"`
		} `xml:"Results>UnitTestResult"`
	}
	if err := xml.Unmarshal(report, &x); err != nil {
		return nil, err
	}
	var out []step.TestResult
	for _, t := range x.Results {
		st := step.Fail
		switch t.Outcome {
		case "Passed":
			st = step.Pass
		case "NotExecuted", "Inconclusive", "Pending":
			st = step.Skip
		}
		out = append(out, r.result(".", t.Name, st, strings.TrimSpace(t.Message+"\n"+t.Stack), 0))
	}
	return out, nil
}

// unnamed is the error of a report that names no test: it is no evidence, and no reason to go by the exit code.
func unnamed(tests int) error {
	if tests == 0 {
		return errors.New("it names no test")
	}
	return nil
}

// tapCut is the error of TAP that says itself that it is not whole: fewer tests than planned, or a writer that gave up.
func tapCut(out []byte) error {
	planned, points := 0, 0
	for line := range strings.Lines(string(out)) {
		switch m := tapPlan().FindStringSubmatch(line); {
		case m != nil:
			planned = atoi(m[1])
		case strings.HasPrefix(line, "Bail out!"):
			return errors.New(strings.TrimSpace(line))
		case tapHead().MatchString(line):
			points++
		}
	}
	if points < planned {
		return fmt.Errorf("it has %d of %d planned tests", points, planned)
	}
	return nil
}
