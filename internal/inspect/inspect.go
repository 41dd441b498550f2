// Package inspect answers what the spec commands ask of a project: which directories need
// a spec, what the specs say, whether they are sound, who uses what. It computes from a
// listing and the bytes of files alone.
//
// The names of fields are those of the tools that these commands stand in for, so that
// scripts written for them go on working; lists are never null, and the order is always
// the same. Where a tool before was wrong the comment says what is right.
package inspect

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Project is the files of a project, for one goroutine.
type Project struct {
	root     string
	files    []string // sorted
	read     func(path string) []byte
	docs     map[string]*document // by directory, the file that counts there
	others   map[string]*document // by directory, a file with the other name of a spec
	dirs     []string             // of those docs that are specs, sorted
	index    *index.Index
	unlinked []spec.Problem         // of dependencies that the index found nothing for
	refs     map[string][]Reference // by the module that they stand in; nil until they are asked for

	needed   map[string]bool // see modules; nil until it is asked for
	roots    roots
	chains   *toolchain.Project // nil until it is asked for
	library  fs.FS              // the packages of the installed Go; nil without
	inferred *goTypes           // nil until it is asked for
	built    map[string]Built   // what the lock records, by module
	kept     *Kept              // nil: everything is read anew
}

// document is a CLAUDE.md or SPEC.md with everything that is wrong with it.
type document struct {
	*spec.Document

	src      []byte
	problems []spec.Problem
}

// free reports whether a document is no spec but what its author tells an agent, as most are that nobody wrote for us.
func (d *document) free() bool { return !d.IsSpec() && d.Legible(d.src) == nil }

// freeText says of a document that it is no spec, freeHint what would make it one.
const (
	freeText = "free text, not a spec: it has no section Purpose, Exports or Behavior"
	freeHint = "add them to make it one"
)

// New takes a project: its root, which only names it, its files as relative paths with
// slashes, and how to read one; nil stands for a file that cannot be read.
func New(root string, files []string, read func(path string) []byte) *Project {
	p := &Project{root: root, files: slices.Clone(files), read: read, docs: map[string]*document{}, others: map[string]*document{}}
	slices.Sort(p.files)
	for _, f := range p.files {
		if !spec.IsName(f) || foreign(f) {
			continue
		}
		src := read(f)
		if src == nil {
			continue
		}
		d, ps := spec.Parse(f, src)
		now := &document{Document: d, src: src, problems: ps}
		if claude := p.docs[d.Dir()]; claude != nil { // it is sorted before the other name
			one, both := spec.Choose(claude, now, func(d *document) bool { return d.IsModule() || d.Legible(d.src) != nil })
			if both && !bytes.Equal(claude.src, src) {
				claude.problems = append(claude.problems, spec.TwoSpecs(d.Dir()))
			}
			if p.others[d.Dir()] = now; one == now {
				p.others[d.Dir()] = claude
			}
			now = one
		}
		p.docs[d.Dir()] = now
	}
	for dir, d := range p.docs {
		if !d.free() {
			p.dirs = append(p.dirs, dir)
		}
	}
	slices.Sort(p.dirs)
	var mods []index.Module
	for _, dir := range p.dirs {
		mods = append(mods, index.Of(p.docs[dir].Document))
	}
	p.index, p.unlinked = index.Build(mods)
	return p
}

// Library gives the project the packages of the installed Go by their import paths, so that the types of variables that
// their functions give are known.
func (p *Project) Library(packages fs.FS) *Project {
	p.library = packages
	return p
}

// Built is what the lock records of a module.
type Built struct {
	Files   []string // that it was compiled into
	Content string   // [spec.ContentHash] of the spec that they were built from
	Gone    bool     // the spec is there no more, and the code is
}

// Built tells the project what the lock records, by directory.
func (p *Project) Built(modules map[string]Built) { p.built = modules }

// references are those that stand in a module's spec.
func (p *Project) references(dir string) []Reference {
	if p.refs == nil {
		p.refs = map[string][]Reference{}
		for _, r := range p.outlines().all() {
			p.refs[r.From] = append(p.refs[r.From], r)
		}
	}
	return p.refs[shown(dir)]
}

