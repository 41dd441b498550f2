package works

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"
)

// Mend repairs what can be repaired without guessing: the files to write, by path. Nothing that a
// file says is lost and no file is removed; a tree that was mended needs no mending. Every problem
// that it repairs says so in its hint.
func Mend(t *Tree) map[string][]byte {
	out := map[string][]byte{}
	for range rounds {
		round := t.mend()
		if len(round) == 0 {
			break
		}
		maps.Copy(out, round)
		files := maps.Clone(t.sources)
		maps.Copy(files, round)
		t = Read(slices.Collect(maps.Keys(files)), func(p string) []byte { return files[p] }, t.fallback)
	}
	return out
}

// rounds is more than one repair can make room for others: a result that is found finishes its
// WORK, whose row is closed then.
const rounds = 8

// mend is one round of Mend.
func (t *Tree) mend() map[string][]byte {
	out := map[string][]byte{}
	write := func(p string, src []byte) {
		if old, ok := t.sources[p]; (!ok && len(src) > 0) || (ok && !bytes.Equal(old, src)) {
			out[p] = src
		}
	}
	for _, w := range t.Works {
		if p := w.paths["PLAN.md"]; p != "" {
			write(p, mendPlan(t.sources[p]))
		}
		if p := w.paths["PROGRESS.md"]; p != "" {
			write(p, mendProgress(t.sources[p]))
		}
		for _, p := range w.other {
			if to := w.resultFor(p); to != "" && out[to] == nil {
				write(to, t.sources[p])
			}
		}
	}
	if t.List != nil || len(t.Works) > 0 {
		write(t.ListPath, t.mendList(t.sources[t.ListPath]))
	}
	return out
}

// mendPlan takes "PLAN" out of the title and gives tasks headings of level 3.
func mendPlan(src []byte) []byte {
	e := newEditor(src)
	inTask, inTasks, titled := false, false, false
	for i, l := range e.page.lines {
		if l.level == 0 {
			continue
		}
		title := strings.TrimSpace(strings.TrimLeft(strings.TrimLeft(l.text, " "), "#"))
		switch {
		case l.level == 1 && !titled:
			titled = true
			if m := planTitleRE().FindStringSubmatch(title); m != nil && m[1] != "" {
				e.set(i, strings.Replace(e.text(i), m[1], "", 1))
			}
		case l.level == 2 && taskTitleRE().MatchString(title):
			e.set(i, strings.Replace(e.text(i), "##", "###", 1))
			if !inTasks { // a task belongs under Tasks
				e.set(i, "## Tasks"+e.eol+e.text(i))
			}
			inTask, inTasks = true, true
		case l.level <= 2:
			name, _ := known(title)
			inTask, inTasks = false, name == "Tasks"
		case inTask && l.level < 6:
			e.set(i, strings.Replace(e.text(i), "#", "##", 1))
		}
	}
	return e.bytes()
}

// mendProgress writes the states of done tasks as the format wants them.
func mendProgress(src []byte) []byte {
	e := newEditor(src)
	for _, r := range tableRows(e.page.lines) {
		if taskID(r.cell(0)) != "" && readStatus(r.cell(2)) == Done {
			e.set(r.no-1, setCell(e.text(r.no-1), 2, taskCells[0].cell))
		}
	}
	return e.bytes()
}

// mendList repairs rows with too many cells, raises or adds LAST_WORK_ID, adds rows of WORKs that
// have none, and closes those whose TASKs are all done.
func (t *Tree) mendList(src []byte) []byte {
	e := newEditor(src)
	cols := columns(e.page.lines)
	for i, l := range e.page.lines {
		if have, why := readRow(l, cols); have == nil || why == "" {
			continue
		}
		if fixed, ok := mendRow(e.text(i), cols); ok {
			e.set(i, fixed)
		}
	}
	src = e.bytes()
	mended, _ := ParseList("", src)
	for _, w := range t.Works {
		row := mended.row(w.ID)
		if !w.isListed() || row != nil && (row.Status != InProgress || !w.IsDone() || t.isMixed(w.ID)) {
			continue
		}
		r := Row{Work: w.ID, Title: t.Title(w), Status: InProgress}
		if w.Plan != nil {
			r.Created = w.Plan.Created
		}
		if w.IsDone() {
			r.Status, r.Completed = Done, w.completed()
		}
		src, _ = UpdateList(src, r, w.Languages.Output)
	}
	if l, _ := ParseList("", src); len(l.Rows) > 0 {
		e = newEditor(src)
		e.headLast()
		e.raiseLast(l.highest())
		src = e.bytes()
	}
	return src
}

// completed is when the last TASK of a WORK was.
func (w *Work) completed() time.Time {
	var last time.Time
	for _, x := range w.Tasks {
		if x.Result != nil && x.Result.Completed.After(last) {
			last = x.Result.Completed
		}
	}
	return last
}
