package cli_test

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// forgeToken is the only one that the forge takes.
const forgeToken = "secret-of-the-forge"

// hub is a forge with one repository, someone/shop: GitHub's or GitLab's API as far as we use it, and git over HTTP.
type hub struct {
	dir string // with the repository, and what CI says
	log string

	mu      sync.Mutex
	url     string
	commits []string       // that CI was asked about, in that order
	asked   map[string]int // how often, by commit
	pulls   []map[string]any
	issues  []map[string]any
	said    map[int][]map[string]any // comments, by issue
	down    int                      // so many requests are answered with 503
}

// forge starts one: forge DIR LOG [N|gitlab]. In DIR a bare repository someone/shop.git is made from the one here, which becomes its
// remote origin. DIR/COMMIT-LOOK.json is what check-runs has at the LOOKth look at the COMMITth commit (that of the highest
// look that is there; else any.json), DIR/statuses.json its statuses, DIR/ID.log the log of a job. All requests are noted in LOG; the first
// N of the API are answered with 503. DIR/comments.json and DIR/reviews.json are what reviewers of a pull request say. DIR/merge and DIR/close let a person do
// that to the pull request.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: forge DIR LOG [N|gitlab]")
	}
	h := &hub{dir: ts.MkAbs(args[0]), log: ts.MkAbs(args[1]), asked: map[string]int{}, said: map[int][]map[string]any{}}
	lab := len(args) == 3 && args[2] == "gitlab"
	if len(args) == 3 && !lab {
		var err error
		h.down, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	repo := filepath.Join(h.dir, "someone", "shop.git")
	ts.Check(os.MkdirAll(filepath.Dir(repo), 0o755))
	ts.Check(os.WriteFile(h.log, nil, 0o644))
	git(ts, ts.MkAbs("."), "clone", "--quiet", "--bare", ".", repo)
	git(ts, repo, "config", "http.receivepack", "true")
	backend, err := exec.Command("git", "--exec-path").Output()
	ts.Check(err)
	smart := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(backend)), "git-http-backend"), Dir: h.dir, Env: []string{"GIT_PROJECT_ROOT=" + h.dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=x"}}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/someone/") {
			user, token, _ := r.BasicAuth()
			if user != "x-access-token" || subtle.ConstantTimeCompare([]byte(token), []byte(forgeToken)) == 0 {
				w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			smart.ServeHTTP(w, r)
			return
		}
		if lab {
			h.gitlab(w, r)
			return
		}
		h.api(w, r)
	}))
	h.url = "http://" + s.Listener.Addr().String() // before anybody can ask
	s.Start()
	ts.Defer(s.Close)
	git(ts, ts.MkAbs("."), "remote", "add", "origin", s.URL+"/someone/shop.git")
	ts.Setenv(map[bool]string{false: "GITHUB_API_URL", true: "GITLAB_HOST"}[lab], s.URL)
	ts.Setenv("FORGE", s.URL)
}

