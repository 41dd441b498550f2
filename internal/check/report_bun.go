package check

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// bunSuite is a testsuite element: a file, or a describe in one.
type bunSuite struct{ name, file string }

// bun reads the report of bun test together with what it printed. The report nests a suite in its file's and in each other's.
// It has no word about files that could not be loaded, is not written at all when no test ran, and up to Bun 1.3 says of a
// failure only that there was one.
func (r reader) bun(report, output []byte) ([]step.TestResult, error) {
	said, broken := r.bunOutput(output)
	out := broken
	var suites []bunSuite
	d := xml.NewDecoder(bytes.NewReader(report))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		switch el := tok.(type) {
		case xml.StartElement:
			switch el.Name.Local {
			case "testsuite":
				var s bunSuite
				for _, a := range el.Attr {
					switch a.Name.Local {
					case "name":
						s.name = a.Value
					case "file":
						s.file = a.Value
					}
				}
				suites = append(suites, s)
			case "testcase":
				var c junitCase
				if err := d.DecodeElement(&c, &el); err != nil {
					return nil, err
				}
				out = append(out, r.bunCase(c, suites, said))
			}
		case xml.EndElement:
			if el.Name.Local == "testsuite" && len(suites) > 0 {
				suites = suites[:len(suites)-1]
			}
		}
	}
}

func (r reader) bunCase(c junitCase, suites []bunSuite, said map[string]string) step.TestResult {
	var names []string
	for _, s := range suites {
		if s.name != s.file {
			names = append(names, s.name)
		}
		if c.File == "" {
			c.File = s.file
		}
	}
	file, name := r.relative(c.File), strings.Join(append(names, c.Name), " > ")
	st, msg := step.Pass, ""
	switch {
	case c.Error != nil:
		st, msg = step.Fail, c.Error.String()
	case c.Failure != nil:
		st, msg = step.Fail, c.Failure.String()
	case c.Skipped != nil:
		st, msg = step.Skip, c.Skipped.String()
	}
	if st == step.Fail && strings.TrimSpace(msg) == "" {
		msg = said[file+"::"+name]
	}
	seconds, err := strconv.ParseFloat(c.Time, 64)
	if err != nil {
		seconds = 0
	}
	return r.result(file, name, st, msg, seconds)
}

var (
	bunFile = re.New(`^(\S.*\.[cm]?[jt]sx?):$`)
	bunTest = re.New(`^\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$`)
	bunRule = re.New(`^-{20,}$`)
)

// bunOutput finds in the output what was said before each failed test, and an error for each file that could not be loaded.
func (r reader) bunOutput(output []byte) (said map[string]string, broken []step.TestResult) {
	said = map[string]string{}
	file, announced, inError := "", false, false
	var text strings.Builder
	for line := range strings.Lines(colours().ReplaceAllString(string(output), "")) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "# Unhandled error between tests":
			announced = true
		case announced && bunRule().MatchString(line):
			announced, inError = false, true
			text.Reset()
		case inError && bunRule().MatchString(line):
			if file != "" {
				broken = append(broken, r.result(file, "", step.Error, text.String(), 0))
			}
			inError = false
			text.Reset()
		case inError:
			text.WriteString(line + "\n")
		case bunFile().MatchString(line):
			file = r.relative(bunFile().FindStringSubmatch(line)[1])
			text.Reset()
		case bunTest().MatchString(line):
			m := bunTest().FindStringSubmatch(line)
			if m[1] == "fail" {
				said[file+"::"+m[2]] = text.String()
			}
			text.Reset()
		default:
			text.WriteString(line + "\n")
		}
	}
	return said, broken
}
