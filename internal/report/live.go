package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Activity is a step that is at work.
type Activity struct {
	Name    string    `json:"name,omitempty"` // of the module or task, "" for what concerns the whole run
	Phase   string    `json:"phase"`
	Attempt int       `json:"attempt,omitempty"`
	Step    string    `json:"step"` // turn, prove, land, …
	Started time.Time `json:"started"`
	// Action is what its agent does: a tool and what it is about. Heard is when it said so, zero for never.
	Action string    `json:"action,omitempty"`
	Heard  time.Time `json:"heard,omitzero"`
	// Pause is why it is asked again later, Asks what a person has to answer or to fix first: nil and "" for what is at work.
	Pause *step.Pause `json:"pause,omitempty"`
	Asks  string      `json:"asks,omitempty"`
}

func (a Activity) waits() bool { return a.Pause != nil || a.Asks != "" }

// mostWaiting are the lines of modules that wait: each frame is written anew.
const mostWaiting = 5

// silence is how long an agent says nothing before that is shown.
const silence = 30 * time.Second

// activity keeps the list of what is at work.
func (r *Run) activity(e flow.Event) {
	switch e.Type {
	case flow.EventStart:
		delete(r.doing, tries(e.Key))
		r.doing[e.Key] = activityOf(e)
	case flow.EventEnd:
		delete(r.doing, e.Key)
	case flow.EventProgress:
		var h step.Heard
		a := r.doing[e.Key]
		if a == nil || json.Unmarshal(e.Data, &h) != nil {
			return
		}
		ours := a.Heard.IsZero() // so far only the engine has prepared its turn
		if h.Kind != step.HeardCommand {
			a.Heard = e.At
		}
		if did := step.Readable(words(h)); did != "" || ours && !a.Heard.IsZero() {
			a.Action = did
		}
	case flow.EventRun:
		r.waits = nil
		if r.State != flow.Running { // its driver has ended them
			for key, a := range r.doing {
				r.waits = cmp.Or(r.waits, a.Pause)
				if a.Asks == "" { // a question stays until it is answered
					delete(r.doing, key)
				}
			}
		}
	case flow.EventGate:
		if q, err := Decode[flow.Question](e.Data); err == nil {
			a := activityOf(e)
			a.Asks, _, _ = strings.Cut(strings.TrimSpace(step.Readable(q.Text)), "\n")
			r.doing[e.Key] = a
		}
	case flow.EventAnswer:
		delete(r.doing, e.Key)
	case flow.EventNote, flow.EventFold:
	}
}

func activityOf(e flow.Event) *Activity {
	name, _ := ModuleOf(e.Branch)
	phase, attempt, what := Split(strings.TrimPrefix(strings.TrimPrefix(e.Key, e.Branch), ":"))
	return &Activity{Name: name, Phase: phase, Attempt: attempt, Step: what, Started: e.At}
}

// tries is what all tries of one turn have in common: the key up to their number.
func tries(key string) string {
	if i := strings.LastIndex(key, "/try/"); i >= 0 {
		return key[:i] + "/try"
	}
	return key
}

// Waits is what a turn was waiting for before it is asked again when the run came to stand still, nil where none was.
func (r *Run) Waits() *step.Pause { return r.waits }

// Activities are the steps at work or asked again later, the oldest first.
func (r *Run) Activities() []Activity {
	var out []Activity
	for _, a := range r.doing {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b Activity) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.Name+a.Phase, b.Name+b.Phase))
	})
	return out
}

// Words say what is done: by an agent, or by the engine.
func (a Activity) Words(l Lang) string {
	if a.Pause != nil {
		return pause(l, *a.Pause)
	}
	if a.Asks != "" {
		return fmt.Sprintf(l.T("waits for you: %s"), a.Asks)
	}
	switch a.Step {
	case "turn":
		switch {
		case a.Action != "":
			return a.Action
		case !a.Heard.IsZero():
			return l.T("waiting for the model")
		}
		return l.T("agent starting")
	case "prove", "again":
		if a.Action != "" {
			return a.Action
		}
		return l.T("running build, lint, tests")
	case "mutate":
		return l.T("running mutants")
	case "land", "apply", "deliver":
		return l.T("landing")
	}
	return a.Step
}

