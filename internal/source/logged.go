package source

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/re"
)

var (
	loggerName = re.New(`^(?:console|_?(?i:log(?:ger|ging)?)|slog|[a-z]\w*(?:Log|Logger|_log|_logger))$`)
	logLevel   = re.New(`^(?i:trace|debug|info|warn|warning|error|exception|critical|log|notice|print)(?:f|ln|w|Context|Ctx)?$`)
)

// logged are where calls that write a log begin and end: console.log(…), self.logger.debug(…). What they say is no result, and tests do not
// ask for it, so there are no mutants of it.
func logged(tokens []Token) (spans [][2]int) {
	ts := Code(tokens)
	for i := 0; i+3 < len(ts); i++ {
		if ts[i].Kind != Ident || !isPunct(ts[i+1], ".") || !isPunct(ts[i+3], "(") || !loggerName().MatchString(ts[i].Text) || !logLevel().MatchString(ts[i+2].Text) {
			continue
		}
		first := i
		for first >= 2 && isPunct(ts[first-1], ".") && ts[first-2].Kind == Ident {
			first -= 2
		}
		last := closing(ts, i+3)
		if last < len(ts) {
			if last+1 < len(ts) && isPunct(ts[last+1], ";") {
				last++
			}
			spans = append(spans, [2]int{ts[first].Off, ts[last].End})
		}
	}
	return spans
}

// roomy are calls that say how much room to keep, which no result depends on.
var roomy = map[string]string{Go: "Grow", Rust: "with_capacity", Java: "ensureCapacity", Kotlin: "ensureCapacity"}

// hints are such calls, and the capacity that make of Go is given.
func hints(lang string, tokens []Token) (spans [][2]int) {
	if roomy[lang] == "" {
		return nil
	}
	ts := Code(tokens)
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].Kind != Ident || !isPunct(ts[i+1], "(") || ts[i].Text != roomy[lang] && (lang != Go || ts[i].Text != "make") {
			continue
		}
		from, last := i+2, closing(ts, i+1)
		if last >= len(ts) {
			continue
		}
		if ts[i].Text == "make" {
			commas := 0
			for from < last && commas < 2 {
				switch {
				case isPunct(ts[from], "("), isPunct(ts[from], "["), isPunct(ts[from], "{"):
					from = closing(ts, from)
				case isPunct(ts[from], ","):
					commas++
				}
				from++
			}
		}
		first := from
		if ts[i].Text != "make" { // all of it: the statement may be dropped
			for first = i; first >= 2 && (isPunct(ts[first-1], ".") || isPunct(ts[first-1], "::")); {
				first -= 2
			}
		}
		if first < last {
			spans = append(spans, [2]int{ts[first].Off, ts[last].End})
		}
	}
	return spans
}

// Mutants lists possible mutations inside functions, in the order of the file.
func (f File) Mutants() []Mutant {
	silent := f.Silent()
	return slices.DeleteFunc(slices.Clone(f.mutants), func(m Mutant) bool { return silent(m.Off, m.End) })
}

// Silent tells whether what stands between two offsets is a call that writes a log, a hint how much room to keep, or only built to test: no
// mutant is made of it.
func (f File) Silent() func(from, end int) bool {
	spans := slices.Concat(logged(f.Tokens), hints(f.Lang, f.Tokens), f.aside)
	return func(from, end int) bool {
		return slices.ContainsFunc(spans, func(s [2]int) bool { return from >= s[0] && end <= s[1] })
	}
}
