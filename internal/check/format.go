package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Format runs the project's formatter on files of a tree and gives the tree that results, of which only these files
// differ. What the linter then says about them is in the findings. Tools that the project does not configure do not run;
// one that it configures and that is not installed is a warning.
func (c *Checker) Format(ctx context.Context, m Module, tree string, files []string) (proof Proof, changed []string, err error) {
	proof = Proof{Tree: tree, Passed: true}
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !m.Place.AllowsSource(f) })
	if len(files) == 0 {
		return proof, nil, nil
	}
	p, err := c.open(ctx, tree, firstNonEmpty(m.Base, tree), m.Chain)
	if err != nil {
		return proof, nil, fmt.Errorf("format: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	stamps := p.stamps
	p.stamps = nil // this is the one kind of run that may change tracked files
	for _, cmd := range m.Chain.Format(files) {
		if err = p.tool(ctx, cmd, &proof, ""); err != nil {
			return proof, nil, fmt.Errorf("format: %w", err)
		}
	}
	p.stamps = stamps
	all, err := p.changed(ctx)
	if err != nil {
		return proof, nil, fmt.Errorf("format: %w", err)
	}
	var edits []git.Edit
	for _, name := range all {
		if !has(files, name) {
			continue
		}
		var id string
		if id, err = c.repo.WriteBlob(ctx, p.read(name)); err != nil {
			return proof, nil, fmt.Errorf("format: %w", err)
		}
		edits = append(edits, git.Edit{Path: name, Mode: p.entries[name].Mode, ID: id})
		changed = append(changed, name)
	}
	if len(edits) > 0 {
		if proof.Tree, err = c.repo.EditTree(ctx, tree, edits); err != nil {
			return proof, nil, fmt.Errorf("format: %w", err)
		}
	}
	p.stamps = nil
	for _, cmd := range m.Chain.Lint(files) {
		if err = p.tool(ctx, cmd, &proof, "lint"); err != nil {
			return proof, changed, fmt.Errorf("lint: %w", err)
		}
	}
	return proof, changed, nil
}

// tool runs a formatter or, with a rule, a linter whose complaints become findings.
func (p *place) tool(ctx context.Context, cmd toolchain.Command, proof *Proof, rule string) error {
	out, err := p.exec(ctx, cmd, false)
	var missing *EnvironmentError
	if errors.As(err, &missing) {
		proof.Findings = append(proof.Findings, warn("tool-missing", "", 0, missing.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	proof.Records = append(proof.Records, out.Record)
	if out.clean() {
		return nil
	}
	if rule == "" {
		proof.Findings = append(proof.Findings, warn("format-failed", "", 0, "The formatter failed: "+out.tail))
		return nil
	}
	proof.Findings = append(proof.Findings, fix(rule, "", 0, "The linter says: "+out.tail))
	return nil
}
