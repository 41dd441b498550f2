package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/jacquard-build/jacquard/internal/forge"
	"github.com/jacquard-build/jacquard/internal/step"
)

// forge is the server that the project is published on: that of the remote origin, or the one that the environment names.
// The error is forge.ErrNoToken or forge.ErrNoRemote when there is none.
func (p *project) forge(ctx context.Context) (*forge.Client, error) {
	token := forge.Token(p.a.env)
	if token == "" {
		return nil, forge.ErrNoToken
	}
	remote, err := p.repo.RemoteURL(ctx, "origin")
	if err != nil {
		return nil, err
	}
	place, err := forge.Locate(p.a.env, remote)
	if err != nil {
		return nil, err
	}
	return forge.Open(place, token, time.Now)
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
		return nil, environment("--pr", err)
	}
	r, err := c.Repository(ctx)
	if err != nil {
		return nil, fmt.Errorf("--pr: %w", err)
	}
	if !r.Push {
		return nil, environment("--pr", fmt.Errorf("the token may not push to %s: give it the right to write contents and pull requests", c.Place()))
	}
	return &step.PullIn{Base: r.Default, Start: orDefault(p.conf.Limits.CIStart, ciStart).Milliseconds(), Wait: orDefault(p.conf.Limits.CI, ciWait).Milliseconds()}, nil
}
