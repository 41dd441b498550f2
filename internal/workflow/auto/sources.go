package auto

import (
	"encoding/json"
	"fmt"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// maxDraft bounds one draft of an answer, in characters.
const maxDraft = 4000

// sources lets an analyst read the messages that were collected, each source by itself. What he finds is context of all who
// come after; where he gives no answer they do without. What strangers write decides nothing.
func (f *feature) sources(c *flow.Ctx) error {
	if len(f.in.Sources) == 0 {
		return nil
	}
	if f.in.DryRun { // writes nothing
		for _, s := range f.in.Sources {
			f.in.Context = append(f.in.Context, s.Text)
		}
		return nil
	}
	f.out.Enter(c.Now().UnixMilli(), "sources")
	context := f.in.Context
	for i, s := range f.in.Sources {
		at := c.Sub(fmt.Sprint(i))
		flow.Note(at, "reading", step.PhaseNote{Phase: "sources", Text: s.Kind + " " + s.Name})
		var ans pdca.Analysis
		err := f.ask(at, request{role: "analyst", prompt: analystPrompt, schema: analysisSchemas[s.Kind], judge: true, task: f.analystText(s), docs: []step.Doc{s.Text}}, &ans)
		if err != nil {
			if turn.EndsRun(err) || f.in.Wants != "" {
				return err
			}
			f.out.Warnings = append(f.out.Warnings, fmt.Sprintf("%s %s was not analysed: %s", s.Kind, s.Name, turn.Clip(flow.AsFailure(err).Msg, 300)))
			continue // the messages themselves are for nobody who writes
		}
		out, err := turn.Do(at, "write", step.AutoContext, step.AutoContextIn{Source: s, Analysis: clipped(ans), Wants: f.wanted(s), Language: f.s.Language})
		if err != nil {
			return err
		}
		flow.Note(at, "read", step.PhaseNote{Phase: "sources", Text: out.Files[0].Path + counted(ans)})
		context = append(context, out.Doc)
		f.out.Context = append(f.out.Context, out.Files...)
	}
	f.in.Context = context
	return nil
}

// clipped is an analysis within the bounds of what people read.
func clipped(a pdca.Analysis) pdca.Analysis {
	a.Overview = turn.Clip(a.Overview, 3000)
	for _, list := range []*[]pdca.Remark{&a.Decisions, &a.People, &a.Stack, &a.Open, &a.Requests, &a.Replies, &a.Related, &a.Risks} {
		*list = (*list)[:min(len(*list), 40)]
		for i := range *list {
			r := &(*list)[i]
			r.Text, r.Message, r.Draft = turn.Clip(r.Text, 600), turn.Clip(r.Message, 20), turn.Clip(r.Draft, maxDraft)
		}
	}
	return a
}

func (f *feature) analystText(s step.Source) string {
	b := f.headText()
	if f.in.Wants != "" { // there is no request
		b.Reset()
		fmt.Fprintf(b, "Language of your answer: %s\n", f.s.Language)
	}
	fmt.Fprintf(b, "The messages are in the document %q, from %s.\n", s.Text.Title, map[string]string{
		pdca.Slack: "a Slack channel where people talk about the project", pdca.Gmail: "somebody's mailbox",
	}[s.Kind])
	switch f.wanted(s) {
	case step.WantDrafts:
		b.WriteString("Wanted: a draft answer to each mail that waits for one, in `draft` of its entry in `replies`, in the language of that mail.\n")
	case step.WantTodo:
		b.WriteString("Wanted: a list of what the mails ask for, in `requests`: one entry per thing to do, the most urgent first, with its date if the mail names one.\n")
	case step.WantAnalysis:
		b.WriteString("Wanted: only the analysis.\n")
	default:
		b.WriteString("Your findings are shown to those who plan and build the request.\n")
	}
	return b.String()
}

const (
	remarks = `{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text","message"],"properties":{"text":{"type":"string"},"message":{"type":"string","description":"message id, such as M-001"}}}}`
	replies = `{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text","message"],"properties":{"text":{"type":"string"},"message":{"type":"string","description":"message id, such as M-001"},"draft":{"type":"string"}}}}`
)

// analysisSchemas are the answers of an analyst, by kind of source.
var analysisSchemas = map[string]json.RawMessage{
	pdca.Slack: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["overview","decisions","people","stack","open"],"properties":{"overview":{"type":"string"},` +
		`"decisions":` + remarks + `,"people":` + remarks + `,"stack":` + remarks + `,"open":` + remarks + `}}`),
	pdca.Gmail: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["overview","requests","people","replies","related","risks"],"properties":{"overview":{"type":"string"},` +
		`"requests":` + remarks + `,"people":` + remarks + `,"replies":` + replies + `,"related":` + remarks + `,"risks":` + remarks + `}}`),
}

// counted says how much was found.
func counted(a pdca.Analysis) string {
	out := ""
	for _, x := range []struct {
		name string
		n    int
	}{{"decisions", len(a.Decisions)}, {"requests", len(a.Requests)}, {"open", len(a.Open)}, {"waiting for an answer", len(a.Replies)}, {"risks", len(a.Risks)}} {
		if x.n > 0 {
			out += fmt.Sprintf(", %s %d", x.name, x.n)
		}
	}
	return out
}

// wanted is what is wanted of a source: drafts and lists come of mails alone.
func (f *feature) wanted(s step.Source) step.Wanted {
	if f.in.Wants != "" && s.Kind != pdca.Gmail {
		return step.WantAnalysis
	}
	return f.in.Wants
}
