package cli

import (
	"context"
	"time"

	"github.com/jacquard-build/jacquard/internal/forge"
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
