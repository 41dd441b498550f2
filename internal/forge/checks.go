package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// State is how far a check of a commit is.
type State string

// The states of a check. One that was skipped or is neutral has passed.
const (
	Pending State = "pending"
	Passed  State = "passed"
	Failed  State = "failed"
)

// Check is one check of a commit: a check run of an app, or a status of a context.
type Check struct {
	Name  string
	State State
	// Conclusion is the forge's own word for the end: failure, timed_out, cancelled, action_required, error, …
	Conclusion string

	id     int64 // of a check run
	app    string
	output string
	notes  int // annotations
}

// maxPages bounds how far lists are read, a hundred items a page.
const maxPages = 10

// Checks are all checks of a commit, by name. None is no error: they may not have begun.
func (c *Client) Checks(ctx context.Context, commit string) ([]Check, error) {
	var out []Check
	for page := 1; page <= maxPages; page++ {
		var v struct {
			Runs []rawRun `json:"check_runs"`
		}
		if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/commits/%s/check-runs?filter=latest&per_page=100&page=%d", url.PathEscape(commit), page), nil, &v); err != nil {
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
	if err := c.call(ctx, http.MethodGet, "/commits/"+url.PathEscape(commit)+"/status?per_page=100", nil, &v); err != nil {
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
	slices.SortStableFunc(out, func(a, b Check) int { return strings.Compare(a.Name, b.Name) })
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
	if err := c.call(ctx, http.MethodGet, "/commits/"+url.PathEscape(commit)+"/check-suites?per_page=100", nil, &v); err != nil {
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
	k := Check{Name: r.Name, State: Pending, id: r.ID, app: r.App.Slug, notes: r.Output.Notes}
	k.output = lines(r.Output.Title, r.Output.Summary, r.Output.Text)
	if r.Status == "completed" {
		switch k.State, k.Conclusion = Failed, r.Conclusion; r.Conclusion {
		case "success", "neutral", "skipped":
			k.State = Passed
		}
	}
	return k
}

func lines(list ...string) string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

// Mendable reports whether a check that failed can have failed because of the code: one that was cancelled, has gone stale or
// waits for a person cannot.
func (k Check) Mendable() bool {
	return k.State == Failed && slices.Contains([]string{"failure", "timed_out", "error"}, k.Conclusion)
}

// Explain is what a check that failed says of it, in so many characters: its output, its annotations, which name files and
// lines, and with what room is left the end of its log, for GitHub Actions. What cannot be had is left out. clean is applied
// before anything is cut.
func (c *Client) Explain(ctx context.Context, k Check, most int, clean func(string) string) string {
	parts := []string{k.output}
	if k.notes > 0 {
		var notes []struct {
			Path    string `json:"path"`
			Line    int    `json:"start_line"`
			Level   string `json:"annotation_level"`
			Message string `json:"message"`
		}
		if c.call(ctx, http.MethodGet, fmt.Sprintf("/check-runs/%d/annotations?per_page=50", k.id), nil, &notes) == nil {
			for _, n := range notes {
				parts = append(parts, fmt.Sprintf("%s:%d: %s: %s", n.Path, n.Line, n.Level, n.Message))
			}
		}
	}
	told := []rune(clean(lines(parts...)))
	if half := most / 2; len(told) > half {
		told = append(told[:half], []rune(" …")...)
	}
	if k.app != "github-actions" { // a check run of theirs is a job of the same number
		return string(told)
	}
	log, err := c.log(ctx, k.id)
	if err != nil {
		return string(told)
	}
	end := []rune(clean(log))
	if room := max(0, most-len(told)); len(end) > room {
		end = append([]rune("… "), end[len(end)-room:]...)
	}
	return lines(string(told), string(end))
}

const (
	maxLog   = 32 << 20 // bytes that are read of a log
	logLines = 200      // of its end
)

// stamp begins the lines of a log.
var stamp = re.New(`^\x{FEFF}?\d{4}-\d\d-\d\dT[\d:.]+Z ?`)

// colours are what a log has for a terminal.
var colours = re.New("\x1b\\[[0-9;]*[A-Za-z]")

// log is the end of the log of a job. It lies elsewhere: the API says where, and the token does not go there.
func (c *Client) log(ctx context.Context, job int64) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/repos/%s/%s/actions/jobs/%d/logs", c.place.API, c.place.Owner, c.place.Name, job), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	stay := *c.http
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := stay.Do(req)
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
	if res, err = stay.Do(req); err != nil {
		return "", c.unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return "", errors.New(res.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxLog))
	if err != nil {
		return "", c.unreachable(ctx, err)
	}
	list := strings.Split(strings.TrimRight(string(raw), "\r\n"), "\n")
	for i, l := range slices.Backward(list) { // what is cleaned up after it says nothing of it
		if strings.Contains(l, "##[error]") {
			list = list[:i+1]
			break
		}
	}
	list = list[max(0, len(list)-logLines):]
	for i, l := range list {
		list[i] = strings.TrimRight(colours().ReplaceAllString(stamp().ReplaceAllString(l, ""), ""), "\r")
	}
	return strings.ToValidUTF8(strings.Join(list, "\n"), "\uFFFD"), nil
}
