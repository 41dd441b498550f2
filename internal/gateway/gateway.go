package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxBody       = 32 << 20
	messagesPath  = "/v1/messages"
	countPath     = "/v1/messages/count_tokens"
	responsesPath = "/v1/responses"
	settleTimeout = 10 * time.Second
	headerTimeout = 30 * time.Second
	tokenPrefix   = "jacquard-turn-"
)

// Options are what a gateway needs; Backend and Now must be given.
type Options struct {
	Backend Backend
	Now     func() time.Time
	Ledger  Ledger   // nil = spend is counted in memory only
	Redact  Redactor // applied to everything that is stored
	Record  *Tape    // nil = nothing is recorded
}

// Gateway is a running endpoint.
type Gateway struct {
	opt    Options
	server *http.Server
	served sync.WaitGroup
	stop   context.CancelCauseFunc

	reached atomic.Bool // the provider has answered a call

	mu    sync.Mutex
	url   string // of Listen
	turns map[*Access]struct{}
}

// errClosed is the reason of calls that end because the gateway or their turn
// was closed.
var errClosed = errors.New("the turn is over")

// Start makes a gateway that works until Close. Nobody can reach it before Listen or Serve. The end of ctx ends running calls but
// not the gateway.
func Start(ctx context.Context, opt Options) (*Gateway, error) {
	if opt.Backend == nil || opt.Now == nil {
		return nil, errors.New("start gateway: no backend or no clock")
	}
	base, stop := context.WithCancelCause(ctx)
	g := &Gateway{opt: opt, stop: stop, turns: map[*Access]struct{}{}}
	g.server = &http.Server{
		Handler:           http.HandlerFunc(g.handle),
		ReadHeaderTimeout: headerTimeout,
		ErrorLog:          log.New(io.Discard, "", 0), // what goes wrong is answered, not logged
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	return g, nil
}

// Listen listens on a free loopback port, once, and returns the base URL for agents, for example http://127.0.0.1:40231.
func (g *Gateway) Listen(ctx context.Context) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.url != "" {
		return g.url, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("start gateway: %w", err)
	}
	g.url = "http://" + l.Addr().String()
	g.served.Go(func() { g.Serve(l) })
	return g.url, nil
}

// Serve answers what comes through a listener, until that or the gateway is closed.
func (g *Gateway) Serve(l net.Listener) { _ = g.server.Serve(l) }

// Close ends all turns and calls and returns when nothing of the gateway runs any
// more.
func (g *Gateway) Close() error {
	g.stop(errClosed)
	g.mu.Lock()
	open := slices.Collect(maps.Keys(g.turns))
	g.mu.Unlock()
	for _, a := range open {
		a.Close()
	}
	err := g.server.Close()
	g.served.Wait()
	if err != nil {
		return fmt.Errorf("close gateway: %w", err)
	}
	return nil
}

// Turn says who will call and what it may do.
type Turn struct {
	ID    string // names the turn in the ledger and in messages
	Dir   string // the agent's working directory
	Home  string // the agent's home directory, "" = not known
	Grant Amount // what the turn may spend; a zero part is no limit
	Calls int    // calls that may be answered well; 0 = no limit
	// Tries is how often one after another a call may fail of an agent that tries
	// again without end and says nothing of what it met. Then, and at once when there
	// is no use in trying again, it is told so in a form that ends it, and that names
	// the status. 0 = the agent knows by itself when to give up.
	Tries int
}

// Access is the right of one turn to call.
type Access struct {
	turn    Turn
	gateway *Gateway
	token   string
	hash    [sha256.Size]byte
	ended   context.Context //nolint:containedctx // it is the life of the access, not of a call
	end     context.CancelCauseFunc
	calls   sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	next     int
	stats    Stats
	reserved Amount
	running  int           // calls that something is set aside for
	settled  chan struct{} // closed and made anew when one of them has ended
	failing  failing
}

// Open makes a token for the turn. The caller closes it when the turn is over.
func (g *Gateway) Open(ctx context.Context, t Turn) (*Access, error) {
	var secret [24]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, fmt.Errorf("make a turn token: %w", err)
	}
	ended, end := context.WithCancelCause(ctx)
	a := &Access{
		turn: t, gateway: g, token: tokenPrefix + hex.EncodeToString(secret[:]), ended: ended, end: end,
		settled: make(chan struct{}),
	}
	a.hash = sha256.Sum256([]byte(a.token))
	a.stats.PriceKnown = true
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns[a] = struct{}{}
	return a, nil
}

// Token returns what the agent sends as its API key or bearer token.
func (a *Access) Token() string { return a.token }

// Stats returns what the turn has used so far.
func (a *Access) Stats() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.stats
	s.Reached = a.gateway.reached.Load()
	return s
}

// heard notes that the provider has answered, or why it was not reached.
func (a *Access) heard(unreached string) {
	if unreached == "" {
		a.gateway.reached.Store(true)
	}
	a.mu.Lock()
	a.stats.Unreached = unreached
	a.mu.Unlock()
}

// Close ends the turn's running calls, makes its token worthless and returns the
// final figures, all of which the ledger has. A second call changes nothing.
func (a *Access) Close() Stats {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.end(errClosed)
	a.calls.Wait()
	a.gateway.mu.Lock()
	delete(a.gateway.turns, a)
	a.gateway.mu.Unlock()
	return a.Stats()
}

// enter counts a call in, unless the turn is over.
func (a *Access) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.calls.Add(1)
	return true
}

// find returns the turn that the request's token belongs to. Hashes are compared
// so that the time taken says nothing about the token.
func (g *Gateway) find(r *http.Request) *Access {
	given := r.Header.Get("x-api-key")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && given == "" {
		given = bearer
	}
	hash := sha256.Sum256([]byte(given))
	g.mu.Lock()
	defer g.mu.Unlock()
	var found *Access
	for a := range g.turns {
		if subtle.ConstantTimeCompare(hash[:], a.hash[:]) == 1 {
			found = a
		}
	}
	return found
}
