package report

// Lang is the language of messages: "en" or "ko".
type Lang string

// The languages of messages.
const (
	English Lang = "en"
	Korean  Lang = "ko"
)

// T is a message, or the format of one, in the language l. Messages are written
// in English where they are used; one that korean does not have stays English.
func (l Lang) T(en string) string {
	if ko, ok := korean[en]; ok && l == Korean {
		return ko
	}
	return en
}

// korean has the Korean wording of every message. Those of compile are what
// people know from the original process.
var korean = map[string]string{
	// compile
	"%d up to date, %d kept as they are and not verified\n": "최신 상태 %d개, 유지되어 검증되지 않음 %d개\n",
	"%d to compile:\n":              "컴파일 대상 %d개:\n",
	"  … and %d more\n":             "  … 외 %d개\n",
	"%d up to date, skipped\n":      "최신 상태라 건너뜀: %d개\n",
	"  • %s - started (depth=%d)\n": "  • %s - 시작 (depth=%d)\n",
	"sent back":                     "되돌려 보냄",
	"strong enough":                 "충분히 강함",
	"weak":                          "약함",
	"undone":                        "되돌림",
	"⚠ %s:%d: %s is not there\n":    "⚠ %s:%d: %s 없음\n",
	"✓ the conventions are where they have to be\n":       "✓ 컨벤션이 모두 제자리에 있습니다\n",
	"%s %s: %s, %d %% of its exports are specified\n":     "%s %s: %s, 내보내기의 %d %%가 스펙에 있습니다\n",
	"    the spec is not valid: jacquard spec check %s\n": "    스펙이 유효하지 않습니다: jacquard spec check %s\n",
	"✓ no interface changed between %s and %s\n":          "✓ %s와 %s 사이에 바뀐 인터페이스가 없습니다\n",
	"⚠ %s: breaks those who use it\n":                     "⚠ %s: 사용하는 쪽이 깨집니다\n",
	"✓ %s: breaks nothing\n":                              "✓ %s: 호환됩니다\n",
	"  through others: %s\n":                              "  간접 영향: %s\n",
	"to build again: %s\n":                                "다시 빌드: %s\n",
	"to look at: %s\n":                                    "확인 권장: %s\n",
	"    %s:%d: note: %s\n":                               "    %s:%d: 참고: %s\n",
	"%s would change:\n":                                  "%s 변경 예정:\n",
	"%s changed:\n":                                       "%s 변경됨:\n",
	"the hook is there already: %s\n":                     "훅이 이미 있습니다: %s\n",
	"a commit in which specs and code differ is refused now; to remove that, delete the file":           "이제 스펙과 코드가 다르면 커밋이 거부됩니다. 해제하려면 파일을 삭제하세요",
	"%s:1: note: it declares %s and never names it\n":                                                   "%s:1: 참고: %s를 선언했지만 사용하지 않습니다\n",
	"%s:1: note: it names %s and does not declare it\n":                                                 "%s:1: 참고: %s를 사용하지만 선언하지 않았습니다\n",
	"✓ %d skills and %d agents are valid\n":                                                             "✓ 스킬 %d개와 에이전트 %d개가 유효합니다\n",
	"✓ %s: %d exports\n":                                                                                "✓ %s: 내보내기 %d개\n",
	"next: say what each module is for and how it behaves (jacquard spec check), then jacquard adopt\n": "다음: 각 모듈의 목적과 동작을 적고 (jacquard spec check), jacquard adopt를 실행합니다\n",
	"Output written to: %s\n":                                                                           "저장됨: %s\n",
	"No missing sections to fix.\n":                                                                     "추가할 섹션이 없습니다.\n",
	"Fixed %d section(s): %s\n":                                                                         "섹션 %d개 추가: %s\n",
	"⚠ what is kept of source files is damaged; they are read again\n":                                  "⚠ 소스 파일에 대해 저장해 둔 내용이 손상되어 다시 읽습니다\n",
	"⚠ the symbol index is damaged; it is made again\n":                                                 "⚠ 심볼 색인이 손상되어 다시 만듭니다\n",
	"⚠ the symbol index cannot be read: %v\n":                                                           "⚠ 심볼 색인을 읽을 수 없습니다: %v\n",
	"⚠ the symbol index cannot be kept: %v\n":                                                           "⚠ 심볼 색인을 보관할 수 없습니다: %v\n",
	"✓ %d documents are valid\n":                                                                        "✓ 문서 %d개가 모두 유효합니다\n",
	"passed":                                                                                            "통과",
	", tests failing as they should: %d, review %d/100":                                                 ", 예상대로 실패한 테스트 %d개, 리뷰 %d/100",
	", tests %d passed, %d failed":                                                                      ", 테스트 %d passed, %d failed",
	"%d files, %d tests passed":                                                                         "파일 %d개, 테스트 %d passed",
	", %d of %d mutants noticed":                                                                        ", 변이 %d/%d 감지",
	"    failed before this run already, and still does: %s\n":                                          "    실행 전부터 실패하던 테스트가 여전히 실패합니다: %s\n",
	"    the spec is unclear at %s: %s (read as: %s)\n":                                                 "    스펙이 불분명합니다 (%s): %s (해석: %s)\n",
	"=== Generation finished ===":                                                                       "=== 생성 완료 ===",
	"CLAUDE.md in total: %d\n":                                                                          "총 CLAUDE.md: %d개\n",
	"Generated files: %d\n":                                                                             "생성된 파일: %d개\n",
	"Skipped files: %d\n":                                                                               "건너뛴 파일: %d개\n",
	"Tests: %d passed, %d failed\n":                                                                     "테스트: %d passed, %d failed\n",
	"Kept as they are, not verified: %d\n":                                                              "유지되어 검증되지 않음: %d개\n",
	"Not verified: %d (%d with warnings, %d blocked, %d with spec problems)\n":                          "검증되지 않음: %d개 (경고 %d, 차단 %d, 스펙 문제 %d)\n",
	"%d done, %d at work, %d waiting · %s · %s":                                                         "완료 %d, 진행 %d, 대기 %d · %s · %s",
	"the code does not pass its tests after %d attempts; it was not delivered. What is left to mend by hand:":                             "%d번 시도 후에도 테스트를 통과하지 못해 반영하지 않았습니다. 수동 수정 필요:",
	"a test is disputed, so it was not delivered. Compare it with the spec, and make the spec plain where it is not:":                     "이의가 제기된 테스트가 있어 반영하지 않았습니다. 테스트를 스펙과 비교하고, 불분명하면 스펙을 명확히 하세요:",
	"no valid tests came of three rounds; nothing was delivered:":                                                                         "세 번의 시도에서 유효한 테스트가 나오지 않아 반영하지 않았습니다:",
	"existing files that may not be changed do not do what the spec says. Change them, or use --conflict overwrite:":                      "변경할 수 없는 기존 파일이 스펙과 다릅니다. 직접 수정하거나 --conflict overwrite를 사용하세요:",
	"you changed these files during the run, so the module was left on its ref: %s. Take it with: jacquard diff --apply %s":               "실행 중 수정된 파일이 있어 반영하지 않았습니다: %s. 가져오기: jacquard diff --apply %s",
	"it does not work together with the other modules of this run; it was not delivered:":                                                 "다른 모듈과 함께 동작하지 않아 반영하지 않았습니다:",
	"tests of modules that use it fail with the new code, so it was not delivered. Change their specs as well, or take this change back:": "이 모듈을 사용하는 모듈의 테스트가 실패하여 반영하지 않았습니다. 해당 스펙도 수정하거나 변경을 되돌리세요:",
	"none of the named test files belongs to it; nothing was built. Name its own with --test-files, or run --phase red:":                  "이 모듈의 테스트 파일이 지정되지 않아 빌드하지 않았습니다. --test-files로 지정하거나 --phase red를 실행하세요:",
	"nobody said in which language to write it; nothing was built. Say it: --language %s=LANG":                                            "언어가 정해지지 않아 빌드하지 않았습니다: --language %s=LANG",
	"packages that the spec names could not be added:":                                                                                    "스펙에 있는 패키지를 추가하지 못했습니다:",
	"some items of the spec have no test of their own (review %d/100):":                                                                   "테스트가 없는 스펙 항목이 있습니다 (리뷰 %d/100):",
	"the tests notice less than half of small changes of the code:":                                                                       "코드의 작은 변경을 절반도 알아차리지 못하는 테스트입니다:",
	"its author says: %s":            "작성자의 말: %s",
	"missing - it will be generated": "없음 - 자동 생성",
	"no tokens":                      "토큰 사용 없음",
	"%s tokens, cost unknown":        "토큰 %s, 비용 알 수 없음",
	"%s tokens, $%.2f":               "토큰 %s, $%.2f",
	"In which language is %s to be written? The project does not say: %s": "%s의 언어를 알 수 없습니다. 선택하세요: %s",

	// compile, resume and what a run says while it goes on
	"run %s · budget %s · after Ctrl-C: jacquard resume %s\n": "실행 %s · 예산 %s · Ctrl-C로 중단한 뒤 재개: jacquard resume %s\n",
	"%s tokens": "토큰 %s",
	"run %s is unfinished; going on with it\n":    "끝나지 않은 실행을 이어서 진행합니다: %s\n",
	"run %s goes on: %d of %d modules are done\n": "실행 %s 재개: 모듈 %[3]d개 중 %[2]d개 완료\n",
	"budget: %s\n":                         "예산: %s\n",
	"  ⏸ %s: usage limit, goes on at %s\n": "  ⏸ %s: 사용 한도에 도달하여 %s에 재개합니다\n",
	"stopping: running turns are ended and kept; press Ctrl-C again to quit at once": "중지하는 중입니다. 진행 중인 턴을 끝내고 결과를 보존합니다. 즉시 종료하려면 Ctrl-C를 다시 누르세요",

	// why a run stands still
	"jacquard: run %s stopped: %s\n":                                                             "jacquard: 실행 %s 중지됨: %s\n",
	"Nothing is lost; after the repair: jacquard resume %s\n":                                    "지금까지의 작업은 보존되어 있습니다. 문제를 해결한 뒤 재개하세요: jacquard resume %s\n",
	"run %s was cancelled\n":                                                                     "실행 %s 취소됨\n",
	"interrupted; go on with: jacquard resume %s\n":                                              "중단되었습니다. 재개하려면: jacquard resume %s\n",
	"paused; go on with: jacquard resume %s\n":                                                   "일시 정지되었습니다. 재개하려면: jacquard resume %s\n",
	"waits until %s; go on then with: jacquard resume %s (or let it wait: --wait)\n":             "%s까지 대기합니다. 그 후 재개하려면: jacquard resume %s (끝까지 기다리려면: --wait)\n",
	"jacquard: run %s waits for a repair: %s\n":                                                  "jacquard: 실행 %s 대기 중, 먼저 해결할 문제: %s\n",
	"Nothing is lost; with a larger one (of the whole run): jacquard resume %s --budget 40usd\n": "지금까지의 작업은 보존되어 있습니다. 예산을 늘려(실행 전체 기준) 재개하세요: jacquard resume %s --budget 40usd\n",
	"Nothing is lost; when it is mended: jacquard resume %s\n":                                   "지금까지의 작업은 보존되어 있습니다. 해결한 뒤 재개하세요: jacquard resume %s\n",
	"? %s\n  jacquard answer %s --gate %s TEXT\n":                                                "? %s\n  jacquard answer %s --gate %s 답변\n",

	// ps, show, cost and signals
	"RUN":                      "실행",
	"WORKFLOW":                 "워크플로",
	"STATE":                    "상태",
	"STARTED":                  "시작",
	"TOOK":                     "소요 시간",
	"%s  %s  %s  started %s\n": "%s  %s  %s  시작 %s\n",
	"driven by %s\n":           "진행 중인 프로세스: %s\n",
	"waits for a repair: %s\nwhen it is mended: jacquard resume %s\n": "먼저 해결할 문제: %s\n해결한 뒤 재개하려면: jacquard resume %s\n",
	"then: jacquard resume %s\n":                                      "그 다음: jacquard resume %s\n",
	"? %s (jacquard answer %s --gate %s TEXT)\n":                      "? %s (jacquard answer %s --gate %s 답변)\n",
	"ended with: %s\n":                                                "종료 원인: %s\n",
	"MODULE":                                                          "모듈",
	"ROLE":                                                            "역할",
	"TURNS":                                                           "턴",
	"TOKENS":                                                          "토큰",
	"total: %s\n":                                                     "합계: %s\n",
	"run %s starts nothing new; jacquard resume carries it on\n":   "실행 %s: 새 작업을 시작하지 않습니다. 재개하려면 jacquard resume을 실행하세요\n",
	"run %s is being cancelled; its work stays on refs/jacquard\n": "실행 %s: 취소하고 있습니다. 작업은 refs/jacquard에 보존됩니다\n",
	"noted; go on with: jacquard resume %s\n":                      "기록했습니다. 재개하려면: jacquard resume %s\n",

	// errors and what to do about them
	"jacquard: write the answer: %v\n":          "jacquard: 결과를 출력할 수 없습니다: %v\n",
	". To go on all the same: --accept-changes": ". 그래도 진행하려면: --accept-changes",
	". Watch it: jacquard log -f %s":            ". 진행 상황 보기: jacquard log -f %s",

	// diff, init, recover, gc, spec, adopt
	"wrote %s\n": "작성됨: %s\n",
	"next: write a CLAUDE.md in the directory of a module, then jacquard compile --dry-run": "다음 단계: 모듈 디렉터리에 CLAUDE.md를 작성한 뒤 jacquard compile --dry-run을 실행하세요",
	"nothing is kept":              "보존된 작업이 없습니다",
	"nothing to free":              "정리할 것이 없습니다",
	"freed %s\n":                   "확보한 공간: %s\n",
	"  cannot be built: %s\n":      "  빌드할 수 없음: %s\n",
	"⚠ %s: not adopted: %s\n":      "⚠ %s: 등록하지 않음: %s\n",
	"✓ %s: %s (%d tests passed)\n": "✓ %s: %s (테스트 %d개 통과)\n",

	// trust
	"%s asks to run:\n  %s\n":                                       "%s에서 실행을 요청한 명령:\n  %s\n",
	"Allow them to run, as you and in this project? [y/N] ":         "이 프로젝트에서 현재 사용자 권한으로 실행하도록 허용하시겠습니까? [y/N] ",
	"nothing was allowed":                                           "아무것도 허용하지 않았습니다",
	"trusted: %d\n":                                                 "허용한 명령: %d개\n",
	"this project asks to run nothing of its own; nothing to trust": "이 프로젝트에는 실행을 요청한 명령이 없어 허용할 것이 없습니다",

	// doctor
	"%v: install git 2.38 or newer":                  "%v: git 2.38 이상을 설치하세요",
	"%s is too old: install 2.38 or newer":           "%s: 너무 오래된 버전입니다. 2.38 이상을 설치하세요",
	"git repository":                                 "git 저장소",
	"no git repository; a private one is kept in %s": "git 저장소가 아니므로 %s에 내부 저장소를 둡니다",
	"%s is not writable: %v":                         "%s에 쓸 수 없습니다: %v",
	"%s asks to run commands that are not trusted yet; see them and decide: jacquard trust": "%s에 아직 허용하지 않은 명령이 있습니다. 확인하고 결정하세요: jacquard trust",
	"Go modules":                        "Go 모듈",
	"TypeScript and JavaScript modules": "TypeScript 및 JavaScript 모듈",
	"Python modules":                    "Python 모듈",
	"Rust modules":                      "Rust 모듈",
	"Java and Kotlin modules":           "Java와 Kotlin 모듈",
	"not installed; needed for %s: %s":  "설치되어 있지 않습니다. %s에 필요합니다: %s",
	"Claude Code is not installed: npm install -g @anthropic-ai/claude-code (jacquard demo works without)": "Claude Code가 설치되어 있지 않습니다: npm install -g @anthropic-ai/claude-code (jacquard demo는 없어도 동작합니다)",
	"Claude Code %s at %s":                                         "Claude Code %s, 경로: %s",
	"the account of the key or token in the environment":           "환경 변수의 키 또는 토큰 계정",
	"paid by %s; budget of a run: %s":                              "결제: %s, 실행당 예산: %s",
	"%v: move %s away; work is kept on refs, see jacquard recover": "%v: %s 파일을 다른 곳으로 옮기세요. 작업은 ref에 보존되어 있습니다(jacquard recover)",
	"%d runs, %d unfinished":                                       "실행 %d개, 미완료 %d개",
	"read the quarantine: %v":                                      "격리 목록을 읽을 수 없습니다: %v",
	"%s until %s":                                                  "%s (%s까지)",
	"in quarantine because they flake; mend them: %s":              "결과가 불안정하여 격리된 테스트입니다. 수정하세요: %s",

	// demo
	"A sample project with four modules is in %s\nThe answers of the agent are written in advance; git, the tests, RED and GREEN are real.\n": "모듈 4개로 된 예제 프로젝트를 만들었습니다: %s\n에이전트의 응답은 미리 작성된 것이고, git과 테스트, RED, GREEN은 실제로 실행됩니다.\n",
	"1. Compile, and kill the program in the middle of it:\n   $ jacquard compile":                                                            "1. 컴파일하다가 도중에 프로그램을 강제 종료합니다:\n   $ jacquard compile",
	"   … killed (kill -9)\n": "   … 강제 종료됨 (kill -9)\n",
	"2. Resume: what was finished is not done again:\n   $ jacquard resume":                                      "2. 재개합니다. 이미 끝난 작업은 다시 하지 않습니다:\n   $ jacquard resume",
	"\n3. Once more: nothing to do:\n   $ jacquard compile":                                                      "\n3. 한 번 더 실행하면 할 일이 없습니다:\n   $ jacquard compile",
	"\n4. One behaviour is added to discount/CLAUDE.md; only that module is built again:\n   $ jacquard compile": "\n4. discount/CLAUDE.md에 동작 하나를 추가합니다. 그 모듈만 다시 빌드합니다:\n   $ jacquard compile",
	"\nLook around:  cd %s && git status && cat jacquard.lock\nEvery attempt: %s show --root %s":                 "\n둘러보기:   cd %s && git status && cat jacquard.lock\n모든 시도: %s show --root %s",
	"%d to describe:\n":                    "문서화 대상 %d개:\n",
	"no CLAUDE.md":                         "CLAUDE.md 없음",
	"exports are missing in its CLAUDE.md": "CLAUDE.md에 빠진 내보내기가 있음",
	"✓ %s (new)\n":                         "✓ %s (새로 만듦)\n",
	"    not taken: %s\n":                  "    받아들이지 않음: %s\n",
	"assumed: %s %s\n":                     "가정함: %s %s\n",
	"nothing was written: what the agent specified is not sound; say the request otherwise, or try again\n": "아무것도 쓰지 않았습니다: 에이전트가 작성한 명세가 올바르지 않습니다. 요청을 다르게 표현하거나 다시 시도하세요\n",
	"%d written, %d kept as they are\n":                                                 "%d개 작성, %d개 그대로 둠\n",
	"specs written: %d; next: read them, then jacquard compile\n":                       "스펙 %d개 작성; 다음: 읽어 본 뒤 jacquard compile\n",
	"specs written: %d; next: write the Behavior of each module, then jacquard adopt\n": "스펙 %d개 작성; 다음: 각 모듈의 Behavior를 적은 뒤 jacquard adopt\n",
	"✓ every directory with code has a spec that lacks nothing code can tell\n":         "✓ 코드가 있는 모든 디렉터리에 스펙이 있고 코드로 알 수 있는 내용이 빠지지 않았습니다\n",
	"✓ %s: %d lines added\n":                                                            "✓ %s: %d줄 추가\n",
}
