package toolchain

import (
	"cmp"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// commandsOf are the project's commands for one toolchain.
func (p *Project) commandsOf(f *Found) (mine []commands.Command) {
	home := f.Root
	if f.Ecosystem == JVM { // Maven builds a module with the others
		home = cmp.Or(f.Workspace, f.Root)
	}
	for _, c := range p.commands() {
		if ecosystemOf(c) == f.Ecosystem && p.rootOf(f, c.Dir) == home {
			mine = append(mine, c)
		}
	}
	return mine
}

// ofLine are the commands that test by the same program in the same line as c, of Go also by way of other targets.
func ofLine(mine []commands.Command, c commands.Command) (out []commands.Command) {
	first := func(c commands.Command) string {
		if ecosystemOf(c) != Go {
			return c.From
		}
		from, _, _ := strings.Cut(c.From, " → ")
		return from
	}
	for _, o := range mine {
		if o.Line == c.Line && o.Purpose == commands.Test && first(o) == first(c) && o.Program() == c.Program() {
			out = append(out, o)
		}
	}
	return out
}

// Lines are a toolchain as each line of the project tests it that does, not only the one that it is tested by here.
func (p *Project) Lines(f Found) []Found {
	out := []Found{f}
	if p.Checks["test"] != "" {
		return out
	}
	mine := p.commandsOf(&f)
	for _, c := range mine {
		r, known := runners[c.Program()]
		line := f
		line.Runner, line.Own.Test = r.runner, ofLine(mine, c)
		if !known || !f.isTest(c) || len(f.Own.Test) > 0 && f.Own.Test[0].Line == c.Line && f.Own.Test[0].From == c.From {
			continue
		}
		if f.Ecosystem == Rust {
			own, worth := f.cargoTest(c)
			if line.Own.Test = []commands.Command{own}; worth == 0 {
				continue
			}
		}
		out = append(out, line)
	}
	return out
}
