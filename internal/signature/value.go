package signature

import (
	"math/big"
	"slices"
	"strings"
)

// SameValue reports whether two values in code are the same: the same text but for white space, quotes, signs of
// grouping in numbers, and sums and products of numbers that have one result.
func SameValue(a, b string) bool {
	if squeeze(a) == squeeze(b) {
		return true
	}
	if x, ok := Number(a); ok {
		if y, ok := Number(b); ok {
			return x.Cmp(y) == 0
		}
	}
	return slices.Equal(valueParts(a), valueParts(b))
}

// IsValue reports whether a text is a value that says all of itself: made of literals alone, so that another text is
// another value.
func IsValue(text string) bool {
	toks := lexType(text)
	for i, t := range toks {
		if t.kind == 'i' && !valueWords[t.text] && (i == 0 || toks[i-1].kind != 'n') {
			return false
		}
	}
	return len(toks) > 0
}

var valueWords = map[string]bool{
	"true": true, "false": true, "True": true, "False": true, "None": true, "null": true, "nil": true, "undefined": true, "Infinity": true, "NaN": true,
}

// valueParts are the tokens of a value in one way of writing.
func valueParts(text string) []string {
	var out []string
	for _, t := range lexType(text) {
		switch {
		case t.kind == 's':
			out = append(out, "\""+strings.Trim(t.text, "'\"`")+"\"")
		case t.kind == 'n':
			out = append(out, strings.ReplaceAll(t.text, "_", ""))
		case (t.text == ")" || t.text == "]" || t.text == "}") && len(out) > 0 && out[len(out)-1] == ",":
			if t.text != ")" || slices.Index(out, ",") != len(out)-1 { // (a,) is no a
				out = out[:len(out)-1]
			}
			out = append(out, t.text)
		default:
			out = append(out, t.text)
		}
	}
	return out
}

// Number is the value of a sum or product of numbers, false where the text is none.
func Number(text string) (*big.Rat, bool) {
	p := &sums{rest: strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' || r == '\n' {
			return -1
		}
		return r
	}, text)}
	if p.rest == "" || len(p.rest) > 80 {
		return nil, false
	}
	x, ok := p.sum()
	return x, ok && p.rest == ""
}

// sums reads sums and products.
type sums struct {
	rest  string
	depth int
}

func (p *sums) sum() (*big.Rat, bool) {
	if p.depth++; p.depth > 20 {
		return nil, false
	}
	x, ok := p.product()
	for ok && p.rest != "" && (p.rest[0] == '+' || p.rest[0] == '-') {
		minus := p.rest[0] == '-'
		p.rest = p.rest[1:]
		var y *big.Rat
		if y, ok = p.product(); ok {
			if minus {
				y.Neg(y)
			}
			x = new(big.Rat).Add(x, y)
		}
	}
	return x, ok
}

func (p *sums) product() (*big.Rat, bool) {
	x, ok := p.atom()
	for ok && p.rest != "" && p.rest[0] == '*' && !strings.HasPrefix(p.rest, "**") {
		p.rest = p.rest[1:]
		var y *big.Rat
		if y, ok = p.atom(); ok {
			x = new(big.Rat).Mul(x, y)
		}
	}
	return x, ok
}

func (p *sums) atom() (*big.Rat, bool) {
	switch {
	case p.rest == "":
		return nil, false
	case p.rest[0] == '-':
		p.rest = p.rest[1:]
		x, ok := p.atom()
		if ok {
			x.Neg(x)
		}
		return x, ok
	case p.rest[0] == '(':
		p.rest = p.rest[1:]
		x, ok := p.sum()
		if !ok || p.rest == "" || p.rest[0] != ')' {
			return nil, false
		}
		p.rest = p.rest[1:]
		return x, true
	}
	end := 0
	for end < len(p.rest) && (p.rest[end] >= '0' && p.rest[end] <= '9' || p.rest[end] == '.' || p.rest[end]|0x20 >= 'a' && p.rest[end]|0x20 <= 'z') {
		end++
	}
	text := p.rest[:end]
	p.rest = p.rest[end:]
	if text == "" || text[0] < '0' || text[0] > '9' {
		return nil, false
	}
	for _, suffix := range []string{"L", "l", "n", "f", "F", "d", "D", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64"} {
		if cut, ok := strings.CutSuffix(text, suffix); ok && !strings.HasPrefix(text, "0x") {
			text = cut
			break
		}
	}
	if len(text) > 1 && strings.ContainsAny(text[1:], "eE") && !strings.HasPrefix(text, "0x") {
		if i := strings.IndexAny(text, "eE"); len(text)-i > 4 { // no number as long as a book
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}
