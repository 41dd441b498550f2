package compile

import (
	"cmp"
	_ "embed" // the prompts
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

var (
	//go:embed prompts/red.md
	redPrompt string
	//go:embed prompts/green.md
	greenPrompt string
	//go:embed prompts/refactor.md
	refactorPrompt string
	//go:embed prompts/strength.md
	strengthPrompt string
)

var (
	redSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["tests"],"properties":{` +
		`"tests":{"type":"array","description":"one entry per item of the list","items":{"type":"object","additionalProperties":false,"required":["item","tests"],"properties":{` +
		`"item":{"type":"string","description":"item id"},"tests":{"type":"array","description":"file::name of each test that checks it","items":{"type":"string"}}}}},` +
		`"held_out":` + turn.HeldOutSchema + `,` +
		`"unclear":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["item","question","reading"],"properties":{` +
		`"item":{"type":"string"},"question":{"type":"string"},"reading":{"type":"string"}}}}}}`)
	greenSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["summary","implements"],"properties":{` +
		`"summary":{"type":"string"},"implements":{"type":"object","additionalProperties":false,"properties":{` +
		`"algorithm":` + turn.TextsSchema + `,` +
		`"constants":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","value","rationale"],"properties":{` +
		`"name":{"type":"string"},"value":{"type":"string"},"rationale":{"type":"string"},"affects":{"type":"string"}}}},` +
		`"errors":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["error","retry","recovery"],"properties":{` +
		`"error":{"type":"string"},"retry":{"type":"string"},"recovery":{"type":"string"},"log_level":{"type":"string"}}}},` +
		`"state":{"type":"object","additionalProperties":false,"properties":{` +
		`"initial":{"type":"string"},"persistence":{"type":"string"},"cleanup":{"type":"string"}}},` +
		`"guide":` + turn.TextsSchema + `}},` +
		`"disputed":{"type":"array","description":"frozen tests that contradict the specification","items":{"type":"object","additionalProperties":false,"required":["test","reason"],"properties":{` +
		`"test":{"type":"string","description":"file::name"},"reason":{"type":"string","description":"the specification's sentence, and what the test demands instead"}}}}}}`)
	refactorSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["summary"],"properties":{"summary":{"type":"string"}}}`)
)

// ask makes the turn of a role on a tree. What is the same for every attempt
// and module comes first, so that providers can cache it.
func (w *work) ask(role, tree string, schema json.RawMessage, task string) step.Turn {
	w.attempts[role]++
	n := w.attempts[role]
	instructions := map[string]string{"red": redPrompt + turn.HeldOutRules(w.f.Language), "green": greenPrompt, "refactor": refactorPrompt, "strength": strengthPrompt}[role]
	return step.Turn{
		Role: role, Module: w.m.Dir, Attempt: n, Tree: tree, Instructions: instructions,
		Docs: w.docs(role), Task: w.frame(role) + task, Schema: schema, Commands: w.f.Commands, Private: w.f.Private, Budget: w.in.Budget,
	}
}

// docs are what a role is shown: the notes about the present code are for those who change it.
func (w *work) docs(role string) []step.Doc {
	if w.f.Notes == nil || role != "green" && role != "refactor" {
		return w.f.Docs
	}
	return append(slices.Clone(w.f.Docs), *w.f.Notes)
}

// frame says where the work is: paths by code, never by choice of a model.
func (w *work) frame(role string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Module: %s\nLanguage: %s; %s\nSpecification: %s\n", w.m.Dir, w.f.Language, w.f.Toolchain, w.f.Spec)
	if role == "recheck" {
		return b.String()
	}
	tests := role == "red" || role == "strength"
	if len(w.f.Example) == 2 && len(w.f.Sources) == 0 && role != "strength" {
		where := map[bool]string{true: "will be in", false: "belongs in"}[tests]
		fmt.Fprintf(&b, "The code %s: %s\n", where, w.f.Example[0])
		if tests && w.f.Import != "" {
			fmt.Fprintf(&b, "Tests import it from: %s\n", w.f.Import)
		}
	}
	if role == "strength" {
		turn.List(&b, "Existing frozen tests", paths(w.frozen))
	}
	if len(w.f.Example) == 2 && role == "red" && len(w.f.Tests) == 0 {
		fmt.Fprintf(&b, "The tests belong in: %s\n", w.f.Example[1])
	}
	if tests {
		names := strings.Join(toolchain.TestNames(w.f.Language), ", ")
		turn.List(&b, "You may create or change only test files (named "+names+") and data they read, in", w.f.TestPaths)
	} else {
		turn.List(&b, "You may create or change only source files (no tests) that match", w.f.SrcPaths)
		turn.List(&b, "Frozen test files; read them but do not change them", paths(w.frozen))
	}
	if !tests {
		turn.List(&b, "The engine adds these lines itself; to run the tests you may add them too, but nothing else to these files", w.f.Links)
	}
	kept := slices.DeleteFunc(slices.Clone(w.f.Kept), func(p string) bool { return !tests && slices.Contains(paths(w.frozen), p) })
	turn.List(&b, "Do not change these files (changes are discarded)", kept)
	turn.List(&b, "Existing sources of the module", bound(w.f.Sources, 60))
	if tests {
		turn.List(&b, "Existing tests of the module", bound(w.f.Tests, 60))
	}
	turn.List(&b, "External packages the specification allows; already installed", w.f.Packages)
	turn.List(&b, "Commands you may run, from the project root, without cd (a command line must begin exactly as listed; read-only commands such as ls and cat, and pipes to head, tail or grep, are allowed too; "+
		"anything else is refused, also commands in the documents above that are not listed here, which may read \"requires approval\")", w.f.Commands)
	if !tests {
		turn.List(&b, "These commands must succeed too", w.f.Finish)
	}
	return b.String()
}

func redTask(w *work, fb *judged) string {
	var b strings.Builder
	var fresh, old []step.Item
	for _, it := range w.f.Items {
		if it.State == "unchanged" {
			old = append(old, it)
		} else {
			fresh = append(fresh, it)
		}
	}
	items(&b, "Specification items that need tests", fresh)
	items(&b, "Unchanged items, already tested; leave tests that cover nothing else exactly as they are", old)
	items(&b, "Values and limits; where a test checks one, name it in `tests` under this id as well", w.f.Limits)
	gone := "Items no longer in the specification. The engine removed tests that covered only these"
	if slices.ContainsFunc(w.f.Tests, func(p string) bool { return !slices.Contains(w.f.Kept, p) }) { // some may be changed
		gone += "; in tests that cover others too, remove what checks these"
	}
	turn.List(&b, gone, w.f.Gone)
	feedback(&b, fb)
	return b.String()
}

// strengthTask lists what tests did not notice, then the items that new tests can be named for.
func strengthTask(w *work, fb *judged) string {
	var b strings.Builder
	feedback(&b, fb)
	items(&b, "Specification items", w.f.Items)
	return b.String()
}

func items(b *strings.Builder, title string, its []step.Item) {
	if len(its) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, it := range bound(its, 300) {
		kind := it.Kind
		if it.Category != "" {
			kind += ", " + it.Category
		}
		fmt.Fprintf(b, "- %s [%s] %s", it.ID, kind, turn.Clip(it.Text, 300))
		if it.Before != "" && it.Before != it.Text {
			fmt.Fprintf(b, " (before: %s)", turn.Clip(it.Before, 300))
		}
		if it.State == "changed" && len(it.Tests) > 0 {
			fmt.Fprintf(b, " (tested by %s)", strings.Join(bound(it.Tests, 5), ", "))
		}
		b.WriteByte('\n')
	}
	if len(its) > 300 {
		fmt.Fprintf(b, "(and %d more, see the specification)\n", len(its)-300)
	}
}

func greenTask(w *work, fb *judged) string {
	var b strings.Builder
	b.WriteString("\nThe module must export:\n")
	for _, e := range bound(w.f.Exports, 200) {
		fmt.Fprintf(&b, "- %s\n", exported(e))
	}
	if len(w.f.Constants) > 0 {
		b.WriteString("Values the code must have as named constants or limits:\n")
		for i, k := range bound(w.f.Constants, 100) {
			if slices.ContainsFunc(w.f.Constants[:i], k.Beside) {
				continue
			}
			values := k.Value
			for _, other := range w.f.Constants[i+1:] {
				if k.Beside(other) { // of the same sentence
					values += ", " + other.Value
				}
			}
			fmt.Fprintf(&b, "- %s (%s)\n", values, turn.Clip(k.Name, 200))
		}
	}
	if changed := w.changed(); len(changed)+len(w.f.Gone) > 0 {
		items(&b, "Changed in the specification since the code was built", changed)
		turn.List(&b, "No longer in the specification; remove code that does only this", w.f.Gone)
	}
	if len(w.res.Unclear) > 0 {
		b.WriteString("The author of the tests found these places unclear and read them like this:\n")
		for _, u := range w.res.Unclear {
			fmt.Fprintf(&b, "- %s: %s Read as: %s\n", u.Item, turn.Clip(u.Question, 300), turn.Clip(u.Reading, 300))
		}
	}
	feedback(&b, fb)
	return b.String()
}

// changed are the items that are not as they were when the present code was built; none
// for a module that was never built.
func (w *work) changed() []step.Item {
	var out []step.Item
	for _, it := range w.f.Items {
		if it.State != "unchanged" {
			out = append(out, it)
		}
	}
	if len(out) == len(w.f.Items) && len(w.f.Gone) == 0 {
		return nil
	}
	return out
}

// exported names an export once: its signature where there is one.
func exported(e step.Export) string {
	if e.Signature == "" {
		return e.Kind + " " + e.Name
	}
	if strings.Contains(e.Signature, e.Kind) || e.Kind == "function" || e.Kind == "variable" {
		return e.Signature
	}
	return e.Kind + " " + e.Signature
}

func refactorTask(fs []step.Finding) string {
	var b strings.Builder
	feedback(&b, &judged{findings: fs})
	return b.String()
}

// feedback tells exactly what failed: ids, messages and places, never a whole log; see turn.Findings.
func feedback(b *strings.Builder, fb *judged) {
	if fb == nil || len(fb.findings)+len(fb.failures) == 0 && fb.text == "" {
		return
	}
	if fb.title == "" && fb.tree != "" {
		b.WriteString("\nRetry: the engine found problems in the previous attempt. It is in the tree, without changes that were out of scope. Fix what is listed. If code or a new test of the previous attempt contradicts the specification, correct it too. Keep everything else.\n")
	}
	if fb.text != "" {
		b.WriteString("\nFeedback to act on:\n" + turn.Fenced("feedback", turn.Clip(fb.text, 8000)))
	}
	turn.Findings(b, cmp.Or(fb.title, turn.FixThese), fb.findings, fb.failures)
	turn.Said(b, fb.said)
}
