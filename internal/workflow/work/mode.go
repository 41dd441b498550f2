package work

import (
	"fmt"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
)

// firstMode is the mode of a requirement: the one that a person has asked for, or direct where no plan is needed, and why:
// few functional requirements, none of another kind, and few criteria that commands can show.
func firstMode(r step.Requirement, in step.WorkIn) (m step.Mode, reasons []string) {
	if in.Size != "" {
		return in.Size, []string{"requested: " + string(in.Size)}
	}
	ok, limits := true, in.Router
	within := func(holds bool, format string, args ...any) {
		ok = ok && holds
		if !holds {
			reasons = append(reasons, "needs a plan: "+fmt.Sprintf(format, args...))
		}
	}
	within(len(r.Functional) <= limits.DirectRequirements, "functional requirements: %d (max %d)", len(r.Functional), limits.DirectRequirements)
	within(len(r.NonFunctional) == 0, "non-functional requirements: %d (max 0)", len(r.NonFunctional))
	within(len(r.Criteria) <= limits.DirectCriteria, "criteria: %d (max %d)", len(r.Criteria), limits.DirectCriteria)
	open := 0
	for _, k := range r.Criteria {
		if k.Command == "" {
			open++
		}
	}
	within(open == 0, "criteria without a command: %d (max 0)", open)
	if ok {
		return step.DirectMode, []string{"small enough for one task"}
	}
	return step.PipelineMode, reasons
}

// planMode is the mode of a plan: a pipeline where few tasks follow each other in a row, else full.
func planMode(tasks []task.Task, limits step.Router) (step.Mode, []string) {
	depth := task.Depth(tasks)
	row := depth == len(tasks)
	if len(tasks) <= max(1, limits.PipelineTasks) && row {
		return step.PipelineMode, []string{fmt.Sprintf("tasks in a row: %d (limit of a pipeline %d)", len(tasks), max(1, limits.PipelineTasks))}
	}
	if !row {
		return step.FullMode, []string{fmt.Sprintf("tasks: %d, some in parallel; longest chain: %d", len(tasks), depth)}
	}
	return step.FullMode, []string{fmt.Sprintf("tasks in a row: %d (limit of a pipeline %d)", len(tasks), max(1, limits.PipelineTasks))}
}
