package inspect

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // it is git's name for contents, and no secret
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Symbol is an exported name.
type Symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // function, type, class, enum, variable
	Module    string `json:"module_path"`
	Signature string `json:"signature,omitempty"`
	Anchor    string `json:"anchor"` // path of the spec#name
	Line      int    `json:"line"`
}

// Reference is one place at which a spec speaks of a symbol of another one.
type Reference struct {
	From    string `json:"from_module"`
	File    string `json:"-"`            // the spec of it
	Section string `json:"from_section"` // the H2 that it stands under
	Anchor  string `json:"to_anchor"`
	Symbol  string `json:"to_symbol"`
	Valid   bool   `json:"valid"`
	Line    int    `json:"line"`
}

// SymbolIndex is all symbols with all references to them.
type SymbolIndex struct {
	Root       string        `json:"root"`
	IndexedAt  string        `json:"indexed_at"` // when a spec was last found changed, RFC 3339
	Symbols    []Symbol      `json:"symbols"`
	References []Reference   `json:"references"`
	Unresolved []Reference   `json:"unresolved"`
	Summary    SymbolSummary `json:"summary"`
}

// SymbolSummary counts an index.
type SymbolSummary struct {
	Modules    int `json:"total_modules"`
	Symbols    int `json:"total_symbols"`
	References int `json:"total_references"`
	Unresolved int `json:"unresolved_count"`
}

// Symbols is what the specs of a project export, and whom they speak of. It is made of an outline
// of each spec, which depends on nothing but its bytes: it can be kept, and only what has another
// content id since is read again.
type Symbols struct {
	at    time.Time
	files []outline // sorted by directory, CLAUDE.md first
	specs []outline // of them, one for each directory
}

// outline is what the index needs of one spec.
type outline struct {
	id      string // of the contents; "" where it is not known to be that of what was read
	file    string
	dir     string // of the file
	module  bool   // it describes one
	symbols []outlined
	uses    []mention
}

type outlined struct {
	name, kind, signature string
	line                  int
}

type mention struct {
	path, file, symbol, section string // file is the spec by the name that was written, path its directory
	dependency, isSpec          bool   // a dependency may be written in several ways
	line                        int
}

// IsSpec reports whether a file of a project has the name of a spec of it.
func IsSpec(file string) bool { return spec.IsName(file) && !foreign(file) }

// outlineOf reads a spec.
func outlineOf(file, id string, src []byte) outline {
	d, _ := spec.Parse(file, src)
	o := outlineFrom(d)
	if isContent(id, src) {
		o.id = id
	}
	return o
}

func outlineFrom(d *spec.Document) outline {
	o := outline{file: d.Path, dir: d.Dir(), module: d.IsModule()}
	for _, e := range d.Exports {
		o.symbols = append(o.symbols, outlined{strings.Clone(e.Name), string(e.Kind), strings.Clone(e.Signature), e.Line})
	}
	for _, dep := range d.Dependencies.Internal {
		for _, s := range dep.Symbols {
			o.uses = append(o.uses, mention{path: strings.Clone(dep.Path), file: dep.Spec(), symbol: strings.Clone(s), section: "Dependencies", dependency: true, isSpec: dep.IsSpec, line: dep.Line})
		}
	}
	for _, ref := range d.CrossRefs {
		o.uses = append(o.uses, mention{path: strings.Clone(ref.Path), file: strings.Clone(ref.File), symbol: strings.Clone(ref.Symbol), section: strings.Clone(ref.Section), isSpec: true, line: ref.Line})
	}
	slices.SortStableFunc(o.uses, func(a, b mention) int { return cmp.Compare(a.line, b.line) })
	return o
}

