package works_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/works"
)

func day(s string) time.Time {
	t, err := time.Parse("2006-01-02", s)
	if err != nil {
		panic(err)
	}
	return t
}

const list132 = "LAST_WORK_ID: WORK-02\n\n# WORK-LIST\n\n| WORK | 제목 | 상태 | 생성일 | 완료일 |\n|------|------|------|--------|--------|\n" +
	"| WORK-01 | 로그인 | DONE | 2026-03-01 | 2026-03-02 |\n| WORK-02 | a \\| b | IN_PROGRESS | 2026-03-03 | |\n"

func TestUpdateList(t *testing.T) {
	t.Parallel()
	done2 := works.Row{Work: "WORK-02", Status: works.Done, Completed: day("2026-03-09")}
	new3 := works.Row{Work: "WORK-03", Title: "x | y\n| WORK-99 | z", Status: works.InProgress, Created: day("2026-03-10")}
	tests := map[string]struct {
		src      string
		row      works.Row
		old, new string // what is replaced in src; "" with new: the whole
		problems int
	}{
		"close":       {list132, done2, "IN_PROGRESS | 2026-03-03 | |", "DONE | 2026-03-03 | 2026-03-09 |", 0},
		"close again": {strings.Replace(list132, "IN_PROGRESS | 2026-03-03 | |", "DONE | 2026-03-03 | 2026-03-09 |", 1), done2, "", "", 0},
		"CRLF":        {strings.ReplaceAll(list132, "\n", "\r\n"), done2, "IN_PROGRESS | 2026-03-03 | |", "DONE | 2026-03-03 | 2026-03-09 |", 0},
		"CRLF add": {
			strings.ReplaceAll(list132, "\n", "\r\n"), works.Row{Work: "WORK-01", Title: "로그인", Status: works.Completed}, "로그인 | DONE", "로그인 | COMPLETED", 0,
		},
		"a time stays": {strings.Replace(list132, "2026-03-03 | |", "2026-03-03 | 2026-03-09 18:30 |", 1), done2, "IN_PROGRESS", "DONE", 0},
		"BOM":          {"\uFEFF" + list132, done2, "IN_PROGRESS | 2026-03-03 | |", "DONE | 2026-03-03 | 2026-03-09 |", 0},
		"dash":         {strings.Replace(list132, "2026-03-03 | |", "2026-03-03 | — |", 1), done2, "IN_PROGRESS | 2026-03-03 | — |", "DONE | 2026-03-03 | 2026-03-09 |", 0},
		"last in head": {strings.Replace(list132, "WORK-02\n", "WORK-01 # by hand\n", 1), done2, "", "*", 0},
		"add": {
			list132, new3, "LAST_WORK_ID: WORK-02", "LAST_WORK_ID: WORK-03+| WORK-03 | x \\| y \\| WORK-99 \\| z | IN_PROGRESS | 2026-03-10 | |\n", 0,
		},
		"nonsense":     {strings.Replace(list132, "| IN_PROGRESS |", "| soon? |", 1), done2, "", "", 1},
		"six cells":    {strings.Replace(list132, "2026-03-03 | |", "2026-03-03 | | |", 1), done2, "", "", 1},
		"legacy":       {"# WORK 목록 (Master List)\n\n| WORK | 제목 | 상태 | 비고 |\n|---|---|---|---|\n| WORK-02 | t | IN_PROGRESS | 메모 |\n", done2, "IN_PROGRESS", "DONE", 0},
		"four columns": {"| WORK ID | Title | Status | Created |\n|---|---|---|---|\n| WORK-02 | t | IN_PROGRESS | 2026-03-03 |\n", done2, "IN_PROGRESS", "DONE", 0},
		"short row":    {"| WORK | 제목 | 상태 | 생성일 | 완료일 |\n|---|---|---|---|---|\n| WORK-02 | t | IN_PROGRESS | 2026-03-03 |\n", done2, "IN_PROGRESS | 2026-03-03 |", "DONE | 2026-03-03 | 2026-03-09 |", 0},
		"no end":       {strings.TrimSuffix(list132, "\n"), done2, "IN_PROGRESS | 2026-03-03 | |", "DONE | 2026-03-03 | 2026-03-09 |", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ps := works.UpdateList([]byte(test.src), test.row, "ko")
			want := test.src
			switch first, more, ok := strings.Cut(test.new, "+"); {
			case ok:
				want = strings.Replace(want, test.old, first, 1) + more
			case test.new == "*":
				want = strings.NewReplacer("WORK-01 # by hand", "WORK-02 # by hand", "IN_PROGRESS | 2026-03-03 | |", "DONE | 2026-03-03 | 2026-03-09 |").Replace(want)
			case test.old != "":
				want = strings.Replace(want, test.old, test.new, 1)
			}
			if string(got) != want {
				t.Errorf("UpdateList =\n%s\nwant\n%s", got, want)
			}
			if len(ps) != test.problems {
				t.Errorf("problems %v, want %d", ps, test.problems)
			}
			if again, _ := works.UpdateList(got, test.row, "ko"); !bytes.Equal(again, got) {
				t.Errorf("a second update changed\n%s\nto\n%s", got, again)
			}
		})
	}
}

