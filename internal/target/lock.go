package target

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// LockName is the name of the lock at the project's root.
const LockName = "jacquard.lock"

const (
	lockVersion = 1
	lockHeader  = "# jacquard.lock v1 - what each module was built from; written by jacquard." +
		" In a merge conflict keep the lines of both sides.\n"
	lockPrefix = "# jacquard.lock v"
)

// State says how far a module's record goes.
type State string

// The states of a record.
const (
	Built     State = "built"     // its tests were seen to fail and then to pass
	Red       State = "red"       // its tests are delivered, its implementation is not
	Kept      State = "kept"      // existing files were kept and do not fulfil the spec; Why says how
	Unchecked State = "unchecked" // adopted as it was, without running its checks
)

// Use is the record of a dependency: where it was declared to be, and the hashes of the symbols
// that were used. Without symbols all of the interface was used and Hash is the hash of it.
type Use struct {
	Path    string            `json:"path"` // directory, or path of its spec, from the root
	Soft    bool              `json:"soft,omitempty"`
	Symbols map[string]string `json:"symbols,omitempty"`
	Hash    string            `json:"hash,omitempty"`
}

// Dir is the directory that the record names.
func (u *Use) Dir() string {
	dir, _ := spec.Dir(u.Path)
	return dir
}

// Entry is the record of one module.
type Entry struct {
	Dir         string            `json:"dir"`
	State       State             `json:"state"`
	Why         string            `json:"why,omitempty"`
	Spec        string            `json:"spec"`      // git's id of the spec
	Content     string            `json:"content"`   // [spec.ContentHash]
	Interface   string            `json:"interface"` // [spec.InterfaceHash]
	Conventions string            `json:"conventions,omitempty"`
	Own         string            `json:"own,omitempty"`     // [spec.ConventionHash] of this spec
	Plan        string            `json:"plan,omitempty"`    // [spec.PlanningHash]
	PlanID      string            `json:"plan_id,omitempty"` // git's id of IMPLEMENTS.md; "" is allowed
	Tool        string            `json:"tool,omitempty"`    // versions, for people only
	Uses        []Use             `json:"uses,omitempty"`
	Exports     map[string]string `json:"exports,omitempty"` // [spec.SymbolHashes]
	Items       map[string]string `json:"items,omitempty"`   // ids and hashes of [spec.Items]
	Files       map[string]string `json:"files,omitempty"`   // generated files from the root, and git's ids
	Tests       map[string]string `json:"tests,omitempty"`   // frozen tests from the root, and ids of their raw bytes
	// Covers maps ids of tests to the items that they were proved for.
	Covers map[string][]string `json:"covers,omitempty"`
}

// Lock is jacquard.lock. The zero value is an empty lock.
type Lock struct {
	rows  map[string][]row // by NFC directory; more than one only after a merge
	newer bool
}

// Newer reports whether the lock has a format that this program does not know. It reads as empty.
func (l *Lock) Newer() bool { return l.newer }

// row is one line, decoded as far as the question "is it up to date" needs.
type row struct {
	raw                              string
	state                            State
	why, spec, content, iface        string
	conv, own, plan, planID          string
	uses, exports, items, files, tst string
	covers                           string
	tool                             string
}

// ParseLock reads a lock. It never gives up: lines that cannot be read are left out and are one error. After a merge
// that kept both sides a module has two records, of which either may be the true one: a warning. A lock of a newer
// format is an error and reads as empty.
func ParseLock(src []byte) (*Lock, []spec.Problem) {
	l := &Lock{rows: map[string][]row{}}
	var ps []spec.Problem
	report := func(sev spec.Severity, line int, text, hint string) {
		ps = append(ps, spec.Problem{Path: LockName, Line: line, Col: 1, Severity: sev, Text: text, Hint: hint})
	}
	text := strings.ToValidUTF8(string(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))), "\uFFFD")
	conflict := false
	n, first, unread := 0, 0, 0
	for line := range strings.Lines(text) {
		n++
		whole := strings.HasSuffix(line, "\n")
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "":
		case strings.HasPrefix(line, lockPrefix):
			v, _, _ := strings.Cut(line[len(lockPrefix):], " ")
			if num, err := strconv.Atoi(v); err != nil || num > lockVersion {
				report(spec.Error, n, "the lock has format "+v+", this program knows "+strconv.Itoa(lockVersion), "use a newer jacquard")
				return &Lock{newer: true}, ps
			}
		case line[0] == '#':
		case isMarker(line):
			if !conflict {
				report(spec.Warning, n, "the lock has merge conflict markers; the lines of both sides were read", "delete the lines that begin <<<<<<<, ======= and >>>>>>>")
			}
			conflict = true
		default:
			dir, r, ok := parseRow(line)
			if ok && !whole { // what was cut off may look like a record
				report(spec.Error, n, "the last line of the lock has no line break, so it may have been cut off", "if it is whole, add one; if not, restore the lock: git checkout -- "+LockName)
				continue
			}
			if !ok {
				if unread++; unread == 1 {
					first = n
				}
				continue
			}
			if slices.ContainsFunc(l.rows[dir], func(have row) bool { return have.raw == r.raw }) {
				continue
			}
			if len(l.rows[dir]) > 0 {
				report(spec.Warning, n, "the lock has two records of "+dir, "the one that matches the tree counts; the next build fixes it")
			}
			l.rows[dir] = append(l.rows[dir], r)
		}
	}
	const hint = "to restore the file, run: git checkout -- " + LockName + ". A module whose line you delete is unverified"
	switch unread {
	case 0:
	case 1:
		report(spec.Error, first, "this line of the lock cannot be read", hint)
	default:
		report(spec.Error, first, "this line of the lock and "+strconv.Itoa(unread-1)+" more cannot be read", hint)
	}
	return l, ps
}

