package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// asks bounds how often a person is asked for a language again.
const asks = 10

// language asks a person in which language a module is to be written, and
// takes the facts for it. A rejection leaves the module out of the run.
func (w *work) language(c *flow.Ctx) (bool, error) {
	text := fmt.Sprintf("Which language should %s be written in? The project does not say: %s", w.m.Dir, strings.Join(w.f.Choices, ", "))
	for _, rc := range flow.Rounds(c, "language", asks) {
		a, err := flow.Ask(rc, "ask", flow.Question{Text: text, Options: w.f.Choices})
		if err != nil {
			return false, err
		}
		if a.Verb == flow.Reject {
			break
		}
		said := strings.ToLower(strings.TrimSpace(a.Text))
		if !slices.Contains(w.f.Choices, said) {
			continue
		}
		out, err := turn.Do(rc, "facts", step.Language, step.LanguageIn{Compile: w.in, Tree: w.plan.Tree, Dir: w.m.Dir, Language: said})
		if err != nil {
			return false, err
		}
		return true, w.use(c, out.Facts)
	}
	_, err := w.end(c, step.Warning, "language")
	return false, err
}
