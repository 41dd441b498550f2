package cli

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/proc"
)

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

// realAgent is an agent that can be asked whether it would work here.
type realAgent interface {
	agent.Agent
	Detect(ctx context.Context, auth agent.Auth, hasKey bool, env []string, dir string) agent.Found
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

// scripted sets the scripted agent up, which is this program.
func (p *project) scripted(o driveOptions) (act.Agent, error) {
	if o.scenario == "" {
		return act.Agent{}, usage("the scripted agent needs --scenario FILE")
	}
	abs, err := filepath.Abs(o.scenario)
	if err != nil {
		return act.Agent{}, usage("--scenario: %v", err)
	}
	if _, err := readScenario(abs); err != nil {
		return act.Agent{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return act.Agent{}, words("find this program: %w", err)
	}
	return act.Agent{Program: agent.NewScripted(self, "agent-play", "--scenario", abs), Reads: []string{self, abs}}, nil
}

// real sets a real agent up: its program, the gateway in front of its provider,
// the account.
func (p *project) real(ctx context.Context, m maker, o driveOptions, e *engine) (act.Agent, error) {
	program, err := m.find(p.a.env)
	if errors.Is(err, proc.ErrPermission) {
		return act.Agent{}, fail(flow.Environment, "%s is not executable: run chmod +x on it, or install %s: %s", program, m.title, m.install)
	}
	if err != nil {
		instead := words("or without an agent: jacquard prove checks a change, jacquard demo shows a build")
		for _, other := range makers() {
			if _, err := other.find(p.a.env); err == nil {
				instead = words("or use --agent %s, which is installed", other.name)
				break
			}
		}
		if o.mailbox+o.replay != "" {
			instead = words("--mailbox and --replay stand in for its model, not for the program")
		}
		return act.Agent{}, fail(flow.Environment, "%s is not installed: %s (%s)", m.title, m.install, instead)
	}
	r := m.open(program)
	out := act.Agent{Program: r, Tries: m.tries, Reads: confine.Program(program, p.a.env["HOME"])}
	if o.scenario+o.mailbox+o.replay != "" { // who answers there answers all agents, in order
		if len(e.gateways) == 0 {
			b, err := p.played(o, e)
			if err != nil {
				return out, err
			}
			if err := e.serve(ctx, b); err != nil {
				return out, err
			}
		}
		out.Gateway = e.gateways[0]
		return out, nil
	}
	b, oauth, err := p.provider(ctx, m, r)
	if err != nil {
		return out, err
	}
	if b == nil {
		out.Home, out.Network = p.a.env["HOME"], true
		out.Writes = []string{filepath.Join(out.Home, "."+m.name), filepath.Join(out.Home, "."+m.name+".json")}
		if folder := p.a.env[m.config]; folder != "" {
			out.Env = []string{m.config + "=" + folder}
			out.Writes = append(out.Writes, folder)
		}
		return out, nil
	}
	if err := e.serve(ctx, b); err != nil {
		return out, err
	}
	out.Gateway, out.OAuth = e.gateways[len(e.gateways)-1], oauth
	return out, nil
}

// serve starts a gateway in front of who answers.
func (e *engine) serve(ctx context.Context, b gateway.Backend) error {
	g, err := gateway.Start(context.WithoutCancel(ctx), gateway.Options{
		Backend: b, Now: time.Now, Redact: e.redact, Record: e.tape, Ledger: ledgers{e},
	})
	if err == nil {
		e.gateways = append(e.gateways, g)
	}
	return err
}

// ledgers finds the ledger of the run that a turn belongs to.
type ledgers struct{ e *engine }

func (l ledgers) Reserve(ctx context.Context, turn string, n int, most gateway.Amount) error {
	return l.e.actor.Ledger(turn).Reserve(ctx, turn, n, most)
}

func (l ledgers) Settle(ctx context.Context, turn string, n int, spent gateway.Amount) error {
	return l.e.actor.Ledger(turn).Settle(ctx, turn, n, spent)
}

// played is who answers model calls instead of a provider.
func (p *project) played(o driveOptions, e *engine) (gateway.Backend, error) {
	switch {
	case o.scenario != "":
		s, err := readScenario(o.scenario)
		return gateway.Script(s, time.Now), err
	case o.mailbox != "":
		return gateway.Mailbox(o.mailbox, e.redact)
	}
	f, err := os.Open(o.replay)
	if err != nil {
		return nil, usage("--replay: %v", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	t, err := gateway.ReadTape(f)
	if err != nil {
		return nil, usage("--replay: %v", err)
	}
	return t.Replay(false), nil
}

// provider is who answers the agent's model calls, and whether it takes log-in
// tokens; nil means that the agent uses its own log-in.
func (p *project) provider(ctx context.Context, m maker, r realAgent) (gateway.Backend, bool, error) {
	key, token := m.secrets(p.a.env)
	found := r.Detect(ctx, agent.Auth(p.conf.Auth), key+token != "", p.a.Env, p.root)
	switch found.Problem.Class {
	case agent.OK:
	case agent.AuthFailed:
		return nil, false, flow.Failf(flow.Auth, "%s", found.Problem.Message)
	default:
		return nil, false, fail(flow.Environment, "%s", found.Problem.Message)
	}
	if found.Auth == agent.Login {
		return nil, false, nil
	}
	base := cmp.Or(p.a.env[m.base], m.home)
	// Some write the address with the version that the agent's path begins with.
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v1")
	b, err := gateway.Forward(gateway.Provider{Base: base, Key: key, OAuth: token, Proxy: http.ProxyFromEnvironment})
	if err != nil {
		return nil, false, usage("%s is not the address of a provider, such as %s: correct it, or unset it (%v)", m.base, m.home, err)
	}
	return b, key == "", nil
}
