package inspect

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
)

var wordsOf = re.New(`[\p{L}_$][\p{L}\p{N}_$]*`)

// mentions reports whether a name stands in the code: a method, a field, something made at
// run time. Comments do not count, nor texts of several words, which only speak of it.
func (m *module) mentions(name string) bool {
	if m.words == nil {
		m.words = map[string]bool{}
		for _, f := range m.names {
			for _, t := range m.tokens(f) {
				if t.Kind == source.Comment || strings.ContainsAny(t.Text, " \t\n") {
					continue
				}
				for _, w := range wordsOf().FindAllString(t.Text, -1) {
					m.words[w] = true
				}
			}
		}
	}
	return m.words[lastPart(name)]
}

// tokens gives the tokens of a source file, which are not kept with what else was read of it.
func (m *module) tokens(f string) []source.Token {
	if ts := m.files[f].Tokens; ts != nil {
		return ts
	}
	return source.Parse(f, m.read(f)).Tokens
}

// private finds the function of a name, or Type.name, that nobody outside of the module can
// call, where the code alone tells it: exports of CommonJS and Python may be made at run time.
func (m *module) private(name string) (file string, line int) {
	for _, f := range m.names {
		x := m.files[f]
		if x.Lang == source.TypeScript || x.Lang == source.JavaScript {
			if slices.ContainsFunc(x.Exports, func(e source.Export) bool { return e.Name == "default" }) || m.mentions("exports") {
				continue
			}
		}
		for _, fn := range x.Funcs {
			if fn.Name == name && ownUse(x.Lang, string(m.read(f)[fn.Off:fn.Body])) {
				return f, fn.Line
			}
		}
	}
	return "", 0
}

// ownUse reports whether a function that is no export is its module's own, by what stands
// before its body. Others of the crate or the Gradle module may use what says pub(crate) or
// internal, and the methods of a trait have no word of their own.
func ownUse(lang, head string) bool {
	words := wordsOf().FindAllString(head, -1)
	switch lang {
	case source.Rust:
		return !slices.Contains(words, "pub") && !strings.Contains(head, "self")
	case source.Kotlin, source.Java:
		return slices.Contains(words, "private")
	}
	return lang == source.TypeScript || lang == source.JavaScript
}
