package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// frontPage is what jacquard alone says of a project.
type frontPage struct {
	Project string `json:"project,omitempty"` // "" outside of one
	// Uncommitted says that the repository has no commit yet, Untrusted that commands of the configuration wait for jacquard trust.
	Uncommitted bool `json:"uncommitted,omitempty"`
	Untrusted   bool `json:"untrusted,omitempty"`
	// Changed says that files are not as they were committed.
	Changed bool `json:"changed,omitempty"`

	specCount

	// Checks are the commands that a change would be proved by.
	Checks []string `json:"checks"`
	Agent  string   `json:"agent,omitempty"` // where its program is, "" where it is not installed
	// Account is what an agent that is installed is paid with, as far as the environment says it: key or login.
	Account agent.Auth `json:"account,omitempty"`
	// Open is the newest run that has not ended, in words.
	Open string `json:"open,omitempty"`
	// Why is the first line of what that run waits for.
	Why string `json:"why,omitempty"`
	// Failed is the newest run where that has failed, in words.
	Failed string     `json:"failed,omitempty"`
	Next   []nextStep `json:"next"`

	install string // how the agent is installed
	empty   bool   // there is no file to commit
	grown   bool   // the last commit has one before it
}

// nextStep is a command to type, and why.
type nextStep struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// most is how many next steps are shown.
const mostSteps = 3

// front says what there is here and what to type next. It writes nothing and starts no agent.
func (a *app) front(ctx context.Context) error {
	page, err := a.look(ctx)
	if err != nil {
		return err
	}
	page.Next = page.Next[:min(len(page.Next), mostSteps)]
	if a.asJSON(page) {
		return nil
	}
	l := a.lang()
	if page.Project == "" {
		fmt.Fprint(a.Out, l.T("Jacquard turns specs and requests into verified commits. There is no project here: this is not a git repository.\n"))
	} else {
		rows := [][]string{{l.T("project"), page.Project}}
		if page.Uncommitted {
			rows = append(rows, []string{l.T("commits"), l.T("none yet; requests start at the last commit")})
		}
		rows = append(rows, []string{l.T("specs"), page.specs(l)})
		if len(page.Checks) == 0 && !page.Uncommitted { // they are read in the last commit
			rows = append(rows, []string{l.T("checks"), fmt.Sprintf(l.T("none found; add the test command under checks in %s"), configFile)})
		}
		const shown, shownRequest = 4, 160
		for i, c := range page.Checks[:min(len(page.Checks), shown)] {
			head := ""
			if i == 0 {
				head = l.T("checks")
			}
			rows = append(rows, []string{head, c})
		}
		if n := len(page.Checks) - shown; n > 0 {
			rows = append(rows, []string{"", fmt.Sprintf(l.T("… and %d more: jacquard doctor runs them all"), n)})
		}
		if page.Untrusted {
			rows = append(rows, []string{l.T("trust"), fmt.Sprintf(l.T("%s asks for permissions that you have not allowed yet; to review them, run: jacquard trust"), configFile)})
		}
		if page.Agent == "" {
			page.Agent = fmt.Sprintf(l.T("not installed: %s"), page.install)
		}
		rows = append(rows, []string{l.T("agent"), page.Agent})
		pays := map[agent.Auth]string{agent.Key: l.T("the API key in the environment"), agent.Login: l.T("the agent's own login; jacquard doctor checks it")}
		if page.Account != "" {
			rows = append(rows, []string{l.T("account"), pays[page.Account]})
		}
		if page.Open != "" {
			rows = append(rows, []string{l.T("run"), report.Cut(page.Open, shownRequest)})
			if page.Why != "" {
				rows = append(rows, []string{"", page.Why})
			}
		}
		if page.Failed != "" {
			rows = append(rows, []string{l.T("failed"), report.Cut(page.Failed, shownRequest)})
		}
		a.table(rows)
	}
	fmt.Fprint(a.Out, l.T("\nNext:\n"))
	a.steps(page.Next)
	fmt.Fprint(a.Out, l.T("\njacquard --help lists all commands.\n"))
	return nil
}

// specCount counts specs.
type specCount struct {
	Specs   int `json:"specs"`
	Invalid int `json:"spec_errors,omitempty"`
	Stale   int `json:"stale"`
	// Unverified are modules with code that nothing records as checked against its spec.
	Unverified int `json:"unverified,omitempty"`
	// Edited are modules whose code was edited by hand after it was built.
	Edited int `json:"edited,omitempty"`
}

