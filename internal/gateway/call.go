package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Backend answers calls. The implementations are Forward, Script, Mailbox and
// Tape.Replay.
type Backend interface {
	serve(ctx context.Context, w http.ResponseWriter, c *call)
	// name says who answers, for people.
	name() string
}

// call is one request of an agent that may be answered.
type call struct {
	access *Access
	path   string
	query  url.Values
	header http.Header
	body   []byte
	req    request
	redact Redactor
	wire   protocol

	lowered []byte      // the request with a lower limit of its output, if what was left paid for no more
	sent    atomic.Bool // to a provider, which bills it
}

// Stats is what a turn has used.
type Stats struct {
	Requests   int       // calls that were answered by the backend
	Refused    int       // calls that the budget did not allow
	Limits     int       // answers 429
	Failures   int       // other answers from 400 on, and streams that were cut
	ResetsAt   time.Time // when the last limit ends; zero = none was met, or it did not say
	Usage      Usage
	Spent      Amount
	PriceKnown bool // false when a call's model has no price: MicroUSD then lacks it
	// Said is the last answer, when it was an error: who gave it, its status and its words.
	Said string
	// Unreached is why the last call did not reach the provider, "" when it did.
	Unreached string
	// Reached: since this gateway was started, the provider has answered a call, of whatever turn.
	Reached bool
}

func (g *Gateway) handle(w http.ResponseWriter, r *http.Request) {
	wire, served := protocolOf(r.URL.Path)
	if !served || r.Method != http.MethodPost {
		writeJSON(w, http.StatusNotFound, messagesFailure(http.StatusNotFound, "jacquard serves POST "+messagesPath+" and "+responsesPath+" only"))
		return
	}
	a := g.find(r)
	if a == nil || !a.enter() {
		wire.refuse(w, "jacquard: the token is not of a running turn")
		return
	}
	defer a.calls.Done()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	ended := context.AfterFunc(a.ended, func() { cancel(errClosed) }) //nolint:contextcheck // it joins two lives, the call's and the turn's
	defer ended()

	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		wire.fail(w, http.StatusRequestEntityTooLarge, "the request is larger than 32 MiB")
		return
	}
	if err != nil {
		return // the agent has gone
	}
	req, err := wire.parse(body)
	if err != nil {
		wire.fail(w, http.StatusBadRequest, err.Error())
		return
	}
	c := &call{access: a, path: r.URL.Path, query: r.URL.Query(), header: r.Header, body: body, req: req, redact: g.opt.Redact, wire: wire}
	if c.path == countPath {
		g.opt.Backend.serve(ctx, w, c)
		return
	}
	g.message(ctx, w, c)
}

// message reserves, asks the backend, and settles.
func (g *Gateway) message(ctx context.Context, w http.ResponseWriter, c *call) {
	a := c.access
	if text := a.cutOff(); text != "" {
		c.refuse(w, text)
		return
	}
	rate, known := priceOf(c.req.Model)
	n, most, err := g.admit(ctx, c, rate)
	if err != nil {
		c.refuse(w, err.Error())
		return
	}
	m := &meter{ResponseWriter: w, wire: c.wire, now: g.opt.Now(), keep: g.opt.Record != nil, tries: a.turn.Tries, last: a.lastTry()}
	defer func() {
		cut := recover() // a cut stream is a panic with http.ErrAbortHandler
		// Codex goes as soon as it has the last event, before the stream is closed.
		whole := m.ended || (ctx.Err() == nil && cut == nil)
		m.giveUp()
		used := m.usage(whole)
		if c.sent.Load() && ctx.Err() != nil && used == (Usage{}) { // nobody waits any more; the provider has the request all the same
			used.CacheWrite = c.tokens()
		}
		spent := rate.amount(used)
		a.account(m, used, spent, known, cut != nil && !whole, g.opt.Now())
		a.settle(ctx, g.opt.Ledger, n, most, spent)
		if g.opt.Record != nil && whole {
			g.opt.Record.add(c, m)
		}
		if cut != nil {
			panic(cut)
		}
	}()
	g.opt.Backend.serve(ctx, m, c)
}

// refuse answers that the turn may not ask this, and counts it.
func (c *call) refuse(w http.ResponseWriter, text string) {
	c.access.mu.Lock()
	c.access.stats.Refused++
	c.access.mu.Unlock()
	c.wire.refuse(w, text)
}

// account adds one answered call to the figures.
func (a *Access) account(m *meter, used Usage, spent Amount, known, cut bool, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &a.stats
	s.Requests++
	s.Usage = s.Usage.plus(used)
	s.Spent = s.Spent.Plus(spent)
	s.PriceKnown = s.PriceKnown && known
	a.failing.add(m, cut)
	s.Said = ""
	if m.status >= http.StatusBadRequest {
		said := strings.TrimSuffix(fmt.Sprintf("%s answered %d: %s", a.gateway.opt.Backend.name(), m.status, m.said()), ": ")
		s.Said = a.gateway.opt.Redact.String(said)
	}
	switch {
	case m.status == http.StatusTooManyRequests:
		s.Limits++
		if at := resetTime(m.Header(), now); !at.IsZero() {
			s.ResetsAt = at
		}
	case cut || m.status >= http.StatusBadRequest:
		s.Failures++
	}
}
