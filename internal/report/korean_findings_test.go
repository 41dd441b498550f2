package report_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestKoreanFindings: values are taken over as they are, also where Korean has them in another order, or a value is a finding itself.
func TestKoreanFindings(t *testing.T) {
	t.Parallel()
	for en, want := range map[string]string{
		"The spec sets MAX to 40, the code to 50":                                                        "MAX의 값이 스펙에서는 40, 코드에서는 50입니다",
		"The package manifest changed.":                                                                  "패키지 매니페스트이(가) 바뀌었습니다.",
		"`a` (F): no test fails when another string is returned.":                                        "`a` (F): 이 변이에 실패하는 테스트가 없습니다(다른 문자열을 반환함).",
		"`a` (F): no test fails when `<` becomes `<=`.":                                                  "`a` (F): 이 변이에 실패하는 테스트가 없습니다(`<` → `<=`).",
		"No test reaches Total.":                                                                         "Total에 도달하는 테스트가 없습니다.",
		"what no table has, such as this.":                                                               "what no table has, such as this.",
		"This phase may change only the tests in cart (a.go). Your change to this file was undone.":      "이 단계에서는 cart 안의 tests만 바꿀 수 있습니다 (a.go). 이 파일의 변경은 되돌렸습니다.",
		"The signature of F changed from \"F(\\\"a\\\")\" to \"F()\"; refactoring must keep signatures.": "F의 시그니처가 \"F(\\\"a\\\")\"에서 \"F()\"(으)로 바뀌었습니다. 리팩터링은 시그니처를 유지해야 합니다.",
		"2 of 5 calls that are in no test give a different result than another agent expects from the spec. One of them: net(0) → 0. It gives: -1. The code must work for every input, not only for those in the tests.": "테스트에 없는 호출 5개 중 2개의 결과가 예상과 다릅니다 (다른 에이전트가 스펙에서 예상한 값). 그중 하나: net(0) → 0. 코드의 결과: -1. 코드는 테스트의 입력만이 아니라 모든 입력에서 맞아야 합니다.",
		"The tests reach 3 of 8 changed lines (37 %). The first line not reached is 12.": "테스트가 바뀐 줄 8개 중 3개에 도달합니다 (37 %). 도달하지 못한 첫 줄은 12입니다.",
		"The build fails: a.go:3\n\tno such thing":                                       "빌드 실패: a.go:3\n\tno such thing",

		"The test A is gone, but it passes with the change. New or changed tests mention everything that it called.": "테스트 A이(가) 사라졌는데, 변경이 있어도 통과합니다. 그 테스트가 호출하던 것은 모두 새로 쓰거나 바꾼 테스트에 있습니다.",
	} {
		if got := report.Korean.Finding(en); got != want {
			t.Errorf("Finding(%q) = %q, want %q", en, got, want)
		}
	}
}

// TestQuestionsInKorean: of a question, what the program says is in Korean, with the spaces before it; what an agent or a person wrote is not
// touched.
func TestQuestionsInKorean(t *testing.T) {
	t.Parallel()
	const text = "edited:\nWORK-01: Neg\n  FR-01  Neg gives the number\n  AC-01  It reads well\n         no command checks it: check it yourself at the end\n  assumed: Numbers are whole.\n" +
		"task:\n  small enough for one task\n  TASK-00  feat: Neg (done)\n      for each number\n      for FR-01, AC-01\n      MODIFY neg.go\n      $ go test ./neg\n"
	const want = "수정한 내용:\nWORK-01: Neg\n  FR-01  Neg gives the number\n  AC-01  It reads well\n         확인하는 명령이 없습니다. 끝에 직접 확인하세요\n  가정: Numbers are whole.\n" +
		"작업:\n  작업 하나로 충분히 작습니다\n  TASK-00  feat: Neg (완료)\n      for each number\n      대상: FR-01, AC-01\n      MODIFY neg.go\n      $ go test ./neg\n"
	q := flow.Question{Text: text, Options: []string{flow.Approve, flow.Reject}}
	if got := report.Question(report.Korean, "requirement/ask/1/approve", q); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	if got := report.Question(report.English, "requirement/ask/1/approve", q); got != text {
		t.Errorf("in English it is\n%s", got)
	}
	q.Class = flow.Environment
	if got := report.Question(report.Korean, "requirement/ask/1/approve", q); got != text {
		t.Errorf("what broke is\n%s", got)
	}
	done := step.TaskResult{ID: "TASK-01", Title: "Say it", Status: step.Blocked, Reason: "blocked: TASK-00 was not built"}
	if got := report.Task(report.Korean, done); got != "✗ TASK-01: Say it: 막힘: TASK-00이(가) 만들어지지 않았습니다\n" {
		t.Errorf("a task that was blocked is %s", got)
	}
}

// TestPlacedInKorean: a line of what is to be built has its place and its modules as they are.
func TestPlacedInKorean(t *testing.T) {
	t.Parallel()
	for en, want := range map[string]string{
		"1. a: No source code files found (first compile)":                  "1. a: 소스 파일이 없음 (첫 빌드)",
		"2. b: No source code files found (first compile) (after a)":        "2. b: 소스 파일이 없음 (첫 빌드) (a 다음)",
		"3. c: CLAUDE.md modified but not staged (after a, b)":              "3. c: CLAUDE.md: 수정되었고 스테이징되지 않음 (a, b 다음)",
		"⚠ d: files were edited by hand since the last compile: a.go, b.go": "⚠ d: 마지막 빌드 이후 손으로 수정된 파일: a.go, b.go",
		"⚠ a changed; b, c may need recompilation":                          "⚠ a이(가) 바뀌었습니다. b, c을(를) 다시 빌드해야 할 수 있습니다",
		"  Use --all for full compilation.":                                 "  전체를 빌드하려면 --all을 쓰세요.",
		"⚠ what no table has: such as this":                                 "⚠ what no table has: such as this",
	} {
		if got := report.Korean.Placed(en); got != want {
			t.Errorf("Placed(%q) = %q, want %q", en, got, want)
		}
		if got := report.English.Placed(en); got != en {
			t.Errorf("in English it is %q, want %q", got, en)
		}
	}
}