// countSpecs reads the specs and the lock.
func countSpecs(ctx context.Context, actor *act.Actor) (specCount, error) {
	plan, err := actor.PlanCompile(ctx, step.CompileIn{Phase: step.Full, Conflict: step.KeepFiles})
	if err != nil {
		return specCount{}, err
	}
	note := plan.Note()
	out := specCount{Specs: plan.Specs(), Stale: note.Count, Unverified: note.Unverified, Edited: note.Edited}
	for _, f := range note.Problems {
		if f.Severity == step.Rejects {
			out.Invalid++
		}
	}
	return out, nil
}

// specs says how they stand.
func (s specCount) specs(l report.Lang) string {
	switch {
	case s.Invalid > 0:
		return fmt.Sprintf(l.T("%d, with errors"), s.Specs)
	case s.Specs == 0:
		return l.T("none")
	case s.Stale == 0 && s.Unverified > 0:
		return fmt.Sprintf(l.T("%d, %d unverified"), s.Specs, s.Unverified)
	case s.Stale == 0 && s.Edited > 0:
		return fmt.Sprintf(l.T("%d, all built, %d edited by hand since"), s.Specs, s.Edited)
	case s.Stale == 0:
		return fmt.Sprintf(l.T("%d, all built"), s.Specs)
	}
	return fmt.Sprintf(l.T("%d, %d to build"), s.Specs, s.Stale)
}

// steps prints what to type next. A terminal that is too narrow for a column of reasons has each below its command.
func (a *app) steps(next []nextStep) {
	if wide, _, tty := terminal(a.Out); tty && wide < 80 {
		for _, s := range next {
			fmt.Fprintf(a.Out, "   %s\n      %s\n", s.Command, s.Why)
		}
		return
	}
	var rows [][]string
	for _, s := range next {
		rows = append(rows, []string{" ", s.Command, s.Why})
	}
	a.table(rows)
}

// table prints rows in columns. At a terminal, the last cell of a row goes on below itself.
func (a *app) table(rows [][]string) {
	text := report.Table(rows, 0)
	if wide, _, tty := terminal(a.Out); tty {
		text = hanging(text, rows, wide)
	}
	fmt.Fprint(a.Out, text)
}

// hanging breaks the lines of a table, the last cells of which have a column as long as that is not too narrow for words.
func hanging(table string, rows [][]string, wide int) string {
	at := 0
	for i := range len(rows[0]) - 1 {
		most := 0
		for _, row := range rows {
			most = max(most, report.Width(row[i]))
		}
		at += most + 2
	}
	if wide-at < narrow {
		at = 4
	}
	var b strings.Builder
	for line := range strings.Lines(table) {
		b.WriteString(broken(line, wide, at-min(at, len(line)-len(strings.TrimLeft(line, " ")))))
	}
	return b.String()
}

// look finds out what the front page says.
func (a *app) look(ctx context.Context) (frontPage, error) {
	l := a.lang()
	if a.json {
		l = report.English
	}
	none := frontPage{Checks: []string{}, Next: []nextStep{
		{"jacquard demo", l.T("watch a sample project be built, killed and resumed; no agent needed")},
		{"cd YOUR-PROJECT && jacquard doctor", l.T("check what a project of yours needs")},
	}}
	if a.rootFlag == "" {
		wd, err := os.Getwd()
		if err != nil {
			return none, words("find the project: %w", err)
		}
		if !inGit(wd) && !exists(filepath.Join(findRoot(wd), stateDir)) {
			return none, nil
		}
	}
	p, err := a.open(ctx)
	if err != nil {
		return none, err
	}
	head, err := p.repo.Head(ctx)
	if err != nil {
		return none, err
	}
	page := frontPage{Project: p.root, Uncommitted: head.Unborn && !p.noGit, Untrusted: !p.hasTrust(), Checks: []string{}}
	actor := act.New(p.planOptions())
	if page.specCount, err = countSpecs(ctx, actor); err != nil {
		return page, err
	}
	if page.Checks, err = actor.CheckCommands(ctx); err != nil {
		return page, err
	}
	if page.Uncommitted {
		if page.empty, err = p.empty(ctx); err != nil {
			return page, err
		}
	}
	if !p.noGit && !head.Unborn {
		list, err := p.repo.Status(ctx)
		if err != nil {
			return page, err
		}
		page.Changed = len(list) > 0
		_, parents, err := p.repo.ReadCommit(ctx, head.Commit)
		if err != nil {
			return page, err
		}
		page.grown = len(parents) > 0
	}
	name := p.seats(driveOptions{}).Run.Agent
	if m, ok := findMaker(name); ok {
		page.install = m.install
		if at, err := m.find(a.env); err == nil {
			page.Agent = name + " (" + at + ")"
			switch key, _ := m.secrets(a.env); {
			case key != "" && agent.Auth(p.conf.Auth) != agent.Login:
				page.Account = agent.Key
			case agent.Auth(p.conf.Auth) != agent.Key:
				page.Account = agent.Login
			}
		}
	} else {
		page.Agent = name
	}
	if err := p.openRuns(ctx, &page, l); err != nil {
		return page, err
	}
	page.Next = append(page.Next, page.ideas(l)...)
	return page, nil
}

