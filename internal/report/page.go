package report

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.html
	pageText string
)

// Page is a run as a page for browsers: the verdict, when what was at work, what was tried and found for each unit, the commands that prove
// it, the changes, and what each role has cost. It needs nothing from anywhere else, and all texts in it are data.
type Page struct {
	Lang     Lang
	Title    string
	Class    string // ok, warn, bad or run
	Verdict  string
	Figures  []string
	Summary  string
	Rows     []PageRow
	Units    []PageUnit
	Answers  []PageAnswer
	Files    []PageFile
	CostHead []string
	Costs    []PageCost
	Total    string
	Timeline []PageEvent
	Length   string // of the timeline
	Heads    PageHeads

	Style template.CSS
}

// PageHeads are the titles on a page, in its language.
type PageHeads struct {
	Course, Turn, Proof, Landing, Failed, Units, Command, Shows, Exit, Took, Tree, Questions, Changes, Cost, Log string
}

// PageRow is a unit on the time line; Left and Width are percents.
type PageRow struct {
	Name, Took string
	Spans      []PageSpan
}

// PageSpan is a step on the time line.
type PageSpan struct {
	Class, Title string
	Left, Width  float64
}

// PageUnit is a module, a task, or what concerns the run as a whole.
type PageUnit struct {
	Class, Name, Title, Result string
	Notes                      []string // what was shown of it, and what was not
	Attempts                   []PageAttempt
	Checks                     []PageCheck
}

// PageAttempt is one attempt at a unit.
type PageAttempt struct {
	Class, Name, Result, Said string
	Findings                  []PageFinding
}

// PageFinding is what was found wrong with an attempt.
type PageFinding struct{ Rule, Where, Message string }

// PageCheck is a command that the engine ran.
type PageCheck struct {
	Command, Shows, Took, Tree, Sandbox string
	Exit                                int
}

// PageAnswer is a question of a run and its answer.
type PageAnswer struct{ Title, Question, Answer, By string }

// PageFile is a changed file.
type PageFile struct {
	Path           string
	Added, Removed int
	Lines          []PageLine
}

// PageLine is a line of a difference.
type PageLine struct{ Class, Text string }

// PageCost is a row of the account; Share is its part of the largest, in percent.
type PageCost struct {
	Cells []string
	Share int
}

// PageEvent is what happened at a time.
type PageEvent struct{ Time, Since, Text string }

// HTML is the page.
func (p Page) HTML() (string, error) {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return "", fmt.Errorf("read the page's template: %w", err)
	}
	p.Length = Countf(p.Lang.T("%d lines"), len(p.Timeline))
	p.Style = template.CSS(pageStyle) //nolint:gosec // it is a file of this program
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return "", fmt.Errorf("write the page: %w", err)
	}
	return b.String(), nil
}

// NewPage makes a page of a report: all but the changes and the account, which others have.
func NewPage(l Lang, r *Run, events []flow.Event, steps []flow.StepRow, checks map[string][]step.Record, now time.Time) Page {
	p := Page{Lang: l, Heads: PageHeads{
		Course: l.T("Timeline"), Turn: l.T("agent"), Proof: l.T("proof"), Landing: l.T("landing"), Failed: l.T("failed"), Units: l.T("Attempts and checks"), Command: l.T("command"), Shows: l.T("run on"), Exit: l.T("exit"),
		Took: l.T("took"), Tree: l.T("tree"), Questions: l.T("Questions"), Changes: l.T("Changes"), Cost: l.T("Cost"), Log: l.T("Log"),
	}}
	p.course(r, steps, now)
	for _, m := range r.Modules {
		p.Units = append(p.Units, unit(l, m, checks[m.Dir]))
	}
	p.answers(events)
	p.verdict(l, r, now)
	return p
}

