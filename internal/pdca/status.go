package pdca

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// StatusPath is the file that tells other tools where the features of a project stand, in version 2.0 of its format.
const StatusPath = "docs/.pdca-status.json"

// Feature states of the status file.
const (
	StatusPlan      = "plan"
	StatusDesign    = "design"
	StatusDo        = "do"
	StatusCheck     = "check"
	StatusAct       = "act"
	StatusCompleted = "completed"
)

// phaseNumbers are those of the file.
var phaseNumbers = map[string]int{StatusPlan: 1, StatusDesign: 2, StatusDo: 3, StatusCheck: 4, StatusAct: 5, StatusCompleted: 6}

// FeatureState is where one feature stands.
type FeatureState struct {
	Name       string
	Phase      string // one of the states
	MatchRate  *int   // percent
	Iterations int    // improvements in check and act
	Documents  map[string]string
	Started    time.Time
	// Attempts, Building and Remaining are the fields of the implementation.
	Attempts  int
	Building  string // in_progress, completed, failed; "" before
	Remaining []string
}

// maxHistory is how many entries of its history the file keeps.
const maxHistory = 30

// WriteStatus puts the state of a feature into the file. What it does not know stays as it is. What contradicts itself is
// mended, and said; a file that cannot be read is begun anew, and broken says so: keep it.
func WriteStatus(old []byte, f FeatureState, now time.Time) (text []byte, mended []string, broken bool) {
	file := map[string]any{}
	if len(bytes.TrimSpace(old)) > 0 {
		if err := json.Unmarshal(old, &file); err != nil || file == nil {
			mended, broken, file = append(mended, StatusPath+" cannot be read; it was recreated"), true, map[string]any{}
		}
	}
	at := now.UTC().Format("2006-01-02T15:04:05.000Z")
	features, ok := file["features"].(map[string]any)
	if !ok {
		features = map[string]any{}
	}
	mine, ok := features[f.Name].(map[string]any)
	if !ok {
		mine = map[string]any{"requirements": []any{}}
	}
	before, _ := mine["phase"].(string)
	times := map[string]any{"started": f.Started.UTC().Format("2006-01-02T15:04:05.000Z"), "lastUpdated": at}
	if f.Phase == StatusCompleted {
		times["completedAt"] = at
	}
	mine["phase"], mine["phaseNumber"], mine["matchRate"], mine["iterationCount"], mine["documents"], mine["timestamps"] = f.Phase, phaseNumbers[f.Phase], f.MatchRate, f.Iterations, f.Documents, times
	mine["implManagerIteration"], mine["implManagerStatus"], mine["implManagerRemainingIssues"] = f.Attempts, f.Building, texts(f.Remaining)
	features[f.Name] = mine
	file["features"], file["version"], file["lastUpdated"] = features, "2.0", at
	for name, v := range features { // what is there twice, or done and not done
		m, ok := v.(map[string]any)
		if !ok {
			mended = append(mended, fmt.Sprintf("the feature %s was not an object and is ignored", name))
			delete(features, name)
			continue
		}
		stamps, _ := m["timestamps"].(map[string]any)
		if _, done := stamps["completedAt"]; done && m["phase"] != StatusCompleted {
			mended = append(mended, fmt.Sprintf("the feature %s is in phase %v, but had a completion time", name, m["phase"]))
			delete(stamps, "completedAt")
		}
	}
	active, completed := names(file["activeFeatures"]), names(file["completedFeatures"])
	for _, name := range append(slices.Clone(active), append(slices.Clone(completed), f.Name)...) {
		m, known := features[name].(map[string]any)
		active = slices.DeleteFunc(active, func(s string) bool { return s == name })
		completed = slices.DeleteFunc(completed, func(s string) bool { return s == name })
		switch {
		case !known:
			mended = append(mended, fmt.Sprintf("the feature %s was listed, but does not exist", name))
		case m["phase"] == StatusCompleted:
			completed = append(completed, name)
		default:
			active = append(active, name)
		}
	}
	file["activeFeatures"], file["completedFeatures"], file["primaryFeature"] = texts(active), texts(completed), f.Name
	file["implManagerIteration"], file["implManagerStatus"], file["implManagerRemainingIssues"] = f.Attempts, f.Building, texts(f.Remaining)
	history, _ := file["history"].([]any)
	if before != f.Phase {
		action := "updated"
		if f.Phase == StatusCompleted {
			action = "completed"
		}
		history = append(history, map[string]any{"timestamp": at, "feature": f.Name, "phase": f.Phase, "action": action})
	}
	file["history"] = history[max(0, len(history)-maxHistory):]
	if history == nil {
		file["history"] = []any{}
	}
	raw, err := json.MarshalIndent(file, "", "  ")
	if err != nil { // it holds what came from JSON, and texts
		panic(err)
	}
	slices.Sort(mended)
	return append(raw, '\n'), slices.Compact(mended), broken
}

func names(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, x := range list {
		if s, ok := x.(string); ok && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// texts is a list that is [] and never null.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
