package source

import "github.com/jacquard-build/jacquard/internal/re"

var (
	loggerName = re.New(`^(?:console|_?(?i:log(?:ger|ging)?)|slog|[a-z]\w*(?:Log|Logger|_log|_logger))$`)
	logLevel   = re.New(`^(?i:trace|debug|info|warn|warning|error|exception|critical|log|notice|print)(?:f|ln|w|Context|Ctx)?$`)
)

// withoutLogged leaves out mutants within calls that write a log: what these say is no result, and tests do not ask for it.
func withoutLogged(tokens []Token, all []Mutant) []Mutant {
	spans := logged(tokens)
	if len(spans) == 0 {
		return all
	}
	out := all[:0]
	for _, m := range all {
		in := false
		for _, s := range spans {
			in = in || m.Off >= s[0] && m.End <= s[1]
		}
		if !in {
			out = append(out, m)
		}
	}
	return out
}

// logged are where such calls begin and end: console.log(…), self.logger.debug(…).
func logged(tokens []Token) (spans [][2]int) {
	var ts []Token
	for _, t := range tokens {
		if t.Kind != Comment {
			ts = append(ts, t)
		}
	}
	for i := 0; i+3 < len(ts); i++ {
		if ts[i].Kind != Ident || ts[i+1].Text != "." || ts[i+3].Text != "(" || !loggerName().MatchString(ts[i].Text) || !logLevel().MatchString(ts[i+2].Text) {
			continue
		}
		first := i
		for first >= 2 && ts[first-1].Text == "." && ts[first-2].Kind == Ident {
			first -= 2
		}
		depth, last := 0, i+3
		for ; last < len(ts); last++ {
			switch ts[last].Text {
			case "(":
				depth++
			case ")":
				depth--
			}
			if depth == 0 {
				break
			}
		}
		if last < len(ts) {
			if last+1 < len(ts) && ts[last+1].Text == ";" {
				last++
			}
			spans = append(spans, [2]int{ts[first].Off, ts[last].End})
		}
	}
	return spans
}
