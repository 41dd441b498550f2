package check

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// junitCase is a testcase in JUnit's form, or an element that others are in: a suite, all of a report.
type junitCase struct {
	XMLName xml.Name

	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	File    string     `xml:"file,attr"`
	Time    string     `xml:"time,attr"`
	Status  string     `xml:"status,attr"` // of CTest and GoogleTest
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
	Out     string     `xml:"system-out"`

	Inner []junitCase `xml:",any"`
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
	return each(cases, r.junitCase), nil
}

// walk gives the cases of an element, in their order, each with the suites that it is in.
func (c junitCase) walk(within []junitCase, found func(c junitCase, within []junitCase)) {
	if c.XMLName.Local == "testcase" {
		found(c, within)
		return
	}
	within = append(slices.Clone(within), c)
	for _, inner := range c.Inner {
		inner.walk(within, found)
	}
}

// junitCases are the cases of a report in JUnit's form.
func junitCases(report []byte) (out []junitCase, err error) {
	for d := xml.NewDecoder(bytes.NewReader(report)); ; {
		var all junitCase
		if err := d.Decode(&all); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return out, err
		}
		all.walk(nil, func(c junitCase, _ []junitCase) { out = append(out, c) })
	}
}

// seconds is how long it took, 0 where that cannot be read.
func (c junitCase) seconds() float64 {
	n, err := strconv.ParseFloat(strings.ReplaceAll(c.Time, ",", ""), 64) // as Surefire writes thousands
	if err != nil {
		return 0
	}
	return n
}

// gave is what a case gave, with what is said of it. An exception that is no AssertionError is an error; for all other runners such a test fails.
func (c junitCase) gave() (step.TestStatus, string) {
	switch {
	case c.Error != nil:
		return step.Error, c.Error.String()
	case c.Failure != nil:
		return step.Fail, c.Failure.String()
	case c.Status == "notrun" && c.Skipped != nil && !ctestSkips(c.Skipped.Message): // CTest: there is no such program
		return step.Error, cmp.Or(c.Out, c.Skipped.String())
	case c.Skipped != nil:
		return step.Skip, c.Skipped.String()
	case c.Status == "disabled", c.Status == "notrun":
		return step.Skip, c.Out
	}
	return step.Pass, ""
}

func (r reader) junitCase(c junitCase) step.TestResult {
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
	st, msg := c.gave()
	if st == step.Fail {
		msg = cmp.Or(msg, c.Out)
	}
	return r.result(file, name, st, withError(msg), c.seconds())
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
	events, err := objects[struct {
		File, Name, Status, Message string
		Seconds                     float64
	}](report)
	var out []step.TestResult
	for _, e := range events {
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
	return out, err
}
