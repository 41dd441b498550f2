package works_test

import (
	"reflect"
	"testing"

	"github.com/jacquard-build/jacquard/internal/works"
)

func TestParseRequest(t *testing.T) {
	t.Parallel()
	type r = works.Request
	start := func(text string, tags ...string) r { return r{Tags: tags, Text: text, Intent: works.Start} }
	said := func(text string, i works.Intent, work, task string) r {
		return r{Text: text, Intent: i, Work: work, Task: task}
	}
	auto := func(x r) r { x.Auto = true; return x }
	for text, want := range map[string]r{
		"[new-feature] add a login":           start("add a login", "new-feature"),
		" [추가기능]  로그인":                        start("로그인", "추가기능"),
		"[버그수정][리팩토링] x":                      start("x", "버그수정", "리팩토링"),
		"[bugfix] [game-dev]\n  two\nlines\n": start("two\nlines", "bugfix", "game-dev"),
		"[whatever it says] x":                start("x", "whatever it says"),
		"[new-work] x":                        start("x", "new-work"),
		"[WORK 시작] x":                         start("x", "WORK 시작"),
		"[WORK start]":                        start("", "WORK start"),
		"[x] resume WORK-03":                  start("resume WORK-03", "x"),
		"[docs](https://example.org) are old": said("[docs](https://example.org) are old", works.Chat, "", ""),
		"[ ] x":                               said("[ ] x", works.Chat, "", ""),
		"[open":                               said("[open", works.Chat, "", ""),
		"add a [tag]":                         said("add a [tag]", works.Chat, "", ""),
		"":                                    {},

		"resume WORK-08":        said("resume WORK-08", works.Resume, "WORK-08", ""),
		"Continue work-9.":      said("Continue work-9.", works.Resume, "WORK-09", ""),
		"run WORK-100 pipeline": said("run WORK-100 pipeline", works.Resume, "WORK-100", ""),
		"Run WORK-02: TASK-02":  said("Run WORK-02: TASK-02", works.Resume, "WORK-02", "TASK-02"),
		"WORK-03 계속실행":          said("WORK-03 계속실행", works.Resume, "WORK-03", ""),
		"WORK-03 실행":            said("WORK-03 실행", works.Resume, "WORK-03", ""),
		"WORK-03 파이프라인을 이어서 실행하라.":              said("WORK-03 파이프라인을 이어서 실행하라.", works.Resume, "WORK-03", ""),
		"WORK-03을 이어서 진행해줘":                     said("WORK-03을 이어서 진행해줘", works.Resume, "WORK-03", ""),
		"next task":                             said("next task", works.Resume, "", ""),
		"다음 태스크 진행해":                            said("다음 태스크 진행해", works.Resume, "", ""),
		"add a button that says resume WORK-03": said("add a button that says resume WORK-03", works.Chat, "", ""),
		"resume WORK-03 and add a footer":       said("resume WORK-03 and add a footer", works.Chat, "", ""),

		"WORK list":                  said("WORK list", works.ListAll, "", ""),
		"WORK 목록 보여줘":                said("WORK 목록 보여줘", works.ListAll, "", ""),
		"Show WORK-02 progress":      said("Show WORK-02 progress", works.Show, "WORK-02", ""),
		"status of WORK-03: TASK-02": said("status of WORK-03: TASK-02", works.Show, "WORK-03", "TASK-02"),
		"WORK-03 TASK-02 status?":    said("WORK-03 TASK-02 status?", works.Show, "WORK-03", "TASK-02"),
		"WORK-02의 진행 상황을 알려줘":        said("WORK-02의 진행 상황을 알려줘", works.Show, "WORK-02", ""),
		"WORK-02 상태":                 said("WORK-02 상태", works.Show, "WORK-02", ""),
		"WORK-07 rollback":           said("WORK-07 rollback", works.Rollback, "WORK-07", ""),
		"roll back WORK-07":          said("roll back WORK-07", works.Rollback, "WORK-07", ""),
		"WORK-07 롤백해줘":               said("WORK-07 롤백해줘", works.Rollback, "WORK-07", ""),
		"approve":                    said("approve", works.Approve, "", ""),
		"Approved!":                  said("Approved!", works.Approve, "", ""),
		"승인":                         said("승인", works.Approve, "", ""),
		"승인합니다.":                     said("승인합니다.", works.Approve, "", ""),
		"진행해주세요":                     said("진행해주세요", works.Approve, "", ""),
		"proceed":                    said("proceed", works.Approve, "", ""),
		"do not proceed":             said("do not proceed", works.Chat, "", ""),
		"승인 취소":                      said("승인 취소", works.Chat, "", ""),
		"skip":                       said("skip", works.SkipTask, "", ""),
		"건너뛰기":                       said("건너뛰기", works.SkipTask, "", ""),
		"auto":                       auto(said("auto", works.Approve, "", "")),
		"자동으로 진행":                    auto(said("자동으로 진행", works.Approve, "", "")),
		"proceed automatically":      auto(said("proceed automatically", works.Approve, "", "")),
		"resume WORK-03 auto":        auto(said("resume WORK-03 auto", works.Resume, "WORK-03", "")),
		"WORK-03 자동으로 실행":            auto(said("WORK-03 자동으로 실행", works.Resume, "WORK-03", "")),
		"[bugfix] fix it, auto":      auto(start("fix it, auto", "bugfix")),
		"[bugfix] fix it auto":       auto(start("fix it auto", "bugfix")),
		"[auto][bugfix] fix it":      auto(start("fix it", "auto", "bugfix")),
		"[bugfix] auto: fix it":      auto(start("auto: fix it", "bugfix")),
		"[버그수정] 고쳐줘. 자동으로":           auto(start("고쳐줘. 자동으로", "버그수정")),
		"[버그수정] 고쳐줘\n자동으로 진행해줘":       auto(start("고쳐줘\n자동으로 진행해줘", "버그수정")),
		"[x] autocomplete for auto-x": start("autocomplete for auto-x", "x"),
		"[x] the automatic gearbox":   start("the automatic gearbox", "x"),
		"[x] 저장 버튼 없이 자동으로 저장한다":      start("저장 버튼 없이 자동으로 저장한다", "x"),
		"[x] 자동으로만 동작":                start("자동으로만 동작", "x"),
		"[x] set the mode to auto":    start("set the mode to auto", "x"),
		"[x] 1. auto rows 2. grid":    start("1. auto rows 2. grid", "x"),
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := works.ParseRequest(text); !reflect.DeepEqual(got, want) {
				t.Errorf("ParseRequest(%q) = %+v, want %+v", text, got, want)
			}
		})
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plan, claude, fallback string
		want                   works.Languages
	}{
		"nothing":                      {"", "", "", works.Languages{Output: "en", Commit: "en", Comment: "en"}},
		"the caller's":                 {"", "# x\n", "ja_JP.UTF-8", works.Languages{Output: "ja", Commit: "ja", Comment: "ja"}},
		"B5: a line":                   {"", "# x\nLanguage:ko\n", "en", works.Languages{Output: "ko", Commit: "ko", Comment: "ko"}},
		"B5: a line with space":        {"", "- **Language**:   ko-KR\r\n", "en", works.Languages{Output: "ko", Commit: "ko", Comment: "ko"}},
		"B5: a section":                {"", "# x\n\n## Language\nko\n", "en", works.Languages{Output: "ko", Commit: "ko", Comment: "ko"}},
		"B5: a section, a blank, code": {"", "## Language\n\n`ko`\n", "en", works.Languages{Output: "ko", Commit: "ko", Comment: "ko"}},
		"a name":                       {"", "## Language\nKorean (한국어)\n", "en", works.Languages{Output: "ko", Commit: "ko", Comment: "ko"}},
		"the plan wins":                {"ja", "Language: ko\nCommitLanguage: en\nCommentLanguage: ko\n", "", works.Languages{Output: "ja", Commit: "en", Comment: "ko"}},
		"a fence is an example":        {"", "```\nLanguage: ko\n```\n", "", works.Languages{Output: "en", Commit: "en", Comment: "en"}},
		"a programming language":       {"", "- Language: Go 1.26\n", "ko", works.Languages{Output: "ko", Commit: "ko", Comment: "ko"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := works.ReadLanguages(&works.Plan{Language: test.plan}, []byte(test.claude), test.fallback); got != test.want {
				t.Errorf("ReadLanguages = %+v, want %+v", got, test.want)
			}
		})
	}
}

