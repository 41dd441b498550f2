package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// gitlab is GitLab's API as far as we use it, of the same repository: DIR/notes.json is what reviewers say, DIR/statuses.json
// what CI does, DIR/ID.log the log of a job, and DIR/merge lets a person merge.
func (h *hub) gitlab(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	h.note("%s %s %s", r.Method, r.URL.EscapedPath(), body)
	var in map[string]any
	_ = json.Unmarshal(body, &in)
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/v4/projects/someone%2Fshop")
	switch parts := strings.Split(strings.Trim(path, "/"), "/"); {
	case !ok:
		h.say(w, http.StatusNotFound, map[string]any{"error": "404 Not Found"})
	case r.Header.Get("Authorization") != "Bearer "+forgeToken:
		h.say(w, http.StatusUnauthorized, map[string]any{"message": "401 Unauthorized"})
	case path == "":
		h.say(w, http.StatusOK, map[string]any{"default_branch": "main", "permissions": map[string]any{"project_access": map[string]any{"access_level": 30}, "group_access": nil}})
	case parts[0] == "merge_requests":
		h.merge(w, r, parts, in)
	case parts[0] == "repository":
		h.jobs(w, parts[2])
	case parts[0] == "jobs":
		raw, _ := os.ReadFile(filepath.Join(h.dir, parts[1]+".log"))
		_, _ = w.Write(raw)
	case parts[0] == "members" && parts[2] == "1": // alice alone
		h.say(w, http.StatusOK, map[string]any{"access_level": 40})
	default:
		h.say(w, http.StatusNotFound, map[string]any{"message": "404 Not found"})
	}
}

// jobs are those of DIR/statuses.json: "main" of the main branch, "first" of the first other commit that is asked about.
func (h *hub) jobs(w http.ResponseWriter, commit string) {
	list := map[string][]any{"main": {}, "first": {}}
	if raw, err := os.ReadFile(filepath.Join(h.dir, "statuses.json")); err == nil {
		_ = json.Unmarshal(raw, &list)
	}
	switch {
	case commit == h.branch("main"):
		h.say(w, http.StatusOK, list["main"])
	case len(list["first"]) > 0 && (len(h.commits) == 0 || h.commits[0] == commit):
		h.commits = []string{commit}
		h.say(w, http.StatusOK, list["first"])
	default:
		h.say(w, http.StatusOK, []any{})
	}
}

func (h *hub) merge(w http.ResponseWriter, r *http.Request, parts []string, in map[string]any) {
	for _, p := range h.pulls {
		p["sha"] = h.branch(p["source_branch"])
		if _, err := os.Stat(filepath.Join(h.dir, "merge")); err == nil {
			p["state"] = "merged"
		}
	}
	retitle := func(p map[string]any, title any) {
		p["title"], p["draft"] = title, strings.HasPrefix(fmt.Sprint(title), "Draft: ")
	}
	n := 0
	if len(parts) > 1 {
		n, _ = strconv.Atoi(parts[1])
	}
	switch {
	case n > len(h.pulls):
		h.say(w, http.StatusNotFound, map[string]any{"message": "404 Not found"})
	case r.Method == http.MethodPost:
		n = len(h.pulls) + 1
		in["iid"], in["state"], in["web_url"] = n, "opened", fmt.Sprintf("%s/someone/shop/-/merge_requests/%d", h.url, n)
		in["author"], in["sha"] = map[string]any{"username": "owner"}, h.branch(in["source_branch"])
		retitle(in, in["title"])
		h.pulls = append(h.pulls, in)
		h.say(w, http.StatusCreated, in)
	case len(parts) == 3: // what reviewers say
		raw, err := os.ReadFile(filepath.Join(h.dir, "notes.json"))
		if err != nil {
			raw = []byte("[]")
		}
		_, _ = w.Write(raw)
	case r.Method == http.MethodPut:
		retitle(h.pulls[n-1], in["title"])
		h.say(w, http.StatusOK, h.pulls[n-1])
	case n > 0:
		h.say(w, http.StatusOK, h.pulls[n-1])
	default:
		found := []any{}
		for _, p := range h.pulls {
			if r.URL.Query().Get("source_branch") == p["source_branch"] {
				found = append(found, p)
			}
		}
		h.say(w, http.StatusOK, found)
	}
}
