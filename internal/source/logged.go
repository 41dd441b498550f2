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
	ts := slices.DeleteFunc(slices.Clone(tokens), func(t Token) bool { return t.Kind == Comment })
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
