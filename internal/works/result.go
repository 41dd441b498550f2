package works

import (
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Result is a TASK-NN_result.md. That it exists says that its TASK is done.
type Result struct {
	Task      string // TASK-00
	Work      string // WORK-01
	Title     string // of the WORK
	Language  string // of the headings: en, ko or ja
	Direct    bool   // the short form of a WORK in direct mode
	Completed time.Time
	Status    Status
	Commit    string // read from files of 1.3.1 and before; never written, as it was always stale
	Summary   string // in a direct result one line
	Checklist []Criterion
	Checks    []Check
	Files     []File
	Issues    string
	Notes     string
	Builder   string  // the builder's context in short
	Verifier  Handoff // the verifier's context in full
}

// Handoff is what one stage tells the next.
type Handoff struct {
	What, Why, Caution, Incomplete string
}

// Verdict is the outcome of a check.
type Verdict string

// The outcomes.
const (
	Pass  Verdict = "PASS"
	Fail  Verdict = "FAIL"
	Skip  Verdict = "SKIP"
	Warn  Verdict = "WARN"
	NoRun Verdict = "N/A"
)

// Check is one check of a TASK and what came of it.
type Check struct {
	Name   string
	Status Verdict
	Count  int // of tests, 0 where it is not said
	Output string
}

const minuteLayout = "2006-01-02 15:04"

var verdictMarks = []struct {
	verdict Verdict
	mark    string
}{{Pass, "✅"}, {Fail, "❌"}, {Warn, "⚠️"}, {NoRun, "N/A"}, {Skip, "SKIP"}}

// Format writes the document.
func (r *Result) Format() []byte {
	var w writer
	w.title(inline(r.Task + " Result"))
	w.b.WriteByte('\n')
	w.meta("WORK", inline(r.Work)+" — "+inline(r.Title))
	w.meta("Completed", when(r.Completed, minuteLayout))
	status := inline(string(r.Status))
	if status != "" {
		status = "**" + status + "**"
	}
	w.meta("Status", status)
	if r.Direct {
		w.meta("Execution-Mode", string(Direct))
		w.section(r.Language, "Summary")
		w.text(inline(r.Summary))
		w.section("", "Files Changed")
		w.fileList(r.Files, true)
		w.section("", "Verification")
		w.checks(r.Checks, true)
		return w.bytes()
	}
	w.section(r.Language, "Summary")
	w.text(r.Summary)
	w.section(r.Language, "Completed Checklist")
	w.criteria(r.Checklist)
	w.section(r.Language, "Verification Results")
	w.checks(r.Checks, false)
	w.section(r.Language, "Files Changed")
	for _, g := range fileGroups {
		w.line("### " + g.title)
		w.fileList(group(r.Files, g.action), false)
	}
	w.section(r.Language, "Issues Encountered")
	w.text(r.Issues)
	w.section(r.Language, "Notes for Subsequent Tasks")
	w.text(r.Notes)
	w.section(r.Language, "Context Handoff")
	w.line("### Builder Context (SUMMARY)")
	w.text(r.Builder)
	w.line("### Verifier Context (FULL)")
	w.field("What", r.Verifier.What)
	w.field("Why", r.Verifier.Why)
	w.field("Caution", r.Verifier.Caution)
	w.field("Incomplete", r.Verifier.Incomplete)
	return w.bytes()
}

var fileGroups = []struct {
	title  string
	action Action
}{{"Created", Create}, {"Modified", Modify}, {"Deleted", Delete}}

// group are the files with an action; one that does not say was modified.
func group(files []File, a Action) []File {
	var out []File
	for _, f := range files {
		if f.Action == a || a == Modify && f.Action != Create && f.Action != Delete {
			out = append(out, f)
		}
	}
	return out
}

func (w *writer) fileList(files []File, actions bool) {
	some := false
	for _, f := range files {
		if !actions {
			f.Action = ""
		}
		some = some || inline(f.Path) != ""
		w.file("", f)
	}
	w.none(!some)
}

// checks writes outcomes as marks or, in a direct result, as words.
func (w *writer) checks(list []Check, words bool) {
	for _, c := range list {
		mark := string(c.Status)
		for _, m := range verdictMarks {
			if m.verdict == c.Status && !words {
				mark = m.mark
			}
		}
		s := "- " + checkName(c.Name) + ": " + inline(mark)
		if out := inline(c.Output); out != "" {
			s += " (" + out + ")"
		}
		w.line(s)
	}
	w.none(len(list) == 0)
}

// checkName is a name that ends where its colon is.
func checkName(s string) string {
	return inline(strings.NewReplacer(":", "-", "：", "-", "*", "").Replace(s))
}

// ParseResult reads a TASK-NN_result.md. The document is never nil.
func ParseResult(path string, src []byte) (*Result, []spec.Problem) {
	p := newPage(path, src)
	r := &Result{}
	title, head, rest := p.document()
	r.Task = taskID(title.title)
	r.Language = spoken(rest)
	p.resultMeta(r, meta(head.body), title.no)
	have := map[string]bool{}
	for _, s := range rest {
		name, _ := known(s.title)
		have[name] = true
		switch name {
		case "Summary":
			r.Summary = prose(s.body)
		case "Completed Checklist":
			r.Checklist = append(r.Checklist, criteria(s.body)...)
		case "Verification Results", "Verification":
			r.Checks = append(r.Checks, checks(s.body)...)
		case "Files Changed":
			r.Files = append(r.Files, changed(s.body)...)
		case "Issues Encountered":
			r.Issues = prose(s.body)
		case "Notes for Subsequent Tasks":
			r.Notes = prose(s.body)
		case "Context Handoff":
			_, subs := split(s.body, 3)
			for _, sub := range subs {
				switch name, _ = known(sub.title); name {
				case "Builder Context (SUMMARY)":
					r.Builder = prose(sub.body)
				case "Verifier Context (FULL)":
					r.Verifier = handoff(sub.body)
				}
			}
		}
	}
	if !have["Context Handoff"] && !r.Direct {
		p.warn(0, "the result has no section '"+heading(r.Language, "Context Handoff")+"'", "add it, so that the next TASK knows what this one did")
	}
	return r, p.problems()
}

func (p *page) resultMeta(r *Result, fs []field, line int) {
	if f, ok := find(fs, "work"); ok {
		r.Work = workID(f.value)
		if m := taskWorkRE().FindStringSubmatch(f.value); m != nil {
			r.Title = m[2]
		}
	}
	if f, ok := find(fs, "completed", "완료", "완료일", "完了"); ok && f.value != "" {
		r.Completed = p.time(f, minuteLayout)
	} else {
		p.warn(line, "the result does not say when it was completed", "add '> Completed: YYYY-MM-DD HH:MM'")
	}
	if f, ok := find(fs, "status", "상태"); ok && f.value != "" {
		r.Status = p.status(f, Done)
	}
	if f, ok := find(fs, "commit", "커밋"); ok {
		r.Commit = orNone(strings.Trim(f.value, "` "))
	}
	if f, ok := find(fs, "execution-mode"); ok {
		mode, _ := readMode(f.value)
		r.Direct = mode == Direct
	}
}

// checks reads outcomes.
func checks(lines []line) []Check {
	var out []Check
	for _, it := range listed(lines) {
		name, rest := it.oneLine(), ""
		if i := strings.IndexAny(name, ":："); i >= 0 {
			name, rest = name[:i], strings.TrimPrefix(strings.TrimPrefix(name[i:], ":"), "：")
		}
		c := Check{Name: checkName(name)}
		rest = strings.Trim(rest, " *")
		for _, m := range verdictMarks {
			for _, mark := range []string{m.mark, string(m.verdict)} {
				if len(rest) >= len(mark) && strings.EqualFold(rest[:len(mark)], mark) && c.Status == "" {
					c.Status, rest = m.verdict, strings.TrimSpace(rest[len(mark):])
				}
			}
		}
		if inner, ok := strings.CutPrefix(rest, "("); ok && strings.HasSuffix(inner, ")") {
			rest = strings.TrimSuffix(inner, ")")
		}
		c.Output = inline(rest)
		out = append(out, c)
	}
	return out
}

// changed reads the files of a result: in groups, or as a flat list.
func changed(lines []line) []File {
	head, subs := split(lines, 3)
	out := files("", head.body, true)
	for _, s := range subs {
		name, _ := known(s.title)
		for _, g := range fileGroups {
			if g.title != name {
				continue
			}
			for _, f := range files("", s.body, false) {
				f.Action = g.action
				out = append(out, f)
			}
		}
	}
	return out
}

// handoff reads a context; one without keys is all what was done.
func handoff(lines []line) Handoff {
	var h Handoff
	hasKeys := false
	list, _ := items(lines)
	for _, it := range list {
		key, value, _ := keyed(it.text)
		switch key {
		case "what":
			h.What, hasKeys = it.block(value), true
		case "why":
			h.Why = it.block(value)
		case "caution":
			h.Caution = it.block(value)
		case "incomplete":
			h.Incomplete = it.block(value)
		}
	}
	if h == (Handoff{}) && !hasKeys {
		h.What = prose(lines)
	}
	return h
}
