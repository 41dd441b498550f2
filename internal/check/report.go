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

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// maxMessage bounds the text of one result; authors are told what failed, never the whole log.
const maxMessage = 4 << 10

// reader turns a runner's report into results. Paths in reports are made relative to the project's root.
type reader struct {
	chain toolchain.Found
	root  string // absolute path of the project's root in the check tree
	// fileOf finds the test file of a Go test by the package's directory and the test's name.
	fileOf func(dir, name string) string
	// reports, tests and text are of the place that the tests ran in: what the runner wrote below it, its test files, the text of a file.
	reports func() [][]byte
	tests   func() []string
	text    func(name string) []byte
}

// read makes results of a command's report, its standard output and all its output. It gives one result a test, and one with only a path for each file or package that could not be loaded.
func (r reader) read(kind toolchain.Report, report, stdout, output []byte) ([]step.TestResult, error) {
	switch kind {
	case toolchain.ReportGoTest:
		return r.goTest(stdout), nil
	case toolchain.ReportJest:
		return r.jest(report)
	case toolchain.ReportNode:
		return r.node(report)
	case toolchain.ReportJUnit:
		return r.junit(report)
	case toolchain.ReportBun:
		return r.bun(report, output)
	case toolchain.ReportUnittest:
		return r.unittest(report)
	case toolchain.ReportCargo:
		return r.cargo(stdout, output)
	case toolchain.ReportSurefire:
		return r.surefire(r.reports(), output)
	case toolchain.ReportMocha:
		return r.mocha(report)
	case toolchain.ReportTAP:
		return r.tap(stdout), tapCut(stdout)
	case toolchain.ReportAny:
		var reports [][]byte
		if r.reports != nil {
			reports = r.reports()
		}
		if len(reports) == 0 {
			return r.any(report, stdout)
		}
		var all []step.TestResult
		for _, b := range reports {
			rs, err := r.any(b, nil)
			if err != nil {
				return all, err
			}
			all = append(all, rs...)
		}
		return all, nil
	case toolchain.ReportExit, toolchain.ReportGoCover, toolchain.ReportLCOV:
	}
	return nil, nil
}

func (r reader) result(file, name string, status step.TestStatus, message string, seconds float64) step.TestResult {
	id := file + "::" + name
	if name == "" {
		id = file
	}
	return step.TestResult{
		ID: id, File: file, Status: status, Message: shorten(message), Millis: int64(seconds * 1000),
	}
}

// plain is a text without colours. Nobody is told to leave them out (NO_COLOR): tests of programs with colours would fail.
func plain(b []byte) []byte {
	if !bytes.Contains(b, []byte("\x1b[")) {
		return b
	}
	return colours().ReplaceAll(b, nil)
}

// colours are escape codes, also as pytest writes them in XML, which cannot have the first character.
var colours = re.New("(?:\x1b|#x1B)\\[[0-9;]*[A-Za-z]")

func shorten(s string) string {
	s = strings.TrimSpace(colours().ReplaceAllString(s, ""))
	if len(s) > maxMessage {
		return strings.ToValidUTF8(s[:maxMessage], "") + " …"
	}
	return s
}

// relative makes a path of a report relative to the project's root.
func (r reader) relative(p string) string {
	p = strings.TrimPrefix(p, "file://")
	if filepath.IsAbs(p) {
		root := r.root
		if real, err := filepath.EvalSymlinks(root); err == nil && strings.HasPrefix(p, real+string(filepath.Separator)) {
			root = real
		}
		if rel, err := filepath.Rel(root, p); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(r.chain.Root, filepath.ToSlash(p))
}

type goEvent struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Elapsed                                                float64
}

// goTest reads the events of go test -json. Lines that are no event are what tests printed past the testing package.
func (r reader) goTest(out []byte) []step.TestResult {
	type key struct{ pkg, test string }
	text := map[key]*strings.Builder{}
	build := map[string]*strings.Builder{}
	var order []key
	status := map[key]step.TestResult{}
	var results []step.TestResult
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		var e goEvent
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil {
			continue
		}
		k := key{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			if build[e.ImportPath] == nil {
				build[e.ImportPath] = &strings.Builder{}
			}
			build[e.ImportPath].WriteString(e.Output)
		case "run":
			order = append(order, k)
		case "output":
			if text[k] == nil {
				text[k] = &strings.Builder{}
			}
			if text[k].Len() < 4*maxMessage && !goNoise(e.Output) {
				text[k].WriteString(e.Output)
			}
		case "pass", "fail", "skip":
			st := map[string]step.TestStatus{"pass": step.Pass, "fail": step.Fail, "skip": step.Skip}[e.Action]
			msg := ""
			if text[k] != nil && st != step.Pass {
				msg = text[k].String()
			}
			if e.Test == "" {
				if st == step.Fail {
					if b := build[e.FailedBuild]; b != nil {
						msg = b.String()
					}
					results = append(results, r.goPackage(e, msg))
				}
				continue
			}
			dir := r.goDir(e.Package)
			status[k] = r.result(r.fileOf(dir, e.Test), e.Test, st, msg, e.Elapsed)
		}
	}
	tests := make([]step.TestResult, 0, len(order))
	failed := map[string]bool{}
	for _, k := range order {
		res, ended := status[k]
		if !ended { // the binary died while it ran
			msg := ""
			if text[k] != nil {
				msg = text[k].String()
			}
			res = r.result(r.fileOf(r.goDir(k.pkg), k.test), k.test, step.Fail, "did not finish: "+msg, 0)
		}
		failed[path.Dir(res.File)] = failed[path.Dir(res.File)] || res.Status == step.Fail
		tests = append(tests, res)
	}
	for _, p := range results { // a package fails with its tests; that says nothing more
		if p.Status == step.Error || !failed[path.Clean(p.File)] {
			tests = append(tests, p)
		}
	}
	return tests
}

func goNoise(line string) bool {
	line = strings.TrimSpace(line)
	for _, p := range []string{"=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- PASS", "--- FAIL", "--- SKIP"} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

func (r reader) goDir(pkg string) string {
	pkg, _, _ = strings.Cut(pkg, " ")
	rel := strings.TrimPrefix(strings.TrimPrefix(pkg, r.chain.Module), "/")
	return path.Join(r.chain.Root, rel)
}

// goPackage is the result of a package that failed as a whole. It is an error when it could not be built.
func (r reader) goPackage(e goEvent, msg string) step.TestResult {
	st := step.Fail
	if e.FailedBuild != "" || strings.Contains(msg, "[build failed]") || strings.Contains(msg, "[setup failed]") {
		st = step.Error
		msg = "package " + path.Base(r.goDir(e.Package)) + " does not build:\n" + msg
	}
	return r.result(r.goDir(e.Package), "", st, msg, e.Elapsed)
}

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
	var events []nodeEvent
	for line := range bytes.SplitSeq(report, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e nodeEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		events = append(events, e)
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
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out, nil
}

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
