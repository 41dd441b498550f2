package spec

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Constant is a value or limit that Domain Context or Constraints fix and the code must hold.
type Constant struct {
	Name  string // "" for a limit inside a sentence
	Value string // as a program writes it: "7", "2000", "RS256"; "" when only the name is fixed
	Unit  string // canonical: "ms", "s", "min", "h", "d", "KB", …; "" when there is none or it only says what is counted
	Forms []Form // Value and the same amount in other units, as numbers to look for
	Text  string // the sentence
	Line  int
}

// Form is a number that makes the amount of a constant.
type Form struct {
	Number string
	// Unit has to stand beside the number, because so small a number stands anywhere; "" where the number says enough.
	Unit string
}

// String is the number with the unit that it needs.
func (f Form) String() string { return f.Number + f.Unit }

// In reports whether one of the forms of the constant stands in a text, as a number or word of its own; digit separators are ignored.
func (k Constant) In(text string) bool {
	plain := strings.ReplaceAll(text, "_", "")
	return slices.ContainsFunc(k.Forms, func(f Form) bool { return f.in(text) || f.in(plain) })
}

func (f Form) in(text string) bool {
	for i := 0; ; {
		at := strings.Index(text[i:], f.Number)
		if at < 0 {
			return false
		}
		start, end := i+at, i+at+len(f.Number)
		if (start == 0 || !alphanumeric(text[start-1])) && f.ends(text, end) {
			return true
		}
		i = start + 1
	}
}

// ends reports whether a number that ends here is the form.
func (f Form) ends(text string, end int) bool {
	word := text[end:]
	if n := strings.IndexFunc(word, func(r rune) bool { return r >= 0x80 || !alphanumeric(byte(r)) }); n >= 0 {
		word = word[:n]
	}
	if f.Unit == "" || word != "" {
		return word == "" || f.Unit != "" && units[strings.ToLower(word)] == f.Unit // as in "2s"
	}
	from, to := strings.LastIndexByte(text[:end], '\n')+1, strings.IndexByte(text[end:], '\n')
	if to < 0 {
		to = len(text) - end
	}
	line := strings.ToLower(text[from : end+to])
	for spelling, unit := range units {
		if unit == f.Unit && len(spelling) > 1 && strings.Contains(line, spelling) {
			return true
		}
	}
	return false
}

// Is reports whether code that sets a constant to x sets it to the amount of the spec, in any unit of its family. It is
// not sure where the spec says more than one number, or none.
func (k Constant) Is(x *big.Rat) (is, sure bool) {
	_, text, _ := constantName(k.Text)
	if k.Name == "" { // of a sentence, which may say more
		text = k.Value + " " + k.Unit
	}
	m := exactRE().FindStringSubmatch(text)
	if m == nil {
		return false, false
	}
	unit, known := unitOf(m[2])
	n, ok := new(big.Rat).SetString(plainNumber(m[1]))
	if !ok || m[2] != "" && !known {
		return false, false
	}
	factors := []*big.Rat{big.NewRat(1, 1)}
	switch {
	case unit == "%" || strings.Contains(strings.ToLower(k.Name), "percent"):
		factors = append(factors, big.NewRat(1, 100))
	case unit == "" && strings.Contains(m[1], "."): // money, in cents
		factors = append(factors, big.NewRat(100, 1))
	}
	for _, family := range families {
		for _, from := range family[unit] {
			for _, sizes := range family {
				for _, to := range sizes {
					factors = append(factors, big.NewRat(from, to))
				}
			}
		}
	}
	return slices.ContainsFunc(factors, func(f *big.Rat) bool { return f.Mul(f, n).Cmp(x) == 0 }), true
}

