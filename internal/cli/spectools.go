package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// oldNames are the commands that the spec tools stand in for.
var oldNames = [][2]string{
	{"parse-tree", "tree"},
	{"resolve-boundary", "boundary"},
	{"parse-claude-md", "parse"},
	{"validate-schema", "check"},
	{"fix-schema", "fix"},
	{"diff-compile-targets", "targets"},
	{"scan-claude-md", "scan"},
	{"symbol-index", "index"},
	{"symbol-index --find", "find"},
	{"symbol-index --references", "refs"},
	{"dependency-graph", "graph"},
	{"audit", "audit"},
	{"parse-implements-md", "implements"},
	{"migrate", "migrate"},
	{"validate-convention", "convention"},
	{"analyze-code", "analyze"},
	{"format-exports", "exports"},
	{"format-analysis", "summary"},
	{"index-project", "project"},
	{"generate-diagram", "diagram"},
	{"interface-diff", "diff"},
	{"convert-signature", "signature"},
	{"validate-prompts", "prompts"},
}

// specTool is a spec command that needs no agent and no state.
type specTool struct {
	a      *app
	output string
	unread map[string]error // files that could not be read, and why
}

// symbols opens the project with the index of its symbols. What is kept of it from the last time
// is used, unless fresh says otherwise, for the specs that are as they were.
func (t *specTool) symbols(ctx context.Context, fresh bool) (*project, *inspect.Symbols, error) {
	p, err := t.a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	kept := make(chan *inspect.Symbols, 1)
	go func() { kept <- p.loadSymbols(fresh) }() // git takes longer
	var x *inspect.Symbols
	changed := false
	update := func(list map[string]git.File) {
		ids := make(map[string]string, len(list))
		for f, is := range list {
			if !is.Deleted && is.Mode != "160000" {
				ids[f] = is.ID
			}
		}
		changed = x.Update(ids, t.reader(p), time.Now()) || changed
	}
	list, differs, err := p.repo.Named(ctx, []string{spec.Name, spec.OtherName}, func(clean map[string]git.File) { // while git looks for what is dirty
		x = <-kept
		update(clean)
	})
	if err != nil {
		return nil, nil, err
	}
	if len(differs) > 0 {
		update(list)
	}
	if changed {
		p.keepSymbols(x)
	}
	return p, x, nil
}

// symbolsFile is where the symbol index is kept: in the state folder, or where there is none with
// the caches of the user.
func (p *project) symbolsFile() string {
	if exists(p.state) {
		return filepath.Join(p.state, "cache", "symbols")
	}
	return filepath.Join(p.cache, "symbols")
}

func (p *project) loadSymbols(fresh bool) *inspect.Symbols {
	none := &inspect.Symbols{}
	if fresh {
		return none
	}
	b, err := os.ReadFile(p.symbolsFile())
	if err == nil {
		none, err = inspect.LoadSymbols(b, definitionVersion())
	}
	switch {
	case errors.Is(err, inspect.ErrDamaged):
		fmt.Fprint(p.a.Err, p.a.lang().T("⚠ the symbol index is damaged; rebuilding it\n"))
	case err != nil && !os.IsNotExist(err):
		fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the symbol index cannot be read: %v\n"), err)
	}
	return none
}

// keepSymbols replaces the kept index. Of two processes that do so at once the last one wins, and
// nobody ever reads a half.
func (p *project) keepSymbols(x *inspect.Symbols) {
	file := p.symbolsFile()
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = check.WriteWhole(file, x.Bytes(definitionVersion()))
	}
	if err != nil {
		fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the symbol index cannot be saved: %v\n"), err)
	}
}

// answer gives v as JSON where that is asked for, in a file or on stdout, else as text.
func (t *specTool) answer(v any, text func()) error {
	if t.output == "" {
		t.say(v, text)
		return nil
	}
	var raw bytes.Buffer
	if err := writeJSON(&raw, v); err != nil {
		return err
	}
	return t.write(bytes.TrimSuffix(raw.Bytes(), []byte("\n")))
}

// judge is answer for what can be wrong: then the command fails.
func (t *specTool) judge(ok bool, v any, text func()) error {
	if err := t.answer(v, text); err != nil {
		return err
	}
	return proved(ok)
}

// say is answer for commands that write something else to a file.
func (t *specTool) say(v any, text func()) {
	if !t.a.asJSON(v) {
		text()
	}
}

// answerText is answer for what is a text in the first place: a file gets the text as well.
func (t *specTool) answerText(v any, text string) error {
	if t.output == "" || t.a.json {
		return t.answer(v, func() { fmt.Fprint(t.a.Out, text) })
	}
	return t.write([]byte(text))
}

// write puts an answer into the file and says so. Who asked for JSON reads stdout as that.
func (t *specTool) write(answer []byte) error {
	if err := os.WriteFile(t.output, answer, 0o644); err != nil { //nolint:gosec // an answer for others to read
		return words("write %s: %w", t.output, err)
	}
	to := t.a.Out
	if t.a.json {
		to = t.a.Err
	}
	fmt.Fprintf(to, t.a.lang().T("Output written to: %s\n"), t.output)
	return nil
}