// isContent reports whether git gives these bytes the id, with line feeds for line ends where it
// stores them so. A file that changed between the listing and the reading has another.
func isContent(id string, src []byte) bool {
	is := func(src []byte) bool {
		blob := append(fmt.Appendf(nil, "blob %d\x00", len(src)), src...)
		if len(id) == 2*sha256.Size {
			sum := sha256.Sum256(blob)
			return hex.EncodeToString(sum[:]) == id
		}
		sum := sha1.Sum(blob) //nolint:gosec // see above
		return hex.EncodeToString(sum[:]) == id
	}
	return is(src) || bytes.Contains(src, []byte("\r\n")) && is(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
}

// Update brings the index up to the specs that are there now: the content ids of all by path, and
// how to read one; nil is one that cannot be read. It reports whether anything changed.
func (s *Symbols) Update(ids map[string]string, read func(path string) []byte, now time.Time) bool {
	files := make([]string, 0, len(ids))
	for f := range ids {
		if IsSpec(f) {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(strings.Compare(path.Dir(a), path.Dir(b)), strings.Compare(a, b))
	})
	have := make(map[string]int, len(s.files))
	for i := range s.files {
		have[s.files[i].file] = i
	}
	changed := len(files) != len(s.files)
	next := make([]outline, 0, len(files))
	for _, f := range files {
		if i, ok := have[f]; ok && s.files[i].id == ids[f] && ids[f] != "" {
			next = append(next, s.files[i])
			continue
		}
		changed = true
		if src := read(f); src != nil {
			next = append(next, outlineOf(f, ids[f], src))
		}
	}
	s.files = next
	s.choose()
	if changed || s.at.IsZero() {
		s.at = now
	}
	return changed
}

// choose takes of each directory the file that counts.
func (s *Symbols) choose() {
	s.specs = make([]outline, 0, len(s.files))
	for i := range s.files {
		o := &s.files[i]
		if last := len(s.specs) - 1; last < 0 || s.specs[last].dir != o.dir {
			s.specs = append(s.specs, *o)
		} else {
			one, _ := spec.Choose(&s.specs[last], o, func(o *outline) bool { return o.module })
			s.specs[last] = *one
		}
	}
}

func (o *outline) symbol(i int) Symbol {
	x := &o.symbols[i]
	return Symbol{Name: x.name, Kind: x.kind, Module: shown(o.dir), Signature: x.signature, Anchor: o.file + "#" + x.name, Line: x.line}
}

// Find lists the symbols of a name, by module.
func (s *Symbols) Find(name string) []Symbol {
	out := []Symbol{}
	for i := range s.specs {
		for j := range s.specs[i].symbols {
			if has := s.specs[i].symbols[j].name; has == name || strings.HasSuffix(has, "."+name) && !strings.Contains(name, ".") {
				out = append(out, s.specs[i].symbol(j))
			}
		}
	}
	return out
}

// References lists the references to an anchor, by either name of a spec, or to a name wherever it is.
func (s *Symbols) References(to string) []Reference {
	at := strings.LastIndexByte(to, '#')
	name := to[at+1:]
	return s.references(func(u *mention) bool { return u.symbol == name }, func(r *Reference) bool {
		if at < 0 {
			return true
		}
		want, _ := spec.Dir(to[:at])
		is, _ := spec.Dir(strings.TrimSuffix(r.Anchor, "#"+r.Symbol))
		return is == want
	})
}

// all are the references of all specs.
func (s *Symbols) all() []Reference {
	return s.references(func(*mention) bool { return true }, func(*Reference) bool { return true })
}

// references resolves the uses that may be wanted and keeps the references that are. One to the
// module itself is none, and one that a section repeats counts once.
func (s *Symbols) references(may func(*mention) bool, want func(*Reference) bool) []Reference {
	dirs := make(index.Dirs, len(s.specs))
	for i := range s.specs {
		dirs.Add(s.specs[i].dir, i)
	}
	out := []Reference{}
	for i := range s.specs {
		o := &s.specs[i]
		first := len(out)
		for k := range o.uses {
			u := &o.uses[k]
			if !may(u) {
				continue
			}
			to, file, valid := u.path, u.file, false
			find := dirs.Get
			if u.dependency {
				find = func(dir string) (int, bool) { return dirs.Locate(o.dir, spec.Internal{Path: dir, IsSpec: u.isSpec}) }
			}
			if j, ok := find(u.path); ok {
				to, file = s.specs[j].dir, s.specs[j].file
				valid = slices.ContainsFunc(s.specs[j].symbols, func(x outlined) bool { return x.name == u.symbol })
			}
			r := Reference{From: shown(o.dir), File: o.file, Section: u.section, Anchor: file + "#" + u.symbol, Symbol: u.symbol, Valid: valid, Line: u.line}
			again := slices.ContainsFunc(out[first:], func(have Reference) bool { return have.Anchor == r.Anchor && have.Section == r.Section })
			if to != o.dir && !again && want(&r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// Index lists all symbols and references: symbols by module and place, references by the spec
// that they stand in and place.
func (s *Symbols) Index(root string) SymbolIndex {
	x := SymbolIndex{Root: root, IndexedAt: s.at.UTC().Format(time.RFC3339), Symbols: []Symbol{}, Unresolved: []Reference{}}
	for i := range s.specs {
		for j := range s.specs[i].symbols {
			x.Symbols = append(x.Symbols, s.specs[i].symbol(j))
		}
	}
	x.References = s.all()
	for _, r := range x.References {
		if !r.Valid {
			x.Unresolved = append(x.Unresolved, r)
		}
	}
	x.Summary = SymbolSummary{len(s.specs), len(x.Symbols), len(x.References), len(x.Unresolved)}
	return x
}

// ErrDamaged says that a kept index cannot be read.
var ErrDamaged = errors.New("the symbol index is damaged")

const symbolMagic = "jacquard symbols 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Bytes is the index in a form that LoadSymbols reads. The stamp names the program that wrote it.
func (s *Symbols) Bytes(stamp string) []byte {
	w := []byte(symbolMagic + "\x00\x00\x00\x00")
	text := func(t string) { w = append(binary.AppendUvarint(w, uint64(len(t))), t...) }
	number := func(n int) { w = binary.AppendUvarint(w, uint64(n)) } //nolint:gosec // never negative
	flag := func(b bool) {
		if b {
			number(1)
		} else {
			number(0)
		}
	}
	text(stamp)
	number(int(s.at.Unix()))
	number(len(s.files))
	for i := range s.files {
		o := &s.files[i]
		text(o.id)
		text(o.file)
		flag(o.module)
		number(len(o.symbols))
		for _, x := range o.symbols {
			text(x.name)
			text(x.kind)
			text(x.signature)
			number(x.line)
		}
		number(len(o.uses))
		for _, u := range o.uses {
			text(u.path)
			text(u.file)
			text(u.symbol)
			text(u.section)
			flag(u.dependency)
			flag(u.isSpec)
			number(u.line)
		}
	}
	seal(w[len(symbolMagic):])
	return w
}

// seal puts the checksum of what follows into the first four bytes.
func seal(b []byte) { binary.BigEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli)) }

// unseal is what follows the checksum, if it is the one that seal wrote.
func unseal(b []byte) (body []byte, ok bool) {
	if len(b) < 4 || crc32.Checksum(b[4:], castagnoli) != binary.BigEndian.Uint32(b) {
		return nil, false
	}
	return b[4:], true
}

// LoadSymbols reads what Bytes wrote. An index that another program wrote is empty, as one of
// nothing: how a spec is read may have changed.
func LoadSymbols(b []byte, stamp string) (*Symbols, error) {
	s := &Symbols{}
	if len(b) == 0 {
		return s, nil
	}
	sealed, ok := bytes.CutPrefix(b, []byte(symbolMagic))
	body, whole := unseal(sealed)
	if !ok || !whole {
		return s, ErrDamaged
	}
	r := symbolReader{rest: string(body)}
	if r.text() != stamp {
		return s, nil
	}
	s.at = time.Unix(int64(r.number()), 0)
	s.files = make([]outline, r.count())
	for i := range s.files {
		o := &s.files[i]
		o.id, o.file, o.module = r.text(), r.text(), r.number() == 1
		o.dir = path.Dir(o.file)
		o.symbols = make([]outlined, r.count())
		for k := range o.symbols {
			o.symbols[k] = outlined{r.text(), r.text(), r.text(), r.number()}
		}
		o.uses = make([]mention, r.count())
		for k := range o.uses {
			o.uses[k] = mention{path: r.text(), file: r.text(), symbol: r.text(), section: r.text(), dependency: r.number() == 1, isSpec: r.number() == 1, line: r.number()}
		}
	}
	if r.bad || r.rest != "" {
		return &Symbols{}, ErrDamaged
	}
	s.choose()
	return s, nil
}

// symbolReader reads what is left; bad says that it was not what it should be.
type symbolReader struct {
	rest string
	bad  bool
}

func (r *symbolReader) number() int {
	v, n := binary.Uvarint([]byte(r.rest[:min(len(r.rest), 9)]))
	if n <= 0 {
		r.bad, r.rest = true, ""
		return 0
	}
	r.rest = r.rest[n:]
	return int(v) //nolint:gosec // of 63 bits at most
}

// count is a number of things, each of which takes a byte at least.
func (r *symbolReader) count() int {
	n := r.number()
	if n < 0 || n > len(r.rest) {
		r.bad, r.rest = true, ""
		return 0
	}
	return n
}

func (r *symbolReader) text() string {
	n := r.count()
	t := r.rest[:n]
	r.rest = r.rest[n:]
	return t
}
