package toolchain

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Link is a line that a file outside of a module has to hold for the module to be part of the program: "pub mod auth;" in src/lib.rs. The
// engine writes it when the module has code, so that the module's author needs no right to change files of others.
type Link struct {
	File string `json:"file"`
	Line string `json:"line"`
}

var linkLine = re.New(`^(?:pub(?:\([a-z]+\))?\s+)?mod\s+(r#)?([\pL_][\pL\pM\w]*)\s*;$`)

// linked is the name of the module that a line makes part of the program, "" for none.
func linked(line string) string {
	if m := linkLine().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
		return m[2]
	}
	return ""
}

// WithLinks gives src with the lines that it lacks. A module that is named already, public or not, is named. New lines come after the last
// one of their kind, else after the comments that begin the file.
func WithLinks(src []byte, lines []string) []byte {
	have := strings.SplitAfter(string(src), "\n")
	if have[len(have)-1] == "" {
		have = have[:len(have)-1]
	}
	at, last := 0, -1
	for i, l := range have {
		t := strings.TrimSpace(l)
		if linked(t) != "" {
			last = i
		}
		if at == i && (strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "///") || strings.HasPrefix(t, "#!") || t == "") {
			at = i + 1
		}
	}
	if last >= 0 {
		at = last + 1
	}
	for _, line := range lines {
		if slices.ContainsFunc(have, func(l string) bool { return linked(l) == linked(line) }) {
			continue
		}
		if at > 0 && !strings.HasSuffix(have[at-1], "\n") {
			have[at-1] += "\n"
		}
		if last < 0 && at > 0 && strings.TrimSpace(have[at-1]) != "" {
			have = slices.Insert(have, at, "\n")
			at++
		}
		have = slices.Insert(have, at, line+"\n")
		last = at
		if at++; at < len(have) && linked(have[at]) == "" && strings.TrimSpace(have[at]) != "" {
			have = slices.Insert(have, at, "\n")
		}
	}
	return []byte(strings.Join(have, ""))
}

// NewLinks are the links that a file has and an earlier version of it had not; only says that nothing else differs.
func NewLinks(before, after []byte) (lines []string, only bool) {
	for l := range strings.Lines(string(after)) {
		l = strings.TrimSpace(l)
		if name := linked(l); name != "" && !slices.ContainsFunc(strings.Split(string(before), "\n"), func(b string) bool { return linked(b) == name }) {
			lines = append(lines, l)
		}
	}
	plain := func(src []byte) string {
		var b strings.Builder
		for l := range strings.Lines(string(src)) {
			if t := strings.TrimSpace(l); t != "" && !slices.Contains(lines, t) {
				b.WriteString(t + "\n")
			}
		}
		return b.String()
	}
	return lines, plain(before) == plain(after)
}

// OnlyLinks reports whether a file holds nothing but links and comments: nobody's code is in it.
func OnlyLinks(file string, src []byte) bool {
	if LanguageOf(file) != LangRust {
		return false
	}
	for l := range strings.Lines(string(src)) {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "//") && linked(t) == "" {
			return false
		}
	}
	return true
}