// name says whose turn, proof or landing it is.
func (a Activity) name() string {
	what := strings.ToUpper(a.Phase)
	if a.Attempt > 1 {
		what += fmt.Sprintf(" %d", a.Attempt)
	}
	if a.Name == "" {
		return what
	}
	return a.Name + " " + what
}

// Live is one frame of the live view: which run it is, how long it takes and what it has cost; a line for each step at work, with what its
// agent does; a line for each module that waits for others; and how many there are of each. It is at most height lines of at most columns
// cells.
func Live(l Lang, r *Run, title string, columns, height int, now time.Time, colour bool) string {
	head := []string{title}
	if where := r.where(); where != "" {
		head = append(head, where)
	}
	frame := []string{Cut(strings.Join(append(head, Took(now.Sub(r.Started)), cmp.Or(r.Spent, Cost(l, r.Usage))), " · "), columns)}
	doing := r.Activities()
	names, running := 0, 0
	active := map[string]bool{}
	for _, a := range doing {
		active[a.Name] = true
		if names = max(names, min(Width(a.name()), columns/3)); !a.waits() {
			running++
		}
	}
	var lines []string
	for _, a := range doing {
		lines = append(lines, liveLine(l, a, names, columns, now, colour))
	}
	done, waiting := 0, 0
	for _, m := range r.Modules {
		switch {
		case m.Phase == "done":
			done++
		case m.Phase == "waiting" && !active[m.Dir]:
			if waiting++; waiting > mostWaiting {
				continue
			}
			left := "  " + Cut(m.Dir, max(names, columns/3))
			left += strings.Repeat(" ", max(0, names+2-Width(left))) + "  "
			lines = append(lines, Cut(left+r.waitsFor(l, m), columns))
		}
	}
	more := max(0, waiting-mostWaiting)
	if most := max(0, height-3); len(lines) > most {
		more += len(lines) - most
		lines = lines[:most]
	}
	if more > 0 {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf(l.T("  … and %d more\n"), more), "\n"))
	}
	frame = append(frame, lines...)
	frame = append(frame, Cut(fmt.Sprintf(l.T("%d done, %d running, %d waiting"), done, running, waiting+len(doing)-running), columns))
	return strings.Join(frame[:min(len(frame), max(1, height))], "\n") + "\n"
}

