package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Add makes packages dependencies of the project in a tree: its manifest and lock file change, nothing else. A package
// that cannot be had is a finding, not an error.
func (c *Checker) Add(ctx context.Context, chain toolchain.Found, tree string, deps []toolchain.Dependency) (proof Proof, err error) {
	p, err := c.open(ctx, step.OnAdd, tree, tree, chain)
	if err != nil {
		return proof, fmt.Errorf("add packages: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	proof.Tree = tree
	p.stamps = nil // these commands are here to change tracked files
	add := chain.Add(deps)
	for _, cmd := range add.Commands {
		out, failed := p.exec(ctx, cmd, true)
		if failed != nil {
			return proof, fmt.Errorf("add packages: %w", failed)
		}
		proof.Records = append(proof.Records, out.Record)
		if out.Record.Exit != 0 {
			proof.Findings = append(proof.Findings, reject("package-missing", chain.Manifest, 0,
				strings.Join(cmd.Argv, " ")+": "+out.tail))
			return proof, nil
		}
	}
	if add.File != "" {
		src := p.read(add.File)
		text := strings.TrimRight(string(src), "\n")
		if text != "" {
			text += "\n"
		}
		text += strings.Join(add.Lines, "\n") + "\n"
		if add.Edit != nil {
			text = string(add.Edit(src))
		}
		if err = p.write(add.File, []byte(text)); err != nil {
			return proof, fmt.Errorf("add packages: %w", err)
		}
	}
	added, err := p.manifests(ctx, add.File)
	if err != nil {
		return proof, err
	}
	// Nothing has asked the registry yet where lines were only written; and what is installed now has not to be later.
	switch err = p.installable(ctx, added); {
	case errors.Is(err, ErrSetup):
		proof.Findings = append(proof.Findings, reject("package-missing", cmp.Or(add.File, chain.Manifest), 0, err.Error()))
		return proof, nil
	case err != nil:
		return proof, fmt.Errorf("add packages: %w", err)
	}
	proof.Tree, proof.Passed = added, true
	return proof, nil
}

// installable installs what a tree declares now.
func (p *place) installable(ctx context.Context, tree string) error {
	entries, err := p.c.entriesOf(ctx, tree)
	if err != nil {
		return err
	}
	chain, _ := toolchain.NewProject(slices.Sorted(maps.Keys(entries)), p.read).DetectAs(p.chain.Root, p.chain.Language)
	_, err = p.c.prepare(ctx, tree, chain)
	return err
}

// manifests stores what the commands made of the files that decide what is installed.
func (p *place) manifests(ctx context.Context, extra string) (string, error) {
	want := addNew(slices.Clone(p.chain.Installs), p.chain.Manifest, p.chain.Lock, extra)
	if p.chain.Lock == "" { // the first package makes one
		want = append(want, each(p.chain.Locks(), func(n string) string { return path.Join(p.chain.Root, n) })...)
	}
	var edits []git.Edit
	for _, n := range want {
		b := p.read(n)
		if n == "" || b == nil {
			continue
		}
		id, err := p.c.repo.WriteBlob(ctx, b)
		if err != nil {
			return "", fmt.Errorf("add packages: %w", err)
		}
		if e := p.entries[n]; e.ID != id {
			edits = append(edits, git.Edit{Path: n, Mode: "100644", ID: id})
		}
	}
	tree, err := p.c.repo.EditTree(ctx, p.tree, edits)
	if err != nil {
		return "", fmt.Errorf("add packages: %w", err)
	}
	return tree, nil
}