// TestTaskProgressAsAgentsWriteIt: whether a TASK is done, and which files it says that it has changed.
func TestTaskProgressAsAgentsWriteIt(t *testing.T) {
	t.Parallel()
	gate := func(src string) string {
		p, _ := works.ParseTaskProgress("", []byte(src))
		switch {
		case p.Status != works.Completed:
			return "status not COMPLETED"
		case len(p.Files) == 0:
			return "no files changed"
		}
		return ""
	}
	for name, test := range map[string]struct{ src, want string }{
		"template":          {"# TASK-00 Progress\n\n- Status: PENDING\n- Started: (not started)\n- Files changed:\n", "status not COMPLETED"},
		"done":              {"- Status: COMPLETED\n- Files changed:\n  - `a.go` — CREATE\n", ""},
		"any case":          {"* **status**: completed\n* FILES CHANGED:\n  * a.go (삭제: 더 이상 안 씀)\n", ""},
		"a section":         {"# TASK-00 Progress\n\nStatus: COMPLETED\n\n## Files Changed\n\n- a.go\n", ""},
		"not indented":      {"- Status: COMPLETED\n- Files changed:\n- `a.go` — MODIFY\n- Updated: 2026-03-18\n", ""},
		"on the line":       {"- Status: COMPLETED\n- Files changed: `a.go`\n", ""},
		"none":              {"- Status: COMPLETED\n- Files changed:\n  - (none)\n", "no files changed"},
		"none on the line":  {"- Status: COMPLETED\n- Files changed: 없음\n", "no files changed"},
		"nothing":           {"- Status: COMPLETED\n- Files changed:\n\n## Notes\n- a.go\n", "no files changed"},
		"no list":           {"- Status: COMPLETED\n", "no files changed"},
		"the last counts":   {"- Status: COMPLETED\n- Files changed:\n  - a\n- Status: IN_PROGRESS\n", "status not COMPLETED"},
		"in a fence":        {"- Status: STARTED\n```\n- Status: COMPLETED\n- Files changed:\n  - a\n```\n", "status not COMPLETED"},
		"an entry's own":    {"- Status: COMPLETED\n- Files changed:\n  - status: a.go\n", ""},
		"not yet COMPLETED": {"- Status: NOT COMPLETED\n- Files changed:\n  - a\n", "status not COMPLETED"},
		"empty":             {"", "status not COMPLETED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := gate(test.src); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "add a total": "", "Café naïve": "", "합계를 더한다": "ko", "[bugfix] cart.Total 이 틀림": "ko", "合計を追加する": "ja", "カート": "ja", "购物车合计": "",
	} {
		if got := works.LanguageOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
