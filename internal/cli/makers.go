package cli

import (
	"context"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/proc"
)

// realAgent is an agent that can be asked whether it would work here.
type realAgent interface {
	agent.Agent
	Detect(ctx context.Context, auth agent.Auth, hasKey bool, env []string, dir string) agent.Found
}

// maker is what this program knows of an agent program and of who makes its models.
type maker struct {
	name    string // of the agent and of its program
	title   string
	install string
	program string // variable that names the program instead of PATH
	key     string // variable with a key
	token   string // variable with a log-in token, "" = there are none
	base    string // variable with the provider's address
	home    string // the address without it
	config  string // variable with the folder that its log-in is in
	tries   int    // failures in a row after which the gateway ends a turn, 0 = it gives up by itself
	high    string // what its own name of the best of its models is, "" = there is none
	open    func(program string) realAgent
}

// makers are the agents that can be chosen, besides the scripted one.
func makers() []maker {
	return []maker{
		{
			name: "claude", title: "Claude Code", install: "npm install -g @anthropic-ai/claude-code", program: "JACQUARD_CLAUDE",
			key: "ANTHROPIC_API_KEY", token: "CLAUDE_CODE_OAUTH_TOKEN", base: "ANTHROPIC_BASE_URL", home: "https://api.anthropic.com", config: "CLAUDE_CONFIG_DIR", high: "opus",
			open: func(program string) realAgent { return agent.NewClaude(program) },
		},
		{
			name: "codex", title: "Codex CLI", install: "npm install -g @openai/codex", program: "JACQUARD_CODEX",
			key: "OPENAI_API_KEY", base: "OPENAI_BASE_URL", home: "https://api.openai.com", config: "CODEX_HOME",
			open: func(program string) realAgent { return agent.NewCodex(program) },
		},
		{
			name: "opencode", title: "opencode", install: "npm install -g opencode-ai", program: "JACQUARD_OPENCODE",
			key: "ANTHROPIC_API_KEY", base: "ANTHROPIC_BASE_URL", home: "https://api.anthropic.com", tries: 4,
			open: func(program string) realAgent { return agent.NewOpencode(program) },
		},
	}
}

func findMaker(name string) (maker, bool) {
	for _, m := range makers() {
		if m.name == name {
			return m, true
		}
	}
	return maker{}, false
}

// find returns where the program is. The error is ErrNotFound or ErrPermission of proc.
func (m maker) find(env map[string]string) (string, error) {
	if program := env[m.program]; program != "" {
		return program, nil
	}
	return proc.LookPath(m.name, env["PATH"])
}

// secrets returns the key and the log-in token; the key pays when there are both.
func (m maker) secrets(env map[string]string) (key, token string) {
	if key = env[m.key]; key == "" && m.token != "" {
		token = env[m.token]
	}
	return key, token
}
