package act

import (
	"context"
	"slices"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Survey runs the project's own checks on what is checked out, before anything is paid for: what is missing, what fails
// already, and what nothing can be proved by. heard is told of each command before it runs, with its folder and which part of how many it is of.
func (a *Actor) Survey(ctx context.Context, heard func(command, dir string, part, of int)) ([]step.Standing, error) {
	v, tree, err := a.checkedOut(ctx)
	if err != nil || v == nil {
		return nil, err
	}
	c, err := a.checker(alone("survey"))
	if err != nil {
		return nil, err
	}
	var all []step.Standing
	chains := a.checked(v)
	for i, chain := range chains {
		list, err := c.Survey(ctx, chain, tree, func(command, dir string) { heard(command, dir, i+1, len(chains)) })
		all = append(all, list...)
		if err != nil {
			return all, a.checkError(err)
		}
	}
	return all, nil
}

// checkedOut is the tree of HEAD with its id, nil where there is no commit yet.
func (a *Actor) checkedOut(ctx context.Context) (*view, string, error) {
	head, err := a.o.Repo.Head(ctx)
	if err != nil || head.Unborn {
		return nil, "", machinery(err)
	}
	at, err := a.at(ctx, head.Commit)
	if err != nil {
		return nil, "", err
	}
	v, err := a.tree(ctx, at.Tree, nil)
	return v, at.Tree, err
}

// checked are the toolchains of a project that have something to check; examples and tools have not.
func (a *Actor) checked(v *view) []toolchain.Found {
	chains := a.chains(v)
	if len(chains) == 1 {
		return chains
	}
	return slices.DeleteFunc(chains, func(f toolchain.Found) bool { return f.Untested || f.Own.Elsewhere && f.Root != "." })
}

// CheckCommands are the commands that a change would be checked with, as the project's people write them, each with its folder where
// that is not the project's. Nothing runs.
func (a *Actor) CheckCommands(ctx context.Context) ([]string, error) {
	v, _, err := a.checkedOut(ctx)
	if err != nil || v == nil {
		return nil, err
	}
	return a.commandsOf(v), nil
}

// commandsOf are the commands that a change of what is checked out would be checked with.
func (a *Actor) commandsOf(v *view) []string {
	out := []string{}
	for _, f := range a.checked(v) {
		texts := []string{}
		for _, cmd := range slices.Concat(f.Build(f.Root), f.Lint(nil)) {
			texts = append(texts, check.CommandText(cmd))
		}
		if text := check.TestText(f); text != "" {
			texts = append(texts, text)
		}
		for _, text := range texts {
			if f.Root != "." {
				text += "  (" + f.Root + ")"
			}
			out = append(out, text)
		}
	}
	return out
}

// Unchecked reports whether what is checked out has code, and no command that would check a change of it.
func (a *Actor) Unchecked(ctx context.Context) (bool, error) {
	v, _, err := a.checkedOut(ctx)
	if err != nil || v == nil || len(a.commandsOf(v)) > 0 {
		return false, err
	}
	return slices.ContainsFunc(v.paths(), check.IsCode), nil
}

// Foreign reports whether all tests of the project are in languages that nobody reads here.
func (a *Actor) Foreign(ctx context.Context) (bool, error) {
	v, _, err := a.checkedOut(ctx)
	if err != nil || v == nil {
		return false, err
	}
	chains := a.checked(v)
	return len(chains) > 0 && !slices.ContainsFunc(chains, func(f toolchain.Found) bool { return f.Ecosystem != toolchain.Unknown }), nil
}
