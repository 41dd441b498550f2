package flowtest

import (
	"sync"
	"time"
)

// Clock is a clock that stands still until it is advanced. It is safe for
// concurrent use.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	waiters []waiter
}

type waiter struct {
	at time.Time
	ch chan time.Time
}

// NewClock makes a clock that shows a time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After sends when the clock has been advanced to a time.
func (c *Clock) After(t time.Time) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if !t.After(c.now) {
		ch <- c.now
		return ch
	}
	c.waiters = append(c.waiters, waiter{t, ch})
	return ch
}

// Advance moves the clock forward and tells whoever waits.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	rest := c.waiters[:0]
	for _, w := range c.waiters {
		if w.at.After(c.now) {
			rest = append(rest, w)
			continue
		}
		w.ch <- c.now
	}
	c.waiters = rest
}

// Waiting is how often exactly a time was waited for that has not come.
func (c *Clock) Waiting(t time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, w := range c.waiters {
		if w.at.Equal(t) {
			n++
		}
	}
	return n
}
