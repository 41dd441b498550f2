package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
	"github.com/jacquard-build/jacquard/internal/works"
)

// workInfo is a WORK as list and status show it: from its files, and from the run that builds it.
type workInfo struct {
	ID     string         `json:"work"`
	Title  string         `json:"title"`
	Status string         `json:"status"`
	Done   int            `json:"done"`
	Total  int            `json:"total"`
	Run    string         `json:"run,omitempty"`
	State  flow.RunState  `json:"run_state,omitempty"`
	Tasks  []workTaskInfo `json:"tasks,omitempty"`
	Folder string         `json:"folder,omitempty"`
	// Ref holds commits of the run that are not on the branch.
	Ref string `json:"ref,omitempty"`

	built bool      // the files say that all is done
	plan  flow.Blob // that the newest run had agreed on, zero for none
}

type workTaskInfo struct {
	ID     string   `json:"task"`
	Title  string   `json:"title"`
	State  string   `json:"state"`
	Needs  []string `json:"needs,omitempty"`
	Commit string   `json:"commit,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// worksOf lists the WORKs of the project, in the order of their numbers. What a run knows is newer than the files.
func (p *project) worksOf(ctx context.Context) ([]workInfo, error) {
	tree, err := p.readWorks(ctx, &specTool{a: p.a})
	if err != nil {
		return nil, err
	}
	out := []workInfo{}
	for _, w := range tree.Works {
		done, total := w.Count()
		i := workInfo{ID: w.ID, Title: tree.Title(w), Status: string(works.InProgress), Done: done, Total: total, Folder: w.Folder, built: w.IsDone()}
		if tree.List != nil {
			for _, r := range tree.List.Rows {
				if r.Work == w.ID && r.Status != "" {
					i.Status = string(r.Status)
				}
			}
		}
		for _, x := range w.Tasks {
			i.Tasks = append(i.Tasks, workTaskInfo{ID: x.ID, Title: x.Title, State: string(x.State), Needs: x.DependsOn})
		}
		out = append(out, i)
	}
	if !p.exists() {
		return out, nil
	}
	reports, err := p.reports(ctx, workDef)
	if err != nil {
		return nil, err
	}
	for _, rep := range slices.Backward(reports) { // the newest last, so that it is what counts
		out = withRun(out, rep)
	}
	head, err := p.repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := p.undelivered(ctx, &out[i], head); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b workInfo) int { return works.WorkNumber(a.ID) - works.WorkNumber(b.ID) })
	return out, nil
}

// readWorks reads the documents of WORKs, those that are committed and those that are kept.
func (p *project) readWorks(ctx context.Context, t *specTool) (*works.Tree, error) {
	files, err := p.repo.Files(ctx, false)
	if err != nil {
		return nil, err
	}
	return works.Read(append(files, act.KeptWorks(p.state)...), t.reader(p), string(p.a.lang())), nil
}

// withRun adds what a run knows of its WORK.
func withRun(list []workInfo, rep *report.Run) []workInfo {
	id := ""
	if rep.Request != nil {
		id = rep.Request.Work
	} else if out, ok := rep.Result.(*step.WorkOut); ok {
		id = out.Work
	}
	if id == "" {
		return list
	}
	i := slices.IndexFunc(list, func(w workInfo) bool { return w.ID == id })
	if i < 0 {
		list = append(list, workInfo{ID: id})
		i = len(list) - 1
	}
	w := &list[i]
	if w.Folder == "" {
		w.Tasks = slices.DeleteFunc(w.Tasks, func(t workTaskInfo) bool { // what an earlier run had planned and not landed counts no more
			return t.Commit == "" || rep.Request == nil || slices.ContainsFunc(rep.Request.Tasks, func(x step.TaskLine) bool { return x.ID == t.ID })
		})
		if w.Status = string(works.InProgress); rep.State.Ended() {
			w.Status = notBuilt
		}
	}
	w.Run, w.State = rep.ID, rep.State
	if rep.Request != nil && len(rep.Request.Tasks) > 0 {
		w.plan = rep.Request.Plan
	}
	files := w.Folder != "" && rep.State.Ended() // then they say what is done: it may have been taken back since
	if rep.Request != nil && w.Title == "" {
		w.Title = rep.Request.Requirement.Title
	}
	for _, m := range rep.Modules {
		k := slices.IndexFunc(w.Tasks, func(t workTaskInfo) bool { return t.ID == m.Dir })
		if k < 0 {
			w.Tasks = append(w.Tasks, workTaskInfo{ID: m.Dir, Title: m.Reason})
			k = len(w.Tasks) - 1
		}
		t := &w.Tasks[k]
		if m.Task == nil {
			if t.State != string(works.Done) && !files {
				if t.State = strings.ToUpper(m.Phase); rep.State.Ended() {
					t.State = notBuilt
				}
			}
			continue
		}
		if files && (m.Task.Status == step.Success) != (t.State == string(works.Done)) {
			continue // taken back since, or built by a later run
		}
		t.Commit, t.Reason = m.Task.Commit, m.Task.Reason
		switch m.Task.Status {
		case step.Success:
			t.State = string(works.Done)
		case step.Blocked:
			t.State = string(works.Blocked)
		case step.Warning:
			t.State = string(works.Failed)
		}
	}
	slices.SortStableFunc(w.Tasks, func(a, b workTaskInfo) int { return strings.Compare(a.ID, b.ID) })
	w.Total = max(w.Total, len(w.Tasks))
	w.Done = 0
	for _, t := range w.Tasks {
		if t.State == string(works.Done) {
			w.Done++
		}
	}
	return list
}

// States of what no document tells of.
const (
	notBuilt     = "NOT BUILT"
	notDelivered = "NOT DELIVERED" // commits are on the run's ref alone
)

// undelivered finds the commits of an ended run that are not on the branch, unless the files say that all is done.
func (p *project) undelivered(ctx context.Context, w *workInfo, head git.Head) error {
	if w.built || w.Run == "" || !w.State.Ended() || p.noGit || head.Unborn {
		return nil
	}
	ref := act.RunRef(w.Run)
	more, err := p.beyond(ctx, ref, head.Commit)
	if err != nil || len(more) == 0 {
		return err
	}
	if _, task := act.TaskOf(more[0]); task == "" {
		return nil
	}
	if w.Ref = ref; w.Folder == "" && w.Done > 0 {
		w.Status = notDelivered
	}
	return nil
}

func newWorkList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "list all WORKs", Args: cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, p *project, _ []string) error { return p.workList(ctx) }),
	}
}

func (p *project) workList(ctx context.Context) error {
	a := p.a
	list, err := p.worksOf(ctx)
	if err != nil {
		return err
	}
	if a.asJSON(map[string]any{"works": list}) {
		return nil
	}
	l := a.lang()
	rows := [][]string{{"WORK", l.T("TITLE"), l.T("STATE"), l.T("TASKS"), l.T("RUN")}}
	for _, w := range list {
		rows = append(rows, []string{w.ID, w.Title, w.Status, fmt.Sprintf("%d/%d", w.Done, w.Total), w.Run})
	}
	fmt.Fprint(a.Out, report.Table(rows, 0))
	return nil
}

func newWorkStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "status [WORK-NN]", Short: "show the progress of a WORK (default: the newest)", Args: cobra.MaximumNArgs(1),
		Example: "  jacquard work status WORK-03",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			return p.workStatus(ctx, first(args, "", ""), "")
		}),
	}
}

func (p *project) workStatus(ctx context.Context, id, task string) error {
	a := p.a
	w, err := p.workNamed(ctx, id)
	if err != nil {
		return err
	}
	if task != "" {
		w.Tasks = slices.DeleteFunc(w.Tasks, func(t workTaskInfo) bool { return t.ID != task })
		if len(w.Tasks) == 0 {
			return usage("%s has no %s", w.ID, task)
		}
	}
	if a.asJSON(w) {
		return nil
	}
	l := a.lang()
	fmt.Fprintf(a.Out, l.T("%s: %s · %s, %d of %d tasks done\n"), w.ID, w.Title, w.Status, w.Done, w.Total)
	switch {
	case w.Run != "" && !w.State.Ended():
		fmt.Fprintf(a.Out, l.T("run %s: %s\n"), w.Run, l.State(string(w.State)))
	case w.Ref != "":
		fmt.Fprintf(a.Out, l.T("commits not on the branch: %s\n"), w.Ref)
	}
	switch {
	case w.State == flow.Waiting:
		fmt.Fprintf(a.Out, l.T("to see what it waits for, run: jacquard show %s\n"), w.Run)
	case w.State.Ended() && w.Folder == "" && w.plan.IsZero():
		fmt.Fprint(a.Out, l.T("no plan was approved: start the request again\n"))
	case w.State.Ended() && w.Done < w.Total:
		fmt.Fprintf(a.Out, l.T("to build the rest, run: jacquard resume %s")+"\n", w.ID)
	}
	rows := [][]string{{l.T("TASK"), l.T("STATE"), l.T("COMMIT"), l.T("TITLE")}}
	for _, t := range w.Tasks {
		title := t.Title
		if len(t.Needs) > 0 {
			title += " ← " + strings.Join(t.Needs, ", ")
		}
		if t.Reason != "" {
			title += " (" + l.Asked(t.Reason) + ")"
		}
		rows = append(rows, []string{t.ID, t.State, t.Commit[:min(7, len(t.Commit))], title})
	}
	fmt.Fprint(a.Out, report.Table(rows, 0))
	return nil
}

// workNamed finds a WORK by its number; without one it is the newest.
func (p *project) workNamed(ctx context.Context, id string) (workInfo, error) {
	list, err := p.worksOf(ctx)
	if err != nil {
		return workInfo{}, err
	}
	if len(list) == 0 {
		return workInfo{}, usage("there is no WORK yet: create one with jacquard work \"…\"")
	}
	if id == "" {
		return list[len(list)-1], nil
	}
	for _, w := range list {
		if works.WorkNumber(w.ID) == works.WorkNumber(id) {
			return w, nil
		}
	}
	return workInfo{}, usage("there is no %s: jacquard work list shows all WORKs", id)
}

func newWorkResume(a *app) *cobra.Command {
	var f workFlags
	c := &cobra.Command{
		Use: "resume [WORK-NN] [TASK-NN]", Short: "continue a WORK: its run, or its remaining tasks", Args: cobra.MaximumNArgs(2),
		Example: "  jacquard work resume WORK-03",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			task := ""
			if len(args) == 2 {
				task = strings.ToUpper(args[1])
			}
			return p.workResume(ctx, first(args, "", ""), task, f)
		}),
	}
	runFlags(c, &f.driveOptions)
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	return c
}

// workResume carries the run of a WORK on. A WORK that only its files know is taken over: results are done, the rest is
// built.
func (p *project) workResume(ctx context.Context, id, task string, f workFlags) error {
	a := p.a
	w, err := p.workNamed(ctx, id)
	if err != nil {
		return err
	}
	if w.Run != "" && !w.State.Ended() {
		r, err := p.find(ctx, w.Run)
		if err != nil {
			return err
		}
		return p.resumeAs(ctx, r, f.driveOptions, f.yes, false)
	}
	if err := a.byPerson(f.yes, "--yes"); err != nil {
		return err
	}
	in, err := p.rest(ctx, w, &f)
	if err != nil {
		return err
	}
	in.Task, in.Delivery = task, p.delivery()
	switch {
	case w.Folder == "" && in.From == "" && w.plan.IsZero():
		return usage("%s has no approved plan to resume: start the request again", w.ID)
	case w.Total > 0 && w.Done == w.Total && in.From == "":
		fmt.Fprintf(a.Err, a.lang().T("%s is done: %d of %d tasks\n"), w.ID, w.Done, w.Total)
		return nil
	}
	if f.budget != "" || in.Budget == (step.Budget{}) {
		if in.Budget, err = p.budget(f.budget); err != nil {
			return err
		}
	}
	return p.run(ctx, workDef, in, in.Budget, f.driveOptions)
}

// rest is what a run is asked for that does the rest of a WORK: the same, in the same way, as its last run was. Of a WORK that only its files
// know nothing else is known.
func (p *project) rest(ctx context.Context, w workInfo, f *workFlags) (in step.WorkIn, err error) {
	in = step.WorkIn{Original: "resume " + w.ID, Request: "resume " + w.ID, Language: string(p.a.lang()), Delivery: step.ToCommit}
	if w.Run != "" {
		r, err := p.find(ctx, w.Run)
		if err != nil {
			return in, err
		}
		if in, err = report.Decode[step.WorkIn](r.In); err != nil {
			return in, err
		}
		if meta, err := report.Decode[runMeta](r.Meta); err == nil {
			f.began(meta)
		}
		if outcomeOf(r).Pull != nil { // what is on its branch is not on this one
			in.Pull = nil
		}
	}
	in.Ask = slices.ContainsFunc(w.Tasks, func(t workTaskInfo) bool {
		return t.State == string(works.Failed) && (t.Reason == turn.Blocked || t.Reason == turn.Untested)
	})
	in.Work, in.Plan, in.Yes, in.From = w.ID, w.plan, in.Yes && !in.Ask || f.yes, ""
	if in.Left, err = p.leftOf(ctx, w.Run); err != nil || w.Ref == "" {
		return in, err
	}
	in.From, err = p.follows(ctx, w)
	return in, err
}

// leftOf is what a run has left of its tasks that did not pass.
func (p *project) leftOf(ctx context.Context, run string) (map[string]step.Left, error) {
	if run == "" || !p.exists() {
		return nil, nil
	}
	r, err := p.find(ctx, run)
	if err != nil {
		return nil, err
	}
	rep, err := p.reportOn(ctx, r)
	if err != nil {
		return nil, err
	}
	return rep.Restart(), nil
}

// follows is the commit of a WORK that a run has landed and not delivered, when the branch has not moved since.
func (p *project) follows(ctx context.Context, w workInfo) (string, error) {
	tip, err := p.repo.Ref(ctx, w.Ref)
	if err != nil {
		return "", err
	}
	head, err := p.repo.Head(ctx)
	if err != nil {
		return "", err
	}
	moved, err := p.repo.Log(ctx, head.Commit, tip, 1)
	if err != nil {
		return "", err
	}
	if len(moved) > 0 {
		return "", usage("%s has commits on %s, but the branch has moved since; merge them first: git merge %s", w.ID, w.Ref, w.Ref)
	}
	return tip, nil
}

func newWorkRollback(a *app) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use: "rollback WORK-NN", Short: "undo the commits of a WORK in one verified commit", Args: cobra.ExactArgs(1),
		Example: "  jacquard work rollback WORK-03\n  jacquard work rollback WORK-03 --to TASK-01",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			return p.workRollback(ctx, args[0], strings.ToUpper(to))
		}),
	}
	c.Flags().StringVar(&to, "to", "", "keep this `task` and the ones that landed before it")
	return c
}

func (p *project) workRollback(ctx context.Context, id, to string) error {
	if p.noGit {
		return usage("rollback needs a git repository")
	}
	return p.takeBack(ctx, nil, func(actor *act.Actor) (act.RolledBack, error) { return actor.Rollback(ctx, id, to) })
}
