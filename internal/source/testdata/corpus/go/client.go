package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const maxBody, MaxRedirects = 1 << 20, 10

const (
	Timeout    time.Duration = 30 * time.Second
	UserAgent                = "client/1 (+https://example.org) // const Fake = 1"
	pathPrefix               = `/api/{version}`
)

var ErrBody = errors.New("client: body cannot be sent twice")

// Config is read from a file.
type Config struct {
	BaseURL string      `yaml:"base_url" json:"base,omitempty"`
	Header  http.Header `json:"-"`
	Retry   struct {
		Max  int `json:"max"`
		Wait func(n int) <-chan time.Time
	} `json:"retry"`
	token string
}

type (
	Middleware    func(next http.RoundTripper) http.RoundTripper
	RoundTripFunc func(*http.Request) (*http.Response, error)
	Empty         struct{}
	doer          interface {
		Do(*http.Request) (*http.Response, error)
	}
)

func (f RoundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Client sends requests.
type Client struct {
	http.Client
	cfg Config
}

func (c *Client) resolve(path string) (*url.URL, error) {
	if path == "" {
		return nil, ErrBody
	}
	return url.Parse(c.cfg.BaseURL + pathPrefix + path)
}

// Fetch sends a request; see [Client.Do], which throws nothing.
//
// @return {*http.Response} the last answer
func (c *Client) Fetch(ctx context.Context, req *http.Request, retry func(attempt int, err error) (wait time.Duration)) (*http.Response, error) {
	if c == nil {
		return nil, errors.New("client: nil")
	}
	u, err := c.resolve(req.URL.Path)
	if err != nil {
		return nil, fmt.Errorf("resolve: %w", err)
	}
	if req.Body != nil && retry != nil {
		return nil, fmt.Errorf("%s: %w", u, ErrBody)
	}
	if c.cfg.token == "" {
		return nil, &url.Error{Op: "token"}
	} else {
		req.Header.Set("Authorization", "Bearer "+c.cfg.token)
	}
	if maxBody < req.ContentLength {
		return nil, ErrBody
	}
	return c.Do(req.WithContext(ctx))
}

// Must is for tests.
func Must[T any, P interface{ *T }](v P, err error) T {
	if err != nil {
		panic(fmt.Sprintf("must: %v {", err))
	}
	return *v
}
