package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Amount is money and tokens. In a limit, zero means that there is none.
type Amount struct {
	MicroUSD int64 // millionths of a US dollar
	Tokens   int64 // input (cached or not) and output together
}

// Plus is the sum of two amounts.
func (a Amount) Plus(b Amount) Amount {
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
	// With a *Short the call is asked for again: with less output, or when one that runs has ended.
	Reserve(ctx context.Context, turn string, n int, most Amount) error
	// Settle replaces the reservation by what the call has cost. A reservation
	// that is never settled counts in full.
	Settle(ctx context.Context, turn string, n int, spent Amount) error
}

// bytesPerToken is on the low side for JSON and source text, so that the
// estimate of a request is on the high side.
const bytesPerToken = 3

// tokens is how many the request has at most.
func (c *call) tokens() int64 { return int64(len(c.body)/bytesPerToken + 1) }

// count answers for a provider that is not there how many tokens the request has.
func (c *call) count(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, map[string]int64{"input_tokens": c.tokens()})
}

// estimate returns the most that the call can cost: all input new and written to
// the cache, all output used.
func estimate(c *call, p price) Amount {
	return p.amount(Usage{CacheWrite: c.tokens(), Output: int64(c.req.MaxTokens)})
}

// The beginnings of what the gateway says when a turn may ask no more.
const (
	overBudget = "jacquard budget: "
	overCalls  = "jacquard turns: "
)

// Short is the error of a call that what is left does not cover.
type Short struct {
	Left Amount // what can be set aside now; a part without a limit is very large
	// Settled is closed when a call that runs has been settled, which may leave more; nil when none runs.
	Settled <-chan struct{}
	Text    string
}

// Error says what the call needs and what there is.
func (s *Short) Error() string { return s.Text }

// unlimited is a part of Short.Left that has no limit.
const unlimited = math.MaxInt64 / 4

// With less output than this a call is not worth making; when others run, one waits rather than to ask for less than the second.
const (
	leastOutput  = 4 << 10
	enoughOutput = 32 << 10
)

// admit sets aside what a call may cost. While calls that run hold what it needs, it waits for them; when none does, the call may say
// less than it asked for: as much as is left pays for.
func (g *Gateway) admit(ctx context.Context, c *call, p price) (n int, most Amount, err error) {
	asked := c.req.MaxTokens
	for {
		most = estimate(c, p)
		n, err = c.access.reserve(ctx, g.opt.Ledger, most)
		short, ok := errors.AsType[*Short](err)
		if !ok {
			return n, most, err
		}
		fits := p.output(c.tokens(), short.Left)
		switch enough, least := min(enoughOutput, asked), min(max(leastOutput, c.req.Thinking.Budget+1024), asked); {
		case fits >= enough, short.Settled == nil && fits >= least:
			c.req.MaxTokens = min(fits, c.req.MaxTokens-1)
		case short.Settled == nil:
			return 0, most, err
		default:
			c.req.MaxTokens = asked
			select {
			case <-short.Settled:
			case <-ctx.Done():
				return 0, most, context.Cause(ctx)
			}
		}
		if c.req.MaxTokens < asked {
			c.lowered = withOutput(c.body, c.wire.output, c.req.MaxTokens)
		} else {
			c.lowered = nil
		}
	}
}

// withOutput is a request with another limit of its output.
func withOutput(body []byte, key string, limit int) []byte {
	value := strconv.Itoa(limit)
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return body
	}
	first := dec.InputOffset()
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return body
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return body
		}
		if end := dec.InputOffset(); name == key {
			return slices.Concat(body[:end-int64(len(raw))], []byte(value), body[end:])
		}
	}
	return slices.Concat(body[:first], []byte(strconv.Quote(key)+":"+value+","), body[first:])
}

// output is how many tokens of output are paid for by what is left, beside the input.
func (p price) output(input int64, left Amount) int {
	fits := left.Tokens - input
	if p.Output > 0 {
		fits = min(fits, int64(float64(left.MicroUSD-p.amount(Usage{CacheWrite: input}).MicroUSD)/p.Output))
	}
	return int(max(0, min(fits, maxOutput)))
}

