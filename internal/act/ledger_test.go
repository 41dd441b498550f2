package act_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/step"
)

func open(t *testing.T, path string, b step.Budget) *act.Ledger {
	t.Helper()
	l, err := act.OpenLedger(path, b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestBudgetLimits: a call that would reach the limit exactly is let through,
// one over it is refused, and after the limit is reached nothing is.
func TestBudgetLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		budget step.Budget
		unit   gateway.Amount
	}{
		"dollars": {step.Budget{USD: 0.000010}, gateway.Amount{MicroUSD: 1}},
		"tokens":  {step.Budget{Tokens: 10}, gateway.Amount{Tokens: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, filepath.Join(t.TempDir(), "ledger"), c.budget)
			times := func(n int64) gateway.Amount {
				return gateway.Amount{MicroUSD: n * c.unit.MicroUSD, Tokens: n * c.unit.Tokens}
			}
			if err := l.Reserve(t.Context(), "r/a", 1, times(11)); err == nil {
				t.Error("limit + 1 was reserved")
			}
			if err := l.Reserve(t.Context(), "r/a", 1, times(9)); err != nil {
				t.Errorf("limit - 1 was refused: %v", err)
			}
			if err := l.Reserve(t.Context(), "r/a", 2, times(2)); err == nil {
				t.Error("a reservation over what is left was made")
			}
			if err := l.Settle(t.Context(), "r/a", 1, times(4)); err != nil {
				t.Fatal(err)
			}
			if err := l.Reserve(t.Context(), "r/b", 1, times(6)); err != nil {
				t.Errorf("exactly the limit was refused: %v", err)
			}
			if err := l.Left(); err == nil {
				t.Error("something is left at the limit")
			}
		})
	}
}

// TestLedgerSurvives: what was reserved and never settled counts in full after
// a crash, and a line that the crash has torn is as if it had not been begun.
func TestLedgerSurvives(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	l := open(t, path, step.Budget{Tokens: 100})
	if err := l.Reserve(t.Context(), "r/a", 1, gateway.Amount{Tokens: 30}); err != nil {
		t.Fatal(err)
	}
	if err := l.Reserve(t.Context(), "r/a", 2, gateway.Amount{Tokens: 40}); err != nil {
		t.Fatal(err)
	}
	if err := l.Settle(t.Context(), "r/a", 2, gateway.Amount{Tokens: 5, MicroUSD: 7}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"turn":"r/a","call":3,"tok`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := act.AccountOf(path)
	if err != nil || a.Spent != (gateway.Amount{Tokens: 5, MicroUSD: 7}) || a.Reserved != (gateway.Amount{Tokens: 30}) {
		t.Errorf("the account is %+v, %v", a, err)
	}
	again := open(t, path, step.Budget{Tokens: 100})
	if err := again.Reserve(t.Context(), "r/a", 4, gateway.Amount{Tokens: 65}); err != nil {
		t.Errorf("what is left was refused: %v", err)
	}
	if a, err = act.AccountOf(path); err != nil || a.Spent.Tokens+a.Reserved.Tokens != 100 {
		t.Errorf("the account is %+v, %v after the next opening, want 100 tokens: the torn line swallowed its successor", a, err)
	}
}

// TestLedgerBudget: a new budget replaces the old one for good, also when
// turns come that were asked for with the old one.
func TestLedgerBudget(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	first, raised := step.Budget{Tokens: 10}, step.Budget{USD: 3}
	for i, c := range []struct{ give, want step.Budget }{{first, first}, {raised, raised}, {first, raised}, {raised, raised}} {
		if got := open(t, path, c.give).Budget(); got != c.want {
			t.Errorf("opening %d with %v: budget = %v, want %v", i, c.give, got, c.want)
		}
		if a, err := act.AccountOf(path); err != nil || a.Budget != c.want {
			t.Errorf("opening %d with %v: the account says %v, %v", i, c.give, a.Budget, err)
		}
	}
}

// TestRebudget: the budget that a person gives counts from then on, also a lower one, one that the run has had before, and one of a run
// whose first turn has yet to come with what it began with. What is spent stays spent.
func TestRebudget(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	first := step.Budget{USD: 20}
	for _, b := range []step.Budget{{USD: 5}, {USD: 40}, first, {Tokens: 10}} {
		if err := act.Rebudget(path, first, b); err != nil {
			t.Fatal(err)
		}
		l := open(t, path, first)
		if got := l.Budget(); got != b {
			t.Errorf("the budget is %v, want %v", got, b)
		}
		if b.Tokens > 0 {
			continue
		}
		if err := l.Reserve(t.Context(), "r/a", 1, gateway.Amount{Tokens: 10}); err != nil {
			t.Errorf("a call is refused with %v: %v", b, err)
		}
	}
	if err := open(t, path, first).Left(); err == nil {
		t.Error("something is left of a budget that was spent before it was given")
	}
}

// TestLedgerSaysWhatIsLeft: while a call runs, what it may cost is held; one that needs it is told when the call has ended. A call of a
// process that died holds it for good, and nobody waits for it.
func TestLedgerSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, err := act.OpenLedger(path, step.Budget{Tokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Reserve(t.Context(), "r/a", 1, gateway.Amount{Tokens: 60}); err != nil {
		t.Fatal(err)
	}
	var short *gateway.Short
	if err := l.Reserve(t.Context(), "r/b", 1, gateway.Amount{Tokens: 60}); !errors.As(err, &short) || short.Left.Tokens != 40 || short.Settled == nil {
		t.Fatalf("got %v", err)
	}
	if err := l.Settle(t.Context(), "r/a", 1, gateway.Amount{Tokens: 10}); err != nil {
		t.Fatal(err)
	}
	<-short.Settled
	if err := l.Reserve(t.Context(), "r/b", 1, gateway.Amount{Tokens: 60}); err != nil {
		t.Fatal(err)
	}
	again, err := act.OpenLedger(path, step.Budget{Tokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Reserve(t.Context(), "r/c", 1, gateway.Amount{Tokens: 60}); !errors.As(err, &short) || short.Left.Tokens != 30 || short.Settled != nil {
		t.Errorf("after a crash: %v, %+v", err, short)
	}
}

// TestRefusedCall: what a call could take is read from what the ledger says when it refuses the call; what is used up names none.
func TestRefusedCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		budget     step.Budget
		most, want gateway.Amount
	}{
		"dollars":         {step.Budget{USD: 0.01}, gateway.Amount{MicroUSD: 2_604_000, Tokens: 9}, gateway.Amount{MicroUSD: 2_600_000}},
		"tokens":          {step.Budget{Tokens: 10}, gateway.Amount{MicroUSD: 5, Tokens: 123_456}, gateway.Amount{Tokens: 123_456}},
		"nothing is left": {step.Budget{Tokens: 10}, gateway.Amount{}, gateway.Amount{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, filepath.Join(t.TempDir(), "ledger"), c.budget)
			if err := l.Reserve(t.Context(), "r/a", 1, gateway.Amount{MicroUSD: 1, Tokens: 10}); err != nil {
				t.Fatal(err)
			}
			err := l.Reserve(t.Context(), "r/a", 2, c.most)
			if c.most == (gateway.Amount{}) {
				err = l.Left()
			}
			if err == nil || gateway.Refused("over budget: "+err.Error()) != c.want {
				t.Errorf("%v: the call could take %v, want %v", err, gateway.Refused("over budget: "+err.Error()), c.want)
			}
		})
	}
}
