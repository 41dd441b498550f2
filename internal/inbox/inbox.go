// Package inbox reads what people have written about a project: the messages of a Slack channel, mails of Gmail. It reads, and
// never sends, marks or changes anything there. What it brings is data of strangers.
package inbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/private"
)

const (
	maxAnswer = 16 << 20 // bytes of one answer
	maxText   = 20_000   // bytes of one message
	most      = 30 * time.Second
	longest   = time.Minute // that a service may let us wait
	waits     = 3           // how often it may
)

// service is an API that is asked with a bearer token.
type service struct {
	name   string // as people call it
	base   string // address that paths are below
	client *http.Client
}

// open makes a service of an address that the environment may change. The token is sent there and nowhere else, not after a
// redirect either.
func open(name, variable, address, usual string, auth http.RoundTripper) (*service, error) {
	base := strings.TrimRight(cmp.Or(address, usual), "/")
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%s is not a URL such as %s", variable, usual)
	}
	if !private.Address(u) {
		return nil, fmt.Errorf("%s is %s://%s: the token would be sent there unencrypted; use https", variable, u.Scheme, u.Host)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &service{name: name, base: base, client: &http.Client{Timeout: most, CheckRedirect: stay, Transport: auth}}, nil
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// get asks for a path, waits where the service says so, and reads the answer into to.
func (s *service) get(ctx context.Context, path string, query url.Values, to any) error {
	for n := 0; ; n++ {
		wait, err := s.once(ctx, path, query, to)
		if wait == 0 || n == waits {
			return err
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// once asks once; a wait that is not zero says when to ask again.
func (s *service) once(ctx context.Context, path string, query url.Values, to any) (wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path+"?"+query.Encode(), nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("User-Agent", "jacquard")
	res, err := s.client.Do(req)
	if err != nil {
		return 0, s.unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, s.unreachable(ctx, err)
	case len(raw) > maxAnswer:
		return 0, fmt.Errorf("the answer of %s has more than %d bytes", s.name, maxAnswer)
	case res.StatusCode == http.StatusTooManyRequests:
		after, err := strconv.Atoi(res.Header.Get("Retry-After"))
		if err != nil || after < 1 {
			after = 1
		}
		limit := flow.Failf(flow.Limit, "%s allows no more requests for %d s", s.name, after)
		if d := time.Duration(after) * time.Second; d <= longest {
			return d, limit
		}
		return 0, limit
	case res.StatusCode == http.StatusUnauthorized:
		return 0, flow.Failf(flow.Auth, "%s refuses the token", s.name)
	case res.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("%s answers %s to %s: %s", s.name, res.Status, path, said(raw))
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return 0, fmt.Errorf("%s does not answer in JSON: %w", s.name, err)
	}
	return 0, nil
}

func (s *service) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f, ok := errors.AsType[*flow.Failure](err); ok {
		return f
	}
	if u, ok := errors.AsType[*url.Error](err); ok { // its text has the query
		err = u.Err
	}
	return fmt.Errorf("%s cannot be reached at %s: %w", s.name, s.base, err)
}

// said is the reason in an answer that refuses.
func said(raw []byte) string {
	var v struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(raw, &v) // one that says nothing has its status
	return clip(strings.Join(strings.Fields(v.Error.Message), " "), 300)
}

// masked are messages without the secrets that can be recognised in them: no file and no prompt has those.
func masked(list []pdca.Message) []pdca.Message {
	for i := range list {
		list[i].Text, list[i].Subject = pdca.Mask(list[i].Text), pdca.Mask(list[i].Subject)
	}
	return list
}

// clip cuts a text to n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " … (cut)"
}

// bearer adds a token to requests.
type bearer string

// RoundTrip sends a request with the token.
func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(req)
}
