package inspect

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
)

var wordsOf = re.New(`[\p{L}_$][\p{L}\p{N}_$]*`)

// mentions reports whether a name stands in the code: a method, a field, something made at
// run time. Comments do not count, nor texts of several words, which only speak of it, but
// for what they hold of code.
func (m *module) mentions(name string) bool {
	if m.words == nil {
		m.words = map[string]bool{}
		for _, f := range m.names {
			ts := m.tokens(f)
			for i, t := range ts {
				for _, w := range wordsOf().FindAllString(codeIn(ts, i, t.Text), -1) {
					m.words[w] = true
				}
			}
		}
	}
	return m.words[lastPart(name)]
}

// codeIn is what of a token is code.
func codeIn(ts []source.Token, i int, text string) string {
	switch {
	case ts[i].Kind == source.Comment: // types of JavaScript are declared in comments
		if strings.Contains(text, "@typedef") || strings.Contains(text, "@callback") {
			return text
		}
		return ""
	case !strings.ContainsAny(text, " \t\n"):
		return text
	case i > 1 && ts[i-1].Text == "," && ts[i-2].Kind == source.String || i+2 < len(ts) && ts[i+1].Text == "." && ts[i+2].Text == "split": // namedtuple("P", "x y")
		return text
	}
	return strings.Join(holes().FindAllString(text, -1), " ")
}

// holes are what texts are filled with: {name}, ${name}, $name.
var holes = re.New(`\{[^{}\n]*\}|\$[\p{L}_]\w*`)

// says reports whether a word stands anywhere in the files of the module.
func (m *module) says(word string) bool {
	return slices.ContainsFunc(m.names, func(f string) bool {
		return slices.ContainsFunc(wordsOf().FindAll(m.read(f), -1), func(w []byte) bool { return string(w) == word })
	})
}

// tokens gives the tokens of a source file, which are not kept with what else was read of it.
func (m *module) tokens(f string) []source.Token {
	x := m.files[f]
	if x.Tokens == nil {
		x.Tokens = source.Tokens(f, m.read(f))
		m.files[f] = x
	}
	return x.Tokens
}

// private finds the function of a name, or Type.name, that nobody outside of the module can
// call, where the code alone tells it; one that others may get hold of in any way is none.
func (m *module) private(name string) (file string, line int) {
	for _, fn := range m.functions(name) {
		if name == "main" || !m.own(fn) {
			return "", 0
		}
		file, line = fn.file, fn.Line
	}
	return file, line
}

// functions are those of a name, or Type.name, that the module has.
func (m *module) functions(name string) []function {
	if m.funcs == nil {
		m.funcs = map[string][]function{}
		for _, f := range m.names {
			for _, fn := range m.files[f].Funcs {
				m.funcs[fn.Name] = append(m.funcs[fn.Name], function{fn, f})
			}
		}
	}
	return m.funcs[name]
}

type function struct {
	source.Func

	file string
}

// own reports whether a function that is no export is its module's own, by how it is declared
// and used. Exports of CommonJS and Python may be made at run time; others of the crate or the
// Gradle module may use what says pub(crate) or internal; what is extern or has an attribute in
// Rust may be called by who reads that; and the methods of a trait have no word of their own.
func (m *module) own(fn function) bool {
	src := m.read(fn.file)
	words := wordsOf().FindAllString(string(src[fn.Off:fn.Body]), -1)
	switch x := m.files[fn.file]; x.Lang {
	case source.Rust:
		before := strings.TrimRight(string(src[:fn.Off]), " \t\r\n")
		return !strings.Contains(fn.Name, ".") && !strings.HasSuffix(before, "]") && !slices.Contains(words, "pub") && !slices.Contains(words, "extern")
	case source.Kotlin, source.Java:
		return slices.Contains(words, "private")
	case source.TypeScript, source.JavaScript:
		if strings.Contains(fn.Name, ".") {
			return slices.Contains(words, "private")
		}
		return len(x.Exports) > 0 && !slices.ContainsFunc(x.Exports, func(e source.Export) bool { return e.Name == "default" }) && !m.mentions("exports") &&
			m.onTop(fn) && m.onlyCalled(fn.Name)
	}
	return false
}

// onTop reports whether a function is in no other one, which could hand it out.
func (m *module) onTop(fn function) bool {
	return !slices.ContainsFunc(m.files[fn.file].Funcs, func(o source.Func) bool { return o.Off < fn.Off && fn.Stop <= o.Stop })
}

// onlyCalled reports whether a name stands in the code as what is declared and called, and nowhere as a value.
func (m *module) onlyCalled(name string) bool {
	for _, f := range m.names {
		ts := m.tokens(f)
		for i, t := range ts {
			if t.Kind != source.Ident || t.Text != name {
				continue
			}
			declared := i > 0 && (ts[i-1].Text == "const" || ts[i-1].Text == "let" || ts[i-1].Text == "var" || ts[i-1].Text == "function" || ts[i-1].Text == "*")
			if !declared && (i+1 == len(ts) || ts[i+1].Text != "(") || i > 0 && ts[i-1].Text == "." {
				return false
			}
		}
	}
	return true
}
