package agent_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/agent"
)

var update = flag.Bool("update", false, "record testdata with the real program")

// transcripts are turns whose lines were recorded with the real program, one file
// a row, so that the reading of them is tested everywhere.
type transcript struct {
	file     string
	script   string
	setup    func(*agent.Turn)
	class    agent.Class
	complete bool   // FromLog takes it as the end of the turn
	message  string // part of the message
}

var transcripts = []transcript{
	{file: "ok", script: "turn * * *\n say hi\n write a.txt ok.json\n answer ok.json" + answer, class: agent.OK, complete: true},
	{file: "retried", script: "turn * * *\n status 429 retry-after=1\n answer ok.json" + answer, class: agent.OK, complete: true},
	{file: "reminded", script: "turn * * *\n say a\n end\n say b\n end\n answer ok.json" + answer, class: agent.OK, complete: true},
	{file: "no-answer", script: "turn * * *\n say a", class: agent.Schema, complete: true, message: "without its answer"},
	{file: "bad-answers", script: "turn * * *\n" + strings.Repeat(" answer bad.json\n", 8) + "-- bad.json --\n{\"score\":1}\n", class: agent.Schema, complete: true, message: "did not fit"},
	{file: "denied", script: "turn * * *\n run curl http://127.0.0.1:1/", class: agent.Denied, complete: true, message: "curl"},
	{file: "rate-limit", script: "turn * * *\n status 429 times=forever", class: agent.Limit, complete: true, message: "429"},
	{file: "usage-limit", script: "turn * * *\n status 429 times=forever reset=2026-12-01T10:00:00Z", setup: func(t *agent.Turn) { t.Access.OAuth = true }, class: agent.Limit, complete: true},
	{file: "server-error", script: "turn * * *\n status 500 times=forever", class: agent.Transient, complete: true, message: "500"},
	{file: "overloaded", script: "turn * * *\n status 529 times=forever", class: agent.Transient, complete: true, message: "Overloaded"},
	{file: "cut", script: "turn * * *\n cut times=forever", class: agent.Transient, complete: true},
	{file: "wrong-key", script: "turn * * *\n status 401 times=forever", class: agent.AuthFailed, complete: true, message: "API key"},
	{file: "not-logged-in", script: "turn * * *\n status 401 times=forever", setup: func(t *agent.Turn) { t.Access.OAuth = true }, class: agent.AuthFailed, complete: true, message: "logged in"},
	{file: "no-credit", script: "turn * * *\n status 400 times=forever message=\"Your credit balance is too low to access the API.\"", class: agent.Billing, complete: true, message: "Credit balance"},
	{file: "too-long", script: "turn * * *\n status 400 times=forever message=\"prompt is too long: 250000 tokens > 200000 maximum\"", class: agent.ContextLimit, complete: true, message: "too long"},
	{file: "no-model", script: "turn * * *\n status 404 times=forever message=\"model: claude-none\"", class: agent.Environment, complete: true},
	{file: "bad-request", script: "turn * * *\n status 400 times=forever message=\"tools.0: what is this\"", class: agent.Environment, complete: true, message: "tools.0"},
	{file: "refusal", script: "turn * * *\n refuse", class: agent.Refusal, complete: true},
	{file: "max-turns", script: "turn * * *\n write a.txt x\n write b.txt x\n write c.txt x\n-- x --\nx\n", setup: func(t *agent.Turn) { t.Limits.MaxTurns = 2 }, class: agent.MaxTurns, complete: true, message: "(2)"},
	{file: "budget", script: "turn * * *\n status 403 times=forever message=\"jacquard budget: this call may cost too much\"", class: agent.Budget, complete: true, message: "too much"},
	{file: "unknown-turn", script: "turn green * *\n say x", class: agent.Environment, complete: true, message: "no turn"},
	{file: "interrupted", script: "turn * * *\n run touch runs && sleep 300", setup: func(t *agent.Turn) { t.AllowedCommands = []string{"touch", "sleep"} }, class: agent.Cancelled},
	{file: "killed", script: "turn * * *\n say hi\n run touch runs && sleep 300", setup: func(t *agent.Turn) { t.AllowedCommands = []string{"touch", "sleep"} }, class: agent.Crashed},
}

