package forge

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/re"
)

// gitlab is the dialect of GitLab.
type gitlab struct{}

var gitlabWords = words{variable: "GITLAB_TOKEN", pulls: "/merge_requests", comments: "/notes", body: "description", open: "opened"}

// developer is the level of access from which a member may push and direct work (the table of GitLab's members API).
const developer = 30

type rawAccess struct {
	Level int `json:"access_level"`
}

func (gitlab) repository(ctx context.Context, c *Client) (Repository, error) {
	var v struct {
		Default     string `json:"default_branch"`
		Permissions *struct {
			Project rawAccess `json:"project_access"`
			Group   rawAccess `json:"group_access"`
		} `json:"permissions"`
	}
	err := c.call(ctx, http.MethodGet, "", nil, &v)
	p := v.Permissions
	return Repository{Default: v.Default, Push: p == nil || max(p.Project.Level, p.Group.Level) >= developer}, err
}

func (gitlab) pullsOf(_ Place, branch string) url.Values {
	return url.Values{"source_branch": {branch}}
}

func (gitlab) newest(by, state string) string {
	return "state=" + state + "&order_by=" + by + "_at&sort=desc"
}

// draftTitle is how the title of a draft begins.
var draftTitle = re.New(`(?i)^\s*(?:draft:|\[draft\]|\(draft\))\s*`)

func (gitlab) newPull(ask PullAsk) map[string]any {
	title := draftTitle().ReplaceAllString(ask.Title, "")
	if ask.Draft {
		title = "Draft: " + title
	}
	return map[string]any{"title": title, "source_branch": ask.Branch, "target_branch": ask.Base, "description": ask.Body}
}

func (gitlab) markReady(ctx context.Context, c *Client, p Pull) error {
	var now rawPull
	err := c.call(ctx, http.MethodPut, fmt.Sprintf("%s/%d", c.pulls, p.Number), map[string]any{"title": draftTitle().ReplaceAllString(p.title, "")}, &now)
	if err == nil && now.Draft {
		err = flow.Failf(flow.Failed, "%s does not mark !%d as ready", c.place, p.Number)
	}
	return err
}

type rawJob struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Allowed bool   `json:"allow_failure"`
	Text    string `json:"description"`
	URL     string `json:"target_url"`
}

// checks are the jobs of all pipelines of a commit, and what other servers have said of it.
func (gitlab) checks(ctx context.Context, c *Client, commit string) ([]Check, error) {
	var jobs []rawJob
	err := every(ctx, c, "/repository/commits/"+commit+"/statuses", nil, func(j rawJob) { jobs = append(jobs, j) })
	if err != nil {
		return nil, err
	}
	blocked := slices.ContainsFunc(jobs, func(j rawJob) bool { return j.Status == "manual" && !j.Allowed })
	var out []Check
	for _, j := range jobs {
		k := Check{Name: j.Name, State: Pending, id: j.ID, output: j.Text, logged: strings.Contains(j.URL, "/-/jobs/")}
		switch {
		case j.Status == "success" || j.Status == "skipped" || j.Allowed && (j.Status == "failed" || j.Status == "canceled" || j.Status == "manual"):
			k.State = Passed
		case j.Status == "failed" || j.Status == "canceled" || j.Status == "manual": // one that stops a pipeline until a person starts it
			k.State, k.Conclusion = Failed, j.Status
		case j.Status == "created" && blocked: // it waits for that person as well
			continue
		}
		out = append(out, k)
	}
	return out, nil
}

// annotations: GitLab has none.
func (gitlab) annotations(context.Context, *Client, Check) []string { return nil }

func (gitlab) log(ctx context.Context, c *Client, k Check) (string, error) {
	req, err := c.get(ctx, fmt.Sprintf("/jobs/%d/trace", k.id))
	if err != nil {
		return "", err
	}
	return c.readLog(ctx, req)
}

type rawNote struct {
	ID         int64   `json:"id"`
	Author     rawUser `json:"author"`
	Body       string  `json:"body"`
	System     bool    `json:"system"`
	Resolvable bool    `json:"resolvable"` // it is in a thread
	Resolved   bool    `json:"resolved"`
	Position   struct {
		Path    string `json:"new_path"`
		OldPath string `json:"old_path"`
		Line    int    `json:"new_line"`
		OldLine int    `json:"old_line"`
	} `json:"position"`
}

// program is how accounts of programs are called: those of access tokens, and those that people name so.
var program = re.New(`(?i)(?:^|[_-])bot(?:$|[_\d-])|^service_account_`)

func (gitlab) remarks(ctx context.Context, c *Client, p Pull) ([]Remark, error) {
	var out []Remark
	var ids []int64 // of their authors
	err := every(ctx, c, fmt.Sprintf("%s/%d/notes", c.pulls, p.Number), url.Values{"sort": {"asc"}, "order_by": {"created_at"}}, func(n rawNote) {
		if n.System || !n.Resolvable || n.Resolved || strings.TrimSpace(n.Body) == "" {
			return
		}
		at := n.Position
		r := Remark{
			ID: fmt.Sprintf("notes/%d", n.ID), Author: oneLine(n.Author.Username), Path: oneLine(cmp.Or(at.Path, at.OldPath)), Line: cmp.Or(at.Line, at.OldLine),
			Text: n.Body, URL: fmt.Sprintf("%s#note_%d", p.URL, n.ID),
		}
		switch {
		case program().MatchString(r.Author):
			r.Standing = Robot
		case strings.EqualFold(r.Author, p.Author):
			r.Standing = Own
		}
		out, ids = append(out, r), append(ids, n.Author.ID)
	})
	if err != nil {
		return nil, err
	}
	standing := map[int64]Standing{}
	for i, id := range ids {
		if out[i].Standing != "" {
			continue
		}
		if _, known := standing[id]; !known {
			var member rawAccess
			err := c.call(ctx, http.MethodGet, fmt.Sprintf("/members/all/%d", id), nil, &member)
			switch {
			case flow.ClassOf(err) == flow.Denied || err == nil && member.Level < developer:
				standing[id] = Outsider
			case err != nil:
				return nil, err
			default:
				standing[id] = ""
			}
		}
		out[i].Standing = standing[id]
	}
	return out, nil
}
