package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/proc"
)

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

// configured sets up an agent of the configuration. It has the user's own log-in, and the variables that it is allowed.
func (p *project) configured(name string, o driveOptions) (act.Agent, error) {
	c := p.conf.ACP[name]
	if o.scenario+o.mailbox+o.replay+o.record != "" {
		return act.Agent{}, usage("%s connects to its model directly: --scenario, --mailbox, --replay and --record work only with claude, codex and opencode", name)
	}
	argv := slices.Clone(c.Command)
	var err error
	if argv[0], err = p.installed(name); err != nil {
		return act.Agent{}, fail(flow.Environment, "%s is not installed: %q is not on PATH (acp in %s)", name, c.Command[0], configFile)
	}
	out := act.Agent{Program: agent.NewACP(name, argv), Home: p.a.env["HOME"], Network: true}
	out.Reads = confine.Program(argv[0], out.Home)
	for _, arg := range argv[1:] { // files that it is told of
		if info, err := os.Stat(arg); err == nil && filepath.IsAbs(arg) && info.Mode().IsRegular() {
			out.Reads = append(out.Reads, arg)
		}
	}
	for _, v := range c.Env {
		if value, ok := p.a.env[v]; ok {
			out.Env = append(out.Env, v+"="+value)
		}
	}
	fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ %s connects to its model directly: its cost is unknown, and the budget does not apply\n"), name)
	return out, nil
}

// installed is where the program of an agent of the configuration is. A path is one of the project, and never of the clone
// that an agent may have written.
func (p *project) installed(name string) (string, error) {
	program := p.conf.ACP[name].Command[0]
	if strings.ContainsRune(program, '/') && !filepath.IsAbs(program) {
		program = filepath.Join(p.root, filepath.FromSlash(program))
	}
	if filepath.IsAbs(program) {
		return proc.LookPath(filepath.Base(program), filepath.Dir(program))
	}
	return proc.LookPath(program, p.a.env["PATH"])
}