func (h *hub) api(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	h.note("%s %s %s", r.Method, r.URL, body)
	var in map[string]any
	_ = json.Unmarshal(body, &in)
	path, api := strings.CutPrefix(r.URL.Path, "/repos/someone/shop")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch id := strings.TrimPrefix(r.URL.Path, "/logs/"); {
	case id != r.URL.Path: // where logs lie: the token has no business there
		raw, err := os.ReadFile(filepath.Join(h.dir, id+".log"))
		if err != nil || r.Header.Get("Authorization") != "" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write(raw)
		return
	case r.Header.Get("Authorization") != "Bearer "+forgeToken && (api || r.URL.Path == "/graphql"):
		h.say(w, http.StatusUnauthorized, map[string]any{"message": "Bad credentials"})
		return
	case r.URL.Path == "/graphql":
		h.graphql(w, in)
		return
	case !api:
		h.say(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
		return
	case h.down > 0:
		h.down--
		h.say(w, http.StatusServiceUnavailable, map[string]any{"message": "Unicorn"})
		return
	}
	switch key := r.Method + " " + parts[0]; key {
	case "GET ":
		h.say(w, http.StatusOK, map[string]any{"default_branch": "main", "permissions": map[string]any{"push": true}})
	case "GET pulls", "POST pulls":
		h.pull(w, r, parts, in)
	case "GET commits":
		h.commit(w, parts)
	case "GET check-runs":
		h.say(w, http.StatusOK, []any{map[string]any{"path": "b/b.js", "start_line": 1, "annotation_level": "failure", "message": "from the notes of " + parts[1]}})
	case "GET actions":
		http.Redirect(w, r, h.url+"/logs/"+parts[2], http.StatusFound)
	case "GET issues", "POST issues":
		h.issue(w, r, parts, in)
	default:
		h.say(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
	}
}

func (h *hub) note(format string, args ...any) {
	if f, err := os.OpenFile(h.log, os.O_APPEND|os.O_WRONLY, 0o644); err == nil {
		fmt.Fprintf(f, format+"\n", args...)
		_ = f.Close()
	}
}

func (h *hub) say(w http.ResponseWriter, code int, v any) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

// branch is the commit that a branch of the repository is at.
func (h *hub) branch(name any) string {
	out, _ := exec.Command("git", "-C", filepath.Join(h.dir, "someone", "shop.git"), "rev-parse", "-q", "--verify", fmt.Sprint("refs/heads/", name)).Output()
	return strings.TrimSpace(string(out))
}

func (h *hub) pull(w http.ResponseWriter, r *http.Request, parts []string, in map[string]any) {
	for _, p := range h.pulls {
		p["head"] = map[string]any{"sha": h.branch(p["branch"])}
		p["state"], p["merged_at"] = "open", nil
		for file, state := range map[string]string{"merge": "merged", "close": "closed"} {
			if _, err := os.Stat(filepath.Join(h.dir, file)); err == nil {
				p["state"] = "closed"
				if state == "merged" {
					p["merged_at"] = "2026-01-01T00:00:00Z"
				}
			}
		}
	}
	switch {
	case r.Method == http.MethodPost:
		if h.branch(in["head"]) == "" || h.branch(in["base"]) == "" || h.branch(in["head"]) == h.branch(in["base"]) {
			h.say(w, http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed", "errors": []any{map[string]any{"message": "No commits between them"}}})
			return
		}
		n := len(h.pulls) + 1
		p := map[string]any{"number": n, "html_url": fmt.Sprintf("%s/someone/shop/pull/%d", h.url, n), "state": "open", "body": in["body"], "branch": in["head"], "head": map[string]any{"sha": h.branch(in["head"])}, "draft": in["draft"], "node_id": fmt.Sprint("PR_", n), "user": map[string]any{"login": "owner", "type": "User"}}
		h.pulls = append(h.pulls, p)
		h.say(w, http.StatusCreated, p)
	case len(parts) == 3: // what reviewers say
		raw, err := os.ReadFile(filepath.Join(h.dir, parts[2]+".json"))
		if err != nil {
			raw = []byte("[]")
		}
		_, _ = w.Write(raw)
	case len(parts) == 2:
		n, _ := strconv.Atoi(parts[1])
		if n < 1 || n > len(h.pulls) {
			h.say(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
			return
		}
		h.say(w, http.StatusOK, h.pulls[n-1])
	default:
		found := []any{}
		for _, p := range h.pulls {
			if r.URL.Query().Get("head") == fmt.Sprint("someone:", p["branch"]) {
				found = append(found, p)
			}
		}
		h.say(w, http.StatusOK, found)
	}
}

// graphql has one mutation: a draft becomes ready for review. DIR/stays lets it answer that it may not.
func (h *hub) graphql(w http.ResponseWriter, in map[string]any) {
	if _, err := os.Stat(filepath.Join(h.dir, "stays")); err == nil {
		h.say(w, http.StatusOK, map[string]any{"errors": []any{map[string]any{"message": "Resource not accessible by integration"}}})
		return
	}
	id, _ := in["variables"].(map[string]any)
	for _, p := range h.pulls {
		if query, _ := in["query"].(string); p["node_id"] == id["id"] && strings.Contains(query, "markPullRequestReadyForReview") {
			p["draft"] = false
		}
	}
	h.say(w, http.StatusOK, map[string]any{"data": map[string]any{}})
}

func (h *hub) commit(w http.ResponseWriter, parts []string) {
	sha, what := parts[1], parts[2]
	switch what {
	case "status":
		raw, err := os.ReadFile(filepath.Join(h.dir, "statuses.json"))
		if err != nil {
			raw = []byte(`{"statuses": []}`)
		}
		_, _ = w.Write(raw)
	case "check-suites":
		h.say(w, http.StatusOK, map[string]any{"check_suites": []any{map[string]any{"status": "queued", "latest_check_runs_count": 0}, map[string]any{"status": "completed", "latest_check_runs_count": 1}}})
	default:
		if sha == h.branch("main") {
			if raw, err := os.ReadFile(filepath.Join(h.dir, "main.json")); err == nil {
				_, _ = w.Write(raw)
				return
			}
			h.say(w, http.StatusOK, map[string]any{"check_runs": []any{}})
			return
		}
		if !slices.Contains(h.commits, sha) {
			h.commits = append(h.commits, sha)
		}
		h.asked[sha]++
		for look := h.asked[sha]; look > 0; look-- {
			if raw, err := os.ReadFile(filepath.Join(h.dir, fmt.Sprintf("%d-%d.json", slices.Index(h.commits, sha)+1, look))); err == nil {
				_, _ = w.Write(raw)
				return
			}
		}
		if raw, err := os.ReadFile(filepath.Join(h.dir, "any.json")); err == nil {
			_, _ = w.Write(raw)
			return
		}
		h.say(w, http.StatusOK, map[string]any{"check_runs": []any{}})
	}
}

func (h *hub) issue(w http.ResponseWriter, r *http.Request, parts []string, in map[string]any) {
	if h.issues == nil { // there are some
		h.issues = []map[string]any{{"number": 1, "title": "One that is open", "body": "b", "state": "open", "html_url": h.url + "/1"}, {"number": 2, "title": "One that is closed", "body": "b", "state": "closed", "html_url": h.url + "/2"}}
	}
	n := 0
	if len(parts) > 1 {
		n, _ = strconv.Atoi(parts[1])
		if n < 1 || n > len(h.issues) {
			h.say(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
			return
		}
	}
	switch {
	case len(parts) == 3 && r.Method == http.MethodPost:
		h.said[n] = append(h.said[n], in)
		h.say(w, http.StatusCreated, in)
	case len(parts) == 3:
		h.say(w, http.StatusOK, append([]map[string]any{}, h.said[n]...))
	case len(parts) == 2:
		h.say(w, http.StatusOK, h.issues[n-1])
	case r.Method == http.MethodPost:
		in["number"], in["state"], in["html_url"] = len(h.issues)+1, "open", fmt.Sprintf("%s/%d", h.url, len(h.issues)+1)
		h.issues = append(h.issues, in)
		h.say(w, http.StatusCreated, in)
	default:
		list := slices.Clone(h.issues)
		slices.Reverse(list)
		h.say(w, http.StatusOK, list)
	}
}
