package gateway

import (
	"context"
	"fmt"
)

// Amount is money and tokens. In a limit, zero means that there is none.
type Amount struct {
	MicroUSD int64 // millionths of a US dollar
	Tokens   int64 // input (cached or not) and output together
}

func (a Amount) plus(b Amount) Amount {
	return Amount{a.MicroUSD + b.MicroUSD, a.Tokens + b.Tokens}
}

func (a Amount) minus(b Amount) Amount {
	return Amount{a.MicroUSD - b.MicroUSD, a.Tokens - b.Tokens}
}

// String returns for example "$1.25 or 40000 tokens".
func (a Amount) String() string {
	return fmt.Sprintf("$%.4f or %d tokens", float64(a.MicroUSD)/1e6, a.Tokens)
}

// Ledger keeps spend where a crash cannot lose it.
type Ledger interface {
	// Reserve stores durably, before the call is made, that call n of the turn may
	// cost up to most. An error refuses the call; its text is shown to the agent.
	Reserve(ctx context.Context, turn string, n int, most Amount) error
	// Settle replaces the reservation by what the call has cost. A reservation
	// that is never settled counts in full.
	Settle(ctx context.Context, turn string, n int, spent Amount) error
}

// bytesPerToken is on the low side for JSON and source text, so that the
// estimate of a request is on the high side.
const bytesPerToken = 3

// estimate returns the most that the call can cost: all input new and written to
// the cache, all output used.
func estimate(c *call, p Price) Amount {
	return p.amount(Usage{CacheWrite: int64(len(c.body)/bytesPerToken + 1), Output: int64(c.req.MaxTokens)})
}

// The beginnings of what the gateway says when a turn may ask no more.
const (
	overBudget = "jacquard budget: "
	overCalls  = "jacquard turns: "
)

// reserve sets most aside for a call and returns the call's number. It refuses
// when the turn has asked often enough, and when its grant is used up or does not
// cover the call.
func (a *Access) reserve(ctx context.Context, l Ledger, most Amount) (int, error) {
	a.mu.Lock()
	if s := a.stats; a.turn.Calls > 0 && s.Requests-s.Failures-s.Limits >= a.turn.Calls {
		a.mu.Unlock()
		return 0, fmt.Errorf("%sthe turn may call its model %d times", overCalls, a.turn.Calls)
	}
	used := a.stats.Spent.plus(a.reserved)
	grant := a.turn.Grant
	if err := covers(grant, used, most); err != nil {
		a.mu.Unlock()
		return 0, fmt.Errorf("%s%w", overBudget, err)
	}
	a.next++
	n := a.next
	a.reserved = a.reserved.plus(most)
	a.mu.Unlock()
	if l == nil {
		return n, nil
	}
	if err := l.Reserve(ctx, a.turn.ID, n, most); err != nil {
		a.mu.Lock()
		a.reserved = a.reserved.minus(most)
		a.mu.Unlock()
		return 0, fmt.Errorf("%s%w", overBudget, err)
	}
	return n, nil
}

func covers(grant, used, most Amount) error {
	over := func(limit, used, most int64) bool { return limit > 0 && (used >= limit || used+most > limit) }
	usd := func(micro int64) float64 { return float64(micro) / 1e6 }
	if over(grant.MicroUSD, used.MicroUSD, most.MicroUSD) {
		return fmt.Errorf("this call may cost $%.2f; of $%.2f, $%.2f are used or set aside", usd(most.MicroUSD), usd(grant.MicroUSD), usd(used.MicroUSD))
	}
	if over(grant.Tokens, used.Tokens, most.Tokens) {
		return fmt.Errorf("this call may need %d tokens; of %d, %d are used or set aside", most.Tokens, grant.Tokens, used.Tokens)
	}
	return nil
}

func (a *Access) settle(ctx context.Context, l Ledger, n int, most, spent Amount) {
	a.mu.Lock()
	a.reserved = a.reserved.minus(most)
	a.mu.Unlock()
	if l == nil {
		return
	}
	// The agent may be gone, its spend is not.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if err := l.Settle(ctx, a.turn.ID, n, spent); err != nil {
		// The reservation stays in the ledger and counts in full: safe, and
		// the ledger's own next call reports what is wrong with it.
		return
	}
}
