package agent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// codexReader reads what codex exec prints with --json.
type codexReader struct {
	header  header
	text    string
	started map[string]string // tools that run: id → kind
	order   []string          // their ids
	turns   int
	noCage  string // why the sandbox did not start
	end     *codexLine
}

func newCodexReader(h header) *codexReader {
	return &codexReader{header: h, started: map[string]string{}}
}

// codexLine holds what is read of all kinds of lines. New kinds and fields come
// with each release; what is not known is ignored.
type codexLine struct {
	Type    string    `json:"type"`
	Thread  string    `json:"thread_id"`
	Message string    `json:"message"`
	Item    codexItem `json:"item"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage *struct {
		Input      int64 `json:"input_tokens"`
		Cached     int64 `json:"cached_input_tokens"`
		CacheWrite int64 `json:"cache_write_input_tokens"`
		Output     int64 `json:"output_tokens"`
	} `json:"usage"`
}

type codexItem struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Status  string          `json:"status"`
	Command string          `json:"command"`
	Output  string          `json:"aggregated_output"`
	Exit    *int            `json:"exit_code"`
	Changes json.RawMessage `json:"changes"`
	Tool    string          `json:"tool"`
}

func (r *codexReader) line(line []byte, on func(Event)) bool {
	var l codexLine
	if json.Unmarshal(line, &l) != nil {
		return false // text, or a line that was cut: the stream goes on
	}
	switch l.Type {
	case "thread.started":
		r.header.Session = l.Thread
		on(Event{Kind: Started, Session: l.Thread})
	case "item.started":
		r.begin(l.Item, on)
	case "item.completed":
		r.complete(l.Item, on)
	case "error":
		if strings.HasPrefix(l.Message, "Reconnecting") {
			on(Event{Kind: Retry, Text: shorten(l.Message, maxEventText)})
		}
	case "turn.completed", "turn.failed":
		for _, id := range r.order { // what was left running ends with the program
			if kind, runs := r.started[id]; runs {
				on(Event{Kind: ToolEnd, Tool: kind, ID: id})
			}
		}
		r.end = &l
		on(Event{Kind: Used})
		return true
	}
	return false
}

// begin shows that a tool was called.
func (r *codexReader) begin(i codexItem, on func(Event)) {
	input := map[string]any{}
	switch i.Type {
	case "command_execution":
		input["command"] = i.Command
	case "file_change":
		input["changes"] = i.Changes
	case "mcp_tool_call":
		input["tool"] = i.Tool
	default:
		return
	}
	data, err := json.Marshal(input)
	if err != nil {
		data = nil // only changes that are not JSON, which the reader excludes
	}
	r.started[i.ID] = i.Type
	r.order = append(r.order, i.ID)
	on(Event{Kind: ToolStart, Tool: i.Type, ID: i.ID, Input: data})
}

func (r *codexReader) complete(i codexItem, on func(Event)) {
	switch i.Type {
	case "agent_message":
		r.turns++
		r.text = i.Text
		on(Event{Kind: Text, Text: shorten(i.Text, maxEventText)})
	case "reasoning":
		on(Event{Kind: Thinking, Text: shorten(i.Text, maxEventText)})
	case "command_execution", "file_change", "mcp_tool_call":
		r.turns++
		if _, begun := r.started[i.ID]; !begun {
			r.begin(i, on)
		}
		delete(r.started, i.ID)
		failed := i.Status == "failed" || (i.Exit != nil && *i.Exit != 0)
		if failed && (strings.HasPrefix(i.Output, "bwrap: ") || strings.HasPrefix(i.Output, "sandbox-exec: ")) {
			r.noCage = strings.TrimSpace(i.Output)
		}
		on(Event{Kind: ToolEnd, Tool: i.Type, ID: i.ID, Failed: failed, Text: shorten(i.Output, maxEventText)})
	}
}

func (r *codexReader) outcome() (Outcome, bool) {
	out := Outcome{Class: Crashed, Session: r.header.Session, Text: r.text, Turns: r.turns}
	if r.end == nil {
		return out, false
	}
	if u := r.end.Usage; u != nil {
		out.Usage = Usage{Input: u.Input - u.Cached - u.CacheWrite, Output: u.Output, CacheRead: u.Cached, CacheWrite: u.CacheWrite, Known: true}
		if b := r.header.Before; b != nil { // the figures are of the session since its beginning
			out.Usage.Input, out.Usage.Output = out.Usage.Input-b.Input, out.Usage.Output-b.Output
			out.Usage.CacheRead, out.Usage.CacheWrite = out.Usage.CacheRead-b.CacheRead, out.Usage.CacheWrite-b.CacheWrite
		}
	}
	switch {
	case r.noCage != "":
		out.Class, out.Message = Environment, noSandbox(r.noCage)
	case r.end.Type == "turn.failed":
		out.Class, out.Message = classifyCodex(r.end.Error.Message)
	case r.header.Schema:
		r.answer(&out)
	default:
		out.Class = OK
	}
	return out, true
}

// answer takes the last words as the answer: the program does not look at them.
func (r *codexReader) answer(out *Outcome) {
	text := strings.TrimSpace(r.text)
	if inner, fenced := strings.CutPrefix(text, "```json"); fenced {
		text = strings.TrimSpace(strings.TrimSuffix(inner, "```"))
	}
	out.Class, out.unanswered = Schema, r.turns > 0
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		out.Message = noAnswer
		return
	}
	answer, err := withoutNulls(r.header.Form, json.RawMessage(text))
	why := ""
	if err == nil {
		why, err = step.Misfit(r.header.Form, answer)
	}
	switch {
	case err != nil:
		out.Message = err.Error()
	case why != "":
		out.Message = "the answer did not fit its schema: " + why
	default:
		out.Class, out.Answer, out.unanswered = OK, answer, false
	}
}

