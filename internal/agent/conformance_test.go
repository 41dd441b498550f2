package agent_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/gateway"
)

// conformance are turns that must come out the same whichever agent does them.
var conformance = []struct {
	name   string
	script string
	class  agent.Class
	answer string
	files  map[string]string
	check  func(t *testing.T, out agent.Outcome)
}{
	{
		name: "writes, edits, appends, deletes and answers",
		script: `turn red src/auth 1
			say I begin
			write src/auth/auth.go auth.go
			edit src/auth/auth.go "package wrong" "package auth"
			append notes.txt line
			append notes.txt line
			write gone.txt line
			delete gone.txt
			run mkdir -p made
			write made/${ROLE}-${ATTEMPT}.txt line
			answer ok.json
-- auth.go --
package wrong

// "quoted" \ back
-- line --
a line of ${MODULE}` + answer,
		class: agent.OK, answer: `{"verdict":"pass"}`,
		files: map[string]string{
			"src/auth/auth.go": "package auth\n\n// \"quoted\" \\ back\n",
			"notes.txt":        "a line of src/auth\na line of src/auth\n",
			"made/red-1.txt":   "a line of src/auth\n",
		},
	},
	{
		name: "rate limit, then well", script: "turn * * *\n status 429 retry-after=1\n write a.txt ok.json\n answer ok.json" + answer,
		class: agent.OK, answer: `{"verdict":"pass"}`, files: map[string]string{"a.txt": "{\"verdict\":\"pass\"}\n"},
	},
	{name: "cut, then well", script: "turn * * *\n cut\n answer ok.json" + answer, class: agent.OK, answer: `{"verdict":"pass"}`},
	{name: "garbage, then well", script: "turn * * *\n garbage\n answer ok.json" + answer, class: agent.OK, answer: `{"verdict":"pass"}`},
	{name: "a huge line, then well", script: "turn * * *\n flood 400000\n answer ok.json" + answer, class: agent.OK, answer: `{"verdict":"pass"}`},
	{name: "thinks, then well", script: "turn * * *\n sleep 300ms\n answer ok.json" + answer, class: agent.OK, answer: `{"verdict":"pass"}`},
	{name: "server error for ever", script: "turn * * *\n status 500 times=forever", class: agent.Transient},
	{name: "overloaded for ever", script: "turn * * *\n status 529 times=forever", class: agent.Transient},
	{name: "cut for ever", script: "turn * * *\n cut times=forever", class: agent.Transient},
	{name: "wrong key", script: "turn * * *\n status 401 times=forever", class: agent.AuthFailed},
	{name: "rate limit for ever", script: "turn * * *\n status 429 times=forever", class: agent.Limit},
	{name: "usage limit", script: "turn * * *\n limit 2h", class: agent.Limit},
	{name: "no credit", script: "turn * * *\n status 400 times=forever message=\"Your credit balance is too low to access the API.\"", class: agent.Billing},
	{name: "too long", script: "turn * * *\n status 400 times=forever message=\"prompt is too long: 250000 tokens > 200000 maximum\"", class: agent.ContextLimit},
	{name: "refuses", script: "turn * * *\n refuse", class: agent.Refusal},
	{name: "no answer", script: "turn * * *\n write a.txt x\n say I am done\n-- x --\nx\n", class: agent.Schema, files: map[string]string{"a.txt": "x\n"}},
	{name: "a turn that the scenario does not know", script: "turn green src/auth 1\n say hi", class: agent.Environment},
	{
		name: "figures", script: "turn * * *\n usage 1000 200\n answer ok.json" + answer, class: agent.OK, answer: `{"verdict":"pass"}`,
		check: func(t *testing.T, out agent.Outcome) {
			t.Helper()
			if !out.Usage.Known || out.Usage.Input != 1000 || out.Usage.Output != 200 {
				t.Errorf("usage = %+v, want 1000 in, 200 out", out.Usage)
			}
		},
	},
}

func TestAgentsDoTheSame(t *testing.T) {
	t.Parallel()
	benches := map[string]func(t *testing.T, script string) *bench{
		"scripted": scripted,
	}
	for _, c := range clis {
		benches[c.name] = func(t *testing.T, script string) *bench { t.Helper(); return c.bench(t, script, gateway.Amount{}) }
	}
	for kind, open := range benches {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for i, c := range conformance {
				t.Run(strconv.Itoa(i)+" "+c.name, func(t *testing.T) {
					t.Parallel()
					b := open(t, c.script)
					out := b.run(t)
					if out.Class != c.class {
						t.Errorf("class = %q (%s), want %q", out.Class, out.Message, c.class)
					}
					if string(out.Answer) != c.answer {
						t.Errorf("answer = %s, want %s", out.Answer, c.answer)
					}
					if got := b.files(t); !maps.Equal(got, c.files) {
						t.Errorf("files = %q, want %q", got, c.files)
					}
					if out.Class != agent.OK && out.Message == "" {
						t.Error("a turn that is not well has no message")
					}
					if c.check != nil {
						c.check(t, out)
					}
					sameFromLog(t, b, out)
					checkEvents(t, b.events(), out)
				})
			}
		})
	}
}

// sameFromLog checks that the log alone gives the same outcome.
func sameFromLog(t *testing.T, b *bench, want agent.Outcome) {
	t.Helper()
	got, complete := agent.FromLog(b.turn.Log)
	if !complete {
		t.Errorf("FromLog of a finished turn says that it is not complete: %+v", got)
	}
	if got.Class != want.Class || string(got.Answer) != string(want.Answer) || got.Usage != want.Usage || got.Session != want.Session || got.Turns != want.Turns {
		t.Errorf("FromLog = %+v, want %+v", got, want)
	}
}

func checkEvents(t *testing.T, events []agent.Event, out agent.Outcome) {
	t.Helper()
	if len(events) == 0 || events[len(events)-1].Kind != agent.Ended || events[len(events)-1].Class != out.Class {
		t.Fatalf("the last of %d events is not the end with class %q", len(events), out.Class)
	}
	open := map[string]bool{}
	for _, e := range events {
		switch e.Kind {
		case agent.ToolStart:
			open[e.ID] = true
		case agent.ToolEnd:
			if !open[e.ID] {
				t.Errorf("tool %q ended without a start", e.ID)
			}
			delete(open, e.ID)
		default:
		}
		if len(e.Text) > 9<<10 {
			t.Errorf("an event has %d bytes of text", len(e.Text))
		}
	}
	if len(open) > 0 {
		t.Errorf("tools did not end: %v", slices.Collect(maps.Keys(open)))
	}
}

func TestUsageLimitSaysWhenItEnds(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) *bench{
		"scripted": func(t *testing.T) *bench { t.Helper(); return scripted(t, "turn * * *\n limit 2h") },
		"claude": func(t *testing.T) *bench {
			t.Helper()
			b := claude(t, "turn * * *\n limit 2h", gateway.Amount{})
			b.turn.Access.OAuth = true // only then the program passes the time on
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			out := b.run(t)
			if left := time.Until(out.ResetsAt); out.Class != agent.Limit || left < 110*time.Minute || left > 121*time.Minute {
				t.Errorf("class, end = %q, in %v, want limit, in 2 hours", out.Class, left)
			}
			if b.access == nil {
				return
			}
			stats := b.access.Stats()
			if stats.Limits != 1 || !stats.ResetsAt.Equal(out.ResetsAt) {
				t.Errorf("the gateway saw %d limits until %v, want 1 (no use in trying again) until %v", stats.Limits, stats.ResetsAt, out.ResetsAt)
			}
		})
	}
}