// outlines are the symbols of the specs that are there now, by module as dirs.
func (p *Project) outlines() *Symbols {
	all := &Symbols{}
	for _, d := range p.dirs {
		all.specs = append(all.specs, outlineFrom(p.docs[d].Document))
	}
	return all
}

// HasSpec reports whether there is a spec in a directory, also one that cannot be read.
func (p *Project) HasSpec(dir string) bool {
	d := p.docs[dir]
	return d != nil && !d.free() || p.Has(p.SpecPath(dir)) && p.named(p.SpecPath(dir)) == nil
}

// twoSpecs reports whether both files of a directory are its spec.
func (p *Project) twoSpecs(dir string) bool {
	other := p.others[dir]
	return other != nil && other.IsModule() && p.docs[dir].IsModule() && !bytes.Equal(other.src, p.docs[dir].src)
}

// SpecPath is where the spec of a directory is, or would be written: beside free text, under the other name.
func (p *Project) SpecPath(dir string) string {
	claude, other := path.Join(dir, spec.Name), path.Join(dir, spec.OtherName)
	switch d := p.docs[dir]; {
	case d != nil && !d.free():
		return d.Path
	case d != nil && d.Path == claude, d == nil && p.Has(other) && !p.Has(claude):
		return other
	}
	return claude
}

// named is the document of a path, whether it counts or not; nil for one that is none or cannot be read.
func (p *Project) named(file string) *document {
	for _, d := range []*document{p.docs[path.Dir(file)], p.others[path.Dir(file)]} {
		if d != nil && d.Path == file {
			return d
		}
	}
	return nil
}

// foreignDirs hold what others wrote or tools made, also where somebody committed it.
// Directories called build, bin, out or target are packages like others when git lists
// files in them.
var foreignDirs = []string{
	"node_modules", "vendor", ".git", ".svn", ".hg", ".claude", ".jacquard", "__pycache__", ".pytest_cache", ".mypy_cache",
	".idea", ".vscode", ".vs", ".nyc_output", ".venv",
}

func foreign(file string) bool {
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if slices.Contains(foreignDirs, part) {
			return true
		}
	}
	return false
}

// shown is a directory as the tools before wrote it: "" for the root.
func shown(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// Unreadable is a file that could not be read, with why and what to do.
type Unreadable struct {
	File    string `json:"file"`
	Message string `json:"message"`
}

// With is the project with other bytes in some of its files, and with those that it had not.
func (p *Project) With(changed map[string][]byte) *Project {
	read := p.read
	files := append(slices.Clone(p.files), slices.Collect(maps.Keys(changed))...)
	slices.Sort(files)
	out := New(p.root, slices.Compact(files), func(f string) []byte {
		if b, ok := changed[f]; ok {
			return b
		}
		return read(f)
	})
	out.kept, out.library, out.built = p.kept, p.library, p.built
	return out
}

// Below chooses a directory and all below it.
func Below(dir string) func(d string) bool {
	return func(d string) bool { return dir == "." || d == dir || strings.HasPrefix(d, dir+"/") }
}

// illegible says why a file cannot be read as code, "" when it can.
func illegible(src []byte) string {
	switch {
	case src == nil:
		return "Cannot read file"
	case !spec.IsText(src):
		return "Cannot read file: it is not UTF-8 text"
	}
	return ""
}

// listed is a file of the project, nil when it is none.
func (p *Project) listed(file string) []byte {
	if !p.Has(file) {
		return nil
	}
	return p.read(file)
}

// language is that of most source files directly in a directory; in the version before when
// this one has none; "" when there is no code.
func (p *Project) language(dir string, before *Project) string {
	count := map[string]int{}
	best := ""
	for _, f := range p.files {
		if path.Dir(f) != dir {
			continue
		}
		lang, ok := signature.Lang(fileTypes[path.Ext(f)])
		if !ok {
			continue
		}
		count[lang]++
		if best == "" || count[lang] > count[best] || count[lang] == count[best] && lang < best {
			best = lang
		}
	}
	if best == "" && before != nil {
		return before.language(dir, nil)
	}
	return best
}

const (
	implementsFile = "IMPLEMENTS.md"
	developersFile = "DEVELOPERS.md"
	conventionFile = "code-convention.md"
)
