package act

import (
	"context"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// chains are the toolchains of a project, with the commands that it has configured.
func (a *Actor) chains(v *view) []toolchain.Found { return a.commanded(v).All() }

// chainsFrom are the toolchains of a tree that an author has made from another one. How they are checked is as the tree before
// says: nobody chooses the command that judges him.
func (a *Actor) chainsFrom(ctx context.Context, before string, v *view) ([]toolchain.Found, error) {
	out := a.chains(v)
	old, err := a.tree(ctx, before, nil)
	if err != nil {
		return nil, err
	}
	for _, was := range a.chains(old) {
		i := slices.IndexFunc(out, was.Same)
		if i >= 0 {
			out[i].Own, out[i].Override, out[i].EngineWas = was.Own, was.Override, was.Engine
			if out[i].Runner == "pytest" && was.Runner == "unittest" { // it runs the tests of unittest too
				out[i].Own.Test = nil
			} else {
				out[i].Runner = was.Runner
			}
		} else if was.Ecosystem == toolchain.Unknown {
			out = append(out, was)
		}
	}
	for i, f := range out {
		if f.Untested { // an example is asked when it has changed itself
			out[i].Members = nil
		}
	}
	return out, nil
}

// commanded is the project of a tree, with the commands that its configuration names.
func (a *Actor) commanded(v *view) *toolchain.Project {
	pr := toolchain.NewProject(v.paths(), v.bytes)
	pr.Checks = a.o.Checks.Commands
	return pr
}

// rules are the conventions of a project as authors are shown them.
func rules(text string) string {
	return strings.TrimSpace(clip(callbackToken().ReplaceAllString(text, "CallbackToken: (hidden)"), maxRules))
}

// detached stands for no branch, where it is compared which one is checked out.
const detached = "(detached)"

// callbackToken is the line of CLAUDE.md that nobody but the sender of callbacks has to know.
var callbackToken = re.New(`(?m)^CallbackToken:.*$`)

// maxRules bounds a document with the project's conventions, in letters.
const maxRules = 16_000
