package agent

import (
	"context"
	"strings"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// Shell returns a function that runs command lines for scenario.Play in the
// environment env, which is that of the scripted agent. What a command leaves
// behind keeps the mark of the turn, as with any agent, so that the driver of the
// turn finds it.
func Shell(env []string) func(ctx context.Context, dir, line string) ([]byte, int, error) {
	mark := ""
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, proc.MarkName+"="); ok {
			mark = value
		}
	}
	return func(ctx context.Context, dir, line string) ([]byte, int, error) {
		// Given as the command's own mark, it would end the agent that carries it too.
		script := proc.MarkName + `="$1"; export ` + proc.MarkName + `; eval "$2"`
		res, err := proc.Run(ctx, proc.Command{Argv: []string{"sh", "-c", script, "sh", mark, line}, Dir: dir, Env: env})
		return []byte(res.Stdout.Text + res.Stderr.Text), res.Exit, err
	}
}
