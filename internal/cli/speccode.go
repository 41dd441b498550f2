package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/inspect"
)

func (t *specTool) analyze() *cobra.Command {
	var dir, tree string
	var files []string
	c := t.onFiles("analyze [DIR]", "list exports and imports of the code in a directory", cobra.MaximumNArgs(1), func(p *project, x *inspect.Project, args []string) (err error) {
		if dir, err = p.inside(first(args, dir, ".")); err != nil {
			return err
		}
		a := x.Analyze(root(dir), files)
		for _, f := range files {
			if !slices.Contains(a.Files, f) {
				t.cannotRead(path.Join(dir, f), words("no such source file: name files directly in the directory"))
			}
		}
		if tree != "" {
			raw, err := t.input(tree)
			if err != nil {
				return err
			}
			dirs, err := inspect.ReadTree(raw)
			if err != nil {
				return notJSON(noun("tree"), tree, "jacquard spec tree -o FILE", err)
			}
			x.ResolveIn(&a, dirs)
		}
		return t.answer(a, func() { t.analysis(a) })
	})
	c.Flags().StringVarP(&dir, "path", "p", "", "the `directory`")
	c.Flags().StringSliceVar(&files, "files", nil, "only these `files` of it")
	c.Flags().StringVar(&tree, "tree-result", "", "resolve imports against the directories in this `file` of spec tree")
	return c
}

func (t *specTool) analysis(a inspect.Analysis) {
	for _, list := range [][]inspect.AnalysisExport{a.Exports.Functions, a.Exports.Types, a.Exports.Classes, a.Exports.Enums, a.Exports.Variables, a.Exports.ReExports} {
		for _, e := range list {
			fmt.Fprintf(t.a.Out, "%s:%d: %s\n", e.File, e.Line, cmp.Or(e.Signature, e.Name))
		}
	}
	for _, u := range a.Dependencies.Internal {
		fmt.Fprintf(t.a.Out, "→ %s (%s)\n", u.Raw, u.Dir)
	}
	for _, e := range a.Dependencies.External {
		fmt.Fprintf(t.a.Out, "→ %s\n", e)
	}
	for _, p := range a.Problems {
		if f := path.Join(a.Path, p.File); t.unread[f] == nil { // what cannot be read is said in the end
			fmt.Fprintf(t.a.Out, "⚠ %s%s\n", f, strings.TrimPrefix(": "+p.Message, ": "+f))
		}
	}
}

func (t *specTool) exports() *cobra.Command {
	var dir, input string
	c := t.command("exports [DIR]", "generate an Exports section from the code in a directory", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		if input != "" {
			if len(args) > 0 || dir != "" {
				return usage("give a directory or --input, not both")
			}
			list, err := t.reports(input)
			if err != nil {
				return err
			}
			return t.answerText(map[string]string{"path": list[0].Path, "exports": list[0].ExportsText()}, joined(list, inspect.Analysis.ExportsText))
		}
		p, x, err := t.files(ctx)
		if err != nil {
			return err
		}
		if dir, err = p.inside(first(args, dir, ".")); err != nil {
			return err
		}
		if p.isFile(dir) {
			return usage("%s is a file: give its directory, %s", dir, path.Dir(dir))
		}
		text := x.ExportsText(root(dir))
		return t.answerText(map[string]string{"path": dir, "exports": text}, text)
	})
	c.Flags().StringVarP(&dir, "path", "p", "", "the `directory`")
	c.Flags().StringVarP(&input, "input", "i", "", "read the JSON of spec analyze from this `file` instead of code; - is stdin")
	return c
}

func (t *specTool) summary() *cobra.Command {
	var input string
	c := t.command("summary [FILE|DIR]", "print an analysis as Markdown: of a file, stdin or code", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		at := first(args, input, ".")
		var list []inspect.Analysis
		st, err := os.Stat(at)
		if at != "-" && err == nil && st.IsDir() {
			p, x, err := t.files(ctx)
			if err != nil {
				return err
			}
			dir, err := p.inside(at)
			if err != nil {
				return err
			}
			list = append(list, x.Analyze(root(dir), nil))
		} else if list, err = t.reports(at); err != nil {
			return err
		}
		text := joined(list, inspect.Analysis.Summary)
		return t.answerText(map[string]string{"path": list[0].Path, "summary": text}, text)
	})
	c.Flags().StringVarP(&input, "input", "i", "", "the `file`")
	return c
}

