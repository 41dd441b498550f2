package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/submit"
)

const (
	opencodeInstallHint = "install opencode with: npm install -g opencode-ai"
	opencodeKeyHint     = "set ANTHROPIC_API_KEY; its own log-in is not used"
)

// Opencode drives the program opencode over the Agent Client Protocol, with the
// models of Anthropic behind the gateway.
type Opencode struct {
	ACP

	program string
}

// NewOpencode returns an agent that runs program: a path, or a name that is looked
// up in the PATH of each turn.
func NewOpencode(program string) *Opencode {
	return &Opencode{program: program, ACP: ACP{
		name: "opencode", argv: []string{program, "acp"}, install: opencodeInstallHint, setUp: setUpOpencode,
	}}
}

// Run carries out t. The program talks with itself over a port, which a partial sandbox has to allow.
func (o *Opencode) Run(ctx context.Context, t Turn, on func(Event)) Outcome {
	a := o.ACP
	if t.Confine != nil && t.Confine.Partial {
		own, port := *t.Confine, t.Confine.FreeDoor()
		own.Ports = append(slices.Clone(own.Ports), port)
		t.Confine, a.argv = &own, append(slices.Clone(a.argv), "--port", strconv.Itoa(port))
	}
	return a.Run(ctx, t, on)
}

// Detect asks the program for its version. It works with a key only, which the
// gateway puts in.
func (o *Opencode) Detect(ctx context.Context, auth Auth, hasKey bool, env []string, dir string) Found {
	version, problem := versionOf(ctx, opencodeQuiet(env), dir, o.program, "", opencodeInstallHint)
	if problem.Class != OK {
		return Found{Problem: problem}
	}
	found := account(version, auth, hasKey, opencodeKeyHint)
	if found.Auth == Login {
		found.Auth, found.Problem = Key, Outcome{Class: AuthFailed, Message: "opencode needs a key; " + opencodeKeyHint}
	}
	return found
}

// opencodeQuiet returns env with what keeps the program from the network.
func opencodeQuiet(env []string) []string {
	return environment(env, map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}, true)
}

// opencodeConfig is the whole configuration of a turn.
func opencodeConfig(t Turn) ([]byte, error) {
	allow, ask := "allow", "ask"
	permission := map[string]string{
		"*": "deny", "read": allow, "glob": allow, "grep": allow, "list": allow,
		submit.ServerName + "_" + submit.ToolName: allow,
		"external_directory":                      ask,
	}
	if t.Role == Author {
		permission["edit"], permission["bash"] = ask, ask
	}
	models := map[string]any{}
	agents := map[string]any{"title": map[string]any{"disable": true}} // a call of its own for each session
	if t.System != "" {
		agents["build"] = map[string]any{"prompt": t.System}
	}
	conf := map[string]any{
		"enabled_providers": []string{"anthropic"}, "permission": permission, "agent": agents,
		"share": "disabled", "autoupdate": false, "snapshot": false, "lsp": false, "formatter": false,
		// What is refused is told to the model, which goes on.
		"experimental": map[string]any{"continue_loop_on_deny": true},
		"provider": map[string]any{"anthropic": map[string]any{
			"npm": "@ai-sdk/anthropic", "models": models,
			"options": map[string]any{"baseURL": t.Access.BaseURL + "/v1", "apiKey": t.Access.Token},
		}},
	}
	if model := strings.TrimPrefix(t.Model, "anthropic/"); model != "" {
		models[model] = map[string]any{}
		conf["model"], conf["small_model"] = "anthropic/"+model, "anthropic/"+model
	}
	data, err := json.Marshal(conf)
	if err != nil {
		return nil, fmt.Errorf("write the configuration of opencode: %w", err)
	}
	return data, nil
}

// setUpOpencode makes the home of a turn. Nothing of the user's or the repository's
// settings takes part.
func setUpOpencode(t Turn) ([]string, error) {
	if t.Access.BaseURL == "" {
		return nil, fmt.Errorf("start the agent: opencode needs a key; %s", opencodeKeyHint)
	}
	own := filepath.Join(t.Home, ".opencode")
	if err := makeDirs(own, tempDir(t)); err != nil {
		return nil, err
	}
	conf, err := opencodeConfig(t)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(own, "turn.json")
	if err := os.WriteFile(file, conf, 0o600); err != nil { // it has the turn's token
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	set := map[string]string{
		"HOME": t.Home, "TMPDIR": tempDir(t), "OPENCODE_CONFIG": file,
		"XDG_CONFIG_HOME": filepath.Join(own, "config"), "XDG_DATA_HOME": filepath.Join(own, "data"),
		"XDG_STATE_HOME": filepath.Join(own, "state"), "XDG_CACHE_HOME": filepath.Join(own, "cache"),
	}
	for _, name := range []string{
		"AUTOUPDATE", "MODELS_FETCH", "PROJECT_CONFIG", "CLAUDE_CODE", "EXTERNAL_SKILLS", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE", "TERMINAL_TITLE", "EMBEDDED_WEB_UI",
	} {
		set["OPENCODE_DISABLE_"+name] = "1"
	}
	withoutProxy(set, t.Env)
	return environment(t.Env, set, true), nil
}
