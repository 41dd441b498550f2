package act

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Discovery is the first thing that a project needs, by tiers, the most urgent first.
type Discovery struct {
	Tier  int      `json:"tier"`            // 2 urgent, 3 work, 4 support, 5 a proposal; 0 nothing
	Finds []string `json:"finds,omitempty"` // what was found
	// Task is what a run of auto would be asked for; "" in tiers 4 and 5.
	Task string `json:"task,omitempty"`
	// Staged are the files that tier 4 would commit.
	Staged []string `json:"staged,omitempty"`
}

// Limits of what a discovery lists.
const (
	maxFinds  = 10
	longLines = 100 // of a function, from which on it is proposed to take it apart
)

// todo is a comment that says that something is still to be done.
var todo = re.New(`(?:^|[^A-Za-z])(TODO|FIXME)\b[:( ]*(.*)$`)

// Discover looks for what a project needs: checks that fail, what its sources say is to be done, what is staged, what the
// linter says, functions that have grown long. The first tier in which something is found is the answer. Nothing is changed.
func (a *Actor) Discover(ctx context.Context) (Discovery, error) {
	v, tree, err := a.checkedOut(ctx)
	if err != nil || v == nil {
		return Discovery{}, err
	}
	goals, lint, err := a.standing(ctx, v, tree)
	if err != nil {
		return Discovery{}, err
	}
	if len(goals) > 0 {
		return Discovery{Tier: 2, Finds: bound(goals, maxFinds), Task: "Mend what fails, and keep the rest as it is:\n" + strings.Join(bound(goals, maxFinds), "\n")}, nil
	}
	if todos := todos(v); len(todos) > 0 {
		return Discovery{Tier: 3, Finds: bound(todos, maxFinds), Task: "Do what this comment says, and take it out: " + todos[0]}, nil
	}
	status, err := a.o.Repo.Status(ctx)
	if err != nil {
		return Discovery{}, machinery(err)
	}
	d := Discovery{}
	for _, s := range status {
		if s.Index != '?' && s.Index != '.' {
			d.Staged = append(d.Staged, s.Path)
		}
	}
	if len(d.Staged)+len(lint) > 0 {
		d.Tier = 4
		for _, p := range bound(d.Staged, maxFinds) {
			d.Finds = append(d.Finds, "staged: "+p)
		}
		d.Finds = append(d.Finds, bound(lint, maxFinds)...)
		return d, nil
	}
	if long := longest(v); len(long) > 0 {
		return Discovery{Tier: 5, Finds: long}, nil
	}
	return Discovery{}, nil
}

// standing are the goals of quality that a tree does not reach, and what the linters say of it.
func (a *Actor) standing(ctx context.Context, v *view, tree string) (failed, lint []string, err error) {
	c, err := a.checker(alone("discover"))
	if err != nil {
		return nil, nil, err
	}
	// Against the empty tree everything is new: the linter looks at all files, and nothing is excused.
	empty, err := a.o.Repo.EditTree(ctx, "", nil)
	if err != nil {
		return nil, nil, machinery(err)
	}
	goals, _, err := c.Goals(ctx, check.Task{Chains: a.chains(v), Base: tree}, empty, tree)
	if err != nil {
		return nil, nil, a.checkError(err)
	}
	for _, g := range goals {
		for _, f := range failures(g, nil) {
			text := strings.TrimSpace(fmt.Sprintf("%s: %s %s", f.Goal, f.Test, clip(strings.Join(strings.Fields(f.Message), " "), 300)))
			if g.Name == check.GoalLint {
				lint = append(lint, text)
			} else {
				failed = append(failed, text)
			}
		}
	}
	return failed, lint, nil
}

// todos are the comments of the sources that say that something is to be done.
func todos(v *view) []string {
	var out []string
	for _, p := range v.paths() {
		if !toolchain.IsSource(p) || len(v.bytes(p)) > 1<<20 {
			continue
		}
		for _, t := range source.Parse(p, v.bytes(p)).Tokens {
			if t.Kind != source.Comment {
				continue
			}
			if m := todo().FindStringSubmatch(strings.SplitN(t.Text, "\n", 2)[0]); m != nil && strings.TrimSpace(m[2]) != "" {
				out = append(out, fmt.Sprintf("%s:%d: %s", p, t.Line, clip(strings.TrimSpace(m[1]+": "+strings.TrimRight(m[2], "*/ ")), 200)))
			}
		}
	}
	return out
}

// longest are the functions that have grown too long to be read at once, the longest first.
func longest(v *view) []string {
	type long struct {
		text  string
		lines int
	}
	var list []long
	for _, p := range v.paths() {
		if !toolchain.IsSource(p) || len(v.bytes(p)) > 1<<20 {
			continue
		}
		for _, f := range source.Parse(p, v.bytes(p)).Funcs {
			if n := f.End - f.Line + 1; n >= longLines {
				list = append(list, long{fmt.Sprintf("%s:%d: %s has %d lines", p, f.Line, f.Name, n), n})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b long) int { return b.lines - a.lines })
	return step.Each(bound(list, maxFinds), func(l long) string { return l.text })
}
