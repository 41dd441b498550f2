package check

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
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

// reader reads what tools say of files of the place.
func (p *place) reader() reader { return reader{chain: p.chain, root: p.root} }

// read makes results of a command's report, its standard output and all its output. It gives one result a test, and one with only a path for each file or package that could not be loaded.
func (r reader) read(kind toolchain.Report, report, stdout, output []byte) ([]step.TestResult, error) {
	printed := stdout // a stream of bytes stays as it is
	stdout = plain(stdout)
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
	case toolchain.ReportDeno:
		return r.deno(report, output)
	case toolchain.ReportUnittest, toolchain.ReportCollected:
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
		if r.reports == nil || len(r.reports()) == 0 {
			return r.any(report, printed)
		}
		var all []step.TestResult
		for _, b := range r.reports() {
			rs, err := r.any(b, nil)
			if err != nil {
				return all, err
			}
			all = append(all, rs...)
		}
		return all, nil
	default:
		return nil, nil
	}
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
			return r.written(filepath.ToSlash(rel))
		}
	}
	return r.written(path.Join(r.chain.Root, filepath.ToSlash(p)))
}

// written is the test file that one of a report was compiled from: the one whose path without its extension has most of its end.
func (r reader) written(file string) string {
	if !r.chain.Own.Built || r.tests == nil || slices.Contains(r.tests(), file) {
		return file
	}
	backwards := func(file string) []string {
		parts := strings.Split(strings.TrimSuffix(file, path.Ext(file)), "/")
		slices.Reverse(parts)
		return parts
	}
	want, best, most := backwards(file), file, 0
	for _, test := range r.tests() {
		have, n := backwards(test), 0
		for n < min(len(have), len(want)) && have[n] == want[n] {
			n++
		}
		switch {
		case n > most:
			best, most = test, n
		case n == most && n > 0: // it can be either
			best = file
		}
	}
	return best
}

// complaint is one error of a compiler. Its file is relative to the project's root.
type complaint struct {
	file string
	line int
	text string // without the place
	full string // as the compiler printed it
}
