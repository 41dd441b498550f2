package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// surveyed is how long a run waits for the project's own checks before its first turn. What takes longer goes on beside it.
const surveyed = time.Minute

// ready runs the project's own checks on what is checked out, before a cent is spent: what fails there is charged to nobody,
// and where nothing can be proved, as far as it shows in that time, nothing is begun. The scripted agent costs nothing, so nobody waits for it; and what a pool
// of workers has installed is known there. end ends what still runs.
func (p *project) ready(ctx context.Context, o driveOptions) (end func(), err error) {
	if o.scenario != "" || p.pool(o) != "" {
		return func() {}, nil
	}
	shown, quiet := context.WithCancel(ctx)
	defer quiet()
	var list []step.Standing
	end, done, err := beside(ctx, surveyed, func(ctx context.Context) (err error) {
		list, err = p.survey(ctx, shown, o.sandbox, o.fresh)
		return err
	})
	if err != nil {
		return end, err
	}
	if !done {
		quiet()
		fmt.Fprintf(p.a.Err, p.a.lang().T("the project's checks take longer than %s, so the baseline runs while agents work\n"), surveyed)
		return func() {
			end()
			p.stands(list)
		}, nil
	}
	p.stands(list)
	if i := slices.IndexFunc(list, step.Standing.Blocks); i >= 0 {
		return end, fail(flow.Environment, "nothing can be verified here, so nothing was started: %s. Fix it, or add the test command under checks in %s. For details, run: jacquard doctor", standing(list[i]), configFile)
	}
	return end, nil
}

// stands says what of the project's own checks does not pass without any change.
func (p *project) stands(list []step.Standing) {
	for _, s := range list {
		if s.State != step.Passes && !p.a.json {
			fmt.Fprintf(p.a.Err, "⚠ %s: %s\n", s.Purpose, report.Standing(p.a.lang(), s))
		}
	}
}

// beside does work, and waits for it as long as it is patient. What is not done by then goes on until it is ended.
func beside(ctx context.Context, patience time.Duration, work func(context.Context) error) (end func(), done bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var failed error
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		failed = work(ctx)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-gone:
		cancel()
		return func() {}, true, failed
	case <-timer.C:
		return func() { cancel(); <-gone }, false, nil
	}
}

// standing is what keeps a project from being proved, in the language of the person.
type standing step.Standing

func (s standing) Error() string           { return s.in(report.English) }
func (s standing) in(l report.Lang) string { return report.Standing(l, step.Standing(s)) }

// survey runs the project's checks on what is checked out, or takes what is kept of that where it need not be fresh. What runs is said to whoever
// watches, as long as it is shown.
func (p *project) survey(ctx, shown context.Context, sandbox string, fresh bool) (list []step.Standing, err error) {
	if err := p.store(); err != nil {
		return nil, err
	}
	o := p.planOptions()
	o.Checks.Fresh = fresh
	if o.Level, o.Confine, err = p.confined(ctx, sandbox); err != nil {
		return nil, err
	}
	if p.a.json {
		return act.New(o).Survey(ctx, func(string, string, int, int) {})
	}
	l := p.a.lang()
	seen := p.a.progress(l.T("preparing dependencies and the build cache"))
	end := sync.OnceFunc(seen.end)
	defer end()
	defer context.AfterFunc(shown, end)()
	return act.New(o).Survey(ctx, func(command, dir string, part, of int) {
		if shown.Err() != nil {
			return
		}
		if dir != "." {
			command += fmt.Sprintf(l.T(" in %s"), dir)
		}
		if of > 1 {
			command += fmt.Sprintf(" (%d/%d)", part, of)
		}
		seen.line(fmt.Sprintf(l.T("  checks %s\n"), command))
		seen.says(command)
	})
}
