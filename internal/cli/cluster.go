package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/hub"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// keeper is a runtime with its storage.
type keeper interface {
	flow.Runtime
	Close() error
}

// both are the runs of this machine and those of a cluster, in one list.
type both struct {
	keeper // of this machine

	there *temporal.Runtime
	far   map[string]bool // runs of the cluster
}

// Runs lists all runs, newest first.
func (b *both) Runs(ctx context.Context) ([]flow.Run, error) {
	here, err := b.keeper.Runs(ctx)
	if err != nil {
		return nil, err
	}
	there, err := b.there.Runs(ctx)
	if err != nil {
		return nil, err
	}
	b.far = map[string]bool{}
	for _, r := range there {
		b.far[r.ID] = true
	}
	out := append(here, there...)
	slices.SortStableFunc(out, func(x, y flow.Run) int { return y.Started.Compare(x.Started) })
	return out, nil
}

// of is the runtime that a run belongs to.
func (b *both) of(ctx context.Context, run string) flow.Runtime {
	if b.far == nil {
		_, _ = b.Runs(ctx) // what cannot be listed is said when it is asked for
	}
	if b.far[run] {
		return b.there
	}
	return b.keeper
}

// Drive carries a run on where it is.
func (b *both) Drive(ctx context.Context, run string) (flow.Status, error) {
	return b.of(ctx, run).Drive(ctx, run)
}

// Signal signals a run where it is.
func (b *both) Signal(ctx context.Context, run string, s flow.Signal) error {
	return b.of(ctx, run).Signal(ctx, run, s)
}

// Events reads a run where it is.
func (b *both) Events(ctx context.Context, run string, after int64) ([]flow.Event, error) {
	return b.of(ctx, run).Events(ctx, run, after)
}

// Steps reads a run where it is.
func (b *both) Steps(ctx context.Context, run string) ([]flow.StepRow, error) {
	return b.of(ctx, run).Steps(ctx, run)
}

// Close closes both.
func (b *both) Close() error { return errors.Join(b.keeper.Close(), b.there.Close()) }

// on says where a new run is carried on.
func (p *project) on(o driveOptions) (string, error) {
	where := cmp.Or(o.on, p.conf.Engine, onLocal)
	if where != onLocal && where != onTemporal {
		return "", usage("--on %q: must be %s or %s", where, onLocal, onTemporal)
	}
	if where == onTemporal || o.pool == "" {
		return where, nil
	}
	says := words("that is the default")
	switch {
	case o.on != "":
		says = words("says %s", "--on "+where)
	case p.a.env["JACQUARD_ENGINE"] != "":
		says = words("says %s", "JACQUARD_ENGINE="+where)
	case p.conf.Engine != "":
		says = words("says %s", "engine: "+where+" in "+configFile)
	}
	return "", usage("--pool %s works only on a cluster, and this run is on this machine (%v): remove --pool, or use --on %s", o.pool, says, onTemporal)
}

// reach is how long the cluster may take to answer at first.
const reach = 10 * time.Second

