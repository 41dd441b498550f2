package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// minCoverage is the share of changed lines, in percent, that tests have to reach.
const minCoverage = 80

// coverage measures how many of the lines that changed since before, in files that count, the tests reach. It says nothing
// when the project has no tool for it.
func (p *place) coverage(ctx context.Context, counts func(path string) bool, before string, tests []string, proof *Proof) error {
	reached := map[string]map[int]bool{}
	for _, cmd := range p.chain.Coverage(toolchain.Selection{Files: tests}) {
		out, err := p.exec(ctx, cmd, false)
		if _, ok := errors.AsType[*EnvironmentError](err); ok {
			return nil
		}
		if err != nil {
			return err
		}
		proof.Records = append(proof.Records, out.Record)
		r := reader{chain: p.chain, root: p.root}
		if cmd.Report == toolchain.ReportGoCover {
			r.goCover(out.report, reached)
		} else {
			r.lcov(out.report, reached)
		}
	}
	if len(reached) == 0 {
		return nil
	}
	changes, err := Changes(ctx, p.c.repo, before, p.tree)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		if !counts(ch.Path) || ch.Status == 'D' {
			continue
		}
		total, hit, first := 0, 0, 0
		for _, l := range added(ch.Old, ch.New) {
			yes, counted := reached[ch.Path][l.n]
			switch {
			case !counted:
			case yes:
				total, hit = total+1, hit+1
			default:
				total++
				first = cmp.Or(first, l.n)
			}
		}
		if total > 0 && hit*100 < total*minCoverage {
			proof.Findings = append(proof.Findings, step.Finding{
				Rule: "low-coverage", Severity: step.Fix, Path: ch.Path, Line: first,
				Message: fmt.Sprintf("The tests reach %d of %d changed lines (%d %%). The first line not reached is %d.", hit, total, hit*100/total, first),
			})
		}
	}
	return nil
}

// goCover reads a cover profile: file:line.col,line.col statements count.
func (r reader) goCover(report []byte, reached map[string]map[int]bool) {
	for l := range strings.SplitSeq(string(report), "\n") {
		var from, fromCol, to, toCol, statements, count int
		name, rest, ok := strings.Cut(l, ".go:")
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &from, &fromCol, &to, &toCol, &statements, &count); err != nil {
			continue
		}
		file := r.goDir(name + ".go")
		for n := from; n <= to; n++ {
			note(reached, file, n, count > 0)
		}
	}
}

// lcov reads the SF and DA records of a tracefile.
func (r reader) lcov(report []byte, reached map[string]map[int]bool) {
	file := ""
	for l := range strings.SplitSeq(string(report), "\n") {
		if name, ok := strings.CutPrefix(l, "SF:"); ok {
			file = r.relative(strings.TrimSpace(name))
		}
		var n, count int
		if _, err := fmt.Sscanf(l, "DA:%d,%d", &n, &count); err == nil {
			note(reached, file, n, count > 0)
		}
	}
}

// note keeps a line reached once it was.
func note(reached map[string]map[int]bool, file string, n int, yes bool) {
	if reached[file] == nil {
		reached[file] = map[int]bool{}
	}
	reached[file][n] = reached[file][n] || yes
}
