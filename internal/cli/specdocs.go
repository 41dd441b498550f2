package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/spec"
)

func (t *specTool) parse() *cobra.Command {
	var file string
	c := t.onFiles("parse FILE", "print a spec as JSON", cobra.MaximumNArgs(1), func(p *project, x *inspect.Project, args []string) error {
		name, err := p.document(first(args, file, rootSpec(x)))
		if err != nil {
			return err
		}
		raw, ok := x.Parse(name)
		if !ok {
			if err := t.unusable(p, name); err != nil {
				return err
			}
			if err := p.otherName(name, spec.Name, spec.OtherName); err != nil {
				return err
			}
			return usage("Cannot read file '%s': %v", name, p.strange(name))
		}
		valid := true
		check := x.Check(name, false)
		for _, e := range check.Errors {
			fmt.Fprintf(t.a.Err, "%s:%d: %s\n", name, e.Line, e.Message)
			valid = valid && e.Type == "UnresolvedDependency" // of other documents than this one
		}
		if check.Free {
			fmt.Fprintln(t.a.Err, check.Problems[0].String())
		}
		return t.judge(valid, json.RawMessage(raw), func() { fmt.Fprintf(t.a.Out, "%s\n", raw) })
	})
	c.Flags().StringVarP(&file, "file", "f", "", "the `file`")
	return c
}

// rootSpec is the file that is meant where none is named.
func rootSpec(x *inspect.Project) string {
	if file := x.SpecPath("."); x.Has(file) {
		return file
	}
	return spec.Name
}

func (t *specTool) check() *cobra.Command {
	var file string
	var strict, exitZero bool
	c := t.onFiles("check [PATH…]", "check a file, the specs of a directory, or all specs", cobra.ArbitraryArgs, func(p *project, x *inspect.Project, args []string) error {
		if file != "" {
			args = append(args, file)
		}
		names, single, err := p.specsOf(x, args, inspect.Documents...)
		if err != nil {
			return err
		}
		if len(args) == 0 && x.Has("code-convention.md") {
			names = append(names, "code-convention.md")
		}
		all, valid := []inspect.Validity{}, true
		for _, n := range t.withUnread(p, names, args) {
			v := x.Check(n, strict)
			switch why := t.unread[n]; {
			case why != nil:
				v = inspect.CannotRead(n, why)
				delete(t.unread, n) // it is said here
			case !x.Has(n):
				v = inspect.CannotRead(n, p.strange(n))
			}
			all, valid = append(all, v), valid && v.Valid
		}
		var v any = map[string]any{"valid": valid, "files": all}
		if single {
			v = all[0]
		}
		return t.judge(valid || exitZero, v, func() {
			for _, v := range all {
				for _, pr := range v.Problems {
					fmt.Fprintln(t.a.Out, pr.String())
				}
				for _, e := range v.Errors {
					if len(v.Problems) == 0 {
						fmt.Fprintln(t.a.Out, e.Message)
					}
				}
			}
			specs := slices.DeleteFunc(slices.Clone(all), func(v inspect.Validity) bool { return v.Free })
			if len(all) == 0 {
				t.noSpecs(p, x)
			}
			if valid && len(specs) > 0 {
				fmt.Fprint(t.a.Out, report.Countf(t.a.lang().T("✓ %d documents valid\n"), len(specs)))
			}
		})
	})
	c.Flags().StringVarP(&file, "file", "f", "", "same as giving the `file` as an argument")
	c.Flags().BoolVar(&strict, "strict", false, "treat a missing section, IMPLEMENTS.md or symbol as an error")
	for _, n := range []string{"with-index", "index-file"} { // references are always looked up in what the specs say now
		c.Flags().String(n, "", "for compatibility: symbols are always checked")
		_ = c.Flags().MarkHidden(n)
	}
	c.Flags().BoolVar(&exitZero, "exit-zero", false, "exit 0 even if there are errors")
	return c
}

func (t *specTool) fix() *cobra.Command {
	var file string
	c := t.command("fix FILE", "add missing sections to a spec, with the text None", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		p, err := t.a.open(ctx)
		if err != nil {
			return err
		}
		at := first(args, file, "")
		if at == "" {
			_, x, err := t.files(ctx)
			if err != nil {
				return err
			}
			at = rootSpec(x)
		}
		name, err := p.document(at)
		if err != nil {
			return err
		}
		src, err := p.read(name)
		if err != nil {
			return err
		}
		fixed, added := inspect.Fix(name, src)
		to := cmp.Or(t.output, filepath.Join(p.root, filepath.FromSlash(name)))
		answer := map[string]any{"file": name, "added": append([]string{}, added...), "output": nil}
		if len(added) == 0 {
			t.say(answer, func() { fmt.Fprint(t.a.Out, t.a.lang().T("No missing sections to fix.\n")) })
			return nil
		}
		answer["output"] = to
		if err := os.WriteFile(to, fixed, 0o644); err != nil { //nolint:gosec // a document of the project
			return words("write %s: %w", to, err)
		}
		t.say(answer, func() {
			fmt.Fprintf(t.a.Out, t.a.lang().T("Fixed %d section(s): %s\n"), len(added), strings.Join(added, ", "))
			fmt.Fprintf(t.a.Out, t.a.lang().T("Output written to: %s\n"), to)
		})
		return nil
	})
	c.Flags().StringVarP(&file, "file", "f", "", "the `file`")
	return c
}

