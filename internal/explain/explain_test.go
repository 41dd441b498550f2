package explain_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/explain"
	"github.com/jacquard-build/jacquard/internal/report"
)

var update = flag.Bool("update", false, "rewrite docs/reference/codes.md")

func groups(t *testing.T) []explain.Group {
	t.Helper()
	return groupsIn(t, "en")
}

func groupsIn(t *testing.T, lang string) []explain.Group {
	t.Helper()
	out, err := explain.Groups(lang)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEveryCodeIsExplained compares the texts with the codes of the program.
func TestEveryCodeIsExplained(t *testing.T) {
	t.Parallel()
	codes := all(t)
	for _, g := range groups(t) {
		have := map[string]bool{}
		for _, e := range g.Codes {
			if have[e.Code] {
				t.Errorf("codes/%s.md: %s is there twice", g.Name, e.Code)
			}
			have[e.Code] = true
			if codes[g.Name][e.Code] == "" {
				t.Errorf("codes/%s.md: %s is no code of the program: remove it", g.Name, e.Code)
			}
		}
		for _, code := range slices.Sorted(maps.Keys(codes[g.Name])) {
			if !have[code] {
				t.Errorf("%s: the code %s is not explained: add it to internal/explain/codes/%s.md", codes[g.Name][code], code, g.Name)
			}
		}
		delete(codes, g.Name)
	}
	for name := range codes {
		t.Errorf("no file of internal/explain/codes explains the codes of the group %s", name)
	}
}

// TestTexts holds the texts to their form: a list has one line of 80 columns for each code, and no text has words that nobody
// outside understands.
func TestTexts(t *testing.T) {
	t.Parallel()
	for _, g := range groups(t) {
		wide := 0
		for _, e := range g.Codes {
			wide = max(wide, utf8.RuneCountInString(e.Code))
		}
		for _, e := range g.Codes {
			if n := utf8.RuneCountInString(e.Line); n > 80-4-wide {
				t.Errorf("codes/%s.md: %s: the first sentence has %d characters, want at most %d: %s", g.Name, e.Code, n, 80-4-wide, e.Line)
			}
			if strings.TrimSpace(e.Example) == "" {
				t.Errorf("codes/%s.md: %s has no example", g.Name, e.Code)
			}
			for what, text := range map[string]string{"meaning": e.Means, "Why": e.Why, "Fix": e.Fix} {
				if !strings.HasSuffix(text, ".") {
					t.Errorf("codes/%s.md: %s: %s is no sentence: %q", g.Name, e.Code, what, text)
				}
				if n := strings.Count(text, ". "); n > 3 {
					t.Errorf("codes/%s.md: %s: %s has %d sentences, want at most 4", g.Name, e.Code, what, n+1)
				}
				for _, word := range []string{"mended", " mend ", "stands", "nobody judges", "engine", "seat"} {
					if strings.Contains(text, word) {
						t.Errorf("codes/%s.md: %s: %s says %q", g.Name, e.Code, what, word)
					}
				}
			}
		}
	}
}

// TestTranslation: each text is there in Korean, its first sentence fits into the list, its code spans are those of the English text, and it was
// translated from the English text that there is now: codes/ko/sources.txt has a digest of each. -update writes it, after the texts.
func TestTranslation(t *testing.T) {
	t.Parallel()
	const file = "codes/ko/sources.txt"
	var sources strings.Builder
	spans := func(text string) []string {
		out := regexp.MustCompile("`[^`]+`").FindAllString(text, -1)
		slices.Sort(out)
		return slices.Compact(out)
	}
	korean := groupsIn(t, "ko")
	for i, g := range groups(t) {
		wide := 0
		for _, e := range g.Codes {
			wide = max(wide, utf8.RuneCountInString(e.Code))
		}
		for k, e := range g.Codes {
			ko := korean[i].Codes[k]
			if n := report.Width(ko.Line); n > 80-4-wide {
				t.Errorf("codes/ko/%s.md: %s: the first sentence is %d columns wide, want at most %d: %s", g.Name, e.Code, n, 80-4-wide, ko.Line)
			}
			for what, text := range map[string][2]string{"meaning": {e.Means, ko.Means}, "Why": {e.Why, ko.Why}, "Fix": {e.Fix, ko.Fix}} {
				if !regexp.MustCompile(`\p{Hangul}.*\.$`).MatchString(text[1]) {
					t.Errorf("codes/ko/%s.md: %s: %s is no Korean sentence: %q", g.Name, e.Code, what, text[1])
				}
			}
			if a, b := spans(e.Means+e.Why+e.Fix), spans(ko.Means+ko.Why+ko.Fix); !slices.Equal(a, b) {
				t.Errorf("codes/ko/%s.md: %s has the spans %v, want %v", g.Name, e.Code, b, a)
			}
			sum := sha256.Sum256([]byte(e.Means + "\n" + e.Why + "\n" + e.Fix))
			fmt.Fprintf(&sources, "%s %s %x\n", g.Name, strings.ReplaceAll(e.Code, " ", "_"), sum[:4])
		}
	}
	have := kept(t, file, sources.String())
	was := map[string]bool{}
	for line := range strings.Lines(have) {
		was[line] = true
	}
	for line := range strings.Lines(sources.String()) {
		if !was[line] {
			t.Errorf("the English text of %s has changed: translate it again in codes/ko, then go test ./internal/explain -update", strings.Join(strings.Fields(line)[:2], " "))
		}
	}
}

// kept is what a file holds; -update writes a text into it before.
func kept(t *testing.T, file, text string) string {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(have)
}

func TestFind(t *testing.T) {
	t.Parallel()
	all := groups(t)
	for given, want := range map[string]string{
		"mutant-survived":              "finding mutant-survived",
		"[Mutant-Survived]":            "finding mutant-survived",
		"mutant_survived":              "finding mutant-survived",
		"3":                            "exit 3",
		"exit 3":                       "exit 3",
		"exit code 3":                  "exit 3",
		"Exit-Code":                    "level exit code",
		"not checked":                  "level not checked",
		"limit(3) qa":                  "class limit, end limit",
		"blocked: money was not built": "end blocked",
		"turn-crashed":                 "finding turn-*",
		"spec-differs":                 "finding spec-differs",
		"spec-error":                   "finding spec-*",
		"failed":                       "state failed, class failed, end FAILED",
		"no_progress":                  "end no_progress",
		"":                             "",
		"turn-":                        "",
		"*":                            "",
		"secrets":                      "",
	} {
		var got []string
		for _, e := range explain.Find(all, given) {
			got = append(got, e.Group+" "+e.Code)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("Find(%q) = %s, want %s", given, text, want)
		}
	}
}

// TestDocument compares docs/reference/codes.md with the texts; -update writes it.
func TestDocument(t *testing.T) {
	t.Parallel()
	const file = "../../docs/reference/codes.md"
	var b strings.Builder
	b.WriteString("# Codes\n\n<!-- Written by: go test ./internal/explain -update -->\n\n" +
		"All codes that Jacquard prints. `jacquard explain CODE` says of each what it means, why it exists, how to fix it, and shows an example; the links lead to the same texts.\n")
	for _, g := range groups(t) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| code | means |\n|---|---|\n", g.Title, g.Intro)
		anchors := map[string]bool{}
		for _, e := range g.Codes {
			anchor := strings.NewReplacer(" ", "-", "*", "").Replace(strings.ToLower(e.Code))
			if anchors[anchor] { // Parent and parent
				anchor += "-1"
			}
			anchors[anchor] = true
			fmt.Fprintf(&b, "| [`%s`](../../internal/explain/codes/%s.md#%s) | %s |\n", e.Code, g.Name, anchor, e.Line)
		}
	}
	have := kept(t, file, b.String())
	if have != b.String() {
		t.Errorf("%s is out of date: go test ./internal/explain -update", file)
	}
}
