package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/conformance"
)

// program writes an executable shell script and returns its path.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

const goodLines = `echo '{"type":"system","subtype":"init","session_id":"s-1"}'
echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","num_turns":1,"result":"x","structured_output":{"verdict":"pass"},"total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}'
`

func fake(t *testing.T, script string) *bench {
	t.Helper()
	b := newBench(t)
	b.agent = agent.NewClaude(program(t, script))
	b.turn.Access = agent.Access{BaseURL: "http://127.0.0.1:1", Token: "turn-token"}
	return b
}

func TestCommandLineAndEnvironment(t *testing.T) {
	t.Parallel()
	const dump = `for a; do echo "[$a]"; done > args; env | sort > env; cat > stdin
` + goodLines
	read := func(t *testing.T, b *bench, name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(b.turn.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	steer := []string{"ANTHROPIC_API_KEY=real", "ANTHROPIC_BASE_URL=http://elsewhere", "CLAUDE_CONFIG_DIR=/users/config", "CLAUDE_CODE_USE_BEDROCK=1", "AWS_PROFILE=p", "NODE_OPTIONS=--require=x", "GOFLAGS=-mod=mod"}
	t.Run("author with a gateway", func(t *testing.T) {
		t.Parallel()
		b := fake(t, dump)
		b.turn.Env = append(b.turn.Env, steer...)
		b.turn.AllowedCommands = []string{"go test", "npm run lint "}
		b.turn.Model, b.turn.System = "claude-haiku-4-5", "Be brief."
		b.turn.Prompt = strings.Repeat("long ", 100_000)
		if out := b.run(t); out.Class != agent.OK || out.Session != "s-1" || out.SessionCostUSD != 0.5 {
			t.Fatalf("outcome = %+v", out)
		}
		args := strings.Split(strings.TrimSpace(read(t, b, "args")), "\n")
		i := slices.Index(args, "[--session-id]")
		if i < 0 || len(args[i+1]) != len("[00000000-0000-4000-8000-000000000000]") {
			t.Fatalf("args = %q, want a session id", args)
		}
		args[i+1] = "[ID]"
		want := []string{
			"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--tools", "Read,Edit,Write,Bash,Glob,Grep",
			"--allowedTools", "Bash(go test:*)", "Bash(npm run lint:*)", "--strict-mcp-config", "--setting-sources", "", "--disable-slash-commands",
			"--session-id", "ID", "--max-turns", "40", "--model", "claude-haiku-4-5", "--json-schema", verdictSchema, "--system-prompt", "Be brief.",
		}
		for i := range want {
			want[i] = "[" + want[i] + "]"
		}
		if !slices.Equal(args, want) {
			t.Errorf("args = %q, want %q", args, want)
		}
		if in := read(t, b, "stdin"); in != b.turn.Prompt {
			t.Errorf("the prompt has %d bytes, want %d", len(in), len(b.turn.Prompt))
		}
		env := read(t, b, "env")
		for _, line := range []string{
			"ANTHROPIC_API_KEY=turn-token", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "HOME=" + b.turn.Home, "CLAUDE_CONFIG_DIR=" + b.turn.Home + "/.claude",
			"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
			"TMPDIR=" + b.turn.Home + "/tmp", "GOFLAGS=-mod=mod", "JACQUARD_TURN=" + b.turn.Mark, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1",
		} {
			if !strings.Contains("\n"+env, "\n"+line+"\n") {
				t.Errorf("the environment lacks %s:\n%s", line, env)
			}
		}
		for _, name := range []string{"BEDROCK", "AWS_PROFILE", "NODE_OPTIONS", "elsewhere", "real", "/users/config"} {
			if strings.Contains(env, name) {
				t.Errorf("the environment has %s:\n%s", name, env)
			}
		}
	})
	t.Run("judge with a log-in token", func(t *testing.T) {
		t.Parallel()
		b := fake(t, dump)
		b.turn.Role, b.turn.Access.OAuth, b.turn.Schema = agent.Judge, true, nil
		b.turn.AllowedCommands = []string{"go test"} // not for a judge
		b.turn.Session = "11111111-1111-4111-8111-111111111111"
		b.run(t)
		args := read(t, b, "args")
		if !strings.Contains(args, "[--tools]\n[Read,Glob,Grep]\n[--strict") || !strings.Contains(args, "[--resume]\n[11111111-") || strings.Contains(args, "json-schema") {
			t.Errorf("args = %s", args)
		}
		if env := read(t, b, "env"); !strings.Contains(env, "CLAUDE_CODE_OAUTH_TOKEN=turn-token\n") || strings.Contains(env, "ANTHROPIC_API_KEY") {
			t.Errorf("env = %s", env)
		}
	})
	t.Run("the user's log-in", func(t *testing.T) {
		t.Parallel()
		b := fake(t, dump)
		b.turn.Access = agent.Access{}
		b.turn.Env = append(b.turn.Env, steer...)
		b.run(t)
		env := read(t, b, "env")
		if !strings.Contains(env, "HOME="+b.turn.Home+"\n") || !strings.Contains(env, "CLAUDE_CONFIG_DIR=/users/config\n") {
			t.Errorf("env = %s", env)
		}
		if strings.Contains(env, "ANTHROPIC_") || strings.Contains(env, "TMPDIR") || strings.Contains(env, "BEDROCK") {
			t.Errorf("the log-in is not what decides:\n%s", env)
		}
		if entries, err := os.ReadDir(b.turn.Home); err != nil || len(entries) != 0 {
			t.Errorf("the user's home was written to: %v, %v", entries, err)
		}
	})
}

// TestLogIsBounded: an agent that prints 28 MB leaves a log of what matters, and its outcome is found in it.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 8)
	start, result, _ := strings.Cut(goodLines, "\n")
	const noise = "yes '%s' | head -c 28000000\n"
	told := `{"type":"assistant","message":{"content":[{"type":"text","text":"` + strings.Repeat("x", 1000) + `"}]}}`
	b := fake(t, start+"\n"+fmt.Sprintf(noise, told)+"\necho last words\n"+result)
	out := b.run(t)
	if out.Class != agent.OK {
		t.Fatalf("outcome = %+v", out)
	}
	sameFromLog(t, b, out)
	raw, err := os.ReadFile(b.turn.Log)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 20<<20 || !strings.Contains(string(raw), "last words") || !strings.Contains(string(raw), `"type":"jacquard-cut","bytes":1`) {
		t.Errorf("the log has %d bytes and ends with %.300s", len(raw), raw[len(raw)-300:])
	}
}

func TestProgramsThatEndOtherwise(t *testing.T) {
	t.Parallel()
	noError := func(*agent.Turn) {}
	for name, c := range map[string]struct {
		script  string
		setup   func(*agent.Turn)
		class   agent.Class
		message string
	}{
		"nothing":                  {"exit 0", noError, agent.Crashed, "exit code 0"},
		"killed":                   {"echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}'; kill -9 $$", noError, agent.Crashed, "SIGKILL"},
		"bad flag":                 {"echo 'error: unknown option --x' >&2; exit 1", noError, agent.Environment, "unknown option"},
		"not logged in":            {"echo 'Not logged in · Please run /login' >&2; exit 1", noError, agent.AuthFailed, "claude auth login"},
		"half a result":            {"echo '{\"type\":\"system\",\"subtype\":\"init\"}'; printf '{\"type\":\"result\",\"subtype\":\"succ'", noError, agent.Crashed, "without a result"},
		"result, then exit code 1": {goodLines + "exit 1", noError, agent.OK, ""},
		"result, then lingers":     {goodLines + "exec sleep 600", func(t *agent.Turn) { t.Limits.Linger = 200 * time.Millisecond }, agent.OK, ""},
		"success without reason":   {`echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"something_new","structured_output":{"verdict":"pass"}}'`, noError, agent.Crashed, "something_new"},
		"unknown error":            {`echo '{"type":"result","subtype":"error_new","is_error":true,"terminal_reason":"new","result":"what"}'; exit 1`, noError, agent.Crashed, "what"},
		"error without an answer":  {`echo '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":502,"result":"x","structured_output":{"verdict":"pass"}}'`, noError, agent.Transient, "x"},
		"lies about the answer":    {`echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","structured_output":null}'`, noError, agent.Schema, ""},
		"lines it does not know":   {"echo; echo text; echo '[1]'; echo '{\"type\":5}'; echo '{\"type\":\"new\"}'\n" + goodLines, noError, agent.OK, ""},
		"no directory":             {goodLines, func(t *agent.Turn) { t.Dir += "/none" }, agent.Environment, "none"},
		"no log":                   {goodLines, func(t *agent.Turn) { t.Log += "/none" }, agent.Environment, "log"},
		"no home":                  {goodLines, func(t *agent.Turn) { t.Home = "" }, agent.Environment, "home"},
		"no role":                  {goodLines, func(t *agent.Turn) { t.Role = "" }, agent.Environment, "role"},
		"everything allowed":       {goodLines, func(t *agent.Turn) { t.AllowedCommands = []string{" "} }, agent.Environment, "allowed command"},
		"a rule in a rule":         {goodLines, func(t *agent.Turn) { t.AllowedCommands = []string{"x) Bash(rm"} }, agent.Environment, "allowed command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fake(t, c.script)
			c.setup(&b.turn)
			out := b.run(t)
			if out.Class != c.class || !strings.Contains(out.Message, c.message) {
				t.Errorf("outcome = %q, %q, want %q, %q", out.Class, out.Message, c.class, c.message)
			}
			if out.Duration > 20*time.Second {
				t.Errorf("it took %v", out.Duration)
			}
			if out.Class != agent.OK && len(out.Answer) > 0 {
				t.Errorf("a turn that is not well has the answer %s", out.Answer)
			}
		})
	}
	t.Run("cancelled before", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b := fake(t, goodLines)
		if out := b.agent.Run(ctx, b.turn, nil); out.Class != agent.Cancelled {
			t.Errorf("class = %q (%s), want cancelled", out.Class, out.Message)
		}
	})
	t.Run("not installed", func(t *testing.T) {
		t.Parallel()
		b := fake(t, "")
		b.agent = agent.NewClaude("claude-that-is-not-there")
		if out := b.run(t); out.Class != agent.Environment || !strings.Contains(out.Message, "npm install") {
			t.Errorf("outcome = %+v, want environment with what to install", out)
		}
	})
	t.Run("scripted agent crashes", func(t *testing.T) {
		t.Parallel()
		for script, want := range map[string]string{"crash": "exit code 2", "exit 7": "exit code 7"} {
			b := scripted(t, "turn * * *\n "+script)
			if out := b.run(t); out.Class != agent.Crashed || !strings.Contains(out.Message, want) {
				t.Errorf("%s: outcome = %+v", script, out)
			}
			if _, complete := agent.FromLog(b.turn.Log); complete {
				t.Errorf("%s: the log is complete", script)
			}
		}
	})
}

