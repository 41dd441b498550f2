package gateway_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/gateway"
)

// letterFrom waits for request n and returns its body.
func letterFrom(t *testing.T, dir, n string) string {
	t.Helper()
	var data []byte
	eventually(t, "request "+n+" is there", func() bool {
		var err error
		data, err = os.ReadFile(filepath.Join(dir, n+"-request.json"))
		return err == nil
	})
	var letter struct {
		Turn string
		Body struct{ Model string }
	}
	if err := json.Unmarshal(data, &letter); err != nil || letter.Turn != "turn" || letter.Body.Model == "" {
		t.Errorf("request %s = %s, %v", n, data, err)
	}
	return string(data)
}

func TestMailbox(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mail")
	backend, err := gateway.Mailbox(dir, gateway.NewRedactor("hunter-2-hunter"))
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, gateway.Options{Backend: backend})
	a := open(t, g, gateway.Turn{})
	c := newClient(g, a, "the password is hunter-2-hunter")
	reply := func(n, text string) {
		if werr := os.WriteFile(filepath.Join(dir, n+"-answer.json"), []byte(text), 0o600); werr != nil {
			t.Error(werr)
		}
	}
	done := make(chan answered, 1)
	ask := func() { go func() { done <- c.ask(t) }() }

	ask()
	if text := letterFrom(t, dir, "001"); strings.Contains(text, "hunter") || !strings.Contains(text, gateway.Redacted) {
		t.Errorf("the request holds a secret: %s", text)
	}
	reply("001", `{"content": [{"type": "text", "te`) // half written
	select {
	case got := <-done:
		t.Fatalf("half an answer was taken: %+v", got)
	case <-time.After(200 * time.Millisecond):
	}
	reply("001", `{"content": [{"type":"text","text":"look"},{"type":"tool_use","name":"Read","input":{"file_path":"x"}}],"usage":{"input_tokens":7,"output_tokens":3}}`)
	if got := <-done; got.stop != "tool_use" || calls(got, "") != `look | Read {"file_path":"x"}` || got.pieces[1].ID == "" {
		t.Errorf("answer = %+v", got)
	}
	ask()
	letterFrom(t, dir, "002")
	reply("002", `{"text":"done"}`)
	if got := <-done; got.stop != "end_turn" || calls(got, "") != "done" {
		t.Errorf("answer = %+v", got)
	}
	ask()
	letterFrom(t, dir, "003")
	reply("003", `{"status":529,"message":"busy","retry_after":3}`)
	if got := <-done; got.status != 529 || got.header.Get("retry-after") != "3" || !strings.Contains(got.body, "busy") {
		t.Errorf("answer = %+v", got)
	}
	ask()
	letterFrom(t, dir, "004")
	if s := a.Close(); s.Usage.Input != 7 || s.Usage.Output != 3 {
		t.Errorf("usage = %+v", s.Usage)
	}
	if got := <-done; got.err == nil && got.status == 200 {
		t.Errorf("a call that nobody answered got %+v", got)
	}

	// A new gateway on the same directory writes over nothing.
	backend, err = gateway.Mailbox(dir, gateway.Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	g2 := start(t, gateway.Options{Backend: backend})
	c = newClient(g2, open(t, g2, gateway.Turn{}), "x")
	c.plain = true
	ask()
	letterFrom(t, dir, "005")
	reply("005", `{"text":"plain"}`)
	if got := <-done; calls(got, "") != "plain" {
		t.Errorf("answer = %+v", got)
	}
}
