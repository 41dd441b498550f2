package inspect

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/source"
)

// Used are the exports of a module that source files make use of: those that the files name where they import it, or
// say anywhere after, with the exports that these are made of. It is empty when no file imports the module, and when it
// cannot be told, since a use too many only builds something again, and one too few does not.
func (p *Project) Used(files []string, dep string) []string {
	d := p.docs[dep]
	if d == nil {
		return nil
	}
	words := map[string]bool{}
	imports := false
	for _, f := range files {
		x := source.Parse(f, p.read(f))
		if x.Problem != "" {
			return nil
		}
		uses := false
		for _, imp := range x.Imports {
			for _, t := range p.targets(f, imp) {
				if to, ok := p.owner(t); !ok || to != dep {
					continue
				}
				if slices.Contains(imp.Names, "*") { // the whole module at once: what comes of it cannot be told
					return nil
				}
				uses = true
			}
		}
		if !uses {
			continue
		}
		imports = true
		for _, t := range x.Tokens {
			if t.Kind == source.Ident {
				words[t.Text] = true
			}
		}
	}
	if !imports {
		return nil
	}
	used := map[string]bool{}
	var add func(name, signature string)
	add = func(name, signature string) {
		if used[name] {
			return
		}
		used[name] = true
		for _, e := range d.Exports {
			if owner, _, ok := strings.Cut(e.Name, "."); hasName(signature, e.Name) || ok && owner == name && words[e.Name[len(owner)+1:]] {
				add(e.Name, e.Signature)
			}
		}
	}
	for _, e := range d.Exports {
		if words[lastPart(e.Name)] {
			add(e.Name, e.Signature)
		}
	}
	return slices.Sorted(maps.Keys(used))
}

// hasName reports whether a signature speaks of a name.
func hasName(signature, name string) bool {
	for range wordEnds(signature, name) {
		return true
	}
	return false
}

// wordEnds are the ends of the places where a name stands as a word of its own.
func wordEnds(s, name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; name != ""; {
			i := strings.Index(s[from:], name)
			if i < 0 {
				return
			}
			i += from
			from = i + len(name)
			before, _ := utf8.DecodeLastRuneInString(s[:i])
			after, _ := utf8.DecodeRuneInString(s[from:])
			if !wordRune(before) && !wordRune(after) && !yield(from) {
				return
			}
		}
	}
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
