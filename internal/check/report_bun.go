package check

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// bun reads the report of bun test together with what it printed. The report nests a suite in its file's and in each other's.
// It has no word about files that could not be loaded, is not written at all when no test ran, and up to Bun 1.3 says of a
// failure only that there was one.
func (r reader) bun(report, output []byte) ([]step.TestResult, error) {
	said, out := r.bunOutput(output)
	var all junitCase
	if err := xml.Unmarshal(report, &all); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	all.walk(nil, func(c junitCase, within []junitCase) {
		out = append(out, r.bunCase(c, within[min(1, len(within)):], said))
	})
	return out, nil
}

func (r reader) bunCase(c junitCase, suites []junitCase, said map[string]string) step.TestResult {
	var names []string
	for _, s := range suites {
		if s.Name != s.File { // else it is the file itself
			names = append(names, s.Name)
		}
		c.File = cmp.Or(c.File, s.File)
	}
	file, name := r.relative(c.File), strings.Join(append(names, c.Name), " > ")
	st, msg := c.gave()
	if st == step.Error {
		st = step.Fail
	}
	if st == step.Fail && strings.TrimSpace(msg) == "" {
		msg = said[file+"::"+name]
	}
	return r.result(file, name, st, msg, c.seconds())
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
