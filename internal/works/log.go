package works

import (
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// LogLine is a line of work_WORK-NN.log.
type LogLine struct {
	At    time.Time // zero where it cannot be read
	Agent string    // PLANNER, …
	Stage string    // INIT, …
	Text  string
}

// stages are the stages that the format knows, in the order in which they come.
var stages = []string{"INIT", "REF", "PLAN", "IMPL", "BUILD", "COMMIT", "DISPATCH"}

const logLayout = "2006-01-02T15:04:05"

// String is the line as it is written, without its end.
func (l LogLine) String() string {
	return "[" + l.At.Format(logLayout) + "]_" + logWord(l.Agent) + "_" + logWord(l.Stage) + "_" + inline(l.Text)
}

// logWord is an agent or stage: upper case, without what separates the parts of a line.
func logWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToUpper(inline(s)))
}

var (
	logRE   = re.New(`^\[([^\]]*)\]_([^_]*)_([^_]*)_(.*)$`)
	eventRE = re.New(`^\[([^\]]*)\]\s+([A-Z_]+)(?:\s+(?:—|–|--?)\s*(.*))?$`)
	shellRE = re.New(`\$\(|\x60`)
)

// ParseLog reads a work_WORK-NN.log of any version. Lines that are none are reported and left out.
func ParseLog(path string, src []byte) ([]LogLine, []spec.Problem) {
	p := newPage(path, src)
	p.ps = nil // what looks like an open fence is nothing in a log
	var out []LogLine
	var last time.Time
	unlisted := map[string]bool{}
	for _, ln := range p.lines {
		if strings.TrimSpace(ln.text) == "" {
			continue
		}
		l := LogLine{}
		at := ""
		if m := logRE().FindStringSubmatch(ln.text); m != nil {
			at, l.Agent, l.Stage, l.Text = m[1], m[2], m[3], m[4]
			if !unlisted[l.Stage] && !slices.Contains(stages, l.Stage) {
				unlisted[l.Stage] = true
				p.warn(ln.no, "the stage "+l.Stage+" is not listed", "the stages are "+strings.Join(stages, ", "))
			}
		} else if m = eventRE().FindStringSubmatch(ln.text); m != nil {
			at, l.Agent, l.Stage, l.Text = m[1], "ORCHESTRATOR", m[2], m[3]
		} else {
			p.warn(ln.no, "this is not a log line", "write '[YYYY-MM-DDTHH:MM:SS]_AGENT_STAGE_text'")
			continue
		}
		t, ok := readTime(at)
		switch {
		case !ok && shellRE().MatchString(at):
			p.warn(ln.no, "fabricated time: '"+at+"' is a shell command that was never run", "use the time of the commit, or leave the line as it is")
		case !ok:
			p.warn(ln.no, "the time '"+at+"' cannot be read", "write it as "+form(logLayout))
		case t.Before(last):
			p.warn(ln.no, "fabricated time: "+at+" is before the line above it, "+last.Format(logLayout), "use the times of the commits; the order of the lines stays")
		}
		if ok {
			l.At, last = t, t
		}
		out = append(out, l)
	}
	return out, p.problems()
}
