package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// CallbackKind says which address a callback goes to.
type CallbackKind string

// The kinds of callbacks; see docs/internals/wire-formats.md.
const (
	StageCallback    CallbackKind = "stage"
	ProgressCallback CallbackKind = "progress"
	TaskCallback     CallbackKind = "task"
)

// Callback is one message to a server that watches a run of work. Key is the same each time that it is sent, so that a
// receiver can tell a repetition.
type Callback struct {
	Kind CallbackKind
	Seq  int64 // of the event that it tells of
	Key  string
	Body []byte // JSON
}

// Callbacks turns the events of a run of work into messages. It is a fold: the same events give the same messages, so a
// sender that remembers the last event that was told needs no other store.
type Callbacks struct {
	run  string
	work string
}

// NewCallbacks begins the fold for a run.
func NewCallbacks(run string) *Callbacks {
	return &Callbacks{run: run}
}

// Apply is what one event is told as.
func (c *Callbacks) Apply(e flow.Event) []Callback {
	id, isTask := strings.CutPrefix(e.Branch, "task/")
	rest := strings.TrimPrefix(strings.TrimPrefix(e.Key, e.Branch), ":")
	last := rest[strings.LastIndexByte(rest, '/')+1:]
	switch e.Type {
	case flow.EventStart:
		switch {
		case isTask && last == "turn":
			return append(c.stage(e, "BUILDER", "START", id), c.progress(e, id, "IN_PROGRESS", "attempt "+attemptOf(rest)+" began", nil))
		case isTask && last == "prove":
			return c.stage(e, "VERIFIER", "START", id)
		case isTask && last == "land":
			return c.stage(e, "COMMITTER", "START", id)
		case !isTask && last == "turn" && strings.HasPrefix(rest, "requirement/"):
			return c.stage(e, "SPECIFIER", "START", "")
		case !isTask && last == "turn" && strings.HasPrefix(rest, "plan/"):
			return c.stage(e, "PLANNER", "START", "")
		}
	case flow.EventNote:
		return c.note(e, id, isTask, last)
	case flow.EventRun, flow.EventEnd, flow.EventFold, flow.EventGate, flow.EventAnswer, flow.EventProgress:
	}
	return nil
}

func attemptOf(rest string) string {
	if parts := strings.Split(rest, "/"); len(parts) > 1 {
		return parts[1]
	}
	return "1"
}

func (c *Callbacks) note(e flow.Event, id string, isTask bool, last string) []Callback {
	switch {
	case !isTask && (last == "gate" || last == "planned"):
		var n step.WorkNote
		if json.Unmarshal(e.Data, &n) != nil {
			return nil
		}
		c.work = n.Work
		stage := "SPECIFIER"
		if last == "planned" || strings.HasPrefix(e.Key, "plan/") {
			stage = "PLANNER"
		}
		return c.stage(e, stage, "DONE", "")
	case isTask && last == "judged":
		var n step.AttemptNote
		if json.Unmarshal(e.Data, &n) != nil {
			return nil
		}
		event, said := "DONE", "the checks passed"
		if !n.Passed {
			event, said = "FAILED", fmt.Sprintf("the checks sent attempt %d back: %d findings, %d failing tests", n.Attempt, len(n.Findings), len(n.Failures))
		}
		list := []item{{"tests", n.Counts.Failed == 0 && n.Counts.Total > 0}, {"checks", n.Passed}}
		out := c.stage(e, "BUILDER", "DONE", id)
		out = append(out, c.stage(e, "VERIFIER", event, id)...)
		return append(out, c.progress(e, id, "IN_PROGRESS", said, list))
	case isTask && last == "result":
		var r step.TaskResult
		if json.Unmarshal(e.Data, &r) != nil {
			return nil
		}
		return c.result(e, r)
	}
	return nil
}

// item is a line of a progress callback's checklist.
type item struct {
	Item string `json:"item"`
	Done bool   `json:"done"`
}

func (c *Callbacks) result(e flow.Event, r step.TaskResult) []Callback {
	status, event, progress := "SUCCESS", "DONE", "COMPLETED"
	switch r.Status {
	case step.Success:
	case step.Warning, step.Blocked:
		status, event, progress = "FAILED", "FAILED", "FAILED"
		if r.Commit != "" {
			status = "PARTIAL" // it is on the run's branch, and the user's tree could not take it
		}
	}
	files := []string{}
	for _, f := range r.Files {
		files = append(files, f.Path)
	}
	body := map[string]any{
		"workId": c.work, "taskId": r.ID, "status": status, "what": r.Handoff.What, "why": r.Handoff.Why, "caution": r.Handoff.Caution,
		"incomplete": r.Handoff.Incomplete, "filesChanged": files, "timestamp": stamp(e.At),
	}
	if r.Commit != "" {
		body["commitHash"] = r.Commit
	}
	if r.Reason != "" {
		body["reason"] = r.Reason
	}
	out := append(c.stage(e, "COMMITTER", event, r.ID), c.progress(e, r.ID, progress, r.Summary, nil))
	key := cmp.Or(r.Commit, fmt.Sprintf("%s-%d", c.run, e.Seq)) // the Idempotency-Key that the WORK pipeline sends
	return append(out, Callback{Kind: TaskCallback, Seq: e.Seq, Key: key, Body: encoded(body)})
}

func (c *Callbacks) stage(e flow.Event, stage, event, id string) []Callback {
	body := map[string]any{"stage": stage, "event": event, "workId": c.work, "taskId": id}
	return []Callback{{Kind: StageCallback, Seq: e.Seq, Key: fmt.Sprintf("%s-%d-%s", c.run, e.Seq, stage), Body: encoded(body)}}
}

func (c *Callbacks) progress(e flow.Event, id, status, said string, list []item) Callback {
	body := map[string]any{
		"workId": c.work, "taskId": id, "status": status, "currentReasoning": said, "checklist": append([]item{}, list...), "timestamp": stamp(e.At),
	}
	return Callback{Kind: ProgressCallback, Seq: e.Seq, Key: fmt.Sprintf("%s-%s-%d", id, stamp(e.At), e.Seq), Body: encoded(body)}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func encoded(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return raw
}
