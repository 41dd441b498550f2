package works

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

var (
	workRE   = re.New(`(?i)\bWORK-0*(\d{1,6})\b`)
	taskRE   = re.New(`(?i)\bTASK-0*(\d{1,6})\b`)
	folderRE = re.New(`^(?:[a-z]+-)?WORK-0*(\d{1,6})$`)
	givenRE  = re.New(`(?i)^(?:WORK-)?0*(\d{1,6})$`)
	fileRE   = re.New(`^(?:WORK-\d+-|S-)?TASK-0*(\d{1,6})(?:([_-])(progress|result))?\.md$`)
)

// WorkID is the id of the n-th WORK.
func WorkID(n int) string { return fmt.Sprintf("WORK-%02d", n) }

// WorkNumber is the number of a WORK by its id, also as people write it, work-3 or 3; -1 where it is none.
func WorkNumber(id string) int { return number(givenRE().FindStringSubmatch(id)) }

// TaskID is the id of a TASK by its number, which counts from 0.
func TaskID(n int) string { return fmt.Sprintf("TASK-%02d", n) }

// number is the number behind a match, -1 without one. The digits are decimal whatever they start
// with: WORK-08 is 8.
func number(m []string) int {
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// workID and taskID are the first id in a text in its usual form, "" without one.
func workID(s string) string {
	if n := number(workRE().FindStringSubmatch(s)); n >= 0 {
		return WorkID(n)
	}
	return ""
}

func taskID(s string) string {
	if n := number(taskRE().FindStringSubmatch(s)); n >= 0 {
		return TaskID(n)
	}
	return ""
}

// taskIDs are all TASK ids of a text, in order, each once.
func taskIDs(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range taskRE().FindAllStringSubmatch(s, -1) {
		if id := TaskID(number(m)); !seen[id] {
			out, seen[id] = append(out, id), true
		}
	}
	return out
}

// NextWork is the id of a new WORK: one more than the highest of the list's header, its rows, also
// those that are damaged, and the folders, archived ones included. A list that was never written
// is nil.
func NextWork(list *List, folders []string) string {
	top := 0
	if list != nil {
		top = max(list.Last, list.highest())
	}
	for _, f := range folders {
		for part := range strings.SplitSeq(f, "/") {
			top = max(top, number(folderRE().FindStringSubmatch(part)))
		}
	}
	return WorkID(top + 1)
}

// FileKind says which document of a TASK a file is.
type FileKind string

// The documents of a TASK.
const (
	TaskFile     FileKind = "task"
	ProgressFile FileKind = "progress"
	ResultFile   FileKind = "result"
)

// TaskOf reads the name of a TASK's document in every layout: TASK-00.md, TASK-00_progress.md,
// TASK-00_result.md, and of the legacy ones WORK-01-TASK-00.md, WORK-01-TASK-00-result.md and
// S-TASK-00001.md. A progress file is never counted as a TASK.
func TaskOf(name string) (id string, kind FileKind, ok bool) {
	name = path.Base(name)
	m := fileRE().FindStringSubmatch(name)
	legacy := !strings.HasPrefix(name, "TASK-")
	if m == nil || m[2] != "" && (m[2] == "-") != legacy || legacy && m[3] == "progress" {
		return "", "", false
	}
	kind = TaskFile
	if m[3] != "" {
		kind = FileKind(m[3])
	}
	return TaskID(number(m)), kind, true
}
