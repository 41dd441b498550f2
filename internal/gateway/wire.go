package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxOutput is far over what any model can say at once; sums of it cannot
// overflow.
const maxOutput = 1 << 30

// request is what the gateway needs to know of a request, in the words of the
// Messages API.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools"`
	Thinking  struct {
		Budget int `json:"budget_tokens"` // has to be less than MaxTokens
	} `json:"thinking"`
}

type tool struct {
	Name string `json:"name"`
}

type message struct {
	Role    string `json:"role"`
	Content blocks `json:"content"`
}

// block is one piece of a message; only the fields of its type are set.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
}

// blocks may be written as a plain string.
type blocks []block

// UnmarshalJSON reads a string or a list of blocks.
func (b *blocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = blocks{{Type: "text", Text: text}}
		return nil
	}
	var list []block
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*b = list
	return nil
}

func parseMessages(body []byte) (request, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return request{}, fmt.Errorf("read the request: %w", err)
	}
	return r, r.check()
}

func (r *request) check() error {
	if r.Model == "" || len(r.Messages) == 0 {
		return errors.New("read the request: no model or no messages")
	}
	if r.MaxTokens < 0 || r.MaxTokens > maxOutput {
		return fmt.Errorf("read the request: max_tokens is %d", r.MaxTokens)
	}
	return nil
}

// text returns the texts of the message, without tool results.
func (m message) text() string {
	var parts []string
	for _, b := range m.Content {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (r request) hasTool(name string) bool { return slices.Contains(r.Tools, tool{Name: name}) }

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"type":"error","error":{"type":"api_error","message":"the answer has no JSON form"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Nobody is left to tell when the agent has gone.
	_, _ = w.Write(data)
}

// messagesFailure is an error as the Messages API writes it.
func messagesFailure(status int, text string) any {
	return map[string]any{"type": "error", "error": map[string]string{"type": errorKind(status), "message": text}}
}

// errorKind returns the provider's name for an error of that status.
func errorKind(status int) string {
	kinds := map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
	}
	if kind, ok := kinds[status]; ok {
		return kind
	}
	return "api_error"
}

// reply is a complete answer of a model.
type reply struct {
	ID         string
	Model      string
	Content    []block
	StopReason string
	Usage      wireUsage
	garbage    bool // one unreadable line in the stream
	cut        bool // the stream ends before the message does
}

// stopRefusal is the reason of a reply that the model ended for safety.
const stopRefusal = "refusal"

// writeMessages sends the reply in the form of the Messages API that the request
// asked for. It panics with http.ErrAbortHandler when the reply is to be cut.
func (r reply) writeMessages(w http.ResponseWriter, stream bool) {
	if !stream && r.cut {
		panic(http.ErrAbortHandler)
	}
	if !stream {
		writeJSON(w, http.StatusOK, map[string]any{
			"id": r.ID, "type": "message", "role": "assistant", "model": r.Model, "content": r.Content,
			"stop_reason": r.StopReason, "stop_sequence": nil, "usage": r.usage(),
		})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	s := &sse{w: w}
	first := r.usage()
	first["output_tokens"] = 1
	s.send("message_start", map[string]any{"message": map[string]any{
		"id": r.ID, "type": "message", "role": "assistant", "model": r.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": first,
	}})
	if r.garbage {
		s.raw("event: ping\ndata: {this is not JSON\n\n")
	}
	for i, b := range r.Content {
		s.block(i, b, r.cut && i == len(r.Content)-1)
	}
	if r.cut {
		panic(http.ErrAbortHandler)
	}
	s.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": r.StopReason, "stop_sequence": nil}, "usage": r.usage(),
	})
	s.send("message_stop", map[string]any{})
}

func (r reply) usage() map[string]any {
	return map[string]any{
		"input_tokens": r.Usage.Input, "output_tokens": r.Usage.Output,
		"cache_read_input_tokens": r.Usage.CacheRead, "cache_creation_input_tokens": r.Usage.CacheCreation,
	}
}

// sse writes server-sent events.
type sse struct{ w http.ResponseWriter }

func (s *sse) send(kind string, fields map[string]any) {
	fields["type"] = kind
	data, err := json.Marshal(fields)
	if err != nil {
		return // only an input that is not JSON, which the readers exclude
	}
	s.raw("event: " + kind + "\ndata: " + string(data) + "\n\n")
}

func (s *sse) raw(text string) {
	// Nobody is left to tell when the agent has gone.
	_, _ = s.w.Write([]byte(text))
	flush(s.w)
}

// flush sends what was written.
func flush(w io.Writer) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *sse) block(i int, b block, open bool) {
	start := map[string]any{"type": b.Type}
	delta := map[string]any{"type": "text_delta", "text": b.Text}
	if b.Type == "tool_use" {
		start["id"], start["name"], start["input"] = b.ID, b.Name, map[string]any{}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(b.Input)}
	} else {
		start["text"] = ""
	}
	s.send("content_block_start", map[string]any{"index": i, "content_block": start})
	s.send("content_block_delta", map[string]any{"index": i, "delta": delta})
	if !open {
		s.send("content_block_stop", map[string]any{"index": i})
	}
}
