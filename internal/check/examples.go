package check

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// examplesTime bounds one run of a module's examples.
const examplesTime = 30 * time.Second

// Examples calls the code of tree as the examples of the module's spec do, and compares what it gives. It is done by a program
// of ours in a checkout without any test: no runner is loaded, the directory and the environment are another user's, names and
// order are random. A program never learns what is expected.
//
// An example that gives something else is a finding. One that cannot be called is told with the reason, and shows nothing.
func (c *Checker) Examples(ctx context.Context, m Module, tree string) (out []step.Example, findings []step.Finding, err error) {
	if len(m.Examples) == 0 {
		return nil, nil, nil
	}
	bare, err := c.withoutTests(ctx, tree)
	if err != nil {
		return nil, nil, fmt.Errorf("run examples: %w", err)
	}
	p, err := c.open(ctx, "examples", bare, firstNonEmpty(m.Base, tree), m.Chain)
	if err != nil {
		return nil, nil, fmt.Errorf("run examples: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	u := &user{place: p, m: m}
	given, err := u.try(ctx, m.Examples)
	if err != nil {
		return nil, nil, fmt.Errorf("run examples: %w", err)
	}
	for i, e := range m.Examples {
		o := given[i]
		if o.Cannot == "" && !e.Want.Holds(o) { // it counts only if it fails alone, too: a call may change what the next one gives
			again, err := u.try(ctx, m.Examples[i:i+1])
			if err != nil {
				return nil, nil, fmt.Errorf("run examples: %w", err)
			}
			o = again[0]
		}
		r := step.Example{Item: e.Item, Text: e.Text, State: step.ExampleHolds}
		switch {
		case o.Cannot != "":
			r.State, r.Why = step.ExampleNotRun, o.Cannot
		case !e.Want.Holds(o):
			r.State, r.Why = step.ExampleFails, o.Given()
			findings = append(findings, reject("example-failed", path.Join(m.Dir, specName), e.Line, fmt.Sprintf(
				"The spec says: %s. Called by a program, outside of the tests, it gives: %s.", e.Text, o.Given())))
		}
		out = append(out, r)
	}
	return out, findings, nil
}

// examples calls what a task has written with the values that its sentences have: "sub(3, 2) returns 1".
func (p *taskProof) examples(ctx context.Context) error {
	if p.failed || Rejected(p.proof.Findings) {
		return nil
	}
	byFile := map[string][]example.Example{}
	for i, e := range example.InText(p.t.Says) {
		if file := p.declares(e.Symbol()); file != "" {
			e.Item = fmt.Sprintf("example %d", i+1)
			byFile[file] = append(byFile[file], e)
		}
	}
	for _, file := range slices.Sorted(maps(byFile)) {
		chain, ok := p.chainOf(file)
		if !ok {
			continue
		}
		m := Module{Dir: path.Dir(file), Chain: chain, Base: p.t.Base, Examples: byFile[file], Place: toolchain.Placement{
			Dir: path.Dir(file), Language: toolchain.LanguageOf(file), Sources: []string{file},
		}}
		for _, ch := range p.changes {
			if path.Dir(ch.Path) == m.Dir && toolchain.IsSource(ch.Path) {
				m.Exports = append(m.Exports, exportsOf(ch)...)
			}
		}
		given, wrong, err := p.c.Examples(ctx, m, p.proof.Tree)
		if err != nil {
			return err
		}
		for i := range wrong {
			wrong[i].Path, wrong[i].Line = file, 0
			wrong[i].Message = strings.Replace(wrong[i].Message, "The spec says", "What was agreed says", 1)
		}
		p.proof.Examples = append(p.proof.Examples, given...)
		p.add(wrong...)
	}
	return nil
}

// exportsOf are the exports of a source that a task has changed.
func exportsOf(ch Change) []step.Export {
	var out []step.Export
	for _, e := range source.Parse(ch.Path, ch.New).Exports {
		if e.Owner == "" {
			out = append(out, step.Export{Kind: e.Kind, Name: e.Name, Signature: e.Signature})
		}
	}
	return out
}

// declares is the one changed source that exports a name, "" where there is none or there are several.
func (p *taskProof) declares(name string) string {
	found := ""
	for _, ch := range p.changes {
		if ch.Status == 'D' || !toolchain.IsSource(ch.Path) || !slices.ContainsFunc(exportsOf(ch), func(e step.Export) bool { return e.Name == name }) {
			continue
		}
		if found != "" {
			return ""
		}
		found = ch.Path
	}
	return found
}

// chainOf is the toolchain that a file is of, the nearest.
func (p *taskProof) chainOf(file string) (best toolchain.Found, ok bool) {
	for _, chain := range p.t.Chains {
		if chain.Ecosystem == toolchain.EcosystemOf(toolchain.LanguageOf(file)) && below(chain.Root, file) && (!ok || len(chain.Root) > len(best.Root)) {
			best, ok = chain, true
		}
	}
	return best, ok
}

// specName is the file with a module's spec.
const specName = "CLAUDE.md"

// withoutTests is a tree without test files.
func (c *Checker) withoutTests(ctx context.Context, tree string) (string, error) {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return "", err
	}
	var edits []git.Edit
	for _, e := range entries {
		if toolchain.Classify(e.Path) == toolchain.Test && !strings.HasPrefix(e.Path, "../") && !strings.HasSuffix(e.Path, ".rs") {
			edits = append(edits, git.Edit{Path: e.Path})
		}
	}
	if len(edits) == 0 {
		return tree, nil
	}
	return c.repo.EditTree(ctx, tree, edits)
}

// user runs code as a user of it would.
type user struct {
	*place

	m       Module
	program []string // runs the program that was made last
	plan    string   // the file that it reads
	cannot  string   // why there is no program
}

// try makes the calls of some examples in one process, in random order.
func (u *user) try(ctx context.Context, list []example.Example) ([]example.Outcome, error) {
	out := make([]example.Outcome, len(list))
	plan := example.Plan{Path: u.importPaths()}
	ids := map[string]int{}
	for i, e := range list {
		module, why := u.module(e)
		if why != "" {
			out[i].Cannot = why
			continue
		}
		id := rand.Text()
		ids[id] = i
		plan.Calls = append(plan.Calls, example.Call{ID: id, Module: module, Links: e.Call})
	}
	if len(ids) == 0 {
		return out, nil
	}
	mrand.Shuffle(len(plan.Calls), func(i, j int) { plan.Calls[i], plan.Calls[j] = plan.Calls[j], plan.Calls[i] })
	said, failed, err := u.run(ctx, plan)
	if err != nil {
		return nil, err
	}
	for id, i := range ids {
		o, ok := said[id]
		if !ok {
			o.Cannot = failed
		}
		out[i] = o
	}
	return out, nil
}

// module is where the export is that an example calls.
func (u *user) module(e example.Example) (module, why string) {
	name := e.Symbol()
	if !slices.ContainsFunc(u.m.Exports, func(x step.Export) bool { return x.Name == name || strings.HasPrefix(x.Name, name+".") }) {
		return "", name + " is no export of the spec"
	}
	if u.chain.Ecosystem == toolchain.Go {
		return "", ""
	}
	for _, file := range slices.Sorted(maps(u.entries)) {
		if !u.m.Place.AllowsSource(file) {
			continue
		}
		for _, x := range source.Parse(file, u.read(file)).Exports {
			if x.Name != name {
				continue
			}
			if u.chain.Ecosystem == toolchain.Python {
				return u.pythonModule(file), ""
			}
			return fileURL(u.full(file)), ""
		}
	}
	return "", "no source of the module declares " + name
}

func fileURL(name string) string {
	name = filepath.ToSlash(name)
	if !strings.HasPrefix(name, "/") { // a drive
		name = "/" + name
	}
	return "file://" + strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", "?", "%3F").Replace(name)
}

// below is a path from the root of the toolchain.
func (u *user) below(name string) string {
	if u.chain.Root == "." || u.chain.Root == "" {
		return name
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, u.chain.Root), "/")
}

