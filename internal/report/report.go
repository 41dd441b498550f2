// Package report folds the events of a run into what a person wants to know:
// which modules are where, what was tried, what it cost and how it ended. It
// is pure; the same fold feeds plain lines, the live view and JSON.
package report

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Run is a run as a person sees it.
type Run struct {
	ID       string         `json:"id,omitempty"`
	Workflow string         `json:"workflow"`
	State    flow.RunState  `json:"state"`
	Started  time.Time      `json:"started"`
	Ended    time.Time      `json:"ended,omitzero"`
	Sandbox  string         `json:"sandbox,omitempty"` // level that it began at; each check has its own on record
	Refused  []string       `json:"refused,omitempty"` // a line for each host that installations asked for in vain
	Plan     *step.PlanNote `json:"plan,omitempty"`
	// Drafts are attempts at requirements and plans, before there are modules or tasks.
	Drafts  []step.AttemptNote `json:"drafts,omitempty"`
	Modules []*Module          `json:"modules"`
	Gates   []flow.Gate        `json:"gates,omitempty"`
	Usage   step.Usage         `json:"usage"`
	// Result is what a run that is done ended with, nil before.
	Result step.Result `json:"result,omitempty"`
	// Request is what a run of work is about, Feature where one of auto stands, Develop where one of develop does.
	Request *step.WorkNote `json:"request,omitempty"`
	Feature *Feature       `json:"feature,omitempty"`
	Develop *Develop       `json:"develop,omitempty"`
	Error   *flow.Failure  `json:"error,omitempty"`
	// Left is what there is of what did not pass.
	Left []Left `json:"left,omitempty"`
	// Pause is why a turn is asked again later, nil for none.
	Pause *step.Pause `json:"pause,omitempty"`
	waits *step.Pause
	// TakenBack says that what the run has done was taken back later.
	TakenBack bool `json:"taken_back,omitempty"`
	// NotDelivered is the ref of what was verified and is not on the branch, "" for none.
	NotDelivered string `json:"not_delivered,omitempty"`
	// Altered are delivered files that were changed before the run had ended.
	Altered []string `json:"altered,omitempty"`

	// Unsure is what calls that were cut off can have cost at most, beside what is known.
	Unsure step.Usage `json:"-"`
	// Spent is what was spent so far of the budget, as text; "" where nobody looks.
	Spent string `json:"-"`

	doing map[string]*Activity // by key
	byDir map[string]*Module
	last  int64
	style style
	asked string // the request, where a later run knows this one by it
}

// Module is one module of a run.
type Module struct {
	Dir      string             `json:"dir"`
	Reason   string             `json:"reason,omitempty"`
	Needs    []string           `json:"needs,omitempty"` // modules that come first
	Phase    string             `json:"phase"`           // waiting, red, green, refactor, strength, land, apply, done
	Attempt  int                `json:"attempt,omitempty"`
	Step     string             `json:"step,omitempty"` // what runs now: turn, prove, …
	Started  time.Time          `json:"started,omitzero"`
	Ended    time.Time          `json:"ended,omitzero"`
	Usage    step.Usage         `json:"usage"`
	Attempts []step.AttemptNote `json:"attempts,omitempty"`
	Result   *step.ModuleResult `json:"result,omitempty"`
	Task     *step.TaskResult   `json:"task,omitempty"` // of a run of work, where Dir is the id of a task
}

// New makes an empty report of a run.
func New(r flow.Run) *Run {
	out := &Run{
		ID: r.ID, Workflow: r.Def, State: r.State, Started: r.Started, Ended: r.Ended, Error: r.Err,
		Modules: []*Module{}, byDir: map[string]*Module{}, doing: map[string]*Activity{},
	}
	out.Usage.Known = true
	var meta struct{ Sandbox string }
	if json.Unmarshal(r.Meta, &meta) == nil {
		out.Sandbox = meta.Sandbox
	}
	if out.style = styleOf(r.Def); out.style.begin != nil {
		out.style.begin(out, r)
	}
	_ = out.End(r.Out) // what cannot be read is left out, as that of a run that has not ended
	return out
}

// End takes the output of a run that has ended.
func (r *Run) End(out json.RawMessage) error {
	res := r.style.result()
	if err := json.Unmarshal(out, res); err != nil {
		return err
	}
	r.Result, r.Usage = res, res.Ended().Usage
	return nil
}

// Verified reports whether a run is done and all that was asked for is verified.
func (r *Run) Verified() bool { return r.Result != nil && r.Result.Ended().Verified }

// Ending is the text at the end of a run, whose branch is ref; "" for one that has no result.
func Ending(l Lang, r *Run, ref string) string {
	switch o := r.Result.(type) {
	case *step.AutoOut:
		return featureEnd(l, r, o, ref)
	case *step.DevelopOut:
		return checkpointsEnd(l, r, o, ref)
	case *step.WorkOut:
		return requestEnd(l, r, o)
	case *step.DocumentOut:
		return documentsEnd(l, r.Workflow, o)
	case *step.CompileOut:
		return buildEnd(l, r, o)
	}
	return ""
}

// Last is the sequence number of the newest event applied.
func (r *Run) Last() int64 { return r.last }

