package report

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Finding is the message of a finding in the language l. One that no format of koreanFindings fits stays English.
func (l Lang) Finding(en string) string {
	if l != Korean {
		return en
	}
	if ko, ok := findingParts[en]; ok {
		return ko
	}
	if from, to, ok := strings.Cut(en, "` becomes `"); ok && strings.HasPrefix(en, "`") && strings.HasSuffix(en, "`") {
		return from + "` → `" + to
	}
	return reworded(findings(), en, l.Finding) // a finding may begin with another one
}

// Asked is a line that a workflow writes into a question, a reason or a result, in the language l. What agents and people wrote stays.
func (l Lang) Asked(en string) string {
	if l != Korean {
		return en
	}
	text := strings.TrimLeft(en, " ")
	return en[:len(en)-len(text)] + reworded(asked(), text, func(value string) string { return value })
}

// reworded is a text as the first wording says it whose form it has, with its values as part says them.
func reworded(list []wording, en string, part func(string) string) string {
	for _, f := range list {
		m := f.form.FindStringSubmatch(en)
		if m == nil {
			continue
		}
		args := make([]any, len(m)-1)
		for i := range args {
			args[i] = part(m[i+1])
		}
		return fmt.Sprintf(f.korean, args...)
	}
	return en
}

// wording is what a finding looks like, and its Korean with a text for each value.
type wording struct {
	form   *regexp.Regexp
	korean string
}

// findings and asked are compiled at the first text that is shown.
var (
	findings = sync.OnceValue(func() []wording { return wordings(koreanFindings) })
	asked    = sync.OnceValue(func() []wording { return wordings(koreanAsked) })
)

// wordings are those of a table. Formats with more words of their own come first: they fit fewer messages.
func wordings(table map[string]string) []wording {
	formats := slices.Collect(maps.Keys(table))
	own := func(en string) int { return len(verb().ReplaceAllString(en, "")) }
	slices.SortFunc(formats, func(a, b string) int { return cmp.Or(own(b)-own(a), cmp.Compare(a, b)) })
	out := make([]wording, len(formats))
	for i, en := range formats {
		form := verb().ReplaceAllStringFunc(regexp.QuoteMeta(en), func(v string) string {
			return map[string]string{"%s": "(.*?)", "%d": "(-?[0-9]+)", "%q": `("(?:[^"\\]|\\.)*")`, "%%": "%"}[v]
		})
		ko := verb().ReplaceAllStringFunc(table[en], func(v string) string {
			if v == "%%" {
				return v
			}
			return v[:len(v)-1] + "s"
		})
		out[i] = wording{regexp.MustCompile("^(?s:" + form + ")$"), ko}
	}
	return out
}

// verb is a value in a format.
var verb = re.New(`%(?:\[[0-9]+\])?[sdq%]`)

