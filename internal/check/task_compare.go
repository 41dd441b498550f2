package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// compare runs a command on the change and, where it finds something, on the tree before it.
func (p *taskProof) compare(ctx context.Context, pl *place, cmd toolchain.Command) (c compared, out outcome, err error) {
	if out, err = pl.exec(ctx, cmd, false); err != nil {
		return c, out, err
	}
	if out.clean() || out.problem == "" && cmd.Complains != 0 && out.Record.Exit == cmd.Complains {
		return compared{clean: true}, out, nil
	}
	lines, keys := pl.said(out)
	if len(lines) == 0 {
		lines = []string{cmp.Or(out.tail, fmt.Sprintf("it printed nothing and exited with %d", out.Record.Exit))}
		keys = []string{fmt.Sprintf("%s exit %d", out.tail, out.Record.Exit)}
	}
	if p.before == p.proof.Tree || out.problem != "" { // what is no evidence excuses nothing
		return compared{fresh: lines}, out, nil
	}
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return c, out, err
	}
	was, err := base.exec(ctx, cmd, false)
	if _, ok := errors.AsType[*EnvironmentError](err); ok { // only the change has the program
		return compared{fresh: lines}, out, nil
	}
	if err != nil {
		return c, out, err
	}
	if was.clean() || was.problem != "" {
		return compared{fresh: lines}, out, nil
	}
	_, before := base.said(was)
	if len(before) == 0 {
		before = []string{fmt.Sprintf("%s exit %d", was.tail, was.Record.Exit)}
	}
	known := oneFor(before)
	for i, k := range keys {
		if known(k) || unusedIgnore().MatchString(lines[i]) || inDependency().MatchString(lines[i]) { // a broken dependency is read as far as it goes, each time
			if complaintLine().MatchString(lines[i]) {
				c.old++
			}
		} else {
			c.fresh = append(c.fresh, lines[i])
		}
	}
	return c, out, nil
}

// unusedIgnore is what a type checker says of a comment that suppresses nothing. Where it finds something without the change as well, it may
// have stubs here that the project's own environment lacks, and the comment is needed there.
var unusedIgnore = re.New(`Unused "type: ignore|\[unused-ignore\]`)

// inDependency finds that a finding is one in a dependency, and does not only name one.
var inDependency = re.New(`^\s*[^\s:(]*(?:node_modules|site-packages)/`)

// place is a checkout of the tree before the change, for one toolchain. It is made when it is first asked for.
func (p *taskProof) place(ctx context.Context, chain toolchain.Found) (*place, error) {
	key := chain.Root + " " + chain.Ecosystem
	if pl := p.places[key]; pl != nil {
		return pl, nil
	}
	pl, err := p.asItWas(ctx, chain)
	if pl == nil && err == nil {
		pl, err = p.c.open(ctx, step.OnBefore, p.before, cmp.Or(p.t.Base, p.before), chain)
	}
	if err != nil {
		return nil, err
	}
	if p.places == nil {
		p.places = map[string]*place{}
	}
	p.places[key] = pl
	return pl, nil
}

// close removes the checkouts of the tree before.
func (p *taskProof) close(err error) error {
	for _, pl := range p.places {
		err = joinClose(err, pl)
	}
	if p.bare != nil {
		err = joinClose(err, p.bare)
	}
	p.places, p.bare = nil, nil
	return err
}

// builds compiles and checks types.
func (p *taskProof) builds(ctx context.Context, pl *place) error {
	for _, cmd := range pl.chain.Build(pl.chain.Root) {
		found, records, err := p.look(ctx, pl, cmd, reject("build-failed", "", 0, "The build fails"), failedBefore)
		if err != nil {
			return err
		}
		p.checked(CheckBuild, found, records)
	}
	return nil
}

// failedBefore begins what is said of a build that failed before the change as well.
const failedBefore = "The build fails, as it did before the change"

// FailedBefore is the command of a finding that says that the build fails as it did before the change, "" for another finding.
func FailedBefore(f step.Finding) string {
	said, ok := strings.CutPrefix(f.Message, failedBefore+": `")
	if !ok || f.Rule != "build-failed" {
		return ""
	}
	command, _, _ := strings.Cut(said, "`")
	return command
}

