package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
)

const (
	interruptWait = 5 * time.Second // claude then still says what it has cost
	terminateWait = 2 * time.Second
	cliRetries    = "3" // of a call to the provider, instead of 10
)

// Claude drives the program claude (Claude Code).
type Claude struct {
	program string
}

// NewClaude returns an agent that runs program: a path, or a name that is looked
// up in the PATH of each turn.
func NewClaude(program string) *Claude { return &Claude{program: program} }

// reminder is what a session is asked that has ended without its answer.
const reminder = "Your work in this session ended without its structured answer. Do no further work. " +
	"Give the answer now, by calling the tool for structured output once, with what you know."

// goOn is what a session is asked whose turn was cut in the middle.
const goOn = "Your work in this session was cut off in the middle; nothing that you wrote to files is lost. " +
	"A command or an edit that was under way may not have happened: look at the files that it was about. " +
	"Then go on with the task where you stopped, and give the answer that it asks for."

// Run carries out t. A turn that ends without the answer it was asked for is
// reminded of it once, in the same session.
func (c *Claude) Run(ctx context.Context, t Turn, on func(Event)) Outcome {
	if on == nil {
		on = func(Event) {}
	}
	out := c.run(ctx, t, on)
	on(Event{Kind: Ended, Class: out.Class, Text: out.Message, Session: out.Session})
	return out
}

func (c *Claude) run(ctx context.Context, t Turn, on func(Event)) Outcome {
	if err := prepare(t); err != nil {
		return Outcome{Class: Environment, Message: err.Error(), Session: t.Session}
	}
	prompt := t.Prompt
	if t.Session != "" {
		prompt = goOn
	}
	out, res := c.once(ctx, t, prompt, t.Session, header{CostBefore: t.SessionCostUSD}, t.Limits.Total, on)
	if t.Session != "" && unknownSession(res) {
		// The session was lost with its folder: the prompt says all that is needed.
		out, _ = c.once(ctx, t, t.Prompt, "", header{}, t.Limits.Total, on)
	}
	if !unanswered(out, len(t.Schema) > 0) || out.Session == "" || ctx.Err() != nil {
		return out
	}
	left := t.Limits.Total - out.Duration
	if t.Limits.Total > 0 && left <= 0 {
		return out
	}
	again, _ := c.once(ctx, t, reminder, out.Session, header{Reminder: true, CostBefore: out.SessionCostUSD}, max(left, 0), on)
	return join(out, again)
}

// unanswered reports whether the agent finished and only its answer is missing.
func unanswered(out Outcome, schema bool) bool {
	return schema && out.Turns > 0 && (out.Class == Denied || (out.Class == Schema && out.Message == noAnswer))
}

// join adds the first run of a turn to the run that asked for the answer again.
func join(first, again Outcome) Outcome {
	again.Usage = Usage{
		Input: first.Usage.Input + again.Usage.Input, Output: first.Usage.Output + again.Usage.Output,
		CacheRead: first.Usage.CacheRead + again.Usage.CacheRead, CacheWrite: first.Usage.CacheWrite + again.Usage.CacheWrite,
		CostUSD: first.Usage.CostUSD + again.Usage.CostUSD, Known: first.Usage.Known && again.Usage.Known,
	}
	again.Denials = append(first.Denials, again.Denials...)
	again.Turns += first.Turns
	again.Duration += first.Duration
	if again.Class == Schema && first.Class == Denied {
		again.Class, again.Message = Denied, first.Message
	}
	if again.Session == "" {
		again.Session = first.Session
	}
	return again
}

// once runs the program once.
func (c *Claude) once(ctx context.Context, t Turn, prompt, session string, h header, total time.Duration, on func(Event)) (Outcome, proc.Result) {
	h.Agent, h.Schema, h.Session = claudeName, len(t.Schema) > 0, session
	flags := []string{"--resume", session}
	if session == "" {
		h.Session = newUUID()
		flags = []string{"--session-id", h.Session}
	}
	argv, err := c.argv(t, flags)
	if err != nil {
		return Outcome{Class: Environment, Message: err.Error(), Session: t.Session}, proc.Result{}
	}
	out, res := job{
		turn: t, header: h, argv: argv, env: claudeEnv(t), prompt: prompt, total: total, reader: newClaudeReader(h),
		stop: []proc.Stop{{Signal: proc.Interrupt, Wait: interruptWait}, {Signal: proc.Terminate, Wait: terminateWait}, {Signal: proc.Kill}},
	}.run(ctx, on)
	return explain(out, res), res
}

