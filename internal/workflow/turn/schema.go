package turn

import (
	_ "embed" // the rules
	"encoding/json"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TextsSchema is the JSON schema of a list of texts.
const TextsSchema = `{"type":"array","items":{"type":"string"}}`

// TypeSchema is the JSON schema of a type of commits, see task.Types.
const TypeSchema = `{"enum":["feat","fix","test","docs","refactor","chore"]}`

// CriteriaSchema is the JSON schema of a list of task.Criterion.
const CriteriaSchema = `{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text"],"properties":{` +
	`"text":{"type":"string"},"command":{"type":"string"}}}}`

// HeldOutSchema is the JSON schema of a list of task.HeldOut.
const HeldOutSchema = `{"type":"array","description":"calls that the code's author never sees","items":{"type":"object","additionalProperties":false,"required":["call","gives"],"properties":{` +
	`"call":{"type":"string","description":"an export called with literals, or a command"},"gives":{"type":"string","description":"a literal, error, or the name of an error; of a command, what it prints, or error"}}}}`

//go:embed held_out.md
var heldOutChoice string

//go:embed calls.md
var callSyntax string

// HeldOutRules tell authors of tests and plans how to write task.HeldOut for code in some languages; they follow their instructions.
func HeldOutRules(languages ...string) string { return heldOutChoice + callRules(languages) }

// callRules say how calls are written, as far as they are for one of some languages; all of them where none is known. A line that is for some
// languages alone begins with their names in braces.
func callRules(languages []string) string {
	var b strings.Builder
	for line := range strings.Lines(callSyntax) {
		tags, rest, tagged := strings.Cut(line, "} ")
		if !tagged || !strings.HasPrefix(line, "{") {
			b.WriteString(line)
			continue
		}
		names := strings.Fields(strings.TrimPrefix(tags, "{"))
		if len(languages) == 0 || slices.ContainsFunc(languages, func(l string) bool { return slices.Contains(names, named(l)) }) {
			b.WriteString(rest)
		}
	}
	return b.String()
}

// named is what calls.md calls a language.
func named(language string) string {
	if slices.Contains(toolchain.Languages(), language) {
		return language
	}
	return "other"
}

// FilesSchema is the JSON schema of a list of task.File.
const FilesSchema = `{"type":"array","items":{"type":"object","additionalProperties":false,"required":["path","action"],"properties":{` +
	`"path":{"type":"string","description":"relative to the project root"},"action":{"enum":["CREATE","MODIFY","DELETE"]},"description":{"type":"string"}}}}`

// Conforms checks an agent's answer against the schema that it was given: an
// agent may say that it kept to it, and nobody but us has looked. What does
// not conform is a failure of the turn, so that it is asked for again.
func Conforms(schema, answer json.RawMessage) error {
	why, err := step.Misfit(schema, answer)
	if err != nil {
		return err
	}
	if why != "" {
		return flow.Failf(flow.Schema, "%s", Clip(why, 300))
	}
	return nil
}

// KeepHeldOut are the calls of an answer, or those given before where it has none.
func KeepHeldOut(now, before []step.HeldOut) []step.HeldOut {
	if len(now) == 0 {
		return before
	}
	return now
}
