// Package pdca knows the documents of the plan–do–check–act workflow: what a plan and a design say, what is wrong with
// them, how large a request is, how two failures are told apart, and how much of a design is there. It decides nothing
// about a run.
//
// The rules come from a description of the workflow (version 23) that is not in the repository. Where it contradicts itself,
// one way was chosen: see TestEveryContradictionHasATest in internal/workflow/auto.
package pdca