// reserve sets most aside for a call and returns the call's number. It refuses
// when the turn has asked often enough, and when its grant is used up or does not
// cover the call.
func (a *Access) reserve(ctx context.Context, l Ledger, most Amount) (int, error) {
	a.mu.Lock()
	if s := a.stats; a.turn.Calls > 0 && s.Requests-s.Failures-s.Limits >= a.turn.Calls {
		a.mu.Unlock()
		return 0, fmt.Errorf("%sthe turn may call its model %d times", overCalls, a.turn.Calls)
	}
	used := a.stats.Spent.Plus(a.reserved)
	if err := Covers(a.turn.Grant, used, most); err != nil {
		short := &Short{Left: a.turn.Grant.Left(used), Text: overBudget + err.Error()}
		if a.running > 0 {
			short.Settled = a.settled
		}
		a.mu.Unlock()
		return 0, short
	}
	a.next++
	n := a.next
	a.hold(most, 1)
	a.mu.Unlock()
	if l == nil {
		return n, nil
	}
	if err := l.Reserve(ctx, a.turn.ID, n, most); err != nil {
		a.mu.Lock()
		a.hold(Amount{}.minus(most), -1)
		a.mu.Unlock()
		return 0, fmt.Errorf("%s%w", overBudget, err)
	}
	return n, nil
}

// hold changes what is set aside and for how many calls. Whoever waits is told of less.
func (a *Access) hold(more Amount, calls int) {
	a.reserved = a.reserved.Plus(more)
	a.running += calls
	if calls < 0 {
		close(a.settled)
		a.settled = make(chan struct{})
	}
}

// Left is what a limit leaves of what is used; a part without a limit is very large.
func (a Amount) Left(used Amount) Amount {
	of := func(limit, used int64) int64 {
		if limit == 0 {
			return unlimited
		}
		return max(0, limit-used)
	}
	return Amount{MicroUSD: of(a.MicroUSD, used.MicroUSD), Tokens: of(a.Tokens, used.Tokens)}
}

// Covers is an error that says why a budget has no room for a call that can take most. It has the one comparison of every limit: what is
// used up refuses also a call that takes nothing.
func Covers(budget, used, most Amount) error {
	over := func(limit, used, most int64) bool { return limit > 0 && (used >= limit || used+most > limit) }
	dollars := func(micro int64) string { return fmt.Sprintf("$%.2f", float64(micro)/1e6) }
	refused := func(call, limit, used string) error {
		if most == (Amount{}) {
			return fmt.Errorf("the budget is %s, and %s of it is spent, or held for calls without a result", limit, used)
		}
		return fmt.Errorf("this call could %s, but the budget is %s and %s of it is spent, or held for calls without a result", call, limit, used)
	}
	if over(budget.MicroUSD, used.MicroUSD, most.MicroUSD) {
		return refused("cost up to "+dollars(most.MicroUSD), dollars(budget.MicroUSD), dollars(used.MicroUSD))
	}
	if over(budget.Tokens, used.Tokens, most.Tokens) {
		return refused(fmt.Sprintf("need up to %d tokens", most.Tokens), fmt.Sprint(budget.Tokens), fmt.Sprint(used.Tokens))
	}
	return nil
}

// whatCallTakes is how Covers says what a call can take.
var whatCallTakes = re.New(`this call could (?:cost up to \$([0-9.]+)|need up to ([0-9]+) tokens), but the budget is`)

// Refused is what the call could take that was refused with a text of Covers; zero where the text names no call.
func Refused(text string) (most Amount) {
	if m := whatCallTakes().FindStringSubmatch(text); m != nil {
		dollars, _ := strconv.ParseFloat(m[1], 64) // one of the two is empty, and stays 0
		most.MicroUSD = int64(math.Round(dollars * 1e6))
		most.Tokens, _ = strconv.ParseInt(m[2], 10, 64)
	}
	return most
}

func (a *Access) settle(ctx context.Context, l Ledger, n int, most, spent Amount) {
	a.mu.Lock()
	a.hold(Amount{}.minus(most), -1)
	a.mu.Unlock()
	if l == nil {
		return
	}
	// The agent may be gone, its spend is not.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	// Where that fails, the reservation stays in the ledger and counts in full: safe, and
	// the ledger's own next call reports what is wrong with it.
	_ = l.Settle(ctx, a.turn.ID, n, spent)
}
