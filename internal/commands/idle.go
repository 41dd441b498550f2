package commands

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
