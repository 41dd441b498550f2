package act

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// watch passes on what an agent does: as a sign of life, and for the screen.
func (a *Actor) watch(j flow.Job) func(agent.Event) {
	session := ""
	return func(e agent.Event) {
		session = cmp.Or(e.Session, session)
		text := e.Text
		if e.Kind == agent.ToolStart {
			text = about(e.Input)
		}
		j.Beat(step.Heard{Kind: string(e.Kind), Tool: e.Tool, Text: clip(a.redacted(text), 200), Session: session})
	}
}

// checkerFor is the Checker of a step, which says for the screen what it runs. That is no sign of life: a check with which its driver
// has died thrice is not begun again.
func (a *Actor) checkerFor(j flow.Job) (*check.Checker, error) {
	c, err := a.checker(j.Run)
	if err != nil || a.o.Progress == nil {
		return c, err
	}
	c.Tell(func(what string) {
		raw, err := json.Marshal(step.Heard{Kind: step.HeardCommand, Text: clip(a.redacted(what), 200)})
		if err == nil {
			a.o.Progress(flow.Event{Run: j.Run, At: a.o.Now(), Type: flow.EventProgress, Key: j.Key, Branch: j.Branch, Data: raw})
		}
	})
	return c, nil
}

// about is what a call of a tool concerns: a file, a command, what is looked for.
func about(input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil {
		return ""
	}
	for _, name := range []string{"command", "file_path", "path", "filePath", "notebook_path", "pattern", "query", "url", "input", "description"} {
		switch v := fields[name].(type) {
		case string:
			return v
		case []any:
			return strings.Join(step.Each(v, func(word any) string { return fmt.Sprint(word) }), " ")
		}
	}
	return ""
}
