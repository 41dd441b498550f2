package step_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// TestSeats tells who does a turn: what the workflow asks, what is configured, and what the run is started with.
func TestSeats(t *testing.T) {
	t.Parallel()
	claude, opus, codex := step.Seat{Agent: "claude"}, step.Seat{Agent: "claude", Model: "opus"}, step.Seat{Agent: "codex", Model: "gpt-5.5"}
	tiers := map[string]string{step.Low: "haiku", step.Medium: "sonnet", step.High: "codex/gpt-6.1-sol"}
	for name, tt := range map[string]struct {
		seats       step.Seats
		role, asked string
		want        string
	}{
		"nothing is said":                           {step.Seats{Run: claude}, "green", "", "claude"},
		"nothing is said, with a model":             {step.Seats{Run: opus}, "green", "", "claude/opus"},
		"a tier that nobody has named":              {step.Seats{Run: opus}, "estimate", step.Low, "claude/opus"},
		"a tier":                                    {step.Seats{Run: opus, Tiers: tiers}, "estimate", step.Low, "claude/haiku"},
		"no tier is asked for: medium":              {step.Seats{Run: opus, Tiers: tiers}, "green", "", "claude/sonnet"},
		"a tier of another agent":                   {step.Seats{Run: opus, Tiers: tiers}, "design", step.High, "codex/gpt-6.1-sol"},
		"one tier of three":                         {step.Seats{Run: claude, Tiers: map[string]string{step.High: "opus"}}, "design", step.Low, "claude"},
		"a model's name is of the run's agent":      {step.Seats{Run: codex, Tiers: tiers}, "estimate", step.Low, "codex/haiku"},
		"a role's tier before what is asked":        {step.Seats{Run: opus, Tiers: tiers, Roles: map[string]string{"reviewer": step.Low}}, "reviewer", step.High, "claude/haiku"},
		"a role's seat":                             {step.Seats{Run: opus, Tiers: tiers, Roles: map[string]string{"reviewer": "codex/gpt-6.1-sol"}}, "reviewer", "", "codex/gpt-6.1-sol"},
		"another role's seat":                       {step.Seats{Run: opus, Tiers: tiers, Roles: map[string]string{"reviewer": "codex/gpt-6.1-sol"}}, "critic", "", "claude/sonnet"},
		"a role's model":                            {step.Seats{Run: codex, Roles: map[string]string{"reviewer": "gpt-6-luna"}}, "reviewer", "", "codex/gpt-6-luna"},
		"a role's agent, with its own default":      {step.Seats{Run: opus, Roles: map[string]string{"reviewer": "codex"}}, "reviewer", "", "codex"},
		"the run's agent, with the run's model":     {step.Seats{Run: opus, Tiers: tiers, Roles: map[string]string{"reviewer": "claude"}}, "reviewer", "", "claude/opus"},
		"a seat that is asked for before the role":  {step.Seats{Run: opus, Roles: map[string]string{"design": "haiku"}}, "design", "codex/gpt-6.1-sol", "codex/gpt-6.1-sol"},
		"a model with a stroke is no agent":         {step.Seats{Run: claude}, "design", "vertex/opus", "claude/vertex/opus"},
		"a model with two strokes":                  {step.Seats{Run: claude}, "design", "codex/openai/gpt", "codex/openai/gpt"},
		"a scripted run is scripted in all turns":   {step.Seats{Run: step.Seat{Agent: step.Scripted}, Tiers: tiers}, "design", step.High, "scripted/gpt-6.1-sol"},
		"a scripted run, and an agent of the panel": {step.Seats{Run: step.Seat{Agent: step.Scripted}}, "design", "codex", "scripted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.seats.Of(tt.role, tt.asked).String(); got != tt.want {
				t.Errorf("%s, asked for %q: %s, want %s", tt.role, tt.asked, got, tt.want)
			}
		})
	}
}

// TestSeatsAgents is which agents have to be there.
func TestSeatsAgents(t *testing.T) {
	t.Parallel()
	opus := step.Seat{Agent: "claude", Model: "opus"}
	for name, tt := range map[string]struct {
		seats step.Seats
		more  []string
		want  string
	}{
		"nothing is said": {step.Seats{Run: opus}, nil, "[claude]"},
		"models only":     {step.Seats{Run: opus, Tiers: map[string]string{step.Low: "haiku"}, Roles: map[string]string{"critic": step.High, "plan": "sonnet"}}, []string{"haiku"}, "[claude]"},
		"a role":          {step.Seats{Run: opus, Roles: map[string]string{"reviewer": "codex/gpt-6.1-sol"}}, nil, "[claude codex]"},
		"a tier":          {step.Seats{Run: opus, Tiers: map[string]string{step.Low: "codex"}}, nil, "[claude codex]"},
		"the panel":       {step.Seats{Run: step.Seat{Agent: "codex"}}, []string{"codex", "claude/opus"}, "[codex claude]"},
		"scripted":        {step.Seats{Run: step.Seat{Agent: step.Scripted}, Roles: map[string]string{"reviewer": "codex"}}, []string{"claude"}, "[scripted]"},
	} {
		if got := fmt.Sprint(tt.seats.Agents(tt.more...)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestRolesAreSorted(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(step.Roles()) {
		t.Error("the roles are not sorted")
	}
}
