package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

var budgetForm = re.New(`^(?i)\$?([0-9]+(?:\.[0-9]+)?)\s*(usd|\$|ktok|mtok|tok|)$`)

// mostTokens is more than any account has, and still a number that can be added to; mostUSD is a slip of the hand too, and less than
// leastUSD would be shown as nothing.
const (
	mostTokens = 1e15
	leastUSD   = 0.01
	mostUSD    = 1e6
)

// parseBudget reads 5usd, 0.50usd, 200ktok, 2Mtok.
func parseBudget(s string) (step.Budget, error) {
	m := budgetForm().FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return step.Budget{}, usage("budget %q: must be an amount such as 5, $5, 5usd or 2Mtok", s)
	}
	v, _ := strconv.ParseFloat(m[1], 64) // what is too large for a number is infinite
	scale := map[string]float64{"tok": 1, "ktok": 1e3, "mtok": 1e6}[strings.ToLower(m[2])]
	if scale == 0 {
		if v < leastUSD || v > mostUSD {
			return step.Budget{}, usage("budget %q: must be between $%.2f and $%.0f", s, leastUSD, mostUSD)
		}
		return step.Budget{USD: v}, nil
	}
	if v *= scale; v < 1 || v > mostTokens { // 0 would be no limit
		return step.Budget{}, usage("budget %q: must be between 1 and %.0e tokens", s, float64(mostTokens))
	}
	return step.Budget{Tokens: int64(v)}, nil
}

func budgetText(l report.Lang, b step.Budget) string {
	if b.Tokens > 0 {
		return fmt.Sprintf(l.T("%s tokens"), report.Short(b.Tokens))
	}
	return fmt.Sprintf("$%.2f", b.USD)
}

// mostUnasked is what a repository may have a run spend before a person has allowed it: the default, and about as much in tokens, most of
// which are read.
var mostUnasked = step.Budget{USD: 20, Tokens: 5e6}

// defaultBudget is finite on purpose: what nobody bounded is bounded here.
const defaultBudget = "20usd"
