package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 8 << 20

// call asks for a path below the repository, which begins with a stroke, and reads the answer into to.
func (c *Client) call(ctx context.Context, method, path string, body, to any) error {
	return c.send(ctx, method, c.root+path, body, to)
}

// send asks for an address of the API.
func (c *Client) send(ctx context.Context, method, address string, body, to any) error {
	var in io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, in)
	if err != nil {
		return err
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "jacquard")
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return c.unreachable(ctx, err)
	}
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		asked, _, _ := strings.Cut(strings.TrimPrefix(address, c.root), "?")
		return c.refused(res, raw, method+" "+asked)
	case len(raw) > maxAnswer:
		return flow.Failf(flow.Failed, "the answer of %s has more than %d bytes", c.place, maxAnswer)
	case to == nil:
		return nil
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return flow.Failf(flow.Transient, "%s does not answer in JSON: %v", c.place.API, err)
	}
	return nil
}

// unreachable is a request that got no answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return flow.Failf(flow.Transient, "%s cannot be reached: %v", c.place.API, err)
}

// refused is the failure that an answer means: who can do what about it.
func (c *Client) refused(res *http.Response, raw []byte, asked string) error {
	var said struct {
		Message json.RawMessage `json:"message"` // GitLab's can be lists by field
		Error   string          `json:"error"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	_ = json.Unmarshal(raw, &said) // one that says nothing has its status
	text := said.Error
	if json.Unmarshal(said.Message, &text) != nil {
		text = cmp.Or(string(said.Message), text)
	}
	for _, e := range said.Errors {
		if e.Message != "" {
			text += "; " + e.Message
		}
	}
	f := flow.Failf(flow.Failed, "%s answers %s to %s: %s", c.place, res.Status, asked, c.said(text))
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests || code == http.StatusForbidden && limited(res, text):
		f.Class, f.ResetsAt = flow.Limit, c.resets(res)
	case code == http.StatusUnauthorized:
		f.Class = flow.Auth
		f.Msg += ". The token was rejected: set " + c.variable + " to a valid one"
	case code == http.StatusForbidden:
		f.Class = flow.Auth
		f.Msg += ". The token may not do this: give it the permission, or set " + c.variable + " to another"
	case code == http.StatusNotFound:
		f.Class = flow.Denied
		f.Msg += " (it does not exist, or the token may not see it)"
	case code >= 500 || code == http.StatusRequestTimeout || code == http.StatusConflict:
		f.Class = flow.Transient
	case code >= 300 && code < 400:
		f.Class = flow.Environment
		f.Msg += ". It has moved: set the remote origin to its new address"
	}
	return f
}

// said is a message of the forge on one line, without the token.
func (c *Client) said(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), c.token, "…")
	if r := []rune(text); len(r) > 300 {
		text = string(r[:300]) + " …"
	}
	return text
}

func limited(res *http.Response, text string) bool {
	return header(res, "RateLimit-Remaining") == "0" || res.Header.Get("Retry-After") != "" || strings.Contains(strings.ToLower(text), "rate limit")
}

// resets is when a limit ends, in Unix milliseconds; 0 = it does not say.
func (c *Client) resets(res *http.Response) int64 {
	if s, err := strconv.ParseInt(res.Header.Get("Retry-After"), 10, 64); err == nil && s >= 0 {
		return c.now().Add(time.Duration(s) * time.Second).UnixMilli()
	}
	if at, err := strconv.ParseInt(header(res, "RateLimit-Reset"), 10, 64); err == nil && header(res, "RateLimit-Remaining") == "0" {
		return at * 1000
	}
	return 0
}

// header is one that GitHub gives the prefix of what no standard has.
func header(res *http.Response, name string) string {
	return cmp.Or(res.Header.Get("X-"+name), res.Header.Get(name))
}
