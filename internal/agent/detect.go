package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
)

// Auth says on whose account an agent works.
type Auth string

// The kinds of accounts: a key or log-in token that the gateway puts in; the
// user's own log-in of the program, without the gateway; whichever there is, the
// key first.
const (
	Key   Auth = "key"
	Login Auth = "login"
	Auto  Auth = "auto"
)

const (
	detectTimeout = 30 * time.Second
	installHint   = "install Claude Code with: npm install -g @anthropic-ai/claude-code"
	logInHint     = "set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN to the output of: claude setup-token, or log in with: claude auth login"
)

// Found is what Detect found out.
type Found struct {
	Version string
	Auth    Auth   // Key or Login
	Pays    string // whose account it is, for people
	// Problem has the class OK, Environment or AuthFailed and says what to do.
	Problem Outcome
}

var versionLine = re.New(`^(\d+\.\d+\.\d+)`)

// Detect asks the program for its version and finds out on whose account it would
// work. hasKey says that there is a key or token for the gateway; env is the user's
// environment, which the program needs to know its log-in; dir is any directory.
func (c *Claude) Detect(ctx context.Context, auth Auth, hasKey bool, env []string, dir string) Found {
	version, problem := versionOf(ctx, env, dir, c.program, "", installHint)
	if problem.Class != OK {
		return Found{Problem: problem}
	}
	found := account(version, auth, hasKey, logInHint)
	if found.Auth == Key {
		return found
	}
	found.Pays, found.Problem = c.loggedIn(ctx, env, dir)
	return found
}

// versionOf is the version that a program prints, behind a name. Of one that does not say so it is told why, and how it is installed.
func versionOf(ctx context.Context, env []string, dir, program, name, hint string) (string, Outcome) {
	said, err := ask(ctx, env, dir, program, "--version")
	if err == nil {
		rest, named := strings.CutPrefix(said, name)
		if version := versionLine().FindString(rest); named && version != "" {
			return version, Outcome{Class: OK}
		}
		return "", Outcome{Class: Environment, Message: fmt.Sprintf("%s --version says %q; %s", program, shorten(said, 200), hint)}
	}
	message := err.Error()
	_, missing := os.Stat(program)
	switch start := new(fs.PathError); {
	case errors.Is(err, proc.ErrPermission):
		message = program + " is not executable: run chmod +x on it, or"
	case errors.Is(err, proc.ErrNotFound) && missing == nil:
		message = program + " can't be started, because the program that its first line names is missing: install that program, or"
	case errors.Is(err, proc.ErrNotFound):
		message = program + " does not exist:"
	case errors.As(err, &start):
		message = program + " can't be started (" + start.Err.Error() + "):"
	default:
		message += "; to repair it,"
	}
	return "", Outcome{Class: Environment, Message: message + " " + hint}
}

// account says whether a program works with a key, which may be missing, or with the user's log-in, which is to be asked for.
func account(version string, auth Auth, hasKey bool, hint string) Found {
	found := Found{Version: version, Auth: Key, Problem: Outcome{Class: OK}}
	switch {
	case hasKey && auth != Login:
		found.Pays = "the account of the API key or token in the environment"
	case auth == Key:
		found.Problem = Outcome{Class: AuthFailed, Message: "no API key found; " + hint}
	default:
		found.Auth = Login
	}
	return found
}

func (c *Claude) loggedIn(ctx context.Context, env []string, dir string) (string, Outcome) {
	text, err := ask(ctx, env, dir, c.program, "auth", "status")
	var status struct {
		LoggedIn bool   `json:"loggedIn"`
		Method   string `json:"authMethod"`
		Email    string `json:"email"`
	}
	if jerr := json.Unmarshal([]byte(text), &status); jerr != nil {
		if err == nil {
			err = errors.New("claude auth status printed no JSON")
		}
		return "", Outcome{Class: Environment, Message: err.Error() + "; to update or repair it, " + installHint}
	}
	if !status.LoggedIn {
		return "", Outcome{Class: AuthFailed, Message: "not logged in to Claude Code; " + logInHint}
	}
	return strings.TrimSpace("the login of Claude Code (" + status.Method + ") " + status.Email), Outcome{Class: OK}
}

// ask runs a program and returns what it prints, also when it fails.
func ask(ctx context.Context, env []string, dir, program string, args ...string) (string, error) {
	res, err := proc.Run(ctx, proc.Command{Argv: append([]string{program}, args...), Dir: dir, Env: env, Total: detectTimeout})
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(res.Stdout.Text)
	if res.Ended != proc.Exited || res.Exit != 0 {
		return text, fmt.Errorf("%s %s failed: %s", program, strings.Join(args, " "), ending(res))
	}
	return text, nil
}
