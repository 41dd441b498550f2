package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Change is one file that differs between two trees, with its contents.
type Change struct {
	Path             string
	Status           byte   // 'A', 'M', 'D', 'T'
	OldMode, NewMode string // git's modes, empty where there is no file
	OldID, NewID     string
	Old, New         []byte
}

// Changes lists what differs between two trees, with contents.
func Changes(ctx context.Context, repo *git.Repo, from, to string) ([]Change, error) {
	diff, err := repo.Diff(ctx, from, to)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	var ids []string
	for _, d := range diff {
		for _, x := range [][2]string{{d.OldID, d.OldMode}, {d.NewID, d.NewMode}} {
			if x[0] != "" && x[1] != moduleMode {
				ids = append(ids, x[0])
			}
		}
	}
	blobs, err := repo.ReadBlobs(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	return each(diff, func(d git.Change) Change {
		return Change{d.Path, d.Status, d.OldMode, d.NewMode, d.OldID, d.NewID, blobs[d.OldID], blobs[d.NewID]}
	}), nil
}

// asItWas is the edit that undoes a change.
func asItWas(ch Change) git.Edit { return git.Edit{Path: ch.Path, Mode: ch.OldMode, ID: ch.OldID} }

// asItIs is the edit that makes a change.
func asItIs(ch Change) git.Edit { return git.Edit{Path: ch.Path, Mode: ch.NewMode, ID: ch.NewID} }

// entriesOf are the files of a tree, by path.
func (c *Checker) entriesOf(ctx context.Context, tree string) (map[string]git.Entry, error) {
	list, err := c.repo.ReadTree(ctx, tree)
	return mapOf(list, func(e git.Entry) (string, git.Entry) { return e.Path, e }), err
}

// readFiles are the files of a tree that are wanted, by path.
func (c *Checker) readFiles(ctx context.Context, tree string, want func(git.Entry) bool) (map[string][]byte, error) {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	return c.texts(ctx, each(those(entries, want), func(e git.Entry) step.File { return step.File{Path: e.Path, ID: e.ID} }))
}

// readCode reads the sources and tests of an ecosystem that are mine.
func (c *Checker) readCode(ctx context.Context, tree, ecosystem string, mine func(file string) bool) (map[string][]byte, error) {
	return c.readFiles(ctx, tree, func(e git.Entry) bool {
		return e.Mode != linkMode && e.Mode != moduleMode && ecosystemOf(e.Path) == ecosystem && mine(e.Path) && !toolchain.IsTestData(e.Path)
	})
}

// texts are what is in files, by path.
func (c *Checker) texts(ctx context.Context, files []step.File) (map[string][]byte, error) {
	blobs, err := c.repo.ReadBlobs(ctx, each(files, func(f step.File) string { return f.ID }))
	if err != nil {
		return nil, err
	}
	return mapOf(files, func(f step.File) (string, []byte) { return f.Path, blobs[f.ID] }), nil
}

// openEdited makes a place, as [Checker.open] does, for a tree with other versions of some files.
func (c *Checker) openEdited(ctx context.Context, proof step.Shows, tree string, edits []git.Edit, base string, chain toolchain.Found, more ...toolchain.Found) (*place, error) {
	tree, err := c.repo.EditTree(ctx, tree, edits)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, proof, tree, base, chain, more...)
}

// Git's file modes.
const (
	linkMode   = "120000"
	moduleMode = "160000"
)

// line is a line of a text with its number.
type line struct {
	n    int
	text string
}

// added lists the lines of to that are not in from, by a longest common subsequence where the texts are small enough,
// else by counting equal lines.
func added(from, to []byte) []line { return addedTo(splitLines(from), splitLines(to)) }

func addedTo(a, b []string) []line {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	a, b = a[start:endA], b[start:endB]
	const most = 4 << 20
	if len(a)*len(b) > most {
		return addedByCount(a, b, start)
	}
	return addedByOrder(a, b, start)
}

// newLines are the numbers of the lines that are added.
func newLines(from, to []byte) map[int]bool { return numbersOf(added(from, to)) }

func numbersOf(lines []line) map[int]bool {
	return setOf(each(lines, func(l line) int { return l.n }))
}

func splitLines(s []byte) []string {
	if len(s) == 0 {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(string(s), "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func addedByCount(a, b []string, start int) []line {
	known := oneFor(a)
	var out []line
	for i, s := range b {
		if !known(s) {
			out = append(out, line{start + i + 1, s})
		}
	}
	return out
}

func addedByOrder(a, b []string, start int) []line {
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []line
	i, j := 0, 0
	for j < len(b) {
		switch {
		case i < len(a) && a[i] == b[j]:
			i++
			j++
		case i < len(a) && common[i+1][j] >= common[i][j+1]:
			i++
		default:
			out = append(out, line{start + j + 1, b[j]})
			j++
		}
	}
	return out
}

// hasWord reports whether word stands in text as a word of its own. Letters are those of every script.
func hasWord(text, word string) bool { return standsAlone(text, word, inWord) }

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// standsAlone reports whether word stands in text, and no character beside it is such.
func standsAlone(text, word string, such func(rune) bool) bool {
	for from := 0; word != ""; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !such(before) && !such(after) {
			return true
		}
		from = at + len(word)
	}
	return false
}

// changeOf is the one of some changes that is of a file. There has to be one.
func changeOf(changes []Change, file string) Change {
	return changes[slices.IndexFunc(changes, func(ch Change) bool { return ch.Path == file })]
}
