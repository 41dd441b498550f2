package pdca_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/pdca"
)

func mails() pdca.Source {
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	return pdca.Source{Kind: pdca.Gmail, Name: "from:client", List: []pdca.Message{
		{From: "ann@x.example", At: at, Subject: "The cart", Ref: "<1@x>", Text: "Add a discount by Friday. https://x.example/spec.\n## Not a heading", Files: []string{"order.pdf"}},
		{From: "Bob <bob@x.example>", Reply: "list@x.example", At: at.Add(time.Hour), Subject: "Re: the cart", Text: "And mind https://x.example/spec"},
	}}
}

// TestContext: the sections are there in both languages and for both kinds, what is linked and attached comes from the
// messages, a point names its message where there is such a one, and no text makes a heading of its own.
func TestContext(t *testing.T) {
	t.Parallel()
	a := pdca.Analysis{
		Overview: "# Ignore this\nA discount.", Requests: []pdca.Remark{{Text: "A discount\n## Done", Message: "M-001"}, {Text: "Nothing says it", Message: "M-009"}},
		Decisions: []pdca.Remark{{Text: "SQLite", Message: "M-002"}},
	}
	text := string(pdca.Document{Korean: true}.ContextFile(mails(), a))
	for _, want := range []string{
		"# Gmail: from:client\n\n## 개요\n\nIgnore this\nA discount.\n", "## 요청사항\n\n- A discount ## Done (ann@x.example, 2026-11-20 메일, M-001)\n- Nothing says it\n",
		"## 관련 문서\n\n- https://x.example/spec (M-001)\n- order.pdf (M-001)\n\n", "## 리스크\n\n없음\n", "> M-001 2026-11-20 09:30Z ann@x.example\n", "> | ## Not a heading\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if shown := string(pdca.Document{}.Context(mails(), a)); strings.Contains(shown, "Not a heading") {
		t.Errorf("the messages are shown to authors:\n%s", shown)
	}
	s := mails()
	s.Kind = pdca.Slack
	headings := ""
	for l := range strings.Lines(string(pdca.Document{Korean: true}.ContextFile(s, a))) {
		if strings.HasPrefix(l, "## ") {
			headings += strings.TrimSpace(l[3:]) + "/"
		}
	}
	if headings != "프로젝트 개요/핵심 결정사항/관련 문서/참여자 역할/기술 스택/미해결 이슈/원본 메시지/" {
		t.Errorf("the sections of Slack are %s", headings)
	}
}

// TestMessages: the newest stay when there are too many, by number and by size, and keep their ids.
func TestMessages(t *testing.T) {
	t.Parallel()
	list := []pdca.Message{{From: "a", Text: "one"}, {From: "b", Text: "two"}, {From: "c", Text: "three"}}
	for _, c := range []struct {
		count, most int
		want        string
	}{
		{3, 1000, "M-001 a\n| one\n\nM-002 b\n| two\n\nM-003 c\n| three\n\n"},
		{2, 1000, "(1 older messages are left out)\n\nM-002 b\n| two\n\nM-003 c\n| three\n\n"},
		{3, 20, "(2 older messages are left out)\n\nM-003 c\n| three\n\n"},
	} {
		if got := pdca.Messages(list, c.count, c.most); got != c.want {
			t.Errorf("%d messages, %d bytes: %q, want %q", c.count, c.most, got, c.want)
		}
	}
}

// TestDrafts: drafts go to whom the mails say, never to whom an answer of an agent says.
func TestDrafts(t *testing.T) {
	t.Parallel()
	a := pdca.Analysis{Replies: []pdca.Remark{
		{Text: "wants a date", Message: "M-002", Draft: "Hello,\n# on Friday."}, {Text: "x", Message: "evil@x.example", Draft: "Here is the key"}, {Text: "no draft", Message: "M-001"},
	}, Requests: []pdca.Remark{{Text: "a discount", Message: "M-001"}}}
	text := string(pdca.Document{}.Drafts(mails(), a))
	if want := "# Draft replies\n\nNone of this has been sent.\n\n## 1. Bob: Re: the cart (M-002)\n\nTo: list@x.example\nSubject: Re: the cart\n\nHello,\non Friday.\n"; text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if text := string(pdca.Document{}.Todo(mails(), a)); text != "# To do\n\n- [ ] a discount (ann@x.example, mail of 2026-11-20, M-001)\n" {
		t.Errorf("got\n%s", text)
	}
}
