package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/scenario"
)

// script plays a scenario as the model of a real agent. Where it stands in the
// turn is read from the conversation that the agent sends, so that retries,
// resumed sessions and a new gateway all go on at the right place. Only how
// often a fault was served is remembered, by role, module, attempt and step: a
// turn that is asked again for it goes on with the count.
type script struct {
	scenario scenario.Scenario
	now      func() time.Time

	mu     sync.Mutex
	played map[string]int
}

// Script returns a backend that plays the model's part of a scenario: its steps
// become tool calls of the agent that asks.
func Script(s scenario.Scenario, now func() time.Time) Backend {
	return &script{scenario: s, now: now, played: map[string]int{}}
}

// goneOnText is what Claude Code puts in the model's mouth where a session was cut.
const goneOnText = "No response requested."

// cutText is all that comes of an answer that is cut.
const cutText = "this sentence is cut in the"

// answerTools are the tools through which a structured answer is taken: that of
// Claude Code, and ours as opencode names it.
func answerTools() []string { return []string{"StructuredOutput", "jacquard_submit"} }

func (*script) name() string { return "the scripted provider" }

func (s *script) serve(ctx context.Context, w http.ResponseWriter, c *call) {
	if c.path == countPath {
		c.count(w)
		return
	}
	mark, at, ok := findMark(c.req.Messages)
	if !ok {
		c.wire.refuse(w, "jacquard scenario: the conversation has no turn marker")
		return
	}
	steps, err := s.scenario.Steps(mark, c.access.turn.Dir)
	if err != nil {
		c.wire.refuse(w, "jacquard scenario: "+err.Error())
		return
	}
	p := &part{script: s, call: c, mark: mark, steps: steps, reply: reply{
		ID: "msg_" + fmt.Sprint(len(c.req.Messages)), Model: c.req.Model, StopReason: "end_turn",
		Usage: wireUsage{Input: c.tokens()},
	}}
	p.play(ctx, w, position(steps, c.req.Messages[at+1:]))
}

// findMark returns the last turn marker that a user's text holds, and where.
func findMark(messages []message) (scenario.Mark, int, bool) {
	for i, said := range slices.Backward(messages) {
		if said.Role != "user" {
			continue
		}
		if m, ok := scenario.FindMarker(said.text()); ok {
			return m, i, true
		}
	}
	return scenario.Mark{}, 0, false
}

var toolID = re.New(`^toolu_jq_([0-9]{1,6})r?_`)

// position returns the index of the next step: behind the last step whose tool
// call is in the conversation, and behind one "end", or one "answer" that was given
// as text, for each message since then that called no tool.
func position(steps []scenario.Step, since []message) int {
	next := 0
	for _, m := range since {
		if m.Role != "assistant" {
			continue
		}
		text := m.text()
		called := text == goneOnText || strings.Contains(text, cutText) // the agent keeps what it has of a cut answer
		for _, b := range m.Content {
			if found := toolID().FindStringSubmatch(b.ID); found != nil {
				k, err := strconv.Atoi(found[1])
				if err == nil {
					next, called = max(next, k+1), true
				}
			}
		}
		if called {
			continue
		}
		for next < len(steps) && !stays(steps[next].Verb) {
			next++
			if ended := steps[next-1].Verb; ended == scenario.End || ended == scenario.Answer {
				break
			}
		}
	}
	return next
}

// stays reports whether a model that has come to such a step never gets past it.
func stays(v scenario.Verb) bool {
	return v == scenario.Refuse || v == scenario.Hang || v == scenario.Crash || v == scenario.Exit
}

// part is the making of one reply.
type part struct {
	*script

	call  *call
	mark  scenario.Mark
	steps []scenario.Step
	reply reply
}

func (p *part) play(ctx context.Context, w http.ResponseWriter, from int) {
	for i := from; i < len(p.steps); i++ {
		if p.step(ctx, w, i, p.steps[i]) {
			return
		}
	}
	p.finish(w)
}