// The lines of a turn must be durable and redacted before the turn is over, and a
// driver that starts again must find them whatever stands behind them.
func TestLogOfADeadDriver(t *testing.T) {
	t.Parallel()
	b := fake(t, "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\",\"secret\":\"hunter2\"}'\nprintf half\nexit 3")
	b.turn.Redact = func(line []byte) []byte { return []byte(strings.ReplaceAll(string(line), "hunter2", "xxx")) }
	if out := b.run(t); out.Class != agent.Crashed {
		t.Fatalf("outcome = %+v", out)
	}
	if out, complete := agent.FromLog(b.turn.Log); complete || out.Session != "s-1" || out.Class != agent.Crashed {
		t.Errorf("FromLog = %+v, %v, want the session of a turn that is not over", out, complete)
	}
	// The turn is asked again into the same log.
	b.agent = agent.NewClaude(program(t, goodLines))
	b.turn.SessionCostUSD = 0.2
	want := b.run(t)
	if want.Class != agent.OK || want.Usage.CostUSD != 0.3 {
		t.Fatalf("outcome = %+v, want ok for $0.30", want)
	}
	sameFromLog(t, b, want)
	log, err := os.ReadFile(b.turn.Log)
	if err != nil || strings.Contains(string(log), "hunter2") {
		t.Errorf("the log holds the secret: %s, %v", log, err)
	}
	for _, path := range []string{b.turn.Log + "-none", filepath.Join(b.turn.Dir)} {
		if out, complete := agent.FromLog(path); complete || out.Class != agent.Crashed {
			t.Errorf("FromLog(%s) = %+v, %v", path, out, complete)
		}
	}
}

