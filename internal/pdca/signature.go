package pdca

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Failure is one thing that failed when the goals of quality were run.
type Failure struct {
	Goal    string `json:"goal"`
	Test    string `json:"test,omitempty"` // id of a test, or a file
	Class   string `json:"class,omitempty"`
	Message string `json:"message"`
}

// changing is what differs between two runs of one failure: colours, times, ids, addresses, places, numbers.
var changing = []struct {
	find re.Regexp
	with string
}{
	{re.New(`\x1b\[[0-9;?]*[A-Za-z]`), ""},
	{re.New(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`), "TIME"},
	{re.New(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "UUID"},
	{re.New(`\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{12,}\b`), "HEX"},
	{re.New(`(?:[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}`), "PATH"},
	{re.New(`\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|m|h)\b`), "DURATION"},
	{re.New(`:\d+(?::\d+)?`), ":N"},
	{re.New(`\b\d+(?:\.\d+)?\b`), "N"},
	{re.New(`\s+`), " "},
}

// Sign makes the signature of a failure, which is what makes two of them the same: a hash of goal, test, class of the error and
// message, without what changes from run to run.
func Sign(f Failure) string {
	message := f.Message
	for _, c := range changing {
		message = c.find().ReplaceAllString(message, c.with)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Goal, f.Test, f.Class, strings.TrimSpace(message)}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Cycles are the failures of the cycles so far, as their signatures.
type Cycles [][]string

// Repeated is how many cycles one failure was in at most: a failure counts once a cycle, and need not be in a row.
func (c Cycles) Repeated() (most int) {
	seen := map[string]int{}
	for _, cycle := range c {
		for _, s := range set(cycle) {
			seen[s]++
			most = max(most, seen[s])
		}
	}
	return most
}

// set is a list in order, each once.
func set(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// Stuck reports whether the last two cycles failed in exactly the same ways.
func (c Cycles) Stuck() bool {
	if len(c) < 2 {
		return false
	}
	last, before := set(c[len(c)-1]), set(c[len(c)-2])
	return len(last) > 0 && slices.Equal(last, before)
}
