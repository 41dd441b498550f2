package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Interactive runs a program for the person at the terminal, such as an editor: it has the process's own input and
// output, and is waited for. The error says how it ended, when that was not with 0.
func Interactive(ctx context.Context, argv []string, dir string, env []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // the person has chosen it
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := started(cmd)
	if err == nil {
		err = cmd.Wait()
		over("", cmd.Process.Pid)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", argv[0], err)
	}
	return nil
}

// started starts a command of no turn as a child that is known.
func started(cmd *exec.Cmd) error {
	return begin("", func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	})
}
