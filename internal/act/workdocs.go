package act

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/works"
)

// workFiles are the documents of a WORK in the commit of one of its tasks: a pure function of the plan, of what has
// landed, and of the tree that the commit is made of.
type workFiles struct {
	plan   step.WorkPlan
	in     step.LandTaskIn
	files  []step.Change     // of the project, that the task changes
	hashes map[string]string // commits of the tasks that landed before, by id
	now    time.Time
	paths  []string
	read   func(path string) []byte
}

func (w *workFiles) at(name string) string { return workFile(w.plan, name) }

// workFile is where a document of a WORK is.
func workFile(p step.WorkPlan, name string) string {
	return path.Join(p.Documents, "works", p.Work, name)
}

func (w *workFiles) resultPath() string { return w.at(w.in.Task.ID + "_result.md") }

// documents are the files to write, by path.
func (w *workFiles) documents() map[string][]byte {
	out := map[string][]byte{}
	if w.read(w.at("PLAN.md")) == nil { // the first commit has them
		for name, text := range planDocuments(w.plan) {
			if p := w.at(name); w.read(p) == nil {
				out[p] = text
			}
		}
	}
	files := w.changed()
	began := time.UnixMilli(w.in.Began)
	out[w.at(w.in.Task.ID+"_progress.md")] = (&works.TaskProgress{
		Task: w.in.Task.ID, Status: works.Completed, Started: began, Updated: w.now, Files: files,
	}).Format()
	out[w.resultPath()] = w.result(files).Format()
	done := w.done()
	last := !slices.ContainsFunc(w.plan.Tasks, func(t task.Task) bool { return !done[t.ID] })
	if last {
		w.tick(out)
	}
	out[w.at("PROGRESS.md")] = w.progress(done, began).Format()
	row := works.Row{Work: w.plan.Work, Title: w.plan.Requirement.Title, Status: works.InProgress, Created: time.UnixMilli(w.plan.Created)}
	if last {
		row.Status, row.Completed = works.Done, w.now
	}
	list := path.Join(w.plan.Documents, works.ListPath)
	if text, _ := works.UpdateList(w.read(list), row, w.plan.Language); text != nil { // a damaged row stays as it is; doctor says so
		out[list] = text
	}
	logPath := w.at("work_" + w.plan.Work + ".log")
	out[logPath] = inOrder(append(slices.Clone(w.read(logPath)), w.log()...))
	return out
}

// tick marks the criteria of the requirement that commands have shown, once everything is in place. A requirement that
// somebody has edited since stays as it is.
func (w *workFiles) tick(out map[string][]byte) {
	p := w.at(requirementFile)
	planned := planDocuments(w.plan)[requirementFile]
	now := out[p]
	if now == nil {
		now = w.read(p)
	}
	if !bytes.Equal(now, planned) {
		return
	}
	r, _ := works.ParseRequirement(p, planned)
	idle := w.idle()
	for i, k := range w.plan.Requirement.Criteria {
		if i < len(r.Acceptance) {
			r.Acceptance[i].Done = k.Command != "" && !slices.Contains(idle, k.Command)
		}
	}
	out[p] = r.Format()
}

// idle are the commands of all tasks that show nothing, as the results of those that have landed say.
func (w *workFiles) idle() []string {
	out := slices.Clone(w.in.Idle)
	for _, t := range w.plan.Tasks {
		p := w.at(t.ID + "_result.md")
		r, _ := works.ParseResult(p, w.read(p))
		if r == nil {
			continue
		}
		for _, k := range r.Checks {
			if list, ok := strings.CutPrefix(k.Output, idleText); ok {
				for i, part := range strings.Split(list, "`") {
					if i%2 == 1 {
						out = append(out, part)
					}
				}
			}
		}
	}
	return out
}