// noSandbox says what to do where the operating system lets codex make no sandbox.
func noSandbox(why string) string {
	return "codex cannot make its sandbox on this machine, and without it it would not be confined: " + shorten(why, 300) +
		"; allow user namespaces (in a container: run it with a seccomp profile that permits them), or use another agent"
}

var statusOf = re.New(`(?:unexpected|last) status:? (\d{3})`)

// classifyCodex says how a turn ended from its error, of which there is only the
// text: the program's own words, or the provider's body as it came.
func classifyCodex(text string) (Class, string) {
	var body struct {
		Error struct{ Message, Type, Code string } `json:"error"`
	}
	status := 0
	if json.Unmarshal([]byte(text), &body) == nil && body.Error.Message != "" {
		text, status = body.Error.Message, 400
	} else if m := statusOf().FindStringSubmatch(text); m != nil {
		status, _ = strconv.Atoi(m[1]) // three digits
		text, _, _ = strings.Cut(text, ", url: ")
	}
	return classifyAnswer("codex", status, text, text+" "+body.Error.Code+" "+body.Error.Type)
}

// classifyAnswer says how a turn ended from the status of what its model was answered
// last (0 = not known), its text, and all that was said with it.
func classifyAnswer(agent string, status int, text, all string) (Class, string) {
	said := strings.ToLower(all)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	message := shorten(text, maxMessage)
	switch {
	case has(budgetMark):
		_, own, _ := strings.Cut(message, budgetMark)
		return Budget, "over budget:" + own
	case has(callsMark):
		return MaxTurns, message
	case status == 400 && strings.HasPrefix(text, refusalMark):
		return Environment, strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(message, refusalMark), ":"))
	case has("content_filter", "invalid_prompt", "cyber_policy", "flagged"):
		return Refusal, message
	case has("insufficient_quota", "quota exceeded", "credit balance", "current quota") || status == 402:
		return Billing, message
	case has("context window", "context_length_exceeded", "too long", "max_output_tokens", "context exceeds", "too large to compact") || status == 413:
		return ContextLimit, message
	case status == 429 || has("usage limit", "rate limit", "rate_limit"):
		return Limit, message
	case status == 401 || status == 403 || has("not logged in", "log in again", "sign in", "refresh token", "missing environment variable"):
		return AuthFailed, message
	case status >= 400 && status < 500 || has("does not exist", "is not supported", "not have access"):
		return Environment, message
	case status >= 500 || has("high demand", "stream disconnected", "error sending request", "timeout", "timed out", "connection", "json parsing failed"):
		return Transient, message
	default:
		return Crashed, fmt.Sprintf("%s ended with: %s", agent, message)
	}
}
