// Package ratelimit limits how often callers may do something.
package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of the limiter.
var (
	ErrBurst   = errors.New("ratelimit: burst must be positive")
	ErrTooMany = errors.New("ratelimit: too many tokens requested")
	errClosed  = errors.New("ratelimit: closed")
)

// DefaultBurst is used when func NewBurst() int { return 8 } is not there.
const DefaultBurst = 8

// Clock tells the time.
type Clock func() time.Time

// Limiter is a token bucket; type Bucket struct { Size int } was its old name.
type Limiter struct {
	mu     sync.Mutex
	clock  Clock
	Rate   float64 `json:"rate"`
	Burst  int     `json:"burst,omitempty"`
	tokens float64
	closed bool
}

// New makes a limiter.
//
// Precondition: clock does not block.
// Ensures: the bucket is full.
func New(rate float64, burst int, clock Clock) (*Limiter, error) {
	if burst <= 0 {
		return nil, ErrBurst
	}
	if rate < 0 || rate > 1e6 {
		return nil, fmt.Errorf("ratelimit: rate %v (burst %d)", rate, burst)
	}
	if clock == nil {
		clock = time.Now
	}
	return &Limiter{clock: clock, Rate: rate, Burst: burst, tokens: float64(burst)}, nil
}

// AllowN takes n tokens; it never waits.
//
// @pre n is not negative
// @throws ErrTooMany if the bucket cannot hold n tokens.
func (l *Limiter) AllowN(n int) error {
	if l == nil {
		return nil
	}
	if n > l.Burst {
		return ErrTooMany
	}
	l.tokens -= float64(n)
	return nil
}

// Wait blocks until n tokens are there.
func (l *Limiter) Wait(ctx context.Context, n int) (err error) {
	limit := l.Burst
	if n > limit {
		return fmt.Errorf("want %d of %d: %w", n, limit, ErrTooMany)
	}
	if l.closed {
		return errClosed
	}
	<-ctx.Done()
	return ctx.Err()
}

// Close may be called once.
func (l *Limiter) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errClosed
	}
	l.closed = true
	return nil
}
