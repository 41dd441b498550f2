// Package document decides how documents are written: decompile turns code into specs, spec new turns a request into
// them. What a program can know of code it writes itself; an agent adds what a module is for and why, and has to
// quote the code that shows it. Nothing that it says is written unread.
package document

import (
	_ "embed" // the prompts
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Decompile is `jacquard decompile`.
var Decompile = flow.Workflow[step.DecompileIn, step.DocumentOut]{Name: "decompile", Fn: decompile}

// describeRounds bounds how often an agent is asked about one module.
const describeRounds = 2

//go:embed prompts/describe.md
var describePrompt string

var describeSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["purpose","decisions","constraints","compatibility"],"properties":{` +
	`"purpose":{"type":"string","description":"one or two sentences"},` +
	`"decisions":{"type":"array","items":` + statementSchema + `},` +
	`"constraints":{"type":"array","items":` + statementSchema + `},` +
	`"compatibility":{"type":"array","items":` + statementSchema + `}}}`)

const statementSchema = `{"type":"object","additionalProperties":false,"required":["text","file","quote"],"properties":{` +
	`"text":{"type":"string"},"file":{"type":"string"},"quote":{"type":"string","description":"text of that file, word for word"}}}`

func decompile(c *flow.Ctx, in step.DecompileIn) (step.DocumentOut, error) {
	s, err := turn.Do(c, "survey", step.Survey, in)
	if err != nil {
		return step.DocumentOut{}, err
	}
	drafts, err := flow.Load[[]step.Draft](c, s.Modules)
	if err != nil {
		return step.DocumentOut{}, err
	}
	note := step.PlanNote{Count: len(drafts), UpToDate: s.Whole}
	for _, d := range drafts[:min(len(drafts), 200)] {
		note.Modules, note.Reasons = append(note.Modules, d.Dir), append(note.Reasons, reason(d))
	}
	flow.Note(c, "planned", note)
	results, err := flow.All(c, "module", drafts, func(d step.Draft) string { return d.Dir },
		func(c *flow.Ctx, d step.Draft) (step.DocumentModule, error) { return describe(c, in, s, d) })
	if err != nil {
		return step.DocumentOut{}, err
	}
	return total(results, s.Whole), nil
}

func reason(d step.Draft) string {
	switch {
	case d.Ask:
		return "no spec"
	case d.Files[0].Path == d.Spec:
		return "its spec does not cover all of the code"
	}
	return "no IMPLEMENTS.md"
}

func total(results []step.DocumentModule, whole int) step.DocumentOut {
	out := step.DocumentOut{Modules: results, Whole: whole}
	out.Verified = true
	out.Usage.Known = true
	for _, r := range results {
		out.Usage = out.Usage.Add(r.Usage)
		if r.Status == "written" {
			out.Written++
		} else {
			out.Kept++
			out.Verified = false
		}
	}
	return out
}

func describe(c *flow.Ctx, in step.DecompileIn, s step.SurveyOut, d step.Draft) (step.DocumentModule, error) {
	r := step.DocumentModule{Dir: d.Dir, Exports: d.Exports, Status: "written", Created: d.Ask, Spec: d.Spec}
	r.Usage.Known = true
	write := step.DescribeIn{Files: d.Files}
	if d.Ask {
		said, findings, usage, err := ask(c, in, s, d)
		if err != nil {
			return r, err
		}
		write.Description, r.Findings, r.Usage = said, findings, usage
		if said != nil {
			r.Purpose = said.Purpose
		}
	}
	w, err := turn.Do(c, "write", step.Describe, write)
	if err != nil {
		return r, err
	}
	if len(w.Conflicts) > 0 {
		r.Status, r.Why = "kept", strings.Join(w.Conflicts, ", ")+": changed meanwhile; nothing of the module was written"
	}
	flow.Note(c, "result", r)
	return r, nil
}

// ask lets an agent describe a module. What it says without showing it goes back once and is then left out.
func ask(c *flow.Ctx, in step.DecompileIn, s step.SurveyOut, d step.Draft) (*step.Description, []step.Finding, step.Usage, error) {
	usage := step.Usage{Known: true}
	sources, err := flow.Load[map[string]string](c, d.Sources)
	if err != nil {
		return nil, nil, usage, err
	}
	var said step.Description // what was proved, of all answers
	var findings []step.Finding
	for n, c := range flow.Rounds(c, "describe", describeRounds) {
		t := step.Turn{
			Role: "describe", Module: d.Dir, Attempt: n, Tree: s.Tree, Instructions: describePrompt, Docs: d.Docs,
			Task: describeTask(d, said, findings), Schema: describeSchema, Judge: true, Budget: in.Budget,
		}
		out, answered, err := turn.Try(c, t)
		if err != nil {
			return nil, nil, usage, err
		}
		if !answered {
			break // the placeholder stays
		}
		usage = usage.Add(out.Usage)
		var x step.Description
		if err := turn.Decode(out.Answer, &x); err != nil {
			return nil, nil, usage, err
		}
		findings = check(&x, sources, said.Purpose == "")
		if said.Purpose == "" {
			said.Purpose = x.Purpose
		}
		said.Decisions = join(said.Decisions, x.Decisions)
		said.Constraints = join(said.Constraints, x.Constraints)
		said.Compatibility = join(said.Compatibility, x.Compatibility)
		if len(findings) == 0 {
			break
		}
	}
	if said.Purpose == "" && len(said.Decisions)+len(said.Constraints)+len(said.Compatibility) == 0 {
		return nil, findings, usage, nil
	}
	return &said, findings, usage, nil
}

// join adds statements that are not there yet.
func join(have, more []step.Statement) []step.Statement {
	for _, m := range more {
		if !slices.ContainsFunc(have, func(h step.Statement) bool {
			return h.Text == m.Text || fold(h.Quote) == fold(m.Quote) && h.File == m.File
		}) {
			have = append(have, m)
		}
	}
	return have
}

func describeTask(d step.Draft, said step.Description, findings []step.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Module: %s\nEach statement needs a quote, word for word, from one line of one of the files.\n", d.Dir)
	if len(findings) == 0 {
		return b.String()
	}
	if said.Purpose != "" || len(said.Decisions)+len(said.Constraints)+len(said.Compatibility) > 0 {
		b.WriteString("\nThe engine accepted the checkable part of your previous answer; do not repeat it")
		if said.Purpose != "" {
			b.WriteString(" (the purpose may be left empty)")
		}
		b.WriteString(".\n")
	}
	b.WriteString("\nRejected:\n")
	for _, f := range findings {
		fmt.Fprintf(&b, "- %s\n", f.Message)
	}
	b.WriteString("Return these again with a quote that is in the file word for word, or leave out what the code does not show.\n")
	return b.String()
}

// check takes out of a description what the code does not show, and says so.
func check(x *step.Description, sources map[string]string, purpose bool) []step.Finding {
	var out []step.Finding
	reject := func(rule, format string, a ...any) {
		out = append(out, step.Finding{Rule: rule, Severity: step.Fix, Message: fmt.Sprintf(format, a...)})
	}
	x.Purpose = strings.Join(strings.Fields(x.Purpose), " ")
	switch n := utf8.RuneCountInString(x.Purpose); {
	case n == 0 && !purpose:
	case n == 0:
		reject("no-purpose", "The purpose is empty.")
	case n > 400:
		reject("long-purpose", "The purpose has %d characters; write one or two sentences of at most 400.", n)
		x.Purpose = ""
	case strings.HasPrefix(x.Purpose, "#") || strings.HasPrefix(x.Purpose, "-"):
		reject("no-sentence", "The purpose is not a sentence.")
		x.Purpose = ""
	}
	shown := func(list []step.Statement) []step.Statement {
		var keep []step.Statement
		for _, s := range list {
			s.Text = strings.Join(strings.Fields(s.Text), " ")
			src, known := sources[strings.TrimPrefix(s.File, "./")]
			switch {
			case s.Text == "":
			case !known:
				reject("unknown-file", "%q: %s is not among the files that you were shown.", s.Text, s.File)
			case len(fold(s.Quote)) < 8:
				reject("short-quote", "%q: the quote %q is too short to prove anything; quote more of its line.", s.Text, s.Quote)
			case !strings.Contains(fold(src), fold(s.Quote)):
				reject("no-such-quote", "%q: no line of %s has the text %q.", s.Text, s.File, s.Quote)
			default:
				keep = append(keep, s)
			}
		}
		return keep
	}
	x.Decisions, x.Constraints, x.Compatibility = shown(x.Decisions), shown(x.Constraints), shown(x.Compatibility)
	return out
}

// fold leaves of a text what a quote has to share with it: neither its white space nor the marks of comments, so that a
// sentence over two lines of a comment can be quoted.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("/*#", r) {
			return -1
		}
		return r
	}, s)
}
