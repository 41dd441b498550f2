package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

type decompileFlags struct {
	driveOptions
	dry, alone bool
}

func newDecompile(a *app) *cobra.Command {
	var f decompileFlags
	c := &cobra.Command{
		Use: "decompile [PATH]", Short: "write specs for existing code", Args: cobra.MaximumNArgs(1),
		Long: "Writes CLAUDE.md (SPEC.md if CLAUDE.md is free text) and IMPLEMENTS.md for directories with code. Exports, " +
			"dependencies, contracts and states come from the code; an agent describes the purpose and the reasons. Existing specs " +
			"only get missing parts.",
		Example: "  jacquard decompile src --dry-run\n  jacquard decompile --no-agent && jacquard validate && jacquard adopt",
		RunE: func(c *cobra.Command, args []string) error {
			return a.decompile(c.Context(), first(args, "", "."), f)
		},
	}
	runFlags(c, &f.driveOptions)
	c.Flags().BoolVar(&f.dry, "dry-run", false, "show what would be written, without writing it")
	c.Flags().BoolVar(&f.alone, "no-agent", false, "call no agent: leave placeholders for what an agent would write")
	return c
}

// hasAgent reports whether there is an agent to be asked.
func (p *project) hasAgent(o driveOptions) bool {
	if o.agent+o.scenario+o.mailbox+o.replay != "" {
		return true
	}
	var err error
	if m, ok := findMaker(p.conf.Agent); ok {
		_, err = m.find(p.a.env)
	} else if _, more := p.conf.ACP[p.conf.Agent]; more {
		_, err = p.installed(p.conf.Agent)
	}
	return err == nil
}

func (a *app) decompile(ctx context.Context, at string, f decompileFlags) error {
	t := specTool{a: a}
	p, x, err := t.files(ctx)
	if err != nil {
		return err
	}
	defer t.complain()
	dir, err := p.inside(at)
	if err != nil {
		return err
	}
	if p.isFile(dir) {
		return usage("%s is a file, but modules are directories: jacquard decompile %s", at, p.moduleOf(at, dir))
	}
	if f.dry || f.alone || !p.hasAgent(f.driveOptions) {
		return p.decompileAlone(ctx, x, root(dir), f)
	}
	budget, err := p.budget(f.budget)
	if err != nil {
		return err
	}
	in := step.DecompileIn{Path: dir, Budget: budget}
	if list := x.Decompile(root(dir)); !lacks(list) {
		return p.nothingToDescribe(list, dir)
	}
	return p.run(ctx, decompileDef, in, budget, f.driveOptions)
}

// lacks reports whether something would be written.
func lacks(list []inspect.Decompiled) bool {
	return slices.ContainsFunc(list, func(d inspect.Decompiled) bool { return d.Writes() })
}

func (p *project) nothingToDescribe(list []inspect.Decompiled, dir string) error {
	if p.a.asJSON(report.NothingToDescribe()) {
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintf(p.a.Err, p.a.lang().T("no code found in %s, so there is nothing to describe: add code, or name another directory\n"), root(dir))
		return nil
	}
	fmt.Fprint(p.a.Err, p.a.lang().T("✓ every directory with code has a complete spec\n"))
	return nil
}

// decompileAlone writes what a program can know, without a run.
func (p *project) decompileAlone(ctx context.Context, x *inspect.Project, dir string, f decompileFlags) error {
	list := x.Decompile(dir)
	files := textsOf(list)
	if lacks(list) && !f.dry {
		if err := p.writeFiles(ctx, files); err != nil {
			return err
		}
	}
	circles := x.With(files).Graph().Cycles
	if p.a.asJSON(map[string]any{"dry_run": f.dry, "modules": list, "cycles": circles}) {
		return nil
	}
	if len(list) == 0 {
		return p.nothingToDescribe(list, dir)
	}
	l, created := p.a.lang(), 0
	for _, d := range list {
		text := ""
		switch {
		case d.Skipped != "":
			text = fmt.Sprintf("  %s: %s\n", d.Dir, d.Skipped)
		case d.Created:
			created++
			text = report.Countf(l.T("✓ %s: %d exports\n"), d.Spec, d.Exports)
		case d.Text != nil:
			text = report.Countf(l.T("✓ %s: %d lines added\n"), d.Spec, len(d.Changes))
		default:
			text = fmt.Sprintf(l.T("✓ %s (new)\n"), d.Implements)
		}
		if f.dry {
			text = strings.Replace(text, "✓ ", l.T("would write "), 1)
		}
		fmt.Fprint(p.a.Out, text)
	}
	for _, c := range circles {
		fmt.Fprintf(p.a.Err, l.T("⚠ dependency cycle, which adopt and build reject: %s; move what they share into a separate module\n"), strings.Join(c, " → "))
	}
	if created > 0 && !f.dry {
		fmt.Fprint(p.a.Err, l.T("next, describe the purpose and behavior of each module (jacquard spec check), then run: jacquard adopt\n"))
	}
	return nil
}

// textsOf are the documents to write.
func textsOf(list []inspect.Decompiled) map[string][]byte {
	files := map[string][]byte{}
	for _, d := range list {
		for name, text := range map[string][]byte{d.Spec: d.Text, d.Implements: d.ImplementsText} {
			if text != nil {
				files[name] = text
			}
		}
	}
	return files
}

// writeFiles writes files into the working tree, all of them or none: where one has changed since it was listed, nothing
// is written.
func (p *project) writeFiles(ctx context.Context, files map[string][]byte) error {
	have, err := p.repo.Listing(ctx, func(f string) bool { _, ok := files[f]; return ok })
	if err != nil {
		return err
	}
	var out []git.Delivery
	for _, name := range slices.Sorted(maps.Keys(files)) {
		id, err := p.repo.WriteBlob(ctx, files[name])
		if err != nil {
			return environment("write %s", err, name)
		}
		out = append(out, git.Delivery{Path: name, Old: have[name].ID, New: id, Mode: "100644"})
	}
	res, err := p.repo.Apply(ctx, out)
	if err != nil {
		return environment("write files", err)
	}
	for _, r := range res {
		if r.State == git.Conflicting {
			return fail(flow.Environment, "%s changed while it was being read, so nothing was written: %s. Try again", r.Path, r.Reason)
		}
	}
	return nil
}
