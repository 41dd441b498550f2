package report

import (
	"fmt"
	"time"

	"github.com/jacquard-build/jacquard/internal/step"
)

// Cost says what was spent; what nobody could measure is called unknown.
func Cost(l Lang, u step.Usage) string {
	tokens := u.Input + u.Output + u.CacheRead + u.CacheWrite
	if tokens == 0 && u.Known {
		return l.T("no tokens")
	}
	if !u.Known && u.USD == 0 {
		return fmt.Sprintf(l.T("%s tokens, cost unknown"), Short(tokens))
	}
	return fmt.Sprintf(l.T("%s tokens, $%.2f"), Short(tokens), u.USD)
}

// spent is what a run has cost that is known, and what calls that were cut off can have cost besides.
func (r *Run) spent(l Lang) string {
	u := r.Usage
	if !u.Known || r.Unsure.Input == 0 && r.Unsure.USD == 0 {
		return Cost(l, u)
	}
	return fmt.Sprintf(l.T("%s; with calls that were cut off at most %s"), Cost(l, u), Cost(l, u.Add(r.Unsure)))
}

// Short writes a number with at most four signs: 999, 12k, 3.4M.
func Short(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Size writes a number of bytes as people read it: 812 B, 12 kB, 3.4 MB, 1.2 GB.
func Size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// Took writes a duration as people read it: 0.4s, 12s, 3m05s, 1h02m.
func Took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
