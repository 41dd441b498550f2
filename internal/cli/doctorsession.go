package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jacquard-build/jacquard/internal/plugin"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
)

// session says of each agent's program whether it judges its sessions. One that has never had the plugin is not run for that.
func (c *checkup) session(ctx context.Context, a *app, names []string) {
	program, missing := proc.LookPath("jacquard", a.env["PATH"])
	var offered, not []string
	for _, h := range a.hosts() {
		var have string
		var err error
		if h.mentions() {
			have, err = h.installed(ctx)
		} else if !slices.Contains(names, h.name) {
			continue
		}
		if have == plugin.Version() || h.serves() {
			offered = append(offered, h.title)
		} else {
			not = append(not, h.title)
		}
		if have == plugin.Version() && h.name == "codex" {
			err = h.notesTrust(have)
		}
		switch {
		case err != nil:
			c.add("session", false, false, "%v", err)
		case have == "":
			c.add("session", true, false, c.l.T("%s has no plugin; to check its sessions, run: jacquard init --session"), h.title)
			c.list[len(c.list)-1].Absent = true
		case have == disabledPlugin:
			c.add("session", false, false, c.l.T("%s has the plugin, but it is disabled; to enable it, run: jacquard init --session"), h.title)
		case have == changedPlugin:
			c.add("session", false, false, c.l.T("%s has a plugin that was changed; to replace it, run: jacquard init --session"), h.title)
		case have != plugin.Version():
			c.add("session", false, false, c.l.T("%s has another version of the plugin; to replace it, run: jacquard init --session"), h.title)
		case h.untrusted():
			c.add("session", false, false, c.l.T("%s has the plugin but does not run its hooks: start codex once and trust the hooks"), h.title)
		case missing != nil: // hooks have to find this program
			c.add("session", false, false, c.l.T("%s has the plugin, but jacquard is not on PATH: add it"), h.title)
		case h.name == "opencode":
			c.add("session", true, false, c.l.T("%s checks its sessions with plugin %s (not `opencode run`)"), h.title, have)
		default:
			c.add("session", true, false, c.l.T("%s checks its sessions with plugin %s"), h.title, have)
		}
	}
	switch {
	case len(offered) == 0: // said above
	case missing != nil:
		c.add("mcp", false, false, "%s", c.l.T("jacquard is not on PATH: add it"))
	default:
		c.server(ctx, a, program, offered, not)
	}
}

// server says whether the server of tools answers, to which agents' programs it is given and to which it is not.
func (c *checkup) server(ctx context.Context, a *app, program string, offered, not []string) {
	n, err := a.toolsOf(ctx, program)
	if err != nil {
		c.add("mcp", false, false, c.l.T("jacquard mcp does not answer: %v"), err)
		return
	}
	c.add("mcp", len(not) == 0, false, c.l.T("%d tools for %s"), n, strings.Join(offered, ", "))
	if len(not) > 0 {
		c.list[len(c.list)-1].Text += fmt.Sprintf(c.l.T(", not for %s: run jacquard init --session"), strings.Join(not, ", "))
	}
}

// serverPatience is how long the server of tools may take to list them.
const serverPatience = 20 * time.Second

// toolsOf asks the program that agents start as their server for its tools, as they do, and counts them.
func (a *app) toolsOf(ctx context.Context, program string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	here, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	asked, ask := io.Pipe()
	answers, answer := io.Pipe()
	go func() {
		_, err := proc.Run(ctx, proc.Command{Argv: []string{program, "mcp"}, Dir: here, Env: a.Env, Stdin: asked, Output: answer, Total: serverPatience})
		_ = answer.CloseWithError(cmp.Or(err, io.EOF))
		_ = asked.CloseWithError(io.EOF)
	}()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "doctor", Version: plugin.Version()}, nil).Connect(ctx, &mcp.IOTransport{Reader: answers, Writer: ask}, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = s.Close() }()
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(list.Tools), nil
}

// root is that of the project, which has settings for the program, too.
func (h host) root() string { return cmp.Or(h.a.rootFlag, findRoot(".")) }

// serves reports whether a person has given the program this server by itself, without the plugin.
func (h host) serves() bool {
	root := h.root()
	files := map[string][]string{
		"claude":   {filepath.Join(cmp.Or(h.a.env[h.config], h.a.env["HOME"]), ".claude.json"), filepath.Join(root, ".mcp.json")},
		"codex":    {filepath.Join(h.settings(), "config.toml"), filepath.Join(root, ".codex", "config.toml")},
		"opencode": {h.a.opencodeFile("opencode.json"), h.a.opencodeFile("opencode.jsonc"), filepath.Join(root, "opencode.json"), filepath.Join(root, "opencode.jsonc")},
	}[h.name]
	return anyOf(files, givenServer().Match)
}

var givenServer = re.New(`(?m)^\s*\[mcp_servers\.jacquard\]|"jacquard"\s*:\s*\{[^}]*"mcp"`)

// mentions reports whether the program's own settings, or those of the project for it, name the plugin.
func (h host) mentions() bool {
	files := []string{h.a.opencodeFile(plugin.OpencodePlugin)}
	if h.name != "opencode" {
		own, local := h.settings(), filepath.Join(h.root(), "."+h.name)
		files = []string{filepath.Join(own, "config.toml"), filepath.Join(own, "settings.json"), filepath.Join(local, "settings.json"), filepath.Join(local, "settings.local.json")}
	}
	return anyOf(files, func(raw []byte) bool { return h.name == "opencode" || strings.Contains(string(raw), pluginID) })
}

// anyOf reports whether a file is there that has what is looked for.
func anyOf(files []string, has func(raw []byte) bool) bool {
	return slices.ContainsFunc(files, func(file string) bool {
		raw, err := os.ReadFile(file)
		return err == nil && has(raw)
	})
}