// importPaths are the directories in which Python finds the project's modules.
func (u *user) importPaths() []string {
	if u.chain.Ecosystem != toolchain.Python {
		return nil
	}
	root := u.full(u.chain.Root)
	if u.chain.SourceDir != "" {
		return []string{filepath.Join(root, u.chain.SourceDir), root}
	}
	return []string{root}
}

func (u *user) pythonModule(file string) string {
	name := u.below(file)
	if u.chain.SourceDir != "" {
		name = strings.TrimPrefix(name, u.chain.SourceDir+"/")
	}
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(name, ".py"), "/__init__"), "/", ".")
}

// run makes the program, if there is none yet, and runs it. What it did not say anything of has failed for the reason that is
// given.
func (u *user) run(ctx context.Context, plan example.Plan) (said map[string]example.Outcome, failed string, err error) {
	if u.program == nil && u.cannot == "" {
		if err := u.prepare(ctx); err != nil {
			return nil, "", err
		}
	}
	if u.cannot != "" {
		return nil, u.cannot, nil
	}
	plan.Out = filepath.Join(u.dir, rand.Text())
	raw, err := json.Marshal(plan)
	if err == nil {
		err = os.WriteFile(u.plan, raw, 0o600)
	}
	if err != nil {
		return nil, "", err
	}
	at := filepath.Join(u.dir, rand.Text())
	home := filepath.Join(u.dir, rand.Text())
	if err := errors.Join(os.Mkdir(at, 0o755), os.Mkdir(home, 0o755)); err != nil {
		return nil, "", err
	}
	res, err := proc.Run(ctx, proc.Command{Argv: u.program, Dir: at, Env: u.surroundings(home), Total: examplesTime})
	if cause := context.Cause(ctx); cause != nil {
		return nil, "", cause
	}
	if errors.Is(err, proc.ErrNotFound) || errors.Is(err, proc.ErrPermission) {
		return nil, err.Error(), nil
	}
	if err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(plan.Out)
	if err != nil {
		text = nil // the program ended before it came to that
	}
	said = example.Outcomes(text)
	switch {
	case res.Ended == proc.Exited && len(said) == len(plan.Calls):
	case res.Ended != proc.Exited:
		failed = "the call did not come back within " + examplesTime.String()
	default:
		failed = fmt.Sprintf("the program ended with exit code %d before the call came back: %s", res.Exit, firstLines(strings.TrimSpace(res.Stderr.Text+"\n"+res.Stdout.Text), 3))
	}
	return said, failed, nil
}

