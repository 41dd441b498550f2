package act

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/subject"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/works"
)

// Trailers of commits. The first says what a commit is: the run, a stroke, and what has landed. For a task that is
// WORK-03/TASK-01, for a module its directory, for everything else the key of the step. It is how a resumed run finds that it
// has made the commit already. The second is the tree that was proved.
const (
	trailerRun  = "Jacquard-Run"
	trailerTree = "Jacquard-Verified-Tree"
)

// Trailers of the commit that keeps the tree that a session began with: the branch, the directory of the project, and by which address
// people commit there.
const (
	trailerBranch = "Jacquard-Branch"
	trailerRoot   = "Jacquard-Root"
	trailerEmail  = "Jacquard-Email"
)

// Trailers that earlier versions wrote, and the WORK pipeline (docs/differences.md).
const (
	oldStep     = "Jacquard-Step"
	oldModule   = "Jacquard-Module"
	oldWork     = "Jacquard-Work"
	oldTask     = "Jacquard-Task"
	oldReverted = "Jacquard-Reverted"
	oldResult   = "Result" // of the WORK pipeline: works/WORK-03/TASK-01_result.md
)

// commit is a commit of a run, and what of the run it is.
func (a *Actor) commit(run, what, message string) git.Commit {
	c := git.Commit{Message: message, Name: a.o.Name, Email: a.o.Email, Time: a.o.Now()}
	if c.Name == "" || c.Email == "" {
		c.Name, c.Email = "Jacquard", "jacquard@localhost"
	}
	if what != "" {
		run += "/" + what
	}
	c.Trailers = []git.Trailer{{Key: trailerRun, Value: run}}
	return c
}

// landedCommit is a commit of what was proved to be tree.
func (a *Actor) landedCommit(run, what, message, tree string) git.Commit {
	c := a.commit(run, what, message)
	c.Trailers = append(c.Trailers, git.Trailer{Key: trailerTree, Value: tree})
	return c
}

// runOf is the run that has made a commit, and what of it that is.
func runOf(c git.LogEntry) (run, what string) {
	run, what, _ = strings.Cut(c.Trailer(trailerRun), "/")
	return run, what
}

// isStep reports whether a commit is what a step of a run has landed.
func isStep(c git.LogEntry, run, what, key string) bool {
	by, is := runOf(c)
	return by == run && is == what || is == "" && c.Trailer(oldStep) == key
}

// isModule reports whether a commit is that of a module.
func isModule(c git.LogEntry, dir string) bool {
	_, is := runOf(c)
	return is == dir || is == "" && c.Trailer(oldModule) == dir
}

var workTask = re.New(`^(WORK-\d+)/(TASK-\d+)$`)

// TaskOf is the WORK and the task that a commit is of: by our trailers, or by the result file that commits of the WORK
// pipeline name. They are empty for a commit of no task.
func TaskOf(c git.LogEntry) (work, id string) {
	_, is := runOf(c)
	if m := workTask().FindStringSubmatch(is); m != nil {
		return m[1], m[2]
	}
	result := c.Trailer(oldResult)
	if dir := path.Dir(result); path.Dir(dir) == "works" {
		work = path.Base(dir)
	}
	id, _, _ = works.TaskOf(path.Base(result))
	return cmp.Or(c.Trailer(oldWork), work), cmp.Or(c.Trailer(oldTask), id)
}

var reverts = re.New(`(?m)^This reverts commit ([0-9a-f]{7,64})\b`)

// reverted are the commits that one takes back, in git's own words.
func reverted(c git.LogEntry) []string {
	out := step.Each(reverts().FindAllStringSubmatch(c.Message, -1), func(m []string) string { return m[1] })
	for _, t := range c.Trailers {
		if t.Key == oldReverted {
			out = append(out, t.Value)
		}
	}
	return out
}

// subjectOf is the first line of a commit's message.
func subjectOf(c git.LogEntry) string {
	s, _, _ := strings.Cut(c.Message, "\n")
	return s
}

// snapshotMessage is the subject of the commit that holds what was not committed when a run began.
const snapshotMessage = "snapshot of the working tree"

// style is how the project writes the subjects of its commits. It is read from the commit that the run began with, which never
// changes.
func (a *Actor) style(ctx context.Context, run string) (subject.Style, error) {
	base, err := a.o.Repo.Ref(ctx, baseRef(run))
	if err != nil {
		return subject.Style{}, machinery(err)
	}
	return a.styleAt(ctx, base)
}

