package act

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
)

// shownSources bounds how much code an agent is shown of one module, in bytes; the largest files are cut first.
const shownSources = 120_000

// survey is the step decompile.survey: what code tells by itself.
func (a *Actor) survey(ctx context.Context, j flow.Job, in step.DecompileIn) (step.SurveyOut, error) {
	commit, tree, err := a.snapshot(ctx, j.Run)
	if err != nil {
		return step.SurveyOut{}, err
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return step.SurveyOut{}, err
	}
	drafts, whole, err := a.Drafts(a.project(v), v.ids, cmp.Or(in.Path, "."))
	if err != nil {
		return step.SurveyOut{}, err
	}
	out := step.SurveyOut{Commit: commit, Tree: tree, Count: len(drafts), Whole: whole}
	out.Modules, err = put(a.o.Blobs, drafts)
	return out, err
}

// Drafts are the specs that decompile would write below a directory, and how many lack nothing. ids are of files that
// are there.
func (a *Actor) Drafts(p *inspect.Project, ids map[string]string, dir string) ([]step.Draft, int, error) {
	var out []step.Draft
	whole := 0
	for _, d := range p.Decompile(dir) {
		if !d.Writes() {
			whole++
			continue
		}
		x := step.Draft{Dir: d.Dir, Spec: d.Spec, Exports: d.Exports}
		for _, f := range []struct {
			path string
			text []byte
		}{{d.Spec, d.Text}, {d.Implements, d.ImplementsText}} {
			if f.text == nil {
				continue
			}
			ref, err := a.o.Blobs.Put(f.text, "text/markdown")
			if err != nil {
				return nil, 0, machinery(err)
			}
			x.Files = append(x.Files, step.NewFile{Path: f.path, Old: ids[f.path], Text: ref})
		}
		if x.Ask = d.Created; x.Ask {
			if err := a.exhibit(&x, p, d); err != nil {
				return nil, 0, err
			}
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b step.Draft) int {
		return cmp.Or(cmp.Compare(strings.Count(b.Dir, "/"), strings.Count(a.Dir, "/")), strings.Compare(a.Dir, b.Dir))
	})
	return out, whole, nil
}

// exhibit chooses what an agent is shown of a module: its draft and its sources, the smaller ones whole.
func (a *Actor) exhibit(x *step.Draft, p *inspect.Project, d inspect.Decompiled) error {
	doc := func(title, text string) error {
		ref, err := a.o.Blobs.Put([]byte(text), "text/plain")
		x.Docs = append(x.Docs, step.Doc{Title: title, Blob: ref})
		return machinery(err)
	}
	if err := doc(d.Spec+" (draft)", string(d.Text)); err != nil {
		return err
	}
	sources, whole := map[string]string{}, map[string]string{}
	for _, f := range d.Sources { // a quote may be from what an agent read by itself
		whole[f] = string(p.Read(f))
	}
	files := slices.Clone(d.Sources)
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(len(whole[a]), len(whole[b])) })
	room := shownSources
	for i, f := range files {
		text := whole[f]
		if most := room / (len(files) - i); len(text) > most {
			text = strings.ToValidUTF8(text[:most], "")
		}
		if i := strings.LastIndexByte(text, '\n'); i > 0 && len(text) < len(whole[f]) {
			text = text[:i+1]
		}
		room -= len(text)
		sources[f] = text
	}
	for _, f := range d.Sources {
		text := sources[f]
		if len(text) < len(whole[f]) {
			text += "… (truncated; the file continues)"
		}
		if err := doc(f, text); err != nil {
			return err
		}
	}
	var err error
	x.Sources, err = put(a.o.Blobs, whole)
	return err
}

// describe is the step decompile.write: the documents of one module into the user's tree, all or none. A repetition
// after a crash finds them there and changes nothing.
func (a *Actor) describe(ctx context.Context, _ flow.Job, in step.DescribeIn) (step.WrittenOut, error) {
	said := func(s step.Statement) string { return s.Text }
	var files []git.Delivery
	for _, f := range in.Files {
		text, err := a.o.Blobs.Get(f.Text)
		if err != nil {
			return step.WrittenOut{}, machinery(err)
		}
		if d := in.Description; d != nil && spec.IsName(f.Path) {
			text = inspect.Describe(text, d.Purpose, step.Each(d.Decisions, said), step.Each(d.Constraints, said), step.Each(d.Compatibility, said))
			doc, ps := spec.Parse(f.Path, text)
			if doc.Text("Purpose") == "" || spec.HasErrors(ps) {
				return step.WrittenOut{}, fmt.Errorf("%s with its description cannot be read: %v", f.Path, ps)
			}
		}
		id, err := a.o.Repo.WriteBlob(ctx, text)
		if err != nil {
			return step.WrittenOut{}, machinery(err)
		}
		files = append(files, git.Delivery{Path: f.Path, Old: f.Old, New: id, Mode: "100644"})
	}
	written, conflicts, err := a.write(ctx, "write", files)
	return step.WrittenOut{Written: written, Conflicts: conflicts}, err
}

