package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// assumedOutput is the most output that is set aside for a call whose request
// names no limit, as those of Codex do not.
const assumedOutput = 32 << 10

// responsesRequest is what is read of a request of the OpenAI Responses API.
type responsesRequest struct {
	Model     string          `json:"model"`
	MaxTokens int             `json:"max_output_tokens"`
	Stream    bool            `json:"stream"`
	Input     []responsesItem `json:"input"`
	Tools     []responsesTool `json:"tools"`
}

// responsesItem is one item of a conversation; only the fields of its type are set.
type responsesItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content responsesText   `json:"content"`
	CallID  string          `json:"call_id"`
	Name    string          `json:"name"`
	Tools   []responsesTool `json:"tools"` // additional_tools
}

// responsesTool is a tool, or a namespace of tools.
type responsesTool struct {
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"`
}

// responsesText is the text of a message, which may be written as a plain string.
type responsesText string

// UnmarshalJSON reads a string or a list of parts.
func (t *responsesText) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*t = responsesText(text)
		return nil
	}
	var list []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	parts := make([]string, 0, len(list))
	for _, p := range list {
		parts = append(parts, p.Text)
	}
	*t = responsesText(strings.Join(parts, "\n"))
	return nil
}

func parseResponses(body []byte) (request, error) {
	var in responsesRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read the request: %w", err)
	}
	if !in.Stream {
		return request{}, errors.New("read the request: it asks for no stream")
	}
	r := request{Model: in.Model, MaxTokens: in.MaxTokens, Stream: in.Stream}
	if r.MaxTokens == 0 {
		r.MaxTokens = assumedOutput
	}
	r.takeTools(in.Tools)
	for _, item := range in.Input {
		switch item.Type {
		case "additional_tools":
			r.takeTools(item.Tools)
		case "message", "":
			r.take(item.Role, block{Type: "text", Text: string(item.Content)})
		case "function_call", "custom_tool_call":
			r.take("assistant", block{Type: "tool_use", ID: item.CallID, Name: item.Name})
		case "function_call_output", "custom_tool_call_output":
			r.take("user", block{Type: "tool_result", ToolUseID: item.CallID})
		}
	}
	return r, r.check()
}

// take adds a block. What a model says in one answer is one message, though each
// part of it is an item of its own.
func (r *request) take(role string, b block) {
	if last := len(r.Messages) - 1; role == "assistant" && last >= 0 && r.Messages[last].Role == role {
		r.Messages[last].Content = append(r.Messages[last].Content, b)
		return
	}
	r.Messages = append(r.Messages, message{Role: role, Content: blocks{b}})
}

func (r *request) takeTools(tools []responsesTool) {
	for _, t := range tools {
		r.Tools = append(r.Tools, tool{Name: t.Name})
		r.takeTools(t.Tools)
	}
}

// responsesFailure is an error as the Responses API writes it.
func responsesFailure(status int, text string) any {
	code := map[int]string{
		http.StatusUnauthorized: "invalid_api_key", http.StatusNotFound: "model_not_found", http.StatusTooManyRequests: "rate_limit_exceeded",
	}[status]
	switch {
	case strings.Contains(text, "credit balance") || strings.Contains(text, "current quota"):
		code = "insufficient_quota"
	case strings.Contains(text, "too long"):
		code = "context_length_exceeded"
	}
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	if code == "insufficient_quota" || code == "rate_limit_exceeded" {
		kind = code
	}
	return map[string]any{"error": map[string]any{"message": text, "type": kind, "code": code, "param": nil}}
}

// usageLimit is a limit in the only form that Codex does not wait for: it sleeps
// through any other that says when it ends, however far away that is.
func usageLimit(_ http.Header, status int, resets time.Time) []byte {
	if status != http.StatusTooManyRequests {
		return nil
	}
	data, err := json.Marshal(map[string]any{"error": map[string]any{
		"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_at": resets.Unix(),
	}})
	if err != nil {
		return nil // numbers and texts always have a form
	}
	return data
}

// writeResponses sends the reply as a stream of the Responses API. It panics with
// http.ErrAbortHandler when the reply is to be cut.
func (r reply) writeResponses(w http.ResponseWriter, _ bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	s := &sse{w: w}
	s.send("response.created", map[string]any{"response": map[string]any{"id": r.ID, "model": r.Model, "status": "in_progress"}})
	if r.garbage {
		s.raw("event: ping\ndata: {this is not JSON\n\n")
	}
	for i, b := range r.Content {
		if r.cut && i == len(r.Content)-1 {
			s.send("response.output_text.delta", map[string]any{"output_index": i, "delta": b.Text})
			panic(http.ErrAbortHandler)
		}
		s.send("response.output_item.done", map[string]any{"output_index": i, "item": responsesOutput(r.ID, i, b)})
	}
	end := map[string]any{"id": r.ID, "model": r.Model, "status": "completed", "usage": map[string]any{
		"input_tokens":         r.Usage.Input + r.Usage.CacheRead + r.Usage.CacheCreation,
		"input_tokens_details": map[string]any{"cached_tokens": r.Usage.CacheRead, "cache_write_tokens": r.Usage.CacheCreation},
		"output_tokens":        r.Usage.Output, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
		"total_tokens": r.Usage.Input + r.Usage.CacheRead + r.Usage.CacheCreation + r.Usage.Output,
	}}
	if r.StopReason == stopRefusal {
		end["status"], end["incomplete_details"] = "incomplete", map[string]any{"reason": "content_filter"}
		s.send("response.incomplete", map[string]any{"response": end})
		return
	}
	s.send("response.completed", map[string]any{"response": end})
}

// responsesOutput is a block as an item of the Responses API. The input of a tool
// that takes text is a JSON string, that of any other an object.
func responsesOutput(id string, i int, b block) map[string]any {
	item := map[string]any{"type": "message", "id": fmt.Sprintf("%s_%d", id, i), "role": "assistant", "status": "completed"}
	if b.Type != "tool_use" {
		item["content"] = []any{map[string]any{"type": "output_text", "text": b.Text, "annotations": []any{}}}
		return item
	}
	delete(item, "role")
	item["call_id"], item["name"] = b.ID, b.Name
	var text string
	if json.Unmarshal(b.Input, &text) == nil {
		item["type"], item["input"] = "custom_tool_call", text
		return item
	}
	item["type"], item["arguments"] = "function_call", string(b.Input)
	return item
}
