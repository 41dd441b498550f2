package act

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/toolchain"
	"github.com/jacquard-build/jacquard/internal/works"
)

// workSurvey is the step work.survey: where the work begins, what its authors have to know, and its id.
func (a *Actor) workSurvey(ctx context.Context, j flow.Job, in step.WorkIn) (step.WorkSurveyOut, error) {
	facts, v, err := a.projectFacts(ctx, j, in.From, in.Language, in.Request, "works")
	out := step.WorkSurveyOut{ProjectFacts: facts}
	if err != nil {
		return out, err
	}
	if out.Documents != "" || in.From != "" || len(KeptWorks(a.o.State)) > 0 {
		docs, err := a.beginDocuments(ctx, j.Run, facts.Commit, in.From != "")
		if err != nil {
			return out, err
		}
		if v, err = a.with(ctx, v, docs); err != nil {
			return out, err
		}
	}
	if in.Work != "" {
		return out, a.workKnown(ctx, v, in, &out)
	}
	tree := works.Read(v.paths(), v.bytes, facts.Language)
	landed, err := a.landedWorks(ctx, facts.Commit)
	if err != nil {
		return out, err
	}
	out.Work, err = a.claim(ctx, j, claimPrefix, func(taken []string) string { return tree.NextWork(append(taken, landed...)...) })
	return out, err
}

// landedWorks are the ids of WORKs that commits of a history name: other clones may keep their documents.
func (a *Actor) landedWorks(ctx context.Context, commit string) ([]string, error) {
	log, err := a.o.Repo.Log(ctx, commit, "", 1000)
	var out []string
	for _, c := range log {
		if work, _ := TaskOf(c); work != "" {
			out = append(out, work)
		}
	}
	return out, machinery(err)
}

// projectFacts are the facts of the project at the commit where a run begins, and its files. homes are where it has documents as
// the run writes them, if it has any.
func (a *Actor) projectFacts(ctx context.Context, j flow.Job, from, language, request string, homes ...string) (step.ProjectFacts, *view, error) {
	var out step.ProjectFacts
	commit, tree, err := a.workBase(ctx, j.Run, from)
	if err != nil {
		return out, nil, err
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return out, nil, err
	}
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return out, nil, machinery(err)
	}
	lang := works.ReadLanguages(nil, v.bytes("CLAUDE.md"), language)
	out = step.ProjectFacts{
		Commit: commit, Tree: tree, Branch: cmp.Or(head.Branch, detached), Language: lang.Output, Commits: lang.Commit, Comments: lang.Comment, Project: filepath.Base(a.o.Repo.Root()),
		Documents: a.documentsIn(v, homes),
	}
	chains := a.chains(v)
	pv := private{Chains: chains}
	if len(chains) > 0 {
		pv.Module.Dir, pv.Module.Chain = chains[0].Root, chains[0]
	}
	var stack []string
	for _, c := range chains {
		parts := []string{c.Language}
		for _, p := range []string{c.Manager, c.Runner} {
			if !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
		stack = append(stack, strings.Join(parts, ", "))
		for _, cmd := range a.offered(c) {
			if !slices.Contains(out.Commands, cmd) {
				out.Commands = append(out.Commands, cmd)
			}
		}
	}
	out.Stack = cmp.Or(strings.Join(slices.Compact(stack), "; "), "none yet")
	if out.Private, err = put(a.o.Blobs, pv); err != nil {
		return out, v, err
	}
	out.Docs, err = a.workDocs(v, request)
	return out, v, err
}

// detached stands for no branch, where it is compared which one is checked out.
const detached = "(detached)"

// workBase is the commit that a run of work begins at: what is checked out, since its commits are to follow that one, or
// where an earlier run has stopped.
func (a *Actor) workBase(ctx context.Context, run, from string) (commit, tree string, err error) {
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return "", "", machinery(err)
	}
	if a.o.NoGit || head.Unborn {
		return a.snapshot(ctx, run)
	}
	err = a.o.Repo.SetRef(ctx, baseRef(run), cmp.Or(from, head.Commit), "")
	if err != nil && !errors.Is(err, git.ErrMoved) {
		return "", "", machinery(err)
	}
	base, err := a.o.Repo.Ref(ctx, baseRef(run)) // that of an earlier start, where there was one
	if err != nil {
		return "", "", machinery(err)
	}
	at, err := a.at(ctx, base)
	return at.Commit, at.Tree, err
}

// chains are the toolchains of a project, with the commands that it has configured.
func (a *Actor) chains(v *view) []toolchain.Found {
	pr := toolchain.NewProject(v.paths(), v.bytes)
	pr.Checks = a.o.Checks.Commands
	return pr.All()
}

