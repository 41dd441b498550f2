package proc

import (
	"fmt"
	"os"
	"os/exec"
)

// Detach starts a program that goes on when this one ends: it leads a session of its own, has no input, and prints to a file. ended is closed
// when it has ended, as far as this program is there to see it.
func Detach(argv []string, dir string, env []string, out *os.File) (ended <-chan struct{}, _ error) {
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:gosec,noctx // it is this program, and nobody waits for it
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, out, out
	configure(cmd)
	if err := started(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], classify(err))
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		over("", cmd.Process.Pid)
		close(done)
	}()
	return done, nil
}
