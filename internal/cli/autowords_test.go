package cli_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/cli"
	"github.com/jacquard-build/jacquard/internal/inbox"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestTaskOf: what beside --gmail is a query, what a wish for drafts or a list, and what a task.
func TestTaskOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args        []string
		query, task string
		wants       step.Wanted
	}{
		{nil, inbox.Unread, "", step.WantAnalysis},
		{[]string{"from:client"}, "from:client", "", step.WantAnalysis},
		{[]string{"from:client", "응답 초안"}, "from:client", "응답 초안", step.WantDrafts},
		{[]string{"응답 초안 써줘"}, inbox.Unread, "응답 초안 써줘", step.WantDrafts},
		{[]string{"답장 초안 작성해줘"}, inbox.Unread, "답장 초안 작성해줘", step.WantDrafts},
		{[]string{"draft a reply"}, inbox.Unread, "draft a reply", step.WantDrafts},
		{[]string{"write drafts"}, inbox.Unread, "write drafts", step.WantDrafts},
		{[]string{"할 일 목록 만들어줘"}, inbox.Unread, "할 일 목록 만들어줘", step.WantTodo},
		{[]string{"할일 생성"}, inbox.Unread, "할일 생성", step.WantTodo},
		{[]string{"create a to do list"}, inbox.Unread, "create a to do list", step.WantTodo},
		{[]string{"todo list"}, inbox.Unread, "todo list", step.WantTodo},
		{[]string{"is:unread", "draft replies are lost on save, fix it"}, inbox.Unread, "draft replies are lost on save, fix it", ""},
		{[]string{"할 일 화면에 정렬을 추가해줘"}, inbox.Unread, "할 일 화면에 정렬을 추가해줘", ""},
		{[]string{"add a todo list to the page"}, inbox.Unread, "add a todo list to the page", ""},
	} {
		query, task, wants, err := cli.TaskOf(inbox.Unread, c.args)
		if err != nil || task != c.task || query != c.query || wants != c.wants {
			t.Errorf("%q: task %q, query %q, wants %q, %v", c.args, task, query, wants, err)
		}
	}
	if _, _, _, err := cli.TaskOf("", []string{"one", "two"}); err == nil {
		t.Error("two tasks were taken")
	}
}
