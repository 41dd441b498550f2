package works

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// What is wrong between the documents of a tree; what is wrong inside of one was found when it was
// read.

func (t *Tree) warn(p string, line int, text, hint string) {
	pg := page{path: p}
	pg.warn(line, text, hint)
	t.Problems = append(t.Problems, pg.ps...)
}

func (t *Tree) examine() {
	folders := map[string]string{}
	for _, w := range t.Works {
		if first := folders[w.ID]; first != "" {
			t.warn(w.Folder, 0, "id mix: "+first+" is "+w.ID+" as well", "give one of the two another number, in its folder name and in its files")
		}
		folders[w.ID] = w.Folder
		t.ids(w)
		t.results(w)
		t.hashes(w)
		t.times(w)
		t.languages(w)
		t.mode(w)
		t.listed(w)
	}
	if t.List == nil {
		return
	}
	for _, r := range t.List.Rows {
		if folders[r.Work] == "" && r.Status == InProgress {
			t.warn(t.ListPath, r.line, r.Work+" is in progress, but has no folder", "start it again, or remove the row")
		}
		if !r.Completed.IsZero() && r.Completed.Before(r.Created) {
			t.warn(t.ListPath, r.line, "fabricated time: "+r.Work+" was completed on "+date(r.Completed)+", before it was created", "use the date of the last commit")
		}
	}
}

// ids finds files of one WORK or TASK among those of another.
func (t *Tree) ids(w *Work) {
	title := ""
	if w.Plan != nil {
		title = w.Plan.Title
		t.sameWork(w, w.paths["PLAN.md"], w.Plan.Work, "", "")
	}
	if w.Requirement != nil {
		t.sameWork(w, w.paths["Requirement.md"], w.Requirement.Work, "", "")
	}
	if w.Progress != nil {
		t.sameWork(w, w.paths["PROGRESS.md"], w.Progress.Work, w.Progress.Title, title)
	}
	for _, x := range w.Tasks {
		if x.Task != nil {
			t.sameTask(x, TaskFile, x.Task.ID)
			t.sameWork(w, x.paths[TaskFile], x.Task.Work, x.Task.WorkTitle, title)
		}
		if x.Result != nil {
			t.sameTask(x, ResultFile, x.Result.Task)
			t.sameWork(w, x.paths[ResultFile], x.Result.Work, x.Result.Title, title)
		}
		if x.Progress != nil {
			t.sameTask(x, ProgressFile, x.Progress.Task)
			t.sameFiles(x)
		}
	}
}

func (t *Tree) sameWork(w *Work, p, id, title, planned string) {
	if id != "" && id != w.ID {
		t.warn(p, 0, "id mix: the file is about "+id+" but is in "+w.Folder, "move it to the folder of "+id)
	}
	if title != "" && planned != "" && loose(title) != loose(planned) {
		t.warn(p, 0, "id mix: the file is about '"+title+"', the plan about '"+planned+"'", "two WORKs have the number "+w.ID+"; move the files of one of them to a separate folder")
	}
}

