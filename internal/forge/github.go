package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// github is the dialect of GitHub and of servers with its API.
type github struct{}

var githubWords = words{
	variable: "GITHUB_TOKEN", pulls: "/pulls", comments: "/comments", body: "body", open: "open",
	headers: map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
}

func (github) repository(ctx context.Context, c *Client) (Repository, error) {
	var v struct {
		Default     string `json:"default_branch"`
		Permissions *struct {
			Push bool `json:"push"`
		} `json:"permissions"`
	}
	err := c.call(ctx, http.MethodGet, "", nil, &v)
	return Repository{Default: v.Default, Push: v.Permissions == nil || v.Permissions.Push}, err
}

func (github) pullsOf(p Place, branch string) url.Values {
	return url.Values{"head": {p.Owner + ":" + branch}}
}

func (github) newPull(ask PullAsk) map[string]any {
	return map[string]any{"title": ask.Title, "head": ask.Branch, "base": ask.Base, "body": ask.Body, "draft": ask.Draft}
}

// newest relies on what GitHub does of itself: the last comes first.
func (github) newest(by, state string) string { return "state=" + state + "&sort=" + by }

// readyQuery is the one thing that GitHub's REST interface cannot do.
const readyQuery = "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }"

func (github) markReady(ctx context.Context, c *Client, p Pull) error {
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

func (github) checks(ctx context.Context, c *Client, commit string) ([]Check, error) {
	var out []Check
	for page := 1; page <= maxPages; page++ {
		var v struct {
			Runs []rawRun `json:"check_runs"`
		}
		if err := c.call(ctx, http.MethodGet, paged("/commits/"+commit+"/check-runs", url.Values{"filter": {"latest"}}, page), nil, &v); err != nil {
			return nil, err
		}
		for _, r := range v.Runs {
			out = append(out, r.check())
		}
		if len(v.Runs) < 100 {
			break
		}
	}
	if len(out) > 0 && !slices.ContainsFunc(out, func(k Check) bool { return k.State == Pending }) {
		more, err := c.suites(ctx, commit)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	var v struct {
		Statuses []struct {
			Context     string `json:"context"`
			State       string `json:"state"`
			Description string `json:"description"`
		} `json:"statuses"`
	}
	if err := c.call(ctx, http.MethodGet, "/commits/"+commit+"/status?per_page=100", nil, &v); err != nil {
		return nil, err
	}
	for _, s := range v.Statuses {
		k := Check{Name: s.Context, State: Pending, output: s.Description}
		switch s.State {
		case "success":
			k.State = Passed
		case "failure", "error":
			k.State, k.Conclusion = Failed, s.State
		}
		out = append(out, k)
	}
	return out, nil
}

// suites are those that go on although all of their checks have ended: a job that waits for another has no check yet.
func (c *Client) suites(ctx context.Context, commit string) ([]Check, error) {
	var v struct {
		Suites []struct {
			Status string `json:"status"`
			Runs   int    `json:"latest_check_runs_count"`
			App    struct {
				Slug string `json:"slug"`
			} `json:"app"`
		} `json:"check_suites"`
	}
	if err := c.call(ctx, http.MethodGet, "/commits/"+commit+"/check-suites?per_page=100", nil, &v); err != nil {
		return nil, err
	}
	var out []Check
	for _, s := range v.Suites {
		if s.Runs > 0 && s.Status != "completed" { // one without checks may never begin
			out = append(out, Check{Name: "more of " + s.App.Slug, State: Pending})
		}
	}
	return out, nil
}

type rawRun struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	App        struct {
		Slug string `json:"slug"`
	} `json:"app"`
	Output struct {
		Title   string `json:"title"`
		Summary string `json:"summary"`
		Text    string `json:"text"`
		Notes   int    `json:"annotations_count"`
	} `json:"output"`
}

func (r rawRun) check() Check {
	// A check run of Actions is a job of the same number.
	k := Check{Name: r.Name, State: Pending, id: r.ID, logged: r.App.Slug == "github-actions", notes: r.Output.Notes}
	k.output = lines(r.Output.Title, r.Output.Summary, r.Output.Text)
	if r.Status == "completed" {
		switch k.State, k.Conclusion = Failed, r.Conclusion; r.Conclusion {
		case "success", "neutral", "skipped":
			k.State = Passed
		}
	}
	return k
}

func (github) annotations(ctx context.Context, c *Client, k Check) []string {
	var notes []struct {
		Path    string `json:"path"`
		Line    int    `json:"start_line"`
		Level   string `json:"annotation_level"`
		Message string `json:"message"`
	}
	if c.call(ctx, http.MethodGet, fmt.Sprintf("/check-runs/%d/annotations?per_page=50", k.id), nil, &notes) != nil {
		return nil
	}
	var out []string
	for _, n := range notes {
		out = append(out, fmt.Sprintf("%s:%d: %s: %s", n.Path, n.Line, n.Level, n.Message))
	}
	return out
}

// log lies elsewhere: the API says where, and the token does not go there.
func (github) log(ctx context.Context, c *Client, k Check) (string, error) {
	req, err := c.get(ctx, fmt.Sprintf("/actions/jobs/%d/logs", k.id))
	if err != nil {
		return "", err
	}
	res, err := c.staying().Do(req)
	if err != nil {
		return "", c.unreachable(ctx, err)
	}
	_ = res.Body.Close() // it says nothing
	to, err := res.Location()
	if err != nil {
		return "", err
	}
	if api := req.URL; to.Scheme != api.Scheme && to.Scheme != "https" {
		return "", errors.New("the log's address is not trusted")
	}
	if req, err = http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil); err != nil {
		return "", err
	}
	return c.readLog(ctx, req)
}

type rawRemark struct {
	ID          int64   `json:"id"`
	User        rawUser `json:"user"`
	Association string  `json:"author_association"`
	State       string  `json:"state"` // of a review
	Path        string  `json:"path"`
	Line        int     `json:"line"`
	Original    int     `json:"original_line"` // before later commits
	Body        string  `json:"body"`
	URL         string  `json:"html_url"`
}

// remarks are the comments of lines, then the reviews' own texts. The text of an approval asks for nothing and is left out.
func (github) remarks(ctx context.Context, c *Client, p Pull) ([]Remark, error) {
	var out []Remark
	for _, kind := range []string{"comments", "reviews"} {
		err := every(ctx, c, fmt.Sprintf("/pulls/%d/%s", p.Number, kind), nil, func(r rawRemark) {
			if strings.TrimSpace(r.Body) != "" && !slices.Contains([]string{"APPROVED", "DISMISSED", "PENDING"}, r.State) {
				out = append(out, r.remark(kind, p.Author))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r rawRemark) remark(kind, own string) Remark {
	out := Remark{ID: fmt.Sprintf("%s/%d", kind, r.ID), Author: oneLine(r.User.Login), Path: oneLine(r.Path), Line: cmp.Or(r.Line, r.Original), Text: r.Body, URL: oneLine(r.URL)}
	switch {
	case r.User.Type == "Bot" || strings.HasSuffix(r.User.Login, "[bot]"):
		out.Standing = Robot
	case strings.EqualFold(r.User.Login, own):
		out.Standing = Own
	case !slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, r.Association):
		out.Standing = Outsider
	}
	return out
}