// cluster opens the runtime on the cluster that Temporal's own environment
// variables and profiles name, with what l says of this machine.
func (p *project) cluster(ctx context.Context, l local.Options, o driveOptions) (*temporal.Runtime, error) {
	opts, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: lookup(p.a.env), IncludeRemoteCodec: true})
	if err != nil {
		return nil, usage("read the Temporal configuration: %v", err)
	}
	opts.Identity = l.Driver
	if opts.DataConverter, err = p.encrypted(opts.DataConverter); err != nil {
		return nil, err
	}
	name, err := p.name(ctx)
	if err != nil {
		return nil, err
	}
	pool := p.pool(o)
	remote := p.hubName()
	shared, err := p.hub(ctx, l.Blobs)
	if err != nil {
		return nil, err
	}
	var h temporal.Hub
	if shared != nil {
		h = shared
	} else if pool != "" {
		return nil, fail(flow.Environment, "pools need a git remote that all machines can push to, but there is no remote %s: git remote add %s ADDRESS, or set hub in jacquard.yaml to another remote, a bucket or a folder", remote, remote)
	}
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	rt, err := temporal.Open(ctx, temporal.Options{
		Pool: pool, Far: []string{step.Agents, step.Checks}, Hub: h, Host: p.hostName(), Begun: o.begun, Admit: o.admit, Warn: p.waits, Beat: time.Duration(p.conf.Limits.Beat), Place: 4 * time.Duration(p.conf.Limits.Beat),
		Describe: p.describe, Phase: phaseOf,
		Client: opts, Project: name, Dir: l.Dir, Workflows: l.Workflows, Handlers: l.Handlers, Limits: l.Limits, Blobs: l.Blobs,
		Driver: l.Driver, Version: l.Version, Accept: l.Accept, MaxWait: l.MaxWait, Sweep: l.Sweep, Progress: l.Progress, Committed: l.Committed,
	})
	if err != nil {
		address := cmp.Or(opts.HostPort, "localhost:7233")
		var f *flow.Failure
		if errors.As(err, &f) && f.Class == flow.Environment {
			return nil, fail(flow.Environment, "no Temporal cluster at %s: start one, or set TEMPORAL_ADDRESS (docs/guides/several-machines.md): %s", address, f.Msg)
		}
		return nil, words("the Temporal cluster at %s: %w", address, err)
	}
	return rt, nil
}

// served says when nobody is there to carry out the steps of a pool.
func (p *project) served(ctx context.Context, e *engine) {
	rt, ok := e.keeper.(*temporal.Runtime)
	if !ok || e.pool == "" {
		return
	}
	if yes, err := rt.Served(ctx, e.pool); err == nil && !yes {
		fmt.Fprintf(p.a.Err, p.a.lang().T("pool %s has no worker yet; to start one, run this in a clone of the project: jacquard worker --pool %s\n"), e.pool, e.pool)
	}
}

// hubName is what machines share work through: a remote, or the address of a store.
func (p *project) hubName() string { return cmp.Or(p.conf.Hub, "origin") }

// place is where the refs of the hub are; nil where there is no such remote.
func (p *project) place(ctx context.Context) (hub.Place, error) {
	name := p.hubName()
	if hub.IsAddress(name) {
		if !p.hasTrust() {
			return forbidden{p.trusted()}, nil
		}
		project, err := p.name(ctx)
		if err != nil {
			return nil, err
		}
		return hub.Store(p.repo, hub.StoreOptions{Address: name, Project: project, Temp: filepath.Join(p.cache, "tmp"), Env: p.a.env})
	}
	at, err := p.repo.Setting(ctx, "remote."+name+".url")
	if err != nil || at == "" {
		return nil, err
	}
	return hub.Remote(p.repo, name, git.Login{}), nil
}

// forbidden is a place that nobody has allowed yet: what needs it fails, and nothing is asked there.
type forbidden struct{ err error }

func (f forbidden) Fetch(context.Context, string) error                          { return f.err }
func (f forbidden) Make(context.Context, string, string, string, []string) error { return f.err }
func (f forbidden) Drop(context.Context, string) (int, error)                    { return 0, f.err }
func (f forbidden) Check(context.Context) error                                  { return f.err }

// hub is the way to other machines; nil where there is none.
func (p *project) hub(ctx context.Context, blobs flow.Blobs) (*hub.Hub, error) {
	at, err := p.place(ctx)
	if err != nil || at == nil {
		return nil, err
	}
	return hub.New(p.repo, at, blobs), nil
}

// forgetAtHub deletes what ended runs of the cluster left at the hub, and returns how many refs that were.
func (p *project) forgetAtHub(ctx context.Context, runs []flow.Run) (int, error) {
	var ended []string
	for _, r := range runs {
		if r.Engine != "" && r.State.Ended() {
			ended = append(ended, r.ID)
		}
	}
	h, err := p.hub(ctx, p.blobs)
	if err != nil || h == nil || len(ended) == 0 {
		return 0, err
	}
	return h.Forget(ctx, ended)
}

// keyName is the environment variable with the key that payloads are
// encrypted with, in base64.
const keyName = "JACQUARD_PAYLOAD_KEY"