// loose is a text as titles are compared.
func loose(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t`*.-–—_:", r) }), " "))
}

func (t *Tree) sameTask(x *WorkTask, kind FileKind, id string) {
	if id != "" && id != x.ID {
		t.warn(x.paths[kind], 0, "id mix: the file is named after "+x.ID+" and is about "+id, "rename it or correct its title")
	}
}

// sameFiles compares what a TASK was to change with what its progress says; nothing in common is
// the progress of another TASK.
func (t *Tree) sameFiles(x *WorkTask) {
	if x.Task == nil || len(x.Task.Files) == 0 || len(x.Progress.Files) == 0 {
		return
	}
	for _, a := range x.Task.Files {
		for _, b := range x.Progress.Files {
			if a.Path == b.Path || path.Base(a.Path) == path.Base(b.Path) || strings.HasPrefix(b.Path, strings.TrimSuffix(a.Path, "/")+"/") {
				return
			}
		}
	}
	t.warn(x.paths[ProgressFile], 0, "id mix: none of the files that this progress lists belongs to "+x.ID, "find the TASK that it is about")
}

var resultNameRE = re.New(`(?i)result`)

// results finds results under other names and TASKs that are called done without one.
func (t *Tree) results(w *Work) {
	for _, p := range w.other {
		switch {
		case path.Ext(p) == ".md" && resultNameRE().MatchString(path.Base(p)):
			hint := "name it TASK-NN_result.md"
			if to := w.resultFor(p); to != "" {
				hint = "it belongs to " + to + "; --fix repairs this"
			}
			t.warn(p, 0, "NON_STANDARD_RESULT: no tool reads this as a result", hint)
		case strings.HasSuffix(p, "_progress.md"):
			t.warn(p, 0, "this progress belongs to no TASK", "write the TASK's file, or remove this one")
		}
	}
	row := t.List.row(w.ID)
	finished := w.Archived || row != nil && row.Status != InProgress && row.Status != ""
	for _, x := range w.Tasks {
		shown := w.Progress != nil && slices.ContainsFunc(w.Progress.Tasks, func(r TaskRow) bool { return r.Task == x.ID && r.Status == Done })
		if x.Result == nil && (finished || shown) {
			t.warn(cmp.Or(x.paths[TaskFile], w.paths["PLAN.md"], w.Folder), 0, "MISSING_RESULT: "+x.ID+" is marked done, but has no result", "verify it again, or set it back")
		}
		if x.Result != nil && x.Task == nil && !w.plans(x.ID) {
			t.warn(x.paths[ResultFile], 0, "this result belongs to no TASK", "write the TASK's file, or remove this one")
		}
	}
}

// resultFor is where a result with another name belongs, "" if that cannot be told or is taken.
func (w *Work) resultFor(p string) string {
	if path.Ext(p) != ".md" || !resultNameRE().MatchString(path.Base(p)) {
		return ""
	}
	id := taskID(strings.ReplaceAll(path.Base(p), "_", " "))
	if id == "" && len(w.Tasks) == 1 {
		id = w.Tasks[0].ID
	}
	if i := slices.IndexFunc(w.Tasks, func(x *WorkTask) bool { return x.ID == id }); i < 0 || w.Tasks[i].Result != nil {
		return ""
	}
	return w.Folder + "/" + id + "_result.md"
}

var hashRE = re.New(`\b([0-9a-f]{7,40})\b`)

// hashes finds commits that a TASK has in one document and not in another.
func (t *Tree) hashes(w *Work) {
	for _, x := range w.Tasks {
		type said struct{ where, hash string }
		var all []said
		if x.Result != nil && x.Result.Commit != "" {
			all = append(all, said{x.paths[ResultFile], x.Result.Commit})
		}
		if w.Progress != nil {
			for _, r := range w.Progress.Tasks {
				if r.Task == x.ID && r.Commit != "" {
					all = append(all, said{w.paths["PROGRESS.md"], r.Commit})
				}
			}
		}
		for _, l := range w.Log {
			if m := hashRE().FindStringSubmatch(l.Text); m != nil && l.Stage == "COMMIT" && taskID(l.Text) == x.ID {
				all = append(all, said{w.Folder, m[1]})
			}
		}
		for _, a := range all[min(1, len(all)):] {
			if !strings.HasPrefix(a.hash, all[0].hash) && !strings.HasPrefix(all[0].hash, a.hash) {
				t.warn(all[0].where, 0, "stale hash: the commit of "+x.ID+" is "+all[0].hash+" here and "+a.hash+" in "+a.where,
					"git is right: git log --grep '"+x.ID+"'; results need no line Commit any more")
				break
			}
		}
	}
}

// times finds documents that are older than what they follow from.
func (t *Tree) times(w *Work) {
	for _, x := range w.Tasks {
		if x.Progress != nil && !x.Progress.Updated.IsZero() && x.Progress.Updated.Before(x.Progress.Started) {
			t.warn(x.paths[ProgressFile], 0, "fabricated time: updated before it was started", "use the times of the commits")
		}
		if x.Result != nil && w.Plan != nil && !x.Result.Completed.IsZero() && date(x.Result.Completed) < date(w.Plan.Created) {
			t.warn(x.paths[ResultFile], 0, "fabricated time: completed on "+date(x.Result.Completed)+", before the plan was made", "use the time of the commit")
		}
	}
}

// languages finds results whose headings are in another language than the plan wants.
func (t *Tree) languages(w *Work) {
	want := w.Languages.Output
	if w.Plan == nil || readLanguage(w.Plan.Language) == "" || !slices.Contains(languages, want) {
		return
	}
	for _, x := range w.Tasks {
		if x.Result != nil && x.Result.Language != want && x.Result.Summary != "" {
			t.warn(x.paths[ResultFile], 0, "the plan says language "+want+", but the headings are in "+x.Result.Language, "translate the headings, or change the plan's Language")
		}
	}
}

var modeRE = re.New(`(?i)\bmode:\s*\**(auto|manual)\b`)

// mode finds a log that says another mode than PROGRESS.md.
func (t *Tree) mode(w *Work) {
	if w.Progress == nil {
		return
	}
	for _, l := range w.Log {
		if m := modeRE().FindStringSubmatch(l.Text); m != nil && strings.EqualFold(m[1], "auto") != w.Progress.Auto {
			t.warn(w.paths["PROGRESS.md"], 0, "the mode differs from the log, which says "+strings.ToLower(m[1]), "write '> Mode: "+strings.ToLower(m[1])+"' if it ran that way")
			return
		}
	}
}

// isListed reports whether a WORK ought to have a row.
func (w *Work) isListed() bool { return !w.Archived && (len(w.Tasks) > 0 || w.Requirement != nil) }

// isMixed reports whether two WORKs have one id, so that nothing can be said of either.
func (t *Tree) isMixed(id string) bool {
	n, m := 0, 0
	for _, w := range t.Works {
		if w.ID == id {
			n++
		}
	}
	if t.List != nil {
		for _, r := range t.List.Rows {
			if r.Work == id {
				m++
			}
		}
	}
	return n > 1 || m > 1
}

// listed compares a WORK with its row.
func (t *Tree) listed(w *Work) {
	if !w.isListed() {
		return
	}
	row := t.List.row(w.ID)
	switch {
	case row == nil:
		t.warn(t.ListPath, 0, w.Folder+" has no row in the list", "add it; --fix repairs this")
	case row.Status != InProgress || !w.IsDone():
	case t.isMixed(w.ID):
		t.warn(t.ListPath, row.line, w.ID+" is in progress here and all TASKs of one are done", "find out which of the two it is, and set that one to DONE")
	default:
		t.warn(t.ListPath, row.line, w.ID+" is in progress here and all its TASKs are done", "set it to DONE; --fix repairs this")
	}
}
