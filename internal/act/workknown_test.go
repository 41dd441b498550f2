package act_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/works"
)

// survey carries out the step work.survey of a run.
func (l lab) survey(t *testing.T, run string, in step.WorkIn, previous ...string) (step.WorkSurveyOut, error) {
	t.Helper()
	var out step.WorkSurveyOut
	hs := l.actor.Handlers()
	i := slices.IndexFunc(hs, func(h flow.Handler) bool { return strings.HasPrefix(h.Step(), step.WorkSurvey.Name) })
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = hs[i].Call(t.Context(), flow.Job{Run: run, Key: "survey", Start: 1 + len(previous), Dir: t.TempDir(), Previous: previous, Blobs: l.blobs}, raw); err != nil {
		return out, err
	}
	return decode[step.WorkSurveyOut](t, raw), nil
}

// TestNumbers: no two runs get one number, whenever they ask; a run that was cut in the middle keeps its own, and what is in
// the files counts as well.
func TestNumbers(t *testing.T) {
	t.Parallel()
	l := newLab(t, map[string]string{"a.js": "", "works/WORK-03/PLAN.md": "# plan\n"}, nil)
	var all sync.WaitGroup
	got := make([]string, 6)
	for i := range got {
		all.Go(func() {
			out, err := l.survey(t, fmt.Sprint("run", i), step.WorkIn{Language: "en"})
			if got[i] = out.Work; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, work := range got {
		again, err := l.survey(t, fmt.Sprint("run", i), step.WorkIn{Language: "en"}, t.TempDir())
		if err != nil || again.Work != work {
			t.Errorf("run %d was given %s, and after a crash %s (%v)", i, work, again.Work, err)
		}
	}
	slices.Sort(got)
	if want := []string{"WORK-04", "WORK-05", "WORK-06", "WORK-07", "WORK-08", "WORK-09"}; !slices.Equal(got, want) {
		t.Errorf("the numbers are %v, want %v", got, want)
	}
}

// known are the files of a WORK whose first task is done.
func known(needs ...string) map[string]string {
	out := map[string]string{"a.js": ""}
	for i, need := range needs {
		d := works.Task{ID: fmt.Sprintf("TASK-%02d", i), Title: fmt.Sprint("title ", i), Work: "WORK-01", WorkTitle: "w", Scope: "s", Verify: "# a comment\nnode --version"}
		if need != "" {
			d.DependsOn = strings.Fields(need)
		}
		if i < 2 {
			d.Files = []works.File{{Path: "a.js", Action: works.Modify}}
		}
		out["works/WORK-01/"+d.ID+".md"] = string(d.Format())
	}
	r := works.Result{Task: "TASK-00", Work: "WORK-01", Title: "w", Language: "en", Status: works.Done}
	out["works/WORK-01/TASK-00_result.md"] = string(r.Format())
	return out
}

// TestKnownWork: a WORK that is known from its files goes on where they say that it is.
func TestKnownWork(t *testing.T) {
	t.Parallel()
	l := newLab(t, known("", "TASK-00", "TASK-00 TASK-01"), nil)
	out, err := l.survey(t, "run", step.WorkIn{Work: "WORK-01", Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := l.blobs.Get(out.Plan)
	if err != nil {
		t.Fatal(err)
	}
	plan := decode[step.WorkPlan](t, raw)
	if len(plan.Tasks) != 3 || !slices.Equal(out.Landed, []string{"TASK-00"}) {
		t.Fatalf("landed %v of %+v", out.Landed, plan.Tasks)
	}
	// A task without files and with commands is one that only verifies: an author would have nothing to change.
	if k := plan.Tasks[1]; k.VerifyOnly || len(k.Files) != 1 || k.Files[0].Action != task.Modify || !slices.Equal(k.Verify, []string{"node --version"}) {
		t.Errorf("%+v", k)
	}
	if k := plan.Tasks[2]; !k.VerifyOnly || !slices.Equal(k.Needs, []string{"TASK-00", "TASK-01"}) {
		t.Errorf("%+v", k)
	}
	// Who has agreed on the plan is asked again only where its files say something else now.
	for name, c := range map[string]struct {
		agreed step.WorkPlan
		want   bool
	}{
		"same": {plan, true}, "another": {step.WorkPlan{Tasks: plan.Tasks[:2]}, false},
	} {
		if raw, err = json.Marshal(c.agreed); err != nil {
			t.Fatal(err)
		}
		blob, err := l.blobs.Put(raw, "plan")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := l.survey(t, "run-"+name, step.WorkIn{Work: "WORK-01", Language: "en", Plan: blob}); err != nil || again.Agreed != c.want {
			t.Errorf("%s: agreed is %v, want %v (%v)", name, again.Agreed, c.want, err)
		}
	}
}

// TestKnownWorkThatNobodyCanBuild: files that people have edited may say anything; a run of them must not wait for ever.
func TestKnownWorkThatNobodyCanBuild(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		work  string
		want  string
	}{
		"a circle":     {known("", "TASK-02", "TASK-01"), "WORK-01", "depend on each other in a cycle"},
		"no such WORK": {known(""), "WORK-02", "WORK-02 is neither in works/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newLab(t, c.files, nil).survey(t, "run", step.WorkIn{Work: c.work, Language: "en"})
			var input *act.InputError
			if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want a problem of the input: %s", err, c.want)
			}
		})
	}
}
