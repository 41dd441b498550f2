package check

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

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
	return cmp.Or(file, "."), full
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
		inner := i > 0 && points[i-1].depth > p.depth // others stand below it: a suite, or a file
		if inner && !p.fail {
			continue
		}
		if inner && slices.ContainsFunc(points[:i], func(o point) bool { return o.depth > p.depth && o.fail }) {
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
		words := strings.Split(name[:i], " › ")
		for _, f := range names.files {
			if file == "" && names.has(f, title) && strings.Contains(stem(f), words[len(words)-1]) {
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
	case p.fail && name == "":
		st = step.Error
	case p.fail:
		st = step.Fail
	}
	lines := without(p.lines, func(l string) bool { return strings.TrimSpace(l) == "name: AssertionError" }) // the message says so
	return r.result(file, name, st, strings.Join(lines, "\n"), 0)
}

func stem(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

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
