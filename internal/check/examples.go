package check

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// enoughWrong is how many findings say enough of what tests say.
const enoughWrong = 5

// examplesTime bounds one run of a module's examples.
const examplesTime = 30 * time.Second

// Called is what calls of code gave.
type Called struct {
	Examples []step.Example // those of the spec, and held-out ones
	Findings []step.Finding
	Any      bool // the engine can call this code: at least one call, of any kind, was made, or commands can be run
}

// Examples calls the code of tree as the examples of the module's spec do, and compares what it gives. It is done by a program
// of ours in a checkout without any test: no runner is loaded, the directory and the environment are another user's, names and
// order are random. A program never learns what is expected.
//
// An example that gives something else is a finding. One that cannot be called is told with the reason, and shows nothing.
//
// What the tests say of calls with literals is called in the same way. They pass, so code that gives something else now does so only
// where it is tested. These calls are found and not told. Held-out calls are made with them.
func (c *Checker) Examples(ctx context.Context, m Module, tree string, tests []step.File) (out Called, err error) {
	defer func() {
		if err != nil {
			out, err = Called{}, fmt.Errorf("run examples: %w", err)
		}
	}()
	if out, err = c.calls(ctx, m, tree, tests); err != nil {
		return out, err
	}
	run, wrong, err := c.commands(ctx, m, tree)
	out.Examples, out.Findings, out.Any = append(out.Examples, run...), append(out.Findings, wrong...), out.Any || c.confined()
	return out, err
}

func (c *Checker) calls(ctx context.Context, m Module, tree string, tests []step.File) (out Called, err error) {
	asked, err := c.asked(ctx, m, tree, tests)
	if err != nil {
		return Called{}, err
	}
	all := slices.Concat(m.Examples, asked)
	held, unmade := m.heldOut(all)
	recorded := m.besideOf(all)
	if len(all)+len(held)+len(recorded) == 0 {
		return Called{Examples: unmade}, nil
	}
	u, err := c.userOf(ctx, m, tree)
	if err != nil {
		return Called{}, err
	}
	defer func() { err = joinClose(err, u.place) }()
	calls := append(slices.Clone(all), each(held, func(h heldOut) example.Example { return h.Example })...)
	given, err := u.try(ctx, calls, true)
	if err != nil {
		return Called{}, err
	}
	if out.Examples, out.Findings, err = u.judgeHeldOut(ctx, held, given[len(all):]); err != nil {
		return Called{}, err
	}
	out.Examples = append(out.Examples, unmade...)
	out.Any = slices.ContainsFunc(given, func(o example.Outcome) bool { return o.Cannot == "" })
	asserted := "" // what fails by an assertion of Python alone
	for i, e := range all {
		o := given[i]
		if e.Test != "" && len(out.Findings) >= enoughWrong {
			break // the rest is from tests, too
		}
		if o.Cannot == "" && !e.Want.Holds(o) { // it counts only if it fails alone, too: a call may change what the next one gives
			u.plain = e.Want.Error // of an assertion
			again, err := u.try(ctx, all[i:i+1], true)
			if err != nil {
				return Called{}, err
			}
			if o, u.plain = again[0], false; e.Want.Error && given[i].Error == nil && o.Error != nil && slices.Contains(o.Error.Names, "AssertionError") {
				asserted = cmp.Or(asserted, e.Calls())
			}
		}
		if e.Test != "" {
			f, err := u.onlyTested(ctx, asked, e, o)
			if err != nil {
				return Called{}, err
			}
			out.Findings = append(out.Findings, f...)
			continue
		}
		r := step.Example{Item: e.Item, Text: e.Text, State: step.ExampleHolds}
		switch {
		case o.Cannot != "":
			r.State, r.Why = step.ExampleNotRun, o.Cannot
		case !e.Want.Holds(o):
			r.State, r.Why = step.ExampleFails, o.Given()
			out.Findings = append(out.Findings, reject("example-failed", m.Spec, e.Line, fmt.Sprintf(
				"The spec says: %s. Called outside the tests, it gives: %s.", strings.TrimSuffix(e.Text, "."), o.Given())))
		}
		out.Examples = append(out.Examples, r)
	}
	if asserted != "" {
		out.Findings = append(out.Findings, fix("error-unraised", m.Dir, 0, asserted+" fails by an assert alone, which python -O leaves out. Raise an error."))
	}
	found, err := u.besides(ctx, asked, all, calls, given)
	if err != nil {
		return Called{}, err
	}
	if out.Findings = append(out.Findings, found...); Rejected(out.Findings) {
		return out, nil
	}
	ambient, err := u.ambient(ctx, all, recorded, tests)
	if err == nil && len(ambient) == 0 {
		ambient, err = u.late(ctx, calls, given)
	}
	out.Findings = append(out.Findings, ambient...)
	return out, err
}