func TestRowsKeepTheLineEndsOfTheList(t *testing.T) {
	t.Parallel()
	got, _ := works.UpdateList([]byte(strings.ReplaceAll(strings.TrimPrefix(list132, "LAST_WORK_ID: WORK-02\n"), "\n", "\r\n")), works.Row{Work: "WORK-03"}, "ko")
	if bytes.Count(got, []byte("\n")) != bytes.Count(got, []byte("\r\n")) || !bytes.HasPrefix(got, []byte("LAST_WORK_ID: WORK-03\r\n")) {
		t.Errorf("bare line feeds in %q", got)
	}
}

func TestNewList(t *testing.T) {
	t.Parallel()
	var list []byte
	for _, lang := range []string{"en", "ko", "ja", "xx"} {
		out, _ := works.UpdateList(nil, works.Row{Work: "WORK-01", Title: "첫 작업", Status: works.InProgress, Created: day("2026-01-02")}, lang)
		list = append(append(list, "--- "+lang+"\n"...), out...)
	}
	golden(t, "new-lists.md", list)
	out, _ := works.UpdateList([]byte("notes only"), works.Row{Work: "WORK-07", Title: "t", Status: works.InProgress}, "en")
	l, ps := works.ParseList("x", out)
	if len(l.Rows) != 1 || l.Last != 7 || len(ps) != 0 || !strings.Contains(string(out), "notes only\n") {
		t.Errorf("a list without a table became\n%s%v", out, ps)
	}
}

func TestWorkNumber(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int{"WORK-03": 3, "work-3": 3, "3": 3, "08": 8, "WORK-100": 100, "WORK-00": 0, "": -1, "WORK-": -1, "WORK--1": -1, "TASK-01": -1, "WORK-01 x": -1} {
		if got := works.WorkNumber(id); got != want {
			t.Errorf("WorkNumber(%q) = %d, want %d", id, got, want)
		}
	}
}

