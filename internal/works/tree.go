package works

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Tree is everything under works/ (or the legacy tasks/), and what is wrong with it.
type Tree struct {
	List     *List  // nil without a file
	ListPath string // ListPath, or where the legacy layout has it
	Works    []*Work
	Problems []spec.Problem

	sources  map[string][]byte // what was read, for Mend
	fallback string
}

// Work is a WORK with its documents; those that do not exist are nil.
type Work struct {
	ID          string // WORK-01, by its folder
	Folder      string // works/WORK-01
	Archived    bool   // under _COMPLETED
	Requirement *Requirement
	Plan        *Plan
	Progress    *Progress
	Decisions   *Decisions
	Log         []LogLine
	Tasks       []*WorkTask // in the order of their numbers
	Languages   Languages

	paths map[string]string // name of a document -> its path
	other []string          // files that are no documents
}

// WorkTask is a TASK with its documents; those that do not exist are nil.
type WorkTask struct {
	ID        string
	Title     string
	DependsOn []string
	State     Status // DONE, READY or BLOCKED
	Task      *Task
	Progress  *TaskProgress
	Result    *Result

	paths map[FileKind]string
}

// Count is how many TASKs a WORK has and how many of them are done. Files of progress are no
// TASKs.
func (w *Work) Count() (done, total int) {
	for _, t := range w.Tasks {
		if t.State == Done {
			done++
		}
	}
	return done, len(w.Tasks)
}

// IsDone reports whether a WORK has TASKs and all of them are done.
func (w *Work) IsDone() bool {
	done, total := w.Count()
	return total > 0 && done == total
}

// Title is what the WORK is called: by its plan, else by its list or its TASKs.
func (t *Tree) Title(w *Work) string {
	if w.Plan != nil && w.Plan.Title != "" {
		return w.Plan.Title
	}
	if r := t.List.row(w.ID); r != nil && r.Title != "" {
		return r.Title
	}
	for _, x := range w.Tasks {
		if x.Task != nil && x.Task.WorkTitle != "" {
			return x.Task.WorkTitle
		}
	}
	return ""
}

// NextWork is the id of a new WORK, beside ids that are taken and have no folder yet.
func (t *Tree) NextWork(taken ...string) string {
	folders := slices.Clone(taken)
	for _, w := range t.Works {
		folders = append(folders, w.Folder)
	}
	return NextWork(t.List, folders)
}

const listName = "WORK-LIST.md"

// ListPath is where the list of WORKs is, but for the legacy layout.
const ListPath = "works/" + listName

// Kept is the folder, below a project, of documents that are not committed, and KeptHome where WORKs are in it.
const (
	Kept     = ".jacquard"
	KeptHome = Kept + "/works"
)

// IsKept reports whether a document is never committed.
func IsKept(p string) bool { return strings.HasPrefix(p, Kept+"/") }

// homes are where WORKs can be, with the legacy layout last.
var homes = []string{"works", "works/_COMPLETED", KeptHome, KeptHome + "/_COMPLETED", "tasks/multi-tasks", "tasks/multi-tasks/_COMPLETED"}

// Read puts together what a project has of WORKs. The paths are relative to the project, with "/";
// those that are none of ours are not read. The fallback is the language where neither a plan nor
// CLAUDE.md names one.
func Read(paths []string, read func(path string) []byte, fallback string) *Tree {
	t := &Tree{ListPath: ListPath, sources: map[string][]byte{}, fallback: fallback}
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		switch {
		case p == "CLAUDE.md":
			t.sources[p] = read(p)
		case path.Base(p) == listName && slices.Contains(homes, path.Dir(p)):
			if t.List == nil || strings.HasPrefix(p, "works/") {
				kept := t.List
				t.ListPath, t.sources[p] = p, read(p)
				t.List = report(t, ParseList, p)
				t.List.take(kept)
			}
		default:
			t.file(p, read)
		}
	}
	for _, w := range t.Works {
		w.join()
		w.Languages = ReadLanguages(w.Plan, t.sources["CLAUDE.md"], fallback)
	}
	slices.SortStableFunc(t.Works, func(a, b *Work) int {
		return WorkNumber(a.ID) - WorkNumber(b.ID)
	})
	t.examine()
	t.Problems = spec.SortProblems(t.Problems)
	return t
}

