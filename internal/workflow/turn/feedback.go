package turn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// How much of a finding is shown, in characters: to an author, and to people.
const (
	longMessage  = 3000
	shortMessage = 1000
)

// machineRules are findings about the machine that checks run on. No author can do anything about them.
var machineRules = []string{"tool-missing"}

// OfMachine takes findings about the machine out of a list, and gives what they say.
func OfMachine(findings []step.Finding) (said []string, rest []step.Finding) {
	for _, f := range findings {
		if slices.Contains(machineRules, f.Rule) {
			said = append(said, f.Message)
		} else {
			rest = append(rest, f)
		}
	}
	return said, rest
}

// FixThese is the title of findings that their author has to fix.
const FixThese = "Fix these findings"

// Findings tells exactly what failed: rules, places, messages and tests, never a whole log. First come the findings that block, under
// title, then the tests that fail, then warnings. Without a title it is a plain list, for people.
func Findings(b *strings.Builder, title string, findings []step.Finding, failures []step.TestResult) {
	var blocking, warnings []step.Finding
	_, findings = OfMachine(findings)
	for _, f := range findings {
		if f.Severity == step.Warn {
			warnings = append(warnings, f)
		} else {
			blocking = append(blocking, f)
		}
	}
	blocking = blocking[:min(len(blocking), 40)]
	warnings = warnings[:min(len(warnings), 40-len(blocking))]
	tests, others, mark := "Failing tests", "Warnings (these do not block; leave them unless your fix touches them)", ""
	if title == "" {
		tests, others, mark = "", "", "(warning) "
	}
	heading(b, title, len(blocking))
	for _, f := range blocking {
		finding(b, f, "")
	}
	heading(b, tests, len(failures))
	for _, t := range failures[:min(len(failures), 20)] {
		fmt.Fprintf(b, "- test %s: %s\n", t.ID, t.Status)
		if t.Message != "" {
			fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(Lines(ownFrames(t.Message), 1200), "\n", "\n  "))
		}
	}
	heading(b, others, len(warnings))
	for _, f := range warnings {
		finding(b, f, mark)
	}
}

// heading writes the title of n lines, where there are any.
func heading(b *strings.Builder, title string, n int) {
	if title != "" && n > 0 {
		fmt.Fprintf(b, "\n%s:\n", title)
	}
}

func finding(b *strings.Builder, f step.Finding, mark string) {
	place := f.Path
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	if place != "" {
		place += ": "
	}
	fmt.Fprintf(b, "- [%s] %s%s%s\n", f.Rule, place, mark, Lines(ownFrames(f.Message), longMessage))
}

// ownFrames is a text without the lines of stack traces that are in dependencies or in Node itself.
func ownFrames(s string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool {
		l = strings.TrimSpace(l)
		return (strings.HasPrefix(l, "at ") || strings.HasPrefix(l, "❯ ")) && (strings.Contains(l, "node_modules/") || strings.Contains(l, "node:internal/"))
	}), "\n")
}

// Lines are the first lines of a text, as far as n characters go, and how many more there are. None is cut, but for one that
// is longer than that by itself.
func Lines(s string, n int) string {
	if len([]rune(s)) <= n {
		return s
	}
	lines := strings.Split(s, "\n")
	var out []string
	room := n
	for i, l := range lines {
		size := len([]rune(l))
		if i > 0 && size > room {
			break
		}
		out = append(out, Clip(l, n))
		room -= size + 1
	}
	if more := len(lines) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("… (%d more lines)", more))
	}
	return strings.Join(out, "\n")
}

// Short are findings for a note or a result: so many, and so much of each, as people read.
func Short(list []step.Finding) []step.Finding {
	list = slices.Clone(list[:min(len(list), 30)])
	for i := range list {
		list[i].Message = Lines(list[i].Message, shortMessage)
	}
	return list
}

// Left are what the author of accepted work was told to mend and has left, and the tests that expect something else now, a line each. They
// begin with what the work is called, "" for nothing.
func Left(work string, list []step.Finding) (out []string) {
	if work != "" {
		work += ": "
	}
	for _, f := range list {
		if f.Severity == step.Fix || f.Severity == step.Asks || f.Rule == "expectation-changed" {
			out = append(out, fmt.Sprintf("%s[%s] %s %s", work, f.Rule, f.Path, Clip(f.Message, 200)))
		}
	}
	return out
}

// Fenced puts a text that is data between tags of a name; the text cannot close them.
func Fenced(name, text string) string {
	return "<" + name + ">\n" + strings.ReplaceAll(text, "</"+name+">", "< /"+name+">") + "\n</" + name + ">\n"
}

// Given is an answer between tags, as its author wrote it: what was kept as JSON has some characters as escapes.
func Given(kept string) string {
	return Fenced("answer", strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(kept))
}

// Request begins the task of an author: the language of his answer, and what was asked for.
func Request(language, request string) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "Language of your answer: %s\n", language)
	b.WriteString("The request:\n" + Fenced("request", request))
	return &b
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
