package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/forge"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// forge is the server that the project is published on: that of the remote origin, or the one that the environment names.
// The error says what is missing.
func (p *project) forge(ctx context.Context) (*forge.Client, error) {
	remote, err := p.repo.Setting(ctx, "remote.origin.url")
	if err != nil {
		return nil, err
	}
	place, err := forge.Locate(p.a.env, remote)
	if err != nil {
		return nil, err
	}
	return forge.Open(place, place.Token(p.a.env), time.Now)
}

// loginOf is what git needs for a remote on a forge.
func loginOf(c *forge.Client) (l git.Login) {
	l.Server, l.Token = c.Credential()
	return l
}

// How long CI has to begin, and may take, where jacquard.yaml does not say it.
const (
	ciStart = 3 * time.Minute
	ciWait  = 2 * time.Hour
)

// pullIn is where a pull request of this project goes. Whatever is missing for it is said before anything starts.
func (p *project) pullIn(ctx context.Context) (*step.PullIn, error) {
	c, err := p.forge(ctx)
	if err != nil {
		return nil, environment("no pull request can be opened", err)
	}
	r, err := c.Repository(ctx)
	if err != nil {
		return nil, fmt.Errorf("no pull request can be opened: %w", err)
	}
	if remote, err := p.repo.Setting(ctx, "remote.origin.url"); err != nil || remote == "" { // GITHUB_REPOSITORY is no place to push to
		return nil, environment("no pull request can be opened", errors.Join(err, forge.ErrNoRemote))
	}
	at, err := p.repo.RemoteRef(ctx, "origin", "refs/heads/"+r.Default, loginOf(c))
	if err != nil || at == "" {
		return nil, environment("no pull request can be opened", cmp.Or(err, words("remote origin has no branch %s", r.Default)))
	}
	if _, err := c.Checks(ctx, at); err != nil { // not every token may read them
		return nil, words("no pull request can be opened: read the checks of %s: %w", r.Default, err)
	}
	if !r.Push {
		return nil, environment("no pull request can be opened", words("the token may not push to %s: grant it write access to contents and pull requests", c.Place()))
	}
	return &step.PullIn{Base: r.Default, Start: cmp.Or(time.Duration(p.conf.Limits.CIStart), ciStart).Milliseconds(), Wait: cmp.Or(time.Duration(p.conf.Limits.CI), ciWait).Milliseconds()}, nil
}

// pullFlag is the flag of commands whose runs can end with a pull request.
func pullFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "pr", false, "push the result to a new branch on origin and open a pull request; your branch stays where it is (GITHUB_TOKEN or GITLAB_TOKEN)")
}

// issueName is how a task names an issue: #12, or its address.
var issueName = re.New(`(?:^|[\s(])#([0-9]{1,9})\b|/issues/([0-9]{1,9})\b`)
