package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	codexInstallHint = "install the Codex CLI with: npm install -g @openai/codex"
	codexLogInHint   = "set OPENAI_API_KEY, or log in with: codex login"
)

// Detect asks the program for its version, whether it can make its sandbox here,
// and on whose account it would work; see Claude.Detect.
func (c *Codex) Detect(ctx context.Context, auth Auth, hasKey bool, env []string, dir string) Found {
	version, problem := versionOf(ctx, env, dir, c.program, "codex-cli ", codexInstallHint)
	if problem.Class != OK {
		return Found{Problem: problem}
	}
	if err := c.confines(ctx, env, dir); err != nil {
		return Found{Version: version, Problem: Outcome{Class: Environment, Message: err.Error()}}
	}
	found := account(version, auth, hasKey, codexLogInHint)
	if found.Auth == Key {
		return found
	}
	if text, err := ask(ctx, env, dir, c.program, "login", "status"); err != nil {
		found.Problem = Outcome{Class: AuthFailed, Message: "not logged in to Codex; " + codexLogInHint}
	} else {
		found.Pays = strings.TrimSpace("the login of Codex " + shorten(text, 200))
	}
	return found
}

// confines tries the program's sandbox. Where the operating system does not let it
// make one, every command of an agent would fail; an error says what to do.
func (c *Codex) confines(ctx context.Context, env []string, dir string) error {
	home, err := os.MkdirTemp("", "jacquard-codex-")
	if err != nil {
		return fmt.Errorf("try the sandbox of codex: %w", err)
	}
	defer func() { _ = os.RemoveAll(home) }() // nothing of it is needed
	// Below a temporary directory it puts no links to its helpers, and then a bwrap of the system does not find them.
	env = environment(env, map[string]string{"CODEX_HOME": home, "TMPDIR": filepath.Join(home, "tmp")}, true)
	if _, err := ask(ctx, env, dir, c.program, "sandbox", "-c", `sandbox_mode="read-only"`, "--", "true"); err != nil {
		return errors.New(noSandbox(err.Error()))
	}
	return nil
}
