package turn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// maxQuestions bounds how many questions are asked at once.
const maxQuestions = 4

// Question is what an author of a document asks a person.
type Question struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Default  string   `json:"default"`
}

// QuestionSchema is the JSON schema of a list of questions.
const QuestionSchema = `{"type":"array","items":{"type":"object","additionalProperties":false,"required":["question","default"],"properties":{` +
	`"question":{"type":"string"},"options":{"type":"array","items":{"type":"string"}},"default":{"type":"string"}}}}`

// askAll asks a person all of them at once, and takes the default where the answer says nothing. With yes nobody is
// asked: the defaults hold.
func askAll(c *flow.Ctx, list []Question, yes bool) ([]step.QA, error) {
	list = list[:min(len(list), maxQuestions)]
	numbers := make([]int, len(list))
	for i := range numbers {
		numbers[i] = i
	}
	return flow.All(c, "question", numbers, func(i int) string { return fmt.Sprint(i + 1) }, func(c *flow.Ctx, i int) (step.QA, error) {
		q := list[i]
		text := Clip(strings.TrimSpace(q.Question), 800)
		qa := step.QA{Question: text, Answer: q.Default}
		if len(q.Options) > 0 {
			qa.Question += " [" + strings.Join(q.Options, " | ") + "]"
		}
		if yes {
			return qa, nil
		}
		if q.Default != "" {
			qa.Question += " (default: " + q.Default + ")"
		}
		a, err := flow.Ask(c, "answer", flow.Question{Text: text, Choices: clipped(q.Options), Default: Clip(q.Default, 400)})
		if said := strings.TrimSpace(a.Text); a.Verb == flow.Reply && said != "" {
			qa.Answer = said
		}
		return qa, err
	})
}

// Defaults reports whether every answer is the default of its question. An author who asks writes the whole answer with the defaults all the
// same, so there is nothing to ask it for then.
func Defaults(asked []Question, said []step.QA) bool {
	for i, qa := range said {
		if asked[i].Default == "" || qa.Answer != asked[i].Default {
			return false
		}
	}
	return true
}

// clipped are choices of a length that can be shown.
func clipped(list []string) []string {
	out := slices.Clone(list[:min(len(list), 9)])
	for i, s := range out {
		out[i] = Clip(s, 200)
	}
	return out
}