// command makes a spec command; run does the work.
func (t *specTool) command(use, short string, args cobra.PositionalArgs, run func(ctx context.Context, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, args []string) error {
		err := run(c.Context(), args)
		t.complain()
		return err
	}}
	name, _, _ := strings.Cut(use, " ")
	for _, n := range oldNames {
		if n[1] == name && !strings.Contains(n[0], " ") && n[0] != name {
			c.Aliases = append(c.Aliases, n[0])
		}
	}
	t.outputFlag(c)
	return c
}

// onFiles makes a spec command that reads the project as it is on disk.
func (t *specTool) onFiles(use, short string, args cobra.PositionalArgs, run func(p *project, x *inspect.Project, args []string) error) *cobra.Command {
	return t.command(use, short, args, func(ctx context.Context, args []string) error {
		p, x, err := t.files(ctx)
		if err != nil {
			return err
		}
		return run(p, x, args)
	})
}

func (t *specTool) outputFlag(c *cobra.Command) {
	c.Flags().StringVarP(&t.output, "output", "o", "", "write the output to a `file`: as JSON, text unchanged")
}

func newSpecTools(a *app) []*cobra.Command {
	t := func() *specTool { return &specTool{a: a} }
	return []*cobra.Command{
		t().tree(), t().audit(), t().boundary(), t().parse(), t().check(), t().fix(), t().scan(), t().index(),
		t().find(), t().refs(), t().graph(), t().implements(), t().migrate(), t().convention(),
		t().analyze(), t().exports(), t().project(), t().diagram(), t().diff(), t().summary(), t().signature(), t().prompts(),
	}
}

func (t *specTool) tree() *cobra.Command {
	return t.onFiles("tree", "list directories that need a spec", cobra.NoArgs, func(_ *project, x *inspect.Project, _ []string) error {
		tree := x.Tree()
		return t.answer(tree, func() {
			for _, n := range tree.Needs {
				fmt.Fprintf(t.a.Out, "%s %s (%s)\n", tick(n.HasClaudeMd), root(n.Path), n.Reason)
			}
		})
	})
}

func (t *specTool) audit() *cobra.Command {
	issues := false
	c := t.onFiles("audit", "find missing and unneeded specs", cobra.NoArgs, func(_ *project, x *inspect.Project, _ []string) error {
		audit := x.Audit(issues)
		return t.answer(audit, func() {
			for _, n := range audit.Nodes {
				if n.Status != "not_required" {
					fmt.Fprintf(t.a.Out, "%-10s %s\n", n.Status, root(n.Path))
				}
			}
		})
	})
	c.Flags().BoolVar(&issues, "only-issues", false, "list only missing and unneeded ones")
	return c
}

func (t *specTool) boundary() *cobra.Command {
	var dir, doc string
	c := t.onFiles("boundary [DIR]", "show the files of a module and references outside it", cobra.MaximumNArgs(1), func(p *project, x *inspect.Project, args []string) (err error) {
		if dir, err = p.inside(first(args, dir, ".")); err != nil {
			return err
		}
		b := x.Boundary(root(dir))
		if doc != "" {
			src, err := act.ReadFile(doc, "", act.Readable)
			if err == nil && !utf8.Valid(src) {
				err = words("it is not UTF-8 text")
			}
			if err != nil {
				b.Violations, b.ClaudeMdError = []inspect.BoundaryBreach{}, fmt.Sprintf("Failed to read '%s': %v (check file exists and permissions)", doc, err)
				fmt.Fprintln(t.a.Err, b.ClaudeMdError)
			}
		}
		return t.answer(b, func() {
			for _, f := range b.Files {
				fmt.Fprintf(t.a.Out, "  %s (%s)\n", f.Name, f.Type)
			}
			for _, d := range b.Subdirs {
				fmt.Fprintf(t.a.Out, "%s %s/\n", tick(d.HasClaudeMd), d.Name)
			}
			for _, v := range b.Violations {
				fmt.Fprintf(t.a.Out, "⚠ %s:%d: %s: %s; %s\n", x.SpecPath(root(dir)), v.Line, v.Type, v.Reference, v.Reason)
			}
		})
	})
	c.Flags().StringVarP(&dir, "path", "p", "", "the `directory`")
	c.Flags().StringVarP(&doc, "claude-md", "c", "", "spec `file` (always the spec of the directory); reported if unreadable")
	return c
}

func (t *specTool) scan() *cobra.Command {
	return t.onFiles("scan", "list each spec's purpose and exports", cobra.NoArgs, func(p *project, x *inspect.Project, _ []string) error {
		t.noSpecs(p, x)
		scan := x.Scan()
		return t.answer(scan, func() {
			for _, e := range scan.Entries {
				fmt.Fprintf(t.a.Out, "%s: %s\n  %s\n", root(e.Dir), e.Purpose, strings.Join(e.Exports, ", "))
			}
		})
	})
}