// step carries one step out and reports whether the reply is over.
func (p *part) step(ctx context.Context, w http.ResponseWriter, i int, s scenario.Step) bool {
	switch s.Verb {
	case scenario.Say:
		p.say(s.Text)
	case scenario.Flood:
		p.say(strings.Repeat("x", s.N))
	case scenario.Garbage:
		p.reply.garbage = true
	case scenario.Tokens:
		p.reply.Usage = wireUsage{Input: int64(s.N), Output: int64(s.Out)}
	case scenario.Sleep:
		pause(ctx, s.Wait)
	case scenario.Hang:
		<-ctx.Done()
	case scenario.Write, scenario.Append, scenario.Edit, scenario.Delete:
		p.file(i, s)
		return p.finish(w)
	case scenario.Run, scenario.Daemon:
		p.command(i, s.Text)
		return p.finish(w)
	case scenario.Answer:
		p.answer(i, s.Data)
		return p.finish(w)
	case scenario.End:
		return p.finish(w)
	case scenario.Refuse:
		p.reply.StopReason = stopRefusal
		p.say("I will not do this.")
		return p.finish(w)
	case scenario.Status, scenario.Limit, scenario.Cut:
		return p.fault(w, i, s.Fault)
	case scenario.Crash, scenario.Exit:
		return p.fault(w, i, scenario.Fault{Times: scenario.Forever})
	}
	if ctx.Err() != nil {
		panic(http.ErrAbortHandler)
	}
	return false
}

// finish sends the reply.
func (p *part) finish(w http.ResponseWriter) bool {
	if len(p.reply.Content) == 0 {
		p.say("Done.")
	}
	if p.reply.Usage.Output == 0 {
		for _, b := range p.reply.Content {
			p.reply.Usage.Output += int64((len(b.Text)+len(b.Input))/bytesPerToken + 1)
		}
	}
	p.call.wire.answer(p.reply, w, p.call.req.Stream)
	return true
}

// answer gives the structured answer by the agent's tool for it, else as text.
func (p *part) answer(i int, data []byte) {
	for _, name := range answerTools() {
		if p.call.req.hasTool(name) {
			p.tool(i, "", name, json.RawMessage(data))
			return
		}
	}
	p.say(string(data))
}

func (p *part) say(text string) {
	p.reply.Content = append(p.reply.Content, block{Type: "text", Text: text})
}

// tool adds a call. Its id says which step it is; the number of messages makes
// it unlike that of the same step in an earlier try.
func (p *part) tool(i int, kind, name string, input any) {
	data, err := json.Marshal(input)
	if err != nil {
		p.say("the input of " + name + " has no JSON form: " + err.Error())
		return
	}
	id := fmt.Sprintf("toolu_jq_%d%s_%d", i, kind, len(p.call.req.Messages))
	p.reply.Content = append(p.reply.Content, block{Type: "tool_use", ID: id, Name: name, Input: data})
	p.reply.StopReason = "tool_use"
}

// fault serves a fault unless it was served often enough.
func (p *part) fault(w http.ResponseWriter, i int, f scenario.Fault) bool {
	key := fmt.Sprintf("%v#%d", p.mark, i)
	p.mu.Lock()
	played := p.played[key]
	if f.Times == scenario.Forever || played < f.Times {
		p.played[key]++
	}
	p.mu.Unlock()
	if f.Times != scenario.Forever && played >= f.Times {
		return false
	}
	if f.Status == 0 {
		p.reply.cut = true
		p.say(cutText)
		return p.finish(w)
	}
	if f.RetryAfter > 0 {
		w.Header().Set("retry-after", strconv.Itoa(f.RetryAfter))
	}
	if at, ok := f.ResetsAt(p.now()); ok {
		w.Header().Set("anthropic-ratelimit-unified-status", "rejected")
		w.Header().Set(resetHeader, strconv.FormatInt(at.Unix(), 10))
	}
	p.call.wire.fail(w, f.Status, f.Describe())
	return true
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
