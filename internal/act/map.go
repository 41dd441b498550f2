package act

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// What authors are shown of a project is a map: which files there are, and what those export that the request is about. They can read
// the rest themselves; what is sent is paid for in each turn. These are bytes.
const (
	maxFiles   = 1_800 // names of files and directories
	maxAbout   = 1_200 // names of files of the directories that a request is about
	maxDir     = 400   // names of the files of one directory
	maxExports = 4_000 // what sources declare
	maxSource  = 800   // what the likeliest source declares; half of it the second, a third the third, …
	minSource  = 60    // … and each at least this
	maxShown   = 20    // sources
	unlikely   = 0.1   // part of the highest score

	maxConstant = 100 // bytes of the line of a constant
)

// fileMap lists the files of each directory that has sources, and the documents on top. Where they are many, it lists those of the
// directories that a request is about, the likeliest first, and how many the others have.
func fileMap(paths []string, about ...string) string {
	dirs, size := map[string][]string{}, 0
	for _, f := range paths {
		document := slices.Contains([]string{".md", ".markdown", ".mdx", ".rst", ".adoc"}, path.Ext(f)) && strings.Count(f, "/") <= 1
		code := toolchain.LanguageOf(f) != "" || check.IsCode(f) || path.Ext(f) == "" && !strings.HasPrefix(path.Base(f), ".") // a program, a Makefile
		if code || toolchain.ConfigKindOf(f) == toolchain.ManifestConfig || document {
			dirs[path.Dir(f)] = append(dirs[path.Dir(f)], path.Base(f))
			size += len(f)
		}
	}
	var b strings.Builder
	names := func(d string) string {
		line := d + ":"
		for n, f := range dirs[d] {
			if len(line)+len(f) > maxDir {
				return line + fmt.Sprintf(" … and %d more\n", len(dirs[d])-n)
			}
			line += " " + f
		}
		return line + "\n"
	}
	all := slices.Sorted(maps.Keys(dirs))
	if size <= maxFiles {
		for _, d := range all {
			b.WriteString(names(d))
		}
		return b.String()
	}
	for _, d := range append([]string{"."}, about...) {
		if line := names(d); len(dirs[d]) > 0 && b.Len()+len(line) <= maxAbout {
			b.WriteString(line)
			delete(dirs, d)
		}
	}
	all = slices.DeleteFunc(all, func(d string) bool { return dirs[d] == nil })
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	b.WriteString("other directories (number of files):")
	for i, d := range all {
		entry := fmt.Sprintf(" %s (%d)", d, len(dirs[d]))
		if b.Len()+len(entry) > maxFiles {
			fmt.Fprintf(&b, " … and %d more directories", len(all)-i)
			break
		}
		b.WriteString(entry)
	}
	return b.String() + "\n"
}

// candidate is a source that a request may be about.
type candidate struct {
	path  string
	src   []byte
	words map[string]int // how often it has each word of the request
	size  int            // words in all
	score float64
}

// relevant shows the sources that a request is most likely about, the likeliest first, with what they declare. They are ranked by BM25
// (Robertson and Zaragoza, 2009, with their k1 = 1.2 and b = 0.75) over the words of their text; a word of the path counts as one more such text, one of the name as two.
func relevant(request string, paths []string, read func(string) []byte) (text string, dirs []string) {
	asked := map[string]bool{}
	for _, w := range wordsOf(request) {
		asked[w] = true
	}
	var all []candidate
	for _, p := range paths {
		if !toolchain.IsSource(p) || shows(p, asked) {
			continue
		}
		src := read(p)
		if len(src) > 1<<20 {
			continue
		}
		c := candidate{path: p, src: src, words: map[string]int{}}
		eachWord(string(src), func(w string) {
			if c.size++; asked[w] {
				c.words[w]++
			}
		})
		all = append(all, c)
	}
	weights := byLikelihood(all, asked)
	var b strings.Builder
	for i, c := range all {
		if c.score <= all[0].score*unlikely || i == maxShown {
			break
		}
		text := c.text(weights, max(minSource, maxSource/(1+i)))
		if b.Len()+len(text) > maxExports {
			text = c.path + "\n"
		}
		if b.Len()+len(text) <= maxExports {
			b.WriteString(text)
			dirs = append(dirs, path.Dir(c.path))
		}
	}
	return b.String(), dirs
}

