package works_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/cputime"
	"github.com/jacquard-build/jacquard/internal/works"
)

// TestLargeFiles reads long files that are made to be slow; a reader that looks back at every line
// would take minutes.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := cputime.Thread(t)
	for _, piece := range []string{
		"```a\n", "~~~\n", "- a\n", "> x\n", "| WORK-01 | x | DONE | | |\n", "### TASK-00: x\n", "- **Scope**:\n  x\n", "\\\n", "auto\n", "[2026-03-18T00:43:03]_A_B_c\n", "`",
		"&", "TASK-00_result", "# x\n",
	} {
		src := []byte(strings.Repeat(piece, 25_000/len(piece)))
		for _, k := range kinds {
			k.read(k.read(src).Format())
		}
		works.ParseLog("x", src)
		works.UpdateList(src, works.Row{Work: "WORK-09", Status: works.Done}, "en")
		works.ParseRequest(string(src))
	}
	if d := cputime.Thread(t) - began; d > time.Minute {
		t.Errorf("reading took %v of a processor", d)
	}
}
