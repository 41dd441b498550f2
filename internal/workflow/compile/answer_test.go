package compile_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/workflow/compile"
)

func TestAnswersKeepToTheirSchema(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ role, answer, want string }{
		{"red", `{"tests": []}`, ""},
		{"red", `{"tests": [{"item": "E:A", "tests": ["a_test.go::TestA"]}], "unclear": null}`, ""},
		{"green", `{"summary": "", "implements": {}}`, ""},
		{"green", `{"summary": "코드", "implements": {"state": null, "guide": ["x"], "constants": [{"name": "A", "value": "1", "rationale": "r"}]}}`, ""},
		{"green", `{"summary": "", "implements": {}, "disputed": [{"test": "a_test.go::TestA", "reason": "the specification says 4"}]}`, ""},
		{"green", `{"summary": "", "implements": {}, "disputed": null}`, ""},
		{"green", `{"summary": "", "implements": {}, "disputed": ["a_test.go::TestA"]}`, "answer.disputed[0]: want an object"},
		{"green", `{"summary": "", "implements": {}, "disputed": [{"test": "a_test.go::TestA"}]}`, "answer.disputed[0]: reason is missing"},
		{"refactor", ` {"summary": "nothing"} `, ""},
		{"red", `null`, "answer: want an object"},
		{"red", `{}`, "answer: tests is missing"},
		{"red", `{"tests": "all pass"}`, "answer.tests: want a list"},
		{"red", `{"tests": null}`, "answer.tests: want a list"},
		{"red", `{"tests": [{"item": "E:A", "tests": [1]}]}`, "answer.tests[0].tests[0]: want a text"},
		{"red", `{"tests": [], "score": 100}`, "answer: score was not asked for"},
		{"green", `[]`, "answer: want an object"},
		{"green", `"tests: all pass"`, "answer: want an object"},
		{"green", `{"summary": "x"}`, "answer: implements is missing"},
		{"green", `{"summary": "x", "implements": {}, "passed": true}`, "answer: passed was not asked for"},
		{"green", `{"summary": "x", "implements": {"verdict": "APPROVED"}}`, "answer.implements: verdict was not asked for"},
		{"green", `{"summary": "x", "implements": {"constants": [{"name": "A", "value": 1, "rationale": "r"}]}}`, "answer.implements.constants[0].value: want a text"},
		{"green", `{"summary": "x", "implements": {"constants": [{"name": "A"}]}}`, "answer.implements.constants[0]: value is missing"},
		{"green", `{"passed": true, "disputed": [1]}`, "answer: summary is missing; answer: implements is missing; answer.disputed[0]: want an object; answer: passed was not asked for"},
	} {
		err := compile.Conforms(c.role, c.answer)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s answers %s: %v, want no error", c.role, c.answer, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || flow.ClassOf(err) != flow.Schema):
			t.Errorf("%s answers %s: %v, want a schema failure with %q", c.role, c.answer, err, c.want)
		}
	}
}