// waitsFor says what has to be done before a module begins.
func (r *Run) waitsFor(l Lang, m *Module) string {
	var names []string
	for _, n := range m.Needs {
		if x := r.byDir[n]; x != nil && x.Ended.IsZero() {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return l.T("waits for a free job")
	}
	return fmt.Sprintf(l.T("waits for %s"), strings.Join(names, ", "))
}

// where is the phase that a run as a whole is in, "" where its tasks say it.
func (r *Run) where() string {
	if f := r.Feature; f != nil {
		return strings.TrimSuffix(fmt.Sprintf("%s (%s) · %s", f.Name, f.Mode, f.Phase), " ()")
	}
	if d := r.Develop; d != nil {
		return strings.TrimPrefix(fmt.Sprintf("%s · %s", d.Name, d.Phase), " · ")
	}
	return ""
}

func liveLine(l Lang, a Activity, names, columns int, now time.Time, colour bool) string {
	right, quiet := Took(now.Sub(a.Started)), time.Duration(0)
	if a.Step == "turn" && !a.Heard.IsZero() {
		quiet = now.Sub(a.Heard)
	}
	if quiet > silence {
		right = fmt.Sprintf(l.T("silent for %s"), Took(quiet)) + "  " + right
	}
	name := Cut(a.name(), names)
	left := "  " + name + strings.Repeat(" ", max(0, names-Width(name))) + "  "
	left += Cut(a.Words(l), max(1, columns-Width(left)-Width(right)-2))
	line := Cut(left+strings.Repeat(" ", max(1, columns-Width(left)-Width(right)))+right, columns)
	if colour && (quiet > silence || a.waits()) {
		return "\x1b[33m" + line + "\x1b[0m"
	}
	return line
}

// Beat is a line for who reads plain text: what is at work, when nothing was printed for a while. "" when nothing is.
func Beat(l Lang, r *Run, now time.Time) string {
	var b strings.Builder
	doing := r.Activities()
	const most = 4
	for _, a := range doing[:min(len(doing), most)] {
		fmt.Fprintf(&b, l.T("  … %s: %s for %s\n"), a.name(), Cut(a.Words(l), 80), Took(now.Sub(a.Started)))
	}
	if n := len(doing) - most; n > 0 {
		fmt.Fprintf(&b, l.T("  … and %d more\n"), n)
	}
	return b.String()
}

// Doing are lines about what is done now and was not said before: said holds what was, by who does it. Without all, only of what
// is installed: that takes long before anything else is to be said.
func Doing(l Lang, r *Run, said map[string]string, all bool) string {
	var b strings.Builder
	for _, a := range r.Activities() {
		if now := a.Words(l); said[a.name()] != now && (all || strings.HasPrefix(now, "setup: ")) {
			said[a.name()] = now
			fmt.Fprintf(&b, "    %s: %s\n", a.name(), Cut(now, 160))
		}
	}
	return b.String()
}

// Paused is a line about a turn that is asked again later.
func Paused(l Lang, name string, p step.Pause) string {
	sign := "⏸"
	if p.Of > 0 {
		sign = "⟳"
	}
	return "  " + sign + " " + name + ": " + pause(l, p) + "\n"
}

func pause(l Lang, p step.Pause) string {
	if p.Of > 0 {
		return fmt.Sprintf(l.T("%s; retry %d of %d at %s"), step.Readable(p.Why), p.Try, p.Of, p.Until.Local().Format(time.TimeOnly))
	}
	text := fmt.Sprintf(l.T("usage limit, resumes at %s"), p.Until.Local().Format(time.DateTime))
	if p.Why != "" {
		text += " (" + step.Readable(p.Why) + ")"
	}
	return text
}

// toolWords are what agents call their tools, and what they do with them.
var toolWords = map[string]string{
	"read": "reads", "edit": "edits", "multiedit": "edits", "write": "writes", "bash": "runs", "run": "runs", "append": "edits", "delete": "deletes", "shell": "runs", "command_execution": "runs", "execute": "runs", "grep": "searches", "structuredoutput": "answers",
	"glob": "searches", "search": "searches", "ls": "lists", "list": "lists", "file_change": "edits", "patch": "edits", "notebookedit": "edits",
}

// words say what an agent has been heard to do, "" when it only thinks.
func words(h step.Heard) string {
	text := pdca.Line(h.Text)
	switch {
	case h.Kind == "text" && text != "":
		return "“" + text + "”"
	case h.Kind == step.HeardCommand:
		return text
	case h.Tool == "" || h.Kind == "tool_end":
		return ""
	}
	if _, in, ok := strings.Cut(text, "/tree/"); ok && strings.HasPrefix(text, "/") && !strings.Contains(text, " ") { // a file of a checkout
		text = in
	} else if strings.HasPrefix(text, "/") && !strings.Contains(text, " ") { // another one, by its last folders
		parts := strings.Split(path.Clean(text), "/")
		text = strings.Join(parts[max(0, len(parts)-3):], "/")
	}
	return strings.TrimSpace(cmp.Or(toolWords[strings.ToLower(h.Tool)], h.Tool) + " " + text)
}
