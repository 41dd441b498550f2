package turn

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// What a person can say of what does not pass.
const (
	Retry = "retry"
	Skip  = "skip"
	Abort = "abort"
)

// Why another attempt is not paid for before a person has said something.
const (
	Blocked    = "blocked"     // its author says that it is not in his hands
	NoProgress = "no_progress" // it is the attempt before once more
)

// MaxHints bounds how often a person lets an author try again.
const MaxHints = 20

// Stuck says why the attempt after this one would end as this one did, "" where it may not: the author holds that it is not
// in his hands, he has left the tree that he began with, which was an attempt already, or it fails as the one before.
func (s Sent) Stuck(before *Sent, blocked string, same bool) string {
	switch {
	case strings.TrimSpace(blocked) != "":
		return Blocked
	case before != nil && (same || s.as(*before)):
		return NoProgress
	}
	return ""
}

// as reports whether two attempts failed in exactly the same ways.
func (s Sent) as(before Sent) bool {
	set := func(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
	now := set(s.Signatures())
	return len(now) > 0 && slices.Equal(now, set(before.Signatures()))
}

// Question is what a person reads before he decides about an attempt: what failed, and what its author says.
func (s Sent) Question(say func(korean, english string) string, head string) string {
	var b strings.Builder
	b.WriteString(head + "\n")
	Findings(&b, Short(s.Findings), s.Failures)
	if s.Said != "" {
		b.WriteString(say("작성자: ", "The author says: ") + s.Said + "\n")
	}
	return b.String()
}

// Escalate asks a person what becomes of what did not pass: it is tried again, with a hint if he gives one; it is left out,
// where that can be; or it ends. words say what he can answer.
func Escalate(c *flow.Ctx, text, words string, canSkip bool) (what, hint string, err error) {
	a, err := flow.Ask(c, "escalated", flow.Question{Text: step.Readable(Clip(text, 6000)) + "\n" + words})
	if err != nil {
		return "", "", err
	}
	said := strings.TrimSpace(a.Text)
	switch {
	case a.Verb == flow.Reject || a.Verb == flow.Timeout || strings.EqualFold(said, Abort):
		return Abort, Clip(said, 1000), nil
	case canSkip && strings.EqualFold(said, Skip):
		return Skip, "", nil
	case Approved(a) || said == "" || strings.EqualFold(said, Retry):
		return Retry, "", nil
	}
	return Retry, Clip(said, 4000), nil
}

// Answers are the words that a person can say of an attempt that another one would not make better.
func Answers(say func(korean, english string) string) string {
	return say("답: 다음 시도를 위한 힌트, retry (환경을 고친 뒤: 같은 결과를 다시 검사), abort (포기).", "Answer: a hint for the next attempt, retry (something was mended: the same is checked again, then tried again), or abort (it is given up).")
}

// Hints tells an author what a person has said of earlier attempts.
func Hints(b *strings.Builder, list []string) {
	for _, h := range list {
		b.WriteString("A person who has seen earlier attempts says:\n" + Fenced("request", h))
	}
}

// Left is what an attempt has left, for a person to look at and for a later run to begin with.
func Left(passed bool, base, tree, said string, answer []byte) *step.Left {
	if passed || tree == "" || tree == base {
		return nil
	}
	return &step.Left{Base: base, Tree: tree, Said: said, Answer: answer}
}

// Say is a text for people, in the language of the documents.
func Say(language, korean, english string) string {
	if language == "ko" {
		return korean
	}
	return english
}