// ambient finds results that depend on more than the arguments of calls. Of those that are recorded nobody knows what they give.
func (u *user) ambient(ctx context.Context, all, recorded []example.Example, tests []step.File) ([]step.Finding, error) {
	given, err := u.try(ctx, recorded, true)
	if err != nil {
		return nil, err
	}
	if found := u.changes(recorded, given); len(found) > 0 {
		return found, nil
	}
	kept, err := u.again(ctx, slices.Concat(all, recorded))
	if err != nil {
		return nil, err
	}
	if len(kept) > 0 || u.remembers() { // the other tests have called it before
		recorded = nil
	}
	found, err := u.differs(ctx, slices.Concat(all, recorded), tests) // under tests, or later
	if len(found) == 0 {
		found = kept
	}
	for _, look := range []func(context.Context, []example.Example) ([]step.Finding, error){u.surrounded, u.long} {
		if err == nil && len(found) == 0 {
			found, err = look(ctx, all)
		}
	}
	return found, err
}

// besideOf are the recorded calls of a module that none of some examples makes.
func (m Module) besideOf(all []example.Example) []example.Example {
	made := setOf(each(all, example.Example.Calls))
	return those(m.Recorded, func(e example.Example) bool { return m.exports(e.Symbol()) && !made[e.Calls()] })
}

// besides finds what is wrong with code whatever its results are: calls are all that were made, with what they gave.
func (u *user) besides(ctx context.Context, asked, all, calls []example.Example, given []example.Outcome) ([]step.Finding, error) {
	copied, err := u.copies(ctx, asked, all, given)
	if err != nil {
		return nil, err
	}
	kept, err := u.keeps(ctx, calls)
	return slices.Concat(u.changes(calls, given), kept, copied, u.shares(asked)), err
}

// copies finds code that knows the answers of the spec and the tests instead of computing them.
func (u *user) copies(ctx context.Context, asked, all []example.Example, given []example.Outcome) ([]step.Finding, error) {
	if found := u.recites(asked); len(found) > 0 {
		return found, nil
	}
	for _, copies := range []func(context.Context, []example.Example, []example.Outcome) ([]step.Finding, error){u.answersOnly, u.staircase} {
		if found, err := copies(ctx, all, given); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return u.constant(ctx, all, given)
}

// userOf is a user of a module on a tree without tests.
func (c *Checker) userOf(ctx context.Context, m Module, tree string) (u *user, err error) {
	u = &user{m: m, parsed: map[string]sourceFile{}, others: map[string][]sourceFile{}, functions: map[string]string{}}
	u.place, u.without, err = c.untested(ctx, tree, cmp.Or(m.Base, tree), m.Chain)
	return u, err
}

// untested is a place for a tree without its tests, which it names.
func (c *Checker) untested(ctx context.Context, tree, base string, chain toolchain.Found, more ...toolchain.Found) (*place, []step.File, error) {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return nil, nil, err
	}
	var edits []git.Edit
	var tests []step.File
	for _, e := range entries {
		if toolchain.IsTest(e.Path) && !strings.HasPrefix(e.Path, "../") && !strings.HasSuffix(e.Path, ".rs") {
			if edits = append(edits, git.Edit{Path: e.Path}); e.Mode != linkMode {
				tests = append(tests, step.File{Path: e.Path, ID: e.ID})
			}
		}
	}
	pl, err := c.openEdited(ctx, step.OnExamples, tree, edits, base, chain, more...)
	return pl, tests, err
}

