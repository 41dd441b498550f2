package works

import (
	"slices"
	"strings"
)

// languages are those that the format has headings for; any other language gets English ones.
var languages = []string{"en", "ko", "ja"}

// headings are the titles of sections in the order of languages. A title that the format does not
// translate has one form.
var headings = [][]string{
	{"Original Request"},
	{"Functional Requirements", "Functional Requirements (기능 요구사항)", "Functional Requirements (機能要件)"},
	{"Non-Functional Requirements", "Non-Functional Requirements (비기능 요구사항)", "Non-Functional Requirements (非機能要件)"},
	{"Goal"},
	{"Task Dependency Graph"},
	{"Tasks"},
	{"Traceability"},
	{"WORK"},
	{"Dependencies"},
	{"Scope"},
	{"Files"},
	{"Acceptance Criteria"},
	{"Verify"},
	{"Summary", "요약", "サマリー"},
	{"Completed Checklist", "완료 체크리스트", "完了チェックリスト"},
	{"Verification Results", "검증 결과", "検証結果"},
	{"Verification"},
	{"Files Changed", "변경 파일", "変更ファイル"},
	{"Created"},
	{"Modified"},
	{"Deleted"},
	{"Issues Encountered", "발생 이슈", "発生した問題"},
	{"Notes for Subsequent Tasks", "후속 TASK 참고사항", "後続タスクへの注記"},
	{"Context Handoff", "컨텍스트 핸드오프", "コンテキスト引き継ぎ"},
	{"Builder Context (SUMMARY)"},
	{"Verifier Context (FULL)"},
	{"Log"},
	{"Background", "배경", "背景"},
	{"Options", "선택지", "選択肢"},
	{"Recommendation", "권고안", "推奨案"},
	{"Decision", "확정값", "決定値"},
	{"Decided by", "결정주체", "決定者"},
}

// aliases are other titles of real files.
var aliases = map[string]string{
	"목표": "Goal", "task 의존성 그래프": "Task Dependency Graph", "의존성 그래프": "Task Dependency Graph", "작업 목록": "Tasks", "task 목록": "Tasks",
	"tasks list": "Tasks", "추적표": "Traceability", "의존성": "Dependencies", "범위": "Scope", "파일": "Files", "인수 기준": "Acceptance Criteria",
	"완료 기준": "Acceptance Criteria", "검증": "Verification", "원본 요청": "Original Request", "기능 요구사항": "Functional Requirements",
	"비기능 요구사항": "Non-Functional Requirements", "생성": "Created", "수정": "Modified", "삭제": "Deleted", "로그": "Log",
	"builder context": "Builder Context (SUMMARY)", "verifier context": "Verifier Context (FULL)", "checklist": "Completed Checklist",
	"files modified": "Files Changed", "changed files": "Files Changed", "issues": "Issues Encountered", "notes": "Notes for Subsequent Tasks",
}

// in returns the form of a word for a language; the first form is English.
func in(language string, forms []string) string {
	if i := slices.Index(languages, language); i > 0 && i < len(forms) {
		return forms[i]
	}
	return forms[0]
}

// heading is the title of a section in a language.
func heading(language, title string) string {
	for _, forms := range headings {
		if forms[0] == title {
			return in(language, forms)
		}
	}
	return title
}

// known finds the English title of a section, and the language if the title has one of its own.
func known(title string) (english, language string) {
	key := strings.ToLower(strings.Trim(strings.TrimSpace(title), "*:： "))
	for _, forms := range headings {
		for i, f := range forms {
			if strings.EqualFold(f, key) {
				if len(forms) > 1 {
					language = languages[i]
				}
				return forms[0], language
			}
		}
	}
	if a, ok := aliases[key]; ok {
		return a, ""
	}
	if short, _, ok := strings.Cut(key, " ("); ok && short != "" {
		return known(short)
	}
	return title, ""
}

// spoken is the language of a document's headings: the one that most of those with a translation
// are in, English if there is none. A tie is not English: short results keep two English headings.
func spoken(all []section) string {
	count := map[string]int{}
	for _, s := range all {
		_, l := known(s.title)
		count[l]++
	}
	best := languages[0]
	for _, l := range languages[1:] {
		if count[l] > 0 && count[l] >= count[best] {
			best = l
		}
	}
	return best
}

// Status is a word for how far something is, as the files write it.
type Status string

// The words of the files. A WORK is IN_PROGRESS, DONE or COMPLETED; a TASK's progress PENDING,
// STARTED, IN_PROGRESS or COMPLETED; a TASK itself READY, BLOCKED, DONE or FAILED; a plan PLANNED;
// a decision PENDING or RESOLVED.
const (
	Planned    Status = "PLANNED"
	Pending    Status = "PENDING"
	Started    Status = "STARTED"
	InProgress Status = "IN_PROGRESS"
	Completed  Status = "COMPLETED"
	Ready      Status = "READY"
	Blocked    Status = "BLOCKED"
	Done       Status = "DONE"
	Failed     Status = "FAILED"
	Resolved   Status = "RESOLVED"
)

var statuses = []Status{Planned, Pending, Started, InProgress, Completed, Ready, Blocked, Done, Failed, Resolved}

// readStatus finds a status in a text, whatever its case, emphasis and emoji; "" if it has none.
func readStatus(s string) Status {
	word := strings.ToUpper(strings.Trim(s, " \t*_`✅🔄⬜❌⛔🚫⏳\uFE0F"))
	word = strings.Join(strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_")
	if slices.Contains(statuses, Status(word)) {
		return Status(word)
	}
	switch word {
	case "완료", "完了":
		return Done
	case "진행중", "진행_중", "進行中":
		return InProgress
	case "대기", "대기중", "대기_중", "보류":
		return Pending
	case "해결", "확정":
		return Resolved
	}
	switch {
	case strings.Contains(s, "✅"):
		return Done
	case strings.Contains(s, "🔄"):
		return InProgress
	case strings.Contains(s, "❌"):
		return Failed
	case strings.Contains(s, "⬜"):
		return Pending
	}
	return ""
}

// Mode is how a WORK is carried out.
type Mode string

// The execution modes.
const (
	Direct   Mode = "direct"
	Pipeline Mode = "pipeline"
	Full     Mode = "full"
)

// readMode finds a mode in a text; one that is missing or unknown is full.
func readMode(s string) (Mode, bool) {
	switch m := Mode(strings.ToLower(strings.Trim(s, " *`"))); m {
	case Direct, Pipeline, Full:
		return m, true
	}
	return Full, false
}
