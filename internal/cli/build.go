package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

type compileFlags struct {
	driveOptions
	phase, conflict, feedback, specJSON, branch string
	paths, tests, languages                     []string
	all, dryRun, commit, blocks, pr             bool
}

func newBuild(a *app) *cobra.Command {
	var f compileFlags
	c := &cobra.Command{
		Use:     "build [PATH...]",
		Aliases: []string{"compile"},
		Short:   "build changed specs: tests first, then code",
		Long: "Finds specs (CLAUDE.md or SPEC.md) that changed since their last build. For each, an agent writes tests, then code. " +
			"Jacquard checks that the tests fail first and pass afterwards, and writes the result to the working tree.",
		Example: "  jacquard build --dry-run\n  jacquard build src/auth src/cart --jobs 2",
		RunE: func(c *cobra.Command, args []string) error {
			f.paths, a.compiles = append(f.paths, args...), c.CalledAs() == compileDef
			return a.inProject(func(ctx context.Context, p *project, _ []string) error { return p.compile(ctx, f) })(c, args)
		},
	}
	runFlags(c, &f.driveOptions)
	fl := c.Flags()
	fl.BoolVar(&f.all, "all", false, "build all modules, even if up to date")
	fl.StringSliceVar(&f.paths, "path", nil, "build only modules under this `directory`")
	fl.StringVar(&f.phase, "phase", string(step.Full), "full, red (tests only) or green-refactor (code for existing tests)")
	fl.StringVar(&f.conflict, "conflict", string(step.KeepFiles), "what to do with existing hand-written files: skip or overwrite")
	fl.StringSliceVar(&f.tests, "test-files", nil, "with --phase green-refactor: test `files`")
	fl.StringVar(&f.specJSON, "spec-json", "", "with --phase green-refactor: spec JSON `file` from --phase red")
	fl.StringVar(&f.feedback, "feedback", "", "with --phase red: `file` with feedback on the tests")
	fl.StringArrayVar(&f.languages, "language", nil, "language of a directory as `DIR=LANG`; may be repeated")
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "show what would be built and why; call no agent, change nothing")
	fl.BoolVar(&f.commit, "commit", false, "commit the result on the current branch instead of leaving it in the working tree")
	pullFlag(c, &f.pr)
	fl.StringVar(&f.branch, "branch", "", "put the result on a new branch `name`")
	fl.BoolVar(&f.blocks, "blocks", false, "print result blocks for scripts")
	hide(c, "path", "spec-json", "test-files", "blocks")
	return c
}

// input checks the flags and makes the run's input of them.
func (f compileFlags) input(p *project) (step.CompileIn, error) {
	in := step.CompileIn{
		All: f.all, Phase: step.Phase(f.phase), Conflict: step.Conflict(f.conflict), Delivery: step.ToTree,
		Today: time.Now().Format(time.DateOnly), Branch: f.branch,
	}
	switch in.Phase {
	case step.Full, step.Red, step.GreenRefactor:
	default:
		return in, usage("--phase %q: must be full, red or green-refactor", f.phase)
	}
	if in.Conflict != step.KeepFiles && in.Conflict != step.Overwrite {
		return in, usage("--conflict %q: must be skip or overwrite", f.conflict)
	}
	switch {
	case f.commit && f.branch != "":
		return in, conflict("--commit", "--branch "+f.branch)
	case f.pr && (f.commit || f.branch != ""):
		return in, usage("--pr makes its own branch: leave out --commit and --branch")
	case f.pr:
		in.Delivery = step.ToPull
	case f.commit:
		in.Delivery = step.ToCommit
	case f.branch != "":
		in.Delivery = step.ToBranch
	}
	if in.Delivery != step.ToTree && p.noGit {
		return in, usage("--commit, --branch and --pr need a git repository: run git init first")
	}
	var err error
	if in.Budget, err = p.budget(f.budget); err != nil {
		return in, err
	}
	for _, given := range f.paths {
		rel, err := p.inside(given)
		if err != nil {
			return in, err
		}
		if rel == "" { // the whole project
			in.Paths = nil
			break
		}
		if p.isFile(rel) {
			return in, usage("%s is a file, but modules are directories. To build its module, run: jacquard build %s", given, p.moduleOf(given, rel))
		}
		in.Paths = append(in.Paths, rel)
	}
	return in, errors.Join(f.languageMap(&in), f.files(p, &in))
}

func (f compileFlags) languageMap(in *step.CompileIn) error {
	for _, l := range f.languages {
		dir, lang, ok := strings.Cut(l, "=")
		if !ok || lang == "" {
			return usage("--language %q: must be DIR=LANG", l)
		}
		if lang = strings.ToLower(lang); !slices.Contains(toolchain.Languages(), lang) {
			return usage("--language %q: must be one of %s", l, strings.Join(toolchain.Languages(), ", "))
		}
		if in.Languages == nil {
			in.Languages = map[string]string{}
		}
		in.Languages[path.Clean(filepath.ToSlash(dir))] = lang
	}
	return nil
}

