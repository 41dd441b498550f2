package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/gateway"
)

// codex is an agent that asks by the Responses API, as far as a provider can see
// one.
type codex struct {
	url, token string
	code       bool // its tools are called through JavaScript
	input      []any
}

func newCodex(g *gateway.Gateway, a *gateway.Access, prompt string) *codex {
	c := &codex{url: listen(g), token: a.Token()}
	c.says(prompt)
	return c
}

func (c *codex) says(text string) {
	c.input = append(c.input, map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": text}}})
}

func (c *codex) body(t *testing.T) []byte {
	t.Helper()
	body := map[string]any{"model": "gpt-5.5", "stream": true, "input": c.input}
	tools := []any{map[string]any{"type": "function", "name": "exec_command"}, map[string]any{"type": "custom", "name": "apply_patch"}}
	if c.code {
		space := map[string]any{"type": "namespace", "name": "functions", "tools": []any{map[string]any{"type": "custom", "name": "exec"}}}
		body["input"] = append([]any{map[string]any{"type": "additional_tools", "role": "developer", "tools": []any{space}}}, c.input...)
	} else {
		body["tools"] = tools
	}
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// item is one item of an answer.
type item struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"`
	Content   []struct {
		Text string `json:"text"`
	} `json:"content"`
}

type responded struct {
	status int
	header http.Header
	body   string
	items  []item
	end    string // the type of the last event
	err    error  // the stream was cut
}

func (c *codex) ask(t *testing.T) responded {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/v1/responses", bytes.NewReader(c.body(t)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("x-codex-turn-metadata", "not for the provider")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return responded{err: err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	r := responded{status: resp.StatusCode, header: resp.Header, body: string(data), err: err}
	for line := range strings.SplitSeq(r.body, "\n") {
		var e struct {
			Type string          `json:"type"`
			Item json.RawMessage `json:"item"`
		}
		if data, ok := strings.CutPrefix(line, "data: "); !ok || json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		r.end = e.Type
		var i item
		if e.Type == "response.output_item.done" && json.Unmarshal(e.Item, &i) == nil {
			r.items = append(r.items, i)
			var whole any
			if err := json.Unmarshal(e.Item, &whole); err != nil {
				t.Fatal(err)
			}
			c.input = append(c.input, whole)
		}
	}
	for _, i := range r.items {
		if i.CallID != "" {
			c.input = append(c.input, map[string]any{"type": strings.Replace(i.Type, "_call", "_call_output", 1), "call_id": i.CallID, "output": "result"})
		}
	}
	return r
}

func (r responded) calls(dir string) string {
	var out []string
	for _, i := range r.items {
		switch i.Type {
		case "message":
			out = append(out, i.Content[0].Text)
		case "function_call":
			out = append(out, i.Name+" "+i.Arguments)
		default:
			out = append(out, i.Name+" "+i.Input)
		}
	}
	return strings.ReplaceAll(strings.Join(out, " | "), dir, ".")
}

const codexScript = `turn red m 1
  say hello
  write new.txt f
  edit there.txt old new
  delete there.txt
  write bare.txt bare
  run go test
  answer bad
  answer ans
  refuse
-- f --
f
-- bad --
{}
-- ans --
{"a":1}
-- bare --
`

func TestScriptBecomesToolCallsOfCodex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there.txt"), []byte("old\nrest\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		code bool
		want []string
	}{
		"tools": {false, []string{
			"hello | apply_patch *** Begin Patch\n*** Add File: ./new.txt\n+f\n*** End Patch",
			"apply_patch *** Begin Patch\n*** Update File: ./there.txt\n@@\n-old\n-rest\n+new\n+rest\n*** End Patch",
			"apply_patch *** Begin Patch\n*** Delete File: ./there.txt\n*** End Patch",
			`exec_command {"cmd":"mkdir -p -- '.' \u0026\u0026 printf %s '' \u003e './bare.txt'","yield_time_ms":30000}`,
			`exec_command {"cmd":"go test","yield_time_ms":30000}`,
			"{}\n", "{\"a\":1}\n",
		}},
		"code": {true, []string{
			`hello | exec const done = await tools.apply_patch("*** Begin Patch\n*** Add File: ./new.txt\n+f\n*** End Patch"); text(done)`,
			`exec const done = await tools.apply_patch("*** Begin Patch\n*** Update File: ./there.txt\n@@\n-old\n-rest\n+new\n+rest\n*** End Patch"); text(done)`,
			`exec const done = await tools.apply_patch("*** Begin Patch\n*** Delete File: ./there.txt\n*** End Patch"); text(done)`,
			`exec const done = await tools.exec_command({"cmd":"mkdir -p -- '.' \u0026\u0026 printf %s '' \u003e './bare.txt'","yield_time_ms":30000}); text(done.output)`,
			`exec const done = await tools.exec_command({"cmd":"go test","yield_time_ms":30000}); text(done.output)`,
			"{}\n", "{\"a\":1}\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, gateway.Options{Backend: script(t, codexScript)})
			a := open(t, g, gateway.Turn{Dir: dir})
			client := newCodex(g, a, prompt)
			client.code = c.code
			for i, want := range c.want {
				before := client.input
				if got := client.ask(t); got.calls(dir) != want || got.end != "response.completed" {
					t.Fatalf("answer %d = %d %s %s, want %s", i, got.status, got.calls(dir), got.body, want)
				}
				after := client.input
				client.input = before // the same request again changes nothing
				if got := client.ask(t); got.calls(dir) != want {
					t.Fatalf("the same request again = %s, want %s", got.calls(dir), want)
				}
				client.input = after
				if strings.HasPrefix(want, "{") {
					client.says("and now?")
				}
			}
			if got := client.ask(t); got.end != "response.incomplete" || !strings.Contains(got.body, "content_filter") {
				t.Errorf("a refusal = %+v", got)
			}
		})
	}
}

