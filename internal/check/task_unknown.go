package check

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// A project in a language that no row of the table is for is proved by its own commands. Nobody reads its sources, so which of
// its files are tests is told by their names, and whether a change is tested by running the tests without it.

// looksLikeTest tells tests of any language by their names.
func looksLikeTest(file string) bool {
	name := stem(path.Base(file))
	return ofTests(file) || testStem().MatchString(strings.ToLower(name)) || strings.HasSuffix(name, "Test") || strings.Contains("/"+path.Dir(file)+"/", "/t/")
}

var testStem = re.New(`^(?:tests?|specs?)(?:[_-]|$)|[_.-](?:tests?|specs?)$`)

// registers reports whether tests are registered in a file: without its change new ones would not run.
func registers(file string) bool {
	files := []string{"CMakeLists.txt", "meson.build", "Makefile", "Makefile.am", "GNUmakefile", "Rakefile", "BUILD", "BUILD.bazel", "mix.exs", "build.zig", "dune"}
	return slices.Contains(files, path.Base(file)) || slices.Contains([]string{".cmake", ".csproj", ".fsproj", ".sln", ".mk"}, path.Ext(file))
}

// isCode reports whether a file is neither a document nor configuration, as .gitignore is.
func isCode(file string) bool {
	switch strings.ToLower(path.Ext(strings.TrimPrefix(path.Base(file), "."))) {
	case "", ".md", ".txt", ".rst", ".adoc", ".json", ".yaml", ".yml", ".toml", ".lock", ".html", ".css",
		".csv", ".tsv", ".jsonl", ".ndjson", ".geojson", ".xml", ".ini", ".cfg", ".conf", ".properties", ".po", ".log",
		".png", ".svg", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".pdf", ".ttf", ".woff", ".woff2", ".zip", ".gz":
		return false
	}
	return toolchain.ConfigKindOf(file) == toolchain.NoConfig
}

// unknownTests runs the project's own test command, and runs it again on the tree before with the new tests: there it has to fail.
func (p *taskProof) unknownTests(ctx context.Context, pl *place) (err error) {
	if len(pl.chain.Test(toolchain.Selection{})) == 0 {
		return nil
	}
	run, err := pl.runTests(ctx, toolchain.Selection{}, nil)
	if err != nil {
		return err
	}
	p.ran(CheckTests)
	p.proof.Records = append(p.proof.Records, run.records...)
	p.proof.Results = append(p.proof.Results, run.results...)
	p.add(run.findings...)
	one := Proof{Tree: p.proof.Tree}
	one.judge(Module{Known: p.t.Known}, nil, run)
	p.failed = p.failed || !one.Passed
	if err := p.gone(ctx, pl, run); err != nil {
		return err
	}
	var edits []git.Edit
	code := false
	for _, ch := range p.changes {
		switch {
		case looksLikeTest(ch.Path), registers(ch.Path):
			edits = append(edits, git.Edit{Path: ch.Path, Mode: ch.NewMode, ID: ch.NewID})
		case isCode(ch.Path):
			code = true
		}
	}
	switch {
	case !code || p.failed || Rejected(p.proof.Findings):
		return nil
	case !slices.ContainsFunc(edits, func(e git.Edit) bool { return looksLikeTest(e.Path) }):
		p.noTest("There is no new or changed test for this change.")
		return nil
	}
	without, err := p.c.openEdited(ctx, step.OnWithout, p.before, edits, cmp.Or(p.t.Base, p.before), pl.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, without) }()
	was, err := without.runTests(ctx, toolchain.Selection{}, nil)
	if err != nil {
		return err
	}
	p.proof.Records = append(p.proof.Records, was.records...)
	failing := slices.ContainsFunc(was.results, func(r step.TestResult) bool {
		return bad(r.Status) && !slices.Contains(p.t.Known, r.ID)
	})
	if failing || slices.ContainsFunc(was.findings, func(f step.Finding) bool { return f.Rule != "check-invalid" }) {
		return nil
	}
	if p.t.Untested != "" {
		p.noTest("The new tests pass without the change as well.")
		return nil
	}
	p.add(reject("test-passes-without", edits[0].Path, 0, "The tests pass without the change as well, so nothing proves it. Assert what is new; if no test can show it, say why in `untested`."))
	return nil
}

// gone rejects tests that ran and passed before and do not now: where nobody reads the sources, the reports of both trees say so.
func (p *taskProof) gone(ctx context.Context, pl *place, run testRun) error {
	if run.exit != nil || len(run.results) == 0 || p.before == p.proof.Tree {
		return nil
	}
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return err
	}
	was, err := base.runTests(ctx, toolchain.Selection{}, nil)
	if err != nil {
		return err
	}
	now := mapOf(run.results, func(r step.TestResult) (string, step.TestStatus) { return r.ID, r.Status })
	for _, r := range was.results {
		st, ran := now[r.ID]
		switch _, name := toolchain.SplitID(r.ID); {
		case r.Status != step.Pass || p.t.Deletes != nil && p.t.Deletes(r.File):
		case !ran:
			p.add(reject("test-deleted", r.File, 0, "The test "+name+" ran before and no longer runs. Put it back; if the behavior changed, change its assertions."))
		case st == step.Skip:
			p.add(reject("test-skipped", r.File, 0, "The test "+name+" ran before and is skipped now. Remove the skip."))
		}
	}
	return nil
}
