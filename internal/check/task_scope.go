package check

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostNear is how many tests are read to find answers that were copied from them.
const mostNear = 60

// testFile is a file of tests.
type testFile struct {
	id  string
	src []byte
}

// testsNear are the test files of before that lie beside or below changed sources, or are named after one.
func (c *Checker) testsNear(ctx context.Context, changes []Change, before string) (map[string]testFile, error) {
	touched := setOf(pathsOf(changes))
	sources := pathsOf(those(changes, func(ch Change) bool { return ch.Status != 'D' && toolchain.IsSource(ch.Path) }))
	if len(sources) == 0 {
		return nil, nil
	}
	entries, err := c.repo.ReadTree(ctx, before)
	if err != nil {
		return nil, err
	}
	entries = those(entries, func(e git.Entry) bool {
		near := func(src string) bool {
			return path.Dir(src) == path.Dir(e.Path) || path.Dir(src) != "." && strings.HasPrefix(e.Path, path.Dir(src)+"/") || strings.Contains(path.Base(e.Path), stem(path.Base(src)))
		}
		return toolchain.IsTest(e.Path) && !touched[e.Path] && slices.ContainsFunc(sources, near)
	})
	entries = entries[:min(mostNear, len(entries))]
	blobs, err := c.repo.ReadBlobs(ctx, each(entries, func(e git.Entry) string { return e.ID }))
	return mapOf(entries, func(e git.Entry) (string, testFile) { return e.Path, testFile{e.ID, blobs[e.ID]} }), err
}

// scope is what a task has changed against what it may. The tests are some that it leaves alone.
func (p *taskProof) scope(near map[string]testFile) []step.Finding {
	t, changes := p.t, p.changes
	if len(changes) == 0 {
		if t.VerifyOnly {
			return nil
		}
		text := "no files changed"
		if len(t.Files) > 0 {
			text += "; the task should change " + strings.Join(t.Files[:min(len(t.Files), 10)], ", ")
		}
		return []step.Finding{reject("no-changes", "", 0, text)}
	}
	tests := map[string][]byte{}
	for name, f := range near {
		tests[name] = f.src
	}
	audit := Audit{Changes: changes, Config: t.Config, Scripts: scriptsOf(t.Chains), Report: t.Report, Tests: tests, SpecText: t.text(), Said: t.text()}
	gone := goneExports(changes)
	p.anew, p.leaving = replacementsIn(audit), map[string]goneTest{}
	p.names = p.anew.names
	audit.Replaced = func(f *file, x source.Test) bool {
		id := f.Path + "::" + x.Name
		taken := p.anew.takeOver(f.old, x, func(string) bool { return true })
		if taken {
			p.leaving[id] = goneTest{test: test{Test: x, ID: id, File: f.Path}, old: f.old}
		}
		return taken
	}
	for _, ch := range changes { // tests that go with what they test, or with a file that the plan deletes
		if !t.Owns(ch.Path) || !toolchain.IsTest(ch.Path) || ch.Old == nil {
			continue
		}
		f := source.Parse(ch.Path, ch.Old)
		for _, x := range f.Tests {
			words := strings.Fields(body(f, x))
			if ch.Status == 'D' && t.Deletes(ch.Path) || slices.ContainsFunc(words, func(w string) bool { return gone[w] }) {
				audit.Removable = append(audit.Removable, ch.Path+"::"+x.Name)
			}
		}
	}
	out := append(audit.Findings(), slices.Concat(t.unasked(changes), t.unraised(changes))...)
	for _, ch := range changes {
		known := slices.ContainsFunc(out, func(f step.Finding) bool { return f.Path == ch.Path && f.Severity == step.Rejects })
		switch {
		case strings.HasPrefix(ch.Path, "../") || strings.HasPrefix(ch.Path, "works/"): // whoever says that he owns it
			out = append(out, reject("out-of-scope", ch.Path, 0, "This file is outside your scope. Undo your change."))
		case t.Owns(ch.Path) || known:
		case t.VerifyOnly:
			out = append(out, reject("out-of-scope", ch.Path, 0, "This task must not change files. Undo your change."))
		case t.Taken(ch.Path):
			out = append(out, reject("out-of-scope", ch.Path, 0, "This file belongs to another task. Undo your change."))
		case beside(t, ch, changes):
		default:
			back := "Put it back as it was"
			if ch.Status == 'A' {
				back = "Delete it"
			}
			out = append(out, reject("undeclared-file", ch.Path, 0, "The task does not name this file. "+back+", or name it in `more_files` and say why the work needs it."))
		}
	}
	return out
}

// goneExports are the names that the sources of a change exported before, and that none of them does now.
func goneExports(changes []Change) map[string]bool {
	gone, now := map[string]bool{}, map[string]bool{}
	names := func(file string, src []byte) map[string]bool {
		return setOf(each(source.Parse(file, src).Exports, func(e source.Export) string { return e.Name }))
	}
	for _, ch := range changes {
		if toolchain.IsSource(ch.Path) {
			maps.Copy(gone, names(ch.Path, ch.Old))
			maps.Copy(now, names(ch.Path, ch.New))
		}
	}
	maps.DeleteFunc(gone, func(name string, _ bool) bool { return now[name] })
	return gone
}

// beside reports whether a file is a new test, or data of tests, next to what the task owns: a plan need not name each.
func beside(t Task, ch Change, changes []Change) bool {
	if ch.Status != 'A' || !ofTests(ch.Path) {
		return false
	}
	return slices.ContainsFunc(changes, func(o Change) bool {
		return t.Owns(o.Path) && (path.Dir(o.Path) == path.Dir(ch.Path) || strings.HasPrefix(ch.Path, path.Dir(o.Path)+"/"))
	})
}