func TestNextWork(t *testing.T) {
	t.Parallel()
	list := func(s string) *works.List {
		l, _ := works.ParseList("x", []byte(s))
		return l
	}
	for _, test := range []struct {
		name    string
		list    *works.List
		folders []string
		want    string
	}{
		{"nothing", nil, nil, "WORK-01"},
		{"B2: 08 is no octal", list("LAST_WORK_ID: WORK-08\n"), nil, "WORK-09"},
		{"B2: 09 is no octal", list("LAST_WORK_ID: 09\n"), nil, "WORK-10"},
		{"B3: a row starts with a pipe", list("| WORK-41 | t | DONE | 2026-01-01 | |\n"), nil, "WORK-42"},
		{"a damaged row counts", list("LAST_WORK_ID: WORK-02\n| WORK-05 | t | ?? | soon |\n"), nil, "WORK-06"},
		{"a legacy list", list("# WORK 목록 (Master List)\n| WORK | 제목 | 상태 | 비고 |\n|---|---|---|---|\n| WORK-07 | t | COMPLETED | x |\n"), nil, "WORK-08"},
		{"folders", list("LAST_WORK_ID: WORK-02\n"), []string{"works/WORK-03", "works/_COMPLETED/WORK-099"}, "WORK-100"},
		{"other folders", nil, []string{"works/full-WORK-31", "works/_COMPLETED", "works/WORK-x", "src/network-9"}, "WORK-32"},
		{"three digits", list("LAST_WORK_ID: WORK-100\n"), []string{"works/WORK-08"}, "WORK-101"},
		{"no number", list("LAST_WORK_ID:\n"), nil, "WORK-01"},
		{"zero", list("LAST_WORK_ID: WORK-00\n"), nil, "WORK-01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := works.NextWork(test.list, test.folders); got != test.want {
				t.Errorf("NextWork = %s, want %s", got, test.want)
			}
		})
	}
}

func TestTaskOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"TASK-00.md": "TASK-00 task", "works/WORK-01/TASK-08_progress.md": "TASK-08 progress", "TASK-100_result.md": "TASK-100 result",
		"WORK-01-TASK-09.md": "TASK-09 task", "WORK-01-TASK-09-result.md": "TASK-09 result", "S-TASK-00012.md": "TASK-12 task",
		"S-TASK-00012-result.md": "TASK-12 result",
		"TASK-00-result.md":      "", "TASK-00_RESULT.md": "", "RESULT.md": "", "TASK-00_progress.md.bak": "", "WORK-01-TASK-09_result.md": "", "task-00.md": "",
		"PLAN.md": "", "TASK-.md": "", "WORK-01-TASK-09-progress.md": "",
	} {
		id, kind, ok := works.TaskOf(name)
		got := strings.TrimSpace(id + " " + string(kind))
		if got != want || ok != (want != "") {
			t.Errorf("TaskOf(%q) = %q %v, want %q", name, got, ok, want)
		}
	}
}

// FuzzUpdateList updates lists made of anything: every line that is no row of the WORK
// is still there, byte for byte.
func FuzzUpdateList(f *testing.F) {
	f.Add([]byte(list132), "title | x", uint8(2))
	f.Add([]byte("\uFEFF| WORK-02 | t | DONE |\r\n"), "\n# x", uint8(3))
	f.Add([]byte("LAST_WORK_ID:\n|---|\n```\n| WORK-09 |"), "", uint8(9))
	f.Add([]byte("| WORK-09 | a | b | IN_PROGRESS | | | |\n\xff| WORK-01 |||||||"), "t", uint8(1))
	f.Fuzz(func(t *testing.T, src []byte, title string, n uint8) {
		r := works.Row{Work: works.WorkID(int(n)), Title: title, Status: works.Done, Created: day("2026-01-01"), Completed: day("2026-01-02")}
		once, ps := works.UpdateList(src, r, "ko")
		twice, again := works.UpdateList(once, r, "ko")
		if !bytes.Equal(once, twice) || len(ps) != len(again) {
			t.Errorf("not stable: %q, then %q", once, twice)
		}
		before, _ := works.ParseList("x", src)
		after, _ := works.ParseList("x", once)
		if len(after.Rows) < len(before.Rows) || len(after.Rows) > len(before.Rows)+1 {
			t.Errorf("%d rows became %d in %q", len(before.Rows), len(after.Rows), once)
		}
		if after.Last < before.Last {
			t.Errorf("LAST_WORK_ID fell from %d to %d", before.Last, after.Last)
		}
		kept := string(once)
		for l := range strings.Lines(string(src)) {
			l = strings.TrimRight(strings.TrimPrefix(l, "\uFEFF"), "\r\n")
			if strings.Contains(l, "WORK") {
				continue
			}
			i := strings.Index(kept, l)
			if i < 0 {
				t.Fatalf("the line %q is lost in %q", l, once)
			}
			kept = kept[i+len(l):]
		}
	})
}
