package source

import (
	"cmp"
	"go/scanner"
	"go/token"
)

func lexGo(src []byte) []Token { return scanGo(src, false) }

// scanGo cuts Go into tokens, on demand with the semicolons that line ends stand for where something follows them.
func scanGo(src []byte, lines bool) []Token {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var out []Token
	ended := false
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.SEMICOLON && lit != ";" {
			ended = true
			continue
		}
		if lines && ended && tok != token.RBRACE && tok != token.RPAREN {
			out = append(out, Token{Kind: Punct, Text: ";", Indent: -1})
		}
		ended = false
		t := Token{Kind: Punct, Text: cmp.Or(lit, tok.String()), Line: file.Line(pos), Off: file.Offset(pos), Indent: -1}
		switch {
		case tok == token.COMMENT:
			t.Kind = Comment
		case tok == token.IDENT || tok.IsKeyword():
			t.Kind = Ident
		case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
			t.Kind = Number
		case tok == token.STRING || tok == token.CHAR:
			t.Kind = String
		}
		t.End = min(t.Off+len(t.Text), len(src))
		out = append(out, t)
	}
}
