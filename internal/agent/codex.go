package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// tokenName is the variable in which codex finds the token of its turn; commands
// that it runs do not get it.
const tokenName = "JACQUARD_TURN_TOKEN"

// Codex drives the program codex (Codex CLI). Its commands are not limited to a
// list but run in the sandbox that the program makes of the operating system: an
// author's write to the working directory and the caches only, a judge's nowhere,
// and none of them reaches a network.
type Codex struct {
	program string
}

// NewCodex returns an agent that runs program: a path, or a name that is looked
// up in the PATH of each turn.
func NewCodex(program string) *Codex { return &Codex{program: program} }

// Run carries out t. A turn that ends without an answer of the form it was asked
// for is reminded of it once, in the same session.
func (c *Codex) Run(ctx context.Context, t Turn, on func(Event)) Outcome {
	return drive(ctx, c, t, on)
}

// job prepares one run of the program.
func (c *Codex) job(t Turn, h header) (job, error) {
	h.Agent, h.Schema, h.Form = codexName, len(t.Schema) > 0, t.Schema
	if t.Access.BaseURL != "" {
		if err := makeDirs(codexHome(t), tempDir(t)); err != nil {
			return job{}, err
		}
	}
	if err := makeDirs(t.Caches...); err != nil {
		return job{}, err
	}
	argv, err := c.argv(t, h.Session)
	return job{
		header: h, argv: argv, env: codexEnv(t), reader: newCodexReader(h),
		stop: []proc.Stop{{Signal: proc.Terminate, Wait: terminateWait}, {Signal: proc.Kill}},
	}, err
}

// reminder asks a session for the answer that it ended without.
func (c *Codex) reminder(why string) string {
	return unansweredText + "What came was not taken: " + why + ". " +
		"Do no further work. Give the answer now, as one JSON object that fits the schema and nothing else, with what you know."
}

// explain makes the class of a run that never began more exact.
func (c *Codex) explain(out Outcome, res proc.Result) Outcome {
	if out.Class == AuthFailed {
		out.Message += "; " + codexLogInHint
	}
	return neverBegan(out, res, "codex", codexInstallHint)
}

// lost reports whether the session to be resumed was not known.
func (c *Codex) lost(_ Outcome, res proc.Result) bool {
	return strings.Contains(res.Stderr.Text, "no rollout found")
}

func codexHome(t Turn) string { return filepath.Join(t.Home, ".codex") }

// argv returns the command line. Neither the user's settings nor those of the
// repository take part: what the agent is to know is in its prompt.
func (c *Codex) argv(t Turn, session string) ([]string, error) {
	mode := map[Role]string{Author: "workspace-write", Judge: "read-only"}[t.Role]
	if mode == "" {
		return nil, fmt.Errorf("start the agent: unknown role %q", t.Role)
	}
	if t.Confine != nil { // a sandbox cannot be made in ours, which is narrower: it hides files too
		mode = "danger-full-access"
	}
	argv := []string{c.program, "exec"}
	if session != "" {
		argv = append(argv, "resume")
	}
	argv = append(argv, "--json", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules")
	for _, feature := range []string{
		"hooks", "apps", "plugins", "remote_plugin", "goals", "multi_agent", "multi_agent_v2", "image_generation", "browser_use", "computer_use",
		"shell_snapshot", "tool_suggest", "skill_search", "workspace_dependencies",
	} {
		argv = append(argv, "--disable", feature)
	}
	settings := []string{
		`approval_policy="never"`, "sandbox_mode=" + quoted(mode),
		`allow_login_shell=false`, // a login profile would put another PATH in place of ours
		`shell_environment_policy={inherit="all",ignore_default_excludes=false,exclude=["` + tokenName + `"]}`,
		`project_doc_max_bytes=0`, `skills.bundled.enabled=false`, `skills.include_instructions=false`, `include_apps_instructions=false`,
		`web_search="disabled"`, `analytics.enabled=false`, `history.persistence="none"`, `check_for_update_on_startup=false`,
	}
	if t.Role == Author && t.Confine == nil {
		settings = append(settings, "sandbox_workspace_write={network_access=false,exclude_slash_tmp=true,exclude_tmpdir_env_var=true,writable_roots="+writable(t)+"}")
	}
	if t.Access.BaseURL != "" {
		settings = append(settings, `model_provider="jacquard"`, `model_providers.jacquard={name="jacquard",base_url=`+quoted(t.Access.BaseURL+"/v1")+
			`,env_key="`+tokenName+`",wire_api="responses",request_max_retries=0,stream_max_retries=`+cliRetries+`}`)
	}
	if t.System != "" {
		path, err := besideLog(t, "system.md", []byte(t.System))
		if err != nil {
			return nil, err
		}
		settings = append(settings, "model_instructions_file="+quoted(path))
	}
	for _, s := range settings {
		argv = append(argv, "-c", s)
	}
	if t.Model != "" {
		argv = append(argv, "--model", t.Model)
	}
	if len(t.Schema) > 0 {
		schema, err := strictSchema(t.Schema)
		if err != nil {
			return nil, err
		}
		path, err := besideLog(t, "schema.json", schema)
		if err != nil {
			return nil, err
		}
		argv = append(argv, "--output-schema", path)
	}
	if session != "" {
		argv = append(argv, session)
	}
	return append(argv, "-"), nil
}

// writable lists what commands may write besides the working directory.
func writable(t Turn) string {
	roots := slices.Clone(t.Caches)
	if t.Access.BaseURL != "" {
		roots = append(roots, tempDir(t))
	}
	list := make([]string, 0, len(roots))
	for _, r := range roots {
		list = append(list, quoted(r))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// quoted returns a text as TOML; a JSON string is one.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a form
	return strings.TrimSpace(b.String())
}

// besideLog writes a file of the turn that is none of the agent's.
func besideLog(t Turn, name string, data []byte) (string, error) {
	path := filepath.Join(filepath.Dir(t.Log), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("start the agent: %w", err)
	}
	return path, nil
}

// codexEnv returns the whole environment of the program.
func codexEnv(t Turn) []string {
	set := map[string]string{"HOME": t.Home}
	if t.Access.BaseURL != "" {
		set["CODEX_HOME"], set["TMPDIR"] = codexHome(t), tempDir(t)
		set[tokenName] = t.Access.Token
		withoutProxy(set, t.Env)
	}
	return environment(t.Env, set, t.Access.BaseURL != "")
}