// surroundings is the environment of a user: nothing in it says that something is checked.
func (u *user) surroundings(home string) []string {
	return slices.DeleteFunc(u.c.env(home, home, u.programs(), nil, false), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.Contains([]string{"PATH", "HOME", "USERPROFILE", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "WINDIR", "PATHEXT"}, strings.ToUpper(name))
	})
}

// prepare makes the program.
func (u *user) prepare(ctx context.Context) error {
	name := strings.ToLower(rand.Text())
	u.plan = filepath.Join(u.dir, rand.Text())
	switch u.chain.Ecosystem {
	case toolchain.Python:
		file := filepath.Join(u.dir, name+".py")
		u.program = []string{"python", file}
		return os.WriteFile(file, example.Python(u.plan), 0o600)
	case toolchain.Node:
		return u.prepareNode(name)
	case toolchain.Go:
		return u.prepareGo(ctx, name)
	}
	u.cannot = "examples of " + u.m.Place.Language + " are not run yet"
	return nil
}

func (u *user) prepareNode(name string) error {
	file, loader := filepath.Join(u.dir, name+".mjs"), ""
	if u.m.Place.Language == toolchain.LangTypeScript {
		load := filepath.Join(u.dir, name+"l.mjs")
		loader = fileURL(load)
		if err := os.WriteFile(load, example.NodeLoader(u.full(path.Join(u.chain.Root, "package.json"))), 0o600); err != nil {
			return err
		}
	}
	u.program = []string{"node", file}
	return os.WriteFile(file, example.Node(u.plan, loader), 0o600)
}

// prepareGo builds a program below the module's directory, so that it may import what is internal.
func (u *user) prepareGo(ctx context.Context, name string) error {
	importPath := path.Join(u.chain.Module, u.below(u.m.Dir))
	var funcs, types, errs []string
	for _, e := range u.m.Exports {
		sym := symbol(e)
		switch {
		case sym.Owner != "":
		case sym.Kind == "function" && !strings.HasPrefix(e.Signature, "func "+e.Name+"["):
			funcs = append(funcs, e.Name)
		case sym.Kind == "variable" && strings.HasPrefix(e.Name, "Err"):
			errs = append(errs, e.Name)
		case sym.Kind == "class" || sym.Kind == "type":
			types = append(types, e.Name)
		}
	}
	dir := path.Join(u.m.Dir, name)
	if err := u.write(path.Join(dir, "main.go"), example.Go(u.plan, importPath, funcs, types, errs)); err != nil {
		return err
	}
	file := filepath.Join(u.dir, name)
	cmd := toolchain.Command{
		Name: "examples", Argv: []string{"go", "build", "-o", file, "./" + u.below(dir)}, Dir: u.chain.Root, Report: toolchain.ReportExit, Env: u.chain.Env(),
		Needs: []toolchain.Need{u.chain.Need()},
	}
	out, err := u.exec(ctx, cmd, false)
	if err != nil {
		return err
	}
	if !out.clean() {
		u.cannot = "the package cannot be called from a program: " + firstLines(out.tail, 3)
		return nil
	}
	u.program = []string{file}
	return nil
}
