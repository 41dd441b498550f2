package source

import "github.com/jacquard-build/jacquard/internal/re"

// raising are the statements with which a function fails at each call, idle those with which it does nothing.
var (
	raising = map[string]string{Go: `panic("mutant");`, TypeScript: `throw new Error("mutant");`, JavaScript: `throw new Error("mutant");`, Python: `raise RuntimeError("mutant")`}
	idle    = map[string]string{TypeScript: `return undefined;`, JavaScript: `return undefined;`, Python: `return None`}
)

// pythonBody is what stands between the colon of a function of Python and its first statement, where that has a line of its own.
var pythonBody = re.New(`^[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*([ \t]+)`)

// Disabled are two mutants: with one a function fails at each call, with the other it does nothing. A test that passes with both does not
// reach it. There are none for a function that is one expression, and for languages whose functions cannot return nothing.
func (f File) Disabled(fn Func, src []byte) []Mutant {
	empty := idle[f.Lang]
	if f.Lang == Go {
		empty = fn.zero
	}
	if empty == "" || fn.Body <= 0 || fn.Body >= len(src) {
		return nil
	}
	off, indent, end := fn.Body, "", ""
	if f.Lang == Python {
		at := pythonBody().FindSubmatchIndex(src[off:])
		if at == nil {
			return nil
		}
		indent, end = string(src[off+at[2]:off+at[3]]), "\n"
		off += at[2]
	} else if src[off-1] != '{' {
		return nil
	}
	var out []Mutant
	for _, statement := range []string{raising[f.Lang], empty} {
		out = append(out, Mutant{Func: fn.Name, Line: fn.Line, What: "disable", Off: off, End: off, New: indent + statement + end})
	}
	return out
}