func (t *specTool) index() *cobra.Command {
	var name, to string
	var fresh bool
	c := t.command("index", "list exported symbols and references to them", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		p, x, err := t.symbols(ctx, fresh)
		if err != nil {
			return err
		}
		switch {
		case name != "":
			return t.found(x.Find(name))
		case to != "":
			return t.references(x.References(to))
		}
		all := x.Index(p.root)
		if len(all.Symbols)+len(all.Unresolved) == 0 {
			t.nothing(t.a.lang().T("no spec exports a symbol"))
		}
		return t.answer(all, func() {
			for _, s := range all.Symbols {
				fmt.Fprintf(t.a.Out, "%s: %s\n", s.Anchor, s.Signature)
			}
			for _, r := range all.Unresolved {
				fmt.Fprintf(t.a.Out, t.a.lang().T("⚠ %s:%d: %s is missing\n"), r.File, r.Line, r.Anchor)
			}
		})
	})
	c.Flags().StringVar(&name, "find", "", "only symbols with this `name`")
	c.Flags().StringVar(&to, "references", "", "only references to this `anchor` or name")
	noCache(c, &fresh)
	return c
}

func noCache(c *cobra.Command, fresh *bool) {
	c.Flags().BoolVar(fresh, "no-cache", false, "ignore the cache and read all specs")
}

func (t *specTool) found(list []inspect.Symbol) error {
	if len(list) == 0 {
		t.nothing(t.a.lang().T("no spec exports a symbol with that name (jacquard spec index lists them all)"))
	}
	return t.judge(len(list) > 0, list, func() {
		for _, s := range list {
			file, _, _ := strings.Cut(s.Anchor, "#")
			fmt.Fprintf(t.a.Out, "%s:%d: %s %s\n", file, s.Line, s.Kind, s.Signature)
		}
	})
}

// nothing says on stderr that an answer is empty, so that silence is no answer.
func (t *specTool) nothing(what string) {
	if !t.a.json {
		fmt.Fprintln(t.a.Err, what)
	}
}

// noSpecs says so where the project has none.
func (t *specTool) noSpecs(p *project, x *inspect.Project) bool {
	free := x.FreeForm(".")
	none := len(x.Specs(".")) == len(free)
	if none {
		t.nothing(strings.TrimSuffix(report.NoSpecs(t.a.lang(), p.root, free), "\n"))
	}
	return none
}

func (t *specTool) references(list []inspect.Reference) error {
	if len(list) == 0 {
		t.nothing(t.a.lang().T("no spec mentions it"))
	}
	return t.answer(list, func() {
		for _, r := range list {
			fmt.Fprintf(t.a.Out, "%s %s:%d: %s\n", tick(r.Valid), r.File, r.Line, r.Anchor)
		}
	})
}

func (t *specTool) find() *cobra.Command {
	return t.onSymbol("find NAME", "find the spec of a symbol; exit 1 if there is none", func(x *inspect.Symbols, name string) error {
		return t.found(x.Find(name))
	})
}

func (t *specTool) refs() *cobra.Command {
	return t.onSymbol("refs ANCHOR", "find specs that mention a symbol (module/CLAUDE.md#name or name)", func(x *inspect.Symbols, name string) error {
		return t.references(x.References(name))
	})
}

// onSymbol makes a spec command that looks one symbol up.
func (t *specTool) onSymbol(use, short string, answer func(*inspect.Symbols, string) error) *cobra.Command {
	var fresh bool
	c := t.command(use, short, cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		_, x, err := t.symbols(ctx, fresh)
		if err != nil {
			return err
		}
		return answer(x, args[0])
	})
	noCache(c, &fresh)
	return c
}

func (t *specTool) graph() *cobra.Command {
	var imports bool
	c := t.onFiles("graph", "show module dependencies and invalid ones", cobra.NoArgs, func(p *project, x *inspect.Project, _ []string) error {
		g := x.Graph()
		if imports {
			g = x.GraphWithImports()
		}
		if !t.noSpecs(p, x) && len(g.Edges)+len(g.Violations) == 0 {
			t.nothing(t.a.lang().T("no module declares a dependency on another module"))
		}
		return t.judge(len(g.Violations) == 0, g, func() {
			for _, e := range g.Edges {
				fmt.Fprintf(t.a.Out, "%s %s → %s %s\n", tick(e.Valid), e.From, e.To, strings.Join(e.Symbols, ", "))
			}
			for _, v := range g.Violations {
				fmt.Fprintf(t.a.Out, "⚠ %s → %s: %s. %s\n", v.From, v.To, v.Reason, v.Suggestion)
			}
		})
	})
	c.Flags().BoolVar(&imports, "imports", false, "also check imports in code; undeclared ones are violations")
	return c
}

// root is a directory of the project; "" is the project.
func root(dir string) string { return cmp.Or(dir, ".") }

func tick(ok bool) string {
	if ok {
		return "✓"
	}
	return "⚠"
}
