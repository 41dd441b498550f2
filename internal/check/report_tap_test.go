package check_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestReportsOnStdout: TAP as its writers print it, and the report of mocha, with the files and names that the sources have.
func TestReportsOnStdout(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"test/a.js": "describe('cart', () => { it('adds up', f); it('is empty', f); rows.forEach((n) => { it('is ' + n + ' of 3', f); }); });\ntest('alone', f);\n",
		"test/b.js": "test('takes away', f);\n",
	}
	cases := map[string]struct {
		kind   toolchain.Report
		report string
		want   []string
	}{
		"tape: assertions below titles": {
			toolchain.ReportTAP,
			"TAP version 13\n# alone\nok 1 one\nok 2 two\n# takes away\nok 3 fine\nnot ok 4 should be equal\n  ---\n    operator: equal\n    at: x (/project/test/b.js:3:1)\n  ...\n# nobody knows\nok 5 # SKIP no network\n\n1..5\n# tests 5\n# pass 4\n",
			[]string{"test/a.js::alone pass", "test/b.js::takes away fail", ".::nobody knows skip"},
		},
		"node-tap: a subtest for each file": {
			toolchain.ReportTAP,
			"TAP version 14\n# Subtest: test/a.js\n    # Subtest: cart\n        ok 1 - adds up\n        not ok 2 - is empty\n          ---\n          diff: x\n          ...\n        1..2\n    not ok 1 - cart # time=3ms\n    1..1\nnot ok 1 - test/a.js # time=12ms {\n}\n1..1\n",
			[]string{"test/a.js::cart > adds up pass", "test/a.js::cart > is empty fail"},
		},
		"AVA: file › title": {
			toolchain.ReportTAP,
			"TAP version 13\nok 1 - a › alone\nnot ok 2 - b › takes away\n  ---\n    message: x\n  ...\nok 3 - b › later # SKIP\n\n1..3\n",
			[]string{"test/a.js::alone pass", "test/b.js::takes away fail", ".::later skip"},
		},
		"Vitest 1: the file's own group": {
			toolchain.ReportJest,
			`{"testResults": [{"name": "/project/test/a.js", "status": "passed", "assertionResults": [{"ancestorTitles": ["", "cart"], "title": "adds up", "status": "passed"}, {"ancestorTitles": [""], "title": "alone", "status": "passed"}]}]}`,
			[]string{"test/a.js::cart > adds up pass", "test/a.js::alone pass"},
		},
		"AVA: a place above the project": {
			toolchain.ReportTAP,
			"TAP version 13\nok 1 - a › alone\nnot ok 2 - b › takes away\n  ---\n    name: AssertionError\n    message: x\n    at: '../../../test/b.js:3:4'\n  ...\n1..2\n",
			[]string{"test/a.js::alone pass", "test/b.js::takes away fail"},
		},
		"node's own, with places": {
			toolchain.ReportTAP,
			"TAP version 13\n# Subtest: alone\nok 1 - alone\n  ---\n  duration_ms: 1\n  location: '/project/test/a.js:2:1'\n  ...\n# Subtest: takes away\nnot ok 2 - takes away # TODO\n  ---\n  location: '/project/test/b.js:1:1'\n  ...\n1..2\n",
			[]string{"test/a.js::alone pass", "test/b.js::takes away skip"},
		},
		"what is no TAP": {toolchain.ReportTAP, "all is ok\nok then\nnot okay\n", []string{".::then pass"}},
		"mocha": {
			toolchain.ReportMocha,
			`{"passes": [{"title": "adds up", "fullTitle": "cart adds up", "file": "/project/test/a.js"}, {"title": "takes away", "fullTitle": "takes away"}, {"title": "is 2 of 3", "fullTitle": "cart is 2 of 3", "file": "/project/test/a.js"}],
			  "failures": [{"title": "is empty", "fullTitle": "cart is empty", "file": "/project/test/a.js", "err": {"message": "no", "stack": "Error: no"}}],
			  "pending": [{"title": "made in a loop 3", "fullTitle": "cart made in a loop 3", "file": "/project/test/a.js"}]}`,
			[]string{"test/a.js::cart > adds up pass", "test/b.js::takes away pass", "test/a.js::cart > is 2 of 3 pass", "test/a.js::cart > is empty fail", "test/a.js::cart made in a loop 3 skip"},
		},
		"any: TAP without a version": {toolchain.ReportAny, "1..2\nok 1 - alone\nnot ok 2 - takes away\n", []string{"test/a.js::alone pass", "test/b.js::takes away fail"}},
		"any: JUnit":                 {toolchain.ReportAny, `<?xml version="1.0"?><testsuites><testcase classname="x" name="y"/></testsuites>`, []string{".::y pass"}},
		"any: CTest": {
			toolchain.ReportAny,
			"<?xml version=\"1.0\"?>\n<testsuite name=\"(empty)\" tests=\"2\">\n<testcase name=\"adds\" classname=\"adds\" status=\"run\"><system-out></system-out></testcase>\n<testcase name=\"takes\" classname=\"takes\" status=\"fail\"><failure message=\"\"/><system-out>1 is not 2</system-out></testcase>\n<testcase name=\"off\" classname=\"off\" status=\"disabled\"><skipped/></testcase></testsuite>",
			[]string{".::adds pass", ".::takes fail", ".::off skip"},
		},
		"any: GoogleTest": {
			toolchain.ReportAny, `<?xml version="1.0"?><testsuites><testsuite name="T"><testcase name="On" classname="T" status="run" result="completed"/><testcase name="DISABLED_Off" classname="T" status="notrun" result="suppressed"/></testsuite></testsuites>`,
			[]string{".::On pass", ".::DISABLED_Off skip"},
		},
		"any: PHPUnit": {
			toolchain.ReportAny,
			`<?xml version="1.0"?><testsuites><testsuite name="ATest"><testcase name="testOne" class="ATest" classname="ATest" file="/project/tests/ATest.php" time="0.001"/><testsuite name="ATest::rows"><testcase name="testRows with data set #0" class="ATest" classname="ATest" file="/project/tests/ATest.php"><failure type="E">no</failure></testcase></testsuite></testsuite></testsuites>`,
			[]string{"tests/ATest.php::testOne pass", "tests/ATest.php::testRows with data set #0 fail"},
		},
		"any: RSpec": {
			toolchain.ReportAny,
			`{"version":"3.12.0","messages":["cannot load b"],"examples":[{"full_description":"Greeter greets","status":"passed","file_path":"./spec/a_spec.rb"},{"full_description":"Greeter fails","status":"failed","file_path":"./spec/a_spec.rb","exception":{"class":"E","message":"no"}},{"full_description":"Greeter waits","status":"pending","file_path":"./spec/a_spec.rb"}],"summary":{"errors_outside_of_examples_count":1}}`,
			[]string{"spec/a_spec.rb::Greeter greets pass", "spec/a_spec.rb::Greeter fails fail", "spec/a_spec.rb::Greeter waits skip", "rspec error"},
		},
		"any: TRX": {
			toolchain.ReportAny,
			"\ufeff<?xml version=\"1.0\"?>\n<TestRun xmlns=\"http://microsoft.com/schemas/VisualStudio/TeamTest/2010\"><Results><UnitTestResult testName=\"A.One\" outcome=\"Passed\"/><UnitTestResult testName=\"A.Two\" outcome=\"Failed\"><Output><ErrorInfo><Message>no</Message></ErrorInfo></Output></UnitTestResult><UnitTestResult testName=\"A.Three\" outcome=\"NotExecuted\"/></Results></TestRun>",
			[]string{".::A.One pass", ".::A.Two fail", ".::A.Three skip"},
		},
		"any: nothing that is a report": {toolchain.ReportAny, "PASS: 3 tests\n", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := slices.Sorted(maps.Keys(sources))
			rs, err := check.ReadReportOf(toolchain.Found{Root: ".", Ecosystem: toolchain.Node}, files, func(f string) []byte { return []byte(sources[f]) }, c.kind, []byte(c.report))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range rs {
				got = append(got, r.ID+" "+string(r.Status))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

// TestReportsThatAreCut: a report that says itself that it is not whole is no evidence.
func TestReportsThatAreCut(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]string{
		"fewer than planned": "TAP version 13\n1..3\nok 1 - a\nok 2 - b\n", "given up": "TAP version 13\nok 1 - a\nBail out! no database\n",
		"no test, TAP": "TAP version 14\n1..0\n", "no test, JUnit": `<?xml version="1.0"?><testsuite tests="0"></testsuite>`,
	} {
		rs, err := check.ReadReportOf(toolchain.Found{Root: "."}, nil, func(string) []byte { return nil }, toolchain.ReportAny, []byte(report))
		if err == nil {
			t.Errorf("%s: read as %v", name, rs)
		}
	}
}
