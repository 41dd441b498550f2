package works

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Action is what happens to a file.
type Action string

// The actions.
const (
	Create Action = "CREATE"
	Modify Action = "MODIFY"
	Delete Action = "DELETE"
)

// File is a file that a TASK is about.
type File struct {
	Path   string
	Action Action // "" where it is not said
	Note   string // what it is for, or what happened to it
}

var (
	actionRE = re.New(`(?i)^(CREATED?|ADD(?:ED)?|NEW|MODIFY|MODIFIED|UPDATED?|CHANGED?|DELETED?|REMOVED?|신규|추가|생성|수정|변경|삭제|作成|変更|削除)(?:$|[\s:：,.;)\]—–-])`)
	pathRE   = re.New(`^(.*?)(?:\s+(?:[—–]|--?)\s+|\s*[:：]\s+|\s+(\()|$)`)
)

// ActionOf is the action behind git's letter for a change, "" for one that is none of these.
func ActionOf(letter string) Action {
	return map[string]Action{"A": Create, "M": Modify, "T": Modify, "D": Delete}[letter]
}

// readAction finds the action at the start of a text, and what follows it.
func readAction(s string) (Action, string) {
	m := actionRE().FindStringSubmatchIndex(s)
	if m == nil {
		return "", s
	}
	word, rest := strings.ToUpper(s[:m[3]]), s[m[3]:]
	switch {
	case strings.HasPrefix(word, "CREAT"), strings.HasPrefix(word, "ADD"), word == "NEW", word == "신규", word == "추가", word == "생성", word == "作成":
		return Create, rest
	case strings.HasPrefix(word, "DELET"), strings.HasPrefix(word, "REMOV"), word == "삭제", word == "削除":
		return Delete, rest
	}
	return Modify, rest
}

// file writes one entry of a list of files.
func (w *writer) file(margin string, f File) {
	if inline(f.Path) == "" {
		return
	}
	s := margin + "- " + code(f.Path)
	if f.Action != "" {
		s += " — " + inline(string(f.Action))
	}
	if note := inline(f.Note); note != "" {
		s += " — " + note
	}
	w.line(s)
}

// readFile reads one entry of a list of files: the path as code or bare, then the action where the
// list has actions, then the note. Real files also say "(moved: a → b)" instead of the action.
func readFile(s string, actions bool) File {
	path, rest, ok := cutCode(s)
	if !ok {
		m := pathRE().FindStringSubmatchIndex(s)
		path, rest = s[m[2]:m[3]], s[m[1]:]
		if m[4] >= 0 {
			rest = s[m[4]:]
		}
	}
	f := File{Path: strings.TrimSpace(path)}
	rest = dash(rest)
	if actions {
		inner := strings.TrimLeft(rest, "([")
		if a, tail := readAction(inner); a != "" {
			if len(inner) < len(rest) {
				tail = strings.TrimRight(tail, ")]")
			}
			f.Action, rest = a, dash(strings.TrimLeft(tail, ")]"))
		}
	}
	f.Note = rest
	return f
}

// dash drops what separates the parts of an entry.
func dash(s string) string {
	s = strings.TrimSpace(s)
	for _, d := range []string{"—", "–", "--", "-", ":", "："} {
		if rest, ok := strings.CutPrefix(s, d); ok {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// files reads a list of files: what stands behind its key, then the entries under it.
func files(first string, below []line, actions bool) []File {
	var out []File
	if !isNone(first) {
		out = append(out, readFile(inline(first), actions))
	}
	for _, it := range listed(below) {
		if f := readFile(it.oneLine(), actions); f.Path != "" {
			out = append(out, f)
		}
	}
	return out
}
