package git

import "fmt"

// TempName is for the test of a crash.
var TempName = tempName

// Index is the index as it is read without git, as lines of "git ls-files -s".
func Index(r *Repo) (lines []string, ok bool) {
	list, ok := r.readIndex(nil)
	for _, e := range list {
		lines = append(lines, fmt.Sprintf("%s %s\t%s", e.mode, e.id, e.path))
	}
	return lines, ok
}
