package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
	"github.com/jacquard-build/jacquard/internal/hub"
	"github.com/jacquard-build/jacquard/internal/proc"
)

// cluster looks whether runs can be kept on the cluster, shared through the hub, and carried out by workers.
func (c *checkup) cluster(ctx context.Context, p *project) {
	var rt *temporal.Runtime
	name, err := p.name(ctx)
	if err = cmp.Or(p.makeState(), err); err == nil {
		rt, err = p.cluster(ctx, local.Options{Dir: p.state, Driver: p.driver()}, driveOptions{})
	}
	served := false
	if err == nil {
		defer func() { _ = rt.Close() }()
		served, err = rt.Served(ctx, cmp.Or(p.conf.Pool, defaultPool)) // a server answers without the namespace too
	}
	if err != nil {
		c.add("cluster", false, true, "%s", because(err))
		return
	}
	c.add("cluster", true, true, c.l.T("Temporal is reachable; this project's name there is %s"), name)
	switch missing, err := rt.Unsearchable(ctx); {
	case err != nil:
		c.add("search", false, false, "%v", err)
	case len(missing) > 0:
		c.add("search", false, false, c.l.T("runs cannot be searched by project, branch or phase; to enable it, run: temporal operator search-attribute create --type Keyword --name %s"), strings.Join(missing, " --type Keyword --name "))
	default:
		c.add("search", true, true, "%s", c.l.T("runs can be searched by project, branch and phase"))
	}
	if p.conf.Pool != "" || p.conf.Hub != "" {
		c.hub(ctx, p)
	}
	if p.conf.Pool == "" {
		return
	}
	if !served {
		c.add("pool", false, false, c.l.T("pool %s has no worker yet; to start one, run this in a clone of the project: jacquard worker --pool %s"), p.conf.Pool, p.conf.Pool)
		return
	}
	c.add("pool", true, true, c.l.T("pool %s has workers"), p.conf.Pool)
}

// hub looks whether work can be shared. A store is written to for it, so that has to be allowed first.
func (c *checkup) hub(ctx context.Context, p *project) {
	name := p.hubName()
	store := hub.IsAddress(name)
	if store && !p.hasTrust() {
		return // that is said already
	}
	at, err := p.place(ctx)
	if err == nil && at == nil {
		c.add("hub", false, true, c.l.T("this repository has no remote %s: git remote add %s ADDRESS"), name, name)
		return
	}
	if err == nil {
		err = at.Check(ctx)
	}
	switch {
	case err != nil:
		c.add("hub", false, true, "%s", because(err))
	case store:
		c.add("hub", true, true, c.l.T("%s is readable and writable, and does not overwrite existing objects"), name)
	default:
		c.add("hub", true, true, c.l.T("%s is readable"), name)
	}
}

// sandbox tries the sandbox for real and says what there is.
func (c *checkup) sandbox(ctx context.Context, p *project) {
	level, b, err := p.sandbox("")
	if err != nil {
		c.add("sandbox", false, true, "%v", err)
		return
	}
	failed := proc.ProbeSandbox(ctx, filepath.Join(p.cache, "tmp"), *cmp.Or(b, &confine.Policy{}))
	switch {
	case b == nil && failed == nil:
		c.add("sandbox", level == confine.Outside, false, c.l.T("%s: agents and checks run with your permissions; full is available here"), level)
	case b == nil && errors.Is(failed, confine.ErrUnsupported):
		c.add("sandbox", level == confine.Outside, false, c.l.T("%s: agents and checks run with your permissions; no sandbox is available for this system"), level)
	case b == nil:
		c.add("sandbox", level == confine.Outside, false, c.l.T("%s: agents and checks run with your permissions; full is not available here: %v"), level, failed)
	case noSpace(failed):
		c.add("sandbox", false, true, c.l.T("no space left in %s: free some space"), p.cache)
	case failed != nil:
		c.add("sandbox", false, true, "%v. %s", failed, p.a.remedy(c.l, failed, b))
	default:
		layers := strings.Join(confine.Layers(b.Partial), ", ")
		text := fmt.Sprintf(c.l.T("full: tested, no escape found (%s); at most %d processes and %d MiB"), layers, b.Limits.Processes, b.Limits.Memory>>20)
		if b.Partial {
			text = fmt.Sprintf(c.l.T("partial: tested, files and the ports of agents are protected (%s); checks reach the network, and memory and processes have no limit"), layers)
		}
		for _, line := range p.asksSandbox() {
			text += "; " + line
		}
		c.add("sandbox", true, true, "%s", text)
	}
}
