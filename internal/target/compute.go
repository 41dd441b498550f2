package target

import (
	"errors"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Change is what git says of a path; the first that holds, in this order.
type Change string

// The changes.
const (
	Clean         Change = ""
	IsStaged      Change = "staged"
	IsModified    Change = "modified" // in the work tree, against the index
	IsUntracked   Change = "untracked"
	planFile             = "IMPLEMENTS.md"
	conventionDoc        = "code-convention.md"
)

// File is a file of the work tree: all that are tracked and there, and all untracked ones that are
// not ignored.
type File struct {
	Path   string // from the root, "/" separators, as the file system spells it
	ID     string // git's id of the bytes that are in the work tree
	Change Change
}

// Facts are what the caller has read. Read is called only where the lock has no answer, from many goroutines.
type Facts struct {
	Root      string // printed, never read
	Files     []File
	Lock      *Lock    // nil is an empty lock
	All       bool     // everything is asked for
	Overwrite bool     // existing files that are not ours may be written again
	Paths     []string // directories that the run is limited to; empty is all
	NoGit     bool
	IsSource  func(path string) bool
	Read      func(path string) ([]byte, error)
	// Same reports whether a file that differs from the id of its record counts as the same. nil: none does.
	Same func(path, id string) bool
}

// module is what is known of one spec while the targets are computed.
type module struct {
	dir, path  string  // path is as the file system spells it
	other      *module // the SPEC.md of a directory that has a CLAUDE.md as well, until one of them is chosen
	id         string
	change     Change
	planID     string // git's id of IMPLEMENTS.md, "" when there is none
	planPath   string
	hasSource  bool
	rows       []row
	doc        *spec.Document
	known      *index.Module  // made of the document
	problems   []spec.Problem // of the document
	unreadable bool
	why        string // it is
	node       bool
	stale      bool
}

// run is one computation.
type run struct {
	f     Facts
	mods  []*module
	byDir map[string]*module
	files map[string]string // ids by NFC path
	res   *Result
	base  string            // hash of the project's conventions
	owns  map[string]string // own conventions of a directory
}

// Compute decides what is out of date. Everything that is wrong with the specs is in the result.
func Compute(f Facts) *Result {
	r := &run{f: f, byDir: map[string]*module{}, files: make(map[string]string, len(f.Files))}
	if f.Lock == nil {
		r.f.Lock = &Lock{}
	}
	r.res = &Result{
		Root: f.Root, Targets: []Target{}, Skipped: []Skipped{}, Warnings: []Warning{},
		DependencyWarnings: []DependencyWarning{}, Problems: []spec.Problem{},
		Docs: map[string]*spec.Document{}, Drift: map[string][]string{}, inputs: map[string]Entry{},
	}
	r.list()
	r.readSpecs()
	mods := make([]index.Module, 0, len(r.mods))
	for _, m := range r.mods {
		mods = append(mods, m.indexed())
	}
	x, ps := index.Build(mods)
	r.res.Index = x
	r.res.Problems = append(r.res.Problems, ps...)
	for _, m := range r.mods {
		r.judge(m)
	}
	r.gone()
	r.finish()
	return r.res
}

// list finds the specs in the listing and the sources beside them.
func (r *run) list() {
	for i := range r.f.Files {
		f := &r.f.Files[i]
		p := nfc(f.Path)
		r.files[p] = f.ID
		if !spec.IsName(p) || foreign(p) {
			continue
		}
		m := &module{dir: path.Dir(p), path: f.Path, id: f.ID, change: f.Change}
		m.rows = r.f.Lock.rows[m.dir]
		switch have := r.byDir[m.dir]; {
		case have == nil:
			r.mods = append(r.mods, m)
			r.byDir[m.dir] = m
		case path.Base(m.path) == spec.OtherName:
			have.other = m
		default: // what is known of the directory is the CLAUDE.md from here on
			other := *have
			*have, have.other = *m, &other
		}
	}
	slices.SortFunc(r.mods, func(a, b *module) int { return strings.Compare(a.dir, b.dir) })
	for i := range r.f.Files {
		f := &r.f.Files[i]
		p := nfc(f.Path)
		m := r.byDir[path.Dir(p)]
		if m == nil {
			continue
		}
		switch base := path.Base(p); {
		case base == planFile:
			m.planID, m.planPath = f.ID, f.Path
		case m.hasSource || spec.IsName(base):
		case r.f.IsSource(f.Path):
			m.hasSource = true
		}
	}
}

// foreign reports whether a path lies in a directory that holds other people's code or a tool's
// own files, whatever git says about it.
func foreign(p string) bool {
	return slices.ContainsFunc([]string{"node_modules/", "vendor/", ".git/", ".jacquard/", ".claude/", ".svn/", ".hg/"}, func(d string) bool {
		return strings.HasPrefix(p, d) || strings.Contains(p, "/"+d)
	})
}

// readSpecs reads the documents that the lock does not vouch for, drops those that are no specs,
// and computes the conventions.
func (r *run) readSpecs() {
	var root []*spec.Document
	r.readAhead()
	kept := r.mods[:0]
	for _, m := range r.mods {
		if m.other != nil {
			if m.dir == "." {
				root = append(root, m.doc)
			}
			m.choose()
		}
		if m.recorded() {
			m.rows = m.first(func(w *row) bool { return w.spec == m.id })
			kept = append(kept, m)
			continue
		}
		r.parse(m)
		if m.dir == "." && !slices.Contains(root, m.doc) {
			root = append(root, m.doc)
		}
		if m.doc == nil || m.unreadable {
			kept = append(kept, m)
			continue
		}
		if !m.doc.IsModule() {
			if m.dir != "." {
				r.res.Ignored++
			}
			if r.within(m.dir) {
				r.res.FreeForm = append(r.res.FreeForm, m.path)
			}
			delete(r.byDir, m.dir)
			continue
		}
		m.node = !m.hasSource && len(m.doc.Exports) == 0 && (m.doc.ExportsNone || !m.doc.Has("Exports") && !m.doc.Has("Behavior"))
		r.res.Docs[m.dir] = m.doc
		kept = append(kept, m)
	}
	r.mods = kept
	r.conventions(root)
}

// recorded reports whether a record says what stands in the module's spec, so that it need not be read.
func (m *module) recorded() bool {
	return m.dir != "." && !m.unreadable && slices.ContainsFunc(m.rows, func(w row) bool { return w.spec == m.id })
}

// readAhead reads the specs that have to be read on all processors.
func (r *run) readAhead() {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(r.mods)); i = next.Add(1) - 1 {
				m := r.mods[i]
				if m.other != nil {
					m.other.load(r.f.Read)
				}
				if m.other != nil || !m.recorded() {
					m.load(r.f.Read)
					if m.doc != nil {
						m.indexed()
					}
				}
			}
		})
	}
	wg.Wait()
}

