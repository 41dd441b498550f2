package spec

import (
	"path"
	"strings"
)

// The names of a spec. Many directories have a CLAUDE.md of free text for agents: the spec there is called by the other name.
const (
	Name      = "CLAUDE.md"
	OtherName = "SPEC.md"
)

// IsName reports whether a path ends in a name of specs.
func IsName(file string) bool {
	dir, ok := strings.CutSuffix(file, Name)
	if !ok {
		dir, ok = strings.CutSuffix(file, OtherName)
	}
	return ok && (dir == "" || dir[len(dir)-1] == '/')
}

// Dir is the directory of a spec that a path names, under either name; false for a path that names none, which is returned as it is.
func Dir(file string) (string, bool) {
	if !IsName(file) {
		return file, false
	}
	return path.Dir(file), true
}

// Choose says which of the two files of a directory that have the name of a spec is its spec: the CLAUDE.md where that describes
// a module, or else the SPEC.md that does. Where neither does, the CLAUDE.md is what the directory says. Both are one too many
// where both do: see [TwoSpecs].
func Choose[T any](claude, other T, describes func(T) bool) (chosen T, both bool) {
	first, second := describes(claude), describes(other)
	if second && !first {
		return other, false
	}
	return claude, first && second
}

// TwoSpecs is what is wrong with a directory in which both names are those of specs: nobody knows which of them holds.
func TwoSpecs(dir string) Problem {
	return Problem{
		Path: path.Join(dir, Name), Severity: Error,
		Text: path.Join(dir, Name) + " and " + path.Join(dir, OtherName) + " are both specs of this directory",
		Hint: "delete one of them, or remove Purpose, Exports and Behavior from it",
	}
}
