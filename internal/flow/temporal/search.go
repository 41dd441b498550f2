package temporal

import (
	"cmp"
	"context"
	"maps"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// What runs can be searched by, where the namespace has these attributes, all
// of the type Keyword.
var (
	projectKey   = temporal.NewSearchAttributeKeyKeyword("JacquardProject")
	workflowKey  = temporal.NewSearchAttributeKeyKeyword("JacquardWorkflow")
	branchKey    = temporal.NewSearchAttributeKeyKeyword("JacquardBranch")
	requesterKey = temporal.NewSearchAttributeKeyKeyword("JacquardRequester")
	stateKey     = temporal.NewSearchAttributeKeyKeyword("JacquardState")
	phaseKey     = temporal.NewSearchAttributeKeyKeyword("JacquardPhase")
)

// searchKeys are all of them.
func searchKeys() []temporal.SearchAttributeKeyKeyword {
	return []temporal.SearchAttributeKeyKeyword{projectKey, workflowKey, branchKey, requesterKey, stateKey, phaseKey}
}

// Unsearchable lists the search attributes that the namespace lacks. A run
// that is started while one is missing has none.
func (r *Runtime) Unsearchable(ctx context.Context) ([]string, error) {
	got, err := r.c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: cmp.Or(r.o.Client.Namespace, client.DefaultNamespace)})
	if err != nil {
		return nil, serverError(err)
	}
	var out []string
	for _, k := range searchKeys() {
		if got.GetCustomAttributes()[k.GetName()] != enumspb.INDEXED_VALUE_TYPE_KEYWORD {
			out = append(out, k.GetName())
		}
	}
	return out, nil
}

// maxKeyword is how long the value of an attribute may be that every store takes.
const maxKeyword = 200

func keyword(s string) string {
	if rs := []rune(s); len(rs) > maxKeyword {
		return string(rs[:maxKeyword])
	}
	return s
}

// searched is what a new run can be found by; nil where the namespace does not
// know the attributes, or nobody may ask it for them: a run needs none.
func (r *Runtime) searched(ctx context.Context, n flow.NewRun) []temporal.SearchAttributeUpdate {
	if missing, err := r.Unsearchable(ctx); err != nil || len(missing) > 0 {
		return nil
	}
	branch, requester := "", ""
	if r.o.Describe != nil {
		branch, requester = r.o.Describe(ctx, n)
	}
	out := []temporal.SearchAttributeUpdate{projectKey.ValueSet(keyword(r.o.Project)), workflowKey.ValueSet(keyword(n.Def))}
	if branch != "" {
		out = append(out, branchKey.ValueSet(keyword(branch)))
	}
	if requester != "" {
		out = append(out, requesterKey.ValueSet(keyword(requester)))
	}
	return out
}

// show lets a run be found by where it stands. What it says comes from recorded
// answers, so that every replay says the same.
func (l *loop) show() error {
	m := l.m
	if !m.Searched || m.Shown == [2]string{string(m.Status), m.Phase} {
		return nil
	}
	m.Shown = [2]string{string(m.Status), m.Phase}
	list := []temporal.SearchAttributeUpdate{stateKey.ValueSet(string(m.Status))}
	if m.Phase != "" {
		list = append(list, phaseKey.ValueSet(m.Phase))
	}
	return workflow.UpsertTypedSearchAttributes(l.ctx, list...)
}

// phaseOf is the phase that notes begin, "" = none.
func (o *Options) phaseOf(notes []flow.NoteRec) string {
	for _, n := range slices.Backward(notes) {
		if o.Phase == nil {
			break
		}
		if p := o.Phase(n); p != "" {
			return keyword(p)
		}
	}
	return ""
}

// queryName is the query that tells where a run stands.
const queryName = "status"

// Standing is the answer to the query "status": where a run stands, for people
// who look at it in Temporal's own tools.
type Standing struct {
	State flow.RunState `json:"state"`
	Phase string        `json:"phase,omitempty"`
	Waits []string      `json:"waits,omitempty"` // what it waits for
	Gates []string      `json:"gates,omitempty"` // questions to people
	Steps []string      `json:"steps,omitempty"` // at work
}

// answers lets a run be asked where it stands.
func (l *loop) answers() error {
	return workflow.SetQueryHandler(l.ctx, queryName, func() (Standing, error) {
		m := l.m
		return Standing{State: m.Status, Phase: m.Phase, Waits: m.Waits, Gates: slices.Sorted(maps.Keys(m.Gates)), Steps: slices.Sorted(maps.Keys(m.Running))}, nil
	})
}