// report parses a file and keeps what is wrong with it.
func report[D any](t *Tree, parse func(string, []byte) (D, []spec.Problem), p string) D {
	d, ps := parse(p, t.sources[p])
	t.Problems = append(t.Problems, ps...)
	return d
}

// folder is the WORK of a file, nil if it is in none.
func (t *Tree) folder(p string) *Work {
	dir := path.Dir(p)
	n := number(folderRE().FindStringSubmatch(path.Base(dir)))
	if n < 0 || !slices.Contains(homes, path.Dir(dir)) {
		return nil
	}
	for _, w := range t.Works {
		if w.Folder == dir {
			return w
		}
	}
	w := &Work{ID: WorkID(n), Folder: dir, Archived: path.Base(path.Dir(dir)) == "_COMPLETED", paths: map[string]string{}}
	t.Works = append(t.Works, w)
	return w
}

// file takes in one file of a WORK.
func (t *Tree) file(p string, read func(path string) []byte) {
	w := t.folder(p)
	if w == nil {
		return
	}
	name := path.Base(p)
	isLog := strings.HasPrefix(name, "work_") && strings.HasSuffix(name, ".log")
	if !isLog && path.Ext(name) != ".md" {
		return
	}
	t.sources[p] = read(p)
	w.paths[name] = p
	if id, kind, ok := TaskOf(name); ok {
		x := w.task(id)
		x.paths[kind] = p
		switch kind {
		case TaskFile:
			x.Task = report(t, ParseTask, p)
		case ProgressFile:
			x.Progress = report(t, ParseTaskProgress, p)
		case ResultFile:
			x.Result = report(t, ParseResult, p)
		}
		return
	}
	switch {
	case name == "Requirement.md":
		w.Requirement = report(t, ParseRequirement, p)
	case name == "PLAN.md":
		w.Plan = report(t, ParsePlan, p)
	case name == "PROGRESS.md":
		w.Progress = report(t, ParseProgress, p)
	case name == "DECISIONS.md":
		w.Decisions = report(t, ParseDecisions, p)
	case isLog:
		w.Log = append(w.Log, report(t, ParseLog, p)...)
	default:
		w.other = append(w.other, p)
	}
}

// task is a TASK of a WORK by its id.
func (w *Work) task(id string) *WorkTask {
	for _, x := range w.Tasks {
		if x.ID == id {
			return x
		}
	}
	x := &WorkTask{ID: id, paths: map[FileKind]string{}}
	w.Tasks = append(w.Tasks, x)
	return x
}

// join brings plan and TASK files together and says how far each TASK is.
func (w *Work) join() {
	if w.Plan != nil {
		for _, s := range w.Plan.Tasks {
			x := w.task(s.ID)
			x.Title, x.DependsOn = s.Title, s.DependsOn
		}
	}
	// A file of progress alone makes no TASK (the WORK pipeline counted them).
	w.Tasks = slices.DeleteFunc(w.Tasks, func(x *WorkTask) bool {
		lone := x.Title == "" && x.DependsOn == nil && x.Task == nil && x.Result == nil && !w.plans(x.ID)
		if lone {
			w.other = append(w.other, x.paths[ProgressFile])
		}
		return lone
	})
	for _, x := range w.Tasks {
		if x.Task != nil && !w.plans(x.ID) {
			x.Title, x.DependsOn = x.Task.Title, x.Task.DependsOn
		}
	}
	for _, x := range w.Tasks {
		x.State = Blocked
		switch {
		case x.Result != nil:
			x.State = Done
		case !slices.ContainsFunc(x.DependsOn, func(dep string) bool { return !w.hasResult(dep) }):
			x.State = Ready
		}
	}
	slices.SortFunc(w.Tasks, func(a, b *WorkTask) int {
		return number(taskRE().FindStringSubmatch(a.ID)) - number(taskRE().FindStringSubmatch(b.ID))
	})
}

func (w *Work) plans(id string) bool {
	return w.Plan != nil && slices.ContainsFunc(w.Plan.Tasks, func(s Step) bool { return s.ID == id })
}

func (w *Work) hasResult(id string) bool {
	return slices.ContainsFunc(w.Tasks, func(x *WorkTask) bool { return x.ID == id && x.Result != nil })
}
