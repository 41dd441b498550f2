package forge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/forge"
)

// TestLocateGitLab: remotes on gitlab.com and on the server that the environment names, groups in groups, and nothing else.
func TestLocateGitLab(t *testing.T) {
	t.Parallel()
	own := map[string]string{"GITLAB_HOST": "git.example.com"}
	for _, c := range []struct {
		remote string
		env    map[string]string
		want   string
	}{
		{"git@gitlab.com:group/sub/shop.git", nil, "https://gitlab.com/api/v4 https://gitlab.com group/sub/shop"},
		{"https://oauth2:secret@gitlab.com/group/shop", nil, "https://gitlab.com/api/v4 https://gitlab.com group/shop"},
		{"ssh://git@altssh.gitlab.com:443/group/shop.git", nil, "https://gitlab.com/api/v4 https://gitlab.com group/shop"},
		{"git@git.example.com:group/shop.git", own, "https://git.example.com/api/v4 https://git.example.com group/shop"},
		{"https://git.example.com/group/shop", map[string]string{"CI_SERVER_URL": "https://git.example.com:8443/"}, "https://git.example.com:8443/api/v4 https://git.example.com:8443 group/shop"},
		{"git@git.example.com:group/shop.git", map[string]string{"GITLAB_HOST": "http://git.example.com"}, "GITLAB_HOST is http://git.example.com: the token would be sent there unencrypted; use https"},
		{"git@git.example.com:group/shop.git", nil, "none"},
		{"git@gitlab.com.example.com:group/shop.git", nil, "none"},
		{"git@gitlab.com:shop.git", nil, "none"},
		{"git@gitlab.com:group/../shop.git", nil, "none"},
	} {
		p, err := forge.Locate(c.env, c.remote)
		got := p.API + " " + p.Server + " " + p.String()
		switch {
		case errors.Is(err, forge.ErrNoRemote):
			got = "none"
		case err != nil:
			got = err.Error()
		case !p.GitLab:
			got = "not on GitLab"
		}
		if got != c.want {
			t.Errorf("Locate(%q, %v) = %q, want %q", c.remote, c.env, got, c.want)
		}
		if _, err := forge.Open(p, p.Token(map[string]string{"GITHUB_TOKEN": "for another server"}), time.Now); p.GitLab && !errors.Is(err, forge.ErrNoGitLabToken) {
			t.Errorf("without a token of GitLab Open says %v", err)
		}
	}
}

func openGitLab(t *testing.T, h func(w http.ResponseWriter, r *http.Request, path string)) *forge.Client {
	t.Helper()
	return openAt(t, forge.Place{Owner: "group/sub", Name: "shop", GitLab: true}, func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/projects/group%2Fsub%2Fshop")
		if !ok || r.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s asked with %q", r.URL.EscapedPath(), r.Header.Get("Authorization"))
		}
		h(w, r, path)
	})
}

// TestGitLabRefusals: messages that are lists by field are told, and who may push is read of both kinds of membership.
func TestGitLabRefusals(t *testing.T) {
	t.Parallel()
	code, body := 0, ""
	c := openGitLab(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("RateLimit-Remaining", "0")
		w.Header().Set("RateLimit-Reset", "4000")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	})
	for _, k := range []struct {
		code  int
		body  string
		class flow.Class
		says  string
	}{
		{401, `{"error": "invalid_token", "error_description": "Token was revoked."}`, flow.Auth, "set GITLAB_TOKEN to a valid one"},
		{422, `{"message": {"title": ["is too long"]}}`, flow.Failed, `"title": ["is too long"]`},
		{429, `{"message": "Too many"}`, flow.Limit, "Too many"},
		{200, `{}`, flow.Environment, "no default branch"},
	} {
		code, body = k.code, k.body
		_, err := c.Repository(t.Context())
		if f := flow.AsFailure(err); f == nil || f.Class != k.class || !strings.Contains(f.Msg, k.says) || (k.class == flow.Limit) != (f.ResetsAt == 4_000_000) {
			t.Errorf("%d %s = %v", k.code, k.body, err)
		}
	}
	code = 200
	for permissions, push := range map[string]bool{
		`{"project_access": {"access_level": 30}, "group_access": null}`: true, `{"project_access": {"access_level": 20}, "group_access": {"access_level": 40}}`: true,
		`{"project_access": null, "group_access": null}`: false, `{"project_access": {"access_level": 20}}`: false, `null`: true,
	} {
		body = `{"default_branch": "main", "permissions": ` + permissions + `}`
		if r, err := c.Repository(t.Context()); err != nil || r.Push != push || r.Default != "main" {
			t.Errorf("%s: %+v, %v; want Push %v", permissions, r, err, push)
		}
	}
}

