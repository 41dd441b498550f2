package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

type goEvent struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Elapsed                                                float64
}

// goTest reads the events of go test -json. Lines that are no event are what tests printed past the testing package.
func (r reader) goTest(out []byte) []step.TestResult {
	type key struct{ pkg, test string }
	text, build := map[key][]byte{}, map[string][]byte{} // grown in place: either can be long
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
			build[e.ImportPath] = append(build[e.ImportPath], e.Output...)
		case "run":
			order = append(order, k)
		case "output":
			if len(text[k]) < 4*maxMessage && !goNoise().MatchString(e.Output) {
				text[k] = append(text[k], e.Output...)
			}
		case "pass", "fail", "skip":
			st := map[string]step.TestStatus{"pass": step.Pass, "fail": step.Fail, "skip": step.Skip}[e.Action]
			msg := ""
			if st != step.Pass {
				msg = string(text[k])
			}
			if e.Test == "" {
				if st == step.Fail {
					results = append(results, r.goPackage(e, cmp.Or(string(build[e.FailedBuild]), msg)))
				}
				continue
			}
			dir := r.goDir(e.Package)
			status[k] = r.result(r.fileOf(dir, e.Test), e.Test, st, msg, e.Elapsed)
		}
	}
	tests := make([]step.TestResult, 0, len(order))
	failed := map[string]bool{}
	inFiles := map[string]bool{} // packages whose tests are found in their files
	for _, k := range order {
		inFiles[k.pkg] = inFiles[k.pkg] || r.fileOf(r.goDir(k.pkg), k.test) != r.goDir(k.pkg)
	}
	for _, k := range order {
		// What fails can be of a run that a test makes to see it fail: a test that passes has no subtest that fails, and tests are in files.
		parent, sub, dir := key{k.pkg, top(k.test)}, strings.Contains(k.test, "/"), r.goDir(k.pkg)
		strange := !goName().MatchString(k.test) ||
			inFiles[k.pkg] && strings.HasPrefix(k.test, "Test") && r.fileOf(dir, parent.test) == dir
		if st := status[k].Status; st != step.Pass && st != step.Skip && (sub && status[parent].Status == step.Pass || strange) {
			continue
		}
		res, ended := status[k]
		if !ended { // the binary died while it ran
			res = r.result(r.fileOf(dir, k.test), k.test, step.Fail, unfinished+" "+string(text[k]), 0)
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

// top is the test that a subtest belongs to.
func top(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}

// goName is how the names of tests begin.
var goName = re.New(`^(?:Test|Example|Fuzz|Benchmark)`)

// unfinished begins the message of a test whose program died while it ran, of whatever: of a panic in another test, say.
const unfinished = "did not finish:"

// goNoise is what the runner prints around what tests print.
var goNoise = re.New(`^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:PASS|FAIL|SKIP))`)

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
