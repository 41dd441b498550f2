package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/report"
)

// sandboxConf is what jacquard.yaml says about the sandbox of agents and checks.
type sandboxConf struct {
	Level  string   `yaml:"level"` // full, outside or off
	Read   []string `yaml:"read"`  // more that can be read
	Write  []string `yaml:"write"` // more that can be changed
	Limits struct {
		Memory string `yaml:"memory"` // 8GiB
		Pids   int    `yaml:"pids"`   // processes and threads
		File   string `yaml:"file"`   // of one file
		Temp   string `yaml:"temp"`   // of /tmp
	} `yaml:"limits"`
}

// defaultSandbox is the level where nobody has said one.
const defaultSandbox = confine.Full

// manyProcesses is enough for a JVM, its compiler and its tests on a large machine, and little enough for the machine to go on.
const manyProcesses = 4096

var sizeForm = re.New(`^([0-9]+)\s*([KMG]i?B)?$`)

// parseSize reads 512MiB; "" is 0.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	m := sizeForm().FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is no size like 512MiB", s)
	}
	n, err := strconv.ParseInt(m[1], 10, 40)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is no size like 512MiB", s)
	}
	return n << map[string]int{"": 0, "K": 10, "M": 20, "G": 30}[strings.TrimRight(m[2], "iB")], nil
}

// check says what cannot be meant.
func (c sandboxConf) check() error {
	if c.Level != "" {
		if _, err := confine.ParseLevel(c.Level); err != nil {
			return usage("%s: %v", configFile, err)
		}
	}
	for _, s := range []string{c.Limits.Memory, c.Limits.File, c.Limits.Temp} {
		if _, err := parseSize(s); err != nil {
			return usage("%s: sandbox: limits: %v", configFile, err)
		}
	}
	if c.Limits.Pids < 0 {
		return usage("%s: sandbox: limits: pids is %d, want 1 or more", configFile, c.Limits.Pids)
	}
	return nil
}

// asks lists what widens the sandbox, a line each: the repository may say it, a person has to allow it.
func (c sandboxConf) asks() []string {
	var out []string
	if l := confine.Level(c.Level); l == confine.Off || l == confine.Outside {
		out = append(out, "run agents and checks without a sandbox of Jacquard (sandbox: level: "+c.Level+")")
	}
	for _, path := range c.Read {
		out = append(out, "let agents and checks read "+path+" (sandbox: read)")
	}
	for _, path := range c.Write {
		out = append(out, "let agents and checks change "+path+" (sandbox: write)")
	}
	return out
}

// secretFolders are folders of a home that hold what opens other doors.
var secretFolders = []string{
	".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".npmrc", ".pypirc", ".password-store", ".mozilla",
	".config/gcloud", ".config/gh", ".config/jacquard", ".config/google-chrome", ".local/share/keyrings", ".cargo/credentials.toml", ".m2/settings.xml",
}

// places makes paths of the configuration absolute, and refuses those that would leave nothing of the sandbox.
func (p *project) places(list []string) ([]string, error) {
	home := filepath.Clean(cmp.Or(p.a.env["HOME"], "/nowhere"))
	below := func(dir, path string) bool {
		return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	}
	var out []string
	for _, given := range list {
		path := given
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.root, path)
		}
		for _, path := range []string{filepath.Clean(path), real(path)} {
			refused := below(path, home) || below("/run", path) || below(path, "/run") || below("/var/run", path) || below("/proc", path) || below("/dev", path)
			for _, s := range secretFolders {
				refused = refused || below(filepath.Join(home, s), path)
			}
			if refused {
				return nil, usage("%s: sandbox: %s holds more than agents and checks may see: the home folder, the root, /run and folders with credentials are not given. Name a folder in it", configFile, given)
			}
		}
		out = append(out, filepath.Clean(path))
	}
	return out, nil
}

