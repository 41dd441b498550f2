// Package forge talks to the server that a repository is published on, in the REST API of GitHub or of GitLab, where a pull request
// is a merge request: pull requests, the checks of a commit, issues. Whatever it makes there it looks for first, so that a crash
// makes nothing twice. It never merges, and never gives its token to anybody but the API.
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
	"time"

	"github.com/jacquard-build/jacquard/internal/private"
	"github.com/jacquard-build/jacquard/internal/re"
)

// Reasons why there is no forge to talk to.
var (
	ErrNoToken       = errors.New("no GitHub token: set GITHUB_TOKEN (or GH_TOKEN) to one that may read the repository, push to it and write pull requests and issues; create one at https://github.com/settings/tokens, or use `gh auth token`")
	ErrNoGitLabToken = errors.New("no GitLab token: set GITLAB_TOKEN to one that has the scopes api and write_repository; create one on GitLab at Preferences → Access tokens, or use `glab auth token`")
	ErrNoRemote      = errors.New("no remote origin on GitHub or GitLab: git remote add origin git@github.com:OWNER/NAME.git; for another server, set GITLAB_HOST, or GITHUB_API_URL, and GITHUB_REPOSITORY if the remote does not name the repository")
)

// Place is a repository on a forge.
type Place struct {
	API    string // base address of the REST API
	Server string // base address of the repositories
	Owner  string // on GitLab a group, after those that it is in
	Name   string
	GitLab bool // it has GitLab's API; else GitHub's
}

// String is the place as people write it: owner/name.
func (p Place) String() string { return p.Owner + "/" + p.Name }

const (
	githubAPI  = "https://api.github.com"
	githubHost = "github.com"
	gitlabHost = "gitlab.com"
)

// Locate finds the repository of a remote: on github.com, on gitlab.com, or on the server that the environment names.
// GITHUB_REPOSITORY goes before the remote. The error is ErrNoRemote when it is on no forge.
func Locate(env map[string]string, remote string) (Place, error) {
	if p, ok, err := onGitLab(env, remote); ok || err != nil {
		return p, err
	}
	p := Place{API: strings.TrimRight(cmp.Or(env["GITHUB_API_URL"], githubAPI), "/"), Server: strings.TrimRight(env["GITHUB_SERVER_URL"], "/")}
	api, err := url.Parse(p.API)
	if err != nil || api.Host == "" || api.Scheme != "https" && api.Scheme != "http" {
		return p, errors.New("GITHUB_API_URL is not a URL such as " + githubAPI)
	}
	if err := safe(api, "GITHUB_API_URL"); err != nil {
		return p, err
	}
	if p.Server == "" {
		p.Server = api.Scheme + "://" + strings.TrimPrefix(api.Host, "api.")
	}
	server, err := url.Parse(p.Server)
	if err != nil || server.Host == "" {
		return p, errors.New("GITHUB_SERVER_URL is not a URL such as https://" + githubHost)
	}
	if err := safe(server, "GITHUB_SERVER_URL"); err != nil {
		return p, err
	}
	if repo := env["GITHUB_REPOSITORY"]; repo != "" {
		var ok bool
		if p.Owner, p.Name, ok = strings.Cut(repo, "/"); !ok || !plain(p.Owner) || !plain(p.Name) {
			return p, fmt.Errorf("GITHUB_REPOSITORY %q: must be owner/name", repo)
		}
		return p, nil
	}
	host, path, ok := split(remote)
	if !ok {
		return p, ErrNoRemote
	}
	if host != githubHost && host != "ssh."+githubHost && host != api.Hostname() && host != server.Hostname() {
		return p, ErrNoRemote
	}
	if p.Owner, p.Name, ok = ownerName(path); !ok || strings.Contains(p.Owner, "/") {
		return p, ErrNoRemote
	}
	return p, nil
}

// ownerName takes the path of a repository apart. ok is false when a part of it is not plain.
func ownerName(path string) (owner, name string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(strings.Trim(path, "/"), ".git"), "/")
	last := len(parts) - 1
	return strings.Join(parts[:last], "/"), parts[last], last > 0 && !slices.ContainsFunc(parts, func(s string) bool { return !plain(s) })
}

// onGitLab finds the repository of a remote on gitlab.com, or on the server that the environment names as GitLab's own tools and
// jobs do. ok is false when it is elsewhere.
func onGitLab(env map[string]string, remote string) (p Place, ok bool, err error) {
	host, path, found := split(remote)
	if !found {
		return p, false, nil
	}
	own := strings.TrimRight(cmp.Or(env["GITLAB_HOST"], env["CI_SERVER_URL"]), "/")
	if own != "" && !strings.Contains(own, "://") {
		own = "https://" + own
	}
	server, err := url.Parse(own)
	switch {
	case err == nil && server.Hostname() != "" && host == server.Hostname():
		if err := safe(server, "GITLAB_HOST"); err != nil {
			return p, false, err
		}
		p.Server = own
	case host == gitlabHost || host == "altssh."+gitlabHost:
		p.Server = "https://" + gitlabHost
	default:
		return p, false, nil
	}
	p.GitLab, p.API = true, p.Server+"/api/v4"
	if p.Owner, p.Name, ok = ownerName(path); !ok {
		return p, false, ErrNoRemote
	}
	return p, true, nil
}

