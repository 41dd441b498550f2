// Package target decides which modules are out of date, and why. It is a pure function of facts
// that the caller reads: the listing of the tree with content ids, and the lock. Code beside a spec that
// the lock does not know is unverified, whatever git knows of the two.
//
// A module is up to date when what it was built from is what is there now: the contract sections
// of its spec, the exports that it uses of other modules, the plan in its IMPLEMENTS.md, the
// conventions that apply, and that the code and tests that were proved are still there, as they were. The ids of git
// stand for bytes; a document whose id equals the recorded one is not even read.
package target