// specSurvey is the step spec.survey: what a request's author has to know of the project.
func (a *Actor) specSurvey(ctx context.Context, j flow.Job, in step.SpecIn) (step.SpecSurveyOut, error) {
	commit, tree, err := a.snapshot(ctx, j.Run)
	if err != nil {
		return step.SpecSurveyOut{}, err
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return step.SpecSurveyOut{}, err
	}
	out := step.SpecSurveyOut{Commit: commit, Tree: tree}
	doc := a.showing(&out.Docs, &err)
	p := a.project(v)
	doc("project files, without settings and lock files", fileMap(v.paths()))
	for _, f := range []string{"code-convention.md", "CLAUDE.md"} {
		doc(f, clip(string(v.bytes(f)), 16_000))
	}
	users := map[string][]string{}
	for _, e := range p.Graph().Edges {
		if !slices.Contains(users[e.To], e.From) {
			users[e.To] = append(users[e.To], e.From)
		}
	}
	var list strings.Builder
	entries := p.Scan().Entries
	for _, e := range entries {
		fmt.Fprintf(&list, "%s: %s\n", cmp.Or(e.Dir, "."), e.Purpose)
		if len(e.Exports) > 0 {
			fmt.Fprintf(&list, "  exports: %s\n", strings.Join(e.Exports, ", "))
		}
		if u := users[e.Dir]; len(u) > 0 {
			fmt.Fprintf(&list, "  used by: %s\n", strings.Join(u, ", "))
		}
	}
	doc("existing modules, with purposes and exports", clip(list.String(), 60_000))
	for _, e := range entries { // those that the request is about are shown whole
		if f := e.File; e.Dir != "" && (in.Path != "" && (e.Dir == in.Path || strings.HasPrefix(e.Dir, in.Path+"/")) || named(in.Request, e.Dir)) {
			doc(f, clip(string(v.bytes(f)), 20_000))
			plan, _, _ := strings.Cut(string(v.bytes(path.Join(e.Dir, "IMPLEMENTS.md"))), "<!-- IMPLEMENTATION SECTION")
			doc(path.Join(e.Dir, "IMPLEMENTS.md")+" (planning)", clip(plan, 8_000))
		}
	}
	return out, machinery(err)
}

// specDraft is the step spec.draft: an answer as documents, and what a program finds wrong with them.
func (a *Actor) specDraft(ctx context.Context, _ flow.Job, in step.DraftIn) (step.DraftOut, error) {
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return step.DraftOut{}, err
	}
	var s inspect.Specification
	if err := json.Unmarshal(in.Answer, &s); err != nil {
		return step.DraftOut{}, errors.Join(errors.New("read the specification"), err)
	}
	docs, wrong := a.project(v).Specify(s, in.Path, step.Each(in.Assumed, func(qa step.QA) [2]string { return [2]string{qa.Question, qa.Answer} }))
	out := step.DraftOut{}
	rules := map[spec.Severity]string{spec.Error: "spec", spec.Warning: step.Leftover}
	for _, p := range wrong {
		if p.Severity == spec.Warning && slices.Contains(in.Told, p.Text) {
			continue
		}
		text := p.Text
		if p.Severity == spec.Warning {
			out.Told = append(out.Told, p.Text)
		}
		if p.Hint != "" {
			text += "; " + p.Hint
		}
		out.Findings = append(out.Findings, step.Finding{Rule: rules[p.Severity], Severity: step.Fix, Path: p.Path, Line: p.Line, Message: text})
	}
	if len(docs) == 0 && len(out.Findings) == 0 {
		out.Findings = append(out.Findings, step.Finding{Rule: "nothing", Severity: step.Fix, Message: "The answer changes nothing. Return the modules that the request asks for."})
	}
	if len(out.Findings) > 0 {
		out.Findings = bound(out.Findings, 60)
		return out, nil
	}
	for _, d := range docs {
		ref, err := a.o.Blobs.Put(d.Text, "text/markdown")
		if err != nil {
			return out, machinery(err)
		}
		out.Files = append(out.Files, step.NewFile{Path: d.Path, Old: v.ids[d.Path], Text: ref})
		out.Modules = joined(out.Modules, d)
	}
	return out, nil
}

// joined adds a document to the modules of a draft: its spec names a module, its plan does where the spec does not change.
func joined(list []step.SpecModule, d inspect.Specified) []step.SpecModule {
	i := slices.IndexFunc(list, func(m step.SpecModule) bool { return m.Dir == d.Dir })
	if i < 0 {
		return append(list, step.SpecModule{Dir: d.Dir, Spec: d.Path, Created: d.Created, Changes: d.Changes})
	}
	list[i].Plan, list[i].Changes = d.Path, append(list[i].Changes, d.Changes...) // a spec comes before its plan
	return list
}