func (a *Actor) styleAt(ctx context.Context, commit string) (subject.Style, error) {
	log, err := a.o.Repo.Log(ctx, commit, "", 4*subject.Look) // with merges, which say nothing
	if err != nil {
		return subject.Style{}, machinery(err)
	}
	var list []string
	for _, c := range log {
		if s := subjectOf(c); len(c.Parents) < 2 && s != snapshotMessage {
			list = append(list, s)
		}
	}
	return subject.Of(list), nil
}

// message is the message of a commit that changes files: a subject as the project writes them, and what was done. A sentence
// that is too long for a subject is repeated.
func message(s subject.Style, kind, sentence string, files, lines []string) string {
	if kind != subject.WIP {
		kind = task.TypeOf(kind)
	}
	first := s.Write(kind, sentence, files)
	text := first + "\n"
	if !strings.HasSuffix(strings.ToLower(first), strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(sentence), " "), ". "))) {
		text += "\n" + sentence + "\n"
	}
	for i, l := range lines {
		if i == 0 {
			text += "\n"
		}
		text += "- " + strings.TrimPrefix(l, "- ") + "\n"
	}
	return text
}

// messageOf is the message of a commit of a run that makes one tree of another, see message.
func (a *Actor) messageOf(ctx context.Context, run, kind, sentence, from, to string, lines ...string) (string, error) {
	style, err := a.style(ctx, run)
	if err != nil {
		return "", err
	}
	changes, err := a.o.Repo.Diff(ctx, from, to)
	return message(style, kind, sentence, step.Each(changes, pathOf), lines), machinery(err)
}

func pathOf(ch git.Change) string { return ch.Path }

// merge merges two trees that were made from one. conflicts are the files that both have changed in the same place.
func (a *Actor) merge(ctx context.Context, base, ours, theirs string) (tree string, conflicts []string, err error) {
	tree, conflicts, err = a.o.Repo.Merge(ctx, base, ours, theirs)
	return tree, conflicts, machinery(err)
}

// RolledBack is what became of taking a WORK, or what a run has done, back.
type RolledBack struct {
	Work     string           `json:"work,omitempty"`
	Run      string           `json:"run,omitempty"`
	Reverted []RevertedCommit `json:"reverted"`
	Files    []string         `json:"files,omitempty"` // of the working tree that are as they were
	Commit   string           `json:"commit,omitempty"`
	Refused  string           `json:"refused,omitempty"` // why nothing was changed
	// Nothing is set where there is nothing of the run that could be taken back.
	Nothing  bool           `json:"nothing,omitempty"`
	Findings []step.Finding `json:"findings,omitempty"`
	// StillFails are commands of the build that failed before and do without it: the commit is not called verified.
	StillFails []string `json:"still_fails,omitempty"`
}

// RevertedCommit is a commit of a task that is taken back.
type RevertedCommit struct {
	Commit string `json:"commit"`
	Task   string `json:"task"`
	Title  string `json:"title"`
}

// commitsOf are the commits of a WORK that were not taken back yet, newest first; with to, those after that task.
func commitsOf(log []git.LogEntry, work, to string) (out []git.LogEntry, why string) {
	found := false
	for _, c := range standing(log, func(c git.LogEntry) bool { of, _ := TaskOf(c); return of == work }) {
		if _, id := TaskOf(c); to != "" && id == to {
			found = true
			break
		}
		out = append(out, c)
	}
	seen := map[string]string{}
	for _, c := range out {
		_, id := TaskOf(c)
		if other, twice := seen[id]; twice {
			return nil, fmt.Sprintf("%s of %s has two commits, %s and %s: two WORKs have this number, and one may be someone else's. Revert the right one with git revert", id, work, other[:7], c.ID[:7])
		}
		seen[id] = c.ID
	}
	switch {
	case to != "" && !found:
		return nil, fmt.Sprintf("%s has no commit of %s on this branch", work, to)
	case len(out) == 0:
		return nil, fmt.Sprintf("%s has no commit on this branch to undo", work)
	}
	return out, ""
}

// standing are the commits of a history that fit and were not taken back yet, newest first.
func standing(log []git.LogEntry, fits func(git.LogEntry) bool) []git.LogEntry {
	gone := map[string]bool{}
	for _, c := range log {
		if gone[c.ID] { // what it took back is there again
			continue
		}
		for _, id := range reverted(c) {
			gone[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(log), func(c git.LogEntry) bool { return gone[c.ID] || !fits(c) })
}
