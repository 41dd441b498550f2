package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/re"
)

// sandboxConf is what jacquard.yaml, or a person's own file, says about the sandbox of agents and checks. A text alone is its level.
type sandboxConf struct {
	Level   string   `yaml:"level"`   // full, partial, outside or off
	Workers string   `yaml:"workers"` // level that a worker must have, or full; else that of the run
	Read    []string `yaml:"read"`    // more that can be read
	Write   []string `yaml:"write"`   // more that can be changed
	Connect []string `yaml:"connect"` // services of this machine: 127.0.0.1:5432, or the path of a Unix socket
	Install []string `yaml:"install"` // hosts that installations may reach besides registries
	Limits  struct {
		Memory string `yaml:"memory"` // 8GiB
		Pids   int    `yaml:"pids"`   // processes and threads
		File   string `yaml:"file"`   // of one file
		Temp   string `yaml:"temp"`   // of /tmp
		Disk   string `yaml:"disk"`   // of all files that are written
		Output string `yaml:"output"` // that is printed
	} `yaml:"limits"`
}

// UnmarshalYAML reads a level, or names with values. The decoder does not hand on that unknown keys are errors.
func (c *sandboxConf) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&c.Level)
	}
	raw, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	type plain sandboxConf
	d := yaml.NewDecoder(io.MultiReader(strings.NewReader(strings.Repeat("\n", n.Line-1)), bytes.NewReader(raw))) // mistakes are told by their line
	d.KnownFields(true)
	return d.Decode((*plain)(c))
}

// ownSandbox is the file in which a person says what holds for all projects on this machine.
func (a *app) ownSandbox() string { return filepath.Join(a.configDir(), "sandbox.yaml") }

// readOwnSandbox reads it. What it widens needs no trust: no repository can write there.
func (a *app) readOwnSandbox() (c sandboxConf, err error) {
	file := a.ownSandbox()
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, environment("read %s", err, file)
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return c, notSettings(file, raw, err)
	}
	for _, path := range slices.Concat(c.Read, c.Write) {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~/") {
			return c, usage("%s: %s: give an absolute path, because this file applies to all projects", file, path)
		}
	}
	return c, c.check(file)
}

var sizeForm = re.New(`^([0-9]+)\s*([KMG]i?B)?$`)

// parseSize reads 512MiB; "" is 0.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	m := sizeForm().FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is not a size such as 512MiB", s)
	}
	n, err := strconv.ParseInt(m[1], 10, 40)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is not a size such as 512MiB", s)
	}
	shift := map[string]int{"": 0, "K": 10, "M": 20, "G": 30}[strings.TrimRight(m[2], "iB")]
	if n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is more than any machine has", s)
	}
	return n << shift, nil
}

// check says what cannot be meant in a file.
func (c sandboxConf) check(file string) error {
	for _, level := range []string{c.Level, c.Workers} {
		if level == "" {
			continue
		}
		if _, err := confine.ParseLevel(level); err != nil {
			return usage("%s: %v", file, err)
		}
	}
	for _, s := range []string{c.Limits.Memory, c.Limits.File, c.Limits.Temp, c.Limits.Disk, c.Limits.Output} {
		if _, err := parseSize(s); err != nil {
			return usage("%s: sandbox: limits: %v", file, err)
		}
	}
	for _, at := range c.Connect {
		if port, ok := localPort(at); !ok && (port != 0 || !strings.HasPrefix(at, "/")) {
			return usage("%s: sandbox: connect %q: must be a local port such as 127.0.0.1:5432 or the path of a Unix socket", file, at)
		}
		if grants().MatchString(at) {
			return usage("%s: sandbox: connect: %s is not allowed, because it controls the whole machine. Use --sandbox off, or --sandbox outside in a container", file, at)
		}
	}
	for _, host := range c.Install {
		if !hostForm().MatchString(host) {
			return usage("%s: sandbox: install %q: must be a host such as registry.example.com, *.example.com or 10.0.0.5:8081", file, host)
		}
	}
	const leastPids = 32 // the stage has about a dozen threads, a runtime as many
	if c.Limits.Pids != 0 && c.Limits.Pids < leastPids {
		return usage("%s: sandbox: limits: pids %d: must be at least %d", file, c.Limits.Pids, leastPids)
	}
	return nil
}

// limits are those that a file sets; what is 0 it does not. check has read them before.
func (c sandboxConf) limits() confine.Limits {
	size := func(s string) int64 {
		n, _ := parseSize(s)
		return n
	}
	return confine.Limits{
		Processes: c.Limits.Pids, Memory: size(c.Limits.Memory), File: size(c.Limits.File), Temp: size(c.Limits.Temp), Disk: size(c.Limits.Disk), Output: size(c.Limits.Output),
	}
}

