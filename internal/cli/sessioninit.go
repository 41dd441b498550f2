package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/plugin"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
)

// marketplace and pluginID are what agents' programs call the plugin and where it is from.
const (
	marketplace = "jacquard-build"
	pluginID    = "jacquard@" + marketplace
)

// hostPatience is for one command of an agent's program.
const hostPatience = time.Minute

// host is an agent's program on this machine that can judge its sessions with the plugin.
type host struct {
	maker

	a       *app
	program string
}

// hosts are the agents' programs that are here.
func (a *app) hosts() []host {
	var out []host
	for _, m := range makers() {
		if program, err := m.find(a.env); err == nil {
			out = append(out, host{maker: m, a: a, program: program})
		}
	}
	return out
}

// pluginDir is where the plugin is kept that agents' programs load.
func (a *app) pluginDir() string { return filepath.Join(a.configDir(), "plugin") }

// opencodeFile is a file of opencode's settings, which loads all that are in some folders.
func (a *app) opencodeFile(name string) string {
	return filepath.Join(cmp.Or(a.env["XDG_CONFIG_HOME"], filepath.Join(a.env["HOME"], ".config")), "opencode", filepath.FromSlash(name))
}

// opencodeOwn are the files and folders of opencode's settings that are ours alone.
func (a *app) opencodeOwn() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(plugin.Opencode())) {
		if name != plugin.OpencodePlugin {
			name = path.Dir(name)
		}
		out = append(out, a.opencodeFile(name))
	}
	return slices.Compact(out)
}

// opencodeHas is the version of the plugin that opencode has, "" for none.
func (a *app) opencodeHas() (string, error) {
	if _, err := os.Stat(a.opencodeFile(plugin.OpencodePlugin)); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for name, want := range plugin.Opencode() {
		have, err := os.ReadFile(a.opencodeFile(name))
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		case string(have) != string(want):
			return changedPlugin, nil
		}
	}
	return plugin.Version(), nil
}

// Words in place of a version: the plugin is not as this program writes it, or the program does not use it.
const (
	changedPlugin  = "another"
	disabledPlugin = "disabled"
)

// installed is the version of the plugin that the program has, "" for none.
func (h host) installed(ctx context.Context) (string, error) {
	if h.name == "opencode" {
		return h.a.opencodeHas()
	}
	said, err := h.run(ctx, "plugin", "list", "--json")
	if err != nil {
		return "", err
	}
	type entry struct {
		ID       string `json:"id"`
		PluginID string `json:"pluginId"` // Codex
		Version  string `json:"version"`
		Enabled  bool   `json:"enabled"`
		Copy     string `json:"installPath"`    // Claude Code
		Folder   string `json:"readFromFolder"` // Claude Code: it is read from where it was added
	}
	var list []entry
	var of struct {
		Installed []entry `json:"installed"`
	}
	if json.Unmarshal([]byte(said), &list) != nil {
		if err := json.Unmarshal([]byte(said), &of); err != nil {
			return "", words("%s does not list its plugins: %w", h.title, err)
		}
		list = of.Installed
	}
	named := func(e entry) bool { return cmp.Or(e.ID, e.PluginID) == pluginID }
	i := slices.IndexFunc(list, func(e entry) bool { return named(e) && e.Enabled })
	if i < 0 {
		if slices.ContainsFunc(list, named) {
			return disabledPlugin, nil
		}
		return "", nil
	}
	e := list[i]
	dir := cmp.Or(e.Folder, e.Copy, filepath.Join(h.copies(), e.Version))
	for name, want := range plugin.Running() {
		if is, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err == nil && e.Version == plugin.Version() && string(is) != string(want) {
			return changedPlugin, nil
		}
	}
	return e.Version, nil
}

// copies is the folder where Codex has a copy of the plugin, by its version.
func (h host) copies() string {
	return filepath.Join(h.settings(), "plugins", "cache", marketplace, "jacquard")
}

// trusted is what Codex notes of the hooks that it may run: a hash of the plugin's files, "" as long as it was never told.
func (h host) trusted() string {
	raw, err := os.ReadFile(filepath.Join(h.settings(), "config.toml"))
	if err != nil {
		return ""
	}
	if m := trustedHooks().FindSubmatch(raw); m != nil {
		return string(m[1])
	}
	return ""
}