func TestForwardToOpenAI(t *testing.T) {
	t.Parallel()
	var seen http.Header
	var path string
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, path = r.Header, r.URL.Path
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Openai-Organization", "org")
		w.Header().Set("X-Request-Id", "req_1")
		_, _ = io.WriteString(w, "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":"+
			`{"input_tokens":1110,"input_tokens_details":{"cached_tokens":1000,"cache_write_tokens":100},"output_tokens":2}`+"}}\n\n")
	}))
	defer up.Close()
	backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{}
	g := start(t, gateway.Options{Backend: backend, Ledger: l})
	a := open(t, g, gateway.Turn{})
	got := newCodex(g, a, "hi").ask(t)
	if got.status != http.StatusOK || got.header.Get("X-Request-Id") != "req_1" || got.header.Get("Openai-Organization") != "" {
		t.Errorf("answer = %d %v", got.status, got.header)
	}
	if path != "/v1/responses" || seen.Get("Authorization") != "Bearer sk-real" || seen.Get("x-api-key")+seen.Get("x-codex-turn-metadata") != "" {
		t.Errorf("the provider got %s %v", path, seen)
	}
	s := a.Close()
	// 10·5 + 2·30 + 1000·0.5 + 100·6.25
	if want := (gateway.Usage{Input: 10, Output: 2, CacheRead: 1000, CacheWrite: 100}); s.Usage != want || s.Spent != (gateway.Amount{MicroUSD: 1235, Tokens: 1112}) {
		t.Errorf("usage, spent = %+v, %+v, want %+v, 1235 and 1112", s.Usage, s.Spent, want)
	}
	if len(l.open) != 0 || l.spent != s.Spent || s.Requests != 1 {
		t.Errorf("the ledger has %+v open and %+v spent, want none and %+v", l.open, l.spent, s.Spent)
	}
}

// What codex would try again or wait for without an end must end it at once.
func TestCodexIsToldToGiveUp(t *testing.T) {
	t.Parallel()
	after := ""
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after)
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"slow down"}}`)
	}))
	defer up.Close()
	backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, gateway.Options{Backend: backend})
	a := open(t, g, gateway.Turn{})
	c := newCodex(g, a, "hi")
	after = "20"
	if got := c.ask(t); got.status != http.StatusTooManyRequests || !strings.Contains(got.body, "slow down") || got.header.Get("Retry-After") != "20" {
		t.Errorf("a short limit = %d %s, want it as it came", got.status, got.body)
	}
	after = "7200"
	var limit struct {
		Error struct {
			Type     string `json:"type"`
			ResetsAt int64  `json:"resets_at"`
		} `json:"error"`
	}
	got := c.ask(t)
	if err := json.Unmarshal([]byte(got.body), &limit); err != nil || limit.Error.Type != "usage_limit_reached" || limit.Error.ResetsAt != noon.Add(2*time.Hour).Unix() {
		t.Errorf("a long limit = %d %s, %v", got.status, got.body, err)
	}
	if s := a.Close(); s.Limits != 2 || !s.ResetsAt.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("stats = %+v, want 2 limits, the last for 2 hours", s)
	}
	for name, turn := range map[string]gateway.Turn{
		"jacquard budget: ":           {Grant: gateway.Amount{Tokens: 10}},
		"jacquard turns: ":            {Calls: 1},
		"jacquard: the token is not ": {},
	} {
		g := start(t, gateway.Options{Backend: script(t, "turn * * *\n say x")})
		a := open(t, g, turn)
		c = newCodex(g, a, prompt)
		switch {
		case turn.Calls > 0:
			c.ask(t)
		case turn.Grant.Tokens == 0:
			a.Close()
		}
		if got := c.ask(t); got.status != http.StatusBadRequest || !strings.Contains(got.body, name) {
			t.Errorf("%s = %d %s, want 400", name, got.status, got.body)
		}
	}
	c.input = nil
	if got := c.ask(t); got.status != http.StatusBadRequest {
		t.Errorf("no input = %d %s, want 400", got.status, got.body)
	}
}

// An agent that goes as soon as it has the last event has had a whole answer.
func TestAgentThatGoesAtTheEnd(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"item\":{\"text\":\""+strings.Repeat("x", 3000)+"\"}}\n\n"+
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":50,\"output_tokens\":2}}}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done() // the stream is left open until the agent has gone
		close(gone)
	}))
	defer up.Close()
	backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
	if err != nil {
		t.Fatal(err)
	}
	tape := &gateway.Tape{}
	g := start(t, gateway.Options{Backend: backend, Record: tape})
	a := open(t, g, gateway.Turn{})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, listen(g)+"/v1/responses", bytes.NewReader(newCodex(g, a, "hi").body(t)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.Token())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for line := ""; !strings.HasPrefix(line, "data: {\"type\":\"response.completed"); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	<-gone
	s := a.Close()
	if s.Requests != 1 || s.Failures != 0 || s.Usage != (gateway.Usage{Input: 50, Output: 2}) {
		t.Errorf("stats = %+v, want one call that went well", s)
	}
	path := filepath.Join(t.TempDir(), "tape")
	if err := tape.Save(path, gateway.Redactor{}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	played, err := gateway.ReadTape(file)
	if err != nil {
		t.Fatal(err)
	}
	again := start(t, gateway.Options{Backend: played.Replay(true)})
	if got := newCodex(again, open(t, again, gateway.Turn{}), "hi").ask(t); got.end != "response.completed" {
		t.Errorf("the recording answers %d %s", got.status, got.body)
	}
}
