package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

func (t *specTool) analyze() *cobra.Command {
	var dir string
	var files []string
	c := t.command("analyze [DIR]", "what the code in a directory exports and imports", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		p, x, err := t.files(ctx)
		if err != nil {
			return err
		}
		if dir, err = p.inside(first(args, dir, ".")); err != nil {
			return err
		}
		a := x.Analyze(root(dir), files)
		return t.answer(a, func() { t.analysis(a) })
	})
	c.Flags().StringVarP(&dir, "path", "p", "", "the `directory`")
	c.Flags().StringSliceVar(&files, "files", nil, "only these `files` of it")
	return c
}

func (t *specTool) analysis(a inspect.Analysis) {
	for _, list := range [][]inspect.AnalysisExport{a.Exports.Functions, a.Exports.Types, a.Exports.Classes, a.Exports.Enums, a.Exports.Variables, a.Exports.ReExports} {
		for _, e := range list {
			text := e.Signature
			if text == "" {
				text = e.Name
			}
			fmt.Fprintf(t.a.Out, "%s:%d: %s\n", e.File, e.Line, text)
		}
	}
	for _, u := range a.Dependencies.Internal {
		fmt.Fprintf(t.a.Out, "→ %s (%s)\n", u.Raw, u.Dir)
	}
	for _, e := range a.Dependencies.External {
		fmt.Fprintf(t.a.Out, "→ %s\n", e)
	}
}

func (t *specTool) exports() *cobra.Command {
	var dir string
	c := t.command("exports [DIR]", "the Exports section that the code in a directory asks for", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		p, x, err := t.files(ctx)
		if err != nil {
			return err
		}
		if dir, err = p.inside(first(args, dir, ".")); err != nil {
			return err
		}
		text := x.ExportsText(root(dir))
		return t.answer(map[string]string{"path": dir, "exports": text}, func() { fmt.Fprint(t.a.Out, text) })
	})
	c.Flags().StringVarP(&dir, "path", "p", "", "the `directory`")
	return c
}

func (t *specTool) project() *cobra.Command {
	return t.command("project", "the analysis of every directory that needs a spec", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		_, x, err := t.files(ctx)
		if err != nil {
			return err
		}
		all := x.AnalyzeAll()
		return t.answer(all, func() {
			for _, d := range all.Directories {
				fmt.Fprintf(t.a.Out, "%s\n", place(d.Path))
				t.analysis(d.Analysis)
			}
		})
	})
}

func (t *specTool) diagram() *cobra.Command {
	var kind, file string
	c := t.command("diagram [FILE]", "a picture in Mermaid: of the modules, or of one spec's states or use cases", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		p, x, err := t.files(ctx)
		if err != nil {
			return err
		}
		if file = first(args, file, ""); file != "" {
			if file, err = p.document(file); err != nil {
				return err
			}
		}
		text, err := x.Diagram(kind, file)
		if err != nil {
			return usage("%v", err)
		}
		return t.answer(map[string]string{"type": kind, "mermaid": text}, func() { fmt.Fprint(t.a.Out, text) })
	})
	c.Flags().StringVarP(&kind, "type", "t", "component", "component, state or usecase")
	c.Flags().StringVarP(&file, "file", "f", "", "the `file`")
	return c
}
