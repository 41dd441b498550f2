// Package flow is the kernel: a workflow is a pure function that is run again
// from the top each time something it waited for has happened.
//
// What already happened comes back from the record at once; the first thing
// that has not happened yet is asked for, and the branch that asked is
// suspended. A branch (the root, or one item of All) is sequential, so it
// waits for exactly one thing: the engine keeps an index from key to waiter
// and enters again only the branch whose one reason to wait has gone.
//
// Rules for authors of workflows, each enforced where a program can:
//
//   - no clock, random numbers, environment, files, goroutines or map order;
//     Ctx.Now is the time of the last record this branch has used;
//   - identity of a step is its key, never its position: a loop uses Rounds;
//   - All returns the values of its branches; writes to captured variables
//     are lost, because finished branches are not entered again;
//   - a call that is still pending does not return: the body is left there and
//     entered again from the top, so an error is always a failure that has
//     happened. Only deferred functions run, and what they call asks nothing;
//   - a bug of the definition (panic, key used twice, foreign context) is
//     never recorded: repair the definition, then resume.
//
// The package has no effects. Runtimes (flow/local, flow/temporal) drive an
// Engine; flow/flowtest is the suite that every runtime passes.
package flow
