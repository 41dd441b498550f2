package forge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/forge"
)

// TestLocate: remotes on GitHub and on the server that the environment names, and nothing else.
func TestLocate(t *testing.T) {
	t.Parallel()
	ghe := map[string]string{"GITHUB_API_URL": "https://git.example.com/api/v3"}
	for _, c := range []struct {
		remote string
		env    map[string]string
		want   string
	}{
		{"git@github.com:someone/shop.git", nil, "https://api.github.com https://github.com someone/shop"},
		{"https://github.com/someone/shop", nil, "https://api.github.com https://github.com someone/shop"},
		{"https://x:y@github.com/someone/shop.git/", nil, "https://api.github.com https://github.com someone/shop"},
		{"ssh://git@ssh.github.com:443/someone/shop.git", nil, "https://api.github.com https://github.com someone/shop"},
		{"git@GitHub.com:some.one/shop_2.git", nil, "https://api.github.com https://github.com some.one/shop_2"},
		{"git@git.example.com:someone/shop.git", ghe, "https://git.example.com/api/v3 https://git.example.com someone/shop"},
		{"git@git.example.com:someone/shop.git", map[string]string{"GITHUB_SERVER_URL": "https://git.example.com/", "GITHUB_API_URL": "https://api.git.example.com"}, "https://api.git.example.com https://git.example.com someone/shop"},
		{"/srv/git/shop.git", map[string]string{"GITHUB_REPOSITORY": "someone/shop"}, "https://api.github.com https://github.com someone/shop"},
		{"git@git.example.com:someone/shop.git", nil, "none"},
		{"git@github.com.example.com:someone/shop.git", nil, "none"},
		{"https://example.com/github.com/shop.git", nil, "none"},
		{"git@github.com:someone/deeper/shop.git", nil, "none"},
		{"git@github.com:someone/..", nil, "none"},
		{"git@github.com:../shop", nil, "none"},
		{"/srv/git/github.com:someone/shop", nil, "none"},
		{"", nil, "none"},
		{"git@github.com:a/b", map[string]string{"GITHUB_REPOSITORY": "a"}, "GITHUB_REPOSITORY \"a\": must be owner/name"},
		{"git@github.com:a/b", map[string]string{"GITHUB_API_URL": "http://git.example.com"}, "GITHUB_API_URL is http://git.example.com: the token would be sent there unencrypted; use https"},
		{"git@github.com:a/b", map[string]string{"GITHUB_SERVER_URL": "http://git.example.com"}, "GITHUB_SERVER_URL is http://git.example.com: the token would be sent there unencrypted; use https"},
		{"http://127.0.0.1:80/a/b.git", map[string]string{"GITHUB_API_URL": "http://127.0.0.1:81"}, "http://127.0.0.1:81 http://127.0.0.1:81 a/b"},
		{"git@github.com:a/b", map[string]string{"GITHUB_API_URL": "ftp://x"}, "GITHUB_API_URL is not a URL such as https://api.github.com"},
	} {
		p, err := forge.Locate(c.env, c.remote)
		got := p.API + " " + p.Server + " " + p.String()
		switch {
		case errors.Is(err, forge.ErrNoRemote):
			got = "none"
		case err != nil:
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("Locate(%q, %v) = %q, want %q", c.remote, c.env, got, c.want)
		}
	}
	if _, err := forge.Open(forge.Place{}, forge.Place{}.Token(map[string]string{"GITHUB_TOKEN": " \n"}), time.Now); !errors.Is(err, forge.ErrNoToken) {
		t.Errorf("without a token Open says %v", err)
	}
}

const token = "ghp_secret-secret"

func open(t *testing.T, h http.HandlerFunc) *forge.Client {
	t.Helper()
	return openAt(t, forge.Place{Owner: "someone", Name: "shop"}, h)
}

