// Package subject writes the first lines of commits as the history of a project writes its own.
package subject

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Look is how many subjects of a history say how a project writes them.
const Look = 50

// WIP is the type of what is not finished.
const WIP = "wip"

const (
	longest = 72 // characters of a subject
	few     = 3  // subjects: of fewer nothing is concluded
)

// Style is how a project writes subjects. That of a new project is a plain sentence.
type Style struct {
	conventional bool // feat: …
	packages     bool // net/http: …
	paths        bool // packages are named by their whole paths
	upper, lower bool // the first letter of the sentence; neither: as its author wrote it
}

var (
	conventional = re.New(`^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(?:\([^()]+\))?!?: +(\S.*)$`)
	prefixed     = re.New(`^([\p{Ll}.*{][\p{L}\d_.*{},/-]*(?:, [\p{L}\d_.*{},/-]+)*): +(\S.*)$`)
)

// Of reads a style out of the newest subjects of a history, merges left out. What more than half of them do is the style.
func Of(subjects []string) Style {
	subjects = subjects[:min(len(subjects), Look)]
	var s Style
	if len(subjects) < few {
		return s
	}
	types, packages, paths, upper, lower := 0, 0, 0, 0, 0
	for _, text := range subjects {
		if m := conventional().FindStringSubmatch(text); m != nil {
			types++
			text = m[1]
		} else if m := prefixed().FindStringSubmatch(text); m != nil {
			packages++
			text = m[2]
			if strings.Contains(m[1], "/") {
				paths++
			}
		}
		first := []rune(text + " ")[0]
		if unicode.IsUpper(first) {
			upper++
		} else if unicode.IsLower(first) {
			lower++
		}
	}
	s.conventional, s.packages, s.paths = types*2 > len(subjects), packages*2 > len(subjects), paths > 0
	s.upper, s.lower = upper*2 > len(subjects), lower*2 > len(subjects)
	return s
}

// Write is the subject of a commit of a type that changes files, at most 72 characters long. A longer sentence is cut at a
// word.
func (s Style) Write(kind, sentence string, files []string) string {
	before := ""
	switch pkg := s.pkg(files); {
	case kind == WIP, s.conventional:
		before = typeOf(kind, files) + ": "
	case pkg != "":
		before = cut(pkg, longest/2) + ": "
	}
	return before + cut(s.sentence(sentence), longest-len([]rune(before)))
}

// typeOf is the type of a commit: that of its only contents, tests or documents; else the one that is known.
func typeOf(known string, files []string) string {
	all := func(is func(string) bool) bool {
		return len(files) > 0 && !slices.ContainsFunc(files, func(p string) bool { return !is(p) })
	}
	switch {
	case known == WIP:
		return WIP
	case all(func(p string) bool { return toolchain.IsTest(p) || toolchain.IsTestData(p) }):
		return "test"
	case all(document):
		return "docs"
	}
	return known
}

func document(p string) bool {
	return slices.Contains([]string{".md", ".mdx", ".rst", ".adoc", ".txt"}, strings.ToLower(path.Ext(p))) && toolchain.ConfigKindOf(p) == toolchain.NoConfig
}

// pkg is what a project that names packages puts before the sentence; "" where the files are of no one package.
func (s Style) pkg(files []string) string {
	if !s.packages || len(files) == 0 {
		return ""
	}
	dir := path.Dir(files[0])
	for _, p := range files[1:] {
		for dir != "." && !strings.HasPrefix(p, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	switch {
	case dir == ".":
		return ""
	case s.paths:
		return dir
	}
	return path.Base(dir)
}

// sentence has its first letter as the history has it. A first word that is a name, as HTTP, getUser and max_items are, stays.
func (s Style) sentence(text string) string {
	text = strings.TrimRight(strings.Join(strings.Fields(text), " "), ". ")
	word, _, _ := strings.Cut(text, " ")
	letters := []rune(word)
	if len(letters) == 0 || !s.upper && !s.lower {
		return text
	}
	for _, c := range letters[1:] {
		if !unicode.IsLower(c) && c != '-' && c != '\'' && c != ',' {
			return text
		}
	}
	to := unicode.ToUpper
	if s.lower {
		to = unicode.ToLower
	}
	return string(to(letters[0])) + strings.TrimPrefix(text, string(letters[0]))
}

// cut is at most so many characters of a text, to the end of a word.
func cut(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	short := string(r[:most]) // a word that ends here is whole
	if i := strings.LastIndexByte(short, ' '); i > 0 && r[most] != ' ' {
		short = short[:i]
	}
	return strings.TrimRight(short, " ,;:")
}

// Revert is the subject of a commit that takes others back: in git's own words, or of the type that is for it.
func (s Style) Revert(subjects []string) string {
	first, more := subjects[0], ""
	if len(subjects) > 1 {
		more = " and others"
	}
	before, after := `Revert "`, `"`+more
	if s.conventional {
		before, after = "revert: ", more
		if m := conventional().FindStringSubmatch(first); m != nil {
			first = m[1]
		}
	}
	return before + cut(first, longest-len([]rune(before+after))) + after
}