// A turn that lacks only its answer has not been reminded of it when its driver
// died, so it is not over.
func TestLogBeforeTheReminder(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "claude", "no-answer.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(string(data), `{"type":"jacquard"`)
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, data[:at], 0o600); err != nil {
		t.Fatal(err)
	}
	out, complete := agent.FromLog(path)
	if complete || out.Class != agent.Schema || out.Session == "" {
		t.Errorf("FromLog = %+v, %v, want schema, not complete", out, complete)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	const version = `if [ "$1" = --version ]; then echo '2.1.328 (Claude Code)'; exit; fi
`
	for name, c := range map[string]struct {
		script  string
		auth    agent.Auth
		key     bool
		want    agent.Class
		how     agent.Auth
		message string
	}{
		"key, key":            {version, agent.Key, true, agent.OK, agent.Key, ""},
		"key, none":           {version, agent.Key, false, agent.AuthFailed, agent.Key, "claude setup-token"},
		"auto, key":           {version, agent.Auto, true, agent.OK, agent.Key, ""},
		"auto, logged in":     {version + `echo '{"loggedIn":true,"authMethod":"claude.ai","email":"a@b"}'`, agent.Auto, false, agent.OK, agent.Login, ""},
		"login, with a key":   {version + `echo '{"loggedIn":true,"authMethod":"claude.ai"}'`, agent.Login, true, agent.OK, agent.Login, ""},
		"auto, nobody":        {version + `echo '{"loggedIn":false}'; exit 1`, agent.Auto, false, agent.AuthFailed, agent.Login, "claude auth login"},
		"auto, no answer":     {version + `echo what >&2; exit 1`, agent.Auto, false, agent.Environment, agent.Login, "what"},
		"auto, no JSON":       {version + `echo garbage`, agent.Auto, false, agent.Environment, agent.Login, "claude auth status printed no JSON; to update or repair it, install Claude Code with: npm"},
		"another program":     {`echo hello`, agent.Auto, true, agent.Environment, "", "npm install"},
		"a program that dies": {`echo broken >&2; exit 1`, agent.Auto, true, agent.Environment, "", "--version failed: exit code 1: broken; to repair it, install Claude Code with: npm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := agent.NewClaude(program(t, c.script)).Detect(t.Context(), c.auth, c.key, env, t.TempDir())
			if found.Problem.Class != c.want || found.Auth != c.how || !strings.Contains(found.Problem.Message, c.message) {
				t.Errorf("Detect = %+v, want %q, %q, %q", found, c.want, c.how, c.message)
			}
			if c.want == agent.OK && (found.Version != "2.1.328" || found.Pays == "") {
				t.Errorf("Detect = %+v, want a version and who pays", found)
			}
		})
	}
	if found := agent.NewClaude("no-such-claude").Detect(t.Context(), agent.Auto, true, env, t.TempDir()); found.Problem.Class != agent.Environment || !strings.Contains(found.Problem.Message, "npm install") {
		t.Errorf("Detect = %+v, want what to install", found)
	}
	noInterpreter, notExecutable := program(t, ""), program(t, "")
	if err := errors.Join(os.WriteFile(noInterpreter, []byte("#!/no/such/node\n"), 0o700), os.Chmod(notExecutable, 0o600)); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for path, want := range map[string]string{noInterpreter: "program that its first line names is missing", notExecutable: "chmod +x"} {
		if found := agent.NewClaude(path).Detect(t.Context(), agent.Auto, true, env, t.TempDir()); found.Problem.Class != agent.Environment || !strings.Contains(found.Problem.Message, want) {
			t.Errorf("Detect = %+v, want %q", found, want)
		}
	}
	t.Run("the real program", func(t *testing.T) {
		t.Parallel()
		found := agent.NewClaude(claudeCLI.path(t)).Detect(t.Context(), agent.Auto, false, env, t.TempDir())
		if found.Version == "" || found.Problem.Class != agent.AuthFailed {
			t.Errorf("Detect in an empty home = %+v, want a version and auth", found)
		}
	})
}