// look gives what a command says of the change, as a finding like the given one; before is its text where all of it was there already,
// and charged to nobody. A program that the project names and that is not installed is said, and not charged either.
func (p *taskProof) look(ctx context.Context, pl *place, cmd toolchain.Command, like step.Finding, before string) ([]step.Finding, []step.Record, error) {
	c, out, err := p.compare(ctx, pl, cmd)
	if missing := optional(cmd, err); missing != nil {
		f, err := p.missing(ctx, pl, cmd, missing)
		return []step.Finding{f}, nil, err
	}
	if err != nil {
		return nil, nil, err
	}
	records := []step.Record{out.Record}
	switch {
	case c.clean:
		return nil, records, nil
	case len(c.fresh) == 0:
		like.Severity, like.Message = step.Warn, before
	}
	return []step.Finding{commandFinding(like.Rule, like.Severity, like.Message, cmd, out, c)}, records, nil
}

// missing is what a program that is not installed means: nothing, unless it was there before the change.
func (p *taskProof) missing(ctx context.Context, pl *place, cmd toolchain.Command, missing *EnvironmentError) (step.Finding, error) {
	if p.before != p.proof.Tree {
		base, err := p.place(ctx, pl.chain)
		if err != nil {
			return step.Finding{}, err
		}
		_, err = base.exec(ctx, cmd, false)
		if err == nil {
			return reject("build-failed", "", 0, "The change removes something that `"+CommandText(cmd)+"` needs: "+missing.Error()), nil
		}
		if optional(cmd, err) == nil {
			return step.Finding{}, err
		}
	}
	return warn("tool-missing", "", 0, missing.Error()), nil
}

// lints runs the linters. Those of the table look at what has changed, those of the project at what its people have them look at.
func (p *taskProof) lints(ctx context.Context, pl *place, mine []string) ([]step.Finding, []step.Record, error) {
	var findings []step.Finding
	var records []step.Record
	for _, cmd := range pl.chain.Lint(mine) {
		if cmd.From == "" {
			one := Proof{}
			if err := pl.tool(ctx, cmd, &one, "lint", mine); err != nil {
				return findings, records, err
			}
			if slices.ContainsFunc(one.Findings, func(f step.Finding) bool { return f.Severity != step.Warn }) {
				kept, err := p.onlyNew(ctx, pl, cmd, one.Findings)
				if err != nil {
					return findings, records, err
				}
				one.Findings = kept
			}
			one.Findings = one.Findings[:min(len(one.Findings), maxLintFindings)]
			findings, records = append(findings, one.Findings...), append(records, one.Records...)
			continue
		}
		found, ran, err := p.look(ctx, pl, cmd, fix("lint", "", 0, "The linter reports problems"), "The linter fails, as it did before the change")
		if err != nil {
			return findings, records, err
		}
		findings, records = append(findings, found...), append(records, ran...)
	}
	return findings, records, nil
}

// beyondBuild leaves out what a linter says only of places that the build is rejected for.
func beyondBuild(all, found []step.Finding) []step.Finding {
	var built []string
	for _, f := range all {
		if f.Rule == "build-failed" && f.Severity == step.Rejects {
			built = append(built, placesIn(f)...)
		}
	}
	return those(found, func(f step.Finding) bool {
		at := placesIn(f)
		return len(at) == 0 || slices.ContainsFunc(at, func(place string) bool { return !slices.Contains(built, place) })
	})
}

// placesIn are the places that a finding names, as file:line.
func placesIn(f step.Finding) []string {
	if f.Path != "" && f.Line > 0 {
		return []string{fmt.Sprintf("%s:%d", f.Path, f.Line)}
	}
	return each(complaintLine().FindAllStringSubmatch(f.Message, -1), func(m []string) string { return path.Clean(m[1]) + ":" + m[2] + m[3] })
}

// onlyNew leaves out what a linter of the table says of a changed file and said of it before.
func (p *taskProof) onlyNew(ctx context.Context, pl *place, cmd toolchain.Command, list []step.Finding) ([]step.Finding, error) {
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return nil, err
	}
	files := those(p.mine(pl), func(f string) bool { return base.entries[f].Path != "" })
	if len(files) == 0 {
		return list, nil
	}
	var said []string
	key := func(f step.Finding) string { return f.Path + " " + placeNumbers().ReplaceAllString(f.Message, "") }
	for _, old := range pl.chain.Lint(files) {
		if old.Argv[0] != cmd.Argv[0] || len(old.Argv) > 1 && old.Argv[1] != cmd.Argv[1] {
			continue
		}
		before := Proof{}
		if err := base.tool(ctx, old, &before, "lint", files); err != nil {
			return nil, err
		}
		said = append(said, each(before.Findings, key)...)
	}
	known := oneFor(said)
	return slices.DeleteFunc(list, func(f step.Finding) bool { return known(key(f)) }), nil
}
