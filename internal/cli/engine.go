package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/scenario"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/auto"
	"github.com/jacquard-build/jacquard/internal/workflow/compile"
	"github.com/jacquard-build/jacquard/internal/workflow/develop"
	"github.com/jacquard-build/jacquard/internal/workflow/document"
	"github.com/jacquard-build/jacquard/internal/workflow/work"
)

func workflows() []flow.Runnable {
	return []flow.Runnable{compile.Workflow, document.Decompile, document.Spec, work.Workflow, auto.Workflow, develop.Workflow}
}

// driveOptions are the flags that say how a run is carried on.
type driveOptions struct {
	agent    string
	model    string
	scenario string
	mailbox  string
	follow   bool
	record   string
	replay   string
	jobs     int
	pool     string
	admit    func(meta json.RawMessage) error            // whether a worker may carry out steps of a run
	begun    func(lane string) (ended func(failed bool)) // told of each step that a worker begins
	on       string                                      // local or temporal; "" is what jacquard.yaml says
	accept   bool
	wait     bool
	budget   string
	fresh    bool
	quiet    bool
	verbose  bool
	sandbox  string // full, partial, outside or off; "" is what is configured
}

// models are the flags that say who answers model calls, or that answers are recorded, as they were given.
func (o driveOptions) models() []string {
	var out []string
	for _, x := range [][2]string{{"--scenario", o.scenario}, {"--mailbox", o.mailbox}, {"--replay", o.replay}, {"--record", o.record}} {
		if x[1] != "" {
			out = append(out, x[0]+" "+x[1])
		}
	}
	return out
}

// engine is a runtime with everything that carries out steps.
type engine struct {
	keeper

	pool     string // that new runs are given to
	actor    *act.Actor
	gateways []*gateway.Gateway // one for each provider that agents reach through us
	tape     *gateway.Tape
	record   string
	redact   gateway.Redactor
}

func (e *engine) close() error {
	errs := []error{e.Close(), e.actor.Close(), e.closeGateways()}
	if e.tape != nil {
		errs = append(errs, e.tape.Save(e.record, e.redact))
	}
	return errors.Join(errs...)
}

func (e *engine) closeGateways() error {
	var errs []error
	for _, g := range e.gateways {
		errs = append(errs, g.Close())
	}
	return errors.Join(errs...)
}

// engine opens the runtime with an actor and the chosen agents.
func (p *project) engine(ctx context.Context, o driveOptions, progress func(flow.Event)) (*engine, error) {
	if o.follow && !p.a.json {
		return nil, usage("--follow needs --json")
	}
	where, err := p.on(o)
	if err != nil {
		return nil, err
	}
	p.a.stream, p.a.quiet, p.a.verbose = o.follow, o.quiet, o.verbose
	if models := o.models(); len(models) > 1 {
		return nil, conflict(models[0], models[1])
	}
	if err := p.store(); err != nil {
		return nil, err
	}
	if err := p.keepRepo(ctx); err != nil {
		return nil, err
	}
	e := &engine{}
	ao, err := p.agents(ctx, o, e)
	if err != nil {
		return nil, err
	}
	ao.Progress = progress
	e.actor = act.New(ao)
	maxWait := time.Minute
	if o.wait {
		maxWait = 0
	}
	l := local.Options{
		Dir: p.state, Workflows: workflows(), Handlers: e.actor.Handlers(), Blobs: ao.Blobs,
		Limits: limits(p.jobs(o), p.checksAtOnce(o)),
		Driver: p.driver(), Version: definitionVersion(), Accept: o.accept, MaxWait: maxWait,
		Sweep: act.Sweep, Progress: progress, Committed: p.a.killAt("append"),
	}
	if where == onTemporal {
		if e.pool = p.pool(o); e.pool != "" { // turns and checks are bounded by the workers' slots
			jobs := cmp.Or(o.jobs, int(p.conf.Jobs), poolJobs)
			l.Limits = limits(jobs, jobs)
		}
		if strings.Contains(e.pool, ",") {
			return nil, errors.Join(usage("--pool %q: must be one pool", e.pool), e.actor.Close(), e.closeGateways())
		}
		e.keeper, err = p.cluster(ctx, l, o)
	} else {
		e.keeper, err = local.Open(ctx, l)
	}
	if err != nil {
		return nil, errors.Join(err, e.actor.Close(), e.closeGateways())
	}
	return e, nil
}

// poolJobs is how much of a run goes on at once on the workers of a pool, who have bounds of their own, when nobody says.
const poolJobs = 16

// limits are those of a run: so many turns and checks at once, with work waiting for each.
func limits(turns, checks int) flow.Limits {
	return flow.Limits{Lanes: map[string]int{step.Agents: turns, step.Checks: checks, "landing": 1}, Branches: 2 * turns}
}

// jobs is how much goes on at once on this machine.
func (p *project) jobs(o driveOptions) int { return cmp.Or(o.jobs, int(p.conf.Jobs), 4) }

// checksAtOnce is how many checks of them go on at once: each is as fast as the cores let it.
func (p *project) checksAtOnce(o driveOptions) int { return max(1, min(p.jobs(o), runtime.NumCPU())) }

