package forge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Repository is what has to be known of it before anything is published.
type Repository struct {
	Default string // branch
	Push    bool   // the token may push; true also where the forge does not say
}

// Repository asks for it: whether the token is good for it, and what its default branch is.
func (c *Client) Repository(ctx context.Context) (Repository, error) {
	r, err := c.repository(ctx, c)
	switch {
	case flow.ClassOf(err) == flow.Denied:
		err = flow.Failf(flow.Environment, "%s", flow.AsFailure(err).Msg)
	case err == nil && r.Default == "":
		err = flow.Failf(flow.Environment, "%s has no default branch yet: push one first", c.place)
	}
	return r, err
}

// Pull is a pull request.
type Pull struct {
	Number int
	URL    string
	State  string // open, closed, merged
	Draft  bool
	Author string // account that has opened it
	Head   string // commit that its branch is at

	node  string // its id for GitHub's GraphQL
	title string
}

// rawPull has the names of both kinds of forge.
type rawPull struct {
	Number int     `json:"number"`
	IID    int     `json:"iid"`
	URL    string  `json:"html_url"`
	WebURL string  `json:"web_url"`
	Node   string  `json:"node_id"`
	State  string  `json:"state"`
	Draft  bool    `json:"draft"`
	Merged string  `json:"merged_at"`
	Title  string  `json:"title"`
	Body   string  `json:"body"`
	Text   string  `json:"description"`
	User   rawUser `json:"user"`
	Author rawUser `json:"author"`
	SHA    string  `json:"sha"`
	Head   struct {
		SHA string `json:"sha"`
	} `json:"head"`
	// GitLab lists those of forks that have a branch of this name.
	From int64 `json:"source_project_id"`
	To   int64 `json:"target_project_id"`
}

func (r rawPull) pull() Pull {
	p := Pull{
		Number: cmp.Or(r.Number, r.IID), URL: cmp.Or(r.URL, r.WebURL), State: r.State, Draft: r.Draft, Head: cmp.Or(r.Head.SHA, r.SHA),
		Author: cmp.Or(r.User.Login, r.Author.Username), node: r.Node, title: r.Title,
	}
	switch {
	case r.Merged != "":
		p.State = "merged"
	case r.State == "opened" || r.State == "locked": // locked: it is just being merged
		p.State = "open"
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
	marked := ask
	marked.Body += "\n\n" + ask.Marker + "\n"
	if err := c.call(ctx, http.MethodPost, c.pulls, c.newPull(marked), &made); err != nil {
		if p, ok, again := c.pullOf(ctx, ask); ok && again == nil { // somebody was faster
			return p, nil
		}
		return Pull{}, err
	}
	return made.pull(), nil
}

func (c *Client) pullOf(ctx context.Context, ask PullAsk) (Pull, bool, error) {
	var list []rawPull
	q := c.pullsOf(c.place, ask.Branch)
	q.Set("state", "all")
	q.Set("per_page", "100")
	if err := c.call(ctx, http.MethodGet, c.pulls+"?"+q.Encode(), nil, &list); err != nil {
		return Pull{}, false, err
	}
	list = slices.DeleteFunc(list, func(r rawPull) bool { return r.From != r.To })
	i := slices.IndexFunc(list, func(r rawPull) bool { return r.pull().State == "open" })
	if i < 0 {
		i = slices.IndexFunc(list, func(r rawPull) bool { return strings.Contains(r.Body+r.Text, ask.Marker) })
	}
	if i < 0 {
		return Pull{}, false, nil
	}
	return list[i].pull(), true, nil
}

// ReadPull reads a pull request as it is now.
func (c *Client) ReadPull(ctx context.Context, number int) (Pull, error) {
	var r rawPull
	err := c.call(ctx, http.MethodGet, fmt.Sprintf("%s/%d", c.pulls, number), nil, &r)
	return r.pull(), err
}

// MarkReady makes a draft a pull request that is ready for review.
func (c *Client) MarkReady(ctx context.Context, p Pull) error { return c.markReady(ctx, c, p) }

// every reads a list page by page, a hundred items each, as far as maxPages.
func every[T any](ctx context.Context, c *Client, path string, q url.Values, take func(T)) error {
	for page := 1; page <= maxPages; page++ {
		var list []T
		if err := c.call(ctx, http.MethodGet, paged(path, q, page), nil, &list); err != nil {
			return err
		}
		for _, v := range list {
			take(v)
		}
		if len(list) < 100 {
			break
		}
	}
	return nil
}

func paged(path string, q url.Values, page int) string {
	all := url.Values{"per_page": {"100"}, "page": {fmt.Sprint(page)}}
	maps.Copy(all, q)
	return path + "?" + all.Encode()
}