func TestOutcomeAsJSON(t *testing.T) {
	t.Parallel()
	in := agent.Outcome{Class: agent.Limit, ResetsAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Answer: json.RawMessage(`{"a":1}`), Usage: agent.Usage{Input: 1, Known: true}}
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out agent.Outcome
	if err := json.Unmarshal(data, &out); err != nil || out.Class != in.Class || !out.ResetsAt.Equal(in.ResetsAt) || string(out.Answer) != string(in.Answer) || out.Usage != in.Usage {
		t.Errorf("%s becomes %+v, %v", data, out, err)
	}
	if data, err := json.Marshal(agent.Outcome{}); err != nil || strings.Contains(string(data), "resets_at") {
		t.Errorf("an empty outcome is %s, %v", data, err)
	}
}

// TestEndedByALimit: a turn that uses more of the machine than it may is ended, and the figure is said.
func TestEndedByALimit(t *testing.T) {
	t.Parallel()
	b := fake(t, "while :; do echo '{}'; done")
	b.turn.Limits.Use.Output = 1 << 20
	out := b.run(t)
	if out.Class != agent.Crashed || !strings.HasPrefix(out.Message, "the agent was ended: more than 1 MiB of output (") || !strings.Contains(out.Message, "sandbox: {limits: {output: …}}") {
		t.Errorf("outcome = %q, %q", out.Class, out.Message)
	}
}