// openAt opens a place on a server that answers so.
func openAt(t *testing.T, p forge.Place, h http.HandlerFunc) *forge.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	p.API, p.Server = s.URL, s.URL
	c, err := forge.Open(p, token, func() time.Time { return time.UnixMilli(1_000_000) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRefusals: what an answer means for a run, without the token.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code   int
		header map[string]string
		body   string
		class  flow.Class
		resets int64
	}{
		{401, nil, `{"message": "Bad credentials ` + token + `"}`, flow.Auth, 0},
		{403, nil, `{"message": "Resource not accessible by personal access token"}`, flow.Auth, 0},
		{403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4000"}, `{}`, flow.Limit, 4_000_000},
		{403, nil, `{"message": "You have exceeded a secondary rate limit"}`, flow.Limit, 0},
		{429, map[string]string{"Retry-After": "30"}, ``, flow.Limit, 1_030_000},
		{404, nil, `{"message": "Not Found"}`, flow.Environment, 0},
		{500, nil, `<html>`, flow.Transient, 0},
		{503, nil, ``, flow.Transient, 0},
		{422, nil, `{"message": "Validation Failed", "errors": [{"message": "no commits"}]}`, flow.Failed, 0},
		{410, nil, `{"message": "Issues are disabled"}`, flow.Failed, 0},
		{200, nil, `not json`, flow.Transient, 0},
	} {
		cl := open(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+token {
				t.Errorf("asked without the token")
			}
			for k, v := range c.header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(c.code)
			fmt.Fprint(w, c.body)
		})
		_, err := cl.Repository(t.Context())
		f := flow.AsFailure(err)
		if f == nil || f.Class != c.class || f.ResetsAt != c.resets || strings.Contains(f.Error(), token) {
			t.Errorf("%d %s = %v, resets %d; want %s %d", c.code, c.body, err, f.ResetsAt, c.class, c.resets)
		}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	cl, err := forge.Open(forge.Place{API: gone.URL, Owner: "a", Name: "b"}, token, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cl.Repository(t.Context()); flow.ClassOf(err) != flow.Transient {
		t.Errorf("nobody there: %v", err)
	}
}

// TestRedirects: a repository that was renamed is found on the same server; the token goes to no other.
func TestRedirects(t *testing.T) {
	t.Parallel()
	stolen := false
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stolen = stolen || r.Header.Get("Authorization") != ""
		fmt.Fprint(w, "line 1\n2026-11-02T10:00:00.1Z \x1b[31mline\x1b[0m 2\n")
	}))
	t.Cleanup(thief.Close)
	cl := open(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/repos/someone/shop":
			http.Redirect(w, r, "/repositories/1", http.StatusMovedPermanently)
		case "/repositories/1":
			fmt.Fprint(w, `{"default_branch": "trunk"}`)
		case "/repos/someone/shop/commits/c0ffee/check-runs":
			fmt.Fprint(w, `{"check_runs": [{"id": 5, "name": "test", "status": "completed", "conclusion": "failure", "app": {"slug": "github-actions"}}]}`)
		case "/repos/someone/shop/commits/c0ffee/status":
			fmt.Fprint(w, `{"statuses": [{"context": "ci/old", "state": "error", "description": "it broke"}, {"context": "ci/ok", "state": "success"}, {"context": "ci/new", "state": "pending"}]}`)
		case "/repos/someone/shop/commits/c0ffee/check-suites":
			fmt.Fprint(w, `{"check_suites": [{"status": "in_progress", "latest_check_runs_count": 1, "app": {"slug": "github-actions"}}, {"status": "queued"}]}`)
		default:
			http.Redirect(w, r, thief.URL+r.URL.Path, http.StatusFound)
		}
	})
	r, err := cl.Repository(t.Context())
	if err != nil || r.Default != "trunk" || !r.Push {
		t.Errorf("Repository = %+v, %v", r, err)
	}
	if _, err := cl.OpenIssues(t.Context()); flow.ClassOf(err) != flow.Environment {
		t.Errorf("a redirect to another server: %v", err)
	}
	list, err := cl.Checks(t.Context(), "c0ffee")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range list {
		got = append(got, fmt.Sprint(k.Name, " ", k.State, " ", k.Conclusion, " ", k.Mendable()))
	}
	if want := "ci/new pending  false, ci/ok passed  false, ci/old failed error true, more of github-actions pending  false, test failed failure true"; strings.Join(got, ", ") != want {
		t.Errorf("Checks = %s, want %s", strings.Join(got, ", "), want)
	}
	if text := cl.Explain(t.Context(), list[4], 1000, strings.TrimSpace); text != "line 1\nline 2" {
		t.Errorf("Explain = %q", text)
	}
	if stolen {
		t.Error("the token went to another server")
	}
}

