package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/scenario"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func start(t *testing.T, opt gateway.Options) *gateway.Gateway {
	t.Helper()
	if opt.Now == nil {
		opt.Now = clock
	}
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cerr := g.Close(); cerr != nil {
			t.Error(cerr)
		}
	})
	return g
}

func open(t *testing.T, g *gateway.Gateway, turn gateway.Turn) *gateway.Access {
	t.Helper()
	if turn.ID == "" {
		turn.ID = "turn"
	}
	a, err := g.Open(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func script(t *testing.T, text string) gateway.Backend {
	t.Helper()
	s, problems := scenario.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("Parse = %v", problems)
	}
	return gateway.Script(s, clock)
}

// client is an agent as far as a provider can see one: it keeps a conversation.
type client struct {
	url, token string
	model      string
	maxTokens  int
	plain      bool // asks without streaming
	tools      []string
	messages   []any
}

func newClient(g *gateway.Gateway, a *gateway.Access, prompt string) *client {
	return &client{
		url: listen(g), token: a.Token(), model: "claude-sonnet-4-5", maxTokens: 100,
		tools: []string{"Read", "Write", "Edit", "Bash", "StructuredOutput"}, messages: []any{map[string]any{"role": "user", "content": prompt}},
	}
}

func (c *client) body() []byte {
	tools := []any{}
	for _, name := range c.tools {
		tools = append(tools, map[string]any{"name": name, "input_schema": map[string]any{"type": "object"}})
	}
	data, err := json.Marshal(map[string]any{"model": c.model, "max_tokens": c.maxTokens, "stream": !c.plain, "tools": tools, "messages": c.messages})
	if err != nil {
		panic(err)
	}
	return data
}

// piece is one block of an answer.
type piece struct {
	Type  string          `json:"type"`
	Text  string          `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

type answered struct {
	status int
	header http.Header
	body   string
	pieces []piece
	stop   string
	err    error // the stream was cut
}

func post(ctx context.Context, url, token string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/messages?beta=true", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("x-api-key", token)
	req.Header.Set("content-type", "application/json")
	return http.DefaultClient.Do(req)
}

// ask sends the conversation and reads the answer.
func (c *client) ask(t *testing.T) answered {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	resp, err := post(ctx, c.url, c.token, c.body())
	if err != nil {
		return answered{err: err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	a := answered{status: resp.StatusCode, header: resp.Header, body: string(data), err: err}
	if resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("content-type"), "text/event-stream") {
		a.pieces, a.stop = readStream(a.body)
	} else if resp.StatusCode == http.StatusOK {
		var m struct {
			Content    []piece `json:"content"`
			StopReason string  `json:"stop_reason"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatalf("answer %q: %v", data, err)
		}
		a.pieces, a.stop = m.Content, m.StopReason
	}
	return a
}

func readStream(body string) (pieces []piece, stop string) {
	lines := bufio.NewScanner(strings.NewReader(body))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var e struct {
			Type  string `json:"type"`
			Block piece  `json:"content_block"`
			Delta struct {
				Text       string `json:"text"`
				JSON       string `json:"partial_json"`
				StopReason string `json:"stop_reason"`
			} `json:"delta"`
		}
		if !ok || json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		switch e.Type {
		case "content_block_start":
			e.Block.Input = nil
			pieces = append(pieces, e.Block)
		case "content_block_delta":
			last := &pieces[len(pieces)-1]
			last.Text += e.Delta.Text
			last.Input = append(last.Input, e.Delta.JSON...)
		case "message_delta":
			stop = e.Delta.StopReason
		}
	}
	return pieces, stop
}

// took adds an answer and the results of its tools to the conversation.
func (c *client) took(a answered, result string) {
	c.messages = append(c.messages, map[string]any{"role": "assistant", "content": a.pieces})
	var results []any
	for _, p := range a.pieces {
		if p.Type == "tool_use" {
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": p.ID, "content": result})
		}
	}
	if len(results) > 0 {
		c.messages = append(c.messages, map[string]any{"role": "user", "content": results})
	}
}

func (c *client) says(text string) {
	c.messages = append(c.messages, map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": text}}})
}

// ledger is a Ledger that keeps its entries in memory.
type ledger struct {
	mu      sync.Mutex
	entries []string
	open    map[int]gateway.Amount
	spent   gateway.Amount
	refuse  error
	late    error // a settlement came with a context that had ended
}

func (l *ledger) Reserve(_ context.Context, turn string, n int, most gateway.Amount) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuse != nil {
		return l.refuse
	}
	if l.open == nil {
		l.open = map[int]gateway.Amount{}
	}
	l.open[n] = most
	l.entries = append(l.entries, "reserve "+turn)
	return nil
}

func (l *ledger) Settle(ctx context.Context, turn string, n int, spent gateway.Amount) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, n)
	l.spent.Tokens += spent.Tokens
	l.spent.MicroUSD += spent.MicroUSD
	l.entries = append(l.entries, "settle "+turn)
	if ctx.Err() != nil {
		l.late = ctx.Err()
	}
	return ctx.Err()
}

// eventually polls until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("still not: %s", what)
}

var prompt = "task\n" + scenario.Marker("red", "m", 1)

// listen is where a gateway is reached.
func listen(g *gateway.Gateway) string {
	url, err := g.Listen(context.Background())
	if err != nil {
		panic(err)
	}
	return url
}
