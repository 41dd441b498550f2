package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// model starts a model on the loopback interface for an agent's program that this one does not run: model SCRIPT LOG. Each line of the
// script is one answer: "run COMMAND" calls the shell, "call TOOL INPUT" another tool, "say TEXT" ends the turn; the last line is said from then on. The log gets
// what the model is asked each time. It speaks the Messages API, and to Codex, which $MODEL_URL is for, the Responses API.
func model(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: model SCRIPT LOG")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n")
	log := ts.MkAbs(args[1])
	ts.Check(os.WriteFile(log, nil, 0o644))
	var mu sync.Mutex
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Stream   bool              `json:"stream"`
			Tools    []json.RawMessage `json:"tools"`
			Messages []json.RawMessage `json:"messages"`
			Input    []json.RawMessage `json:"input"` // of the Responses API
		}
		responses := strings.HasSuffix(r.URL.Path, "/responses")
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !responses && !strings.HasSuffix(r.URL.Path, "/messages") {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		line := "say yes" // to what its program asks beside the conversation
		if in.Messages = append(in.Messages, in.Input...); len(in.Tools) > 0 || responses {
			line = lines[min(asked, len(lines)-1)]
			asked++
			f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0o644)
			if err == nil {
				fmt.Fprintf(f, "ASKED %d: %s\n", asked, bytes.Join(asBytes(in.Messages[max(0, len(in.Messages)-2):]), nil))
				_ = f.Close()
			}
		}
		if responses {
			respond(w, line, asked)
			return
		}
		answer(w, line, asked, in.Stream)
	}))
	ts.Defer(s.Close)
	ts.Setenv("ANTHROPIC_BASE_URL", s.URL)
	ts.Setenv("MODEL_URL", s.URL)
	ts.Setenv("ANTHROPIC_API_KEY", "sk-of-nobody-at-all")
	ts.Setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
}

func asBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, m := range list {
		out[i] = m
	}
	return out
}

// answer writes one answer in the form of the Messages API.
func answer(w http.ResponseWriter, line string, n int, stream bool) {
	verb, text, _ := strings.Cut(line, " ")
	block, stop := map[string]any{"type": "text", "text": text}, "end_turn"
	name, input, tool := toolCall(verb, text, "Bash", map[string]any{"command": text, "description": "as asked"})
	if tool {
		block, stop = map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", n), "name": name, "input": input}, "tool_use"
	}
	message := map[string]any{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": "claude-test", "content": []any{block},
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 10, "output_tokens": 10},
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind string, v map[string]any) { writeEvent(w, kind, v) }
	delta := map[string]any{"type": "text_delta", "text": text}
	empty := map[string]any{"type": "text", "text": ""}
	if tool {
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		empty = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
	}
	message["content"], message["stop_reason"] = []any{}, nil
	send("message_start", map[string]any{"message": message})
	send("content_block_start", map[string]any{"index": 0, "content_block": empty})
	send("content_block_delta", map[string]any{"index": 0, "delta": delta})
	send("content_block_stop", map[string]any{"index": 0})
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 10}})
	send("message_stop", map[string]any{})
}

// toolCall is the tool that a line calls, with its input: the shell in the way of an agent's program, or one by its name.
func toolCall(verb, text, shell string, command map[string]any) (name string, input json.RawMessage, ok bool) {
	switch verb {
	case "run":
		input, _ = json.Marshal(command)
		return shell, input, true
	case "call":
		name, rest, _ := strings.Cut(text, " ")
		return name, json.RawMessage(rest), true
	}
	return "", nil, false
}

// writeEvent writes an event of a stream.
func writeEvent(w http.ResponseWriter, kind string, v map[string]any) {
	v["type"] = kind
	raw, _ := json.Marshal(v)
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, raw)
}

// respond writes one answer in the form of the Responses API, for a model that Codex does not know.
func respond(w http.ResponseWriter, line string, n int) {
	verb, text, _ := strings.Cut(line, " ")
	id := fmt.Sprintf("resp_%d", n)
	item := map[string]any{"type": "message", "id": "item_" + id, "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}}
	if name, input, tool := toolCall(verb, text, "exec_command", map[string]any{"cmd": text, "yield_time_ms": 30_000}); tool {
		item = map[string]any{"type": "function_call", "id": "item_" + id, "call_id": fmt.Sprintf("call_%d", n), "name": name, "arguments": string(input), "status": "completed"}
		if space, own, ok := strings.Cut(name, "/"); ok { // of a server
			item["namespace"], item["name"] = space, own
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	writeEvent(w, "response.created", map[string]any{"response": map[string]any{"id": id}})
	writeEvent(w, "response.output_item.done", map[string]any{"output_index": 0, "item": item})
	writeEvent(w, "response.completed", map[string]any{"response": map[string]any{"id": id, "status": "completed", "usage": map[string]any{
		"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": 10, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 20,
	}}})
}
