// Package conformance says which of the tests that take long are run now. Such a test proves with everything real what others
// prove for less: each agent program, each tool chain without a cache, each point of a kill matrix on a cluster, the program
// with the race detector. Alone they take hours, so CI runs one part of them at a time, and all of them in turn.
package conformance

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Variable names the part that is run: "all", or "2/6" for the second of six. Where it is not set none is.
const Variable = "JACQUARD_CONFORMANCE"

// part is the part k of n, from 1; 1 of 1 is all, and 0 of 0 nothing.
func part() (k, n int) {
	v := os.Getenv(Variable)
	if v == "" {
		return 0, 0
	}
	if v == "all" {
		return 1, 1
	}
	a, b, _ := strings.Cut(v, "/")
	k, err := strconv.Atoi(a)
	if n, _ = strconv.Atoi(b); err != nil || k < 1 || n < k {
		panic(fmt.Sprintf("%s is %q, want all or K/N", Variable, v))
	}
	return k, n
}

// Has reports whether what a test does under this name is run now. Another name is another piece, that another part may have.
func Has(name string) bool {
	k, n := part()
	if n == 0 {
		return false
	}
	return group(name, n) == k-1
}

// group is the one of n groups that a name belongs to, from 0.
func group(name string, n int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // it never fails
	return int(h.Sum32() % uint32(n))
}

// Only skips a test that takes long when it is not in the part that is run.
func Only(t *testing.T) {
	t.Helper()
	if !Has(t.Name()) {
		t.Skip("it takes long: make conformance runs it, and CI in turn with others")
	}
}

// turn counts the turns of what is too much for each run of the suite: with the part, else with the day.
func turn() int {
	if k, _ := part(); k > 0 {
		return k - 1
	}
	return int(time.Now().Unix() / (24 * 60 * 60))
}

// TurnOf reports whether it is the turn of the ith of many that are alike, of which one in n is run at a time. Of n in a row it is
// always that of one.
func TurnOf(i, n int) bool {
	if k, parts := part(); k == 1 && parts == 1 {
		return true
	}
	return i%n == turn()%n
}

// InTurn skips a test whose turn it is not.
func InTurn(t *testing.T, n int) {
	t.Helper()
	if !TurnOf(group(t.Name(), n), n) {
		t.Skipf("it takes turns with others like it, each day and in each part of CI: %s=all runs it", Variable)
	}
}

// Every says which of many things that are alike are tried: one in so many, counted from an offset. It is one in n where no
// part is run, others each day; the parts together try all.
func Every(n int) (every, from int) {
	k, parts := part()
	if parts == 0 {
		return n, turn() % n
	}
	every = min(n, parts)
	return every, (k - 1) % every
}

// Slice is the share of this part in count things, from first to before end; nothing when no part is run.
func Slice(count int) (first, end int) {
	k, n := part()
	if n == 0 {
		return 0, 0
	}
	return count * (k - 1) / n, count * k / n
}