// planDocuments are the documents that are written before anything is built, by name.
func planDocuments(p step.WorkPlan) map[string][]byte {
	r := works.Requirement{Work: p.Work, Language: p.Language, Request: p.Request}
	items := func(kind string, list []string) (out []works.Item) {
		for i, id := range task.Numbered(kind, len(list)) {
			out = append(out, works.Item{ID: id, Text: list[i]})
		}
		return out
	}
	undone := func(k step.Criterion) works.Criterion { return works.Criterion{Text: criterionText(k)} }
	r.Functional, r.NonFunctional = items("FR", p.Requirement.Functional), items("NFR", p.Requirement.NonFunctional)
	r.Acceptance = step.Each(p.Requirement.Criteria, undone)
	out := map[string][]byte{requirementFile: r.Format()}
	if len(p.Decisions) > 0 {
		d := works.Decisions{Work: p.Work, Language: p.Language}
		for i, x := range p.Decisions {
			d.List = append(d.List, works.Decision{
				ID: fmt.Sprintf("D-%02d", i+1), At: time.UnixMilli(x.At).UTC(), Stage: x.Stage, Status: works.Resolved, Background: background(p.Language, x.Question), Chosen: x.Answer,
				By: x.By, Options: x.Options, Advice: x.Advice,
			})
		}
		out["DECISIONS.md"] = d.Format()
	}
	plan := works.Plan{
		Work: p.Work, Title: p.Requirement.Title, Created: time.UnixMilli(p.Created), Requirement: workFile(p, requirementFile),
		Mode: works.Mode(p.Mode), Project: p.Project, Stack: p.Stack, Language: p.Language, Status: works.Planned, Goal: p.Goal, Trace: trace(p),
	}
	for _, t := range p.Tasks {
		s := works.Step{ID: t.ID, Title: t.Title, DependsOn: t.Needs, Scope: t.Scope}
		doc := works.Task{
			ID: t.ID, Title: t.Title, Work: p.Work, WorkTitle: p.Requirement.Title, DependsOn: t.Needs, Scope: t.Scope, Verify: strings.Join(t.Verify, "\n"),
		}
		for _, f := range t.Files {
			s.Files = append(s.Files, works.File{Path: f.Path, Note: f.Description})
			doc.Files = append(doc.Files, works.File{Path: f.Path, Action: works.Action(f.Action), Note: f.Description})
		}
		doc.Acceptance = step.Each(t.Criteria, undone)
		plan.Tasks = append(plan.Tasks, s)
		out[t.ID+".md"] = doc.Format()
		out[t.ID+"_progress.md"] = (&works.TaskProgress{Task: t.ID, Status: works.Pending}).Format()
	}
	out["PLAN.md"] = plan.Format()
	return out
}

// background is the question of a decision in the language of the documents, where it is one of the program's own.
func background(language, text string) string {
	own := map[string][2]string{
		step.Assumed:             {"요청에 없어 묻지 않고 정한 사항", "依頼にないため、質問せずに決めた事項"},
		step.RequirementRejected: {"요구사항이 반려됨", "要件が却下された"},
		step.PlanRejected:        {"계획이 반려됨", "計画が却下された"},
	}
	if i := slices.Index([]string{"ko", "ja"}, language); i >= 0 && own[text][i] != "" {
		return own[text][i]
	}
	return text
}

// trace says which tasks each requirement and criterion ends in.
func trace(p step.WorkPlan) []works.Trace {
	var out []works.Trace
	for _, id := range p.Requirement.IDs() {
		t := works.Trace{Item: id}
		for _, x := range p.Tasks {
			if slices.Contains(x.Covers, id) {
				t.Tasks = append(t.Tasks, x.ID)
			}
		}
		out = append(out, t)
	}
	return out
}

// changed are the files of the task with what the plan says of them.
func (w *workFiles) changed() []works.File {
	var out []works.File
	for _, ch := range w.files {
		f := works.File{Path: ch.Path, Action: works.ActionOf(ch.Status)}
		for _, list := range [][]task.File{w.in.Task.Files, w.in.More} {
			for _, p := range list {
				if p.Path == ch.Path && f.Note == "" {
					f.Note = p.Description
				}
			}
		}
		out = append(out, f)
	}
	return out
}

// theBuilder begins what the verifier's part of a result has of the builder's words.
const theBuilder = "The builder: "