// TestOnce: what a run has made is found again and not made twice, also when its answer was lost.
func TestOnce(t *testing.T) {
	t.Parallel()
	var issues, comments, pulls []map[string]any
	lose := true
	cl := open(t, func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/repos/someone/shop")
		list := map[string]*[]map[string]any{"/issues": &issues, "/issues/7/comments": &comments, "/pulls": &pulls}[path]
		if path == "/issues/7" {
			fmt.Fprint(w, `{"number": 7, "state": "open", "html_url": "http://x/7"}`)
			return
		}
		if list == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if r.Method == http.MethodGet {
			_ = json.NewEncoder(w).Encode(append([]map[string]any{}, *list...))
			return
		}
		v := map[string]any{}
		_ = json.NewDecoder(r.Body).Decode(&v)
		v["number"], v["state"], v["head"] = len(*list)+100, "open", map[string]any{}
		*list = append(*list, v)
		if lose {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(v)
	})
	for i := range 3 {
		lose = i == 0
		opened, err := cl.SayIssue(t.Context(), forge.IssueAsk{Title: "t", Body: "b", Label: "auto", Marker: forge.Marker("r1", "issue")})
		if (err == nil) == lose || !lose && opened.Number != 100 {
			t.Errorf("issue %d: %+v, %v", i, opened, err)
		}
		lose = i == 0
		said, err := cl.SayIssue(t.Context(), forge.IssueAsk{Number: 7, Body: "b", Marker: forge.Marker("r1", "issue")})
		if (err == nil) == lose || !lose && said.Number != 7 {
			t.Errorf("comment %d: %+v, %v", i, said, err)
		}
		if p, err := cl.OpenPull(t.Context(), forge.PullAsk{Branch: "feat/x", Base: "main", Title: "t", Body: "b", Marker: forge.Marker("r1", "pull")}); err != nil || p.Number != 100 {
			t.Errorf("pull %d: %+v, %v", i, p, err)
		}
	}
	if _, err := cl.SayIssue(t.Context(), forge.IssueAsk{Number: 8, Title: "t", Body: "b", Label: "auto", Marker: forge.Marker("r2", "issue")}); err != nil { // there is no 8
		t.Error(err)
	}
	if len(issues) != 2 || len(comments) != 1 || len(pulls) != 1 {
		t.Errorf("%d issues, %d comments, %d pull requests; want 2, 1, 1", len(issues), len(comments), len(pulls))
	}
	pulls[0]["state"] = "closed"
	p, err := cl.OpenPull(t.Context(), forge.PullAsk{Branch: "feat/x", Base: "main", Marker: forge.Marker("r1", "pull")})
	if err != nil || p.State != "closed" {
		t.Errorf("the run's own one, closed: %+v, %v", p, err)
	}
}

// TestPlain: a posted text calls nobody, closes nothing and hides no marker.
func TestPlain(t *testing.T) {
	t.Parallel()
	got := forge.Plain("## Head\nFixes #12, gh-12 and https://github.com/a/b/issues/12, a/b#12, !12, by @someone <!-- jacquard:r:pull -->\n  /merge\n/label ~x\n")
	if !strings.HasPrefix(got, "## Head\n") {
		t.Errorf("Plain = %q", got)
	}
	for _, s := range []string{"#1", "gh-1", "!1", "/issues/1", "\n/label", "\n  /merge", "@s", "<!--", "-->"} {
		if strings.Contains(got, s) {
			t.Errorf("Plain leaves %q: %q", s, got)
		}
	}
}

// TestExplain: however long a log is, what names the place of the failure is told whole, and of the log the part that ends with
// the error, not what is cleaned up after it.
func TestExplain(t *testing.T) {
	t.Parallel()
	cl := open(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/repos/someone/shop/commits/c0ffee/check-runs":
			fmt.Fprint(w, `{"check_runs": [{"id": 5, "name": "lint", "status": "completed", "conclusion": "failure", "app": {"slug": "github-actions"}, "output": {"title": "One complaint.", "annotations_count": 1}}]}`)
		case "/repos/someone/shop/check-runs/5/annotations":
			fmt.Fprint(w, `[{"path": "cart.go", "start_line": 7, "annotation_level": "failure", "message": "unused"}]`)
		case "/repos/someone/shop/actions/jobs/5/logs":
			http.Redirect(w, r, "http://"+r.Host+"/log", http.StatusFound)
		case "/log":
			fmt.Fprintf(w, "%scart.go:7: unused\n2026-11-20T10:00:00.1Z ##[error]Process completed with exit code 1.\n%s", strings.Repeat("setting up\n", 500), strings.Repeat("cleaning up\n", 500))
		default:
			fmt.Fprint(w, `{}`)
		}
	})
	list, err := cl.Checks(t.Context(), "c0ffee")
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	text := cl.Explain(t.Context(), list[0], 400, strings.TrimSpace)
	if n := len([]rune(text)); n > 410 || !strings.HasPrefix(text, "One complaint.\ncart.go:7: failure: unused\n… ") || !strings.HasSuffix(text, "cart.go:7: unused\n##[error]Process completed with exit code 1.") {
		t.Errorf("%d characters: %q", n, text)
	}
}

