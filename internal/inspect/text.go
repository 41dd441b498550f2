package inspect

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

func lastPart(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// headed is a list below a heading, with a blank line behind it; "" without lines.
func headed(title string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "### " + title + "\n\n" + strings.Join(lines, "\n") + "\n\n"
}

func bullets(list []string) []string {
	out := said(list)
	for i, s := range out {
		out[i] = "- " + s
	}
	return out
}

// said are the texts of a list, each on one line, without those that say nothing.
func said(list []string) []string {
	var out []string
	for _, s := range list {
		if s = oneLine(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func cell(s string) string { return strings.ReplaceAll(oneLine(s), "|", "\\|") }

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// entryText is an entry of Structure, with the first sentence or line of what it is for.
func entryText(name, about string) string {
	about, _, _ = strings.Cut(strings.TrimSpace(about), "\n")
	if about == "" || about == spec.Placeholder {
		return "`" + name + "`"
	}
	return "`" + name + "`: " + about
}

const (
	success = "Success"
	failure = "Error"
)