func (w *workFiles) result(files []works.File) *works.Result {
	h := w.in.Handoff
	r := &works.Result{
		Task: w.in.Task.ID, Work: w.plan.Work, Title: w.plan.Requirement.Title, Language: w.plan.Language, Direct: w.plan.Mode == step.DirectMode,
		Completed: w.now, Status: works.Done, Summary: cmp.Or(w.in.Summary, w.in.Task.Title), Files: files, Issues: strings.Join(w.in.Issues, "\n"), Notes: h.Caution, Builder: h.What,
		Verifier: works.Handoff{What: w.verified(), Why: theBuilder + h.Why, Caution: theBuilder + h.Caution, Incomplete: theBuilder + h.Incomplete},
	}
	r.Checklist = step.Each(w.in.Task.Criteria, func(k step.Criterion) works.Criterion {
		// A command that succeeds without the task as well shows nothing.
		return works.Criterion{Text: criterionText(k), Done: k.Command != "" && !slices.Contains(w.in.Idle, k.Command)}
	})
	r.Checks = step.Each(w.in.Checks, func(k step.CheckResult) works.Check {
		return works.Check{Name: k.Name, Status: works.Verdict(k.Status), Count: k.Count, Output: k.Output}
	})
	return r
}

// verified is what the checks have shown.
func (w *workFiles) verified() string {
	var out []string
	for _, k := range w.in.Checks {
		text := k.Name + " " + k.Status
		if k.Count > 0 {
			text += fmt.Sprintf(" (%d passed)", k.Count)
		}
		if k.Output != "" {
			text += ": " + k.Output
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// done are the tasks that have landed when this one has.
func (w *workFiles) done() map[string]bool {
	out := map[string]bool{w.in.Task.ID: true}
	for _, p := range w.paths {
		dir, name := path.Split(p)
		if id, kind, ok := works.TaskOf(name); ok && kind == works.ResultFile && path.Clean(dir) == path.Dir(w.at(name)) {
			out[id] = true
		}
	}
	return out
}

// progress brings the PROGRESS.md that is there up to date: hashes of tasks that landed before are known now, that of this
// one is not until its commit is made.
func (w *workFiles) progress(done map[string]bool, began time.Time) *works.Progress {
	p := &works.Progress{Work: w.plan.Work, Title: w.plan.Requirement.Title}
	if src := w.read(w.at("PROGRESS.md")); src != nil {
		p, _ = works.ParseProgress(w.at("PROGRESS.md"), src)
	}
	p.Updated, p.Auto = w.now, w.plan.Auto
	before := map[string]works.TaskRow{}
	for _, r := range p.Tasks {
		before[r.Task] = r
	}
	p.Tasks = nil
	for _, t := range w.plan.Tasks {
		r := before[t.ID]
		r.Task, r.Title = t.ID, t.Title
		switch {
		case t.ID == w.in.Task.ID:
			r.Status, r.Duration = works.Done, w.now.Sub(began).Round(time.Second)
		case done[t.ID]:
			r.Status = works.Done
			if hash := cmp.Or(w.hashes[t.ID], w.plan.Landed[t.ID]); hash != "" {
				r.Commit = hash[:7]
			}
		case r.Status == "":
			r.Status = works.Pending
		}
		p.Tasks = append(p.Tasks, r)
	}
	p.Log = insert(p.Log, works.Entry{At: began, Text: w.in.Task.ID + " started"})
	p.Log = insert(p.Log, works.Entry{At: w.now, Text: w.in.Task.ID + " verified ✅, committed"})
	return p
}

// insert puts an entry before those at the end of a log that are later: tasks that were built side by side come one after
// the other. Entries have a clock and no date; what seems to be half a day later is of the day before.
func insert(log []works.Entry, e works.Entry) []works.Entry {
	clock := func(t time.Time) int { return t.Hour()*60 + t.Minute() }
	i := len(log)
	for i > 0 {
		if d := clock(log[i-1].At) - clock(e.At); d <= 0 || d > 12*60 {
			break
		}
		i--
	}
	return slices.Insert(log, i, e)
}

// inOrder sorts the lines of a log by their times: tasks that were built side by side land one after the other. A line
// without a time stays behind the one that it stands behind.
func inOrder(log []byte) []byte {
	type entry struct{ at, text string }
	var list []entry
	at := ""
	for l := range strings.Lines(string(log)) {
		if stamp, _, ok := strings.Cut(strings.TrimPrefix(l, "["), "]_"); ok && strings.HasPrefix(l, "[") {
			at = stamp
		}
		list = append(list, entry{at, l})
	}
	slices.SortStableFunc(list, func(a, b entry) int { return strings.Compare(a.at, b.at) })
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.text)
	}
	return []byte(b.String())
}

// log is what comes to the activity log with this commit.
func (w *workFiles) log() []byte {
	var b strings.Builder
	line := func(at time.Time, agent, stage, text string) {
		b.WriteString(works.LogLine{At: at, Agent: agent, Stage: stage, Text: text}.String() + "\n")
	}
	if w.read(w.at("work_"+w.plan.Work+".log")) == nil {
		created := time.UnixMilli(w.plan.Created)
		line(created, "SPECIFIER", "INIT", w.plan.Work+" created — Execution-Mode: "+string(w.plan.Mode))
		names := step.Each(w.plan.Tasks, func(t task.Task) string { return t.ID + ".md" })
		for _, l := range w.plan.Log {
			line(time.UnixMilli(l.At), l.Agent, l.Stage, l.Text)
		}
		line(time.UnixMilli(max(w.plan.Planned, w.plan.Created)), "PLANNER", "PLAN", "PLAN.md, "+strings.Join(names, ", ")+" created")
	}
	for _, l := range w.in.Log {
		line(time.UnixMilli(l.At), l.Agent, l.Stage, l.Text)
	}
	line(w.now, "COMMITTER", "COMMIT", w.in.Task.ID+" committed")
	return []byte(b.String())
}

// rolledBackDocuments are the documents of a WORK of which tasks were taken back: their results go (nil), their progress
// begins anew, and the list says that the WORK is not done.
func rolledBackDocuments(v *view, r RolledBack, now time.Time) map[string][]byte {
	out := map[string][]byte{}
	if r.Work == "" {
		return out
	}
	plan := step.WorkPlan{Work: r.Work}
	if v.ids[workFile(plan, "PLAN.md")] == "" {
		plan.Documents = works.Kept
	}
	at := func(name string) string { return workFile(plan, name) }
	gone := map[string]bool{}
	for _, c := range r.Reverted {
		gone[c.Task] = true
		if v.ids[at(c.Task+"_result.md")] != "" {
			out[at(c.Task+"_result.md")] = nil
		}
		if v.ids[at(c.Task+"_progress.md")] != "" {
			out[at(c.Task+"_progress.md")] = (&works.TaskProgress{Task: c.Task, Status: works.Pending}).Format()
		}
	}
	if src := v.bytes(at("PROGRESS.md")); src != nil {
		p, _ := works.ParseProgress(at("PROGRESS.md"), src)
		p.Updated = now
		for i := range p.Tasks {
			if gone[p.Tasks[i].Task] {
				p.Tasks[i].Status, p.Tasks[i].Commit, p.Tasks[i].Duration = works.Pending, "", 0
			}
		}
		for _, c := range r.Reverted {
			p.Log = append(p.Log, works.Entry{At: now, Text: c.Task + " undone"})
		}
		out[at("PROGRESS.md")] = p.Format()
	}
	listPath := path.Join(plan.Documents, works.ListPath)
	if src := v.bytes(listPath); src != nil {
		list, _ := works.ParseList(listPath, src)
		for _, row := range list.Rows {
			if row.Work != r.Work {
				continue
			}
			row.Status, row.Completed = works.InProgress, time.Time{}
			if text, _ := works.UpdateList(src, row, ""); text != nil {
				out[listPath] = text
			}
		}
	}
	logPath := at("work_" + r.Work + ".log")
	if src := v.bytes(logPath); src != nil {
		text := string(src)
		for _, c := range r.Reverted {
			text += works.LogLine{At: now, Agent: "COMMITTER", Stage: "COMMIT", Text: c.Task + " undone"}.String() + "\n"
		}
		out[logPath] = []byte(text)
	}
	return out
}

func criterionText(k step.Criterion) string {
	if k.Command == "" {
		return k.Text
	}
	return fmt.Sprintf("%s (`$ %s`)", k.Text, k.Command)
}

const requirementFile = "Requirement.md"
