package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// worktree makes a work tree beside the repository for one feature, on a branch of its own from the default branch, and
// opens the project there, from where a pull request goes, if there is to be one. end says where it is; one that has nothing in it that is
// not merged is removed.
func (p *project) worktree(ctx context.Context, feature, request string, pull *step.PullIn) (there *project, end func() error, err error) {
	if err := p.begun(ctx); err != nil {
		return nil, nil, err
	}
	name := cmp.Or(feature, pdca.Feature(firstWords(request)), "feature-"+shortHash(request))
	start, err := p.repo.DefaultBranch(ctx)
	if err != nil {
		return nil, nil, err
	}
	top := filepath.Clean(strings.TrimSuffix(filepath.ToSlash(p.root)+"/", filepath.ToSlash("/"+p.repo.Prefix())))
	dir, branch := filepath.Join(filepath.Dir(top), filepath.Base(top)+"-"+name), "feat/"+name
	if _, err := os.Stat(dir); err == nil {
		return nil, nil, usage("%s already exists: continue in it (cd %s), choose another --feature, or remove it (git worktree remove %s)", dir, dir, dir)
	}
	if err := p.trusted(); err != nil {
		return nil, nil, err
	}
	if err := p.repo.AddWorktree(ctx, dir, branch, start); err != nil {
		return nil, nil, environment("--worktree", err)
	}
	begun, err := p.repo.Ref(ctx, "refs/heads/"+branch)
	if err != nil {
		return nil, nil, err
	}
	root := filepath.Join(dir, filepath.FromSlash(p.repo.Prefix()))
	for _, name := range p.conf.Copy { // files that git ignores and checks need
		if err := copyInto(filepath.Join(p.root, filepath.FromSlash(name)), filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return nil, nil, errors.Join(environment("--worktree: copy %s", err, name), p.repo.RemoveWorktree(ctx, dir, branch, begun))
		}
	}
	p.a.rootFlag = root
	if there, err = p.a.open(ctx); err != nil {
		return nil, nil, err
	}
	if slices.Equal(there.trustCommands(), p.trustCommands()) && p.trusts(p.spends()) { // the same commands of the same repository
		if err := there.addTrust(); err != nil {
			return nil, nil, environment("record the permissions", err)
		}
	}
	if pull != nil {
		pull.Branch = branch
	}
	fmt.Fprintf(p.a.Err, p.a.lang().T("work tree %s, branch %s, from %s\n"), dir, branch, start)
	return there, func() error {
		quiet := context.WithoutCancel(ctx)
		now, err := there.repo.Head(quiet)
		if err != nil {
			return err
		}
		runs, err := there.runs(quiet)
		if err != nil {
			return err
		}
		open := slices.ContainsFunc(runs, func(r flow.Run) bool { return !r.State.Ended() })
		if now.Commit == begun && !open {
			if err := p.repo.RemoveWorktree(quiet, dir, branch, begun); err == nil {
				fmt.Fprintf(p.a.Err, p.a.lang().T("no changes were made; work tree %s was removed\n"), dir)
				return nil
			}
		}
		fmt.Fprintf(p.a.Err, p.a.lang().T("the work is in %s, on branch %s; to merge it, run: git merge %s && git worktree remove %s\n"), dir, branch, branch, dir)
		return nil
	}, nil
}

// worktreeFlag is the flag of commands that can work in a work tree of their own.
func worktreeFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "worktree", false, "work in a new git work tree next to the repository, on branch feat/NAME")
}

// firstWords are the first of a text, for a name.
func firstWords(s string) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(len(words), 4)], " ")
}

// copyInto copies one file, with its folders. A file that is there stays.
func copyInto(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return words("%s is not a file", from)
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, raw, info.Mode().Perm())
}
