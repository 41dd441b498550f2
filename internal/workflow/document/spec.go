package document

import (
	"cmp"
	_ "embed" // the prompt
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Spec is `jacquard spec new`.
var Spec = flow.Workflow[step.SpecIn, step.DocumentOut]{Name: "spec", Fn: newSpec}

// Limits of the loops: rounds of drafts and of questions.
const (
	draftRounds    = 3
	questionRounds = 2
)

//go:embed prompts/specify.md
var specifyPrompt string

var specifySchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["questions","modules"],"properties":{` +
	`"questions":` + turn.QuestionSchema + `,` +
	`"modules":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["dir","exports","behaviors"],"properties":{` +
	`"dir":{"type":"string","description":"relative to the project root"},"name":{"type":"string","description":"title of a new document"},"purpose":{"type":"string"},` +
	`"exports":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["kind","signature"],"properties":{` +
	`"kind":{"enum":["function","type","class","enum","variable"]},"signature":{"type":"string"},"description":{"type":"string"}}}},` +
	`"remove":{"type":"array","description":"what goes: names of exports, states and constraints, inputs of scenarios, directories of dependencies","items":{"type":"string"}},` +
	`"dependencies":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["module","symbols"],"properties":{"module":{"type":"string"},"symbols":` + turn.TextsSchema + `}}},` +
	`"packages":` + turn.TextsSchema + `,` +
	`"behaviors":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["input","output","category"],"properties":{` +
	`"input":{"type":"string"},"output":{"type":"string"},"category":{"type":"string","description":"success or error"}}}},` +
	`"contracts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["function"],"properties":{` +
	`"function":{"type":"string"},"preconditions":` + turn.TextsSchema + `,"postconditions":` + turn.TextsSchema + `,"throws":` + turn.TextsSchema + `,"invariants":` + turn.TextsSchema + `}}},` +
	`"states":` + turn.TextsSchema + `,"transitions":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["from","trigger","to"],"properties":{` +
	`"from":{"type":"string"},"trigger":{"type":"string"},"to":{"type":"string"}}}},` +
	`"decisions":` + turn.TextsSchema + `,"constraints":` + turn.TextsSchema + `,"compatibility":` + turn.TextsSchema + `,"approach":` + turn.TextsSchema + `,` +
	`"rejected":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["alternative","reason"],"properties":{"alternative":{"type":"string"},"reason":{"type":"string"}}}},` +
	`"technologies":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["choice","alternative","reason"],"properties":{` +
	`"choice":{"type":"string"},"alternative":{"type":"string"},"reason":{"type":"string"}}}}}}}}}`)

func newSpec(c *flow.Ctx, in step.SpecIn) (step.DocumentOut, error) {
	s, err := turn.Do(c, "survey", step.SpecSurvey, in)
	if err != nil {
		return step.DocumentOut{}, err
	}
	w := &writing{in: in, s: s}
	w.out.Usage.Known = true
	w.out.Modules = []step.DocumentModule{}
	var draft step.DraftOut
	ok, err := turn.Drafts{
		Limit: draftRounds, Questions: questionRounds, Yes: in.Yes,
		Write: w.ask,
		Answered: func(_ *flow.Ctx, _ []turn.Question, said []step.QA) bool {
			w.answers = append(w.answers, said...)
			if in.Yes {
				w.out.Assumed = append(w.out.Assumed, said...)
			}
			return false // who asks writes no modules
		},
		Check: func(c *flow.Ctx, n int) (bool, error) {
			draft, err = turn.Do(c, "check", step.SpecDraft, step.DraftIn{Tree: s.Tree, Path: in.Path, Answer: w.before, Assumed: w.out.Assumed, Told: w.told})
			if err != nil {
				return false, err
			}
			w.findings, w.told = draft.Findings, append(w.told, draft.Told...)
			flow.Note(c, "judged", step.AttemptNote{Phase: "specify", Attempt: n, Passed: len(draft.Findings) == 0, Findings: draft.Findings, Usage: w.out.Usage})
			return len(draft.Findings) == 0, nil
		},
	}.Run(c)
	if err != nil {
		return w.out, err
	}
	if !ok {
		w.out.Findings = w.findings
		return w.out, nil
	}
	return w.write(c, draft)
}

// writing is one request on its way into documents.
type writing struct {
	in       step.SpecIn
	s        step.SpecSurveyOut
	answers  []step.QA
	findings []step.Finding
	told     []string        // warnings of what a change has probably left behind
	before   json.RawMessage // the last answer
	out      step.DocumentOut
}

// ask gets an answer, and the questions in it.
func (w *writing) ask(c *flow.Ctx, n int) ([]turn.Question, error) {
	out, err := turn.Ask(c, step.Turn{
		Role: "specify", Module: cmp.Or(w.in.Path, "."), Attempt: n, Tree: w.s.Tree, Instructions: specifyPrompt, Docs: w.s.Docs,
		Task: w.task(), Schema: specifySchema, Judge: true, Budget: w.in.Budget,
	})
	if err != nil {
		return nil, err
	}
	w.out.Usage = w.out.Usage.Add(out.Usage)
	w.before = out.Answer
	var ans struct {
		Questions []turn.Question `json:"questions"`
	}
	err = turn.Decode(out.Answer, &ans)
	return ans.Questions, err
}

func (w *writing) task() string {
	var b strings.Builder
	if w.in.Path != "" {
		fmt.Fprintf(&b, "The modules belong in %s or below.\n", w.in.Path)
	}
	if w.in.Yes {
		b.WriteString("Nobody can be asked: decide what is open, and write it in `decisions`.\n")
	}
	b.WriteString("The request:\n" + turn.Fenced("request", w.in.Request))
	for i, qa := range w.answers {
		if i == 0 {
			b.WriteString("\nAnswered questions; do not ask them again:\n")
		}
		fmt.Fprintf(&b, "- %s\n  %s\n", qa.Question, qa.Answer)
	}
	if len(w.findings) > 0 {
		b.WriteString("\nYour previous answer:\n" + turn.Given(string(w.before)) + "The engine rejected it. Fix exactly these problems and return the whole answer:\n")
		for _, f := range w.findings {
			place := f.Path
			if f.Line > 0 {
				place = fmt.Sprintf("%s:%d", f.Path, f.Line)
			}
			fmt.Fprintf(&b, "- %s: %s\n", place, f.Message)
		}
	}
	return b.String()
}

func (w *writing) write(c *flow.Ctx, d step.DraftOut) (step.DocumentOut, error) {
	out, err := turn.Do(c, "write", step.Describe, step.DescribeIn{Files: d.Files})
	if err != nil {
		return w.out, err
	}
	w.out.Verified = len(out.Conflicts) == 0
	for _, m := range d.Modules {
		r := step.DocumentModule{Dir: m.Dir, Spec: m.Spec, Plan: m.Plan, Created: m.Created, Changes: m.Changes, Status: "written", Usage: step.Usage{Known: true}}
		if !w.out.Verified {
			r.Status, r.Why = "kept", strings.Join(out.Conflicts, ", ")+": changed meanwhile; nothing was written"
			w.out.Kept++
		} else {
			w.out.Written++
		}
		w.out.Modules = append(w.out.Modules, r)
	}
	return w.out, nil
}
