package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	claudeName   = "claude"
	codexName    = "codex"
	acpName      = "acp"
	scriptedName = "scripted"
	noAnswer     = "the agent ended without its answer"
)

// budgetMark begins the message with which the gateway refuses a call that the
// grant does not cover, callsMark that with which it refuses one call too many;
// refusalMark begins its other refusals.
const (
	budgetMark  = "jacquard budget:"
	callsMark   = "jacquard turns:"
	refusalMark = "jacquard"
)

// claudeReader reads what claude prints with --output-format stream-json.
type claudeReader struct {
	header    header
	started   bool
	tools     map[string]string // id → name
	lastError string            // error of the last assistant event
	resetsAt  time.Time
	text      string
	result    *claudeResult
}

func newClaudeReader(h header) *claudeReader {
	return &claudeReader{header: h, tools: map[string]string{}}
}

// claudeLine holds what is read of all kinds of lines. New kinds and fields come
// with each release; what is not known is ignored.
type claudeLine struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Parent  string `json:"parent_tool_use_id"`
	Message json.RawMessage
	Error   any `json:"error"`

	Attempt     int    `json:"attempt"`
	MaxRetries  int    `json:"max_retries"`
	ErrorStatus int    `json:"error_status"`
	ToolName    string `json:"tool_name"`
	ToolUseID   string `json:"tool_use_id"`
	Reason      string `json:"decision_reason"`

	RateLimit struct {
		Status   string `json:"status"`
		ResetsAt int64  `json:"resetsAt"`
	} `json:"rate_limit_info"`
}

