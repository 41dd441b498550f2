package works_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/works"
)

var dispatch = &works.Dispatch{
	ReferencesDir: "/opt/references", To: "builder", Work: "WORK-03", Task: "TASK-02", Mode: works.Full, Project: "shop", Language: "ko",
	PlanFile: "works/WORK-03/PLAN.md", TaskFile: "works/WORK-03/TASK-02.md", Title: "장바구니 <b> & \"c\"", Action: "implement", Description: "two\nlines",
	Results: []works.Previous{{"TASK-00", works.Pass, "done"}},
	Contexts: []works.Context{
		{"prev-task", "TASK-01", works.FullDetail, works.Handoff{What: "w", Why: "y", Caution: "c", Incomplete: "None"}},
		{"prev-prev-task", "TASK-00", works.Short, works.Handoff{What: "w", Why: "dropped"}},
	},
}

var taskResult = &works.TaskResult{
	Work: "WORK-03", Task: "TASK-02", Agent: "committer", Status: works.Fail, Summary: "한 줄 요약",
	Files:      []works.File{{"src/a b.go", works.Create, "new"}, {"src/c\"d.go", works.Delete, ""}},
	Checks:     []works.Check{{"build", works.Pass, 0, "ok"}, {"tests", works.Pass, 12, ""}, {"lint", works.NoRun, 0, ""}},
	Handoffs:   []works.Context{{"builder", "", works.FullDetail, works.Handoff{What: "</context-handoff>", Why: "y"}}},
	Failures:   []works.Failure{{"build", "exit 1", "a.go"}},
	Commit:     works.Commit{Hash: "abc1234", Message: "feat(TASK-02): x", Type: "feat"},
	ResultFile: "works/WORK-03/TASK-02_result.md", Done: 1, Total: 4,
	Reason: "no files changed",
}

func TestProtocolGolden(t *testing.T) {
	t.Parallel()
	golden(t, "dispatch.xml", dispatch.Format())
	golden(t, "task-result.xml", taskResult.Format())
	said := &works.TaskResult{Summary: taskResult.Summary, Files: taskResult.Files, Handoffs: []works.Context{{From: "builder", Handoff: taskResult.Handoffs[0].Handoff}}}
	if got, err := works.ParseTaskResult(taskResult.Format()); err != nil || !reflect.DeepEqual(got, said) {
		t.Errorf("read back %+v, %v", got, err)
	}
}

func TestProtocolProperty(t *testing.T) {
	t.Parallel()
	g := &gen{rand.New(rand.NewPCG(3, 4))}
	for range 1000 {
		want := &works.TaskResult{
			Summary: g.block(),
			Files:   list(g, func() works.File { return works.File{Path: g.words(), Action: works.Modify, Note: g.block()} }),
		}
		if got, err := works.ParseTaskResult(want.Format()); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("read back %+v, %v\nwant %+v\nfrom\n%s", got, err, want, want.Format())
		}
	}
}

func TestTaskResultsAsAgentsWriteThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text    string
		summary string
		err     string
	}{
		"plain":           {`<task-result status="PASS" agent='builder' task="TASK-00" work="WORK-01"><summary>s</summary></task-result>`, "s", ""},
		"fence and prose": {"All done. The <task-result> is:\n\n```xml\n<task-result work=\"WORK-01\" task=\"WORK-01-TASK-00\" status=\"pass\">\n  <summary>\n    s\n  </summary>\n</task-result>\n```\nThat was the <task-result>.", "s", ""},
		"references line": {"REFERENCES_DIR=/x\n<task-result work=\"WORK-01\" task=\"TASK-00\" status=\"PASS\"><summary>s</summary></task-result>", "s", ""},
		"unknown":         {`<task-result work="WORK-01" task="TASK-00" status="PASS" x="1"><ref-cache><ref key="k">t</ref></ref-cache><summary>s</summary></task-result>`, "s", ""},
		"entities":        {`<task-result work="WORK-01" task="TASK-00" status="PASS"><summary>a&nbsp;&amp;&lt;b&#x41; R&D a < b && c <= d ]]> &x; &copy</summary></task-result>`, "a\u00a0&<bA R&D a < b && c <= d ]]> &x; &copy", ""},
		"cdata":           {`<task-result work="WORK-01" task="TASK-00" status="PASS"><summary><![CDATA[a & <b>]]> & c</summary></task-result>`, "a & <b> & c", ""},
		"the last counts": {`<task-result work="WORK-01" task="TASK-00" status="FAIL"><summary>example</summary></task-result> <task-result work="WORK-01" task="TASK-00" status="PASS"><summary>s</summary></task-result>`, "s", ""},
		"cut":             {"x\n<task-result work=\"WORK-01\" task=\"TASK-00\" status=\"PASS\">\n<summary>s", "", "read <task-result>: line 3: "},
		"wrong end":       {"\n\n<task-result status=\"PASS\">\n<summary>s</notes></task-result>", "", "read <task-result>: line 4: element <summary> closed by </notes>"},
		"none":            {"I did it.", "", "the text has no such element"},
		"empty":           {"", "", "the text has no such element"},
		"another element": {"<task-results/>", "", "the text has no such element"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := works.ParseTaskResult([]byte(test.text))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil || r.Summary != test.summary {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func FuzzProtocol(f *testing.F) {
	f.Add(taskResult.Format())
	f.Add(dispatch.Format())
	f.Add([]byte("<task-result <task-result><![CDATA[ & ]]> </task-result>"))
	f.Add([]byte("<task-result><!-- & --><?x y?></task-result>"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if r, err := works.ParseTaskResult(src); err == nil {
			again, err := works.ParseTaskResult(r.Format())
			if err != nil {
				t.Fatalf("%v in %s", err, r.Format())
			}
			if out := again.Format(); string(out) != string(r.Format()) {
				t.Errorf("not stable:\n%s\n%s", r.Format(), out)
			}
		}
	})
}
