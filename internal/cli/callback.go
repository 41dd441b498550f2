package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
)

// outbox tells others of a run of work. The journal is its store: what has been told is the number of an event, kept
// beside it, so that a crash loses nothing and tells at most a few things twice, under the same keys. It never holds the
// run up.
type outbox struct {
	p      *project
	rt     flow.Runtime
	run    string
	addr   addresses
	client *http.Client
	warned bool
	kill   func(int) // for tests
	sides  int       // of messages, for kill
	fold   *report.Callbacks
	seen   int64             // the last event that was folded
	queue  []report.Callback // what was not sent yet
	told   cursor
	quit   chan struct{}
	done   sync.WaitGroup
}

const (
	callbackConnect = 3 * time.Second
	callbackWhole   = 5 * time.Second
	callbackPause   = time.Second
	callbackEnd     = 15 * time.Second // for all that is left when a run stands still
	callbackTries   = 3                // of one message at the end of a run; the rest waits for the next time
)

// tellOthers starts to tell of a run, if anybody wants to know.
func (p *project) tellOthers(ctx context.Context, rt flow.Runtime, r flow.Run) *outbox {
	if !processOf(r.Def).works {
		return nil
	}
	addr, warning := p.callbackAddresses()
	if !p.trusts(p.callbackHosts()) {
		fmt.Fprint(p.a.Err, p.a.lang().T("⚠ this project asks to send results to a server that you have not allowed yet, so nothing is sent. To allow it, run: jacquard trust\n"))
		clear(addr.to)
	}
	if u := p.a.env["CALLBACK_URL"]; u != "" {
		addr.to[report.StageCallback] = u
	}
	if len(addr.to) == 0 {
		return nil
	}
	fmt.Fprint(p.a.Err, warning)
	o := &outbox{
		p: p, rt: rt, run: r.ID, addr: addr, client: callbackClient(), kill: p.a.killAt("callback"), fold: report.NewCallbacks(r.ID), quit: make(chan struct{}),
	}
	if raw, err := os.ReadFile(o.cursorFile()); err == nil {
		_ = json.Unmarshal(raw, &o.told) // a damaged one: everything is told again, under the same keys
	}
	o.done.Go(func() { o.loop(ctx) })
	return o
}

// callbackClient follows no redirects and does not talk to link-local addresses, where clouds keep secrets.
func callbackClient() *http.Client {
	dial := &net.Dialer{Timeout: callbackConnect, Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		if ip := net.ParseIP(host); ip == nil || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
			return words("%s is not a valid callback URL", host)
		}
		return nil
	}}
	return &http.Client{
		Timeout:       callbackWhole,
		Transport:     &http.Transport{DialContext: dial.DialContext}, // no proxy: the address that is reached is the one that is checked
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// stop tells what is left, as far as that can be done quickly.
func (o *outbox) stop() {
	if o == nil {
		return
	}
	close(o.quit)
	o.done.Wait()
}

func (o *outbox) loop(ctx context.Context) {
	tick := time.NewTicker(callbackPause)
	defer tick.Stop()
	for {
		select {
		case <-o.quit:
			last, cancel := context.WithTimeout(ctx, callbackEnd)
			defer cancel()
			for range callbackTries {
				if o.tell(last) == nil {
					return
				}
			}
			return
		case <-tick.C:
			_ = o.tell(ctx) // it is tried again
		}
	}
}

func (o *outbox) cursorFile() string {
	return filepath.Join(o.p.state, "runs", o.run, "callbacks.json")
}

// cursor is how far a run was told: all of the events up to Seq, and of that one so many messages.
type cursor struct {
	Seq  int64 `json:"seq"`
	Sent int   `json:"sent"`
}

// tell sends what was not sent yet, in order; it ends at the first message that does not arrive.
func (o *outbox) tell(ctx context.Context) error {
	events, err := o.rt.Events(ctx, o.run, o.seen)
	if err != nil {
		return err
	}
	for _, e := range events {
		o.seen = e.Seq
		for i, c := range o.fold.Apply(e) {
			if e.Seq > o.told.Seq || e.Seq == o.told.Seq && i >= o.told.Sent {
				o.queue = append(o.queue, c)
			}
		}
	}
	for ; len(o.queue) > 0; o.queue = o.queue[1:] {
		c := o.queue[0]
		if c.Seq > o.told.Seq {
			o.told = cursor{Seq: c.Seq}
		}
		o.side()
		if err := o.post(ctx, c); err != nil {
			o.keep()
			o.warn(err)
			return err
		}
		o.side()
		o.told.Sent++
		o.keep()
	}
	return nil
}

// side is a place for tests to kill the process at.
func (o *outbox) side() {
	if o.sides++; o.kill != nil {
		o.kill(o.sides)
	}
}

func (o *outbox) keep() {
	raw, err := json.Marshal(o.told)
	if err == nil && os.MkdirAll(filepath.Dir(o.cursorFile()), 0o755) == nil {
		_ = check.WriteWhole(o.cursorFile(), raw) // else it is told twice
	}
}

func (o *outbox) warn(err error) {
	if !o.warned {
		fmt.Fprintf(o.p.a.Err, o.p.a.lang().T("⚠ a callback was not delivered (%v); it will be retried, also on the next resume\n"), inLang(o.p.a.lang(), err))
	}
	o.warned = true
}

func (o *outbox) post(ctx context.Context, c report.Callback) error {
	to := o.addr.to[c.Kind]
	if to == "" {
		return nil
	}
	id := cmp.Or(o.p.a.env["CALLBACK_EXECUTION_ID"], o.run)
	to = strings.ReplaceAll(to, "{{executionId}}", url.PathEscape(id))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(c.Body))
	if err != nil {
		return words("its URL is not valid")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", c.Key)
	token, header := o.addr.token, o.addr.header
	if c.Kind == report.StageCallback && o.p.a.env["CALLBACK_URL"] != "" {
		token, header = o.p.a.env["CALLBACK_TOKEN"], "Authorization" // it comes from the environment, with its address
	}
	switch {
	case token == "":
	case strings.EqualFold(header, "Authorization"):
		req.Header.Set("Authorization", "Bearer "+token)
	default:
		req.Header.Set(header, token)
	}
	res, err := o.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) { // without the address, which may hold a secret
			err = u.Err
		}
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	_ = res.Body.Close()
	switch {
	case res.StatusCode < 300, res.StatusCode == http.StatusConflict: // it was told before
		return nil
	case res.StatusCode == http.StatusBadRequest || res.StatusCode == http.StatusUnprocessableEntity || res.StatusCode == http.StatusRequestEntityTooLarge:
		o.warn(words("the server refused it: %s", res.Status)) // sending it again would not help
		return nil
	}
	return words("the server answered %s", res.Status)
}