var trustedHooks = re.New(`(?s)\[hooks\.state\."` + pluginID + `:hooks/hooks\.json:stop:[^\]]*\][^\[]*?trusted_content_hash = "([^"]+)"`)

// trustNote is a file with a hash that Codex has noted and the version of the plugin that it was first seen with.
func (a *app) trustNote() string { return filepath.Join(a.configDir(), "codex-trust") }

// notesTrust notes which version of the plugin Codex was told that it may run. Of one that is installed later it runs no hook, keeps what it
// has noted, and says nothing.
func (h host) notesTrust(version string) error {
	noted := h.trusted()
	if noted == "" || version == "" {
		return nil
	}
	if hash, _ := h.a.notedTrust(); hash == noted {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.a.trustNote()), 0o700); err != nil {
		return err
	}
	return os.WriteFile(h.a.trustNote(), []byte(noted+" "+version), 0o600)
}

// codexRuns notes that Codex has run a hook of the plugin that it has: so it was told that it may.
func (a *app) codexRuns() {
	m, _ := findMaker("codex")
	h := host{maker: m, a: a}
	if versions, err := os.ReadDir(h.copies()); err == nil && len(versions) == 1 {
		_ = h.notesTrust(versions[0].Name()) // without it, doctor notes it
	}
}

func (a *app) notedTrust() (hash, version string) {
	raw, _ := os.ReadFile(a.trustNote())
	hash, version, _ = strings.Cut(strings.TrimSpace(string(raw)), " ")
	return hash, version
}

// untrusted reports whether Codex has not been told that it may run the hooks of this plugin.
func (h host) untrusted() bool {
	if h.name != "codex" {
		return false
	}
	noted := h.trusted()
	hash, version := h.a.notedTrust()
	return noted == "" || noted == hash && version != plugin.Version()
}

// run runs the program and returns what it prints.
func (h host) run(ctx context.Context, args ...string) (string, error) {
	here, err := os.Getwd() // a plugin may be a project's
	if err != nil {
		return "", err
	}
	res, err := proc.Run(ctx, proc.Command{Argv: append([]string{h.program}, args...), Dir: here, Env: h.a.Env, Total: hostPatience})
	if err != nil {
		return "", err
	}
	if res.Ended != proc.Exited || res.Exit != 0 {
		return "", words("%s %s exited with %d: %s", h.name, strings.Join(args, " "), res.Exit, strings.TrimSpace(res.Stderr.Text+res.Stdout.Text))
	}
	return res.Stdout.Text, nil
}

// change is one thing that installing the plugin does to this machine.
type change struct {
	text string // for people
	do   func(context.Context) error
}

// command is a change that the program makes itself.
func (h host) command(args ...string) change {
	return change{h.name + " " + strings.Join(args, " "), func(ctx context.Context) error {
		_, err := h.run(ctx, args...)
		return err
	}}
}

// install are the changes that give the program the plugin of this version; have is the one that it has.
func (h host) install(have string) []change {
	var out []change
	if have != "" {
		out = h.uninstall()
	}
	switch h.name {
	case "claude":
		return append(out, h.command("plugin", "marketplace", "add", h.a.pluginDir()), h.command("plugin", "install", pluginID))
	case "codex":
		add := h.command("plugin", "add", pluginID)
		return append(out, h.command("plugin", "marketplace", "add", h.a.pluginDir()), change{add.text, func(ctx context.Context) error {
			err := add.do(ctx)
			if noted := h.trusted(); err == nil && noted != "" { // it is for other files, which these have taken the place of
				err = os.WriteFile(h.a.trustNote(), []byte(noted+" "+changedPlugin), 0o600)
			}
			return err
		}})
	}
	return append(out, change{fmt.Sprintf(h.a.lang().T("write the plugin to %s"), strings.Join(h.a.opencodeOwn(), ", ")), func(context.Context) error {
		for name, text := range plugin.Opencode() {
			file := h.a.opencodeFile(name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, text, 0o644); err != nil {
				return err
			}
		}
		return nil
	}})
}