// safe refuses an address to which the token would go for everybody to read.
func safe(u *url.URL, name string) error {
	if private.Address(u) {
		return nil
	}
	return fmt.Errorf("%s is %s://%s: the token would be sent there unencrypted; use https", name, u.Scheme, u.Host)
}

// split takes the host and the path out of the address of a remote, as a URL or as git writes it for ssh.
func split(remote string) (host, path string, ok bool) {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil || u.Hostname() == "" {
			return "", "", false
		}
		return strings.ToLower(u.Hostname()), u.Path, true
	}
	host, path, ok = strings.Cut(remote, ":")
	if i := strings.LastIndex(host, "@"); i >= 0 {
		host = host[i+1:]
	}
	return strings.ToLower(host), path, ok && !strings.Contains(host, "/")
}

// plain reports whether a text can be an owner or a name.
func plain(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	})
}

// Token is the one that the environment has for the place, "" for none.
func (p Place) Token(env map[string]string) string {
	if p.GitLab {
		return strings.TrimSpace(env["GITLAB_TOKEN"])
	}
	return strings.TrimSpace(cmp.Or(env["GITHUB_TOKEN"], env["GH_TOKEN"]))
}

// Client talks to one repository on a forge.
type Client struct {
	words
	dialect

	place Place
	root  string // of the repository in the API
	token string
	now   func() time.Time
	http  *http.Client
}

// words are what a kind of forge calls what all have.
type words struct {
	variable        string // that has the token
	pulls, comments string // parts of addresses
	body            string // the text of an issue
	open            string // the state of an issue
	headers         map[string]string
}

// dialect is what a kind of forge does in a way of its own. The methods of Client of these names say what they promise.
type dialect interface {
	repository(ctx context.Context, c *Client) (Repository, error)
	pullsOf(p Place, branch string) url.Values
	newPull(ask PullAsk) map[string]any
	markReady(ctx context.Context, c *Client, p Pull) error
	newest(by, state string) string // query for issues, what was created or updated last first
	checks(ctx context.Context, c *Client, commit string) ([]Check, error)
	annotations(ctx context.Context, c *Client, k Check) []string
	log(ctx context.Context, c *Client, k Check) (string, error)
	remarks(ctx context.Context, c *Client, p Pull) ([]Remark, error)
}

// most bounds one request, its answer included.
const most = 30 * time.Second

// Open makes a client. It asks nobody for anything. Without a token the error is ErrNoToken or ErrNoGitLabToken.
func Open(p Place, token string, now func() time.Time) (*Client, error) {
	c := &Client{words: githubWords, dialect: github{}, place: p, token: token, now: now}
	c.root = p.API + "/repos/" + p.Owner + "/" + p.Name
	missing := ErrNoToken
	if p.GitLab {
		c.words, c.dialect, missing = gitlabWords, gitlab{}, ErrNoGitLabToken
		c.root = p.API + "/projects/" + url.PathEscape(p.String())
	}
	if token == "" {
		return nil, missing
	}
	// A renamed repository answers with its new address on the same server; anywhere else a redirect would take the token.
	follow := func(req *http.Request, via []*http.Request) error {
		if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme || req.Method != http.MethodGet {
			return http.ErrUseLastResponse
		}
		return nil
	}
	c.http = &http.Client{Timeout: most, CheckRedirect: follow}
	return c, nil
}

// Place is the repository.
func (c *Client) Place() Place { return c.place }

// Credential is what git needs to push over HTTP: the server that it is for, and the token. It must not be shown.
func (c *Client) Credential() (server, token string) { return c.place.Server, c.token }

// Marker is the hidden line that says which run has made something, and what for.
func Marker(run, key string) string { return "<!-- jacquard:" + run + ":" + key + " -->" }

// issueName is how a forge is told of an issue or a pull request: #12, GH-12, !12, its address.
var issueName = re.New(`(?i)([#!]|GH-|/issues/|/pull/|/merge_requests/)([0-9])`)

// command begins a line that GitLab carries out, such as /merge.
var command = re.New(`(?m)^(\s*)/([a-z_]+)`)

// Plain makes a text harmless to post: it calls nobody, links and closes no issue, commands nothing, and hides no marker. It reads
// the same.
func Plain(s string) string {
	const nothing = "\u200b" // zero width
	s = strings.NewReplacer("@", "@"+nothing, "<!--", "<"+nothing+"!--", "-->", "--"+nothing+">").Replace(s)
	s = command().ReplaceAllString(s, "${1}"+nothing+"/${2}")
	return issueName().ReplaceAllString(s, "${1}"+nothing+"${2}")
}