// verdict says in one word how a run has ended, and how much was shown.
func (p *Page) verdict(l Lang, r *Run, now time.Time) {
	end := now
	if !r.Ended.IsZero() {
		end = r.Ended
	}
	good, tests, killed, tried, red := 0, 0, 0, 0, 0
	for i, m := range r.Modules {
		if p.Units[i].Class == "ok" {
			good++
		}
		switch {
		case m.Result != nil:
			tests, killed, tried = tests+m.Result.Tests.Passed, killed+m.Result.Mutants.Killed, tried+m.Result.Mutants.Tried
		case m.Task != nil:
			tests, red = tests+m.Task.Tests.Passed, red+m.Task.Tests.Red
		}
	}
	switch {
	case r.TakenBack:
		p.Class, p.Verdict = "warn", l.T("undone")
	case r.State == flow.Done && r.Verified():
		p.Class, p.Verdict = "ok", l.T("verified")
	case r.NotDelivered != "":
		p.Class, p.Verdict = "warn", l.T("verified, not delivered")
	case r.State == flow.Done:
		p.Class, p.Verdict = "warn", l.T("not verified")
	case r.State.Ended():
		p.Class, p.Verdict = "bad", l.State(string(r.State))
	default:
		p.Class, p.Verdict = "run", l.State(string(r.State))
	}
	if n := len(r.Modules); n > 0 {
		p.Figures = append(p.Figures, fmt.Sprintf(l.T("%d of %d verified"), good, n))
	}
	if tests > 0 {
		p.Figures = append(p.Figures, Countf(l.T("%d tests"), tests))
	}
	if red > 0 {
		p.Figures = append(p.Figures, fmt.Sprintf(l.T("%d fail without the change"), red))
	}
	if tried > 0 {
		p.Figures = append(p.Figures, fmt.Sprintf(l.T("%d of %d mutants killed"), killed, tried))
	}
	if r.Sandbox != "" {
		p.Figures = append(p.Figures, fmt.Sprintf(l.T("sandbox: %s"), r.Sandbox))
	}
	p.Figures = append(p.Figures, Took(end.Sub(r.Started)), r.Started.Local().Format(time.DateTime))
}

// course lays the steps of a run on a line of time, a row a unit.
func (p *Page) course(r *Run, steps []flow.StepRow, now time.Time) {
	from, to := r.Started, r.Ended
	if to.IsZero() {
		to = now
	}
	whole := max(to.Sub(from), time.Millisecond)
	rows := map[string]int{}
	for _, s := range steps {
		phase, attempt, what := Split(strings.TrimPrefix(strings.TrimPrefix(s.Key, s.Branch), ":"))
		class := map[string]string{"turn": "turn", "prove": "proof", "mutate": "proof", "land": "landing", "apply": "landing", "deliver": "landing"}[what]
		if s.Err != nil && class != "" {
			class = "failed"
		}
		if s.Started == 0 || class == "" {
			continue
		}
		name, ok := ModuleOf(s.Branch)
		if !ok {
			name = strings.TrimSpace(fmt.Sprintf("%s %s", phase, map[bool]string{true: "", false: fmt.Sprint(attempt)}[attempt < 2]))
		}
		i, known := rows[name]
		if !known {
			i = len(p.Rows)
			rows[name] = i
			p.Rows = append(p.Rows, PageRow{Name: name})
		}
		begin, end := time.UnixMilli(s.Started), to
		if s.Ended > 0 {
			end = time.UnixMilli(s.Ended)
		}
		percent := func(d time.Duration) float64 { return float64(int(1000*d.Seconds()*100/whole.Seconds())) / 1000 }
		p.Rows[i].Spans = append(p.Rows[i].Spans, PageSpan{
			Class: class, Left: min(99.5, max(0, percent(begin.Sub(from)))), Width: max(0, percent(end.Sub(begin))),
			Title: fmt.Sprintf("%s %d, %s: %s", strings.ToUpper(phase), max(1, attempt), what, Took(end.Sub(begin))),
		})
		p.Rows[i].Took = Took(end.Sub(from.Add(time.Duration(p.Rows[i].Spans[0].Left / 100 * float64(whole)))))
	}
}

// unit is a module or task with its attempts and the commands of its proofs.
func unit(l Lang, m *Module, checks []step.Record) PageUnit {
	u := PageUnit{Name: m.Dir, Title: m.Reason, Class: "run", Result: m.Phase}
	ended := func(status step.Status, text, name string) {
		u.Result, u.Notes = strings.TrimLeft(strings.TrimPrefix(strings.Trim(firstLine(text), " ✓⚠✗"), name), ": "), furtherLines(text)
		u.Class = map[step.Status]string{step.Success: "ok", step.Warning: "warn", step.Blocked: "bad"}[status]
	}
	switch {
	case m.Result != nil:
		ended(m.Result.Status, Result(l, *m.Result), m.Dir)
	case m.Task != nil:
		u.Title = m.Task.Title
		ended(m.Task.Status, Task(l, *m.Task), m.Dir+": "+m.Task.Title)
	}
	for _, a := range m.Attempts {
		x := PageAttempt{Class: "bad", Name: fmt.Sprintf("%s %d", strings.ToUpper(a.Phase), max(1, a.Attempt)), Said: a.Summary}
		if a.Passed {
			x.Class = "ok"
		}
		_, x.Result, _ = strings.Cut(firstLine(Attempt(l, m.Dir, a)), ": ")
		for _, f := range a.Findings {
			where := f.Path
			if f.Line > 0 {
				where = fmt.Sprintf("%s:%d", f.Path, f.Line)
			}
			x.Findings = append(x.Findings, PageFinding{f.Rule, where, l.Finding(f.Message)})
		}
		for _, t := range a.Failures {
			x.Findings = append(x.Findings, PageFinding{string(t.Status), t.ID, saidBy(t)})
		}
		u.Attempts = append(u.Attempts, x)
	}
	for _, c := range checks {
		u.Checks = append(u.Checks, PageCheck{Command: cmp.Or(c.Text, strings.Join(c.Argv, " ")), Shows: shows(l, c.Shows), Exit: c.Exit, Took: Took(time.Duration(c.Millis)*time.Millisecond) + Cached(l, c.Reused), Tree: short(c.Tree), Sandbox: c.Sandbox})
	}
	return u
}

