package main

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// commit is a commit that is played back.
type commit struct {
	ID, Parent, Subject string
	Code, Tests         []string // files that it changes
}

var (
	testPath = regexp.MustCompile(`(?i)(^|/)(tests?|specs?|__tests__|testing)/|_test\.go$|(^|/)test_[^/]*\.py$|_test\.(py|rb|exs|c|cc|cpp)$|[._](test|spec)s?\.[cm]?[jt]sx?$|_spec\.rb$|Tests?\.(java|kt|php|cs)$|(^|/)test[^/]*\.[cm]?[jt]s$`)
	codeExt  = map[string]bool{".go": true, ".py": true, ".js": true, ".mjs": true, ".cjs": true, ".jsx": true, ".ts": true, ".mts": true, ".cts": true, ".tsx": true, ".rs": true, ".java": true, ".kt": true, ".rb": true, ".php": true, ".ex": true, ".exs": true, ".c": true, ".h": true, ".cc": true, ".cpp": true, ".cs": true, ".sh": true}
)

// most is how many changed lines a commit may have.
const most = 400

// What a commit has to change to be picked, by the lines that it adds and deletes in code and adds in tests. Those for `work` change both code
// and tests, and add lines to both. Those for `prove` change code in any way.
func forWork(added, _, tests int) bool    { return added > 0 && tests > 0 }
func forProve(added, deleted, _ int) bool { return added+deleted > 0 }

// pick takes the newest commits before the repository's commit that change what is wanted, are no merges, and have at most 400 changed
// lines; where they change tests, their code differs in more than comments. Whether a commit is green by the project's own command is asked
// when it was rejected (see replay): to run it for each commit before and after would take most of the time.
func (f *field) pick(r repo, clone string, n int, wanted func(added, deleted, tests int) bool) ([]commit, error) {
	out, err := f.git(clone, "log", "--no-merges", "-n", "1500", "--numstat", "--no-renames", "-z", "--format=%x01%H %P%n%s%x02", r.Commit)
	if err != nil {
		return nil, err
	}
	var picked []commit
	for entry := range strings.SplitSeq(out, "\x01") {
		head, files, ok := strings.Cut(entry, "\x02")
		ids, subject, _ := strings.Cut(head, "\n")
		id := strings.Fields(ids)
		if !ok || len(id) != 2 || len(picked) >= n {
			continue
		}
		c := commit{ID: id[0], Parent: id[1], Subject: subject}
		lines, code, gone, tests, binary := 0, 0, 0, 0, false
		for file := range strings.SplitSeq(files, "\x00") {
			f := strings.SplitN(strings.TrimSpace(file), "\t", 3)
			if len(f) != 3 {
				continue
			}
			added, err := strconv.Atoi(f[0])
			deleted, _ := strconv.Atoi(f[1])
			binary = binary || err != nil
			lines += added + deleted
			switch {
			case !codeExt[path.Ext(f[2])]:
			case testPath.MatchString(f[2]):
				c.Tests, tests = append(c.Tests, f[2]), tests+added
			default:
				c.Code, code, gone = append(c.Code, f[2]), code+added, gone+deleted
			}
		}
		if !wanted(code, gone, tests) || lines > most || binary {
			continue
		}
		if tests > 0 {
			diff, err := f.git(clone, append([]string{"diff", "-U0", c.Parent, c.ID, "--"}, c.Code...)...)
			if err != nil {
				return nil, err
			}
			if !says(diff) {
				continue
			}
		}
		if strings.Count(c.Subject, " ") < 2 { // too short for a request
			c.Subject += " in " + strings.Join(c.Code, ", ")
		}
		picked = append(picked, c)
	}
	return picked, nil
}

// remark is a line that is a comment, or empty, in any of the languages.
var remark = regexp.MustCompile(`^\s*(//.*|#.*|/?\*.*)?$`)

// says reports whether a diff changes more than comments.
func says(diff string) bool {
	for line := range strings.Lines(diff) {
		changed := (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "---")
		if changed && !remark.MatchString(strings.TrimSpace(line[1:])) {
			return true
		}
	}
	return false
}
