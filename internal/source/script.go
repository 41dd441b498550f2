package source

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// scriptFile is a JavaScript or TypeScript file while it is being read.
type scriptFile struct {
	f       *File
	ts      []Token         // without comments
	helpers map[string]Test // functions of this file: what they assert
	methods map[string]Test // those of its classes
	objects map[string]bool // names for what is of them
	// imported are the names that the file has from node's assert, or Deno's.
	imported map[string]bool
	param    string // of the function of the test that is being read
}

func parseScript(f *File, src []byte) {
	readScript(f, src)
	s := &scriptFile{f: f, ts: Code(f.Tokens), helpers: map[string]Test{}, methods: map[string]Test{}, objects: map[string]bool{}, imported: map[string]bool{}}
	for _, i := range f.Imports {
		if from := strings.TrimPrefix(i.From, "node:"); from == "assert" || from == "assert/strict" || strings.Contains(from, "std/assert") {
			for _, name := range i.Names {
				s.imported[name] = true
			}
		}
	}
	s.findObjects()
	for range 2 { // helpers may call helpers
		for _, fn := range f.Funcs {
			var t Test
			a, b := s.span(fn.Body, fn.Stop)
			s.assertions(&t, a, b)
			if _, name, ok := strings.Cut(fn.Name, "."); ok {
				s.methods[name] = t
			} else {
				s.helpers[fn.Name] = t
			}
		}
	}
	s.tests(0, len(s.ts), nil, suiteMarks{})
	f.hollow(s.helpers)
	if !scriptTestName(f.Path) {
		for _, fn := range f.Funcs {
			before := len(f.mutants)
			if tokenMutants(f, fn, s.ts, false); len(f.mutants) == before {
				f.arrowMutant(fn, s.ts)
			}
		}
		for _, fn := range f.callbacks {
			if !slices.ContainsFunc(f.Tests, func(t Test) bool { return fn.Off < t.Stop && t.Off < fn.Stop }) {
				tokenMutants(f, fn, s.ts, false)
			}
		}
		constantMutants(f, src, TypeScript)
		f.mutants = dedupe(f.mutants)
	}
}

// scriptTokens are the tokens of a node: of a template its texts apart from the code in it.
func (t *treeFile) scriptTokens(n syntax.Node) []Token {
	filled := func(c syntax.Node) bool { return c.Child("template_substitution", "template_type").OK() }
	out := t.leaves(n, filled)
	for c := range n.Within(func(c syntax.Node) bool { return !filled(c) }) {
		if !filled(c) {
			continue
		}
		from, line := c.Start(), c.Line()
		text := func(to int) {
			if part := string(t.src[from:to]); part != "" {
				out = append(out, Token{Kind: String, Text: part, Line: line, Off: from, End: to, Indent: -1})
			}
		}
		for code := range c.All() {
			if k := code.Kind(); k == "template_substitution" || k == "template_type" {
				text(code.Start())
				out = append(out, t.scriptTokens(code)...)
				from, line = code.End(), code.EndLine()
			}
		}
		text(c.End())
	}
	slices.SortFunc(out, func(a, b Token) int { return cmp.Compare(a.Off, b.Off) })
	return out
}

func scriptTestName(p string) bool {
	return strings.Contains(p, ".test.") || strings.Contains(p, ".spec.") || strings.Contains(p, "__tests__/")
}

// dedupe drops mutations found twice, in a function and in one inside it.
func dedupe(ms []Mutant) []Mutant {
	seen := map[[2]int]string{}
	out := ms[:0]
	for _, m := range ms {
		k := [2]int{m.Off, m.End}
		if what, ok := seen[k]; ok && what == m.What {
			continue
		}
		seen[k] = m.What
		out = append(out, m)
	}
	return out
}

// span gives the tokens within two offsets.
func (s *scriptFile) span(from, to int) (a, b int) {
	a = firstAt(s.ts, from)
	b = a + sort.Search(len(s.ts)-a, func(i int) bool { return s.ts[a+i].End > to })
	return a, b
}

// cut gives the tokens from a up to b, as far as they exist.
func (s *scriptFile) cut(a, b int) []Token {
	a, b = max(a, 0), min(b, len(s.ts))
	if a >= b {
		return nil
	}
	return s.ts[a:b]
}

func (s *scriptFile) at(i int) Token {
	if i < 0 || i >= len(s.ts) {
		return Token{Kind: Punct, Indent: -1}
	}
	return s.ts[i]
}

func (s *scriptFile) word(i int, w string) bool { return i >= 0 && i < len(s.ts) && isWord(s.ts[i], w) }

func (s *scriptFile) punct(i int, p string) bool {
	return i >= 0 && i < len(s.ts) && isPunct(s.ts[i], p)
}

// statementEnd finds the last token of the statement that begins at i: a semicolon of its level, or the last token before
// one on a new line that cannot continue it.
func (s *scriptFile) statementEnd(i int) int {
	depth := 0
	for k := i; k < len(s.ts); k++ {
		t := s.ts[k]
		if depth += nesting(t); depth < 0 {
			return k - 1
		}
		if depth == 0 && isPunct(t, ";") {
			return k
		}
		if depth == 0 && k > i && k+1 < len(s.ts) && s.ts[k+1].Line > lastLine(t) && ends(t) && begins(s.ts[k+1]) {
			return k
		}
	}
	return len(s.ts) - 1
}

func lastLine(t Token) int { return t.Line + strings.Count(t.Text, "\n") }

func ends(t Token) bool {
	return t.Kind != Punct || t.Text == ")" || t.Text == "]" || t.Text == "}" || t.Text == "++" || t.Text == "--"
}

func begins(t Token) bool {
	if t.Kind == Ident {
		switch t.Text {
		case "instanceof", "in", "of", "as", "satisfies", "extends":
			return false
		}
		return true
	}
	return t.Kind == Punct && (t.Text == "}" || t.Text == "@")
}