// chainsFrom are the toolchains of a tree that an author has made from another one. How they are checked is as the tree before
// says: nobody chooses the command that judges him.
func (a *Actor) chainsFrom(ctx context.Context, before string, v *view) ([]toolchain.Found, error) {
	out := a.chains(v)
	old, err := a.tree(ctx, before, nil)
	if err != nil {
		return nil, err
	}
	for _, was := range a.chains(old) {
		i := slices.IndexFunc(out, func(c toolchain.Found) bool { return c.Ecosystem == was.Ecosystem && c.Root == was.Root })
		if i >= 0 {
			out[i].Own, out[i].Override, out[i].Runner = was.Own, was.Override, was.Runner
		} else if was.Ecosystem == toolchain.Unknown {
			out = append(out, was)
		}
	}
	for i, f := range out {
		if !tested(v, f) { // an example is asked when it has changed itself
			out[i].Members = nil
		}
	}
	return out, nil
}

const claimPrefix = keptPrefix + "works/"

// claim gives the run a name that nobody else has or had, below a prefix of refs: next chooses one that is not taken. A
// claim is a ref that may only be created, so that two runs never get the same.
func (a *Actor) claim(ctx context.Context, j flow.Job, prefix string, next func(taken []string) string) (string, error) {
	for {
		claims, err := a.o.Repo.Refs(ctx, prefix)
		if err != nil {
			return "", machinery(err)
		}
		var taken []string
		for ref, id := range claims {
			name := strings.TrimPrefix(ref, prefix)
			if mine, err := a.claimedBy(ctx, id, j); err != nil || mine {
				return name, err
			}
			taken = append(taken, name)
		}
		name := next(taken)
		c := a.commit(j.Run, "", "the name "+name+" is taken")
		if c.Tree, err = a.o.Repo.EditTree(ctx, "", nil); err != nil {
			return "", machinery(err)
		}
		id, err := a.o.Repo.CommitTree(ctx, c)
		if err != nil {
			return "", machinery(err)
		}
		err = a.effect("claim", func() error { return a.o.Repo.SetRef(ctx, prefix+name, id, "") })
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, git.ErrMoved) { // else another run was faster
			return "", machinery(err)
		}
	}
}

// claimedBy reports whether an earlier start of this very step made a claim.
func (a *Actor) claimedBy(ctx context.Context, claim string, j flow.Job) (bool, error) {
	if len(j.Previous) == 0 {
		return false, nil
	}
	log, err := a.o.Repo.Log(ctx, claim, "", 1)
	if err != nil {
		return false, machinery(err)
	}
	if len(log) != 1 {
		return false, nil
	}
	run, _ := runOf(log[0])
	return run == j.Run, nil
}

// workDocsOf is the step work.docs.
func (a *Actor) workDocsOf(ctx context.Context, _ flow.Job, in step.WorkDocsIn) (step.WorkDocsOut, error) {
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return step.WorkDocsOut{}, err
	}
	docs, err := a.workDocs(v, in.Request)
	return step.WorkDocsOut{Docs: docs}, err
}

// workDocs are what all authors of a request are shown: the conventions, how it is checked, the files, and the sources that it is about.
func (a *Actor) workDocs(v *view, request string) (out []step.Doc, err error) {
	doc := func(title, text string) {
		if text = strings.TrimSpace(text); text == "" || err != nil {
			return
		}
		var ref flow.Blob
		ref, err = a.o.Blobs.Put([]byte(text), "text/plain")
		out = append(out, step.Doc{Title: title, Blob: ref})
	}
	shown := map[string]string{}
	for _, f := range []string{"code-convention.md", "CLAUDE.md", "AGENTS.md"} {
		text := rules(string(v.bytes(f)))
		if !repeats(text, shown) {
			doc(f, text)
			shown[f] = text
		}
	}
	chains := a.chains(v)
	if len(chains) > 1 { // examples and tools have no tests of their own
		chains = slices.DeleteFunc(chains, func(c toolchain.Found) bool { return !tested(v, c) })
	}
	doc("how the project is built, linted and tested", checksText(chains, a.missing))
	doc("project files", fileMap(v.paths()))
	a.specDocs(v, request, doc)
	doc("source files the request may affect, and their declarations", relevant(request, v.paths(), v.bytes))
	return out, machinery(err)
}

// repeats reports whether a document is the same as one that is shown, or says little more than its name.
func repeats(text string, shown map[string]string) bool {
	const pointer = 200 // letters
	for name, other := range shown {
		if other != "" && (text == other || len(text) < pointer && strings.Contains(text, name)) {
			return true
		}
	}
	return false
}

// rules are the conventions of a project as authors are shown them.
func rules(text string) string {
	return strings.TrimSpace(clip(callbackToken().ReplaceAllString(text, "CallbackToken: (hidden)"), maxRules))
}

// callbackToken is the line of CLAUDE.md that nobody but the sender of callbacks has to know.
var callbackToken = re.New(`(?m)^CallbackToken:.*$`)

