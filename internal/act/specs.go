package act

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// A change of code and the specs of the modules that it touches go together: its author is shown them, what they say is
// compared with the code before the change lands, and with it lands what the lock says of them.

// maxSpecs bounds the specs that an author is shown whole, in letters. Of the others he is told where they are.
const maxSpecs = 24_000

// specDocs are the specs of modules, as authors are shown them: those that a request speaks of first.
func (a *Actor) specDocs(v *view, request string, doc func(title, text string)) {
	if !slices.ContainsFunc(v.paths(), spec.IsName) { // then nothing has to be read
		return
	}
	var list strings.Builder
	var whole, others []string
	for _, e := range a.project(v).Scan().Entries {
		if !specified(v, e.File) {
			continue
		}
		fmt.Fprintf(&list, "%s: %s\n", e.File, e.Purpose)
		if named(request, e.Dir) {
			whole = append(whole, e.File)
		} else {
			others = append(others, e.File)
		}
	}
	doc("specs: what the code in a directory and below must do. If your change makes a spec untrue (exports, behavior), update the spec in the same change, even if your task does not name it, and leave the rest of it as it is", clip(list.String(), 20_000))
	left := maxSpecs
	for _, file := range append(whole, others...) {
		if text := v.bytes(file); len(text) <= left {
			left -= len(text)
			doc(file, string(text))
		}
	}
}

// specified reports whether a file is the spec of code.
func specified(v *view, file string) bool {
	doc, _ := spec.Parse(file, v.bytes(file))
	return doc.IsModule()
}

// spec is the path of the spec of a directory, "" where it has none.
func (v *view) spec(dir string) string {
	is := func(file string) bool { return v.ids[file] != "" && specified(v, file) }
	if file, _ := spec.Choose(path.Join(dir, spec.Name), path.Join(dir, spec.OtherName), is); is(file) {
		return file
	}
	return ""
}

// specsOf are the specs of the modules that files belong to.
func specsOf(v *view, files []string) []string {
	var out []string
	for _, f := range files {
		for dir := path.Dir(f); ; dir = path.Dir(dir) {
			if file := v.spec(dir); file != "" {
				if !slices.Contains(out, file) {
					out = append(out, file)
				}
				break
			}
			if dir == "." || dir == "/" || strings.HasPrefix(dir, "..") {
				break
			}
		}
	}
	return out
}

// drifted is where a change leaves a spec and the code apart that were not apart before.
func (a *Actor) drifted(ctx context.Context, v *view, before string, changes []git.Change) ([]step.Finding, error) {
	var files []string
	for _, ch := range changes {
		if toolchain.IsSource(ch.Path) || spec.IsName(ch.Path) {
			files = append(files, ch.Path)
		}
	}
	specs := specsOf(v, files)
	if len(specs) == 0 {
		return nil, nil
	}
	old, err := a.tree(ctx, before, nil)
	if err != nil {
		return nil, err
	}
	wanted := func(dir string) bool {
		return slices.ContainsFunc(specs, func(file string) bool { return path.Dir(file) == dir })
	}
	had := map[string]bool{}
	for _, m := range a.project(old).ValidateModules(wanted).Modules {
		for _, d := range m.Issues {
			had[driftKey(d)] = true
		}
	}
	var out []step.Finding
	for _, m := range a.project(v).ValidateModules(wanted).Modules {
		for _, d := range m.Issues {
			if !had[driftKey(d)] {
				out = append(out, step.Finding{
					Rule: "spec-differs", Severity: step.Rejects, Path: d.File, Line: d.Line,
					Message: strings.TrimSuffix(d.Message, ".") + ". Update the spec, or make the code do what the spec says.",
				})
			}
		}
	}
	return bound(out, 20), nil
}

// driftKey is a difference, wherever it stands, also where the spec has its other name now.
func driftKey(d inspect.Drift) string {
	file, _ := spec.Dir(d.File)
	return strings.Join([]string{file, d.Type, d.Section, d.Symbol, d.Message}, "\x00")
}

// recorded is a tree with the lines that its lock needs after a change: of each module that was up to date before it, what
// it is made of now. What the tests of a build have proved and the change has left alone stays proved.
func (a *Actor) recorded(ctx context.Context, before, tree string) (string, error) {
	was, err := a.tree(ctx, before, nil)
	if err != nil || was.ids[target.LockName] == "" {
		return tree, err
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return tree, err
	}
	earlier, err := a.planOf(ctx, step.CompileIn{Phase: step.Full}, was)
	if err != nil {
		return tree, nil //nolint:nilerr // a lock that cannot be read is not written
	}
	now, err := a.planOf(ctx, step.CompileIn{All: true, Phase: step.Full, Conflict: step.KeepFiles}, v)
	if err != nil {
		return tree, nil //nolint:nilerr // as above
	}
	p := a.project(v)
	lock, wrote := now.lock, false
	for _, s := range earlier.res.Skipped {
		had, ok := lock.Entry(s.Dir)
		e, is := now.res.Entry(s.Dir)
		if s.Reason != target.UpToDate || !ok || !is || e.Conventions != had.Conventions {
			continue
		}
		e.State, e.Why, e.Tool, e.PlanID = had.State, had.Why, had.Tool, v.ids[path.Join(s.Dir, "IMPLEMENTS.md")]
		e.Files, e.Tests = still(had.Files, v), still(had.Tests, v)
		for f, id := range v.ids {
			if owner, ok := p.Owner(f); !ok || owner != s.Dir || was.ids[f] != "" {
				continue
			}
			if toolchain.IsTest(f) {
				e.Tests[f] = id
			} else if toolchain.IsSource(f) {
				e.Files[f] = id
			}
		}
		e.Covers = a.stillProved(ctx, had, e)
		a.narrow(&e, v)
		old := string(lock.Bytes())
		lock.Put(e)
		wrote = wrote || string(lock.Bytes()) != old
	}
	if !wrote {
		return tree, nil
	}
	return a.withFiles(ctx, tree, map[string][]byte{target.LockName: lock.Bytes()})
}

// still are the files of a record that are there, as they are.
func still(files map[string]string, v *view) map[string]string {
	out := map[string]string{}
	for f := range files {
		if id := v.ids[f]; id != "" {
			out[f] = id
		}
	}
	return out
}
