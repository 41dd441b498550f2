package check

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// any reads a report of a form that is recognised by how it begins, or by its packets; nothing when there is none.
func (r reader) any(report, stdout []byte) ([]step.TestResult, error) {
	for _, b := range [][]byte{report, stdout} {
		if rs, ok, err := r.subunit(b); ok {
			return naming(rs, err)
		}
		b = plain(b)
		head := bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
		switch {
		case len(head) == 0:
		case bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head[:min(len(head), 1024)], []byte("<TestRun")):
			return naming(r.trx(head))
		case bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head[:min(len(head), 1024)], []byte("<Site")):
			return naming(r.ctest(head))
		case bytes.HasPrefix(head, []byte("<?xml")), bytes.HasPrefix(head, []byte("<testsuite")):
			return naming(r.junit(head))
		case bytes.HasPrefix(head, []byte(`{"version":`)):
			return r.rspec(head)
		case bytes.HasPrefix(head, []byte(`{"Time":`)), bytes.HasPrefix(head, []byte(`{"Action":`)), bytes.HasPrefix(head, []byte(`{"ImportPath":`)):
			return r.goTest(b), nil
		case bytes.HasPrefix(head, []byte("TAP version")), tapPlan().Match(head), tapHead().Match(head):
			return naming(r.tap(b), tapCut(b))
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
	return naming(out, nil)
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

// ctest reads what CTest writes for a dashboard: Testing/*/Test.xml.
func (r reader) ctest(report []byte) ([]step.TestResult, error) {
	var x struct {
		Tests []struct {
			Status string `xml:"Status,attr"`
			Name   string
			Output string `xml:"Results>Measurement>Value"`
			Named  []struct {
				Name  string `xml:"name,attr"`
				Value string
			} `xml:"Results>NamedMeasurement"`
		} `xml:"Testing>Test"`
	}
	if err := xml.Unmarshal(report, &x); err != nil {
		return nil, err
	}
	var out []step.TestResult
	for _, t := range x.Tests {
		st := step.Fail
		switch t.Status {
		case "passed":
			st = step.Pass
		case "notrun":
			st = step.Error
			for _, n := range t.Named {
				if n.Name == "Completion Status" && ctestSkips(n.Value) {
					st = step.Skip
				}
			}
		}
		out = append(out, r.result(".", t.Name, st, t.Output, 0))
	}
	return out, nil
}

// ctestSkips reports whether a test that CTest has not run, or not to its end, is one that it does not count as failed.
func ctestSkips(why string) bool { return why == "Disabled" || strings.HasPrefix(why, "SKIP_") }

// naming has an error for a report that names no test: it is no evidence, and no reason to go by the exit code.
func naming(results []step.TestResult, err error) ([]step.TestResult, error) {
	if len(results) == 0 {
		err = errors.Join(err, errors.New("it names no test"))
	}
	return results, err
}
