// Package explain has a text for every code that the program prints: findings, exit codes, states, failure classes, levels of
// proof and the words that say why something ended. The texts are data, one Markdown file a group in the folder codes.
// The tests compare them with the codes that the program has.
package explain

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed codes/*.md codes/ko/*.md
var files embed.FS

// order is the order in which the groups are listed; each is a file of the folder codes.
var order = []string{"finding", "prove", "drift", "spec", "phase", "exit", "state", "class", "level", "end", "stale", "verify", "test", "word"}

// Group is the codes of one kind, sorted by code.
type Group struct {
	Name  string  `json:"group"`
	Title string  `json:"title"`
	Intro string  `json:"intro"`
	Codes []Entry `json:"codes"`
}

// Entry explains one code. No text has line breaks but Example, which is English in each language.
type Entry struct {
	Group   string `json:"group"`
	Code    string `json:"code"`
	Line    string `json:"line"`  // the first sentence of Means
	Means   string `json:"means"` // what it says
	Why     string `json:"why"`   // why it exists
	Fix     string `json:"fix"`   // what to do
	Example string `json:"example"`
}

// Groups returns all groups with their codes, in a language: "ko", or English for any other. An error names the line of a text that cannot be
// read.
func Groups(lang string) ([]Group, error) {
	var out []Group
	for _, name := range order {
		g, err := read("codes/", name)
		if err == nil && lang == "ko" {
			var translated Group
			if translated, err = read("codes/ko/", name); err == nil {
				err = g.translate(translated)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read the texts: %w", err)
		}
		out = append(out, g)
	}
	return out, nil
}

func read(folder, name string) (Group, error) {
	src, err := files.ReadFile(folder + name + ".md")
	if err != nil {
		return Group{}, err
	}
	g, err := parse(name, string(src))
	if err != nil {
		return g, fmt.Errorf("%s%w", folder, err)
	}
	return g, nil
}

// translate takes all texts but the examples from a translation, which has the same codes.
func (g *Group) translate(to Group) error {
	g.Title, g.Intro = to.Title, to.Intro
	for i, e := range g.Codes {
		if i >= len(to.Codes) || to.Codes[i].Code != e.Code {
			return fmt.Errorf("%s.md: %s is not translated, or stands elsewhere", g.Name, e.Code)
		}
		g.Codes[i] = to.Codes[i]
		g.Codes[i].Example = e.Example
	}
	return nil
}

// Find returns the entries of a code, of which there may be one in each group. Case, brackets and quotes around it do not count,
// nor does what a message puts behind it: limit(3) and "blocked: money was not built" are limit and blocked.
func Find(groups []Group, code string) []Entry {
	want := key(code)
	out := matching(groups, func(e Entry) bool { return key(e.Code) == want })
	if len(out) == 0 {
		out = matching(groups, func(e Entry) bool {
			begin, open := strings.CutSuffix(key(e.Code), "*")
			return open && len(want) > len(begin) && strings.HasPrefix(want, begin)
		})
	}
	if len(out) == 0 { // exit code 3
		for _, word := range []string{"exit-code-", "exit-"} {
			if number, ok := strings.CutPrefix(want, word); ok {
				return matching(groups, func(e Entry) bool { return e.Group == "exit" && e.Code == number })
			}
		}
	}
	verdicts := matching(groups, func(e Entry) bool { return e.Group == "prove" && slices.Contains(out, e) }) // are what a person has seen
	return append(verdicts, slices.DeleteFunc(out, func(e Entry) bool { return e.Group == "prove" })...)
}

func matching(groups []Group, is func(Entry) bool) (out []Entry) {
	for _, g := range groups {
		for _, e := range g.Codes {
			if is(e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// key is what two spellings of a code have in common.
func key(code string) string {
	code = strings.Trim(strings.TrimSpace(code), "[]`'\"")
	if i := strings.IndexAny(code, ":("); i > 0 {
		code = code[:i]
	}
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(code)))
}
