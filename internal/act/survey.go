package act

import (
	"context"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Survey runs the project's own checks on what is checked out, before anything is paid for: what is missing, what fails
// already, and what nothing can be proved by. heard is told of each command before it runs.
func (a *Actor) Survey(ctx context.Context, heard func(command string)) ([]step.Standing, error) {
	head, err := a.o.Repo.Head(ctx)
	if err != nil || head.Unborn {
		return nil, machinery(err)
	}
	at, err := a.at(ctx, head.Commit)
	if err != nil {
		return nil, err
	}
	v, err := a.tree(ctx, at.Tree, nil)
	if err != nil {
		return nil, err
	}
	c, err := a.checker("survey")
	if err != nil {
		return nil, err
	}
	var all []step.Standing
	chains := a.chains(v)
	for _, chain := range chains {
		if len(chains) > 1 && (!tested(v, chain) || chain.Own.Elsewhere && chain.Root != ".") { // examples, tools
			continue
		}
		list, err := c.Survey(ctx, chain, at.Tree, heard)
		all = append(all, list...)
		if err != nil {
			return all, a.checkError(err)
		}
	}
	return all, nil
}

// tested reports whether a toolchain has tests of its own.
func tested(v *view, chain toolchain.Found) bool {
	return chain.Ecosystem == toolchain.Unknown || slices.ContainsFunc(v.paths(), func(p string) bool {
		return toolchain.IsTest(p) && toolchain.EcosystemOf(toolchain.LanguageOf(p)) == chain.Ecosystem && (chain.Root == "." || strings.HasPrefix(p, chain.Root+"/"))
	})
}
