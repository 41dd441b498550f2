package works

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Intent is what a person wants with a message.
type Intent string

// The intents.
const (
	Chat     Intent = ""         // nothing of the following: not for the pipeline
	Start    Intent = "start"    // a new request: it begins with a tag
	Resume   Intent = "resume"   // go on with a WORK, or with one TASK of it
	Show     Intent = "show"     // how far a WORK or TASK is
	ListAll  Intent = "list"     // all WORKs
	Rollback Intent = "rollback" // take the commits of a WORK back
	Approve  Intent = "approve"  // yes to what was asked
	SkipTask Intent = "skip"     // not this TASK
)

// Request is a message to the pipeline, understood.
type Request struct {
	Tags   []string // as written, in order
	Text   string   // what follows the tags
	Intent Intent
	Auto   bool   // no gates in this WORK
	Work   string // WORK-01, where one is named by a phrase
	Task   string // TASK-00, where one is named by a phrase
}

const (
	workArg  = `(?:the\s+)?WORK-0*(\d{1,6})`
	taskArg  = `(?:\s*[:：,/]?\s*TASK-0*(\d{1,6}))?`
	koAsk    = `\s*(?:하라|해라|해줘|해|하세요|하십시오|해주세요|해\s+주세요|합니다|하자|할게|시켜줘|시켜\s+주세요|줘|주세요)?`
	koObject = `\s*(?:을|를|의|은|는|에\s+대한)?\s*`
)

// phrases are the messages that mean something without a tag. The whole message has to be one, so
// that a request that mentions "resume" is not taken for it.
var phrases = []struct {
	intent Intent
	re     re.Regexp
}{
	{Resume, re.New(`(?i)^(?:resume|continue|run|start|execute)\s+(?:with\s+)?` + workArg + taskArg + `(?:'s)?(?:\s+pipeline)?$`)},
	{Resume, re.New(`(?i)^` + workArg + taskArg + koObject + `(?:파이프라인\s*(?:을|를)?\s*)?(?:이어서|계속\s*해서|계속|다시)?\s*(?:실행|진행|재개|계속|이어서)` + koAsk + `$`)},
	{Resume, re.New(`(?i)^(?:run\s+|start\s+|do\s+)?(?:the\s+)?next\s+task$`)},
	{Resume, re.New(`(?i)^다음\s*(?:task|태스크|작업)\s*(?:을|를)?\s*(?:실행|진행|시작)?` + koAsk + `$`)},
	{ListAll, re.New(`(?i)^(?:show\s+|list\s+)?(?:the\s+|all\s+)?(?:WORK[- ]list|list\s+of\s+WORKs?|WORKs)$`)},
	{ListAll, re.New(`(?i)^(?:전체\s*)?WORK\s*(?:목록|리스트|현황)\s*(?:을|를)?\s*(?:보여|표시|조회|출력|확인)?` + koAsk + `$`)},
	{Show, re.New(`(?i)^(?:show|display|what\s+is|what's)\s+(?:me\s+)?(?:the\s+)?(?:progress|status)\s+(?:of|for)\s+` + workArg + taskArg + `$`)},
	{Show, re.New(`(?i)^(?:show|display)\s+(?:me\s+)?` + workArg + taskArg + `(?:'s)?(?:\s+(?:progress|status))?$`)},
	{Show, re.New(`(?i)^(?:the\s+)?(?:status|progress)\s+(?:of\s+|for\s+)?` + workArg + taskArg + `$`)},
	{Show, re.New(`(?i)^` + workArg + taskArg + `\s+(?:status|progress)$`)},
	{Show, re.New(`(?i)^` + workArg + taskArg + koObject + `(?:진행\s*(?:상황|상태|률|도)|상태|현황)\s*(?:을|를|은|는)?\s*(?:보여|표시|조회|출력|확인|알려)?` + koAsk + `$`)},
	{Rollback, re.New(`(?i)^(?:roll\s?back|revert|undo)\s+` + workArg + taskArg + `$`)},
	{Rollback, re.New(`(?i)^` + workArg + taskArg + `\s+(?:roll\s?back|revert|undo)$`)},
	{Rollback, re.New(`(?i)^` + workArg + taskArg + koObject + `(?:롤백|되돌려|되돌리기|취소)` + koAsk + `$`)},
	{Approve, re.New(`(?i)^(?:approved?|i\s+approve|proceed|please\s+proceed|승인|진행)` + koAsk + `$`)},
	{SkipTask, re.New(`(?i)^(?:skip|건너뛰기|건너뛰어|건너뛰|스킵)` + koAsk + `$`)},
}