// byLikelihood gives each source its score and puts the highest first. It returns the weight of each word of the request: the rarer
// in the sources, the higher.
func byLikelihood(all []candidate, asked map[string]bool) map[string]float64 {
	const k1, b = 1.2, 0.75
	have, total := map[string]int{}, 0
	for _, c := range all {
		total += c.size
		for w := range c.words {
			have[w]++
		}
	}
	rare := func(w string) float64 {
		n := float64(have[w])
		return math.Log(1 + (float64(len(all))-n+0.5)/(n+0.5))
	}
	for i, c := range all {
		long := 1 - b + b*float64(c.size)*float64(len(all))/float64(max(1, total))
		for _, w := range slices.Sorted(maps.Keys(c.words)) {
			n := float64(c.words[w])
			all[i].score += rare(w) * n * (k1 + 1) / (n + k1*long)
		}
		for n, part := range []string{c.path, strings.TrimSuffix(path.Base(c.path), path.Ext(c.path))} {
			for _, w := range wordsOf(part) {
				if asked[w] {
					all[i].score += rare(w) * float64(n+1)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	weights := map[string]float64{}
	for w := range asked {
		weights[w] = rare(w)
	}
	return weights
}

// shows reports whether a source only shows how others are used, where the request does not ask for such ones.
func shows(p string, asked map[string]bool) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(dir string) bool {
		return slices.Contains([]string{"doc", "docs", "example", "examples", "demo", "benchmarks"}, dir) && !asked[strings.TrimSuffix(dir, "s")]
	})
}

// text is what a source declares, within a number of bytes: what the words of the request, by their weights, are about comes first.
func (c candidate) text(weights map[string]float64, limit int) string {
	list := declared(c.path, c.src)
	for i := range list {
		list[i].score = list[i].about(weights)
	}
	slices.SortStableFunc(list, func(a, b declaration) int { return cmp.Compare(b.score, a.score) })
	var b strings.Builder
	b.WriteString(c.path + "\n")
	for i, d := range list {
		if b.Len()+len(d.line) > limit {
			if i > 0 { // a number alone says nothing
				fmt.Fprintf(&b, "  … and %d more\n", len(list)-i)
			}
			break
		}
		b.WriteString("  " + strings.ReplaceAll(d.line, "\n", "\n  ") + "\n")
	}
	return b.String()
}

// declaration is a line of code that declares a name, and the code of it where it is a function.
type declaration struct {
	name, line, code string
	score            float64
}

// ofName is how much more a word counts in a name than in the code.
const ofName = 3

// about is how much of a request a declaration has, by the weights of its words.
func (d declaration) about(weights map[string]float64) float64 {
	score := 0.0
	for _, w := range wordsOf(d.name) {
		score += weights[w] * ofName
	}
	for _, w := range wordsOf(d.code) {
		score += weights[w]
	}
	return score
}

// declared is what a source exports; of one that exports nothing, as those of a program, its functions.
func declared(p string, src []byte) []declaration {
	f := source.Parse(p, src)
	code := map[string]string{}
	for _, fn := range f.Funcs {
		code[fn.Name] = string(src[fn.Off:fn.Stop])
	}
	lines := strings.Split(string(src), "\n")
	var out []declaration
	for _, e := range f.Exports {
		name, line := e.Name, strings.TrimSpace(cmp.Or(e.Text, e.Signature))
		if e.Owner != "" {
			name = e.Owner + "." + name
			if !strings.Contains(line, e.Owner) { // Go says it in the signature
				line = e.Owner + "." + line
			}
		}
		if e.Kind == "constant" && e.Owner == "" && e.Line <= len(lines) && len(lines[e.Line-1]) <= maxConstant {
			line = strings.TrimSpace(lines[e.Line-1]) // with its value
		}
		out = append(out, declaration{name: e.Name, line: line, code: code[name]})
	}
	if len(out) > 0 {
		return out
	}
	for _, fn := range f.Funcs {
		first, _, _ := strings.Cut(code[fn.Name], "\n")
		out = append(out, declaration{name: fn.Name, line: strings.TrimRight(strings.TrimSpace(first), " {"), code: code[fn.Name]})
	}
	return out
}

// wordsOf are the words of a text, each once.
func wordsOf(text string) []string {
	var out []string
	eachWord(text, func(w string) {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	})
	return out
}

// eachWord gives the words of a text or a name in small letters: camelCase and snake_case are taken apart, and given whole as well.
// Words of one or two letters (of one, where a letter is a syllable) and those that all requests have are left out.
func eachWord(text string, yield func(string)) {
	add := func(w string) {
		w = strings.TrimSuffix(strings.ToLower(w), "s") // plugins are about a plugin
		if len(w) > 2 && utf8.RuneCountInString(w) > 1 && !common[w] {
			yield(w)
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		parts := 0
		for part := range strings.SplitSeq(word, "_") {
			runes, from := []rune(part), 0
			for i := 1; i < len(runes); i++ {
				if unicode.IsUpper(runes[i]) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
					add(string(runes[from:i]))
					from, parts = i, parts+1
				}
			}
			add(string(runes[from:]))
			parts++
		}
		if parts > 1 {
			add(word)
		}
	}
}

var common = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("the and for that with from are not all any can has have when which then than its this thi into only also new add should shall must return get set use make type name test file func function method class src lib index main init internal pkg") {
		out[w] = true
	}
	return out
}()
