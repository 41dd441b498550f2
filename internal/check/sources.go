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
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// hashSources writes what a project's own installation reads of a tree. It points to the sources, so most of their text does not matter:
// of Python's only which packages there are, and what says a version.
func (c *Checker) hashSources(ctx context.Context, to io.Writer, tree string, chain toolchain.Found) error {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return err
	}
	packages := map[string]bool{}
	for _, e := range entries {
		dir, name := path.Split(e.Path)
		switch ext := path.Ext(name); {
		case !below(chain.Root, e.Path) || toolchain.IsTest(e.Path) || toolchain.IsTestData(e.Path) || ext == ".md" || ext == ".rst" || e.Path[0] == '.':
		case ext != ".py" && ext != ".pyi", slices.Contains(chain.Compiles, ext), path.Clean(dir) == chain.Root:
			fmt.Fprintf(to, "%s %s\n", e.Path, e.ID)
		case !packages[dir]:
			packages[dir] = true
			fmt.Fprintf(to, "%s\n", dir)
		}
	}
	versions, err := c.readFiles(ctx, tree, func(e git.Entry) bool {
		return below(chain.Root, e.Path) && slices.Contains([]string{"__init__.py", "__about__.py", "__version__.py", "_version.py", "version.py"}, path.Base(e.Path))
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
type compileError struct{ *setupError }

// finding names the first place that a compiler does.
func (e *compileError) finding(chain toolchain.Found) step.Finding {
	const text = "The installation does not compile: "
	for line := range strings.Lines(string(e.output)) {
		if d := diagnostic().FindStringSubmatch(strings.TrimSpace(line)); d != nil && slices.Contains(chain.Compiles, path.Ext(d[1])) {
			return reject("build-failed", path.Join(chain.Root, d[1]), atoi(d[2]), text+strings.TrimSpace(line))
		}
	}
	return reject("build-failed", cmp.Or(chain.Manifest, chain.Root), 0, text+brief(e.said))
}

// notCompiled is err, or a compileError where the first of some kits installs what base has and not what it is for.
func (c *Checker) notCompiled(ctx context.Context, base string, kits []kit, err error) error {
	failed, ok := errors.AsType[*setupError](err)
	if err == nil && kits[0].deps.failed.command != "" {
		failed, ok = &kits[0].deps.failed, true
	}
	if !ok {
		return err
	}
	if before, other := c.prepare(ctx, base, kits[0].chain); other != nil || before.failed.command != "" {
		return err
	}
	return &compileError{failed}
}
