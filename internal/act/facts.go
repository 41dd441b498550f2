package act

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// private is what only the carrying out of a module's steps needs.
type private struct {
	Module    check.Module           `json:"module"`
	Entry     target.Entry           `json:"entry"`
	Old       target.Entry           `json:"old"`
	Constants []spec.Constant        `json:"constants,omitempty"`
	Users     []user                 `json:"users,omitempty"`     // modules that use this one and are up to date
	Unchanged []string               `json:"unchanged,omitempty"` // items that frozen tests cover
	Packages  []toolchain.Dependency `json:"packages,omitempty"`  // that the spec names
	Chains    []toolchain.Found      `json:"chains,omitempty"`    // of a project, where the work is on all of it
}

// user is a module that uses another one, with its frozen tests.
type user struct {
	Module check.Module `json:"module"`
	Frozen []step.File  `json:"frozen"`
}

// builder makes the facts of modules; what all share is made once.
type builder struct {
	blob    func(id string) ([]byte, error) // of an earlier version of a file
	a       *Actor
	p       *CompilePlan
	tree    string
	paths   []string
	project *toolchain.Project
	modules []string         // sorted
	root    []*spec.Document // CLAUDE.md, and SPEC.md where that is the spec of the root
	conv    *spec.ConventionFile
	owned   map[string][]string // files by the module nearest above them; "" has the tests of no module
	ready   bool
}

func (a *Actor) builder(ctx context.Context, p *CompilePlan, tree string) *builder {
	return &builder{a: a, p: p, tree: tree, blob: func(id string) ([]byte, error) { return a.o.Repo.ReadBlob(ctx, id) }}
}

func (b *builder) prepare() {
	if b.ready {
		return
	}
	b.ready = true
	b.paths = b.p.view.paths()
	b.project = b.a.commanded(b.p.view)
	b.modules = slices.Sorted(slices.Values(b.p.res.Index.Dirs()))
	b.own()
	for _, f := range []string{spec.Name, spec.OtherName} {
		if raw := b.p.view.bytes(f); raw != nil {
			if doc, _ := spec.Parse(f, raw); f == spec.Name || doc.IsModule() {
				b.root = append(b.root, doc)
			}
		}
	}
	if raw := b.p.view.bytes("code-convention.md"); raw != nil {
		b.conv, _ = spec.ParseConvention("code-convention.md", raw)
	}
}

// own gives each file to the module nearest above it, in one pass. Tests may
// also lie in a tree of their own, so those outside of all modules and those
// of the root are candidates for every module.
func (b *builder) own() {
	b.owned = map[string][]string{}
	isModule := map[string]bool{}
	for _, d := range b.p.res.Index.Dirs() {
		isModule[d] = true
	}
	nearest := map[string]string{}
	var find func(dir string) string
	find = func(dir string) string {
		if d, ok := nearest[dir]; ok {
			return d
		}
		d := ""
		switch {
		case isModule[dir]:
			d = dir
		case dir != "." && dir != "/":
			d = find(path.Dir(dir))
		}
		nearest[dir] = d
		return d
	}
	for _, p := range b.paths {
		d := find(path.Dir(p))
		b.owned[d] = append(b.owned[d], p)
		if d == "." && toolchain.IsTest(p) {
			b.owned[""] = append(b.owned[""], p)
		}
	}
}

