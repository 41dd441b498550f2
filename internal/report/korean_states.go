package report

import "sync"

// koreanStates has the Korean of states of runs and modules, as they are shown. JSON and what is stored have their English.
var koreanStates = map[string]string{
	// runs
	"running": "실행 중", "waiting": "답변 대기", "parked": "재개 대기", "paused": "일시 정지", "interrupted": "중단됨", "stuck": "진행 불가",
	"done": "완료", "failed": "실패", "cancelled": "취소됨",
	// records of modules
	"built": "빌드됨", "red": "테스트만 있음", "kept": "그대로 둠", "unchecked": "확인 안 됨",
}

// State is the state of a run or of a module's record in the language l.
func (l Lang) State(state string) string {
	if ko, ok := koreanStates[state]; ok && l == Korean {
		return ko
	}
	return state
}

// koreanPermissions has the Korean of what jacquard.yaml asks for, as it is shown. What a person has allowed is kept by its English.
var koreanPermissions = map[string]string{
	"copy %s": "파일 복사: %s",
	"%s (the agent %s, which connects to its model directly: the budget does not apply)":                                "%s (에이전트 %s: 모델에 직접 연결하므로 예산이 적용되지 않음)",
	"%s with your %s (the agent %s, which connects to its model directly: the budget does not apply)":                   "%s, 환경 변수 %s 사용 (에이전트 %s: 모델에 직접 연결하므로 예산이 적용되지 않음)",
	"push a branch to origin and open a pull request there (pr: true)":                                                  "origin에 브랜치를 푸시하고 풀 리퀘스트 열기 (pr: true)",
	"comment on an issue at origin, or open one (issue: true)":                                                          "origin의 이슈에 댓글을 달거나 이슈 열기 (issue: true)",
	"push the results of runs to refs/jacquard/ on the hub, where workers share them (pool: %s)":                        "실행 결과를 허브의 refs/jacquard/에 푸시하여 워커끼리 공유 (pool: %s)",
	"send this repository's history and the results of pool runs to %s, with the credentials in your environment (hub)": "이 저장소의 이력과 풀 실행 결과를 환경의 자격 증명으로 %s에 보내기 (hub)",
	"spend up to %s on each run, with your key or login (budget)":                                                       "실행마다 내 키나 로그인으로 최대 %s 쓰기 (budget)",
	"run agents and checks in a weaker sandbox (sandbox: level: partial)":                                               "에이전트와 검사를 더 약한 샌드박스에서 실행 (sandbox: level: partial)",
	"run agents and checks without Jacquard's sandbox (sandbox: level: %s)":                                             "에이전트와 검사를 Jacquard의 샌드박스 없이 실행 (sandbox: level: %s)",
	"let workers run agents and checks at the sandbox level %s (sandbox: workers)":                                      "워커가 에이전트와 검사를 샌드박스 수준 %s(으)로 실행 (sandbox: workers)",
	"let agents and checks read %s (sandbox: read)":                                                                     "에이전트와 검사가 %s 읽기 (sandbox: read)",
	"let agents and checks change %s (sandbox: write)":                                                                  "에이전트와 검사가 %s 바꾸기 (sandbox: write)",
	"let agents and checks connect to %s on this machine (sandbox: connect)":                                            "에이전트와 검사가 이 컴퓨터의 %s에 연결 (sandbox: connect)",
	"let installations reach %s (sandbox: install)":                                                                     "설치할 때 %s에 접속 (sandbox: install)",
	"let each command start %s processes (sandbox: limits: pids)":                                                       "명령마다 프로세스 %s개까지 시작 (sandbox: limits: pids)",
	"let each command use %s (sandbox: limits: %s)":                                                                     "명령마다 %s까지 사용 (sandbox: limits: %s)",
	"send %s results to %s": "%s 결과를 %s에 보내기",
}

var permissions = sync.OnceValue(func() []wording { return wordings(koreanPermissions) })

// Permission is a permission that jacquard.yaml asks for in the language l. A command stays as it is.
func (l Lang) Permission(en string) string {
	if l != Korean {
		return en
	}
	return reworded(permissions(), en, func(value string) string { return value })
}

// koreanLabels has the Korean of what a line of doctor is about.
var koreanLabels = map[string]string{
	"account": "계정", "agent": "에이전트", "author": "작성자", "build": "빌드", "cache": "캐시", "checks": "검사", "cluster": "클러스터", "disk": "디스크",
	"format": "포맷", "hub": "허브", "install": "설치", "journal": "저널", "lint": "린트", "member": "구성원", "network": "네트워크", "pool": "풀", "prepare": "준비",
	"project": "프로젝트", "sandbox": "샌드박스", "search": "검색", "session": "세션", "specs": "스펙", "test": "테스트", "tests": "테스트", "trust": "신뢰",
}

// Label is what a line of doctor is about in the language l. Names of programs stay.
func (l Lang) Label(en string) string {
	if ko, ok := koreanLabels[en]; ok && l == Korean {
		return ko
	}
	return en
}
