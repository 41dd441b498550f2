package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Link gives the tree in which the module, when it has code, and the modules below it that have some are part of the program: the lines that
// say so (toolchain.Link) are in it. They are the engine's to write, because they are in files of others.
func (c *Checker) Link(ctx context.Context, m Module, tree string) (string, error) {
	if m.Chain.Ecosystem != toolchain.Rust {
		return tree, nil
	}
	files, err := c.entriesOf(ctx, tree)
	if err != nil {
		return "", fmt.Errorf("link %s: %w", m.Dir, err)
	}
	lines := map[string][]string{}
	if slices.ContainsFunc(slices.Collect(maps.Keys(files)), m.Place.AllowsSource) {
		for _, l := range m.Place.Links {
			lines[l.File] = append(lines[l.File], l.Line)
		}
	}
	for _, d := range m.Place.Exclude {
		_, inner := files[d+"/mod.rs"]
		_, flat := files[d+".rs"]
		if (inner || flat) && path.Dir(d) == path.Dir(m.Place.NewFile) {
			lines[m.Place.NewFile] = append(lines[m.Place.NewFile], "pub mod "+path.Base(d)+";")
		}
	}
	var edits []git.Edit
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		var src []byte
		e, there := files[file]
		if there {
			if src, err = c.repo.ReadBlob(ctx, e.ID); err != nil {
				return "", fmt.Errorf("link %s: %w", m.Dir, err)
			}
		}
		out := toolchain.WithLinks(src, lines[file])
		if bytes.Equal(src, out) {
			continue
		}
		id, err := c.repo.WriteBlob(ctx, out)
		if err != nil {
			return "", fmt.Errorf("link %s: %w", m.Dir, err)
		}
		edits = append(edits, git.Edit{Path: file, Mode: cmp.Or(e.Mode, "100644"), ID: id})
	}
	out, err := c.repo.EditTree(ctx, tree, edits)
	if err != nil {
		return "", fmt.Errorf("link %s: %w", m.Dir, err)
	}
	return out, nil
}

// Unlink is tree, made from before, without the links of the module that before had not: other modules add theirs at the same place, which is
// no conflict. Link adds them again.
func (c *Checker) Unlink(ctx context.Context, m Module, before, tree string) (string, error) {
	if len(m.Place.Links) == 0 {
		return tree, nil
	}
	changes, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return "", fmt.Errorf("unlink %s: %w", m.Dir, err)
	}
	out, err := c.repo.EditTree(ctx, tree, each(those(changes, m.onlyLinks), asItWas))
	if err != nil {
		return "", fmt.Errorf("unlink %s: %w", m.Dir, err)
	}
	return out, nil
}

// onlyLinks reports whether a change adds links of the module to a file that they belong into, and nothing else.
func (m Module) onlyLinks(ch Change) bool {
	here := those(m.Place.Links, func(l toolchain.Link) bool { return l.File == ch.Path })
	mine := each(here, func(l toolchain.Link) string { return l.Line })
	if len(mine) == 0 || ch.Status == 'D' || ch.NewMode == linkMode {
		return false
	}
	lines, only := toolchain.NewLinks(ch.Old, ch.New)
	return only && len(toolchain.WithLinks([]byte(mine[0]+"\n"), append(lines, mine...))) == len(toolchain.WithLinks([]byte(mine[0]+"\n"), mine))
}
