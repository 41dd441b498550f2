package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Repository is what has to be known of it before anything is published.
type Repository struct {
	Default string // branch
	Push    bool   // the token may push; false also where the forge does not say
}

// Repository asks for it: whether the token is good for it, and what its default branch is.
func (c *Client) Repository(ctx context.Context) (Repository, error) {
	var v struct {
		Default     string `json:"default_branch"`
		Permissions *struct {
			Push bool `json:"push"`
		} `json:"permissions"`
	}
	if err := c.call(ctx, http.MethodGet, "", nil, &v); err != nil {
		if refusedAs(err, flow.Denied) {
			err = flow.Failf(flow.Environment, "%s", flow.AsFailure(err).Msg)
		}
		return Repository{}, err
	}
	if v.Default == "" {
		return Repository{}, flow.Failf(flow.Environment, "%s has no default branch yet: push one first", c.place)
	}
	return Repository{Default: v.Default, Push: v.Permissions == nil || v.Permissions.Push}, nil
}

// Pull is a pull request.
type Pull struct {
	Number int
	URL    string
	State  string // open, closed, merged
	Draft  bool
	Author string // account that has opened it
	Head   string // commit that its branch is at

	node string // its id for GraphQL
}

type rawPull struct {
	Number int     `json:"number"`
	URL    string  `json:"html_url"`
	Node   string  `json:"node_id"`
	State  string  `json:"state"`
	Draft  bool    `json:"draft"`
	Merged string  `json:"merged_at"`
	Body   string  `json:"body"`
	User   rawUser `json:"user"`
	Head   struct {
		SHA string `json:"sha"`
	} `json:"head"`
}

func (r rawPull) pull() Pull {
	p := Pull{Number: r.Number, URL: r.URL, State: r.State, Draft: r.Draft, Author: r.User.Login, Head: r.Head.SHA, node: r.Node}
	if r.Merged != "" {
		p.State = "merged"
	}
	return p
}

// PullAsk is what a pull request is to be.
type PullAsk struct {
	Branch string // that it takes
	Base   string // branch that it goes to
	Title  string
	Body   string
	Marker string // see Marker
	Draft  bool
}

// OpenPull opens a pull request, or finds the one that is there: an open one of the branch, or one that this run has made.
func (c *Client) OpenPull(ctx context.Context, ask PullAsk) (Pull, error) {
	if p, ok, err := c.pullOf(ctx, ask); ok || err != nil {
		return p, err
	}
	var made rawPull
	err := c.call(ctx, http.MethodPost, "/pulls", map[string]any{
		"title": ask.Title, "head": ask.Branch, "base": ask.Base, "body": ask.Body + "\n\n" + ask.Marker + "\n", "draft": ask.Draft,
	}, &made)
	if err != nil {
		if p, ok, again := c.pullOf(ctx, ask); ok && again == nil { // somebody was faster
			return p, nil
		}
		return Pull{}, err
	}
	return made.pull(), nil
}

func (c *Client) pullOf(ctx context.Context, ask PullAsk) (Pull, bool, error) {
	var list []rawPull
	q := url.Values{"state": {"all"}, "head": {c.place.Owner + ":" + ask.Branch}, "per_page": {"100"}}
	if err := c.call(ctx, http.MethodGet, "/pulls?"+q.Encode(), nil, &list); err != nil {
		return Pull{}, false, err
	}
	i := slices.IndexFunc(list, func(r rawPull) bool { return r.State == "open" })
	if i < 0 {
		i = slices.IndexFunc(list, func(r rawPull) bool { return strings.Contains(r.Body, ask.Marker) })
	}
	if i < 0 {
		return Pull{}, false, nil
	}
	return list[i].pull(), true, nil
}

// ReadPull reads a pull request as it is now.
func (c *Client) ReadPull(ctx context.Context, number int) (Pull, error) {
	var r rawPull
	err := c.call(ctx, http.MethodGet, fmt.Sprintf("/pulls/%d", number), nil, &r)
	return r.pull(), err
}

// readyQuery is the one thing that GitHub's REST interface cannot do.
const readyQuery = "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }"

// MarkReady makes a draft a pull request that is ready for review.
func (c *Client) MarkReady(ctx context.Context, p Pull) error {
	var v struct {
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	err := c.send(ctx, http.MethodPost, strings.TrimSuffix(c.place.API, "/v3")+"/graphql", map[string]any{"query": readyQuery, "variables": map[string]any{"id": p.node}}, &v)
	if err == nil && len(v.Errors) > 0 {
		err = flow.Failf(flow.Failed, "%s does not mark #%d as ready: %s", c.place, p.Number, c.said(v.Errors[0].Message))
	}
	return err
}
