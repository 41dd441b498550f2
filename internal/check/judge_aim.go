package check

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mutantsFor are small changes of what old tests call in the files that they are for: those that their file imports, or, where what they
// call is in none of them, what those import, as an index and a package's __init__ do. What lines name that are no longer there comes first,
// its values before its functions.
// Tests that name nothing of that get it from what is beside them: then it can be all of it.
func (x *chainJudge) mutantsFor(f *file, tests ...source.Test) []mutantAt {
	named, g := x.namedBy(f, tests), x.graph
	gone := lostText(f.Change, func(line int) bool {
		return slices.ContainsFunc(tests, func(t source.Test) bool { return t.Line <= line && line <= t.End || t.Rows[1] > 0 })
	})
	for _, ch := range those(x.changes, x.standsBeside) {
		gone += lostText(ch, func(int) bool { return true })
	}
	near := append(g.imports(f.Path), g.beside(f.Path))
	for file := range x.files {
		if x.aside(file, f.Path) {
			near = append(near, g.imports(file)...)
		}
	}
	var ends, known, first, rest []mutantAt
	for list := range layers(g, x.files, near) {
		for _, file := range list {
			lines := strings.Split(string(x.files[file]), "\n")
			ends = append(ends, those(x.longer(file, gone), func(m mutantAt) bool { return named[bareName(m.Func)] })...)
			for _, m := range mutantsIn(x.files, file) {
				switch name := bareName(m.Func); {
				case !named[name]:
				case slices.ContainsFunc(literal().FindAllString(lines[m.Line-1], -1), func(v string) bool { return strings.Contains(gone, v) }):
					known = append(known, m)
				case hasWord(gone, name):
					first = append(first, m)
				default:
					rest = append(rest, m)
				}
			}
		}
		if len(known)+len(first)+len(rest) > 0 {
			break
		}
	}
	if len(known)+len(first)+len(rest) == 0 {
		for _, file := range sourcesOf(g, x.files, near) {
			rest = append(rest, mutantsIn(x.files, file)...)
		}
	}
	shown := ofEach(known)
	list := slices.Concat(ends[:min(mostLonger, len(ends))], shown[:min(mostBlind/2, len(shown))], ofEach(first), ofEach(rest))
	return list[:min(mostBlind, len(list))]
}

// ofEach puts the first mutant of each function before the second of any, and of each those that change what it gives first.
func ofEach(ms []mutantAt) (out []mutantAt) {
	var names []string
	of := map[string][]mutantAt{}
	for _, m := range ms {
		key := m.file + " " + m.Func
		if of[key] == nil {
			names = append(names, key)
		}
		of[key] = append(of[key], m)
	}
	for key, list := range of {
		of[key] = spread(list)
	}
	for i := 0; len(out) < len(ms); i++ {
		for _, key := range names {
			if i < len(of[key]) {
				out = append(out, of[key][i])
			}
		}
	}
	return out
}

// mostLonger is how many texts get a longer end.
const mostLonger = 2

// lastWord is the word that a text ends with, before its quotes.
var lastWord = re.New("(\\pL{2,})[^\\pL\"'`]*[\"'`]+#*$")

// longer are the texts of a file that end with a word of some lost lines, each with a letter more: a test that looks only at how a text begins,
// or for a part of it, does not notice.
func (x *chainJudge) longer(file, gone string) (out []mutantAt) {
	f := source.Parse(file, x.files[file])
	for _, t := range f.Tokens {
		at := lastWord().FindStringSubmatchIndex(t.Text)
		if t.Kind != source.String || at == nil || !hasWord(gone, t.Text[at[2]:at[3]]) {
			continue
		}
		fn, _ := f.FuncAt(t.Line)
		word := t.Text[at[2]:at[3]]
		m := source.Mutant{Func: fn.Name, Line: t.Line, What: word + " to " + word + "x", Off: t.Off + at[2], End: t.Off + at[3], New: word + "x"}
		out = append(out, mutantAt{Mutant: m, file: file, src: x.files[file]})
	}
	return out
}

// lostText is what stood in some old lines, without the values that new lines have as well.
func lostText(ch Change, in func(line int) bool) string {
	text := func(lines []line) string {
		return strings.Join(each(lines, func(l line) string { return l.text + "\n" }), "")
	}
	still := literal().FindAllString(text(added(ch.Old, ch.New)), -1)
	return literal().ReplaceAllStringFunc(text(those(added(ch.New, ch.Old), func(l line) bool { return in(l.n) })), func(v string) string {
		if slices.Contains(still, v) {
			return " "
		}
		return v
	})
}

var literal = re.New(`\b\d\w+(?:\.\d+)?|"[^"]+"|'[^']+'`)

// namedBy are the names of what old tests may call, themselves and by what is beside them: functions of their file, of files above it, and of
// those that the change touches.
func (x *chainJudge) namedBy(f *file, tests []source.Test) map[string]bool {
	named := map[string]bool{}
	for _, t := range tests {
		maps.Copy(named, mentions(f.old, source.Test{Off: headOf(f.old, t), Stop: t.Stop})) // with what it is given
	}
	helpers := append(each(those(x.changes, x.standsBeside), func(ch Change) source.File { return source.Parse(ch.Path, ch.Old) }), f.old)
	for file, src := range x.files {
		if x.aside(file, f.Path) {
			helpers = append(helpers, source.Parse(file, src))
		}
	}
	for more := true; more; {
		more = false
		for _, h := range helpers {
			for _, fn := range h.Funcs {
				if name := bareName(fn.Name); named[name] {
					n := len(named)
					maps.Copy(named, mentions(h, source.Test{Off: fn.Off, Stop: fn.Stop}))
					more = more || len(named) > n
				}
			}
		}
	}
	return named
}

// aside reports whether a file without tests of its own stands beside some tests, or above them: what it declares may be used there
// without a word.
func (x *chainJudge) aside(file, test string) bool {
	if file == test || !toolchain.IsTest(file) && path.Base(file) != conftest || !below(path.Dir(file), test) {
		return false
	}
	return !x.holdsTests(file) || x.chain.Ecosystem == toolchain.Node && len(source.Parse(file, x.files[file]).Tests) == 0 // a script that asserts may be a helper
}

// sourcesOf are the files of code in some units that is not there for tests.
func sourcesOf(g *graph, files map[string][]byte, units []string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(file string) bool {
		return !toolchain.IsSource(file) || !slices.Contains(units, g.unit(file)) || ofTestLibraries().Match(files[file])
	})
}

// layers are the sources of some units, then those that these import, and so on: an index only hands on what it imports.
func layers(g *graph, files map[string][]byte, units []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for range mostIndexes {
			list := sourcesOf(g, files, units)
			units = nil
			for _, file := range list {
				units = append(units, g.imports(file)...)
			}
			if !yield(list) {
				return
			}
		}
	}
}

// mutantsIn are the small changes of a file, and besides those that give something alike.
func mutantsIn(files map[string][]byte, file string) (out []mutantAt) {
	for _, m := range source.Parse(file, files[file]).Mutants() {
		out = append(out, mutantAt{Mutant: m, file: file, src: files[file]})
		if alike, ok := m.Alike(); ok {
			out = append(out, mutantAt{Mutant: alike, file: file, src: files[file]})
		}
	}
	return out
}

// mostIndexes is how many files may stand between a test and what it calls.
const mostIndexes = 3
