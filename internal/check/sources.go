package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// hashSources writes what a project's own installation reads of a tree. It points to the sources, so most of their text does not matter:
// of Python's in packages only which packages there are, and what says a version.
func (c *Checker) hashSources(ctx context.Context, to io.Writer, tree string, chain toolchain.Found) error {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return err
	}
	root := cmp.Or(chain.Workspace, chain.Root)
	packages := map[string]bool{}
	for _, e := range entries {
		if path.Base(e.Path) == "__init__.py" {
			packages[path.Dir(e.Path)] = true
		}
	}
	for _, e := range entries {
		switch ext := path.Ext(e.Path); {
		case !below(root, e.Path):
		case compiles(chain, e.Path):
			fmt.Fprintf(to, "%s %s\n", e.Path, e.ID)
		case toolchain.IsTest(e.Path) || toolchain.IsTestData(e.Path) || e.Path[0] == '.':
		case ext == ".md" || ext == ".rst" || path.Base(e.Path) == "__init__.py":
			fmt.Fprintf(to, "%s\n", e.Path)
		case ext != ".py" && ext != ".pyi" || !packages[path.Dir(e.Path)]:
			fmt.Fprintf(to, "%s %s\n", e.Path, e.ID)
		}
	}
	versions, err := c.readFiles(ctx, tree, func(e git.Entry) bool {
		return below(root, e.Path) && slices.Contains([]string{"__init__.py", "__about__.py", "__version__.py", "_version.py", "version.py"}, path.Base(e.Path))
	})
	if err != nil {
		return err
	}
	for _, e := range entries {
		for line := range strings.Lines(string(versions[e.Path])) {
			if strings.Contains(strings.ToLower(line), "version") {
				fmt.Fprintf(to, "%s %q\n", e.Path, line)
			}
		}
	}
	return nil
}

// compiles reports whether a file is one of the sources that only the installation of a project compiles.
func compiles(chain toolchain.Found, file string) bool {
	return below(chain.Root, file) && slices.Contains(chain.Compiles, path.Ext(file))
}

// compiling is the tree whose installation a check of tree needs: base, with those sources of tree that only an installation compiles.
func (c *Checker) compiling(ctx context.Context, base, tree string, chains []toolchain.Found) (string, error) {
	if base == tree || !slices.ContainsFunc(chains, func(f toolchain.Found) bool { return f.Builds }) {
		return base, nil
	}
	diff, err := c.repo.Diff(ctx, base, tree)
	if err != nil {
		return "", fmt.Errorf("compare trees: %w", err)
	}
	var edits []git.Edit
	for _, d := range diff {
		if slices.ContainsFunc(chains, func(f toolchain.Found) bool { return compiles(f, d.Path) }) {
			edits = append(edits, git.Edit{Path: d.Path, Mode: d.NewMode, ID: d.NewID})
		}
	}
	if len(edits) == 0 {
		return base, nil
	}
	return c.repo.EditTree(ctx, base, edits)
}

// compileError says that an installation fails because of sources that it compiles.
type compileError struct {
	*setupError
	at step.Finding
}

// notCompiled is err, or a compileError where a compiler complained of sources of the project, and the installation of what base has goes well.
func (c *Checker) notCompiled(ctx context.Context, base string, p *place, err error) error {
	failed, ok := errors.AsType[*setupError](err)
	if err == nil && p.deps.failed.command != "" {
		failed, ok = &p.deps.failed, true
	}
	if !ok {
		return err
	}
	for line := range strings.Lines(string(failed.output)) {
		d := diagnosed(line)
		if d == nil || !slices.Contains(p.chain.Compiles, path.Ext(d[1])) {
			continue
		}
		if before, other := c.prepare(ctx, base, p.chain); other != nil || before.failed.command != "" {
			return err
		}
		return &compileError{failed, reject("build-failed", path.Join(p.chain.Root, d[1]), atoi(d[2]), "The installation does not compile: "+strings.TrimSpace(line))}
	}
	return err
}

// diagnosed are the file and the line that a line of a compiler speaks of, behind all of it; nil for none.
func diagnosed(line string) []string { return diagnostic().FindStringSubmatch(strings.TrimSpace(line)) }

var diagnostic = re.New(`^(?:--> )?(?:\./)?([^\s>][^:(\n]*\.\w+)[:(](\d+)`)