// maxRules bounds a document with the project's conventions, in letters.
const maxRules = 16_000

// planCheck is the step work.check.
func (a *Actor) planCheck(ctx context.Context, _ flow.Job, in step.PlanCheckIn) (step.PlanCheckOut, error) {
	var tasks []task.Task
	if err := json.Unmarshal(in.Tasks, &tasks); err != nil {
		return step.PlanCheckOut{}, flow.Failf(flow.Schema, "read the tasks: %v", err)
	}
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return step.PlanCheckOut{}, err
	}
	facts := a.planFacts(ctx, in.Tree, v, tasks)
	commands := map[string]string{}
	criteria := task.Numbered("AC", len(in.Requirement.Criteria))
	for i, k := range in.Requirement.Criteria {
		if k.Command != "" {
			commands[criteria[i]] = k.Command
		}
	}
	wrong := a.wrongCommands(&facts, commands)
	tasks, accepting := task.Accept(tasks, commands, holdsAfterEach)
	facts.Items = append(task.Numbered("FR", len(in.Requirement.Functional)), criteria...)
	facts.Known = task.Numbered("NFR", len(in.Requirement.NonFunctional))
	plan, added, problems := task.Check(tasks, facts)
	problems = append(wrong, problems...)
	own := slices.ContainsFunc(a.chains(v), func(c toolchain.Found) bool {
		return c.Ecosystem == toolchain.Unknown && len(c.Test(toolchain.Selection{})) > 0
	})
	for _, t := range tasks {
		if i := slices.IndexFunc(t.Files, func(f task.File) bool { return unchecked(f.Path) }); i >= 0 && len(t.Commands()) == 0 && !own {
			problems = append(problems, task.Problem{Task: t.ID, Text: "no known toolchain checks " + t.Files[i].Path + "; name a command in verify that does"})
		}
	}
	var out step.PlanCheckOut
	for _, p := range bound(problems, 40) {
		text := p.Text
		if p.Task != "" {
			text = p.Task + ": " + text
		}
		out.Findings = append(out.Findings, step.Finding{Rule: "plan", Severity: step.Fix, Message: text})
	}
	if len(problems) > 0 {
		return out, nil
	}
	out.Added = accepting
	for _, e := range bound(added, 100) {
		out.Added = append(out.Added, fmt.Sprintf("%s needs %s: both own %s", e.From, e.To, e.Path))
	}
	out.Tasks, err = put(a.o.Blobs, plan)
	return out, err
}

// wrongCommands says which commands of criteria cannot be run. Where a task has the same command, that is said once.
func (a *Actor) wrongCommands(facts *task.Facts, commands map[string]string) []task.Problem {
	runs := facts.Runs
	said := map[string]bool{}
	var out []task.Problem
	for _, id := range slices.Sorted(maps.Keys(commands)) {
		if why := runs(commands[id]); why != "" {
			said[commands[id]] = true
			out = append(out, task.Problem{Task: id, Text: fmt.Sprintf("the command %q cannot be run: %s; fix it everywhere it is used", commands[id], why)})
		}
	}
	facts.Runs = func(line string) string {
		if said[line] {
			return ""
		}
		return runs(line)
	}
	return out
}

// holdsAfterEach reports whether a command holds after each task, since all tests do.
func holdsAfterEach(line string) bool {
	argvs, err := CommandLine(line)
	return err == nil && !slices.ContainsFunc(argvs, func(argv []string) bool {
		_, all := toolchain.TestCommand(argv)
		return !all
	})
}

// unchecked reports whether a file is code that no toolchain of ours builds or tests.
func unchecked(p string) bool {
	return slices.Contains([]string{
		".sh", ".bash", ".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".php", ".rb", ".cs", ".swift", ".scala", ".lua", ".pl", ".ps1", ".sql", ".ex", ".exs", ".clj", ".hs", ".dart", ".zig",
	}, strings.ToLower(path.Ext(p)))
}

// planFacts is what tasks are checked against.
func (a *Actor) planFacts(ctx context.Context, tree string, v *view, tasks []task.Task) task.Facts {
	installed := sync.OnceValue(func() []string { return a.installed(ctx, tree, v) })
	planned := map[string]bool{}
	for _, t := range tasks {
		for _, f := range t.Files {
			planned[f.Path] = true
		}
	}
	return task.Facts{
		Exists: func(p string) bool { return v.ids[p] != "" },
		Runs: func(line string) string {
			return a.runs(line, func(p string) bool { return v.ids[p] != "" || planned[p] }, func(s string) bool {
				return planned["package.json"] || strings.Contains(string(v.bytes("package.json")), strconv.Quote(s))
			}, installed)
		},
	}
}

