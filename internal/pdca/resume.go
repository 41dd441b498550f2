package pdca

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// OpenFeatures are the features of a status file that can be taken up, the primary one first: those that are not completed and have
// a plan or a design that is there. The file is also written by tools that take directories for features, so that its word
// alone is nothing; what it says of phases that the documents contradict is theirs to decide.
func OpenFeatures(raw []byte, there func(path string) bool) ([]FeatureState, error) {
	var file struct {
		Primary  string                     `json:"primaryFeature"`
		Features map[string]json.RawMessage `json:"features"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", StatusPath, err)
	}
	var out []FeatureState
	for name, raw := range file.Features {
		var m struct {
			Phase      string         `json:"phase"`
			Documents  map[string]any `json:"documents"`
			Attempts   int            `json:"implManagerIteration"`
			Building   string         `json:"implManagerStatus"`
			Remaining  []string       `json:"implManagerRemainingIssues"`
			Iterations int            `json:"iterationCount"`
		}
		if json.Unmarshal(raw, &m) != nil || m.Phase == StatusCompleted || Feature(name) != name {
			continue
		}
		f := FeatureState{Name: name, Phase: m.Phase, Iterations: m.Iterations, Attempts: m.Attempts, Building: m.Building, Remaining: m.Remaining, Documents: map[string]string{}}
		for kind, usual := range map[string]string{"plan": PlanPath(name), "design": DesignPath(name), "analysis": GapPath(name)} {
			for _, p := range []any{m.Documents[kind], usual} {
				if s, ok := p.(string); ok && f.Documents[kind] == "" && strings.HasPrefix(path.Clean(s), "docs/") && there(path.Clean(s)) {
					f.Documents[kind] = path.Clean(s)
				}
			}
		}
		switch {
		case f.Documents["design"] == "" && f.Documents["plan"] == "": // nothing of it is there
			continue
		case f.Documents["design"] == "" && phaseNumbers[f.Phase] > phaseNumbers[StatusDesign] && f.Attempts == 0,
			phaseNumbers[f.Phase] == 0:
			f.Phase = StatusPlan
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b FeatureState) int {
		if a.Name == file.Primary || b.Name == file.Primary {
			return map[bool]int{true: -1, false: 1}[a.Name == file.Primary]
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// Resume is what is asked for when a feature that another tool has begun is taken up.
func (f FeatureState) Resume(korean bool) string {
	say := func(ko, en string) string {
		if korean {
			return ko
		}
		return en
	}
	var b strings.Builder
	fmt.Fprintf(&b, say("다른 도구가 시작한 기능 %s 을(를) 이어서 진행한다. 단계: %s.", "Carry on with the feature %s, which another tool has begun. It stands in the phase %s."), f.Name, f.Phase)
	for _, kind := range []string{"plan", "design", "analysis"} {
		if p := f.Documents[kind]; p != "" {
			fmt.Fprintf(&b, " %s: %s.", kind, p)
		}
	}
	b.WriteString(say(" 문서에서 결정된 것은 유지하고, 이미 파일에 있는 것은 다시 만들지 않는다.", " Keep what its documents decide, and do not build again what is in the files already."))
	if f.Attempts > 0 {
		fmt.Fprintf(&b, say(" 구현 시도: %d회.", " Attempts at the implementation: %d."), f.Attempts)
	}
	if len(f.Remaining) > 0 {
		fmt.Fprintf(&b, say(" 남은 것: %s.", " Left open: %s."), Line(strings.Join(f.Remaining[:min(len(f.Remaining), 20)], "; ")))
	}
	return b.String()
}
