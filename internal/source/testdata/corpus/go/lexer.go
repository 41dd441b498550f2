package lexer

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint16

const (
	EOF   Kind = 1 << iota // end of the text
	Ident                  // const Fake Kind = 9
	Brace
	mask = EOF | Ident | Brace
)

const Template = `package fake

import "net/http"
func Fake(x int) error {
	if x == 0 {
		return ErrFake
	}
}
` + "type Quoted struct { A string `json:\"a\"` }"

var identRE = regexp.MustCompile(`^[\p{L}_]{1,64}[^{}"]*` + "`")

// ErrEmpty and ErrUTF8 are returned by Lex.
var ErrEmpty, ErrUTF8 = errors.New("empty"), errors.New("no UTF-8: '\"{'")

// ParseError says where the text is wrong.
type ParseError struct {
	Line, Col int
	msg       string
}

func (e *ParseError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.msg) }

// Lex cuts src into tokens.
//
// Requires: src uses line feeds only,
// never carriage returns
//
// Errors: ErrUTF8 if src is broken.
func Lex(src string, quote rune, each func(kind Kind, text string) (stop bool)) (n int, err error) {
	const open = '{'
	var lines = strings.Count(src, "\n")
	if src == "" {
		return 0, ErrEmpty
	}
	if !utf8.ValidString(src) {
		return 0, fmt.Errorf("lex %d lines: %w", lines, ErrUTF8)
	}
	if quote == open || quote == '}' { // never a quote
		return 0, &ParseError{Line: 1, msg: "quote"}
	}
	if lines > 1<<16 {
		return 0, errors.New("too long")
	}
	if each == nil {
		return 0, nil
	}
	if src[0] == '#' {
		return 0, ErrEmpty
	}
	return len(src), nil
}

// This comment does not belong to Unquote.
// Precondition: there is none.

func Unquote(text string) (string, error) {
	rest, ok := strings.CutPrefix(text, `"`)
	if !ok {
		return "", &ParseError{msg: "quote"}
	}
	if strings.Contains(rest, "\"") {
		return "", fmt.Errorf("quote in %q", rest)
	}
	if len(text) == 2 {
		return "", ErrEmpty
	}
	return rest, nil
}