// explain makes the class of a run that never began more exact.
func explain(out Outcome, res proc.Result) Outcome {
	stderr := strings.TrimSpace(res.Stderr.Text)
	switch {
	case out.Class == Environment && strings.Contains(out.Message, proc.ErrNotFound.Error()):
		out.Message += "; " + installHint
	case out.Class == AuthFailed:
		out.Message += "; " + logInHint
	case out.Class != Crashed || out.Turns > 0 || res.Exit <= 0 || stderr == "":
	case strings.Contains(stderr, "/login") || strings.Contains(stderr, "Not logged in"):
		out.Class, out.Message = AuthFailed, shorten(stderr, maxMessage)+"; "+logInHint
	case res.Stdout.Total == 0:
		// A flag or an environment that it does not take: nothing was asked yet.
		out.Class, out.Message = Environment, "claude did not start: "+shorten(stderr, maxMessage)
	}
	return out
}

func unknownSession(res proc.Result) bool {
	return strings.Contains(res.Stderr.Text, "No conversation found")
}

func prepare(t Turn) error {
	if t.Home == "" || t.Dir == "" || t.Log == "" {
		return fmt.Errorf("start the agent: want a directory, a home and a log")
	}
	if t.Access.BaseURL == "" {
		return nil
	}
	for _, dir := range []string{t.Home, configDir(t), tempDir(t)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the home of the agent: %w", err)
		}
	}
	return nil
}

func configDir(t Turn) string { return filepath.Join(t.Home, ".claude") }
func tempDir(t Turn) string   { return filepath.Join(t.Home, "tmp") }

// argv returns the command line. The allow list never holds a bare tool: those
// reach outside the working directory.
func (c *Claude) argv(t Turn, session []string) ([]string, error) {
	argv := []string{c.program, "-p", "--output-format", "stream-json", "--verbose"}
	switch t.Role {
	case Author:
		argv = append(argv, "--permission-mode", "acceptEdits", "--tools", "Read,Edit,Write,Bash,Glob,Grep")
	case Judge:
		argv = append(argv, "--permission-mode", "default", "--tools", "Read,Glob,Grep")
	default:
		return nil, fmt.Errorf("start the agent: unknown role %q", t.Role)
	}
	if t.Role == Author && len(t.AllowedCommands) > 0 {
		argv = append(argv, "--allowedTools")
		for _, command := range t.AllowedCommands {
			if strings.TrimSpace(command) == "" || strings.ContainsAny(command, "()*\r\n") {
				return nil, fmt.Errorf("start the agent: %q cannot be the beginning of an allowed command", command)
			}
			argv = append(argv, "Bash("+strings.TrimSpace(command)+":*)")
		}
	}
	argv = append(argv, "--strict-mcp-config", "--setting-sources", "", "--disable-slash-commands")
	argv = append(argv, session...)
	if t.Limits.MaxTurns > 0 {
		argv = append(argv, "--max-turns", strconv.Itoa(t.Limits.MaxTurns))
	}
	if t.Model != "" {
		argv = append(argv, "--model", t.Model)
	}
	if len(t.Schema) > 0 {
		argv = append(argv, "--json-schema", string(t.Schema))
	}
	if t.System != "" {
		argv = append(argv, "--system-prompt", t.System)
	}
	return argv, nil
}

// claudeEnv returns the whole environment of the program.
func claudeEnv(t Turn) []string {
	set := map[string]string{
		"HOME": t.Home,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"DISABLE_AUTOUPDATER":                      "1",
		// The program commits, and a turn's home is thrown away.
		"CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY":      "1",
		// A shell in the background would keep the process alive after its result.
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
		"CLAUDE_CODE_MAX_RETRIES":              cliRetries,
	}
	if t.Access.BaseURL != "" {
		set["CLAUDE_CONFIG_DIR"], set["TMPDIR"] = configDir(t), tempDir(t)
		set["ANTHROPIC_BASE_URL"] = t.Access.BaseURL
		key := "ANTHROPIC_API_KEY"
		if t.Access.OAuth {
			key = "CLAUDE_CODE_OAUTH_TOKEN"
		}
		set[key] = t.Access.Token
	}
	return environment(t.Env, set, t.Access.BaseURL != "")
}