// joined are the texts of analyses, one below the other.
func joined(list []inspect.Analysis, text func(inspect.Analysis) string) string {
	var out []string
	for _, r := range list {
		out = append(out, text(r))
	}
	return strings.Join(out, "\n")
}

// reports reads what spec analyze or spec project wrote.
func (t *specTool) reports(file string) ([]inspect.Analysis, error) {
	raw, err := t.input(file)
	if err != nil {
		return nil, err
	}
	list, err := inspect.ReadReports(raw)
	if err == nil && len(list) == 0 {
		err = words("it has no directories")
	}
	if err != nil {
		return nil, notJSON(noun("analysis"), file, "jacquard spec analyze DIR -o FILE", err)
	}
	return list, nil
}

// input reads a file that another command wrote, or stdin.
func (t *specTool) input(file string) ([]byte, error) {
	if file == "-" {
		raw, err := io.ReadAll(io.LimitReader(t.a.In, 64<<20))
		if err != nil {
			return nil, words("read stdin: %w", err)
		}
		return raw, nil
	}
	if _, err := os.Stat(file); err != nil {
		return nil, usage("Cannot read file '%s': %v", file, err)
	}
	raw, err := act.ReadFile(file, "", act.Readable)
	if err != nil {
		return nil, exit(exitNotVerified, "Cannot read file '%s': %v", file, err)
	}
	return raw, nil
}

func notJSON(what noun, file, how string, err error) error {
	return exit(exitNotVerified, "read the %s in '%s': %v. Write one with: %s", what, file, err, how)
}

func (t *specTool) project() *cobra.Command {
	return t.onFiles("project", "analyze all directories that need a spec", cobra.NoArgs, func(_ *project, x *inspect.Project, _ []string) error {
		all := x.AnalyzeAll()
		return t.answer(all, func() {
			for _, d := range all.Directories {
				fmt.Fprintf(t.a.Out, "%s\n", root(d.Path))
				t.analysis(d.Analysis)
			}
		})
	})
}

func (t *specTool) diagram() *cobra.Command {
	var kind, file string
	var page bool
	c := t.command("diagram [FILE]", "draw a Mermaid diagram of modules, states or use cases", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		p, x, err := t.files(ctx)
		if err != nil {
			return err
		}
		if file = first(args, file, ""); file != "" {
			if file, err = p.document(file); err != nil {
				return err
			}
		}
		if file != "" && kind != "component" {
			if err := t.unusable(p, file); err != nil {
				return err
			}
			if !x.Has(file) {
				return usage("Cannot read file '%s': %v", file, p.strange(file))
			}
		}
		list, err := x.Diagram(kind, file)
		if errors.Is(err, inspect.ErrNoStates) {
			fmt.Fprintf(t.a.Err, "%s: %v\n", file, err)
			return nil
		}
		if err != nil {
			return usage("%v", err)
		}
		text := inspect.Drawings(list)
		answer := map[string]any{"type": kind, "mermaid": text}
		if len(list) > 1 {
			answer["diagrams"] = list
		}
		if page {
			return t.page(ctx, p, cmp.Or(path.Dir(file), "."), list, answer)
		}
		return t.answerText(answer, text)
	})
	c.Flags().BoolVar(&page, "open", false, "write an HTML page with the diagram and, in a terminal, open it in the browser")
	c.Flags().StringVarP(&kind, "type", "t", "component", "component, state or usecase")
	c.Flags().StringVarP(&file, "file", "f", "", "the `file`")
	return c
}

// page writes a page with diagrams and opens it.
func (t *specTool) page(ctx context.Context, p *project, of string, list []inspect.Drawing, answer map[string]any) error {
	kind := fmt.Sprint(answer["type"])
	title := path.Base(p.root)
	if of != "." {
		title = of
	}
	b, err := inspect.Page(title+" · "+kind, list)
	if err != nil {
		return err
	}
	file := cmp.Or(t.output, filepath.Join(p.cache, "diagram-"+kind+".html"))
	if err := os.WriteFile(file, b, 0o644); err != nil { //nolint:gosec // a page for people
		return environment("write the page", err)
	}
	if t.a.json {
		answer["page"] = file
		t.a.print(answer)
	} else {
		fmt.Fprintln(t.a.Out, file)
	}
	if _, _, tty := terminal(t.a.Err); tty && t.a.env["CI"] == "" {
		_ = t.a.browse(ctx, file) // where nothing opens pages the path is enough
	}
	return nil
}