// families are units of time, in nanoseconds, and of memory, in bytes: several amounts where people mean different ones.
var families = []map[string][]int64{
	{
		"ns": {1}, "us": {1e3}, "ms": {1e6}, "s": {1e9}, "min": {60e9}, "h": {3600e9}, "d": {86_400e9}, "w": {7 * 86_400e9},
		"month": {30 * 86_400e9}, "year": {365 * 86_400e9, 360 * 86_400e9},
	},
	{"B": {1}, "KB": {1 << 10, 1e3}, "MB": {1 << 20, 1e6}, "GB": {1 << 30, 1e9}},
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var (
	constNameRE = re.New("^`?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{2,}|`[A-Za-z_][A-Za-z0-9_.]*)`?\\s*[:=]\\s*(.+)$")
	numberRE    = re.New(`^([+-]?\d[\d,_]*(?:\.\d+)?)\s*([A-Za-zµ%가-힣]*)`)
	limitRE     = re.New(`(최대|최소|최장|최단|(?i:\bmax(?:imum)?|\bmin(?:imum)?|\bat most|\bat least|\bup to|\blimit(?:ed)?(?: to| of)?|\bwithin|\bno more than|\bnot exceed|\bevery|\bafter|\b(?:larg|small|high|low|long|short|bigg)est(?: [a-z]+){0,4} (?:is|are|be|of)))?[\s:=]*(^|[^\w.,#-])(\d[\d,_]*(?:\.\d+)?)\s*(%|[A-Za-z]+|[가-힣]+)?(\w?)`)
	// exactRE is one number with its unit, and behind it nothing but an explanation.
	exactRE = re.New("^[`\"' ]*([+-]?\\d[\\d,_]*(?:\\.\\d+)?)\\s*([A-Za-zµ%가-힣]*)[`\"'.]*(?:$|\\s*[(;—–]|\\s+-\\s|\\.\\s|\\s+(?:per|for|each) [^0-9]*$)")
	tokenRE = re.New("^[\"'`]?([A-Za-z0-9_./:+-]+)[\"'`]?$")
)

// units maps how a unit is written to its canonical name.
var units = map[string]string{
	"ms": "ms", "msec": "ms", "millisecond": "ms", "milliseconds": "ms", "밀리초": "ms",
	"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "초": "s",
	"min": "min", "mins": "min", "minute": "min", "minutes": "min", "분": "min",
	"h": "h", "hr": "h", "hour": "h", "hours": "h", "시간": "h",
	"d": "d", "day": "d", "days": "d", "일": "d", "week": "w", "weeks": "w", "주": "w",
	"b": "B", "byte": "B", "bytes": "B", "바이트": "B", "kb": "KB", "kib": "KB", "mb": "MB", "mib": "MB", "gb": "GB", "gib": "GB",
	"%": "%", "percent": "%", "퍼센트": "%",
	"month": "month", "months": "month", "개월": "month", "year": "year", "years": "year", "년": "year",
	"times": "", "time": "", "retries": "", "retry": "", "attempts": "", "items": "", "entries": "", "requests": "",
	"sessions": "", "connections": "", "characters": "", "chars": "", "rows": "", "users": "", "files": "",
	"개": "", "회": "", "번": "", "명": "", "건": "", "자": "", "글자": "", "줄": "",
}

// Constants lists what Domain Context and Constraints fix: named constants (`TOKEN_EXPIRY: 7일`)
// and limits in sentences. A number in a sentence counts only with a unit or a word such as
// "at most" before it, so that "RFC 7519" or "SHA256" are not asked of the code.
func Constants(d *Document) []Constant {
	var out []Constant
	for _, list := range [][]Clause{d.Context.Rationale, d.Context.Constraints, d.Context.Compatibility, d.Constraints} {
		for _, c := range list {
			if name, value, ok := constantName(c.Text); ok {
				k := Constant{Name: name, Text: c.Text, Line: c.Line}
				k.Value, k.Unit = constantValue(value)
				k.Forms = forms(k.Value, k.Unit)
				out = append(out, k)
				continue
			}
			out = append(out, limits(c)...)
		}
	}
	return out
}

// constantName reads `NAME: value`, where the name is in capitals or in code.
func constantName(text string) (string, string, bool) {
	if bold, rest, ok := boldName(text); ok {
		text = strings.TrimRight(bold, ":") + ": " + strings.TrimLeft(rest, ": ")
	}
	m := constNameRE().FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return strings.Trim(m[1], "`"), m[2], true
}

// constantValue reads the number and unit, or the single word, that a constant is set to.
func constantValue(s string) (string, string) {
	s = strings.TrimLeft(s, "`\"' ")
	if m := numberRE().FindStringSubmatch(s); m != nil {
		number := plainNumber(m[1])
		unit, known := unitOf(m[2])
		if m[2] == "" || known || m[2][0] >= 0x80 {
			return number, unit
		}
	}
	if i := strings.IndexAny(s, "(—"); i >= 0 {
		s = s[:i]
	}
	if m := tokenRE().FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		return m[1], ""
	}
	return "", ""
}

