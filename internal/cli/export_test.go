package cli

import (
	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Commands is the root of all commands.
func Commands() *cobra.Command { return newRoot(&app{}) }

// Paragraphs takes a long text of help apart, as it is looked up in the table of Korean.
func Paragraphs(text string) []string { return paragraphs(text) }

// TaskOf takes the arguments of auto apart, with --gmail as given.
func TaskOf(gmail string, args []string) (query, task string, wants step.Wanted, err error) {
	f := autoFlags{gmail: gmail}
	task, err = f.taskOf(args)
	return f.gmail, task, f.wants, err
}

// Reason is what an agent is told of a judgement by the Stop hook. env are variables, of which some hold secrets.
func Reason(env map[string]string, j act.Judged) string {
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return (&app{Streams: Streams{Env: list}, env: env}).reason(j)
}

// MostReason is how many bytes that has at most.
const MostReason = mostReason