// encrypted adds encryption to a converter where there is a key for it.
func (p *project) encrypted(inner converter.DataConverter) (converter.DataConverter, error) {
	text := p.a.env[keyName]
	if text == "" {
		return inner, nil
	}
	if inner == nil {
		inner = converter.GetDefaultDataConverter()
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, usage("%s is not base64. To create a key, run: openssl rand -base64 32", keyName)
	}
	out, err := temporal.Encrypted(inner, key)
	if err != nil {
		return nil, usage("%s has %d bytes: must have 16, 24 or 32. To create a key, run: openssl rand -base64 32", keyName, len(key))
	}
	return out, nil
}

// waits says what this machine tries again for as long as it takes, and what it leaves to others.
func (p *project) waits(err error) {
	msg := because(err)
	if _, ok := errors.AsType[*flow.Failure](err); !ok {
		fmt.Fprintf(p.a.Err, "jacquard: %s\n", msg)
		return
	}
	fmt.Fprintf(p.a.Err, "jacquard: "+p.a.lang().T("%s. Retrying until it succeeds")+"\n", strings.TrimRight(msg, "."))
}

// lookup gives Temporal's configuration the environment that we were given.
type lookup map[string]string

// Environ lists the variables as KEY=value.
func (l lookup) Environ() []string {
	var out []string
	for k, v := range l {
		out = append(out, k+"="+v)
	}
	return out
}

// LookupEnv finds one variable. An empty one says nothing, and a profile may.
func (l lookup) LookupEnv(key string) (string, bool) {
	v := l[key]
	return v, v != ""
}

// name is what the project is called on a cluster: where its repository comes
// from, so that all its clones share their list; else its folder here.
func (p *project) name(ctx context.Context) (string, error) {
	if p.conf.Project != "" {
		return p.conf.Project, nil
	}
	origin, err := p.repo.Setting(ctx, "remote.origin.url")
	if err != nil {
		return "", err
	}
	if n := remoteName(origin); n != "" {
		return n, nil
	}
	if origin != "" { // a folder that clones of this machine share
		return strings.TrimSuffix(filepath.Base(origin), ".git") + "-" + shortHash(origin), nil
	}
	return filepath.Base(p.root) + "-" + shortHash(p.root), nil
}

// remoteName is host/owner/repository of a remote; "" when it is a path here.
func remoteName(remote string) string {
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		return strings.TrimSuffix(u.Hostname()+u.Path, ".git")
	}
	host, path, ok := strings.Cut(remote, ":")
	if !ok || strings.ContainsAny(host, `/\`) || len(host) < 2 {
		return ""
	}
	if _, at, ok := strings.Cut(host, "@"); ok {
		host = at
	}
	return strings.TrimSuffix(host+"/"+strings.TrimPrefix(path, "/"), ".git")
}

// because is an error without the class that decides what is done about it.
func because(err error) string {
	if f, ok := errors.AsType[*flow.Failure](err); ok && f.Msg != "" {
		return f.Msg
	}
	return err.Error()
}

// describe says of a new run for which branch it is and who asked for it.
func (p *project) describe(ctx context.Context, n flow.NewRun) (branch, requester string) {
	if meta, err := report.Decode[runMeta](n.Meta); err == nil {
		requester = meta.By
	}
	if head, err := p.repo.Head(ctx); err == nil { // a run needs no branch
		branch = head.Branch
	}
	return branch, requester
}

// phaseOf is the phase of a run that a note begins; what is noted in a branch is of one module or task.
func phaseOf(n flow.NoteRec) string {
	var v struct {
		Phase string `json:"phase"`
		Stage string `json:"stage"`
	}
	if n.Branch != "" || json.Unmarshal(n.Fact, &v) != nil {
		return ""
	}
	return cmp.Or(v.Phase, v.Stage)
}

// defaultPool is the pool of workers and runs that name none.
const defaultPool = "default"

// pool is the name of the workers that a run is given to; "" = none.
func (p *project) pool(o driveOptions) string { return cmp.Or(o.pool, p.conf.Pool) }

// hostName names this machine and folder among the workers of the project.
func (p *project) hostName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return host + "-" + shortHash(p.root)
}