// TestGitLabPull: the run's own merge request is found, not that of a fork with a branch of the same name; a draft is a title.
func TestGitLabPull(t *testing.T) {
	t.Parallel()
	list := []map[string]any{{"iid": 1, "state": "opened", "source_project_id": 2, "target_project_id": 1}}
	c := openGitLab(t, func(w http.ResponseWriter, r *http.Request, path string) {
		in := map[string]any{}
		_ = json.NewDecoder(r.Body).Decode(&in)
		switch {
		case path == "/merge_requests" && r.Method == http.MethodGet:
			_ = json.NewEncoder(w).Encode(list)
		case path == "/merge_requests":
			in["iid"], in["state"], in["sha"], in["draft"] = len(list)+1, "opened", "c0ffee", strings.HasPrefix(in["title"].(string), "Draft: ")
			list = append(list, in)
			_ = json.NewEncoder(w).Encode(in)
		case path == "/merge_requests/2" && r.Method == http.MethodPut:
			list[1]["title"], list[1]["draft"] = in["title"], false
			fallthrough
		default:
			_ = json.NewEncoder(w).Encode(list[1])
		}
	})
	ask := forge.PullAsk{Branch: "feat/x", Base: "main", Title: "t", Body: "b", Marker: forge.Marker("r1", "pull"), Draft: true}
	for range 2 {
		p, err := c.OpenPull(t.Context(), ask)
		if err != nil || p.Number != 2 || !p.Draft || p.State != "open" || p.Head != "c0ffee" {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	p, err := c.ReadPull(t.Context(), 2)
	if err := errors.Join(err, c.MarkReady(t.Context(), p)); err != nil || list[1]["title"] != "t" {
		t.Errorf("%v, %v", list[1], err)
	}
	list[1]["state"], list[1]["merged_at"] = "merged", "2026-01-01T00:00:00Z"
	if p, err := c.OpenPull(t.Context(), ask); err != nil || p.Number != 2 || p.State != "merged" {
		t.Errorf("the run's own one, merged: %+v, %v", p, err)
	}
}

// TestGitLabChecks: jobs and what other servers say; one that may fail has passed, one that a person has to start stops those
// behind it, and the log of a job is told as people read it.
func TestGitLabChecks(t *testing.T) {
	t.Parallel()
	statuses := `[{"id": 1, "name": "test", "status": "failed", "target_url": "http://x/group/shop/-/jobs/1"}, {"id": 2, "name": "fuzz", "status": "failed", "allow_failure": true},
		{"id": 3, "name": "build", "status": "success"}, {"id": 4, "name": "ci/other", "status": "failed", "description": "it broke", "target_url": "http://other"}, {"id": 5, "name": "e2e", "status": "running"}, {"id": 6, "name": "late", "status": "created"}]`
	c := openGitLab(t, func(w http.ResponseWriter, _ *http.Request, path string) {
		switch path {
		case "/repository/commits/c0ffee/statuses":
			fmt.Fprint(w, statuses)
		case "/jobs/1/trace":
			fmt.Fprint(w, "section_start:1700000000:step\r\x1b[0K\x1b[0;mgo test\r\n2026-11-20T10:00:00.123456Z 01O cart.go:7: wrong\nERROR: Job failed: exit code 1\n")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	said := func() string {
		list, err := c.Checks(t.Context(), "c0ffee")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range list {
			got = append(got, fmt.Sprint(k.Name, " ", k.State, " ", k.Mendable()))
			switch text := c.Explain(t.Context(), k, 1000, strings.TrimSpace); {
			case k.Name == "test" && text != "go test\ncart.go:7: wrong\nERROR: Job failed: exit code 1":
				t.Errorf("Explain = %q", text)
			case k.Name == "ci/other" && text != "it broke":
				t.Errorf("Explain = %q", text)
			}
		}
		return strings.Join(got, ", ")
	}
	if got, want := said(), "build passed false, ci/other failed true, e2e pending false, fuzz passed false, late pending false, test failed true"; got != want {
		t.Errorf("Checks = %s, want %s", got, want)
	}
	statuses = strings.Replace(statuses, `"running"`, `"manual"`, 1)
	if got, want := said(), "build passed false, ci/other failed true, e2e failed false, fuzz passed false, test failed true"; got != want {
		t.Errorf("Checks = %s, want %s", got, want)
	}
}

// TestGitLabOnce: an issue, and a comment on one, are made once.
func TestGitLabOnce(t *testing.T) {
	t.Parallel()
	var issues, notes []map[string]any
	c := openGitLab(t, func(w http.ResponseWriter, r *http.Request, path string) {
		list := map[string]*[]map[string]any{"/issues": &issues, "/issues/7/notes": &notes}[path]
		if path == "/issues/7" {
			fmt.Fprint(w, `{"iid": 7, "state": "opened", "title": "t", "description": "d", "web_url": "http://x/7"}`)
			return
		}
		if r.Method == http.MethodPost {
			in := map[string]any{}
			_ = json.NewDecoder(r.Body).Decode(&in)
			in["iid"], in["state"] = 100+len(*list), "opened"
			*list = append(*list, in)
			_ = json.NewEncoder(w).Encode(in)
			return
		}
		_ = json.NewEncoder(w).Encode(append([]map[string]any{}, *list...))
	})
	for range 2 {
		if i, err := c.SayIssue(t.Context(), forge.IssueAsk{Title: "t", Body: "b", Label: "auto", Marker: forge.Marker("r1", "issue")}); err != nil || i.Number != 100 {
			t.Errorf("%+v, %v", i, err)
		}
		if i, err := c.SayIssue(t.Context(), forge.IssueAsk{Number: 7, Body: "b", Marker: forge.Marker("r1", "issue")}); err != nil || i != (forge.Issue{Number: 7, Title: "t", Body: "d", URL: "http://x/7"}) {
			t.Errorf("%+v, %v", i, err)
		}
	}
	if open, err := c.OpenIssues(t.Context()); err != nil || len(open) != 1 || len(issues) != 1 || len(notes) != 1 {
		t.Errorf("%d open, %d issues, %d notes, %v; want 1 each", len(open), len(issues), len(notes), err)
	}
}
