package act

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Ledger is what a run may spend and has spent, in a file that is appended to
// and synced before each call goes out. A reservation without an end counts
// in full: the call may have been made.
type Ledger struct {
	mu     sync.Mutex
	f      *os.File
	budget step.Budget               // the newest
	given  map[step.Budget]bool      // all that the run has had
	open   map[string]gateway.Amount // reservations without an end
	spent  gateway.Amount
	// live are the reservations of calls that run now, which will be settled; settled is closed and made anew when one is.
	live    map[string]bool
	settled chan struct{}
}

var _ gateway.Ledger = (*Ledger)(nil)

type entry struct {
	Budget *step.Budget `json:"budget,omitempty"` // a new budget; then nothing else is set

	Turn   string `json:"turn"`
	Call   int    `json:"call"`
	End    bool   `json:"end,omitempty"`
	Micro  int64  `json:"micro_usd"`
	Tokens int64  `json:"tokens"`
}

// OpenLedger opens or makes the ledger file of a run. A budget that the file
// does not know yet is the run's from now on.
func OpenLedger(path string, b step.Budget) (*Ledger, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	l := &Ledger{f: f, given: map[step.Budget]bool{}, open: map[string]gateway.Amount{}, live: map[string]bool{}, settled: make(chan struct{})}
	if err = l.read(); err == nil {
		err = l.give(b)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// Account is what a ledger says of a run.
type Account struct {
	// Spent is what calls have cost, also those of turns that were cut or cancelled. Reserved is the most that calls can cost which have not
	// ended, or whose process died.
	Spent, Reserved gateway.Amount
	Budget          step.Budget // the newest
}

// AccountOf reads a run's ledger file. A run without one has called no model through a gateway.
func AccountOf(path string) (Account, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return Account{}, nil
	}
	if err != nil {
		return Account{}, fmt.Errorf("open the ledger: %w", err)
	}
	l := &Ledger{f: f, given: map[step.Budget]bool{}, open: map[string]gateway.Amount{}}
	err = l.read()
	used := l.used()
	a := Account{Spent: l.spent, Reserved: gateway.Amount{MicroUSD: used.MicroUSD - l.spent.MicroUSD, Tokens: used.Tokens - l.spent.Tokens}, Budget: l.budget}
	return a, errors.Join(err, f.Close())
}

// read takes in what the file has. A torn last line was never acted on.
func (l *Ledger) read() error {
	sc := bufio.NewScanner(l.f)
	for sc.Scan() {
		var e entry
		if json.Unmarshal(bytes.TrimSpace(sc.Bytes()), &e) == nil {
			l.apply(e)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	return nil
}

// give takes the budget that a turn came with. One that the run has not had
// yet was set by a person and replaces the others; turns that were asked for
// before still come with the old one, which changes nothing.
func (l *Ledger) give(b step.Budget) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.given[b] {
		return nil
	}
	return l.write(entry{Budget: &b})
}

// Rebudget makes b the budget of a run that nobody drives, lower or higher than before; first is what it began with. Turns that come with an
// older one do not change it.
func Rebudget(path string, first, b step.Budget) error {
	l, err := OpenLedger(path, first)
	if err != nil {
		return err
	}
	return errors.Join(l.write(entry{Budget: &b}), l.Close())
}

// Budget is what the run may spend in all.
func (l *Ledger) Budget() step.Budget {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.budget
}

func (l *Ledger) apply(e entry) {
	if e.Budget != nil {
		l.budget, l.given[*e.Budget] = *e.Budget, true
		return
	}
	id := callID(e.Turn, e.Call)
	a := gateway.Amount{MicroUSD: e.Micro, Tokens: e.Tokens}
	if !e.End {
		l.open[id] = a
		return
	}
	delete(l.open, id)
	l.spent.MicroUSD += a.MicroUSD
	l.spent.Tokens += a.Tokens
}

func callID(turn string, n int) string { return fmt.Sprintf("%s#%d", turn, n) }

func (l *Ledger) write(e entry) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	// The newline comes first as well: it ends a line that a crash has torn.
	if _, err := l.f.Write(append(append([]byte("\n"), raw...), '\n')); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	l.apply(e)
	return nil
}

// Reserve refuses a call that could exceed what is left of the run's budget, with a *gateway.Short.
func (l *Ledger) Reserve(_ context.Context, turn string, n int, most gateway.Amount) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.covers(most); err != nil {
		short := &gateway.Short{Left: l.limit().Left(l.used()), Text: err.Error()}
		if len(l.live) > 0 {
			short.Settled = l.settled
		}
		return short
	}
	l.live[callID(turn, n)] = true
	return l.write(entry{Turn: turn, Call: n, Micro: most.MicroUSD, Tokens: most.Tokens})
}

// Settle replaces a reservation by what was spent.
func (l *Ledger) Settle(_ context.Context, turn string, n int, spent gateway.Amount) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.live, callID(turn, n))
	defer func() {
		close(l.settled)
		l.settled = make(chan struct{})
	}()
	return l.write(entry{Turn: turn, Call: n, End: true, Micro: spent.MicroUSD, Tokens: spent.Tokens})
}

// used is what the run has used, open reservations included.
func (l *Ledger) used() gateway.Amount {
	sum := l.spent
	for _, a := range l.open {
		sum.MicroUSD += a.MicroUSD
		sum.Tokens += a.Tokens
	}
	return sum
}

// covers reports whether the budget has room for a call.
func (l *Ledger) covers(most gateway.Amount) error {
	return gateway.Covers(l.limit(), l.used(), most)
}

// limit is the budget as an amount.
func (l *Ledger) limit() gateway.Amount {
	return gateway.Amount{MicroUSD: int64(l.budget.USD * 1e6), Tokens: l.budget.Tokens}
}

// Left refuses a turn when nothing is left; agents without a gateway are
// stopped here only.
func (l *Ledger) Left() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.covers(gateway.Amount{})
}

// Close closes the file.
func (l *Ledger) Close() error { return l.f.Close() }
