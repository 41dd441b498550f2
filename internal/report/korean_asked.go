package report

// koreanAsked has the Korean wording of lines that workflows write into questions, reasons and results. The record has them in English, since
// an answer is to the same question in every language; a person reads them in his own (Lang.Asked).
var koreanAsked = map[string]string{
	// a requirement and a plan that wait for an approval
	"edited:":                     "수정한 내용:",
	"Your edit was not accepted:": "수정한 내용을 받아들일 수 없습니다:",
	"task:":                       "작업:",
	"plan:":                       "계획:",
	"A plan comes next:":          "다음은 계획입니다:",
	"added: %s":                   "추가됨: %s",
	"assumed: %s":                 "가정: %s",
	"no command checks it: check it yourself at the end": "확인하는 명령이 없습니다. 끝에 직접 확인하세요",
	"… there is more; jacquard edit shows the rest":      "… 더 있습니다. 나머지는 jacquard edit로 보세요",
	"for FR-%s":  "대상: FR-%s",
	"for NFR-%s": "대상: NFR-%s",
	"for AC-%s":  "대상: AC-%s",
	"%s (done)":  "%s (완료)",

	// why there is a plan, and why none
	"requested: %s":             "요청한 방식: %s",
	"small enough for one task": "작업 하나로 충분히 작습니다",
	"needs a plan: functional requirements: %d (max %d)":    "계획이 필요합니다. 기능 요구사항: %d개 (최대 %d개)",
	"needs a plan: non-functional requirements: %d (max 0)": "계획이 필요합니다. 비기능 요구사항: %d개 (최대 0개)",
	"needs a plan: criteria: %d (max %d)":                   "계획이 필요합니다. 인수 조건: %d개 (최대 %d개)",
	"needs a plan: criteria without a command: %d (max 0)":  "계획이 필요합니다. 명령이 없는 인수 조건: %d개 (최대 0개)",
	"tasks in a row: %d (limit of a pipeline %d)":           "차례로 하는 작업: %d개 (파이프라인의 한도 %d개)",
	"tasks: %d, some in parallel; longest chain: %d":        "작업: %d개, 일부는 동시에. 가장 긴 순서: %d개",

	// objections that a person may overrule
	"The plan of %s does not pass its gates:":                 "%s의 계획이 검사를 통과하지 못합니다:",
	"The design of %s does not pass its gate:":                "%s의 설계가 검사를 통과하지 못합니다:",
	"The critic did not approve the plan of %s in %d rounds:": "비평가가 %s의 계획을 %d번 검토하고도 승인하지 않았습니다:",
	"The architect rejected %s %d times:":                     "아키텍트가 %s을(를) %d번 거부했습니다:",
	"The findings in %s are not fixed:":                       "%s에서 발견된 문제가 해결되지 않았습니다:",
	"The agent says: %s":                                      "에이전트: %s",
	"%s (%s) of %s is done. Continue? If you reject it, it goes back to the agent once, with your reason.":                                   "%[3]s의 %[1]s 단계(%[2]s)가 끝났습니다. 계속할까요? 거부하면 그 이유와 함께 에이전트에게 한 번 돌아갑니다.",
	"The checks of %s (%s) found the following. Fix it? skip leaves it and finishes; a rejection with a reason is fixed as the reason says.": "%s (%s)의 검사에서 다음 문제가 발견되었습니다. 고칠까요? skip은 그대로 두고 끝냅니다. 이유와 함께 거부하면 그 이유대로 고칩니다.",
	"%s was not judged: %s":     "%s: 판정하지 않았습니다: %s",
	"%s cannot be measured: %s": "%s: 측정할 수 없습니다: %s",
	"no verdict: %s":            "판정이 없습니다: %s",
	"no verdict could be read":  "판정을 읽을 수 없습니다",

	// why a module is built, and why not
	"%s staged for commit":                                             "%s: 커밋하려고 스테이징됨",
	"%s modified but not staged":                                       "%s: 수정되었고 스테이징되지 않음",
	"%s not yet tracked by git":                                        "%s: 아직 git이 추적하지 않음",
	"Full compilation requested":                                       "전체 빌드를 요청함",
	"No source code files found (first compile)":                       "소스 파일이 없음 (첫 빌드)",
	"Spec changed since its last compile":                              "마지막 빌드 이후 스펙이 바뀜",
	"Generated files are missing: %s":                                  "생성된 파일이 없음: %s",
	"Conventions changed since the last compile":                       "마지막 빌드 이후 컨벤션이 바뀜",
	"Planning section of IMPLEMENTS.md changed since the last compile": "마지막 빌드 이후 IMPLEMENTS.md의 계획 부분이 바뀜",
	"Tests are delivered, the implementation is not":                   "테스트는 전달되었고 구현은 아직임",
	"Kept files changed: %s":                                           "보존된 파일이 바뀜: %s",
	"Kept files are to be written again":                               "보존된 파일을 다시 써야 함",
	"Frozen tests are missing: %s":                                     "고정된 테스트가 없음: %s",
	"files were edited by hand since the last compile: %s":             "마지막 빌드 이후 손으로 수정된 파일: %s",
	"Nothing records that this code was checked against its spec":      "이 코드가 스펙과 대조되었다는 기록이 없음",
	"Use --all for full compilation.":                                  "전체를 빌드하려면 --all을 쓰세요.",
	"%s changed its interface":                                         "%s의 인터페이스가 바뀜",

	// what became of a result
	"it is not verified: %s":                            "검증되지 않았습니다: %s",
	"the plan was rejected: %s":                         "계획이 거부되었습니다: %s",
	"no valid requirement was written":                  "올바른 요구사항이 작성되지 않았습니다",
	"the pull request stays as it is: %s":               "풀 리퀘스트는 그대로 둡니다: %s",
	"the branch %s exists already; the result is on %s": "브랜치 %s이(가) 이미 있습니다. 결과는 %s에 있습니다",
	"the branch %s is gone from %s":                     "브랜치 %s이(가) %s에 없습니다",
	"someone else pushed to %s, which is now at %s":     "다른 사람이 %s에 푸시했습니다. 지금은 %s입니다",
	"the work started on branch %s, which is no longer checked out; the result is on %s. To take it: git switch %s && git merge --ff-only %s": "작업은 브랜치 %s에서 시작했는데 지금은 체크아웃되어 있지 않습니다. 결과는 %s에 있습니다. 가져오려면: git switch %s && git merge --ff-only %s",
	"the work started on branch %s, which no longer exists; the result is on %s. To bring it back: git branch %s %s":                          "작업은 브랜치 %s에서 시작했는데 지금은 없습니다. 결과는 %s에 있습니다. 되살리려면: git branch %s %s",

	// how a task ended, and warnings at the end
	"not reproduced":                   "재현되지 않음",
	"not reproduced: %s":               "재현되지 않음: %s",
	"blocked: %s was not built":        "막힘: %s이(가) 만들어지지 않았습니다",
	"edited: %s":                       "직접 수정한 파일: %s",
	"stopped: %s":                      "중지됨: %s",
	"%s also fails without the change": "%s은(는) 변경이 없어도 실패합니다",
	"%s: skipped by a person":          "%s: 사람이 건너뛰었습니다",
	"%s %s was not analysed: %s":       "%s %s을(를) 분석하지 못했습니다: %s",
	"%s is not part of it: %s":         "%s은(는) 포함되지 않았습니다: %s",
	"--opus had no effect: it applies to HEAVY only, and this run was %s": "--opus는 효과가 없었습니다. HEAVY에만 적용되는데 이 실행은 %s였습니다",
}
