package check

import (
	"bytes"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

var (
	denoUncaught = re.New(`^(\./\S+) \(uncaught error\)$`)
	denoPlace    = re.New(`^\s+at .*?file://([^\s()]+?):\d+:\d+\)?$`)
)

// deno reads the report of deno test together with what it printed: files that could not be loaded are only there. Where one of them cannot
// even be read no test runs, and there is no report.
func (r reader) deno(report, output []byte) ([]step.TestResult, error) {
	var out []step.TestResult
	cases, err := junitCases(report)
	files := map[string]string{} // of tests that have steps
	for _, c := range cases {
		test, _, inner := strings.Cut(c.Name, " > ")
		file := r.relative(c.Class)
		if known, ok := files[test]; inner && ok && strings.Contains(c.Class, ":") { // what describe and it are made of
			file = known
		} else if !inner {
			files[test] = file
		}
		st, message := c.gave()
		out = append(out, r.result(file, c.Name, st, message, c.seconds()))
	}
	lines := strings.Split(colours().ReplaceAllString(string(output), ""), "\n")
	for i, line := range lines {
		file := ""
		switch m := denoUncaught().FindStringSubmatch(strings.TrimRight(line, "\r")); {
		case m != nil && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "error: "):
			file = m[1]
		case len(bytes.TrimSpace(report)) == 0 && strings.HasPrefix(line, "error: "):
			i--
		default:
			continue
		}
		var text []string
		for _, l := range lines[i+1:] {
			if strings.TrimSpace(l) == "" {
				break
			}
			if m := denoPlace().FindStringSubmatch(l); m != nil && file == "" {
				file = m[1]
			}
			text = append(text, strings.TrimPrefix(l, "error: "))
		}
		if file != "" {
			out = append(out, r.result(r.relative(file), "", step.Error, strings.Join(text, "\n"), 0))
		}
	}
	return out, err
}
