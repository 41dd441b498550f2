package report_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/report"
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
		"2 of 5 calls that are in no test give a different result than the agent that wrote the tests expects from the spec. One of them: net(0) → 0. It gives: -1. The code must work for every input, not only for those in the tests.": "테스트에 없는 호출 5개 중 2개의 결과가 예상과 다릅니다 (테스트를 쓴 에이전트가 스펙에서 예상한 값). 그중 하나: net(0) → 0. It gives: -1. 코드는 테스트의 입력만이 아니라 모든 입력에서 맞아야 합니다.",
		"The tests reach 3 of 8 changed lines (37 %). The first line not reached is 12.": "테스트가 바뀐 줄 8개 중 3개에 도달합니다 (37 %). 도달하지 못한 첫 줄은 12입니다.",
		"The build fails: a.go:3\n\tno such thing":                                       "빌드 실패: a.go:3\n\tno such thing",
	} {
		if got := report.Korean.Finding(en); got != want {
			t.Errorf("Finding(%q) = %q, want %q", en, got, want)
		}
	}
}
