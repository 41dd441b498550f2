package check

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// compilersName is a name as compilers quote it.
var compilersName = re.New("['\"`‘“]([A-Za-z_$][\\w$]*)['\"`’”]")

// uncompiled are the tests of files that do not compile without a change, where the runner ended before it could report: what it said
// names their file, and something that only the code of the change has.
func uncompiled(said string, tests []test, changes []Change) []test {
	fresh := newNames(changes)
	if !slices.ContainsFunc(compilersName().FindAllStringSubmatch(said, -1), func(m []string) bool { return fresh[m[1]] }) {
		return nil
	}
	return those(tests, func(t test) bool { return strings.Contains(said, t.File) })
}

// newNames are the names that stand in the code of a change, and not in what that code was.
func newNames(changes []Change) map[string]bool {
	fresh := map[string]bool{}
	for _, ch := range changes {
		if toolchain.Classify(ch.Path) == toolchain.Source {
			was := namesIn(source.Tokens(ch.Path, codeOf(ch.Path, ch.Old)))
			is := namesIn(source.Tokens(ch.Path, codeOf(ch.Path, ch.New)))
			maps.DeleteFunc(is, func(name string, _ bool) bool { return was[name] })
			maps.Copy(fresh, is)
		}
	}
	return fresh
}

// namesIn are the names that stand among tokens.
func namesIn(tokens []source.Token) map[string]bool {
	names := those(tokens, func(t source.Token) bool { return t.Kind == source.Ident })
	return setOf(each(names, func(t source.Token) string { return t.Text }))
}

// share reports whether two sets have something in common.
func share(a, b map[string]bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(a)), func(x string) bool { return b[x] })
}

// holdsName reports whether one of some names stands in a file.
func holdsName(file string, text []byte, names map[string]bool) bool {
	return share(namesIn(source.Tokens(file, text)), names)
}

// needs reports whether a test needs one of some names: it has one, what it calls in its file has, or what stands at the top of its file beside
// something that it has.
func needs(t test, text []byte, names map[string]bool) bool {
	f := source.Parse(t.File, text)
	words := map[string]bool{}
	take := func(off, stop int) bool {
		here := namesIn(within(f.Tokens, off, stop))
		maps.Copy(words, here)
		return share(here, names)
	}
	if take(headOf(f, t.Test), t.Stop) {
		return true
	}
	apart := func(off, stop int) bool { // from tests and functions, which are looked at one by one
		return !slices.ContainsFunc(f.Tests, func(o source.Test) bool { return o.Off < stop && off < o.Stop }) &&
			!slices.ContainsFunc(f.Funcs, func(fn source.Func) bool { return fn.Off < stop && off < fn.Stop })
	}
	seen := map[int]bool{}
	for more := true; more; {
		more = false
		for _, fn := range f.Funcs {
			if !seen[fn.Off] && words[bareName(fn.Name)] {
				if seen[fn.Off], more = true, true; take(fn.Off, fn.Stop) {
					return true
				}
			}
		}
	}
	off := 0
	for block := range bytes.SplitSeq(text, []byte("\n\n")) {
		here := namesIn(within(f.Tokens, off, off+len(block)))
		first := bytes.Count(text[:off], []byte("\n")) + 1
		last := first + bytes.Count(block, []byte("\n"))
		imports := slices.ContainsFunc(f.Imports, func(i source.Import) bool { return first <= i.Line && i.Line <= last })
		if share(here, names) && !imports && apart(off, off+len(block)) && share(here, words) {
			return true
		}
		off += len(block) + 2
	}
	return false
}
