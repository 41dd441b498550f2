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

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// What authors are shown of a project is a map: which files there are, and what those export that the request is about. They can read
// the rest themselves; what is sent is paid for in each turn. These are bytes.
const (
	maxFiles   = 3_000 // names of files
	maxDir     = 400   // names of the files of one directory
	maxExports = 5_000 // what sources export
	maxSource  = 1_500 // what one source exports
)

// fileMap lists the files of each directory that has sources.
func fileMap(paths []string) string {
	dirs := map[string][]string{}
	for _, f := range paths {
		if toolchain.LanguageOf(f) != "" || toolchain.ConfigKindOf(f) == toolchain.ManifestConfig {
			dirs[path.Dir(f)] = append(dirs[path.Dir(f)], path.Base(f))
		}
	}
	var b strings.Builder
	for i, d := range slices.Sorted(maps.Keys(dirs)) {
		line := d + ":"
		for n, f := range dirs[d] {
			if len(line)+len(f) > maxDir {
				line += fmt.Sprintf(" … and %d more", len(dirs[d])-n)
				break
			}
			line += " " + f
		}
		if b.Len()+len(line) > maxFiles {
			fmt.Fprintf(&b, "… and %d more directories\n", len(dirs)-i)
			break
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// candidate is a source that a request may be about.
type candidate struct {
	path    string
	exports []source.Export
	words   map[string]bool // of its path and of what it exports
	score   float64
}

// relevant shows what the sources export that a request is most likely about, the likeliest first: its words are looked for in their
// paths and names. A word that many sources have says little (the weight is the logarithm of all sources to those that have it, as in tf–idf);
// a name that is written in the request as it stands says most.
func relevant(request string, paths []string, read func(string) []byte) string {
	var all []candidate
	asked := map[string]bool{}
	for _, w := range wordsOf(request) {
		asked[w] = true
	}
	for _, p := range paths {
		if !toolchain.IsSource(p) || shows(p, asked) {
			continue
		}
		src := read(p)
		if len(src) > 1<<20 {
			continue
		}
		c := candidate{path: p, exports: source.Parse(p, src).Exports, words: map[string]bool{}}
		for _, w := range wordsOf(p) {
			c.words[w] = true
		}
		for _, e := range c.exports {
			for _, w := range wordsOf(e.Name) {
				c.words[w] = true
			}
		}
		all = append(all, c)
	}
	weight := map[string]float64{}
	for w := range asked {
		n := 0
		for _, c := range all {
			if c.words[w] {
				n++
			}
		}
		if n > 0 {
			weight[w] = math.Log(1 + float64(len(all))/float64(n))
		}
	}
	for i, c := range all {
		for _, w := range slices.Sorted(maps.Keys(c.words)) {
			all[i].score += weight[w]
		}
		for _, w := range wordsOf(strings.TrimSuffix(path.Base(c.path), path.Ext(c.path))) {
			all[i].score += weight[w]
		}
		for _, e := range c.exports {
			if mentions(request, e.Name) {
				all[i].score += 5
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var b strings.Builder
	for _, c := range all {
		if c.score <= 0 {
			break
		}
		if text := c.text(weight); b.Len()+len(text) <= maxExports {
			b.WriteString(text)
		}
	}
	return b.String()
}

// shows reports whether a source only shows how others are used, where the request does not ask for such ones.
func shows(p string, asked map[string]bool) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(dir string) bool {
		return slices.Contains([]string{"doc", "docs", "example", "examples", "demo", "benchmarks"}, dir) && !asked[strings.TrimSuffix(dir, "s")]
	})
}

// text is what a source exports: what has words of the request first.
func (c candidate) text(weight map[string]float64) string {
	about := func(e source.Export) bool {
		return slices.ContainsFunc(wordsOf(e.Name), func(w string) bool { return weight[w] > 0 })
	}
	list := slices.Clone(c.exports)
	long := 0
	for _, e := range list {
		long += len(cmp.Or(e.Text, e.Signature)) + 3
	}
	if long > maxSource { // not all of it is shown, so the order of the source says nothing
		slices.SortStableFunc(list, func(a, b source.Export) int {
			switch x, y := about(a), about(b); {
			case x == y:
				return 0
			case x:
				return -1
			}
			return 1
		})
	}
	var b strings.Builder
	b.WriteString(c.path + "\n")
	for i, e := range list {
		sig := "  " + cmp.Or(e.Text, e.Signature)
		if e.Owner != "" && !strings.Contains(sig, e.Owner) { // Go says it in the signature
			sig = "  " + e.Owner + "." + strings.TrimSpace(sig)
		}
		if b.Len()+len(sig) > maxSource {
			fmt.Fprintf(&b, "  … and %d more\n", len(list)-i)
			break
		}
		b.WriteString(sig + "\n")
	}
	return b.String()
}

// mentions reports whether a text has a name as a word of its own. Short names are words of any text.
func mentions(text, name string) bool {
	for rest := text; len(name) > 3; {
		before, after, found := strings.Cut(rest, name)
		if !found {
			return false
		}
		last, first := []rune(before), []rune(after)
		if (len(last) == 0 || !letter(last[len(last)-1])) && (len(first) == 0 || !letter(first[0])) {
			return true
		}
		rest = after
	}
	return false
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// wordsOf are the words of a text or a name in small letters: camelCase and snake_case are taken apart. Words of one or two letters
// and those that all requests have are left out.
func wordsOf(text string) []string {
	var out []string
	add := func(w string) {
		w = strings.TrimSuffix(strings.ToLower(w), "s") // plugins are about a plugin
		if len([]rune(w)) > 2 && !common[w] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes, from := []rune(word), 0
		for i := 1; i < len(runes); i++ {
			if unicode.IsUpper(runes[i]) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
				add(string(runes[from:i]))
				from = i
			}
		}
		add(string(runes[from:]))
		add(word)
	}
	return out
}

var common = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("the and for that with from are not all any can has have when which then than its this thi into only also new add should shall must return get set use make type name test file func function method class src lib index main init internal pkg") {
		out[w] = true
	}
	return out
}()