// TestRemarks: what reviewers say, page by page, with how each author stands; an approval asks for nothing.
func TestRemarks(t *testing.T) {
	t.Parallel()
	by := func(id int, login, kind, association, state string) map[string]any {
		return map[string]any{"id": id, "user": map[string]any{"login": login, "type": kind}, "author_association": association, "state": state, "path": "a\x1b[2J.go", "original_line": id, "body": "b"}
	}
	cl := open(t, func(w http.ResponseWriter, r *http.Request) {
		list := []map[string]any{}
		switch r.URL.Path + r.URL.Query().Get("page") {
		case "/repos/someone/shop/pulls/7":
			fmt.Fprint(w, `{"number": 7, "node_id": "PR_7", "draft": true, "state": "open", "user": {"login": "me"}}`)
			return
		case "/repos/someone/shop/pulls/7/comments1":
			for range 100 {
				list = append(list, by(1, "Me", "User", "OWNER", ""))
			}
		case "/repos/someone/shop/pulls/7/comments2":
			list = append(list, by(2, "alice", "User", "MEMBER", ""), by(3, "eve", "User", "CONTRIBUTOR", ""), by(4, "x[bot]", "", "OWNER", ""), by(5, "y", "Bot", "OWNER", ""), map[string]any{"id": 6, "body": "of a ghost"})
		case "/repos/someone/shop/pulls/7/reviews1":
			list = append(list, by(2, "alice", "User", "OWNER", "CHANGES_REQUESTED"), by(7, "alice", "User", "OWNER", "APPROVED"), by(8, "bob", "User", "COLLABORATOR", "COMMENTED"))
		}
		_ = json.NewEncoder(w).Encode(list)
	})
	p, err := cl.ReadPull(t.Context(), 7)
	if err != nil || !p.Draft {
		t.Fatalf("%+v, %v", p, err)
	}
	list, err := cl.Remarks(t.Context(), p)
	if err != nil || len(list) < 100 {
		t.Fatal(list, err)
	}
	var got []string
	for _, m := range list[99:] {
		got = append(got, fmt.Sprint(m.ID, " ", m.Place(), " ", m.Standing))
	}
	want := "comments/1 a[2J.go:1 own, comments/2 a[2J.go:2 , comments/3 a[2J.go:3 outsider, comments/4 a[2J.go:4 robot, comments/5 a[2J.go:5 robot, comments/6 the whole change outsider, reviews/2 a[2J.go:2 , reviews/8 a[2J.go:8 "
	if strings.Join(got, ", ") != want {
		t.Errorf("Remarks = %s, want %s", strings.Join(got, ", "), want)
	}
}

// TestMarkReady: the request names the pull request, and a refusal is an error although its status says that all is well.
func TestMarkReady(t *testing.T) {
	t.Parallel()
	refuse := false
	cl := open(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Query     string
			Variables map[string]string
		}
		switch _ = json.NewDecoder(r.Body).Decode(&in); {
		case r.Method == http.MethodGet:
			fmt.Fprint(w, `{"number": 7, "node_id": "PR_7", "draft": true, "state": "open"}`)
		case r.URL.Path != "/graphql" || in.Variables["id"] != "PR_7" || !strings.Contains(in.Query, "markPullRequestReadyForReview"):
			w.WriteHeader(http.StatusNotFound)
		case refuse:
			fmt.Fprintf(w, `{"errors": [{"message": "not with %s"}]}`, token)
		default:
			fmt.Fprint(w, `{"data": {}}`)
		}
	})
	p, err := cl.ReadPull(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := cl.MarkReady(t.Context(), p); err != nil {
		t.Error(err)
	}
	refuse = true
	if err := cl.MarkReady(t.Context(), p); flow.ClassOf(err) != flow.Failed || !strings.Contains(err.Error(), "not with …") {
		t.Errorf("refused: %v", err)
	}
}
