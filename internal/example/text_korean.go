package example

import (
	"regexp"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// In Korean the verb comes last: sub(3, 2)는 1을 돌려준다. A form that takes the statement back, such as 돌려주지 않는다, is none of these.
var (
	// afterCall is what stands between a call and its result.
	afterCall = re.New(`^(?:의 ?(?:결과|값|결괏값|반환 ?값)(?:은|는|이|가)?|(?:을|를)? ?(?:호출하면|부르면|실행하면)|호출 시|은|는|이|가)?[ ,:]*(?:→|=>|⇒)? *`)
	// afterResult is what stands behind the result.
	afterResult = re.New("`?(?:" +
		`(?:을|를)? ?(?:(?:되돌려|돌려) ?(?:준다|줍니다|주고|주며|줌|줘야|주어야)|(?:반환|리턴)(?:한다|합니다|하고|하며|함|해야|하여야)?)` + `|` +
		`(?:이|가) ?(?:된다|됩니다|되고|되며|됨|돼야|되어야|나온다|나옵니다|나오고|나오며|나옴|나와야|(?:반환|리턴)(?:된다|됩니다|되고|되며|됨|돼야|되어야))` + `|` +
		`(?:이다|다|입니다|임|이고|고|이며|며|이어야|여야)` +
		`)(?:[^\pL]|$)`)
	// afterError is what stands behind the name of an error, or behind a word for one.
	afterError = re.New("`?(?:" +
		`(?:을|를) ?(?:던진다|던집니다|던지고|던지며|던짐|던져야|낸다|냅니다|내고|내며|내야|일으킨다|일으킵니다|일으켜야|발생시킨다|발생시킵니다|발생시켜야)` + `|` +
		`(?:이|가)? ?(?:난다|납니다|나고|나며|나야|발생|발생한다|발생합니다|발생하고|발생하며|발생함|발생해야)` +
		`)(?:[^\pL]|$)`)
	// takenBack is a word behind a result that leaves more than one.
	takenBack = re.New(`또는|혹은|아니|않|거나`)
)

// saidInKorean reads what a text says in Korean that a call gives.
func saidInKorean(s string) (Want, bool) {
	s = s[len(afterCall().FindString(s)):]
	read := func(behind *regexp.Regexp, known func(Want) bool) (Want, bool) {
		for _, at := range behind.FindAllStringIndex(s, -1) {
			code, ok := uncoded(strings.TrimPrefix(s[:at[0]], "`"))
			if !ok {
				continue
			}
			w, ok := wanted(code, true)
			rest, _, _ := strings.Cut(s[at[1]:], ".")
			if ok && known(w) {
				return w, !takenBack().MatchString(rest)
			}
		}
		return Want{}, false
	}
	if w, ok := read(afterResult(), func(w Want) bool { return !w.Error }); ok {
		return w, true
	}
	return read(afterError(), func(w Want) bool { return w.Error })
}
