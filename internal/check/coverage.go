package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

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
		p.reader().lines(cmd.Report, out.report, func(file string, n int, yes bool) {
			if reached[file] == nil {
				reached[file] = map[int]bool{}
			}
			reached[file][n] = reached[file][n] || yes // once it was
		})
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
			switch yes, counted := reached[ch.Path][l.n]; {
			case yes:
				total, hit = total+1, hit+1
			case counted:
				total, first = total+1, cmp.Or(first, l.n)
			}
		}
		if total > 0 && hit*100 < total*minCoverage {
			proof.Findings = append(proof.Findings, fix("low-coverage", ch.Path, first, fmt.Sprintf(
				"The tests reach %d of %d changed lines (%d %%). The first line not reached is %d.", hit, total, hit*100/total, first)))
		}
	}
	return nil
}

// lines reads a profile of Go (file:line.col,line.col statements count), or the SF and DA records of a tracefile.
func (r reader) lines(kind toolchain.Report, report []byte, note func(file string, n int, yes bool)) {
	file := ""
	for l := range strings.SplitSeq(string(report), "\n") {
		var from, col, to, statements, count int
		if name, rest, ok := strings.Cut(l, ".go:"); ok && kind == toolchain.ReportGoCover {
			if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &from, &col, &to, &col, &statements, &count); err != nil {
				continue
			}
			for n := from; n <= to; n++ {
				note(r.goDir(name+".go"), n, count > 0)
			}
		} else if name, ok := strings.CutPrefix(l, "SF:"); ok {
			file = r.relative(strings.TrimSpace(name))
		} else if _, err := fmt.Sscanf(l, "DA:%d,%d", &from, &count); err == nil {
			note(file, from, count > 0)
		}
	}
}
