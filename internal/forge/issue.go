package forge

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Issue is an issue of a repository.
type Issue struct {
	Number int
	Title  string
	Body   string
	URL    string
}

// rawIssue has the names of both kinds of forge.
type rawIssue struct {
	Number int    `json:"number"`
	IID    int    `json:"iid"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	Text   string `json:"description"`
	State  string `json:"state"`
	URL    string `json:"html_url"`
	WebURL string `json:"web_url"`
	Pull   *any   `json:"pull_request"` // on GitHub one is an issue as well
}

func (r rawIssue) issue() Issue {
	return Issue{Number: cmp.Or(r.Number, r.IID), Title: r.Title, Body: r.Body + r.Text, URL: cmp.Or(r.URL, r.WebURL)}
}

// OpenIssues are the issues that are open, the one that was touched last first, at most 50.
func (c *Client) OpenIssues(ctx context.Context) ([]Issue, error) {
	var list []rawIssue
	if err := c.call(ctx, http.MethodGet, "/issues?"+c.newest("updated", c.open)+"&per_page=50", nil, &list); err != nil {
		return nil, err
	}
	var out []Issue
	for _, r := range list {
		if r.Pull == nil {
			out = append(out, r.issue())
		}
	}
	return out, nil
}

// Issue is one issue by its number; a pull request is none.
func (c *Client) Issue(ctx context.Context, number int) (Issue, error) {
	var r rawIssue
	if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/issues/%d", number), nil, &r); err != nil {
		return Issue{}, err
	}
	if r.Pull != nil {
		return Issue{}, flow.Failf(flow.Failed, "#%d is a pull request, not an issue", number)
	}
	return r.issue(), nil
}

// IssueAsk is what is to be said, and where.
type IssueAsk struct {
	Number int // of the issue that it is about; 0 = none is known
	Title  string
	Body   string
	Label  string
	Marker string // see Marker
}

// SayIssue comments on the issue that something is about, or opens one when there is none; once.
func (c *Client) SayIssue(ctx context.Context, ask IssueAsk) (Issue, error) {
	if ask.Number > 0 {
		var r rawIssue
		switch err := c.call(ctx, http.MethodGet, fmt.Sprintf("/issues/%d", ask.Number), nil, &r); {
		case err == nil && r.State == c.open:
			return r.issue(), c.comment(ctx, ask)
		case err != nil && flow.ClassOf(err) != flow.Denied:
			return Issue{}, err
		}
	}
	var list []rawIssue
	for page := 1; page <= 3; page++ { // what was made a moment ago is on the first
		list = list[:0]
		if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/issues?%s&per_page=100&page=%d", c.newest("created", "all"), page), nil, &list); err != nil {
			return Issue{}, err
		}
		for _, r := range list {
			if strings.Contains(r.Body+r.Text, ask.Marker) {
				return r.issue(), nil
			}
		}
		if len(list) < 100 {
			break
		}
	}
	var r rawIssue
	err := c.call(ctx, http.MethodPost, "/issues", map[string]any{"title": ask.Title, c.body: ask.Body + "\n\n" + ask.Marker + "\n", "labels": []string{ask.Label}}, &r)
	return r.issue(), err
}

// comment says something below an issue, once.
func (c *Client) comment(ctx context.Context, ask IssueAsk) error {
	path, said := fmt.Sprintf("/issues/%d%s", ask.Number, c.comments), false
	err := every(ctx, c, path, nil, func(r rawIssue) { said = said || strings.Contains(r.Body, ask.Marker) })
	if said || err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, path, map[string]any{"body": ask.Body + "\n\n" + ask.Marker + "\n"}, nil)
}
