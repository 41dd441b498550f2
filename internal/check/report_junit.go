package check

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	File    string     `xml:"file,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
	Out     string     `xml:"system-out"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (t junitText) String() string {
	if t.Text != "" {
		return t.Text
	}
	return t.Message
}

func (r reader) junit(report []byte) ([]step.TestResult, error) {
	cases, err := junitCases(report)
	if err != nil {
		return nil, err
	}
	var out []step.TestResult
	for _, c := range cases {
		out = append(out, r.junitCase(c))
	}
	return out, nil
}

// junitCases are the cases of a report in JUnit's form.
func junitCases(report []byte) ([]junitCase, error) {
	var out []junitCase
	d := xml.NewDecoder(bytes.NewReader(report))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		el, ok := tok.(xml.StartElement)
		if !ok || el.Name.Local != "testcase" {
			continue
		}
		var c junitCase
		if err := d.DecodeElement(&c, &el); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
}

func (r reader) junitCase(c junitCase) step.TestResult {
	seconds, err := strconv.ParseFloat(c.Time, 64)
	if err != nil {
		seconds = 0
	}
	file := r.relative(c.File)
	name := c.Name
	// classname is the dotted path of the file and then the classes.
	dotted := strings.ReplaceAll(strings.TrimSuffix(filepath.ToSlash(c.File), ".py"), "/", ".")
	if classes, ok := strings.CutPrefix(c.Class, dotted+"."); ok {
		name = strings.ReplaceAll(classes, ".", "::") + "::" + name
	}
	if c.Class == "" { // the file itself could not be collected
		name = ""
	}
	st, msg := step.Pass, ""
	switch {
	case c.Error != nil:
		st, msg = step.Error, c.Error.String()
	case c.Failure != nil:
		st, msg = step.Fail, firstNonEmpty(c.Failure.String(), c.Out)
	case c.Skipped != nil:
		st, msg = step.Skip, c.Skipped.String()
	}
	return r.result(file, name, st, withError(msg), seconds)
}

// withError puts the lines of pytest's message that name the error before the source lines around it.
func withError(msg string) string {
	var errors []string
	for l := range strings.Lines(msg) {
		if rest, ok := strings.CutPrefix(l, "E  "); ok {
			errors = append(errors, "E  "+strings.TrimRight(rest, "\n"))
		}
	}
	if len(errors) == 0 {
		return msg
	}
	return strings.Join(errors, "\n") + "\n" + msg
}

func (r reader) unittest(report []byte) ([]step.TestResult, error) {
	var out []step.TestResult
	for line := range bytes.SplitSeq(report, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e struct {
			File, Name, Status, Message string
			Seconds                     float64
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if e.File == "" { // a module that could not be imported: its dotted name
			out = append(out, r.result(path.Join(r.chain.Root, strings.ReplaceAll(e.Name, ".", "/")+".py"), "", step.Error, e.Message, e.Seconds))
			continue
		}
		st := step.TestStatus(e.Status)
		if st == step.Error { // an exception that is no AssertionError; for all other runners such a test fails
			st = step.Fail
		}
		out = append(out, r.result(r.relative(e.File), e.Name, st, e.Message, e.Seconds))
	}
	return out, nil
}
