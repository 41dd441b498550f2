package check

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// somewhere is what specs say that lets code depend on where it runs, anytime what lets it depend on when.
var (
	somewhere = re.New(`(?i)environment|variable|director|folder|file|path|argument|command line|locale|zone|thread|process|host|user|home|환경|파일|경로|인자`)
	anytime   = re.New(`(?i)clock|\btime|\bdate|\bnow\b|today|random|seed|시간|시각|날짜|무작위`)
)

// differs calls the code once more, now by a test in the runner of the project, with all that it was called with and what is near it.
// What gives something else there than in a program depends on state that is no argument.
func (u *user) differs(ctx context.Context, all []example.Example, tests []step.File) ([]step.Finding, error) {
	if len(tests) == 0 || !slices.Contains([]string{toolchain.Go, toolchain.Node, toolchain.Python}, u.chain.Ecosystem) {
		return nil, nil
	}
	list := withOthers(all)
	inside, err := u.underTest(ctx, list, tests)
	if err != nil || inside == nil {
		return nil, err
	}
	u.plain = true // assertions stay, as they do there
	defer func() { u.plain = false }()
	outside, err := u.try(ctx, list, false)
	if err != nil {
		return nil, err
	}
	var suspects []int
	for i := range list {
		if !sameOutcome(inside[i], outside[i]) {
			suspects = append(suspects, i)
		}
	}
	for round := 0; round < 9 && len(suspects) > 0; round++ { // chance differs from itself: of two orders one in 500 does not
		again, err := u.try(ctx, list, false)
		if err != nil {
			return nil, err
		}
		suspects = slices.DeleteFunc(suspects, func(i int) bool { return !sameOutcome(outside[i], again[i]) })
	}
	if len(suspects) == 0 {
		return nil, nil
	}
	i := suspects[0]
	text := fmt.Sprintf("%s gives %s in the tests, but %s in a program with another directory, environment and process. Take what it depends on as an argument, or name it in the spec.",
		list[i].Calls(), inside[i].Given(), outside[i].Given())
	switch {
	case somewhere().MatchString(u.m.Said):
		return []step.Finding{warn("ambient-state", u.m.Dir, 0, text)}, nil
	case anytime().MatchString(u.m.Said): // both were called at the same time, but the tests may have a clock of their own
		return []step.Finding{{Rule: "ambient-state", Severity: step.Asks, Path: u.m.Dir, Message: text}}, nil
	}
	return []step.Finding{reject("ambient-state", u.m.Dir, 0, text)}, nil
}

// withOthers are calls, and for each function others like those of it.
func withOthers(calls []example.Example) []example.Example {
	byName := groups(calls, example.Example.Symbol)
	out := slices.Clone(calls)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, example.Others(byName[name])...)
	}
	return out
}

// sameOutcome reports whether two calls gave the same, or one of them could not be made.
func sameOutcome(a, b example.Outcome) bool {
	if a.Cannot != "" || b.Cannot != "" || a.ID == "" || b.ID == "" {
		return true
	}
	if noMatter().MatchString(a.Given()) || noMatter().MatchString(b.Given()) {
		return true
	}
	if (a.Error == nil) != (b.Error == nil) {
		return false
	}
	if a.Error != nil {
		return slices.Equal(a.Error.Names, b.Error.Names)
	}
	return bytes.Equal(unplaced(a.Value), unplaced(b.Value))
}

var address = re.New(`0x[0-9a-f]+`)

// unplaced is a value without addresses in memory.
func unplaced(v []byte) []byte { return address().ReplaceAll(bytes.TrimSpace(v), nil) }

// noMatter are errors that say where code runs and nothing of what it does: how deep, and in what of a browser.
var noMatter = re.New(`^(RecursionError|RangeError: Maximum call|ReferenceError)`)

// underTest makes calls by a test that is added to those of the project, in their order; nil where that cannot be done. The tests are in
// the checkout only as long as it runs.
func (u *user) underTest(ctx context.Context, list []example.Example, tests []step.File) (out []example.Outcome, err error) {
	plan, ids := u.planOf(list, make([]example.Outcome, len(list)))
	if len(ids) == 0 {
		return nil, nil
	}
	put, err := u.putTests(ctx)
	defer func() {
		for _, name := range put {
			err = errors.Join(err, os.Remove(u.full(name)))
		}
	}()
	if err != nil {
		return nil, err
	}
	plan.Out = filepath.Join(u.dir, rand.Text())
	from := filepath.Join(u.dir, rand.Text())
	written, err := u.writeTest(tests[0].Path, from)
	put = append(put, written...)
	if len(written) == 0 || err != nil {
		return nil, err
	}
	if err := writePlan(from, plan); err != nil {
		return nil, err
	}
	if _, err = u.runOnce(ctx, toolchain.Selection{Files: written[:1]}); err != nil {
		if _, ok := errors.AsType[*EnvironmentError](err); ok {
			err = nil
		}
		return nil, err
	}
	text, err := os.ReadFile(plan.Out)
	if err != nil {
		return nil, nil // the test could not be run, which shows nothing
	}
	said := example.Outcomes(text)
	out = make([]example.Outcome, len(list))
	for id, i := range ids {
		out[i] = said[id]
	}
	return out, nil
}

// putTests writes the files of tests that were left out into the checkout.
func (u *user) putTests(ctx context.Context) (put []string, err error) {
	texts, err := u.c.texts(ctx, u.without)
	for name, text := range texts {
		if err = u.write(name, text); err != nil {
			return put, err
		}
		put = append(put, name)
	}
	return put, err
}

// writeTest writes a test that makes the calls of a plan, beside another one, and gives its files, the test first. There are none for
// languages whose runner takes more than that.
func (u *user) writeTest(beside, plan string) ([]string, error) {
	name := "zz" + strings.ToLower(rand.Text())[:10]
	switch u.chain.Ecosystem {
	case toolchain.Python:
		program := filepath.Join(u.dir, name+".py")
		file := path.Join(path.Dir(beside), "test_"+name+".py")
		text := fmt.Sprintf("def test_%s():\n    import runpy\n\n    runpy.run_path(%s)\n", name, example.Quoted(program))
		return []string{file}, errors.Join(os.WriteFile(program, example.Python(plan), 0o600), u.write(file, []byte(text)))
	case toolchain.Node:
		for _, i := range source.Parse(beside, u.read(beside)).Imports {
			if i.From != "vitest" && i.From != "node:test" {
				continue
			}
			// It is called as the other one is, so that nothing but chance tells them apart.
			_, kind, _ := strings.Cut(path.Base(beside), ".")
			file := path.Join(path.Dir(beside), name+"."+kind)
			return []string{file}, u.write(file, example.NodeTest(plan, i.From, name))
		}
	case toolchain.Go:
		own := ""
		for _, f := range u.sources() {
			if path.Dir(f.path) == u.m.Dir {
				own = f.Package
				break
			}
		}
		if own == "" || own == "main" {
			return nil, nil
		}
		importPath := path.Join(u.chain.Module, u.below(u.m.Dir))
		program := example.GoPackage(name, plan, u.imports())
		file := path.Join(u.m.Dir, name+"_test.go")
		text := fmt.Sprintf("package %s_test\n\nimport (\n\t\"testing\"\n\n\t%q\n)\n\nfunc Test%s(*testing.T) { %s.Run() }\n", own, path.Join(importPath, name), strings.ToUpper(name), name)
		lib := path.Join(u.m.Dir, name, name+".go")
		return []string{file, lib}, errors.Join(u.write(lib, program), u.write(file, []byte(text)))
	}
	return nil, nil
}
