package act

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

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
	chains := a.chains(v)
	own := slices.ContainsFunc(chains, func(c toolchain.Found) bool {
		return c.Ecosystem == toolchain.Unknown && len(c.Test(toolchain.Selection{})) > 0
	})
	compiled := func(p string) bool {
		return slices.ContainsFunc(chains, func(c toolchain.Found) bool { return slices.Contains(c.Compiles, path.Ext(p)) })
	}
	for _, t := range tasks {
		if i := slices.IndexFunc(t.Files, func(f task.File) bool { return unchecked(f.Path) && !compiled(f.Path) }); i >= 0 && len(t.Commands()) == 0 && !own {
			problems = append(problems, task.Problem{Task: t.ID, Text: "no known toolchain checks " + t.Files[i].Path + "; name a command in verify that does"})
		}
	}
	problems = append(problems, unreadCalls(tasks)...)
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

// unreadCalls tells which held-out calls of a task nobody can make, where these are more than the others: then hardly anything is held out.
func unreadCalls(tasks []task.Task) (out []task.Problem) {
	for _, t := range tasks {
		bad := check.UnreadCalls(t.HeldOut)
		if 2*len(bad) > len(t.HeldOut) {
			out = append(out, task.Problem{Task: t.ID, Text: fmt.Sprintf("%d of %d calls in held_out cannot be read: %s. Write them as instructed, or leave them out",
				len(bad), len(t.HeldOut), strings.Join(bound(bad, 5), "; "))})
		}
	}
	return out
}

// wrongCommands says which commands of criteria cannot be run. Where a task has the same command, that is said once.
func (a *Actor) wrongCommands(facts *task.Facts, commands map[string]string) []task.Problem {
	runs := facts.Runs
	said := map[string]bool{}
	var out []task.Problem
	for _, id := range slices.Sorted(maps.Keys(commands)) {
		if why := runs(commands[id]); why != "" {
			said[commands[id]] = true
			out = append(out, task.Problem{Task: id, Text: fmt.Sprintf("the command %q cannot be run: %s; fix it in all criteria and verify", commands[id], why)})
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
	builds := slices.ContainsFunc(a.chains(v), func(f toolchain.Found) bool { return f.Ecosystem == toolchain.Unknown && len(f.Before()) > 0 })
	return task.Facts{
		Exists: func(p string) bool { return v.ids[p] != "" },
		Runs: func(line string) string { // what the project's own build makes is known when it has run
			return a.runs(line, func(p string) bool { return v.ids[p] != "" || planned[p] || builds }, func(s string) bool {
				return planned["package.json"] || strings.Contains(string(v.bytes("package.json")), strconv.Quote(s))
			}, installed)
		},
	}
}

// installed are the directories of programs that the project's dependencies bring. Without them only those of the machine are known.
func (a *Actor) installed(ctx context.Context, tree string, v *view) []string {
	c, err := a.checker(alone("plan"))
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
		if why := forbidden(argv, exists); why != "" {
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
// keeps out what a plan has no reason to name. A shell may run a file of the project, as the file itself may be run.
func forbidden(argv []string, exists func(string) bool) string {
	switch argv[0] {
	case "sh", "bash", "dash", "zsh", "ksh":
		if len(argv) < 2 || !exists(path.Clean(argv[1])) {
			return argv[0] + " runs other commands or writes files; name the command itself"
		}
	case "git", "rm", "mv", "cp", "ln", "dd", "tee", "touch", "mkdir", "chmod", "chown", "kill", "sudo", "su", "curl", "wget", "ssh", "scp", "nc", "docker", "jacquard":
		return argv[0] + " is not allowed in checks"
	case "fish", "cmd", "powershell", "pwsh", "env", "xargs", "eval", "exec", "nohup", "time", "timeout", "find", "awk", "sed":
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
	return slices.ContainsFunc([]string{"python", "node", "perl", "ruby", "php", "deno", "bun", "lua"}, func(p string) bool { return strings.HasPrefix(name, p) })
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