// user runs code as a user of it would.
type user struct {
	*place

	m       Module
	program []string                // runs the program that was made last
	plan    string                  // the file that it reads; "" where the calls are in the program
	cannot  string                  // why there is no program
	plain   bool                    // assertions of Python stay
	more    string                  // a variable of the environment
	without []step.File             // the tests that are not there
	own     []sourceFile            // those of the module, see sources
	parsed  map[string]sourceFile   // by path
	others  map[string][]sourceFile // what exports a name, see exporting
	narrow  bool                    // a program of Go uses the module alone
	// signatures are those of a crate of Rust.
	signatures map[string]string
	// packages are those that a program of Go imports, functions those of Go that are arguments, by what was written;
	// they have no text where they do not compile.
	packages  []example.Package
	functions map[string]string
}

// parse is a source of the project, parsed once.
func (u *user) parse(file string) sourceFile {
	f, ok := u.parsed[file]
	if !ok {
		f = sourceFile{source.Parse(file, u.read(file)), file}
		u.parsed[file] = f
	}
	return f
}

// sources are those of the module, by path.
func (u *user) sources() []sourceFile {
	if u.own == nil {
		u.own = each(those(slices.Sorted(maps.Keys(u.entries)), u.m.Place.AllowsSource), u.parse)
	}
	return u.own
}

// try makes the calls of some examples in one process, in their order or in any.
func (u *user) try(ctx context.Context, list []example.Example, anyOrder bool) ([]example.Outcome, error) {
	out := make([]example.Outcome, len(list))
	plan, ids := u.planOf(list, out)
	if len(ids) == 0 {
		return out, nil
	}
	if anyOrder {
		mrand.Shuffle(len(plan.Calls), func(i, j int) { plan.Calls[i], plan.Calls[j] = plan.Calls[j], plan.Calls[i] })
	}
	said, failed, err := u.run(ctx, plan)
	if err != nil {
		return nil, err
	}
	for id, i := range ids {
		o, ok := said[id]
		switch want := list[i].Want; {
		case !ok:
			o.Cannot = failed
		case u.m.requested() && o.Error != nil && !want.Holds(o): // an error that the program does not know has no name there
			o.Cannot = u.goError(cmp.Or(want.Type, want.Value.Text))
		}
		out[i] = o
	}
	return out, nil
}

// planOf is a plan of the calls of some examples, in their order, with where each is. Those that cannot be called say so.
func (u *user) planOf(list []example.Example, out []example.Outcome) (plan example.Plan, ids map[string]int) {
	plan, ids = example.Plan{Path: u.importPaths()}, map[string]int{}
	for i, e := range list {
		call, why := u.placed(e)
		if file := u.namesFile(e); file != "" {
			why = "it uses the project file " + file + ", which is found only from the project's directory"
		}
		if why != "" {
			out[i].Cannot = why
			continue
		}
		call.ID = rand.Text()
		ids[call.ID] = i
		plan.Calls = append(plan.Calls, call)
	}
	return plan, ids
}

// source is the first source of the module that declares an export, "" without.
func (u *user) source(name string) string {
	for _, f := range u.sources() {
		if slices.ContainsFunc(f.Exports, func(x source.Export) bool { return x.Called() == name }) && !onlyTypes(f.path) {
			return f.path
		}
	}
	return ""
}

