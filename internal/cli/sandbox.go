package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
)

// sandbox is the level that agents and checks run under, and the policy that theirs begin with: nil for no sandbox of ours.
// given is what the command line says. Where nobody has said a level, it is the strongest that there is for this system.
func (p *project) sandbox(given string) (confine.Level, *confine.Policy, error) {
	own, err := p.a.readOwnSandbox()
	if err != nil {
		return "", nil, err
	}
	level := confine.Default
	for _, said := range []struct{ where, level string }{
		{"--sandbox", given}, {"JACQUARD_SANDBOX", p.a.env["JACQUARD_SANDBOX"]}, {configFile, p.conf.Sandbox.Level}, {p.a.ownSandbox(), own.Level},
	} {
		if said.level == "" {
			continue
		}
		if level, err = confine.ParseLevel(said.level); err != nil {
			return "", nil, usage("%s: %v", said.where, err)
		}
		break
	}
	if level != confine.Full && level != confine.Partial {
		return level, nil, nil
	}
	b := &confine.Policy{Partial: level == confine.Partial}
	for _, c := range []struct {
		sandboxConf
		file string
	}{{p.conf.Sandbox, configFile}, {own, p.a.ownSandbox()}} {
		read, err := p.places(c.file, c.Read)
		if err != nil {
			return level, nil, err
		}
		write, err := p.places(c.file, c.Write)
		if err != nil {
			return level, nil, err
		}
		b.Read, b.Write = append(b.Read, read...), append(b.Write, write...)
		for _, at := range c.Connect {
			if port, ok := localPort(at); !ok && b.Partial {
				return level, nil, usage("%s: sandbox: connect: %s is a Unix socket, which the level partial can't allow; use full or outside", c.file, at)
			} else if !ok {
				b.Sockets = append(b.Sockets, at)
			} else if !slices.Contains(b.Ports, port) {
				b.Ports = append(b.Ports, port)
			}
		}
	}
	b.Limits = p.bounds(own)
	return level, b, nil
}

// said are the limits that the project and a person have set; what is 0 nobody has.
func (p *project) said(own sandboxConf) confine.Limits {
	return orLimits(p.conf.Sandbox.limits(), own.limits())
}

// bounds are what each command of agents and checks may use of the machine.
func (p *project) bounds(own sandboxConf) confine.Limits {
	return orLimits(p.said(own), usualLimits())
}

// confined is sandbox for what is about to run: the machine has shown that it can make one. There is no falling back to less.
func (p *project) confined(ctx context.Context, given string) (confine.Level, *confine.Policy, error) {
	level, b, err := p.sandbox(given)
	if err != nil || b == nil {
		return level, b, err
	}
	err = proc.ProbeSandbox(ctx, filepath.Join(p.cache, "tmp"), *b)
	if noSpace(err) {
		return level, nil, fail(flow.Environment, "no space left in %s; nothing was started: free some space, then run the same command again", p.cache)
	}
	if err != nil {
		return level, nil, flow.Failf(flow.Environment, p.a.lang().T("no sandbox is available here, so nothing was started: %v. %s"), err, p.a.remedy(p.a.lang(), err, b))
	}
	return level, b, nil
}

// noSpace reports whether a sandbox could not be made because a disk is full. A step of it says the same where there may be no namespaces.
func noSpace(err error) bool {
	var step *confine.StepError
	return errors.Is(err, syscall.ENOSPC) && !errors.As(err, &step)
}

// weaker says in a line at which level something was run, where that is not full.
func weaker(l report.Lang, level confine.Level) string {
	if level == confine.Full {
		return ""
	}
	return fmt.Sprintf(l.T("sandbox: %s"), level) + "\n"
}

// remedy says what a person can do about a sandbox of a policy that cannot be made, and where it is said once.
func (a *app) remedy(l report.Lang, err error, b *confine.Policy) string {
	var failed *confine.StepError
	if errors.As(err, &failed) {
		for _, path := range slices.Concat(b.Read, b.Write, b.Sockets) { // what somebody has named
			if strings.Contains(failed.Step, path) || strings.Contains(failed.Step, real(path)) {
				return fmt.Sprintf(l.T("Create %s, or correct sandbox: in %s or %s"), path, configFile, a.ownSandbox())
			}
		}
	}
	ways := fmt.Sprintf(l.T("If Jacquard runs in a container or virtual machine, use --sandbox outside; --sandbox partial protects files and keys, not the network of checks; --sandbox off runs agents and checks with your permissions. To set it for all projects: JACQUARD_SANDBOX, or a line such as level: outside in %s"), a.ownSandbox())
	if raw, _ := os.ReadFile(confine.AppArmorRule); strings.TrimSpace(string(raw)) == "1" && os.Geteuid() != 0 {
		return appArmor(l) + ways
	}
	why := ""
	if failed != nil {
		switch {
		case confine.Inside():
			why = l.T("Jacquard already runs in one of its own sandboxes, and can't create another one inside it. ")
		case strings.Contains(failed.Step, "namespace"), strings.Contains(failed.Step, "private"):
			why = l.T("This system does not allow user namespaces, as in most containers. ")
		case strings.Contains(failed.Step, "/proc"):
			why = l.T("The environment of Jacquard hides parts of /proc, as containers do. ")
		}
	}
	return why + ways
}

// appArmor says how this program gets the profile that Ubuntu wants since 23.10.
func appArmor(l report.Lang) string {
	self, err := os.Executable()
	if err != nil {
		self = "/usr/bin/jacquard"
	}
	return fmt.Sprintf(l.T("AppArmor on this system allows user namespaces only for programs with a profile. Write this to /etc/apparmor.d/jacquard, then run sudo apparmor_parser -r /etc/apparmor.d/jacquard:\n\n%s\n"), confine.AppArmorProfile(real(self)))
}

// asksSandbox lists what the repository says that widens the sandbox of this machine, a line each: a person has to allow it.
func (p *project) asksSandbox() []string {
	own, _ := p.a.readOwnSandbox() // open has read it before
	return p.conf.Sandbox.asks(orLimits(own.limits(), usualLimits()))
}

// places makes paths of the configuration absolute, and refuses those that would leave nothing of the sandbox.
func (p *project) places(file string, list []string) ([]string, error) {
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
			refused := below(path, home) || below("/run", path) || below(path, "/run") || below("/var/run", path) || below("/proc", path) ||
				below("/dev", path) && !strings.HasPrefix(path, "/dev/shm/") // which is a folder in memory
			for _, s := range secretFolders {
				refused = refused || below(filepath.Join(home, s), path)
			}
			if refused {
				return nil, usage("%s: sandbox: %s exposes too much: the home folder, the root, /run and folders with credentials cannot be shared. Name a folder inside it", file, given)
			}
		}
		out = append(out, filepath.Clean(path))
	}
	return out, nil
}
