package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// output runs a program and returns its standard output.
func (f *field) output(dir, name string, args ...string) (string, error) {
	out, _, code, err := f.run(f.limit, dir, name, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s %s: exit %d", name, strings.Join(args, " "), code)
	}
	return out, err
}

// answers is the folder of what the scripted author applies. The sandbox of a turn lets it be read.
const answers = "answers"

// allow makes that folder, and says so in a configuration of its own.
func (f *field) allow() error {
	dir, config := filepath.Join(f.work, answers), filepath.Join(f.work, "config", "jacquard")
	return errors.Join(os.MkdirAll(dir, 0o755), os.MkdirAll(config, 0o755), os.WriteFile(filepath.Join(config, "sandbox.yaml"), []byte("read: ["+dir+"]\n"), 0o644))
}

// run runs a program with all that it starts, for at most so long. A program that ends with an exit code is no error.
func (f *field) run(limit time.Duration, dir, name string, args ...string) (out, errs string, code int, err error) {
	return f.runWith(nil, limit, dir, name, args...)
}

// runWith runs a program likewise, with more variables.
func (f *field) runWith(env []string, limit time.Duration, dir, name string, args ...string) (out, errs string, code int, err error) {
	ctx, cancel := context.WithTimeout(f.ctx, limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0")
	cmd.Env = append(cmd.Env, env...)
	if name == f.jacquard {
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+filepath.Join(f.work, "config"))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second
	err = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("%s took longer than %v", name, limit)
	case errors.As(err, &exit):
		code, err = exit.ExitCode(), nil
	}
	return stdout.String(), stderr.String(), code, err
}

func (f *field) git(dir string, args ...string) (string, error) {
	out, errs, code, err := f.run(f.limit, dir, "git", args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("git %s: %s", strings.Join(args, " "), first(errs))
	}
	return out, err
}
