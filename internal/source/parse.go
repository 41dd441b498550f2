package source

import "github.com/jacquard-build/jacquard/internal/syntax"

// Parse reads one file. A language that is not known gives a File without contents.
func Parse(p string, src []byte) File {
	f := File{Path: p, Lang: LangOf(p), raw: src}
	if f.Lang != Go && f.Lang != "" && len(src) > syntax.MaxSize { // before anything else reads it
		f.Problem = syntax.ErrTooLarge.Error()
		return f
	}
	switch f.Lang {
	case Go:
		parseGo(&f, src)
	case TypeScript, JavaScript:
		parseScript(&f, src)
	case Python:
		parsePython(&f, src)
	case Rust:
		parseRust(&f, src)
	case Java:
		parseJava(&f, src)
	case Kotlin:
		parseKotlin(&f, src)
	}
	f.finish()
	return f
}

// Tokens reads no more of a file than its tokens, with comments.
func Tokens(p string, src []byte) []Token {
	if LangOf(p) == Go {
		return lexGo(src)
	}
	return Parse(p, src).Tokens
}