func (p *project) driver() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// seats say who does which role: configuration, and the flags before it.
func (p *project) seats(o driveOptions) step.Seats {
	s := step.Seats{Run: step.Seat{Agent: cmp.Or(o.agent, p.conf.Agent), Model: cmp.Or(o.model, p.conf.Model)}, More: p.conf.moreAgents(), Tiers: maps.Clone(p.conf.Models), Roles: p.conf.Roles}
	if o.scenario != "" && o.agent == "" {
		s.Run.Agent = step.Scripted
	}
	if m, ok := findMaker(s.Run.Agent); ok && m.high != "" && s.Tiers[step.High] == "" { // who asks for it wants it
		if s.Tiers == nil {
			s.Tiers = map[string]string{}
		}
		s.Tiers[step.High] = m.high
	}
	return s
}

// knows refuses an agent that nobody has told of.
func (p *project) knows(name string) error {
	all := slices.Concat(step.AgentNames(), p.conf.moreAgents())
	if name != "" && !slices.Contains(all, name) {
		return usage("--agent %q: must be one of %s", name, strings.Join(all, ", "))
	}
	return nil
}

// agents makes the actor's options: which agents, on whose account.
func (p *project) agents(ctx context.Context, o driveOptions, e *engine) (act.Options, error) {
	secrets := p.a.secrets()
	if addr, _ := p.callbackAddresses(); len(addr.token) >= 8 { // which may stand in CLAUDE.md
		secrets = append(secrets, addr.token)
	}
	e.redact = gateway.NewRedactor(secrets...)
	ao := p.planOptions()
	ao.Agents, ao.Seats, ao.Redact, ao.Effect, ao.Forge = map[string]act.Agent{}, p.seats(o), e.redact, p.a.effects(), p.forge
	ao.Limits = agent.Limits{
		Total: cmp.Or(time.Duration(p.conf.Limits.Turn), time.Hour), Idle: cmp.Or(time.Duration(p.conf.Limits.Idle), 15*time.Minute), Linger: 20 * time.Second, MaxTurns: 200, Use: ao.Bounds,
	}
	ao.Checks.Fresh = o.fresh
	err := p.trusted()
	if err != nil { // a run that goes on reads the configuration of now
		return ao, err
	}
	if ao.Level, ao.Confine, err = p.confined(ctx, o.sandbox); err != nil {
		return ao, err
	}
	if ao.Name, ao.Email, err = p.repo.Identity(ctx); err != nil {
		return ao, err
	}
	if o.record != "" {
		e.tape, e.record = &gateway.Tape{}, o.record
	}
	for _, name := range ao.Seats.Agents(p.conf.Panel...) {
		if m, ok := findMaker(name); ok {
			ao.Agents[name], err = p.real(ctx, m, o, e)
		} else if _, ok := p.conf.ACP[name]; ok {
			ao.Agents[name], err = p.configured(name, o)
		} else if name == step.Scripted {
			ao.Agents[name], err = p.scripted(o)
		} else {
			err = usage("agent %q: must be %s or scripted", name, p.conf.agentNames())
		}
		if err != nil {
			return ao, errors.Join(err, e.closeGateways())
		}
	}
	return ao, nil
}

func readScenario(path string) (scenario.Scenario, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return scenario.Scenario{}, usage("--scenario: %v", err)
	}
	s, problems := scenario.Parse(raw)
	if len(problems) > 0 {
		var all []string
		for _, pr := range problems {
			all = append(all, path+": "+pr.String())
		}
		return s, usage("%s", strings.Join(all, "\n"))
	}
	return s, nil
}

// runMeta is kept with a run so that a resume uses what it was started with.
type runMeta struct {
	Agent    string `json:"agent,omitempty"`
	Model    string `json:"model,omitempty"`
	Scenario string `json:"scenario,omitempty"`
	Mailbox  string `json:"mailbox,omitempty"`
	Jobs     int    `json:"jobs,omitempty"`
	By       string `json:"by,omitempty"`
	Sandbox  string `json:"sandbox,omitempty"` // level that it began at, and goes on at
	Command  string `json:"command,omitempty"`
	Fresh    bool   `json:"fresh,omitempty"` // no result of a check is taken from the record
}

// planOptions are an actor's options without an agent; it has blobs once the store is open.
func (p *project) planOptions() act.Options {
	level, policy, _ := p.sandbox("") // open has read it before
	own, _ := p.a.readOwnSandbox()
	return act.Options{Level: level, Confine: policy, Bounds: p.bounds(own), Repo: p.repo, NoGit: p.noGit, State: p.state, Documents: p.conf.Docs, Cache: p.cache, Trees: p.trees, Shared: p.share, Env: p.a.toolEnv(), User: p.a.Env, Now: time.Now, Blobs: p.blobs, Version: built().Version, Checks: p.checks()}
}

// checks are what the configuration says of checks.
func (p *project) checks() act.Checks {
	own, _ := p.a.readOwnSandbox() // open has read it before
	say := func(line string) {
		if !p.a.json {
			fmt.Fprintln(p.a.Err, "⚠ "+line)
		}
	}
	return act.Checks{
		Reach: slices.Concat(p.conf.Sandbox.Install, own.Install), Say: say,
		Setup: p.conf.Setup, Copy: p.conf.Copy, Commands: p.conf.Checks, Timeout: time.Duration(p.conf.Limits.Check), Said: p.said(own),
	}
}
