package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/step"
)

// Standing says in a line how a command of the project stands before anything is changed.
func Standing(l Lang, s step.Standing) string {
	var b strings.Builder
	b.WriteString(s.Command)
	if s.Dir != "." {
		fmt.Fprintf(&b, l.T(" in %s"), s.Dir)
	}
	if s.From != "" {
		fmt.Fprintf(&b, " (%s)", s.From)
	}
	b.WriteString(": ")
	switch {
	case s.Text == step.NoTests:
		b.WriteString(l.T("there is no test yet"))
	case s.State == step.Missing, s.State == step.Useless, s.State == step.Fails && s.Tests+s.Skipped == 0 && s.Level == "" && s.Old == 0:
		b.WriteString(s.Text)
	case s.Purpose == "test" && s.Level != "":
		b.WriteString(verdict(l, s.State) + ", ")
		if s.State == step.Passes && s.Text != "" {
			fmt.Fprintf(&b, l.T("judged by exit code only, because %s"), s.Text)
		} else {
			b.WriteString(l.T("judged by exit code only, because it reports no individual tests"))
		}
	case s.Purpose == "test":
		fmt.Fprint(&b, Countf(l.T("%d tests, %d failed, %d skipped"), s.Tests, s.Failed, s.Skipped))
	case s.State == step.Fails && s.Old > 0:
		fmt.Fprint(&b, Countf(l.T("%d existing findings, reported but not counted against the change"), s.Old))
		if s.Purpose == "build" {
			b.WriteString("; " + s.Text)
		}
	default:
		b.WriteString(verdict(l, s.State))
	}
	if s.Failed > 0 && s.State == step.Fails {
		b.WriteString("; " + s.Text)
	}
	text := strings.TrimSuffix(b.String(), ".")
	if took := (time.Duration(s.Millis) * time.Millisecond).Round(100 * time.Millisecond); took > 0 {
		text += fmt.Sprintf(", %s", took)
	}
	return text + Cached(l, s.Reused)
}

func verdict(l Lang, v step.Verdict) string {
	if v == step.Passes {
		return l.T("passes")
	}
	return l.T("fails")
}
