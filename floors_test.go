package jacquard_test

import (
	"go/types"
	"path"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
)

// floors are the files of large packages, by patterns, the lowest floor first: a file may use what its own floor and those below
// declare.
var floors = map[string][]floor{
	"check": {
		{"run", []string{
			"check.go", "place.go", "run.go", "record.go", "output.go", "report*.go", "deps.go", "add.go", "furnish.go", "seal.go", "evict.go", "learned.go",
			"confined.go", "deadline.go", "registries.go", "gradle.go", "maven.go", "coverage.go", "format.go", "diff.go", "sources.go", "tokens.go", "testfiles.go", "lists.go",
		}},
		{"audit", []string{"audit.go", "rules_*.go"}},
		{"proof", []string{
			"red*.go", "green.go", "stubs*.go", "cut*.go", "mutants.go", "branches.go", "reach.go", "examples*.go", "exports.go", "links.go", "prune.go", "tests.go",
			"survey.go", "baseline.go", "kept.go", "compare.go", "stray.go", "engine.go",
		}},
		{"change", []string{"task*.go", "judge*.go", "goals.go", "e2e.go", "screen.go"}},
	},
	"source": {
		{"facts", []string{"source.go", "outline.go", "literal.go", "logged.go"}},
		{"trees", []string{"tree.go", "transitions.go", "mutate.go", "mutate_effects.go", "mutate_jvm.go", "mutate_rust.go"}},
		{"languages", []string{
			"golang.go", "gocontract.go", "lex_go.go", "mutate_go.go", "python*.go", "script*.go", "typescript.go", "rust*.go", "java.go", "kotlin.go", "suite_*.go",
		}},
		{"files", []string{"parse.go", "branch.go", "disable.go", "substitute.go", "recorded.go", "mutate_loops.go", "shape.go"}},
	},
	"inspect": {
		{"text", []string{"text.go"}},
		{"project", []string{"inspect.go", "resolve.go", "kept.go", "gotypes.go", "symbols.go", "boundary.go", "schema.go", "tree.go", "uses.go"}},
		{"code", []string{"found.go", "offers.go", "exportlines.go", "examples.go", "analyze.go", "summary.go"}},
		{"documents", []string{"edits.go", "editor.go", "settle.go", "merge*.go", "machines.go", "specified.go", "stale.go"}},
		{"validation", []string{
			"validate.go", "mend.go", "drift.go", "facts.go", "typefacts.go", "callfacts.go", "absent.go", "words.go", "clauses.go", "constants.go", "convention.go",
			"integration.go", "packages.go", "specs.go", "calls.go",
		}},
		{"commands", []string{
			"decompile.go", "specify.go", "sound.go", "graph.go", "diff.go", "diagram.go", "page.go", "prompts.go", "migrate.go", "formats.go", "implements.go",
		}},
	},
	"act": {
		{"actor", []string{"act.go", "refs.go", "lock.go", "view.go", "readfile.go", "map.go", "ledger.go", "commit.go", "commands.go", "session.go", "lists.go"}},
		{"facts", []string{
			"facts.go", "items.go", "specs.go", "packages.go", "compile_plan.go", "baseline.go", "quarantine.go", "survey.go", "checker.go", "heard.go", "chains.go",
		}},
		{"steps", []string{
			"turn.go", "folder.go", "confined.go", "prove.go", "task_prove.go", "land.go", "task_land.go", "landed.go", "deliver.go", "keep.go", "keepdocs.go", "workdocs.go", "attest.go",
			"forge.go",
		}},
		{"processes", []string{"work.go", "workedit.go", "workknown.go", "plan_check.go", "auto.go", "develop.go", "document.go", "project.go"}},
		{"commands", []string{"judge.go", "verify.go", "verify_range.go", "rollback.go", "adopt.go", "discover.go"}},
		{"handlers", []string{"handlers.go"}},
	},
	"cli": {
		{"app", []string{"app.go", "exit.go", "wording.go", "screen.go", "fold.go", "help.go", "helptext.go", "progress.go", "files.go", "flush*.go", "owndir*.go"}},
		{"settings", []string{"config.go", "acp.go", "makers.go", "budget.go", "sandboxconf.go", "styles.go", "version.go"}},
		{"project", []string{
			"project.go", "journal.go", "readings.go", "trust.go", "sandbox.go", "agents.go", "addresses.go", "forge.go", "cluster.go", "engine.go", "play.go",
		}},
		{"runs", []string{
			"process*.go", "ready.go", "worktree.go", "begin.go", "drive.go", "watch.go", "answer.go", "converse.go", "callback.go", "runs.go", "cost.go", "status.go", "stop.go",
			"workedit.go",
		}},
		{"commands", []string{
			"auto*.go", "build.go", "decompile.go", "demo.go", "develop.go", "diff.go", "do.go", "doctor*.go", "explain.go", "front.go", "gc.go", "githook.go", "init.go", "log.go",
			"mcp*.go", "pr.go", "prove*.go", "recover.go", "report.go", "resume.go", "session*.go", "show.go", "spec*.go", "undo.go", "validate.go", "verify.go", "work.go", "worker.go",
			"worklist.go", "xml.go",
		}},
		{"main", []string{"main.go", "complete.go"}},
	},
}

type floor struct {
	name  string
	files []string
}

// TestFloors holds files to the floors of their package.
func TestFloors(t *testing.T) {
	t.Parallel()
	for name, of := range floors {
		mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile
		pkgs, err := packages.Load(&packages.Config{Mode: mode, Context: t.Context()}, module+name)
		if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
			t.Fatal(err, pkgs)
		}
		p := pkgs[0]
		at := map[string]int{}
		for _, file := range p.GoFiles {
			at[file] = -1
			for i, f := range of {
				for _, pattern := range f.files {
					if ok, _ := path.Match(pattern, filepath.Base(file)); ok {
						at[file] = i
					}
				}
			}
			if at[file] < 0 {
				t.Errorf("%s is on no floor: add it to floors", file)
			}
		}
		for id, is := range p.TypesInfo.Uses {
			if v, ok := is.(*types.Var); is.Pkg() != p.Types || ok && (v.IsField() || v.Parent() != p.Types.Scope()) {
				continue
			}
			user, owner := p.Fset.Position(id.Pos()), p.Fset.Position(is.Pos())
			if from, to := at[user.Filename], at[owner.Filename]; from < to {
				t.Errorf("%s: %s is on the floor %s and may not use %s of %s, on the floor %s above it", user, filepath.Base(user.Filename), of[max(from, 0)].name, is.Name(), filepath.Base(owner.Filename), of[to].name)
			}
		}
	}
}