func (t *specTool) implements() *cobra.Command {
	var file string
	c := t.command("implements FILE", "print an IMPLEMENTS.md as JSON", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		p, err := t.a.open(ctx)
		if err != nil {
			return err
		}
		name, err := p.document(first(args, file, "IMPLEMENTS.md"))
		if err != nil {
			return err
		}
		src, err := p.read(name)
		if err != nil {
			return err
		}
		v := inspect.Implements(name, src)
		return t.judge(len(v.Errors) == 0, v, func() {
			for _, e := range v.Errors {
				fmt.Fprintln(t.a.Out, e)
			}
			for _, w := range v.Warnings {
				fmt.Fprintf(t.a.Out, "⚠ %s\n", w)
			}
			for _, m := range v.Map {
				fmt.Fprintf(t.a.Out, "%s → %s: %d\n", m.RelativePath, m.Ref, len(m.Exports))
			}
		})
	})
	c.Flags().StringVarP(&file, "file", "f", "", "the `file`")
	return c
}

func (t *specTool) migrate() *cobra.Command {
	var dry bool
	c := t.onFiles("migrate [PATH…]", "convert specs to schema version 2, content unchanged", cobra.ArbitraryArgs, func(p *project, x *inspect.Project, args []string) error {
		names, _, err := p.specsOf(x, args)
		if err != nil {
			return err
		}
		all, good := []inspect.Migration{}, true
		for _, n := range t.withUnread(p, names, args) {
			m, err := p.migrate(n, dry)
			if err != nil {
				good = false
				m = inspect.Migration{File: n, To: "2.0", Changes: []inspect.Change{}, Suggestions: []string{err.Error()}}
			}
			all = append(all, m)
		}
		return t.judge(good, all, func() {
			for _, m := range all {
				for _, c := range m.Changes {
					fmt.Fprintf(t.a.Out, "%s: %s\n", m.File, c.Description)
				}
				if len(m.Changes) == 0 {
					fmt.Fprintf(t.a.Out, "%s: %s\n", m.File, strings.Join(m.Suggestions, "; "))
				}
			}
		})
	})
	c.Flags().BoolVar(&dry, "dry-run", false, "show the changes without writing them")
	return c
}

// migrate brings one spec to the second schema; dry only says how.
func (p *project) migrate(name string, dry bool) (inspect.Migration, error) {
	src, err := p.read(name)
	if err != nil {
		return inspect.Migration{}, err
	}
	m, out := inspect.Migrate(name, src)
	if m.Migrated && !dry {
		if err := os.WriteFile(filepath.Join(p.root, filepath.FromSlash(name)), out, 0o644); err != nil { //nolint:gosec // a document of the project
			return m, words("write %s: %w", name, err)
		}
	}
	m.Migrated = m.Migrated && !dry
	return m, nil
}

func (t *specTool) convention() *cobra.Command {
	var roots []string
	c := t.onFiles("convention", "check that convention files are in place", cobra.NoArgs, func(p *project, x *inspect.Project, _ []string) error {
		for i := range roots {
			dir, err := p.inside(strings.TrimSpace(roots[i]))
			if err != nil {
				return err
			}
			roots[i] = root(dir)
		}
		v := x.Conventions(roots)
		return t.judge(v.Valid, v, func() {
			for _, e := range v.Errors {
				fmt.Fprintln(t.a.Out, e)
			}
			if v.Valid {
				fmt.Fprint(t.a.Out, t.a.lang().T("✓ all conventions are in place\n"))
			}
		})
	})
	c.Flags().StringVarP(&t.a.rootFlag, "project-root", "p", "", "the same as --root")
	_ = c.Flags().MarkHidden("project-root")
	c.Flags().StringSliceVarP(&roots, "module-roots", "m", nil, "`directories` to check, instead of all with a manifest")
	return c
}

// specsOf are the specs that arguments name: files, or directories with all below them.
// Files of the other names in docs count as well. single says that it is one file, named as such.
func (p *project) specsOf(x *inspect.Project, args []string, docs ...string) (names []string, single bool, err error) {
	if len(args) == 0 {
		return x.Specs("."), false, nil
	}
	for _, arg := range args {
		if base := path.Base(filepath.ToSlash(arg)); spec.IsName(base) || slices.Contains(docs, base) {
			name, err := p.document(arg)
			if err != nil {
				return nil, false, err
			}
			names, single = append(names, name), len(args) == 1
			continue
		}
		dir, err := p.inside(arg)
		if err != nil {
			return nil, false, err
		}
		if err := p.otherName(root(dir), append([]string{spec.Name, spec.OtherName}, docs...)...); err != nil {
			return nil, false, err
		}
		names = append(names, x.Specs(root(dir))...)
	}
	return names, single, nil
}

// withUnread adds the specs that cannot be read to those that can, in the directories that
// were asked for.
func (t *specTool) withUnread(p *project, names, args []string) []string {
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, arg := range args {
		dir, err := p.inside(arg)
		if err != nil || spec.IsName(filepath.ToSlash(arg)) {
			continue
		}
		for _, u := range t.unreadable(root(dir)) {
			if spec.IsName(u.File) && !slices.Contains(names, u.File) {
				names = append(names, u.File)
			}
		}
	}
	return names
}

// otherName refuses a file that is none of the documents that a command reads, which are told by their names.
func (p *project) otherName(name string, docs ...string) error {
	st, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(name)))
	if err != nil || st.IsDir() || slices.Contains(docs, path.Base(name)) {
		return nil //nolint:nilerr // what is not there is found out later
	}
	slices.Sort(docs)
	return usage("unsupported file name %s: must be %s", name, strings.Join(slices.Compact(docs), ", "))
}

// document is the path of a document from the project's root.
func (p *project) document(arg string) (string, error) {
	dir, err := p.inside(filepath.Dir(arg))
	if err != nil {
		return "", err
	}
	return path.Join(root(dir), filepath.Base(arg)), nil
}
