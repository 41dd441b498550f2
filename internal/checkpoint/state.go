package checkpoint

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/re"
)

// The state files: the one that is written, and one of later versions of the earlier tool that is read where there is no other.
const (
	StateDir   = ".develop-workflow"
	StatePath  = StateDir + "/state.yaml"
	OtherState = StateDir + "/state.json"
)

// Phase is where a run of develop is.
type Phase string

// The phases of the state file.
const (
	DesignPhase Phase = "DESIGN"
	Review      Phase = "REVIEW"
	Implement   Phase = "IMPLEMENT"
	Merge       Phase = "MERGE"
	Done        Phase = "DONE"
)

// Phases are all of them, in their order.
var Phases = []Phase{DesignPhase, Review, Implement, Merge, Done}

// Status is where a checkpoint is.
type Status string

// The states of checkpoints. One that was skipped stays escalated.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Passed     Status = "passed"
	Escalated  Status = "escalated"
)

// Progress is where one checkpoint stands.
type Progress struct {
	ID        string `json:"id"`
	Status    Status `json:"status"`
	Iteration int    `json:"iteration"` // 0 = not begun, 1 to 3
}

// State is what the state file says.
type State struct {
	Phase       Phase      `json:"phase"`
	Strategy    string     `json:"strategy,omitempty"`
	Feature     string     `json:"feature"`
	Started     time.Time  `json:"started_at"`
	Updated     time.Time  `json:"updated_at"`
	Checkpoints []Progress `json:"checkpoints,omitempty"`
}

// maxIterations is the most that a state file can say of a checkpoint.
const maxIterations = 3

// Bytes is the state file: the keys in the order of docs/internals/develop.md, times with their offset.
func (s State) Bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "phase: %s\n", s.Phase)
	if s.Strategy != "" {
		fmt.Fprintf(&b, "strategy: %s\n", s.Strategy)
	}
	fmt.Fprintf(&b, "feature: %s\nstarted_at: %q\nupdated_at: %q\n", quoted(s.Feature), s.Started.Format(time.RFC3339), s.Updated.Format(time.RFC3339))
	if len(s.Checkpoints) > 0 {
		b.WriteString("\ncheckpoints:\n")
		for _, k := range s.Checkpoints {
			fmt.Fprintf(&b, "  %s: { status: %s, iteration: %d }\n", k.ID, k.Status, k.Iteration)
		}
	}
	return b.Bytes()
}

// quoted is a text as YAML takes it between double quotes. strconv.Quote escapes as YAML reads it, but for \x, whose
// meaning is the same there.
func quoted(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "�")) }

// stateFile is a state as it is read: times are texts, since some have no zone.
type stateFile struct {
	Phase       string    `yaml:"phase"`
	Strategy    string    `yaml:"strategy"`
	Feature     string    `yaml:"feature"`
	Started     string    `yaml:"started_at"`
	Updated     string    `yaml:"updated_at"`
	Checkpoints yaml.Node `yaml:"checkpoints"`
}

// ReadState reads a state file, of YAML or JSON. Times without a zone are of the given one. What contradicts itself is
// mended, and said; what has no phase that is known is an error.
func ReadState(raw []byte, zone *time.Location) (s State, mended []string, err error) {
	var f stateFile
	if err := yaml.Unmarshal(raw, &f); err != nil {
		return s, nil, fmt.Errorf("read %s: %w", StatePath, err)
	}
	s = State{Phase: Phase(strings.ToUpper(strings.TrimSpace(f.Phase))), Strategy: f.Strategy, Feature: strings.TrimSpace(f.Feature)}
	if s.Phase == "PR" { // of a later version: it waited for a pull request
		s.Phase = Merge
	}
	if !slices.Contains(Phases, s.Phase) {
		return s, nil, fmt.Errorf("read %s: the phase %q is not one of DESIGN, REVIEW, IMPLEMENT, MERGE, DONE", StatePath, f.Phase)
	}
	if s.Strategy != "" && !slices.Contains(Strategies, s.Strategy) {
		mended, s.Strategy = append(mended, fmt.Sprintf("the strategy %q is unknown and is ignored", s.Strategy)), ""
	}
	s.Started, s.Updated = readTime(f.Started, zone), readTime(f.Updated, zone)
	list, more := readProgress(f.Checkpoints)
	s.Checkpoints = list
	mended = append(mended, more...)
	open := slices.ContainsFunc(list, func(k Progress) bool { return k.Status == Pending || k.Status == InProgress })
	switch {
	case (s.Phase == Merge || s.Phase == Done) && open:
		mended = append(mended, fmt.Sprintf("the phase is %s, but some checkpoints are not done: it is treated as IMPLEMENT", s.Phase))
		s.Phase = Implement
	case s.Phase == DesignPhase && slices.ContainsFunc(list, func(k Progress) bool { return k.Status != Pending }):
		mended = append(mended, "the phase is DESIGN, but checkpoints were started: it is treated as IMPLEMENT")
		s.Phase = Implement
	}
	return s, mended, nil
}

var checkpointID = re.New(`^cp-[1-9][0-9]{0,2}$`)

// readProgress reads the checkpoints of a state file, in their order.
func readProgress(n yaml.Node) (list []Progress, mended []string) {
	if n.Kind == 0 || n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, []string{"`checkpoints` is not a map and is ignored"}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := Progress{ID: n.Content[i].Value}
		if m := anyID().FindStringSubmatch(k.ID); m != nil {
			k.ID = "cp-" + m[1]
		}
		var v struct {
			Status    string `yaml:"status"`
			Iteration int    `yaml:"iteration"`
		}
		if err := n.Content[i+1].Decode(&v); err != nil || !checkpointID().MatchString(k.ID) || slices.ContainsFunc(list, func(o Progress) bool { return o.ID == k.ID }) {
			mended = append(mended, fmt.Sprintf("the checkpoint %q cannot be read or appears twice, and is ignored", n.Content[i].Value))
			continue
		}
		k.Status, k.Iteration = Status(v.Status), min(max(v.Iteration, 0), maxIterations)
		if k.Status == "failed" { // of a later version
			k.Status = Escalated
		}
		if !slices.Contains([]Status{Pending, InProgress, Passed, Escalated}, k.Status) {
			mended = append(mended, fmt.Sprintf("%s has the unknown status %q: it is treated as pending", k.ID, v.Status))
			k.Status = Pending
		}
		if k.Iteration != v.Iteration {
			mended = append(mended, fmt.Sprintf("%s has the iteration %d: it is treated as %d", k.ID, v.Iteration, k.Iteration))
		}
		list = append(list, k)
	}
	return list, mended
}

func readTime(s string, zone *time.Location) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(s), zone); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Line says where the checkpoints stand: cp-1 passed, cp-2 in_progress (iter 1/3), cp-3 pending.
func (s State) Line() string {
	var out []string
	for _, k := range s.Checkpoints {
		text := k.ID + " " + string(k.Status)
		if k.Status == InProgress {
			text += fmt.Sprintf(" (iter %d/%d)", k.Iteration, maxIterations)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}
