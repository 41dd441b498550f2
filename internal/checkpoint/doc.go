// Package checkpoint is the pure part of `jacquard develop`: what a design says, its checkpoints with their contracts, how
// they are scheduled, the document that people read, and the state file that other tools know.
package checkpoint