// load reads the document of a module.
func (m *module) load(read func(path string) ([]byte, error)) {
	src, err := read(m.path)
	if err == nil {
		m.doc, m.problems = spec.Parse(m.file(), src)
		err = m.doc.Legible(src)
	}
	if err != nil {
		m.doc, m.unreadable = nil, true
		m.why = path.Base(m.path) + " cannot be read"
		p := spec.Problem{Path: m.path, Severity: spec.Error, Text: "read the spec: " + err.Error()}
		var why *spec.Unreadable
		if errors.As(err, &why) {
			p.Text, p.Hint = "read the spec: "+why.Why, why.Hint
		}
		m.problems = []spec.Problem{p}
		return
	}
	if m.doc.IsModule() {
		m.problems = append(m.problems, spec.Check(m.doc)...)
	} else {
		m.problems = nil
	}
}

// file is the path of the spec as it is shown.
func (m *module) file() string { return path.Join(m.dir, path.Base(m.path)) }

// choose makes one of the two files of a directory its spec. What cannot be read may be one.
func (m *module) choose() {
	one, both := spec.Choose(m, m.other, func(x *module) bool { return x.unreadable || x.doc.IsModule() })
	switch {
	case both && m.id == m.other.id && m.id != "": // one leads to the other
	case both && !m.unreadable && !m.other.unreadable:
		m.doc, m.known, m.unreadable = nil, nil, true
		m.problems, m.why = []spec.Problem{spec.TwoSpecs(m.dir)}, spec.Name+" and "+spec.OtherName+" are both specs"
	case one == m.other || both && m.other.unreadable:
		m.path, m.id, m.change, m.doc, m.known = m.other.path, m.other.id, m.other.change, m.other.doc, nil
		m.problems, m.unreadable, m.why = m.other.problems, m.other.unreadable, m.other.why
	}
	m.other = nil
}

