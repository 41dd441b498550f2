package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/git"
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
	out := make([]Change, 0, len(diff))
	for _, d := range diff {
		out = append(out, Change{
			Path: d.Path, Status: d.Status, OldMode: d.OldMode, NewMode: d.NewMode, OldID: d.OldID, NewID: d.NewID,
			Old: blobs[d.OldID], New: blobs[d.NewID],
		})
	}
	return out, nil
}

// readFiles are the files of a tree that are wanted, by path.
func (c *Checker) readFiles(ctx context.Context, tree string, want func(git.Entry) bool) (map[string][]byte, error) {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e git.Entry) bool { return !want(e) })
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	blobs, err := c.repo.ReadBlobs(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(entries))
	for _, e := range entries {
		out[e.Path] = blobs[e.ID]
	}
	return out, nil
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
func newLines(from, to []byte) map[int]bool {
	return numbersOf(added(from, to))
}

func numbersOf(lines []line) map[int]bool {
	out := map[int]bool{}
	for _, l := range lines {
		out[l.n] = true
	}
	return out
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
	have := map[string]int{}
	for _, s := range a {
		have[s]++
	}
	var out []line
	for i, s := range b {
		if have[s] > 0 {
			have[s]--
			continue
		}
		out = append(out, line{start + i + 1, s})
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
func hasWord(text, word string) bool {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; word != ""; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = at + len(word)
	}
	return false
}
