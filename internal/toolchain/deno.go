package toolchain

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// deno is a manager of packages and a runner of tests.
const deno = "deno"

func denoNeed() Need { return Need{Tool: deno, Install: "install Deno from https://deno.com"} }

// inspectDeno reads the configuration of Deno where a project is of it alone, or has its lock file (docs.deno.com, "deno.json and package.json").
func (f *Found) inspectDeno(p *Project) {
	if strings.HasSuffix(f.Manifest, "package.json") && f.Manager != deno || f.Lock != "" && f.Manager != deno {
		return
	}
	for _, d := range parents(f.Root) {
		for _, file := range p.match(d, commands.DenoConfigs...) {
			var config struct {
				Name    string            `json:"name"`
				Imports map[string]string `json:"imports"`
			}
			_ = json.Unmarshal(commands.PlainJSON(p.read(file)), &config) // what cannot be read says nothing
			if d == f.Root && f.Module == "" {
				f.Module = config.Name
			}
			for _, name := range sortedKeys(config.Imports) {
				scheme, pkg, ok := strings.Cut(config.Imports[name], ":")
				if pkg = strings.TrimPrefix(pkg, "/"); !ok || scheme != "npm" && scheme != "jsr" || pkg == "" {
					continue
				}
				scope, rest := "", pkg
				if at := strings.Index(pkg, "/"); pkg[0] == '@' && at >= 0 {
					scope, rest = pkg[:at+1], pkg[at+1:]
				}
				rest, _, _ = strings.Cut(rest, "/")
				bare, version, _ := strings.Cut(rest, "@")
				f.declare(scope+bare, version)
			}
			f.Installs, f.Manager = addOnce(f.Installs, file), deno
		}
	}
}

// denoSetup fills {env}, which is Deno's cache in all its commands.
func (f Found) denoSetup() []Command {
	env := f.denoEnv()
	if len(env) == 0 {
		return nil
	}
	c := f.denoCommand("setup", ReportExit, "install")
	if c.Env = append(env, withoutBrowsers()...); f.Lock != "" {
		c.Argv, c.Dir = append(c.Argv, "--frozen"), path.Dir(f.Lock)
	}
	return []Command{c}
}

// denoEnv says where what setup has installed is; nothing where there is nothing to install.
func (f Found) denoEnv() []string {
	if f.Manager != deno || len(f.Declared) == 0 && f.Lock == "" {
		return nil
	}
	return []string{"DENO_DIR={env}", "DENO_NO_UPDATE_CHECK=1"}
}

func (f Found) denoCommand(name string, r Report, args ...string) Command {
	return Command{Name: name, Argv: append([]string{deno}, args...), Dir: f.Root, Report: r, Env: f.Env(), Needs: []Need{denoNeed()}}
}

// denoTest leaves types to a check of their own: where one is wrong no test would run, and no report be written.
func (f Found) denoTest(flags, files []string) Command {
	if len(f.Own.Test) == 0 {
		flags = []string{"-A"}
	}
	return f.denoCommand("test", ReportDeno, slices.Concat([]string{"test", "--no-check", "--junit-path={report}"}, flags, files)...)
}
