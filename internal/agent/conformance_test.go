package agent_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/gateway"
)

// behaviours are turns that must come out the same whichever agent does them.
var behaviours = []struct {
	name   string
	only   string // the agent that it is about, "" = all
	not    string // the agent that cannot do this, and of which another case says what it does
	before string // stands before the prompt
	script string
	class  agent.Class
	answer string
	files  map[string]string
	counts bool // it is about what the agent says that it has used
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
	{name: "garbage, then well", not: "opencode", script: "turn * * *\n garbage\n answer ok.json" + answer, class: agent.OK, answer: `{"verdict":"pass"}`},
	{name: "garbage, which ends it", only: "opencode", script: "turn * * *\n garbage\n answer ok.json" + answer, class: agent.Transient},
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
		name: "a long prompt", before: strings.Repeat("Ein langer Satz, 긴 문장. ", 8000), script: "turn * * *\n answer ok.json" + answer,
		class: agent.OK, answer: `{"verdict":"pass"}`,
		check: func(t *testing.T, out agent.Outcome) {
			t.Helper()
			// The scripted model counts a third of the bytes that it is asked with.
			if out.Usage.Known && out.Usage.Input < 200_000/3 {
				t.Errorf("the model got %d tokens, want at least those of the prompt", out.Usage.Input)
			}
		},
	},
	{
		name: "not only ASCII", before: "한국어로 답하세요: “žluťoučký kůň”\n",
		script: "turn * * *\n say 시작합니다\n write 문서/é.txt file\n edit 문서/é.txt 둘 셋\n run cat 문서/é.txt\n answer ok.json\n-- file --\n하나\n둘 \"q\" $x \\n\n-- ok.json --\n{\"verdict\":\"통과 \u00fc\"}\n",
		class:  agent.OK, answer: `{"verdict":"통과 ü"}`, files: map[string]string{"문서/é.txt": "하나\n셋 \"q\" $x \\n\n"},
	},
	{
		name: "no quota", only: "codex", script: "turn * * *\n status 429 times=forever message=\"You exceeded your current quota, please check your plan and billing details.\"",
		class: agent.Billing,
	},
	{
		name: "figures", counts: true, script: "turn * * *\n usage 1000 200\n answer ok.json" + answer, class: agent.OK, answer: `{"verdict":"pass"}`,
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
	eachAgent(t, func(t *testing.T, open func(t *testing.T, script string) *bench) {
		t.Helper()
		for i, c := range behaviours {
			t.Run(strconv.Itoa(i)+" "+c.name, func(t *testing.T) {
				t.Parallel()
				conformance.InTurn(t, 2)
				b := open(t, c.script)
				if c.only != "" && c.only != b.cli.name {
					t.Skipf("this is a matter of %s", c.only)
				}
				if c.not != "" && c.not == b.cli.name {
					t.Skipf("%s cannot do this", c.not)
				}
				b.turn.Prompt = c.before + b.turn.Prompt
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
				if c.check != nil && (!c.counts || !b.cli.silent) { // sameFigures checks that it says nothing
					c.check(t, out)
				}
				if b.access != nil && out.Class == agent.OK {
					sameFigures(t, b.cli, out, b.access.Close())
				}
				sameFromLog(t, b, out)
				checkEvents(t, b.events(), out)
			})
		}
	})
}

// sameFigures checks that the program and the gateway agree.
func sameFigures(t *testing.T, c cli, out agent.Outcome, stats gateway.Stats) {
	t.Helper()
	whole := stats.Failures == 0 // nobody tells the agent what a call has cost that failed
	if diff := out.Usage.CostUSD*1e6 - float64(stats.Spent.MicroUSD); whole && c.prices && (diff < -5 || diff > 5) {
		t.Errorf("the agent counts %.0f millionths of a dollar, the gateway %d", out.Usage.CostUSD*1e6, stats.Spent.MicroUSD)
	}
	if out.Usage.Known == c.silent {
		t.Errorf("the agent says what it has used: %v", out.Usage.Known)
	}
	if whole && !c.silent && (out.Usage.Input != stats.Usage.Input || out.Usage.Output != stats.Usage.Output) {
		t.Errorf("usage: the agent %+v, the gateway %+v", out.Usage, stats.Usage)
	}
	if stats.Spent.MicroUSD == 0 || !stats.PriceKnown {
		t.Errorf("the gateway knows no price: %+v", stats)
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
	eachAgent(t, func(t *testing.T, open func(t *testing.T, script string) *bench) {
		t.Helper()
		b := open(t, "turn * * *\n limit 2h")
		b.turn.Access.OAuth = b.cli.name == "claude" // only then the program passes the time on
		out := b.run(t)
		if b.access != nil {
			stats := b.access.Close()
			if stats.Limits != 1 {
				t.Errorf("the gateway saw %d limits, want 1: there is no use in trying again", stats.Limits)
			}
			if b.cli.name == "codex" { // says it for people only, so it is the gateway that knows
				out.ResetsAt = stats.ResetsAt
			}
			if !stats.ResetsAt.Equal(out.ResetsAt) {
				t.Errorf("the limit ends at %v, says the agent, and at %v, says the gateway", out.ResetsAt, stats.ResetsAt)
			}
		}
		if left := time.Until(out.ResetsAt); out.Class != agent.Limit || left < 110*time.Minute || left > 121*time.Minute {
			t.Errorf("class, end = %q, in %v, want limit, in 2 hours", out.Class, left)
		}
	})
}