// asks lists what widens the sandbox beyond the usual limits of a machine, a line each.
func (c sandboxConf) asks(usual confine.Limits) []string {
	var out []string
	switch confine.Level(c.Level) {
	case confine.Full:
	case confine.Partial:
		out = append(out, "run agents and checks in a weaker sandbox (sandbox: level: partial)")
	case confine.Outside, confine.Off:
		out = append(out, "run agents and checks without Jacquard's sandbox (sandbox: level: "+c.Level+")")
	}
	if w := confine.Level(c.Workers); w != "" && w != confine.Full {
		out = append(out, "let workers run agents and checks at the sandbox level "+c.Workers+" (sandbox: workers)")
	}
	for _, path := range c.Read {
		out = append(out, "let agents and checks read "+path+" (sandbox: read)")
	}
	for _, path := range c.Write {
		out = append(out, "let agents and checks change "+path+" (sandbox: write)")
	}
	for _, at := range c.Connect {
		out = append(out, "let agents and checks connect to "+at+" on this machine (sandbox: connect)")
	}
	for _, host := range c.Install {
		out = append(out, "let installations reach "+host+" (sandbox: install)")
	}
	said := c.limits()
	if said.Processes > usual.Processes {
		out = append(out, fmt.Sprintf("let each command start %d processes (sandbox: limits: pids)", said.Processes))
	}
	for _, l := range []struct {
		name, said string
		n, most    int64
	}{
		{"memory", c.Limits.Memory, said.Memory, usual.Memory},
		{"file", c.Limits.File, said.File, usual.File},
		{"temp", c.Limits.Temp, said.Temp, usual.Temp},
		{"disk", c.Limits.Disk, said.Disk, usual.Disk},
		{"output", c.Limits.Output, said.Output, usual.Output},
	} {
		if l.most > 0 && l.n > l.most {
			out = append(out, fmt.Sprintf("let each command use %s (sandbox: limits: %s)", l.said, l.name))
		}
	}
	return out
}

// hostForm is a name or an address of a machine, perhaps with a port.
var hostForm = re.New(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`)

// grants are sockets of services that act for whoever asks: containers, log-ins, keys, the desktop.
var grants = re.New(`(?i)docker|podman|containerd|cri-?o|buildkit|lxd|incus|libvirt|snapd|systemd|dbus|/bus$|agent|gnupg|keyring|wayland|x11-unix|pulse|pipewire`)

// localPort reads 127.0.0.1:5432. Other machines are not meant, nor are other addresses of this one.
func localPort(at string) (port int, ok bool) {
	host, number, err := net.SplitHostPort(at)
	if err != nil || host != "127.0.0.1" && host != "localhost" {
		return 0, false
	}
	port, err = strconv.Atoi(number)
	return port, err == nil && port > 0 && port < 1<<16
}

// secretFolders are folders of a home that hold what opens other doors.
var secretFolders = []string{
	".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".npmrc", ".pypirc", ".password-store", ".mozilla",
	".config/gcloud", ".config/gh", ".config/jacquard", ".config/google-chrome", ".local/share/keyrings", ".cargo/credentials.toml", ".m2/settings.xml",
}

// orLimits are limits, with others where they say nothing.
func orLimits(l, others confine.Limits) confine.Limits {
	return confine.Limits{
		Processes: cmp.Or(l.Processes, others.Processes), Memory: cmp.Or(l.Memory, others.Memory), File: cmp.Or(l.File, others.File),
		Temp: cmp.Or(l.Temp, others.Temp), Disk: cmp.Or(l.Disk, others.Disk), Output: cmp.Or(l.Output, others.Output),
	}
}

// usualLimits hold where nobody says others. A repository that wants more asks for it.
func usualLimits() confine.Limits {
	return confine.Limits{
		Processes: manyProcesses, Memory: memory() / 2, Disk: muchDisk, Output: muchOutput,
		Temp: memory() / 8, // there are three, beside the memory of processes
	}
}

// real is a path without links, or as it is.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// manyProcesses is enough for a JVM, its compiler and its tests on a large machine, and little enough for the machine to go on.
const manyProcesses = 4096

// memory is how much the machine has, in bytes; 0 = not known.
func memory() int64 {
	if runtime.GOOS != "linux" {
		return 0
	}
	raw, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(raw))
	if i := slices.Index(f, "MemTotal:"); i >= 0 && i+1 < len(f) {
		n, _ := strconv.ParseInt(f[i+1], 10, 64)
		return n << 10
	}
	return 0
}

// What a command may write and print where nobody says it: more than any build of one project that is known, less than a machine.
const (
	muchDisk   = 16 << 30
	muchOutput = 256 << 20
)