// codexTranscripts are the same with the other program, which says nothing of what a
// turn has used that failed.
var codexTranscripts = []transcript{
	{file: "ok", script: "turn * * *\n say hi\n write a.txt ok.json\n run cat a.txt\n answer ok.json" + answer, class: agent.OK, complete: true},
	{file: "retried", script: "turn * * *\n status 429 retry-after=1\n answer ok.json" + answer, class: agent.OK, complete: true},
	{file: "reminded", script: "turn * * *\n say a\n end\n answer ok.json" + answer, class: agent.OK, complete: true},
	{file: "no-answer", script: "turn * * *\n say a", class: agent.Schema, complete: true, message: "without its answer"},
	{file: "bad-answers", script: "turn * * *\n" + strings.Repeat(" answer bad.json\n", 8) + "-- bad.json --\n{\"score\":1}\n", class: agent.Schema, complete: true, message: "did not fit"},
	{file: "rate-limit", script: "turn * * *\n status 429 times=forever", class: agent.Limit, complete: true, message: "429"},
	{file: "usage-limit", script: "turn * * *\n limit 2030-12-01T10:00:00Z", class: agent.Limit, complete: true, message: "usage limit"},
	{file: "server-error", script: "turn * * *\n status 500 times=forever", class: agent.Transient, complete: true, message: "high demand"},
	{file: "overloaded", script: "turn * * *\n status 529 times=forever", class: agent.Transient, complete: true, message: "Overloaded"},
	{file: "cut", script: "turn * * *\n cut times=forever", class: agent.Transient, complete: true, message: "disconnected"},
	{file: "wrong-key", script: "turn * * *\n status 401 times=forever", class: agent.AuthFailed, complete: true, message: "401"},
	{file: "no-credit", script: "turn * * *\n status 429 times=forever message=\"You exceeded your current quota\"", class: agent.Billing, complete: true, message: "billing"},
	{file: "too-long", script: "turn * * *\n status 400 times=forever message=\"Your input is too long for the context window\"", class: agent.ContextLimit, complete: true, message: "room"},
	{file: "no-model", script: "turn * * *\n status 404 times=forever message=\"The model gpt-none does not exist\"", class: agent.Environment, complete: true, message: "gpt-none"},
	{file: "bad-request", script: "turn * * *\n status 400 times=forever message=\"tools.0: what is this\"", class: agent.Environment, complete: true, message: "tools.0"},
	{file: "refusal", script: "turn * * *\n refuse", class: agent.Refusal, complete: true, message: "content_filter"},
	{file: "budget", script: "turn * * *\n status 400 times=forever message=\"jacquard budget: this call may cost too much\"", class: agent.Budget, complete: true, message: "too much"},
	{file: "max-turns", script: "turn * * *\n status 400 times=forever message=\"jacquard turns: the turn may call its model 2 times\"", class: agent.MaxTurns, complete: true, message: "2 times"},
	{file: "unknown-turn", script: "turn green * *\n say x", class: agent.Environment, complete: true, message: "no turn"},
	{file: "interrupted", script: "turn * * *\n run touch runs && sleep 300", class: agent.Crashed},
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	t.Run("claude", func(t *testing.T) {
		t.Parallel()
		for _, c := range transcripts {
			t.Run(c.file, func(t *testing.T) {
				t.Parallel()
				out := c.read(t, claudeCLI)
				if end := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC); out.ResetsAt.Equal(end) != (c.file == "usage-limit") {
					t.Errorf("resets at %v", out.ResetsAt)
				}
				if out.Usage.Known != (c.file != "killed") {
					t.Errorf("usage = %+v", out.Usage)
				}
			})
		}
	})
	t.Run("codex", func(t *testing.T) {
		t.Parallel()
		for _, c := range codexTranscripts {
			t.Run(c.file, func(t *testing.T) {
				t.Parallel()
				if out := c.read(t, codexCLI); out.Usage.Known != (out.Class == agent.OK || out.Class == agent.Schema) {
					t.Errorf("usage = %+v", out.Usage)
				}
			})
		}
	})
}

// read reads the transcript, recorded anew when that is asked for.
func (c transcript) read(t *testing.T, by cli) agent.Outcome {
	t.Helper()
	path := filepath.Join("testdata", by.name, c.file+".ndjson")
	if *update {
		c.record(t, by, path)
	}
	out, complete := agent.FromLog(path)
	if out.Class != c.class || complete != c.complete || !strings.Contains(out.Message, c.message) {
		t.Errorf("FromLog = %q, %q, complete %v, want %q, %q, complete %v", out.Class, out.Message, complete, c.class, c.message, c.complete)
	}
	if (out.Class == agent.OK) != (string(out.Answer) == `{"verdict":"pass"}`) {
		t.Errorf("class %q has the answer %s", out.Class, out.Answer)
	}
	if out.Session == "" {
		t.Error("the session is not known")
	}
	return out
}

func (c transcript) record(t *testing.T, by cli, path string) {
	t.Helper()
	b := by.bench(t, c.script, noGrant)
	if c.setup != nil {
		c.setup(&b.turn)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if strings.Contains(c.script, "touch runs") {
		go func() {
			for tick := time.Tick(20 * time.Millisecond); ctx.Err() == nil; <-tick {
				if _, err := os.Stat(filepath.Join(b.turn.Dir, "runs")); err == nil {
					cancel()
				}
			}
		}()
	}
	b.agent.Run(ctx, b.turn, nil)
	data, err := os.ReadFile(b.turn.Log)
	if err != nil {
		t.Fatal(err)
	}
	if c.file == "killed" { // what is there when the driver and the program die at once
		text := string(data)
		data = []byte(text[:strings.Index(text, `"tool_use_result"`)+20])
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(small(string(data), filepath.Dir(b.turn.Dir))), 0o666); err != nil {
		t.Fatal(err)
	}
}

var varying = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "00000000-0000-4000-8000-000000000001"},
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z`), "2026-11-20T12:00:00.000Z"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:4000"},
	{regexp.MustCompile(`"(duration_ms|duration_api_ms|ttft_ms|retry_delay_ms|ttft_stream_ms|time_to_request_ms)":\d+`), `"$1":1`},
}

// small takes out of a log what differs from run to run and what nobody reads.
func small(log, root string) string {
	log = strings.ReplaceAll(log, root, "/turn")
	for _, v := range varying {
		log = v.find.ReplaceAllString(log, v.with)
	}
	var out []string
	for line := range strings.SplitSeq(log, "\n") {
		var v map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &v) == nil && string(v["subtype"]) == `"init"` {
			for key := range v {
				if !strings.Contains(" type subtype cwd session_id tools model permissionMode apiKeySource claude_code_version ", " "+key+" ") {
					delete(v, key)
				}
			}
			data, err := json.Marshal(v)
			if err == nil {
				line = string(data)
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
