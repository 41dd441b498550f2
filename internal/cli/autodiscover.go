package cli

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
)

// discover is auto without a task: code looks for what the project needs, says what it would do, and does it with --yes.
func (p *project) discover(ctx context.Context, f autoFlags) error {
	a := p.a
	if err := cmp.Or(p.needsGit(autoDef), p.store(), p.trusted()); err != nil {
		return err
	}
	d, err := act.New(p.planOptions()).Discover(ctx)
	if err != nil {
		return err
	}
	if d.Tier == 0 && !f.skip {
		text, err := p.openIssues(ctx)
		if first, _, ok := strings.Cut(text, "\n"); ok && err == nil {
			d = act.Discovery{Tier: 3, Finds: []string{first}, Task: "Do what this issue asks for, as far as it is about this project: " + first}
		}
	}
	if a.json && !f.yes {
		a.print(d)
		return nil
	}
	fmt.Fprint(a.Err, report.Discovered(a.lang(), d.Tier, d.Finds))
	switch {
	case d.Task != "" && f.yes:
		f.yes = false
		return p.auto(ctx, d.Task, f)
	case d.Task != "":
		fmt.Fprint(a.Err, a.lang().T("to do it, run: jacquard auto --yes\n"))
	case len(d.Staged) > 0 && f.yes:
		return p.commitStaged(ctx, d.Staged)
	case len(d.Staged) > 0:
		fmt.Fprint(a.Err, a.lang().T("to commit what is staged, run: jacquard auto --yes\n"))
	}
	return nil
}

// commitStaged commits what is staged as the user would: by git, with his name and hooks.
func (p *project) commitStaged(ctx context.Context, files []string) error {
	title := path.Base(files[0])
	if len(files) > 1 {
		title += fmt.Sprintf(" and %d more", len(files)-1)
	}
	r, err := proc.Run(ctx, proc.Command{Argv: []string{"git", "commit", "-q", "-m", "chore: " + title}, Dir: p.root, Env: p.a.Env, Total: 10 * time.Minute})
	if err != nil {
		return environment("git commit", err)
	}
	if r.Ended != proc.Exited || r.Exit != 0 {
		return environment("git commit", words("it exited with %d: %s", r.Exit, strings.TrimSpace(r.Stdout.Text+r.Stderr.Text)))
	}
	fmt.Fprintf(p.a.Err, p.a.lang().T("✓ committed: %s\n"), "chore: "+title)
	return nil
}
