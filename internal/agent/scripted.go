package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// Scripted drives a program that plays a scenario and prints the events of
// scenario.Play. It costs nothing and does the same each time.
type Scripted struct {
	argv []string
}

// NewScripted returns an agent that runs argv with the prompt as its input.
func NewScripted(argv ...string) *Scripted { return &Scripted{argv: argv} }

// Run carries out t. Model, system prompt, schema and allowed commands are the
// scenario's business, not the program's.
func (s *Scripted) Run(ctx context.Context, t Turn, on func(Event)) Outcome {
	if on == nil {
		on = func(Event) {}
	}
	h := header{Agent: scriptedName, Schema: len(t.Schema) > 0}
	out := Outcome{Class: Environment, Message: "start the agent: want a directory, a home and a log"}
	if t.Home != "" && t.Dir != "" && t.Log != "" {
		out, _ = job{
			turn: t, header: h, argv: s.argv, env: environment(t.Env, map[string]string{"HOME": t.Home}, true), prompt: t.Prompt,
			total: t.Limits.Total, reader: newScriptedReader(h),
			stop: []proc.Stop{{Signal: proc.Terminate, Wait: terminateWait}, {Signal: proc.Kill}},
		}.run(ctx, on)
	}
	on(Event{Kind: Ended, Class: out.Class, Text: out.Message})
	return out
}

type scriptedReader struct {
	header header
	end    *scriptedLine
	text   string
}

func newScriptedReader(h header) *scriptedReader { return &scriptedReader{header: h} }

type scriptedLine struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Tool     string          `json:"tool"`
	ID       string          `json:"id"`
	Input    string          `json:"input"`
	Output   string          `json:"output"`
	Failed   bool            `json:"failed"`
	Class    Class           `json:"class"`
	Message  string          `json:"message"`
	ResetsAt time.Time       `json:"resets_at"`
	Answer   json.RawMessage `json:"answer"`
	Turns    int             `json:"turns"`
	Usage    *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

func (r *scriptedReader) line(line []byte, on func(Event)) bool {
	var l scriptedLine
	if json.Unmarshal(line, &l) != nil {
		return false
	}
	switch l.Type {
	case "started":
		on(Event{Kind: Started})
	case "text":
		r.text = l.Text
		on(Event{Kind: Text, Text: shorten(l.Text, maxEventText)})
	case "tool_start":
		input, err := json.Marshal(map[string]string{"input": l.Input})
		if err != nil {
			input = nil // a string always has a form
		}
		on(Event{Kind: ToolStart, Tool: l.Tool, ID: l.ID, Input: input})
	case "tool_end":
		on(Event{Kind: ToolEnd, Tool: l.Tool, ID: l.ID, Failed: l.Failed, Text: shorten(l.Output, maxEventText)})
	case "retry":
		on(Event{Kind: Retry, Text: shorten(l.Message, maxEventText)})
	case "ended":
		r.end = &l
		on(Event{Kind: Used})
		return true
	}
	return false
}

func (r *scriptedReader) outcome() (Outcome, bool) {
	out := Outcome{Class: Crashed, Text: r.text}
	if r.end == nil {
		return out, false
	}
	out.Class, out.Message, out.ResetsAt, out.Turns = r.end.Class, r.end.Message, r.end.ResetsAt, r.end.Turns
	if u := r.end.Usage; u != nil {
		out.Usage = Usage{Input: u.Input, Output: u.Output, Known: true}
	}
	if out.Class != OK {
		return out, true
	}
	if r.end.Text != "" {
		out.Text = r.end.Text
	}
	out.Answer = r.end.Answer
	if r.header.Schema && len(out.Answer) == 0 {
		out.Class, out.Message = Schema, noAnswer
	}
	return out, true
}
