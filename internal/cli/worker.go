package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
	"github.com/jacquard-build/jacquard/internal/private"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

func newWorker(a *app) *cobra.Command {
	var o driveOptions
	var w serving
	c := &cobra.Command{
		Use: "worker", Short: "run agents and checks of runs started on other machines", Args: cobra.NoArgs,
		Long: "A worker serves a pool of the project whose clone it is started in: it advances the pool's runs and executes their " +
			"agent calls and checks. It reads inputs from the hub (remote origin, unless jacquard.yaml sets another) and writes " +
			"results there before reporting them. Models use the API keys of this machine.",
		Example: "  jacquard worker --pool linux --jobs 8",
		RunE: a.inProject(func(ctx context.Context, p *project, _ []string) error {
			return p.serve(ctx, o, w)
		}),
	}
	driveFlags(c, &o)
	for _, name := range []string{"on", "accept-changes", "follow", "wait"} {
		_ = c.Flags().MarkHidden(name)
	}
	c.Flags().Lookup("pool").Usage = "`names` of the pools to serve, such as linux,gpu (default: pool in jacquard.yaml, or default)"
	c.Flags().Lookup("jobs").Usage = "`number` of parallel agents"
	c.Flags().IntVar(&w.checks, "checks", 0, "`number` of parallel checks (default: same as --jobs, at most one per core)")
	c.Flags().StringVar(&w.listen, "listen", "", "local `address` for /healthz and /metrics (Prometheus), such as 127.0.0.1:9464")
	c.Flags().DurationVar(&w.drain, "drain", 10*time.Minute, "how long steps may continue after Ctrl-C or SIGTERM before they move to other workers")
	return c
}

// serving is how a worker serves.
type serving struct {
	checks int
	listen string
	drain  time.Duration
}

// serve serves pools until it is told to stop.
func (p *project) serve(ctx context.Context, o driveOptions, w serving) (err error) {
	if err := p.trusted(); err != nil {
		return err
	}
	level, _, err := p.sandbox(o.sandbox)
	if err != nil {
		return err
	}
	if want := confine.Level(p.conf.Sandbox.Workers); want == "" {
		o.admit = admits(level)
	} else if !level.Serves(want) {
		return usage("this worker runs agents and checks at sandbox level %s, but %s requires %s for workers: set JACQUARD_SANDBOX=%s", level, configFile, want, want)
	}
	o.on = onTemporal
	p.cache, p.trees = p.cache+"-worker", p.trees+"-worker" // somebody may drive a run in the same folder meanwhile
	if err := os.MkdirAll(filepath.Join(p.cache, "tmp"), 0o755); err != nil {
		return environment("make the cache folder", err)
	}
	if w.checks < 0 {
		return usage("--checks %d: must be at least 1", w.checks)
	}
	pools := strings.FieldsFunc(cmp.Or(p.pool(o), defaultPool), func(c rune) bool { return c == ',' || c == ' ' })
	if len(pools) == 0 {
		return usage("--pool %q is not a valid pool name", o.pool)
	}
	o.pool = pools[0] // a worker needs a hub
	slots := map[string]int{step.Agents: p.jobs(o), step.Checks: cmp.Or(w.checks, p.checksAtOnce(o))}
	g := newGauges(step.Agents, step.Checks)
	o.begun = g.begun
	if w.listen != "" {
		address, stop, err := g.serve(ctx, w.listen)
		if err != nil {
			return err
		}
		defer stop()
		fmt.Fprintf(p.a.Err, p.a.lang().T("health and metrics: http://%s/healthz, http://%s/metrics\n"), address, address)
	}
	e, err := p.engine(ctx, o, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	rt, ok := e.keeper.(*temporal.Runtime)
	if !ok {
		return words("a worker needs a cluster")
	}
	fmt.Fprint(p.a.Err, report.Countf(p.a.lang().T("worker for pool %s: up to %d agents and %d checks at once; Ctrl-C waits up to %s for running steps\n"), strings.Join(pools, ", "), slots[step.Agents], slots[step.Checks], w.drain))
	p.a.worker.Store(true)
	return rt.Work(ctx, pools, slots, w.drain)
}

// admits says whether a worker at a level may carry out steps of a run: where the project names no level for workers, the one that the run
// began at.
func admits(level confine.Level) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		if len(raw) == 0 { // of an earlier version
			return nil
		}
		meta, err := report.Decode[runMeta](raw)
		if err != nil {
			return err
		}
		if want := confine.Level(meta.Sandbox); want != "" && !level.Serves(want) {
			return fail(flow.Environment, "a worker runs agents and checks at sandbox level %s, but the run began at %s: start the worker with JACQUARD_SANDBOX=%s, or set sandbox: {workers: %s} in %s of its clone", level, want, want, level, configFile)
		}
		return nil
	}
}

// gauges are what a worker tells of itself.
type gauges struct {
	mu    sync.Mutex
	lanes map[string]*gauge
}

// gauge is what it tells of one lane.
type gauge struct {
	running, steps, failed int
	took                   time.Duration
}

// newGauges has the lanes from the start, so that what is never counted is 0 and not absent.
func newGauges(lanes ...string) *gauges {
	g := &gauges{lanes: map[string]*gauge{}}
	for _, l := range lanes {
		g.lanes[l] = &gauge{}
	}
	return g
}

// change does something to the numbers of a lane.
func (g *gauges) change(lane string, do func(*gauge)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lanes[lane] == nil {
		g.lanes[lane] = &gauge{}
	}
	do(g.lanes[lane])
}

// begun counts a step as at work until what it returns is called.
func (g *gauges) begun(lane string) func(failed bool) {
	began := time.Now()
	g.change(lane, func(l *gauge) { l.running++ })
	return func(failed bool) {
		g.change(lane, func(l *gauge) {
			l.running--
			l.steps++
			l.took += time.Since(began)
			if failed {
				l.failed++
			}
		})
	}
}

// serve answers on an address of this machine; others are refused, because
// nobody is asked who he is.
func (g *gauges) serve(ctx context.Context, listen string) (address string, stop func(), err error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || !private.Loopback(host) {
		return "", nil, usage("--listen %q: must be a loopback address such as 127.0.0.1:9464, because the endpoint has no authentication", listen)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return "", nil, environment("listen", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = io.WriteString(w, g.text())
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }()
	return l.Addr().String(), func() { _ = s.Close() }, nil
}

// text is the exposition format of Prometheus, version 0.0.4.
func (g *gauges) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := ""
	for _, m := range []struct {
		name, typ, help string
		value           func(*gauge) any
	}{
		{"jacquard_steps_running", "gauge", "Steps that are at work on this worker.", func(l *gauge) any { return l.running }},
		{"jacquard_steps_total", "counter", "Steps that have ended on this worker.", func(l *gauge) any { return l.steps }},
		{"jacquard_steps_failed_total", "counter", "Steps whose machinery broke.", func(l *gauge) any { return l.failed }},
		{"jacquard_step_seconds_total", "counter", "Time that steps took.", func(l *gauge) any { return l.took.Seconds() }},
	} {
		out += fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.typ)
		for _, lane := range slices.Sorted(maps.Keys(g.lanes)) {
			out += fmt.Sprintf("%s{lane=%q} %v\n", m.name, lane, m.value(g.lanes[lane]))
		}
	}
	return out
}
