package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/report"
)

// exists reports whether the project may have runs: a journal is here, or its runs are on a cluster, where those that were
// started in other clones are too.
func (p *project) exists() bool {
	return p.conf.Engine == onTemporal || exists(filepath.Join(p.state, "journal.db"))
}

// reading opens the journal as long as do reads it.
func (p *project) reading(ctx context.Context, do func(keeper) error) error {
	rt, err := p.journal(ctx)
	if err != nil {
		return err
	}
	err = do(rt)
	return cmp.Or(err, rt.Close())
}

// find is that of the package, for who needs nothing else of the journal.
func (p *project) find(ctx context.Context, prefix string) (r flow.Run, err error) {
	err = p.reading(ctx, func(rt keeper) (err error) {
		r, err = find(ctx, rt, prefix)
		return err
	})
	return r, err
}

// reports are those of all runs of a definition, the newest first; none where there is no journal.
func (p *project) reports(ctx context.Context, def string) ([]*report.Run, error) {
	out := []*report.Run{}
	if !p.exists() {
		return out, nil
	}
	err := p.reading(ctx, func(rt keeper) error {
		runs, err := rt.Runs(ctx)
		for _, r := range runs {
			if r.Def != def {
				continue
			}
			rep, err := reportOf(ctx, rt, r)
			if err != nil {
				return err
			}
			out = append(out, rep)
		}
		return err
	})
	return out, err
}

// reportOn is the report of a run, for who needs nothing else of the journal.
func (p *project) reportOn(ctx context.Context, r flow.Run) (rep *report.Run, err error) {
	err = p.reading(ctx, func(rt keeper) (err error) {
		rep, err = reportOf(ctx, rt, r)
		return err
	})
	return rep, err
}

// journal opens the runtime for reading and signals: no handlers.
func (p *project) journal(ctx context.Context) (keeper, error) {
	if !p.exists() {
		return nil, usage("there are no runs in %s yet: start with jacquard do \"…\" or jacquard build", p.root)
	}
	if err := p.store(); err != nil {
		return nil, err
	}
	// The handlers are there for a cancel: what was running is ended by them.
	l := local.Options{
		Dir: p.state, Workflows: workflows(), Version: definitionVersion(), Blobs: p.blobs, Handlers: act.New(p.planOptions()).Handlers(), Sweep: act.Sweep, Driver: p.driver(),
	}
	here, err := local.Open(ctx, l)
	if err != nil {
		return nil, err
	}
	if hosted, err := here.Hosted(ctx); err != nil || p.conf.Engine != onTemporal && !hosted {
		return here, err
	}
	there, err := p.cluster(ctx, l, driveOptions{})
	if err != nil {
		fmt.Fprintf(p.a.Err, "jacquard: "+p.a.lang().T("can't list the runs on the cluster: %v")+"\n", inLang(p.a.lang(), err))
		return here, nil
	}
	return &both{keeper: here, there: there}, nil
}

// find resolves a run id or a unique prefix of one; "" is the newest run.
func find(ctx context.Context, rt flow.Runtime, prefix string) (flow.Run, error) {
	runs, err := rt.Runs(ctx)
	if err != nil {
		return flow.Run{}, err
	}
	if prefix != "" {
		return pick(runs, prefix)
	}
	if len(runs) == 0 {
		return flow.Run{}, usage("there are no runs yet: start with jacquard do \"…\" or jacquard build")
	}
	return runs[0], nil
}

// pick finds a run of a list by a prefix of its id.
func pick(runs []flow.Run, prefix string) (flow.Run, error) {
	var hits []flow.Run
	for _, r := range runs {
		if r.ID == prefix {
			return r, nil
		}
		if strings.HasPrefix(r.ID, prefix) {
			hits = append(hits, r)
		}
	}
	switch len(hits) {
	case 0:
		return flow.Run{}, usage("no run %q: jacquard status lists them", prefix)
	case 1:
		return hits[0], nil
	}
	return flow.Run{}, usage("run %q is ambiguous: %d runs start with it", prefix, len(hits))
}

// reportOf folds all events of a run.
func reportOf(ctx context.Context, rt flow.Runtime, r flow.Run) (*report.Run, error) {
	rep := report.New(r)
	events, err := rt.Events(ctx, r.ID, 0)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		rep.Apply(e)
	}
	rep.State, rep.Gates = r.State, r.Gates
	return rep, nil
}
