package gateway_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/scenario"
)

// calls renders the tool calls of an answer, without the directory.
func calls(a answered, dir string) string {
	var out []string
	for _, p := range a.pieces {
		if p.Type == "tool_use" {
			out = append(out, p.Name+" "+string(p.Input))
		} else {
			out = append(out, p.Text)
		}
	}
	if dir == "" {
		return strings.Join(out, " | ")
	}
	return strings.ReplaceAll(strings.Join(out, " | "), dir, ".")
}

func TestScriptBecomesToolCalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there.txt"), []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := start(t, gateway.Options{Backend: script(t, `turn red m 1
  say hello
  write new.txt f
  status 500
  edit there.txt old new
  append there.txt f
  delete it's
  run go test
  cut
  answer bad
  say again
  answer ans
  say over
  end
  say asked again
-- f --
f
-- bad --
{}
-- ans --
{"a":1}
`)})
	a := open(t, g, gateway.Turn{Dir: dir})
	c := newClient(g, a, prompt)
	for i, want := range []string{
		`hello | Write {"content":"f\n","file_path":"./new.txt"}`,
		"500",
		`Read {"file_path":"./there.txt"} | Edit {"file_path":"./there.txt","new_string":"new","old_string":"old"}`,
		`Read {"file_path":"./there.txt"} | Write {"content":"old\nf\n","file_path":"./there.txt"}`,
		`Bash {"command":"rm -- './it'\\''s'","description":"scripted"}`,
		`Bash {"command":"go test","description":"scripted"}`,
		"cut",
		`StructuredOutput {}`,
		`again | StructuredOutput {"a":1}`,
		"over",
		"asked again",
		"Done.",
	} {
		// A retry of the agent sends the same again; that must change nothing.
		got := c.ask(t)
		switch {
		case want == "500":
			if got.status != 500 {
				t.Fatalf("answer %d = %d, want 500", i, got.status)
			}
			continue
		case want == "cut":
			if got.err == nil {
				t.Fatalf("answer %d = %+v, want a cut stream", i, got)
			}
			// The agent keeps what it has of a cut answer.
			c.took(got, "")
			c.messages = append(c.messages, map[string]any{"role": "assistant", "content": got.pieces})
			c.says("go on")
			continue
		case calls(got, dir) != want:
			t.Fatalf("answer %d = %d %s %s, want %s", i, got.status, calls(got, dir), got.body, want)
		}
		again := c.ask(t)
		if calls(again, dir) != want {
			t.Fatalf("the same request again = %s, want %s", calls(again, dir), want)
		}
		wantStop := "tool_use"
		if !strings.Contains(want, "{") {
			wantStop = "end_turn"
		}
		if got.stop != wantStop {
			t.Errorf("answer %d stops with %q, want %q", i, got.stop, wantStop)
		}
		c.took(got, "result")
		if wantStop == "end_turn" {
			c.says("and now?")
		}
	}

	// The same conversation goes on with a new gateway, and in plain JSON.
	g2 := start(t, gateway.Options{Backend: script(t, "turn red m 1\n run one\n run two\n say three")})
	c2 := newClient(g2, open(t, g2, gateway.Turn{}), prompt)
	c2.plain = true
	c2.messages = append(c2.messages,
		map[string]any{"role": "assistant", "content": []piece{{Type: "tool_use", ID: "toolu_jq_0_1", Name: "Bash", Input: json.RawMessage(`{}`)}}},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_jq_0_1", "content": scenario.Marker("red", "m", 2)}}},
	)
	if got := c2.ask(t); calls(got, "") != `Bash {"command":"two","description":"scripted"}` {
		t.Errorf("going on gives %s %s", calls(got, ""), got.body)
	}
}

func TestScriptTurnsInOneSession(t *testing.T) {
	t.Parallel()
	g := start(t, gateway.Options{Backend: script(t, "turn red m 1\n run first\nturn red m 2\n run second\n refuse")})
	c := newClient(g, open(t, g, gateway.Turn{}), prompt)
	for _, want := range []string{"first", "Done."} {
		got := c.ask(t)
		if !strings.Contains(calls(got, ""), want) {
			t.Fatalf("answer = %s, want %s", calls(got, ""), want)
		}
		c.took(got, "ok")
	}
	c.says("next\n" + scenario.Marker("red", "m", 2) + "\n")
	got := c.ask(t)
	if !strings.Contains(calls(got, ""), "second") {
		t.Fatalf("answer = %s, want second", calls(got, ""))
	}
	c.took(got, "ok")
	for range 2 { // a refusal stays one
		if got = c.ask(t); got.stop != "refusal" {
			t.Errorf("stop = %q, want refusal", got.stop)
		}
		c.took(got, "")
		c.says("please")
	}
	for name, text := range map[string]string{"no marker": "hello", "unknown turn": scenario.Marker("green", "m", 1)} {
		bad := newClient(g, open(t, g, gateway.Turn{}), text)
		if got := bad.ask(t); got.status != 403 || !strings.Contains(got.body, "jacquard scenario: ") {
			t.Errorf("%s: %d %s, want 403 with a reason", name, got.status, got.body)
		}
	}
}

// A turn that is asked again for its faults goes on with the count; another
// turn has a count of its own.
func TestScriptFaultsCountPerMark(t *testing.T) {
	t.Parallel()
	g := start(t, gateway.Options{Backend: script(t, "turn * * *\n status 529 times=2\n garbage\n say well")})
	for attempt := 1; attempt <= 2; attempt++ {
		marked := scenario.Marker("red", "m", attempt)
		once := open(t, g, gateway.Turn{})
		if got := newClient(g, once, marked).ask(t); got.status != 529 {
			t.Errorf("the first try = %d, want 529", got.status)
		}
		once.Close()
		a := open(t, g, gateway.Turn{})
		c := newClient(g, a, marked)
		for i, want := range []int{529, 200, 200} {
			got := c.ask(t)
			if got.status != want {
				t.Errorf("call %d = %d, want %d", i, got.status, want)
			}
			if want == 200 && (calls(got, "") != "well" || !strings.Contains(got.body, "{this is not JSON")) {
				t.Errorf("answer = %s", got.body)
			}
		}
		if s := a.Close(); s.Failures != 1 {
			t.Errorf("stats = %+v, want 1 failure", s)
		}
	}
}