// ParseRequest understands a message. Tags win over phrases: what begins with a bracket is a new
// request.
func ParseRequest(text string) Request {
	r := Request{}
	r.Tags, r.Text = cutTags(clean(text))
	r.Auto = len(autoSpans(r.Text)) > 0 || autoPhrase().MatchString(inline(r.Text)) ||
		slices.ContainsFunc(r.Tags, func(t string) bool { return strings.EqualFold(t, "auto") })
	if len(r.Tags) > 0 {
		r.Intent = Start
		return r
	}
	said := strings.TrimRight(inline(withoutAuto(r.Text)), ".!?。~ ,")
	if said == "" && r.Auto {
		r.Intent = Approve // "auto" as an answer: yes to this and to what comes
		return r
	}
	for _, p := range phrases {
		m := p.re().FindStringSubmatch(strings.TrimPrefix(strings.TrimPrefix(said, "please "), "Please "))
		if m == nil {
			continue
		}
		r.Intent = p.intent
		if len(m) > 2 {
			r.Work, r.Task = workID("WORK-"+m[1]), taskID("TASK-"+m[2])
		}
		break
	}
	return r
}

// IsFix reports whether a tag says that a mistake is mended.
func (r Request) IsFix() bool {
	return slices.ContainsFunc(r.Tags, func(t string) bool {
		return slices.Contains([]string{"bugfix", "bug-fix", "fix", "bug", "hotfix", "버그수정", "버그"}, strings.ToLower(strings.ReplaceAll(t, " ", "")))
	})
}

// cutTags takes the tags from the start of a text. A link is none.
func cutTags(s string) (tags []string, rest string) {
	for {
		s = strings.TrimSpace(s)
		inner, ok := strings.CutPrefix(s, "[")
		if !ok {
			return tags, s
		}
		tag, after, ok := strings.Cut(inner, "]")
		tag = strings.TrimSpace(tag)
		if !ok || tag == "" || strings.ContainsAny(tag, "\n[") || strings.HasPrefix(after, "(http") || strings.HasPrefix(after, "(/") || strings.HasPrefix(after, "(.") {
			return tags, s
		}
		tags, s = append(tags, tag), after
	}
}

// A marker of auto mode is a clause of its own or ends one. In the middle of a sentence the same
// words describe what is wanted ("save automatically", "자동으로 저장"), and a gate that is skipped
// by mistake is worse than one question too many.
var autoRE = re.New(`(?i)(^|[\s,.;:!?()、。])(?:(?:in\s+)?auto(?:\s+mode)?|(?:please\s+)?proceed\s+automatically|자동\s*모드로|자동으로(?:\s*(?:계속\s*)?(?:진행|처리))?` +
	koAsk + `)\s*($|[\n,.;:!?)、。])`)

// beforeAuto are words that make "auto" at the end of a clause a part of the sentence.
var beforeAuto = re.New(`(?i)(?:^|\s)(?:to|is|be|as|the|an?|of|from|or|and|with|on|=|default|not|no|without|never|don't|set|use|using|for|called|named)\s*$`)

func autoSpans(s string) [][2]int {
	var out [][2]int
	for at := 0; at < len(s); {
		m := autoRE().FindStringSubmatchIndex(s[at:])
		if m == nil {
			break
		}
		from, to := at+m[3], at+m[4]
		if !beforeAuto().MatchString(s[max(0, from-40):from]) {
			out = append(out, [2]int{from, to})
		}
		at = to
	}
	return out
}

// autoPhrase is the marker inside of a phrase of a WORK, where nothing else can be meant.
var autoPhrase = re.New(`(?i)^(?:.*\s)?WORK-\d{1,6}(?:\s*[:：,/]?\s*TASK-\d{1,6})?\S*\s+(?:파이프라인\S*\s+)?(?:auto|자동으로)\s+(?:이어서\s*|계속\s*)?(?:실행|진행|계속|재개)` + koAsk + `[.!]?$`)

// withoutAuto takes the markers out of a text.
func withoutAuto(s string) string {
	var b strings.Builder
	end := 0
	for _, at := range autoSpans(s) {
		b.WriteString(s[end:at[0]])
		end = at[1]
	}
	s = b.String() + s[end:]
	if autoPhrase().MatchString(inline(s)) {
		s = strings.Replace(strings.Replace(s, "자동으로", "", 1), "auto", "", 1)
	}
	return strings.TrimSpace(s)
}