// uninstall are the changes that take the plugin away.
func (h host) uninstall() []change {
	switch h.name {
	case "claude":
		return []change{h.command("plugin", "uninstall", pluginID), h.command("plugin", "marketplace", "remove", marketplace)}
	case "codex":
		return []change{h.command("plugin", "remove", pluginID), h.command("plugin", "marketplace", "remove", marketplace)}
	}
	own := h.a.opencodeOwn()
	return []change{{fmt.Sprintf(h.a.lang().T("delete %s"), strings.Join(own, ", ")), func(context.Context) error {
		for _, file := range own {
			if err := os.RemoveAll(file); err != nil {
				return err
			}
		}
		return nil
	}}}
}

// initSession installs the plugin in the agents' programs that are here, or takes it away, after a person has seen what that changes.
func (a *app) initSession(ctx context.Context, undo, yes bool) error {
	l, dir := a.lang(), a.pluginDir()
	hosts := a.hosts()
	if len(hosts) == 0 {
		return fail(flow.Environment, "no coding agent is installed: install Claude Code, Codex or opencode first")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return environment("make %s", err, filepath.Dir(dir))
	}
	var list []change
	files := false // a program reads them from there
	for _, h := range hosts {
		have, err := h.installed(ctx)
		if err != nil {
			return environment("ask %s for its plugins", err, h.title)
		}
		switch {
		case undo && have != "":
			list = append(list, h.uninstall()...)
		case !undo && have != plugin.Version():
			list = append(list, h.install(have)...)
		default:
			continue
		}
		files = files || h.name != "opencode"
	}
	if len(list) == 0 && undo {
		fmt.Fprintln(a.Err, l.T("nothing to undo: no agent has the plugin"))
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Err, l.T("nothing to change: all installed coding agents are already set up"))
		return nil
	}
	switch {
	case undo && files:
		list = append(list, change{fmt.Sprintf(l.T("delete %s"), dir), func(context.Context) error { return os.RemoveAll(dir) }})
	case files:
		list = slices.Insert(list, 0, change{fmt.Sprintf(l.T("write the plugin to %s"), dir), func(context.Context) error { return plugin.Export(dir) }})
	}
	fmt.Fprintln(a.Err, l.T("this changes your coding agents, for all your projects:"))
	for _, c := range list {
		fmt.Fprintln(a.Err, "  "+c.text)
	}
	if !undo {
		fmt.Fprintln(a.Err, l.T("then, as a session begins, what checks need is installed in the background; at the end of each turn, the tests near a change run for up to a minute, and what they show goes back to the agent, at most twice"))
	}
	if err := a.byPerson(true, "init --session"); err != nil {
		return err
	}
	if !yes {
		if err := a.confirm(ctx, l.T("Continue? [y/N] "), usage("can't ask without a terminal. Review the changes, then add --yes")); err != nil {
			return err
		}
	}
	for _, c := range list {
		if err := c.do(ctx); err != nil {
			return environment("%s", err, c.text)
		}
	}
	a.sessionReady(hosts, undo)
	return nil
}

// sessionReady says what has become of it, and what is left for a person to do.
func (a *app) sessionReady(hosts []host, undo bool) {
	l := a.lang()
	var names []string
	for _, h := range hosts {
		names = append(names, h.title)
	}
	if undo {
		fmt.Fprintf(a.Out, l.T("removed the plugin from %s\n"), strings.Join(names, ", "))
		return
	}
	fmt.Fprintf(a.Out, l.T("%s: new sessions are checked at the end of each turn\n"), strings.Join(names, ", "))
	if i := slices.IndexFunc(hosts, host.untrusted); i >= 0 {
		fmt.Fprintln(a.Err, l.T("next: start codex once and trust the hooks; until then it silently skips them"))
	}
	fmt.Fprintln(a.Err, l.T("next, run: jacquard doctor (it runs the project's checks once and says what is missing)"))
	fmt.Fprintln(a.Err, l.T("to undo this, run: jacquard init --session --undo"))
}

// settings is the folder of the program's settings.
func (h host) settings() string {
	return cmp.Or(h.a.env[h.config], filepath.Join(h.a.env["HOME"], "."+h.name))
}