// shows says what a command of a proof was run on.
func shows(l Lang, s step.Shows) string {
	return map[step.Shows]string{
		step.OnBaseline: l.T("the project before the change"), step.OnBefore: l.T("the project before the change"), step.OnTask: l.T("the change"), step.OnWithout: l.T("the new tests without the new code"),
		step.OnRed: l.T("new tests without code"), step.OnGreen: l.T("tests and code together"), step.OnRestored: l.T("the change with the earlier tests"), step.OnExamples: l.T("examples of the spec"),
		step.OnVerify: l.T("the change"), step.OnGoals: l.T("the change"), step.OnEndToEnd: l.T("the built program"), step.OnFormat: l.T("the formatter"), step.OnAdd: l.T("a new dependency"),
		step.OnMutants: l.T("mutants of the change: tests must fail"),
	}[s]
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func furtherLines(s string) (out []string) {
	_, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	for line := range strings.Lines(rest) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// answers pairs what a run has asked with what it was told.
func (p *Page) answers(events []flow.Event) {
	asked := map[string]string{}
	for _, e := range events {
		switch e.Type {
		case flow.EventGate:
			if q, err := Decode[flow.Question](e.Data); err == nil {
				asked[e.Key] = q.Text
			}
		case flow.EventAnswer:
			a, err := Decode[flow.Answer](e.Data)
			if err != nil || asked[e.Key] == "" {
				continue
			}
			said := a.Verb
			if a.Text = strings.TrimSpace(a.Text); a.Text != "" {
				said = strings.TrimPrefix(said+": "+a.Text, flow.Reply+": ")
			}
			p.Answers = append(p.Answers, PageAnswer{firstLine(asked[e.Key]), asked[e.Key], said, a.By})
			delete(asked, e.Key)
		case flow.EventRun, flow.EventStart, flow.EventEnd, flow.EventNote, flow.EventFold, flow.EventProgress:
		}
	}
}

// Changed adds a patch to a page, as git writes it. Of a large file the beginning is shown.
func (p *Page) Changed(patch string) {
	const most = 400 // lines of a file
	for part := range strings.SplitSeq("\n"+patch, "\ndiff --git ") {
		head, body, ok := strings.Cut(part, "\n@@")
		if head = strings.TrimSpace(head); head == "" {
			continue
		}
		first, _, _ := strings.Cut(head, "\n")
		f := PageFile{Path: first}
		if _, name, is := strings.Cut(first, " b/"); is {
			f.Path = name
		}
		var lines []string
		if ok {
			lines = strings.Split(strings.TrimRight("@@"+body, "\n"), "\n")
		}
		for _, line := range lines {
			class := ""
			switch {
			case strings.HasPrefix(line, "+"):
				class = "add"
				f.Added++
			case strings.HasPrefix(line, "-"):
				class = "del"
				f.Removed++
			case strings.HasPrefix(line, "@@"):
				class = "hunk"
			}
			f.Lines = append(f.Lines, PageLine{class, line})
		}
		if n := len(f.Lines); n > most {
			f.Lines = append(f.Lines[:most], PageLine{"hunk", fmt.Sprintf(p.Lang.T("… %d more lines"), n-most)})
		}
		p.Files = append(p.Files, f)
	}
}

// Account adds what a run has cost: rows with a head, and what each counts for beside the largest.
func (p *Page) Account(rows [][]string, weights []float64, total string) {
	p.Total = total
	if len(rows) < 2 {
		return
	}
	p.CostHead = rows[0]
	most := slices.Max(weights)
	for i, row := range rows[1:] {
		c := PageCost{Cells: row}
		if most > 0 {
			c.Share = int(100 * weights[i] / most)
		}
		p.Costs = append(p.Costs, c)
	}
}

// Say adds lines to the log of a page.
func (p *Page) Say(began, at time.Time, text string) {
	d := at.Sub(began).Round(time.Second)
	since := fmt.Sprintf("+%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	p.Timeline = append(p.Timeline, PageEvent{Time: at.Local().Format(time.DateTime), Since: since, Text: text})
}

// Decode reads a JSON value into a new T.
func Decode[T any](raw json.RawMessage) (T, error) {
	var v T
	err := json.Unmarshal(raw, &v)
	return v, err
}
