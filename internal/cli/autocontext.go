package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// maxContext bounds what one source of context gives, in bytes. More would only hide what matters.
const maxContext = 60_000

// autoContext collects what authors and judges are shown besides the project: what commands print, and the open issues of
// the forge. It is collected before anything starts, so that what cannot be had is said at once. All of it is data.
func (p *project) autoContext(ctx context.Context, commands []string, skip bool) ([]step.Doc, error) {
	var out []step.Doc
	add := func(title, text string) error {
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		if len(text) > maxContext {
			text = strings.ToValidUTF8(text[:maxContext], "") + "\n… (cut)"
		}
		if err := p.store(); err != nil {
			return err
		}
		ref, err := p.blobs.Put([]byte(text), "text/plain")
		out = append(out, step.Doc{Title: title, Blob: ref})
		return err
	}
	for _, line := range commands {
		text, err := p.printed(ctx, line)
		if err != nil {
			return nil, err
		}
		if err := add("what `"+line+"` printed", text); err != nil {
			return nil, err
		}
	}
	if skip {
		return out, nil
	}
	text, err := p.openIssues(ctx)
	if err != nil { // nobody has asked for them: without them the task is as clear as it was
		fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the issues could not be read, and are left out: %v\n"), err)
		return out, nil
	}
	return out, add("open issues", text)
}

// printed is what a command of the user prints. One that fails ends the start: an option is never skipped silently.
func (p *project) printed(ctx context.Context, line string) (string, error) {
	argvs, err := act.CommandLine(line)
	if err != nil {
		return "", usage("--context %q: %v", line, err)
	}
	var all strings.Builder
	for _, argv := range argvs {
		r, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: p.root, Env: p.a.Env, Total: time.Minute})
		switch {
		case errors.Is(err, proc.ErrNotFound):
			return "", environment("--context", fmt.Errorf("%s is not installed", argv[0]))
		case err != nil:
			return "", environment("--context", err)
		case r.Ended != proc.Exited || r.Exit != 0:
			return "", environment("--context", fmt.Errorf("%s ended with %d: %s", strings.Join(argv, " "), r.Exit, strings.TrimSpace(r.Stderr.Text)))
		}
		all.WriteString(r.Stdout.Text)
	}
	return all.String(), nil
}

// githubRemote finds owner and name in the address of a remote.
var githubRemote = re.New(`^(?:https://(?:[^/@]+@)?|ssh://git@|git@)([^/:]+)[/:]([^/]+)/([^/]+?)(?:\.git)?/?$`)

// openIssues are the open issues of the repository on GitHub, newest first; "" without a token or such a remote.
func (p *project) openIssues(ctx context.Context) (string, error) {
	env := p.a.env
	token := cmp.Or(env["GITHUB_TOKEN"], env["GH_TOKEN"])
	if token == "" {
		return "", nil
	}
	api := strings.TrimRight(cmp.Or(env["GITHUB_API_URL"], "https://api.github.com"), "/")
	repo := env["GITHUB_REPOSITORY"]
	if repo == "" {
		remote, err := p.repo.RemoteURL(ctx, "origin")
		if err != nil {
			return "", err
		}
		m := githubRemote().FindStringSubmatch(remote)
		if m == nil || m[1] != "github.com" && env["GITHUB_API_URL"] == "" {
			return "", nil
		}
		repo = m[2] + "/" + m[3]
	}
	owner, name, ok := strings.Cut(repo, "/")
	if !ok {
		return "", fmt.Errorf("GITHUB_REPOSITORY is %q, want owner/name", repo)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/repos/"+url.PathEscape(owner)+"/"+url.PathEscape(name)+"/issues?state=open&sort=updated&per_page=50", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("Authorization", "Bearer "+token)
	// The address is the user's own, from the environment; a redirect would take the token elsewhere.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, 8<<20))
	if err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s for %s", api, res.Status, repo)
	}
	var list []struct {
		Number      int    `json:"number"`
		Title       string `json:"title"`
		Body        string `json:"body"`
		PullRequest *any   `json:"pull_request"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", fmt.Errorf("read the issues of %s: %w", repo, err)
	}
	var b strings.Builder
	for _, i := range list {
		if i.PullRequest == nil {
			body := []rune(i.Body)
			fmt.Fprintf(&b, "#%d %s\n%s\n\n", i.Number, i.Title, string(body[:min(len(body), 1500)]))
		}
	}
	return b.String(), nil
}
