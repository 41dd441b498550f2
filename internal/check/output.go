package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Builds, linters and type checkers look at a whole project, and many projects have findings that nobody has mended yet. So
// what one of them says of a change is compared with what it says of the tree before, line by line without the numbers: a
// finding that was there is nobody's, and a new one is the author's although there were others.

// complaintLine is a line that says what is wrong at a place: path:line, path(line,column), or what stands below a file's name.
var (
	complaintLine = re.New(`(?:^|\s)([^\s:(]+\.\w+)(?::(\d+)|\((\d+),\d+\))`)
	errorLine     = re.New(`^(?:E {2,}\S|[\w.$]*(?:Error|Exception)\b|panic: |fatal: |thread '.*' panicked)`)
	summaryLine   = re.New(`^(?:Found \d+|✖ \d+|\[\*\] \d+|Checked \d+|\d+ (?:errors?|problems?|files?|warnings?|passed|failed|tests?)\b|make(?:\[\d+\])?: |npm (?:error|ERR!)|ELIFECYCLE|Finished |Oh no!)`)
	placeNumbers  = re.New(`:\d+(?::\d+)?\b|\(\d+,\d+\)|\b\d+(?:\.\d+)?m?s\b|^\s*\d+:\d+\s|\bline \d+`)
	underFile     = re.New(`^\s+\d+:\d+\s`)
	arrowLine     = re.New(`^\s*-->\s`)
	codeLine      = re.New(`^\s*(?:\d+\s*)?\|(?:\s|$)|^\s*\d+\s+[-+](?:\s|$)`) // of the code around, with its number
	addresses     = re.New(`0x[0-9a-f]+|@[0-9a-f]+\b|\b[0-9a-f]{8,}\b`)
)

// SameMessage reports whether two failures of a test say the same but for places, times and addresses.
func SameMessage(a, b string) bool {
	bare := func(text string) string {
		return strings.TrimSpace(addresses().ReplaceAllString(placeNumbers().ReplaceAllString(text, ""), ""))
	}
	return bare(a) == bare(b)
}

// mostCode is how many lines of code are shown with a finding.
const mostCode = 8

// said are the lines of an output that say what is wrong, each with what it is without the numbers of its place. A line that
// only says where is taken with the one before it.
func (p *place) said(o outcome) (lines, keys []string) {
	_, text, _ := strings.Cut(colours().ReplaceAllString(string(p.unplaced(o.output)), ""), "\n") // the first is the command
	file, placed := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		bare := strings.TrimSpace(line)
		if bare == "" || summaryLine().MatchString(bare) {
			continue
		}
		placed = placed || complaintLine().MatchString(line) || arrowLine().MatchString(line)
		if placed && codeLine().MatchString(line) { // of the finding before it: its numbers and its neighbors may be others
			if len(lines) > 0 && strings.Count(lines[len(lines)-1], "\n") < mostCode {
				lines[len(lines)-1] += "\n" + fromTree.Replace(line)
			}
			continue
		}
		key := strings.TrimSpace(placeNumbers().ReplaceAllString(line, ""))
		switch {
		case underFile().MatchString(line):
			bare, key = file+": "+bare, file+" "+key
		case arrowLine().MatchString(line) && len(lines) > 0: // what is wrong stands on the line before
			lines[len(lines)-1] += " " + fromTree.Replace(bare)
			keys[len(keys)-1] += " " + key
			continue
		case !strings.Contains(bare, " "):
			file = strings.TrimPrefix(bare, placeToken+"/tree/")
		}
		lines, keys = append(lines, fromTree.Replace(bare)), append(keys, key)
	}
	return lines, keys
}

// atPlaces are the lines that say where something is wrong, and what, all of them where none says where: the rest is around them.
func atPlaces(lines []string) []string {
	if !slices.ContainsFunc(lines, complaintLine().MatchString) {
		return lines
	}
	return those(lines, func(l string) bool { return complaintLine().MatchString(l) || errorLine().MatchString(l) })
}

// compared is what a command says of a change that it did not say before.
type compared struct {
	clean bool     // it has nothing to say
	fresh []string // what is new
	old   int      // how much was there before
}

// mostLines is how much of what a command says an author is shown.
const mostLines = 25

// commandFinding says what a command found: which command, its exit code, and the lines that matter, whole.
func commandFinding(rule string, sev step.Severity, what string, cmd toolchain.Command, out outcome, c compared) step.Finding {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: `%s` exited with %d", what, CommandText(cmd), out.Record.Exit)
	if out.problem != "" {
		fmt.Fprintf(&b, " (%s)", out.problem)
	}
	if c.old > 0 {
		fmt.Fprintf(&b, "; %d of its findings existed before the change and do not count", c.old)
	}
	b.WriteString(".")
	places := atPlaces(c.fresh)
	shown := places[:min(len(places), mostLines)]
	for _, l := range shown {
		b.WriteString("\n" + l)
	}
	if more := len(places) - len(shown); more > 0 {
		fmt.Fprintf(&b, "\n… and %d more", more)
	}
	if text := strings.TrimSpace(out.tail); len(shown) == 0 && rule == "build-failed" && text != "" {
		b.WriteString("\n" + brief(text))
	}
	return step.Finding{Rule: rule, Severity: sev, Message: b.String()}
}

// CommandText is a command as a person would type it.
func CommandText(cmd toolchain.Command) string {
	var words []string
	for _, w := range cmd.Argv {
		switch {
		case cmd.Report == toolchain.ReportUnittest && w == "-c": // a program that unittest is run by, to report each test
			w = "-m"
		case cmd.Report == toolchain.ReportUnittest && strings.Contains(w, "\n"):
			w = "unittest"
		case strings.Contains(w, "{report}") && !strings.Contains(w, " "), strings.HasPrefix(w, "--test-reporter"), w == "{env}", slices.Contains(cmd.Unsaid, w): // where results go is nobody's concern
			continue
		case cmd.Report == toolchain.ReportGoTest && (w == "-json" || w == "-count=1" || w == "-vet=off"):
			continue
		case strings.HasPrefix(w, "{bin:"):
			_, name, _ := strings.Cut(strings.Trim(w, "{}"), ":")
			if _, bin, ok := strings.Cut(name, "#"); ok {
				name = bin
			}
			words = []string{"npx", name}
			continue
		case strings.HasPrefix(w, "{glob:"):
			w = strings.TrimSuffix(strings.TrimPrefix(w, "{glob:"), "}")
		case strings.Contains(w, "\n"):
			w = "'…'"
		case strings.ContainsAny(w, " '\""):
			w = "'" + w + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// optional gives the error of a program that is not installed where the project can be worked on without it.
func optional(cmd toolchain.Command, err error) *EnvironmentError {
	if missing, ok := errors.AsType[*EnvironmentError](err); ok && cmd.Optional {
		return missing
	}
	return nil
}

const maxBrief = 300 // letters

// brief is a message in one line: what it begins with, and the line of what a program said that tells the cause.
func brief(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasSuffix(first, ":") { // what is wrong follows
		line, more, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		first, rest = first+" "+line, more
	}
	for _, cause := range causes {
		for line := range strings.Lines(rest) {
			if line = strings.TrimSpace(line); cause().MatchString(line) {
				return clipped(first, maxBrief) + " … " + clipped(line, maxBrief)
			}
		}
	}
	return clipped(first, maxBrief)
}

func clipped(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
