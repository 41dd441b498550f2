package source

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// ofRust is another value than a function of Rust gives, by its type: what is done with the value, and what a mutant then does.
var ofRust = []struct {
	typ        re.Regexp
	what, with string
}{
	{re.New(`^bool$`), ReturnOther, "!mutant"},
	{re.New(`^(?:[iu](?:8|16|32|64|128|size))$`), ReturnOther, "mutant.wrapping_add(1)"},
	{re.New(`^f(?:32|64)$`), ReturnOther, "mutant + 1.0"},
	{re.New(`^String$`), ReturnOther, `mutant + "?"`},
	{re.New(`^Option<`), ReturnNothing, "{ drop(mutant); None }"},
	{re.New(`^Vec<`), ReturnNothing, "{ drop(mutant); Vec::new() }"},
	{re.New(`^(?:\w+::)*Result<String,`), ReturnOther, `mutant.map(|mutant| mutant + "?")`},
	{re.New(`^(?:\w+::)*Result<(?:[iu](?:8|16|32|64|128|size)),`), ReturnOther, "mutant.map(|mutant| mutant.wrapping_add(1))"},
}

// bounds are where those of type parameters begin.
var bounds = re.New(`\swhere\b`)

// resultMutant adds a mutant of a function of Rust that gives another value than its body comes to.
func (f *File) resultMutant(fn Func, ts []Token) {
	_, typ, ok := strings.Cut(string(f.src(fn.Off, fn.Body)), "->")
	if at := bounds().FindStringIndex(typ); at != nil {
		typ = typ[:at[0]]
	}
	typ = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(typ), "{"))
	end := firstAt(ts, fn.Stop) - 1 // the brace that closes the body
	if !ok || end < 1 || !isPunct(ts[end], "}") {
		return
	}
	for _, t := range ts[firstAt(ts, fn.Body):end] {
		if isWord(t, "return") || isPunct(t, "?") { // which gives a value past the end
			return
		}
	}
	open := fn.Body - 1 // the brace before it
	for _, o := range ofRust {
		if o.typ().MatchString(typ) {
			f.mutants = append(f.mutants, Mutant{
				Func: fn.Name, Line: ts[end-1].Line, What: o.what, Off: open, End: fn.Stop,
				New: "{ let mutant: " + typ + " = " + string(f.src(open, fn.Stop)) + "; " + o.with + " }",
			})
			return
		}
	}
}
