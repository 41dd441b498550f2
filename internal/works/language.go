package works

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Languages are the languages that a WORK is written in.
type Languages struct {
	Output  string // documents and answers
	Commit  string // titles and bodies of commits
	Comment string // comments in code
}

var languageRE = re.New(`(?i)^\s*(?:[-*+]\s+)?\**(Language|CommitLanguage|CommentLanguage|언어)\**\s*[:：]\**\s*(.*)$`)

var languageNames = map[string]string{
	"english": "en", "영어": "en", "英語": "en", "korean": "ko", "한국어": "ko", "韓国語": "ko", "japanese": "ja", "일본어": "ja", "日本語": "ja",
}

var codeRE = re.New(`(?i)^([a-z]{2})(?:[-_][a-z0-9]{2,8})*\b`)

// readLanguage is the code in what people write: "ko", "ko-KR", "Korean", "`ko`".
func readLanguage(s string) string {
	s = strings.ToLower(strings.Trim(strings.TrimSpace(s), "*`\"'() "))
	for name, code := range languageNames {
		if strings.HasPrefix(s, name) {
			return code
		}
	}
	// "Language: Go" is about the code.
	if m := codeRE().FindStringSubmatch(s); m != nil && !slices.Contains([]string{"go", "js", "ts", "py", "rs"}, m[1]) {
		return m[1]
	}
	return ""
}

// LanguageOf is the language of a text by its letters, as far as they tell one: ko for Hangul, ja for Kana, else "".
func LanguageOf(text string) string {
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Hangul, r):
			return "ko"
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "ja"
		}
	}
	return ""
}

// ReadLanguages finds the languages of a WORK: what its plan says, then the CLAUDE.md of the
// project (a line "Language: ko", or a section "## Language" with the code under it), then the
// caller's fallback, then English. CommitLanguage and CommentLanguage of CLAUDE.md win for
// theirs. Plan and CLAUDE.md may be nil.
func ReadLanguages(plan *Plan, claude []byte, fallback string) Languages {
	var said Languages
	section := false
	for _, l := range newPage("", claude).lines {
		if l.code != noFence {
			continue
		}
		text := strings.TrimSpace(l.text)
		m := languageRE().FindStringSubmatch(text)
		switch {
		case l.level > 0:
			title := strings.ToLower(strings.Trim(text, "# :"))
			section = title == "language" || title == "언어" || title == "output language"
		case m != nil:
			at := &said.Output
			switch strings.ToLower(m[1]) {
			case "commitlanguage":
				at = &said.Commit
			case "commentlanguage":
				at = &said.Comment
			}
			*at = cmp.Or(*at, readLanguage(m[2]))
		case section && text != "":
			section = false
			said.Output = cmp.Or(said.Output, readLanguage(strings.TrimLeft(text, "-*+ ")))
		}
	}
	if plan != nil {
		said.Output = cmp.Or(readLanguage(plan.Language), said.Output)
	}
	said.Output = cmp.Or(said.Output, readLanguage(fallback), "en")
	said.Commit, said.Comment = cmp.Or(said.Commit, said.Output), cmp.Or(said.Comment, said.Output)
	return said
}
