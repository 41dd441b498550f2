package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

func newDecompile(a *app) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use: "decompile [PATH]", Short: "write specs for code that has none: exports and dependencies, without an agent", Args: cobra.MaximumNArgs(1),
		Example: "  jacquard decompile src --dry-run\n  jacquard decompile && jacquard validate && jacquard adopt",
		RunE: func(c *cobra.Command, args []string) error {
			return a.decompile(c.Context(), first(args, "", "."), dry)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be written, and write nothing")
	return c
}

func (a *app) decompile(ctx context.Context, at string, dry bool) error {
	t := specTool{a: a}
	p, x, err := t.files(ctx)
	if err != nil {
		return err
	}
	dir, err := p.inside(at)
	if err != nil {
		return err
	}
	list := x.Decompile(root(dir))
	defer t.complain()
	for i := range list {
		if list[i].Skipped == "" && !dry {
			if err := p.writeSpec(list[i]); err != nil {
				return err
			}
		}
	}
	if a.json {
		a.print(map[string]any{"dry_run": dry, "modules": list})
		return nil
	}
	l, written := a.lang(), 0
	for _, d := range list {
		if d.Skipped != "" {
			fmt.Fprintf(a.Out, "  %s: %s\n", d.Dir, d.Skipped)
			continue
		}
		written++
		fmt.Fprintf(a.Out, l.T("✓ %s: %d exports\n"), d.Spec, d.Exports)
	}
	if written > 0 && !dry {
		fmt.Fprint(a.Err, l.T("next: say what each module is for and how it behaves (jacquard spec check), then jacquard adopt\n"))
	}
	return nil
}

// writeSpec writes the documents of a module. Neither replaces anything.
func (p *project) writeSpec(d inspect.Decompiled) error {
	for name, text := range map[string][]byte{d.Spec: d.Text, d.Implements: d.ImplementsText} {
		if text == nil {
			continue
		}
		f, err := os.OpenFile(filepath.Join(p.root, filepath.FromSlash(name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a document of the project
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		_, err = f.Write(text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}