func (f compileFlags) files(p *project, in *step.CompileIn) error {
	if in.Phase != step.GreenRefactor && (len(f.tests) > 0 || f.specJSON != "") {
		return usage("--test-files and --spec-json need --phase green-refactor")
	}
	if f.feedback != "" {
		if in.Phase != step.Red {
			return usage("--feedback needs --phase red")
		}
		raw, err := os.ReadFile(f.feedback)
		if err != nil {
			return usage("--feedback: %v", err)
		}
		if in.Feedback = string(raw); len(raw) > 32<<10 {
			return usage("--feedback: %s is over 32 KiB", f.feedback)
		}
	}
	for _, t := range f.tests {
		rel, err := p.inside(t)
		if err != nil {
			return err
		}
		in.TestFiles = append(in.TestFiles, rel)
	}
	if f.specJSON != "" {
		if _, err := os.Stat(f.specJSON); err != nil {
			return usage("--spec-json: %v", err)
		}
		in.SpecJSON = f.specJSON
	}
	return nil
}

// moduleOf is the directory of the module that a file is in, as the person has named the file; where no directory above it has a
// spec, the file's own.
func (p *project) moduleOf(given, rel string) string {
	own := filepath.Dir(given)
	for up, dir := own, path.Dir(rel); dir != "."; up, dir = filepath.Join(up, ".."), path.Dir(dir) {
		if p.isFile(path.Join(dir, spec.Name)) || p.isFile(path.Join(dir, spec.OtherName)) {
			return up
		}
	}
	return own
}

// isFile reports whether a path of the project is a file.
func (p *project) isFile(rel string) bool {
	st, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(rel)))
	return err == nil && !st.IsDir()
}