// candidates are the files that may belong to a module.
func (b *builder) candidates(dir string) []string {
	out := slices.Clone(b.owned[dir])
	for _, p := range b.owned[""] {
		if c := toolchain.Classify(p); dir != "." && (c == toolchain.Test || c == toolchain.TestData) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// testable are the kinds of items that tests have to cover; the others are
// looked for in sources by code.
func testable(k spec.ItemKind) bool {
	switch k {
	case spec.ItemExport, spec.ItemBehavior, spec.ItemContract, spec.ItemState, spec.ItemTransition:
		return true
	case spec.ItemLifecycle, spec.ItemConstant, spec.ItemRationale, spec.ItemConstraint, spec.ItemCompatibility:
	}
	return false
}

func (b *builder) facts(t target.Target) (step.Facts, error) {
	b.prepare()
	doc := b.p.res.Docs[t.Dir]
	if doc == nil {
		return step.Facts{}, fmt.Errorf("plan %s: its spec was not read", t.Dir)
	}
	found, known := b.detect(t.Dir)
	f := step.Facts{
		Dir: t.Dir, Name: doc.Name, Spec: t.ClaudeMdPath, Implements: path.Join(t.Dir, "IMPLEMENTS.md"),
		Language: found.Language, Toolchain: "packages by " + found.Manager + ", tests by " + found.Runner, Commands: b.a.offered(found), Finish: finishOf(found, t.Dir),
	}
	if !known {
		// Nothing else can be told before somebody has said the language.
		if f.Choices = found.Choices; len(f.Choices) == 0 {
			f.Choices = toolchain.Languages()
		}
		f.Language, f.Docs = "", []step.Doc{}
		return f, nil
	}
	old, _ := b.p.lock.Entry(t.Dir)
	old = renamed(old, doc)
	entry, ok := b.p.res.Entry(t.Dir)
	if !ok {
		return step.Facts{}, fmt.Errorf("plan %s: it has no record to be", t.Dir)
	}
	pv := private{Entry: entry, Old: old, Constants: spec.Constants(doc)}
	pv.Unchanged = b.items(&f, doc, old)
	sortTests(&f, old, pv.Unchanged)
	b.exports(&f, doc, found)
	place := found.Place(b.project, toolchain.Layout{Dir: t.Dir, Structure: b.structure(), Modules: b.modules})
	b.files(&f, place, old)
	said := doc.Text("Purpose") + "\n" + doc.Text("Exports") + "\n" + doc.Text("Behavior") + "\n" + doc.Text("Contract") + "\n" + doc.Text("Protocol") + "\n" + doc.Text("Domain Context")
	pv.Module = check.Module{
		Said: said,
		Dir:  t.Dir, Spec: t.ClaudeMdPath, Chain: found, Place: place, Exports: f.Exports, Tests: f.Tests, Kept: f.Kept,
		Packages: f.Packages, SpecText: doc.Text("Exports") + "\n" + doc.Text("Protocol") + "\n" + doc.Text("Domain Context"), Base: b.tree,
		Names: spec.Names(doc), RaisedBy: spec.Raises(doc), Items: step.Each(spec.Items(doc), func(it spec.Item) string { return it.ID }), Examples: examples(doc), Guarded: f.Guarded, Moved: moved(f), Changed: changed(f), Gone: gone(f),
	}
	pv.Users = b.users(t.Dir, old)
	f.RedDone = old.State == target.Red && old.Content == entry.Content && len(f.Frozen) > 0
	for _, e := range doc.Dependencies.External {
		pv.Packages = append(pv.Packages, toolchain.Dependency{Name: e.Name, Version: e.Version})
	}
	if err := b.docs(&f, t, doc); err != nil {
		return step.Facts{}, err
	}
	var err error
	f.Private, err = put(b.a.o.Blobs, pv)
	return f, err
}

// examples are the behaviors of a spec that can be called. Of calls that are to give different things at different times none is.
func examples(doc *spec.Document) []example.Example {
	var out []example.Example
	wants := map[string]map[string]bool{}
	for _, it := range spec.Items(doc) {
		if it.Kind != spec.ItemBehavior {
			continue
		}
		e, why := example.Read(it.Input, it.Output)
		if why != "" {
			continue
		}
		e.Item, e.Line, e.Text = it.ID, it.Line, it.Text
		key := e.Calls()
		if wants[key] == nil {
			wants[key] = map[string]bool{}
		}
		wants[key][e.Want.Raw] = true
		out = append(out, e)
	}
	return slices.DeleteFunc(out, func(e example.Example) bool { return len(wants[e.Calls()]) > 1 })
}

// users are the dependents of a module that was built before, as far as this
// run does not build them: their tests must not fail because of it.
func (b *builder) users(dir string, old target.Entry) []user {
	if old.State != target.Built {
		return nil
	}
	var out []user
	for _, d := range b.p.res.Index.Dependents(dir) {
		e, ok := b.p.lock.Entry(d)
		inRun := slices.ContainsFunc(b.p.targets, func(t target.Target) bool { return t.Dir == d })
		if !ok || inRun || e.State != target.Built || len(e.Tests) == 0 {
			continue
		}
		found, known := b.detect(d)
		if !known {
			continue
		}
		place := found.Place(b.project, toolchain.Layout{Dir: d, Structure: b.structure(), Modules: b.modules})
		u := user{Module: check.Module{Dir: d, Chain: found, Place: place}}
		for p := range e.Tests {
			if id := b.p.view.ids[p]; id != "" {
				u.Frozen = append(u.Frozen, step.File{Path: p, ID: id})
			}
		}
		slices.SortFunc(u.Frozen, func(a, b step.File) int { return strings.Compare(a.Path, b.Path) })
		out = append(out, u)
	}
	return out
}

// AsksLanguage are the modules of a plan of which a person is asked in which language they are to be written.
func (a *Actor) AsksLanguage(ctx context.Context, p *CompilePlan) (dirs []string) {
	b := a.builder(ctx, p, "")
	b.prepare()
	for _, t := range p.res.Targets {
		if _, known := b.detect(t.Dir); !known && t.Refused == "" {
			dirs = append(dirs, t.Dir)
		}
	}
	return dirs
}

func (b *builder) detect(dir string) (toolchain.Found, bool) {
	return b.project.DetectAs(dir, b.language(dir))
}

// language is what a person said about a directory or one above it.
func (b *builder) language(dir string) string {
	for d := dir; ; d = path.Dir(d) {
		if l := b.p.in.Languages[d]; l != "" {
			return l
		}
		if d == "." || d == "/" {
			return ""
		}
	}
}

func (b *builder) exports(f *step.Facts, doc *spec.Document, found toolchain.Found) {
	for _, e := range doc.Exports {
		f.Exports = append(f.Exports, step.Export{Kind: string(e.Kind), Name: e.Name, Signature: e.Signature})
	}
	for _, k := range spec.Constants(doc) {
		f.Constants = append(f.Constants, step.Const{Name: cmp.Or(k.Name, k.Text), Value: strings.TrimSpace(k.Value + " " + k.Unit), Line: k.Line})
	}
	for _, e := range doc.Dependencies.External {
		f.Packages = append(f.Packages, e.Name)
		if !found.Has(e.Name) {
			f.Missing = append(f.Missing, e.Name)
		}
	}
}

func (b *builder) structure() string {
	var parts []string
	for _, root := range b.root {
		parts = append(parts, root.Text("Structure"), root.Text("Project Structure"))
	}
	return strings.Join(parts, "\n")
}

// files sorts the module's existing files: what an earlier build made is ours,
// anything else is kept unless the user says otherwise.
func (b *builder) files(f *step.Facts, place toolchain.Placement, old target.Entry) {
	f.TestPaths, f.SrcPaths = append(slices.Clone(place.Tests), place.Data...), place.Sources
	f.Example, f.Import = []string{place.NewFile, place.NewTest}, place.Import
	for _, l := range place.Links {
		f.Links = append(f.Links, l.Line+" (in "+l.File+")")
	}
	given := map[string]bool{}
	for _, t := range b.p.in.TestFiles {
		given[t] = true
	}
	for _, p := range b.candidates(place.Dir) {
		isTest, isSrc := place.AllowsTest(p), place.AllowsSource(p)
		switch {
		case isTest && toolchain.IsTest(p):
			f.Tests = append(f.Tests, p)
		case isSrc:
			f.Sources = append(f.Sources, p)
		case !isTest:
			continue
		}
		id := b.p.view.ids[p]
		ours := old.Files[p] == id || old.Tests[p] == id
		if _, frozen := old.Tests[p]; isTest && (frozen || given[p]) {
			f.Frozen = append(f.Frozen, step.File{Path: p, ID: id})
		}
		if !ours && b.p.in.Conflict == step.KeepFiles && !toolchain.OnlyLinks(p, b.p.view.bytes(p)) {
			f.Kept = append(f.Kept, p)
		}
	}
}

// docs puts together what an agent is shown, the most stable first:
// conventions, interfaces of dependencies, the plan, the spec.
func (b *builder) docs(f *step.Facts, t target.Target, doc *spec.Document) error {
	var err error // the first one
	add := func(title, text string) {
		if err != nil || strings.TrimSpace(text) == "" {
			return
		}
		var ref flow.Blob
		ref, err = b.a.o.Blobs.Put([]byte(text), "text/markdown")
		f.Docs = append(f.Docs, step.Doc{Title: title, Blob: ref})
	}
	conv := spec.Conventions(doc, b.conv, b.root...)
	f.Convention = len(conv) > 0
	var text strings.Builder
	for _, c := range conv {
		fmt.Fprintf(&text, "## %s\n\n%s\n\n", strings.TrimSpace(c.Section+" "+c.Name), c.Text)
	}
	add("conventions", text.String())
	for _, root := range b.root {
		if root.Path != t.ClaudeMdPath { // all of that is shown as the spec
			add(root.Path+": project-wide rules", rules(root.Rules()))
		}
	}
	for _, n := range b.p.res.Index.Needs(t.Dir) {
		if !n.Soft {
			add("interface of "+n.Dir+b.codeOf(n.Dir), b.interfaceOf(n.Dir))
		}
	}
	add("symbols the spec refers to", b.crossRefs(doc))
	if raw := b.p.view.bytes(f.Implements); raw != nil {
		im, _ := spec.ParseImplements(f.Implements, raw)
		var plan strings.Builder
		for _, part := range im.Planning {
			fmt.Fprintf(&plan, "## %s\n\n%s\n\n", part.Title, part.Text)
		}
		if err := b.notes(f, im); err != nil {
			return err
		}
		if spec.PlanningHash(raw) == spec.PlanningHash(spec.DefaultImplements(doc)) {
			plan.Reset() // nobody has written it
		}
		add(f.Implements+" (planning)", plan.String())
	}
	add(f.Spec, string(bytes.ToValidUTF8(b.p.view.bytes(t.ClaudeMdPath), []byte("\uFFFD"))))
	return machinery(err)
}

// notes shows what IMPLEMENTS.md says about the code as it is, to those who change it.
func (b *builder) notes(f *step.Facts, im *spec.Implements) error {
	var text strings.Builder
	for _, part := range im.Implementation {
		if body := strings.TrimSpace(part.Text); body != "" && !strings.Contains(body, "To be filled by") {
			fmt.Fprintf(&text, "## %s\n\n%s\n\n", part.Title, body)
		}
	}
	if text.Len() == 0 {
		return nil
	}
	ref, err := b.a.o.Blobs.Put([]byte(text.String()), "text/markdown")
	f.Notes = &step.Doc{Title: f.Implements + " (notes on the current code)", Blob: ref}
	return machinery(err)
}

// codeOf names the files in which the code of a module is, where there is any.
func (b *builder) codeOf(dir string) string {
	var files []string
	for _, p := range b.owned[dir] {
		if path.Dir(p) == dir && toolchain.IsSource(p) {
			files = append(files, p)
		}
	}
	if len(files) == 0 || len(files) > 4 {
		return ""
	}
	return " (code: " + strings.Join(files, ", ") + ")"
}

// interfaceOf is what a module may know of another one: its exports first,
// and how they behave.
func (b *builder) interfaceOf(dir string) string {
	m, _ := b.p.res.Index.Module(dir)
	raw := b.p.view.bytes(m.Path)
	if raw == nil {
		return ""
	}
	doc, _ := spec.Parse(m.Path, raw)
	out := "# " + doc.Name + "\n\n" + doc.Purpose + "\n\n## Exports\n\n" + doc.Text("Exports")
	for _, section := range []string{"Behavior", "Contract", "Protocol", "Constraints"} {
		if t := strings.TrimSpace(doc.Text(section)); t != "" && t != "None" {
			out += "\n\n## " + section + "\n\n" + t
		}
	}
	return out
}

// crossRefs resolves the references to symbols of a v2 spec through the index.
func (b *builder) crossRefs(doc *spec.Document) string {
	var s strings.Builder
	for _, r := range doc.CrossRefs {
		sym, ok := b.p.res.Index.Resolve(r)
		if !ok {
			continue
		}
		m, _ := b.p.res.Index.Module(sym.Dir)
		fmt.Fprintf(&s, "- %s#%s: `%s`\n", m.Path, sym.Name, cmp.Or(sym.Signature, sym.Name))
	}
	return s.String()
}

// finishOf are the commands that the proof of GREEN runs beside the tests, as an agent
// can run them.
func finishOf(f toolchain.Found, dir string) []string {
	switch {
	case f.Ecosystem == toolchain.Go:
		return []string{"go build ./" + path.Join(dir, "...")}
	case f.Ecosystem == toolchain.Node && f.Uses("typescript"):
		return []string{"npx tsc --noEmit"}
	case f.Ecosystem == toolchain.Rust:
		return []string{"cargo build"}
	}
	return nil
}
