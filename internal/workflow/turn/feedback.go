package turn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// longRules are findings whose messages hold what the author needs to see whole.
var longRules = map[string]int{"test-disputed": 1000, "test-kept": 1000, "merge-conflict": 3000, "verify-failed": 1500, "build-failed": 3000, "lint": 3000}

// machineRules are findings about the machine that checks run on. No author can do anything about them.
var machineRules = []string{"tool-missing"}

// Findings tells an author exactly what failed: rules, places, messages and tests, never a whole log.
func Findings(b *strings.Builder, findings []step.Finding, failures []step.TestResult) {
	for _, f := range findings[:min(len(findings), 40)] {
		if slices.Contains(machineRules, f.Rule) {
			continue
		}
		place := f.Path
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		most := max(longRules[f.Rule], 400)
		if strings.Contains(f.Message, "\nIt was:\n") {
			most = 3000
		}
		warning := ""
		if f.Severity == step.Warn {
			warning = "(warning, not to be mended) "
		}
		fmt.Fprintf(b, "- [%s] %s %s%s\n", f.Rule, place, warning, Clip(f.Message, most))
	}
	for _, t := range failures[:min(len(failures), 20)] {
		fmt.Fprintf(b, "- test %s: %s\n", t.ID, t.Status)
		if t.Message != "" {
			fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(Clip(t.Message, 1200), "\n", "\n  "))
		}
	}
}

// Short are findings for a note or a result: so many, and so much of each, as people read.
func Short(list []step.Finding) []step.Finding {
	list = slices.Clone(list[:min(len(list), 30)])
	for i := range list {
		list[i].Message = Clip(list[i].Message, 400)
	}
	return list
}

// Fenced puts a text that is data between tags of a name; the text cannot close them.
func Fenced(name, text string) string {
	return "<" + name + ">\n" + strings.ReplaceAll(text, "</"+name+">", "< /"+name+">") + "\n</" + name + ">\n"
}

// List writes a list with its title into a prompt, and nothing where it is empty.
func List(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, s := range items {
		fmt.Fprintf(b, "- %s\n", s)
	}
}