func isMarker(s string) bool {
	return slices.ContainsFunc([]string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"}, func(m string) bool { return strings.HasPrefix(s, m) })
}

// parseRow reads `dir key=value key=value…`.
func parseRow(line string) (string, row, bool) {
	r := row{raw: line}
	escaped, rest, ok := strings.Cut(line, " ")
	dir := unescape(escaped)
	if !ok || dir == "" {
		return "", r, false
	}
	fields := r.fields()
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, " ")
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return "", r, false
		}
		for _, f := range fields {
			if f.key != key {
				continue
			}
			if *f.to = value; !f.list {
				*f.to = unescape(value)
			}
			break
		}
	}
	switch r.state {
	case Built, Red, Kept, Unchecked:
	default:
		return "", r, false
	}
	return dir, r, r.content != ""
}

// field is what a key of a line sets; list says that it holds several things, which are decoded when they are needed.
type field struct {
	key  string
	to   *string
	list bool
}

// fields are those of a line, in the order in which they are written.
func (r *row) fields() [16]field {
	return [...]field{
		{"state", (*string)(&r.state), false},
		{"why", &r.why, false},
		{"spec", &r.spec, false},
		{"content", &r.content, false},
		{"iface", &r.iface, false},
		{"conv", &r.conv, false},
		{"own", &r.own, false},
		{"plan", &r.plan, false},
		{"planid", &r.planID, false},
		{"tool", &r.tool, false},
		{"uses", &r.uses, true},
		{"exports", &r.exports, true},
		{"items", &r.items, true},
		{"files", &r.files, true},
		{"tests", &r.tst, true},
		{"covers", &r.covers, true},
	}
}

// Bytes renders the lock: a header, then one line a module, sorted. Lines that were not changed
// are written as they were read.
func (l *Lock) Bytes() []byte {
	var b bytes.Buffer
	b.WriteString(lockHeader)
	for _, dir := range slices.Sorted(maps.Keys(l.rows)) {
		for _, r := range l.rows[dir] {
			b.WriteString(r.raw)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// Dirs lists the modules that the lock knows, sorted.
func (l *Lock) Dirs() []string { return slices.Sorted(maps.Keys(l.rows)) }

// Gone lists recorded modules that have no spec any more although code of theirs is there, sorted. Where it went with the spec, or to another
// module, they were removed.
func (l *Lock) Gone(module, has func(path string) bool) (out []string) {
	without := slices.DeleteFunc(l.Dirs(), module)
	if len(without) == 0 { // mostly: no row is decoded
		return nil
	}
	taken := map[string]bool{}
	for _, d := range slices.DeleteFunc(l.Dirs(), func(d string) bool { return !module(d) }) {
		e, _ := l.Entry(d)
		for f := range e.Files {
			taken[f] = true
		}
	}
	for _, d := range without {
		e, _ := l.Entry(d)
		if slices.ContainsFunc(slices.Collect(maps.Keys(e.Files)), func(f string) bool { return has(f) && !taken[f] }) {
			out = append(out, d)
		}
	}
	return out
}

// Entry returns the record of a module, the last one where there are several.
func (l *Lock) Entry(dir string) (Entry, bool) {
	rows := l.rows[nfc(dir)]
	if len(rows) == 0 {
		return Entry{}, false
	}
	return rows[len(rows)-1].entry(nfc(dir)), true
}

// State is how far the record of a module goes, the last one where there are several; "" without one.
func (l *Lock) State(dir string) State {
	rows := l.rows[nfc(dir)]
	if len(rows) == 0 {
		return ""
	}
	return rows[len(rows)-1].state
}

// Put records a module, in place of all its earlier records.
func (l *Lock) Put(e Entry) {
	e.Dir = nfc(e.Dir)
	if l.rows == nil {
		l.rows = map[string][]row{}
	}
	r := row{
		state: cmp.Or(e.State, Built), why: e.Why, spec: e.Spec, content: e.Content, iface: e.Interface, conv: e.Conventions, own: e.Own, plan: e.Plan, planID: e.PlanID, tool: e.Tool,
		uses: encodeUses(e.Uses), exports: encodeMap(e.Exports, ""), items: encodeMap(e.Items, ""),
		files: encodeMap(e.Files, e.Dir), tst: encodeMap(e.Tests, e.Dir), covers: encodeCovers(e.Covers, e.Dir),
	}
	var b strings.Builder
	b.WriteString(escape(e.Dir))
	for _, f := range r.fields() {
		value := *f.to
		if !f.list {
			value = escape(value)
		}
		if value != "" {
			b.WriteString(" " + f.key + "=" + value)
		}
	}
	_, r, ok := parseRow(b.String())
	if !ok { // an entry without content is a mistake of the program
		panic("target: lock entry of " + e.Dir + " has no content hash or an unknown state")
	}
	l.rows[e.Dir] = []row{r}
}

func (r *row) entry(dir string) Entry {
	return Entry{
		Dir: dir, State: r.state, Why: r.why, Spec: r.spec, Content: r.content,
		Interface: r.iface, Conventions: r.conv, Own: r.own,
		Plan: r.plan, PlanID: r.planID, Tool: r.tool,
		Uses: decodeUses(r.uses), Exports: decodeMap(r.exports, ""), Items: decodeMap(r.items, ""),
		Files: decodeMap(r.files, dir), Tests: decodeMap(r.tst, dir), Covers: decodeCovers(r.covers, dir),
	}
}

// nfc is the form in which paths are compared and recorded.
func nfc(s string) string { return norm.NFC.String(s) }