// inside turns a path given by a person into one relative to the project. One that is outside of it, seen from here, counts from
// the project that was named with --root.
func (p *project) inside(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	abs, err := filepath.Abs(given)
	if err != nil {
		return "", usage("%s: %v", given, err)
	}
	abs, rel, ok := p.seen(abs)
	if !ok && p.a.rootFlag != "" && !filepath.IsAbs(given) {
		abs, rel, ok = p.seen(filepath.Join(p.root, given))
	}
	if !ok {
		return "", usage("%s is outside the project %s: run jacquard in that project, or name it with --root", given, p.root)
	}
	if _, err := os.Stat(abs); err != nil {
		return "", usage("%s does not exist", given)
	}
	if rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

// seen follows the links of a path and gives it from the project's root; false when it leads out.
func (p *project) seen(abs string) (real, rel string, ok bool) {
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		real = abs // what is not there is found out later
	}
	rel, err = filepath.Rel(p.root, real)
	return real, rel, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (p *project) compile(ctx context.Context, f compileFlags) error {
	if err := p.inProject(); err != nil {
		return err
	}
	in, err := f.input(p)
	if err = errors.Join(err, p.knows(f.agent)); err != nil {
		return err
	}
	if _, _, err := p.sandbox(f.sandbox); err != nil {
		return err
	}
	if f.dryRun {
		return p.dryRun(ctx, in)
	}
	open := func(ctx context.Context) (flow.Run, bool, error) { return p.openCompile(ctx, in) }
	if old, found, err := open(ctx); err != nil {
		return err
	} else if found {
		return p.goOn(ctx, old, f.driveOptions, f.blocks)
	}
	// Nothing to do is the most frequent answer: find it out before anything
	// is opened, written or started.
	plan, err := act.New(p.planOptions()).PlanCompile(ctx, in)
	if err != nil {
		return err
	}
	if plan.Nothing() {
		return p.nothing(plan)
	}
	if in.SpecJSON != "" {
		raw, err := os.ReadFile(in.SpecJSON)
		if err != nil {
			return usage("--spec-json: %v", err)
		}
		if !plan.HasSpec(raw) {
			return usage("--spec-json: %s does not match the current spec: run --phase red again", in.SpecJSON)
		}
	}
	if err := errors.Join(p.deliverable(ctx, in), p.trusted()); err != nil {
		return err
	}
	if f.pr {
		if in.Pull, err = p.pullIn(ctx); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return p.begin(ctx, newRun{driveOptions: f.driveOptions, def: compileDef, in: raw, cost: in.Budget, blocks: f.blocks, unfinished: open})
}

// deliverable refuses a place that the result could not be put at, before
// anything is paid for.
func (p *project) deliverable(ctx context.Context, in step.CompileIn) error {
	if in.Delivery == step.ToCommit || in.Delivery == step.ToPull {
		dirty, err := p.repo.Status(ctx)
		if err != nil {
			return err
		}
		if len(dirty) > 0 {
			flag := map[step.Delivery]string{step.ToCommit: "--commit", step.ToPull: "--pr"}[in.Delivery]
			return usage("%s: you have uncommitted changes (%s, …): commit or stash them first, or leave out %s", flag, dirty[0].Path, flag)
		}
	}
	name := in.Branch
	if name == "" {
		return nil
	}
	ok, err := p.repo.ValidBranch(ctx, name)
	if err != nil {
		return err
	}
	if !ok {
		return usage("--branch: %q is not a valid branch name", name)
	}
	if _, err := p.repo.Ref(ctx, "refs/heads/"+name); err == nil {
		return usage("--branch: %s already exists; choose another name", name)
	}
	return nil
}

func (p *project) nothing(plan *act.CompilePlan) error {
	note := plan.Note()
	why := ""
	switch {
	case note.UpToDate+note.Sum()+len(note.Problems) > 0:
	case plan.Specs() == 0:
		why = "no specs found"
	default:
		why = "these specs export nothing"
	}
	if !p.a.asJSON(report.NothingToDo(note, why)) {
		fmt.Fprint(p.a.Err, p.planned(plan))
	}
	return proved(note.Verified())
}

// tellNoSpecs says so where no spec is at a path or below, and another text where there are some.
func (p *project) tellNoSpecs(ctx context.Context, path, some string) error {
	plan, err := act.New(p.planOptions()).PlanCompile(ctx, step.CompileIn{Paths: step.Below(path), Phase: step.Full, Conflict: step.KeepFiles})
	if err != nil {
		return err
	}
	if plan.Specs() == 0 {
		some = p.planned(plan)
	}
	fmt.Fprint(p.a.Err, some)
	return nil
}

// planned is the text of a plan.
func (p *project) planned(plan *act.CompilePlan) string {
	if plan.Specs() == 0 && len(plan.Note().Problems) == 0 {
		places := []string{p.root}
		for i, dir := range plan.Paths() {
			places = append(places[:i], filepath.Join(p.root, filepath.FromSlash(dir)))
		}
		return report.NoSpecs(p.a.lang(), strings.Join(places, ", "), plan.FreeForm())
	}
	return report.Planned(p.a.lang(), plan.Note())
}

// openCompile looks for a compile run that has not ended: one that is driven now refuses a second, one that asked for the same on
// the same tree is carried on, any other has to be decided about first.
func (p *project) openCompile(ctx context.Context, in step.CompileIn) (old flow.Run, found bool, err error) {
	old, found, err = p.unfinishedOf(ctx, compileDef, nil)
	if err != nil || !found {
		return old, false, err
	}
	if old.Driver != "" {
		return old, false, &flow.DrivenError{Run: old.ID, Driver: old.Driver}
	}
	was, err := report.Decode[step.CompileIn](old.In)
	if err != nil {
		return old, false, err
	}
	was.Today, was.Budget, was.Pull = in.Today, in.Budget, in.Pull
	if mustJSON(was) != mustJSON(in) {
		return old, false, usage("unfinished run %s has a different request. To continue it, run: jacquard resume %s. To end it, run: jacquard stop --now %s", old.ID, old.ID, old.ID)
	}
	same, err := act.New(p.planOptions()).SameTree(ctx, old.ID)
	if err != nil {
		return old, false, err
	}
	if !same {
		return old, false, usage("files have changed since unfinished run %s started. To continue it, run: jacquard resume %s. To build again, first run: jacquard stop --now %s", old.ID, old.ID, old.ID)
	}
	return old, true, nil
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func (p *project) dryRun(ctx context.Context, in step.CompileIn) error {
	actor := act.New(p.planOptions())
	plan, err := actor.PlanCompile(ctx, in)
	if err != nil {
		return err
	}
	to := p.a.Out
	if p.a.json {
		p.a.print(plan.JSON(in.Budget))
		to = p.a.Err
	} else {
		fmt.Fprint(to, p.planned(plan))
		for _, line := range plan.Order() {
			fmt.Fprintf(to, "  %s\n", p.a.lang().Placed(line))
		}
	}
	for _, dir := range actor.AsksLanguage(ctx, plan) {
		fmt.Fprintf(to, p.a.lang().T("? the build will ask which language to write %s in, because the project does not say; to set it: --language %s=LANG\n"), dir, dir)
	}
	if !p.a.json {
		fmt.Fprintf(to, p.a.lang().T("budget: %s\n"), budgetText(p.a.lang(), in.Budget))
	}
	return proved(plan.Sound())
}
