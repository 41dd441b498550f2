package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

type jestReport struct {
	TestResults []struct {
		Name             string `json:"name"`
		Status           string `json:"status"`
		Message          string `json:"message"`
		AssertionResults []struct {
			AncestorTitles  []string `json:"ancestorTitles"`
			Title           string   `json:"title"`
			Status          string   `json:"status"`
			Duration        float64  `json:"duration"`
			FailureMessages []string `json:"failureMessages"`
		} `json:"assertionResults"`
	} `json:"testResults"`
}

func (r reader) jest(report []byte) ([]step.TestResult, error) {
	var j jestReport
	if err := json.Unmarshal(report, &j); err != nil {
		return nil, err
	}
	var out []step.TestResult
	for _, f := range j.TestResults {
		file, failed := r.relative(f.Name), false
		for _, a := range f.AssertionResults {
			titles := a.AncestorTitles
			if len(titles) > 0 && titles[0] == "" { // Vitest 1 names the file's own group so
				titles = titles[1:]
			}
			name := strings.Join(append(titles, a.Title), " > ")
			st := step.Skip // skipped, pending, todo, disabled
			switch a.Status {
			case "passed":
				st = step.Pass
			case "failed":
				st, failed = step.Fail, true
			}
			out = append(out, r.result(file, name, st, strings.Join(a.FailureMessages, "\n"), a.Duration/1000))
		}
		if f.Status == "failed" && !failed { // it could not be loaded, or what runs before its tests failed
			out = append(out, r.result(file, "", step.Error, f.Message, 0))
		}
	}
	return out, nil
}

type nodeEvent struct {
	Event, Name, File, Error, Kind string
	Nesting                        int
	Skip, Todo                     bool
	MS                             float64
}

// node reads the events of the reporter in toolchain. A suite ends after what is in it, so names are put together backwards.
func (r reader) node(report []byte) ([]step.TestResult, error) {
	events, err := objects[nodeEvent](report)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, 8)
	out := make([]step.TestResult, 0, len(events))
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		names = append(names[:min(e.Nesting, len(names))], e.Name)
		if e.Kind == "suite" {
			continue
		}
		file := r.relative(e.File)
		if e.Nesting == 0 && (e.Name == e.File || r.relative(e.Name) == file) && e.Event == "fail" {
			out = append(out, r.result(file, "", step.Error, e.Error, e.MS/1000))
			continue
		}
		st := step.Pass
		switch {
		case e.Skip || e.Todo:
			st = step.Skip
		case e.Event == "fail":
			st = step.Fail
		}
		out = append(out, r.result(file, strings.Join(names, " > "), st, e.Error, e.MS/1000))
	}
	slices.Reverse(out)
	return out, nil
}

// objects are those of a report that has one a line.
func objects[T any](report []byte) (out []T, err error) {
	for line := range bytes.SplitSeq(report, []byte("\n")) {
		var x T
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &x); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

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
			out = append(out, r.result(file, name, st, cmp.Or(t.Err.Stack, t.Err.Message), t.Duration/1000))
		}
	}
	add(j.Passes, step.Pass)
	add(j.Failures, step.Fail)
	add(j.Pending, step.Skip)
	return out, nil
}
