package inspect

import (
	"slices"
	"strings"

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
			if slices.Contains(imp.Names, "*") {
				continue
			}
			for _, t := range p.targets(f, imp) {
				if to, ok := p.owner(t); ok && to == dep {
					uses = true
				}
			}
		}
		for _, imp := range x.Imports { // a whole module at once: what comes of it cannot be told
			if slices.Contains(imp.Names, "*") {
				for _, t := range p.targets(f, imp) {
					if to, ok := p.owner(t); ok && to == dep {
						return nil
					}
				}
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
		if words[e.Name[strings.LastIndexByte(e.Name, '.')+1:]] {
			add(e.Name, e.Signature)
		}
	}
	return slices.Sorted(keys(used))
}

// hasName reports whether a signature speaks of a name.
func hasName(signature, name string) bool {
	for from := 0; ; {
		i := strings.Index(signature[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !wordByte(signature[i-1])) && (end == len(signature) || !wordByte(signature[end])) {
			return true
		}
		from = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