// koreanFindings has the Korean wording of findings. They are written in English where they are made, and agents read them so; what a
// person sees is translated when it is shown (Lang.Finding).
var koreanFindings = map[string]string{
	"%s gives %s now, and gave %s before the change. %s":                                                                      "%s의 결과가 이제 %s입니다. 변경 전에는 %s였습니다. %s",
	"Files that were verified against this spec changed, and the spec did not. To call its examples, run: jacquard verify %s": "이 스펙과 대조해 검증된 파일이 바뀌었지만 스펙은 바뀌지 않았습니다. 예시를 호출하려면 실행하세요: jacquard verify %s",
	// the repository and the scope
	"This symbolic link points outside the project (%s). Remove it.":                                                                                                         "이 심볼릭 링크는 프로젝트 밖을 가리킵니다 (%s). 삭제하세요.",
	"A submodule was added. Remove it.":                                                                                                                                      "서브모듈이 추가되었습니다. 삭제하세요.",
	"This file is outside the scope of the task. Undo your change.":                                                                                                          "작업 범위 밖의 파일입니다. 변경을 되돌리세요.",
	"This file is outside your scope. Undo your change.":                                                                                                                     "작업 범위 밖의 파일입니다. 변경을 되돌리세요.",
	"This task must not change files. Undo your change.":                                                                                                                     "이 작업은 파일을 바꾸면 안 됩니다. 변경을 되돌리세요.",
	"This file belongs to another task. Undo your change.":                                                                                                                   "다른 작업의 파일입니다. 변경을 되돌리세요.",
	"This new file is not part of the work and was removed. Leave no output and no notes behind.":                                                                            "작업과 관계없는 새 파일이어서 삭제했습니다. 출력이나 메모를 남기지 마세요.",
	"The task does not name this file. %s, or name it in `more_files` and say why the work needs it.":                                                                        "작업에 없는 파일입니다. %s, 또는 `more_files`에 적고 필요한 이유를 쓰세요.",
	"This phase may change only the %s in %s (%s). Your change to this file was undone.":                                                                                     "이 단계에서는 %[2]s 안의 %[1]s만 바꿀 수 있습니다 (%[3]s). 이 파일의 변경은 되돌렸습니다.",
	"This run keeps this file as it is; your change was undone.":                                                                                                             "이 실행에서는 이 파일을 그대로 둡니다. 변경은 되돌렸습니다.",
	"Write only tests and test data now. Undo your change to this file; another agent writes the code later.":                                                                "지금은 테스트와 테스트 데이터만 쓰세요. 이 파일의 변경을 되돌리세요. 코드는 나중에 다른 에이전트가 씁니다.",
	"This file has the tests that were written first. Your change to it was undone.":                                                                                         "먼저 작성한 테스트가 있는 파일입니다. 변경은 되돌렸습니다.",
	"This test is part of the contract; a change to it was undone.":                                                                                                          "계약에 속한 테스트입니다. 변경은 되돌렸습니다.",
	"This test is part of the contract. Your change to it was undone; make the code pass it. If the test is wrong, leave it, and say so in `blocked` and `summary`.":         "계약에 속한 테스트입니다. 변경은 되돌렸으니 코드가 이 테스트를 통과하게 하세요. 테스트가 틀렸다면 그대로 두고 `blocked`와 `summary`에 쓰세요.",
	"No contract lists this test file; it may be left over from an earlier design. Delete it, and move what is still needed to where the design says.":                       "어느 계약에도 없는 테스트 파일입니다. 이전 설계에서 남은 것일 수 있습니다. 삭제하고, 아직 필요한 내용은 설계가 정한 곳으로 옮기세요.",
	"No contract lists this file, and it is not test data next to a contract test. Undo your change; if you created the file, delete it.":                                    "어느 계약에도 없고 계약 테스트 옆의 테스트 데이터도 아닌 파일입니다. 변경을 되돌리고, 새로 만든 파일이면 삭제하세요.",
	"This file does not exist. It should contain the test %s.":                                                                                                               "파일이 없습니다. 테스트 %s이(가) 있어야 합니다.",
	"The file cannot be parsed: %s":                                                                                                                                          "파일을 해석할 수 없습니다: %s",
	"There is no test %s in it. It has: %s":                                                                                                                                  "테스트 %s이(가) 없습니다. 있는 테스트: %s",
	"%s. It gives: %s":                                                                                                                                                       "%s. 코드의 결과: %s",
	"; the task should change %s":                                                                                                                                            ". 작업에서 바꿔야 할 파일: %s",
	"no files changed%s":                                                                                                                                                     "바뀐 파일이 없습니다%s",
	"No file was changed, and the module does not pass as it is. Write the code; if a test is wrong, follow the spec and name the test in `disputed`.":                       "바뀐 파일이 없고, 모듈은 지금 상태로 통과하지 못합니다. 코드를 쓰세요. 테스트가 틀렸다면 스펙을 따르고 `disputed`에 그 테스트를 적으세요.",
	"The plan says that this file goes, but it is still there. Delete it.":                                                                                                   "계획에는 이 파일이 없어진다고 되어 있지만 아직 있습니다. 지우세요.",
	"The plan says that this file changes, but it has not changed. Do what is planned there, or say in `summary` why there is nothing to do.":                                "계획에는 이 파일이 바뀐다고 되어 있지만 바뀌지 않았습니다. 계획대로 하거나, 할 일이 없는 이유를 `summary`에 쓰세요.",
	"Only tests, documents and comments were changed, but the task is a feature or a fix, and its plan names code. Write the requested code.":                                "기능 추가나 수정 작업이고 계획에 코드가 있는데 테스트, 문서, 주석만 바뀌었습니다. 요청된 코드를 쓰세요.",
	"another module changed this file in the same place; redo your change on top of the current file":                                                                        "다른 모듈이 이 파일의 같은 곳을 바꾸었습니다. 현재 파일 위에서 변경을 다시 하세요",
	"The test %s runs fewer cases since %s changed: %d of %d no longer run. Let them run again.":                                                                             "%[2]s이(가) 바뀐 뒤로 테스트 %[1]s의 실행되는 케이스가 줄었습니다. %[4]d개 중 %[3]d개가 더 이상 실행되지 않습니다. 다시 실행되게 하세요.",
	"%s gives another result than before only for calls that new tests make: %d calls with other inputs give the same as before.":                                            "%[1]s의 결과는 새 테스트가 하는 호출에서만 달라졌습니다. 다른 입력을 쓴 호출 %[2]d개의 결과는 변경 전과 같습니다.",
	"The code has %s, a value of the call %s. Compute the result for every input.":                                                                                           "코드에 %s이(가) 있는데 이것은 호출 %s의 값입니다. 모든 입력에 대해 결과를 계산하세요.",
	"The branch %s lost commits during the turn. Jacquard kept them. If you did not move it: git branch -f %s %s":                                                            "실행 중에 브랜치 %s에서 커밋이 사라졌습니다. 커밋은 Jacquard가 보관했습니다. 직접 옮긴 것이 아니라면: git branch -f %s %s",
	"The answer changes nothing. Return the modules that the request asks for.":                                                                                              "답변에 변경이 없습니다. 요청한 모듈을 반환하세요.",
	"%s is gone, but the request does not mention it. Put it back, or say why it must go.":                                                                                   "%s이(가) 사라졌는데 요청에는 없는 내용입니다. 되돌리거나, 없애야 하는 이유를 쓰세요.",
	"%s was %s and is now %s, but the request does not mention it. Put it back, or say why it must change.":                                                                  "%s이(가) %s에서 %s(으)로 바뀌었는데 요청에는 없는 내용입니다. 되돌리거나, 바꿔야 하는 이유를 쓰세요.",
	"%s should be raised, but neither the code nor the tests of this change mention it. Raise it and test it, unless existing code already does.":                            "%s이(가) 발생해야 하는데 이 변경의 코드와 테스트 어디에도 없습니다. 기존 코드에 없다면 발생시키고 테스트하세요.",
	"The code reads %s, which was not requested: the result then depends on more than the arguments. Compute it from the arguments, or mention this in the spec or request.": "코드가 요청에 없는 %s을(를) 읽어서, 결과가 인수 외의 것에도 좌우됩니다. 인수로 계산하거나, 스펙이나 요청에 밝히세요.",
	"the expected result cannot be read":                                                                                                                                     "기대하는 결과를 읽을 수 없음",
	"the plan gives another result for this call":                                                                                                                            "계획에 적힌 결과가 다름",
	"the request gives several results for this call":                                                                                                                        "요청에 적힌 결과가 여러 가지임",
	"code of this language is not called":                                                                                                                                    "이 언어의 코드는 호출하지 않음",
	"the change exports no function %s, or several":                                                                                                                          "이 변경에서 내보낸 함수 %s이(가) 없거나 여럿임",
	"true before the change, which gives %s":                                                                                                                                 "변경 전에는 맞았고, 변경 후에는 %s을(를) 줌",

	// gates of plans and designs
	"cp-%s: %s":               "cp-%s: %s",
	"There is no checkpoint.": "체크포인트가 없습니다.",
	"%d checkpoints are more than %d; make larger ones.":                                           "체크포인트가 %d개로 %d개보다 많습니다. 더 크게 나누세요.",
	"`flow` is empty: say what goes in, where it passes, what comes out.":                          "`flow`가 비어 있습니다. 무엇이 들어가 어디를 거쳐 무엇이 나오는지 쓰세요.",
	"%s: the test file %s also belongs to %s; put the tests of two checkpoints in two files.":      "%s: 테스트 파일 %s은(는) %s에도 속합니다. 두 체크포인트의 테스트를 파일 둘로 나누세요.",
	"A component has no name, or does not say what it does.":                                       "이름이 없거나 하는 일을 밝히지 않은 구성 요소가 있습니다.",
	"The component %s (%s) has no interface in any checkpoint.":                                    "구성 요소 %s (%s)의 인터페이스가 어느 체크포인트에도 없습니다.",
	"`scope` is empty: say what is built.":                                                         "`scope`가 비어 있습니다. 무엇을 만드는지 쓰세요.",
	"It has no validation: give a command and its expected result.":                                "검증이 없습니다. 명령과 예상 결과를 쓰세요.",
	"An interface in %s has no symbol or no signature.":                                            "%s에 심볼이나 시그니처가 없는 인터페이스가 있습니다.",
	"The symbol %q is not a plain name: write Total, or Cart.Total for a method.":                  "심볼 %q은(는) 이름이 아닙니다. Total처럼, 메서드는 Cart.Total처럼 쓰세요.",
	"The interface %s is in %s, which is not one of its files.":                                    "인터페이스 %s은(는) %s에 있는데, 이 체크포인트의 파일이 아닙니다.",
	"The interface %s names the test %q, which is not one of its tests.":                           "인터페이스 %s이(가) 가리키는 테스트 %q은(는) 이 체크포인트의 테스트가 아닙니다.",
	"A test in %s has no name, or does not say what it shows.":                                     "%s에 이름이 없거나 무엇을 보이는지 밝히지 않은 테스트가 있습니다.",
	"%s is not a test file, by its name and folder.":                                               "%s은(는) 이름과 폴더로 보아 테스트 파일이 아닙니다.",
	"%s is forbidden, but one of its files should change.":                                         "%s은(는) 금지되었는데, 바뀌어야 할 파일에 들어 있습니다.",
	"No file is named: list the changed files and the new files.":                                  "파일이 없습니다. 바꿀 파일과 새 파일을 적으세요.",
	"No interface is given: write the signatures of what is called from outside, or the routes.":   "인터페이스가 없습니다. 밖에서 부르는 것의 시그니처나 경로를 쓰세요.",
	"The interface in %s has no signature.":                                                        "%s의 인터페이스에 시그니처가 없습니다.",
	"The data flow is missing or too short: say what goes in, where it passes, what comes out.":    "데이터 흐름이 없거나 너무 짧습니다. 무엇이 들어가 어디를 거쳐 무엇이 나오는지 쓰세요.",
	"The test strategy is missing or too short: say which tests are written, and what each shows.": "테스트 전략이 없거나 너무 짧습니다. 어떤 테스트를 쓰고 각각 무엇을 보이는지 쓰세요.",
	"No risk is named: say what can go wrong.":                                                     "위험이 없습니다. 잘못될 수 있는 것을 쓰세요.",
	"The checklist is empty: list what must exist, with file, symbol and test.":                    "체크리스트가 비어 있습니다. 있어야 할 것을 파일, 심볼, 테스트와 함께 적으세요.",
	"The id of checklist item %q is empty or not unique.":                                          "체크리스트 항목 %q의 id가 비어 있거나 겹칩니다.",
	"%s names no file of the project.":                                                             "%s에 프로젝트의 파일이 없습니다.",
	"%s does not say what it does.":                                                                "%s에 하는 일이 없습니다.",
	"%s belongs to %s: a file has one owner.":                                                      "%s은(는) %s에 속합니다. 파일의 주인은 하나입니다.",
	"%s belongs to no part.":                                                                       "%s은(는) 어느 부분에도 속하지 않습니다.",
	"The background is too short: describe the problem in at least %d characters.":                 "배경이 너무 짧습니다. 문제를 %d자 이상으로 쓰세요.",
	"The scope is empty: list what is to be built.":                                                "구현 범위가 비어 있습니다. 만들 것을 적으세요.",
	"The plan has only %d characters; that is too short.":                                          "계획이 %d자뿐이어서 너무 짧습니다.",
	"Item %d (%s) has no criterion: say how to measure that it is done.":                           "항목 %d (%s)에 기준이 없습니다. 끝났음을 어떻게 재는지 쓰세요.",
	"%s appears twice.": "%s이(가) 두 번 나옵니다.",
	"The plan names %d edge cases: name at least %d, and what happens in each.": "경계 사례가 %d개뿐입니다. %d개 이상을, 각각 무슨 일이 생기는지와 함께 적으세요.",

	// packages and settings
	"The lock file changed because of packages listed in the spec.":                         "스펙에 있는 패키지 때문에 lock 파일이 바뀌었습니다.",
	"A replace directive was added to go.mod. Remove it.":                                   "go.mod에 replace 지시문이 추가되었습니다. 삭제하세요.",
	"A package listed in the spec was added.":                                               "스펙에 있는 패키지가 추가되었습니다.",
	"The lock file was changed. Jacquard installs the dependencies; undo your change.":      "lock 파일이 바뀌었습니다. 의존성은 Jacquard가 설치합니다. 변경을 되돌리세요.",
	"The lock file was changed.":                                                            "lock 파일이 바뀌었습니다.",
	"The %s changed.":                                                                       "%s이(가) 바뀌었습니다.",
	"This file takes too long to read. Split it, or write it more simply.":                  "이 파일은 읽는 데 너무 오래 걸립니다. 나누거나 더 단순하게 작성하세요.",
	"This file is larger than 1 MiB. Remove it, or generate its content when it is needed.": "1MiB보다 큰 파일입니다. 삭제하거나, 필요할 때 내용을 생성하세요.",
	"This is a binary file. Remove it.":                                                     "바이너리 파일입니다. 삭제하세요.",
	"This looks like %s. Do not put secrets into files; read it from the environment.":      "비밀 값(%s)으로 보입니다. 비밀 값을 파일에 넣지 말고 환경 변수에서 읽으세요.",
	"The agent's report says \"%s\".":                                                       "에이전트의 보고에 \"%s\"(이)라고 되어 있습니다.",

	// claims and held-out calls
	"Item %s is not in the list. In `tests`, use only items of the list.":                                                                                       "항목 %s은(는) 목록에 없습니다. `tests`에는 목록의 항목만 쓰세요.",
	"`tests` names the test %s for %s, but there is no such test.":                                                                                              "`tests`에 %[2]s의 테스트로 %[1]s이(가) 있지만 그런 테스트는 없습니다.",
	"Item %s has changed, but the tests you name for it have not. Change their assertions; if only its wording differs, say so in `unclear`.":                   "항목 %s은(는) 바뀌었는데 그 테스트는 바뀌지 않았습니다. 단언문을 바꾸세요. 표현만 바뀌었다면 `unclear`에 쓰세요.",
	"The tests for %s pass with stubs that do nothing and return nothing. Assert the value from the spec: %s.":                                                  "%s의 테스트가 아무것도 하지 않는 스텁에서도 통과합니다. 스펙의 값을 단언하세요: %s.",
	"The spec says that %s is raised, but the tests for %s do not name it. Assert which error is raised, not only that there is one.":                           "스펙에는 %s이(가) 발생한다고 되어 있지만 %s의 테스트에 그 이름이 없습니다. 오류가 나는지만 보지 말고 어떤 오류인지 단언하세요.",
	"%d of %d calls in held_out cannot be made: %s. Write calls of these exports with literals: %s.":                                                            "held_out 호출 %[2]d개 중 %[1]d개를 실행할 수 없습니다: %[3]s. 다음 export를 리터럴로 호출하세요: %[4]s.",
	"%d of %d calls that are in no test give a different result than %s. One of them: %s. The code must work for every input, not only for those in the tests.": "테스트에 없는 호출 %[2]d개 중 %[1]d개의 결과가 예상과 다릅니다 (%[3]s). 그중 하나: %[4]s. 코드는 테스트의 입력만이 아니라 모든 입력에서 맞아야 합니다.",
	"%d of %d calls that are in no test give a different result than %s. One of them: %s. Work out the right result; if the code is right, leave it.":           "테스트에 없는 호출 %[2]d개 중 %[1]d개의 결과가 예상과 다릅니다 (%[3]s). 그중 하나: %[4]s. 올바른 결과를 따져 보고, 코드가 맞으면 그대로 두세요.",
	"%d of %d calls that are in no test give a different result than %s. One of them: %s.":                                                                      "테스트에 없는 호출 %[2]d개 중 %[1]d개의 결과가 예상과 다릅니다 (%[3]s). 그중 하나: %[4]s.",

	"another agent expects from the spec":                                      "다른 에이전트가 스펙에서 예상한 값",
	"another agent expects from the request":                                   "다른 에이전트가 요청에서 예상한 값",
	"so none of %d items is covered yet":                                       "그래서 항목 %d개 중 아직 다룬 것이 없습니다",
	"does not compile: %s":                                                     "컴파일되지 않습니다: %s",
	"it does not compile: %s":                                                  "컴파일되지 않습니다: %s",
	"%s A dispute may correct tests, not weaken them; they stay as they were.": "%s 이의 제기로 테스트를 바로잡을 수는 있지만 약하게 만들 수는 없습니다. 테스트는 그대로 둡니다.",
	"no reviewer has answered":                                                 "답한 검토자가 없습니다",

	"%s of the %s (%s): %s.":                        "%[2]s의 %[1]s (%[3]s): %[4]s.",
	"no test that ran covers %s (%s): %s":           "실행된 테스트 중 %s(%s)을(를) 다루는 것이 없습니다: %s",
	"the error case %s needs a test of its own: %s": "오류 사례 %s에는 별도의 테스트가 필요합니다: %s",

	// examples
	"New rows of the test %s fail. %s":                                                                                                                                                                "테스트 %s에 새로 추가된 행이 실패합니다. %s",
	"The commit message says: %s. Called outside the tests, it gives: %s.":                                                                                                                            "커밋 메시지: %s. 테스트 밖에서 호출하면: %s.",
	"The agreed behavior is: %s. Called outside the tests, it gives: %s.":                                                                                                                             "합의한 동작: %s. 테스트 밖에서 호출하면: %s.",
	"The new test %s also passes when %s returns another value (%s:%d: %s). Assert what it returns.":                                                                                                  "새 테스트 %s은(는) %s이(가) 다른 값을 반환해도 통과합니다(%s:%d: %s). 반환값을 단언하세요.",
	"The spec says: %s. Called outside the tests, it gives: %s.":                                                                                                                                      "스펙: %s. 테스트 밖에서 호출하면: %s.",
	"The new test %s is skipped here, so it shows nothing.":                                                                                                                                           "새 테스트 %s은(는) 여기서 건너뛰므로 아무것도 보여 주지 않습니다.",
	"Tests pass alone and fail when all run together, and did not before the change: %s.":                                                                                                             "혼자 실행하면 통과하지만 모두 함께 실행하면 실패하는 테스트가 있으며, 변경 전에는 그렇지 않았습니다: %s.",
	"The test %s never enters the loop in which it asserts. Assert that there is something to go through.":                                                                                            "테스트 %s은(는) 단언하는 반복문에 한 번도 들어가지 않습니다. 반복할 것이 있는지 단언하세요.",
	"The test %s computes what it expects as %s does, so it can't notice a mistake there. Write the value.":                                                                                           "테스트 %s은(는) 기대하는 값을 %s와(과) 똑같이 계산하므로 그 안의 실수를 감지할 수 없습니다. 값을 직접 쓰세요.",
	"No test checks the limit in line %d of %s: tests also pass where %s.":                                                                                                                            "%[2]s의 %[1]d행 경계값을 보는 테스트가 없습니다. %[3]s 테스트가 통과합니다.",
	"%s never uses its parameter %s.":                                                                                                                                                                 "%s은(는) 매개변수 %s을(를) 전혀 사용하지 않습니다.",
	"%s.%s uses %s, which methods change, without the lock that others take.":                                                                                                                         "%s.%s은(는) 메서드가 바꾸는 %s을(를) 다른 메서드가 잡는 잠금 없이 사용합니다.",
	"The test %s asserts only in loops, and comes into none of them. Assert that there is something to go through.":                                                                                   "테스트 %s은(는) 반복문 안에서만 단언하는데, 어느 반복문에도 들어가지 않습니다. 반복할 것이 있는지 단언하세요.",
	"The test runner loads this file before the tests. Users of the code do not get what it does.":                                                                                                    "테스트 러너가 테스트 전에 이 파일을 불러옵니다. 코드를 쓰는 사람에게는 그 효과가 없습니다.",
	"%s Without the change it succeeds: something fails outside of the tests, such as a promise that nobody waits for.":                                                                               "%s 변경이 없으면 성공합니다. 기다리지 않는 promise처럼 테스트 밖의 무언가가 실패합니다.",
	"%s gives an error for each of %d inputs, and tests expect nothing else. Test an input that works.":                                                                                               "%s은(는) 입력 %d개 모두에 오류를 내고, 테스트도 오류만 기대합니다. 성공하는 입력을 테스트하세요.",
	"%s gives %s now where it gave an error before, such as for %s. No test expects that.":                                                                                                            "%s이(가) 전에는 오류를 내던 곳에서 이제 %s을(를) 줍니다. 예: %s. 이를 기대하는 테스트가 없습니다.",
	"%s gives %s, but %s after %d other calls. Compute the result from the arguments alone.":                                                                                                          "%s의 결과는 %s인데, 다른 호출 %[4]d번 뒤에는 %[3]s입니다. 인수만으로 결과를 계산하세요.",
	"%s gives %s, but %s after %d other calls. Compute the result from the arguments alone, or say in the spec what state the module keeps.":                                                          "%s의 결과는 %s인데, 다른 호출 %[4]d번 뒤에는 %[3]s입니다. 인수만으로 결과를 계산하거나, 모듈이 유지하는 상태를 스펙에 밝히세요.",
	"%s changes its argument. The spec says that arguments stay unchanged; work on a copy.":                                                                                                           "%s이(가) 인수를 바꿉니다. 스펙에 따르면 인수는 그대로여야 합니다. 복사본으로 작업하세요.",
	"%s returns an object that an earlier call returned, or that it got as an argument. The spec says that results are not shared; return a copy.":                                                    "%s이(가) 이전 호출의 결과나 인수로 받은 객체를 반환합니다. 스펙에 따르면 결과를 공유하지 않습니다. 복사본을 반환하세요.",
	"For every input tried between two of the tests, %s gives the result of one of them: %s gives %s, as %s does. Compute the result for every input. If the spec wants such steps, name them there.": "테스트의 두 입력 사이에서 시도한 모든 입력에 대해 %s이(가) 둘 중 하나의 결과를 냅니다: %s의 결과는 %s이며 %s의 결과와 같습니다. 모든 입력의 결과를 계산하세요. 스펙이 이런 단계를 원한다면 스펙에 적으세요.",
	"%s gives the expected results of the spec and the tests, such as %s, but %s for every other input tried: %s, …. Compute the result for every input. If this table is part of the spec, put it in Domain Context or Protocol.": "%s은(는) 스펙과 테스트의 예상 결과(예: %s)는 내지만, 시도한 다른 입력에는 모두 %s을(를) 냅니다: %s, …. 모든 입력의 결과를 계산하세요. 이 표가 스펙의 일부라면 Domain Context나 Protocol에 넣으세요.",
	"The code contains the inputs of the tests (%s). Compute the result for every input. If this table is part of the spec, put it in Domain Context or Protocol.":                                                                 "코드에 테스트의 입력이 들어 있습니다 (%s). 모든 입력의 결과를 계산하세요. 이 표가 스펙의 일부라면 Domain Context나 Protocol에 넣으세요.",
	"This returns the expected values of the tests (%s gives %s, …) instead of computing them. Implement the behavior for every input. If this table is part of the spec, put it in Domain Context or Protocol.":                   "계산하지 않고 테스트의 예상 값을 반환합니다 (%s → %s, …). 모든 입력에 대해 동작을 구현하세요. 이 표가 스펙의 일부라면 Domain Context나 Protocol에 넣으세요.",
	"Tests use %s to set something up before they call the code, the code reads it, and the spec does not mention it. Code must behave the same with and without tests.":                                                           "테스트가 코드를 호출하기 전에 %s(으)로 설정한 것을 코드가 읽는데, 스펙에는 없는 내용입니다. 코드는 테스트가 있든 없든 똑같이 동작해야 합니다.",

	// exports and types
	"The spec no longer lists %s, but the module exports it. Remove the export.":                            "%s은(는) 이제 스펙에 없는데 모듈이 내보냅니다. export를 없애세요.",
	"The spec exports %s, but no source file of the module has that name.":                                  "스펙은 %s을(를) 내보내지만, 모듈의 소스 파일 어디에도 그 이름이 없습니다.",
	"The export %s is gone; refactoring must keep all exports.":                                             "export %s이(가) 사라졌습니다. 리팩터링은 모든 export를 유지해야 합니다.",
	"The signature of %s changed from %q to %q; refactoring must keep signatures.":                          "%s의 시그니처가 %q에서 %q(으)로 바뀌었습니다. 리팩터링은 시그니처를 유지해야 합니다.",
	"The export %s is new; refactoring must not add exports.":                                               "export %s이(가) 새로 생겼습니다. 리팩터링은 export를 추가하면 안 됩니다.",
	"It uses %s, which the spec no longer has. Remove it, also from imports and helpers.":                   "스펙에서 없어진 %s을(를) 씁니다. import와 도우미에서도 없애세요.",
	"%s = %s of the Domain Context does not appear in the module's code; make it a named constant or limit": "Domain Context의 %s = %s이(가) 모듈 코드에 없습니다. 이름 있는 상수나 한계값으로 쓰세요",
	"%s. Update the spec, or make the code do what the spec says.":                                          "%s. 스펙을 고치거나, 코드를 스펙에 맞추세요.",
	"The spec says when %s is raised, but no code uses it. Raise it there.":                                 "스펙에는 %s이(가) 언제 발생하는지 있지만 쓰는 코드가 없습니다. 그곳에서 발생시키세요.",

	// build, linter, commands
	"The build fails":                                     "빌드 실패",
	"The linter reports problems":                         "린터가 문제를 보고함",
	"The change removes something that `%s` needs: %s":    "변경이 `%s`에 필요한 것을 없앱니다: %s",
	"The build already fails without any change: %s":      "변경이 없어도 빌드가 실패합니다: %s",
	"%s changed; %s may need recompilation":               "%s이(가) 바뀌었습니다. %s을(를) 다시 빌드해야 할 수 있습니다",
	"A required command failed: %s":                       "필수 명령이 실패했습니다: %s",
	"%s is disputed by the agent that wrote the code: %q": "코드를 쓴 에이전트가 %s에 이의를 제기했습니다: %q",
	"%s was reviewed again by the agent that wrote it, which changed tests; all tests were verified again": "테스트를 쓴 에이전트가 %s을(를) 다시 검토하고 테스트를 바꾸었습니다. 모든 테스트를 다시 검증했습니다",
	"The build fails: %s":                                           "빌드 실패: %s",
	"The build fails, but outside the new code: %s":                 "빌드가 실패하지만 새 코드 밖에서 실패합니다: %s",
	"%s\nMake the code fit the test; if the test is wrong, say so.": "%s\n코드를 테스트에 맞추세요. 테스트가 틀렸다면 그렇게 쓰세요.",
	"The formatter failed: %s":                                      "포매터 실패: %s",
	"The linter says: %s":                                           "린터: %s",
	"The command `%s` cannot be run: %s":                            "명령 `%s`을(를) 실행할 수 없습니다: %s",
	"The command `%s` does not count: %s":                           "명령 `%s`은(는) 인정되지 않습니다: %s",
	"The command `%s` runs no test, so it proves nothing. It selects tests that do not exist.": "명령 `%s`은(는) 테스트를 하나도 실행하지 않아 아무것도 증명하지 못합니다. 없는 테스트를 고릅니다.",
	"The test run `%s` does not count: %s.":                                                    "테스트 실행 `%s`은(는) 인정되지 않습니다: %s.",
	"The test %s takes the place of %s, which passes with the change as well.":                 "테스트 %s이(가) %s을(를) 대신합니다. 이전 테스트도 변경 후에 통과합니다.",
	"`%s` fails, as it did before the change, and with nothing else: %s.":                      "`%s`은(는) 실패하지만 변경 전에도 같은 것으로 실패했습니다: %s.",
	"Tests failed, but the test runner exited with 0: something swallows its exit code.":       "테스트가 실패했는데 러너는 0으로 끝났습니다. 무언가가 종료 코드를 삼킵니다.",
	"The test does not compile: %s":                                                            "테스트가 컴파일되지 않습니다: %s",
	"The program `%s` %s %q. Its screen: %s":                                                   "프로그램 `%s`: %s %q. 화면: %s",

	// tests and their evidence
	"%s gives %s for all of %d inputs, such as %s and %s. Compute the result from what it is given.":                                                                "%[1]s의 결과가 입력 %[3]d개 모두에서 %[2]s입니다 (예: %[4]s, %[5]s). 주어진 값으로 결과를 계산하세요.",
	"No test takes the branch `%s` of %s, which changes what it does.":                                                                                              "%[2]s의 분기 `%[1]s`를 타는 테스트가 없는데, 이 분기는 동작을 바꿉니다.",
	"No test takes the branch `%s` of %s, which changes what it does. Test what the request says of this case; if it says nothing, the branch should not be there.": "%[2]s의 분기 `%[1]s`를 타는 테스트가 없는데, 이 분기는 동작을 바꿉니다. 이 경우에 대해 요청이 말하는 것을 테스트하세요. 요청에 없으면 이 분기는 없어야 합니다.",
	"No test takes the branch `%s` of %s, which changes what it does. Test what the spec says of this case; if it says nothing, the branch should not be there.":    "%[2]s의 분기 `%[1]s`를 타는 테스트가 없는데, 이 분기는 동작을 바꿉니다. 이 경우에 대해 스펙이 말하는 것을 테스트하세요. 스펙에 없으면 이 분기는 없어야 합니다.",
	"The tests reach %d of %d changed lines (%d %%). The first line not reached is %d.":                                                                             "테스트가 바뀐 줄 %[2]d개 중 %[1]d개에 도달합니다 (%[3]d %%). 도달하지 못한 첫 줄은 %[4]d입니다.",
	"This test file is frozen and was %s. Change the code so that the test passes unchanged.":                                                                       "고정된 테스트 파일이 바뀌었습니다 (%s). 테스트는 그대로 두고 통과하도록 코드를 바꾸세요.",
	"The merged tree has another version of this frozen test.":                                                                                                      "병합한 트리에 있는 고정 테스트의 내용이 다릅니다.",
	"The module has no frozen test, so nothing proves it.":                                                                                                          "모듈에 고정된 테스트가 없어 아무것도 증명하지 못합니다.",
	"The test %s did not run.": "테스트 %s이(가) 실행되지 않았습니다.",
	"The test %s did not run. Give it a name and a place where the runner finds it.":                                                                                                                  "테스트 %s이(가) 실행되지 않았습니다. 러너가 찾을 수 있는 이름과 위치로 바꾸세요.",
	"The test %s was skipped although it has no skip of its own; the code must let it run.":                                                                                                           "테스트 %s에 skip이 없는데 건너뛰었습니다. 코드가 테스트를 실행하게 해야 합니다.",
	"The test %s failed and then passed on the same tree. Find what differs between two runs.":                                                                                                        "테스트 %s이(가) 같은 트리에서 실패했다가 통과했습니다. 두 실행의 차이를 찾으세요.",
	"The test %s failed and then passed on the same tree.":                                                                                                                                            "테스트 %s이(가) 같은 트리에서 실패했다가 통과했습니다.",
	"The test %s failed and then passed on the same tree. It does not count against the change.":                                                                                                      "테스트 %s이(가) 같은 트리에서 실패했다가 통과했습니다. 변경의 문제로 치지 않습니다.",
	"The test %s failed and then passed on the same tree. It existed before and does not count against the change.":                                                                                   "테스트 %s이(가) 같은 트리에서 실패했다가 통과했습니다. 전부터 있던 테스트이므로 변경의 문제로 치지 않습니다.",
	"The test %s fails with the change, but not every time. It does not count against the change.":                                                                                                    "테스트 %s이(가) 변경 후 실패하지만 매번 그렇지는 않습니다. 변경의 문제로 치지 않습니다.",
	"There is no new or changed test. Write tests for the items of the spec in %s.":                                                                                                                   "새로 쓰거나 바꾼 테스트가 없습니다. 스펙 항목의 테스트를 %s에 쓰세요.",
	"The test %s was changed, but the spec of what it tests was not. Put it back as it was, and test new behavior in a separate test.%s":                                                              "테스트 %s이(가) 바뀌었는데 그 스펙은 바뀌지 않았습니다. 원래대로 되돌리고, 새 동작은 별도의 테스트로 검사하세요.%s",
	"The test %s is gone, but what it tests is still in the spec. Put it back as it was.%s":                                                                                                           "테스트 %s이(가) 사라졌는데 그 내용은 아직 스펙에 있습니다. 원래대로 되돌리세요.%s",
	"It cannot be loaded although every export of the spec can be imported%s: %s":                                                                                                                     "스펙의 export를 모두 가져올 수 있는데도 로드되지 않습니다%s: %s",
	"The test %s fails for an unrelated reason: %s":                                                                                                                                                   "테스트 %s이(가) 관계없는 이유로 실패합니다: %s",
	"The test %s was skipped; a test that does not run proves nothing.":                                                                                                                               "테스트 %s을(를) 건너뛰었습니다. 실행되지 않는 테스트는 아무것도 증명하지 못합니다.",
	"The test %s is skipped here, so it proves nothing.":                                                                                                                                              "테스트 %s은(는) 여기서 건너뛰므로 아무것도 증명하지 못합니다.",
	"The test %s is skipped. Remove the skip.":                                                                                                                                                        "테스트 %s을(를) 건너뜁니다. skip을 없애세요.",
	"The test %s ran before and is skipped now. Remove the skip.":                                                                                                                                     "전에 실행되던 테스트 %s을(를) 이제 건너뜁니다. skip을 없애세요.",
	"The test %s is gone. It fails with the change, but not every time.":                                                                                                                              "테스트 %s이(가) 사라졌습니다. 변경이 있으면 실패하지만, 항상 실패하지는 않습니다.",
	"The build failed and then succeeded on the same tree. It does not count against the change.":                                                                                                     "같은 트리에서 빌드가 실패했다가 성공했습니다. 변경의 잘못으로 보지 않습니다.",
	"This code returns the expected values of the tests instead of computing them.":                                                                                                                   "이 코드는 계산하지 않고 테스트가 기대하는 값을 돌려줍니다.",
	"Existing tests expect something else now. Their old versions fail with the change: %s.":                                                                                                          "기존 테스트가 이제 다른 것을 기대합니다. 예전 버전은 변경이 있으면 실패합니다: %s.",
	"Existing tests expect something else now. With the change, but with %s as before, they fail: %s.":                                                                                                "기존 테스트가 이제 다른 것을 기대합니다. 변경이 있고 %s이(가) 이전과 같으면 실패합니다: %s.",
	"The test %s passed before and is marked to fail now. Remove the mark.":                                                                                                                           "전에 통과하던 테스트 %s이(가) 이제 실패하는 테스트로 표시되었습니다. 표시를 없애세요.",
	"What tests use was loosened. With it as before, they pass without the change and fail with it: %s. With it as it is now, they pass with and without the change. Restore it and fix the code.":    "테스트가 쓰는 코드나 데이터가 느슨해졌습니다. 이전 것을 쓰면 변경 없이는 통과하고 변경이 있으면 실패하는 테스트: %s. 지금 것을 쓰면 어느 쪽이든 통과합니다. 되돌리고 코드를 고치세요.",
	"What tests use sees less than before. With it as it was, tests in %s kill a mutant in line %d of %s (%s). No test kills it now.":                                                                 "테스트가 쓰는 코드나 데이터가 이전보다 덜 확인합니다. 이전 것을 쓰면 %s의 테스트가 %d번째 줄(%s)의 변이를 감지합니다(%s). 지금은 어떤 테스트도 감지하지 못합니다.",
	"What tests use sees less than before. With it as it was, tests in %s kill a mutant in line %d of %s (%s). Of the tests that are there now, only others do.":                                      "테스트가 쓰는 코드나 데이터가 이전보다 덜 확인합니다. 이전 것을 쓰면 %s의 테스트가 %d번째 줄(%s)의 변이를 감지합니다(%s). 지금은 다른 테스트만 감지합니다.",
	"The test %s passes without the change and is skipped with it (cases: %d of %d). Let it run again.":                                                                                               "테스트 %s은(는) 변경 없이는 통과하고 변경이 있으면 건너뜁니다(케이스: %d/%d). 다시 실행되게 하세요.",
	"%d tests pass without the change and are skipped with it, such as %s (cases: %d of %d). Let them run again.":                                                                                     "테스트 %d개가 변경 없이는 통과하고 변경이 있으면 건너뜁니다. 예: %s(케이스: %d/%d). 다시 실행되게 하세요.",
	"This fails although its tests pass: something fails after their end, or outside of them. %s":                                                                                                     "테스트는 통과하지만 전체는 실패합니다. 테스트가 끝난 뒤나 테스트 밖에서 무언가 실패합니다. %s",
	"The installation does not compile: %s":                                                                                                                                                           "설치 중 컴파일에 실패합니다: %s",
	"The test %s was loosened. Its old version passes without the change and fails with it; its new version passes with and without it. Restore it and fix the code, or assert what is expected now.": "테스트 %s이(가) 느슨해졌습니다. 이전 버전은 변경 없이는 통과하고 변경이 있으면 실패하며, 새 버전은 어느 쪽이든 통과합니다. 테스트를 되돌리고 코드를 고치거나, 이제 기대하는 값을 단언하세요.",

	"The test %s ran and passed before, and no longer runs. Let it run again.":        "전에 실행되어 통과하던 테스트 %s이(가) 더는 실행되지 않습니다. 다시 실행되게 하세요.",
	"The tests %s ran and passed before, and no longer run (%s). Let them run again.": "전에 실행되어 통과하던 테스트 %s이(가) 더는 실행되지 않습니다(%s개). 다시 실행되게 하세요.",

	"Tests that passed before no longer run: %s. Put them back; if the behavior changed, change what they assert.":                                                                                                  "전에 통과하던 테스트가 더는 실행되지 않습니다: %s. 되돌리세요. 동작이 바뀌었다면 단언문을 바꾸세요.",
	"Tests that passed before are skipped now: %s. Remove the skip.":                                                                                                                                                "전에 통과하던 테스트를 이제 건너뜁니다: %s. skip을 없애세요.",
	"The test %s is gone. Put it back; if the behavior changed, change its assertions.":                                                                                                                             "테스트 %s이(가) 사라졌습니다. 되돌리세요. 동작이 바뀌었다면 단언문을 바꾸세요.",
	"The test %s is gone, but it passes with the change. Put it back; a test may go only if the behavior that it checks has changed.":                                                                               "테스트 %s이(가) 사라졌는데 변경 후에도 통과합니다. 되돌리세요. 검사하는 동작이 바뀐 테스트만 없앨 수 있습니다.",
	"%s The plan does not name this file. Put the old tests back, or, if the request requires the new expectations, leave them and give the sentence that requires them as the reason of the file in `more_files`.": "%s 계획에 없는 파일입니다. 기존 테스트를 되돌리거나, 요청이 새 기대값을 요구한다면 그대로 두고 그 근거가 되는 문장을 `more_files`에 이 파일의 이유로 적으세요.",
	"The module exports %s, which its spec does not list. Make it private.":                                                                                                                                         "모듈이 스펙에 없는 %s을(를) 내보냅니다. 비공개로 바꾸세요.",
	"The test %s is gone, but it passes with the change. ":                                                                                                                                                          "테스트 %s이(가) 사라졌는데, 변경이 있어도 통과합니다. ",
	"The test %s is gone, but it passes with the change. Put it back.":                                                                                                                                              "테스트 %s이(가) 사라졌는데, 변경이 있어도 통과합니다. 되돌리세요.",
	"The test %s is gone. It passes without the change, but fails with it: %s. ":                                                                                                                                    "테스트 %s이(가) 사라졌습니다. 변경이 없으면 통과하고 있으면 실패합니다: %s. ",
	"The test %s is gone. It passes without the change, but fails with it: %s. Put it back and fix the code, or write a test for the new behavior.":                                                                 "테스트 %s이(가) 사라졌습니다. 변경이 없으면 통과하고 있으면 실패합니다: %s. 되돌리고 코드를 고치거나, 새 동작의 테스트를 쓰세요.",
	"%sNew or changed tests mention everything that it called.":                                                                                                                                                     "%s그 테스트가 호출하던 것은 모두 새로 쓰거나 바꾼 테스트에 있습니다.",
	"The test %s asserts less than before, and its old version fails with the change. Assert as much of the new behavior.":                                                                                          "테스트 %s이(가) 전보다 적게 단언하며, 이전 버전은 변경 후 실패합니다. 새 동작도 같은 만큼 단언하세요.",
	"The test %s asserts less than before. Keep the old assertions.":                                                                                                                                                "테스트 %s이(가) 전보다 적게 단언합니다. 기존 단언문을 유지하세요.",
	"The test %s was changed. Its old version passes and kills a mutant in line %d of %s (%s).":                                                                                                                     "테스트 %s이(가) 바뀌었습니다. 이전 테스트는 통과하면서 %[3]s %[2]d번째 줄의 변이를 감지합니다(%[4]s).",
	"The tests pass without the change and fail with it: %s":                                                                                                                                                        "변경이 없으면 통과하는 테스트가 변경 후 실패합니다: %s",
	"The tests %s were changed. Their old versions pass and kill a mutant in line %d of %s (%s).":                                                                                                                   "테스트 %s이(가) 바뀌었습니다. 이전 테스트는 통과하면서 %[3]s %[2]d번째 줄의 변이를 감지합니다(%[4]s).",
	"What the test %s calls was changed. With its old version, the test kills a mutant in line %d of %s (%s). Now it kills none.":                                                                                   "테스트 %s이(가) 부르는 코드가 바뀌었습니다. 이전 코드로는 %[3]s %[2]d번째 줄의 변이를 감지하지만(%[4]s), 지금은 아무 변이도 감지하지 못합니다.",
	"What the tests %s call was changed. With its old version, they kill a mutant in line %d of %s (%s). Now they kill none.":                                                                                       "테스트 %s이(가) 부르는 코드가 바뀌었습니다. 이전 코드로는 %[3]s %[2]d번째 줄의 변이를 감지하지만(%[4]s), 지금은 아무 변이도 감지하지 못합니다.",
	"The test %s passes before it comes to its end, which its old version reached. Remove what ends it early.":                                                                                                      "테스트 %s이(가) 끝에 이르기 전에 통과합니다. 이전 버전은 끝까지 실행되었습니다. 일찍 끝내는 코드를 없애세요.",
	"The project's own commands run its tests with %s no longer.":                                                                                                                                                   "프로젝트 자체 명령이 더는 %s(으)로 테스트를 실행하지 않습니다.",
	"The script %s does nothing now, and no other command of the project runs its tests, which ran and passed before (%d), such as %s. Let it run them again.":                                                      "이제 스크립트 %s은(는) 아무것도 하지 않으며, 전에 실행되어 통과하던 프로젝트의 테스트(%d개, 예: %s)를 실행하는 다른 명령이 없습니다. 테스트를 다시 실행하게 하세요.",
	"A failing test was added to try the runner. With the change it exits with 0, without it does not: no test can fail any more. Remove what swallows the exit code.":                                              "러너를 시험하려고 실패하는 테스트를 추가해 보았습니다. 변경 후에는 0으로 종료되고 변경 전에는 그렇지 않습니다. 어떤 테스트도 더는 실패할 수 없습니다. 종료 코드를 삼키는 부분을 없애세요.",
	"%s No test kills it now.":                                                                                                              "%s 이제는 감지하는 테스트가 없습니다.",
	"%s Of the tests that are there now, only others do.":                                                                                   "%s 지금은 다른 테스트만 감지합니다.",
	"%s Its old version kills a mutant in line %d of %s (%s), which it does not any more.":                                                  "%s 이전 버전은 %[3]s %[2]d번째 줄의 변이를 감지했지만(%[4]s) 이제는 아닙니다.",
	"The test %s mocks %s, which it should test. Call the code as its users do.":                                                            "테스트 %s이(가) 검사해야 할 %s을(를) mock으로 바꿉니다. 사용자처럼 코드를 호출하세요.",
	"A build constraint keeps these tests from running (%s). Remove it.":                                                                    "빌드 제약 때문에 이 테스트들이 실행되지 않습니다 (%s). 없애세요.",
	"The test %s is marked so that other tests do not run. Remove the mark.":                                                                "테스트 %s의 표시 때문에 다른 테스트가 실행되지 않습니다. 표시를 없애세요.",
	"The assertions of the test %s can never fail. Assert what the code does.":                                                              "테스트 %s의 단언문은 결코 실패할 수 없습니다. 코드의 동작을 단언하세요.",
	"%s, which tests call, has assertions that can never fail (%d).":                                                                        "테스트가 호출하는 %s에 결코 실패할 수 없는 단언문이 있습니다 (%d개).",
	"The test %s has assertions that can never fail (%d).":                                                                                  "테스트 %s에 결코 실패할 수 없는 단언문이 있습니다 (%d개).",
	"This equality is always true, so every assertion passes. Compare the values.":                                                          "이 비교는 항상 참이어서 모든 단언문이 통과합니다. 값을 비교하세요.",
	"The test %s has no known assertion. Assert what the code does, with the test framework or a helper called check…, assert… or expect….": "테스트 %s에 알려진 단언문이 없습니다. 테스트 프레임워크나 이름이 check…, assert…, expect…인 도우미로 코드의 동작을 단언하세요.",
	"This ends the test run with success even if tests failed. Remove it.":                                                                  "테스트가 실패해도 실행을 성공으로 끝냅니다. 없애세요.",
	"This keeps tests from being collected. Remove it.":                                                                                     "테스트가 수집되지 않게 합니다. 없애세요.",
	"A hook that changes how tests are collected or reported is not allowed. Remove it.":                                                    "테스트의 수집이나 보고를 바꾸는 hook은 허용되지 않습니다. 없애세요.",
	"TestMain does not call m.Run, so no test runs.":                                                                                        "TestMain이 m.Run을 호출하지 않아 테스트가 하나도 실행되지 않습니다.",
	"This line hides the failure of a check. Let the exit code through.":                                                                    "이 줄은 검사의 실패를 숨깁니다. 종료 코드를 그대로 전하세요.",
	"No test covers the change.":                                                                                                            "변경을 다루는 테스트가 없습니다.",
	"No test reaches the changed lines of %s.":                                                                                              "%s의 바뀐 줄에 도달하는 테스트가 없습니다.",
	"No test reaches %s.": "%s에 도달하는 테스트가 없습니다.",
	"No test notices when %s is wrong, such as in line %d: %s. Write a test that fails without the change and passes with it.":                        "%s의 변이를 감지하는 테스트가 없습니다 (예: %d번째 줄, %s). 변경이 없으면 실패하고 있으면 통과하는 테스트를 쓰세요.",
	"No mutant can be made of the changed lines of %s, so nothing shows that a test checks them. Write one that fails without the change.":            "%s의 바뀐 줄에는 변이를 만들 수 없어, 테스트가 그 줄을 확인하는지 알 수 없습니다. 변경이 없으면 실패하는 테스트를 쓰세요.",
	"Tests kill %d of %d mutants in the changed lines of %s, and not that in line %d: %s. Test this change, or undo it if the task does not need it.": "%[3]s의 바뀐 줄에 있는 변이 %[2]d개 가운데 %[1]d개만 감지되고, %[4]d번째 줄의 변이는 감지되지 않습니다: %[5]s. 이 변경을 테스트하세요. 작업에 필요하지 않으면 되돌리세요.",
	"Tests kill mutants of %s, but none in its changed lines, such as in line %d: %s.":                                                                "테스트가 %s의 변이를 감지하지만, 바뀐 줄의 변이는 감지하지 못합니다 (예: %d번째 줄, %s).",
	"This file is generated, and no test notices all of its change. Generate it again and compare.":                                                   "생성된 파일이고, 바뀐 내용을 모두 감지하는 테스트가 없습니다. 다시 생성해서 비교하세요.",
	"Tests kill %d of %d mutants in the changed lines of %s, and not that in line %d: %s.":                                                            "%[3]s의 바뀐 줄에 있는 변이 %[2]d개 가운데 %[1]d개만 감지되고, %[4]d번째 줄의 변이는 감지되지 않습니다: %[5]s.",
	"No test notices when %s is wrong, such as in line %d: %s.":                                                                                       "%s의 변이를 감지하는 테스트가 없습니다 (예: %d번째 줄, %s).",
	"The test %s passes without the change as well.%s":                                                                                                "테스트 %s은(는) 변경이 없어도 통과합니다.%s",
	"The test %s passes without the change as well, and no other new test fails without it, so nothing proves the change. Assert what is new; if no test can show it, say why in `untested` (a command of the task, such as one with the race detector, counts too).": "테스트 %s은(는) 변경이 없어도 통과하고, 변경 없이 실패하는 다른 새 테스트도 없어서 변경이 증명되지 않습니다. 새 동작을 단언하세요. 테스트로 보일 수 없다면 `untested`에 이유를 쓰세요(경쟁 탐지기처럼 작업에 속한 명령도 인정됩니다).",
	"The tests pass without the change as well, so nothing proves it. Assert what is new; if no test can show it, say why in `untested`.":                                                                                                                             "테스트가 변경이 없어도 통과하므로 변경이 증명되지 않습니다. 새 동작을 단언하세요. 테스트로 보일 수 없다면 `untested`에 이유를 쓰세요.",
	"The test %s passes with the current code, so it does not show what is wrong or missing. Assert what should happen but does not.":                                                                                                                                 "테스트 %s은(는) 현재 코드에서 통과하므로 무엇이 잘못되었거나 없는지 보여 주지 못합니다. 일어나야 하지만 일어나지 않는 것을 단언하세요.",
	"The test %s did not reach its assertions. It must run with the current code: use only what exists. %s":                                                                                                                                                           "테스트 %s이(가) 단언문에 도달하지 못했습니다. 현재 코드에서 실행되어야 하니 있는 것만 쓰세요. %s",
	"The new tests could not be run without the change: %s":                                 "변경이 없는 상태에서 새 테스트를 실행할 수 없었습니다: %s",
	"The new test %s fails. %s":                                                             "새 테스트 %s이(가) 실패합니다. %s",
	"The new test %s does not run: its file ends the runner before any test has run.":       "새 테스트 %s이(가) 실행되지 않습니다. 그 파일이 테스트가 하나도 실행되기 전에 실행기를 끝냅니다.",
	"The test %s passes without the change and fails with it. %s":                           "테스트 %s은(는) 변경이 없으면 통과하고 있으면 실패합니다. %s",
	"Tests that pass without the change cannot be run with it. %s":                          "변경이 없으면 통과하는 테스트를 변경 후에는 실행할 수 없습니다. %s",
	"No test fails when %s returns %s (%s:%d). Compare its result with the expected value.": "%s이(가) %s을(를) 반환해도 실패하는 테스트가 없습니다 (%s:%d). 결과를 예상 값과 비교하세요.",
	"`%s` (%s): no test fails when %s.":                                                     "`%s` (%s): 이 변이에 실패하는 테스트가 없습니다(%s).",
	"The test %s passes when %s fails at each call, and when it does nothing. Wait for what it calls, and compare the result with the expected value.":                                 "테스트 %s은(는) %s이(가) 호출될 때마다 실패해도, 아무것도 하지 않아도 통과합니다. 호출한 것을 기다리고 결과를 예상 값과 비교하세요.",
	"The test %s passes when %s (line %d) gives another value. Compare the result with the expected value.":                                                                            "테스트 %s은(는) %s(%d행)이(가) 다른 값을 돌려줘도 통과합니다. 결과를 예상 값과 비교하세요.",
	"No new test fails when %s does nothing. Test what it does, or remove it.":                                                                                                         "%s이(가) 아무것도 하지 않아도 실패하는 새 테스트가 없습니다. 그것이 하는 일을 테스트하거나 없애세요.",
	"The new tests pass when %s fails at each call, and when it does nothing, so they do not reach it. Call the changed code, and compare its results with the expected values.":       "새 테스트는 %s이(가) 호출될 때마다 실패해도, 아무것도 하지 않아도 통과하므로 그 코드에 닿지 않습니다. 변경된 코드를 호출하고 결과를 예상 값과 비교하세요.",
	"No new test fails when the new code is mutated: %d mutants were tried, such as another return value, and all survived. Compare the results of the code with the expected values.": "새 코드를 변이해도 실패하는 새 테스트가 없습니다. 반환값을 바꾸는 등 변이 %d개를 시도했는데 모두 살아남았습니다. 코드의 결과를 예상 값과 비교하세요.",
	"%s Write one that fails without the change and passes with it; if no test can show the change, say why in `untested`.":                                                            "%s 변경이 없으면 실패하고 있으면 통과하는 테스트를 쓰세요. 테스트로 보일 수 없는 변경이라면 `untested`에 이유를 쓰세요.",
	"%s Write one that fails without the change and passes with it, unless no test can see the change; that it is obvious is no reason. The agent says: %s":                            "%s 변경이 없으면 실패하고 있으면 통과하는 테스트를 쓰세요. 어떤 테스트로도 볼 수 없는 변경이라면 예외지만, 당연하다는 것은 이유가 되지 않습니다. 에이전트의 설명: %s",
	"The project's own test command runs no new or changed test. Write one that fails without the requested change.":                                                                   "프로젝트의 테스트 명령이 새로 쓰거나 바꾼 테스트를 하나도 실행하지 않습니다. 요청한 변경이 없으면 실패하는 테스트를 쓰세요.",

	// code
	"%s ignores its parameter %s. Use it as requested.":                                                                  "%s이(가) 매개변수 %s을(를) 무시합니다. 요청대로 쓰세요.",
	"%s rejects some values of %s and otherwise ignores it. Use it as requested.":                                        "%s이(가) %s의 일부 값을 거부할 뿐 그 밖에는 쓰지 않습니다. 요청대로 쓰세요.",
	"%s must be safe for concurrent use, but %s.%s uses %s, which methods change, without a lock. Guard every use.":      "%s은(는) 동시에 써도 안전해야 하는데, %s.%s이(가) 메서드들이 바꾸는 %s을(를) 잠금 없이 씁니다. 쓰는 곳마다 보호하세요.",
	"A build constraint (%s) gives users different code than the tests. Remove it, unless the spec or request names it.": "빌드 제약(%s) 때문에 사용자의 코드와 테스트의 코드가 다릅니다. 스펙이나 요청에 없다면 없애세요.",
	"The code checks how Python was started. Code must behave the same with and without tests.":                          "코드가 Python이 어떻게 시작되었는지 확인합니다. 코드는 테스트가 있든 없든 똑같이 동작해야 합니다.",
	"%s Code must behave the same with and without tests.":                                                               "%s 코드는 테스트가 있든 없든 똑같이 동작해야 합니다.",
	"A library must not end the process with success. Return an error instead.":                                          "라이브러리가 프로세스를 성공으로 끝내면 안 됩니다. 오류를 반환하세요.",
	"The error of %s is discarded in a function that returns errors. Return it.":                                         "오류를 반환하는 함수가 %s의 오류를 버립니다. 반환하세요.",
	"Give the number %s a name that says what it means.":                                                                 "숫자 %s에 뜻을 나타내는 이름을 붙이세요.",
	"A bare except hides every mistake. Name the exceptions that you expect.":                                            "예외를 지정하지 않은 except는 모든 실수를 숨깁니다. 예상하는 예외를 적으세요.",
	"Every error becomes a value here, and nobody hears of it. Catch what you expect.":                                   "여기서는 모든 오류가 값이 되고 아무도 오류를 알지 못합니다. 예상하는 오류만 잡으세요.",
	"Every error is caught and ignored here. Handle it, or let it through.":                                              "여기서 모든 오류를 잡아서 무시합니다. 처리하거나 그대로 전하세요.",
	"An error is caught and ignored here. Handle it, or let it through.":                                                 "여기서 오류를 잡아서 무시합니다. 처리하거나 그대로 전하세요.",
	"An error is checked and ignored here. Handle it, or return it.":                                                     "여기서 오류를 확인만 하고 무시합니다. 처리하거나 반환하세요.",
	"Finish this instead of leaving a note: %s":                                                                          "메모를 남기지 말고 마무리하세요: %s",
	"Fix what the tool reports instead of silencing it, or name the rule and the reason.":                                "도구의 보고를 숨기지 말고 고치거나, 규칙과 이유를 적으세요.",

	// specs compared with code
	"%s: %s (`%s`)":                                                                  "%s: %s (`%s`)",
	"%s has no member %s":                                                            "%s에 멤버 %s이(가) 없습니다",
	"others cannot use it":                                                           "밖에서 쓸 수 없습니다",
	"Cannot read file: %s":                                                           "파일을 읽을 수 없습니다: %s",
	"%s leaves the module: %s":                                                       "%s이(가) 모듈을 벗어납니다: %s",
	"it is private in the code":                                                      "코드에서 비공개입니다",
	"The spec exports %s, but %s":                                                    "스펙은 %s을(를) 내보내지만, %s",
	"not all of the code can be read":                                                "읽을 수 없는 코드가 있습니다",
	"its code may create it at run time":                                             "코드가 실행 중에 만들 수 있습니다",
	"no source file of the module has it":                                            "모듈의 소스 파일에 없습니다",
	"its type is not exported by the code":                                           "코드가 그 타입을 내보내지 않습니다",
	"Structure lists %s, which does not exist":                                       "Structure에 있는 %s이(가) 존재하지 않습니다",
	"the code has the name without exporting it":                                     "코드에 이름이 있지만 내보내지 않습니다",
	"The contract of %s and its code differ: %s":                                     "%s의 계약과 코드가 다릅니다: %s",
	"The spec mentions %s, which does not exist":                                     "스펙에 있는 %s이(가) 존재하지 않습니다",
	"Structure does not list %s, which is a module":                                  "모듈인 %s이(가) Structure에 없습니다",
	"The spec is not valid: jacquard spec check %s":                                  "스펙이 올바르지 않습니다: jacquard spec check %s",
	"missing required subsection '### %s' in '## %s'":                                "'## %[2]s'에 필수 하위 절 '### %[1]s'이(가) 없습니다",
	"the code re-exports names that cannot be resolved":                              "코드가 다시 내보내는 이름을 확인할 수 없습니다",
	"The spec sets %s to %s, the code to %s":                                         "%s의 값이 스펙에서는 %s, 코드에서는 %s입니다",
	"The code exports %s, which the spec does not list":                              "코드가 내보내는 %s이(가) 스펙에 없습니다",
	"The spec depends on %s, but there is no such module":                            "스펙은 %s에 의존하지만 그런 모듈이 없습니다",
	"The code imports %s, which depends on this module: %s":                          "코드가 가져오는 %s이(가) 이 모듈에 의존합니다: %s",
	"The code imports %s, which Dependencies does not name":                          "코드가 가져오는 %s이(가) Dependencies에 없습니다",
	"No test has a word of this scenario in its name: %s → %s":                       "이름에 이 시나리오의 낱말이 있는 테스트가 없습니다: %s → %s",
	"The spec is gone, but the code built from it is still there":                    "스펙이 사라졌지만 그 스펙으로 빌드한 코드는 남아 있습니다",
	"The spec depends on %s, but no file of the module imports it":                   "스펙은 %s에 의존하지만 모듈의 어느 파일도 가져오지 않습니다",
	"The code imports the package %s, which Dependencies does not name":              "코드가 가져오는 패키지 %s이(가) Dependencies에 없습니다",
	"The spec depends on the package %s, but no file of the module imports it":       "스펙은 패키지 %s에 의존하지만 모듈의 어느 파일도 가져오지 않습니다",
	"The spec changed since the code was built from it: behavior is not compared":    "코드를 빌드한 뒤에 스펙이 바뀌었습니다. 동작은 비교하지 않습니다",
	"The spec exports %s, but none of the files built for the module exists anymore": "스펙은 %s을(를) 내보내지만, 모듈을 위해 만든 파일이 하나도 남아 있지 않습니다",

	// why a verdict is unknown
	"%s fails without the change as well: %s":                                                                         "%s은(는) 변경이 없어도 실패합니다: %s",
	"the time limit was reached before there was a result":                                                            "결과가 나오기 전에 시간 제한에 도달했습니다",
	"new or changed tests fail without the change and pass with it (%d), but whether they notice more is unknown: %s": "새로 쓰거나 바꾼 테스트가 변경 없이는 실패하고 변경이 있으면 통과하지만(%d개), 그 밖의 것도 감지하는지는 알 수 없습니다. %s",
	"the project's own tests pass, but whether they see the change is unknown: %s":                                    "프로젝트의 테스트는 통과하지만 변경을 확인하는지는 알 수 없습니다. %s",
	"mutants are made only of Go, JavaScript, TypeScript, Python, Rust, Java and Kotlin":                              "변이는 Go, JavaScript, TypeScript, Python, Rust, Java, Kotlin에만 만듭니다",
	"mutants are made only where the tests run with a runner of the language of %s":                                   "변이는 %s의 언어로 된 테스트 실행기가 있을 때만 만듭니다",
	"the project's own tests fail without the change as well: %s":                                                     "프로젝트의 테스트가 변경 전에도 실패합니다: %s",
	"new tests fail": "새 테스트가 실패합니다",
	"tests fail, and none of them passed without the change":                                                                             "테스트가 실패하지만, 변경 전에 통과한 것은 그중에 없습니다",
	"Jacquard does not read the language of %s, and found no tests to run. To run the project's tests, set checks.test in jacquard.yaml": "Jacquard가 %s의 언어를 읽지 못하고, 실행할 테스트도 찾지 못했습니다. 프로젝트의 테스트를 실행하려면 jacquard.yaml에 checks.test를 쓰세요",
	"no test that reaches the change passes here, with or without it: %s":                                                                "변경에 도달하는 테스트 중 여기서 통과하는 것이 변경이 있든 없든 하나도 없습니다: %s",
	"tests fail (%d), and there was no time to check whether they failed before":                                                         "테스트가 실패하는데(%d개), 이전에도 실패했는지 확인할 시간이 없었습니다",
	"the change can't be mutated, and no test fails without it. To prove it, add a test that does":                                       "변경을 변이시킬 수 없고, 변경이 없을 때 실패하는 테스트도 없습니다. 증명하려면 그런 테스트를 추가하세요",

	"A command of another agent fails: %s. It gives: %s. If the command itself is wrong, leave the code.": "다른 에이전트의 명령이 실패합니다: %s. 결과: %s. 명령 자체가 잘못되었다면 코드를 그대로 두세요.",

	"%s gives %s, but %s in another process: sets have no order. Sort what comes from one, or keep the order of the input.":                                           "%s의 결과는 %s인데, 다른 프로세스에서는 %s입니다. 집합에는 순서가 없습니다. 집합에서 나온 것을 정렬하거나 입력의 순서를 지키세요.",
	"%s gives %s, but %s for an iterator of the same values. Its signature takes any iterable: read it once.":                                                         "%s의 결과는 %s인데, 같은 값의 이터레이터를 주면 %s입니다. 시그니처에 따르면 어떤 iterable이든 받아야 합니다. 한 번만 읽으세요.",
	"%s fails: %s. The spec says that any length will do; use a loop.":                                                                                                "%[1]s 호출은 %[2]s 오류로 실패합니다. 스펙은 어떤 길이든 된다고 하니 반복문을 쓰세요.",
	"%s gives something else when a function that it is given takes longer for what comes first. Keep the order of the input, or say in the spec which order counts.": "%s은(는) 인자로 받은 함수가 앞의 값에서 더 오래 걸리면 다른 결과를 냅니다. 입력 순서를 지키거나, 어떤 순서가 중요한지 스펙에 적으세요.",
	"%s gives %s, but %s in another time zone. Compute it from what is given and in UTC, or say in the spec which time zone counts.":                                  "%s의 결과는 %s인데, 다른 시간대에서는 %s입니다. 주어진 값에서 UTC로 계산하거나, 어느 시간대를 쓰는지 스펙에 적으세요.",
	"This lock is made anew for each call, so it guards nothing. Make it once, beside what it guards.":                                                                "이 잠금은 호출할 때마다 새로 만들어져 아무것도 보호하지 못합니다. 보호할 것 옆에 한 번만 만드세요.",
	"%s must be safe for concurrent use, but %s reads and changes %s without a lock. Guard every use.":                                                                "%s은(는) 동시에 써도 안전해야 하지만 %s이(가) 잠금 없이 %s을(를) 읽고 바꿉니다. 모든 사용을 보호하세요.",

	"The code names its spec %s. Compute the results instead.":                   "코드가 자기 스펙 %s의 이름을 씁니다. 결과를 직접 계산하세요.",
	"The code reads its own text or documentation. Compute the results instead.": "코드가 자기 소스나 문서를 읽습니다. 결과를 직접 계산하세요.",
	"%s fails by an assert alone, which python -O leaves out. Raise an error.":   "%s은(는) assert로만 실패하는데, python -O에서는 assert가 없어집니다. 오류를 발생시키세요.",

	// refusals that are gone
	"%s no longer refuses what it refused with %s, but the request does not mention it. Put the check back, or say why it must go.": "%s이(가) %s(으)로 거부하던 것을 이제 거부하지 않지만 요청에는 그런 말이 없습니다. 검사를 되돌리거나, 왜 없애야 하는지 설명하세요.",
	"%s no longer refuses what it refused with %s. If that is intended, test what it gives now.":                                    "%s이(가) %s(으)로 거부하던 것을 이제 거부하지 않습니다. 의도한 것이라면 지금의 결과를 테스트하세요.",

	// what a judgement had no time for
	"the build":                               "빌드",
	"what was left at the time limit":         "시간 제한까지 끝나지 않은 나머지",
	"tests that the change reaches: %d files": "변경이 닿는 테스트: 파일 %d개",
	"tests that the change reaches: %d files; last time they took longer than %d s": "변경이 닿는 테스트: 파일 %d개. 지난번에는 %d초 넘게 걸렸습니다",
	"tests that reach the change indirectly: %d files":                              "변경에 간접적으로 닿는 테스트: 파일 %d개",
	"all tests of %s, to see whether its commands still run them":                   "%s의 모든 테스트(명령이 아직 그 테스트를 실행하는지 확인)",
	"calls in the messages of the commits":                                          "커밋 메시지에 있는 호출",
	"calls of functions of %s outside the tests":                                    "테스트 밖에서 %s의 함수를 호출하기",
	"mutants of functions: %d of %d functions":                                      "함수의 변이: 함수 %d/%d개",
	"mutants for the tests beside %s":                                               "%s 옆의 테스트를 위한 변이",
	"mutants for some of the tests beside %s":                                       "%s 옆의 일부 테스트를 위한 변이",
	"mutants for the changed tests of %s":                                           "%s의 바뀐 테스트를 위한 변이",
	"mutants for the changed tests of %d more files":                                "파일 %d개의 바뀐 테스트를 위한 변이",
	"mutants for the new tests of %s":                                               "%s의 새 테스트를 위한 변이",

	// adopt
	"it has no sources to adopt; build it":                                                              "등록할 소스가 없습니다. 빌드하세요",
	"its code is in several languages, so nothing was run; to record it as it is, use --unchecked":      "코드가 여러 언어로 되어 있어 아무것도 실행하지 않았습니다. 그대로 기록하려면 --unchecked를 쓰세요",
	"no test file counts as its own; these would: %s. Rename its tests, write some, or use --unchecked": "이 모듈의 테스트로 인정되는 파일이 없습니다. 인정되는 파일: %s. 테스트 파일의 이름을 바꾸거나, 테스트를 쓰거나, --unchecked를 사용하세요",
	"it has no tests that could pass; write some, build it, or use --unchecked":                         "통과할 테스트가 없습니다. 테스트를 쓰거나, 빌드하거나, --unchecked를 쓰세요",
	"its checks do not pass":                 "검사를 통과하지 못합니다",
	"its checks do not pass; %s":             "검사를 통과하지 못합니다; %s",
	"examples of its spec that fail: %d; %s": "실패하는 스펙 예시: %d개; %s",
}