// openRuns names the newest run that has not ended, a result that lies beside the branch, and the newest run where it has failed.
func (p *project) openRuns(ctx context.Context, page *frontPage, l report.Lang) error {
	runs, err := p.runs(ctx)
	if err != nil {
		return err
	}
	if len(runs) > 0 {
		ref, err := p.leftOn(ctx, runs[0])
		if err != nil {
			return err
		}
		if ref != "" {
			page.Next = append(page.Next, nextStep{"git merge " + ref, fmt.Sprintf(l.T("take the result of run %s, once what is in its way is committed or stashed"), runs[0].ID)})
		}
	}
	if len(runs) > 0 && failed(runs[0]) && !p.takenBack(runs[0].ID) {
		r := runs[0]
		page.Failed = fmt.Sprintf("%s: jacquard %s", r.ID, requested(r))
		if workLeft(r) != "" {
			page.Next = append(page.Next, nextStep{"jacquard resume " + r.ID, l.T("build the rest of the failed run")})
		} else {
			page.Next = append(page.Next, nextStep{"jacquard show " + r.ID, l.T("see why the run failed")})
		}
	}
	for _, r := range runs {
		if r.State.Ended() {
			continue
		}
		pause, err := p.pauseOf(ctx, r)
		if err != nil {
			return err
		}
		page.Open = fmt.Sprintf("%s %s: %s", r.ID, l.State(string(r.State)), requested(r))
		page.Why, _, _ = strings.Cut(p.waitsFor(l, r, pause), "\n")
		add := func(command, why string) { page.Next = append(page.Next, nextStep{command, why}) }
		switch {
		case asks(r):
			add("jacquard answer "+r.ID, l.T("it needs your answer"))
		case r.Driver != "":
			add("jacquard log -f "+r.ID, l.T("watch the run"))
		case repairClass(r.Gates) == flow.Budget:
			add("jacquard resume "+r.ID+" --budget "+p.higher(r.ID, r.Gates), l.T("continue the run"))
		default:
			add("jacquard resume "+r.ID, l.T("continue the run"))
		}
		break
	}
	return nil
}

// ideas are next steps in a project in which no run waits.
func (f frontPage) ideas(l report.Lang) []nextStep {
	var out []nextStep
	if f.empty {
		out = append(out, nextStep{`echo "# My project" >README.md`, l.T("there is no file to commit yet")})
	}
	if f.Uncommitted {
		out = append(out, nextStep{`git add -A && git commit -m "Start"`, l.T("requests start at the last commit")})
	}
	if f.Untrusted {
		out = append(out, nextStep{"jacquard trust", l.T("review what the project asks for")})
	}
	if f.Changed && len(f.Checks) > 0 {
		out = append(out, nextStep{"jacquard prove", l.T("judge your uncommitted change; no agent needed")})
	}
	if !f.Changed && f.grown && len(f.Checks) > 0 {
		out = append(out, nextStep{"jacquard prove HEAD~1..HEAD", l.T("judge the last commit; no agent needed")})
	}
	if len(f.Checks) == 0 && !f.Uncommitted {
		out = append(out, nextStep{"jacquard init", l.T("set this project's test command")})
	}
	switch {
	case f.Invalid > 0:
		out = append(out, nextStep{"jacquard spec check", l.T("show the errors of the specs")})
	case f.Stale > 0 && f.Agent != "":
		out = append(out, nextStep{"jacquard build", l.T("build the specs that have changed")})
	case f.Unverified > 0:
		out = append(out, nextStep{"jacquard adopt", l.T("record existing code as built from its spec, if its tests pass")})
	case f.Edited > 0:
		out = append(out, nextStep{"jacquard verify", l.T("check edited code against its spec")})
	}
	doctor := nextStep{"jacquard doctor", l.T("run this project's own checks once, before spending anything")}
	if f.Agent == "" {
		return append(out, doctor, nextStep{"jacquard demo", l.T("watch a sample project be built, killed and resumed; no agent needed")}, nextStep{f.install, l.T("install a coding agent")})
	}
	out = append(out, nextStep{`jacquard do "…"`, l.T("turn a request into verified commits")})
	if f.Specs == 0 {
		out = append(out, nextStep{"jacquard decompile", l.T("write specs for the existing code")})
	}
	return append(out, doctor)
}

// inGit reports whether a directory is in a git repository. It is asked first where nothing may be written: to open a project without
// one makes a folder there.
func inGit(dir string) bool {
	for {
		if exists(filepath.Join(dir, ".git")) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
