package forge

import (
	"context"
	"errors"
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

// Check is one check of a commit: a check run of an app, a job of a pipeline, or a status that another server has reported.
type Check struct {
	Name  string
	State State
	// Conclusion is the forge's own word for the end: failure, timed_out, cancelled, action_required, error, …
	Conclusion string

	id     int64 // of a check run or a job
	logged bool  // it is a job whose log can be had
	output string
	notes  int // annotations
}

// maxPages bounds how far lists are read, a hundred items a page.
const maxPages = 10

// Checks are all checks of a commit, by name. None is no error: they may not have begun.
func (c *Client) Checks(ctx context.Context, commit string) ([]Check, error) {
	out, err := c.checks(ctx, c, url.PathEscape(commit))
	slices.SortStableFunc(out, func(a, b Check) int { return strings.Compare(a.Name, b.Name) })
	return out, err
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
	return k.State == Failed && slices.Contains([]string{"failure", "failed", "timed_out", "error"}, k.Conclusion)
}

// FailsIn reports whether a check fails, and does so among those of another commit as well.
func (k Check) FailsIn(other []Check) bool {
	return k.State == Failed && slices.ContainsFunc(other, func(o Check) bool { return o.Name == k.Name && o.State == Failed })
}

// Remark is a check of a pull request as something that is said of it, for now without a text: that takes requests, see Explain.
func (k Check) Remark(p Pull) Remark {
	name := oneLine(k.Name)
	return Remark{ID: "checks/" + name + "@" + p.Head, Check: name, URL: p.URL}
}

// Explain is what a check that failed says of it, in so many characters: its output, its annotations, which name files and
// lines, and with what room is left the end of its log, for jobs of the forge itself. What cannot be had is left out. clean is
// applied before anything is cut.
func (c *Client) Explain(ctx context.Context, k Check, most int, clean func(string) string) string {
	parts := []string{k.output}
	if k.notes > 0 {
		parts = append(parts, c.annotations(ctx, c, k)...)
	}
	told := []rune(clean(lines(parts...)))
	if half := most / 2; len(told) > half {
		told = append(told[:half], []rune(" …")...)
	}
	if !k.logged {
		return string(told)
	}
	log, err := c.log(ctx, c, k)
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

// stamp begins the lines of a log: a time, on GitLab with the number and the kind of the stream.
var stamp = re.New(`^\x{FEFF}?\d{4}-\d\d-\d\dT[\d:.]+Z ?(?:\d\d[OE][+ ]?)?`)

// colours are what a log has for a terminal, and GitLab's marks of sections.
var colours = re.New("section_(?:start|end):\\d+:[^\r\n]*\r|\x1b\\[[0-9;]*[A-Za-z]")

// get is a request for a path below the repository, with the token.
func (c *Client) get(ctx context.Context, path string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.root+path, nil)
	if err == nil {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req, err
}

// readLog reads a log, and returns the lines at its end as people read them, up to the error that ended it.
func (c *Client) readLog(ctx context.Context, req *http.Request) (string, error) {
	res, err := c.staying().Do(req)
	if err != nil {
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

// staying is a client that follows no redirect.
func (c *Client) staying() *http.Client {
	stay := *c.http
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &stay
}
