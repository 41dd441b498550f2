package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

func (t *specTool) diff() *cobra.Command {
	var exitCode bool
	c := t.command("diff [BASE [HEAD]]", "show interface changes, breaking changes and affected modules", cobra.MaximumNArgs(2), func(ctx context.Context, args []string) error {
		d, err := t.interfaces(ctx, args)
		if err != nil {
			return err
		}
		return t.judge(!exitCode || !d.Breaking, d, func() { t.showDiff(d) })
	})
	c.Long = "Compares the Exports of all specs at BASE (default: HEAD) with those at HEAD, or with the working tree.\n\n" +
		"Breaking changes: a removed export, parameter or field, a new required parameter, a changed parameter or result type. " +
		"Optional additions are compatible. Parameter names count in Python and Kotlin, where callers may use them."
	c.Example = "  jacquard spec diff\n  jacquard spec diff main --exit-code\n  jacquard spec diff v1.2.0 v1.3.0 --json"
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit 1 if there is a breaking change, else 0")
	return c
}

// interfaces compares two versions of the project.
func (t *specTool) interfaces(ctx context.Context, args []string) (inspect.InterfaceDiffs, error) {
	p, err := t.a.open(ctx)
	if err != nil {
		return inspect.InterfaceDiffs{}, err
	}
	if p.noGit {
		return inspect.InterfaceDiffs{}, usage("%s is not in a git repository, so there is no earlier version to compare with: run git init and commit the specs", p.root)
	}
	base, head := first(args, "", "HEAD"), ""
	if len(args) > 1 {
		head = args[1]
	}
	before, err := t.revision(ctx, p, base)
	if err != nil {
		return inspect.InterfaceDiffs{}, err
	}
	var after *inspect.Project
	if head == "" {
		head = "working tree"
		after, err = t.workTree(ctx, p, false)
	} else {
		after, err = t.revision(ctx, p, head)
	}
	if err != nil {
		return inspect.InterfaceDiffs{}, err
	}
	return inspect.Diff(before, after, base, head), nil
}

// revision is the specs of a commit.
func (t *specTool) revision(ctx context.Context, p *project, rev string) (*inspect.Project, error) {
	commit, err := p.repo.Revision(ctx, rev)
	if errors.Is(err, git.ErrNoRef) {
		return nil, usage("unknown commit %q: give a branch, a tag or a commit id", rev)
	}
	if err != nil {
		return nil, err
	}
	entries, err := p.repo.ReadTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	return t.entries(ctx, p, entries, spec.IsName), nil
}

func (t *specTool) showDiff(d inspect.InterfaceDiffs) {
	l := t.a.lang()
	if len(d.Modules) == 0 {
		fmt.Fprintf(t.a.Out, l.T("✓ no interface changed between %s and %s\n"), d.Base, d.Head)
		return
	}
	for i, m := range d.Modules {
		if m.Breaking {
			fmt.Fprintf(t.a.Out, l.T("⚠ %s: breaking change\n"), m.Path)
		} else {
			fmt.Fprintf(t.a.Out, l.T("✓ %s: compatible\n"), m.Path)
		}
		for _, c := range m.Changes.Removed {
			fmt.Fprintf(t.a.Out, "  - %s\n", c.Signature)
		}
		for _, c := range m.Changes.Added {
			fmt.Fprintf(t.a.Out, "  + %s\n", c.Signature)
		}
		for _, c := range m.Changes.Modified {
			fmt.Fprintf(t.a.Out, "  %s %s\n    %s\n    %s\n", tick(!c.Breaking), strings.Join(c.Details, "; "), c.Before, c.After)
		}
		for _, dep := range d.Impact[i].Dependents {
			fmt.Fprintf(t.a.Out, "  → %s (%s) %s\n", dep.Path, dep.Level, strings.Join(dep.Imports, ", "))
		}
		if far := d.Impact[i].Transitive; len(far) > 0 {
			fmt.Fprintf(t.a.Out, l.T("  indirectly affected: %s\n"), strings.Join(far, ", "))
		}
	}
	for _, c := range d.Recommendation.Commands {
		fmt.Fprintf(t.a.Out, l.T("to rebuild: %s\n"), c)
	}
	if s := d.Recommendation.Suggested; len(s) > 0 {
		fmt.Fprintf(t.a.Out, l.T("to review: %s\n"), strings.Join(s, ", "))
	}
}
