package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	oauthBeta   = "oauth-2025-04-20"
	idleConns   = 90 * time.Second
	answerStart = 10 * time.Minute
)

// Provider is where calls are forwarded to. Exactly one of Key and OAuth is set.
type Provider struct {
	Base  string // for example https://api.anthropic.com
	Key   string // sent as the protocol of the call wants it
	OAuth string // a token of a log-in, sent as bearer
	// Proxy chooses the proxy for a request, as in http.Transport; nil = none.
	Proxy func(*http.Request) (*url.URL, error)
}

type forward struct {
	provider Provider
	base     *url.URL
	client   *http.Client
}

// Forward returns a backend that asks the provider, with the real key put in.
func Forward(p Provider) (Backend, error) {
	base, err := url.Parse(p.Base)
	if err != nil {
		return nil, fmt.Errorf("provider address: %w", err)
	}
	if (base.Scheme != "https" && base.Scheme != "http") || base.Host == "" || base.User != nil {
		return nil, fmt.Errorf("provider address %q: must be http(s)://host, without a user", base.Redacted())
	}
	if (p.Key == "") == (p.OAuth == "") {
		return nil, errors.New("provider: want either a key or a log-in token")
	}
	return &forward{provider: p, base: base, client: &http.Client{
		Transport: &http.Transport{Proxy: p.Proxy, ForceAttemptHTTP2: true, IdleConnTimeout: idleConns, ResponseHeaderTimeout: answerStart},
		// A key must not travel to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// passed are the headers that go through; nothing else does.
func passesUp(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"content-type", "accept", "user-agent", "anthropic-version", "anthropic-beta", "openai-beta", "x-app"}, name) ||
		strings.HasPrefix(name, "x-stainless-")
}

func passesDown(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"content-type", "retry-after", "request-id", "x-request-id", "x-should-retry"}, name) ||
		strings.HasPrefix(name, "anthropic-ratelimit-") || strings.HasPrefix(name, "x-ratelimit-")
}

func (f *forward) name() string { return f.base.Host }

func (f *forward) serve(ctx context.Context, w http.ResponseWriter, c *call) {
	target := f.base.JoinPath(c.path)
	target.RawQuery = c.query.Encode()
	body := c.body
	if c.lowered != nil {
		body = c.lowered
	}
	up, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		c.wire.fail(w, http.StatusBadGateway, "jacquard: "+err.Error())
		return
	}
	for name, values := range c.header {
		if passesUp(name) {
			up.Header[name] = values
		}
	}
	f.authorize(up.Header, c.path)
	wrote := &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { c.sent.Store(i.Err == nil) }}
	resp, err := f.client.Do(up.WithContext(httptrace.WithClientTrace(ctx, wrote)))
	if err != nil {
		if ctx.Err() == nil {
			c.access.heard(f.base.Host + ": " + reason(err))
		}
		c.wire.fail(w, http.StatusBadGateway, "jacquard: the provider was not reached: "+unwrapURL(err).Error())
		return
	}
	c.access.heard("")
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode >= 400 {              // which costs nothing
		c.sent.Store(false)
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		c.wire.fail(w, http.StatusBadGateway, fmt.Sprintf("jacquard: the provider answered with a redirect (%d), which is not followed", resp.StatusCode))
		return
	}
	for name, values := range resp.Header {
		if passesDown(name) {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(resp.StatusCode)
	if err := copyFlush(w, resp.Body); err != nil {
		// The agent must see that the answer is not whole.
		panic(http.ErrAbortHandler)
	}
}

func (f *forward) authorize(h http.Header, path string) {
	if path == responsesPath {
		h.Set("Authorization", "Bearer "+f.provider.Key+f.provider.OAuth)
		return
	}
	if f.provider.Key != "" {
		h.Set("x-api-key", f.provider.Key)
		return
	}
	h.Set("Authorization", "Bearer "+f.provider.OAuth)
	betas := h.Values("anthropic-beta")
	if !strings.Contains(strings.Join(betas, ","), oauthBeta) {
		h.Set("anthropic-beta", strings.Join(append(slices.Clone(betas), oauthBeta), ","))
	}
}

// reason is why a machine was not reached, in few words.
func reason(err error) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok && name.IsNotFound {
		return "no such host"
	}
	for err = unwrapURL(err); ; {
		op, ok := errors.AsType[*net.OpError](err)
		if !ok || op.Err == nil {
			break
		}
		err = op.Err
	}
	if sys, ok := errors.AsType[*os.SyscallError](err); ok {
		err = sys.Err
	}
	return err.Error()
}

// unwrapURL drops the address from an error of the client: it may hold a proxy's
// password.
func unwrapURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// copyFlush copies and sends each piece as it comes.
func copyFlush(w io.Writer, r io.Reader) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if _, werr := w.Write(buf[:n]); werr != nil {
				return werr
			}
			flush(w)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