// first moves the records for which f holds to the front.
func (m *module) first(f func(*row) bool) []row {
	yes, no := make([]row, 0, len(m.rows)), []row(nil)
	for i := range m.rows {
		if w := &m.rows[i]; f(w) {
			yes = append(yes, *w)
		} else {
			no = append(no, *w)
		}
	}
	return append(yes, no...)
}

// parse reads the document of a module, unless that was done, and reports its problems once.
func (r *run) parse(m *module) {
	if m.doc == nil && !m.unreadable {
		m.load(r.f.Read)
	}
	r.res.Problems = append(r.res.Problems, m.problems...)
	m.problems = nil
}

// conventions computes the hash of what applies to the whole project: code-convention.md, and the documents of the
// root: of its spec the conventions, of a CLAUDE.md that is none everything.
func (r *run) conventions(root []*spec.Document) {
	var parts []string
	if _, ok := r.files[conventionDoc]; ok {
		if src, err := r.f.Read(conventionDoc); err == nil {
			file, ps := spec.ParseConvention(conventionDoc, src)
			parts = append(parts, file.Hash())
			r.res.Problems = append(r.res.Problems, ps...)
		}
	}
	for _, d := range root {
		switch {
		case d == nil: // it cannot be read
		case d.IsModule():
			parts = append(parts, spec.ConventionHash(d))
		case d.Path == spec.Name:
			parts = append(parts, spec.TextHash(d))
		}
	}
	r.base = strings.Trim(strings.Join(parts, "-"), "-")
	r.owns = map[string]string{}
	for _, m := range r.mods {
		own := ""
		if m.doc != nil {
			own = spec.ConventionHash(m.doc)
		} else if len(m.rows) > 0 {
			own = m.rows[0].own
		}
		if own != "" && m.dir != "." {
			r.owns[m.dir] = own
		}
	}
}

// convention is the hash of what applies to a module from outside: its own sections are part of
// its content.
func (r *run) convention(dir string) string {
	hash := r.base
	if len(r.owns) == 0 {
		return hash
	}
	for dir != "." && dir != "/" {
		dir = path.Dir(dir)
		if own := r.owns[dir]; own != "" {
			hash += "+" + own
		}
	}
	return hash
}

// indexed is the module as the index wants it, from the document, of which it is made once, or from its record.
func (m *module) indexed() index.Module {
	if m.doc != nil {
		if m.known == nil {
			m.known = new(index.Of(m.doc))
			m.known.Dir = m.dir
		}
		return *m.known
	}
	x := index.Module{Dir: m.dir, Path: m.file()}
	if len(m.rows) == 0 {
		return x
	}
	w := &m.rows[0]
	x.Symbols = decodeMap(w.exports, "")
	for _, u := range decodeUses(w.uses) {
		use := index.Use{Soft: u.Soft, Internal: spec.Internal{Ref: u.Path}}
		use.Path, use.IsSpec = spec.Dir(u.Path)
		for name := range u.Symbols {
			use.Symbols = append(use.Symbols, name)
		}
		slices.Sort(use.Symbols)
		x.Uses = append(x.Uses, use)
	}
	return x
}

// within reports whether the run covers a directory.
func (r *run) within(dir string) bool {
	return len(r.f.Paths) == 0 || slices.ContainsFunc(r.f.Paths, func(p string) bool {
		p = nfc(path.Clean(p))
		return p == "." || dir == p || strings.HasPrefix(dir, p+"/")
	})
}
