package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/hub"
	"github.com/jacquard-build/jacquard/internal/report"
)

// trusted refuses to run commands that the repository brings before a person
// has said once that they may run.
func (p *project) trusted() error {
	if p.hasTrust() {
		return nil
	}
	return notAllowed(p.trustCommands())
}

// notAllowed refuses what the repository asks for, a line each, and nobody has allowed.
func notAllowed(asked []string) error {
	return usage("%s asks for these permissions:\n  %s\nTo review and allow them, run: jacquard trust", configFile, permissions(asked))
}

// hasTrust reports whether everything that the repository asks to run may run.
func (p *project) hasTrust() bool { return p.trusts(p.trustCommands()) }

// trusts reports whether a person has allowed what the repository asks for, a line each.
func (p *project) trusts(asked []string) bool {
	digest := p.trustDigest(asked)
	if digest == "" {
		return true
	}
	raw, _ := os.ReadFile(p.trustFile()) // without one nothing is allowed
	return slices.ContainsFunc(strings.Split(string(raw), "\n"), func(l string) bool { return strings.TrimSpace(l) == digest })
}

func (p *project) trustCommands() []string {
	out := append([]string{}, p.conf.Setup...)
	for _, k := range []string{"build", "test", "lint", "format"} {
		if c := p.conf.Checks[k]; c != "" {
			out = append(out, c)
		}
	}
	for _, c := range p.conf.Copy {
		out = append(out, "copy "+c)
	}
	for _, name := range p.conf.moreAgents() {
		out = append(out, p.conf.ACP[name].asks(name))
	}
	if p.conf.PR {
		out = append(out, "push a branch to origin and open a pull request there (pr: true)")
	}
	if p.conf.Issue {
		out = append(out, "comment on an issue at origin, or open one (issue: true)")
	}
	if p.conf.Pool != "" {
		out = append(out, "push the results of runs to refs/jacquard/ on the hub, where workers share them (pool: "+p.conf.Pool+")")
	}
	out = append(out, p.asksSandbox()...)
	if hub.IsAddress(p.conf.Hub) {
		out = append(out, "send this repository's history and the results of pool runs to "+p.conf.Hub+", with the credentials in your environment (hub)")
	}
	return out
}

// spends is what a repository asks to spend on each run, where that is more than what nobody is asked about.
func (p *project) spends() []string {
	if b, err := parseBudget(p.conf.Budget); err != nil || b.USD <= mostUnasked.USD && b.Tokens <= mostUnasked.Tokens {
		return nil
	}
	return []string{"spend up to " + p.conf.Budget + " on each run, with your key or login (budget)"}
}

// permissions are what is asked for, for the person who decides, one a line. One
// with characters that a terminal would act on or hide is quoted.
type permissions []string

func (asked permissions) Error() string { return asked.in(report.English) }

func (asked permissions) in(l report.Lang) string {
	var out []string
	for _, c := range asked {
		if strings.ContainsFunc(c, func(r rune) bool { return !unicode.IsPrint(r) }) {
			c = strconv.Quote(c)
		} else {
			c = l.Permission(c)
		}
		out = append(out, c)
	}
	return strings.Join(out, "\n  ")
}

func (p *project) trustDigest(cmds []string) string {
	if len(cmds) == 0 {
		return ""
	}
	raw, err := json.Marshal(append([]string{p.root}, cmds...))
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// trustFile is in the user's configuration, where no repository can write.
func (p *project) trustFile() string { return filepath.Join(p.a.configDir(), "trust") }

func newTrust(a *app) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "trust", Short: "allow what this project's jacquard.yaml asks for", Args: cobra.NoArgs,
		Example: "  jacquard trust\n  jacquard trust --yes",
		RunE: a.inProject(func(ctx context.Context, p *project, _ []string) error {
			return p.trust(ctx, yes)
		}),
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// trust shows what the repository asks to run and records that it may, when a
// person says so.
func (p *project) trust(ctx context.Context, yes bool) error {
	a, cmds := p.a, append(p.trustCommands(), p.spends()...)
	hosts := p.callbackHosts()
	if err := a.byPerson(true, "trust"); err != nil {
		return err
	}
	if len(cmds) > 0 {
		fmt.Fprintf(a.Err, a.lang().T("%s asks for these permissions:\n  %s\n"), configFile, permissions(cmds).in(a.lang()))
	}
	if len(hosts) > 0 {
		fmt.Fprintf(a.Err, a.lang().T("this project asks for these permissions:\n  %s\n"), permissions(hosts).in(a.lang()))
	}
	cmds = append(cmds, hosts...)
	if !p.hasTrust() || !p.trusts(p.spends()) || !p.trusts(hosts) {
		if !yes { // without a terminal nobody could have read the commands, so that is for --yes to say
			if err := a.confirm(ctx, a.lang().T("Allow this in this project? [y/N] "), usage("can't ask without a terminal. Review the list, then run: jacquard trust --yes")); err != nil {
				return err
			}
		}
		if err := p.addTrust(); err != nil {
			return environment("record the permissions", err)
		}
	}
	switch {
	case a.json:
		a.print(map[string]any{"trusted": cmds})
	case len(cmds) == 0:
		fmt.Fprintln(a.Err, a.lang().T("jacquard.yaml asks for no permissions, so there is nothing to allow"))
	default:
		fmt.Fprintf(a.Out, a.lang().T("✓ allowed permissions: %d\n"), len(cmds))
	}
	return nil
}

// confirm asks a person for a yes at the terminal. Without a terminal it is the error that is given.
func (a *app) confirm(ctx context.Context, question string, nobody error) error {
	_, _, in := terminal(a.In)
	_, _, out := terminal(a.Err)
	if !in || !out {
		return nobody
	}
	fmt.Fprint(a.Err, question)
	said, _ := a.reads(ctx) // what could not be read is no yes
	switch said = strings.ToLower(said); {
	case ctx.Err() != nil:
		return silent(exitInterrupted)
	case said == "y" || said == "yes":
		return nil
	}
	fmt.Fprintln(a.Err, a.lang().T("nothing was changed"))
	return silent(exitUsage)
}

// addTrust appends the digest of the present commands to the user's file.
func (p *project) addTrust() error {
	if err := os.MkdirAll(filepath.Dir(p.trustFile()), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(p.trustFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, asked := range [][]string{p.trustCommands(), p.spends(), p.callbackHosts()} {
		if digest := p.trustDigest(asked); digest != "" && err == nil {
			_, err = fmt.Fprintln(f, digest)
		}
	}
	return cmp.Or(err, f.Close())
}