// Module returns a module by its directory, making it when it is new.
func (r *Run) Module(dir string) *Module {
	m := r.byDir[dir]
	if m == nil {
		m = &Module{Dir: dir, Phase: "waiting"}
		m.Usage.Known = true
		r.byDir[dir] = m
		r.Modules = append(r.Modules, m)
	}
	return m
}

// expect makes a module of a plan: why it is in it, and what comes first.
func (r *Run) expect(dir, reason string, needs []string) {
	m := r.Module(dir)
	m.Reason, m.Needs = reason, needs
}

// Apply folds one event in. Unknown events and facts are ignored: a newer
// program may have written them.
func (r *Run) Apply(e flow.Event) {
	if e.Seq > r.last {
		r.last = e.Seq
	}
	defer r.activity(e)
	switch e.Type {
	case flow.EventRun:
		var d struct{ State flow.RunState }
		if json.Unmarshal(e.Data, &d) == nil && d.State != "" {
			r.State = d.State
			if d.State.Ended() {
				r.Ended = e.At
			}
		}
	case flow.EventStart:
		r.started(e)
	case flow.EventEnd:
		if m, _ := r.place(e); m != nil {
			m.Step = ""
		}
	case flow.EventNote:
		r.note(e)
	case flow.EventFold:
		if m, _ := r.place(e); m != nil {
			m.Phase, m.Step, m.Ended = "done", "", e.At
			if r.style.lacks != nil && r.style.lacks(m) {
				m.Phase = "ended without a result"
			}
		}
	case flow.EventGate, flow.EventAnswer, flow.EventProgress:
	}
}

// ModuleOf is the directory of the module, or the id of the task, that a branch is about.
func ModuleOf(branch string) (string, bool) {
	if dir, ok := strings.CutPrefix(branch, "module/"); ok {
		return dir, true
	}
	return strings.CutPrefix(branch, "task/")
}

// place finds the module of an event and the rest of its key.
func (r *Run) place(e flow.Event) (*Module, string) {
	dir, ok := ModuleOf(e.Branch)
	if !ok {
		return nil, ""
	}
	return r.Module(dir), strings.TrimPrefix(strings.TrimPrefix(e.Key, e.Branch), ":")
}

// started notes what runs now: a step of a module, or what its style makes of it.
func (r *Run) started(e flow.Event) {
	if r.style.start != nil && r.style.start(r, e) {
		return
	}
	m, rest := r.place(e)
	if m == nil {
		return
	}
	if m.Started.IsZero() {
		m.Started = e.At
	}
	phase, attempt, what := Split(rest)
	if phase != "head" {
		m.Phase, m.Attempt, m.Step = phase, attempt, what
	}
}

// Split reads a step's key within its branch: red/2/try/1/turn is the phase
// red, the second attempt, the step turn.
func Split(key string) (phase string, attempt int, what string) {
	parts := strings.Split(key, "/")
	phase, what = parts[0], parts[len(parts)-1]
	if i := slices.Index(parts, "as"); i >= 0 && i+1 < len(parts) { // auto names the role of a turn
		return parts[i+1], 0, what
	}
	if phase == "present" {
		phase = "green"
	}
	if phase == "land" && len(parts) > 3 { // a landing that went back to its author
		phase, parts = parts[2], parts[2:]
	}
	if slices.Contains(parts, "dispute") { // the author of the tests is asked again
		return "red", 0, what
	}
	if len(parts) > 1 {
		if n, err := strconv.Atoi(parts[1]); err == nil {
			attempt = n
		}
	}
	return phase, attempt, what
}

func (r *Run) note(e flow.Event) {
	if strings.HasSuffix(e.Key, "/parked") {
		var p step.Pause
		if json.Unmarshal(e.Data, &p) == nil {
			a := activityOf(e)
			r.Pause, a.Pause = &p, &p
			r.doing[tries(e.Key)] = a
		}
	}
	r.style.note(r, e)
}

// attempt takes what a module's author was told of an attempt, and what the attempt has left.
func (r *Run) attempt(e flow.Event) {
	m, _ := r.place(e)
	judged := strings.HasSuffix(e.Key, "judged")
	if !judged && (m == nil || !strings.HasSuffix(e.Key, "/landing")) {
		return
	}
	a, err := Decode[step.AttemptNote](e.Data)
	if err != nil {
		return
	}
	if m == nil {
		r.Drafts = append(r.Drafts, told(a))
		return
	}
	r.leaves(m.Dir, a)
	if judged {
		m.Attempts = append(m.Attempts, told(a))
		r.cost(m, a.Usage)
	}
}

// done takes the end of a module, and what it cost in all.
func (r *Run) done(m *Module, e flow.Event, u step.Usage) {
	m.Phase, m.Step, m.Ended = "done", "", e.At
	r.cost(m, u)
}

// cost replaces a module's usage by a newer running total.
func (r *Run) cost(m *Module, u step.Usage) {
	if u.Requests == 0 && u.Input == 0 && u.Output == 0 && u.USD == 0 {
		return
	}
	m.Usage = u
	var sum step.Usage
	sum.Known = true
	for _, x := range r.Modules {
		sum = sum.Add(x.Usage)
	}
	r.Usage = sum
}
