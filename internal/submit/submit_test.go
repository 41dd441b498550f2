package submit_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jacquard-build/jacquard/internal/submit"
)

const schema = `{"type":"object","properties":{"verdict":{"type":"string"}},"required":["verdict"],"additionalProperties":false}`

// bearer puts a token into each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a client of the protocol.
func connect(t *testing.T, s *submit.Server, token string) (*mcp.ClientSession, error) {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL(), HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}, nil)
}

func start(t *testing.T, took func(json.RawMessage, string)) *submit.Server {
	t.Helper()
	s, err := submit.Start(t.Context(), json.RawMessage(schema), took)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestAnswerIsTaken(t *testing.T) {
	t.Parallel()
	var got []string
	s := start(t, func(answer json.RawMessage, misfit string) { got = append(got, string(answer)+misfit) })
	client, err := connect(t, s, s.Token())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // the server is closed as well
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != submit.ToolName {
		t.Fatalf("tools = %+v, %v", tools, err)
	}
	call := func(arguments any) (string, bool) {
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: submit.ToolName, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return res.Content[0].(*mcp.TextContent).Text, res.IsError
	}
	if text, failed := call(map[string]any{"score": 1}); !failed || !strings.Contains(text, "verdict is missing") {
		t.Errorf("a bad answer: %q, %v", text, failed)
	}
	if text, failed := call(map[string]any{"verdict": "pass"}); failed {
		t.Errorf("a good answer: %q", text)
	}
	for range submit.MaxTries {
		call(map[string]any{"verdict": 1})
	}
	if text, failed := call(map[string]any{"verdict": "late"}); !failed || !strings.Contains(text, "end your turn") {
		t.Errorf("after too many tries: %q, %v", text, failed)
	}
	want := []string{"answer: verdict is missing; answer: score was not asked for", `{"verdict":"pass"}`}
	for range submit.MaxTries - 1 {
		want = append(want, "answer.verdict: want a text")
	}
	if !slices.Equal(got, want) {
		t.Errorf("took %q, want %q", got, want)
	}
}

func TestAnotherTurnMayNotAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, func(json.RawMessage, string) { t.Error("an answer was taken") })
	for _, token := range []string{"", "jacquard-answer-0", start(t, nil).Token()} {
		if _, err := connect(t, s, token); err == nil {
			t.Errorf("the token %q was taken", token)
		}
	}
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("url = %s", s.URL())
	}
}
