package act

import (
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Handlers are the handlers of all steps.
func (a *Actor) Handlers() []flow.Handler {
	return []flow.Handler{
		flow.Handle(step.AgentTurn, a.turn),
		flow.Handle(step.Head, a.head),
		flow.Handle(step.Restart, a.restart),
		flow.Handle(step.Plan, a.plan),
		flow.Handle(step.Language, a.language),
		flow.Handle(step.Packages, a.packages),
		flow.Handle(step.Prune, a.prune),
		flow.Handle(step.ProveRed, a.proveRed),
		flow.Handle(step.ProveGreen, a.proveGreen),
		flow.Handle(step.Format, a.format),
		flow.Handle(step.Mutate, a.mutate),
		flow.Handle(step.Land, a.land),
		flow.Handle(step.Apply, a.apply),
		flow.Handle(step.Deliver, a.deliver),
		flow.Handle(step.Survey, a.survey),
		flow.Handle(step.Describe, a.describe),
		flow.Handle(step.SpecSurvey, a.specSurvey),
		flow.Handle(step.SpecDraft, a.specDraft),
		flow.Handle(step.WorkSurvey, a.workSurvey),
		flow.Handle(step.PlanCheck, a.planCheck),
		flow.Handle(step.WorkDocs, a.workDocsOf),
		flow.Handle(step.KeepPlan, a.keepPlan),
		flow.Handle(step.ProveTask, a.proveTask),
		flow.Handle(step.ProveTests, a.proveTests),
		flow.Handle(step.LandTask, a.landTask),
		flow.Handle(step.AutoSurvey, a.autoSurvey),
		flow.Handle(step.AutoClaim, a.autoClaim),
		flow.Handle(step.AutoLook, a.autoLook),
		flow.Handle(step.AutoQA, a.autoQA),
		flow.Handle(step.AutoE2E, a.autoE2E),
		flow.Handle(step.AutoKeep, a.autoKeep),
		flow.Handle(step.AutoContext, a.autoContext),
		flow.Handle(step.AutoCommit, a.autoCommit),
		flow.Handle(step.Contract, a.contract),
		flow.Handle(step.Hold, a.hold),
		flow.Handle(step.Squash, a.squash),
		flow.Handle(step.ForgePush, a.forgePush),
		flow.Handle(step.ForgePull, a.forgePull),
		flow.Handle(step.ForgeReady, a.forgeReady),
		flow.Handle(step.ForgeChecks, a.forgeChecks),
		flow.Handle(step.ForgeIssue, a.forgeIssue),
	}
}
