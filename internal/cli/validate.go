package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/target"
)

// validateOptions are the flags of validate.
type validateOptions struct {
	format   string
	exitZero bool
	staged   bool
	fix, dry bool
}

func newValidate(a *app) *cobra.Command {
	var o validateOptions
	c := &cobra.Command{
		Use: "validate [PATH]", Short: "compare specs with their code", Args: cobra.MaximumNArgs(1),
		Long: "Reads specs and code, and compares exports and the facts that a spec states. No code and no test is run, so behavior is " +
			"not verified: jacquard verify does that.",
		Example: "  jacquard validate\n  jacquard validate src --format sarif > drift.sarif\n  jacquard validate --fix --dry-run\n  jacquard validate --staged",
		RunE: func(c *cobra.Command, args []string) error {
			return a.validate(c.Context(), first(args, "", "."), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "text", "text, json, sarif or junit")
	f.BoolVar(&o.exitZero, "exit-zero", false, "exit 0 even if there is drift")
	f.BoolVar(&o.staged, "staged", false, "compare staged files, in modules with staged changes")
	f.BoolVar(&o.fix, "fix", false, "update specs from code: exports, imported modules, Structure entries")
	f.BoolVar(&o.dry, "dry-run", false, "with --fix: show the changes without writing them")
	return c
}

func (a *app) validate(ctx context.Context, at string, o validateOptions) error {
	if err := drawn(o.format); err != nil {
		return err
	}
	switch {
	case o.dry && !o.fix:
		return usage("--dry-run needs --fix: it shows what --fix would write")
	case o.fix && o.staged:
		return usage("--fix and --staged can't be used together: run --fix, git add the files, then run --staged")
	}
	t := &specTool{a: a}
	p, x, wanted, dir, err := t.toValidate(ctx, at, o.staged)
	if err != nil {
		return err
	}
	v := x.ValidateModules(wanted)
	mended := []inspect.Mended{}
	if o.fix {
		mended = x.Mend(v)
		changed := map[string][]byte{}
		for _, m := range mended {
			changed[m.File] = m.Text
		}
		now := x.With(changed).ValidateModules(wanted)
		now.Fixed(v)
		v = now
		if !o.dry {
			for _, m := range mended {
				if err := os.WriteFile(filepath.Join(p.root, filepath.FromSlash(m.File)), m.Text, 0o644); err != nil { //nolint:gosec // a document of the project
					return environment("write %s", err, m.File)
				}
			}
		}
	}
	uncoded, valid := x.Uncoded(wanted)
	switch {
	case len(uncoded) > 0 && valid:
		fmt.Fprintf(a.Err, a.lang().T("no code yet for %s: run jacquard build\n"), strings.Join(uncoded, ", "))
	case len(uncoded) > 0:
		fmt.Fprintf(a.Err, a.lang().T("no code yet for %s, and the specs have errors: run jacquard spec check\n"), strings.Join(uncoded, ", "))
	case len(v.Modules)+len(v.Unreadable) == 0 && !o.staged:
		fmt.Fprint(a.Err, report.NoSpecs(a.lang(), filepath.Join(p.root, filepath.FromSlash(dir)), x.FreeForm(root(dir))))
	}
	t.explain(&v, root(dir))
	if err := showDrift(a, v, mended, o); err != nil {
		return err
	}
	return proved(v.Clean() && valid || o.exitZero)
}

// drawn refuses a format in which findings are not reported.
func drawn(format string) error {
	switch format {
	case "text", "json", "sarif", "junit":
		return nil
	}
	return usage("--format %q: must be text, json, sarif or junit", format)
}

// write reports a validation in a format of other programs.
func write(a *app, format string, v inspect.Validation) error {
	raw, err := v.JUnit()
	if format == "sarif" {
		raw, err = v.SARIF(built().Version)
	}
	if err != nil {
		return err
	}
	_, err = a.Out.Write(append(raw, '\n'))
	return err
}

// toValidate finds the project and which of its modules are to be compared.
func (t *specTool) toValidate(ctx context.Context, at string, staged bool) (*project, *inspect.Project, func(string) bool, string, error) {
	p, err := t.a.open(ctx)
	if err != nil {
		return nil, nil, nil, "", err
	}
	dir, err := p.inside(at)
	if err != nil {
		return nil, nil, nil, "", err
	}
	if st, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(dir))); err == nil && !st.IsDir() { // a file stands for its module
		dir = path.Dir(dir)
	}
	within := inspect.Below(root(dir))
	if staged {
		x, touched, err := t.staged(ctx, p)
		return p, compiled(x, err), func(d string) bool { return within(d) && touched[d] }, dir, err
	}
	x, err := t.workTree(ctx, p, true)
	return p, compiled(x, err), within, dir, err
}

