package turn

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// What a person can say of what does not pass.
const (
	retry = "retry"
	Skip  = "skip"
	Abort = "abort"
)

// Gate asks a person to approve something or to reject it with a reason, or to do more with it, as Skip. what is one of these words, or
// flow.Reply for an answer in other words; said is what he has written.
func Gate(c *flow.Ctx, key, text string, more ...string) (what, said string, err error) {
	a, err := flow.Ask(c, key, flow.Question{Text: text, Options: append([]string{flow.Approve, flow.Reject}, more...)})
	said = strings.TrimSpace(a.Text)
	if word := strings.ToLower(said); a.Verb == flow.Reply && (word == flow.Approve || slices.Contains(more, word)) {
		return word, "", err
	}
	return a.Verb, said, err
}

// MaxHints bounds how often a person lets an author try again.
const MaxHints = 20

// Question is what a person reads before he decides about an attempt: what failed, and what its author says.
func (s Sent) Question(say func(korean, english string) string, head string) string {
	var b strings.Builder
	b.WriteString(head + "\n")
	Findings(&b, "", Short(s.Findings), s.Failures)
	if s.Said != "" {
		b.WriteString(say("에이전트: ", "The agent says: ") + s.Said + "\n")
	}
	return b.String()
}

// escalated ends the key of the question of an escalation.
const escalated = "escalated"

// Escalate asks a person what becomes of what did not pass: it is tried again, with a hint if he gives one; it is left out,
// where that can be; or it ends. words say what he can answer.
func Escalate(c *flow.Ctx, text, words string, canSkip bool) (what, hint string, err error) {
	a, err := flow.Ask(c, escalated, flow.Question{Text: step.Readable(Clip(text, 6000)) + "\n" + words})
	if err != nil {
		return "", "", err
	}
	said := strings.TrimSpace(a.Text)
	switch {
	case a.Verb == flow.Reject || strings.EqualFold(said, Abort):
		return Abort, Clip(said, 1000), nil
	case canSkip && strings.EqualFold(said, Skip):
		return Skip, "", nil
	case a.Verb == flow.Approve || said == "" || strings.EqualFold(said, flow.Approve) || strings.EqualFold(said, retry):
		return retry, "", nil
	}
	return retry, Clip(said, 4000), nil
}

// Overrules reports whether an answer to an escalation leaves something out, or replaces what has to succeed.
func Overrules(gate, text string) bool {
	text = strings.TrimSpace(text)
	return path.Base(gate) == escalated && (strings.EqualFold(text, Skip) || strings.HasPrefix(text, commandWord))
}

// commandWord begins an answer that is a command.
const commandWord = "command "

// answers are the words that a person can say of an attempt that another one would not make better.
func (p *Person) answers() string {
	if p.Command != nil {
		return p.Say("답: 다음 시도를 위한 힌트, retry (환경을 고친 뒤: 같은 결과를 다시 검사), command LINE (실패한 작업 명령을 LINE으로 바꾸고 같은 결과를 다시 검사), abort (포기).",
			"Answer: a hint for the next attempt, retry (after you fixed something: the same result is checked again), command LINE (replaces the task's command that failed; the same result is checked again), or abort (give up).")
	}
	return p.Say("답: 다음 시도를 위한 힌트, retry (환경을 고친 뒤: 같은 결과를 다시 검사), abort (포기).", "Answer: a hint for the next attempt, retry (after you fixed something: the same result is checked again), or abort (give up).")
}

// Hints tells an author what a person has said of earlier attempts.
func Hints(b *strings.Builder, list []string) {
	for _, h := range list {
		b.WriteString("A person who has seen earlier attempts says:\n" + Fenced("request", h))
	}
}

// Say is a text for people, in the language of the documents.
func Say(language, korean, english string) string {
	if language == "ko" {
		return korean
	}
	return english
}
