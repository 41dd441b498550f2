package check

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// within are the tokens between two offsets.
func within(code []source.Token, from, to int) []source.Token {
	return those(code, func(t source.Token) bool { return t.Off >= from && t.End <= to })
}

// sourceFile is a source of the module, parsed.
type sourceFile struct {
	source.File

	path string
}

// code are the tokens of a source but its imports.
func (f sourceFile) code() []source.Token {
	return without(f.Tokens, func(t source.Token) bool {
		return slices.ContainsFunc(f.Imports, func(i source.Import) bool { return i.Line == t.Line })
	})
}

// body is the code of a test, with its rows.
func body(f source.File, t source.Test) string {
	return textOf(f.Tokens, func(tok source.Token) bool {
		in := tok.Off >= t.Off && tok.End <= t.Stop || tok.Off >= t.Rows[0] && tok.End <= t.Rows[1]
		return tok.Kind != source.Comment && in
	})
}

// literals are the values in the code of a test, without its own title.
func literals(f source.File, t source.Test) []string {
	code := within(f.Tokens, t.Off, t.Stop)
	list := those(code, func(tok source.Token) bool {
		return tok.Kind == source.Number || tok.Kind == source.String && strings.Trim(tok.Text, "\"'`") != t.Name
	})
	return each(list, func(tok source.Token) string { return tok.Text })
}

// byName are the tests of a file by their names.
func byName(f source.File) map[string]source.Test {
	return mapOf(f.Tests, func(t source.Test) (string, source.Test) { return t.Name, t })
}

// written are the tokens of a file that a change wrote and that a mutant could change.
func written(ch Change, f source.File) []source.Token {
	lines, silent := newLines(ch.Old, ch.New), f.Silent()
	return those(source.Tokens(ch.Path, ch.New), func(t source.Token) bool {
		return t.Kind != source.Comment && t.Kind != source.Punct && lines[t.Line] && !silent(t.Off, t.End)
	})
}

// codeOf is a source without the tests that stand beside its code.
func codeOf(file string, src []byte) []byte {
	if !mayTest(file) || toolchain.IsTest(file) {
		return src
	}
	code, _ := source.Parse(file, src).Split()
	return code
}

// testsBeside are the tests that stand beside the code of a source, as in Rust.
func testsBeside(file string, src []byte) []byte {
	if !mayTest(file) || toolchain.IsTest(file) {
		return nil
	}
	_, tests := source.Parse(file, src).Split()
	return tests
}

// docstring reports whether a token is a text in three quotes, as Python documents with.
func docstring(file string, t source.Token) bool {
	return toolchain.LanguageOf(file) == toolchain.LangPython && t.Kind == source.String && (strings.HasPrefix(t.Text, `"""`) || strings.HasPrefix(t.Text, `'''`))
}

// headOf is where a test begins, with what stands before it without a blank line between: decorators, rows.
func headOf(f source.File, t source.Test) int {
	src, from := f.Source(), behindOthers(f, t)
	if i := strings.LastIndex(string(src[from:t.Off]), "\n\n"); i >= 0 {
		return from + i
	}
	return from
}

// behindOthers is where the tests before a test end, and the imports.
func behindOthers(f source.File, t source.Test) int {
	from := f.TestsFrom(t.Off)
	if end := behindImports(f); end <= t.Off {
		from = max(from, end)
	}
	for _, o := range f.Tests {
		if o.Stop <= t.Off {
			from = max(from, o.Stop)
		}
	}
	return from
}

// behindImports is where the last import of a file ends, with the brackets that are open there.
func behindImports(f source.File) (end int) {
	last := 0
	for _, i := range f.Imports {
		if !i.Path {
			last = max(last, i.Line)
		}
	}
	open := 0
	for _, t := range f.Tokens {
		if t.Kind == source.Comment || t.Line < last {
			continue
		}
		if t.Line > last && open == 0 && t.Text != ")" { // of a group of imports
			break
		}
		switch t.Text {
		case "(", "{":
			open++
		case ")", "}":
			open = max(0, open-1)
		}
		end = t.End
	}
	return end
}

// textOf is what tokens that count say, whatever is between them.
func textOf(tokens []source.Token, counts func(source.Token) bool) string {
	var b strings.Builder
	for _, t := range tokens {
		if counts(t) {
			b.WriteString(t.Text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
