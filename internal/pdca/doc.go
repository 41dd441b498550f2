// Package pdca knows the documents of the plan–do–check–act workflow: what a plan and a design say, what is wrong with
// them, how large a request is, how two failures are told apart, and how much of a design is there. It decides nothing
// about a run.
//
// The rules are those of the workflow's version 23 with the contradictions resolved; each is named where it stands (A5,
// A7, A11 of its description).
package pdca
