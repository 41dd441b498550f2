package check

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// unstated is what code may read besides what its caller gives it: how languages spell that, and the words of specs that speak of it.
// What a request need not say, because it is part of how something is done, is only told.
var unstated = []struct {
	what       string
	code, said re.Regexp
	request    bool
}{
	{"the environment", re.New(`^(environ[.[]|getenv\(|os\.(Getenv|LookupEnv|Environ|ExpandEnv|environb?|getenv)|process\.env|env::vars?|System\.getenv)\b`), re.New(`(?i)environ|\benv\b|configur|환경|설정`), true},
	{"the arguments of the process", re.New(`^(os\.Args|sys\.argv|process\.argv)\b`), re.New(`(?i)command|argv|\bargs?\b|argument|\bflags?\b|process|명령|인자`), true},
	{"the terminal", re.New(`^(process\.std(out|err)\.(columns|rows|isTTY|getWindowSize)|(shutil|os)\.get_terminal_size|sys\.std(out|err|in)\.isatty)\b`), re.New(`(?i)terminal|screen|console|\btty|colou?r|터미널|화면|색`), true},
	{"the call stack", re.New(`^(newError\([^)]*\)\.stack\b|inspect\.(stack|currentframe)\b|sys\._getframe\b|traceback\.(extract|format)_stack\b|runtime\.(Callers?|Stack)\b|debug\.Stack\b|Thread\.currentThread\(\)\.getStackTrace\b|StackWalker\.)`), re.New(`(?i)stack|trace|caller|debug|\blog|report|호출|스택|로그`), true},
	{"the clock", re.New(`^(time\.(Now|Since|time|monotonic)\b|datetime\.(datetime\.)?(now|utcnow|today)\b|date\.today\b|Date\.now\b|performance\.now\b|newDate\(\)|(Instant|SystemTime)::now\b|System\.currentTimeMillis\b|Local(Date|Time|DateTime)\.now\b)`), re.New(`(?i)\btime|\bdate|clock|\bnow\b|today|\bdays?\b|hour|second|expire|시각|시간|날짜|오늘`), false},
	{"random numbers", re.New(`^(Math\.random\b|random\.\w+\(|rand\.(Int|Float|Perm|Shuffle|N\b)|crypto\.randomUUID\b|uuid\.uuid4\b)`), re.New(`(?i)random|chance|unique|\bids?\b|identif|uuid|shuffl|seed|jitter|sampl|무작위|고유`), false},
}

// mostRead is how many tokens a read has at most, in the spelling of unstated.
const mostRead = 8

// readsOutside finds code that reads, for the first time in its file, what no caller gives and nobody has spoken of.
func (a Audit) readsOutside(f *file) []step.Finding {
	if a.Said == "" || entryPoint(f) || helperDir(f.Path) {
		return nil
	}
	var out []step.Finding
	for _, o := range unstated {
		if o.said().MatchString(a.Said) {
			continue
		}
		if i := readAt(f.code, o.code); i >= 0 && f.added[f.code[i].Line] && readAt(f.old.Tokens, o.code) < 0 {
			asked := slices.ContainsFunc(f.code[i:min(i+mostRead, len(f.code))], func(t source.Token) bool {
				name := t.Value()
				return strings.ToUpper(name) == name && len(name) > 1 && (a.inSpec(name) || hasWord(a.Said, name))
			})
			if !asked {
				found := fix("unstated-read", f.Path, f.code[i].Line, "The code reads "+o.what+", which was not requested: the result then depends on more than the arguments. Compute it from the arguments, or mention this in the spec or request.")
				if a.Spec == "" && !o.request {
					found.Severity = step.Warn
				}
				out = append(out, found)
			}
		}
	}
	return out
}

// readAt is where code reads something first, -1 for nowhere.
func readAt(ts []source.Token, spelled re.Regexp) int {
	for i, t := range ts {
		if t.Kind != source.Ident || i > 0 && (ts[i-1].Text == "." || ts[i-1].Text == "::") {
			continue
		}
		var b strings.Builder
		for _, t := range ts[i:min(i+mostRead, len(ts))] {
			b.WriteString(t.Text)
		}
		if spelled().MatchString(b.String()) {
			return i
		}
	}
	return -1
}