// installed are the directories of programs that the project's dependencies bring. Without them only those of the machine are known.
func (a *Actor) installed(ctx context.Context, tree string, v *view) []string {
	c, err := a.checker("plan")
	if err != nil {
		return nil
	}
	dirs, err := c.Programs(ctx, tree, a.chains(v))
	if err != nil {
		return nil // what cannot be installed is said by the checks
	}
	return dirs
}

// runs says why a command line cannot be run, "" when it can: no shell reads it, so it has to be a program with
// arguments, and the program has to be there, on the machine or where checks have it.
func (a *Actor) runs(line string, exists, hasScript func(string) bool, installed func() []string) string {
	argvs, err := CommandLine(line)
	if err != nil {
		return err.Error()
	}
	for _, argv := range argvs {
		name := argv[0]
		if s := script(argv); s != "" && !hasScript(s) {
			return "package.json has no script " + s
		}
		if strings.Contains(name, "/") {
			if p := path.Clean(name); path.IsAbs(p) || strings.HasPrefix(p, "../") || !exists(p) {
				return name + " is not a file of the project"
			}
			continue
		}
		if why := forbidden(argv); why != "" {
			return why
		}
		if a.onPath(name) {
			continue
		}
		if _, err := proc.LookPath(name, strings.Join(installed(), string(filepath.ListSeparator))); err != nil {
			return "program not found: " + name
		}
	}
	return ""
}

// forbidden says why a program is nothing for a check. Checks run with the rights of the person, so this is no wall: it
// keeps out what a plan has no reason to name.
func forbidden(argv []string) string {
	switch argv[0] {
	case "git", "rm", "mv", "cp", "ln", "dd", "tee", "touch", "mkdir", "chmod", "chown", "kill", "sudo", "su", "curl", "wget", "ssh", "scp", "nc", "docker", "jacquard":
		return argv[0] + " is not allowed in checks"
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "cmd", "powershell", "pwsh", "env", "xargs", "eval", "exec", "nohup", "time", "timeout", "find", "awk", "sed":
		return argv[0] + " runs other commands or writes files; name the command itself"
	}
	for i, a := range argv[1:] {
		switch {
		case interpreter(argv[0]) && (a == "-c" || a == "-e" || a == "-r" || a == "--eval" || a == "-p" || a == "--print") && i == 0:
			return "code in a command line is not allowed in checks; write a test"
		case path.IsAbs(a) || strings.HasPrefix(path.Clean(a), "../"):
			return a + " is outside the project"
		}
	}
	return ""
}

func interpreter(name string) bool {
	for _, p := range []string{"python", "node", "perl", "ruby", "php", "deno", "bun", "lua"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// script is the script of package.json that a command runs, "" when it runs none.
func script(argv []string) string {
	switch {
	case len(argv) >= 3 && slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, argv[0]) && argv[1] == "run":
		return argv[2]
	case len(argv) == 2 && slices.Contains([]string{"npm", "pnpm", "yarn"}, argv[0]) && argv[1] == "test":
		return "test"
	}
	return ""
}

// CommandLine takes a command line apart: programs with arguments, joined by &&. Words may stand in quotes.
func CommandLine(line string) ([][]string, error) {
	var out [][]string
	var argv []string
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			argv = append(argv, word.String())
		}
		word.Reset()
		inWord = false
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\'' || r == '"':
			k := i + 1
			for k < len(runes) && runes[k] != r {
				k++
			}
			if k == len(runes) {
				return nil, errors.New("a quote is not closed")
			}
			if r == '"' && strings.ContainsAny(string(runes[i:k]), "$`\\") {
				return nil, errors.New("it does not run in a shell: no variables and no backslashes; use single quotes")
			}
			word.WriteString(string(runes[i+1 : k]))
			inWord, i = true, k
		case r == ' ' || r == '\t':
			end()
		case r == '&' && i+1 < len(runes) && runes[i+1] == '&':
			end()
			if len(argv) == 0 {
				return nil, errors.New("there is nothing before &&")
			}
			out, argv = append(out, argv), nil
			i++
		case unicode.IsControl(r):
			return nil, errors.New("no control characters")
		case strings.ContainsRune("|&;<>$`\\*?(){}!#~", r):
			return nil, fmt.Errorf("it does not run in a shell: no %q outside single quotes", string(r))
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	if len(argv) == 0 {
		return nil, errors.New("it is empty")
	}
	if strings.Contains(argv[0], "=") {
		return nil, errors.New("it does not run in a shell: no variables before the program")
	}
	return append(out, argv), nil
}

// keepPlan is the step work.keep.
func (a *Actor) keepPlan(_ context.Context, _ flow.Job, in step.WorkPlan) (step.KeepPlanOut, error) {
	ref, err := put(a.o.Blobs, in)
	return step.KeepPlanOut{Plan: ref}, err
}