// real is a path without links, or as it is.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// sandbox is the level that agents and checks run under, and the policy that theirs begin with: nil for no sandbox of ours.
// given is what the command line says.
func (p *project) sandbox(given string) (confine.Level, *confine.Policy, error) {
	said := cmp.Or(given, p.a.env["JACQUARD_SANDBOX"], p.conf.Sandbox.Level, string(defaultSandbox))
	level, err := confine.ParseLevel(said)
	if err != nil {
		where := configFile
		if p.a.env["JACQUARD_SANDBOX"] != "" {
			where = "JACQUARD_SANDBOX"
		}
		if given != "" {
			where = "--sandbox"
		}
		return "", nil, usage("%s: %v", where, err)
	}
	if level != confine.Full {
		return level, nil, nil
	}
	c := p.conf.Sandbox
	b := &confine.Policy{Limits: confine.Limits{Processes: cmp.Or(c.Limits.Pids, manyProcesses)}}
	if b.Read, err = p.places(c.Read); err != nil {
		return level, nil, err
	}
	if b.Write, err = p.places(c.Write); err != nil {
		return level, nil, err
	}
	// check has read them before
	b.Limits.Memory, _ = parseSize(c.Limits.Memory)
	b.Limits.File, _ = parseSize(c.Limits.File)
	b.Limits.Temp, _ = parseSize(c.Limits.Temp)
	if b.Limits.Memory == 0 {
		b.Limits.Memory = memory() / 2
	}
	if b.Limits.Temp == 0 { // there are three, beside the memory of processes
		b.Limits.Temp = memory() / 8
	}
	return level, b, nil
}

// confined is sandbox for what is about to run: the machine has shown that it can make one. There is no falling back to less.
func (p *project) confined(ctx context.Context, given string) (confine.Level, *confine.Policy, error) {
	level, b, err := p.sandbox(given)
	if err != nil || b == nil {
		return level, b, err
	}
	if err := proc.ProbeSandbox(ctx, filepath.Join(p.cache, "tmp")); err != nil {
		return level, nil, flow.Failf(flow.Environment, p.a.lang().T("there is no sandbox here, so nothing was begun: %v. %s"), err, remedy(p.a.lang(), err))
	}
	return level, b, nil
}

// remedy says what a person can do about a sandbox that cannot be made.
func remedy(l report.Lang, err error) string {
	var failed *confine.StepError
	why := ""
	if errors.As(err, &failed) {
		switch {
		case strings.Contains(failed.Step, "namespace"), strings.Contains(failed.Step, "private"):
			why = l.T("This system does not let programs make user namespaces (a container, or the AppArmor rule of Ubuntu). ")
		case strings.Contains(failed.Step, "/proc"):
			why = l.T("What is around Jacquard hides parts of /proc, as containers do. ")
		}
	}
	return why + l.T("Where a container or virtual machine is around Jacquard, say --sandbox outside; --sandbox off runs agents and checks as you")
}

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

// sandbox tries the sandbox for real and says what there is.
func (c *checkup) sandbox(ctx context.Context, p *project) {
	level, b, err := p.sandbox("")
	if err != nil {
		c.add("sandbox", false, true, "%v", err)
		return
	}
	failed := proc.ProbeSandbox(ctx, filepath.Join(p.cache, "tmp"))
	switch {
	case b == nil && failed == nil:
		c.add("sandbox", level == confine.Outside, false, c.l.T("%s: agents and checks run as you; full works here: sandbox: {level: full} in %s, or --sandbox full"), level, configFile)
	case b == nil:
		c.add("sandbox", level == confine.Outside, false, c.l.T("%s: agents and checks run as you; full does not work here: %v"), level, failed)
	case failed != nil:
		c.add("sandbox", false, true, "%v. %s", failed, remedy(c.l, failed))
	default:
		text := fmt.Sprintf(c.l.T("full: tried, nothing got out; at most %d processes and %d MiB"), b.Limits.Processes, b.Limits.Memory>>20)
		for _, line := range p.conf.Sandbox.asks() {
			text += "; " + line
		}
		c.add("sandbox", true, true, "%s", text)
	}
}