// plainNumber is a number without the marks that part its digits.
func plainNumber(s string) string { return strings.NewReplacer(",", "", "_", "").Replace(s) }

// unitOf recognises a unit, also with the particle or suffix that Korean puts behind it.
func unitOf(s string) (string, bool) {
	if u, ok := units[strings.ToLower(s)]; ok {
		return u, true
	}
	if s == "" || s[0] < 0x80 {
		return "", false
	}
	for n := len(s); n > 0; n-- {
		if u, ok := units[s[:n]]; ok {
			return u, true
		}
	}
	return "", false
}

// limits finds the amounts in a sentence.
func limits(c Clause) []Constant {
	var out []Constant
	for _, m := range limitRE().FindAllStringSubmatch(c.Text, -1) {
		unit, known := unitOf(m[4])
		if !known && m[1] == "" || m[5] != "" { // 88b8e0 is no amount
			continue
		}
		number := plainNumber(m[3])
		k := Constant{Value: number, Unit: unit, Text: c.Text, Line: c.Line, Forms: forms(number, unit)}
		if !slices.ContainsFunc(out, func(have Constant) bool { return have.Value == k.Value && have.Unit == k.Unit }) {
			out = append(out, k)
		}
	}
	return out
}

// forms lists the whole numbers of units of the same family that make the same amount.
func forms(value, unit string) []Form {
	if value == "" {
		return nil
	}
	out := []Form{{Number: value}}
	add := func(number, unit string) {
		if !slices.ContainsFunc(out, func(f Form) bool { return f.Number == number }) {
			out = append(out, Form{number, unit})
		}
	}
	if whole, cents, ok := strings.Cut(value, "."); ok {
		if strings.Trim(cents, "0") == "" {
			add(whole, "")
		}
		if len(cents) == 2 && strings.Trim(whole, "0") != "" { // an amount of money may be counted in cents
			add(strings.TrimLeft(whole+cents, "0"), "")
		}
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n <= 0 || n > 1<<20 {
		return out
	}
	amount := func(n int64, unit string) {
		if n >= 100 { // hardly by chance
			unit = ""
		}
		add(strconv.FormatInt(n, 10), unit)
	}
	switch unit {
	case "month":
		amount(n*30, "d")
		return out
	case "year":
		amount(n*12, "month")
		amount(n*365, "d")
		return out
	}
	for _, family := range families {
		from := family[unit]
		for _, u := range []string{"ms", "s", "min", "h", "d", "w", "B", "KB", "MB", "GB"} {
			switch to := family[u]; {
			case from == nil || to == nil:
			case from[0]%to[0] == 0:
				amount(n*(from[0]/to[0]), u)
			case n%(to[0]/from[0]) == 0:
				amount(n/(to[0]/from[0]), u)
			}
		}
		if len(from) > 1 { // of memory: a KB may be 1000 bytes
			amount(n*from[1], "B")
		}
	}
	return out
}
