package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Add makes packages dependencies of the project in a tree: its manifest and lock file change, nothing else. A package
// that cannot be had is a finding, not an error.
func (c *Checker) Add(ctx context.Context, chain toolchain.Found, tree string, deps []toolchain.Dependency) (proof Proof, err error) {
	p, err := c.open(ctx, tree, tree, chain)
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
		text := strings.TrimRight(string(p.read(add.File)), "\n")
		if text != "" {
			text += "\n"
		}
		if err = p.write(add.File, []byte(text+strings.Join(add.Lines, "\n")+"\n")); err != nil {
			return proof, fmt.Errorf("add packages: %w", err)
		}
	}
	proof.Tree, err = p.manifests(ctx, add.File)
	proof.Passed = err == nil
	return proof, err
}

// manifests stores what the commands made of the files that decide what is installed.
func (p *place) manifests(ctx context.Context, extra string) (string, error) {
	want := slices.Clone(p.chain.Installs)
	for _, n := range []string{p.chain.Manifest, p.chain.Lock, extra} {
		if n != "" && !slices.Contains(want, n) {
			want = append(want, n)
		}
	}
	for _, n := range []string{"go.sum", "package-lock.json"} {
		f := path.Join(p.chain.Root, n)
		if (n == "go.sum") == (p.chain.Ecosystem == toolchain.Go) && !slices.Contains(want, f) && p.read(f) != nil {
			want = append(want, f)
		}
	}
	var edits []git.Edit
	for _, n := range want {
		b := p.read(n)
		if b == nil {
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