// compiled tells a project what its lock records.
func compiled(x *inspect.Project, err error) *inspect.Project {
	if err != nil || !x.Has(target.LockName) {
		return x
	}
	lock, _ := target.ParseLock(x.Read(target.LockName))
	built, gone := map[string]inspect.Built{}, lock.Gone(x.HasSpec, x.Has)
	for _, d := range lock.Dirs() {
		if e, ok := lock.Entry(d); ok {
			built[d] = inspect.Built{Files: slices.Collect(maps.Keys(e.Files)), Content: e.Content, Gone: slices.Contains(gone, d)}
		}
	}
	x.Built(built)
	return x
}

func showDrift(a *app, v inspect.Validation, mended []inspect.Mended, o validateOptions) error {
	if a.json {
		o.format = "json"
	}
	switch o.format {
	case "json":
		if o.fix {
			a.print(struct {
				inspect.Validation

				DryRun bool             `json:"dry_run"`
				Mended []inspect.Mended `json:"mended"`
			}{v, o.dry, mended})
			return nil
		}
		a.print(v)
		return nil
	case "text":
		showMended(a, mended, o.dry)
		showText(a, v)
		return nil
	}
	return write(a, o.format, v)
}

// openShown is how many facts that could not be compared are listed of a module.
const openShown = 5

func showText(a *app, v inspect.Validation) {
	for _, m := range v.Modules {
		if m.Status == "partial" {
			fmt.Fprintf(a.Out, a.lang().T("%s %s: %d of %d facts match, %d %% of exports specified\n"), "✓", m.Directory, m.Facts.Agreed, m.Facts.Stated, m.Coverage)
		} else {
			fmt.Fprintf(a.Out, a.lang().T("%s %s: %s, %d %% of exports specified, %d of %d facts match\n"), tick(m.Status == "good" || m.Status == "fixed"), m.Directory, m.Status, m.Coverage, m.Facts.Agreed, m.Facts.Stated)
		}
		if !m.Valid {
			fmt.Fprintf(a.Out, a.lang().T("    the spec is not valid: jacquard spec check %s\n"), m.Directory)
		}
		for _, d := range m.Issues {
			fmt.Fprintf(a.Out, "    %s:%d: [%s] %s\n", d.File, max(d.Line, 1), d.Type, a.lang().Finding(d.Message))
		}
		for i, o := range m.Facts.Open {
			if i == openShown {
				fmt.Fprintf(a.Out, a.lang().T("    not compared: %d more (--json lists them)\n"), len(m.Facts.Open)-i)
				break
			}
			fmt.Fprintf(a.Out, a.lang().T("    not compared: %s: %s: %s\n"), o.Symbol, o.Fact, o.Why)
		}
		for _, d := range m.Notes {
			fmt.Fprintf(a.Out, a.lang().T("    %s:%d: note: %s\n"), d.File, max(d.Line, 1), a.lang().Finding(d.Message))
		}
	}
	for _, d := range v.Conventions {
		fmt.Fprintf(a.Out, "⚠ %s:%d: [%s] %s\n", d.File, d.Line, d.Type, a.lang().Finding(d.Message))
	}
	for _, u := range v.Unreadable {
		fmt.Fprintf(a.Out, "⚠ %s: %s\n", u.File, a.lang().Finding(u.Message))
	}
}

func showMended(a *app, mended []inspect.Mended, dry bool) {
	for _, m := range mended {
		if dry {
			fmt.Fprintf(a.Out, a.lang().T("%s would change:\n"), m.File)
		} else {
			fmt.Fprintf(a.Out, a.lang().T("%s changed:\n"), m.File)
		}
		for _, c := range m.Changes {
			fmt.Fprintf(a.Out, "  %d: [%s] %s\n", c.Line, c.Type, c.Symbol)
			for _, l := range c.Removed {
				fmt.Fprintf(a.Out, "    - %s\n", l)
			}
			for _, l := range c.Added {
				fmt.Fprintf(a.Out, "    + %s\n", l)
			}
		}
	}
}
