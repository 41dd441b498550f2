package act

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// A change of code and the specs of the modules that it touches go together: its author is shown them, what they say is
// compared with the code before the change lands, and with it lands what the lock says of them.

// What authors are shown of specs, in letters: whole are those of the modules that a request is about, of the others what they are for, and
// where. Where nothing is known of what it is about, as long as there is no code, short ones are shown all.
const (
	maxSpecs   = 12_000
	maxPurpose = 3_000
	shortSpecs = 3_000
)

// specDocs are the specs of modules, as authors are shown them. about are the directories of the sources that a request is likely about.
func (a *Actor) specDocs(v *view, request string, about []string, doc func(title, text string)) {
	if !slices.ContainsFunc(v.paths(), spec.IsName) { // then nothing has to be read
		return
	}
	var whole, others []inspect.ScanEntry
	letters := 0
	for _, e := range a.project(v).Scan().Entries {
		if !specified(v, e.File) {
			continue
		}
		letters += len(v.bytes(e.File))
		if named(request, e.Dir) || slices.ContainsFunc(about, func(dir string) bool { return dir == e.Dir || strings.HasPrefix(dir, e.Dir+"/") }) {
			whole = append(whole, e)
		} else {
			others = append(others, e)
		}
	}
	if letters <= shortSpecs && len(about) == 0 {
		whole, others = append(whole, others...), nil
	}
	var list strings.Builder
	for i, e := range append(slices.Clone(whole), others...) {
		line := e.File + ": " + e.Purpose + "\n"
		if list.Len()+len(line) > maxPurpose {
			fmt.Fprintf(&list, "… and %d more\n", len(whole)+len(others)-i)
			break
		}
		list.WriteString(line)
	}
	doc("specs: what the code in a directory and below must do. If your change makes a spec untrue (exports, behavior), update the spec in the same change, even if your task does not name it, and leave the rest of it as it is", list.String())
	left := maxSpecs
	for _, e := range whole {
		if text := v.bytes(e.File); len(text) <= left {
			left -= len(text)
			doc(e.File, string(text))
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

// stillProved is what a build has proved tests for, as far as neither they nor the items have changed since: in a file that has
// changed, tests that are the same count.
func (a *Actor) stillProved(ctx context.Context, old, now target.Entry) map[string][]string {
	out := map[string][]string{}
	if old.State != target.Built {
		return out
	}
	same := map[string]func(string) bool{}
	for file, id := range old.Tests {
		same[file] = func(string) bool { return now.Tests[file] == id }
		if is := now.Tests[file]; is != "" && is != id {
			if texts, err := a.o.Repo.ReadBlobs(ctx, []string{id, is}); err == nil { // else it was never committed
				same[file] = check.Unchanged(file, texts[id], texts[is])
			}
		}
	}
	for test, items := range old.Covers {
		file, _ := toolchain.SplitID(test)
		for _, it := range items {
			if same[file] != nil && same[file](test) && now.Items[it] == old.Items[it] {
				out[test] = append(out[test], it)
			}
		}
	}
	return out
}

// named reports whether a request speaks of a module, by its path or the last part of it.
func named(request, dir string) bool {
	low := strings.ToLower(request)
	return strings.Contains(low, strings.ToLower(dir)) || len(path.Base(dir)) > 3 && strings.Contains(low, strings.ToLower(path.Base(dir)))
}

// project is a view as the spec tools take it.
func (a *Actor) project(v *view) *inspect.Project {
	return inspect.New(a.o.Repo.Root(), v.paths(), v.bytes).Library(GoLibrary(a.o.Env))
}

// specJSON is what a spec says, in the shape that the parser of earlier tools gave it.
func specJSON(path string, src []byte) []byte {
	doc, _ := spec.Parse(path, src)
	return doc.JSON()
}

// narrow limits what the module is recorded to use of others to what its code really uses, where its spec does not say.
func (a *Actor) narrow(e *target.Entry, v *view) {
	deps := map[string]bool{}
	for _, u := range e.Uses {
		if len(u.Symbols) == 0 && !u.Soft {
			deps[u.Dir()] = true
		}
	}
	if len(deps) == 0 || e.State != target.Built {
		return
	}
	var keep []string
	for _, f := range v.paths() {
		_, ours := e.Files[f]
		for d := path.Dir(f); !ours && d != "."; d = path.Dir(d) {
			ours = deps[d]
		}
		if ours || toolchain.ConfigKindOf(f) == toolchain.ManifestConfig || toolchain.ConfigKindOf(f) == toolchain.TypeConfig {
			keep = append(keep, f)
		}
	}
	p := inspect.New(a.o.Repo.Root(), keep, v.bytes)
	files := slices.Sorted(maps.Keys(e.Files))
	for dep := range deps {
		file := v.spec(dep)
		doc, _ := spec.Parse(file, v.bytes(file))
		e.Narrow(dep, p.Used(files, dep), spec.SymbolHashes(doc))
	}
}

// withFiles is a tree with files of ours in it.
func (a *Actor) withFiles(ctx context.Context, tree string, files map[string][]byte) (string, error) {
	var edits []git.Edit
	for p, data := range files {
		id, err := a.o.Repo.WriteBlob(ctx, data)
		if err != nil {
			return "", machinery(err)
		}
		edits = append(edits, git.Edit{Path: p, Mode: "100644", ID: id})
	}
	out, err := a.o.Repo.EditTree(ctx, tree, edits)
	return out, machinery(err)
}

// GoLibrary is the packages of the Go that is found with an environment; nil when there is none.
func GoLibrary(env []string) fs.FS {
	tool, err := lookPath(env, "go")
	if err != nil {
		return nil
	}
	if tool, err = filepath.EvalSymlinks(tool); err != nil {
		return nil
	}
	library := os.DirFS(filepath.Join(filepath.Dir(filepath.Dir(tool)), "src"))
	if _, err := fs.Stat(library, "errors"); err != nil {
		return nil
	}
	return library
}
