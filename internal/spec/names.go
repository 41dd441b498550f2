package spec

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

var (
	quotedRE = re.New("\"[^\"`]*\"|'[^'`]*'")
	wordRE   = re.New(`[\p{L}_$][\p{L}\p{N}_$]*`)
)

// Names lists the identifiers that a spec gives away: those of its Exports, also in lines that cannot be read as a
// declaration, and those that Behavior, Contract and Protocol use as code (called, behind a dot, before a dot, or with an
// inner capital or underscore). A test that needs one of them needs what the spec promises. They are sorted, each once.
func Names(d *Document) []string {
	var out []string
	for line := range strings.Lines(d.Text("Exports")) {
		spans := codeSpans(line)
		if len(spans) == 0 {
			sig, _ := splitProse(line)
			spans = []string{sig}
		}
		for _, s := range spans {
			out = append(out, wordRE().FindAllString(quotedRE().ReplaceAllString(s, " "), -1)...)
		}
	}
	for i := range d.Behaviors {
		for _, text := range []string{d.Behaviors[i].Input, d.Behaviors[i].Output} {
			out = append(out, namesUsed(quotedRE().ReplaceAllString(text, " "))...)
		}
	}
	for _, section := range []string{"Contract", "Protocol"} {
		out = append(out, namesUsed(quotedRE().ReplaceAllString(d.Text(section), " "))...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var errorRE = re.New(`\b[\pL_]\w*(?:Error|Exception)\b|\bErr[A-Z]\w*`)

// raisedRE is the name that begins a text of what goes wrong, and stands there alone or before more about it.
var raisedRE = re.New("^[`\\s]*(?i:throws:?|raises)?[`\\s]*([\\pL_]\\w*)`?\\s*(?:$|[(:,;]|when\\b|if\\b)")

// Raises are the errors that a spec names where it says what goes wrong, by the ids of the items that do: by how they are called, or as
// classes that it exports.
func Raises(d *Document) map[string][]string {
	out := map[string][]string{}
	for _, it := range Items(d) {
		text := ""
		switch {
		case it.Kind == ItemContract && strings.HasPrefix(it.Text, "Throws: "):
			text = it.Text
		case it.Category == "error":
			text = it.Output
		}
		names := errorRE().FindAllString(text, -1)
		if m := raisedRE().FindStringSubmatch(text); m != nil && names == nil && slices.ContainsFunc(d.Exports, func(e Export) bool { return e.Kind == Class && e.Name == m[1] }) {
			names = m[1:]
		}
		if names != nil {
			out[it.ID] = names
		}
	}
	return out
}

// codeSpans are the texts between back-ticks.
func codeSpans(s string) []string {
	parts := strings.Split(s, "`")
	var out []string
	for i := 1; i+1 < len(parts); i += 2 {
		out = append(out, parts[i])
	}
	return out
}

// namesUsed are the words of a text that can only be names of code.
func namesUsed(text string) []string {
	var out []string
	for _, at := range wordRE().FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		before, after := text[:at[0]], text[at[1]:]
		used := strings.HasPrefix(after, "(") || strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..") ||
			len(after) > 1 && after[0] == '.' && wordRE().MatchString(after[1:2]) ||
			strings.Contains(word, "_") || strings.ToLower(word[1:]) != word[1:] ||
			strings.HasSuffix(before, "`") && strings.HasPrefix(after, "`")
		if used && word[0] < 0x80 {
			out = append(out, word)
		}
	}
	return out
}
