package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

// work measures what a task costs besides its agent and its checks, beside what git takes for the same commits in the
// same way (a clone, a change, a commit, a fetch), and how long ps and show take with many tasks.
func (b *bench) work() error {
	tasks := 200
	if b.short {
		tasks = 20
	}
	dir := filepath.Join(b.dir, "work")
	play := filepath.Join(b.dir, "work.txtar")
	if err := b.plan(dir, play, tasks); err != nil {
		return err
	}
	u, _, err := b.measure(dir, nil, nil, b.bin, "work", "resume", "WORK-01", "--yes", "--scenario", play, "--jobs", "1")
	if err != nil {
		return err
	}
	steps, err := b.steps(dir, b.bin)
	if err != nil {
		return err
	}
	agents := time.Duration(0)
	for _, s := range steps {
		var t step.TurnOut
		if s.Step == step.AgentTurn.Name && json.Unmarshal(s.Out, &t) == nil {
			agents += time.Duration(t.Millis) * time.Millisecond
		}
	}
	yard, err := b.gitOnly(tasks)
	if err != nil {
		return err
	}
	n := time.Duration(tasks)
	b.row(fmt.Sprintf("one of %d tasks without its agent", tasks), (u.took-agents)/n, yard/n, "git alone: clone, commit, fetch")
	b.memory(fmt.Sprintf("work, %d tasks", tasks), u.memory)
	return b.many()
}

// ran is a step of a run as show gives it.
type ran struct {
	Step    string          `json:"step"`
	Started int64           `json:"started"` // Unix milliseconds
	Out     json.RawMessage `json:"out"`
}

// steps are those of the last run in a project.
func (b *bench) steps(dir, program string) ([]ran, error) {
	_, out, err := b.command(dir, nil, program, "show", "--json")
	if err != nil {
		return nil, err
	}
	var run struct {
		Steps []ran `json:"steps"`
	}
	err = json.Unmarshal([]byte(out), &run)
	return run.Steps, err
}

// many measures how long ps and show take for a run of many tasks. Its builders meet a limit at once.
func (b *bench) many() error {
	const tasks, goal = 1000, 100 * time.Millisecond
	dir, play := filepath.Join(b.dir, "many"), filepath.Join(b.dir, "many.txtar")
	if err := b.plan(dir, play, tasks); err != nil {
		return err
	}
	if err := os.WriteFile(play, []byte("turn build * *\n  limit 1h\n"), 0o644); err != nil {
		return err
	}
	if _, _, err := b.measure(dir, nil, nil, b.bin, "work", "resume", "WORK-01", "--yes", "--scenario", play, "--jobs", "1"); err == nil {
		return errors.New("the run did not meet the limit")
	}
	for _, argv := range [][]string{{"ps"}, {"show"}, {"show", "--json"}} {
		u, _, err := b.measure(dir, nil, nil, append([]string{b.bin}, argv...)...)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("%s, %d tasks", strings.Join(argv, " "), tasks)
		b.row(what, u.took, goal, "goal")
		b.memory(what, u.memory)
	}
	return nil
}

// plan makes a repository with a WORK of many tasks that have no tests to run, and the script of their builders.
func (b *bench) plan(dir, play string, tasks int) error {
	if err := os.MkdirAll(filepath.Join(dir, "works", "WORK-01"), 0o755); err != nil {
		return err
	}
	p := works.Plan{Work: "WORK-01", Title: "many", Created: time.Now(), Mode: works.Full, Language: "en", Status: works.Planned, Goal: "many", Project: "x", Stack: "none", Requirement: "x"}
	var script strings.Builder
	for i := range tasks {
		id, file := works.TaskID(i), fmt.Sprintf("docs/d%04d.md", i)
		t := works.Task{ID: id, Title: "write " + file, Work: "WORK-01", WorkTitle: "many", Scope: "x", Files: []works.File{{Path: file, Action: works.Create}}}
		if i > 0 && i%10 == 0 {
			t.DependsOn = []string{works.TaskID(i - 10)}
		}
		p.Tasks = append(p.Tasks, works.Step{ID: id, Title: t.Title, DependsOn: t.DependsOn, Scope: "x", Files: t.Files})
		if err := os.WriteFile(filepath.Join(dir, "works", "WORK-01", id+".md"), t.Format(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&script, "turn build %s *\n  write %s text.md\n  answer done.json\n", id, file)
	}
	script.WriteString("-- text.md --\ntext\n-- done.json --\n{\"summary\": \"x\", \"what\": \"x\", \"why\": \"x\", \"caution\": \"x\", \"incomplete\": \"x\"}\n")
	if err := os.WriteFile(filepath.Join(dir, "works", "WORK-01", "PLAN.md"), p.Format(), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(play, []byte(script.String()), 0o644); err != nil {
		return err
	}
	return b.commands(dir, [][]string{{"git", "init", "-q", "-b", "main"}, {"git", "add", "-A"}, {"git", "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "start"}})
}

// gitOnly makes the same commits with git alone: for each a clone, a file, a commit in the clone, a fetch.
func (b *bench) gitOnly(tasks int) (time.Duration, error) {
	hub := filepath.Join(b.dir, "git", "hub")
	if err := os.MkdirAll(hub, 0o755); err != nil {
		return 0, err
	}
	if err := b.commands(hub, [][]string{{"git", "init", "-q", "-b", "main"}, {"git", "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-q", "--allow-empty", "-m", "start"}}); err != nil {
		return 0, err
	}
	began := time.Now()
	for i := range tasks {
		clone := filepath.Join(b.dir, "git", fmt.Sprintf("c%d", i))
		if err := b.commands(filepath.Dir(hub), [][]string{{"git", "clone", "-q", "--shared", hub, clone}}); err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(clone, fmt.Sprintf("d%04d.md", i)), []byte("text\n"), 0o644); err != nil {
			return 0, err
		}
		if err := b.commands(clone, [][]string{{"git", "add", "-A"}, {"git", "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "one"}}); err != nil {
			return 0, err
		}
		if err := b.commands(hub, [][]string{{"git", "fetch", "-q", "--update-head-ok", clone, "main:main"}}); err != nil {
			return 0, err
		}
		if err := os.RemoveAll(clone); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}