type claudeResult struct {
	Subtype        string          `json:"subtype"`
	IsError        bool            `json:"is_error"`
	TerminalReason string          `json:"terminal_reason"`
	StopReason     string          `json:"stop_reason"`
	Status         int             `json:"api_error_status"`
	Result         string          `json:"result"`
	Errors         []string        `json:"errors"`
	Structured     json.RawMessage `json:"structured_output"`
	Turns          int             `json:"num_turns"`
	Cost           *float64        `json:"total_cost_usd"`
	Usage          *struct {
		Input      int64 `json:"input_tokens"`
		Output     int64 `json:"output_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
	Denials []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
}

func (r *claudeReader) line(line []byte, on func(Event)) bool {
	var l claudeLine
	if json.Unmarshal(line, &l) != nil {
		return false // text, or a line that was cut: the stream goes on
	}
	switch l.Type {
	case "system":
		r.system(l, on)
	case "assistant":
		r.assistant(l, on)
	case "user":
		r.toolResults(l, on)
	case "rate_limit_event":
		if l.RateLimit.Status == "rejected" && l.RateLimit.ResetsAt > 0 {
			r.resetsAt = time.Unix(l.RateLimit.ResetsAt, 0).UTC()
		}
	case "result":
		var res claudeResult
		if json.Unmarshal(line, &res) != nil {
			return false
		}
		r.result = &res
		on(Event{Kind: Used})
		return true
	}
	return false
}

func (r *claudeReader) system(l claudeLine, on func(Event)) {
	switch l.Subtype {
	case "init":
		r.started = true
		if l.Session != "" {
			r.header.Session = l.Session
		}
		on(Event{Kind: Started, Session: l.Session})
	case "api_retry":
		on(Event{Kind: Retry, Text: fmt.Sprintf("%d of %d: %v (%d)", l.Attempt, l.MaxRetries, l.Error, l.ErrorStatus)})
	case "permission_denied":
		on(Event{Kind: Permission, Tool: l.ToolName, ID: l.ToolUseID, Text: shorten(l.Reason, maxEventText)})
	}
}

// content is one block of a message; content itself may be a text or blocks.
type content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

func blocksOf(message json.RawMessage) []content {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(message, &m) != nil {
		return nil
	}
	return parseContent(m.Content)
}

func parseContent(raw json.RawMessage) []content {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []content{{Type: "text", Text: text}}
	}
	var list []content
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

func (r *claudeReader) assistant(l claudeLine, on func(Event)) {
	if s, ok := l.Error.(string); ok {
		r.lastError = s
	}
	for _, b := range blocksOf(l.Message) {
		switch b.Type {
		case "text":
			if l.Parent == "" {
				r.text = b.Text
			}
			on(Event{Kind: Text, Text: shorten(b.Text, maxEventText)})
		case "thinking":
			on(Event{Kind: Thinking, Text: shorten(b.Thinking, maxEventText)})
		case "tool_use":
			r.tools[b.ID] = b.Name
			on(Event{Kind: ToolStart, Tool: b.Name, ID: b.ID, Input: b.Input})
		}
	}
}

func (r *claudeReader) toolResults(l claudeLine, on func(Event)) {
	for _, b := range blocksOf(l.Message) {
		if b.Type != "tool_result" {
			continue
		}
		var text []string
		for _, part := range parseContent(b.Content) {
			text = append(text, part.Text)
		}
		on(Event{
			Kind: ToolEnd, Tool: r.tools[b.ToolUseID], ID: b.ToolUseID, Failed: b.IsError,
			Text: shorten(strings.Join(text, "\n"), maxEventText),
		})
	}
}

func (r *claudeReader) outcome() (Outcome, bool) {
	out := Outcome{Class: Crashed, Session: r.header.Session, SessionCostUSD: r.header.CostBefore, Text: r.text, ResetsAt: r.resetsAt}
	res := r.result
	if res == nil {
		return out, false
	}
	out.Turns = res.Turns
	if res.Usage != nil {
		out.Usage = Usage{Input: res.Usage.Input, Output: res.Usage.Output, CacheRead: res.Usage.CacheRead, CacheWrite: res.Usage.CacheWrite, Known: true}
	}
	if res.Cost != nil {
		// The figure is of the whole session, the usage of this run only.
		out.SessionCostUSD = max(*res.Cost, r.header.CostBefore)
		out.Usage.CostUSD = out.SessionCostUSD - r.header.CostBefore
	}
	out.Denials = res.denials()
	out.Class, out.Message = classify(*res, r.lastError, r.header.Schema)
	out.unanswered = r.header.Schema && out.Turns > 0 && (out.Class == Denied || (out.Class == Schema && out.Message == noAnswer))
	if out.Class != Limit {
		out.ResetsAt = time.Time{}
	}
	if out.Class == OK {
		out.Answer = res.Structured
		if res.Result != "" {
			out.Text = res.Result
		}
	}
	return out, true
}

// answered reports whether the result has a structured answer.
func (res claudeResult) answered() bool {
	s := strings.TrimSpace(string(res.Structured))
	return s != "" && s != "null"
}

// classify says how a turn ended from its result event. subtype "success" is also
// used for failures, and exit code 0 for aborted runs; see the table of the tests.
func classify(res claudeResult, lastError string, schema bool) (Class, string) {
	message := shorten(strings.TrimSpace(res.Result+" "+strings.Join(res.Errors, "; ")), maxMessage)
	switch {
	case res.TerminalReason == "max_turns" || res.Subtype == "error_max_turns":
		return MaxTurns, message
	case res.TerminalReason == "budget_exhausted" || res.Subtype == "error_max_budget_usd":
		return Budget, message
	case res.Subtype == "error_max_structured_output_retries":
		return Schema, "the answer did not fit its schema after several tries"
	case strings.HasPrefix(res.TerminalReason, "aborted"):
		return Cancelled, "the agent was interrupted"
	case res.IsError:
		return classifyError(res, lastError, message), ownWords(message)
	case res.Subtype != "success" || (res.TerminalReason != "completed" && res.TerminalReason != ""):
		return Crashed, fmt.Sprintf("the agent ended with %s, %s: %s", res.Subtype, res.TerminalReason, message)
	case schema && res.answered():
		return OK, ""
	case len(res.Denials) > 0:
		return Denied, deniedTools(res.denials())
	case schema:
		return Schema, noAnswer
	default:
		return OK, ""
	}
}

// ownWords leaves of a refusal by the gateway what the gateway said: the
// program takes each for a failed log-in.
func ownWords(message string) string {
	for _, mark := range []string{"403 " + budgetMark, "403 " + refusalMark} {
		if _, own, ok := strings.Cut(message, mark); ok {
			if mark == "403 "+budgetMark {
				own = "over budget: " + strings.TrimSpace(own)
			}
			return strings.TrimSpace(own)
		}
	}
	return message
}

func classifyError(res claudeResult, lastError, message string) Class {
	switch {
	case res.TerminalReason == "prompt_too_long" || res.Status == 413 || lastError == "max_output_tokens":
		return ContextLimit
	case res.StopReason == "refusal":
		return Refusal
	case strings.Contains(message, budgetMark):
		return Budget
	case strings.Contains(message, callsMark):
		return MaxTurns
	case res.Status == 403 && strings.Contains(message, refusalMark):
		return Environment
	case lastError == "billing_error" || res.Status == 402:
		return Billing
	case lastError == "authentication_failed" || res.Status == 401 || res.Status == 403:
		return AuthFailed
	case lastError == "rate_limit" || res.Status == 429:
		return Limit
	case lastError == "model_not_found" || lastError == "invalid_request" || (res.Status >= 400 && res.Status < 500):
		return Environment
	case res.Status >= 500 || res.TerminalReason == "api_error":
		return Transient
	default:
		return Crashed
	}
}

func (res claudeResult) denials() []Denial {
	var list []Denial
	for _, d := range res.Denials {
		list = append(list, Denial{Tool: d.Tool, Input: d.Input})
	}
	return list
}

func deniedTools(list []Denial) string {
	names := make([]string, 0, len(list))
	for _, d := range list {
		names = append(names, d.Tool+" "+shorten(string(d.Input), 200))
	}
	return shorten("the agent was not permitted to use: "+strings.Join(names, "; "), maxMessage)
}
