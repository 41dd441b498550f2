package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

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

// Run carries out t. A turn that ends without the answer it was asked for is
// reminded of it once, in the same session.
func (c *Claude) Run(ctx context.Context, t Turn, on func(Event)) Outcome {
	return drive(ctx, c, t, on)
}

// job prepares one run of the program.
func (c *Claude) job(t Turn, h header) (job, error) {
	h.Agent, h.Schema = claudeName, len(t.Schema) > 0
	if t.Access.BaseURL != "" {
		if err := makeDirs(configDir(t), tempDir(t)); err != nil {
			return job{}, err
		}
	}
	flags := []string{"--resume", h.Session}
	if h.Session == "" {
		h.Session = uuid.NewString()
		flags = []string{"--session-id", h.Session}
	}
	argv, err := c.argv(t, flags)
	return job{
		header: h, argv: argv, env: claudeEnv(t), reader: newClaudeReader(h),
		stop: []proc.Stop{{Signal: proc.Interrupt, Wait: interruptWait}, {Signal: proc.Terminate, Wait: terminateWait}, {Signal: proc.Kill}},
	}, err
}

// reminder asks a session for the answer that it ended without.
func (c *Claude) reminder(string) string {
	return unansweredText + "Do no further work. Give the answer now, by calling the tool for structured output once, with what you know."
}

// explain makes the class of a run that never began more exact.
func (c *Claude) explain(out Outcome, res proc.Result) Outcome {
	if stderr := strings.TrimSpace(res.Stderr.Text); out.Class == Crashed && out.Turns == 0 && res.Exit > 0 && (strings.Contains(stderr, "/login") || strings.Contains(stderr, "Not logged in")) {
		out.Class, out.Message = AuthFailed, shorten(stderr, maxMessage)
	}
	if out.Class == AuthFailed {
		out.Message += "; " + logInHint
	}
	return neverBegan(out, res, "claude", installHint)
}

// lost reports whether the session to be resumed was not known.
func (c *Claude) lost(_ Outcome, res proc.Result) bool {
	return strings.Contains(res.Stderr.Text, "No conversation found")
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
		withoutProxy(set, t.Env)
		key := "ANTHROPIC_API_KEY"
		if t.Access.OAuth {
			key = "CLAUDE_CODE_OAUTH_TOKEN"
		}
		set[key] = t.Access.Token
	}
	return environment(t.Env, set, t.Access.BaseURL != "")
}