// findingParts has the Korean of what findings name: kinds of configuration, mutants.
var findingParts = map[string]string{
	"the condition is negated":                        "조건을 뒤집음",
	"the statement is dropped":                        "문장을 제거함",
	"another string is returned":                      "다른 문자열을 반환함",
	"No test that fails without the change names it.": "변경이 없으면 실패하는 테스트 중에 이것을 부르는 것이 없습니다.",
	"Neither the request nor a new test mentions it: undo it, or write a test that expects it.": "요청에도 새 테스트에도 없는 내용입니다. 되돌리거나, 이를 기대하는 테스트를 쓰세요.",
	"This task must not change what the code does.":                                             "이 작업은 코드의 동작을 바꾸면 안 됩니다.",
	"the code looks for a test runner, so tests don't show what users get":                      "코드가 테스트 러너를 찾으므로, 테스트로는 사용자가 받는 결과를 알 수 없습니다",
	"nothing is returned":          "아무것도 반환하지 않음",
	"another value is returned":    "다른 값을 반환함",
	"test runner configuration":    "테스트 러너 설정",
	"CI configuration":             "CI 설정",
	"lint or format configuration": "린트 또는 포맷 설정",
	"type checker configuration":   "타입 검사기 설정",
	"build configuration":          "빌드 설정",
	"package manifest":             "패키지 매니페스트",
	"lock file":                    "lock 파일",
	"git hooks":                    "git 훅",
	"git attributes":               "git 속성",
	"git configuration":            "git 설정",
	"agent settings":               "에이전트 설정",
	"editor settings":              "편집기 설정",
	"environment file":             "환경 파일",
	"configuration of Jacquard":    "Jacquard 설정",
}

// koreanFacts has the Korean wording of what stands beside findings: what could not be called, built or read.
var koreanFacts = map[string]string{
	"Git now rejects commits in which exports and stated facts of specs differ from the code. No tests are run: jacquard verify does that. To undo this, delete the file": "이제 스펙의 내보내기와 명시된 사실이 코드와 다르면 git이 커밋을 거부합니다. 테스트는 실행하지 않습니다. 테스트는 jacquard verify가 실행합니다. 해제하려면 파일을 삭제하세요",
	"if the spec is right, correct %s, then run: jacquard build %s": "스펙이 맞으면 %s을(를) 고친 뒤 실행하세요: jacquard build %s",
	"⚠ the build failed before the undo and still fails: %s\n":      "⚠ 취소하기 전에도 빌드가 실패했고 지금도 실패합니다: %s\n",
	"    %d of %d examples could be called: %s\n":                   "    예시 %[2]d개 중 %[1]d개만 호출할 수 있었습니다: %[3]s\n",
}
