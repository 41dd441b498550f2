package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coder/acp-go-sdk"

	"github.com/jacquard-build/jacquard/internal/submit"
)

// RequestPermission decides what the agent asks to be permitted.
func (c *conversation) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	why := c.refuses(p.ToolCall)
	kinds := []acp.PermissionOptionKind{acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways}
	if why != "" {
		kinds = []acp.PermissionOptionKind{acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways}
		input, err := json.Marshal(p.ToolCall.RawInput)
		if err != nil {
			input = nil // it came as JSON
		}
		c.note(ourLine(acpLine{Jacquard: "denied", Tool: string(kindOf(p.ToolCall)), ID: string(p.ToolCall.ToolCallId), Input: input, Text: why}))
	}
	for _, kind := range kinds {
		for _, o := range p.Options {
			if o.Kind == kind {
				return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
			}
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func kindOf(call acp.ToolCallUpdate) acp.ToolKind {
	if call.Kind == nil {
		return acp.ToolKindOther
	}
	return *call.Kind
}

// refuses says why the agent may not do what it asks for; "" when it may. What is
// not understood is refused.
func (c *conversation) refuses(call acp.ToolCallUpdate) string {
	input := inputOf(call.RawInput)
	paths := input.paths()
	for _, l := range call.Locations {
		paths = append(paths, l.Path)
	}
	for _, content := range call.Content {
		if content.Diff != nil {
			paths = append(paths, content.Diff.Path)
		}
	}
	for _, path := range paths {
		if _, err := within(c.turn.Dir, path); err != nil {
			return err.Error()
		}
	}
	kind := kindOf(call)
	switch {
	case kind == acp.ToolKindRead || kind == acp.ToolKindSearch:
		if len(paths) == 0 {
			return "it does not say what it is about"
		}
		return ""
	case kind == acp.ToolKindThink:
		return ""
	case kind == acp.ToolKindOther && call.Title != nil && isSubmit(*call.Title):
		return ""
	case c.turn.Role != Author:
		return "a judge may read only"
	case kind == acp.ToolKindExecute:
		return refusesCommand(c.turn.Dir, c.turn.AllowedCommands, input.command())
	case kind == acp.ToolKindEdit || kind == acp.ToolKindDelete || kind == acp.ToolKindMove:
		if len(paths) == 0 {
			return "it does not say what it is about"
		}
		for _, path := range paths {
			if err := writableIn(c.turn.Dir, path); err != nil {
				return err.Error()
			}
		}
		return ""
	default:
		return fmt.Sprintf("tools of the kind %q are not permitted", kind)
	}
}

// isSubmit reports whether a tool is ours, as agents name those of MCP servers.
func isSubmit(title string) bool {
	return slices.Contains([]string{submit.ServerName + "_" + submit.ToolName, "mcp__" + submit.ServerName + "__" + submit.ToolName}, title)
}

// toolInput is what agents say of a call, each in its own words.
type toolInput map[string]any

func inputOf(raw any) toolInput {
	fields, _ := raw.(map[string]any)
	return fields
}

// paths returns what the usual fields name.
func (in toolInput) paths() []string {
	var list []string
	for _, name := range []string{"filepath", "filePath", "file_path", "path", "absolute_path", "parentDir", "cwd"} {
		if path, ok := in[name].(string); ok && path != "" {
			list = append(list, path)
		}
	}
	for _, name := range []string{"directories", "paths", "locations"} {
		many, _ := in[name].([]any)
		for _, one := range many {
			if path, ok := one.(string); ok {
				list = append(list, path)
			}
		}
	}
	return list
}

func (in toolInput) command() string {
	text, _ := in["command"].(string)
	return text
}

var errOutside = errors.New("it is outside the working directory")

// within returns the path below dir, with all links of it resolved.
func within(dir, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	path, rest := filepath.Clean(path), ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			path = filepath.Join(real, rest)
			break
		}
		if _, lerr := os.Lstat(path); lerr == nil || !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return "", fmt.Errorf("%s: %w", path, errOutside) // a link to nowhere, or what cannot be looked at
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s: %w", path, errOutside)
	}
	return rel, nil
}

// writableIn says why an author may not write a path.
func writableIn(dir, path string) error {
	rel, err := within(dir, path)
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("%s: it is git's", rel)
		}
	}
	return nil
}

// ReadTextFile reads a file of the working directory.
func (c *conversation) ReadTextFile(_ context.Context, p acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	var text []byte
	err := c.inDir(p.Path, func(root *os.Root, rel string) (err error) { text, err = root.ReadFile(rel); return err })
	if err != nil {
		return acp.ReadTextFileResponse{}, acp.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	lines := strings.SplitAfter(string(text), "\n")
	if p.Line != nil && *p.Line > 1 {
		lines = lines[min(*p.Line-1, len(lines)):]
	}
	if p.Limit != nil && *p.Limit >= 0 && *p.Limit < len(lines) {
		lines = lines[:*p.Limit]
	}
	return acp.ReadTextFileResponse{Content: strings.Join(lines, "")}, nil
}

// WriteTextFile writes a file of the working directory for an author.
func (c *conversation) WriteTextFile(_ context.Context, p acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	err := errors.New("a judge may read only")
	if c.turn.Role == Author {
		err = writableIn(c.turn.Dir, p.Path)
	}
	if err == nil {
		err = c.inDir(p.Path, func(root *os.Root, rel string) error {
			if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
				return err
			}
			return root.WriteFile(rel, []byte(p.Content), 0o644)
		})
	}
	if err != nil {
		c.note(ourLine(acpLine{Jacquard: "denied", Tool: string(acp.ToolKindEdit), Text: p.Path + ": " + err.Error()}))
		return acp.WriteTextFileResponse{}, acp.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	return acp.WriteTextFileResponse{}, nil
}

// inDir does something with a file below the working directory; links do not lead
// out of it, whoever makes one meanwhile.
func (c *conversation) inDir(path string, do func(root *os.Root, rel string) error) error {
	rel, err := within(c.turn.Dir, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(c.turn.Dir)
	if err != nil {
		return err
	}
	return errors.Join(do(root, rel), root.Close())
}

// SessionUpdate is called with what the reader has taken already.
func (c *conversation) SessionUpdate(context.Context, acp.SessionNotification) error { return nil }

var errNoTerminal = acp.NewMethodNotFound("terminal")

// CreateTerminal refuses: terminals are not offered.
func (c *conversation) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, errNoTerminal
}

// KillTerminal refuses: terminals are not offered.
func (c *conversation) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, errNoTerminal
}

// TerminalOutput refuses: terminals are not offered.
func (c *conversation) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, errNoTerminal
}

// ReleaseTerminal refuses: terminals are not offered.
func (c *conversation) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, errNoTerminal
}

// WaitForTerminalExit refuses: terminals are not offered.
func (c *conversation) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, errNoTerminal
}
