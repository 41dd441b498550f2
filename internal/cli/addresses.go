package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/report"
)

// addresses are where a run of work is told of, by kind, and how the receiver knows us.
type addresses struct {
	to     map[report.CallbackKind]string
	token  string
	header string // X-Runner-Api-Key or Authorization
}

// callbackAddresses reads them from jacquard.yaml, else from lines of CLAUDE.md; the address of stages also from the
// environment, as runners set it. A token comes from the environment; one in CLAUDE.md works and is warned of.
func (p *project) callbackAddresses() (a addresses, warning string) {
	a = addresses{to: map[report.CallbackKind]string{}, header: "X-Runner-Api-Key"}
	c := p.conf.Callbacks
	if raw, err := os.ReadFile(filepath.Join(p.root, "CLAUDE.md")); err == nil {
		for l := range strings.Lines(string(raw)) {
			name, value, ok := strings.Cut(strings.TrimRight(l, "\r\n"), ":")
			if value = strings.TrimSpace(value); !ok || value == "" {
				continue
			}
			switch name {
			case "TaskCallback":
				a.to[report.TaskCallback] = value
			case "ProgressCallback":
				a.to[report.ProgressCallback] = value
			case "CallbackToken":
				a.token = value
				warning += p.a.lang().T("⚠ CLAUDE.md contains a callback token that everyone can read; set CALLBACK_TOKEN instead\n")
			}
		}
	}
	for kind, u := range map[report.CallbackKind]string{report.TaskCallback: c.Task, report.ProgressCallback: c.Progress, report.StageCallback: c.Stage} {
		if u != "" {
			a.to[kind] = u
		}
	}
	a.header, a.token = cmp.Or(c.Header, a.header), cmp.Or(p.a.env["CALLBACK_TOKEN"], a.token)
	return a, warning
}

// callbackHosts are what the repository asks to send to.
func (p *project) callbackHosts() []string {
	a, _ := p.callbackAddresses()
	var out []string
	for _, k := range []report.CallbackKind{report.TaskCallback, report.ProgressCallback, report.StageCallback} {
		if u := a.to[k]; u != "" {
			out = append(out, "send "+string(k)+" results to "+u)
		}
	}
	return out
}
