package compile

import (
	_ "embed" // the prompts
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// PromptVersion is recorded with what was built; a new one is no reason to build again.
const PromptVersion = 1

//go:embed prompts/red.md
var redPrompt string

//go:embed prompts/green.md
var greenPrompt string

//go:embed prompts/refactor.md
var refactorPrompt string

var (
	redSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["tests"],"properties":{` +
		`"tests":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["item","tests"],"properties":{` +
		`"item":{"type":"string"},"tests":{"type":"array","items":{"type":"string"}}}}}}}`)
	greenSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["summary","implements"],"properties":{` +
		`"summary":{"type":"string"},"implements":{"type":"object","additionalProperties":false,"properties":{` +
		`"algorithm":{"type":"array","items":{"type":"string"}},` +
		`"constants":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","value","rationale"],"properties":{` +
		`"name":{"type":"string"},"value":{"type":"string"},"rationale":{"type":"string"},"affects":{"type":"string"}}}},` +
		`"errors":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["error","retry","recovery"],"properties":{` +
		`"error":{"type":"string"},"retry":{"type":"string"},"recovery":{"type":"string"},"log_level":{"type":"string"}}}},` +
		`"state":{"type":"object","additionalProperties":false,"properties":{` +
		`"initial":{"type":"string"},"persistence":{"type":"string"},"cleanup":{"type":"string"}}},` +
		`"guide":{"type":"array","items":{"type":"string"}}}}}}`)
	refactorSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["summary"],"properties":{"summary":{"type":"string"}}}`)
)

// ask makes the turn of a role on a tree. What is the same for every attempt
// and module comes first, so that providers can cache it.
func (w *work) ask(role, tree string, schema json.RawMessage, task string) step.Turn {
	w.attempts[role]++
	n := w.attempts[role]
	instructions := map[string]string{"red": redPrompt, "green": greenPrompt, "refactor": refactorPrompt}[role]
	return step.Turn{
		Role: role, Module: w.m.Dir, Attempt: n, Tree: tree, Instructions: instructions,
		Docs: w.f.Docs, Task: w.frame(role) + task, Schema: schema, Commands: w.f.Commands, Private: w.f.Private, Budget: w.in.Budget,
	}
}

// frame says where the work is: paths by code, never by choice of a model.
func (w *work) frame(role string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Module directory: %s\nLanguage: %s (%s)\nSpec: %s\n", w.m.Dir, w.f.Language, w.f.Toolchain, w.f.Spec)
	writePaths := w.f.SrcPaths
	if role == "red" {
		writePaths = w.f.TestPaths
	}
	list(&b, "You may create or change only files that match", writePaths)
	if len(w.f.Example) > 0 {
		list(&b, "A new file is named like", w.f.Example)
	}
	list(&b, "These files exist and must stay as they are (changes to them are discarded)", w.f.Kept)
	if role != "red" {
		list(&b, "These test files are frozen; any change to them is rejected", paths(w.frozen))
	}
	list(&b, "Existing sources of the module", bound(w.f.Sources, 60))
	list(&b, "Existing tests of the module", bound(w.f.Tests, 60))
	list(&b, "External packages that the spec allows", w.f.Packages)
	list(&b, "Commands that you can run", w.f.Commands)
	return b.String()
}

func list(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, s := range items {
		fmt.Fprintf(b, "- %s\n", s)
	}
}

func redTask(w *work, fb *judged) string {
	var b strings.Builder
	b.WriteString("\nItems of the spec and their ids. Each needs at least one test.\n")
	for _, it := range bound(w.f.Items, 300) {
		fmt.Fprintf(&b, "- %s [%s%s]%s %s\n", it.ID, it.Kind, sub(it.Category), stateOf(it), clip(it.Text, 300))
	}
	if len(w.f.Items) > 300 {
		fmt.Fprintf(&b, "(%d more items are in the spec)\n", len(w.f.Items)-300)
	}
	list(&b, "The spec no longer has these items; tests that check only them may be removed", w.f.Removed)
	if len(w.frozen) > 0 {
		list(&b, "Tests from earlier builds; keep what checks unchanged items", paths(w.frozen))
	}
	feedback(&b, fb)
	return b.String()
}

func sub(category string) string {
	if category == "" {
		return ""
	}
	return ", " + category
}

func stateOf(it step.Item) string {
	if it.State == "unchanged" {
		return " (unchanged, already tested)"
	}
	return ""
}

func greenTask(w *work, fb *judged) string {
	var b strings.Builder
	b.WriteString("\nThe module must export exactly what the spec lists:\n")
	for _, e := range bound(w.f.Exports, 200) {
		fmt.Fprintf(&b, "- %s %s\n", e.Kind, orName(e))
	}
	if len(w.f.Constants) > 0 {
		b.WriteString("Values of the Domain Context that the code must hold as named constants or limits:\n")
		for _, k := range bound(w.f.Constants, 100) {
			fmt.Fprintf(&b, "- %s = %s\n", k.Name, k.Value)
		}
	}
	feedback(&b, fb)
	return b.String()
}

func orName(e step.Export) string {
	if e.Signature != "" {
		return e.Signature
	}
	return e.Name
}

func refactorTask(fs []step.Finding) string {
	var b strings.Builder
	feedback(&b, &judged{findings: fs})
	return b.String()
}

// feedback tells exactly what failed: ids, messages and places, never a whole log.
func feedback(b *strings.Builder, fb *judged) {
	if fb == nil || len(fb.findings)+len(fb.failures) == 0 && fb.text == "" {
		return
	}
	b.WriteString("\nThe attempt before this one was checked. Mend exactly this:\n")
	if !fb.honest && fb.tree != "" {
		b.WriteString("Its changes were thrown away; the tree is as it was before it.\n")
	}
	if fb.text != "" {
		fmt.Fprintf(b, "<feedback>\n%s\n</feedback>\n", clip(strings.ReplaceAll(fb.text, "</feedback>", "< /feedback>"), 8000))
	}
	for _, f := range bound(fb.findings, 40) {
		place := f.Path
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		fmt.Fprintf(b, "- [%s] %s %s\n", f.Rule, place, clip(f.Message, 400))
	}
	for _, t := range bound(fb.failures, 20) {
		fmt.Fprintf(b, "- test %s: %s\n", t.ID, t.Status)
		if t.Message != "" {
			fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(clip(t.Message, 1200), "\n", "\n  "))
		}
	}
}
