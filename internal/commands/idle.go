package commands

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Script is a script of a package.json or a target of a Makefile: the line that runs it, and what it does.
type Script struct{ Run, Text string }

// Scripts are those of a file, by their names; other files have none.
func Scripts(file string, text []byte) map[string]Script {
	out := map[string]Script{}
	switch base := path.Base(file); base {
	case "package.json":
		var m manifest
		_ = json.Unmarshal(text, &m) // what cannot be read has none
		for name, line := range m.Scripts {
			out[name] = Script{line, line}
		}
	case "Makefile", "makefile", "GNUmakefile":
		for name, r := range parseMakefile(string(text)).targets {
			does := slices.Clone(r.lines)
			if len(r.needs) > 0 {
				does = append(does, "make "+strings.Join(r.needs, " "))
			}
			out[name] = Script{"make " + name, cmp.Or(strings.Join(does, "\n"), ":")}
		}
	}
	return out
}

// Tests reports whether a script of a file runs tests in the end.
func (s Script) Tests(file string, text []byte) bool {
	name := path.Base(file)
	led := Follow(s.Run, name, []string{name}, func(string) []byte { return text })
	return slices.ContainsFunc(led, func(c Command) bool { return c.Purpose == Test && c.Program() != "make" }) // it is itself where it leads to nothing known
}

// Idle reports whether a line of shell does nothing and succeeds: true, exit 0, echo ok. What stands behind its end is not reached.
func Idle(line string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	return err == nil && idle(file)
}

func idle(file *syntax.File) bool {
	for _, st := range file.Stmts {
		if nothing, ends := idleStmt(st); !nothing || ends {
			return nothing
		}
	}
	return len(file.Stmts) > 0
}

// idleStmt reports whether a statement does nothing and succeeds, and whether it ends the line.
func idleStmt(st *syntax.Stmt) (nothing, ends bool) {
	if len(st.Redirs) > 0 || st.Negated || st.Background {
		return false, false
	}
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
			return false, false
		}
		if nothing, ends = idleStmt(c.X); !nothing || ends || c.Op == syntax.OrStmt {
			return nothing, ends
		}
		return idleStmt(c.Y)
	case *syntax.CallExpr:
		var words []string
		for _, w := range c.Args {
			words = append(words, w.Lit()) // "" for what only the shell can tell
		}
		if len(words) == 0 || len(c.Assigns) > 0 {
			return false, false
		}
		switch ends = words[0] == "exit"; {
		case ends:
			return len(words) == 1 || words[1] == "0", true
		default:
			return slices.Contains([]string{"true", ":", "echo", "printf"}, words[0]), false
		}
	}
	return false, false
}
