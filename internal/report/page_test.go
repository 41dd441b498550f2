package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestPage: what stands in a run is text on its page, wherever it stands.
func TestPage(t *testing.T) {
	t.Parallel()
	evil := `"><script>alert(1)</script><b onmouseover='x'>%s%d`
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := report.New(flow.Run{ID: "r", Def: "work", State: flow.Running, Started: at})
	events := []flow.Event{
		{Seq: 1, At: at, Type: flow.EventGate, Key: "g", Data: raw(t, flow.Question{Text: evil})},
		{Seq: 2, At: at, Type: flow.EventAnswer, Key: "g", Data: raw(t, flow.Answer{Verb: flow.Reject, Text: evil, By: evil})},
		{Seq: 3, At: at, Type: flow.EventNote, Key: "task/" + evil + ":judged", Branch: "task/" + evil, Data: raw(t, step.AttemptNote{
			Phase: "build", Attempt: 1, Text: evil, Summary: evil, Findings: []step.Finding{{Rule: evil, Path: evil, Line: 3, Message: evil}}, Failures: []step.TestResult{{ID: evil, Status: step.Fail, Message: evil}},
		})},
		{Seq: 4, At: at, Type: flow.EventNote, Key: "task/" + evil + ":result", Branch: "task/" + evil, Data: raw(t, step.TaskResult{ID: evil, Title: evil, Status: step.Warning, Reason: evil, Attempts: 1})},
	}
	for _, e := range events {
		r.Apply(e)
	}
	steps := []flow.StepRow{
		{Key: "task/" + evil + ":build/1/try/1/turn", Branch: "task/" + evil, Started: at.Add(time.Minute).UnixMilli(), Ended: at.Add(2 * time.Minute).UnixMilli()},
		{Key: "task/" + evil + ":build/1/prove", Branch: "task/" + evil, Started: at.Add(2 * time.Minute).UnixMilli()},
	}
	p := report.NewPage("ko", r, events, steps, map[string][]step.Record{evil: {{Argv: []string{"go", evil}, Exit: 1, Millis: 1500, Tree: evil, Reused: step.Reused{Proof: "task", Millis: 90_000}}}}, at.Add(4*time.Minute))
	p.Title, p.Summary = evil, evil
	p.Changed("diff --git a/x b/" + evil + "\n--- a/x\n+++ b/x\n@@ -1 +1 @@ " + evil + "\n-" + evil + "\n+" + evil + "\n " + evil + "\n")
	p.Changed("diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -0,0 +1,500 @@\n" + strings.Repeat("+y\n", 500))
	p.Account([][]string{{evil, "USD"}, {evil, "1"}, {evil, "2"}}, []float64{1, 2}, evil)
	p.Say(at, at.Add(3725*time.Second), evil)
	page, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<b onm", "%!", "onmouseover='", "http://", "https://", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q:\n%s", bad, page)
		}
	}
	for _, want := range []string{
		`<html lang="ko">`, "&#43;1:02:05", "&lt;script&gt;", "%s%d", `class="unit warn" open`, `class="turn" style="left:25%;width:25%"`, `class="proof" style="left:50%;width:50%"`,
		`class="add"`, `class="del"`, `<span class="plus">+1</span>`, `style="width:50%"`, `style="width:100%"`, "1.5s, 1m30s 전 결과를 다시 사용", "줄 더 있음",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}