// namesFile is an argument that is the path of a file of the project, "" where there is none.
func (u *user) namesFile(e example.Example) string {
	for _, text := range e.Inputs() {
		if !filepath.IsLocal(text) || text == "." {
			continue
		}
		for _, dir := range []string{u.m.Dir, u.chain.Root, "."} {
			if _, err := os.Stat(u.full(path.Join(dir, text))); err == nil {
				return text
			}
		}
	}
	return ""
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

// run makes the program, if there is none yet, and runs it. What it did not say anything of has failed for the reason that is
// given.
func (u *user) run(ctx context.Context, plan example.Plan) (said map[string]example.Outcome, failed string, err error) {
	plan.Out = filepath.Join(u.dir, rand.Text())
	var unwritten map[string]string
	switch {
	case u.chain.Ecosystem == toolchain.Rust:
		if plan, unwritten, err = u.prepareRust(ctx, plan); err != nil {
			return nil, "", err
		}
	case u.program == nil && u.cannot == "":
		if err := u.prepare(ctx); err != nil {
			return nil, "", err
		}
	}
	if u.cannot != "" {
		return nil, u.cannot, nil
	}
	if u.plan != "" {
		if err := writePlan(u.plan, plan); err != nil {
			return nil, "", err
		}
	}
	at := filepath.Join(u.dir, rand.Text())
	home := filepath.Join(u.dir, rand.Text())
	if err := errors.Join(os.Mkdir(at, 0o755), os.Mkdir(home, 0o755)); err != nil {
		return nil, "", err
	}
	argv := u.program
	if u.chain.Ecosystem == toolchain.Python && !u.plain { // as it is released
		argv = slices.Insert(slices.Clone(argv), 1, "-O")
	}
	env := u.surroundings(home)
	res, cannot, err := u.start(ctx, proc.Command{Argv: argv, Dir: at, Env: env, Total: examplesTime})
	if err != nil || cannot != "" {
		return nil, cannot, err
	}
	text, err := os.ReadFile(plan.Out)
	if err != nil {
		text = nil // the program ended before it came to that
	}
	said = example.Outcomes(text)
	defer func() {
		for id, why := range unwritten {
			said[id] = example.Outcome{ID: id, Cannot: why}
		}
	}()
	switch {
	case res.Ended == proc.Exited && len(said) == len(plan.Calls):
	case res.Ended != proc.Exited:
		failed = notReturned + examplesTime.String()
	default:
		failed = fmt.Sprintf("the program exited with %d before the call returned: %s", res.Exit, firstLines(strings.TrimSpace(res.Stderr.Text+"\n"+res.Stdout.Text), 3))
	}
	return said, failed, nil
}

// start runs a program in the place's sandbox. What it prints is no record of a check; cannot is why it did not begin.
func (p *place) start(ctx context.Context, cmd proc.Command) (res proc.Result, cannot string, err error) {
	if cmd.Confine, err = p.policy(slices.Concat(p.c.o.Env, cmd.Env), false); err != nil {
		return res, "", err
	}
	res, err = proc.Run(ctx, cmd)
	if cause := context.Cause(ctx); cause != nil {
		return res, "", cause
	}
	if errors.Is(err, proc.ErrNotFound) || errors.Is(err, proc.ErrPermission) {
		return res, err.Error(), nil
	}
	return res, "", err
}

// notReturned begins the reason of calls that there was no time for.
const notReturned = "the call did not return within "

func writePlan(file string, plan example.Plan) error {
	raw, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

// surroundings is the environment of a user of what is released: nothing in it says that something is checked.
func (u *user) surroundings(home string) []string {
	out := append(those(u.c.env(home, home, u.programs(), nil, false), func(kv string) bool {
		return slices.Contains([]string{"PATH", "HOME", "USERPROFILE", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "WINDIR", "PATHEXT"}, strings.ToUpper(nameOf(kv)))
	}), "NODE_ENV=production")
	if u.more != "" {
		out = append(out, u.more)
	}
	return out
}
